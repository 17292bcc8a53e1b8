/* sort_tiles.cl - each tile of the keys sorted by itself: few keys are one tile, and done.

   With sub-groups by digits (sort/tile_radix_sort.cl), else as sort/single_tile_sort.cl has it. */
#ifndef GPI_SORT_SORT_TILES_CL
#define GPI_SORT_SORT_TILES_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#if GPI_SUB_GROUP
#include "sort/tile_radix_sort.cl"
#else
#include "sort/single_tile_sort.cl"
#endif

/* A group a tile, of `span` keys; in the serial shape there is one. tmp_first: 0 when the first pass may write the output;
   else it writes the second buffer. In the local shape only the first `most` of a tile are written. */
GPI_KERNEL void gp_sort_single_tile(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, uint from, uint tmp_first,
                                    ulong span, uint most, GPI_COUNT_PARAMETERS,
                                    volatile __global uint *counters)
{
#if GPI_SUB_GROUP
    GPI_SHARED(gpi_radix_tile_memory, shared);
#else
    GPI_SHARED(gpi_single_tile_memory, shared);
#endif
    gpi_places places;
    gpi_digit_bits bits;
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words), base = span * get_group_id(0);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
#if GPI_SUB_GROUP
    if (base < n)
        gpi_radix_tile_sort(places, base, (uint)min(span, n - base), most, bits, from, tmp_first, shared);
#elif GPI_SHAPE_LOCAL
    if (base < n)
        gpi_single_tile_first(places, base, (uint)min(span, n - base), most, bits, from, tmp_first, shared);
#else
    (void)most;
    if (base < n) gpi_single_tile_range(places, base, min(span, n - base), bits, from, tmp_first, shared);
#endif
}
#endif
