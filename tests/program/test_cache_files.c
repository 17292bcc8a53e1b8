/* test_cache_files.c - the folder of built programs in the hands of others: damaged files, things that are no
   files, no space, folders and variables of any content. This file has an implementation of its own, to load
   and save without a device. */
#define _XOPEN_SOURCE 700 /* mkfifo, symlink, setenv */
#define GP_STATIC
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/folders.h"
#include "../support/support.h"

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
    assert_int_equal(saved, !gp->cache_closed);
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
        gpi_cache_unmark(gp, &loaded);
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
    (void)umask(022);
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

/* What somebody else may write to is not loaded, and nothing is made so, whatever the umask. */
static void test_others_may_write(void **state)
{
    static const mode_t modes[] = {0664, 0646, 0666};
    char made[300];
    struct stat info;
    const mode_t mask = umask(0);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof modes / sizeof *modes; k++) {
        assert_int_equal(chmod(path, modes[k]), 0);
        assert_false(loads());
        assert_true(is_there());
        assert_true(saves() && loads());
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 022, 0);
    }
    (void)snprintf(made, sizeof made, "%s/made", folder);
    assert_true(gpi_make_dirs(made));
    (void)umask(mask);
    assert_int_equal(stat(made, &info), 0);
    assert_int_equal(info.st_mode & 022, 0);
    assert_int_equal(rmdir(made), 0);
}

/* ------------------------------------------------------------------ marks of files that are being loaded */

static bool is_marked(void) { return test_each_file(folder, GPI_CACHE_MARK, test_keep) == 1; }

/* A process that begins to load the file, says so, and is killed by `signal`; 0: stays where it is. */
static pid_t begin_to_load(int signal)
{
    int ready[2];
    char byte;
    pid_t pid;
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        gp_context *gp = context_make(folder);
        gpi_program loaded = program;
        size_t size;
        byte = gpi_cache_load(gp, &loaded, &size) != NULL;
        if (write(ready[1], &byte, 1) != 1) _exit(1);
        if (signal) (void)raise(signal);
        for (;;) (void)pause();
    }
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    assert_int_equal(byte, 1);
    if (signal) assert_int_equal(waitpid(pid, NULL, 0), pid);
    return pid;
}

/* What a process has died of is dropped, once. */
static void test_mark_of_dead(void **state)
{
    static const int signals[] = {SIGABRT, SIGKILL};
    size_t k;
    (void)state;
    for (k = 0; k < 2; k++) {
        (void)begin_to_load(signals[k]);
        assert_true(is_marked() && is_there());
        assert_false(loads());
        assert_false(is_marked() || is_there());
        assert_true(saves() && loads() && loads());
    }
}

/* While one process loads a file, others may, and the mark stays its own. */
static void test_mark_of_living(void **state)
{
    const pid_t pid = begin_to_load(0);
    (void)state;
    assert_true(loads() && loads());
    assert_true(is_marked());
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_false(loads());
    assert_true(saves() && loads());
}

/* The same for two contexts of one process. */
static void test_mark_of_own(void **state)
{
    gp_context *gp = context_make(folder);
    gpi_program loaded = program;
    size_t size;
    unsigned char *binary = gpi_cache_load(gp, &loaded, &size);
    (void)state;
    assert_non_null(binary);
    assert_true(is_marked());
    assert_true(loads() && is_marked());
    gpi_cache_unmark(gp, &loaded);
    assert_false(is_marked());
    assert_true(loads());
    free(binary);
    context_free(gp);
}

