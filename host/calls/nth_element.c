/* nth_element.c - gp_host_nth_element: counts the keys between edges, and copies back the keys that are close to a
   rank.

   Keys are compared by their orders, numbers of up to 64 bits. Edges divide all orders into bins, of which the last one has no end:

       edges     0 .... lo, lo+1 .... v, v+1 .... hi, hi+1 ....      around each rank: lo, v and hi are keys of a sample
       bins        not    one  wanted  one  wanted  one   not

   The counts show in which bin a rank is. A bin of a single order needs no keys. The keys of wanted bins are kept in
   host memory and then sorted. If a rank is in another bin, or too many keys would be kept, the edges of the next pass
   divide that bin evenly. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"

#include <stdio.h>
#include <string.h>

enum {
    GPI_HOST_RANKS = 64,
    GPI_HOST_EDGES_MAX = 512, /* six edges for each rank, and edge 0 */
    GPI_HOST_SAMPLE = 65536,
    GPI_HOST_BINS_AT = 8, /* numbers before the bins: the count of each slot's selection */
    GPI_HOST_COUNTS =
        0, /* indices in owns: the counts and bins; the edges, and marks of the bins that are wanted */
    GPI_HOST_CUTS = 1
};

/* A rank to be found. */
typedef struct gpi_host_rank {
    uint64_t rank, low, high; /* the order of the rank's key is in [low, high], unless the sample misleads */
    size_t bin;
    bool found; /* the order of the rank's key is `low` */
} gpi_host_rank;

typedef struct gpi_host_nth {
    const gp_host_nth_element_desc *desc;
    size_t size, edges; /* bytes of a key; number of edges */
    char source[640];   /* source of functions for expressions */
    gp_record record;   /* a key as an unsigned number */
    gpi_host_rank ranks[GPI_HOST_RANKS];
    uint64_t cuts[2 * GPI_HOST_EDGES_MAX]; /* the edges, then whether each bin is wanted */
    uint64_t bins[GPI_HOST_EDGES_MAX],
        more[GPI_HOST_EDGES_MAX]; /* numbers of keys in each bin: of all contexts; of one further context */
    char *kept;
    size_t room, keeps; /* room for keys; number of keys kept, or room + 1 if there are too many */
} gpi_host_nth;

/* ------------------------------------------------------------------ orders */

static uint64_t gpi_host_sign(size_t size) { return (uint64_t)1 << (8 * size - 1); }

static bool gpi_host_is_signed(gp_type type)
{
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
}

static uint64_t gpi_host_load(const void *keys, size_t i, size_t size)
{
    uint8_t x8;
    uint16_t x16;
    uint32_t x32;
    uint64_t x = 0;
    const char *from = (const char *)keys + i * size;
    if (size == 1) memcpy(&x8, from, 1), x = x8;
    if (size == 2) memcpy(&x16, from, 2), x = x16;
    if (size == 4) memcpy(&x32, from, 4), x = x32;
    if (size == 8) memcpy(&x, from, 8);
    return x;
}

static void gpi_host_save(void *keys, size_t i, size_t size, uint64_t x)
{
    const uint8_t x8 = (uint8_t)x;
    const uint16_t x16 = (uint16_t)x;
    const uint32_t x32 = (uint32_t)x;
    const void *from = size == 1   ? (const void *)&x8
                       : size == 2 ? (const void *)&x16
                       : size == 4 ? (const void *)&x32
                                   : &x;
    memcpy((char *)keys + i * size, from, size);
}

/* Returns a key's order: an unsigned number, which compares as gp_sort compares the keys. */
static uint64_t gpi_host_order(const gpi_host_nth *n, uint64_t key)
{
    const uint64_t sign = gpi_host_sign(n->size);
    if (gpi_host_is_float(n->desc->key_type)) return key & sign ? ~key & (sign - 1 + sign) : key | sign;
    return gpi_host_is_signed(n->desc->key_type) ? key ^ sign : key;
}

