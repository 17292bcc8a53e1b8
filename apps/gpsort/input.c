/* input.c - the files to sort, one after the other. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "gpsort.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *name) { return strcmp(name, "-") == 0; }

static const char *name_of(const char *name)
{
    if (is_standard(name)) return "standard input";
    return *name ? name : "''";
}

void input_check(const options *o)
{
    size_t i;
    for (i = 0; i < o->file_count; i++) {
        if (!is_standard(o->files[i]) && access(o->files[i], R_OK) != 0)
            die_errno("cannot read %s", name_of(o->files[i]));
    }
}

uint64_t input_size(const options *o)
{
    uint64_t size = 0;
    struct stat status;
    size_t i;
    for (i = 0; i < o->file_count; i++) {
        const bool known =
            is_standard(o->files[i]) ? fstat(STDIN_FILENO, &status) == 0 : stat(o->files[i], &status) == 0;
        if (!known || !S_ISREG(status.st_mode)) return 0;
        size += (uint64_t)status.st_size + !o->record_size; /* with a line's end that may be missing */
    }
    return size;
}

void input_open(input *in, const options *o)
{
    memset(in, 0, sizeof *in);
    in->o = o;
    in->fd = -1;
}

/* The next file; false after the last one. */
static bool input_next(input *in)
{
    const char *file;
    if (in->opened == in->o->file_count) return false;
    file = in->o->files[in->opened++];
    in->name = name_of(file);
    in->bytes = 0;
    in->fd = is_standard(file) ? STDIN_FILENO : open(file, O_RDONLY);
    if (in->fd < 0) die_errno("cannot read %s", in->name);
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    return true;
}

/* At the end of a file: what its last line lacks, if anything. */
static size_t input_end(input *in, char *to)
{
    const options *o = in->o;
    const bool lacks = !o->record_size && in->bytes && in->last != (o->zero ? 0 : '\n');
    if (o->record_size && in->bytes % o->record_size)
        die("%s ends within a record: %llu bytes are no multiple of %zu", in->name,
            (unsigned long long)in->bytes, o->record_size);
    if (in->fd != STDIN_FILENO) (void)close(in->fd);
    in->fd = -1;
    if (lacks) *to = 0;
    return lacks;
}

/* A piece of a file; 0 at its end. */
static size_t input_piece(input *in, char *to, size_t room)
{
    ssize_t count;
    do count = read(in->fd, to, room);
    while (count < 0 && errno == EINTR);
    if (count < 0) die_errno("cannot read %s", in->name);
    if (count == 0) return 0;
    in->bytes += (uint64_t)count;
    in->last = to[count - 1];
    if (!in->o->record_size && !in->o->zero) translate(to, (size_t)count);
    return (size_t)count;
}

size_t input_read(input *in, char *to, size_t room)
{
    for (;;) {
        size_t count;
        if (in->fd < 0 && !input_next(in)) return 0;
        count = input_piece(in, to, room);
        if (!count) count = input_end(in, to);
        if (count) return count;
    }
}
