/* stack_scan.cl - gp_stack_scan: for each element the product of the values on the stack.

       stack of values; an opener pushes its value, a closer pops one
       out[i] = initial . v0 . v1 ... vk        v0 ... vk: the stack after element i, lowest first;
                                                exclusive: the stack before it

   Each launch passes products (nest/stack_products.cl) on to the next:

       pair    group per tile        makes nodes and cells: reads codes, and openers' values
       tree    group per 4096 leaves makes nodes and joints, in two launches
       base    item per tile         makes bases: 2 log2(tiles) steps, each with a descent
       fold    group per tile        reads the input again, and writes the results

   No group waits for another, and no chain is longer than a tile. (Levien, The stack monoid, 2020, for
   the values on the stack; the products in a tree are ours.)

   Parameters: those of nest/tile_summary.cl, element/monoid.cl and element/input.cl. */
#ifndef GPI_NEST_STACK_SCAN_CL
#define GPI_NEST_STACK_SCAN_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "nest/brackets_tile.cl"
#include "nest/stack_monoid.cl"
#include "nest/stack_products.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

#include "nest/stack_scan_tile.cl"

#define GPI_STACK_VALUES_PARAMETERS \
    __global const GPI_IN *values, ulong values_at, GPI_SYMBOL_INPUT_PARAMETERS
#define GPI_STACK_VALUES_SET(input) \
    gpi_input input;                \
    GPI_ARGS_SET(input)             \
    input.in = values + values_at;  \
    input.count = gpi_count(bound, wanted, wanted_offset, wanted_words)

GPI_KERNEL void gp_stack_pair(GPI_STACK_VALUES_PARAMETERS, GPI_STACK_PARAMETERS,
                              volatile __global uint *counters)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_STACK_SET(stack);
    GPI_STACK_VALUES_SET(input);
    GPI_SHARED(gpi_slice_memory, shared);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_slice_group(symbols, input, stack, shared);
}

GPI_KERNEL void gp_stack_tree(GPI_COMBINE_PARAMETERS GPI_COUNT_PARAMETERS, GPI_STACK_PARAMETERS, uint bottom)
{
    GPI_STACK_SET(stack);
#define GPI_STACK_CLEAR(x) stack.nest.tree[x] = gpi_node_make(0, 0)
#define GPI_STACK_GROW(x) gpi_stack_grow(stack, x)
    GPI_GROW_TREE(leaves, gpi_tiles_of(stack.nest.n), bottom, GPI_STACK_CLEAR, GPI_STACK_GROW);
}

/* Computes base[t] for each tile t, one item per tile. Climbs from the tile's leaf. At each node to the left of its path,
   multiplies by the product of the openers that this node pushes and that neither later nodes nor the tile itself pop. */
GPI_KERNEL void gp_stack_base(GPI_COMBINE_PARAMETERS GPI_COUNT_PARAMETERS, GPI_STACK_PARAMETERS,
                              gpi_argument initial)
{
    GPI_STACK_SET(stack);
    const uint tile = (uint)get_global_id(0);
    GPI_T product = gpi_identity();
    if (tile >= gpi_tiles_of(stack.nest.n)) return;
    gpi_index need = stack.nest.tree[leaves + tile].pops;
    for (uint x = leaves + tile; x > 1; x >>= 1) {
        if (!(x & 1)) continue;
        const gpi_node before = stack.nest.tree[x - 1];
        const bool some = before.pushes > need;
        if (some)
            product = gpi_combine(GPI_COMBINE_OF(stack) gpi_stack_lowest(stack, x - 1, before.pushes - need),
                                  product);
        need = some ? before.pops : need + before.pops - before.pushes;
    }
    stack.bases[tile] = gpi_combine(GPI_COMBINE_OF(stack) gpi_base_of(initial), product);
}

GPI_KERNEL void gp_stack_fold(GPI_STACK_VALUES_PARAMETERS, __global GPI_OUT *out, ulong out_at,
                              gpi_argument initial, uint exclusive, GPI_STACK_PARAMETERS)
{
    GPI_SYMBOL_INPUT_SET(symbols);
    GPI_STACK_SET(stack);
    GPI_STACK_VALUES_SET(input);
    GPI_SHARED(gpi_fold_memory, shared);
    gpi_fold_group(symbols, input, out + out_at, stack, gpi_base_of(initial), exclusive != 0, shared);
}
#endif
