/* segmented_reduce.c - gp_segmented_reduce: a group reduces the small segments of a block. Large segments are cut into
   parts; groups reduce the parts, and then join their results. Columns, whose elements are not consecutive, have their
   own kernels. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "scan/scan.h"

#include <string.h>

enum {
    GPI_REDUCE_SMALL = 2048, /* serial: most elements of a small segment, which one item reduces */
    GPI_REDUCE_BLOCK = 512   /* serial: most segments of a group */
};

/* ------------------------------------------------------------------ plan */

static gp_result gpi_segmented_types(gp_context *gp, gpi_segmented *s)
{
    const gp_segmented_reduce_desc *d = s->desc;
    gpi_operation o;
    memset(&o, 0, sizeof o);
    o.type = d->type;
    o.out_type = d->out_type;
    o.op = d->op;
    o.monoid = d->monoid;
    o.map = d->map;
    o.record = d->record;
    o.args = gpi_args_make(d->args, d->arg_count, "");
    o.initial = d->initial;
    return gpi_element_make(gp, &o, &s->element);
}

/* Returns the number of items that reduce or scan a small segment: enough that each item has only a few elements of an
   average segment. */
static cl_uint gpi_segmented_team(const gpi_offsets *offsets, const gpi_plan *plan)
{
    const size_t average = gpi_offsets_average(offsets);
    cl_uint team = 1;
    while (team < plan->group && (size_t)team * 4 < average) team *= 2;
    return team;
}

/* Sets which segments are small, how many of them a group reduces, and the scratch for large ones. */
static gp_result gpi_segmented_spans(gp_context *gp, gpi_segmented *s)
{
    const size_t tile = gpi_plan_tile(&s->plan), segments = s->offsets.segments;
    const bool serial = s->plan.shape == GP_SHAPE_SERIAL;
    const size_t share = segments / (8 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1));
    s->team = serial ? 1 : gpi_segmented_team(&s->offsets, &s->plan);
    s->small_size =
        serial ? (cl_uint)(tile < GPI_REDUCE_SMALL ? tile : (size_t)GPI_REDUCE_SMALL) : 16 * s->team;
    if (!serial && s->small_size < 64) s->small_size = 64;
    s->block = share;
    if (serial && s->block > GPI_REDUCE_BLOCK) s->block = GPI_REDUCE_BLOCK;
    if (!serial && s->block > 64 * (s->plan.group / s->team)) s->block = 64 * (s->plan.group / s->team);
    if (s->block < s->plan.group / s->team) s->block = s->plan.group / s->team;
    return gpi_offsets_list(gp, &s->offsets, s->small_size, tile, s->element.size, &s->list);
}

/* Sets how groups share columns: blocks of neighbouring columns, which are cut into parts if there are too few of them
   to keep the device busy. A part has enough elements that its result adds little cost. */
static void gpi_segmented_cut(const gp_context *gp, gpi_segmented *s)
{
    const gp_device_info *info = &gp->info;
    const bool serial = s->plan.shape == GP_SHAPE_SERIAL;
    const size_t n = s->offsets.segments, rows = s->offsets.row_length;
    const size_t groups = (serial ? 8 : 16) * (size_t)(info->compute_units ? info->compute_units : 1);
    size_t least;
    s->wide = serial ? GPI_COLUMNS_BYTES / s->element.size : 1;
    while (!serial && s->wide < s->plan.group && s->wide < n) s->wide *= 2;
    least = serial ? gpi_ceil_div(GPI_COLUMNS_LEAST, n < s->wide ? n : s->wide) : 8 * s->plan.group / s->wide;
    s->across = gpi_ceil_div(n, s->wide);
    s->span = gpi_ceil_div(rows, gpi_ceil_div(groups, s->across));
    if (s->span < least) s->span = least;
    if (info->loop_limit && s->span > info->loop_limit / 4) s->span = info->loop_limit / 4;
    s->parts = gpi_ceil_div(rows, s->span);
    s->scratch = s->parts > 1 ? s->parts * n * s->element.size : 0;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. `results`: instead of the desc's operation
   and output, the results of groups of rows; NULL: none. */
static gp_result gpi_segmented_plan(gp_context *gp, const gp_segmented_reduce_desc *d,
                                    const gpi_operation *results, gpi_segmented *s)
{
    gp_result result;
    memset(s, 0, sizeof *s);
    s->desc = d;
    s->count.bound = d->segment_count;
    s->count.buffer = d->count_buffer;
    s->count.offset = d->count_offset;
    s->count.type = d->count_type;
    s->offsets.buffer = d->offsets;
    s->offsets.offset = d->offsets_offset;
    s->offsets.type = d->offsets_type;
    s->offsets.row_length = d->row_length;
    s->offsets.row_stride = d->row_stride;
    s->offsets.element_stride = d->element_stride;
    s->columns = d->element_stride > 1;
    s->offsets.segments = d->segment_count;
    s->offsets.count = d->count;
    result = gpi_offsets_check(gp, &s->offsets);
    if (result == GP_OK)
        result = results ? gpi_element_make(gp, results, &s->element) : gpi_segmented_types(gp, s);
    if (result != GP_OK) return result;
    result = gpi_plan_make(gp, GPI_REDUCE, &s->element, GP_STRATEGY_AUTO, &s->plan);
    if (result != GP_OK) return result;
    result = gpi_element_program(gp,
                                 results      ? GPI_GROUP_RESULTS
                                 : s->columns ? GPI_COLUMNS
                                              : GPI_SEGMENTED_REDUCE,
                                 &s->element, &s->plan, &s->program);
    if (result == GP_OK && s->columns && d->segment_count) gpi_segmented_cut(gp, s);
    if (result != GP_OK || s->columns) return result;
    result = gpi_segmented_spans(gp, s);
    s->scratch = s->list.bytes;
    return result;
}

static gp_result gpi_segmented_check(gp_context *gp, const gpi_segmented *s)
{
    const gp_segmented_reduce_desc *d = s->desc;
    const gpi_element *e = &s->element;
    const size_t n = s->offsets.count;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, gpi_check_positions(gp, e, n));
    if (n > 0) gpi_use_buffer(&uses, "in", d->in, d->in_offset, n, e->in_size, GPI_READS);
    gpi_use_offsets(&uses, &s->offsets);
    gpi_use_count(&uses, "count_buffer", &s->count);
    gpi_use_buffer(&uses, "out", d->out, d->out_offset, d->segment_count, e->out_size, GPI_WRITES);
    return gpi_uses_end(&uses, &e->operation.args, d->scratch, s->scratch);
}