static uint64_t gpi_host_key_of(const gpi_host_nth *n, uint64_t order)
{
    const uint64_t sign = gpi_host_sign(n->size);
    if (gpi_host_is_float(n->desc->key_type)) return order & sign ? order ^ sign : ~order & (sign - 1 + sign);
    return gpi_host_is_signed(n->desc->key_type) ? order ^ sign : order;
}

/* Writes the functions that expressions call: a key's order, and whether it is in a wanted bin. */
static void gpi_host_nth_source(gpi_host_nth *n)
{
    static const char *const types[] = {"uchar", "ushort", "uint", "ulong"};
    const char *type = types[n->size == 8 ? 3 : n->size / 2], *form = "x";
    char sign[32];
    (void)snprintf(sign, sizeof sign, "((%s)1 << %u)", type, (unsigned)(8 * n->size - 1));
    if (gpi_host_is_float(n->desc->key_type)) form = "(x & SIGN ? ~x : x | SIGN)";
    else if (gpi_host_is_signed(n->desc->key_type)) form = "(x ^ SIGN)";
    (void)snprintf(n->source, sizeof n->source,
                   "static ulong chunk_order(%s x)\n{\n    const %s SIGN = %s;\n    return (%s)%s;\n}\n"
                   "static bool chunk_wanted(ulong order, __global const ulong *cuts)\n{\n    uint b = 0;\n"
                   "    for (uint step = %d; step; step /= 2)\n"
                   "        if (cuts[b + step] <= order) b += step;\n    return cuts[%d + b] != 0;\n}\n",
                   type, type, sign, type, form, GPI_HOST_EDGES_MAX / 2, GPI_HOST_EDGES_MAX);
    n->record.cl_type = type;
    n->record.size = n->size;
    n->record.source = n->source;
}

/* ------------------------------------------------------------------ edges */

