/* test_threads.c - contexts in many threads at once: each with a cl_context of its own, or all on one; one
   folder of built programs for all; processes started meanwhile; and first uses of OpenCL that coincide. */
#define _POSIX_C_SOURCE 200809L /* fork */
#include <pthread.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/folders.h"
#include "../support/support.h"

enum { THREADS = 6, ROUNDS = 4 };

static size_t threads(void) { return test_small() ? 2 : THREADS; }

/* Several tiles on every device. */
#define COUNT (test_small() ? (size_t)1500 : (size_t)40000)

static const char *own_path;

/* What a thread does; assertions are for the main thread. */
typedef struct worker {
    pthread_t thread;
    gp_context_desc desc;
    cl_mem ones; /* shared by all, or NULL: each makes its own */
    size_t rounds, number;
    bool starts; /* processes, too */
    char error[256];
} worker;

static bool failed(worker *w, const gp_context *gp, const char *what)
{
    if (!w->error[0])
        (void)snprintf(w->error, sizeof w->error, "thread %zu: %s: %s", w->number, what, gp_last_error(gp));
    return false;
}

/* ------------------------------------------------------------------ work */

/* A scan, in place in a buffer of its own, read back. */
static bool scans(worker *w, gp_context *gp, cl_mem ones)
{
    gp_scan_desc d = {0};
    uint32_t *out = malloc(COUNT * sizeof *out);
    bool good = out != NULL;
    size_t i;
    d.in = ones;
    d.count = COUNT;
    d.type = GP_U32;
    d.op = GP_SUM;
    good = good && gp_buffer_create(gp, COUNT * sizeof *out, NULL, &d.out) == GP_OK &&
           gp_scan(gp, &d) == GP_OK &&
           clEnqueueReadBuffer(gp_cl_queue(gp), d.out, CL_TRUE, 0, COUNT * sizeof *out, out, 0, NULL, NULL) ==
               CL_SUCCESS;
    for (i = 0; i < COUNT && good; i++) good = out[i] == i + 1;
    if (d.out) clReleaseMemObject(d.out);
    free(out);
    return good || failed(w, gp, "scan");
}

static bool reduces(worker *w, gp_context *gp, cl_mem ones)
{
    gp_reduce_desc d = {0};
    uint64_t sum = 0;
    d.in = ones;
    d.count = COUNT;
    d.type = GP_U32;
    d.op = GP_SUM;
    return (gp_reduce_read(gp, &d, &sum) == GP_OK && sum == COUNT) || failed(w, gp, "reduce");
}

