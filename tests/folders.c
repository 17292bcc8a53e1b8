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
