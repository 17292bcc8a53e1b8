/* test_processes.c - several processes at once on one empty cache folder. */
#define _POSIX_C_SOURCE 200809L /* fork, pipe */
#include <fcntl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/folders.h"
#include "../support/support.h"

enum { PROCESSES = 5, ROUNDS = 4 };

/* Several tiles on every device. */
#define COUNT (test_small() ? (size_t)3000 : (size_t)40000)

static const char *own_path;

/* ------------------------------------------------------------------ the processes */

/* Two programs, each with its result checked. */
static void use_programs(gp_context *gp)
{
    gp_scan_desc scan = test_ones(gp, COUNT);
    gp_reduce_desc reduce = {0};
    uint64_t sum = 0;
    assert_gp(gp, gp_scan(gp, &scan));
    assert_scanned(gp, scan.out, COUNT);
    reduce.in = scan.in;
    reduce.count = COUNT;
    reduce.type = GP_U32;
    reduce.op = GP_SUM;
    assert_gp(gp, gp_reduce_read(gp, &reduce, &sum));
    assert_int_equal(sum, COUNT);
    test_release(&scan);
}

/* Says on `ready` that it is, and waits until the other end of `gate` is closed. */
static void wait_for_start(int ready, int gate)
{
    char byte = 'r';
    assert_int_equal(write(ready, &byte, 1), 1);
    assert_int_equal(read(gate, &byte, 1), 0);
}

/* Begins together with the others; then does the same over and over with contexts of its own. */
static int be_process(const char *folder, size_t limit, int rounds, int ready, int gate)
{
    gp_context_desc desc = {0};
    int k;
    desc.cache_dir = folder;
    desc.cache_limit = limit;
    for (k = 0; k < rounds; k++) {
        gp_context *gp = test_open_with(&desc);
        if (k == 0) wait_for_start(ready, gate);
        use_programs(gp);
        gp_context_destroy(gp);
    }
    return 0;
}

/* ------------------------------------------------------------------ starting them */

/* This program again, from its beginning: no implementation of OpenCL outlives a fork. */
static pid_t start(const char *folder, size_t limit, int rounds, int ready, int gate)
{
    char text[4][32];
    pid_t pid;
    (void)snprintf(text[0], sizeof text[0], "%zu", limit);
    (void)snprintf(text[1], sizeof text[1], "%d", rounds);
    (void)snprintf(text[2], sizeof text[2], "%d", ready);
    (void)snprintf(text[3], sizeof text[3], "%d", gate);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)execl(own_path, own_path, folder, text[0], text[1], text[2], text[3], (char *)NULL);
        _exit(127);
    }
    return pid;
}

/* All of them, from the same moment; those beyond `bounded` have the default bound. */
static void run_together(const char *folder, int bounded, int rounds)
{
    pid_t pid[PROCESSES];
    int ready[2], gate[2], status, k, failed = 0;
    char byte;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(gate), 0);
    assert_int_equal(fcntl(gate[1], F_SETFD, FD_CLOEXEC), 0); /* ours is the only end to close */
    for (k = 0; k < PROCESSES; k++) pid[k] = start(folder, k < bounded, rounds, ready[1], gate[0]);
    (void)close(ready[1]);
    for (k = 0; k < PROCESSES && read(ready[0], &byte, 1) == 1; k++) continue;
    (void)close(gate[1]);
    (void)close(gate[0]);
    (void)close(ready[0]);
    for (k = 0; k < PROCESSES; k++) {
        assert_int_equal(waitpid(pid[k], &status, 0), pid[k]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failed++;
    }
    assert_int_equal(failed, 0);
}

/* ------------------------------------------------------------------ tests */

static gp_stats use_alone(const char *folder)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_stats profile;
    desc.cache_dir = folder;
    gp = test_open_with(&desc);
    use_programs(gp);
    profile = test_profile_of(gp);
    gp_context_destroy(gp);
    return profile;
}

/* All are right, and leave one whole file a program, which the next process loads. */
static void test_empty_folder(void **state)
{
    char folder[64];
    gp_stats profile;
    (void)state;
    test_make_folder(folder, sizeof folder);
    run_together(folder, 0, 1);
    assert_int_equal(test_each_file(folder, NULL, test_keep), 2);
    assert_int_equal(test_each_file(folder, ".tmp", test_keep), 0);
    profile = use_alone(folder);
    assert_int_equal(profile.programs_built, 0);
    assert_int_equal(profile.programs_loaded, 2);
    test_remove_folder(folder);
}

/* Two of them remove every file at once, while the others save and load: all are right, and what the others
   save is whole. */
static void test_evicting(void **state)
{
    char folder[64];
    (void)state;
    test_make_folder(folder, sizeof folder);
    run_together(folder, 2, test_small() ? 2 : ROUNDS);
    assert_int_equal(test_each_file(folder, ".tmp", test_keep), 0);
    (void)use_alone(folder);
    assert_int_equal(use_alone(folder).programs_loaded, 2);
    test_remove_folder(folder);
}

/* With arguments it is one of the processes: folder, bound, rounds, descriptors. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_folder),
        cmocka_unit_test(test_evicting),
    };
    own_path = argv[0];
    if (argc == 6) {
        return be_process(argv[1], (size_t)strtoul(argv[2], NULL, 10), atoi(argv[3]), atoi(argv[4]),
                          atoi(argv[5]));
    }
    (void)setenv("GPUPRIM_SUB_GROUPS", "off", 1); /* the program that tries them would be counted */
    return cmocka_run_group_tests_name("processes", tests, NULL, NULL);
}
