/* merge.c - sorted runs become one, by a tree of losers:

       tree[i] is the record that has lost at node i, of those that have won below; tree[0] has won everywhere

             0
             1
         2       3
       4   5   6   7      with 4 runs these are the runs 0 ... 3

   When the winner is written, the next record of its run goes up the same way. Records that are equal come in the order
   of their runs. */
#define _GNU_SOURCE /* fallocate */
#define _FILE_OFFSET_BITS 64
#include "gpsort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is still to be read of a run. */
typedef struct source {
    const options *o;
    int fd;
    uint64_t at, end;
} source;

typedef struct node {
    uint64_t key;
    size_t run; /* NONE: nobody has come yet */
} node;

#define NONE SIZE_MAX

enum { READ_MOST = 1 << 30 }; /* bytes: macOS refuses 2^31 and more */

typedef struct merge {
    const options *o;
    size_t count; /* of runs */
    source *sources;
    stream *streams;
    record *heads; /* `at` is NULL at a run's end */
    node *tree;
} merge;

/* ------------------------------------------------------------------ reading */

static size_t source_read(void *user, char *to, size_t room)
{
    source *s = (source *)user;
    size_t wanted;
    ssize_t count;
    if (room > READ_MOST) room = READ_MOST;
    wanted = s->end - s->at < room ? (size_t)(s->end - s->at) : room;
    if (!wanted) return 0;
    do count = pread(s->fd, to, wanted, (off_t)s->at);
    while (count < 0 && errno == EINTR);
    if (count < 0) die_errno("cannot read a temporary file in %s", s->o->temporary);
    if (count == 0) die("a temporary file in %s has become shorter", s->o->temporary);
#ifdef FALLOC_FL_PUNCH_HOLE
    /* the space is the output's now */
    (void)fallocate(s->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)s->at, (off_t)count);
#endif
    s->at += (uint64_t)count;
#ifdef POSIX_FADV_WILLNEED
    if (s->at < s->end) /* 0 bytes would be all to the end of the file */
        (void)posix_fadvise(s->fd, (off_t)s->at, (off_t)(s->end - s->at < room ? s->end - s->at : room),
                            POSIX_FADV_WILLNEED);
#endif
    return (size_t)count;
}

/* ------------------------------------------------------------------ tree */

/* Whether a comes before b where their keys are equal. */
static bool merge_before(const merge *m, const node *a, const node *b)
{
    const record *x = &m->heads[a->run], *y = &m->heads[b->run];
    int order;
    if (!x->at || !y->at) return x->at != NULL;
    order = record_compare_rest(m->o, x, y);
    return order ? order < 0 : a->run < b->run;
}

static void merge_play(merge *m, size_t which)
{
    node winner, *n;
    size_t i;
    winner.key = m->heads[which].key;
    winner.run = which;
    for (i = (which + m->count) / 2; i > 0; i /= 2) {
        n = &m->tree[i];
        if (n->run == NONE) break;
        if (n->key < winner.key || (n->key == winner.key && merge_before(m, n, &winner))) {
            const node loser = winner;
            winner = *n;
            *n = loser;
        }
    }
    m->tree[i] = winner;
}

static void merge_advance(merge *m, size_t which)
{
    record *head = &m->heads[which];
    if (!stream_next(&m->streams[which], head)) {
        head->at = NULL;
        head->key = UINT64_MAX;
    }
}

/* ------------------------------------------------------------------ life */

/* Bytes of a run's buffer, at least. */
static size_t run_needs(const run *r, size_t memory)
{
    size_t least = memory / 16 < MERGE_BYTES ? memory / 16 : MERGE_BYTES;
    if (least < MERGE_LEAST) least = MERGE_LEAST;
    return r->longest > least ? r->longest : least;
}

