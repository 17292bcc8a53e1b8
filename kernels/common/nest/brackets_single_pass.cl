/* brackets_single_pass.cl - gp_brackets by look-back (nest/lookback.cl): the outputs of nest/brackets.cl by one
   launch.

       take a ticket    serial: for GPI_GROUP_TILES tiles, local: for one
       pair             pairs brackets inside the tile, writes its cells, publishes its node
       climb            computes the product of the tiles before
       join             finds the openers of the tile's other closers in tiles before it
       measure          if errors are wanted: finds how far the stack gets above its height before the tile
       enclose          writes parents and depths: the tile is still in the cache (serial) or in local memory

   The partner of an opener that its tile leaves open is written by the group that closes it. In the serial shape
   the opener's own tile has written "none" before, and the tile's leaf publishes this with the cells. In the local
   shape nothing would order the two writes. So such an opener is written by its closer only, and one that nobody
   closes by a later launch:

       rest             a group a tile   writes "none" for the openers that are left in the end
       report           one group        as in nest/brackets.cl

   Parameters
       GPI_MEASURE      1: errors are wanted
       GPI_ENCLOSE      1: parents or depths are wanted                                                  */
#ifndef GPI_NEST_BRACKETS_SINGLE_PASS_CL
#define GPI_NEST_BRACKETS_SINGLE_PASS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "nest/brackets_tile.cl"
#include "nest/cross_tile.cl"
#include "nest/lookback.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

#if !defined(GPI_MEASURE) || !defined(GPI_ENCLOSE)
#error "GPI_MEASURE and GPI_ENCLOSE must be defined"
#endif

/* The outputs. `parents` and `depths`: whether that output is wanted. */
typedef struct gpi_answer {
    __global gpi_index *match, *parent, *depth;
    uint parents, depths;
} gpi_answer;

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

static uint gpi_lookback_ticket(volatile __global uint *ticket, gpi_pair_shared memory)
{
    (void)memory;
    return atomic_inc(ticket);
}

static void gpi_lookback_tile(gpi_symbol_input in, gpi_answer to, gpi_nest nest, uint tile)
{
    if (gpi_leaf(nest, tile).pops > 0)
        gpi_note_add(nest, tile, gpi_join_tile(in, to.match, nest, tile, 0, 1), 0);
#if GPI_MEASURE
    gpi_measure_tile(in, nest, tile, 0);
#endif
}

static void gpi_lookback_group(gpi_symbol_input in, gpi_answer to, gpi_nest nest, uint group,
                               gpi_pair_shared memory)
{
    const uint first = group * GPI_GROUP_TILES, end = min(first + GPI_GROUP_TILES, gpi_tiles_of(nest.n));
    if (first >= end) return; /* all later groups return, too: nobody waits for their tiles */
    gpi_pair_group(in, to.match, nest, group, true, memory);
    for (uint tile = first; tile < end; tile++)
        (void)gpi_lookback_climb(nest.tree, tile, gpi_leaf(nest, tile), 0);
    for (uint tile = first; tile < end; tile++) gpi_lookback_tile(in, to, nest, tile);
#if GPI_ENCLOSE
    gpi_enclose_group(in, nest, group, to.parent, to.parents != 0, to.depth, to.depths != 0, memory);
#endif
}

#else
/* ------------------------------------------------------------------ local */

/* Takes a ticket, and returns it to all items. All items call. */
static uint gpi_lookback_ticket(volatile __global uint *ticket, gpi_pair_shared memory)
{
    if (GPI_LOCAL_ID == 0) memory->group.height[0] = atomic_inc(ticket);
    gpi_sync(); /* the ticket is written */
    const uint group = (uint)memory->group.height[0];
    gpi_sync(); /* all items have read it */
    return group;
}

/* Returns the place of the opener of the item's next pending closer, which is below the opener of its last one, at `place`. Before
   the first closer place.leaf is `tile`. */
static gpi_place gpi_lookback_next(gpi_nest nest, uint tile, gpi_place place, gpi_index need, gpi_note *note)
{
    const bool fresh = place.leaf == tile;
    if (place.leaf == GPI_NOWHERE || (!fresh && need < gpi_leaf(nest, place.leaf).pushes)) {
        place.need = need;
        return place;
    }
    const gpi_node passed = fresh ? gpi_node_make(0, 0) : gpi_leaf(nest, place.leaf);
    note->searches++;
    return gpi_tiles_search(nest.tree, nest.leaves, place.leaf, need - passed.pushes + passed.pops);
}

