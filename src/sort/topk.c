/* topk.c - gp_topk: derives a threshold from a sample, keeps the keys that reach the threshold, in one reading, and
   sorts the kept keys. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "element/element.h"
#include "sort/sort.h"

#include <string.h>

enum {
    GPI_TOPK_SAMPLES = 8192, /* most keys of the sample */
    GPI_TOPK_SAMPLE_EACH = 8,
    GPI_TOPK_GROUPS_MAX = 1024,     /* most groups of a histogram */
    GPI_TOPK_SHARE_MAX = 8,         /* if k is more than 1/8 of the keys, all keys are sorted */
    GPI_TOPK_RESUME_MOST = 5 << 24, /* most keys, counting every reading, that one group reads in a launch */
    GPI_TOPK_TAKE_EACH = 16         /* elements that one item handles */
};

/* The most keys that may be kept: cursors are 32-bit words. */
#define GPI_TOPK_ROOM_MAX ((size_t)1 << 30)

/* A checked call of gp_topk, ready to run. */
typedef struct gpi_topk {
    const gp_topk_desc *desc;
    size_t index_size;
    gpi_count count;
    bool whole;        /* all keys are sorted */
    gp_sort_desc left; /* the sort of the kept keys, or of all keys */
    gpi_sort sort;     /* the sort's scratch begins the call's scratch; sort.at.end is the end of all parts */
    gpi_program *program;
    gpi_plan plan;
    size_t span, tiles, blocks; /* keys of a tile; tiles; blocks of tiles */
    size_t room;                /* most keys that may be kept */
    size_t samples;
    size_t state, directory, sample, kept_key, kept_index, found_key, found_index; /* starts of parts */
} gpi_topk;

/* ------------------------------------------------------------------ checks, plan */

static gp_result gpi_topk_check_desc(gp_context *gp, gpi_topk *topk)
{
    const gp_topk_desc *d = topk->desc;
    if (d->index_type && d->index_type != GP_U32 && d->index_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "index_type = %d, must be GP_U32 or GP_U64",
                        (int)d->index_type);
    }
    topk->index_size = d->index_type == GP_U64 ? 8 : 4;
    if (topk->index_size == 4 && d->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu does not fit indices of 4 bytes", d->count);
    }
    if (d->k > d->count) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "k = %zu is greater than count = %zu", d->k, d->count);
    }
    return GP_OK;
}

/* Plans the sort of `count` kept keys in the scratch, or, if `count` is 0, the sort of all keys, which also generates
   indices. gpi_topk_sort sets the buffers. */
static gp_result gpi_topk_plan_sort(gp_context *gp, gpi_topk *topk, size_t count)
{
    const gp_topk_desc *d = topk->desc;
    gp_sort_desc *left = &topk->left;
    memset(left, 0, sizeof *left);
    left->key_type = d->key_type;
    left->value_size = topk->index_size;
    left->descending = !d->smallest;
    left->strategy = d->strategy;
    left->count = count ? count : d->count;
    if (!count) {
        left->count_buffer = d->count_buffer;
        left->count_offset = d->count_offset;
        left->count_type = d->count_type;
        left->values_out = gp->counters; /* a placeholder for the scratch */
    }
    gpi_sort_init(&topk->sort, left, count ? GPI_INDICES_NONE : GPI_INDICES_ARRAY);
    return gpi_sort_plan(gp, &topk->sort);
}

static float gpi_root(float x)
{
    float root = x > 1 ? x : 1;
    int i;
    for (i = 0; i < 40; i++) root = (root + x / root) / 2;
    return root;
}

/* Returns the size of the sample: one key in GPI_TOPK_SAMPLE_EACH, at most GPI_TOPK_SAMPLES. */
static size_t gpi_topk_samples(size_t count)
{
    const size_t samples = gpi_ceil_div(count, GPI_TOPK_SAMPLE_EACH);
    return samples < (size_t)GPI_TOPK_SAMPLES ? samples : (size_t)GPI_TOPK_SAMPLES;
}

/* Returns the rank, in the sample, of the key that becomes the threshold, as gpi_sample_rank of sort/topk.cl does. */
static float gpi_topk_rank(const gpi_topk *topk)
{
    const float x = (float)(topk->desc->k - 1) * ((float)topk->samples / (float)topk->desc->count);
    return 1 + x + 4 * gpi_root(x) + (topk->plan.shape == GP_SHAPE_LOCAL ? 2.75f : 0.75f);
}