/* How many of the runs from `all` on have room for their buffers; `spare`: what is left then for each. */
static size_t runs_that_fit(const run *all, size_t count, size_t memory, size_t *spare)
{
    size_t used = 0, k;
    for (k = 0; k < count; k++) {
        const size_t needs = run_needs(&all[k], memory);
        if (k > 1 && used + needs > memory) break;
        used += needs;
    }
    *spare = k && used < memory ? (memory - used) / k : 0;
    return k;
}

static void merge_open(merge *m, const options *o, const runs *r, size_t first, size_t count, size_t memory,
                       size_t spare)
{
    size_t k;
    m->o = o;
    m->count = count;
    m->sources = (source *)allocate(count * sizeof *m->sources);
    m->streams = (stream *)allocate(count * sizeof *m->streams);
    m->heads = (record *)allocate(count * sizeof *m->heads);
    m->tree = (node *)allocate(count * sizeof *m->tree);
    for (k = 0; k < count; k++) {
        const run *one = &r->all[first + k];
        const source s = {o, r->fd, one->begin, one->begin + one->size};
        const size_t room = run_needs(one, memory) + spare;
        m->sources[k] = s;
        m->tree[k].run = NONE;
        stream_open(&m->streams[k], o, source_read, &m->sources[k],
                    one->size < room ? (size_t)one->size : room);
    }
    for (k = 0; k < count; k++) {
        merge_advance(m, k);
        merge_play(m, k);
    }
}

static void merge_close(merge *m)
{
    size_t k;
    for (k = 0; k < m->count; k++) stream_close(&m->streams[k]);
    free(m->sources);
    free(m->streams);
    free(m->heads);
    free(m->tree);
}

/* ------------------------------------------------------------------ merging */

static void merge_write(merge *m, writer *w)
{
    kept last = {{0, NULL, 0}, NULL, 0};
    while (m->heads[m->tree[0].run].at) {
        const size_t which = m->tree[0].run;
        const record *r = &m->heads[which];
        if (!m->o->unique) {
            writer_put(w, r->at, r->length);
        } else if (!last.bytes || record_compare(m->o, &last.r, r) != 0) {
            writer_put(w, r->at, r->length);
            keep(&last, r);
        }
        merge_advance(m, which);
        merge_play(m, which);
    }
    free(last.bytes);
}

static uint64_t runs_bytes(const runs *r)
{
    uint64_t bytes = 0;
    size_t k;
    for (k = 0; k < r->count; k++) bytes += r->all[k].size;
    return bytes;
}

/* Runs that are merged at once become one, in another file. */
static void merge_pass(runs *r, const options *o, size_t memory)
{
    runs next;
    writer w;
    size_t first, count, spare, k;
    memset(&next, 0, sizeof next);
    next.fd = temporary_open(o->temporary);
    writer_open(&w, next.fd, o->temporary);
    for (first = 0; first < r->count; first += count) {
        merge m;
        run one = {w.written, 0, 0};
        count = runs_that_fit(r->all + first, r->count - first, memory, &spare);
        for (k = 0; k < count; k++)
            if (r->all[first + k].longest > one.longest) one.longest = r->all[first + k].longest;
        merge_open(&m, o, r, first, count, memory, spare);
        merge_write(&m, &w);
        merge_close(&m);
        one.size = w.written - one.begin;
        runs_add(&next, one);
    }
    writer_close(&w);
    (void)close(r->fd);
    free(r->all);
    *r = next;
}

void runs_merge(runs *r, const options *o, output *out)
{
    const size_t memory = memory_left(o);
    size_t spare, fit;
    merge m;
    while (r->count) {
        fit = runs_that_fit(r->all, r->count, memory, &spare);
        if (o->verbose) say("%zu runs, of which %zu are merged at once", r->count, fit);
        if (fit == r->count) break;
        progress_left(2 * runs_bytes(r));
        merge_pass(r, o, memory);
    }
    if (!r->count) return;
    progress_left(runs_bytes(r));
    merge_open(&m, o, r, 0, r->count, memory, spare);
    merge_write(&m, &out->w);
    merge_close(&m);
    (void)close(r->fd);
    free(r->all);
    r->count = 0;
}
