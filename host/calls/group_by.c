/* group_by.c - gp_host_group_by: reduces each chunk to its groups on the device, then the groups of all chunks to one
   per key.

   Groups are kept in host memory, in the order of chunks, each with its key:

       chunk 0   a3 c1 d7   chunk 1   b2 c5   chunk 2   a1 c1         three have key c

   gp_host_sort moves the groups of a key together, in the order of chunks. They pass through the device again, in
   chunks that end at the end of a key:

       a3 a1 b2 | c1 c5 c1 | d7        to a4 b2 | c7 | d7

   Results overwrite groups that have been read already. A key with more groups than fit in a chunk is cut, and another
   pass follows. All this is also done whenever the memory for groups is full. This memory has room for the groups of
   four chunks, or for four times the groups that were left the last time.

   Several contexts share the chunks and the sort. Their chunks end in any order. So each chunk gets room for as many
   groups as it has elements, after the room of the chunks before it. When the number of groups of those chunks is
   known, its own groups are moved to follow them directly. */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"
#include "base/text.h"

#include <string.h>

enum { GPI_HOST_BY_KEYS, GPI_HOST_BY_VALUES, GPI_HOST_BY_KEYS_OUT, GPI_HOST_BY_OUT };

/* The most elements that gp_reduce_by_key accepts. */
#define GPI_HOST_BY_MOST 0xfffffffeu

/* With several contexts: the position and number of a chunk's groups. */
typedef struct gpi_host_by_place {
    size_t at;
    uint64_t ended; /* 1 + number of groups; 0: not computed yet */
} gpi_host_by_place;

typedef struct gpi_host_by {
    const gp_host_group_by_desc *desc;
    gp_context *gp;
    const char *function;
    size_t key_size, in_size, out_size;
    gp_reduce_by_key_desc rows, partial; /* fields shared by all calls on rows; by all calls on groups */

    /* Kept groups. A key may have several of them. */
    char *keys, *values;
    size_t kept, room;

    /* the current pass */
    gp_reduce_by_key_desc *reduce; /* &rows or &partial */
    bool sorts;                    /* the pass sorts keys before it reduces them */
    char *to[2];                   /* output: keys, which may be NULL, and results */
    size_t to_room, groups;
    gpi_host_chunk piece[GPI_HOST_SLOTS]; /* the chunk of groups in each slot */
    size_t pieces;                        /* number of such chunks so far */
    uint64_t told, base, span, total;     /* progress: so far; before the pass; of the pass; total */

    /* several contexts */
    gpi_host_by_place *places; /* one for each chunk */
    size_t placed, end; /* number of chunks whose groups are not moved any more; end of the room in use */
} gpi_host_by;

/* ------------------------------------------------------------------ progress */

/* Reports the progress of a pass as a part of the call's progress. */
static int gpi_host_by_tell(uint64_t done, uint64_t total, void *user)
{
    gpi_host_by *g = (gpi_host_by *)user;
    const uint64_t part =
        total == g->span ? done : (uint64_t)((double)done / (double)total * (double)g->span);
    g->told = g->base + part;
    if (!g->desc->progress) return 0;
    return gpi_host_report(g->gp, g->desc->others, g->desc->other_count, g->desc->progress, g->told, g->total,
                           g->desc->progress_user);
}

static void gpi_host_by_progress(gpi_host_by *g, uint64_t base, uint64_t span)
{
    g->base = base;
    g->span = span;
}

/* ------------------------------------------------------------------ a chunk */

static gp_result gpi_host_by_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_by *g = (const gpi_host_by *)c->call;
    gp_reduce_by_key_desc reduce = *g->reduce;
    gp_sort_desc sort;
    size_t reducing = 0, sorting = 0;
    gp_result result;
    *bytes = SIZE_MAX / 2; /* more than any budget */
    if (count > GPI_HOST_BY_MOST) return GP_OK;
    memset(&sort, 0, sizeof sort);
    sort.key_type = g->desc->key_type;
    sort.value_size = c->arrays[GPI_HOST_BY_VALUES].size;
    sort.count = reduce.count = count;
    reduce.keys_out = c->owns[0].buffer; /* a placeholder: any buffer suffices */
    result = gp_reduce_by_key_scratch_size(c->gp, &reduce, &reducing);
    if (result == GP_OK && g->sorts) result = gp_sort_scratch_size(c->gp, &sort, &sorting);
    *bytes = reducing > sorting ? reducing : sorting;
    return result;
}