/* Returns the most keys that the scratch can keep: the larger of k and the number of keys that are expected to reach
   the threshold, with a margin for the deviation of ranks in a sample. */
static size_t gpi_topk_room(const gpi_topk *topk)
{
    const size_t n = topk->desc->count, k = topk->desc->k;
    const float rank = gpi_topk_rank(topk);
    const double room = ((double)rank + 4 * (double)gpi_root(rank) + 6) * ((double)n / (double)topk->samples);
    const size_t most = room < (double)n ? (size_t)room + 1 : n;
    return most > k ? most : k;
}

static void gpi_topk_lay_out(gpi_topk *topk)
{
    const size_t key_size = topk->sort.key_size, index_size = topk->index_size;
    if (topk->whole) {
        topk->found_index = gpi_sort_part(&topk->sort, topk->desc->count * index_size);
        topk->found_key = topk->sort.at.key_out;
        return;
    }
    topk->state = gpi_sort_part(
        &topk->sort, (GPI_TOPK_HISTOGRAM + key_size * GPI_SORT_BINS + 2 * topk->blocks) * sizeof(cl_ulong));
    topk->directory = gpi_sort_part(&topk->sort, topk->tiles * 16);
    topk->sample = gpi_sort_part(&topk->sort, topk->samples * key_size);
    topk->kept_key = gpi_sort_part(&topk->sort, topk->room * key_size);
    topk->kept_index = gpi_sort_part(&topk->sort, topk->room * index_size);
    topk->found_key = gpi_sort_part(&topk->sort, topk->room * key_size);
    topk->found_index = gpi_sort_part(&topk->sort, topk->room * index_size);
}

/* Sets span, tiles and blocks; a block has at most GPI_TOPK_BLOCK tiles. Fails if there are too many tiles. */
static gp_result gpi_topk_tiles(gp_context *gp, gpi_topk *topk)
{
    const size_t n = topk->desc->count;
    const size_t most =
        topk->plan.per_item < (size_t)GPI_TOPK_SPAN_MAX ? topk->plan.per_item : (size_t)GPI_TOPK_SPAN_MAX;
    topk->span = topk->plan.shape == GP_SHAPE_SERIAL ? most : gpi_plan_tile(&topk->plan);
    topk->tiles = gpi_ceil_div(n, topk->span);
    topk->blocks = gpi_ceil_div(topk->tiles, GPI_TOPK_BLOCK);
    if (topk->tiles <= GPI_TILES_MAX) return GP_OK;
    return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu is %zu tiles of %zu keys, more than %u", n,
                    topk->tiles, topk->span, GPI_TILES_MAX);
}

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_topk_plan(gp_context *gp, gpi_topk *topk)
{
    const gp_topk_desc *d = topk->desc;
    gp_result result = gpi_check_key_type(gp, d->key_type);
    if (result == GP_OK) result = gpi_topk_check_desc(gp, topk);
    if (result == GP_OK) result = gpi_topk_plan_sort(gp, topk, 0);
    if (result == GP_OK)
        result =
            gpi_plan_make_sort(gp, GPI_TOPK, topk->sort.key_size, topk->index_size, d->strategy, &topk->plan);
    if (result != GP_OK) return result;
    result = gpi_key_program(gp, GPI_TOPK, d->key_type, topk->index_size, "", &topk->plan, &topk->program);
    if (result != GP_OK || d->k == 0) return result;
    topk->samples = gpi_topk_samples(d->count);
    topk->room = gpi_topk_room(topk);
    topk->whole = topk->sort.few || d->k > d->count / GPI_TOPK_SHARE_MAX || topk->room > GPI_TOPK_ROOM_MAX;
    if (!topk->whole) result = gpi_topk_plan_sort(gp, topk, topk->room);
    if (result == GP_OK && !topk->whole) result = gpi_topk_tiles(gp, topk);
    if (result == GP_OK) gpi_topk_lay_out(topk);
    return result;
}

/* ------------------------------------------------------------------ buffers */

