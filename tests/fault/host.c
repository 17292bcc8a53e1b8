/* host.c - the C library's calls that gpuprim makes and that can fail. The driver is linked with --wrap, so
   that its own calls, and with them the header's, come here; those of the OpenCL implementations do not. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_open(const char *path, int flags, ...);
ssize_t __real_read(int file, void *to, size_t size);
ssize_t __real_write(int file, const void *from, size_t size);
int __real_close(int file);
int __real_rename(const char *from, const char *to);
DIR *__real_opendir(const char *path);
int __real_stat(const char *path, struct stat *info);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_open(const char *path, int flags, ...);
ssize_t __wrap_read(int file, void *to, size_t size);
ssize_t __wrap_write(int file, const void *from, size_t size);
int __wrap_close(int file);
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

int __wrap_open(const char *path, int flags, ...)
{
    va_list args;
    int mode;
    va_start(args, flags);
    mode = flags & O_CREAT ? va_arg(args, int) : 0;
    va_end(args);
    return hits("open") ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_read(int file, void *to, size_t size)
{
    return hits("read") ? 0 : __real_read(file, to, size);
}

/* The disk is full: part of it gets there. */
ssize_t __wrap_write(int file, const void *from, size_t size)
{
    if (!hits("write")) return __real_write(file, from, size);
    (void)!__real_write(file, from, size / 2);
    errno = ENOSPC;
    return -1;
}

/* The file is closed all the same, and what was still to be written is lost. */
int __wrap_close(int file)
{
    const int result = __real_close(file);
    return hits("close") ? -1 : result;
}

int __wrap_rename(const char *from, const char *to) { return hits("rename") ? -1 : __real_rename(from, to); }

DIR *__wrap_opendir(const char *path) { return hits("opendir") ? NULL : __real_opendir(path); }

int __wrap_stat(const char *path, struct stat *info) { return hits("stat") ? -1 : __real_stat(path, info); }
