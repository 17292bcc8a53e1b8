/* host.c - the C library's calls that gpuprim makes and that can fail. The driver is linked with --wrap, so
   that its own calls, and with them the header's, come here; those of the OpenCL implementations do not. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "driver.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
FILE *__real_fopen(const char *path, const char *mode);
size_t __real_fread(void *to, size_t size, size_t count, FILE *file);
size_t __real_fwrite(const void *from, size_t size, size_t count, FILE *file);
int __real_fclose(FILE *file);
int __real_rename(const char *from, const char *to);
DIR *__real_opendir(const char *path);
int __real_stat(const char *path, struct stat *info);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
FILE *__wrap_fopen(const char *path, const char *mode);
size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file);
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_rename(const char *from, const char *to);
DIR *__wrap_opendir(const char *path);
int __wrap_stat(const char *path, struct stat *info);

static bool hits(const char *function) { return fault && fault_hits(fault, FAULT_HOST, function); }

void *__wrap_malloc(size_t size) { return hits("malloc") ? NULL : __real_malloc(size); }

void *__wrap_calloc(size_t count, size_t size) { return hits("calloc") ? NULL : __real_calloc(count, size); }

void *__wrap_realloc(void *memory, size_t size)
{
    return hits("realloc") ? NULL : __real_realloc(memory, size);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return hits("fopen") ? NULL : __real_fopen(path, mode);
}

size_t __wrap_fread(void *to, size_t size, size_t count, FILE *file)
{
    return hits("fread") ? 0 : __real_fread(to, size, count, file);
}

/* The disk is full: part of it gets there. */
size_t __wrap_fwrite(const void *from, size_t size, size_t count, FILE *file)
{
    return __real_fwrite(from, size, hits("fwrite") ? count / 2 : count, file);
}

/* The file is closed all the same, and what was still to be written is lost. */
int __wrap_fclose(FILE *file)
{
    const int result = __real_fclose(file);
    return hits("fclose") ? EOF : result;
}

int __wrap_rename(const char *from, const char *to) { return hits("rename") ? -1 : __real_rename(from, to); }

DIR *__wrap_opendir(const char *path) { return hits("opendir") ? NULL : __real_opendir(path); }

int __wrap_stat(const char *path, struct stat *info) { return hits("stat") ? -1 : __real_stat(path, info); }
