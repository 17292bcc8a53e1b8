/* brackets_serial.cl - brackets in the serial shape: what one item does with its tiles.

   GPI_STRANDS tiles are gone over abreast, so that the chain push, pop, push ... of one does not wait for
   itself. A tile's cells (nest/tile_summary.cl) are its stack. 64 elements are classified at a time, by
   vectors; where few of them are brackets, only those are stepped through.

   Parameters
       GPI_SHAPE_SERIAL    1, and GPI_WG 1; otherwise this file is empty                                  */
#ifndef GPI_NEST_BRACKETS_SERIAL_CL
#define GPI_NEST_BRACKETS_SERIAL_CL
#include "base/platform.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"

#if GPI_SHAPE_SERIAL
#if GPI_WG != 1
#error "the serial shape has one item a group"
#endif

typedef uint gpi_pair_memory;
typedef uint gpi_join_memory;
typedef uint *gpi_pair_shared;
typedef uint *gpi_join_shared;

#define GPI_STRANDS 4
#define GPI_BRACKETS_BLOCK 64
#define GPI_BRACKETS_FEW 24 /* brackets of a block that are still stepped through one by one */

/* A tile on its way: what hardly ever changes. Its stack grows from `base` up, its closers without an opener
   from the last cell down. What changes with every bracket, the next cell of an opener (`free`), is apart, so
   that it can stay in a register. */
typedef struct gpi_strand {
    __global uint *base, *pending; /* next cell of a closer */
    gpi_node node;
    gpi_note note;
} gpi_strand;

#define GPI_GROUP_TILES GPI_STRANDS

static __global uint *gpi_strand_begin(gpi_strand *s, gpi_nest nest, uint tile)
{
    s->base = nest.cells + gpi_tile_begin(tile);
    s->pending = s->base + gpi_brackets_tile_length(nest, tile) - 1;
    s->node = gpi_node_make(0, 0);
    s->note = gpi_note_make();
    return s->base;
}

static void gpi_strand_end(gpi_strand *s, __global uint *free, gpi_nest nest, uint tile)
{
    s->node.pushes = (gpi_index)(free - s->base);
    nest.notes[tile] = s->note;
    gpi_leaf_set(nest, tile, s->node);
}

GPI_NOINLINE void gpi_strand_pend(gpi_strand *s, gpi_index at)
{
    s->node.pops++;
    *s->pending-- = (uint)at;
}

GPI_NOINLINE void gpi_strand_mismatch(gpi_strand *s, uint i)
{
    s->note.mismatches++;
    s->note.first = min(s->note.first, i);
}

/* ------------------------------------------------------------------ blocks */

/* What is known of GPI_BRACKETS_BLOCK elements before they are stepped through. */
typedef struct gpi_brackets_block {
    ulong brackets; /* a bit each */
#if !GPI_TABLE
    char sign[GPI_BRACKETS_BLOCK]; /* an expression is evaluated once */
#endif
} gpi_brackets_block;

#if GPI_TABLE
/* Whether blocks can be classified. */
GPI_INLINE bool gpi_has_blocks(gpi_symbol_input in) { return in.classes->lists != 0; }

GPI_INLINE void gpi_block_read(gpi_brackets_block *block, gpi_symbol_input in, gpi_index at)
{
    const uint count = in.classes->count;
    block->brackets = 0;
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_COMPARED) {
        const gpi_bytes v = GPI_LOAD_VECTOR(gpi_bytes, in.symbols + at + j);
        gpi_hits hits = (gpi_hits)(0);
        for (uint k = 0; k < count; k++) hits |= gpi_bytes_equal(v, in.classes->listed[k]);
        block->brackets |= gpi_hits_bits(hits) << j;
    }
    if (in.classes->others) block->brackets = ~block->brackets;
}

/* The sign of element `at`, which is the block's j-th. */
GPI_INLINE int gpi_block_sign(const gpi_brackets_block *block, gpi_symbol_input in, gpi_index at, uint j)
{
    return gpi_sign(in, at);
}
#else
GPI_INLINE bool gpi_has_blocks(gpi_symbol_input in) { return true; }

GPI_INLINE void gpi_block_read(gpi_brackets_block *block, gpi_symbol_input in, gpi_index at)
{
    ulong others = 0;
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) block->sign[j] = (char)gpi_sign(in, at + j);
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_COMPARED) {
        const gpi_bytes v = GPI_LOAD_PRIVATE(gpi_bytes, (const uchar *)block->sign + j);
        others |= gpi_hits_bits(gpi_bytes_equal(v, 0)) << j;
    }
    block->brackets = ~others;
}

