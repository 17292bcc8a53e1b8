/* cross_tile.cl - pairs brackets of different tiles, and makes the report on all tiles. Shared by brackets.cl and
   brackets_single_pass.cl. */
#ifndef GPI_NEST_CROSS_TILE_CL
#define GPI_NEST_CROSS_TILE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "nest/brackets_tile.cl"
#include "nest/places.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"
#include "nest/lookback.cl"
#include "nest/lookback_nodes.cl"

/* The parameters of a kernel that uses the tiles' summaries. GPI_NEST_SET defines the summaries, `nest`, and under GPI_LOOKBACK
   also the tree, `back`. It must follow GPI_SYMBOL_INPUT_SET(symbols), because a look-back needs `symbols`. */
#if GPI_LOOKBACK
#define GPI_NEST_PARAMETERS GPI_SCRATCH_PARAMETERS, uint polls, volatile __global uint *counters
#define GPI_NEST_SET(nest)                                                                       \
    const gpi_lookback back =                                                                    \
        gpi_lookback_make(scratch + tree_at, symbols, counters,                                  \
                          gpi_count(bound, wanted, wanted_offset, wanted_words), leaves, polls); \
    const gpi_nest nest = gpi_nest_make(scratch, notes_at, back, leaves, back.n)
#else
#define GPI_NEST_PARAMETERS GPI_SCRATCH_PARAMETERS
#define GPI_NEST_SET(nest)                                                                         \
    const gpi_nest nest = gpi_nest_make(scratch, notes_at, (gpi_tiles)(scratch + tree_at), leaves, \
                                        gpi_count(bound, wanted, wanted_offset, wanted_words))
#endif

/* The outputs. `parents` and `depths`: whether parents and depths are wanted. */
typedef struct gpi_answer {
    __global gpi_index *match, *parent, *depth;
    uint parents, depths;
} gpi_answer;

/* ------------------------------------------------------------------ join */

/* Writes the pair of `opener` and `closer`, which are in different tiles. Counts it in `note` if the kinds differ. */
static void gpi_join_pair(gpi_symbol_input in, __global gpi_index *match, gpi_index opener, gpi_index closer,
                          ulong begin, gpi_note *note)
{
#if GPI_MATCH
    match[closer] = opener;
    match[opener] = closer;
#endif
#if GPI_KINDS
    if (gpi_code(in, opener) + gpi_code(in, closer) != 0) {
        note->mismatches++;
        note->first = min(note->first, (uint)(closer - begin));
    }
#endif
    (void)in;
    (void)note;
}

/* A run is `run` pairs whose cells begin at `opener` and `closer`, and are adjacent. Writes the run's pairs in rows of
   16, up to the first row whose openers or closers are not adjacent in the input. Returns the number of pairs written.
   If all of the run's openers and closers are adjacent (`all`), only the cells at the run's ends are read. */
static uint gpi_join_rows(__global gpi_index *match, __global const uint *opener, __global const uint *closer,
                          gpi_index there, gpi_index begin, uint run)
{
    uint k = 0;
#if GPI_MATCH && !GPI_KINDS
    const gpi_index_row step = GPI_LANE_NUMBERS(gpi_index_row);
    const long last = 1 - (long)run;
    const bool all = *opener - opener[last] == run - 1 && closer[last] - *closer == run - 1;
    for (bool row = true; row && k + 16 <= run;) {
        const long at = all ? 0 : -(long)k;
        const gpi_index p = gpi_cell_index(opener[at], there) - (all ? k : 0),
                        q = gpi_cell_index(closer[at], begin) + (all ? k : 0);
        row = all || (opener[at] - opener[at - 15] == 15 && closer[at - 15] - closer[at] == 15);
        if (!row) continue;
        gpi_row_write(match + q, (gpi_index_row)(p)-step);
        gpi_row_write(match + p - 15, (gpi_index_row)(q + 15) - step);
        k += 16;
    }
#endif
    return k;
}

/* Pairs the closers of `tile` whose openers are in earlier tiles. The item handles the closers `first`, first + stride, ... in
   the tile's cells. One search finds all openers that are consecutive in one tile. Returns the item's note. */
GPI_NOINLINE gpi_note gpi_join_tile(gpi_symbol_input in, __global gpi_index *match, gpi_nest nest, uint tile,
                                    uint first, uint stride)
{
    const ulong begin = gpi_tile_begin(tile);
    const gpi_index closers = gpi_leaf(nest, tile).pops;
    __global const uint *closer = nest.cells + begin + gpi_brackets_tile_length(nest, tile) - 1;
    gpi_note note = gpi_note_make();
    gpi_place place = {tile, 0};
    gpi_index j = first;
    if (j < closers) place = gpi_tiles_search(nest.tree, nest.leaves, tile, j);
    while (j < closers && place.leaf != GPI_NOWHERE) {
        const gpi_index pushes = gpi_leaf(nest, place.leaf).pushes;
        const ulong there = gpi_tile_begin(place.leaf);
        __global const uint *opener = nest.cells + there + (pushes - 1 - place.need);
        const uint run = (uint)((min(closers - j, pushes - place.need) + stride - 1) / stride);
        uint k = 0;
        if (GPI_WG == 1)
            k = gpi_join_rows(match, opener, closer - j, (gpi_index)there, (gpi_index)begin, run);
        for (; k < run; k++)
            gpi_join_pair(in, match, gpi_cell_index(opener[-(long)(k * stride)], (gpi_index)there),
                          gpi_cell_index(closer[-(long)(j + k * stride)], (gpi_index)begin), begin, &note);
        note.searches++;
        note.joined += run;
        j += run * stride;
        place.need += run * stride;
        if (j < closers) place = gpi_place_behind(nest, place);
    }
    return note;
}