static gp_result gpi_topk_check(gp_context *gp, const gpi_topk *topk)
{
    const gp_topk_desc *d = topk->desc;
    const size_t size = topk->sort.key_size;
    gpi_uses uses;
    if (!d->keys_out && !d->indices_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "keys_out and indices_out are NULL: at least one output is required");
    }
    gpi_uses_begin(&uses, gp, GP_OK);
    gpi_use_buffer(&uses, "keys", d->keys, d->keys_offset, d->count, size, GPI_READS);
    gpi_use_count(&uses, "count_buffer", &topk->count);
    if (d->keys_out)
        gpi_use_buffer(&uses, "keys_out", d->keys_out, d->keys_out_offset, d->k, size, GPI_WRITES);
    if (d->indices_out)
        gpi_use_buffer(&uses, "indices_out", d->indices_out, d->indices_out_offset, d->k, topk->index_size,
                       GPI_WRITES);
    return gpi_uses_end(&uses, NULL, d->scratch, topk->sort.at.end);
}

/* ------------------------------------------------------------------ launches */

static void gpi_topk_arg_array(gpi_call *call, cl_mem buffer, size_t bytes, size_t size)
{
    GPI_CALL_ARG(call, buffer);
    gpi_call_arg_ulong(call, bytes / size);
}

/* Passes the first arguments of most kernels: the keys, and those for GPI_TOPK_PARAMETERS (sort/topk_state.cl). */
static void gpi_topk_arg_common(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    const gp_topk_desc *d = topk->desc;
    gpi_topk_arg_array(call, d->keys, d->keys_offset, 1);
    gpi_topk_arg_array(call, scratch, topk->state, sizeof(cl_ulong));
    gpi_call_arg_ulong(call, topk->room);
    gpi_call_arg_uint(call, topk->blocks);
    GPI_CALL_ARG(call, topk->sort.flip);
}

static gp_result gpi_topk_sample(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    gpi_call_kernel(call, topk->program, "gp_topk_sample");
    gpi_topk_arg_common(call, topk, scratch);
    gpi_call_arg_ulong(call, topk->desc->k);
    gpi_call_arg_uint(call, GPI_TOPK_HISTOGRAM + topk->sort.key_size * GPI_SORT_BINS + 2 * topk->blocks);
    gpi_topk_arg_array(call, scratch, topk->sample, topk->sort.key_size);
    gpi_call_arg_uint(call, topk->samples);
    gpi_call_arg_count(call, &topk->count);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &topk->plan, 1);
}

static void gpi_topk_arg_filter(gpi_call *call, const gpi_topk *topk, cl_mem scratch, const char *kernel)
{
    gpi_call_kernel(call, topk->program, kernel);
    gpi_topk_arg_common(call, topk, scratch);
    gpi_call_arg_uint(call, topk->span);
    gpi_topk_arg_array(call, scratch, topk->directory, 16);
    gpi_topk_arg_array(call, scratch, topk->kept_key, topk->sort.key_size);
    gpi_topk_arg_array(call, scratch, topk->kept_index, topk->index_size);
}

static gp_result gpi_topk_filter(gpi_call *call, const gpi_topk *topk, cl_mem scratch, const char *kernel)
{
    gpi_topk_arg_filter(call, topk, scratch, kernel);
    return gpi_call_launch(call, &topk->plan, topk->tiles);
}

/* Enqueues a kernel that does nothing unless the sample has misled: too few or too many keys reach the threshold. In
   that case the kernel's only group selects by digits, filters again, and counts the event in the context's
   counters. */
static gp_result gpi_topk_resume(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    gpi_topk_arg_filter(call, topk, scratch, "gp_topk_resume");
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &topk->plan, 1);
}

/* Returns true if one group selects and filters again when the sample has misled. If false, gpi_topk_redo enqueues a
   launch for each digit, and these launches do nothing unless the sample has misled. The serial shape uses such
   launches, because one serial group would be too slow. */
static bool gpi_topk_resumes(const gp_context *gp, const gpi_topk *topk)
{
    return topk->plan.shape == GP_SHAPE_LOCAL && !gp->info.loop_limit &&
           topk->desc->count <= (size_t)GPI_TOPK_RESUME_MOST / (topk->sort.key_size + 1);
}