static gp_result gpi_host_by_sort(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_by *g = (const gpi_host_by *)c->call;
    gp_sort_desc desc;
    size_t scratch;
    gp_result result;
    memset(&desc, 0, sizeof desc);
    desc.keys = c->arrays[GPI_HOST_BY_KEYS].buffers[chunk->slot];
    desc.values = c->arrays[GPI_HOST_BY_VALUES].buffers[chunk->slot];
    desc.count = chunk->count;
    desc.key_type = g->desc->key_type;
    desc.value_size = c->arrays[GPI_HOST_BY_VALUES].size;
    result = gp_sort_scratch_size(c->gp, &desc, &scratch);
    if (result != GP_OK) return result;
    desc.scratch = scratch <= c->scratch_bytes ? c->scratch : NULL;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_sort(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_by_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    gp_reduce_by_key_desc desc = *g->reduce;
    gp_result result = g->sorts ? gpi_host_by_sort(c, chunk) : GP_OK;
    if (result != GP_OK) return result;
    desc.keys = c->arrays[GPI_HOST_BY_KEYS].buffers[chunk->slot];
    desc.in = c->arrays[GPI_HOST_BY_VALUES].buffers[chunk->slot];
    desc.keys_out = c->arrays[GPI_HOST_BY_KEYS_OUT].buffers[chunk->slot];
    desc.out = c->arrays[GPI_HOST_BY_OUT].buffers[chunk->slot];
    desc.count_out = c->owns[0].buffer;
    desc.count_out_offset = (size_t)chunk->slot;
    desc.count = chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_reduce_by_key(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    if (g->places) {
        g->places[chunk->index].at = g->end;
        g->end += chunk->count;
    }
    return gpi_host_count(c, chunk, c->owns[0].buffer);
}

/* ------------------------------------------------------------------ several contexts */

/* Returns true if there is room for the groups of the next chunk. There may be more room when the groups of all earlier
   chunks are at their final positions. If they are, and there is still no room, ends the pass before this chunk. */
static bool gpi_host_by_may_begin(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    if (g->placed == chunk->index) g->end = g->groups;
    if (chunk->count <= g->to_room - g->end) return true;
    if (g->placed == chunk->index) c->number = chunk->index;
    return false;
}

static void gpi_host_by_ended(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    g->places[chunk->index].ended = 1 + c->count_of[chunk->slot];
    for (; g->placed < c->number && g->places[g->placed].ended; g->placed++) {
        const size_t at = g->places[g->placed].at, count = (size_t)g->places[g->placed].ended - 1;
        memmove(g->keys + g->groups * g->key_size, g->keys + at * g->key_size, count * g->key_size);
        memmove(g->values + g->groups * g->out_size, g->values + at * g->out_size, count * g->out_size);
        g->groups += count;
    }
}

static gp_result gpi_host_by_places(gpi_host_chunks *c, gpi_host_by *g)
{
    GPI_HOST_FREE(g->places);
    g->places = NULL;
    g->placed = 0;
    g->end = g->groups;
    if (c->devices == 1 || g->to[1] != g->values) return GP_OK;
    if (c->number <= SIZE_MAX / sizeof *g->places)
        g->places = (gpi_host_by_place *)GPI_HOST_MALLOC(c->number * sizeof *g->places);
    if (!g->places)
        return gpi_host_fail(g->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for the places of %zu chunks",
                             g->function, c->number);
    memset(g->places, 0, c->number * sizeof *g->places);
    c->may_begin = gpi_host_by_may_begin;
    c->ended = gpi_host_by_ended;
    return GP_OK;
}

/* ------------------------------------------------------------------ results */

/* Ends the pass after the next chunk, which has been begun already, if there may be no room for the groups of later
   chunks. */
static void gpi_host_by_stop(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_by *g = (const gpi_host_by *)c->call;
    const size_t left = c->count - (chunk->first + chunk->count);
    const size_t need = left / 2 < c->chunk ? left : 2 * c->chunk;
    if (g->to_room - g->groups < need && c->number > chunk->index + 2) c->number = chunk->index + 2;
}

/* Reads the number of groups, then the groups. A single context waits for the number while the next chunk is computed.
   Groups for which there is no room are only counted. */
static gp_result gpi_host_by_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    const size_t at = g->places ? g->places[chunk->index].at : g->groups;
    gp_result result = gpi_host_counted(c, chunk, c->owns[0].buffer);
    const size_t count = (size_t)c->count_of[chunk->slot];
    int a;
    for (a = 0; a < 2 && result == GP_OK && at + count <= g->to_room; a++) {
        const gpi_host_array *array = &c->arrays[GPI_HOST_BY_KEYS_OUT + a];
        if (!g->to[a]) continue;
        result = gpi_host_read(c, chunk, array->buffers[chunk->slot], 0, count * array->size,
                               g->to[a] + at * array->size);
    }
    if (g->places || result != GP_OK) return result;
    g->groups += count;
    if (g->sorts && g->to[1] == g->values) gpi_host_by_stop(c, chunk);
    return GP_OK;
}

/* ------------------------------------------------------------------ passes */

static void gpi_host_by_set(gpi_host_chunks *c, gpi_host_by *g, const char *keys, const char *values,
                            size_t count, bool sorts)
{
    gpi_host_chunks_set(c, g->gp, g->function, count, g->desc->budget, gpi_host_by_tell, g);
    c->arrays[GPI_HOST_BY_KEYS].in = keys;
    c->arrays[GPI_HOST_BY_VALUES].in = values;
    c->arrays[GPI_HOST_BY_KEYS].size = c->arrays[GPI_HOST_BY_KEYS_OUT].size = g->key_size;
    c->arrays[GPI_HOST_BY_VALUES].size = sorts ? g->in_size : g->out_size;
    c->arrays[GPI_HOST_BY_OUT].size = g->out_size;
    c->fixed = c->owns[0].bytes = GPI_HOST_SLOTS * sizeof(uint64_t);
    c->scratch_size = gpi_host_by_scratch;
    c->compute = gpi_host_by_compute;
    c->download = gpi_host_by_download;
    c->call = g;
    g->reduce = sorts ? &g->rows : &g->partial;
    g->sorts = sorts;
}

/* Sets the output of a pass. The last pass writes the call's result, and uses its initial value. */
static void gpi_host_by_to(gpi_host_by *g, bool last, size_t groups)
{
    const gp_host_group_by_desc *desc = g->desc;
    g->to[0] = last ? (char *)desc->keys_out : g->keys;
    g->to[1] = last ? (char *)desc->out : g->values;
    g->to_room = !last ? g->room : desc->room ? desc->room : desc->count;
    g->reduce->initial = last ? desc->initial : NULL;
    g->groups = groups;
}

/* Makes room for the groups of chunks of `chunk` elements, in addition to the kept groups. */
static gp_result gpi_host_by_grow(gpi_host_by *g, size_t chunk)
{
    const size_t most = g->kept > chunk ? g->kept : chunk;
    const size_t room = most > g->desc->count / 4 ? g->desc->count : 4 * most;
    const bool fits = room <= SIZE_MAX / g->out_size; /* false only on 32-bit hosts; keys always fit */
    char *keys, *values;
    if (room <= g->room) return GP_OK;
    if (g->desc->keys_tmp) { /* the kept groups use the first halves of keys_tmp and values_tmp */
        g->keys = (char *)g->desc->keys_tmp;
        g->values = (char *)g->desc->values_tmp;
        g->room = room;
        return GP_OK;
    }
    keys = fits ? (char *)GPI_HOST_MALLOC(room * g->key_size) : NULL;
    values = fits ? (char *)GPI_HOST_MALLOC(room * g->out_size) : NULL;
    if (keys && values) {
        if (g->kept) memcpy(keys, g->keys, g->kept * g->key_size);
        if (g->kept) memcpy(values, g->values, g->kept * g->out_size);
    }
    GPI_HOST_FREE(keys && values ? g->keys : keys);
    GPI_HOST_FREE(keys && values ? g->values : values);
    if (!keys || !values)
        return gpi_host_fail(g->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu groups", g->function,
                             room);
    g->keys = keys;
    g->values = values;
    g->room = room;
    return GP_OK;
}

/* Reduces rows from *row on to groups, as far as there is room for the groups. If a single chunk has all rows, its
   groups are the call's result. */
static gp_result gpi_host_by_rows(gpi_host_by *g, size_t *row)
{
    const gp_host_group_by_desc *desc = g->desc;
    const size_t count = desc->count - *row;
    gpi_host_chunks c;
    gp_result result;
    bool last;
    gpi_host_by_set(&c, g, (const char *)desc->keys + *row * g->key_size,
                    (const char *)desc->in + *row * g->in_size, count, true);
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_chunks_open(&c);
    last = *row == 0 && c.number == 1;
    g->total = last ? count : 2 * (uint64_t)desc->count;
    gpi_host_by_progress(g, *row, count);
    if (result == GP_OK && !last)
        result = gpi_host_by_grow(g, c.devices > 1 ? 2 * c.devices * c.piece : c.chunk);
    gpi_host_by_to(g, last, g->kept);
    if (result == GP_OK) result = gpi_host_by_places(&c, g);
    if (result == GP_OK) result = gpi_host_chunks_run(&c);
    result = gpi_host_chunks_close(&c, result);
    if (result != GP_OK) return result;
    g->kept = last ? 0 : g->groups;
    *row += c.number < gpi_host_number(&c, c.piece) ? c.number * c.piece : count;
    return GP_OK;
}

static bool gpi_host_by_equal(const gpi_host_by *g, size_t a, size_t b)
{
    return memcmp(g->keys + a * g->key_size, g->keys + b * g->key_size, g->key_size) == 0;
}

/* Returns the end of the chunk of groups that begins at `first` and has at most `most` groups. Sets *cut if the chunk
   ends between two groups of one key. */
static size_t gpi_host_by_end(const gpi_host_by *g, size_t first, size_t count, size_t most, bool *cut)
{
    size_t low = first, high, end = first + most;
    if (count - first <= most) return count;
    if (!gpi_host_by_equal(g, end - 1, end)) return end;
    if (gpi_host_by_equal(g, first, end)) {
        *cut = true;
        return end;
    }
    for (high = end - 1; high - low > 1;) { /* the key at `end` begins in (low, high] */
        const size_t middle = low + (high - low) / 2;
        if (gpi_host_by_equal(g, middle, end)) high = middle;
        else low = middle;
    }
    return high;
}

static gpi_host_chunk gpi_host_by_piece(const gpi_host_chunks *c, size_t turn)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    gpi_host_chunk *piece = &g->piece[turn % GPI_HOST_SLOTS];
    bool cut = false;
    if (turn == g->pieces) {
        const gpi_host_chunk *before = &g->piece[(turn + GPI_HOST_SLOTS - 1) % GPI_HOST_SLOTS];
        piece->index = turn;
        piece->first = turn ? before->first + before->count : 0;
        piece->count = gpi_host_by_end(g, piece->first, c->count, c->chunk, &cut) - piece->first;
        piece->slot = (int)(turn % GPI_HOST_SLOTS);
        g->pieces++;
    }
    return *piece;
}

