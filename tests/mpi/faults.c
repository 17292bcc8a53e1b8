/* faults.c - gpuprim_mpi.h where an OpenCL call or command of one rank fails: all ranks end with the same result and text,
   nothing is left behind, and the next call works.

   usage: faults [MOST]     of each gp_mpi_... call's OpenCL calls MOST fail, one after the other; 0: all

   Rank k % ranks fails its k-th one, by the layer of tests/fault/ (OPENCL_LAYERS). Whether results are right is ranks.c's
   matter: here they are those of a run in which nothing fails. */
#define _POSIX_C_SOURCE 200809L
#define GP_MPI_IMPLEMENTATION
#include "../../gpuprim_mpi.h"
#include "../fault/fault.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gp_context *gp;
static gp_mpi *all;
static int rank, ranks;
static fault_state *fault;

#define CHECK(condition)                                                                                   \
    do {                                                                                                   \
        if (!(condition)) {                                                                                \
            fprintf(stderr, "%s:%d: rank %d of %d: %s: %s\n", __FILE__, __LINE__, rank, ranks, #condition, \
                    gp_last_error(gp));                                                                    \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                  \
        }                                                                                                  \
    } while (0)

/* ------------------------------------------------------------------ the calls */

enum { N = 257, ROOM = 3 * N };
static cl_mem in, flags, outputs[3]; /* outputs of 8 bytes an element */
static uint64_t on_host[9];          /* results in host memory */

static gp_result share(void)
{
    gp_mpi_part part;
    const gp_result result = gp_mpi_share(all, N, &part);
    if (result == GP_OK) on_host[0] = part.first;
    return result;
}

static gp_result reduce(void)
{
    const gp_reduce_desc desc = {.in = in, .count = N, .type = GP_U32, .op = GP_SUM};
    return gp_mpi_reduce(all, &desc, on_host);
}

static gp_result scan(void)
{
    const gp_scan_desc desc = {.in = in, .out = outputs[0], .count = N, .type = GP_U32, .op = GP_SUM};
    return gp_mpi_scan(all, &desc);
}

static gp_result histogram(void)
{
    const gp_histogram_desc desc = {.in = flags, .out = outputs[0], .count = N, .type = GP_U8};
    return gp_mpi_histogram(all, &desc);
}

static gp_result choose(void)
{
    const gp_select_desc desc = {.in = in, .out = outputs[0], .count = N, .type = GP_U32, .flags = flags};
    return gp_mpi_select(all, &desc, NULL);
}

static gp_result sort(void)
{
    const gp_sort_desc desc = {.keys = in,
                               .values = in,
                               .keys_out = outputs[0],
                               .values_out = outputs[1],
                               .value_size = 4,
                               .count = N,
                               .key_type = GP_U32};
    return gp_mpi_sort(all, &desc, NULL);
}

static gp_result group_by(void)
{
    const gp_reduce_by_key_desc desc = {.keys = in,
                                        .in = in,
                                        .keys_out = outputs[0],
                                        .out = outputs[1],
                                        .count = N,
                                        .key_type = GP_U32,
                                        .type = GP_U32,
                                        .op = GP_SUM};
    return gp_mpi_group_by(all, &desc, NULL);
}

static gp_result join(void)
{
    const gp_mpi_join_desc desc = {.build_keys = in,
                                   .build_count = N / 2,
                                   .keys = in,
                                   .count = N,
                                   .out = outputs[0],
                                   .found = outputs[1],
                                   .key_size = 4};
    return gp_mpi_join(all, &desc);
}

static gp_result brackets(void)
{
    const gp_brackets_desc desc = {.in = in,
                                   .count = N,
                                   .match = outputs[0],
                                   .parent = outputs[1],
                                   .depth = outputs[2],
                                   .type = GP_U32,
                                   .map = "x % 5 < 2 ? 1 + (int)(x % 3) : x % 5 < 4 ? -1 : 0"};
    gp_brackets_errors errors;
    const gp_result result = gp_mpi_brackets(all, &desc, &errors);
    if (result == GP_OK) memcpy(on_host, &errors, sizeof errors);
    return result;
}

static const struct {
    const char *name;
    gp_result (*run)(void);
} calls[] = {{"share", share},         {"reduce", reduce}, {"scan", scan},
             {"histogram", histogram}, {"select", choose}, {"sort", sort},
             {"group_by", group_by},   {"join", join},     {"brackets", brackets}};

/* ------------------------------------------------------------------ runs */

static long live_objects(void)
{
    long sum = 0;
    int k;
    for (k = 0; k < FAULT_OBJECT_KINDS; k++) sum += fault->live[k];
    return sum;
}

static uint64_t digest(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size--) sum = (sum ^ *at++) * 0x100000001b3u;
    return sum;
}

