/* faults.c - preloaded before gpsort: what files do on a bad day. FAULT is one of

       short                 reads and writes of files are cut short, or interrupted before they begin
       write pread fsync close linkat rename      the call fails with EIO; of write and pread the fourth one,
                                                  of close that of the file that was synchronised
       signal                SIGTERM comes while the new file is given its name; a thread of the driver's takes it */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS_BEFORE = 3, CUT = 100000 };

static int synchronised = -1;

static bool is(const char *fault)
{
    const char *wanted = getenv("FAULT");
    return wanted && strcmp(wanted, fault) == 0;
}

/* Of those in FAULT_FOLDER: an OpenCL implementation has files of its own. */
static bool is_file(int fd)
{
    const char *folder = getenv("FAULT_FOLDER");
    char name[64], path[4096];
    ssize_t length;
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    length = readlink(name, path, sizeof path);
    return folder && length > 0 && strlen(folder) < (size_t)length &&
           memcmp(path, folder, strlen(folder)) == 0;
}

/* Whether the call fails; how much of it is done. */
static bool fails(const char *name, int fd, size_t *count)
{
    static unsigned calls, turn;
    if (!is_file(fd)) return false;
    if (is(name) && calls++ == CALLS_BEFORE) {
        errno = EIO;
        return true;
    }
    if (!is("short")) return false;
    if (++turn % 3 == 0) {
        errno = EINTR;
        return true;
    }
    if (turn % 3 == 1 && *count > 1) *count = 1 + *count % CUT % (*count - 1);
    return false;
}

ssize_t read(int fd, void *to, size_t count)
{
    ssize_t (*next)(int, void *, size_t);
    *(void **)&next = dlsym(RTLD_NEXT, "read");
    return fails("read", fd, &count) ? -1 : next(fd, to, count);
}

ssize_t write(int fd, const void *from, size_t count)
{
    ssize_t (*next)(int, const void *, size_t);
    *(void **)&next = dlsym(RTLD_NEXT, "write");
    return fails("write", fd, &count) ? -1 : next(fd, from, count);
}

static ssize_t pread_or_fail(const char *name, int fd, void *to, size_t count, off_t at)
{
    ssize_t (*next)(int, void *, size_t, off_t);
    *(void **)&next = dlsym(RTLD_NEXT, name);
    return fails("pread", fd, &count) ? -1 : next(fd, to, count, at);
}

ssize_t pread(int fd, void *to, size_t count, off_t at) { return pread_or_fail("pread", fd, to, count, at); }

ssize_t pread64(int fd, void *to, size_t count, off64_t at)
{
    return pread_or_fail("pread64", fd, to, count, at);
}

static int fail(void)
{
    errno = EIO;
    return -1;
}

int fsync(int fd)
{
    int (*next)(int);
    *(void **)&next = dlsym(RTLD_NEXT, "fsync");
    if (is_file(fd)) synchronised = fd;
    return is("fsync") ? fail() : next(fd);
}

int close(int fd)
{
    int (*next)(int);
    *(void **)&next = dlsym(RTLD_NEXT, "close");
    return is("close") && fd == synchronised ? fail() : next(fd);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    int (*next)(int, const char *, int, const char *, int), made;
    *(void **)&next = dlsym(RTLD_NEXT, "linkat");
    made = is("linkat") ? fail() : next(from_folder, from, to_folder, to, flags);
    if (is("signal") && made == 0) {
        (void)kill(getpid(), SIGTERM);
        (void)usleep(100000);
    }
    return made;
}

int rename(const char *from, const char *to)
{
    int (*next)(const char *, const char *);
    *(void **)&next = dlsym(RTLD_NEXT, "rename");
    return is("rename") ? fail() : next(from, to);
}
