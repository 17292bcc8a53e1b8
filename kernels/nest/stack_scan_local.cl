/* stack_scan_local.cl - scans of stacks in the local shape: what the items of a group do with their tile, which is
   in local memory.

   Openers are linked to the ones below them, and multiplied along these links: within an item one after the
   other, then by doubling, which takes as many rounds as the logarithm of the most items that a link chain
   goes through. */
#ifndef GPI_NEST_STACK_SCAN_LOCAL_CL
#define GPI_NEST_STACK_SCAN_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "nest/brackets_tile.cl"
#include "nest/stack_monoid.cl"
#include "nest/stack_products.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

typedef struct gpi_stack_memory {
    gpi_group group;
    uint going[2];
    ushort parent[GPI_TILE] __attribute__((aligned(16))); /* as gpi_enclose_item leaves it */
    ushort link[GPI_TILE]; /* the opener below what an opener's value has been multiplied with; GPI_TILE or
                                more: there is none in this tile */
    GPI_T value[GPI_TILE];
} gpi_stack_memory;
typedef __local gpi_stack_memory *gpi_stack_shared;

/* What an item knows of its elements, a bit each. */
typedef struct gpi_links_of {
    uint openers, kept; /* kept: those that the item leaves open */
    uint node;
} gpi_links_of;

/* Brackets of the tile, its openers' values, the items' tree and each element's parent; `height` of the stack
   before the tile. */
static gpi_links_of gpi_stack_open(gpi_symbol_input in, gpi_input input, gpi_nest nest, uint tile,
                                   gpi_index height, gpi_stack_shared memory)
{
    const gpi_shared shared = &memory->group;
    const uint l = (uint)get_local_id(0);
    const ulong begin = gpi_tile_begin(tile);
    gpi_links_of bits;
    if (l == 0) memory->going[0] = 0;
    const gpi_brackets_of item =
        gpi_open_item(in, begin, gpi_brackets_tile_length(nest, tile), memory->parent, shared);
    const gpi_brackets_of left = gpi_reduce_item(item, 0);
    bits.openers = item.opens;
    bits.kept = left.opens;
    bits.node = gpi_item_node(left);
    gpi_grow_tree(bits.node, bits.kept, shared); /* all items' brackets are there, too */
    for (uint i = l; i < GPI_TILE; i += GPI_WG)
        if (shared->opens[i / GPI_PER_ITEM] >> i % GPI_PER_ITEM & 1)
            memory->value[i] = gpi_load(input, begin + i);
    gpi_sync(); /* values are there */
    gpi_enclose_item(height, memory->parent, shared);
    return bits;
}

/* The item's openers: each multiplied with those below it in the same item. */
static void gpi_stack_item(uint openers, gpi_stack_shared memory)
{
    const uint first = (uint)get_local_id(0) * GPI_PER_ITEM;
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint p = first + j, q = memory->link[p];
        if (!(openers >> j & 1) || q < first || q >= GPI_TILE) continue;
        memory->value[p] = gpi_combine(memory->value[q], memory->value[p]);
        memory->link[p] = memory->link[q];
    }
}

/* The same across items. Each round doubles how many openers a product goes over, so that there are
   log2(GPI_WG) at most, and one that finds nothing to do. */
static void gpi_stack_double(uint openers, gpi_stack_shared memory)
{
    const uint l = (uint)get_local_id(0), first = l * GPI_PER_ITEM;
    bool going = true;
    for (uint round = 0; going; round ^= 1) {
        GPI_T below[GPI_PER_ITEM];
        ushort next[GPI_PER_ITEM];
        gpi_sync(); /* the last round's values and links are there */
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const uint q = memory->link[first + j];
            if (!(openers >> j & 1) || q >= GPI_TILE) continue;
            below[j] = memory->value[q];
            next[j] = memory->link[q];
            (void)atomic_or(&memory->going[round], 1u);
        }
        gpi_sync(); /* everybody has read, and said whether there is more to do */
        if (l == 0) memory->going[1 - round] = 0;
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            if (!(openers >> j & 1) || memory->link[first + j] >= GPI_TILE) continue;
            memory->value[first + j] = gpi_combine(below[j], memory->value[first + j]);
            memory->link[first + j] = next[j];
        }
        going = memory->going[round] != 0;
    }
}

