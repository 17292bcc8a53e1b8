/* topk.c - gp_host_topk: finds the first k keys of each chunk on the device, and then the first k among those of all chunks.

   Chunks' results are kept in the chunks' order, so that of equal keys the one with the lowest index is found first:

       chunk          0         1         2
       its first k    9 7 7     9 8 6     8 8 1      position 3 is the first one of chunk 1
       of all         9 (0)  9 (3)  8 (4) */
#include "base/chunks.h"
#include "base/error.h"
#include "base/run.h"

#include <string.h>

enum { GPI_HOST_BEST_KEYS, GPI_HOST_BEST_INDICES };

typedef struct gpi_host_topk {
    const gp_host_topk_desc *desc;
    gp_topk_desc chunk; /* the fields that are the same for all chunks */
    size_t key_size, index_size;
    char *keys, *indices; /* k keys and indices of each chunk; indices count within the chunk */
} gpi_host_topk;

static gp_result gpi_host_topk_overlap(gp_context *gp, const char *function, const gpi_host_topk *t)
{
    const gp_host_topk_desc *d = t->desc;
    const size_t in = d->count * t->key_size, keys = d->k * t->key_size,
                 indices = d->k * (d->index_type == GP_U64 ? 8 : 4);
    const char *first = NULL, *second = "indices_out";
    if (gpi_host_overlap(d->keys, in, d->indices_out, indices)) first = "keys";
    if (gpi_host_overlap(d->keys_out, keys, d->indices_out, indices)) first = "keys_out";
    if (gpi_host_overlap(d->keys, in, d->keys_out, keys)) first = "keys", second = "keys_out";
    return first ? gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", function, first, second)
                 : GP_OK;
}

static gp_result gpi_host_topk_check(gp_context *gp, const char *function, gpi_host_topk *t)
{
    const gp_host_topk_desc *d = t->desc;
    gp_result result = gpi_host_check_type(gp, function, "key_type", d->key_type);
    if (result != GP_OK) return result;
    t->key_size = gpi_host_size_of(d->key_type);
    t->index_size = d->count > 0xffffffffu ? 8 : 4;
    if (d->index_type && d->index_type != GP_U32 && d->index_type != GP_U64)
        return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d is not GP_U32 or GP_U64",
                             function, (int)d->index_type);
    if (d->k > d->count)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: k = %zu, and there are %zu keys", function,
                             d->k, d->count);
    if (!d->keys_out && !d->indices_out)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: keys_out and indices_out are NULL",
                             function);
    if (d->indices_out && d->index_type != GP_U64 && d->count > 0xffffffffu)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT,
                             "%s: count = %zu is more than indices of GP_U32 can tell", function, d->count);
    result = gpi_host_check_array(gp, function, "keys", d->keys, d->count, t->key_size);
    return result == GP_OK ? gpi_host_topk_overlap(gp, function, t) : result;
}

/* ------------------------------------------------------------------ results */

static uint64_t gpi_host_topk_load(const char *indices, size_t i, size_t size)
{
    return size == 8 ? ((const uint64_t *)(const void *)indices)[i]
                     : ((const uint32_t *)(const void *)indices)[i];
}

static void gpi_host_topk_store(const gp_host_topk_desc *d, size_t j, uint64_t index)
{
    if (d->index_type == GP_U64) ((uint64_t *)d->indices_out)[j] = index;
    else ((uint32_t *)d->indices_out)[j] = (uint32_t)index;
}

/* Copies the first k keys and indices to the outputs. */
static void gpi_host_topk_copy(const gpi_host_topk *t)
{
    const gp_host_topk_desc *d = t->desc;
    size_t j;
    if (d->keys_out) memcpy(d->keys_out, t->keys, d->k * t->key_size);
    for (j = 0; t->indices && j < d->k; j++)
        gpi_host_topk_store(d, j, gpi_host_topk_load(t->indices, j, t->index_size));
}

