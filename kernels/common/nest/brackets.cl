/* brackets.cl - gp_brackets: partners, parents and depths of nested brackets, in several launches.

       stack of indices; an opener pushes its index, a closer pops one
       match[i]    partner of bracket i, or none
       parent[i]   top of the stack before i: the innermost opener that encloses i; for a closer its partner
       depth[i]    height of the stack before i: how many openers enclose i

       pair      group per tile        pairs brackets inside the tile; writes the others to the tile's cells, and counts
                                       them in its node. On CPUs, makes only the node if no cells are needed
       tree      group per 4096 leaves computes the products of neighbours, in two launches
       join      group per tile        finds the openers of the tile's other closers in earlier tiles; on CPUs
                                       also marks brackets without a partner
       enclose   group per tile        writes parents and depths; reads the input again
       measure   group per tile        finds greatest depths; reads the input again
       report    one group             reports brackets without a partner, pairs of different kinds, and the greatest depth

   To find partners, the input is read once, by `pair`. `join` only reads the brackets without a partner in their tile,
   which are few unless brackets are nested as deep as tiles are long. No group waits for another.

   Outputs are defined for every input. A closer on an empty stack pops nothing and has no partner. An opener
   that is never closed has no partner, and encloses everything after it. Kinds have no effect on pairs.   */
#ifndef GPI_NEST_BRACKETS_CL
#define GPI_NEST_BRACKETS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "nest/brackets_tile.cl"
#include "nest/cross_tile.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

/* ------------------------------------------------------------------ pair, tree */

/* Returns whether the first tile of `group` does not exist, because the device found fewer elements than the bound. */
static bool gpi_is_beyond(gpi_nest nest, uint group)
{
    return group * GPI_GROUP_TILES >= gpi_tiles_of(nest.n);
}

GPI_KERNEL void gp_brackets_pair(GPI_SYMBOL_INPUT_PARAMETERS, __global gpi_index *match, ulong match_at,
                                 GPI_NEST_PARAMETERS, uint cells, volatile __global uint *counters)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_NEST_SET(nest);
    GPI_SHARED(gpi_pair_memory, shared);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    if (gpi_is_beyond(nest, (uint)get_group_id(0))) return;
    gpi_pair_group(symbols, match + match_at, nest, (uint)get_group_id(0), cells != 0, shared);
    gpi_pair_note(nest, (uint)get_group_id(0), shared);
}

/* Makes the nodes of the tree of tiles above `bottom`. A leaf without a tile pushes and pops nothing. */
GPI_KERNEL void gp_brackets_tree(GPI_COUNT_PARAMETERS, GPI_NEST_PARAMETERS, uint bottom)
{
    GPI_NEST_SET(nest);
#define GPI_CLEAR(x) nest.tree[x] = gpi_node_make(0, 0)
#define GPI_GROW(x) nest.tree[x] = gpi_node_product(nest.tree[2 * (x)], nest.tree[2 * (x) + 1])
    GPI_GROW_TREE(leaves, gpi_tiles_of(nest.n), bottom, GPI_CLEAR, GPI_GROW);
}

/* ------------------------------------------------------------------ join, enclose, measure */

/* Returns the tile that `group` joins. Consecutive groups get tiles alternately from both ends, which balances the load: closers
   with openers in other tiles tend to be in the last tiles, and each thread of a CPU runs many consecutive groups. */
static uint gpi_join_tile_of(uint group, uint groups)
{
    return group % 2 ? groups - 1 - group / 2 : group / 2;
}

GPI_KERNEL void gp_brackets_join(GPI_SYMBOL_INPUT_PARAMETERS, __global gpi_index *match, ulong match_at,
                                 GPI_NEST_PARAMETERS)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_NEST_SET(nest);
    const uint tile = gpi_join_tile_of((uint)get_group_id(0), (uint)get_num_groups(0));
    GPI_SHARED(gpi_join_memory, shared);
    const uint l = (uint)GPI_LOCAL_ID;
    if (tile >= gpi_tiles_of(nest.n)) return;
    if (gpi_leaf(nest, tile).pops > 0)
        gpi_note_add(nest, tile, gpi_join_tile(symbols, match + match_at, nest, tile, l, GPI_WG), shared);
    gpi_join_left(match + match_at, nest, tile);
}

GPI_KERNEL void gp_brackets_enclose(GPI_SYMBOL_INPUT_PARAMETERS, __global gpi_index *parent, ulong parent_at,
                                    uint parents, __global gpi_index *depth, ulong depth_at, uint depths,
                                    GPI_NEST_PARAMETERS)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_NEST_SET(nest);
    GPI_SHARED(gpi_pair_memory, shared);
    if (gpi_is_beyond(nest, (uint)get_group_id(0))) return;
    gpi_enclose_group(symbols, nest, (uint)get_group_id(0), parent + parent_at, parents != 0,
                      depth + depth_at, depths != 0, shared);
}

GPI_KERNEL void gp_brackets_measure(GPI_SYMBOL_INPUT_PARAMETERS, GPI_NEST_PARAMETERS)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_NEST_SET(nest);
    GPI_SHARED(gpi_pair_memory, shared);
    const uint tile = (uint)get_group_id(0);
    if (tile >= gpi_tiles_of(nest.n)) return;
    gpi_measure_tile(symbols, nest, tile, shared);
}
#endif