/* Something else of that name, or a mark that nothing was written to: the file is loaded. */
static void test_mark_is_none(void **state)
{
    char mark[300];
    (void)state;
    (void)snprintf(mark, sizeof mark, "%s" GPI_CACHE_MARK, path);
    assert_int_equal(close(open(mark, O_WRONLY | O_CREAT, 0666)), 0);
    assert_true(loads());
    assert_int_equal(unlink(mark), 0);
    assert_int_equal(mkdir(mark, 0777), 0);
    assert_true(loads());
    assert_int_equal(rmdir(mark), 0);
    assert_int_equal(mkfifo(mark, 0666), 0);
    assert_true(loads());
    assert_int_equal(unlink(mark), 0);
    assert_int_equal(symlink("/nowhere", mark), 0);
    assert_true(loads());
    assert_int_equal(unlink(mark), 0);
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

static int warnings;

static void count_warnings(gp_log_level level, const char *text, void *user)
{
    (void)text;
    (void)user;
    if (level == GP_LOG_WARNING) warnings++;
}

/* NULL: it is not set. */
static void put_variable(const char *name, const char *value)
{
    assert_int_equal(value ? setenv(name, value, 1) : unsetenv(name), 0);
}

/* Only folders that are named from the root on; NULL where there is none. PoCL keeps its own: only a folder that
   GPUPRIM_CACHE names. */
static void test_cache_variables(void **state)
{
    static const char *const names[] = {"GPUPRIM_CACHE", "XDG_CACHE_HOME", "HOME"};
    static const struct {
        const char *value[3], *folder;
        int warnings;
    } rows[] = {
        {{NULL, "/a", "/b"}, "/a/gpuprim", 0},
        {{NULL, NULL, "/b"}, "/b/.cache/gpuprim", 0},
        {{NULL, "", "/b"}, "/b/.cache/gpuprim", 0},
        {{NULL, "a", "/b"}, "/b/.cache/gpuprim", 0},
        {{NULL, "./a", NULL}, NULL, 0},
        {{NULL, NULL, NULL}, NULL, 0},
        {{NULL, NULL, ""}, NULL, 0},
        {{NULL, NULL, "b"}, NULL, 0},
        {{NULL, "~", ".."}, NULL, 0},
        {{NULL, "/%s%n", "/b"}, "/%s%n/gpuprim", 0},
        {{NULL, "/\n", "/b"}, "/\n/gpuprim", 0},
        {{"/c", "/a", "/b"}, "/c", 0},
        {{"/c", NULL, NULL}, "/c", 0},
        {{"off", "/a", "/b"}, NULL, 0},
        {{"", "/a", "/b"}, "/a/gpuprim", 0},
        {{"c", "/a", "/b"}, "/a/gpuprim", 1},
        {{"OFF", NULL, "/b"}, "/b/.cache/gpuprim", 1},
        {{"./c%n", NULL, NULL}, NULL, 1},
    };
    gp_context *gp = context_make(folder);
    char *before[3];
    size_t k, i;
    (void)state;
    gp->desc.log = count_warnings;
    for (i = 0; i < 3; i++) before[i] = getenv(names[i]) ? gpi_format("%s", getenv(names[i])) : NULL;
    for (k = 0; k < sizeof rows / sizeof *rows; k++) {
        char *found;
        int pocl;
        for (i = 0; i < 3; i++) put_variable(names[i], rows[k].value[i]);
        for (pocl = 0; pocl < 2; pocl++) {
            const bool wanted = rows[k].folder && (!pocl || (rows[k].value[0] && *rows[k].value[0] == '/'));
            (void)snprintf(gp->info.platform_name, GP_NAME_MAX, "%s",
                           pocl ? "Portable Computing Language" : "another");
            warnings = 0;
            found = gpi_cache_dir_default(gp);
            if (wanted) assert_string_equal(found, rows[k].folder);
            else assert_null(found);
            assert_int_equal(warnings, rows[k].warnings);
            free(found);
        }
    }
    for (i = 0; i < 3; i++) {
        put_variable(names[i], before[i]);
        free(before[i]);
    }
    context_free(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        TEST(test_every_bit),    TEST(test_every_length),     TEST(test_huge),
        TEST(test_no_file),      TEST(test_folder),           TEST(test_link),
        TEST(test_other_user),   TEST(test_others_may_write), TEST(test_no_space),
        TEST(test_no_folder),    TEST(test_silly_folders),    TEST(test_cache_variables),
        TEST(test_mark_of_dead), TEST(test_mark_of_living),   TEST(test_mark_of_own),
        TEST(test_mark_is_none),
    };
    return cmocka_run_group_tests_name("cache_files", tests, NULL, NULL);
}
