/* folders.h - folders that tests make, look through and remove. */
#ifndef GPUPRIM_TESTS_FOLDERS_H
#define GPUPRIM_TESTS_FOLDERS_H

#include <stdbool.h>
#include <stddef.h>

/* Makes a new folder below build/, and writes its name. */
void test_make_folder(char *folder, size_t size);

/* Calls visit on every file of the folder whose name has `part` in it (NULL: on every one), and removes it if
   that returns true. Returns how many there are; -1: no such folder. */
int test_each_file(const char *folder, const char *part, bool (*visit)(const char *path));

/* For test_each_file. */
bool test_keep(const char *path);
bool test_drop(const char *path);

/* Between these two, what is printed goes to a file; how many bytes it was. */
void test_quiet_begin(void);
long test_quiet_end(void);

/* With everything in it. */
void test_remove_folder(const char *folder);

#endif
