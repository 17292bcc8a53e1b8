/* test_cache_files.c - the folder of built programs in the hands of others: damaged files, things that are no
   files, no space, folders and variables of any content. This file has an implementation of its own, to load
   and save without a device. */
#define _XOPEN_SOURCE 700 /* mkfifo, symlink, setenv */
#define GP_STATIC
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folders.h"
#include "support.h"

enum { BODY = 150, FILE_BYTES = (int)sizeof(gpi_cache_header) + BODY };

static char folder[64], path[256];
static unsigned char body[BODY], file_bytes[FILE_BYTES];
static gpi_program program;

/* As much of a context as files take. */
static gp_context *context_make(const char *cache_dir)
{
    gp_context *gp = calloc(1, sizeof *gp);
    assert_non_null(gp);
    gp->cache_dir = gpi_format("%s", cache_dir);
    return gp;
}

static void context_free(gp_context *gp)
{
    free(gp->cache_dir);
    free(gp);
}

static bool save_to(const char *cache_dir)
{
    gp_context *gp = context_make(cache_dir);
    const bool saved = gpi_cache_save(gp, &program, body, sizeof body);
    assert_int_equal(saved, gp->cache_dir != NULL);
    context_free(gp);
    return saved;
}

/* False: it is to be built. What is loaded is what was saved. */
static bool loads_from(const char *cache_dir)
{
    gp_context *gp = context_make(cache_dir);
    gpi_program loaded = program;
    size_t size = 0;
    unsigned char *binary;
    loaded.saved = 0;
    binary = gpi_cache_load(gp, &loaded, &size);
    if (binary) {
        assert_int_equal(size, sizeof body);
        assert_memory_equal(binary, body, sizeof body);
        assert_int_equal(loaded.saved, program.launched);
    }
    free(binary);
    context_free(gp);
    return binary != NULL;
}

static bool saves(void) { return save_to(folder); }
static bool loads(void) { return loads_from(folder); }

static void write_file(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static bool is_there(void)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* A folder with one good file in it; a test that hangs is killed. */
static int set_up(void **state)
{
    FILE *file;
    size_t i;
    (void)state;
    (void)alarm(60);
    test_make_folder(folder, sizeof folder);
    for (i = 0; i < sizeof body; i++) body[i] = (unsigned char)(7 * i);
    program.key.word[0] = 0x0123456789abcdefu;
    program.key.word[1] = 0xfedcba9876543210u;
    program.launched = 5;
    (void)snprintf(path, sizeof path, "%s/0123456789abcdeffedcba9876543210.bin", folder);
    assert_true(saves());
    file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(file_bytes, 1, sizeof file_bytes, file), sizeof file_bytes);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    test_quiet_begin();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(test_quiet_end(), 0);
    assert_int_equal(test_each_file(folder, ".tmp", test_keep), 0);
    (void)unlink(path);
    (void)rmdir(path);
    test_remove_folder(folder);
    (void)alarm(0);
    return 0;
}

/* ------------------------------------------------------------------ damaged files */

/* Not one bit may differ, and what is damaged goes. */
static void test_every_bit(void **state)
{
    size_t bit;
    (void)state;
    assert_true(loads());
    for (bit = 0; bit < 8 * sizeof file_bytes; bit++) {
        unsigned char bytes[FILE_BYTES];
        memcpy(bytes, file_bytes, sizeof bytes);
        bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        write_file(bytes, sizeof bytes);
        if (loads()) fail_msg("bit %zu of byte %zu does not matter", bit % 8, bit / 8);
        assert_false(is_there());
    }
    assert_true(saves() && loads());
}

/* Every length but the right one, and the same content twice. */
static void test_every_length(void **state)
{
    unsigned char bytes[2 * FILE_BYTES];
    size_t size;
    (void)state;
    memcpy(bytes, file_bytes, FILE_BYTES);
    memcpy(bytes + FILE_BYTES, file_bytes, FILE_BYTES);
    for (size = 0; size <= sizeof bytes; size++) {
        write_file(bytes, size);
        assert_int_equal(loads(), size == FILE_BYTES);
    }
    assert_true(saves() && loads());
}

/* Of a size that nobody wants to read. */
static void test_huge(void **state)
{
    (void)state;
    if (truncate(path, (off_t)1 << 40) != 0) return;
    assert_false(loads());
    assert_true(saves() && loads());
}

/* ------------------------------------------------------------------ what is no file */

/* A pipe that nobody writes to, devices without an end or without content, links to nowhere. Saving puts a
   file in their place, and nothing where they lead. */
static void test_no_file(void **state)
{
    static const char *const targets[] = {NULL, "/dev/zero", "/dev/full", "/dev/null", "nowhere", "/"};
    size_t k;
    (void)state;
    for (k = 0; k < sizeof targets / sizeof *targets; k++) {
        assert_int_equal(unlink(path), 0);
        assert_int_equal(targets[k] ? symlink(targets[k], path) : mkfifo(path, 0666), 0);
        assert_false(loads());
        assert_true(saves() && loads());
    }
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(strrchr(path, '/') + 1, path), 0); /* to itself */
    assert_false(loads());
    assert_true(saves() && loads());
}

