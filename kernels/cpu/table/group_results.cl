/* group_results.cl - reduces groups of rows to several results. If groups are few,

       gp_cells_fill       work-group per span of rows: reduces the span's rows of each group to a cell
       gp_cells_join       work-group per span of groups: combines the cells of all spans, in their order

   so that a row's columns are read in order. Otherwise rows are first listed range by range (table/ranges.cl):

       gp_ranges_reduce    a few ranges per work-group: reduces their rows to cells, and writes the groups' results */
#ifndef GPI_TABLE_GROUP_RESULTS_CL
#define GPI_TABLE_GROUP_RESULTS_CL
#include "base/args.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "element/monoid.cl"
#include "scan/segments.cl"
#include "table/constants.cl"
#include "table/ranges.cl"

/* ------------------------------------------------------------------ cells */

/* Returns a span's cells: there are `most` of them, and the first of all begins `cells_at` bytes after `cells`. */
static __global GPI_T *gpi_cells_of(__global uchar *cells, ulong cells_at, ulong most, ulong span)
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

/* ------------------------------------------------------------------ ranges */

/* Reduces the rows of some ranges, and writes the results of their groups. Each work-group has `most` cells. `ends`: where ranges end
   in the list. */
GPI_KERNEL void gp_ranges_reduce(GPI_ARGS_PARAMETERS GPI_OUTPUTS_PARAMETERS __global const uint *state,
                                 ulong state_at, __global const uint *ends, ulong ends_at,
                                 __global const uint2 *list, ulong list_at, __global uchar *cells,
                                 ulong cells_at, ulong most)
{
    __global GPI_T *cell = gpi_cells_of(cells, cells_at, most, get_group_id(0));
    const uint groups = state[state_at + GPI_ROWS_MANY];
    const GPI_T identity = gpi_identity();
    gpi_outputs outputs;
    if (groups == 0) return;
    GPI_OUTPUTS_SET(outputs);
    ends += ends_at;
    list += list_at;
    for (uint r = (uint)get_group_id(0); r < GPI_RANGES; r += (uint)get_num_groups(0)) {
        const uint width = (groups + GPI_RANGES - 1 - r) / GPI_RANGES;
        for (uint k = 0; k < width; k++) cell[k] = identity;
        for (uint p = r ? ends[r - 1] : 0; p < ends[r]; p++) {
            const uint2 row = list[p];
            cell[row.y] = gpi_combine(cell[row.y], gpi_row_element(GPI_ARGS_HERE row.x));
        }
        for (uint k = 0; k < width; k++) gpi_segment_put(outputs, (ulong)k * GPI_RANGES + r, cell[k]);
    }
}
#endif
