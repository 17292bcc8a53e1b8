/* segmented_topk.c - gp_segmented_topk: a group finds the first k keys of each small segment. Large segments are cut into parts;
   groups find the first k of each part, and then join them. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type.h"
#include "element/element.h"
#include "sort/sort.h"

#include <string.h>

enum {
    GPI_BEST_MOST = 1024,       /* the greatest k */
    GPI_BEST_SOME = 512,        /* if k is at most this, a group has room for fewer entries */
    GPI_BEST_GROUP = 128,       /* most items of a group */
    GPI_BEST_SPAN_LOCAL = 8192, /* keys of a part */
    GPI_BEST_SPAN_SERIAL = 65536,
    GPI_BEST_BLOCK_KEYS = 16384, /* serial: keys of a block of segments */
    GPI_BEST_SPAN_EACH = 16      /* fewest keys of a part for each of its results */
};

/* A checked call of gp_segmented_topk, ready to run. */
typedef struct gpi_best {
    const gp_segmented_topk_desc *desc;
    size_t key_size, index_size, entry_size; /* bytes */
    gpi_count count;
    size_t ks_size; /* bytes of a segment's own k; 0: all segments use desc->k */
    gpi_offsets offsets;
    gpi_plan plan;
    gpi_program *program;
    size_t span;  /* keys of a part; a segment of more keys is large */
    size_t block; /* segments that a group handles */
    gpi_large_list list;
} gpi_best;

/* ------------------------------------------------------------------ checks, plan */

static gp_result gpi_best_check_desc(gp_context *gp, gpi_best *best)
{
    const gp_segmented_topk_desc *d = best->desc;
    const gp_result result = gpi_check_key_type(gp, d->key_type);
    if (result != GP_OK) return result;
    if (d->index_type && d->index_type != GP_U32 && d->index_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "index_type = %d, must be GP_U32 or GP_U64",
                        (int)d->index_type);
    }
    if (d->k > (size_t)GPI_BEST_MOST) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "k = %zu, at most %d; gp_segmented_sort has no such limit",
                        d->k, (int)GPI_BEST_MOST);
    }
    if (d->ks_type && !d->ks) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "ks_type = %d but ks is NULL", (int)d->ks_type);
    }
    if (d->ks_type && d->ks_type != GP_U32 && d->ks_type != GP_U64) {
        return gpi_fail(gp, GP_ERROR_INVALID_TYPE, "ks_type = %d, must be GP_U32 or GP_U64", (int)d->ks_type);
    }
    best->ks_size = !d->ks ? 0 : d->ks_type == GP_U64 ? 8 : 4;
    best->key_size = gpi_type_size(d->key_type);
    best->index_size = d->index_type == GP_U64 ? 8 : 4;
    best->entry_size = best->key_size <= 4 && best->index_size == 4 ? 8 : 16;
    return GP_OK;
}

static gp_result gpi_best_check_segments(gp_context *gp, gpi_best *best)
{
    const gp_segmented_topk_desc *d = best->desc;
    gpi_offsets *o = &best->offsets;
    gp_result result;
    best->count = gpi_count_make(d->segment_count, d->count_buffer, d->count_offset, d->count_type);
    o->buffer = d->offsets;
    o->offset = d->offsets_offset;
    o->type = d->offsets_type;
    o->row_length = d->row_length;
    o->row_stride = d->row_stride;
    o->segments = d->segment_count;
    o->count = d->count;
    result = gpi_offsets_check(gp, o);
    if (result != GP_OK) return result;
    if (best->index_size == 4 && o->count > UINT32_MAX) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "count = %zu does not fit indices of 4 bytes", o->count);
    }
    if (d->k && o->segments > SIZE_MAX / 16 / d->k) {
        return gpi_fail(gp, GP_ERROR_COUNT_LIMIT, "%zu segments of k = %zu results are too many", o->segments,
                        d->k);
    }
    return GP_OK;
}

/* Returns the number of entries that a group has room for, a power of two. In the local shape an item adds four entries
   at a time. */
static size_t gpi_best_entries(const gpi_best *best)
{
    const size_t k = best->desc->k > (size_t)GPI_BEST_SOME ? GPI_BEST_MOST : GPI_BEST_SOME;
    const size_t least =
        best->plan.shape == GP_SHAPE_LOCAL ? k + 4 * best->plan.group : 2 * (size_t)GPI_BEST_MOST;
    size_t entries = 1;
    while (entries < least) entries *= 2;
    return entries;
}

/* Makes the plan. In the local shape, halves the group until its entries fit in local memory. */
static gp_result gpi_best_make_plan(gp_context *gp, gpi_best *best)
{
    gpi_plan *plan = &best->plan;
    const gp_result result = gpi_plan_make_keys(gp, GPI_SEGMENTED_TOPK, best->key_size, plan);
    if (result != GP_OK || plan->shape == GP_SHAPE_SERIAL) return result;
    plan->sub_group = 0;
    while (plan->group > GPI_BEST_GROUP) plan->group /= 2;
    while (plan->group > 4 && gpi_best_entries(best) * best->entry_size + 64 > gp->info.local_mem_size)
        plan->group /= 2;
    if (gpi_best_entries(best) * best->entry_size + 64 <= gp->info.local_mem_size) return GP_OK;
    return gpi_fail(gp, GP_ERROR_UNSUPPORTED,
                    "k = %zu needs %zu bytes of local memory, and the device has %zu", best->desc->k,
                    gpi_best_entries(best) * best->entry_size + 64, (size_t)gp->info.local_mem_size);
}

