/* stack_scan_tile.cl - scans of stacks: one item scans GPI_STRANDS tiles side by side, a step of each in turn, so that one tile's
   push or pop can finish while others begin. The item has GPI_STRANDS * GPI_TILE elements in private memory. */
#ifndef GPI_NEST_STACK_SCAN_TILE_CL
#define GPI_NEST_STACK_SCAN_TILE_CL
#include "base/platform.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "nest/brackets_block.cl"
#include "nest/brackets_tile.cl"
#include "nest/places.cl"
#include "nest/stack_monoid.cl"
#include "nest/stack_products.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

typedef uint gpi_slice_memory;
typedef uint gpi_fold_memory;
typedef uint *gpi_stack_shared;

#define GPI_STRANDS 4

/* Returns whether `tile` and the tiles after it, GPI_STRANDS in all, are complete and consist of whole blocks. */
static bool gpi_is_abreast(gpi_stack stack, uint tile)
{
    return GPI_TILE % GPI_BRACKETS_BLOCK == 0 && gpi_tile_begin(tile + GPI_STRANDS) <= stack.nest.n;
}

/* Reads one block of each of GPI_STRANDS neighbouring tiles; the first tile's block begins at `at`. Returns whether each block
   has few brackets. */
GPI_INLINE bool gpi_read_blocks(gpi_brackets_block *block, gpi_symbol_input in, gpi_index at)
{
    bool few = true;
#pragma unroll
    for (uint k = 0; k < GPI_STRANDS; k++) {
        block[k] = gpi_block_read(in, at + k * GPI_TILE, GPI_BRACKETS_BLOCK);
        few = few && popcount(gpi_block_brackets(block[k])) <= GPI_BRACKETS_FEW;
    }
    return few;
}

/* Returns the sign of element `at`, which is the block's j-th. */
GPI_INLINE int gpi_block_sign(gpi_brackets_block block, gpi_symbol_input in, gpi_index at, uint j)
{
#if GPI_TABLE
    return gpi_sign(in, at);
#else
    return (int)(block.openers >> j & 1) - (int)(block.closers >> j & 1);
#endif
}

/* 1: elements are so small that an unneeded product is cheaper than a branch that may be mispredicted. */
#define GPI_STACK_SMALL (GPI_SIZE <= 16)

/* ------------------------------------------------------------------ pair */

/* A tile whose openers' products are being computed. The products begin at `base`. */
typedef struct gpi_slice {
    gpi_symbol_input in;
    gpi_input input;
    __global GPI_T *base;
    gpi_index pops;
} gpi_slice;

/* Handles element `at`, and moves *top, the stack's top. The stack is empty if *top is s->base. A closer on an empty stack is
   counted in s->pops. */
GPI_INLINE void gpi_slice_step(gpi_slice *s, __global GPI_T **top, long sign, gpi_index at)
{
    __global GPI_T *next = *top + sign;
    if (GPI_RARELY(next < s->base)) {
        s->pops++;
        return;
    }
    if (GPI_STACK_SMALL || sign > 0)
        (*top)[1] = gpi_combine(GPI_COMBINE_OF(s->input) * *top, gpi_load(s->input, at));
    *top = next;
}

/* Adds the block of `length` elements at `at` to the stack. Returns the stack's new top. */
GPI_NOINLINE __global GPI_T *gpi_slice_block(gpi_slice *restrict s, __global GPI_T *top,
                                             gpi_brackets_block block, gpi_index at, uint length)
{
    ulong left = gpi_block_brackets(block);
    if (popcount(left) > GPI_BRACKETS_FEW) {
        for (uint j = 0; j < length; j++)
            gpi_slice_step(s, &top, gpi_block_sign(block, s->in, at + j, j), at + j);
        return top;
    }
    for (; left; left &= left - 1) {
        const uint j = gpi_first_bracket(left);
        gpi_slice_step(s, &top, gpi_block_sign(block, s->in, at + j, j), at + j);
    }
    return top;
}

/* Starts the stack of a tile. Returns its top. */
GPI_INLINE __global GPI_T *gpi_slice_begin(gpi_slice *s, const gpi_slice *of, gpi_stack stack, uint tile)
{
    *s = *of;
    s->base = gpi_stack_cells(stack, tile);
    *s->base = gpi_identity();
    return s->base;
}

