/* output.c - files that are written: the output, which appears under its name only when it is whole, and temporary
   ones, which have no name. */
#define _GNU_SOURCE /* O_TMPFILE, sync_file_range */
#define _FILE_OFFSET_BITS 64
#include "gpsort.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = 100, LINKS = 40, LINK_BYTES = 4096 };

/* ------------------------------------------------------------------ writer */

void writer_open(writer *w, int fd, const char *name)
{
    memset(w, 0, sizeof *w);
    w->fd = fd;
    w->name = name;
    w->buffer = (char *)allocate(WRITE_BYTES);
}

static void write_all(const writer *w, const char *from, size_t count)
{
    while (count) {
        const ssize_t written = write(w->fd, from, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) die_errno("cannot write %s", w->name);
        from += written;
        count -= (size_t)written;
    }
}

static void writer_flush(writer *w)
{
    if (w->lines) translate_back(w->buffer, w->used);
    write_all(w, w->buffer, w->used);
#ifdef SYNC_FILE_RANGE_WRITE
    if (w->flushes)
        (void)sync_file_range(w->fd, (off_t)(w->written - w->used), (off_t)w->used, SYNC_FILE_RANGE_WRITE);
#endif
    progress_add(w->used);
    w->used = 0;
}

void writer_put(writer *w, const char *from, size_t count)
{
    w->written += count;
    while (count > WRITE_BYTES - w->used) {
        const size_t part = WRITE_BYTES - w->used;
        memcpy(w->buffer + w->used, from, part);
        w->used = WRITE_BYTES;
        w->written -= count - part;
        writer_flush(w);
        w->written += count - part;
        from += part;
        count -= part;
    }
    memcpy(w->buffer + w->used, from, count);
    w->used += count;
}

void writer_close(writer *w)
{
    if (w->used) writer_flush(w);
    free(w->buffer);
    w->buffer = NULL;
}

/* ------------------------------------------------------------------ names and signals */

/* What is opened fails when it is used, as what is closed does. */
void standard_open(void)
{
    int fd;
    for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            die_errno("cannot open /dev/null");
    }
}

/* The one file that has a name and is not whole; signals remove it. */
static char *volatile unfinished;

static void end_by_signal(int number)
{
    char *name = unfinished;
    if (name) (void)unlink(name);
    progress_interrupted();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

static void remove_unfinished(void)
{
    if (unfinished) (void)unlink(unfinished);
    progress_clear();
}

void catch_signals(void)
{
    static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGPIPE,  SIGALRM,
                                  SIGUSR1, SIGUSR2, SIGXCPU, SIGPROF, SIGVTALRM};
    struct sigaction action, old;
    size_t i;
    memset(&action, 0, sizeof action);
    action.sa_handler = end_by_signal;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            (void)sigaction(numbers[i], &action, NULL);
    }
    (void)signal(SIGXFSZ, SIG_IGN); /* a write fails then, and says so */
    (void)atexit(remove_unfinished);
}

static char *join(const char *folder, const char *name)
{
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    char *path = (char *)allocate(bytes);
    (void)snprintf(path, bytes, "%s/%s", folder, name);
    return path;
}

/* A file without a name, or -1. */
static int open_unnamed(const char *folder, int flags, mode_t mode)
{
#ifdef O_TMPFILE
    return open(folder, O_TMPFILE | flags, mode);
#else
    (void)folder, (void)flags, (void)mode;
    return -1;
#endif
}

int temporary_open(const char *folder)
{
    int fd = open_unnamed(folder, O_RDWR | O_EXCL, 0600);
    if (fd < 0) {
        char *path = join(folder, "gpsort-XXXXXX");
        fd = mkstemp(path);
        if (fd < 0) die_errno("cannot write a temporary file in %s (-T names another folder)", folder);
        (void)unlink(path);
        free(path);
    }
    return fd;
}

/* ------------------------------------------------------------------ output */

static char *folder_of(const char *path)
{
    char *folder = (char *)allocate(strlen(path) + 2), *slash;
    strcpy(folder, path);
    slash = strrchr(folder, '/');
    if (!slash) return strcpy(folder, ".");
    slash[slash == folder] = 0; /* "/x" lies in "/" */
    return folder;
}