GPI_INLINE int gpi_block_sign(const gpi_brackets_block *block, gpi_symbol_input in, gpi_index at, uint j)
{
    return block->sign[j];
}
#endif

/* Blocks of `count` neighbouring tiles, the first of which begins at `at`. True: there are few brackets in
   any of them. */
GPI_INLINE bool gpi_read_blocks(gpi_brackets_block *block, uint count, gpi_symbol_input in, gpi_index at)
{
    bool few = gpi_has_blocks(in);
    if (!few) return false;
#pragma unroll
    for (uint k = 0; k < count; k++) {
        gpi_block_read(&block[k], in, at + k * GPI_TILE);
        few = few && popcount(block[k].brackets) <= GPI_BRACKETS_FEW;
    }
    return few;
}

/* The lowest bracket that is left. */
GPI_INLINE uint gpi_first_bracket(ulong brackets) { return (uint)popcount(~brackets & (brackets - 1)); }

/* ------------------------------------------------------------------ pairs */

/* Element `at`, which is the tile's i-th. Every element is written to the cell above the stack: an opener
   stays there. The partner of what is no closer is none, which is more than any index: min() then gives the
   element itself, whose own partner is written last. */
GPI_INLINE void gpi_brackets_step(gpi_strand *s, __global uint **free, gpi_symbol_input in, long sign,
                                  __global gpi_index *match, gpi_index at, uint i)
{
    const long closes = sign >> 63; /* all bits, or none */
    __global uint *next = *free + sign;
    if (GPI_RARELY(next < s->base)) {
        gpi_strand_pend(s, at);
#if GPI_MATCH
        match[at] = GPI_NONE;
#endif
        return;
    }
    **free = (uint)at;
    const uint cell = (*free)[closes];
    const gpi_index partner = at - (uint)((uint)at - cell) | ~(gpi_index)closes;
    const gpi_index first = min(partner, at);
    (void)first;
#if GPI_MATCH
    match[first] = at;
    match[at] = partner;
#endif
#if GPI_KINDS
    if (GPI_RARELY((gpi_code(in, first) + gpi_code(in, at)) & (int)closes)) gpi_strand_mismatch(s, i);
#endif
    *free = next;
}

typedef uint16 gpi_brackets_words __attribute__((aligned(4)));

/* The block of 64 elements from `at` on, few of which are brackets; `i`: counted from the tile's begin. */
GPI_INLINE void gpi_step_few(gpi_strand *s, __global uint **free, gpi_symbol_input in,
                             const gpi_brackets_block *block, __global gpi_index *match, gpi_index at, uint i)
{
#if GPI_MATCH
    __global uint *words = (__global uint *)(match + at);
    for (uint q = 0; q < GPI_BRACKETS_BLOCK * sizeof(gpi_index) / 64; q++)
        GPI_STORE_VECTOR(gpi_brackets_words, (uint16)(~0u), words + 16 * q);
#endif
    for (ulong left = block->brackets; left; left &= left - 1) {
        const uint j = gpi_first_bracket(left);
        gpi_brackets_step(s, free, in, gpi_block_sign(block, in, at + j, j), match, at + j, i + j);
    }
}

/* Blocks of `count` neighbouring tiles in step, from index `begin` on, as far as whole blocks go. */
GPI_INLINE uint gpi_step_blocks(gpi_strand *s, __global uint **free, uint count, gpi_symbol_input in,
                                __global gpi_index *match, gpi_index begin, uint length)
{
    uint i = 0;
    for (; i + GPI_BRACKETS_BLOCK <= length; i += GPI_BRACKETS_BLOCK) {
        gpi_brackets_block block[GPI_STRANDS];
        if (gpi_read_blocks(block, count, in, begin + i)) {
#pragma unroll
            for (uint k = 0; k < count; k++)
                gpi_step_few(&s[k], &free[k], in, &block[k], match, begin + k * GPI_TILE + i, i);
            continue;
        }
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
#pragma unroll
            for (uint k = 0; k < count; k++) {
                const gpi_index at = begin + k * GPI_TILE + i + j;
                gpi_brackets_step(&s[k], &free[k], in, gpi_block_sign(&block[k], in, at, j), match, at,
                                  i + j);
            }
        }
    }
    return i;
}

