/* scan.c - gp_scan: scans in one look-back launch or in three sweeps; scans a single tile in one sweep. */
#include "base/context.h"
#include "base/error.h"
#include "base/type.h"
#include "scan/scan.h"

#include <string.h>

static gp_result gpi_scan_element(gp_context *gp, const gp_scan_desc *desc, gpi_element *element)
{
    gpi_operation o;
    if ((unsigned)desc->segments >= GP_SEGMENTS_COUNT) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "segments = %d is not a gp_segments",
                        (int)desc->segments);
    }
    if (!desc->segments && (desc->heads || desc->heads_type)) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "heads is set but segments is GP_SEGMENTS_NONE");
    }
    memset(&o, 0, sizeof o);
    o.type = desc->type;
    o.out_type = desc->out_type;
    if (!o.out_type && !desc->monoid) o.out_type = gpi_is_arg(desc->op) ? GP_U64 : desc->type;
    o.op = desc->op;
    o.monoid = desc->monoid;
    o.map = desc->map;
    o.record = desc->record;
    o.args = gpi_args_make(desc->args, desc->arg_count, "");
    o.initial = desc->initial;
    o.reverse = desc->reverse;
    o.segments = (int)desc->segments;
    o.heads_type = desc->segments ? desc->heads_type : GP_TYPE_NONE;
    return gpi_element_make(gp, &o, element);
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_scan_plan(gp_context *gp, const gp_scan_desc *desc, gpi_scan *scan)
{
    gp_result result;
    scan->desc = desc;
    scan->count.bound = desc->count;
    scan->count.buffer = desc->count_buffer;
    scan->count.offset = desc->count_offset;
    scan->count.type = desc->count_type;
    result = gpi_scan_element(gp, desc, &scan->element);
    if (result != GP_OK) return result;
    result = gpi_plan_make(gp, GPI_SCAN, &scan->element, desc->strategy, &scan->plan);
    if (result != GP_OK) return result;
    result = gpi_element_program(gp, GPI_SCAN, &scan->element, &scan->plan, &scan->program);
    if (result != GP_OK) return result;
    scan->polls = scan->plan.polls;
    return gpi_plan_tiles(gp, &scan->plan, desc->count, &scan->tiles);
}

/* Returns the bytes of the state buffer of scan/lookback.cl, for elements of `size` bytes. */
static size_t gpi_look_back_bytes(size_t tiles, size_t size)
{
    return GPI_STATE_HEADER * 4 + tiles * ((size + 3) / 4) * 8; /* 8: one wide or two narrow words */
}

static size_t gpi_scan_state_bytes(const gpi_scan *scan)
{
    return gpi_look_back_bytes(scan->tiles, scan->element.size);
}

/* Returns the scratch that suffices for either strategy, because the choice also depends on the buffers. */
static size_t gpi_scan_scratch(const gpi_scan *scan)
{
    const size_t partials = scan->tiles * scan->element.size;
    const size_t state = gpi_scan_state_bytes(scan);
    if (scan->tiles <= 1) return 0;
    return state > partials ? state : partials;
}

/* Chooses between look-back and sweeps. With look-back, a group that has waited too long computes the late tile itself
   from the input, which a scan in place may have overwritten. So in place, groups wait without bound if the device is
   fair; else the scan uses sweeps. A device that ends long loops too early (loop_limit) can look back over at most
   GPI_LOOK_BACK_FEW tiles. Look-back combines sums in an order that depends on timing, so a call that must give the
   same bits each time uses sweeps. */
static void gpi_scan_choose(const gp_context *gp, gpi_scan *scan, bool in_place)
{
    if (gp->info.loop_limit && scan->tiles > GPI_LOOK_BACK_FEW) scan->plan.strategy = GP_STRATEGY_MULTI_PASS;
    if (scan->desc->deterministic && !scan->element.exact) scan->plan.strategy = GP_STRATEGY_MULTI_PASS;
    if (!in_place) return;
    if (!gp->info.fair) scan->plan.strategy = GP_STRATEGY_MULTI_PASS;
    scan->polls = 0;
}

static gp_result gpi_scan_check(gp_context *gp, gpi_scan *scan)
{
    const gp_scan_desc *d = scan->desc;
    const gpi_element *e = &scan->element;
    const gpi_range *in, *out, *heads = NULL, *count;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, GP_OK);
    in = gpi_use_buffer(&uses, "in", d->in, d->in_offset, d->count, e->in_size, GPI_READS_OR_OUT);
    if (uses.result == GP_OK) uses.result = gpi_check_positions(gp, e, d->count);
    if (d->segments)
        heads = gpi_use_buffer(&uses, "heads", d->heads, d->heads_offset, d->count, e->heads_size, GPI_READS);
    out = gpi_use_buffer(&uses, "out", d->out, d->out_offset, d->count, e->out_size, GPI_WRITES);
    count = gpi_use_count(&uses, "count_buffer", &scan->count);
    if (uses.result == GP_OK && gpi_overlap(count, out))
        return gpi_fail(gp, GP_ERROR_OVERLAP, "count_buffer and out overlap");
    if (uses.result == GP_OK && heads && gpi_overlap(heads, out))
        return gpi_fail(gp, GP_ERROR_OVERLAP, "heads and out overlap");
    gpi_uses_apart(&uses);
    gpi_uses_args(&uses, &e->operation.args);
    if (uses.result != GP_OK) return uses.result;
    gpi_scan_choose(gp, scan, gpi_same(in, out));
    return gpi_uses_scratch(&uses, d->scratch, gpi_scan_scratch(scan));
}

