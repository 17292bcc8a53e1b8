/* segments_local.cl - segments in the local shape: neighbouring small ones share a tile.

   Parameters: those of sort/tile_merge_sort.cl and sort/segments_state.cl. */
#ifndef GPI_SORT_SEGMENTS_LOCAL_CL
#define GPI_SORT_SEGMENTS_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/segments_state.cl"
#include "sort/single_tile_sort.cl"
#include "sort/tile_merge_sort.cl"

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

/* Gives the entries of a tile of n keys at `base` their segments, which are of [first, last): what one is known by is where
   it begins. */
GPI_INLINE_GPU void gpi_segments_enter(__global const gpi_sort_cell *bounds, ulong base, uint n, uint first,
                                       uint last, gpi_entry *entry)
{
    const uint at = (uint)get_local_id(0) * GPI_PER_ITEM;
    for (uint i = 0; i < GPI_PER_ITEM;) {
        uint begin = n, end = GPI_TILE; /* after all segments */
        if (at + i < n) {
            const uint s = gpi_bound_find(bounds, first, last, base + at + i + 1);
            begin = (uint)(bounds[s - 1] - base);
            end = (uint)(bounds[s] - base);
        }
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++)
            if (j >= i) gpi_entry_enter(entry + j, begin);
        i = end - at;
    }
}

/* The small ones of segments [first, last), as many together as a tile holds. */
static void gpi_segments_sort(gpi_segments segments, gpi_places places, gpi_digit_bits bits, uint small,
                              uint from, uint tmp_first, uint first, uint last, gpi_single_tile_shared shared)
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
            gpi_entry entry[GPI_PER_ITEM];
            gpi_single_tile_load(move.key + base, n, bits, entry, shared);
            gpi_segments_enter(segments.bounds, base, n, first, next, entry);
            gpi_entries_sort(entry, n, &shared->tile.entry);
            gpi_single_tile_write(move, base, n, n, entry, shared);
        }
        first = next > first ? next : first + 1; /* the same: this one is large */
    }
}
#endif