static int gpi_host_compare_orders(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Adds an edge at which a bin begins. */
static void gpi_host_nth_edge(gpi_host_nth *n, uint64_t order) { n->cuts[n->edges++] = order; }

/* Sorts the edges, removes repeated ones, and fills the rest of the array with the last edge. */
static void gpi_host_nth_edges(gpi_host_nth *n)
{
    size_t i, used = 1;
    qsort(n->cuts, n->edges, sizeof *n->cuts, gpi_host_compare_orders);
    for (i = 1; i < n->edges; i++) {
        if (n->cuts[i] != n->cuts[used - 1]) n->cuts[used++] = n->cuts[i];
    }
    for (i = used; i < GPI_HOST_EDGES_MAX; i++) n->cuts[i] = n->cuts[used - 1];
    memset(n->cuts + GPI_HOST_EDGES_MAX, 0, sizeof n->cuts / 2);
    n->edges = used;
}

static bool gpi_host_nth_is_one(const gpi_host_nth *n, size_t bin)
{
    return bin + 1 < n->edges && n->cuts[bin + 1] == n->cuts[bin] + 1;
}

/* Marks the bins from order `low` to order `high` as wanted, except bins of a single order. Both orders are edges or
   the end. */
static void gpi_host_nth_want(gpi_host_nth *n, uint64_t low, uint64_t high)
{
    size_t b;
    for (b = 0; b < n->edges; b++) {
        if (n->cuts[b] >= low && n->cuts[b] <= high && !gpi_host_nth_is_one(n, b))
            n->cuts[GPI_HOST_EDGES_MAX + b] = 1;
    }
}

/* Reads a sample, a key from each of `count` equal parts, and sorts it. */
static gp_result gpi_host_nth_sample(gp_context *gp, gpi_host_nth *n, size_t count, char *sample)
{
    const size_t part = n->desc->count / count;
    gp_host_sort_desc sort;
    uint32_t random = 1;
    size_t i;
    for (i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        memcpy(sample + i * n->size,
               (const char *)n->desc->keys + (i * part + (size_t)(((uint64_t)random * part) >> 32)) * n->size,
               n->size);
    }
    memset(&sort, 0, sizeof sort);
    sort.keys = sort.keys_out = sample;
    sort.count = count;
    sort.key_type = n->desc->key_type;
    sort.budget = n->desc->budget;
    return gp_host_sort(gp, &sort);
}

/* Sets the first edges: lo, v and hi of each rank. The rank is between lo and hi unless the sample misleads: in the
   sample, the distance of both from the rank's position is four standard deviations of that position, plus two. */
static void gpi_host_nth_first(gpi_host_nth *n, size_t count, const char *sample)
{
    size_t r, i;
    n->edges = 0;
    gpi_host_nth_edge(n, 0);
    for (r = 0; r < n->desc->rank_count; r++) {
        gpi_host_rank *rank = &n->ranks[r];
        const double share = (double)rank->rank / (double)n->desc->count, p = share * (double)count;
        const double variance = p * (1 - share) * 16;
        size_t at[3], away = 2;
        while ((double)(away - 2) * (double)(away - 2) < variance) away += away / 8 + 1;
        at[1] = (size_t)p < count ? (size_t)p : count - 1;
        at[0] = at[1] > away ? at[1] - away : 0;
        at[2] = count - at[1] > away ? at[1] + away : count - 1;
        for (i = 0; i < 3; i++) {
            const uint64_t order = gpi_host_order(n, gpi_host_load(sample, at[i], n->size));
            gpi_host_nth_edge(n, order);
            if (order < UINT64_MAX) gpi_host_nth_edge(n, order + 1);
            if (i == 0) rank->low = at[1] > away ? order : 0;
            if (i == 2) rank->high = count - at[1] > away ? order : UINT64_MAX;
        }
    }
    gpi_host_nth_edges(n);
    for (r = 0; r < n->desc->rank_count; r++) gpi_host_nth_want(n, n->ranks[r].low, n->ranks[r].high);
}

/* Sets the edges of a later pass: divides each rank's bin evenly, and marks the new bins as wanted if there is room for
   all of their keys. */
static void gpi_host_nth_next(gpi_host_nth *n, bool keep)
{
    const size_t parts = (GPI_HOST_EDGES_MAX - 2) / n->desc->rank_count - 1;
    size_t r, i;
    n->edges = 0;
    gpi_host_nth_edge(n, 0);
    for (r = 0; r < n->desc->rank_count; r++) {
        const gpi_host_rank *rank = &n->ranks[r];
        const uint64_t width = rank->high - rank->low, step = width / parts + 1;
        if (rank->found) continue;
        for (i = 0; i < parts && (i == 0 || i * step / step == i) && i * step <= width; i++)
            gpi_host_nth_edge(n, rank->low + i * step);
        if (rank->high < UINT64_MAX) gpi_host_nth_edge(n, rank->high + 1);
    }
    gpi_host_nth_edges(n);
    for (r = 0; r < n->desc->rank_count && keep; r++) {
        if (!n->ranks[r].found) gpi_host_nth_want(n, n->ranks[r].low, n->ranks[r].high);
    }
}

/* ------------------------------------------------------------------ chunks */

static gp_histogram_desc gpi_host_nth_histogram(const gpi_host_chunks *c, const gpi_host_nth *n, size_t count)
{
    gp_histogram_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.record = &n->record;
    desc.map = "chunk_order(x)";
    desc.map_type = GP_U64;
    desc.count = count;
    desc.bins = GPI_HOST_EDGES_MAX - 1;
    desc.edges = c->owns[GPI_HOST_CUTS].buffer;
    desc.out = c->owns[GPI_HOST_COUNTS].buffer;
    desc.out_offset = GPI_HOST_BINS_AT;
    desc.out_type = GP_U64;
    desc.accumulate = true;
    return desc;
}

static gp_select_desc gpi_host_nth_select(const gpi_host_chunks *c, const gpi_host_nth *n, size_t count,
                                          gp_arg *cuts)
{
    gp_select_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(cuts, 0, sizeof *cuts);
    cuts->name = "chunk_cuts";
    cuts->type = GP_U64;
    cuts->buffer = c->owns[GPI_HOST_CUTS].buffer;
    desc.record = &n->record;
    desc.predicate = "chunk_wanted(chunk_order(x), chunk_cuts)";
    desc.args = cuts;
    desc.arg_count = 1;
    desc.count = count;
    desc.count_out = c->owns[GPI_HOST_COUNTS].buffer;
    desc.count_out_type = GP_U64;
    return desc;
}

static gp_result gpi_host_nth_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_nth *n = (const gpi_host_nth *)c->call;
    gp_arg cuts;
    gp_histogram_desc histogram = gpi_host_nth_histogram(c, n, count);
    gp_select_desc select = gpi_host_nth_select(c, n, count, &cuts);
    size_t more = 0;
    gp_result result = gp_histogram_scratch_size(c->gp, &histogram, bytes);
    select.out = c->owns[GPI_HOST_CUTS].buffer; /* a placeholder */
    if (result == GP_OK) result = gp_select_scratch_size(c->gp, &select, &more);
    if (more > *bytes) *bytes = more;
    return result;
}