/* This program again, with an argument that says what it does; true when it ends well. */
static bool runs_process(const char *argument)
{
    int status = 1;
    const pid_t pid = fork();
    if (pid == 0) {
        (void)execl(own_path, own_path, argument, (char *)NULL);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* One that ends at once: what OpenCL has open here is none of its business. */
static bool starts_process(worker *w) { return runs_process("ends") || failed(w, NULL, "fork"); }

static bool works_once(worker *w)
{
    gp_context *gp = NULL;
    cl_mem ones = w->ones;
    bool good;
    if (gp_context_create(&w->desc, &gp) != GP_OK) return failed(w, NULL, "gp_context_create");
    if (!ones) {
        uint32_t *data = malloc(COUNT * sizeof *data);
        size_t i;
        for (i = 0; i < COUNT && data; i++) data[i] = 1;
        if (!data || gp_buffer_create(gp, COUNT * sizeof *data, data, &ones) != GP_OK)
            (void)failed(w, gp, "gp_buffer_create");
        free(data);
    }
    good = ones && scans(w, gp, ones) && reduces(w, gp, ones) && (!w->starts || starts_process(w)) &&
           scans(w, gp, ones);
    if (ones && !w->ones) clReleaseMemObject(ones);
    if (gp_finish(gp) != GP_OK) good = failed(w, gp, "gp_finish");
    gp_context_destroy(gp);
    return good;
}

static void *work(void *user)
{
    worker *w = user;
    size_t round;
    for (round = 0; round < w->rounds && works_once(w); round++) continue;
    return NULL;
}

/* Oclgrind 21.10 aborts when two kernels run at once: there one works after the other. */
static void run_together(worker *workers)
{
    size_t i;
    for (i = 0; i < threads(); i++) {
        workers[i].rounds = test_small() ? 1 : ROUNDS;
        workers[i].number = i;
        if (test_small()) work(&workers[i]);
        else assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (i = 0; i < threads() && !test_small(); i++) pthread_join(workers[i].thread, NULL);
    for (i = 0; i < threads(); i++) {
        if (workers[i].error[0]) fail_msg("%s", workers[i].error);
    }
}

/* ------------------------------------------------------------------ tests */

/* A cl_context each, an empty folder of programs for all, which two of them keep all but empty. */
static void test_apart(void **state)
{
    worker workers[THREADS];
    char folder[64];
    size_t i;
    (void)state;
    test_make_folder(folder, sizeof folder);
    memset(workers, 0, sizeof workers);
    for (i = 0; i < threads(); i++) {
        workers[i].desc.cache_dir = folder;
        workers[i].desc.cache_limit = i < 2;
    }
    run_together(workers);
    assert_int_equal(test_each_file(folder, ".tmp", test_keep), 0);
    test_remove_folder(folder);
}

/* A queue each on one cl_context, with one input and the first one's programs. */
static void test_on_one(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_scan_desc scan = test_ones(gp, COUNT);
    worker workers[THREADS];
    size_t i;
    (void)state;
    assert_gp(gp, gp_scan(gp, &scan));
    assert_gp(gp, gp_finish(gp));
    memset(workers, 0, sizeof workers);
    for (i = 0; i < threads(); i++) {
        workers[i].desc.share = gp;
        workers[i].ones = scan.in;
    }
    run_together(workers);
    assert_scanned(gp, scan.out, COUNT);
    test_release(&scan);
    gp_context_destroy(gp);
}

/* Threads that start processes while others work. */
static void test_starting(void **state)
{
    worker workers[THREADS];
    size_t i;
    (void)state;
    memset(workers, 0, sizeof workers);
    for (i = 0; i < threads(); i++) workers[i].starts = i % 2;
    run_together(workers);
}

/* ------------------------------------------------------------------ first use */

static pthread_barrier_t start;

static void *creates(void *user)
{
    const size_t number = *(const size_t *)user;
    const gp_context_desc desc = {0};
    gp_context *gp = NULL;
    size_t count = 0;
    (void)pthread_barrier_wait(&start);
    if (number % 2 ? gp_devices(NULL, 0, &count) != GP_OK : gp_context_create(&desc, &gp) != GP_OK) {
        (void)fprintf(stderr, "thread %zu: %s\n", number, gp_last_error(NULL));
        _exit(1);
    }
    gp_context_destroy(gp);
    return NULL;
}

/* A process's first use of OpenCL, by all threads in the same moment. */
static int use_first(void)
{
    pthread_t thread[THREADS];
    size_t number[THREADS], i;
    (void)pthread_barrier_init(&start, NULL, THREADS);
    for (i = 0; i < THREADS; i++) {
        number[i] = i;
        if (pthread_create(&thread[i], NULL, creates, &number[i])) return 1;
    }
    for (i = 0; i < THREADS; i++) (void)pthread_join(thread[i], NULL);
    return 0;
}

/* Where other platforms are initialised before PoCL, its threads come one after the other: so here it is
 * alone. */
static void test_first_use(void **state)
{
    static const char pocl[] = "/etc/OpenCL/vendors/pocl.icd";
    const char *device = getenv("GPUPRIM_DEVICE");
    const size_t starts = test_small() ? 1 : 10;
    size_t i;
    (void)state;
    if (device && strcmp(device, "Portable") == 0 && access(pocl, R_OK) == 0)
        setenv("OCL_ICD_VENDORS", pocl, 0);
    for (i = 0; i < starts; i++) {
        if (!runs_process("first")) fail_msg("start %zu of %zu", i + 1, starts);
    }
}

/* With an argument it is a process that a test has started. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_use),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_on_one),
        cmocka_unit_test(test_starting),
    };
    own_path = argv[0];
    if (argc > 1) return strcmp(argv[1], "first") == 0 ? use_first() : 0;
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