/* Enqueues a selection by digits and a second filter, which do nothing on the device unless the sample has misled. */
static gp_result gpi_topk_redo(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    const size_t groups =
        topk->tiles < (size_t)GPI_TOPK_GROUPS_MAX ? topk->tiles : (size_t)GPI_TOPK_GROUPS_MAX;
    const size_t span = gpi_ceil_div(topk->tiles, groups) * topk->span;
    gp_result result = GP_OK;
    cl_uint level;
    if (gpi_topk_resumes(call->gp, topk)) return gpi_topk_resume(call, topk, scratch);
    for (level = 0; level < topk->sort.key_size && result == GP_OK; level++) {
        gpi_call_kernel(call, topk->program, "gp_topk_histogram");
        gpi_topk_arg_common(call, topk, scratch);
        GPI_CALL_ARG(call, level);
        gpi_call_arg_ulong(call, span);
        GPI_CALL_ARG(call, call->gp->counters);
        result = gpi_call_launch(call, &topk->plan, groups);
    }
    return result == GP_OK ? gpi_topk_filter(call, topk, scratch, "gp_topk_filter_again") : result;
}

static gp_result gpi_topk_gather(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    const size_t key_size = topk->sort.key_size, index_size = topk->index_size;
    gpi_call_kernel(call, topk->program, "gp_topk_gather");
    gpi_topk_arg_common(call, topk, scratch);
    gpi_call_arg_uint(call, topk->span);
    gpi_topk_arg_array(call, scratch, topk->directory, 16);
    gpi_topk_arg_array(call, scratch, topk->kept_key, key_size);
    gpi_topk_arg_array(call, scratch, topk->kept_index, index_size);
    gpi_topk_arg_array(call, scratch, topk->found_key, key_size);
    gpi_topk_arg_array(call, scratch, topk->found_index, index_size);
    return gpi_call_launch(call, &topk->plan, topk->tiles);
}

/* Returns true if a single group sorts the kept keys and writes the outputs itself. */
static bool gpi_topk_is_taken(const gpi_topk *topk)
{
    return topk->sort.few && topk->plan.shape == GP_SHAPE_LOCAL;
}

/* Makes the sort write its first k elements to the call's outputs. The scratch replaces an output that is NULL. */
static void gpi_topk_take_sorted(gpi_topk *topk)
{
    const gp_topk_desc *d = topk->desc;
    gp_sort_desc *left = &topk->left;
    topk->sort.most = (cl_uint)d->k; /* a tile may have more than k elements */
    if (d->keys_out) {
        left->keys_out = d->keys_out;
        left->keys_out_offset = d->keys_out_offset;
        topk->sort.keys_in_place = topk->sort.keys_unwanted = false;
    }
    if (d->indices_out) {
        left->values_out = d->indices_out;
        left->values_out_offset = d->indices_out_offset;
        topk->sort.values_in_place = false;
    }
}

/* Sets the buffers of the planned sort, now that the scratch is known, and enqueues it. */
static gp_result gpi_topk_sort(gpi_call *call, gpi_topk *topk, cl_mem scratch)
{
    gp_sort_desc *left = &topk->left;
    left->scratch = scratch;
    if (topk->whole) {
        left->keys = topk->desc->keys;
        left->keys_offset = topk->desc->keys_offset;
        left->values_out = scratch;
        left->values_out_offset = topk->found_index / topk->index_size;
        if (gpi_topk_is_taken(topk)) gpi_topk_take_sorted(topk);
        return gpi_sort_launch(call, &topk->sort);
    }
    left->keys = left->values = scratch;
    left->keys_offset = topk->found_key / topk->sort.key_size;
    left->values_offset = topk->found_index / topk->index_size;
    topk->sort.count.buffer = scratch;
    topk->sort.count.offset = topk->state / sizeof(cl_ulong) + GPI_TOPK_FOUND;
    topk->sort.count.type = GP_U64;
    if (gpi_topk_is_taken(topk)) gpi_topk_take_sorted(topk);
    return gpi_sort_launch(call, &topk->sort);
}