static gp_result gpi_host_nth_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_nth *n = (const gpi_host_nth *)c->call;
    gp_arg cuts;
    gp_histogram_desc histogram = gpi_host_nth_histogram(c, n, chunk->count);
    gp_select_desc select = gpi_host_nth_select(c, n, chunk->count, &cuts);
    gp_result result;
    histogram.in = select.in = c->arrays[0].buffers[chunk->slot];
    histogram.scratch = select.scratch = c->scratch;
    histogram.wait = gpi_host_waits(c);
    histogram.wait_count = c->wait_count;
    histogram.done = select.done = &c->done;
    result = gp_histogram(c->gp, &histogram);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    select.out = c->arrays[1].buffers[chunk->slot];
    select.count_out_offset = (size_t)chunk->slot;
    select.wait = gpi_host_waits(c);
    select.wait_count = c->wait_count;
    result = gp_select(c->gp, &select);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    return gpi_host_count(c, chunk, c->owns[GPI_HOST_COUNTS].buffer);
}

/* Appends the chunk's wanted keys to the kept keys, in any order, unless these would become too many. */
static gp_result gpi_host_nth_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_nth *n = (gpi_host_nth *)c->call;
    const gp_result result = gpi_host_counted(c, chunk, c->owns[GPI_HOST_COUNTS].buffer);
    const size_t count = (size_t)c->count_of[chunk->slot], at = n->keeps;
    if (result != GP_OK || count == 0) return result;
    n->keeps = at <= n->room && count <= n->room - at ? at + count : n->room + 1;
    if (n->keeps > n->room) return GP_OK;
    return gpi_host_read(c, chunk, c->arrays[1].buffers[chunk->slot], 0, count * n->size,
                         n->kept + at * n->size);
}

/* ------------------------------------------------------------------ passes */

/* Adds up the contexts' counts, and sets the count of the last bin, which has no end. */
static gp_result gpi_host_nth_bins(gpi_host_chunks *c, gpi_host_nth *n)
{
    uint64_t sum = 0;
    size_t k, b;
    memset(n->bins, 0, sizeof n->bins);
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        cl_int error;
        (void)clFlush(gp_cl_queue(device->gp));
        error = clEnqueueReadBuffer(device->copies, device->owns[GPI_HOST_COUNTS].buffer, CL_TRUE,
                                    GPI_HOST_BINS_AT * sizeof *n->more, sizeof n->more, n->more,
                                    device->wait_count, gpi_host_waits(device), NULL);
        if (error != CL_SUCCESS)
            return gpi_host_of(c, device,
                               gpi_host_fail_cl(device->gp, c->function, "clEnqueueReadBuffer", error));
        for (b = 0; b + 1 < n->edges; b++) n->bins[b] += n->more[b];
    }
    for (b = 0; b + 1 < n->edges; b++) sum += n->bins[b];
    n->bins[n->edges - 1] = c->count - sum;
    return GP_OK;
}