static gp_result gpi_host_topk_alloc(gp_context *gp, const char *function, gpi_host_topk *t, size_t count)
{
    const size_t each = t->key_size + t->index_size;
    if (count <= SIZE_MAX / each) t->keys = (char *)GPI_HOST_MALLOC(count * t->key_size);
    if (t->keys && t->desc->indices_out) t->indices = (char *)GPI_HOST_MALLOC(count * t->index_size);
    if (t->keys && (t->indices || !t->desc->indices_out)) return GP_OK;
    return gpi_host_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu keys and indices", function,
                         count);
}

static void gpi_host_topk_free(gpi_host_topk *t)
{
    GPI_HOST_FREE(t->keys);
    GPI_HOST_FREE(t->indices);
    t->keys = t->indices = NULL;
}

/* ------------------------------------------------------------------ all keys are sorted */

static gp_result gpi_host_topk_sort(gp_context *gp, const char *function, gpi_host_topk *t)
{
    const gp_host_topk_desc *d = t->desc;
    gp_host_sort_desc sort;
    gp_result result = gpi_host_topk_alloc(gp, function, t, d->count);
    if (result != GP_OK) return result;
    memset(&sort, 0, sizeof sort);
    sort.keys = d->keys;
    sort.keys_out = t->keys;
    sort.values_out = t->indices;
    sort.value_size = t->indices ? t->index_size : 0;
    sort.count = d->count;
    sort.key_type = d->key_type;
    sort.descending = !d->smallest;
    sort.budget = d->budget;
    sort.progress = d->progress;
    sort.progress_user = d->progress_user;
    sort.others = d->others;
    sort.other_count = d->other_count;
    result = t->indices ? gp_host_argsort(gp, &sort) : gp_host_sort(gp, &sort);
    if (result != GP_OK) return result;
    gpi_host_topk_copy(t);
    return GP_OK;
}

/* ------------------------------------------------------------------ chunks */

static gp_result gpi_host_topk_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_topk *t = (const gpi_host_topk *)c->call;
    gp_topk_desc desc = t->chunk;
    desc.count = count;
    desc.k = t->desc->k < count ? t->desc->k : count;
    return gp_topk_scratch_size(c->gp, &desc, bytes);
}

static gp_result gpi_host_topk_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_topk *t = (const gpi_host_topk *)c->call;
    const size_t k = t->desc->k;
    gp_topk_desc desc = t->chunk;
    gp_result result;
    desc.keys = c->arrays[0].buffers[chunk->slot];
    desc.keys_out = c->owns[GPI_HOST_BEST_KEYS].buffer;
    desc.indices_out = c->owns[GPI_HOST_BEST_INDICES].buffer;
    desc.keys_out_offset = desc.indices_out_offset = (size_t)chunk->slot * k;
    desc.count = chunk->count;
    desc.k = k < chunk->count ? k : chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_topk(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_topk_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_topk *t = (const gpi_host_topk *)c->call;
    const size_t k = t->desc->k, n = k < chunk->count ? k : chunk->count, from = (size_t)chunk->slot * k;
    const size_t s = t->index_size;
    const gp_result result = gpi_host_read(c, chunk, c->owns[GPI_HOST_BEST_KEYS].buffer, from * t->key_size,
                                           n * t->key_size, t->keys + chunk->index * k * t->key_size);
    if (result != GP_OK || !t->indices) return result;
    return gpi_host_read(c, chunk, c->owns[GPI_HOST_BEST_INDICES].buffer, from * s, n * s,
                         t->indices + chunk->index * k * s);
}