/* Sets span, block, and the scratch for large segments. */
static gp_result gpi_best_spans(gp_context *gp, gpi_best *best)
{
    const bool serial = best->plan.shape == GP_SHAPE_SERIAL;
    const gpi_offsets *o = &best->offsets;
    const size_t cores = gp->info.compute_units ? gp->info.compute_units : 1;
    const size_t average = gpi_offsets_average(o), each = GPI_BEST_SPAN_EACH * best->desc->k;
    const size_t fewest = serial ? GPI_BEST_BLOCK_KEYS / (average + 1) + 1 : 1;
    best->span = serial ? GPI_BEST_SPAN_SERIAL : GPI_BEST_SPAN_LOCAL;
    if (best->span < each) best->span = each;
    best->block = gpi_ceil_div(o->segments, (serial ? 8 : 256) * cores);
    if (serial && best->block > fewest) best->block = fewest;
    if (best->block == 0) best->block = 1;
    if (best->desc->k == 0) return GP_OK; /* the call does nothing */
    return gpi_offsets_list(gp, o, best->span, best->span, best->desc->k * best->entry_size, &best->list);
}

/* Checks and plans a call, except for its buffers. */
static gp_result gpi_best_plan(gp_context *gp, const gp_segmented_topk_desc *desc, gpi_best *best)
{
    gpi_text more;
    char *text;
    gp_result result;
    memset(best, 0, sizeof *best);
    best->desc = desc;
    result = gpi_best_check_desc(gp, best);
    if (result == GP_OK) result = gpi_best_check_segments(gp, best);
    if (result == GP_OK) result = gpi_best_make_plan(gp, best);
    if (result != GP_OK) return result;
    memset(&more, 0, sizeof more);
    gpi_text_add(&more, "#define GPI_ENTRIES %u\n", (unsigned)gpi_best_entries(best));
    text = gpi_text_take(&more);
    if (!text) return gpi_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "no memory");
    result = gpi_key_program(gp, GPI_SEGMENTED_TOPK, desc->key_type, best->index_size, text, &best->plan,
                             &best->program);
    GP_FREE(text);
    return result == GP_OK ? gpi_best_spans(gp, best) : result;
}

static gp_result gpi_best_check(gp_context *gp, const gpi_best *best)
{
    const gp_segmented_topk_desc *d = best->desc;
    const size_t n = best->offsets.count, results = d->segment_count * d->k;
    gpi_uses uses;
    if (!d->keys_out && !d->indices_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER,
                        "keys_out and indices_out are NULL: at least one output is required");
    }
    gpi_uses_begin(&uses, gp, GP_OK);
    if (n) gpi_use_buffer(&uses, "keys", d->keys, d->keys_offset, n, best->key_size, GPI_READS);
    gpi_use_offsets(&uses, &best->offsets);
    gpi_use_count(&uses, "count_buffer", &best->count);
    if (d->ks) gpi_use_buffer(&uses, "ks", d->ks, d->ks_offset, d->segment_count, best->ks_size, GPI_READS);
    if (d->keys_out)
        gpi_use_buffer(&uses, "keys_out", d->keys_out, d->keys_out_offset, results, best->key_size,
                       GPI_WRITES);
    if (d->indices_out)
        gpi_use_buffer(&uses, "indices_out", d->indices_out, d->indices_out_offset, results, best->index_size,
                       GPI_WRITES);
    return gpi_uses_end(&uses, NULL, d->scratch, best->list.bytes);
}

/* ------------------------------------------------------------------ launches */

static void gpi_best_arg_keys(gpi_call *call, const gpi_best *best)
{
    const bool some = best->offsets.count > 0; /* without keys, the kernel reads none */
    const cl_mem keys = some ? best->desc->keys : call->gp->counters;
    GPI_CALL_ARG(call, keys);
    gpi_call_arg_ulong(call, some ? best->desc->keys_offset : 0);
}

