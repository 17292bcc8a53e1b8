/* segmented_scan.c - gp_segmented_scan: a group scans the small segments of a block. Large segments are cut into parts,
   which are scanned as the tiles of gp_scan are. Columns, whose elements are not consecutive, have their own
   kernels. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "base/type.h"
#include "scan/scan.h"

#include <string.h>

enum {
    GPI_SCAN_SMALL =
        8192, /* serial: most elements of a small segment given by offsets, which one item scans */
    GPI_SCAN_BLOCK = 512,  /* serial: most segments of a group */
    GPI_COLUMNS_GROUPS = 8 /* groups of columns per compute unit */
};

/* ------------------------------------------------------------------ plan */

static gp_result gpi_segmented_scan_element(gp_context *gp, const gp_segmented_scan_desc *d,
                                            gpi_element *element)
{
    gpi_operation o;
    memset(&o, 0, sizeof o);
    o.type = d->type;
    o.out_type = d->out_type;
    if (!o.out_type && !d->monoid) o.out_type = gpi_is_arg(d->op) ? GP_U64 : d->type;
    o.op = d->op;
    o.monoid = d->monoid;
    o.map = d->map;
    o.record = d->record;
    o.args = gpi_args_make(d->args, d->arg_count, "");
    o.initial = d->initial;
    o.reverse = d->reverse;
    return gpi_element_make(gp, &o, element);
}

/* Checks that rows follow one another, or that all rows begin before the second element of the first row, so that no
   element is in two rows. */
static gp_result gpi_segmented_scan_apart(gp_context *gp, const gpi_offsets *o)
{
    const size_t step = o->element_stride ? o->element_stride : 1;
    if (o->row_length == 0 || o->segments < 2 || o->row_stride > (o->row_length - 1) * step) return GP_OK;
    if (o->segments - 1 <= (step - 1) / o->row_stride) return GP_OK;
    return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                    "rows of %zu elements, %zu apart, begin %zu elements apart: they overlap or cross",
                    o->row_length, step, o->row_stride);
}

/* Returns the bytes of a large segment's part in the scratch: its state, or its partial. */
static size_t gpi_segmented_scan_part_bytes(const gpi_element *element)
{
    const size_t state = gpi_look_back_bytes(1, element->size) - gpi_look_back_bytes(0, element->size);
    return state > element->size ? state : element->size;
}

/* Sets which segments are small, how many of them a group scans, and the scratch for large ones. */
static gp_result gpi_segmented_scan_spans(gp_context *gp, gpi_segmented_scan *s)
{
    const size_t tile = gpi_plan_tile(&s->plan), segments = s->offsets.segments;
    const bool serial = s->plan.shape == GP_SHAPE_SERIAL;
    const size_t units = gp->info.compute_units ? gp->info.compute_units : 1;
    const size_t average = gpi_offsets_average(&s->offsets);
    const size_t fits = s->offsets.row_length || tile < GPI_SCAN_SMALL ? tile : (size_t)GPI_SCAN_SMALL;
    size_t most = serial ? GPI_SCAN_BLOCK : 64;
    s->team = serial ? 1 : gpi_segmented_team(&s->offsets, &s->plan);
    s->small_size = serial ? (cl_uint)fits : 16 * s->team;
    if (!serial && s->small_size < 64) s->small_size = 64;
    if (serial && average && most > gpi_ceil_div(tile, average)) most = gpi_ceil_div(tile, average);
    if (!serial) most *= s->plan.group / s->team;
    s->block = segments / (8 * units);
    if (s->block > most) s->block = most;
    if (s->block < s->plan.group / s->team) s->block = s->plan.group / s->team;
    return gpi_offsets_list(gp, &s->offsets, s->small_size, tile, gpi_segmented_scan_part_bytes(&s->element),
                            &s->list);
}

/* Sets how groups share columns: blocks of neighbouring columns, each of which a group scans in one pass. If there are
   too few blocks to keep the device busy, cuts them into parts. A group then combines the partials of all parts before
   its own. */
