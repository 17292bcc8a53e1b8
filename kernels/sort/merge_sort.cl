/* merge_sort.cl - some tiles of keys, in the local shape: each is sorted by a group, then runs of tiles are merged, two and
   two, until there is one.

       tiles      4 1 | 3 2 | 9 5 | 7      gp_sort_single_tile
                  1 4 | 2 3 | 5 9 | 7      gp_sort_merge, runs of 1 tile
                  1 2 3 4   | 5 7 9        gp_sort_merge, runs of 2
                  1 2 3 4 5 7 9

   A launch moves all keys once, as a radix pass does. Doublings are fewer than digits (src/sort/sort.c), and no group
   waits for another.
   (Odeh, Green, Mwassi, Shmueli & Birk, Merge Path, 2012.) */
#ifndef GPI_SORT_MERGE_SORT_CL
#define GPI_SORT_MERGE_SORT_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/merge_local.cl"
#include "sort/merge_pair.cl"
#include "sort/sort_tiles.cl"

#if !GPI_SHAPE_LOCAL
#error "merge sorts are for the local shape"
#endif

/* Two runs of `tiles` tiles each, from tile `first` on; of n keys the last ones are shorter, or empty. */
static gpi_pair gpi_pair_of_runs(gpi_move move, ulong flip, uint first, uint tiles, ulong n)
{
    const ulong begin = (ulong)first * GPI_TILE, length = (ulong)tiles * GPI_TILE;
    gpi_pair pair;
    pair.flip = (gpi_key_bits)flip;
    pair.a_count = min(length, n - begin);
    pair.b_count = min(length, n - begin - pair.a_count);
    pair.a = move.key + begin;
    pair.b = pair.a + pair.a_count;
    pair.out = move.key_to + begin;
#if GPI_VALUE_SIZE
    pair.a_value = move.value + begin;
    pair.b_value = pair.a_value + pair.a_count;
    pair.value_out = move.value_to + begin;
#endif
    return pair;
}

/* A group a tile of the output: sorted runs of `tiles` tiles, a power of two, become runs of twice as many. */
GPI_KERNEL void gp_sort_merge(GPI_PLACES_PARAMETERS, ulong flip, uint from, uint to, uint tiles,
                              GPI_COUNT_PARAMETERS)
{
    GPI_SHARED(gpi_merge_memory, shared);
    gpi_places places;
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const uint number = (uint)get_group_id(0), first = number & ~(2 * tiles - 1);
    const ulong begin = (ulong)(number - first) * GPI_TILE;
    GPI_PLACES_SET(places);
    if ((ulong)number * GPI_TILE >= n) return;
    const gpi_pair pair = gpi_pair_of_runs(gpi_move_make(places, from, to), flip, first, tiles, n);
    gpi_merge_tile(pair, begin, min(begin + GPI_TILE, pair.a_count + pair.b_count), shared);
}
#endif