static void gpi_pair_tile(gpi_symbol_input in, __global gpi_index *match, gpi_nest nest, uint tile)
{
    gpi_strand s[1];
    __global uint *free[1];
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    free[0] = gpi_strand_begin(s, nest, tile);
    for (uint i = gpi_step_blocks(s, free, 1, in, match, begin, length); i < length; i++)
        gpi_brackets_step(s, free, in, gpi_sign(in, begin + i), match, begin + i, i);
    gpi_strand_end(s, free[0], nest, tile);
}

/* The group's GPI_STRANDS tiles: abreast where all are whole. */
static void gpi_pair_group(gpi_symbol_input in, __global gpi_index *match, gpi_nest nest, uint group,
                           gpi_pair_shared shared)
{
    const uint tile = group * GPI_STRANDS;
    gpi_strand s[GPI_STRANDS];
    __global uint *free[GPI_STRANDS];
    (void)shared;
    if (GPI_TILE % GPI_BRACKETS_BLOCK == 0 && gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {
#pragma unroll
        for (uint k = 0; k < GPI_STRANDS; k++) free[k] = gpi_strand_begin(&s[k], nest, tile + k);
        (void)gpi_step_blocks(s, free, GPI_STRANDS, in, match, (gpi_index)gpi_tile_begin(tile), GPI_TILE);
#pragma unroll
        for (uint k = 0; k < GPI_STRANDS; k++) gpi_strand_end(&s[k], free[k], nest, tile + k);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++)
        gpi_pair_tile(in, match, nest, tile + k);
}

static void gpi_pair_note(gpi_nest nest, uint group, gpi_pair_shared shared)
{
    (void)nest; /* gpi_strand_end has done it */
    (void)group;
    (void)shared;
}

/* The note of the whole tile, whose one item's this is. */
static void gpi_note_add(gpi_nest nest, uint tile, gpi_note note, gpi_join_shared shared)
{
    (void)shared;
    nest.notes[tile].mismatches += note.mismatches;
    nest.notes[tile].first = min(nest.notes[tile].first, note.first);
    nest.notes[tile].joined = note.joined;
    nest.notes[tile].searches = note.searches;
}

/* How far the stack gets above its height before the tile. */
static void gpi_measure_tile(gpi_symbol_input in, gpi_nest nest, uint tile, gpi_pair_shared shared)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    const gpi_index before = gpi_tiles_before(nest.tree, nest.leaves, tile).pushes;
    const int floor = -(int)min(before, (gpi_index)GPI_TILE);
    int height = 0, rise = 0;
    (void)shared;
    for (uint i = 0; i < length; i++) {
        height = max(height + gpi_sign(in, begin + i), floor);
        rise = max(rise, height);
    }
    nest.notes[tile].rise = (uint)rise;
    nest.notes[tile].base = before;
}

/* A tile gone over for parents, or for depths. */
typedef struct gpi_walk {
    gpi_nest nest;
    gpi_index begin;
    gpi_place place; /* of the highest opener left of those before the tile */
} gpi_walk;

/* Parent (or depth) of the tile's first element. */
static gpi_index gpi_walk_begin(gpi_walk *w, gpi_nest nest, uint tile, bool parents)
{
    const gpi_index height = gpi_tiles_before(nest.tree, nest.leaves, tile).pushes;
    w->nest = nest;
    w->begin = (gpi_index)gpi_tile_begin(tile);
    w->place.leaf = GPI_NOWHERE;
    w->place.need = 0;
    if (!parents) return height;
    if (height == 0) return GPI_NONE;
    w->place = gpi_tiles_search(nest.tree, nest.leaves, tile, 0);
    return gpi_opener_at(nest, w->place);
}

/* Under the highest opener left of those before the tile. */
GPI_NOINLINE gpi_index gpi_walk_below(gpi_walk *w)
{
    w->place = gpi_place_below(w->nest, w->place);
    return w->place.leaf == GPI_NOWHERE ? GPI_NONE : gpi_opener_at(w->nest, w->place);
}

/* What the element after `at` has, whose own is `now` and has been written. Under an opener of this tile is
   its parent, which is written already; `first` is that opener, or for what is no closer the element itself. */
