/* gpsort.h - sorts files that are larger than memory. What the parts of the program share.

       files --input--> batches --device--> runs, in a temporary file --merge--> longer runs, or the output

   A record is a line, or so many bytes (--record-size). Lines are translated where they are read, and back where they
   are written, so that their end is the lowest byte and occurs nowhere else:

       '\n' -> 0        0 ... 9 -> 1 ... 10        all others stay        (with -z: nothing is translated)

   Then the order of lines is that of C strings, also where one begins with the other. */
#ifndef GPSORT_H
#define GPSORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "gpuprim.h"

#ifdef __GNUC__
#define GPSORT_PRINTF __attribute__((format(printf, 1, 2)))
#define GPSORT_NORETURN __attribute__((noreturn))
#define GPSORT_PREFETCH(at) __builtin_prefetch(at)
#else
#define GPSORT_PRINTF
#define GPSORT_NORETURN
#define GPSORT_PREFETCH(at) (void)(at)
#endif

enum { SORTED = 0, DISORDER = 1, TROUBLE = 2 }; /* exit statuses, as sort(1)'s */

enum {
    PIECE_BYTES = 256 << 10, /* read at once where lines are translated: in the caches still */
    WRITE_BYTES = 1 << 20,   /* written at once */
    MERGE_BYTES = 256 << 10, /* read at once of each run, at least */
    MERGE_LEAST = 4 << 10,   /* the same, with little memory */
    MEMORY_LEAST = 1 << 20   /* for all that is less */
};

/* ------------------------------------------------------------------ options.c */

typedef struct column {
    size_t offset, size;
    gp_type type;
    bool is_signed, is_float, descending; /* --reverse included */
} column;

typedef struct options {
    char **files;
    size_t file_count;
    const char *output; /* NULL: standard output */
    const char *temporary, *device;
    size_t memory;      /* bytes; 0: a quarter of the machine's */
    size_t record_size; /* 0: lines */
    column columns[GP_SORT_COLUMNS_MAX];
    size_t column_count;
    bool reverse, unique, zero, check, quiet, verbose;
} options;

void options_read(options *o, int argc, char **argv);

/* ------------------------------------------------------------------ report.c: what is said on standard error */

/* One line; die: and the end of the program; die_errno: with errno's text at the end of the line. */
GPSORT_NORETURN void die(const char *format, ...) GPSORT_PRINTF;
GPSORT_NORETURN void die_errno(const char *format, ...) GPSORT_PRINTF;
void say(const char *format, ...) GPSORT_PRINTF;

/* A bar on a terminal, else nothing. Work is bytes read and bytes written; 0 are left: unknown. */
void progress_left(uint64_t bytes);
void progress_add(uint64_t bytes);
void progress_clear(void);
void progress_interrupted(void); /* in a signal's handler */

/* ------------------------------------------------------------------ memory.c */

void *allocate(size_t bytes); /* or the end */
size_t memory_of_machine(void);
size_t memory_in_use(void); /* resident, now */
size_t memory_peak(void);

/* Bytes that buffers may have, beside what the program and the OpenCL implementation have taken. */
size_t memory_left(const options *o);

/* ------------------------------------------------------------------ record.c */

typedef struct record {
    uint64_t key; /* decides first: lower ones come first */
    const char *at;
    size_t length; /* bytes, with the end of a line */
} record;

/* Bytes of the record that begins there, or 0 if it does not end before `end`. */
size_t record_length(const options *o, const char *at, const char *end);
uint64_t record_key(const options *o, const char *at, size_t length);

/* Of two records with the same key: below, at or above 0 as a comes before, with or after b. */
int record_compare_rest(const options *o, const record *a, const record *b);
int record_compare(const options *o, const record *a, const record *b);

size_t count_zeros(const char *at, size_t count);
void translate(char *at, size_t count);
void translate_back(char *at, size_t count);

/* Records one after the other, through a buffer. */
typedef struct stream {
    const options *o;
    size_t (*read)(void *user, char *to, size_t room); /* 0: the end */
    void *user;
    char *buffer;
    size_t capacity, most; /* the buffer grows to `most` for a record that is longer */
    const char *at, *end;
} stream;

