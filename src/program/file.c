/* file.c - reads files for the cache, writes them whole, and keeps locked marks. */
#include "base/memory.h"
#include "program/file.h"
#include "program/program.h"

#include <stdio.h>
#include <string.h>

#if defined(_WIN32)
#include <direct.h>
#include <process.h>
#define GPI_MKDIR(path) _mkdir(path)
#define GPI_PID() ((unsigned)_getpid())
#else /* these headers declare the functions used here even in strict C99 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>
#define GPI_MKDIR(path) mkdir(path, 0755) /* whatever the umask: others must not replace programs there */
#define GPI_PID() ((unsigned)getpid())
#endif

#define GPI_FILE_MAX 0x10000000 /* most bytes of a file that is read */
#define GPI_PATH_MAX 4096       /* most bytes of a path that systems accept */

/* Makes a folder and those above it. */
static bool gpi_make_dirs(const char *path)
{
    char *partial = strlen(path) < GPI_PATH_MAX ? gpi_format("%s", path) : NULL;
    char *at;
    if (!partial) return false;
    for (at = partial + 1; *partial && *at; at++) {
        if (*at != '/') continue;
        *at = '\0';
        (void)GPI_MKDIR(partial);
        *at = '/';
    }
    (void)GPI_MKDIR(partial);
    GP_FREE(partial);
    return true;
}

#if defined(_WIN32)

/* Returns all of a file, which the caller frees, and sets *size to its size. Returns NULL if the file cannot be read,
   or if `own` is true and others may write to the file. On failure sets *size to 0 if the file was not opened or is
   empty, to GPI_FILE_ENDS_EARLY if the file is shorter than reported, and to the file's size if there was no memory. */
static unsigned char *gpi_file_read(const char *path, bool own, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    long length;
    (void)own; /* Windows: modes do not show who may write */
    *size = 0;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0 && length <= GPI_FILE_MAX &&
        fseek(file, 0, SEEK_SET) == 0) {
        data = (unsigned char *)GP_MALLOC((size_t)length);
        *size = (size_t)length;
        if (data && fread(data, 1, *size, file) != *size) {
            GP_FREE(data);
            data = NULL;
            *size = GPI_FILE_ENDS_EARLY;
        }
    }
    (void)fclose(file);
    return data;
}

static bool gpi_file_fill_new(const char *path, const void *head, size_t head_size, const void *body,
                              size_t body_size)
{
    FILE *file = fopen(path, "wb");
    bool good = file != NULL;
    if (!file) return false;
    good = fwrite(head, 1, head_size, file) == head_size && fwrite(body, 1, body_size, file) == body_size;
    return fclose(file) == 0 && good;
}

static void gpi_file_touch(const char *path) { (void)path; }

#else

/* Opens a file for reading. Returns -1 on failure, or if the file is unsafe or too large. Opening a pipe could block, a
   device may have no end, and the binary of another user (except root) would run with this user's rights. `refused`:
   bits that the file's mode must not have. */
static int gpi_file_open(const char *path, mode_t refused, struct stat *info)
{
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (file < 0) return -1;
    if (fstat(file, info) == 0 && S_ISREG(info->st_mode) &&
        (info->st_uid == geteuid() || info->st_uid == 0) && info->st_size <= GPI_FILE_MAX &&
        !(info->st_mode & refused))
        return file;
    (void)close(file);
    return -1;
}

/* Reads `size` bytes. Returns false if the file has fewer, or cannot be read. */
static bool gpi_file_fill(int file, unsigned char *to, size_t size)
{
    while (size > 0) {
        const ssize_t got = read(file, to, size);
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got < 0) continue;
        to += got;
        size -= (size_t)got;
    }
    return true;
}

/* Returns all of a file, which the caller frees, and sets *size to its size. Returns NULL if the file cannot be read,
   or if `own` is true and others may write to the file. On failure sets *size to 0 if the file was not opened or is
   empty, to GPI_FILE_ENDS_EARLY if the file is shorter than reported, and to the file's size if there was no memory. */
static unsigned char *gpi_file_read(const char *path, bool own, size_t *size)
{
    struct stat info;
    const int file = gpi_file_open(path, own ? S_IWGRP | S_IWOTH : 0, &info);
    unsigned char *data = NULL;
    *size = 0;
    if (file < 0) return NULL;
    *size = (size_t)info.st_size;
    if (*size > 0) data = (unsigned char *)GP_MALLOC(*size);
    if (data && !gpi_file_fill(file, data, *size)) {
        GP_FREE(data);
        data = NULL;
        *size = GPI_FILE_ENDS_EARLY;
    }
    (void)close(file);
    return data;
}

