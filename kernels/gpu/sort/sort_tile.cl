/* sort_tile.cl - one group sorts few keys in one launch: by digits if there are sub-groups (sort/tile_radix_sort.cl), otherwise
   by merging (sort/single_tile.cl). */
#ifndef GPI_SORT_SORT_TILE_CL
#define GPI_SORT_SORT_TILE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#if GPI_SUB_GROUP
#include "sort/tile_radix_sort.cl"
#else
#include "sort/single_tile.cl"
#endif

/* Sorts the keys, at most a tile, of the array `from` (GPI_PLACE_...), and writes the first `most` to the output. `tmp_first` is
   unused. */
GPI_KERNEL void gp_sort_tile(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, uint from, uint tmp_first, uint most,
                             GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
#if GPI_SUB_GROUP
    GPI_SHARED(gpi_radix_tile_memory, shared);
#else
    GPI_SHARED(gpi_single_tile_memory, shared);
#endif
    gpi_places places;
    gpi_digit_bits bits;
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    GPI_COUNT_CHECK(true, counters);
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    if (n == 0) return;
#if GPI_SUB_GROUP
    gpi_radix_tile_sort(gpi_move_make(places, from, GPI_PLACE_OUT), (uint)n, most, bits, shared);
#else
    gpi_single_tile_sort(gpi_move_make(places, from, GPI_PLACE_OUT), (uint)n, most, bits, shared);
#endif
}
#endif
