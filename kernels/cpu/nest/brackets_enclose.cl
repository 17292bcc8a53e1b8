/* brackets_enclose.cl - brackets: computes heights of the stack, and parents.

   A tile's stack is in private memory. Below the tile's own openers, the stack has some openers of earlier tiles. Before these
   run out, more are fetched. */
#ifndef GPI_NEST_BRACKETS_ENCLOSE_CL
#define GPI_NEST_BRACKETS_ENCLOSE_CL
#include "base/platform.cl"
#include "nest/brackets_block.cl"
#include "nest/brackets_eights.cl"
#include "nest/places.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

/* ------------------------------------------------------------------ heights */

/* A tile whose heights are computed. If `sums`, each closer of the tile has an opener, in this tile or an earlier one, so that
   heights are sums of steps. If not, heights are sums of steps only in blocks whose closers all have openers. */
typedef struct gpi_heights {
    gpi_index begin, before; /* before: the stack's height before the tile */
    uint length;
    bool sums;
} gpi_heights;

static gpi_heights gpi_heights_make(gpi_nest nest, uint tile)
{
    gpi_heights h;
    h.begin = (gpi_index)gpi_tile_begin(tile);
    h.before = gpi_tiles_before(nest.tree, nest.leaves, tile).pushes;
    h.length = gpi_brackets_tile_length(nest, tile);
    h.sums = h.before >= gpi_leaf(nest, tile).pops;
    return h;
}

/* Returns whether no closer of the block finds the stack empty. `height` is the stack's height before the block. */
GPI_INLINE bool gpi_block_stays(gpi_brackets_block block, gpi_index height)
{
    return height >= (gpi_index)popcount(block.closers) || height >= (gpi_index)-gpi_least_height(block);
}

/* Writes the stack's height before the tile to the tile's note. If closers of the tile find the stack empty, also writes how far
   the stack rises above this height; for all other tiles, gpi_strand_rise has computed that. */
GPI_NOINLINE void gpi_measure_tile(gpi_symbol_input in, gpi_nest nest, uint tile, uint *shared)
{
    const gpi_heights h = gpi_heights_make(nest, tile);
    const int floor = -(int)min(h.before, (gpi_index)GPI_TILE);
    int height = 0, rise = 0;
    (void)shared;
    nest.notes[tile].base = h.before;
    if (h.sums) return;
    for (uint i = 0; i < h.length; i += GPI_BRACKETS_BLOCK) {
        const gpi_brackets_block block =
            gpi_block_read(in, h.begin + i, min(h.length - i, GPI_BRACKETS_BLOCK));
        if (gpi_block_stays(block, (gpi_index)(height - floor))) {
            if (height + (int)popcount(block.openers) > rise)
                rise = max(rise, height + gpi_greatest_height(block));
            height += gpi_block_steps(block, GPI_BRACKETS_BLOCK);
            continue;
        }
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
            height = max(height + (int)(block.openers >> j & 1) - (int)(block.closers >> j & 1), floor);
            rise = max(rise, height);
        }
    }
    nest.notes[tile].rise = (uint)rise;
}

static void gpi_depth_tile(gpi_symbol_input in, gpi_nest nest, uint tile, __global gpi_index *depth)
{
    const gpi_heights h = gpi_heights_make(nest, tile);
    gpi_index height = h.before;
    depth += h.begin;
    for (uint i = 0; i < h.length; i += GPI_BRACKETS_BLOCK) {
        const uint length = min(h.length - i, GPI_BRACKETS_BLOCK);
        const gpi_brackets_block block = gpi_block_read(in, h.begin + i, length);
        if (length == GPI_BRACKETS_BLOCK && (h.sums || gpi_block_stays(block, height))) {
            char above[GPI_BRACKETS_BLOCK];
            gpi_block_heights(block, above);
            for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
                const int16 row = convert_int16(GPI_LOAD_PRIVATE(gpi_height_row, above + j));
                gpi_row_write(depth + i + j, (gpi_index_row)(height) + gpi_convert_steps(row));
            }
            height += (gpi_index)gpi_block_steps(block, GPI_BRACKETS_BLOCK);
        } else {
            for (uint j = 0; j < length; j++) {
                depth[i + j] = height;
                height += block.openers >> j & 1;
                height -= height > 0 ? block.closers >> j & 1 : 0;
            }
        }
    }
}

/* ------------------------------------------------------------------ parents */

#define GPI_WALK_BELOW 256u                      /* cells that are fetched at once */
#define GPI_WALK_LEAST (GPI_BRACKETS_BLOCK + 16) /* the fewest cells on the stack before a block */

/* A tile whose parents are computed. */
typedef struct gpi_walk {
    gpi_nest nest;
    gpi_place place; /* place of the topmost earlier opener that is not yet copied to `stack` */
    gpi_index stack[GPI_WALK_BELOW + GPI_WALK_LEAST + GPI_TILE + 16];
} gpi_walk;

/* Inserts the next GPI_WALK_BELOW openers of earlier tiles below the `count` cells of the stack. If there are fewer, fills the
   rest with "none". Returns the stack's new end. */