static void gpi_segmented_scan_cut(const gp_context *gp, gpi_segmented_scan *s)
{
    const gp_device_info *info = &gp->info;
    const bool serial = s->plan.shape == GP_SHAPE_SERIAL;
    const size_t n = s->offsets.segments, rows = s->offsets.row_length;
    const size_t units = info->compute_units ? info->compute_units : 1;
    const size_t strip = gpi_ceil_div(n, units);
    size_t least;
    s->wide = serial ? GPI_COLUMNS_BYTES / s->element.size : s->plan.group < 32 ? s->plan.group : 32;
    while (!serial && s->wide / 2 >= n) s->wide /= 2;
    if (serial && strip >= s->wide / 2 && strip < s->wide) s->wide = strip; /* makes one pass possible */
    least = serial ? gpi_ceil_div(GPI_COLUMNS_LEAST, n < s->wide ? n : s->wide) : 8 * s->plan.group / s->wide;
    s->across = gpi_ceil_div(n, s->wide);
    s->span = s->across < (serial ? 1 : 2) * units
                  ? gpi_ceil_div(rows, gpi_ceil_div(GPI_COLUMNS_GROUPS * units, s->across))
                  : rows;
    if (s->span < least) s->span = least;
    if (info->loop_limit && s->span > info->loop_limit / 4) s->span = info->loop_limit / 4;
    s->parts = gpi_ceil_div(rows, s->span);
    s->scratch = s->parts > 1 ? s->parts * n * s->element.size : 0;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_segmented_scan_plan(gp_context *gp, const gp_segmented_scan_desc *d,
                                         gpi_segmented_scan *s)
{
    gp_result result;
    memset(s, 0, sizeof *s);
    s->desc = d;
    s->count = gpi_count_make(d->segment_count, d->count_buffer, d->count_offset, d->count_type);
    s->offsets.buffer = d->offsets;
    s->offsets.offset = d->offsets_offset;
    s->offsets.type = d->offsets_type;
    s->offsets.row_length = d->row_length;
    s->offsets.row_stride = d->row_stride;
    s->offsets.element_stride = d->element_stride;
    s->offsets.segments = d->segment_count;
    s->offsets.count = d->count;
    s->columns = d->element_stride > 1;
    result = gpi_offsets_check(gp, &s->offsets);
    if (result == GP_OK) result = gpi_segmented_scan_apart(gp, &s->offsets);
    if (result == GP_OK) result = gpi_segmented_scan_element(gp, d, &s->element);
    if (result != GP_OK) return result;
    result = gpi_plan_make(gp, s->columns ? GPI_REDUCE : GPI_SCAN, &s->element, d->strategy, &s->plan);
    if (result != GP_OK) return result;
    s->polls = s->plan.polls;
    result = gpi_element_program(gp, s->columns ? GPI_SCAN_COLUMNS : GPI_SEGMENTED_SCAN, &s->element,
                                 &s->plan, &s->program);
    if (result == GP_OK && s->columns && d->segment_count) gpi_segmented_scan_cut(gp, s);
    if (result != GP_OK || s->columns) return result;
    result = gpi_segmented_scan_spans(gp, s);
    s->scratch = s->list.bytes;
    return result;
}

/* Chooses between look-back and several passes over large segments, for the reasons given at gpi_scan_choose. */
static void gpi_segmented_scan_choose(const gp_context *gp, gpi_segmented_scan *s, bool in_place)
{
    if (gp->info.loop_limit || (s->desc->deterministic && !s->element.exact) || (in_place && !gp->info.fair))
        s->plan.strategy = GP_STRATEGY_MULTI_PASS;
    if (in_place) s->polls = 0;
}

static gp_result gpi_segmented_scan_check(gp_context *gp, gpi_segmented_scan *s)
{
    const gp_segmented_scan_desc *d = s->desc;
    const gpi_element *e = &s->element;
    const size_t n = s->offsets.count;
    const gpi_range *in = NULL, *out = NULL;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, gpi_check_positions(gp, e, n));
    if (n > 0) in = gpi_use_buffer(&uses, "in", d->in, d->in_offset, n, e->in_size, GPI_READS_OR_OUT);
    gpi_use_offsets(&uses, &s->offsets);
    gpi_use_count(&uses, "count_buffer", &s->count);
    if (n > 0) out = gpi_use_buffer(&uses, "out", d->out, d->out_offset, n, e->out_size, GPI_WRITES);
    if (uses.result == GP_OK) gpi_segmented_scan_choose(gp, s, n > 0 && gpi_same(in, out));
    return gpi_uses_end(&uses, &e->operation.args, d->scratch, s->scratch);
}

/* ------------------------------------------------------------------ launches */

/* Passes the arguments of expressions and the input. Without elements, kernels access neither input nor output. */
static void gpi_segmented_scan_arg_input(gpi_call *call, const gpi_segmented_scan *s)
{
    const bool any = s->offsets.count > 0;
    const cl_mem in = any ? s->desc->in : call->gp->counters;
    gpi_call_args(call, &s->element.operation.args);
    GPI_CALL_ARG(call, in);
    gpi_call_arg_ulong(call, any ? s->desc->in_offset : 0);
}

