/* ranges.c - lists rows range by range, on CPUs (table/ranges.cl). */
#include "base/math.h"
#include "runtime/tuning.h"
#include "program/program.h"
#include "table/table.h"

enum {
    GPI_RANGES_SPAN_MIN = 4096, /* fewest rows of a span */
    GPI_RANGES_TILE_MIN = 1024  /* the same if the caller has chosen a tile */
};

/* Chooses the spans of rows, and the work-groups for ranges. Where the list is in the scratch is not changed. */
static void gpi_ranges_plan(const gp_context *gp, const gpi_plan *plan, size_t rows, gpi_ranges *r)
{
    const size_t groups = 2 * (size_t)(gp->info.compute_units ? gp->info.compute_units : 1);
    const size_t least = gp->desc.tuning.tile ? GPI_RANGES_TILE_MIN : GPI_RANGES_SPAN_MIN;
    r->rows = rows;
    r->span = gp->desc.tuning.tile ? gpi_plan_tile(plan) : gpi_ceil_div(rows, groups);
    if (r->span < least) r->span = least;
    r->spans = gpi_ceil_div(rows, r->span);
    r->cells = gpi_ceil_div(rows, GPI_RANGES);
    r->groups = groups;
}

static void gpi_ranges_lay_out(gpi_ranges *r, size_t *end)
{
    r->places_at = gpi_rows_part(end, true, 4 * GPI_RANGES * (r->spans + 1));
    r->list_at = gpi_rows_part(end, true, 8 * r->rows);
}

/* Enqueues the list of rows by the numbers in `of`, if the state at byte state_at of `state` wants it. The program has the kernels. */
static gp_result gpi_ranges_list(gpi_call *call, gpi_program *program, const gpi_plan *plan,
                                 const gpi_ranges *r, cl_mem of, size_t of_offset, cl_mem state,
                                 size_t state_at, cl_mem scratch)
{
    gp_result result;
    gpi_call_kernel(call, program, "gp_ranges_count");
    gpi_call_arg_array(call, of, of_offset);
    gpi_call_arg_array(call, state, state_at / 4);
    gpi_call_arg_array(call, scratch, r->places_at / 4);
    gpi_call_arg_ulong(call, r->span);
    result = gpi_call_launch(call, plan, r->spans);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, program, "gp_ranges_place");
    gpi_call_arg_array(call, state, state_at / 4);
    gpi_call_arg_array(call, scratch, r->places_at / 4);
    gpi_call_arg_uint(call, r->spans);
    result = gpi_call_launch(call, plan, 1);
    if (result != GP_OK) return result;
    gpi_call_kernel(call, program, "gp_ranges_list");
    gpi_call_arg_array(call, of, of_offset);
    gpi_call_arg_array(call, state, state_at / 4);
    gpi_call_arg_array(call, scratch, r->places_at / 4);
    gpi_call_arg_array(call, scratch, r->list_at / 8);
    gpi_call_arg_ulong(call, r->span);
    return gpi_call_launch(call, plan, r->spans);
}

/* Passes where ranges end in the list, and the list. */
static void gpi_ranges_arg(gpi_call *call, const gpi_ranges *r, cl_mem scratch)
{
    gpi_call_arg_array(call, scratch, r->places_at / 4 + GPI_RANGES * r->spans);
    gpi_call_arg_array(call, scratch, r->list_at / 8);
}
