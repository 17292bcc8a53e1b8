/* stack_scan.cl - gp_stack_scan: for each element the product of the values on the stack.

       stack of openers; an opener puts its value on it, a closer takes one off
       out[i] = initial . v0 . v1 ... vk        v0 ... vk: the stack behind element i, lowest first;
                                                exclusive: the stack before it

   What is left of tile t is ")))(((" (nest/tile_summary.cl). Its cells hold the products of its own openers,
   which those of other tiles are put in front of:

       cell[t][k]    v0 ... v(k-1)  of the openers that tile t leaves; k = 0 ... pushes; [0] is the identity
       base[t]       initial and what is left of the stack before t when t's closers have taken their part
       joint[x]      of node x: the product of what its left child pushes and its right child leaves

   So the stack down to an opener of tile t, its k-th, is base[t] . cell[t][k]; and the product of the lowest
   m openers that a node pushes is found on one way down, because joint[x] stands for all to the left of it.

       pair    a group a tile        nodes and cells: reads codes, and openers' values
       tree    a group 4096 leaves   nodes and joints, in two launches
       base    an item a tile        2 log2(tiles) steps, each with a way down
       fold    a group a tile        reads again, and writes

   No group waits for another, and no chain is longer than a tile. (Levien, The stack monoid, 2020, for
   the values on the stack; the products in a tree are ours.)

   Parameters: those of nest/tile_summary.cl, element/monoid.cl and element/input.cl. The serial shape has
   GPI_STRANDS * GPI_TILE elements in private memory; the local one a tile in local memory. */
#ifndef GPI_NEST_STACK_SCAN_CL
#define GPI_NEST_STACK_SCAN_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "nest/brackets_tile.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

typedef struct gpi_stack {
    gpi_nest nest;
    __global GPI_T *cells, *bases, *joints;
} gpi_stack;

/* Scratch, in uints: | tree | joints | bases | cells: GPI_TILE + 1 a tile | */
#define GPI_STACK_PARAMETERS \
    __global uint *scratch, ulong joints_at, ulong bases_at, ulong cells_at, uint leaves
#define GPI_STACK_SET(stack)                                                           \
    gpi_stack stack;                                                                   \
    stack.nest = gpi_nest_make(scratch, 0, (gpi_tiles)scratch, leaves,                 \
                               gpi_count(bound, wanted, wanted_offset, wanted_words)); \
    stack.joints = (__global GPI_T *)(scratch + joints_at);                            \
    stack.bases = (__global GPI_T *)(scratch + bases_at);                              \
    stack.cells = (__global GPI_T *)(scratch + cells_at)

#define GPI_STACK_VALUES_PARAMETERS __global const GPI_IN *values, ulong values_at, GPI_INPUT_PARAMETERS
#define GPI_STACK_VALUES_SET(source) \
    gpi_source source;               \
    source.in = values + values_at;  \
    source.count = gpi_count(bound, wanted, wanted_offset, wanted_words)

static __global GPI_T *gpi_stack_cells(gpi_stack stack, uint tile)
{
    return stack.cells + (ulong)tile * (GPI_TILE + 1);
}

/* The product of the stack down to a place's opener, that one included. */
static GPI_T gpi_stack_at(gpi_stack stack, gpi_place place, GPI_T initial)
{
    if (place.leaf == GPI_NOWHERE) return initial;
    const gpi_index k = stack.nest.tree[stack.nest.leaves + place.leaf].pushes - place.need;
    return gpi_combine(stack.bases[place.leaf], gpi_stack_cells(stack, place.leaf)[k]);
}

/* Nobody reads results soon. */
static void gpi_stack_put(__global GPI_OUT *out, ulong i, GPI_T x) { GPI_WRITE(out, i, GPI_BASE_RESULT(x)); }

/* ------------------------------------------------------------------ serial */

#if GPI_SHAPE_SERIAL
typedef uint gpi_stack_memory;
typedef uint *gpi_stack_shared;

/* Whether a product that may not be wanted is cheaper than a branch that may be mispredicted. */
#define GPI_STACK_SMALL (GPI_SIZE <= 16)

