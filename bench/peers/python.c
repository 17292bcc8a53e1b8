/* python.c - peers that are Python packages. Each package has a process, which python_peers.py serves:
   requests go to its standard input, and answers come from its output. */
#define _POSIX_C_SOURCE 200809L
#include "../harness/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../harness/data.h"
#include "peer.h"

#define PYTHON "build/peers/bin/python"
#define SCRIPT "bench/peers/python_peers.py"

enum { DUCKDB, NUMPY, POLARS, PYOPENCL, PACKAGES, TEXT_MAX = 512, PATIENCE_MS = 120000 };

/* In the order of PACKAGES in the script. */
static bench_library libraries[PACKAGES + 1] = {
    {"duckdb", NULL, NULL}, {"numpy", NULL, NULL}, {"polars", NULL, NULL}, {"pyopencl", NULL, NULL}};

typedef struct process {
    pid_t pid; /* 0: not started, or ended */
    int to, from;
    bool gave_up;
} process;

static process processes[PACKAGES];

/* ------------------------------------------------------------------ which packages are there */

static void read_versions(FILE *from)
{
    static char versions[PACKAGES][32];
    char name[32];
    for (size_t i = 0; i < PACKAGES; i++)
        if (fscanf(from, "%31s %31s", name, versions[i]) == 2 && strcmp(versions[i], "-") != 0)
            libraries[i].version = versions[i];
}

const bench_library *bench_python_libraries(void)
{
    static bool looked;
    if (looked) return libraries;
    looked = true;
    const bool there = access(PYTHON, X_OK) == 0 && access(SCRIPT, R_OK) == 0;
    FILE *from = there ? popen(PYTHON " " SCRIPT " versions", "r") : NULL;
    if (from != NULL) {
        read_versions(from);
        (void)pclose(from);
    }
    for (size_t i = 0; i < PACKAGES; i++)
        if (libraries[i].version == NULL)
            libraries[i].missing = there ? "not in " PYTHON ": make peers" : "no " PYTHON ": make peers";
    return libraries;
}

/* ------------------------------------------------------------------ processes */

static void end(process *p)
{
    if (p->pid == 0) return;
    close(p->to);
    close(p->from);
    (void)waitpid(p->pid, NULL, 0);
    p->pid = 0;
}

void bench_python_close(void)
{
    for (size_t i = 0; i < PACKAGES; i++) end(&processes[i]);
}

/* It is not asked again: what it was told and has done is unknown. */
static bool give_up(int package, const bench_work *work, const char *why)
{
    process *p = &processes[package];
    snprintf(work->why, BENCH_WHY_MAX, "%s", why);
    p->gave_up = true;
    if (p->pid != 0) (void)kill(p->pid, SIGKILL);
    end(p);
    return false;
}

static void become(int in, int out, const char *name, const char *platform, const char *device)
{
    if (dup2(in, 0) >= 0 && dup2(out, 1) >= 0)
        (void)execl(PYTHON, PYTHON, SCRIPT, name, platform, device, (char *)NULL);
    _exit(127);
}

/* Other processes must not keep its pipes open: it ends when gpbench has closed them. */
static bool start(int package, const bench_work *work)
{
    process *p = &processes[package];
    char platform[256] = "", device[256] = "";
    cl_platform_id id = NULL;
    int requests[2], answers[2];
    (void)clGetDeviceInfo(work->device, CL_DEVICE_NAME, sizeof device, device, NULL);
    (void)clGetDeviceInfo(work->device, CL_DEVICE_PLATFORM, sizeof id, &id, NULL);
    (void)clGetPlatformInfo(id, CL_PLATFORM_NAME, sizeof platform, platform, NULL);
    if (pipe(requests) != 0) return give_up(package, work, strerror(errno));
    if (pipe(answers) != 0) {
        close(requests[0]);
        close(requests[1]);
        return give_up(package, work, strerror(errno));
    }
    (void)fcntl(requests[1], F_SETFD, FD_CLOEXEC);
    (void)fcntl(answers[0], F_SETFD, FD_CLOEXEC);
    (void)signal(SIGPIPE, SIG_IGN);
    p->pid = fork();
    if (p->pid == 0) become(requests[0], answers[1], libraries[package].name, platform, device);
    close(requests[0]);
    close(answers[1]);
    p->to = requests[1];
    p->from = answers[0];
    if (p->pid > 0) return true;
    close(p->to);
    close(p->from);
    p->pid = 0;
    return give_up(package, work, "no process");
}

