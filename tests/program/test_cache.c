/* test_cache.c - the folder of built programs keeps its bound, and only its own files are removed. */
#define _XOPEN_SOURCE 700 /* utime, stat */
#include <sys/stat.h>
#include <time.h>
#include <utime.h>

#include "../support/folders.h"
#include "../support/support.h"

#define COUNT ((size_t)100)

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* A file of 1000 bytes that begins with this text and was used `age` seconds ago. */
static void put(const char *name, const char *begin, int age)
{
    FILE *file = fopen(path_of(name), "wb");
    struct utimbuf times;
    size_t i;
    assert_non_null(file);
    fputs(begin, file);
    for (i = strlen(begin); i < 1000; i++) fputc(' ', file);
    fclose(file);
    times.actime = times.modtime = time(NULL) - age;
    assert_int_equal(utime(path_of(name), &times), 0);
}

static bool is_there(const char *name)
{
    struct stat info;
    return stat(path_of(name), &info) == 0;
}

static size_t total;

static bool add_size(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    total += (size_t)info.st_size;
    return false;
}

static size_t folder_bytes(void)
{
    total = 0;
    (void)test_each_file(folder, NULL, add_size);
    return total;
}

/* A context with this bound; a scan; the counters. */
static gp_stats run(size_t limit)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    gp_stats profile;
    desc.cache_dir = folder;
    desc.cache_limit = limit;
    gp = test_open_with(&desc);
    test_scan_ones(gp, COUNT);
    profile = test_profile_of(gp);
    gp_context_destroy(gp);
    return profile;
}

#define HASH "0123456789abcdef0123456789abcde"
#define OURS "GPUPRIM2"

/* The oldest go first, and as few as possible. */
static void test_oldest_go(void **state)
{
    size_t program;
    (void)state;
    test_make_folder(folder, sizeof folder);
    assert_int_equal(run(0).programs_saved, 1);
    program = folder_bytes();
    assert_int_equal(test_each_file(folder, NULL, test_drop), 1);
    put(HASH "0.bin", OURS, 300);
    put(HASH "1.bin", OURS, 100);
    put(HASH "2.bin", OURS, 500);
    put(HASH "3.bin", OURS, 200);
    assert_int_equal(run(program + 2000).programs_saved, 1);
    assert_true(is_there(HASH "1.bin") && is_there(HASH "3.bin"));
    assert_false(is_there(HASH "0.bin") || is_there(HASH "2.bin"));
    assert_int_equal(folder_bytes(), program + 2000);
    assert_int_equal(run(program + 2000).programs_loaded, 1);
    test_remove_folder(folder);
}

/* Under a bound that nothing keeps, our files go, and nobody else's: other names, other contents, temporary
   files of processes that may be alive, folders. */
static void test_others_stay(void **state)
{
    static const char *const others[] = {
        "notes.bin", HASH "0.bin",           HASH "0.binary",         HASH "00.bin",       "X" HASH "0.bin",
        HASH ".bin", HASH "1.bin.1.0x2.tmp", HASH "1.bin.7.0x8.tmp~", HASH "1.bin.backup", HASH "1.text",
        "other.tmp",
    };
    size_t i;
    (void)state;
    test_make_folder(folder, sizeof folder);
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        put(others[i], i == 1 ? "another program's" : OURS, i == 6 ? 3000 : 5000000);
    }
    put(HASH "a.bin", OURS, 10);
    put(HASH "1.bin.3.0x4.tmp", OURS, 4000);
    assert_int_equal(mkdir(path_of(HASH "b.bin"), 0777), 0);
    assert_int_equal(run(1).programs_saved, 1);
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        if (!is_there(others[i])) fail_msg("%s has been removed", others[i]);
    }
    assert_true(is_there(HASH "b.bin"));
    assert_false(is_there(HASH "a.bin") || is_there(HASH "1.bin.3.0x4.tmp"));
    assert_int_equal(run(1).programs_built, 1);
    (void)remove(path_of(HASH "b.bin"));
    test_remove_folder(folder);
}

static bool age(const char *path)
{
    struct utimbuf times;
    times.actime = times.modtime = time(NULL) - 5000;
    assert_int_equal(utime(path, &times), 0);
    return false;
}

static bool is_young(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_true(difftime(time(NULL), info.st_mtime) < 1000);
    return false;
}

/* Loading a program counts as using it. */
static void test_load_renews(void **state)
{
    (void)state;
    test_make_folder(folder, sizeof folder);
    assert_int_equal(run(0).programs_saved, 1);
    assert_int_equal(test_each_file(folder, NULL, age), 1);
    assert_int_equal(run(0).programs_loaded, 1);
    assert_int_equal(test_each_file(folder, NULL, is_young), 1);
    test_remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oldest_go),
        cmocka_unit_test(test_others_stay),
        cmocka_unit_test(test_load_renews),
    };
    (void)umask(022);                             /* files that others may write to are not loaded */
    (void)setenv("GPUPRIM_SUB_GROUPS", "off", 1); /* the program that tries them would be counted */
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
