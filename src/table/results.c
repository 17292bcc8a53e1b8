/* results.c - reduces groups of rows to results, a batch of results at a time: on CPUs in cells, on GPUs as segments of rows that
   are sorted by group. */
#include "base/error.h"
#include "base/math.h"
#include "runtime/tuning.h"
#include "table/table.h"

#include <string.h>

enum {
    GPI_CELLS_JOIN = 256, /* groups of a work-group that combines cells */
    GPI_CELLS_BYTES = 16  /* most bytes of all cells, for each row */
};

/* Sets the spans of rows, and lowers r->cells to how many cells each of them may have: so few that writing and combining them takes
   less time than reading the rows. */
static void gpi_results_cells(const gp_context *gp, gpi_results *r)
{
    const size_t rows = r->desc.count, size = r->batch.element.size;
    gpi_ranges *ranges = &r->ranges;
    size_t most, reduced;
    if (rows == 0) return;
    gpi_ranges_plan(gp, &r->batch.plan, rows, ranges);
    most = GPI_CELLS_BYTES * rows / (ranges->spans * size);
    if (most > ranges->span / 2) most = ranges->span / 2;
    if (most == 0) most = 1;
    if (most < r->cells) r->cells = (cl_uint)most;
    if (ranges->groups > GPI_CELLS_BYTES * GPI_RANGES / size)
        ranges->groups = GPI_CELLS_BYTES * GPI_RANGES / size;
    most = ranges->spans * r->cells;
    reduced = ranges->groups * ranges->cells;
    r->cells_bytes = (most > reduced ? most : reduced) * size;
}

/* Checks and plans the batch that begins with result `first`. Its number of results is r->batch.element.field_count. The caller
   sets the buffers of r->desc before, those of a launch or any others. All batches have as many cells as the one with the fewest, so
   they must have been planned before the first is launched. */
static gp_result gpi_results_plan(gp_context *gp, const gp_group_by_desc *d, size_t first, gpi_results *r)
{
    gp_result result;
    r->first = first;
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
    if (result != GP_OK || !r->in_cells) return result;
    r->batch.scratch = 0;
    gpi_results_cells(gp, r);
    return result;
}

/* ------------------------------------------------------------------ launches */

static void gpi_results_arg_state(gpi_call *call, const gpi_results *r)
{
    gpi_call_arg_array(call, r->desc.scratch, r->state_at / 4);
}

/* Passes the group of each row, and the state. */
static void gpi_results_arg_rows(gpi_call *call, const gpi_results *r)
{
    gpi_call_arg_array(call, r->group_of, r->group_of_offset);
    gpi_results_arg_state(call, r);
}

/* Enqueues the reduction of each span to cells, and of all spans' cells to results. */
static gp_result gpi_results_fill(gpi_call *call, const gpi_results *r)
{
    const gpi_segmented *s = &r->batch;
    gp_result result;
    gpi_call_kernel(call, s->program, "gp_cells_fill");
    gpi_call_args(call, &s->element.operation.args);
    gpi_results_arg_rows(call, r);
    gpi_call_arg_array(call, r->desc.scratch, r->cells_at);
    GPI_CALL_ARG(call, r->cells);
    gpi_call_arg_ulong(call, r->ranges.span);
    result = gpi_call_launch(call, &s->plan, r->ranges.spans);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, s->program, "gp_cells_join");
    gpi_segmented_arg_outputs(call, s);
    gpi_results_arg_state(call, r);
    gpi_call_arg_array(call, r->desc.scratch, r->cells_at);
    GPI_CALL_ARG(call, r->cells);
    gpi_call_arg_uint(call, r->ranges.spans);
    gpi_call_arg_ulong(call, GPI_CELLS_JOIN);
    return gpi_call_launch(call, &s->plan, gpi_ceil_div(r->cells, GPI_CELLS_JOIN));
}

/* Enqueues the reduction of each range's rows to results. */
static gp_result gpi_results_ranges(gpi_call *call, const gpi_results *r)
{
    const gpi_segmented *s = &r->batch;
    gpi_call_kernel(call, s->program, "gp_ranges_reduce");
    gpi_call_args(call, &s->element.operation.args);
    gpi_segmented_arg_outputs(call, s);
    gpi_results_arg_state(call, r);
    gpi_ranges_arg(call, &r->ranges, r->desc.scratch);
    gpi_call_arg_array(call, r->desc.scratch, r->cells_at);
    gpi_call_arg_ulong(call, r->ranges.cells);
    return gpi_call_launch(call, &s->plan, r->ranges.groups);
}

/* Passes the desc's buffers on to the planned segments. */
static void gpi_results_place(gpi_results *r)
{
    gpi_segmented *s = &r->batch;
    s->offsets.buffer = r->desc.offsets;
    s->offsets.offset = r->desc.offsets_offset;
    s->count.buffer = r->desc.count_buffer;
    s->count.offset = r->desc.count_offset;
    s->count.type = r->desc.count_type;
}

/* Enqueues all batches of results. One that was planned last is not planned again. */
static gp_result gpi_results_launch(gpi_call *call, const gp_group_by_desc *d, gpi_results *r)
{
    gp_result result = GP_OK;
    size_t first;
    for (first = 0; first < d->result_count && result == GP_OK; first += r->batch.element.field_count) {
        if (first != r->first) result = gpi_results_plan(call->gp, d, first, r);
        if (result == GP_OK) gpi_results_place(r);
        if (result == GP_OK && !r->in_cells) {
            result = gpi_segmented_launch(call, &r->batch);
            continue;
        }
        if (result == GP_OK) result = gpi_results_fill(call, r);
        if (result == GP_OK && first == 0)
            result = gpi_ranges_list(call, r->batch.program, &r->batch.plan, &r->ranges, r->group_of,
                                     r->group_of_offset, r->desc.scratch, r->state_at, r->desc.scratch);
        if (result == GP_OK) result = gpi_results_ranges(call, r);
    }
    return result;
}
