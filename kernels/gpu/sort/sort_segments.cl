/* sort_segments.cl - a group sorts small segments. Consecutive segments that fit in a tile are sorted together.

   Parameters: those of sort/tile_merge_sort.cl and sort/segments_state.cl. */
#ifndef GPI_SORT_SORT_SEGMENTS_CL
#define GPI_SORT_SORT_SEGMENTS_CL
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"
#include "sort/segments_state.cl"
#include "sort/single_tile.cl"
#include "sort/tile_merge_sort.cl"

typedef __local gpi_sort_cell *gpi_maxima_shared;
#define GPI_MAXIMA_SHARED(name)                   \
    __local gpi_sort_cell name##_mem[2 * GPI_WG]; \
    const gpi_maxima_shared name = name##_mem

/* Returns the maximum of x over the items before this one (0 for the first), and sets *total to the maximum over all items. Each
   step doubles the number of items whose maximum is in an element of a row. */
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

/* Local memory of a group. */
typedef struct gpi_segments_memory {
    gpi_single_tile_memory tile;
    uint span
        [GPI_WG]; /* segment of an item's first key: its begin in the lower half, its end in the upper half */
    uint word[4];
    uint crossing; /* 0: no segment crosses pieces; GPI_CROSSING_SHORT: only short ones do; _LONG: others */
} gpi_segments_memory;
typedef __local gpi_segments_memory *gpi_segments_shared;

#define GPI_CROSSING_SHORT 1u
#define GPI_CROSSING_LONG 2u

/* Writes to each entry of the item the position at which the segment of the entry's key begins. The tile has the n keys
   from `base` on, which are those of segments [first, last). Writes shared->span and shared->crossing. The caller needs
   a barrier before an item reads these two. */
GPI_INLINE_GPU void gpi_segments_enter(__global const gpi_sort_cell *bounds, ulong base, uint n, uint first,
                                       uint last, gpi_entry *entry, gpi_segments_shared shared)
{
    const uint l = gpi_entries_item(), at = l * GPI_PER_ITEM;
    uint from = 0, to = 0;
    for (uint i = 0; i < GPI_PER_ITEM;) {
        uint begin = n, end = GPI_TILE; /* of an entry after all segments */
        if (at + i < n) {
            const uint s = gpi_bound_find(bounds, first, last, base + at + i + 1);
            begin = (uint)(bounds[s - 1] - base);
            end = (uint)(bounds[s] - base);
        }
        GPI_EACH_OWN(j)
            if (j >= i) gpi_entry_enter(entry + j, begin);
        if (i == 0) {
            from = begin;
            to = end;
        }
        i = end - at;
    }
    shared->span[l] = min(from, at) | (to << 16);
    if (l % GPI_TEAM == 0 && from < at && at < n)
        (void)atomic_max(&shared->crossing,
                         to - from <= GPI_TEAM_SPAN / 2 ? GPI_CROSSING_SHORT : GPI_CROSSING_LONG);
}

/* Two adjacent runs of entries: [begin, middle) and [middle, end). */
typedef struct gpi_entry_runs {
    uint begin, middle, end;
} gpi_entry_runs;

/* Returns the runs that this item merges in the step that doubles runs of `items` items. The merge is restricted to the one
   segment that is in both runs. If `crossing` is GPI_CROSSING_SHORT, the step after the last one within teams is different: it
   merges the two half pieces next to each border between pieces. */
GPI_INLINE gpi_entry_runs gpi_segments_runs(uint items, uint crossing, gpi_segments_shared shared)
{
    const uint l = gpi_entries_item();
    uint middle = (l & ~(2 * items - 1)) + items, reach = items;
    gpi_entry_runs runs;
    if (items == GPI_TEAM && crossing == GPI_CROSSING_SHORT) {
        reach = GPI_TEAM / 2;
        middle = (l + reach) & ~(GPI_TEAM - 1u);
    }
    const bool is_border = 0 < middle && middle < GPI_WG;
    const uint span = shared->span[is_border ? middle : 0];
    runs.middle = middle * GPI_PER_ITEM;
    runs.begin = max((span & 0xffffu) / GPI_PER_ITEM, max(middle, reach) - reach) * GPI_PER_ITEM;
    runs.end = min(((span >> 16) + GPI_PER_ITEM - 1) / GPI_PER_ITEM, middle + reach) * GPI_PER_ITEM;
    if (!is_border || (span & 0xffffu) >= runs.middle)
        runs.end = runs.begin; /* an empty run, but not of zeros, which PoCL 3.1 loses */
    return runs;
}