/* Element `at` of a tile whose cells begin at `base`; *top is the stack's top, base itself when it is empty. */
GPI_INLINE void gpi_slice_step(__global GPI_T *base, __global GPI_T **top, gpi_index *pops, gpi_source source,
                               long sign, gpi_index at)
{
    __global GPI_T *next = *top + sign;
    if (GPI_RARELY(next < base)) {
        ++*pops;
        return;
    }
    if (GPI_STACK_SMALL || sign > 0) (*top)[1] = gpi_combine(**top, gpi_load(source, at));
    *top = next;
}

/* Elements of `count` neighbouring tiles of `length`, the first of which begins at `begin`, in step. */
GPI_INLINE void gpi_slice_tiles(__global GPI_T **base, __global GPI_T **top, gpi_index *pops, uint count,
                                gpi_input in, gpi_source source, gpi_index begin, uint length)
{
    uint i = 0;
    for (; i + GPI_BRACKETS_BLOCK <= length; i += GPI_BRACKETS_BLOCK) {
        gpi_brackets_block block[GPI_STRANDS];
        if (gpi_read_blocks(block, count, in, begin + i)) {
            for (uint k = 0; k < count; k++) {
                for (ulong left = block[k].brackets; left; left &= left - 1) {
                    const uint j = gpi_first_bracket(left);
                    const gpi_index at = begin + k * GPI_TILE + i + j;
                    gpi_slice_step(base[k], &top[k], &pops[k], source, gpi_block_sign(&block[k], in, at, j),
                                   at);
                }
            }
            continue;
        }
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
#pragma unroll
            for (uint k = 0; k < count; k++) {
                const gpi_index at = begin + k * GPI_TILE + i + j;
                gpi_slice_step(base[k], &top[k], &pops[k], source, gpi_block_sign(&block[k], in, at, j), at);
            }
        }
    }
    for (; i < length; i++) {
#pragma unroll
        for (uint k = 0; k < count; k++) {
            const gpi_index at = begin + k * GPI_TILE + i;
            gpi_slice_step(base[k], &top[k], &pops[k], source, gpi_sign(in, at), at);
        }
    }
}

/* `count` tiles from `tile` on, of `length` each: abreast, as in nest/brackets_serial.cl. */
GPI_INLINE void gpi_slice_abreast(gpi_input in, gpi_source source, gpi_stack stack, uint tile, uint count,
                                  uint length)
{
    __global GPI_T *base[GPI_STRANDS], *top[GPI_STRANDS];
    gpi_index pops[GPI_STRANDS];
#pragma unroll
    for (uint k = 0; k < count; k++) {
        base[k] = top[k] = gpi_stack_cells(stack, tile + k);
        *base[k] = gpi_identity();
        pops[k] = 0;
    }
    gpi_slice_tiles(base, top, pops, count, in, source, (gpi_index)gpi_tile_begin(tile), length);
#pragma unroll
    for (uint k = 0; k < count; k++)
        stack.nest.tree[stack.nest.leaves + tile + k] = gpi_node_make(pops[k], (gpi_index)(top[k] - base[k]));
}

