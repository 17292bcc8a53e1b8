/* reduce.c - gp_reduce: reduces spans, then their partials, in two launches or in one. */
#include "base/context.h"
#include "base/error.h"
#include "base/math.h"
#include "scan/scan.h"

#include <string.h>

/* A checked call of gp_reduce, ready to run. */
typedef struct gpi_reduce {
    const gp_reduce_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    gpi_count count;
    cl_uint tiles, spans; /* numbers of tiles and spans for the count's bound */
    cl_mem out;
    cl_ulong out_offset;
} gpi_reduce;

static gp_result gpi_reduce_element(gp_context *gp, const gp_reduce_desc *desc, gpi_element *element)
{
    gpi_operation o;
    memset(&o, 0, sizeof o);
    o.type = desc->type;
    o.type2 = desc->in2 && !desc->type2 ? desc->type : desc->type2;
    o.out_type = desc->out_type;
    o.op = desc->op;
    o.ops = desc->ops;
    o.out_types = desc->out_types;
    o.op_count = desc->op_count;
    o.map_type = desc->map_type;
    o.compensated = desc->compensated;
    o.monoid = desc->monoid;
    o.map = desc->map;
    o.record = desc->record;
    o.args = gpi_args_make(desc->args, desc->arg_count, "");
    o.indices = desc->map && !desc->in && !desc->type && !desc->record;
    o.initial = desc->initial;
    if (o.indices && (desc->in2 || desc->type2))
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "in2 or type2 is given without in and type");
    if (desc->record && desc->in2 && !desc->type2) return gpi_fail_type(gp, "type2", GP_TYPE_NONE);
    return gpi_element_make(gp, &o, element);
}

/* Returns the number of spans, enough for any count up to the bound. */
static cl_uint gpi_reduce_spans(const gp_context *gp, const gpi_reduce *reduce)
{
    const cl_uint most = GPI_REDUCE_SPANS_EACH * gp->info.compute_units;
    const cl_uint least = (cl_uint)gpi_ceil_div(reduce->tiles, GPI_REDUCE_SPAN);
    if (reduce->plan.shape == GP_SHAPE_SERIAL || reduce->tiles <= most) return reduce->tiles;
    return least > most ? least : most;
}

/* Checks and plans a call, except for its buffers. Afterwards the size of the scratch is known. */
static gp_result gpi_reduce_plan(gp_context *gp, const gp_reduce_desc *desc, gpi_reduce *reduce)
{
    gp_result result;
    reduce->desc = desc;
    reduce->count.bound = desc->count;
    reduce->count.buffer = desc->count_buffer;
    reduce->count.offset = desc->count_offset;
    reduce->count.type = desc->count_type;
    result = gpi_reduce_element(gp, desc, &reduce->element);
    if (result != GP_OK) return result;
    result = gpi_plan_make(gp, GPI_REDUCE, &reduce->element, GP_STRATEGY_AUTO, &reduce->plan);
    if (result != GP_OK) return result;
    result = gpi_element_program(gp, GPI_REDUCE, &reduce->element, &reduce->plan, &reduce->program);
    if (result != GP_OK) return result;
    result = gpi_plan_tiles(gp, &reduce->plan, desc->count, &reduce->tiles);
    reduce->spans = result == GP_OK ? gpi_reduce_spans(gp, reduce) : 0;
    return result;
}

static size_t gpi_reduce_scratch(const gpi_reduce *reduce)
{
    return reduce->spans > 1 ? reduce->spans * reduce->element.size : 0;
}

