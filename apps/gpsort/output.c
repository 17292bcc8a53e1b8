/* output.c - files that are written: the output, which appears under its name only when it is whole if a new file can
   take that name, and temporary ones, which have no name. */
#define _GNU_SOURCE /* O_TMPFILE, statx, sync_file_range */
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
#if defined(__linux__) || defined(__APPLE__)
#include <sys/xattr.h>
#endif

enum { NAMES = 100, LINKS = 40, LINK_BYTES = 4096, ATTRIBUTE_BYTES = 1 << 16 };

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
    if (w->truncates && ftruncate(w->fd, 0) != 0) die_errno("cannot write %s", w->name);
    w->truncates = false;
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
    if (w->used || w->truncates) writer_flush(w);
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

/* While a file gets its name, signals wait, also those that a thread of the driver's takes. */
static volatile sig_atomic_t held, waiting;

static void end_by_signal(int number)
{
    char *name = unfinished;
    if (held) {
        waiting = number;
        return;
    }
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

/* ------------------------------------------------------------------ a new file, or the old one */

/* Whether the file has an access control list or other attributes, which a new file would not have. SELinux labels
   every file by itself. */
static bool has_attributes(int fd)
{
#ifdef __linux__
    char names[ATTRIBUTE_BYTES], *at = names;
    const ssize_t bytes = flistxattr(fd, names, sizeof names);
    if (bytes < 0) return errno != ENOTSUP;
    for (; at < names + bytes; at += strlen(at) + 1)
        if (strcmp(at, "security.selinux") != 0) return true;
    return false;
#elif defined(__APPLE__)
    return flistxattr(fd, NULL, 0, 0) > 0;
#else
    (void)fd;
    return false;
#endif
}

#ifdef STATX_ATTR_MOUNT_ROOT
static bool has_attribute(const char *path, uint64_t attribute)
{
    struct statx is;
    return statx(AT_FDCWD, path, 0, 0, &is) == 0 && (is.stx_attributes & attribute);
}
#endif

/* Whether nothing can take the target's place: a file is mounted there, or the folder only takes more files. */
static bool is_fixed(const output *out)
{
#ifdef STATX_ATTR_MOUNT_ROOT
    return has_attribute(out->target, STATX_ATTR_MOUNT_ROOT) || has_attribute(out->folder, STATX_ATTR_APPEND);
#else
    (void)out;
    return false;
#endif
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Whether a new file can take the old one's place: where the old one has this one name, is not the standard output, and
   has no more than an owner, a group and a mode. */
static bool is_replaceable(const output *out, int fd, const struct stat *old)
{
    struct stat other;
    if (old->st_nlink != 1 || has_attributes(fd) || is_fixed(out)) return false;
    if (fstat(STDOUT_FILENO, &other) == 0 && is_same(&other, old)) return false;
    return stat(out->target, &other) == 0 && is_same(&other, old);
}

/* Gives the new file what the old one has; false where that cannot be, or where the folder's list of who may do what
   came with the new file. */
static bool keep_access(int fd, const struct stat *old)
{
    struct stat made;
    if (fstat(fd, &made) != 0 || has_attributes(fd)) return false;
    if ((made.st_uid != old->st_uid || made.st_gid != old->st_gid) &&
        fchown(fd, old->st_uid, old->st_gid) != 0)
        return false;
    return fchmod(fd, old->st_mode & 0777) == 0;
}

/* A signal between a file's making and the note of it would leave the file. */
static void hold_signals(bool hold)
{
    held = hold;
    if (!hold && waiting) end_by_signal(waiting);
}

/* Makes a file beside the target, by `make`, under the first name that is free, which signals and the program's end
   remove. Returns what `make` does, or -1. */
static int name_file(output *out, int (*make)(const output *out, const char *name, mode_t mode), mode_t mode)
{
    char name[64];
    unsigned turn;
    int made = -1, error = EEXIST;
    hold_signals(true);
    for (turn = 0; turn < NAMES && made < 0 && error == EEXIST; turn++) {
        (void)snprintf(name, sizeof name, ".gpsort-%ld-%u", (long)getpid(), turn);
        free(out->temporary);
        out->temporary = join(out->folder, name);
        made = make(out, out->temporary, mode);
        error = errno;
    }
    if (made >= 0) unfinished = out->temporary;
    hold_signals(false);
    errno = error;
    return made;
}

static int make_named(const output *out, const char *name, mode_t mode)
{
    (void)out;
    return open(name, O_RDWR | O_CREAT | O_EXCL, mode);
}

static int make_link(const output *out, const char *name, mode_t mode)
{
    char file[64];
    (void)mode;
    (void)snprintf(file, sizeof file, "/proc/self/fd/%d", out->w.fd);
    return linkat(AT_FDCWD, file, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* A new file in the target's folder, or -1. Nobody else may open it before it has the old one's access rights. */
static int open_new(output *out, const struct stat *old)
{
    const mode_t mode = old ? 0600 : 0666;
    int fd = -1;
    /* linkat gives it a name through /proc */
    if (access("/proc/self/fd", X_OK) == 0) fd = open_unnamed(out->folder, O_RDWR, mode);
    if (fd < 0) fd = name_file(out, make_named, mode);
    if (fd < 0 || !old || keep_access(fd, old)) return fd;
    remove_unfinished();
    unfinished = NULL;
    (void)close(fd);
    return -1;
}

static void output_forget(output *out)
{
    free(out->temporary);
    free(out->folder);
    free(out->target);
    out->temporary = out->folder = out->target = NULL;
}

/* Opens the file that is there, to be written in place of it or, where a new one cannot take its place, into it. */
static int open_old(output *out, const char *path, const struct stat *old)
{
    int fd = open(path, O_WRONLY), made = -1;
    if (fd < 0) die_errno("cannot write %s", path);
    out->target = resolve(path);
    out->folder = folder_of(out->target);
    if (is_replaceable(out, fd, old)) made = open_new(out, old);
    if (made >= 0) {
        out->old = fd;
        out->was = *old;
        return made;
    }
    output_forget(out);
    out->w.truncates = true;
    return fd;
}

/* Only a file that is not there is new: where that cannot be found out, nothing is written. */
static int open_output(output *out, const char *path)
{
    struct stat old;
    int fd;
    if (!*path) { /* no file has that name, and a new one would get none when all is sorted */
        errno = ENOENT;
        die_errno("cannot open ''");
    }
    if (stat(path, &old) == 0) {
        out->is_file = S_ISREG(old.st_mode);
        fd = out->is_file ? open_old(out, path, &old) : open(path, O_WRONLY);
    } else {
        if (errno != ENOENT) die_errno("cannot write %s", path);
        out->is_file = true;
        out->target = resolve(path);
        out->folder = folder_of(out->target);
        fd = open_new(out, NULL);
    }
    if (fd < 0) die_errno("cannot write %s", path);
    return fd;
}

void output_open(output *out, const options *o)
{
    bool truncates;
    int fd = STDOUT_FILENO;
    memset(out, 0, sizeof *out);
    out->old = -1;
    if (o->output) fd = open_output(out, o->output);
    truncates = out->w.truncates;
    writer_open(&out->w, fd, o->output ? o->output : "standard output");
    out->w.truncates = truncates;
    out->w.flushes = out->is_file;
    out->w.lines = !o->record_size && !o->zero;
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

static void output_synchronise(const output *out)
{
    if (out->is_file && synchronise(out->w.fd) != 0) die_errno("cannot write %s", out->w.name);
}

/* Whether others than the user and root can put files into the folder, and so decide what has FILE's name. */
static bool is_shared(const char *folder)
{
    struct stat is;
    if (stat(folder, &is) != 0) return true;
    return (is.st_uid != geteuid() && is.st_uid != 0) || (is.st_mode & (S_IWGRP | S_IWOTH));
}

/* Takes from the new file what the one that it replaces does not allow; that of another owner decides nothing. */
static bool narrow_access(int made, int fd, const struct stat *old)
{
    struct stat is;
    mode_t mode;
    if (fstat(made, &is) != 0) return false;
    if (is.st_uid != old->st_uid) return true;
    mode = is.st_mode & old->st_mode & 0777;
    if (is.st_gid != old->st_gid) mode &= ~(mode_t)S_IRWXG;
    if (has_attributes(fd)) mode &= S_IRWXU; /* a list may allow the group less than the mode says */
    return mode == (is.st_mode & 0777) || fchmod(made, mode) == 0;
}

/* Gives the new file what the old one has been given since. Returns whether it can still take the old one's place. */
static bool keep_changes(const output *out, const struct stat *now)
{
    if (!is_replaceable(out, out->old, now)) return false;
    return (now->st_mode == out->was.st_mode && now->st_uid == out->was.st_uid &&
            now->st_gid == out->was.st_gid) ||
           keep_access(out->w.fd, now);
}

/* Takes another file that has the target's name by now for the old one. Returns whether the new file can take its place.
   Where others could have put it there, it is never written: they may have linked a file that is not theirs to write. */
static bool keep_other(output *out, const struct stat *named)
{
    const bool shared = is_shared(out->folder), is_link = S_ISLNK(named->st_mode);
    struct stat now;
    int fd;
    if (!S_ISREG(named->st_mode) && (shared || !is_link)) return true;
    fd = open(out->target, O_WRONLY | O_NONBLOCK | (shared ? O_NOFOLLOW : 0));
    if (fd < 0 && (errno == ENOENT || (shared && errno == ELOOP)))
        return true; /* it is gone, or a link, by now */
    if (fd < 0 || fstat(fd, &now) != 0) die_errno("cannot write %s", out->w.name);
    if (out->old >= 0) (void)close(out->old);
    out->old = fd;
    out->was = now;
    if (!S_ISREG(now.st_mode)) return true;
    if (!shared) return !is_link && is_replaceable(out, fd, &now) && keep_access(out->w.fd, &now);
    if (!narrow_access(out->w.fd, fd, &now)) die_errno("cannot write %s", out->w.name);
    return true;
}

/* Whether the new file can take the place of what has the target's name by now; else out->old is what has to be written. */
static bool keep_named(output *out, const struct stat *named)
{
    struct stat now;
    if (out->old >= 0 && fstat(out->old, &now) == 0 && is_same(named, &now)) return keep_changes(out, &now);
    return keep_other(out, named);
}

/* Copies the new file into the old one, and has no new one any more. */
static void copy_to_old(output *out)
{
    char *buffer = (char *)allocate(WRITE_BYTES);
    const int made = out->w.fd;
    off_t at = 0;
    ssize_t count = 0;
    out->w.fd = out->old;
    if (ftruncate(out->w.fd, 0) != 0) die_errno("cannot write %s", out->w.name);
    while ((count = pread(made, buffer, WRITE_BYTES, at)) > 0 || (count < 0 && errno == EINTR)) {
        if (count < 0) continue;
        write_all(&out->w, buffer, (size_t)count);
        at += count;
    }
    if (count < 0) die_errno("cannot read what was written for %s", out->w.name);
    free(buffer);
    (void)close(made);
    out->old = -1;
    remove_unfinished();
    unfinished = NULL;
    output_forget(out);
}

/* Gives the new file a name that no file has: errno is EEXIST if one has it. */
static bool name_new(output *out)
{
    if (!out->temporary) return make_link(out, out->target, 0) == 0;
    if (link(out->temporary, out->target) != 0) return false;
    (void)unlink(out->temporary);
    return true;
}

/* Gives the new file the target's name, or what it holds to the file that has that name. Returns false if one has got the
   name just now, of which nothing is known. */
static bool output_name(output *out)
{
    struct stat named;
    const bool is_there = lstat(out->target, &named) == 0, is_free = !is_there && errno == ENOENT;
    bool has_name;
    if (is_there && !keep_named(out, &named)) {
        copy_to_old(out);
        output_synchronise(out);
        if (close(out->w.fd) != 0) die_errno("cannot write %s", out->w.name);
        return true;
    }
    output_synchronise(out); /* also its mode */
    has_name = is_free && name_new(out);
    if (is_free && !has_name && errno == EEXIST) return false;
    if (!has_name && !out->temporary && name_file(out, make_link, 0) < 0)
        die_errno("cannot write %s", out->w.name);
    if (close(out->w.fd) != 0) die_errno("cannot write %s", out->w.name);
    if (!has_name && rename(out->temporary, out->target) != 0) die_errno("cannot write %s", out->w.name);
    unfinished = NULL;
    if (out->old >= 0) (void)close(out->old);
    synchronise_folder(out->folder);
    output_forget(out);
    return true;
}

/* What takes long comes first: what FILE is in the end is looked at just before. */
void output_close(output *out)
{
    unsigned turn = 0;
    writer_close(&out->w);
    output_synchronise(out);
    if (!out->target && close(out->w.fd) != 0) die_errno("cannot write %s", out->w.name);
    while (out->target && !output_name(out))
        if (++turn == NAMES) die("cannot write %s: its name is taken again and again", out->w.name);
}