static void gpi_slice_group(gpi_input in, gpi_source source, gpi_stack stack, gpi_stack_shared shared)
{
    const uint tile = (uint)get_group_id(0) * GPI_STRANDS;
    const gpi_nest nest = stack.nest;
    (void)shared;
    if (gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {
        gpi_slice_abreast(in, source, stack, tile, GPI_STRANDS, GPI_TILE);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++)
        gpi_slice_abreast(in, source, stack, tile + k, 1, gpi_brackets_tile_length(nest, tile + k));
}

/* A tile on its way to the output. Its stack of products is in private memory; below its first one is what is
   left of the stack before the tile. */
typedef struct gpi_fold {
    gpi_stack stack;
    gpi_place place; /* of the highest opener left of those before the tile */
    GPI_T initial;
    gpi_input in;
    __global GPI_OUT *out;
    gpi_source source;
    GPI_T *base;
} gpi_fold;

/* The highest opener left of those before the tile is taken. */
GPI_NOINLINE GPI_T gpi_fold_below(gpi_fold *f)
{
    if (f->place.leaf != GPI_NOWHERE) f->place = gpi_place_below(f->stack.nest, f->place);
    return gpi_stack_at(f->stack, f->place, f->initial);
}

/* Element `at`; *top is the stack's top. */
GPI_INLINE void gpi_fold_step(gpi_fold *f, GPI_T **top, long sign, gpi_index at, const bool exclusive)
{
    GPI_T *next = *top + sign;
    if (exclusive) gpi_stack_put(f->out, at, **top);
    if (GPI_RARELY(next < f->base)) {
        *f->base = gpi_fold_below(f);
    } else {
        if (GPI_STACK_SMALL || sign > 0) (*top)[1] = gpi_combine(**top, gpi_load(f->source, at));
        *top = next;
    }
    if (!exclusive) gpi_stack_put(f->out, at, **top);
}

/* The block of 64 elements from `at` on, few of which are brackets. */
GPI_INLINE void gpi_fold_few(gpi_fold *f, GPI_T **top, const gpi_brackets_block *block, gpi_index at,
                             const bool exclusive)
{
    ulong left = block->brackets;
    uint j = 0;
    for (;;) {
        const uint end = left ? gpi_first_bracket(left) : GPI_BRACKETS_BLOCK;
        const GPI_T now = **top;
        for (; j < end; j++) gpi_stack_put(f->out, at + j, now);
        if (!left) return;
        gpi_fold_step(f, top, gpi_block_sign(block, f->in, at + j, j), at + j, exclusive);
        j++;
        left &= left - 1;
    }
}

/* Elements of `count` neighbouring tiles of `length` in step. */
GPI_INLINE void gpi_fold_tiles(gpi_fold *f, GPI_T **top, uint count, gpi_index begin, uint length,
                               const bool exclusive)
{
    uint i = 0;
    for (; i + GPI_BRACKETS_BLOCK <= length; i += GPI_BRACKETS_BLOCK) {
        gpi_brackets_block block[GPI_STRANDS];
        if (gpi_read_blocks(block, count, f[0].in, begin + i)) {
#pragma unroll
            for (uint k = 0; k < count; k++)
                gpi_fold_few(&f[k], &top[k], &block[k], begin + k * GPI_TILE + i, exclusive);
            continue;
        }
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
#pragma unroll
            for (uint k = 0; k < count; k++) {
                const gpi_index at = begin + k * GPI_TILE + i + j;
                gpi_fold_step(&f[k], &top[k], gpi_block_sign(&block[k], f[0].in, at, j), at, exclusive);
            }
        }
    }
    for (; i < length; i++) {
#pragma unroll
        for (uint k = 0; k < count; k++) {
            const gpi_index at = begin + k * GPI_TILE + i;
            gpi_fold_step(&f[k], &top[k], gpi_sign(f[0].in, at), at, exclusive);
        }
    }
}

GPI_INLINE void gpi_fold_begin(gpi_fold *f, gpi_fold of, uint tile, GPI_T *room)
{
    *f = of;
    f->place = gpi_tiles_search(f->stack.nest.tree, f->stack.nest.leaves, tile, 0);
    f->base = room;
    *room = gpi_stack_at(f->stack, f->place, f->initial);
}

/* `count` tiles from `tile` on, of `length` each. */
GPI_INLINE void gpi_fold_abreast(gpi_fold of, uint tile, uint count, uint length, const bool exclusive)
{
    GPI_T room[GPI_STRANDS][GPI_TILE + 1], *top[GPI_STRANDS];
    gpi_fold f[GPI_STRANDS];
#pragma unroll
    for (uint k = 0; k < count; k++) {
        gpi_fold_begin(&f[k], of, tile + k, room[k]);
        top[k] = room[k];
    }
    gpi_fold_tiles(f, top, count, (gpi_index)gpi_tile_begin(tile), length, exclusive);
}