static bool tell(const process *p, const void *data, size_t size)
{
    for (const char *at = data; size > 0;) {
        const ssize_t wrote = write(p->to, at, size);
        if (wrote <= 0) return false;
        at += wrote;
        size -= (size_t)wrote;
    }
    return true;
}

/* False at the end of the process, or when it takes too long. */
static bool hear(const process *p, void *data, size_t size)
{
    for (char *at = data; size > 0;) {
        struct pollfd poll_of = {.fd = p->from, .events = POLLIN};
        const ssize_t got = poll(&poll_of, 1, PATIENCE_MS) == 1 ? read(p->from, at, size) : 0;
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* "ok" and a number, if there is one. */
static bool hear_answer(int package, const bench_work *work, size_t *bytes)
{
    const process *p = &processes[package];
    char line[TEXT_MAX];
    size_t used = 0;
    while (used < sizeof line - 1 && hear(p, &line[used], 1) && line[used] != '\n') used++;
    if (used == 0 || line[used] != '\n')
        return give_up(package, work, "the process ended, or took longer than two minutes");
    line[used] = 0;
    if (strncmp(line, "ok", 2) == 0) {
        *bytes = (size_t)strtoull(line + 2, NULL, 10);
        return true;
    }
    snprintf(work->why, BENCH_WHY_MAX, "%s", line);
    return false;
}

static bool ask(int package, const bench_work *work, const char *word, const char *peer, size_t *bytes)
{
    char line[TEXT_MAX];
    snprintf(line, sizeof line, "%s %s\n", word, peer);
    return (tell(&processes[package], line, strlen(line)) || give_up(package, work, "the process ended")) &&
           hear_answer(package, work, bytes);
}

/* ------------------------------------------------------------------ work */

static const char *const names[] = {
    [BENCH_REDUCE] = "reduce",
    [BENCH_SCAN] = "scan",
    [BENCH_DOT] = "dot",
    [BENCH_GROUP_BY] = "group-by",
    [BENCH_JOIN] = "join",
    [BENCH_SORT] = "sort",
    [BENCH_TOPK_ROWS] = "topk-rows",
    [BENCH_RLE_DECODE] = "rle-decode",
    [BENCH_TRANSPOSE] = "transpose",
    [BENCH_COLUMNS] = "columns",
    [BENCH_SCAN_ROWS] = "scan-rows",
    [BENCH_SCAN_COLUMNS] = "scan-columns",
    [BENCH_NTH_ELEMENT] = "nth-element",
};

static bool load(int package, const char *peer, const bench_work *work)
{
    process *p = &processes[package];
    char line[TEXT_MAX];
    size_t none;
    const size_t size = work->n * data_size(work->type);
    const size_t size2 = work->host_in2 == NULL ? 0 : work->value_size ? work->n * work->value_size : size;
    if (p->gave_up || (p->pid == 0 && !start(package, work))) return false;
    snprintf(line, sizeof line, "load %s %s %s %zu %zu %zu %zu %zu %zu\n", peer, names[work->primitive],
             data_type_name(work->type), work->n, work->k, work->segments, work->value_size, size, size2);
    return ((tell(p, line, strlen(line)) && tell(p, work->host_in, size) && tell(p, work->host_in2, size2)) ||
            give_up(package, work, "the process ended")) &&
           hear_answer(package, work, &none);
}

static size_t result_bytes(const bench_work *work)
{
    const size_t size = data_size(work->type);
    switch (work->primitive) {
    case BENCH_REDUCE:
    case BENCH_DOT: return size;
    case BENCH_GROUP_BY: return 2 * work->n * size;
    case BENCH_NTH_ELEMENT: return work->k * size;
    case BENCH_TOPK_ROWS: return work->segments * work->k * size;
    case BENCH_COLUMNS: return work->n / work->segments * size;
    case BENCH_SORT: return work->n * (size + work->value_size);
    default: return work->n * size;
    }
}

static bool take_result(int package, const char *peer, const bench_work *work, bool on_host)
{
    const size_t wanted = result_bytes(work);
    size_t bytes;
    void *result = malloc(wanted);
    bool good = result != NULL && ask(package, work, "fetch", peer, &bytes);
    if (good && bytes != wanted) good = give_up(package, work, "its result has another size");
    if (good && !hear(&processes[package], result, wanted))
        good = give_up(package, work, "the process ended");
    if (good && on_host) memcpy(work->host_out, result, wanted);
    else if (good)
        good = clEnqueueWriteBuffer(work->queue, work->out, CL_TRUE, 0, wanted, result, 0, NULL, NULL) ==
               CL_SUCCESS;
    free(result);
    return good;
}

static bool run(int package, const char *peer, const bench_work *work)
{
    size_t none;
    if (!work->checked) return ask(package, work, "run", peer, &none);
    return load(package, peer, work) && ask(package, work, "run", peer, &none) &&
           take_result(package, peer, work, package != PYOPENCL);
}

static bool is_there(int package)
{
    return bench_python_libraries()[package].version != NULL && !processes[package].gave_up;
}

static bool sorts(const bench_work *work)
{
    const gp_type t = work->type;
    if (work->primitive != BENCH_SORT) return false;
    return work->value_size ? t == GP_U32 && work->value_size == 4
                            : t == GP_U32 || t == GP_U64 || t == GP_F32;
}

static bool tables_support(const bench_work *work)
{
    return work->primitive == BENCH_GROUP_BY || work->primitive == BENCH_JOIN || sorts(work);
}

static bool duckdb_supports(const bench_work *work) { return tables_support(work) && is_there(DUCKDB); }
static bool numpy_supports(const bench_work *work)
{
    switch (work->primitive) {
    case BENCH_TOPK_ROWS:
    case BENCH_NTH_ELEMENT:
    case BENCH_RLE_DECODE:
    case BENCH_COLUMNS:
    case BENCH_SCAN_ROWS:
    case BENCH_SCAN_COLUMNS:
    case BENCH_TRANSPOSE: return is_there(NUMPY);
    default: return sorts(work) && is_there(NUMPY);
    }
}
static bool polars_supports(const bench_work *work) { return tables_support(work) && is_there(POLARS); }

static bool pyopencl_supports(const bench_work *work)
{
    const gp_type t = work->type;
    return (work->primitive == BENCH_REDUCE || work->primitive == BENCH_SCAN ||
            work->primitive == BENCH_DOT) &&
           work->op == GP_SUM && (t == GP_U32 || t == GP_U64 || t == GP_F32 || t == GP_F64) &&
           is_there(PYOPENCL);
}

/* Keys are digits of unsigned numbers. */
static bool radix_supports(const bench_work *work)
{
    return sorts(work) && work->type != GP_F32 && is_there(PYOPENCL);
}

static bool bitonic_supports(const bench_work *work)
{
    return sorts(work) && (work->n & (work->n - 1)) == 0 && is_there(PYOPENCL);
}

static bool run_duckdb(const bench_work *work) { return run(DUCKDB, "duckdb", work); }
static bool run_numpy(const bench_work *work) { return run(NUMPY, "numpy", work); }
static bool run_polars(const bench_work *work) { return run(POLARS, "polars", work); }
static bool run_pyopencl(const bench_work *work) { return run(PYOPENCL, "pyopencl", work); }
static bool run_radix(const bench_work *work) { return run(PYOPENCL, "pyopencl-radix", work); }
static bool run_bitonic(const bench_work *work) { return run(PYOPENCL, "pyopencl-bitonic", work); }

const bench_peer bench_peer_duckdb = {"duckdb", true, false, true, duckdb_supports, run_duckdb};
const bench_peer bench_peer_numpy = {"numpy", true, false, false, numpy_supports, run_numpy};
const bench_peer bench_peer_polars = {"polars", true, false, true, polars_supports, run_polars};
const bench_peer bench_peer_pyopencl = {"pyopencl", false, false, true, pyopencl_supports, run_pyopencl};
const bench_peer bench_peer_pyopencl_radix = {"pyopencl-radix", false,    false, true,
                                              radix_supports,   run_radix};
const bench_peer bench_peer_pyopencl_bitonic = {"pyopencl-bitonic", false,      false, true,
                                                bitonic_supports,   run_bitonic};
