/* stack_scan_serial.cl - scans of stacks in the serial shape: what one item does with its tiles, GPI_STRANDS of
   them abreast, so that the chain push, pop, push ... of one does not wait for itself. It has
   GPI_STRANDS * GPI_TILE elements in private memory. */
#ifndef GPI_NEST_STACK_SCAN_SERIAL_CL
#define GPI_NEST_STACK_SCAN_SERIAL_CL
#include "base/platform.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "nest/brackets_block_serial.cl"
#include "nest/brackets_tile.cl"
#include "nest/stack_monoid.cl"
#include "nest/stack_products.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

typedef uint gpi_slice_memory;
typedef uint gpi_fold_memory;
typedef uint *gpi_stack_shared;

#define GPI_STRANDS 4

/* Blocks of `count` neighbouring tiles, the first of which begins at `at`. True: there are few brackets in
   any of them. */
GPI_INLINE bool gpi_read_blocks(gpi_brackets_block *block, uint count, gpi_symbol_input in, gpi_index at)
{
    bool few = true;
#pragma unroll
    for (uint k = 0; k < count; k++) {
        block[k] = gpi_block_read(in, at + k * GPI_TILE, GPI_BRACKETS_BLOCK);
        few = few && popcount(gpi_block_brackets(block[k])) <= GPI_BRACKETS_FEW;
    }
    return few;
}

/* The sign of element `at`, which is the block's j-th. */
GPI_INLINE int gpi_block_sign(const gpi_brackets_block *block, gpi_symbol_input in, gpi_index at, uint j)
{
#if GPI_TABLE
    return gpi_sign(in, at);
#else
    return (int)(block->openers >> j & 1) - (int)(block->closers >> j & 1);
#endif
}

/* Whether a product that may not be wanted is cheaper than a branch that may be mispredicted. */
#define GPI_STACK_SMALL (GPI_SIZE <= 16)

/* Element `at` of a tile whose cells begin at `base`; *top is the stack's top, base itself when it is empty. */
GPI_INLINE void gpi_slice_step(__global GPI_T *base, __global GPI_T **top, gpi_index *pops, gpi_input input,
                               long sign, gpi_index at)
{
    __global GPI_T *next = *top + sign;
    if (GPI_RARELY(next < base)) {
        ++*pops;
        return;
    }
    if (GPI_STACK_SMALL || sign > 0)
        (*top)[1] = gpi_combine(GPI_COMBINE_OF(input) * *top, gpi_load(input, at));
    *top = next;
}

/* Elements of `count` neighbouring tiles of `length`, the first of which begins at `begin`, in step. */
GPI_INLINE void gpi_slice_tiles(__global GPI_T **base, __global GPI_T **top, gpi_index *pops, uint count,
                                gpi_symbol_input in, gpi_input input, gpi_index begin, uint length)
{
    uint i = 0;
    for (; i + GPI_BRACKETS_BLOCK <= length; i += GPI_BRACKETS_BLOCK) {
        gpi_brackets_block block[GPI_STRANDS];
        if (gpi_read_blocks(block, count, in, begin + i)) {
            for (uint k = 0; k < count; k++) {
                for (ulong left = gpi_block_brackets(block[k]); left; left &= left - 1) {
                    const uint j = gpi_first_bracket(left);
                    const gpi_index at = begin + k * GPI_TILE + i + j;
                    gpi_slice_step(base[k], &top[k], &pops[k], input, gpi_block_sign(&block[k], in, at, j),
                                   at);
                }
            }
            continue;
        }
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
#pragma unroll
            for (uint k = 0; k < count; k++) {
                const gpi_index at = begin + k * GPI_TILE + i + j;
                gpi_slice_step(base[k], &top[k], &pops[k], input, gpi_block_sign(&block[k], in, at, j), at);
            }
        }
    }
    for (; i < length; i++) {
#pragma unroll
        for (uint k = 0; k < count; k++) {
            const gpi_index at = begin + k * GPI_TILE + i;
            gpi_slice_step(base[k], &top[k], &pops[k], input, gpi_sign(in, at), at);
        }
    }
}

/* `count` tiles from `tile` on, of `length` each. */
GPI_INLINE void gpi_slice_abreast(gpi_symbol_input in, gpi_input input, gpi_stack stack, uint tile,
                                  uint count, uint length)
{
    __global GPI_T *base[GPI_STRANDS], *top[GPI_STRANDS];
    gpi_index pops[GPI_STRANDS];
#pragma unroll
    for (uint k = 0; k < count; k++) {
        base[k] = top[k] = gpi_stack_cells(stack, tile + k);
        *base[k] = gpi_identity();
        pops[k] = 0;
    }
    gpi_slice_tiles(base, top, pops, count, in, input, (gpi_index)gpi_tile_begin(tile), length);
#pragma unroll
    for (uint k = 0; k < count; k++)
        stack.nest.tree[stack.nest.leaves + tile + k] = gpi_node_make(pops[k], (gpi_index)(top[k] - base[k]));
}

static void gpi_slice_group(gpi_symbol_input in, gpi_input input, gpi_stack stack, gpi_stack_shared shared)
{
    const uint tile = (uint)get_group_id(0) * GPI_STRANDS;
    const gpi_nest nest = stack.nest;
    (void)shared;
    if (gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {
        gpi_slice_abreast(in, input, stack, tile, GPI_STRANDS, GPI_TILE);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++)
        gpi_slice_abreast(in, input, stack, tile + k, 1, gpi_brackets_tile_length(nest, tile + k));
}

/* A tile on its way to the output. Its stack of products is in private memory; below its first one is what is
   left of the stack before the tile. */
typedef struct gpi_fold {
    gpi_stack stack;
    gpi_place place; /* of the highest opener left of those before the tile */
    GPI_T initial;
    gpi_symbol_input in;
    __global GPI_OUT *out;
    gpi_input input;
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
        if (GPI_STACK_SMALL || sign > 0)
            (*top)[1] = gpi_combine(GPI_COMBINE_OF(f->input) * *top, gpi_load(f->input, at));
        *top = next;
    }
    if (!exclusive) gpi_stack_put(f->out, at, **top);
}

/* The block of 64 elements from `at` on, few of which are brackets. */
GPI_INLINE void gpi_fold_few(gpi_fold *f, GPI_T **top, const gpi_brackets_block *block, gpi_index at,
                             const bool exclusive)
{
    ulong left = gpi_block_brackets(*block);
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

static void gpi_fold_group(gpi_symbol_input in, gpi_input input, __global GPI_OUT *out, gpi_stack stack,
                           GPI_T initial, bool exclusive, gpi_stack_shared shared)
{
    gpi_fold f;
    (void)shared;
    f.stack = stack;
    f.initial = initial;
    f.in = in;
    f.out = out;
    f.input = input;
    f.place.leaf = GPI_NOWHERE;
    f.place.need = 0;
    f.base = 0;
    if (exclusive) gpi_fold_strands(f, true);
    else gpi_fold_strands(f, false);
}
#endif
