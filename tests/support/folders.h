/* folders.h - creates, searches and removes folders for tests. */
#ifndef GPUPRIM_TESTS_FOLDERS_H
#define GPUPRIM_TESTS_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* Creates a new folder below build/, and writes its name to `folder`. */
void test_make_folder(char *folder, size_t size);

/* Calls `visit` for each file of the folder whose name contains `part` (NULL: for every file), and removes
   the file if `visit` returns true. Returns the number of such files; -1: no such folder. */
int test_each_file(const char *folder, const char *part, bool (*visit)(const char *path));

/* Functions for test_each_file: the first keeps each file, the second removes it. */
bool test_keep(const char *path);
bool test_drop(const char *path);

/* Between these two calls, output to stdout and stderr is written to a file. The second returns the number of
   bytes written. */
void test_quiet_begin(void);
long test_quiet_end(void);

/* Removes the folder and all files in it. */
void test_remove_folder(const char *folder);

#endif