/* ------------------------------------------------------------------ launches */

/* Passes the input, and the arguments for GPI_OFFSETS_PARAMETERS (base/segments.cl). */
static void gpi_segmented_arg_input(gpi_call *call, const gpi_segmented *s)
{
    const gp_segmented_reduce_desc *d = s->desc;
    const cl_mem in = s->offsets.count ? d->in : d->out; /* without elements, the kernel reads none */
    gpi_call_args(call, &s->element.operation.args);
    GPI_CALL_ARG(call, in);
    gpi_call_arg_ulong(call, s->offsets.count ? d->in_offset : 0);
    gpi_call_arg_offsets(call, &s->offsets);
}

/* Passes the arguments for GPI_OUTPUTS_PARAMETERS (scan/segments.cl). */
static void gpi_segmented_arg_outputs(gpi_call *call, const gpi_segmented *s)
{
    const gp_group_result *results = s->element.operation.results;
    size_t k;
    for (k = 0; k < s->element.field_count && results; k++)
        gpi_call_arg_array(call, results[k].out, results[k].out_offset);
    if (results) return;
    gpi_call_arg_array(call, s->desc->out, s->desc->out_offset);
    gpi_call_arg_initial(call, &s->element);
}

static gp_result gpi_segmented_small(gpi_call *call, const gpi_segmented *s, cl_mem scratch)
{
    const cl_ulong block = s->block;
    gpi_call_kernel(call, s->program, "gp_segments_reduce");
    gpi_segmented_arg_input(call, s);
    gpi_call_arg_count(call, &s->count);
    gpi_call_arg_list(call, &s->list, scratch);
    gpi_segmented_arg_outputs(call, s);
    GPI_CALL_ARG(call, block);
    GPI_CALL_ARG(call, s->small_size);
    GPI_CALL_ARG(call, s->team);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &s->plan, gpi_ceil_div(s->desc->segment_count, s->block));
}

/* Enqueues the reduction of large segments' parts, and the join of the results. A few groups per compute unit share the parts. If
   loops are limited, a group has one part. */
static gp_result gpi_segmented_large(gpi_call *call, const gpi_segmented *s, cl_mem scratch)
{
    const gp_device_info *info = &call->gp->info;
    size_t groups = 16 * (size_t)(info->compute_units ? info->compute_units : 1);
    gp_result result;
    if (groups > s->list.parts || info->loop_limit) groups = s->list.parts;
    gpi_call_kernel(call, s->program, "gp_segments_parts");
    gpi_segmented_arg_input(call, s);
    gpi_call_arg_list(call, &s->list, scratch);
    result = gpi_call_launch(call, &s->plan, groups);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->program, "gp_segments_join");
    gpi_call_combine_args(call, &s->element);
    gpi_segmented_arg_outputs(call, s);
    gpi_call_arg_list(call, &s->list, scratch);
    return gpi_call_launch(call, &s->plan, groups < s->list.large ? groups : s->list.large);
}

