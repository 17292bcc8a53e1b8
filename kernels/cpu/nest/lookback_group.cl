/* lookback_group.cl - one item handles GPI_GROUP_TILES tiles of a single pass over brackets.

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
    if (first >= end) return; /* all later groups return, too: no group waits for their tiles */
    gpi_pair_group(in, to.match, nest, group, true, memory);
    for (uint tile = first; tile < end; tile++) {
        gpi_node beside[32];
        gpi_lookback_all_beside(nest.tree, tile, beside);
        (void)gpi_lookback_climb(nest.tree, tile, gpi_leaf(nest, tile), beside);
    }
    for (uint tile = first; tile < end; tile++) gpi_lookback_tile(in, to, nest, tile);
#if GPI_ENCLOSE
    gpi_enclose_group(in, nest, group, to.parent, to.parents != 0, to.depth, to.depths != 0, memory);
#endif
}

#endif
