/* test_restart.c - what a process finds in the disk cache of those before it: everything that they have used,
   also where they never finished, and nothing that they have died of. Each process has a cache of PoCL's own
   that is empty, so that only ours can help. */
#define _XOPEN_SOURCE 700 /* nftw, setenv */
#include <fcntl.h>
#include <ftw.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/folders.h"
#include "../support/support.h"

/* One tile, which takes one kernel of two; and more. */
enum { FEW = 100, HEADER = 48 };
#define MANY (test_small() ? (size_t)20000 : (size_t)1 << 19)

static const char *own_path;
static char folder[64];

/* ------------------------------------------------------------------ a process */

static int machine_code_files;

static int count_machine_code(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    const size_t length = strlen(path);
    (void)info;
    (void)at;
    if (kind == FTW_F && length > 3 && strcmp(path + length - 3, ".so") == 0) machine_code_files++;
    return 0;
}

/* What PoCL has in its cache by now, unpacked or compiled. Others have none. */
static int machine_code(void)
{
    machine_code_files = 0;
    (void)nftw(getenv("POCL_CACHE_DIR"), count_machine_code, 16, FTW_PHYS);
    return machine_code_files;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)info;
    (void)kind;
    (void)at;
    return remove(path);
}

static void reduce(gp_context *gp, cl_mem in, cl_mem out, size_t count)
{
    gp_reduce_desc desc = {0};
    uint64_t sum = 0;
    desc.in = in;
    desc.out = out;
    desc.count = count;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    assert_gp(gp, gp_reduce(gp, &desc));
    assert_int_equal(clEnqueueReadBuffer(gp_cl_queue(gp), out, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL),
                     0);
    assert_int_equal(sum, count);
}

/* Does in turn what the letters say: f reduces a few elements, m many; ! finishes; x goes, without destroying
   anything. */
static void act(gp_context *gp, const char *letters)
{
    gp_scan_desc ones = test_ones(gp, MANY);
    for (; *letters; letters++) {
        if (*letters == 'f') reduce(gp, ones.in, ones.out, FEW);
        if (*letters == 'm') reduce(gp, ones.in, ones.out, MANY);
        if (*letters == '!') assert_gp(gp, gp_finish(gp));
        if (*letters == 'x') _exit(0);
    }
    test_release(&ones);
}

/* Succeeds when it came to no surprise: with a digit in front, it builds as many programs, and with 0 it
   compiles nothing else either. */
static int be_process(const char *cache_dir, const char *letters)
{
    const int expected = *letters >= '0' && *letters <= '9' ? *letters++ - '0' : -1;
    gp_context_desc desc = {0};
    gp_context *gp;
    int before, after, built;
    desc.cache_dir = cache_dir;
    gp = test_open_with(&desc);
    act(gp, expected == 0 ? "f" : "");
    before = machine_code();
    act(gp, letters);
    after = machine_code();
    built = (int)test_profile_of(gp).programs_built;
    gp_context_destroy(gp);
    if (expected >= 0 && built != expected) fprintf(stderr, "built %d programs, not %d\n", built, expected);
    if (expected == 0 && after > before) fprintf(stderr, "compiled %d kernels\n", after - before);
    return (expected >= 0 && built != expected) || (expected == 0 && after > before);
}

/* Its exit status; -1: a signal has ended it. */
static int run(const char *letters, bool silent)
{
    char pocl[64];
    int status;
    pid_t pid;
    test_make_folder(pocl, sizeof pocl);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const int nowhere = silent ? open("/dev/null", O_WRONLY) : -1;
        if (nowhere >= 0) (void)dup2(nowhere, 2);
        (void)setenv("POCL_CACHE_DIR", pocl, 1);
        (void)execl(own_path, own_path, folder, letters, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    (void)nftw(pocl, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ------------------------------------------------------------------ tests */

static int set_up(void **state)
{
    (void)state;
    test_make_folder(folder, sizeof folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_remove_folder(folder);
    return 0;
}

/* Kernels that are launched after the first save are saved, too. */
static void test_saved_twice(void **state)
{
    (void)state;
    assert_int_equal(run("1f!m", false), 0);
    assert_int_equal(run("0fm", false), 0);
}

/* A file that lacks a kernel gets it from the next process that uses it. */
static void test_healed(void **state)
{
    (void)state;
    assert_int_equal(run("1f", false), 0);
    assert_int_equal(run("m", false), 0);
    assert_int_equal(run("0fm", false), 0);
}

/* Nobody calls gp_finish or gp_context_destroy: a later call saves. */
static void test_never_finished(void **state)
{
    (void)state;
    assert_int_equal(run("fmmmx", false), 0);
    assert_int_equal(test_each_file(folder, ".bin", test_keep), 1);
    assert_int_equal(run("0fm", false), 0);
}

static uint64_t fnv(uint64_t hash, const unsigned char *bytes, size_t size)
{
    size_t i;
    for (i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

/* Junk behind a beginning that the driver knows, and the right checksum. */
static bool forge(const char *path)
{
    FILE *file = fopen(path, "r+b");
    unsigned char *bytes;
    uint64_t checksum;
    size_t size;
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    memset(bytes + HEADER + 100, 0x7f, size - HEADER - 100);
    checksum = fnv(fnv(0xcbf29ce484222325u, bytes + 8, 32), bytes + HEADER, size - HEADER);
    memcpy(bytes + 40, &checksum, sizeof checksum);
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    free(bytes);
    return false;
}

/* Whatever the driver does about such a file, the next process is well, and so is the file. */
static void test_forged(void **state)
{
    (void)state;
    assert_int_equal(run("f", false), 0);
    assert_int_equal(test_each_file(folder, NULL, forge), 1);
    (void)run("f", true);
    assert_int_equal(run("f", false), 0);
    assert_int_equal(run("0", false), 0);
    assert_int_equal(test_each_file(folder, NULL, test_keep), 1);
}

/* With arguments it is one of the processes: folder, what it does. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_saved_twice, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_healed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_never_finished, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_forged, set_up, tear_down),
    };
    (void)setenv("GPUPRIM_SUB_GROUPS", "off", 1); /* the program that tries them would be counted */
    own_path = argv[0];
    if (argc == 3) return be_process(argv[1], argv[2]);
    return cmocka_run_group_tests_name("restart", tests, NULL, NULL);
}
