/* brackets_single_pass.cl - gp_brackets by look-back (back.cl): the same outputs as brackets.cl's, by one
   launch.

       take a ticket    serial: for GPI_GROUP_TILES tiles, local: for one
       pair             pairs inside the tile; its cells and its node, which is published
       climb            what comes before the tile
       join             the tile's closers find their openers in tiles before it
       measure          how far the stack gets above its height before the tile; where errors are wanted
       enclose          parents, depths: the tile is still in the cache (serial) or in local memory

   An opener's partner comes from the future: the group that closes it writes it. In the serial shape the
   opener's own tile has written "none" before, which its leaf publishes with the cells. In the local shape
   nothing would order the two, so that openers which a tile leaves are written by their closers only, and
   those that nobody closes by a later launch:

       rest             a group a tile   no partner for the openers that are left in the end
       report           one group        as in nest/brackets.cl

   Parameters
       GPI_MEASURE      1: errors are wanted
       GPI_ENCLOSE      1: parents or depths are                                                         */
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

/* Where results go; `parents`, `depths`: whether they are wanted. */
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
    if (first >= end) return; /* so do all later ones: nobody waits for them */
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

/* All items call. */
static uint gpi_lookback_ticket(volatile __global uint *ticket, gpi_pair_shared memory)
{
    if (GPI_LOCAL_ID == 0) memory->group.height[0] = atomic_inc(ticket);
    gpi_sync(); /* the ticket is there */
    const uint group = (uint)memory->group.height[0];
    gpi_sync(); /* everybody has it */
    return group;
}

/* The next pending closer of the item's finds its opener below the one before's. `place` is the tile itself
   before the first one. */
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

/* The tile's closers whose openers are in tiles before; the item's are every GPI_WG-th element. */
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

/* A tile after the input's end is taken for an empty one. (Nobody returns early: PoCL 3.1 lets all items
   follow the first one's conditions in what follows a return and a barrier.) */
static void gpi_lookback_group(gpi_symbol_input in, gpi_answer to, gpi_nest nest, uint tile,
                               gpi_pair_shared memory)
{
    const gpi_shared shared = &memory->group;
    gpi_pair_group(in, to.match, nest, tile, true, memory);
    gpi_lookback_all_beside(nest.tree, tile, shared->beside);
    gpi_sync(); /* what is beside the tile's path is there */
    if (GPI_LOCAL_ID == 0)
        shared->before =
            gpi_lookback_climb(nest.tree, tile, gpi_unpack_node(shared->tree[1]), shared->beside);
    gpi_sync(); /* what comes before the tile is there; nobody has to wait for it */
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

/* Openers that nobody closes: of those that the tile leaves the lowest ones. */
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