void stream_open(stream *s, const options *o, size_t (*read)(void *, char *, size_t), void *user,
                 size_t capacity);
void stream_close(stream *s);

/* The next record; false at the end. It stays where it is until the next call. */
bool stream_next(stream *s, record *r);

/* A record that is kept when its buffer is filled anew. */
typedef struct kept {
    record r;
    char *bytes; /* NULL: none yet */
    size_t room;
} kept;

void keep(kept *k, const record *r);

/* ------------------------------------------------------------------ input.c, output.c */

typedef struct input {
    const options *o;
    size_t opened; /* files, so far */
    int fd;        /* -1: none is open */
    const char *name;
    uint64_t bytes; /* read from it */
    char last;
} input;

void input_check(const options *o);    /* are the files there? */
uint64_t input_size(const options *o); /* 0: unknown */
void input_open(input *in, const options *o);

/* Lines are translated, and all of them have an end. 0: there is no more. */
size_t input_read(input *in, char *to, size_t room);

typedef struct writer {
    int fd;
    const char *name;
    char *buffer; /* of WRITE_BYTES */
    size_t used;
    uint64_t written; /* bytes, with those in the buffer */
    bool lines;       /* translates back */
    bool
        truncates; /* empties the file before the first byte: by then the input, which it may be, has been read */
    bool flushes; /* asks the system to write early what is synchronised in the end */
} writer;

void writer_open(writer *w, int fd, const char *name);
void writer_put(writer *w, const char *from, size_t count);
void writer_close(writer *w); /* the buffer; the file stays open */

typedef struct output {
    writer w;
    bool is_file;
    char *target, *folder; /* target NULL: what is open is written to, and not replaced */
    char *temporary;       /* the new file's name; NULL: it has none yet */
    int old;               /* the file whose place the new one takes; -1: none */
    struct stat was;       /* that file when it was opened */
} output;

/* The output is a new file, which takes the target's name in the end; or what is there, if none can take its place. If what
   is there has changed by the end, so that none can, the new file is copied into it. */
void output_open(output *out, const options *o);
void output_close(output *out);

/* Where standard input, output or error is closed, no other file takes its number. */
void standard_open(void);

/* A file without a name. */
int temporary_open(const char *folder);
void catch_signals(void);

/* ------------------------------------------------------------------ device.c */

enum {
    MAP_BYTES = 96,
    RECORDS_LEAST = 64 /* short records that there is always room for */
};

typedef struct device {
    const options *o;
    gp_context *gp;
    cl_mem arena;
    char *memory; /* the arena, or what is copied to and from it */
    size_t size;  /* bytes */
    bool unified; /* the arena is mapped, not copied */
    /* of records: how gp_sort_records finds their keys */
    gp_sort_column columns[GP_SORT_COLUMNS_MAX];
    char maps[GP_SORT_COLUMNS_MAX][MAP_BYTES];
    gp_arg args[2 + GP_SORT_COLUMNS_MAX];
    uint64_t record_size, offsets[GP_SORT_COLUMNS_MAX];
} device;

/* Where in the arena is what:   | bytes of records | offsets of lines | order | scratch |   */
typedef struct layout {
    size_t bytes, count;
    size_t offsets_at, order_at, scratch_at, scratch_bytes, end;
} layout;

void device_open(device *d, const options *o);
void device_allocate(device *d, size_t bytes); /* or less, where the device has no such buffer */
layout device_layout(device *d, size_t bytes, size_t count);

/* Sorts the records in `memory`, whose offsets are there, too. The order is there then. */
void device_sort(device *d, const layout *l);
void device_close(device *d);

/* ------------------------------------------------------------------ runs.c, merge.c, check.c */

typedef struct run {
    uint64_t begin, size; /* in the temporary file */
    size_t longest;       /* record */
} run;

typedef struct runs {
    run *all;
    size_t count, room;
    int fd; /* -1: none */
} runs;

void runs_add(runs *r, run one);

/* Sorts the input in runs; if there would be one only, into the output. */
void runs_make(runs *r, const options *o, output *out);
void runs_merge(runs *r, const options *o, output *out);

/* The longest record of a run that is to be merged. */
size_t longest_record(size_t memory);

int check_order(const options *o);

#endif
