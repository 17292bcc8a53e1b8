/* row_bases.cl - computes where the keys of a row of a large segment are written. Each group adds up the columns of the row's
   segment itself. A separate launch would cost more, and in it one group alone would sum many rows.

   Parameters: those of sort/rank.cl and sort/segments_state.cl. */
#ifndef GPI_SORT_ROW_BASES_CL
#define GPI_SORT_ROW_BASES_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/bases.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/segments_state.cl"

/* The memory of a group, which first computes bases and then moves tiles. */
typedef union gpi_scatter_memory {
    gpi_bases_memory bases;
    gpi_move_memory move;
} gpi_scatter_memory;
#define GPI_SCATTER_MOVE(shared) (&(shared)->move)

/* Returns the sum of the first `rows` cells of a column. */
static ulong gpi_rows_sum(__global const gpi_sort_cell *column, uint rows)
{
    ulong sum = 0;
    GPI_UNROLL_SOME
    for (uint r = 0; r < rows; r++) sum += column[(ulong)r * GPI_BINS];
    return sum;
}

#define GPI_ROW_DIGITS ((GPI_BINS + GPI_WG - 1) / GPI_WG) /* digits of an item */

/* Returns the place that the pass writes for the row's segment. Writes to shared->move.next the first position of the row's keys
   of each digit. */
GPI_INLINE uint gpi_row_bases(gpi_segments segments, gpi_sort_row row, uint r, uint pass, uint first_place,
                              __local gpi_scatter_memory *shared)
{
    __global const gpi_sort_cell *table = segments.table + (ulong)row.large->row * GPI_BINS;
    const uint l = (uint)GPI_LOCAL_ID, from = row.large->from[pass % 2];
    ulong next[GPI_ROW_DIGITS];
    GPI_EACH_BIN(d) shared->bases.next[d] = gpi_rows_sum(table + d, row.large->rows);
    gpi_sync(); /* the columns' sums are written */
    const uint to = gpi_bases_of(&shared->bases) ? from : gpi_place_next(from, first_place);
    if (l == 0 && r == row.large->row) row.large->from[1 - pass % 2] = to;
    GPI_EACH(k, GPI_ROW_DIGITS) {
        const uint d = l + k * GPI_WG;
        if (d < GPI_BINS)
            next[k] = row.large->begin + shared->bases.next[d] + gpi_rows_sum(table + d, r - row.large->row);
    }
    gpi_sync(); /* the bases are read: the tile may overwrite them */
    GPI_EACH(k, GPI_ROW_DIGITS)
        if (l + k * GPI_WG < GPI_BINS) shared->move.next[l + k * GPI_WG] = next[k];
    return to;
}
#endif