/* Reduces groups, whose keys are sorted, to one per key. Sets *cut if some keys still have several groups. */
static gp_result gpi_host_by_again(gpi_host_by *g, bool last, bool *cut)
{
    const size_t kept = g->kept;
    gpi_host_chunks c;
    gp_result result;
    size_t at;
    gpi_host_by_set(&c, g, g->keys, g->values, kept, false);
    GPI_HOST_FREE(g->places);
    g->places = NULL;
    c.chunk_of = gpi_host_by_piece;
    result = gpi_host_chunks_open(&c);
    *cut = false;
    c.number = 0;
    for (at = 0; at < kept && result == GP_OK; c.number++) at = gpi_host_by_end(g, at, kept, c.chunk, cut);
    if (result == GP_OK && *cut && c.chunk < 2)
        result = gpi_host_fail(g->gp, GP_ERROR_INVALID_ARGUMENT,
                               "%s: budget = %zu bytes is not enough for chunks of two elements", g->function,
                               g->desc->budget);
    last = last && !*cut;
    gpi_host_by_to(g, last, 0);
    g->pieces = 0;
    if (last) gpi_host_by_progress(g, g->total - g->total / 4, g->total / 4);
    if (result == GP_OK) result = gpi_host_chunks_run(&c);
    result = gpi_host_chunks_close(&c, result);
    g->kept = g->groups;
    return result;
}