/* Counts all keys, and keeps those of wanted bins. */
static gp_result gpi_host_nth_pass(gpi_host_chunks *c, gpi_host_nth *n)
{
    static const uint64_t zeros[GPI_HOST_EDGES_MAX] = {0};
    gp_result result = GP_OK;
    size_t k;
    n->keeps = 0;
    n->cuts[2 * GPI_HOST_EDGES_MAX - 1] =
        n->cuts[GPI_HOST_EDGES_MAX + n->edges - 1]; /* the search for a bin may end at the last entry */
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        result = gpi_host_put(device, n->cuts, device->owns[GPI_HOST_CUTS].buffer, 0, sizeof n->cuts);
        if (result == GP_OK)
            result = gpi_host_put(device, zeros, device->owns[GPI_HOST_COUNTS].buffer,
                                  GPI_HOST_BINS_AT * sizeof *zeros, sizeof zeros);
        result = gpi_host_of(c, device, result);
    }
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    return result == GP_OK ? gpi_host_nth_bins(c, n) : result;
}

/* Sets each rank's bin, and the range of orders in the bin. Returns the number of keys in the bins of ranks that are
   not found yet. Sets *kept if there are such keys, and all of them are kept. */
static uint64_t gpi_host_nth_find(gpi_host_nth *n, bool *kept)
{
    bool counted[GPI_HOST_EDGES_MAX] = {false};
    uint64_t left = 0;
    size_t r;
    *kept = n->keeps <= n->room;
    for (r = 0; r < n->desc->rank_count; r++) {
        gpi_host_rank *rank = &n->ranks[r];
        uint64_t below = 0;
        size_t b = 0;
        if (rank->found) continue;
        while (below + n->bins[b] <= rank->rank) below += n->bins[b++];
        rank->bin = b;
        rank->low = n->cuts[b];
        rank->high = b + 1 < n->edges ? n->cuts[b + 1] - 1 : UINT64_MAX;
        rank->found = rank->low == rank->high;
        if (rank->found) continue;
        if (!n->cuts[GPI_HOST_EDGES_MAX + b]) *kept = false;
        if (!counted[b]) left += n->bins[b];
        counted[b] = true;
    }
    *kept = *kept && left;
    return left;
}

/* Finds the remaining ranks among the kept keys. */
static gp_result gpi_host_nth_sort(gp_context *gp, gpi_host_nth *n)
{
    gp_host_sort_desc sort;
    gp_result result;
    size_t r, b;
    memset(&sort, 0, sizeof sort);
    sort.keys = sort.keys_out = n->kept;
    sort.count = n->keeps;
    sort.key_type = n->desc->key_type;
    sort.budget = n->desc->budget;
    result = gp_host_sort(gp, &sort);
    for (r = 0; r < n->desc->rank_count && result == GP_OK; r++) {
        gpi_host_rank *rank = &n->ranks[r];
        uint64_t at = rank->rank;
        if (rank->found) continue;
        for (b = 0; b < rank->bin; b++) {
            if (!n->cuts[GPI_HOST_EDGES_MAX + b]) at -= n->bins[b];
        }
        rank->low = gpi_host_order(n, gpi_host_load(n->kept, (size_t)at, n->size));
    }
    return result;
}

