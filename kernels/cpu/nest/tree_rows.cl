/* tree_rows.cl - the type of a run's counts, and a search that reads 16 parents at a time. */
#ifndef GPI_NEST_TREE_ROWS_CL
#define GPI_NEST_TREE_ROWS_CL
#include "base/platform.cl"
#include "nest/constants.cl"
#include "nest/stack_monoid.cl"

typedef ushort gpi_tree_own;

/* Returns the first of rows of 16 elements, from `at` on and before `last`, that has a key of `most` or less; else where the rows
   end. */
static ulong gpi_skip_rows(__global const gpi_index *parent, ulong at, ulong last, gpi_index most)
{
    for (bool above = true; above && at + 16 <= last;) { /* rows of parents from `most` to the one before */
        const gpi_index_row above_most = GPI_LOAD_VECTOR(gpi_index_row, parent + at) - (gpi_index_row)(most),
                            last_one =
                                (gpi_index_row)((gpi_index)at - 1 - most) + GPI_LANE_NUMBERS(gpi_index_row);
        above = gpi_rows_agree(min(above_most, last_one), above_most);
        if (above) at += 16;
    }
    return at;
}
#endif