/* Passes the arguments for GPI_TOPK_OUT_PARAMETERS (sort/segmented_topk.cl). */
static void gpi_best_arg_out(gpi_call *call, const gpi_best *best)
{
    const gp_segmented_topk_desc *d = best->desc;
    const cl_uint wants =
        (d->keys_out ? GPI_TOPK_WANTS_KEYS : 0) | (d->indices_out ? GPI_TOPK_WANTS_INDICES : 0);
    const cl_ulong flip = gpi_key_flip(d->key_type, !d->smallest);
    const cl_mem keys = d->keys_out ? d->keys_out : d->indices_out;
    const cl_mem indices = d->indices_out ? d->indices_out : d->keys_out;
    const cl_mem ks = d->ks ? d->ks : call->gp->counters; /* without ks, the kernel reads none */
    GPI_CALL_ARG(call, keys);
    gpi_call_arg_ulong(call, d->keys_out_offset);
    GPI_CALL_ARG(call, indices);
    gpi_call_arg_ulong(call, d->indices_out_offset);
    GPI_CALL_ARG(call, ks);
    gpi_call_arg_ulong(call, d->ks_offset);
    gpi_call_arg_uint(call, best->ks_size / 4);
    GPI_CALL_ARG(call, wants);
    gpi_call_arg_uint(call, d->array_indices);
    gpi_call_arg_uint(call, d->k);
    GPI_CALL_ARG(call, flip);
}

static gp_result gpi_best_small(gpi_call *call, const gpi_best *best, cl_mem scratch)
{
    gpi_call_kernel(call, best->program, "gp_topk_segments");
    gpi_best_arg_keys(call, best);
    gpi_call_arg_offsets(call, &best->offsets);
    gpi_call_arg_count(call, &best->count);
    gpi_call_arg_list(call, &best->list, scratch);
    gpi_best_arg_out(call, best);
    gpi_call_arg_ulong(call, best->span);
    gpi_call_arg_ulong(call, best->block);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &best->plan, gpi_ceil_div(best->offsets.segments, best->block));
}

/* Enqueues the search of large segments' parts, and the join of the results. A few groups per compute unit share the parts. If
   loops are limited, a group has one part. */
static gp_result gpi_best_large(gpi_call *call, const gpi_best *best, cl_mem scratch)
{
    const gp_device_info *info = &call->gp->info;
    const cl_ulong flip = gpi_key_flip(best->desc->key_type, !best->desc->smallest);
    size_t groups = 32 * (size_t)(info->compute_units ? info->compute_units : 1);
    gp_result result;
    if (groups > best->list.parts || info->loop_limit) groups = best->list.parts;
    gpi_call_kernel(call, best->program, "gp_topk_parts");
    gpi_best_arg_keys(call, best);
    gpi_call_arg_offsets(call, &best->offsets);
    gpi_call_arg_list(call, &best->list, scratch);
    gpi_call_arg_uint(call, best->desc->k);
    GPI_CALL_ARG(call, flip);
    gpi_call_arg_ulong(call, best->span);
    result = gpi_call_launch(call, &best->plan, groups);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, best->program, "gp_topk_join");
    gpi_call_arg_offsets(call, &best->offsets);
    gpi_call_arg_list(call, &best->list, scratch);
    gpi_best_arg_out(call, best);
    return gpi_call_launch(call, &best->plan, groups < best->list.large ? groups : best->list.large);
}

static gp_result gpi_best_launch(gpi_call *call, const gpi_best *best)
{
    cl_mem scratch = NULL;
    gp_result result;
    if (best->list.bytes == 0) return GP_OK;
    result = gpi_call_scratch(call, best->desc->scratch, best->list.bytes, &scratch);
    if (result == GP_OK && (best->list.large || !best->offsets.row_length))
        result = gpi_call_fill(call, scratch, 0, GPI_SEGMENTS_HEADER * 4);
    if (result == GP_OK) result = gpi_best_small(call, best, scratch);
    return result == GP_OK && best->list.large ? gpi_best_large(call, best, scratch) : result;
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_segmented_topk(gp_context *gp, const gp_segmented_topk_desc *desc)
{
    gpi_best best;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_best_plan(gp, desc, &best);
    if (result == GP_OK && best.list.bytes > 0) result = gpi_best_check(gp, &best);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_best_launch(&call, &best);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_segmented_topk_scratch_size(gp_context *gp, const gp_segmented_topk_desc *desc,
                                                size_t *bytes)
{
    gpi_best best;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_best_plan(gp, desc, &best);
    *bytes = result == GP_OK ? best.list.bytes : 0;
    return result;
}

/* Finds the greatest keys in two large rows of zeros, in temporary buffers. */
static gp_result gpi_segmented_topk_warm_up(gp_context *gp, const gp_segmented_topk_desc *desc)
{
    gp_segmented_topk_desc probe;
    gpi_best best;
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.key_type = desc->key_type;
    probe.index_type = desc->index_type;
    probe.k = desc->k ? desc->k : 1;
    probe.row_length = 1;
    result = gpi_best_plan(gp, &probe, &best);
    if (result != GP_OK) return result;
    probe.row_length = best.span + 1;
    probe.segment_count = 2;
    result = gpi_alloc_zeros(gp, 2 * probe.row_length * best.key_size, &probe.keys);
    if (result == GP_OK) result = gpi_alloc(gp, 2 * probe.k * best.index_size, &probe.indices_out);
    if (result == GP_OK) result = gp_segmented_topk(gp, &probe);
    if (probe.keys) (void)clReleaseMemObject(probe.keys);
    if (probe.indices_out) (void)clReleaseMemObject(probe.indices_out);
    return result;
}
