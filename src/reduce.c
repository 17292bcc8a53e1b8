/* reduce.c - gp_reduce: one launch over the tiles, one over their partials. */
#include "internal.h"

enum { GPI_REDUCE_TILES, GPI_REDUCE_PARTIALS };

/* A checked call, ready to run. */
typedef struct gpi_reduce {
    const gp_reduce_desc *desc;
    gpi_element element;
    gpi_plan plan;
    gpi_program *program;
    cl_uint tiles;
    cl_mem out;
    cl_ulong out_offset;
    const void *initial;
} gpi_reduce;

static gp_result gpi_reduce_element(gp_context *gp, const char *function, const gp_reduce_desc *desc,
                                    gpi_element *element)
{
    gp_type out_type = desc->out_type;
    if (!out_type && !desc->monoid) out_type = gpi_sum_type(desc->type, desc->op);
    return gpi_element_make(gp, function, desc->type, out_type, desc->op, desc->monoid, element);
}

/* Everything but the buffers: enough to know the scratch. */
static gp_result gpi_reduce_plan(gp_context *gp, const char *function, const gp_reduce_desc *desc,
                                 gpi_reduce *reduce)
{
    gp_result result;
    reduce->desc = desc;
    result = gpi_reduce_element(gp, function, desc, &reduce->element);
    if (result != GP_OK) return result;
    result = gpi_plan_make(gp, function, GPI_REDUCE, &reduce->element, GP_STRATEGY_AUTO, &reduce->plan);
    if (result != GP_OK) return result;
    result = gpi_program_get(gp, function, GPI_REDUCE, &reduce->element, &reduce->plan, &reduce->program);
    if (result != GP_OK) return result;
    reduce->initial = desc->initial ? desc->initial : reduce->element.identity;
    return gpi_plan_tiles(gp, function, &reduce->plan, desc->count, &reduce->tiles);
}

static size_t gpi_reduce_scratch(const gpi_reduce *reduce)
{
    return reduce->tiles > 1 ? reduce->tiles * reduce->element.size : 0;
}

static gp_result gpi_reduce_check(gp_context *gp, const char *function, gpi_reduce *reduce)
{
    const gp_reduce_desc *desc = reduce->desc;
    const gpi_element *element = &reduce->element;
    gpi_range range;
    gp_result result = GP_OK;
    if (desc->count > 0) {
        result = gpi_check_buffer(gp, function, "in", desc->in, desc->in_offset, desc->count,
                                  element->in_size, GPI_READS, &range);
    }
    if (result != GP_OK) return result;
    return gpi_check_buffer(gp, function, "out", reduce->out, reduce->out_offset, 1, element->size,
                            GPI_WRITES, &range);
}

/* With one tile the first kernel writes the result; with none, the same on an empty tile. */
static gp_result gpi_reduce_launch(gpi_call *call, gpi_reduce *reduce)
{
    const gp_reduce_desc *desc = reduce->desc;
    const size_t size = reduce->element.size;
    const cl_ulong in_offset = desc->count ? desc->in_offset : 0, count = desc->count, zero = 0;
    const cl_uint single = reduce->tiles <= 1;
    cl_mem in = desc->count ? desc->in : reduce->out, partials = reduce->out;
    gp_result result = GP_OK;
    if (!single) result = gpi_call_scratch(call, desc->scratch, gpi_reduce_scratch(reduce), &partials);
    if (result == GP_OK) {
        const gpi_arg args[] = {GPI_ARG(in),
                                GPI_ARG(in_offset),
                                GPI_ARG(count),
                                GPI_ARG(partials),
                                {sizeof(cl_ulong), single ? &reduce->out_offset : &zero},
                                {size, reduce->initial},
                                GPI_ARG(single)};
        result = gpi_call_launch(call, reduce->program, GPI_REDUCE_TILES, &reduce->plan,
                                 single ? 1 : reduce->tiles, args, GPI_COUNT_OF(args));
    }
    if (result == GP_OK && !single) {
        const gpi_arg args[] = {GPI_ARG(partials),
                                GPI_ARG(reduce->tiles),
                                GPI_ARG(reduce->out),
                                GPI_ARG(reduce->out_offset),
                                {size, reduce->initial}};
        result = gpi_call_launch(call, reduce->program, GPI_REDUCE_PARTIALS, &reduce->plan, 1, args,
                                 GPI_COUNT_OF(args));
    }
    return result;
}