/* Passes the arguments that the kernels share: expression arguments, input, heads, and count. */
static void gpi_scan_arg_input(gpi_call *call, const gpi_scan *scan)
{
    const cl_ulong offset = scan->desc->in_offset;
    gpi_call_args(call, &scan->element.operation.args);
    GPI_CALL_ARG(call, scan->desc->in);
    GPI_CALL_ARG(call, offset);
    if (scan->desc->segments) {
        const cl_ulong heads_offset = scan->desc->heads_offset;
        GPI_CALL_ARG(call, scan->desc->heads);
        GPI_CALL_ARG(call, heads_offset);
    }
    gpi_call_arg_count(call, &scan->count);
}

static void gpi_scan_arg_output(gpi_call *call, const gpi_scan *scan)
{
    const cl_ulong offset = scan->desc->out_offset;
    const cl_uint exclusive = scan->desc->exclusive;
    GPI_CALL_ARG(call, scan->desc->out);
    GPI_CALL_ARG(call, offset);
    gpi_call_arg_initial(call, &scan->element);
    GPI_CALL_ARG(call, exclusive);
}

static gp_result gpi_scan_single_pass(gpi_call *call, gpi_scan *scan, cl_mem state)
{
    const gp_result result = gpi_call_fill(call, state, 0, gpi_scan_state_bytes(scan));
    if (result != GP_OK) return result;
    gpi_call_kernel(call, scan->program, "gp_scan_look_back");
    gpi_scan_arg_input(call, scan);
    gpi_scan_arg_output(call, scan);
    GPI_CALL_ARG(call, state);
    GPI_CALL_ARG(call, scan->polls);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &scan->plan, scan->tiles);
}

/* Enqueues upsweep and spine. For each tile, they write to `partials` the product of all elements before the tile,
   which begins with `initial` if there are no segments. */
static gp_result gpi_scan_sums(gpi_call *call, gpi_scan *scan, cl_mem partials)
{
    gp_result result;
    gpi_call_kernel(call, scan->program, "gp_scan_upsweep");
    gpi_scan_arg_input(call, scan);
    GPI_CALL_ARG(call, partials);
    result = gpi_call_launch(call, &scan->plan, scan->tiles);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, scan->program, "gp_scan_spine");
    gpi_call_combine_args(call, &scan->element);
    GPI_CALL_ARG(call, partials);
    GPI_CALL_ARG(call, scan->tiles);
    gpi_call_arg_initial(call, &scan->element);
    return gpi_call_launch(call, &scan->plan, 1);
}

static gp_result gpi_scan_downsweep(gpi_call *call, gpi_scan *scan, cl_mem partials)
{
    gpi_call_kernel(call, scan->program, "gp_scan_downsweep");
    gpi_scan_arg_input(call, scan);
    gpi_scan_arg_output(call, scan);
    GPI_CALL_ARG(call, partials);
    GPI_CALL_ARG(call, scan->tiles);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &scan->plan, scan->tiles);
}

static gp_result gpi_scan_launch(gpi_call *call, gpi_scan *scan)
{
    cl_mem scratch = NULL;
    gp_result result;
    if (scan->tiles == 0) return GP_OK;
    if (scan->tiles == 1) return gpi_scan_downsweep(call, scan, scan->desc->out);
    result = gpi_call_scratch(call, scan->desc->scratch, gpi_scan_scratch(scan), &scratch);
    if (result != GP_OK) return result;
    if (scan->plan.strategy == GP_STRATEGY_SINGLE_PASS) return gpi_scan_single_pass(call, scan, scratch);
    result = gpi_scan_sums(call, scan, scratch);
    return result == GP_OK ? gpi_scan_downsweep(call, scan, scratch) : result;
}

GP_API gp_result gp_scan(gp_context *gp, const gp_scan_desc *desc)
{
    gpi_scan scan;
    gpi_call call;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_scan_plan(gp, desc, &scan);
    if (result == GP_OK && desc->count > 0) result = gpi_scan_check(gp, &scan);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, desc->wait, desc->wait_count, desc->done);
    if (result == GP_OK) result = gpi_scan_launch(&call, &scan);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_scan_scratch_size(gp_context *gp, const gp_scan_desc *desc, size_t *bytes)
{
    gpi_scan scan;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_scan_plan(gp, desc, &scan);
    *bytes = result == GP_OK ? gpi_scan_scratch(&scan) : 0;
    return result;
}

/* Runs the call's kernels on neutral elements in temporary buffers, once with one tile and once with two. */
static gp_result gpi_scan_warm_up(gp_context *gp, const gp_scan_desc *desc)
{
    gp_scan_desc probe = *desc;
    gpi_scan scan;
    gp_result result;
    size_t tile;
    probe.wait_count = 0;
    probe.wait = NULL;
    probe.done = NULL;
    probe.count = 0;
    probe.count_buffer = NULL;
    probe.initial = NULL;
    probe.in = probe.out = probe.heads = probe.scratch = NULL;
    probe.in_offset = probe.out_offset = probe.heads_offset = 0;
    result = gpi_scan_plan(gp, &probe, &scan);
    if (result != GP_OK) return result;
    tile = gpi_plan_tile(&scan.plan);
    result = gpi_alloc_neutral(gp, &scan.element, tile + 1, &probe.in);
    if (result == GP_OK) result = gpi_alloc(gp, (tile + 1) * scan.element.out_size, &probe.out);
    if (result == GP_OK && probe.segments) {
        result = gpi_alloc_zeros(gp, (tile + 1) * scan.element.heads_size, &probe.heads);
    }
    for (probe.count = 1; probe.count <= tile + 1 && result == GP_OK; probe.count += tile) {
        result = gp_scan(gp, &probe);
    }
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.out) (void)clReleaseMemObject(probe.out);
    if (probe.heads) (void)clReleaseMemObject(probe.heads);
    return result;
}