GPI_INLINE void gpi_slice_end(const gpi_slice *s, __global GPI_T *top, gpi_stack stack, uint tile)
{
    stack.nest.tree[stack.nest.leaves + tile] = gpi_node_make(s->pops, (gpi_index)(top - s->base));
}

/* Computes the stacks of GPI_STRANDS whole tiles from `tile` on, a step of each in turn. A stack has, for each opener that the
   tile leaves open, the product up to this opener. Also writes the leaves of the tiles. */
GPI_INLINE void gpi_slice_abreast(const gpi_slice *of, gpi_stack stack, uint tile)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    __global GPI_T *top[GPI_STRANDS];
    gpi_slice s[GPI_STRANDS];
#pragma unroll
    for (uint k = 0; k < GPI_STRANDS; k++) top[k] = gpi_slice_begin(&s[k], of, stack, tile + k);
    for (gpi_index i = 0; i < GPI_TILE; i += GPI_BRACKETS_BLOCK) {
        gpi_brackets_block block[GPI_STRANDS];
        if (gpi_read_blocks(block, of->in, begin + i)) {
#pragma unroll
            for (uint k = 0; k < GPI_STRANDS; k++)
                top[k] =
                    gpi_slice_block(&s[k], top[k], block[k], begin + k * GPI_TILE + i, GPI_BRACKETS_BLOCK);
            continue;
        }
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
#pragma unroll
            for (uint k = 0; k < GPI_STRANDS; k++) {
                const gpi_index at = begin + k * GPI_TILE + i + j;
                gpi_slice_step(&s[k], &top[k], gpi_block_sign(block[k], of->in, at, j), at);
            }
        }
    }
#pragma unroll
    for (uint k = 0; k < GPI_STRANDS; k++) gpi_slice_end(&s[k], top[k], stack, tile + k);
}

GPI_INLINE void gpi_slice_tile(const gpi_slice *of, gpi_stack stack, uint tile)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(stack.nest, tile);
    gpi_slice s;
    __global GPI_T *top = gpi_slice_begin(&s, of, stack, tile);
    for (uint i = 0; i < length; i += GPI_BRACKETS_BLOCK) {
        const uint some = min(length - i, GPI_BRACKETS_BLOCK);
        top = gpi_slice_block(&s, top, gpi_block_read(of->in, begin + i, some), begin + i, some);
    }
    gpi_slice_end(&s, top, stack, tile);
}

GPI_NOINLINE void gpi_slice_tiles(const gpi_slice *s, gpi_stack stack, uint tile)
{
    if (gpi_is_abreast(stack, tile)) {
        gpi_slice_abreast(s, stack, tile);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < stack.nest.n; k++)
        gpi_slice_tile(s, stack, tile + k);
}

static void gpi_slice_group(gpi_symbol_input in, gpi_input input, gpi_stack stack, gpi_stack_shared shared)
{
    const gpi_slice s = {in, input, 0, 0};
    (void)shared;
    gpi_slice_tiles(&s, stack, (uint)get_group_id(0) * GPI_STRANDS);
}

/* ------------------------------------------------------------------ fold */

/* A tile whose results are being written. Its stack of products is in private memory. The lowest product, at `base`, is that of
   the openers before the tile that are still open. */
typedef struct gpi_fold {
    gpi_stack stack;
    gpi_place place; /* place of the topmost earlier opener that is still open */
    GPI_T initial;
    gpi_symbol_input in;
    __global GPI_OUT *out;
    gpi_input input;
    GPI_T *base;
    long after; /* ~0: results are those after an element; 0: exclusive */
} gpi_fold;

/* Pops the topmost opener before the tile that is still open. Returns the product of the stack below that opener. */
GPI_NOINLINE GPI_T gpi_fold_below(gpi_fold *f)
{
    if (f->place.leaf != GPI_NOWHERE) f->place = gpi_place_below(f->stack.nest, f->place);
    return gpi_stack_at(f->stack, f->place, f->initial);
}

/* Handles element `at`, writes its result, and moves *top, the stack's top. If the stack is at its lowest product, a closer
   replaces this product. */
