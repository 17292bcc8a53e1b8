/* folders.c - see folders.h. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <dirent.h>
#include <unistd.h>

#include "folders.h"
#include "support.h"

void test_make_folder(char *folder, size_t size)
{
    (void)snprintf(folder, size, "build/test_cache_XXXXXX");
    if (!mkdtemp(folder)) fail_msg("no folder %s", folder);
}

int test_each_file(const char *folder, const char *part, bool (*visit)(const char *path))
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int files = 0;
    if (!dir) return -1;
    while ((entry = readdir(dir)) != NULL) {
        char path[1024];
        if (entry->d_name[0] == '.' || (part && !strstr(entry->d_name, part))) continue;
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        files++;
        if (visit(path)) (void)remove(path);
    }
    closedir(dir);
    return files;
}

bool test_keep(const char *path)
{
    (void)path;
    return false;
}

bool test_drop(const char *path)
{
    (void)path;
    return true;
}

void test_remove_folder(const char *folder)
{
    (void)test_each_file(folder, NULL, test_drop);
    (void)rmdir(folder);
}

/* ------------------------------------------------------------------ output */

static int quiet_was[2];
static FILE *quiet_file;

void test_quiet_begin(void)
{
    int k;
    quiet_file = tmpfile();
    assert_non_null(quiet_file);
    for (k = 0; k < 2; k++) {
        (void)fflush(k == 0 ? stdout : stderr);
        quiet_was[k] = dup(k + 1);
        assert_true(quiet_was[k] >= 0 && dup2(fileno(quiet_file), k + 1) == k + 1);
    }
}

long test_quiet_end(void)
{
    long bytes;
    int k;
    for (k = 0; k < 2; k++) {
        (void)fflush(k == 0 ? stdout : stderr);
        assert_int_equal(dup2(quiet_was[k], k + 1), k + 1);
        (void)close(quiet_was[k]);
    }
    bytes = fseek(quiet_file, 0, SEEK_END) == 0 ? ftell(quiet_file) : -1;
    (void)fclose(quiet_file);
    return bytes;
}