GPI_INLINE gpi_index gpi_walk_on(gpi_walk *w, gpi_index now, gpi_symbol_input in, long sign,
                                 __global const gpi_index *parent, gpi_index at, bool parents)
{
    if (!parents) return now + (gpi_index)sign == GPI_NONE ? 0 : now + (gpi_index)sign;
    const gpi_index opens = (gpi_index)gpi_opens(in, at, sign); /* all bits, or none */
    const gpi_index first = sign < 0 ? now : at;
    if (GPI_RARELY(first - w->begin >= GPI_TILE)) return now == GPI_NONE ? now : gpi_walk_below(w);
    const gpi_index under = parent[first];
    return under ^ ((under ^ at) & opens);
}

/* The block of 64 elements from `at` on, few of which are brackets. Writes up to 15 more, which come later. */
GPI_INLINE gpi_index gpi_walk_few(gpi_walk *w, gpi_index now, gpi_symbol_input in,
                                  const gpi_brackets_block *block, __global gpi_index *out, gpi_index at,
                                  bool parents)
{
    ulong left = block->brackets;
    uint j = 0;
    for (;;) {
        const uint end = left ? gpi_first_bracket(left) + 1 : GPI_BRACKETS_BLOCK;
        for (; j < end; j += 16) GPI_STORE_VECTOR(gpi_index_row, (gpi_index_row)(now), out + at + j);
        j = end;
        if (!left) return now;
        left &= left - 1;
        now = gpi_walk_on(w, now, in, gpi_block_sign(block, in, at + end - 1, end - 1), out, at + end - 1,
                          parents);
    }
}

/* Elements of `count` neighbouring tiles of `length` in step. */
GPI_INLINE void gpi_walk_tiles(gpi_walk *w, gpi_index *now, uint count, gpi_symbol_input in,
                               __global gpi_index *out, uint length, bool parents)
{
    uint i = 0;
    for (; i + GPI_BRACKETS_BLOCK <= length; i += GPI_BRACKETS_BLOCK) {
        gpi_brackets_block block[GPI_STRANDS];
        const bool few = gpi_read_blocks(block, count, in, w[0].begin + i);
        if (few && i + GPI_BRACKETS_BLOCK + 16 <= length) {
#pragma unroll
            for (uint k = 0; k < count; k++)
                now[k] = gpi_walk_few(&w[k], now[k], in, &block[k], out, w[k].begin + i, parents);
            continue;
        }
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
#pragma unroll
            for (uint k = 0; k < count; k++) {
                const gpi_index at = w[0].begin + k * GPI_TILE + i + j;
                out[at] = now[k];
                now[k] =
                    gpi_walk_on(&w[k], now[k], in, gpi_block_sign(&block[k], in, at, j), out, at, parents);
            }
        }
    }
    for (; i < length; i++) {
#pragma unroll
        for (uint k = 0; k < count; k++) {
            const gpi_index at = w[0].begin + k * GPI_TILE + i;
            out[at] = now[k];
            now[k] = gpi_walk_on(&w[k], now[k], in, gpi_sign(in, at), out, at, parents);
        }
    }
}

GPI_INLINE void gpi_walk_group(gpi_symbol_input in, gpi_nest nest, uint group, __global gpi_index *out,
                               bool parents)
{
    const uint tile = group * GPI_STRANDS;
    gpi_walk w[GPI_STRANDS];
    gpi_index now[GPI_STRANDS];
    if (gpi_tile_begin(tile + GPI_STRANDS) <= nest.n) {
#pragma unroll
        for (uint k = 0; k < GPI_STRANDS; k++) now[k] = gpi_walk_begin(&w[k], nest, tile + k, parents);
        gpi_walk_tiles(w, now, GPI_STRANDS, in, out, GPI_TILE, parents);
        return;
    }
    for (uint k = 0; k < GPI_STRANDS && gpi_tile_begin(tile + k) < nest.n; k++) {
        now[0] = gpi_walk_begin(w, nest, tile + k, parents);
        gpi_walk_tiles(w, now, 1, in, out, gpi_brackets_tile_length(nest, tile + k), parents);
    }
}

static void gpi_enclose_group(gpi_symbol_input in, gpi_nest nest, uint group, __global gpi_index *parent,
                              bool parents, __global gpi_index *depth, bool depths, gpi_pair_shared shared)
{
    (void)shared;
    if (parents) gpi_walk_group(in, nest, group, parent, true);
    if (depths) gpi_walk_group(in, nest, group, depth, false);
}
#endif
#endif
