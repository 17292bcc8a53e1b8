/* group_results.cl - reduces groups of rows to several results

       gp_cells_fill       group per span of rows: reduces the span's rows of each group to a cell
       gp_cells_join       group per span of groups: combines the cells of all spans, in their order

   if groups are few, so that a span's cells stay in a core's caches. Otherwise rows are sorted by group, and
   scan/segmented_reduce.cl reduces each group as a segment of row numbers. */
#ifndef GPI_TABLE_GROUP_RESULTS_CL
#define GPI_TABLE_GROUP_RESULTS_CL
#include "base/args.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "element/monoid.cl"
#include "scan/segmented_reduce.cl"
#include "scan/segments.cl"
#include "table/constants.cl"

/* Returns a span's cells: there are `most` of them, and the first of all begins `cells_at` bytes after `cells`. */
static __global GPI_T *gpi_cells_of(__global uchar *cells, ulong cells_at, uint most, ulong span)
{
    return (__global GPI_T *)(cells + cells_at) + most * span;
}

/* Reduces a span's rows, unless there are more than `most` groups. Row i is in group group_of[i]. */
GPI_KERNEL void gp_cells_fill(GPI_ARGS_PARAMETERS __global const uint *group_of, ulong group_of_at,
                              __global const uint *state, ulong state_at, __global uchar *cells,
                              ulong cells_at, uint most, ulong span)
{
    __global GPI_T *cell = gpi_cells_of(cells, cells_at, most, get_group_id(0));
    const uint groups = state[state_at + GPI_ROWS_GROUPS];
    const GPI_T identity = gpi_identity();
    ulong begin, end;
    if (groups > most) return;
    gpi_span(state[state_at + GPI_ROWS_COUNT], span, &begin, &end);
    group_of += group_of_at;
    for (uint g = 0; g < groups; g++) cell[g] = identity;
    for (ulong i = begin; i < end; i++) {
        const uint g = group_of[i];
        cell[g] = gpi_combine(cell[g], gpi_row_element(GPI_ARGS_HERE i));
    }
}

/* Combines the cells of `spans` spans, and writes each group's results, unless there are more than `most` groups. */
GPI_KERNEL void gp_cells_join(GPI_OUTPUTS_PARAMETERS __global const uint *state, ulong state_at,
                              __global uchar *cells, ulong cells_at, uint most, uint spans, ulong span)
{
    const uint groups = state[state_at + GPI_ROWS_GROUPS];
    gpi_outputs outputs;
    ulong begin, end;
    if (groups > most) return;
    gpi_span(groups, span, &begin, &end);
    GPI_OUTPUTS_SET(outputs);
    for (ulong g = begin; g < end; g++) {
        GPI_T sum = gpi_cells_of(cells, cells_at, most, 0)[g];
        for (uint s = 1; s < spans; s++) sum = gpi_combine(sum, gpi_cells_of(cells, cells_at, most, s)[g]);
        gpi_segment_put(outputs, g, sum);
    }
}
#endif