/* ------------------------------------------------------------------ report */

/* The members of gp_brackets_errors, as indices of ulongs. */
#define GPI_ERRORS_CLOSERS 0
#define GPI_ERRORS_FIRST_CLOSER 1
#define GPI_ERRORS_OPENERS 2
#define GPI_ERRORS_FIRST_OPENER 3
#define GPI_ERRORS_MISMATCHES 4
#define GPI_ERRORS_FIRST_MISMATCH 5
#define GPI_ERRORS_MAX_DEPTH 6
#define GPI_ERRORS_JOINED 7
#define GPI_ERRORS_SEARCHES 8

#if !GPI_LONE_NOTED
/* Returns the first closer that finds the stack empty, or ~0. Descends to the first leaf that pops more than the stack has. */
static ulong gpi_first_unmatched_closer(gpi_nest nest)
{
    gpi_index height = 0;
    uint x = 1;
    if (GPI_TILE_NODE(nest.tree, 1).pops == 0) return ~0ul;
    while (x < nest.leaves) {
        const gpi_node left = GPI_TILE_NODE(nest.tree, 2 * x);
        x = 2 * x;
        if (left.pops > height) continue;
        height += left.pushes - left.pops;
        x++;
    }
    const uint tile = x - nest.leaves;
    const ulong end = gpi_tile_begin(tile) + gpi_brackets_tile_length(nest, tile);
    return gpi_cell_index(nest.cells[end - 1 - height], (gpi_index)gpi_tile_begin(tile));
}
#endif

/* Returns the lowest opener that is still on the stack after the input, or ~0. */
static ulong gpi_first_unmatched_opener(gpi_nest nest)
{
    const gpi_index left = GPI_TILE_NODE(nest.tree, 1).pushes;
    if (left == 0) return ~0ul;
    return gpi_opener_at(nest, gpi_tiles_descend(nest.tree, nest.leaves, 1, left - 1));
}

/* The sum of the notes of several tiles. (Tiles are not searched for errors here. This would need several iterations of
   a loop for each node, and from a few thousand tiles on, one group would exceed llvmpipe's limit of 65,535
   iterations.) */
typedef struct gpi_summary {
    ulong mismatches, first, joined, searches, depth;
    ulong lone; /* the first closer without an opener, according to the notes */
} gpi_summary;

static gpi_summary gpi_summary_of(gpi_nest nest, uint first, uint stride)
{
    const uint tiles = gpi_tiles_of(nest.n);
    gpi_summary sum = {0, ~0ul, 0, 0, 0, ~0ul};
    for (uint t = first; t < tiles; t += stride) {
        const gpi_note note = nest.notes[t];
        if (note.mismatches) sum.first = min(sum.first, gpi_tile_begin(t) + note.first);
        if (note.lone != ~0u) sum.lone = min(sum.lone, gpi_tile_begin(t) + note.lone);
        sum.mismatches += note.mismatches;
        sum.joined += note.joined;
        sum.searches += note.searches;
        sum.depth = max(sum.depth, note.base + note.rise);
    }
    return sum;
}

/* Writes gp_brackets_errors. Launched last, with one group. */
GPI_KERNEL void gp_brackets_report(GPI_SYMBOL_INPUT_PARAMETERS, __global ulong *errors, ulong errors_at,
                                   GPI_NEST_PARAMETERS)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_NEST_SET(nest);
    __local gpi_summary sums[GPI_WG];
    const uint l = (uint)GPI_LOCAL_ID;
    gpi_summary sum = gpi_summary_of(nest, l, GPI_WG);
    sums[l] = sum;
    gpi_sync(); /* the sums of all items are written */
    if (l != 0) return;
    for (uint j = 1; j < GPI_WG; j++) {
        sum.mismatches += sums[j].mismatches;
        sum.first = min(sum.first, sums[j].first);
        sum.joined += sums[j].joined;
        sum.searches += sums[j].searches;
        sum.depth = max(sum.depth, sums[j].depth);
        sum.lone = min(sum.lone, sums[j].lone);
    }
#if !GPI_LONE_NOTED
    sum.lone = nest.n ? gpi_first_unmatched_closer(nest) : ~0ul;
#endif
    (void)symbols;
    errors += errors_at * 9;
    errors[GPI_ERRORS_CLOSERS] = nest.n ? GPI_TILE_NODE(nest.tree, 1).pops : 0;
    errors[GPI_ERRORS_FIRST_CLOSER] = sum.lone;
    errors[GPI_ERRORS_OPENERS] = nest.n ? GPI_TILE_NODE(nest.tree, 1).pushes : 0;
    errors[GPI_ERRORS_FIRST_OPENER] = nest.n ? gpi_first_unmatched_opener(nest) : ~0ul;
    errors[GPI_ERRORS_MISMATCHES] = sum.mismatches;
    errors[GPI_ERRORS_FIRST_MISMATCH] = sum.first;
    errors[GPI_ERRORS_MAX_DEPTH] = sum.depth;
    errors[GPI_ERRORS_JOINED] = sum.joined;
    errors[GPI_ERRORS_SEARCHES] = sum.searches;
}
#endif