/* Returns true if the file begins with these bytes. */
static bool gpi_file_begins(const char *path, const char *bytes, size_t size)
{
    unsigned char head[16];
    struct stat info;
    const int file = gpi_file_open(path, 0, &info);
    const bool good = file >= 0 && gpi_file_fill(file, head, size) && memcmp(head, bytes, size) == 0;
    if (file >= 0) (void)close(file);
    return good;
}

static void gpi_file_touch(const char *path) { (void)utime(path, NULL); }

static bool gpi_file_append(int file, const void *bytes, size_t size)
{
    const char *at = (const char *)bytes;
    while (size > 0) {
        const ssize_t put = write(file, at, size);
        if (put < 0 && errno != EINTR) return false;
        if (put <= 0) continue;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* Writes head and body to a new file. Does not follow a link at `path`, and denies others write access to the file,
   whatever the umask. */
static bool gpi_file_fill_new(const char *path, const void *head, size_t head_size, const void *body,
                              size_t body_size)
{
    int file;
    bool good;
    (void)remove(path); /* an earlier process with the same number may have left such a file */
    file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
    if (file < 0) return false;
    (void)fcntl(file, F_SETFD, FD_CLOEXEC);
    good = gpi_file_append(file, head, head_size) && gpi_file_append(file, body, body_size);
    return close(file) == 0 && good;
}

#endif

/* Writes head and body to a new file beside `path` and renames it, so that `path` is written whole or not at all. */
static bool gpi_file_write(const char *path, const void *head, size_t head_size, const void *body,
                           size_t body_size)
{
    char *temporary = gpi_format("%s.%u.%p.tmp", path, GPI_PID(), (const void *)&path);
    bool good = temporary && gpi_file_fill_new(temporary, head, head_size, body, body_size);
#if defined(_WIN32)
    if (good) (void)remove(path); /* rename does not replace a file on Windows */
#endif
    good = good && rename(temporary, path) == 0;
    if (temporary && !good) (void)remove(temporary);
    GP_FREE(temporary);
    return good;
}

#if defined(_WIN32) || !defined(LOCK_EX) /* Windows: files are not marked */

static int gpi_mark_set(const char *path, bool *dead)
{
    (void)path;
    *dead = false;
    return -1;
}

static void gpi_mark_remove(const char *path, int mark)
{
    (void)path;
    (void)mark;
}

#else

/* Makes a mark, locks it, and then writes to it, since other processes ignore an empty mark. Returns -1 on failure. */
static int gpi_mark_make(const char *path)
{
    const int mark = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (mark < 0) return -1;
    (void)fcntl(mark, F_SETFD, FD_CLOEXEC);
    if (flock(mark, LOCK_EX | LOCK_NB) == 0 && write(mark, "1", 1) == 1) return mark;
    (void)remove(path);
    (void)close(mark);
    return -1;
}

/* Returns true if the mark exists and its process has died. If the mark disappears during the check, its process was
   alive. */
static bool gpi_mark_is_dead(const char *path)
{
    struct stat info;
    const int mark = gpi_file_open(path, 0, &info);
    bool dead = mark >= 0 && flock(mark, LOCK_EX | LOCK_NB) == 0 && fstat(mark, &info) == 0;
    dead = dead && info.st_nlink > 0 && info.st_size > 0;
    if (mark >= 0) (void)close(mark);
    return dead;
}

/* Marks a file that the driver is about to load, and returns the mark. Returns -1 if no mark was made, because the
   folder cannot be written, or because there is a mark already. Sets *dead to true if the process of that earlier mark
   died while loading the file. */
static int gpi_mark_set(const char *path, bool *dead)
{
    const int mark = gpi_mark_make(path);
    *dead = mark < 0 && gpi_mark_is_dead(path);
    return mark;
}

/* Removes a mark. Removes the mark's file before unlocking it, so that other processes do not consider this process
   dead. */
static void gpi_mark_remove(const char *path, int mark)
{
    if (mark < 0) return;
    if (path) (void)remove(path);
    (void)close(mark);
}

#endif
