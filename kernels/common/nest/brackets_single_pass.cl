/* brackets_single_pass.cl - gp_brackets by look-back (nest/lookback.cl): the outputs of nest/brackets.cl in one launch.

       take a ticket    on CPUs for GPI_GROUP_TILES tiles, on GPUs for one
       pair             pairs brackets inside the tile, writes its cells, publishes its node
       climb            computes the product of all earlier tiles
       join             finds the openers of the tile's other closers in earlier tiles
       measure          if errors are wanted: finds how far the stack rises above its height before the tile
       enclose          writes parents and depths: the tile is still in the cache, or on GPUs in local memory

   If a tile leaves an opener open, the group that closes the opener writes its partner. On CPUs, the opener's own group
   first writes "none", and makes this write visible by publishing the tile's leaf. On GPUs, nothing would order these two
   writes. So on GPUs only the group that closes the opener writes its partner, and a later launch writes "none" if there is
   no such group:

       rest             group per tile   writes "none" for the openers that are never closed
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
#include "nest/lookback_group.cl"
#include "nest/opener.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

#if !defined(GPI_MEASURE) || !defined(GPI_ENCLOSE)
#error "GPI_MEASURE and GPI_ENCLOSE must be defined"
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

/* Writes "none" for the tile's openers that are never closed. They are the lowest openers that the tile leaves open. */
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