/* A folder in the file's place stays, and nothing is saved. */
static void test_folder(void **state)
{
    (void)state;
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(loads());
    assert_false(saves());
    assert_true(is_there());
}

/* A link to a good file is as good as that. */
static void test_link(void **state)
{
    char other[300];
    (void)state;
    (void)snprintf(other, sizeof other, "%s.real", path);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(strrchr(other, '/') + 1, path), 0);
    assert_true(loads());
    assert_true(saves() && loads());
    assert_int_equal(unlink(other), 0);
}

/* Nobody's binary but this user's and root's is loaded. */
static void test_other_user(void **state)
{
    struct stat info;
    (void)state;
    if (chown(path, geteuid() + 4711, (gid_t)-1) != 0) return; /* we are not root */
    assert_false(loads());
    assert_true(is_there());
    assert_true(saves() && loads());
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_uid, geteuid());
}

/* ------------------------------------------------------------------ folders */

/* Where files cannot grow, what was there stays, and nothing is left behind. */
static void test_no_space(void **state)
{
    struct rlimit before, little;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    rlim_t bytes;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    for (bytes = 0; bytes < FILE_BYTES; bytes += 33) {
        bool saved;
        little.rlim_cur = bytes;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        saved = saves();
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(saved);
        assert_true(loads());
    }
    (void)signal(SIGXFSZ, handler);
}

static void test_no_folder(void **state)
{
    static const char *const names[] = {"/proc/gpuprim",   "/dev/null", "/dev/null/gpuprim", "/sys",
                                        "/nowhere/at/all", "%s%n%n%s",  "\n\"'`;$(x)",       ""};
    size_t k;
    (void)state;
    for (k = 0; k < sizeof names / sizeof *names; k++) {
        assert_false(loads_from(names[k]));
        (void)save_to(names[k][0] == '/' ? names[k] : "/dev/null");
    }
    if (geteuid() == 0) return; /* may write anywhere */
    assert_int_equal(chmod(folder, 0555), 0);
    assert_true(loads());
    assert_false(saves());
    assert_int_equal(chmod(folder, 0777), 0);
}

/* Names of folders below ours, of any content and length. */
static void test_silly_folders(void **state)
{
    static const size_t lengths[] = {1, 200, 300, 5000, 1000000};
    static const char fill[] = {'a', '/', '%', '.', '\n', '\xff'};
    size_t k, c;
    (void)state;
    for (k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        for (c = 0; c < sizeof fill; c++) {
            char *name = malloc(strlen(folder) + lengths[k] + 2), *end;
            assert_non_null(name);
            end = name + sprintf(name, "%s/", folder);
            memset(end, fill[c], lengths[k]);
            end[lengths[k]] = '\0';
            (void)gpi_make_dirs(name);
            if (save_to(name)) {
                assert_true(loads_from(name));
                if (fill[c] != '/' && !(fill[c] == '.' && lengths[k] < 3)) {
                    test_remove_folder(name);
                }
            } else {
                assert_true(lengths[k] > 200);
            }
            free(name);
        }
    }
}

/* ------------------------------------------------------------------ variables */

/* Only folders that are named from the root on; NULL where there is none. */
static void test_cache_variables(void **state)
{
    static const struct {
        const char *cache, *home, *folder;
    } rows[] = {
        {"/a", "/b", "/a/gpuprim"},
        {NULL, "/b", "/b/.cache/gpuprim"},
        {"", "/b", "/b/.cache/gpuprim"},
        {"a", "/b", "/b/.cache/gpuprim"},
        {"./a", NULL, NULL},
        {NULL, NULL, NULL},
        {NULL, "", NULL},
        {NULL, "b", NULL},
        {"~", "..", NULL},
        {"/%s%n", "/b", "/%s%n/gpuprim"},
        {"/\n", "/b", "/\n/gpuprim"},
    };
    char *cache = getenv("XDG_CACHE_HOME") ? gpi_format("%s", getenv("XDG_CACHE_HOME")) : NULL;
    char *home = getenv("HOME") ? gpi_format("%s", getenv("HOME")) : NULL;
    size_t k;
    (void)state;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *found;
        (void)(rows[k].cache ? setenv("XDG_CACHE_HOME", rows[k].cache, 1) : unsetenv("XDG_CACHE_HOME"));
        (void)(rows[k].home ? setenv("HOME", rows[k].home, 1) : unsetenv("HOME"));
        found = gpi_cache_dir_default();
        if (rows[k].folder) assert_string_equal(found, rows[k].folder);
        else assert_null(found);
        free(found);
    }
    (void)(cache ? setenv("XDG_CACHE_HOME", cache, 1) : unsetenv("XDG_CACHE_HOME"));
    (void)(home ? setenv("HOME", home, 1) : unsetenv("HOME"));
    free(cache);
    free(home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        TEST(test_every_bit),     TEST(test_every_length),    TEST(test_huge),
        TEST(test_no_file),       TEST(test_folder),          TEST(test_link),
        TEST(test_other_user),    TEST(test_no_space),        TEST(test_no_folder),
        TEST(test_silly_folders), TEST(test_cache_variables),
    };
    return cmocka_run_group_tests_name("cache_files", tests, NULL, NULL);
}
