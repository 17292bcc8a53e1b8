/* sort_tile.cl - one group sorts few keys in one launch. */
#ifndef GPI_SORT_SORT_TILE_CL
#define GPI_SORT_SORT_TILE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#include "sort/single_tile.cl"

/* Sorts the keys of place `from` (GPI_PLACE_...) into the output. Passes alternate between the output and the second buffer.
   `tmp_first`: 0 if the first pass may write the output. `most` is used on GPUs only. */
GPI_KERNEL void gp_sort_tile(GPI_PLACES_PARAMETERS, GPI_BITS_PARAMETERS, uint from, uint tmp_first, uint most,
                             GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    gpi_places places;
    gpi_digit_bits bits;
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    GPI_COUNT_CHECK(true, counters);
    GPI_PLACES_SET(places);
    GPI_BITS_SET(bits);
    if (n == 0) return;
    gpi_single_tile_sort(places, 0, n, bits, from, tmp_first);
}
#endif