/* Finds the first k among the first k of all chunks: `count` keys. */
static gp_result gpi_host_topk_join(const gpi_host_chunks *c, const gpi_host_topk *t, size_t count)
{
    const gp_host_topk_desc *d = t->desc;
    gp_host_topk_desc best = *d;
    uint64_t *positions = NULL;
    gp_result result;
    size_t j;
    best.keys = t->keys;
    best.count = count;
    best.progress = NULL;
    best.other_count = 0;
    best.index_type = GP_U64;
    if (t->indices) best.indices_out = positions = (uint64_t *)GPI_HOST_MALLOC(d->k * sizeof *positions);
    if (t->indices && !positions)
        return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu indices", c->function,
                             d->k);
    result = gp_host_topk(c->gp, &best);
    for (j = 0; positions && j < d->k && result == GP_OK; j++) {
        const size_t at = (size_t)positions[j];
        gpi_host_topk_store(d, j, at / d->k * c->piece + gpi_host_topk_load(t->indices, at, t->index_size));
    }
    GPI_HOST_FREE(positions);
    return result;
}

static gp_result gpi_host_topk_run(gpi_host_chunks *c, gpi_host_topk *t, bool *sorts)
{
    gp_result result = gpi_host_chunks_open(c);
    if (result != GP_OK) return result;
    *sorts = c->number > 1 && t->desc->k > c->piece / 2;
    if (*sorts) return GP_OK;
    result = gpi_host_topk_alloc(c->gp, c->function, t, c->number * t->desc->k);
    return result == GP_OK ? gpi_host_chunks_run(c) : result;
}

/* Writes the outputs, after all chunks have ended. */
static gp_result gpi_host_topk_end(const gpi_host_chunks *c, gpi_host_topk *t)
{
    const size_t k = t->desc->k, last = t->desc->count - (c->number - 1) * c->piece;
    if (c->number > 1) return gpi_host_topk_join(c, t, (c->number - 1) * k + (last < k ? last : k));
    gpi_host_topk_copy(t);
    return GP_OK;
}

/* Sets the steps and buffers. Sets *sorts if the results of the chunks in progress need too much of a context's budget. */
static void gpi_host_topk_prepare(gpi_host_chunks *c, gpi_host_topk *t, bool *sorts)
{
    const gp_host_topk_desc *d = t->desc;
    const size_t each = t->key_size + (d->indices_out ? t->index_size : 0);
    size_t budget = gpi_host_budget(c->gp, d->budget), k;
    for (k = 0; k < d->other_count; k++) {
        const size_t other = gpi_host_budget(d->others[k], d->budget);
        if (other < budget) budget = other;
    }
    *sorts = d->k > budget / 2 / GPI_HOST_SLOTS / each;
    if (*sorts) return;
    c->arrays[0].in = (const char *)d->keys;
    c->arrays[0].size = t->key_size;
    c->owns[GPI_HOST_BEST_KEYS].bytes = GPI_HOST_SLOTS * d->k * t->key_size;
    c->owns[GPI_HOST_BEST_INDICES].bytes = d->indices_out ? GPI_HOST_SLOTS * d->k * t->index_size : 0;
    c->fixed = GPI_HOST_SLOTS * d->k * each;
    c->compute = gpi_host_topk_compute;
    c->download = gpi_host_topk_download;
    c->scratch_size = gpi_host_topk_scratch;
    c->call = t;
    t->chunk.key_type = d->key_type;
    t->chunk.index_type = t->index_size == 8 ? GP_U64 : GP_U32;
    t->chunk.smallest = d->smallest;
}

GP_HOST_API gp_result gp_host_topk(gp_context *gp, const gp_host_topk_desc *desc)
{
    static const char function[] = "gp_host_topk";
    gpi_host_topk t;
    gpi_host_chunks c;
    bool sorts = false;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&t, 0, sizeof t);
    t.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, NULL, 0);
    if (result == GP_OK) result = gpi_host_topk_check(gp, function, &t);
    if (result != GP_OK || desc->k == 0) return result;
    gpi_host_topk_prepare(&c, &t, &sorts);
    if (!sorts) result = gpi_host_chunks_close(&c, gpi_host_topk_run(&c, &t, &sorts));
    if (result == GP_OK) result = sorts ? gpi_host_topk_sort(gp, function, &t) : gpi_host_topk_end(&c, &t);
    gpi_host_topk_free(&t);
    return result;
}