static gp_result gpi_topk_take(gpi_call *call, const gpi_topk *topk, cl_mem scratch)
{
    const gp_topk_desc *d = topk->desc;
    const size_t groups = gpi_ceil_div(d->k, (size_t)topk->plan.group * GPI_TOPK_TAKE_EACH);
    const cl_uint wants =
        (d->keys_out ? GPI_TOPK_WANTS_KEYS : 0) | (d->indices_out ? GPI_TOPK_WANTS_INDICES : 0);
    gpi_call_kernel(call, topk->program, "gp_topk_take");
    gpi_topk_arg_array(call, scratch, topk->found_key, topk->sort.key_size);
    gpi_topk_arg_array(call, scratch, topk->found_index, topk->index_size);
    gpi_topk_arg_array(call, d->keys_out ? d->keys_out : d->indices_out, d->keys_out_offset, 1);
    gpi_topk_arg_array(call, d->indices_out ? d->indices_out : d->keys_out, d->indices_out_offset, 1);
    GPI_CALL_ARG(call, wants);
    gpi_call_arg_ulong(call, d->k);
    gpi_call_arg_count(call, &topk->count);
    return gpi_call_launch(call, &topk->plan,
                           groups < (size_t)GPI_TOPK_GROUPS_MAX ? groups : (size_t)GPI_TOPK_GROUPS_MAX);
}

static gp_result gpi_topk_launch(gpi_call *call, gpi_topk *topk)
{
    cl_mem scratch = NULL;
    gp_result result;
    if (topk->desc->k == 0) return GP_OK;
    result = gpi_call_scratch(call, topk->desc->scratch, topk->sort.at.end, &scratch);
    if (!topk->whole) {
        if (result == GP_OK) result = gpi_topk_sample(call, topk, scratch);
        if (result == GP_OK) result = gpi_topk_filter(call, topk, scratch, "gp_topk_filter");
        if (result == GP_OK) result = gpi_topk_redo(call, topk, scratch);
        if (result == GP_OK) result = gpi_topk_gather(call, topk, scratch);
    }
    if (result == GP_OK) result = gpi_topk_sort(call, topk, scratch);
    return result == GP_OK && !gpi_topk_is_taken(topk) ? gpi_topk_take(call, topk, scratch) : result;
}

/* ------------------------------------------------------------------ API */

static void gpi_topk_init(gpi_topk *topk, const gp_topk_desc *desc)
{
    memset(topk, 0, sizeof *topk);
    topk->desc = desc;
    topk->count.bound = desc->count;
    topk->count.buffer = desc->count_buffer;
    topk->count.offset = desc->count_offset;
    topk->count.type = desc->count_type;
}

GP_API gp_result gp_topk(gp_context *gp, const gp_topk_desc *desc)
{
    gpi_topk topk;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    gpi_topk_init(&topk, desc);
    result = gpi_topk_plan(gp, &topk);
    if (result == GP_OK && desc->k > 0) result = gpi_topk_check(gp, &topk);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_topk_launch(&call, &topk);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_topk_scratch_size(gp_context *gp, const gp_topk_desc *desc, size_t *bytes)
{
    gpi_topk topk;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    gpi_topk_init(&topk, desc);
    result = gpi_topk_plan(gp, &topk);
    *bytes = result == GP_OK && desc->k > 0 ? topk.sort.at.end : 0;
    return result;
}

/* Warms up the sort of the kept keys, for few and for many keys. Then calls gp_topk on so many zeros that not all of
   them are sorted. */
static gp_result gpi_topk_warm_up(gp_context *gp, const gp_topk_desc *desc)
{
    gp_topk_desc probe;
    gp_sort_desc left;
    gp_result result;
    memset(&left, 0, sizeof left);
    left.key_type = desc->key_type;
    left.value_size = desc->index_type == GP_U64 ? 8 : 4;
    left.strategy = desc->strategy;
    result = gpi_sort_warm_up(gp, &left);
    if (result != GP_OK) return result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.index_type = desc->index_type;
    probe.strategy = desc->strategy;
    probe.k = 1;
    probe.count = 65536; /* more keys than one group sorts, in any shape */
    result = gpi_alloc_zeros(gp, probe.count * gpi_type_size(desc->key_type), &probe.keys);
    if (result == GP_OK) result = gpi_alloc_zeros(gp, 8, &probe.indices_out);
    if (result == GP_OK) result = gp_topk(gp, &probe);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.indices_out) (void)clReleaseMemObject(probe.indices_out);
    return result;
}
