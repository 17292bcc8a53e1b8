/* segments_local.cl - segments in the local shape: neighbouring small ones share a tile.

   The tile is put in the order of all digits, and then, being stable, of the segments' numbers.

   Parameters: those of sort/rank_tile.cl and sort/segments_state.cl. */
#ifndef GPI_SORT_SEGMENTS_LOCAL_CL
#define GPI_SORT_SEGMENTS_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/segments_state.cl"
#include "sort/single_tile_sort.cl"

typedef __local gpi_sort_cell *gpi_maxima_shared;
#define GPI_MAXIMA_SHARED(name)                   \
    __local gpi_sort_cell name##_mem[2 * GPI_WG]; \
    const gpi_maxima_shared name = name##_mem

/* The maximum of x over the items before this one; *total over all. Each step doubles the reach. */
static gpi_sort_cell gpi_max_before(gpi_sort_cell x, gpi_sort_cell *total, gpi_maxima_shared row)
{
    const uint l = (uint)get_local_id(0);
    uint from = 0;
    row[l] = x;
    gpi_sync(); /* row 0 is complete */
    for (uint d = 1; d < GPI_WG; d *= 2) {
        if (l >= d) x = max(row[from + l - d], x);
        from = GPI_WG - from;
        row[from + l] = x;
        gpi_sync(); /* this step's row is complete; the other one is no longer read */
    }
    *total = row[from + GPI_WG - 1];
    x = l > 0 ? row[from + l - 1] : 0;
    gpi_sync(); /* the last row is read: the next call may overwrite it */
    return x;
}

/* Puts shared->order of a tile at `base`, ordered by keys, in the order of its segments [first, last):
   their numbers are further digits. */
static void gpi_tile_order_segments(__global const gpi_sort_cell *bounds, ulong base, uint n, uint first,
                                    uint last, gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0), highest = last - first - 1;
    for (uint shift = 0; shift < 32 && highest >> shift; shift += 8) {
        uint entry[GPI_PER_ITEM];
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const uint c = GPI_ORDER_CELL(GPI_RANK_BLOCKED(shared->order, l, j));
            const uint k = GPI_RANK_CELL_BACK(c);
            uint d = GPI_BINS - 1;
            if (k < n) d = (gpi_bound_find(bounds, first, last, base + k + 1) - 1 - first) >> shift & d;
            entry[j] = GPI_ORDER(d, c);
        }
        gpi_order_digits(entry, min(GPI_BINS - 1u, highest >> shift), shared);
    }
}

/* The small ones of segments [first, last), as many together as a tile holds. */
static void gpi_segments_sort(gpi_segments segments, gpi_places places, gpi_digit_bits bits, uint small,
                              uint from, uint tmp_first, uint first, uint last, gpi_rank_shared shared)
{
    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);
    (void)tmp_first;
    while (first < last) {
        const ulong base = segments.bounds[first];
        uint next = 0;
        if (get_local_id(0) == 0)
            next = gpi_bound_find(segments.bounds, first + 1, last + 1, base + small + 1) - 1;
        next = gpi_broadcast(next, &shared->word);
        const uint n = (uint)(segments.bounds[next] - base);
        if (n > 0) {
            gpi_single_tile_order(move.key, base, n, bits, shared);
            gpi_tile_order_segments(segments.bounds, base, n, first, next, shared);
            gpi_single_tile_write(move, base, n, shared);
            gpi_sync(); /* the tile is written: the next one may overwrite it */
        }
        first = next > first ? next : first + 1; /* the same: this one is large */
    }
}
#endif