GPI_INLINE void gpi_fold_strands(gpi_fold f, const bool exclusive)
{
    const uint tile = (uint)get_group_id(0) * GPI_STRANDS;
    const gpi_nest nest = f.stack.nest;
    if (gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {
        gpi_fold_abreast(f, tile, GPI_STRANDS, GPI_TILE, exclusive);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++)
        gpi_fold_abreast(f, tile + k, 1, gpi_brackets_tile_length(nest, tile + k), exclusive);
}

static void gpi_fold_group(gpi_input in, gpi_source source, __global GPI_OUT *out, gpi_stack stack,
                           GPI_T initial, bool exclusive, gpi_stack_shared shared)
{
    gpi_fold f;
    (void)shared;
    f.stack = stack;
    f.initial = initial;
    f.in = in;
    f.out = out;
    f.source = source;
    f.place.leaf = GPI_NOWHERE;
    f.place.need = 0;
    f.base = 0;
    if (exclusive) gpi_fold_strands(f, true);
    else gpi_fold_strands(f, false);
}

/* ------------------------------------------------------------------ local */

#else
/* Openers are linked to the ones below them, and multiplied along these links: within an item one after the
   other, then by doubling, which takes as many rounds as the logarithm of the most items that a link chain
   goes through. */
typedef struct gpi_stack_memory {
    gpi_group group;
    uint going[2];
    ushort parent[GPI_TILE]; /* as gpi_enclose_item leaves it */
    ushort link[GPI_TILE];   /* the opener below what an opener's value has been multiplied with; GPI_TILE or
                                more: there is none in this tile */
    GPI_T value[GPI_TILE];
} gpi_stack_memory;
typedef __local gpi_stack_memory *gpi_stack_shared;

/* What an item knows of its elements, a bit each. */
typedef struct gpi_links_of {
    uint openers, kept; /* kept: those that the item leaves open */
    gpi_node node;
} gpi_links_of;

/* Signs of the tile, its openers' values, the items' tree and each element's parent; `height` of the stack
   before the tile. */
static gpi_links_of gpi_stack_open(gpi_input in, gpi_source source, gpi_nest nest, uint tile,
                                   gpi_index height, gpi_stack_shared memory)
{
    const gpi_shared shared = &memory->group;
    const uint l = (uint)get_local_id(0);
    const ulong begin = gpi_tile_begin(tile);
    gpi_links_of bits;
    uint close;
    gpi_load_signs(in, begin, gpi_brackets_tile_length(nest, tile), shared);
    for (uint i = l; i < GPI_TILE; i += GPI_WG)
        if (shared->sign[i] > 0) memory->value[i] = gpi_load(source, begin + i);
    if (l == 0) memory->going[0] = 0;
    gpi_sync(); /* signs and values are there */
    bits.openers = 0;
    for (uint j = 0; j < GPI_PER_ITEM; j++)
        if (shared->sign[l * GPI_PER_ITEM + j] > 0) bits.openers |= 1u << j;
    bits.node = gpi_reduce_item(shared, 0, &bits.kept, &close);
    gpi_grow_tree(bits.node, bits.kept, shared);
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
        for (uint j = 0; j < GPI_PER_ITEM; j++) {
            const uint q = memory->link[first + j];
            if (!(openers >> j & 1) || q >= GPI_TILE) continue;
            below[j] = memory->value[q];
            next[j] = memory->link[q];
            (void)atomic_or(&memory->going[round], 1u);
        }
        gpi_sync(); /* everybody has read, and said whether there is more to do */
        if (l == 0) memory->going[1 - round] = 0;
        for (uint j = 0; j < GPI_PER_ITEM; j++) {
            if (!(openers >> j & 1) || memory->link[first + j] >= GPI_TILE) continue;
            memory->value[first + j] = gpi_combine(below[j], memory->value[first + j]);
            memory->link[first + j] = next[j];
        }
        going = memory->going[round] != 0;
    }
}

