/* row_bases.cl - looks up the positions of the keys of a large segment's row, which gp_segments_spine has computed.

   Parameters: those of sort/rank.cl and sort/segments_state.cl. */
#ifndef GPI_SORT_ROW_BASES_CL
#define GPI_SORT_ROW_BASES_CL
#include "base/platform.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/segments_state.cl"

/* Returns the place that the pass writes for the row's segment. Writes to shared->next[d] the position of the row's first key of
   digit d. */
static uint gpi_row_bases(gpi_segments segments, gpi_sort_row row, uint r, uint pass, uint first_place,
                          gpi_move_shared shared)
{
    (void)first_place;
    GPI_EACH_BIN(d) shared->next[d] = row.large->begin + segments.table[(ulong)r * GPI_BINS + d];
    return row.large->from[1 - pass % 2];
}

typedef gpi_move_memory gpi_scatter_memory;
#define GPI_SCATTER_MOVE(shared) (shared)
#endif