static void gpi_slice_group(gpi_symbol_input in, gpi_input input, gpi_stack stack, gpi_stack_shared memory)
{
    const gpi_shared shared = &memory->group;
    const uint l = (uint)get_local_id(0), first = l * GPI_PER_ITEM, tile = (uint)get_group_id(0);
    __global GPI_T *cell = gpi_stack_cells(stack, tile);
    if (gpi_brackets_tile_length(stack.nest, tile) == 0) return;
    const gpi_links_of bits = gpi_stack_open(in, input, stack.nest, tile, GPI_TILE, memory);
    for (uint j = 0; j < GPI_PER_ITEM; j++) memory->link[first + j] = memory->parent[first + j];
    gpi_stack_item(bits.openers, memory);
    gpi_stack_double(bits.openers, memory);
    uint open = bits.kept, at;
    const uint left = gpi_kept(bits.node, shared, &at);
    for (uint k = 0; k < left; k++, open &= open - 1)
        cell[at + k + 1] = memory->value[first + popcount(~open & (open - 1))];
    if (l != 0) return;
    cell[0] = gpi_identity();
    stack.nest.tree[stack.nest.leaves + tile] = gpi_unpack_node(shared->tree[1]);
}

/* The product of the stack before a tile without its highest m. Those for m = 0 ... pops - 1 stand in the
   tile's last cells, the first one last. */
static GPI_T gpi_fold_outer(gpi_stack stack, uint tile, uint m)
{
    const gpi_index pops = stack.nest.tree[stack.nest.leaves + tile].pops;
    if (m >= pops) return stack.bases[tile];
    return gpi_stack_cells(stack, tile)[gpi_brackets_tile_length(stack.nest, tile) - m];
}

/* What the parent `q` of an element stands for: the product down to it. */
static GPI_T gpi_fold_parent(gpi_stack stack, uint tile, uint q, GPI_T initial, gpi_stack_shared memory)
{
    if (q < GPI_TILE) return memory->value[q];
    return q == GPI_ALONE ? initial : gpi_fold_outer(stack, tile, q - GPI_TILE);
}

/* The parent of an element's parent. */
static uint gpi_fold_grandparent(uint q, gpi_stack_shared memory)
{
    if (q < GPI_TILE) return memory->parent[q];
    return q == GPI_ALONE ? q : q + 1;
}

static void gpi_fold_write(gpi_symbol_input in, __global GPI_OUT *out, gpi_stack stack, uint tile,
                           GPI_T initial, bool exclusive, gpi_stack_shared memory)
{
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(stack.nest, tile);
    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG) {
        const int sign = exclusive ? 0 : gpi_sign(in, begin + i);
        uint q = memory->parent[i];
        if (sign > 0) q = i;
        if (sign < 0) q = gpi_fold_grandparent(q, memory);
        gpi_stack_put(out, begin + i, gpi_fold_parent(stack, tile, q, initial, memory));
    }
}

static void gpi_fold_group(gpi_symbol_input in, gpi_input input, __global GPI_OUT *out, gpi_stack stack,
                           GPI_T initial, bool exclusive, gpi_stack_shared memory)
{
    const gpi_nest nest = stack.nest;
    const uint l = (uint)get_local_id(0), first = l * GPI_PER_ITEM, tile = (uint)get_group_id(0);
    const uint length = gpi_brackets_tile_length(nest, tile);
    if (length == 0) return;
    const gpi_index pops = nest.tree[nest.leaves + tile].pops;
    for (uint m = l; m < GPI_TILE; m += GPI_WG)
        if (m < pops)
            gpi_stack_cells(stack, tile)[length - m] =
                gpi_stack_at(stack, gpi_tiles_search(nest.tree, nest.leaves, tile, m), initial);
    const gpi_links_of bits =
        gpi_stack_open(in, input, nest, tile, gpi_tiles_before(nest.tree, nest.leaves, tile).pushes, memory);
    gpi_sync_all(); /* the products of the stack before the tile are there */
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint p = first + j, q = memory->parent[p];
        memory->link[p] = (ushort)q;
        if (!(bits.openers >> j & 1) || q < GPI_TILE) continue;
        memory->value[p] = gpi_combine(gpi_fold_parent(stack, tile, q, initial, memory), memory->value[p]);
    }
    gpi_stack_item(bits.openers, memory);
    gpi_stack_double(bits.openers, memory);
    gpi_sync(); /* all openers' products are there */
    gpi_fold_write(in, out, stack, tile, initial, exclusive, memory);
}
#endif