static void gpi_slice_group(gpi_input in, gpi_source source, gpi_stack stack, gpi_stack_shared memory)
{
    const gpi_shared shared = &memory->group;
    const uint l = (uint)get_local_id(0), first = l * GPI_PER_ITEM, tile = (uint)get_group_id(0);
    __global GPI_T *cell = gpi_stack_cells(stack, tile);
    if (gpi_brackets_tile_length(stack.nest, tile) == 0) return;
    const gpi_links_of bits = gpi_stack_open(in, source, stack.nest, tile, GPI_TILE, memory);
    for (uint j = 0; j < GPI_PER_ITEM; j++) memory->link[first + j] = memory->parent[first + j];
    gpi_stack_item(bits.openers, memory);
    gpi_stack_double(bits.openers, memory);
    uint open = bits.kept, at;
    const uint left = gpi_kept(bits.node, shared, &at);
    for (uint k = 0; k < left; k++, open &= open - 1)
        cell[at + k + 1] = memory->value[first + popcount(~open & (open - 1))];
    if (l != 0) return;
    cell[0] = gpi_identity();
    stack.nest.tree[stack.nest.leaves + tile] = shared->tree[1];
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

static void gpi_fold_write(gpi_input in, __global GPI_OUT *out, gpi_stack stack, uint tile, GPI_T initial,
                           bool exclusive, gpi_stack_shared memory)
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

static void gpi_fold_group(gpi_input in, gpi_source source, __global GPI_OUT *out, gpi_stack stack,
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
        gpi_stack_open(in, source, nest, tile, gpi_tiles_before(nest.tree, nest.leaves, tile).pushes, memory);
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

/* ------------------------------------------------------------------ kernels */

GPI_KERNEL void gp_stack_pair(GPI_STACK_VALUES_PARAMETERS, GPI_STACK_PARAMETERS,
                              volatile __global uint *counters)
{
    GPI_STACK_SET(stack);
    GPI_STACK_VALUES_SET(source);
    GPI_SHARED(gpi_stack_memory, shared);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_slice_group(GPI_INPUT, source, stack, shared);
}

/* The product of the lowest m > 0 openers that node x pushes. */
GPI_NOINLINE GPI_T gpi_stack_lowest(gpi_stack stack, uint x, gpi_index m)
{
    const uint leaves = stack.nest.leaves;
    GPI_T product = gpi_identity();
    while (x < leaves) {
        const gpi_index left = gpi_excess(stack.nest.tree[2 * x].pushes, stack.nest.tree[2 * x + 1].pops);
        const bool right = m > left;
        if (right) product = gpi_combine(product, stack.joints[x]);
        if (right) m -= left;
        x = 2 * x + right;
    }
    return gpi_combine(product, gpi_stack_cells(stack, x - leaves)[m]);
}

/* The children of node x are there. */
static void gpi_stack_grow(gpi_stack stack, uint x)
{
    const gpi_node a = stack.nest.tree[2 * x], b = stack.nest.tree[2 * x + 1];
    const gpi_index left = gpi_excess(a.pushes, b.pops);
    stack.nest.tree[x] = gpi_node_product(a, b);
    stack.joints[x] = gpi_identity();
    if (left > 0) stack.joints[x] = gpi_stack_lowest(stack, 2 * x, left);
}

GPI_KERNEL void gp_stack_tree(GPI_COUNT_PARAMETERS, GPI_STACK_PARAMETERS, uint bottom)
{
    GPI_STACK_SET(stack);
#define GPI_STACK_CLEAR(x) stack.nest.tree[x] = gpi_node_make(0, 0)
#define GPI_STACK_GROW(x) gpi_stack_grow(stack, x)
    GPI_GROW_TREE(leaves, gpi_tiles_of(stack.nest.n), bottom, GPI_STACK_CLEAR, GPI_STACK_GROW);
}

/* What tile t leaves of the stack before it: up from its leaf, with all that is to the left and not taken by
   what comes after it. */
GPI_KERNEL void gp_stack_base(GPI_COUNT_PARAMETERS, GPI_STACK_PARAMETERS, gpi_argument initial)
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
        if (some) product = gpi_combine(gpi_stack_lowest(stack, x - 1, before.pushes - need), product);
        need = some ? before.pops : need + before.pops - before.pushes;
    }
    stack.bases[tile] = gpi_combine(gpi_base_of(initial), product);
}

GPI_KERNEL void gp_stack_fold(GPI_STACK_VALUES_PARAMETERS, __global GPI_OUT *out, ulong out_at,
                              gpi_argument initial, uint exclusive, GPI_STACK_PARAMETERS)
{
    GPI_STACK_SET(stack);
    GPI_STACK_VALUES_SET(source);
    GPI_SHARED(gpi_stack_memory, shared);
    gpi_fold_group(GPI_INPUT, source, out + out_at, stack, gpi_base_of(initial), exclusive != 0, shared);
}
#endif
