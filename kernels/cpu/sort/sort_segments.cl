/* sort_segments.cl - one item sorts small segments one after the other.

   Parameters: those of sort/rank_keys.cl and sort/segments_state.cl. */
#ifndef GPI_SORT_SORT_SEGMENTS_CL
#define GPI_SORT_SORT_SEGMENTS_CL
#include "base/platform.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/segments_state.cl"
#include "sort/single_tile.cl"

typedef uint gpi_maxima_shared; /* one item shares nothing */
#define GPI_MAXIMA_SHARED(name) const gpi_maxima_shared name = 0

/* Returns the maximum of x over the items before this one, and writes the maximum over all items to *total. With one item, these
   are 0 and x. */
static gpi_sort_cell gpi_max_before(gpi_sort_cell x, gpi_sort_cell *total, gpi_maxima_shared row)
{
    (void)row;
    *total = x;
    return 0;
}

typedef gpi_rank_memory gpi_segments_memory;
typedef gpi_rank_shared gpi_segments_shared;

/* Sorts the small segments among [first, last), one after the other. */
GPI_NOINLINE void gpi_segments_sort(gpi_segments segments, gpi_places places, gpi_digit_bits bits, uint small,
                                    uint from, uint tmp_first, uint first, uint last,
                                    gpi_segments_shared shared)
{
    (void)shared;
    for (uint s = first; s < last; s++) {
        const ulong base = segments.bounds[s], n = segments.bounds[s + 1] - base;
        if (n == 0 || n > small) continue;
        const gpi_places own = gpi_segment_places(places, base);
        if (n <= GPI_SINGLE_TILE_FEW)
            gpi_single_tile_few(gpi_move_make(own, from, GPI_PLACE_OUT), base, (uint)n, bits);
        else gpi_single_tile_sort(own, base, n, bits, from, tmp_first);
    }
}
#endif
