/* tree_rows.cl - the type in which the children of a run's elements are counted, and a search that reads 16 parents at
   a time. */
#ifndef GPI_NEST_TREE_ROWS_CL
#define GPI_NEST_TREE_ROWS_CL
#include "base/platform.cl"
#include "vector/lanes.cl"
#include "nest/constants.cl"
#include "nest/stack_monoid.cl"

typedef ushort gpi_tree_own;

/* Returns whether two rows are equal. */
GPI_INLINE bool gpi_rows_agree(gpi_index_row a, gpi_index_row b)
{
#if GPI_PACKS && GPI_INDEX_SIZE == 4
    return gpi_mask_of(as_uint16(a != b)) == 0;
#else
    const gpi_index_row other = a ^ b;
    const gpi_index_half eight = other.lo | GPI_UPPER(other);
    const gpi_index_quad four = eight.lo | eight.hi;
    return (four.x | four.y | four.z | four.w) == 0;
#endif
}

/* Skips rows of 16 elements from `at` on, as long as all keys of a row are above `most`. Returns the first element of
   the first row that is not skipped. This row may have fewer than 16 elements before `last`. */
static ulong gpi_skip_rows(__global const gpi_index *parent, ulong at, ulong last, gpi_index most)
{
    for (bool above = true; above && at + 16 <= last;) { /* most <= parent[i] < i in the whole row */
        const gpi_index_row above_most = GPI_LOAD_VECTOR(gpi_index_row, parent + at) - (gpi_index_row)(most),
                            last_one =
                                (gpi_index_row)((gpi_index)at - 1 - most) + GPI_LANE_NUMBERS(gpi_index_row);
        above = gpi_rows_agree(min(above_most, last_one), above_most);
        if (above) at += 16;
    }
    return at;
}
#endif