/* Joins the tile's closers whose openers are in tiles before. The item takes every GPI_WG-th element. Returns the item's note. */
static gpi_note gpi_lookback_join(gpi_symbol_input in, gpi_answer to, gpi_nest nest, uint tile,
                                  __local const ushort *partner)
{
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    gpi_note note = gpi_note_make();
    gpi_place place = {tile, 0};
    uint seen = 0;
    for (uint i = (uint)GPI_LOCAL_ID; i < length; i += GPI_WG) {
        const uint code = partner[i];
        if (code < GPI_PENDING || code >= GPI_LEFT) continue;
        place = gpi_lookback_next(nest, tile, place, place.need + (code - GPI_PENDING - seen), &note);
        seen = code - GPI_PENDING;
        if (place.leaf != GPI_NOWHERE) {
            note.joined++;
            gpi_join_pair(in, to.match, gpi_opener_at(nest, place), (gpi_index)(begin + i), begin, &note);
        } else {
            note.lone = min(note.lone, i);
#if GPI_MATCH
            to.match[begin + i] = GPI_NONE;
#endif
        }
    }
    return note;
}

/* Handles one tile. A tile after the input's end counts as empty. (No item returns early: after a return and a barrier
   PoCL 3.1 lets all items follow the first item's conditions.) */
static void gpi_lookback_group(gpi_symbol_input in, gpi_answer to, gpi_nest nest, uint tile,
                               gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    gpi_pair_group(in, to.match, nest, tile, true, memory);
    gpi_lookback_all_beside(nest.tree, tile, shared->beside);
    gpi_sync(); /* the nodes beside the tile's path are written */
    if (GPI_LOCAL_ID == 0)
        shared->before =
            gpi_lookback_climb(nest.tree, tile, gpi_unpack_node(shared->tree[1]), shared->beside);
    gpi_sync(); /* the product of the tiles before is written */
    const gpi_note note = gpi_lookback_join(in, to, nest, tile, memory->stage);
#if GPI_MEASURE
    gpi_note_sum(note, &shared->note);
    gpi_measure_items(shared);
    gpi_pair_note(nest, tile, memory);
#endif
    (void)note;
#if GPI_ENCLOSE
    gpi_sync(); /* the stage has been read */
    gpi_enclose_tile(nest, tile, to.parent, to.parents != 0, to.depth, to.depths != 0, memory);
#endif
}
#endif

/* ------------------------------------------------------------------ kernels */

GPI_KERNEL void gp_brackets_look_back(GPI_SYMBOL_INPUT_PARAMETERS, __global gpi_index *match, ulong match_at,
                                      __global gpi_index *parent, ulong parent_at, uint parents,
                                      __global gpi_index *depth, ulong depth_at, uint depths,
                                      GPI_NEST_PARAMETERS)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_NEST_SET(nest);
    GPI_SHARED(gpi_pair_memory, shared);
    const uint group = gpi_lookback_ticket(scratch + tree_at, shared);
    gpi_answer to;
    GPI_COUNT_CHECK(group == 0, counters);
    to.match = match + match_at;
    to.parent = parent + parent_at;
    to.depth = depth + depth_at;
    to.parents = parents;
    to.depths = depths;
    gpi_lookback_group(symbols, to, nest, group, shared);
}

/* Writes "none" for the openers that nobody closes: the lowest ones of those that the tile leaves. */
GPI_KERNEL void gp_brackets_rest(GPI_SYMBOL_INPUT_PARAMETERS, __global gpi_index *match, ulong match_at,
                                 GPI_NEST_PARAMETERS)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_NEST_SET(nest);
    const uint tile = (uint)get_group_id(0);
    if (tile >= gpi_tiles_of(nest.n)) return;
    const gpi_index left =
        gpi_excess(gpi_leaf(nest, tile).pushes, gpi_tiles_after(nest.tree, leaves, tile).pops);
    for (gpi_index k = GPI_LOCAL_ID; k < left; k += GPI_WG)
        match[match_at + gpi_opener_of(nest, tile, k)] = GPI_NONE;
}
#endif