static gp_result gpi_segmented_columns(gpi_call *call, const gpi_segmented *s, cl_mem scratch)
{
    const gpi_offsets *o = &s->offsets;
    const cl_mem partials = s->parts > 1 ? scratch : call->gp->counters; /* not used for one part */
    gp_result result;
    gpi_call_kernel(call, s->program, "gp_columns_reduce");
    gpi_call_args(call, &s->element.operation.args);
    GPI_CALL_ARG(call, s->desc->in);
    gpi_call_arg_ulong(call, s->desc->in_offset);
    gpi_call_arg_ulong(call, o->row_length);
    gpi_call_arg_ulong(call, o->row_stride);
    gpi_call_arg_ulong(call, o->element_stride);
    gpi_call_arg_count(call, &s->count);
    gpi_call_arg_ulong(call, s->span);
    gpi_call_arg_uint(call, s->wide);
    gpi_call_arg_ulong(call, s->across);
    GPI_CALL_ARG(call, partials);
    gpi_segmented_arg_outputs(call, s);
    GPI_CALL_ARG(call, call->gp->counters);
    result = gpi_call_launch(call, &s->plan, s->across * s->parts);
    if (result != GP_OK || s->parts == 1) return result;
    gpi_call_kernel(call, s->program, "gp_columns_join");
    gpi_call_combine_args(call, &s->element);
    GPI_CALL_ARG(call, partials);
    gpi_call_arg_uint(call, s->parts);
    gpi_segmented_arg_outputs(call, s);
    gpi_call_arg_count(call, &s->count);
    gpi_call_arg_uint(call, s->wide);
    return gpi_call_launch(call, &s->plan, s->across);
}

static gp_result gpi_segmented_launch(gpi_call *call, const gpi_segmented *s)
{
    cl_mem scratch = NULL;
    gp_result result;
    if (s->desc->segment_count == 0) return GP_OK;
    result = s->scratch ? gpi_call_scratch(call, s->desc->scratch, s->scratch, &scratch) : GP_OK;
    if (result == GP_OK && s->columns) return gpi_segmented_columns(call, s, scratch);
    if (result == GP_OK) result = gpi_call_fill(call, scratch, 0, GPI_SEGMENTS_HEADER * 4);
    if (result == GP_OK) result = gpi_segmented_small(call, s, scratch);
    return result == GP_OK && s->list.large ? gpi_segmented_large(call, s, scratch) : result;
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_segmented_reduce(gp_context *gp, const gp_segmented_reduce_desc *desc)
{
    gpi_segmented segmented;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_segmented_plan(gp, desc, NULL, &segmented);
    if (result == GP_OK && desc->segment_count > 0) result = gpi_segmented_check(gp, &segmented);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_segmented_launch(&call, &segmented);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_segmented_reduce_scratch_size(gp_context *gp, const gp_segmented_reduce_desc *desc,
                                                  size_t *bytes)
{
    gpi_segmented segmented;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_segmented_plan(gp, desc, NULL, &segmented);
    *bytes = result == GP_OK ? segmented.scratch : 0;
    return result;
}

/* Reduces neutral elements in temporary buffers: a large segment and a small one, or two columns of several parts. */
static gp_result gpi_segmented_reduce_warm_up(gp_context *gp, const gp_segmented_reduce_desc *desc)
{
    gp_segmented_reduce_desc probe;
    gpi_segmented segmented;
    cl_uint offsets[3] = {0, 0, 0};
    gp_result result;
    memset(&probe, 0, sizeof probe);
    probe.type = desc->type;
    probe.out_type = desc->out_type;
    probe.op = desc->op;
    probe.monoid = desc->monoid;
    probe.map = desc->map;
    probe.record = desc->record;
    probe.args = desc->args;
    probe.arg_count = desc->arg_count;
    probe.offsets_type = GP_U32;
    probe.element_stride = desc->element_stride > 1 ? 2 : 0;
    probe.row_length = probe.element_stride ? 1 << 16 : 0;
    probe.segment_count = 2;
    result = gpi_segmented_plan(gp, &probe, NULL, &segmented);
    if (result != GP_OK) return result;
    offsets[1] = (cl_uint)(32 * gpi_plan_tile(&segmented.plan));
    probe.count = offsets[2] = offsets[1] + 16;
    if (segmented.columns) probe.count = 2 * probe.row_length;
    else result = gp_buffer_create(gp, sizeof offsets, offsets, &probe.offsets);
    if (result == GP_OK) result = gpi_alloc_neutral(gp, &segmented.element, probe.count, &probe.in);
    if (result == GP_OK) result = gpi_alloc(gp, 2 * segmented.element.out_size, &probe.out);
    if (result == GP_OK) result = gp_segmented_reduce(gp, &probe);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    if (probe.offsets) (void)clReleaseMemObject(probe.offsets);
    return result;
}