static gp_result gpi_reduce_check(gp_context *gp, gpi_reduce *reduce)
{
    const gp_reduce_desc *d = reduce->desc;
    const gpi_element *e = &reduce->element;
    gpi_uses uses;
    gpi_uses_begin(&uses, gp, gpi_check_positions(gp, e, d->count));
    if (uses.result == GP_OK && d->count > 0 && !d->in && d->map && d->type) {
        return gpi_fail(gp, GP_ERROR_INVALID_BUFFER, "in is NULL: if the map reads only i, leave type 0");
    }
    if (d->count > 0 && !e->operation.indices)
        gpi_use_buffer(&uses, "in", d->in, d->in_offset, d->count, e->in_size, GPI_READS);
    if (d->count > 0 && e->in2_size)
        gpi_use_buffer(&uses, "in2", d->in2, d->in2_offset, d->count, e->in2_size, GPI_READS);
    gpi_use_count(&uses, "count_buffer", &reduce->count);
    gpi_use_buffer(&uses, "out", reduce->out, reduce->out_offset, 1, e->out_size, GPI_WRITES);
    gpi_uses_args(&uses, &e->operation.args);
    return gpi_uses_scratch(&uses, d->scratch, gpi_reduce_scratch(reduce));
}

/* Returns true if the last group reduces the partials. This requires that the last group sees the writes of the other
   groups, and that launches do not overlap, since all launches count their groups in the same counter. */
static bool gpi_reduce_in_one(const gp_context *gp, const gpi_reduce *reduce)
{
    return reduce->plan.shape == GP_SHAPE_SERIAL && gpi_has_fences(&gp->info) && !gp->out_of_order;
}

/* Enqueues the reduction of spans. A single span writes the result itself. Without elements, one group reduces an empty tile and
   reads no input. */
static gp_result gpi_reduce_tiles(gpi_call *call, gpi_reduce *reduce, cl_mem partials)
{
    const gp_reduce_desc *desc = reduce->desc;
    const bool empty = desc->count == 0;
    const cl_ulong in_offset = empty ? 0 : desc->in_offset, in2_offset = empty ? 0 : desc->in2_offset;
    const cl_mem in = !empty ? desc->in : reduce->out, in2 = !empty ? desc->in2 : reduce->out;
    const cl_uint finish = reduce->spans <= 1 ? 1 : gpi_reduce_in_one(call->gp, reduce) ? 2 : 0;
    gpi_call_kernel(call, reduce->program, "gp_reduce_tiles");
    gpi_call_args(call, &reduce->element.operation.args);
    if (!reduce->element.operation.indices) {
        GPI_CALL_ARG(call, in);
        GPI_CALL_ARG(call, in_offset);
    }
    if (reduce->element.in2_size) {
        GPI_CALL_ARG(call, in2);
        GPI_CALL_ARG(call, in2_offset);
    }
    gpi_call_arg_count(call, &reduce->count);
    GPI_CALL_ARG(call, partials);
    GPI_CALL_ARG(call, reduce->out);
    GPI_CALL_ARG(call, reduce->out_offset);
    gpi_call_arg_initial(call, &reduce->element);
    GPI_CALL_ARG(call, finish);
    GPI_CALL_ARG(call, call->gp->counters);
    return gpi_call_launch(call, &reduce->plan, finish == 1 ? 1 : reduce->spans);
}

static gp_result gpi_reduce_partials(gpi_call *call, gpi_reduce *reduce, cl_mem partials)
{
    gpi_call_kernel(call, reduce->program, "gp_reduce_partials");
    gpi_call_combine_args(call, &reduce->element);
    GPI_CALL_ARG(call, partials);
    gpi_call_arg_count(call, &reduce->count);
    GPI_CALL_ARG(call, reduce->out);
    GPI_CALL_ARG(call, reduce->out_offset);
    gpi_call_arg_initial(call, &reduce->element);
    return gpi_call_launch(call, &reduce->plan, 1);
}

