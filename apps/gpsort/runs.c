/* runs.c - the input in batches, each as much as fits into memory, sorted and written as a run. */
#include "gpsort.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 16 };

/* Records in the device's memory, and the beginning of the next one. */
typedef struct batch {
    const options *o;
    input in;
    device d;
    size_t used;              /* bytes */
    size_t count;             /* records that end there */
    size_t piece;             /* bytes that are read at once */
    size_t fixed, per_record; /* bytes that sorting takes besides, about */
    bool ended;
} batch;

void runs_add(runs *r, run one)
{
    if (r->count == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        r->all = (run *)realloc(r->all, r->room * sizeof *r->all);
        if (!r->all) die("out of memory: %zu runs", r->count);
    }
    r->all[r->count++] = one;
}

size_t longest_record(size_t memory) { return memory / 4; }

/* ------------------------------------------------------------------ reading */

static size_t batch_record_bytes(const batch *b) { return b->o->record_size ? b->o->record_size : 1; }

/* As much memory as is left, or as the files need at most. */
static void batch_open(batch *b, const options *o, uint64_t input_bytes)
{
    size_t bytes, probe, least;
    memset(b, 0, sizeof *b);
    b->o = o;
    input_open(&b->in, o);
    device_open(&b->d, o);
    bytes = memory_left(o);
    if (input_bytes && input_bytes < bytes && input_bytes < UINT32_MAX / 2 &&
        input_bytes / batch_record_bytes(b) <
            SIZE_MAX / 1024) { /* more need all memory, and more than 32 bits */
        const size_t most = (size_t)input_bytes + PIECE_BYTES;
        const size_t enough = device_layout(&b->d, most, most / batch_record_bytes(b)).end;
        if (enough < bytes / 2) bytes = 2 * enough; /* batch_has_room() estimates */
    }
    device_allocate(&b->d, bytes);
    if (o->verbose) say("%s, %zu MiB for sorting", gp_context_info(b->d.gp)->name, b->d.size >> 20);
    b->piece = b->d.size / 32 < PIECE_BYTES ? b->d.size / 32 : PIECE_BYTES;
    probe = b->d.size / 256 + 1;
    b->fixed = device_layout(&b->d, 0, probe).end;
    b->per_record = (device_layout(&b->d, 0, 2 * probe).end - b->fixed) / probe + 1;
    b->fixed -= b->fixed < probe * b->per_record ? b->fixed : probe * b->per_record;
    least = device_layout(&b->d, 1, RECORDS_LEAST).end; /* parts are rounded up: few records take more */
    if (b->fixed < least) b->fixed = least;
}

/* For another piece, with as many records as those before had. */
static bool batch_has_room(const batch *b)
{
    const uint64_t expected = b->used ? (uint64_t)b->count * b->piece / b->used + 1 : 1;
    return b->used + b->piece + b->fixed + (b->count + expected) * b->per_record <= b->d.size;
}

static void batch_fill(batch *b)
{
    while (!b->ended && batch_has_room(b)) {
        char *to = b->d.memory + b->used;
        const size_t count = input_read(&b->in, to, b->piece);
        b->ended = count == 0;
        b->used += count;
        if (b->o->record_size) b->count = b->used / b->o->record_size;
        else b->count += count_zeros(to, count);
        progress_add(count);
    }
}

/* Where what is; of fewer records than there are if they are shorter than expected. */
static layout batch_layout(batch *b)
{
    layout l = device_layout(&b->d, b->used, b->count);
    while (l.end > b->d.size && b->count) {
        b->count -= b->count / 16 + 1;
        l = device_layout(&b->d, b->used, b->count);
    }
    if (!b->count) die("a record of %s is too long for the memory there is: a larger -S may do", b->in.name);
    return l;
}