GPI_INLINE void gpi_fold_step(gpi_fold *f, GPI_T **top, long sign, gpi_index at)
{
    GPI_T *next = *top + sign;
    if (GPI_RARELY(next < f->base)) {
        const GPI_T before = *f->base;
        *f->base = gpi_fold_below(f);
        gpi_stack_put(f->out, at, f->after ? *f->base : before);
        return;
    }
    if (GPI_STACK_SMALL || sign > 0)
        (*top)[1] = gpi_combine(GPI_COMBINE_OF(f->input) * *top, gpi_load(f->input, at));
    gpi_stack_put(f->out, at, (*top)[sign & f->after]);
    *top = next;
}

/* Writes the results of a block, `length` elements from `at` on: one by one, or, if the block has few brackets, as runs of one
   value between brackets. Returns the stack's new top. */
GPI_NOINLINE GPI_T *gpi_fold_block(gpi_fold *restrict f, GPI_T *top, gpi_brackets_block block, gpi_index at,
                                   uint length)
{
    ulong left = gpi_block_brackets(block);
    uint j = 0;
    if (popcount(left) > GPI_BRACKETS_FEW) {
        for (; j < length; j++) gpi_fold_step(f, &top, gpi_block_sign(block, f->in, at + j, j), at + j);
        return top;
    }
    for (;;) {
        const uint end = left ? gpi_first_bracket(left) : length;
        const GPI_T now = *top;
        for (; j < end; j++) gpi_stack_put(f->out, at + j, now);
        if (!left) return top;
        gpi_fold_step(f, &top, gpi_block_sign(block, f->in, at + j, j), at + j);
        j++;
        left &= left - 1;
    }
}

/* Starts the stack of a tile. Returns its top. */
GPI_NOINLINE GPI_T *gpi_fold_begin(gpi_fold *f, const gpi_fold *of, uint tile, GPI_T *room)
{
    *f = *of;
    f->place = gpi_tiles_search(f->stack.nest.tree, f->stack.nest.leaves, tile, 0);
    f->base = room;
    *room = gpi_stack_at(f->stack, f->place, f->initial);
    return room;
}

/* Writes the results of GPI_STRANDS whole tiles from `tile` on, side by side. */
GPI_INLINE void gpi_fold_abreast(const gpi_fold *of, uint tile)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    GPI_T room[GPI_STRANDS][GPI_TILE + 1], *top[GPI_STRANDS];
    gpi_fold f[GPI_STRANDS];
#pragma unroll
    for (uint k = 0; k < GPI_STRANDS; k++) top[k] = gpi_fold_begin(&f[k], of, tile + k, room[k]);
    for (gpi_index i = 0; i < GPI_TILE; i += GPI_BRACKETS_BLOCK) {
        gpi_brackets_block block[GPI_STRANDS];
        if (gpi_read_blocks(block, of->in, begin + i)) {
#pragma unroll
            for (uint k = 0; k < GPI_STRANDS; k++)
                top[k] =
                    gpi_fold_block(&f[k], top[k], block[k], begin + k * GPI_TILE + i, GPI_BRACKETS_BLOCK);
            continue;
        }
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
#pragma unroll
            for (uint k = 0; k < GPI_STRANDS; k++) {
                const gpi_index at = begin + k * GPI_TILE + i + j;
                gpi_fold_step(&f[k], &top[k], gpi_block_sign(block[k], of->in, at, j), at);
            }
        }
    }
}

GPI_INLINE void gpi_fold_tile(const gpi_fold *of, uint tile)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(of->stack.nest, tile);
    GPI_T room[GPI_TILE + 1], *top;
    gpi_fold f;
    top = gpi_fold_begin(&f, of, tile, room);
    for (uint i = 0; i < length; i += GPI_BRACKETS_BLOCK) {
        const uint some = min(length - i, GPI_BRACKETS_BLOCK);
        top = gpi_fold_block(&f, top, gpi_block_read(of->in, begin + i, some), begin + i, some);
    }
}

GPI_NOINLINE void gpi_fold_tiles(const gpi_fold *f, uint tile)
{
    const gpi_nest nest = f->stack.nest;
    if (gpi_is_abreast(f->stack, tile)) {
        gpi_fold_abreast(f, tile);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++) gpi_fold_tile(f, tile + k);
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
    f.after = exclusive ? 0 : ~0l;
    gpi_fold_tiles(&f, (uint)get_group_id(0) * GPI_STRANDS);
}
#endif