/* Waits for the items of the team, or, if !of_team, of the whole group. */
static void gpi_segments_sync(bool of_team)
{
#if GPI_ON_CPU /* PoCL does not support barriers in branches */
    (void)of_team;
    gpi_sync();
#else
    if (of_team) gpi_team_sync();
    else gpi_sync();
#endif
}

/* Sorts the entries of each segment. (The segments themselves are already in order.) The length of runs doubles within
   teams. If segments cross borders of pieces, and all of these segments are short, one more step merges across the
   borders. If one of these segments is long, runs double up to the whole tile. */
GPI_INLINE_GPU void gpi_segments_entries(gpi_entry *entry, gpi_segments_shared shared)
{
    __local gpi_entry_memory *const memory = &shared->tile.tile.entry;
    const uint crossing = shared->crossing;
    const uint most = crossing == 0 ? GPI_TEAM : crossing == GPI_CROSSING_SHORT ? 2 * GPI_TEAM : GPI_WG;
    gpi_entries_sort_own(entry);
    GPI_ROLLED
    for (uint items = 1; items < most; items *= 2) {
        const bool of_team = items < GPI_TEAM && crossing != GPI_CROSSING_LONG;
        gpi_entry_runs runs = gpi_segments_runs(items, crossing, shared);
        gpi_entries_put(entry, runs.begin, runs.middle, runs.end, memory);
        gpi_segments_sync(of_team); /* the runs are stored */
#if GPI_ON_CPU                      /* PoCL 3.1 loses `runs` at the barrier */
        runs = gpi_segments_runs(items, crossing, shared);
#endif
        gpi_entries_take(entry, runs.begin, runs.middle, runs.end, memory);
        gpi_segments_sync(of_team); /* the runs are read: the next ones may overwrite them */
    }
}

/* Sets [*first, *last) to the segments that begin in [begin, end). */
GPI_INLINE void gpi_segments_window(gpi_segments segments, ulong begin, ulong end, uint *first, uint *last,
                                    gpi_segments_shared shared)
{
    const uint l = (uint)get_local_id(0), m = segments.state[GPI_SEGMENTS_COUNT];
    if (l == 0 || l == GPI_WG - 1)
        shared->word[l == 0 ? 0 : 1] = gpi_bound_find(segments.bounds, 0, m, l == 0 ? begin : end);
    gpi_sync(); /* both are found */
    *first = shared->word[0];
    *last = shared->word[1];
}

/* Sorts the small segments among [first, last). Segments that fit in a tile together are sorted together. */
static void gpi_segments_sort(gpi_segments segments, gpi_places places, gpi_digit_bits bits, uint small,
                              uint from, uint tmp_first, uint first, uint last, gpi_segments_shared shared)
{
    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);
    (void)tmp_first;
    for (uint turn = 2; first < last; turn ^= 1) {
        const ulong base = segments.bounds[first];
        if (get_local_id(0) == 0) { /* late items may still read the other word */
            shared->word[turn] = gpi_bound_find(segments.bounds, first + 1, last + 1, base + small + 1) - 1;
            shared->crossing = 0;
        }
        gpi_sync(); /* the words are written */
        const uint next = shared->word[turn], n = (uint)(segments.bounds[next] - base);
        if (n > 0) {
            gpi_entry entry[GPI_PER_ITEM];
            gpi_single_tile_load(move.key + base, n, bits, entry, &shared->tile);
            gpi_segments_enter(segments.bounds, base, n, first, next, entry, shared);
            gpi_sync(); /* the stage is read; `span` and `crossing` are written */
            gpi_segments_entries(entry, shared);
            gpi_single_tile_write(move, bits, base, n, n, entry, &shared->tile);
        }
        first = next > first ? next : first + 1; /* next == first: this segment is large */
    }
}
#endif