GPI_NOINLINE gpi_index *gpi_walk_fetch(gpi_walk *w, uint count)
{
    uint k = GPI_WALK_BELOW;
    for (uint j = count; j-- > 0;) w->stack[GPI_WALK_BELOW + j] = w->stack[j];
    while (k > 0 && w->place.leaf != GPI_NOWHERE) {
        const gpi_index left = gpi_leaf(w->nest, w->place.leaf).pushes - w->place.need;
        const uint run = (uint)min(left, (gpi_index)k);
        const ulong begin = gpi_tile_begin(w->place.leaf);
        __global const uint *cells = w->nest.cells + begin + (left - run);
        k -= run;
        for (uint j = 0; j < run; j++) w->stack[k + j] = gpi_cell_index(cells[j], (gpi_index)begin);
        w->place.need += run;
        if (run == left) w->place = gpi_place_behind(w->nest, w->place);
    }
    while (k > 0) w->stack[--k] = GPI_NONE;
    return w->stack + GPI_WALK_BELOW + count;
}

/* Writes the parents of a block with few brackets. All elements after one bracket, up to and including the next, have the same
   parent, which is stored by vectors of 16. A vector may write up to 15 elements beyond the next bracket, even after the block.
   Later stores overwrite these elements. Returns the stack's new end. */
GPI_INLINE gpi_index *gpi_walk_few(gpi_brackets_block block, gpi_index at, gpi_index *free,
                                   __global gpi_index *out)
{
    ulong left = gpi_block_brackets(block);
    uint j = 0;
    for (;;) {
        const uint end = left ? gpi_first_bracket(left) + 1 : GPI_BRACKETS_BLOCK;
        for (; j < end; j += 16) GPI_STORE_VECTOR(gpi_index_row, (gpi_index_row)(free[-1]), out + j);
        j = end;
        if (!left) return free;
        *free = at + end - 1;
        free += (int)(block.openers >> (end - 1) & 1) - (int)(block.closers >> (end - 1) & 1);
        left &= left - 1;
    }
}

/* Returns true unless a block has only closers, or only adjacent pairs "()". gpi_walk_block handles such blocks
   faster. */
GPI_INLINE bool gpi_walk_mixed(gpi_brackets_block block)
{
    const ulong pairs = block.openers & block.closers >> 1;
    return block.closers != ~0ul && gpi_block_brackets(block) != (pairs | pairs << 1);
}

/* Writes the parents of a block. `free` is the stack's end before the block. Returns the stack's end after it. `room`: whether
   gpi_walk_few may overwrite elements after the block. */
GPI_INLINE gpi_index *gpi_walk_block(gpi_index *free, gpi_brackets_block block, gpi_index at,
                                     __global gpi_index *out, uint length, bool room)
{
    const ulong pairs = block.openers & block.closers >> 1, brackets = gpi_block_brackets(block);
    if (block.closers == ~0ul) {
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
            free -= 16;
            const gpi_index_row row = GPI_LOAD_PRIVATE(gpi_index_row, free);
            gpi_row_write(out + j, GPI_TURNED(row));
        }
        return free;
    }
    if (length == GPI_BRACKETS_BLOCK && brackets == (pairs | pairs << 1)) {
        const gpi_index_row outer = (gpi_index_row)(free[-1]);
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
            const gpi_index_row mask = (gpi_index_row)(0) - gpi_convert_row(gpi_bits_row(pairs << 1, j));
            gpi_row_write(out + j, outer ^ ((outer ^ gpi_row_from(at + j - 1)) & mask));
        }
        return free;
    }
    if (popcount(brackets) <= GPI_BRACKETS_FEW && room) return gpi_walk_few(block, at, free, out);
    const int steps = gpi_block_steps(block, GPI_BRACKETS_BLOCK);
    char height[GPI_BRACKETS_BLOCK];
    gpi_block_heights(block, height);
#pragma unroll 8
    for (uint j = 0; j < length; j++) {
        const int h = height[j];
        free[h] = at + j;
        out[j] = free[h - 1];
    }
    return free + steps;
}

static void gpi_walk_tile(gpi_symbol_input in, gpi_nest nest, const gpi_eight *eights, uint tile,
                          __global gpi_index *parent)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    gpi_walk w;
    w.nest = nest;
    w.place = gpi_tiles_search(nest.tree, nest.leaves, tile, 0);
    gpi_index *free = gpi_walk_fetch(&w, 0);
#if GPI_EIGHTS
    gpi_tops tops;
    tops.known = 0;
#endif
    for (uint i = 0; i < length; i += GPI_BRACKETS_BLOCK) {
        const uint some = min(length - i, GPI_BRACKETS_BLOCK);
        const gpi_brackets_block block = gpi_block_read(in, begin + i, some);
        __global gpi_index *out = parent + begin + i;
        if (GPI_RARELY(free < w.stack + GPI_WALK_LEAST)) free = gpi_walk_fetch(&w, (uint)(free - w.stack));
#if GPI_EIGHTS
        if (some == GPI_BRACKETS_BLOCK && gpi_walk_mixed(block)) {
            tops.free = free;
            gpi_eights_enclose(eights, &tops, block, begin + i, out);
            free = tops.free;
            continue;
        }
        tops.known = 0;
#endif
        free = gpi_walk_block(free, block, begin + i, out, some, i + GPI_BRACKETS_BLOCK + 16 <= length);
    }
}
#endif
