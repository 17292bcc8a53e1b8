/* lookback_group.cl - a group handles a tile of a single pass over brackets.

   Parameters: those of nest/brackets_single_pass.cl. */
#ifndef GPI_NEST_LOOKBACK_GROUP_CL
#define GPI_NEST_LOOKBACK_GROUP_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "nest/brackets_tile.cl"
#include "nest/cross_tile.cl"
#include "nest/lookback.cl"
#include "nest/places.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

/* Takes a ticket, and returns it to all items. Must be called by all items. */
static uint gpi_lookback_ticket(volatile __global uint *ticket, gpi_pair_shared memory)
{
    if (GPI_LOCAL_ID == 0) memory->group.height[0] = atomic_inc(ticket);
    gpi_sync(); /* the ticket is written */
    const uint group = (uint)memory->group.height[0];
    gpi_sync(); /* all items have read it */
    return group;
}

/* Returns the place of the partner of the item's next pending closer. `place` is the place of the previous closer's partner,
   and `need` is counted from the top of leaf place.leaf. Before the first closer, place.leaf is `tile`, and `need` is counted
   from the top of the stack before the tile. */
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

/* Pairs the tile's pending closers with openers in earlier tiles. A closer without an opener gets the partner "none". Each item
   handles every GPI_WG-th element, and returns its note. */
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

/* Handles one tile. A tile after the input's end counts as empty. (No item returns early: PoCL 3.1 would apply the first item's
   conditions to all items after a return and a barrier.) */
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
    gpi_sync(); /* the product of all earlier tiles is written */
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