static gp_result gpi_reduce_run(gp_context *gp, const char *function, gpi_reduce *reduce)
{
    gpi_call call;
    gp_result result = gpi_reduce_check(gp, function, reduce);
    if (result != GP_OK) return result;
    result =
        gpi_call_begin(&call, gp, function, reduce->desc->wait, reduce->desc->wait_count, reduce->desc->done);
    if (result == GP_OK) result = gpi_reduce_launch(&call, reduce);
    return gpi_call_end(&call, result);
}

GP_API gp_result gp_reduce(gp_context *gp, const gp_reduce_desc *desc)
{
    gpi_reduce reduce;
    gp_result result;
    if (!gp || !desc) return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_reduce: gp or desc is NULL");
    result = gpi_reduce_plan(gp, "gp_reduce", desc, &reduce);
    if (result != GP_OK) return result;
    reduce.out = desc->out;
    reduce.out_offset = desc->out_offset;
    return gpi_reduce_run(gp, "gp_reduce", &reduce);
}

GP_API gp_result gp_reduce_read(gp_context *gp, const gp_reduce_desc *desc, void *result_out)
{
    gpi_reduce reduce;
    gp_result result;
    cl_int error;
    if (!gp || !desc || !result_out) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_reduce_read: gp, desc or result is NULL");
    }
    result = gpi_reduce_plan(gp, "gp_reduce_read", desc, &reduce);
    if (result != GP_OK) return result;
    reduce.out = desc->out ? desc->out : gp->result;
    reduce.out_offset = desc->out ? desc->out_offset : 0;
    result = gpi_reduce_run(gp, "gp_reduce_read", &reduce);
    if (result != GP_OK) return result;
    if (gp->out_of_order) (void)clFinish(gp->queue);
    error = clEnqueueReadBuffer(gp->queue, reduce.out, CL_TRUE, reduce.out_offset * reduce.element.size,
                                reduce.element.size, result_out, 0, NULL, NULL);
    return error == CL_SUCCESS ? GP_OK : gpi_fail_cl(gp, error, "gp_reduce_read", "clEnqueueReadBuffer");
}

GP_API gp_result gp_reduce_scratch_size(gp_context *gp, const gp_reduce_desc *desc, size_t *bytes)
{
    gpi_reduce reduce;
    gp_result result;
    if (!gp || !desc || !bytes) {
        return gpi_fail(gp, GP_ERROR_INVALID_ARGUMENT, "gp_reduce_scratch_size: gp, desc or bytes is NULL");
    }
    result = gpi_reduce_plan(gp, "gp_reduce_scratch_size", desc, &reduce);
    *bytes = result == GP_OK ? gpi_reduce_scratch(&reduce) : 0;
    return result;
}

/* Runs both launches once on a few elements of the context's own. */
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
    probe.in = probe.out = probe.scratch = NULL;
    probe.in_offset = 0;
    result = gpi_reduce_plan(gp, "gp_warmup", &probe, &reduce);
    if (result != GP_OK) return result;
    probe.count = gpi_plan_tile(&reduce.plan) + 1;
    result = gpi_alloc(gp, "gp_warmup", probe.count * reduce.element.in_size, &probe.in);
    if (result == GP_OK) result = gp_reduce_read(gp, &probe, value);
    if (probe.in) (void)clReleaseMemObject(probe.in);
    return result;
}
