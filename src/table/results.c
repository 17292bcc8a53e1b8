/* results.c - reduces groups of rows to results, a batch of results at a time: in cells if groups are few, else as segments of
   sorted rows. */
#include "base/error.h"
#include "base/math.h"
#include "runtime/tuning.h"
#include "table/table.h"

#include <string.h>

enum {
    GPI_CELLS_SPAN_MIN = 4096, /* fewest rows of a span */
    GPI_CELLS_BYTES = 16       /* most bytes of all cells, for each row */
};

/* Sets the spans of rows, and lowers r->cells to how many cells each of them may have: so few that writing and combining them takes
   less time than reading the rows. On GPUs there are none. */
static void gpi_results_cells(const gp_context *gp, gpi_results *r)
{
    const size_t rows = r->desc.count,
                 groups = 2 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1);
    size_t most;
    if (r->batch.plan.shape != GP_SHAPE_SERIAL || rows == 0) {
        r->cells = 0;
        return;
    }
    r->span = gpi_ceil_div(rows, groups);
    if (r->span < GPI_CELLS_SPAN_MIN) r->span = GPI_CELLS_SPAN_MIN;
    if (gp->desc.tuning.tile) r->span = gpi_plan_tile(&r->batch.plan);
    r->spans = gpi_ceil_div(rows, r->span);
    most = GPI_CELLS_BYTES * rows / (r->spans * r->batch.element.size);
    if (most > r->span / 2) most = r->span / 2;
    if (most < r->cells) r->cells = (cl_uint)most;
    r->cells_bytes = r->spans * r->cells * r->batch.element.size;
}

/* Checks and plans the batch that begins with result `first`. Its number of results is r->batch.element.field_count. The caller
   sets the buffers of r->desc before, those of a launch or any others. All batches have as many cells as the one with the fewest, so
   they must have been planned before the first is launched. */
static gp_result gpi_results_plan(gp_context *gp, const gp_group_by_desc *d, size_t first, gpi_results *r)
{
    gp_result result;
    memset(&r->operation, 0, sizeof r->operation);
    r->operation.type = r->desc.type = GP_U32;
    r->operation.type_field = "map_type";
    r->operation.results = d->results + first;
    r->operation.result_count = d->result_count - first;
    r->operation.result_first = first;
    r->operation.args = gpi_args_make(d->args, d->arg_count, "i");
    r->desc.count = r->desc.segment_count = d->count;
    r->desc.offsets_type = r->desc.count_type = GP_U32;
    result = gpi_segmented_plan(gp, &r->desc, &r->operation, &r->batch);
    if (result == GP_OK) gpi_results_cells(gp, r);
    return result;
}

static gp_result gpi_results_fill(gpi_call *call, const gpi_results *r)
{
    const gpi_segmented *s = &r->batch;
    gp_result result;
    gpi_call_kernel(call, s->program, "gp_cells_fill");
    gpi_call_args(call, &s->element.operation.args);
    gpi_call_arg_array(call, r->group_of, r->group_of_offset);
    gpi_call_arg_array(call, r->desc.scratch, r->state_at / 4);
    gpi_call_arg_array(call, r->desc.scratch, r->cells_at);
    GPI_CALL_ARG(call, r->cells);
    gpi_call_arg_ulong(call, r->span);
    result = gpi_call_launch(call, &s->plan, r->spans);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->program, "gp_cells_join");
    gpi_segmented_arg_outputs(call, s);
    gpi_call_arg_array(call, r->desc.scratch, r->state_at / 4);
    gpi_call_arg_array(call, r->desc.scratch, r->cells_at);
    GPI_CALL_ARG(call, r->cells);
    gpi_call_arg_uint(call, r->spans);
    gpi_call_arg_ulong(call, 256);
    return gpi_call_launch(call, &s->plan, gpi_ceil_div(r->cells, 256));
}

/* Enqueues all batches of results. */
static gp_result gpi_results_launch(gpi_call *call, const gp_group_by_desc *d, gpi_results *r)
{
    gp_result result = GP_OK;
    size_t first;
    for (first = 0; first < d->result_count && result == GP_OK; first += r->batch.element.field_count) {
        result = gpi_results_plan(call->gp, d, first, r);
        if (result == GP_OK && r->cells) result = gpi_results_fill(call, r);
        if (result == GP_OK) result = gpi_segmented_launch(call, &r->batch);
    }
    return result;
}