/* What a link leads to is replaced, not the link; also where that is not there yet. */
static char *resolve(const char *path)
{
    char to[LINK_BYTES], *at = strcpy((char *)allocate(strlen(path) + 1), path), *folder, *next;
    unsigned turn;
    for (turn = 0; turn < LINKS; turn++) {
        char *resolved = realpath(at, NULL);
        const ssize_t length = resolved ? -1 : readlink(at, to, sizeof to - 1);
        if (length < 0 && !resolved) return at;
        if (!resolved) {
            to[length] = 0;
            folder = folder_of(at);
            next = *to == '/' ? join("", to + 1) : join(folder, to);
            free(folder);
        }
        free(at);
        if (resolved) return resolved;
        at = next;
    }
    errno = ELOOP;
    die_errno("cannot write %s", path);
}

/* The new file has the old one's owner and group, where that is allowed, and its permissions; but what its group may do
   no other group may. */
static void keep_mode(int fd, const struct stat *old)
{
    mode_t mode = old->st_mode & 0777;
    if (fchown(fd, old->st_uid, old->st_gid) != 0 && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= ~(mode_t)070;
    (void)fchmod(fd, mode);
}

static int open_named(output *out, const struct stat *old)
{
    int fd;
    out->temporary = join(out->folder, ".gpsort-XXXXXX");
    fd = mkstemp(out->temporary);
    if (fd >= 0) {
        const mode_t mask = umask(0);
        (void)umask(mask);
        if (!old) (void)fchmod(fd, 0666 & ~mask); /* else keep_mode() says who may read */
        unfinished = out->temporary;
    }
    return fd;
}

static int open_new(output *out, const char *path, const struct stat *old)
{
    int fd = -1;
    if (old && access(path, W_OK) != 0) die_errno("cannot write %s", path);
    out->target = resolve(path);
    out->folder = folder_of(out->target);
    /* linkat gives it a name through /proc */
    if (access("/proc/self/fd", X_OK) == 0) fd = open_unnamed(out->folder, O_WRONLY, 0666);
    if (fd < 0) fd = open_named(out, old);
    if (fd < 0) die_errno("cannot write %s", path);
    if (old) keep_mode(fd, old);
    return fd;
}

void output_open(output *out, const options *o)
{
    struct stat old;
    bool is_there;
    memset(out, 0, sizeof *out);
    if (!o->output) {
        writer_open(&out->w, STDOUT_FILENO, "standard output");
    } else {
        is_there = stat(o->output, &old) == 0;
        if (is_there && !S_ISREG(old.st_mode)) {
            writer_open(&out->w, open(o->output, O_WRONLY), o->output);
            if (out->w.fd < 0) die_errno("cannot write %s", o->output);
        } else {
            writer_open(&out->w, open_new(out, o->output, is_there ? &old : NULL), o->output);
            out->w.flushes = true;
        }
    }
    out->w.lines = !o->record_size && !o->zero;
}

/* Gives the file a name beside the target. */
static void output_name(output *out)
{
    char file[64], name[64];
    unsigned turn;
    (void)snprintf(file, sizeof file, "/proc/self/fd/%d", out->w.fd);
    for (turn = 0; turn < NAMES; turn++) {
        (void)snprintf(name, sizeof name, ".gpsort-%ld-%u", (long)getpid(), turn);
        out->temporary = join(out->folder, name);
        if (linkat(AT_FDCWD, file, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) == 0) break;
        if (errno != EEXIST || turn == NAMES - 1) die_errno("cannot write %s", out->w.name);
        free(out->temporary);
    }
    unfinished = out->temporary;
}

/* The folder's entry, too, should survive a loss of power; file systems that cannot do that say EINVAL. */
static void synchronise_folder(const char *folder)
{
    const int fd = open(folder, O_RDONLY);
    if (fd < 0) return;
    (void)fsync(fd);
    (void)close(fd);
}

/* On macOS fsync leaves the data in the drive's cache; file systems that cannot do more say so. */
static int synchronise(int file)
{
#ifdef F_FULLFSYNC
    if (fcntl(file, F_FULLFSYNC) == 0) return 0;
#endif
    return fsync(file);
}

void output_close(output *out)
{
    writer_close(&out->w);
    if (out->target && synchronise(out->w.fd) != 0) die_errno("cannot write %s", out->w.name);
    if (out->target && !out->temporary) output_name(out);
    if (close(out->w.fd) != 0) die_errno("cannot write %s", out->w.name);
    if (!out->target) return;
    if (rename(out->temporary, out->target) != 0) die_errno("cannot write %s", out->w.name);
    unfinished = NULL;
    synchronise_folder(out->folder);
    free(out->temporary);
    free(out->folder);
    free(out->target);
}