/* Passes the arguments for GPI_SINK_PARAMETERS (scan/tile_sink.cl). */
static void gpi_segmented_scan_arg_output(gpi_call *call, const gpi_segmented_scan *s)
{
    const bool any = s->offsets.count > 0;
    const cl_mem out = any ? s->desc->out : call->gp->counters;
    GPI_CALL_ARG(call, out);
    gpi_call_arg_ulong(call, any ? s->desc->out_offset : 0);
    gpi_call_arg_initial(call, &s->element);
    gpi_call_arg_uint(call, s->desc->exclusive);
}

/* Selects a kernel, and passes the first arguments, which all kernels on segments except the spine share. */
static void gpi_segmented_scan_kernel(gpi_call *call, const gpi_segmented_scan *s, const char *name,
                                      cl_mem scratch)
{
    gpi_call_kernel(call, s->program, name);
    gpi_segmented_scan_arg_input(call, s);
    gpi_call_arg_offsets(call, &s->offsets);
    gpi_call_arg_list(call, &s->list, scratch);
}

static gp_result gpi_segmented_scan_small(gpi_call *call, const gpi_segmented_scan *s, cl_mem scratch)
{
    gpi_segmented_scan_kernel(call, s, "gp_segments_scan", scratch);
    gpi_segmented_scan_arg_output(call, s);
    gpi_call_arg_count(call, &s->count);
    gpi_call_arg_ulong(call, s->block);
    GPI_CALL_ARG(call, s->small_size);
    GPI_CALL_ARG(call, s->team);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &s->plan, gpi_ceil_div(s->desc->segment_count, s->block));
}

static gp_result gpi_segmented_scan_single_pass(gpi_call *call, const gpi_segmented_scan *s, cl_mem scratch,
                                                size_t groups)
{
    gpi_segmented_scan_kernel(call, s, "gp_segments_look_back", scratch);
    gpi_segmented_scan_arg_output(call, s);
    GPI_CALL_ARG(call, s->polls);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &s->plan, groups);
}

static gp_result gpi_segmented_scan_multi_pass(gpi_call *call, const gpi_segmented_scan *s, cl_mem scratch,
                                               size_t groups)
{
    gp_result result;
    gpi_segmented_scan_kernel(call, s, "gp_segments_upsweep", scratch);
    result = gpi_call_launch(call, &s->plan, groups);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->program, "gp_segments_prefixes");
    gpi_call_combine_args(call, &s->element);
    gpi_call_arg_list(call, &s->list, scratch);
    gpi_call_arg_initial(call, &s->element);
    result = gpi_call_launch(call, &s->plan, groups < s->list.large ? groups : s->list.large);
    if (result != GP_OK) return result;
    gpi_segmented_scan_kernel(call, s, "gp_segments_downsweep", scratch);
    gpi_segmented_scan_arg_output(call, s);
    return gpi_call_launch(call, &s->plan, groups);
}

/* Enqueues the scan of large segments. A few groups per compute unit share the parts. If loops are limited, a group has one part. */
static gp_result gpi_segmented_scan_large(gpi_call *call, const gpi_segmented_scan *s, cl_mem scratch)
{
    const gp_device_info *info = &call->gp->info;
    size_t groups = 16 * (size_t)(info->compute_units ? info->compute_units : 1);
    if (groups > s->list.parts || info->loop_limit) groups = s->list.parts;
    if (s->plan.strategy == GP_STRATEGY_SINGLE_PASS)
        return gpi_segmented_scan_single_pass(call, s, scratch, groups);
    return gpi_segmented_scan_multi_pass(call, s, scratch, groups);
}

/* Passes the input, and the shape of the columns and of their blocks. */
static void gpi_segmented_scan_arg_columns(gpi_call *call, const gpi_segmented_scan *s, cl_mem partials)
{
    gpi_segmented_scan_arg_input(call, s);
    gpi_call_arg_ulong(call, s->offsets.row_length);
    gpi_call_arg_ulong(call, s->offsets.row_stride);
    gpi_call_arg_ulong(call, s->offsets.element_stride);
    gpi_call_arg_count(call, &s->count);
    gpi_call_arg_ulong(call, s->span);
    gpi_call_arg_uint(call, s->wide);
    gpi_call_arg_ulong(call, s->across);
    GPI_CALL_ARG(call, partials);
}