static gp_result gpi_reduce_launch(gpi_call *call, gpi_reduce *reduce)
{
    cl_mem partials = NULL;
    gp_result result;
    if (reduce->spans <= 1) return gpi_reduce_tiles(call, reduce, reduce->out);
    result = gpi_call_scratch(call, reduce->desc->scratch, gpi_reduce_scratch(reduce), &partials);
    if (result == GP_OK) result = gpi_reduce_tiles(call, reduce, partials);
    if (result != GP_OK || gpi_reduce_in_one(call->gp, reduce)) return result;
    return gpi_reduce_partials(call, reduce, partials);
}

/* Checks and runs a planned call. `to` receives the result on the host; NULL: the call does not block. */
static gp_result gpi_reduce_run(gp_context *gp, gpi_reduce *reduce, void *to)
{
    const size_t size = reduce->element.out_size;
    gpi_call call;
    gp_result result = gpi_reduce_check(gp, reduce);
    if (result != GP_OK) return result;
    result = gpi_call_begin(&call, gp, reduce->desc->wait, reduce->desc->wait_count, reduce->desc->done);
    if (result == GP_OK) result = gpi_reduce_launch(&call, reduce);
    if (result == GP_OK && to)
        result = gpi_call_read(&call, reduce->out, reduce->out_offset * size, size, to);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_reduce(gp_context *gp, const gp_reduce_desc *desc)
{
    gpi_reduce reduce;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp or desc is NULL");
    result = gpi_reduce_plan(gp, desc, &reduce);
    if (result != GP_OK) return result;
    reduce.out = desc->out;
    reduce.out_offset = desc->out_offset;
    return gpi_reduce_run(gp, &reduce, NULL);
}

GP_API gp_result gp_reduce_read(gp_context *gp, const gp_reduce_desc *desc, void *result_out)
{
    gpi_reduce reduce;
    gp_result result;
    gpi_enter(gp, __func__);
    if (desc && desc->done) *desc->done = NULL;
    if (!gp || !desc || !result_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or result is NULL");
    }
    result = gpi_reduce_plan(gp, desc, &reduce);
    if (result != GP_OK) return result;
    reduce.out = desc->out ? desc->out : gp->result;
    reduce.out_offset = desc->out ? desc->out_offset : 0;
    return gpi_reduce_run(gp, &reduce, result_out);
}

GP_API gp_result gp_reduce_scratch_size(gp_context *gp, const gp_reduce_desc *desc, size_t *bytes)
{
    gpi_reduce reduce;
    gp_result result;
    gpi_enter(gp, __func__);
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp, desc or bytes is NULL");
    }
    result = gpi_reduce_plan(gp, desc, &reduce);
    *bytes = result == GP_OK ? gpi_reduce_scratch(&reduce) : 0;
    return result;
}

/* Runs all launches once, on neutral elements in temporary buffers. */
static gp_result gpi_reduce_warm_up(gp_context *gp, const gp_reduce_desc *desc)
{
    gp_reduce_desc probe = *desc;
    unsigned char value[GPI_ELEMENT_MAX];
    gpi_reduce reduce;
    gp_result result;
    probe.wait_count = 0;
    probe.wait = NULL;
    probe.done = NULL;
    probe.count = 0;
    probe.count_buffer = NULL;
    probe.initial = NULL;
    probe.out = probe.scratch = NULL;
    probe.in_offset = probe.in2_offset = 0;
    result = gpi_reduce_plan(gp, &probe, &reduce);
    if (result != GP_OK) return result;
    probe.count = gpi_plan_tile(&reduce.plan) + 1;
    probe.in = probe.in2 = NULL;
    if (!reduce.element.operation.indices)
        result = gpi_alloc_neutral(gp, &reduce.element, probe.count, &probe.in);
    if (result == GP_OK && reduce.element.in2_size) {
        probe.type2 = reduce.element.operation.type2;
        result = gpi_alloc_zeros(gp, probe.count * reduce.element.in2_size, &probe.in2);
    }
    if (result == GP_OK) result = gp_reduce_read(gp, &probe, value);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    if (probe.in2) (void)clReleaseMemObject(probe.in2);
    return result;
}
