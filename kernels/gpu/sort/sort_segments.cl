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

#define GPI_HEAD_WORDS ((GPI_PER_ITEM + 31) / 32) /* words of an item's bits */
/* The word with the bit of key i. */
#define GPI_HEAD_WORD(i) ((i) / GPI_PER_ITEM * GPI_HEAD_WORDS + (i) % GPI_PER_ITEM / 32)

/* Local memory of a group. */
typedef struct gpi_segments_memory {
    gpi_single_tile_memory tile;
    uint span
        [GPI_WG]; /* segment of an item's first key: its begin in the lower half, its end in the upper half */
    uint head[GPI_WG *
              GPI_HEAD_WORDS]; /* a bit for each of an item's keys: whether a segment begins with it */
    uint word[2];
    uint crossing; /* segments across teams' pieces: 0: none; GPI_CROSSING_SHORT: all short; _LONG: not all */
} gpi_segments_memory;
typedef __local gpi_segments_memory *gpi_segments_shared;

#define GPI_CROSSING_SHORT 1u
#define GPI_CROSSING_LONG 2u

/* Finds which of the segments [first, last) are sorted together, as the tile that begins with the first one: as many as fit in
   `small` keys. Writes the first segment after these to *next. Writes to shared->span and shared->head where the tile's segments
   begin, and where its keys end. Each item handles every GPI_WG-th segment. The caller needs a barrier before an item reads any
   of this. */
GPI_INLINE_GPU void gpi_segments_mark(__global const gpi_sort_cell *bounds, uint small, uint first, uint last,
                                      __local uint *next, gpi_segments_shared shared)
{
    const gpi_sort_cell base = bounds[first];
    for (uint s = first + (uint)get_local_id(0); s < last; s += GPI_WG) {
        const gpi_sort_cell far = bounds[s] - base, reach = bounds[s + 1] - base;
        const bool fits = reach <= small;
        if (far > small) break;
        const uint begin = (uint)far, end = fits ? (uint)reach : begin;
        const bool is_last = !fits || s + 1 == last;
        if (is_last) *next = fits ? last : s;
        if (is_last && end < GPI_TILE)
            (void)atomic_or(&shared->head[GPI_HEAD_WORD(end)], 1u << end % GPI_PER_ITEM % 32);
        if (begin == end) continue;
        (void)atomic_or(&shared->head[GPI_HEAD_WORD(begin)], 1u << begin % GPI_PER_ITEM % 32);
        for (uint i = (begin + GPI_PER_ITEM - 1) / GPI_PER_ITEM; i * GPI_PER_ITEM < end; i++)
            shared->span[i] = begin | end << 16;
    }
}

/* Writes to each entry of the item the position at which the segment of the entry's key begins. Entries after the n-th are in a
   segment of their own. Clears the item's shared->head, and writes shared->span after the n-th key, and shared->crossing. The
   caller needs a barrier before an item reads these two. */
GPI_INLINE_GPU void gpi_segments_enter(uint n, gpi_entry *entry, gpi_segments_shared shared)
{
    const uint l = gpi_entries_item(), at = l * GPI_PER_ITEM;
    const uint span = at < n ? shared->span[l] : n | (uint)GPI_TILE << 16, from = span & 0xffffu,
               to = span >> 16;
    uint begin = from, heads = 0;
    GPI_EACH_OWN(j) {
        if (j % 32 == 0) {
            heads = shared->head[l * GPI_HEAD_WORDS + j / 32];
            shared->head[l * GPI_HEAD_WORDS + j / 32] = 0;
        }
        if (heads >> j % 32 & 1) begin = at + j;
        gpi_entry_enter(entry + j, begin);
    }
    shared->span[l] = span;
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

/* Sorts the small segments among [first, last). Segments that fit in a tile together are sorted together. */
static void gpi_segments_sort(gpi_segments segments, gpi_places places, gpi_digit_bits bits, uint small,
                              uint from, uint tmp_first, uint first, uint last, gpi_segments_shared shared)
{
    const gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);
    const uint l = (uint)get_local_id(0);
    (void)tmp_first;
    GPI_EACH(j, GPI_HEAD_WORDS) shared->head[l * GPI_HEAD_WORDS + j] = 0;
    gpi_sync(); /* there are no heads */
    for (uint turn = 0; first < last; turn ^= 1) {
        const ulong base = segments.bounds[first];
        if (l == 0) shared->crossing = 0;
        /* late items may still read the other word */
        gpi_segments_mark(segments.bounds, small, first, last, &shared->word[turn], shared);
        gpi_sync(); /* the tile's segments are marked */
        const uint next = shared->word[turn], n = (uint)(segments.bounds[next] - base);
        if (n > 0) {
            gpi_entry entry[GPI_PER_ITEM];
            gpi_single_tile_load(move.key + base, n, false, bits, entry, &shared->tile);
            gpi_segments_enter(n, entry, shared);
            gpi_sync(); /* the stage is read; `span` and `crossing` are written */
            gpi_segments_entries(entry, shared);
            gpi_single_tile_write(move, bits, base, n, n, entry, &shared->tile);
        }
        first = next > first ? next : first + 1; /* next == first: this segment is large */
    }
}
#endif