/* Is a number the same on all ranks? */
static bool same(uint64_t number)
{
    uint64_t both[2] = {number, ~number}, least[2];
    MPI_Allreduce(both, least, 2, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
    return least[0] == ~least[1];
}

typedef struct outcome {
    gp_result result;
    uint64_t results;     /* all outputs' digest */
    unsigned could_fail;  /* on this rank */
    const char *function; /* that has failed on this rank */
    char text[8192];
} outcome;

/* This rank's k-th call or command fails; 0: none. */
static void run(gp_result (*call)(void), fault_kind kind, unsigned k, outcome *o)
{
    static unsigned char memory[ROOM * 8];
    int i;
    memset(memory, 0xa5, sizeof memory);
    memset(on_host, 0xa5, sizeof on_host);
    for (i = 0; i < 3; i++)
        CHECK(clEnqueueWriteBuffer(gp_cl_queue(gp), outputs[i], CL_TRUE, 0, sizeof memory, memory, 0, NULL,
                                   NULL) == CL_SUCCESS);
    fault->kind = kind;
    fault->fail_at = k;
    fault->turn = k;
    fault->could_fail = 0;
    fault->function = NULL;
    fault->armed = true;
    o->result = call();
    fault->armed = false;
    snprintf(o->text, sizeof o->text, "%s", o->result == GP_OK ? "" : gp_last_error(gp));
    o->could_fail = fault->could_fail;
    o->function = fault->function;
    if (gp_finish(gp) != GP_OK) CHECK(gp_finish(gp) == GP_OK); /* what had been enqueued fails as well */
    o->results = digest(1, on_host, sizeof on_host);
    for (i = 0; i < 3; i++) {
        CHECK(clEnqueueReadBuffer(gp_cl_queue(gp), outputs[i], CL_TRUE, 0, sizeof memory, memory, 0, NULL,
                                  NULL) == CL_SUCCESS);
        o->results = digest(o->results, memory, sizeof memory);
    }
}

/* The k-th one of one rank fails. Did any? */
static bool fail_once(gp_result (*call)(void), fault_kind kind, unsigned k, uint64_t right, long live,
                      unsigned *told)
{
    static outcome o;
    char guilty[64];
    int failed, any;
    run(call, kind, k % (unsigned)ranks == (unsigned)rank ? k : 0, &o);
    failed = o.function != NULL;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(same(o.result) && same(digest(1, o.text, strlen(o.text))));
    snprintf(guilty, sizeof guilty, "rank %u of %d: ", k % (unsigned)ranks, ranks);
    if (o.result == GP_OK) {
        CHECK(o.results == right); /* nothing failed, or what can be done without */
    } else {
        (*told)++;
        CHECK(any && strstr(o.text, guilty) && strlen(strstr(o.text, guilty)) > strlen(guilty));
        if (failed && kind == FAULT_CALL) CHECK(strstr(o.text, o.function));
        if (failed && kind == FAULT_COMMAND)
            CHECK(strstr(o.text, "CL_OUT_OF_RESOURCES") || strstr(o.text, "CL_EXEC_STATUS_ERROR"));
    }
    run(call, kind, 0, &o);
    CHECK(o.result == GP_OK && o.results == right);
    CHECK(live_objects() == live);
    return any != 0;
}

static void sweep(int c, unsigned most)
{
    static outcome o;
    unsigned told = 0, failed = 0, k, could[FAULT_KINDS] = {0};
    int kind, i;
    uint64_t right = 0;
    long live = 0;
    for (i = 0; i < 3; i++) { /* programs are there, scratch has grown */
        run(calls[c].run, (fault_kind)(i % 2), 0, &o);
        CHECK(o.result == GP_OK);
        right = o.results;
        live = live_objects();
        MPI_Allreduce(&o.could_fail, &could[i % 2], 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
    }
    for (kind = FAULT_CALL; kind <= FAULT_COMMAND; kind++) {
        unsigned step = most && could[kind] > most ? (could[kind] + most - 1) / most : 1;
        if (step > 1 && step % (unsigned)ranks == 0) step++; /* else one rank only would fail */
        for (k = 1 + step / 2; k <= could[kind]; k += step)
            failed += fail_once(calls[c].run, (fault_kind)kind, k, right, live, &told);
    }
    if (rank == 0)
        printf("mpi faults: %-10s %4u calls and commands failed, %4u told, %3u done without\n", calls[c].name,
               failed, told, failed - told);
    fflush(stdout);
}

/* ------------------------------------------------------------------ main */

/* The layer is in the process when the loader has been called for the first time. */
static fault_state *find_layer(void)
{
    const char *path = getenv("OPENCL_LAYERS");
    cl_uint count;
    void *library;
    (void)clGetPlatformIDs(0, NULL, &count);
    library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    return library ? (fault_state *)dlsym(library, FAULT_STATE_SYMBOL) : NULL;
}

int main(int argc, char **argv)
{
    const unsigned most = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
    const gp_context_desc desc = {0};
    uint32_t numbers[N];
    unsigned char bytes[N];
    unsigned i;
    int c;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    fault = find_layer();
    if (!fault) {
        fprintf(stderr, "mpi faults: OPENCL_LAYERS names no layer that the loader has loaded\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (i = 0; i < N; i++) {
        numbers[i] = (i + N * (unsigned)rank) * 2654435761u >> 23;
        bytes[i] = (unsigned char)(numbers[i] % 2);
    }
    CHECK(gp_context_create(&desc, &gp) == GP_OK);
    CHECK(gp_mpi_create(gp, MPI_COMM_WORLD, &all) == GP_OK);
    CHECK(gp_buffer_create(gp, sizeof numbers, numbers, &in) == GP_OK);
    CHECK(gp_buffer_create(gp, sizeof bytes, bytes, &flags) == GP_OK);
    for (c = 0; c < 3; c++) CHECK(gp_buffer_create(gp, ROOM * 8, NULL, &outputs[c]) == GP_OK);
    for (c = 0; c < (int)(sizeof calls / sizeof *calls); c++) sweep(c, most);
    clReleaseMemObject(in);
    clReleaseMemObject(flags);
    for (c = 0; c < 3; c++) clReleaseMemObject(outputs[c]);
    gp_mpi_destroy(all);
    gp_context_destroy(gp);
    CHECK(live_objects() == 0);
    MPI_Finalize();
    return 0;
}