static gp_result gpi_host_nth_run(gpi_host_chunks *c, gpi_host_nth *n, bool *sorts)
{
    gp_result result = gpi_host_chunks_open(c);
    while (result == GP_OK) {
        uint64_t left;
        result = gpi_host_nth_pass(c, n);
        if (result != GP_OK) return result;
        left = gpi_host_nth_find(n, sorts);
        if (*sorts || left == 0) return GP_OK;
        c->again = true;
        gpi_host_nth_next(n, left <= n->room);
    }
    return result;
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_host_nth_check(gp_context *gp, const char *function, gpi_host_nth *n)
{
    const gp_host_nth_element_desc *d = n->desc;
    gp_result result = gpi_host_check_type(gp, function, "key_type", d->key_type);
    size_t r;
    if (result != GP_OK) return result;
    n->size = gpi_host_size_of(d->key_type);
    if (d->rank_count > (size_t)GPI_HOST_RANKS)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: rank_count = %zu, at most %d", function,
                             d->rank_count, (int)GPI_HOST_RANKS);
    if (d->rank_count && !d->ranks)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: ranks is NULL", function);
    for (r = 0; r < d->rank_count; r++) {
        n->ranks[r].rank = d->ranks[r];
        if (d->ranks[r] < d->count) continue;
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: ranks[%zu] = %llu, and there are %zu keys",
                             function, r, (unsigned long long)d->ranks[r], d->count);
    }
    result = gpi_host_check_array(gp, function, "keys", d->keys, d->count, n->size);
    if (result == GP_OK)
        result = gpi_host_check_array(gp, function, "keys_out", d->keys_out, d->rank_count, n->size);
    if (result == GP_OK &&
        gpi_host_overlap(d->keys, d->count * n->size, d->keys_out, d->rank_count * n->size))
        result = gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: keys and keys_out overlap", function);
    return result;
}

/* Allocates room for the kept keys, which the sample uses first, and sets the first edges. */
static gp_result gpi_host_nth_prepare(gp_context *gp, const char *function, gpi_host_nth *n)
{
    const size_t count = n->desc->count, least = GPI_HOST_SAMPLE, sample = count < least ? count : least;
    gp_result result;
    n->room = count / 8 + least < count ? count / 8 + least : count;
    n->kept = (char *)GPI_HOST_MALLOC(n->room * n->size);
    if (!n->kept)
        return gpi_host_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu keys", function,
                             n->room);
    gpi_host_nth_source(n);
    result = gpi_host_nth_sample(gp, n, sample, n->kept);
    if (result == GP_OK) gpi_host_nth_first(n, sample, n->kept);
    return result;
}

static void gpi_host_nth_chunks(gpi_host_chunks *c, gpi_host_nth *n)
{
    c->arrays[0].in = (const char *)n->desc->keys;
    c->arrays[0].size = c->arrays[1].size = n->size;
    c->owns[GPI_HOST_COUNTS].bytes = (GPI_HOST_BINS_AT + GPI_HOST_EDGES_MAX) * sizeof(uint64_t);
    c->owns[GPI_HOST_CUTS].bytes = sizeof n->cuts;
    c->fixed = c->owns[GPI_HOST_COUNTS].bytes + c->owns[GPI_HOST_CUTS].bytes;
    c->compute = gpi_host_nth_compute;
    c->download = gpi_host_nth_download;
    c->scratch_size = gpi_host_nth_scratch;
    c->call = n;
}

GP_HOST_API gp_result gp_host_nth_element(gp_context *gp, const gp_host_nth_element_desc *desc)
{
    static const char function[] = "gp_host_nth_element";
    gpi_host_nth n;
    gpi_host_chunks c;
    bool sorts = false;
    size_t r;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&n, 0, sizeof n);
    n.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, NULL, 0);
    if (result == GP_OK) result = gpi_host_nth_check(gp, function, &n);
    if (result != GP_OK || desc->rank_count == 0) return result;
    gpi_host_nth_chunks(&c, &n);
    result = gpi_host_nth_prepare(gp, function, &n);
    if (result == GP_OK) result = gpi_host_chunks_close(&c, gpi_host_nth_run(&c, &n, &sorts));
    if (result == GP_OK && sorts) result = gpi_host_nth_sort(gp, &n);
    for (r = 0; r < desc->rank_count && result == GP_OK; r++)
        gpi_host_save(desc->keys_out, r, n.size, gpi_host_key_of(&n, n.ranks[r].low));
    GPI_HOST_FREE(n.kept);
    return result;
}