/* Reduces all kept groups to one per key. */
static gp_result gpi_host_by_combine(gpi_host_by *g, bool last)
{
    gp_host_sort_desc sort;
    bool cut = true;
    gp_result result;
    memset(&sort, 0, sizeof sort);
    sort.keys = sort.keys_out = g->keys;
    sort.values = sort.values_out = g->values;
    if (g->desc->keys_tmp) { /* the sort uses the second halves of keys_tmp and values_tmp */
        sort.keys_tmp = g->keys + g->desc->count * g->key_size;
        sort.values_tmp = g->values + g->desc->count * g->out_size;
    }
    sort.count = g->kept;
    sort.key_type = g->desc->key_type;
    sort.value_size = g->out_size;
    sort.budget = g->desc->budget;
    sort.others = g->desc->others;
    sort.other_count = g->desc->other_count;
    sort.progress = gpi_host_by_tell;
    sort.progress_user = g;
    gpi_host_by_progress(g, g->told, last ? g->total / 4 : 0);
    result = gp_host_sort(g->gp, &sort);
    gpi_host_by_progress(g, g->told, 0);
    while (result == GP_OK && cut) result = gpi_host_by_again(g, last, &cut);
    return result;
}

/* ------------------------------------------------------------------ the call */

/* Returns true if gp_sort can move values of `size` bytes. */
static bool gpi_host_by_moves(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static gp_result gpi_host_by_types(gpi_host_by *g)
{
    const gp_host_group_by_desc *desc = g->desc;
    const bool bare = desc->monoid && !desc->map; /* the input is the monoid's elements */
    const gp_type out_type = desc->out_type ? desc->out_type : gpi_host_sum_type(desc->op, desc->type);
    gp_result result = gpi_host_check_type(g->gp, g->function, "key_type", desc->key_type);
    if (desc->op == GP_ARGMIN || desc->op == GP_ARGMAX)
        return gpi_host_fail(g->gp, GP_ERROR_INVALID_OP, "%s: op = %d: argmin and argmax are not taken",
                             g->function, (int)desc->op);
    if (result == GP_OK && !bare && !desc->record)
        result = gpi_host_check_type(g->gp, g->function, "type", desc->type);
    if (result == GP_OK && !desc->monoid)
        result = gpi_host_check_type(g->gp, g->function, "out_type", out_type);
    if (result != GP_OK) return result;
    g->key_size = gpi_host_size_of(desc->key_type);
    g->out_size = desc->monoid ? desc->monoid->size : gpi_host_size_of(out_type);
    g->in_size = bare ? desc->monoid->size : desc->record ? desc->record->size : gpi_host_size_of(desc->type);
    g->partial.type = g->partial.out_type = desc->monoid ? GP_TYPE_NONE : out_type;
    if (gpi_host_by_moves(g->in_size) && gpi_host_by_moves(g->out_size)) return GP_OK;
    return gpi_host_fail(g->gp, GP_ERROR_INVALID_TYPE,
                         "%s: elements of in have %zu bytes, results %zu: not 1, 2, 4, 8 or 16", g->function,
                         g->in_size, g->out_size);
}

static gp_result gpi_host_by_check(const gpi_host_by *g)
{
    const gp_host_group_by_desc *desc = g->desc;
    const size_t count = desc->count, room = desc->room ? desc->room : count;
    const size_t both = count < SIZE_MAX / 2 ? 2 * count : SIZE_MAX;
    const struct {
        const char *name;
        const void *array;
        size_t count, size;
    } arrays[] = {
        {"keys", desc->keys, count, g->key_size},        {"in", desc->in, count, g->in_size},
        {"keys_out", desc->keys_out, room, g->key_size}, {"out", desc->out, room, g->out_size},
        {"keys_tmp", desc->keys_tmp, both, g->key_size}, {"values_tmp", desc->values_tmp, both, g->out_size}};
    size_t i, k;
    gp_result result = GP_OK;
    if (!desc->keys_tmp != !desc->values_tmp)
        return gpi_host_fail(g->gp, GP_ERROR_INVALID_ARGUMENT, "%s: one of keys_tmp and values_tmp is set",
                             g->function);
    for (i = 0; i < 6 && result == GP_OK; i++) {
        if (i != 3 && i >= 2 && !arrays[i].array) continue;
        result = gpi_host_check_array(g->gp, g->function, arrays[i].name, arrays[i].array, arrays[i].count,
                                      arrays[i].size);
        for (k = 0; k < i && i >= 2 && result == GP_OK; k++) {
            if (gpi_host_overlap(arrays[k].array, arrays[k].count * arrays[k].size, arrays[i].array,
                                 arrays[i].count * arrays[i].size))
                result = gpi_host_fail(g->gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", g->function,
                                       arrays[k].name, arrays[i].name);
        }
    }
    return result;
}

/* Sets the fields that are the same for all chunks. Keys are compared by their bits (key_size). */
static gp_result gpi_host_by_prepare(gpi_host_by *g)
{
    const gp_host_group_by_desc *desc = g->desc;
    gpi_host_text map;
    const gp_result result = gpi_host_text_make(g->gp, g->function, "", desc->map, "", &map);
    gpi_host_text_free(&map);
    if (result == GP_OK && map.has_index)
        return gpi_host_fail(g->gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: map: i has no meaning, because elements are sorted by key", g->function);
    g->rows.key_size = g->partial.key_size = g->key_size;
    g->rows.count_out_type = g->partial.count_out_type = GP_U64;
    g->rows.op = g->partial.op = desc->op;
    g->rows.monoid = g->partial.monoid = desc->monoid;
    g->rows.type = desc->type;
    g->rows.record = desc->record;
    g->rows.out_type = desc->out_type;
    g->rows.map = desc->map;
    g->rows.args = desc->args;
    g->rows.arg_count = desc->arg_count;
    if (desc->monoid && desc->monoid->takes_args) {
        g->partial.args = desc->args;
        g->partial.arg_count = desc->arg_count;
    }
    return result;
}

static gp_result gpi_host_by_run(gpi_host_by *g)
{
    const size_t count = g->desc->count, room = g->desc->room ? g->desc->room : count;
    size_t row = 0;
    gp_result result = GP_OK;
    while (row < count && result == GP_OK) {
        result = gpi_host_by_rows(g, &row);
        if (result == GP_OK && g->kept) result = gpi_host_by_combine(g, row == count);
    }
    if (result == GP_ERROR_CANCELED) /* a pass was canceled: reports how much of the call is done */
        return gpi_host_fail(g->gp, result, "%s: progress canceled the call after %llu of %llu", g->function,
                             (unsigned long long)g->told, (unsigned long long)g->total);
    if (result != GP_OK) return result;
    if (g->desc->groups) *g->desc->groups = g->groups;
    if (g->groups <= room) return GP_OK;
    return gpi_host_fail(g->gp, GP_ERROR_COUNT_LIMIT, "%s: room = %zu: there are %zu groups", g->function,
                         room, g->groups);
}

GP_HOST_API gp_result gp_host_group_by(gp_context *gp, const gp_host_group_by_desc *desc)
{
    static const char function[] = "gp_host_group_by";
    gpi_host_by g;
    gpi_host_chunks none;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    /* Checks `others` even if there are no rows. */
    gpi_host_chunks_set(&none, gp, function, 0, 0, NULL, NULL);
    result = gpi_host_chunks_share(&none, desc->others, desc->other_count, desc->args, desc->arg_count);
    memset(&g, 0, sizeof g);
    g.desc = desc;
    g.gp = gp;
    g.function = function;
    if (result == GP_OK) result = gpi_host_by_types(&g);
    if (result == GP_OK) result = gpi_host_by_check(&g);
    if (result == GP_OK) result = gpi_host_by_prepare(&g);
    if (result == GP_OK) result = gpi_host_by_run(&g);
    GPI_HOST_FREE(g.places);
    if (!desc->keys_tmp) {
        GPI_HOST_FREE(g.keys);
        GPI_HOST_FREE(g.values);
    }
    return result;
}