static gp_result gpi_segmented_scan_columns(gpi_call *call, const gpi_segmented_scan *s, cl_mem scratch)
{
    const cl_mem partials = s->parts > 1 ? scratch : call->gp->counters; /* not used for one part */
    const cl_ulong out_at = s->desc->out_offset;
    gp_result result = GP_OK;
    if (s->parts > 1) {
        gpi_call_kernel(call, s->program, "gp_columns_reduce");
        gpi_segmented_scan_arg_columns(call, s, partials);
        GPI_CALL_ARG(call, s->desc->out);
        GPI_CALL_ARG(call, out_at);
        gpi_call_arg_initial(call, &s->element);
        GPI_CALL_ARG(call, call->gp->counters);
        result = gpi_call_launch(call, &s->plan, s->across * (s->parts - 1));
    }
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->program, "gp_columns_scan");
    gpi_segmented_scan_arg_columns(call, s, partials);
    gpi_segmented_scan_arg_output(call, s);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &s->plan, s->across * s->parts);
}

static gp_result gpi_segmented_scan_launch(gpi_call *call, const gpi_segmented_scan *s)
{
    const bool states = s->list.large && s->plan.strategy == GP_STRATEGY_SINGLE_PASS;
    cl_mem scratch = NULL;
    gp_result result;
    if (s->desc->segment_count == 0) return GP_OK;
    result = s->scratch ? gpi_call_scratch(call, s->desc->scratch, s->scratch, &scratch) : GP_OK;
    if (result == GP_OK && s->columns) return gpi_segmented_scan_columns(call, s, scratch);
    if (result == GP_OK)
        result = gpi_call_fill(call, scratch, 0, states ? s->list.bytes : GPI_SEGMENTS_HEADER * 4);
    if (result == GP_OK) result = gpi_segmented_scan_small(call, s, scratch);
    return result == GP_OK && s->list.large ? gpi_segmented_scan_large(call, s, scratch) : result;
}

/* ------------------------------------------------------------------ API */

GP_API gp_result gp_segmented_scan(gp_context *gp, const gp_segmented_scan_desc *desc)
{
    gpi_segmented_scan scan;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_segmented_scan_plan(gp, desc, &scan);
    if (result == GP_OK && desc->segment_count > 0) result = gpi_segmented_scan_check(gp, &scan);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_segmented_scan_launch(&call, &scan);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_segmented_scan_scratch_size(gp_context *gp, const gp_segmented_scan_desc *desc,
                                                size_t *bytes)
{
    gpi_segmented_scan scan;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_segmented_scan_plan(gp, desc, &scan);
    *bytes = result == GP_OK ? scan.scratch : 0;
    return result;
}

/* Scans neutral elements in temporary buffers: a large segment and a small one, or two columns of several parts. */
static gp_result gpi_segmented_scan_warm_up(gp_context *gp, const gp_segmented_scan_desc *desc)
{
    gp_segmented_scan_desc probe = *desc;
    gpi_segmented_scan scan;
    cl_uint offsets[3] = {0, 0, 0};
    gp_result result;
    probe.wait_count = 0;
    probe.wait = NULL;
    probe.done = NULL;
    probe.initial = NULL;
    probe.in = probe.out = probe.offsets = probe.count_buffer = probe.scratch = NULL;
    probe.in_offset = probe.out_offset = probe.offsets_offset = probe.row_stride = probe.count = 0;
    probe.offsets_type = GP_U32;
    probe.element_stride = desc->element_stride > 1 ? 2 : 0;
    probe.row_length = probe.element_stride ? 1 << 16 : 0;
    probe.segment_count = 2;
    result = gpi_segmented_scan_plan(gp, &probe, &scan);
    if (result != GP_OK) return result;
    offsets[1] = (cl_uint)(2 * gpi_plan_tile(&scan.plan));
    probe.count = offsets[2] = offsets[1] + 16;
    if (scan.columns) probe.count = 2 * probe.row_length;
    else result = gp_buffer_create(gp, sizeof offsets, offsets, &probe.offsets);
    if (result == GP_OK) result = gpi_alloc_neutral(gp, &scan.element, probe.count, &probe.in);
    if (result == GP_OK) result = gpi_alloc(gp, probe.count * scan.element.out_size, &probe.out);
    if (result == GP_OK) result = gp_segmented_scan(gp, &probe);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    if (probe.offsets) (void)clReleaseMemObject(probe.offsets);
    return result;
}