/* Writes where lines begin and the last one ends. Returns the longest one's bytes. */
static size_t batch_offsets(const batch *b, const layout *l)
{
    uint32_t *offsets = (uint32_t *)(void *)(b->d.memory + l->offsets_at);
    size_t longest = 0, at = 0, i;
    for (i = 0; i < l->count; i++) {
        const size_t length = record_length(b->o, b->d.memory + at, b->d.memory + b->used);
        offsets[i] = (uint32_t)at;
        if (length > longest) longest = length;
        at += length;
    }
    offsets[l->count] = (uint32_t)at;
    return longest;
}

/* ------------------------------------------------------------------ writing */

static size_t batch_begin(const batch *b, const uint32_t *offsets, size_t index)
{
    return b->o->record_size ? index * b->o->record_size : offsets[index];
}

/* In order; with --unique only the first of equal ones. */
static void batch_write(const batch *b, const layout *l, writer *w)
{
    const uint32_t *offsets = (const uint32_t *)(const void *)(b->d.memory + l->offsets_at);
    const uint32_t *order = (const uint32_t *)(const void *)(b->d.memory + l->order_at);
    const size_t size = b->o->record_size;
    record last = {0, NULL, 0};
    size_t i;
    for (i = 0; i < l->count; i++) {
        const size_t begin = batch_begin(b, offsets, order[i]);
        record r = {0, NULL, 0};
        if (i + 2 * AHEAD < l->count && !size) GPSORT_PREFETCH(&offsets[order[i + 2 * AHEAD]]);
        if (i + AHEAD < l->count) GPSORT_PREFETCH(b->d.memory + batch_begin(b, offsets, order[i + AHEAD]));
        r.at = b->d.memory + begin;
        r.length = size ? size : offsets[order[i] + 1] - begin;
        if (b->o->unique) {
            r.key = record_key(b->o, r.at, r.length);
            if (last.at && record_compare(b->o, &last, &r) == 0) continue;
            last = r;
        }
        writer_put(w, r.at, r.length);
    }
}

/* Where the last one of the batch ends. */
static size_t batch_end(const batch *b, const layout *l)
{
    return batch_begin(b, (const uint32_t *)(const void *)(b->d.memory + l->offsets_at), l->count);
}

/* What is left is the next batch's. */
static void batch_next(batch *b, const layout *l)
{
    const size_t done = batch_end(b, l);
    memmove(b->d.memory, b->d.memory + done, b->used - done);
    b->used -= done;
    b->count = b->o->record_size ? b->used / b->o->record_size : count_zeros(b->d.memory, b->used);
}

/* ------------------------------------------------------------------ runs */

static void runs_write(runs *r, batch *b, const layout *l, writer *w, size_t longest)
{
    run one;
    const size_t most = longest_record(b->o->memory / 2);
    if (longest > most)
        die("a line is longer than %zu bytes, the most for this -S where it does not hold all", most);
    if (r->fd < 0) {
        r->fd = temporary_open(b->o->temporary);
        writer_open(w, r->fd, b->o->temporary);
    }
    one.begin = w->written;
    one.longest = longest;
    batch_write(b, l, w);
    one.size = w->written - one.begin;
    runs_add(r, one);
}

void runs_make(runs *r, const options *o, output *out)
{
    const uint64_t bytes = input_size(o);
    batch b;
    writer w;
    memset(r, 0, sizeof *r);
    r->fd = -1;
    batch_open(&b, o, bytes);
    progress_left(2 * bytes);
    for (;;) {
        layout l;
        size_t longest;
        batch_fill(&b);
        if (!b.count && b.ended) break;
        l = batch_layout(&b);
        longest = o->record_size ? o->record_size : batch_offsets(&b, &l);
        device_sort(&b.d, &l);
        if (b.ended && batch_end(&b, &l) == b.used && !r->count) batch_write(&b, &l, &out->w);
        else runs_write(r, &b, &l, &w, longest);
        if (r->count == 1 && bytes > b.used)
            progress_left(3 * bytes - b.used - r->all[0].size); /* and merged */
        if (o->verbose) say("%zu records sorted, %zu MiB", l.count, b.used >> 20);
        batch_next(&b, &l);
    }
    if (r->fd >= 0) writer_close(&w);
    device_close(&b.d);
}
