/* brackets_serial.cl - brackets in the serial shape: what one item does with its tiles.

   A tile's cells (nest/tile_summary.cl) are its stack. 64 elements are classified at a time, by vectors: a
   mask of openers and one of closers. What pairs inside the block is found in them alone:

       ( ( ) ( ( ) ) ) ) (      "()" side by side: by vectors
         2-2   4-4              a closer's opener is the highest one below it that is left
       1-------1                what is left goes to the stack, or is taken off it: ")))(("
                                blocks of openers, or of closers, go by rows

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

#define GPI_GROUP_TILES 4
#define GPI_BRACKETS_BLOCK 64u
#define GPI_BRACKETS_FEW 24 /* brackets of a block that are stepped through one by one */

/* A tile on its way: what hardly ever changes. Its stack grows from `base` up, its closers without an opener
   from the last cell down. What changes with every bracket, the next cell of an opener (`free`), is apart, so
   that it can stay in a register. */
typedef struct gpi_strand {
    __global uint *base, *pending; /* next cell of a closer */
    gpi_node node;
    gpi_note note;
} gpi_strand;

static __global uint *gpi_strand_begin(gpi_strand *s, gpi_nest nest, uint tile)
{
    s->base = nest.cells + gpi_tile_begin(tile);
    s->pending = s->base + gpi_brackets_tile_length(nest, tile) - 1;
    s->node = gpi_node_make(0, 0);
    s->note = gpi_note_make();
    return s->base;
}

#if GPI_MATCH
/* Elements in these cells, as far as is known, have no partner. */
static void gpi_join_none(__global gpi_index *match, __global const uint *cell, gpi_index count,
                          gpi_index begin)
{
    for (gpi_index k = 0; k < count;) {
        const gpi_index at = gpi_cell_index(cell[k], begin);
        const bool up = count - k >= 16 && cell[k + 15] - cell[k] == 15,
                   down = count - k >= 16 && cell[k] - cell[k + 15] == 15;
        if (up || down) gpi_row_write(match + (up ? at : at - 15), (gpi_index_row)(GPI_NONE));
        else match[at] = GPI_NONE;
        k += up || down ? 16 : 1;
    }
}
#endif

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

/* ------------------------------------------------------------------ blocks */

/* GPI_BRACKETS_BLOCK elements, a bit each. */
typedef struct gpi_brackets_block {
    ulong openers, closers;
} gpi_brackets_block;

GPI_INLINE ulong gpi_block_brackets(gpi_brackets_block block) { return block.openers | block.closers; }

/* These elements, from the j-th on, have such signs, or codes. */
GPI_INLINE void gpi_block_add(gpi_brackets_block *block, uint j, gpi_bytes sign)
{
    const ulong closers = gpi_hits_bits(gpi_bytes_negative(sign));
    const ulong all = ~0ul >> (64 - GPI_COMPARED);
    block->closers |= closers << j;
    block->openers |= (all & ~(closers | gpi_hits_bits(gpi_bytes_equal(sign, 0)))) << j;
}

#if GPI_TABLE
/* Symbols that are codes, or brackets that are few: compared with all elements at once. */
GPI_INLINE gpi_brackets_block gpi_block_compare(gpi_symbol_input in, gpi_index at)
{
    const uint openers = in.classes->openers, count = in.classes->count;
    gpi_brackets_block block = {0, 0};
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_COMPARED) {
        const gpi_bytes v = GPI_LOAD_VECTOR(gpi_bytes, in.symbols + at + j);
        gpi_hits opens = (gpi_hits)(0), closes = (gpi_hits)(0);
        if (in.classes->codes) {
            gpi_block_add(&block, j, v);
            continue;
        }
        for (uint k = 0; k < openers; k++) opens |= gpi_bytes_equal(v, in.classes->listed[k]);
        for (uint k = openers; k < count; k++) closes |= gpi_bytes_equal(v, in.classes->listed[k]);
        block.openers |= gpi_hits_bits(opens) << j;
        block.closers |= gpi_hits_bits(closes) << j;
    }
    return block;
}
#endif

/* `length` elements from `at` on, and nothing after them. */
GPI_INLINE gpi_brackets_block gpi_block_read(gpi_symbol_input in, gpi_index at, uint length)
{
    gpi_brackets_block block = {0, 0};
    uchar sign[GPI_BRACKETS_BLOCK];
#if GPI_TABLE
    if (in.classes->compares && length == GPI_BRACKETS_BLOCK) return gpi_block_compare(in, at);
#endif
    if (length == GPI_BRACKETS_BLOCK) {
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) sign[j] = (uchar)gpi_sign(in, at + j);
    } else {
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++)
            sign[j] = (uchar)(j < length ? gpi_sign(in, at + j) : 0);
    }
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_COMPARED)
        gpi_block_add(&block, j, GPI_LOAD_PRIVATE(gpi_bytes, sign + j));
    return block;
}

/* The lowest bracket of these, the highest. */
GPI_INLINE uint gpi_first_bracket(ulong brackets) { return (uint)popcount(~brackets & (brackets - 1)); }
GPI_INLINE uint gpi_last_bracket(ulong brackets) { return 63 - (uint)clz(brackets); }

typedef uint16 gpi_cell_row __attribute__((aligned(4)));
typedef char16 gpi_height_row __attribute__((aligned(1)));

GPI_INLINE gpi_index_row gpi_row_from(gpi_index first)
{
    return (gpi_index_row)(first) + GPI_LANE_NUMBERS(gpi_index_row);
}

/* Bits j ... j + 15, a lane each: 0 or 1. */
GPI_INLINE uint16 gpi_bits_row(ulong bits, uint j)
{
    return (uint16)((uint)(bits >> j)) >> GPI_LANE_NUMBERS(uint16) & 1;
}

/* How far elements before the j-th, or all, change the height. */
GPI_INLINE int gpi_block_steps(gpi_brackets_block block, uint j)
{
    const ulong before = j < GPI_BRACKETS_BLOCK ? (1ul << j) - 1 : ~0ul;
    return (int)popcount(block.openers & before) - (int)popcount(block.closers & before);
}

/* Bits j ... j + 15, a byte each: all bits of it, or none. */
GPI_INLINE char16 gpi_bits_bytes(ulong bits, uint j)
{
    const ulong low = (bits >> j & 255) * 0x0101010101010101ul,
                high = (bits >> (j + 8) & 255) * 0x0101010101010101ul;
    return as_char16((ulong2)(low, high) & 0x8040201008040201ul) != (char16)(0);
}

/* Height of the stack before each of elements j ... j + 15, above that before the block. */
GPI_INLINE char16 gpi_heights_row(gpi_brackets_block block, uint j)
{
    const char16 step = gpi_bits_bytes(block.closers, j) - gpi_bits_bytes(block.openers, j);
    char16 sum = (char16)(0, step.s0123, step.s4567, step.s89ab, step.scd, step.se);
    sum += (char16)(0, sum.s0123, sum.s4567, sum.s89ab, sum.scd, sum.se);
    sum += (char16)(0, 0, sum.s0123, sum.s4567, sum.s89ab, sum.scd);
    sum += (char16)(0, 0, 0, 0, sum.s0123, sum.s4567, sum.s89ab);
    sum += (char16)((char8)(0), sum.s01234567);
    return sum + (char16)((char)gpi_block_steps(block, j));
}

/* The least of them and of that after the block. */
GPI_INLINE int gpi_least_height(gpi_brackets_block block)
{
    const char16 all = min(min(gpi_heights_row(block, 0), gpi_heights_row(block, 16)),
                           min(gpi_heights_row(block, 32), gpi_heights_row(block, 48)));
    const char8 eight = min(all.lo, all.hi);
    const char4 four = min(eight.lo, eight.hi);
    return min(min(min(four.x, four.y), min(four.z, four.w)),
               (char)gpi_block_steps(block, GPI_BRACKETS_BLOCK));
}

/* ------------------------------------------------------------------ pairs */

/* A closer that is its own opener has none yet. */
GPI_INLINE void gpi_pair_kinds(gpi_strand *s, gpi_symbol_input in, gpi_index opener, gpi_index closer, uint i)
{
#if GPI_KINDS
    if (GPI_RARELY((gpi_code(in, opener) + gpi_code(in, closer)) & -(int)(opener != closer))) {
        s->note.mismatches++;
        s->note.first = min(s->note.first, i);
    }
#endif
}

GPI_INLINE void gpi_pair_set(gpi_strand *s, gpi_symbol_input in, __global gpi_index *match, gpi_index opener,
                             gpi_index closer, uint i)
{
#if GPI_MATCH
    match[opener] = closer;
    match[closer] = opener;
#endif
    gpi_pair_kinds(s, in, opener, closer, i);
}

/* A block of openers, or of closers whose openers are all on the stack, or none of them. False: neither. */
GPI_INLINE bool gpi_pair_rows(gpi_strand *s, __global uint **free, gpi_symbol_input in,
                              gpi_brackets_block block, __global gpi_index *match, gpi_index at, uint i)
{
    if (block.openers == ~0ul) {
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16, *free += 16)
            GPI_STORE_VECTOR(gpi_cell_row, (uint16)((uint)at + j) + GPI_LANE_NUMBERS(uint16), *free);
        return true;
    }
    if (block.closers != ~0ul) return false;
    if (*free == s->base) {
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16, s->pending -= 16) {
            const uint16 closers = (uint16)((uint)at + j) + GPI_LANE_NUMBERS(uint16);
            GPI_STORE_VECTOR(gpi_cell_row, GPI_TURNED(closers), s->pending - 15);
        }
        s->node.pops += GPI_BRACKETS_BLOCK;
        return true;
    }
    if (*free - s->base < GPI_BRACKETS_BLOCK) return false;
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
        const gpi_index closer = at + j;
        *free -= 16;
        const uint16 cells = GPI_LOAD_VECTOR(gpi_cell_row, *free);
        const gpi_index first = closer - (uint)((uint)closer - cells.s0);
#if GPI_MATCH
        const uint16 above = cells - (uint16)(cells.s0);
        gpi_row_write(match + closer, (gpi_index_row)(first) + gpi_convert_row(GPI_TURNED(above)));
        if (above.sf == 15) {
            const gpi_index_row closers = gpi_row_from(closer);
            gpi_row_write(match + first, GPI_TURNED(closers));
        } else {
            for (uint k = 0; k < 16; k++) match[first + ((*free)[k] - cells.s0)] = closer + 15 - k;
        }
#endif
        for (uint k = 0; k < 16 && GPI_KINDS; k++)
            gpi_pair_kinds(s, in, first + ((*free)[15 - k] - cells.s0), closer + k, i + j + k);
    }
    return true;
}

#if GPI_KINDS
#if GPI_TABLE
/* Which of 63 elements from `at` on are an opener before a closer of its kind, symbols being listed. */
GPI_INLINE ulong gpi_kinds_agree(gpi_symbol_input in, gpi_index at)
{
    uchar code[GPI_BRACKETS_BLOCK + 1];
    ulong agree = 0;
    code[GPI_BRACKETS_BLOCK] = 0;
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_COMPARED) {
        const gpi_bytes v = GPI_LOAD_VECTOR(gpi_bytes, in.symbols + at + j);
        gpi_bytes_aligned codes = (gpi_bytes_aligned)(0);
        for (uint k = 0; k < in.classes->count; k++)
            codes |= gpi_bytes_where(v, in.classes->listed[k], in.classes->code[in.classes->listed[k]]);
        GPI_STORE_PRIVATE(gpi_bytes, codes, code + j);
    }
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_COMPARED)
        agree |= gpi_hits_bits(gpi_bytes_equal(
                     GPI_LOAD_PRIVATE(gpi_bytes, code + j) + GPI_LOAD_PRIVATE(gpi_bytes, code + j + 1), 0))
                 << j;
    return agree;
}
#endif

/* Pairs of neighbours in the block. Listed symbols are compared: it has to have what fits each opener. */
GPI_INLINE void gpi_kinds_beside(gpi_strand *s, gpi_symbol_input in, gpi_index at, ulong pairs, uint i,
                                 uint length)
{
#if GPI_TABLE
    if (pairs && in.classes->count > 0 && length == GPI_BRACKETS_BLOCK) pairs &= ~gpi_kinds_agree(in, at);
#endif
    for (ulong left = pairs; left; left &= left - 1) {
        const uint o = gpi_first_bracket(left);
        gpi_pair_kinds(s, in, at + o, at + o + 1, i + o + 1);
    }
}
#endif

/* What the block's elements have for partners: those beside them, or none. */
GPI_INLINE void gpi_pair_beside(__global gpi_index *match, gpi_index at, ulong pairs, uint length)
{
#if GPI_MATCH
    for (uint j = 0; j < GPI_BRACKETS_BLOCK && length == GPI_BRACKETS_BLOCK; j += 16) {
        const uint16 opens = gpi_bits_row(pairs, j), closes = gpi_bits_row(pairs << 1, j);
        const gpi_index_row beside = gpi_convert_steps(as_int16(opens - closes)),
                            none = gpi_convert_steps(as_int16((opens | closes) - 1));
        GPI_STORE_VECTOR(gpi_index_row, (gpi_row_from(at + j) + beside) | none, match + at + j);
    }
    for (uint j = 0; j < length && length != GPI_BRACKETS_BLOCK; j++) {
        const gpi_index opens = pairs >> j & 1, closes = (pairs << 1) >> j & 1;
        match[at + j] = opens | closes ? at + j + opens - closes : GPI_NONE;
    }
#endif
}

/* A block of elements from `at` on, of which the first one is the tile's i-th. */
GPI_INLINE __global uint *gpi_pair_block(gpi_strand *s, __global uint *free, gpi_symbol_input in,
                                         gpi_brackets_block block, __global gpi_index *match, gpi_index at,
                                         uint i, uint length)
{
    const ulong pairs = block.openers & block.closers >> 1;
    ulong openers = block.openers & ~pairs, outer = 0;
    if (gpi_pair_rows(s, &free, in, block, match, at, i)) return free;
    gpi_pair_beside(match, at, pairs, length);
#if GPI_KINDS
    gpi_kinds_beside(s, in, at, pairs, i, length);
#endif
    for (ulong left = block.closers & ~(pairs << 1); left; left &= left - 1) {
        const uint c = gpi_first_bracket(left);
        const ulong bit = left & -left, below = openers & (bit - 1);
        const uint o = below ? gpi_last_bracket(below) : c;
        outer |= below ? 0 : bit;
        openers &= ~(1ul << o);
        gpi_pair_set(s, in, match, at + o, at + c, i + c);
    }
    for (; outer; outer &= outer - 1) {
        const uint c = gpi_first_bracket(outer);
        const gpi_index closer = at + c;
        if (GPI_RARELY(free == s->base)) {
            gpi_strand_pend(s, closer);
            continue;
        }
        free--;
        gpi_pair_set(s, in, match, closer - (uint)((uint)closer - *free), closer, i + c);
    }
    for (; openers; openers &= openers - 1) *free++ = (uint)at + gpi_first_bracket(openers);
    return free;
}

static void gpi_pair_tile(gpi_symbol_input in, __global gpi_index *match, gpi_nest nest, uint tile)
{
    gpi_strand s;
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    __global uint *free = gpi_strand_begin(&s, nest, tile);
    uint i = 0;
    for (; i + GPI_BRACKETS_BLOCK <= length; i += GPI_BRACKETS_BLOCK)
        free = gpi_pair_block(&s, free, in, gpi_block_read(in, begin + i, GPI_BRACKETS_BLOCK), match,
                              begin + i, i, GPI_BRACKETS_BLOCK);
    if (i < length)
        free = gpi_pair_block(&s, free, in, gpi_block_read(in, begin + i, length - i), match, begin + i, i,
                              length - i);
#if GPI_MATCH
    if (GPI_LOOKBACK || gpi_tiles_of(nest.n) == 1) { /* else gpi_join_left does */
        gpi_join_none(match, s.base, (gpi_index)(free - s.base), begin);
        gpi_join_none(match, s.pending + 1, s.node.pops, begin);
    }
#endif
    gpi_strand_end(&s, free, nest, tile);
}

/* The tile's node alone. */
static void gpi_pair_node(gpi_symbol_input in, gpi_nest nest, uint tile)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    int pops = 0, pushes = 0;
    for (uint i = 0; i < length; i += GPI_BRACKETS_BLOCK) {
        const gpi_brackets_block block = gpi_block_read(in, begin + i, min(length - i, GPI_BRACKETS_BLOCK));
        const int steps = gpi_block_steps(block, GPI_BRACKETS_BLOCK);
        const ulong beside = block.openers << 1 & block.closers; /* close what is just before them */
        if (pushes < (int)popcount(block.closers & ~beside)) {
            const int more = max(-(pushes + gpi_least_height(block)), 0);
            pops += more;
            pushes += more;
        }
        pushes += steps;
    }
    nest.notes[tile] = gpi_note_make();
    gpi_leaf_set(nest, tile, gpi_node_make((gpi_index)pops, (gpi_index)pushes));
}

static void gpi_pair_group(gpi_symbol_input in, __global gpi_index *match, gpi_nest nest, uint group,
                           bool cells, gpi_pair_shared shared)
{
    const uint tile = group * GPI_GROUP_TILES;
    (void)shared;
    for (uint k = 0; k < GPI_GROUP_TILES && gpi_tile_begin(tile + k) < nest.n; k++) {
        if (cells) gpi_pair_tile(in, match, nest, tile + k);
        else gpi_pair_node(in, nest, tile + k);
    }
}

static void gpi_pair_note(gpi_nest nest, uint group, gpi_pair_shared shared)
{
    (void)nest; /* gpi_strand_end has done it */
    (void)group;
    (void)shared;
}

/* After the tile's first `joined` closers have been joined: what is left of it has no partner. */
static void gpi_join_left(__global gpi_index *match, gpi_nest nest, uint tile, gpi_index joined)
{
#if GPI_MATCH && !GPI_LOOKBACK
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const gpi_node node = gpi_leaf(nest, tile);
    __global const uint *cells = nest.cells + gpi_tile_begin(tile);
    __global const uint *end = cells + gpi_brackets_tile_length(nest, tile);
    gpi_join_none(match, cells, gpi_excess(node.pushes, gpi_tiles_after(nest.tree, nest.leaves, tile).pops),
                  begin);
    gpi_join_none(match, end - node.pops, node.pops - joined, begin);
#endif
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

/* ------------------------------------------------------------------ heights */

/* A tile gone over for heights of the stack. Where no closer in it is without an opener, in this tile or
   before, they can be summed up. */
typedef struct gpi_heights {
    gpi_index begin, before; /* height before the tile */
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

/* How far the stack gets above its height before the tile. */
static void gpi_measure_tile(gpi_symbol_input in, gpi_nest nest, uint tile, gpi_pair_shared shared)
{
    const gpi_heights h = gpi_heights_make(nest, tile);
    const int floor = -(int)min(h.before, (gpi_index)GPI_TILE);
    int height = 0, rise = 0;
    int16 most = (int16)(0);
    (void)shared;
    for (uint i = 0; i < h.length; i += GPI_BRACKETS_BLOCK) {
        const gpi_brackets_block block =
            gpi_block_read(in, h.begin + i, min(h.length - i, GPI_BRACKETS_BLOCK));
        if (h.sums) {
            for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16)
                most = max(most, convert_int16(gpi_heights_row(block, j)) + (int16)(height));
            height += gpi_block_steps(block, GPI_BRACKETS_BLOCK);
        } else {
            for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) {
                height = max(height + (int)(block.openers >> j & 1) - (int)(block.closers >> j & 1), floor);
                rise = max(rise, height);
            }
        }
    }
    const int8 eight = max(most.lo, most.hi);
    const int4 four = max(eight.lo, eight.hi);
    rise = max(max(rise, height), max(max(four.x, four.y), max(four.z, four.w)));
    nest.notes[tile].rise = (uint)rise;
    nest.notes[tile].base = h.before;
}

static void gpi_depth_tile(gpi_symbol_input in, gpi_nest nest, uint tile, __global gpi_index *depth)
{
    const gpi_heights h = gpi_heights_make(nest, tile);
    gpi_index height = h.before;
    depth += h.begin;
    for (uint i = 0; i < h.length; i += GPI_BRACKETS_BLOCK) {
        const uint length = min(h.length - i, GPI_BRACKETS_BLOCK);
        const gpi_brackets_block block = gpi_block_read(in, h.begin + i, length);
        if (h.sums && length == GPI_BRACKETS_BLOCK) {
            for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16)
                gpi_row_write(depth + i + j, (gpi_index_row)(height) +
                                                 gpi_convert_steps(convert_int16(gpi_heights_row(block, j))));
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

/* A tile gone over for parents. */
typedef struct gpi_walk {
    gpi_nest nest;
    __global gpi_index *parent;
    gpi_index begin;
    uint length;
    gpi_place place; /* of the highest opener left of those before the tile */
} gpi_walk;

/* Parent of the tile's first element. */
static gpi_index gpi_walk_begin(gpi_walk *w, gpi_nest nest, uint tile, __global gpi_index *parent)
{
    w->nest = nest;
    w->parent = parent;
    w->begin = (gpi_index)gpi_tile_begin(tile);
    w->length = gpi_brackets_tile_length(nest, tile);
    w->place = gpi_tiles_search(nest.tree, nest.leaves, tile, 0);
    return w->place.leaf == GPI_NOWHERE ? GPI_NONE : gpi_opener_at(nest, w->place);
}

/* Under the highest opener left of those before the tile. */
GPI_NOINLINE gpi_index gpi_walk_below(gpi_walk *w)
{
    if (w->place.leaf != GPI_NOWHERE) w->place = gpi_place_below(w->nest, w->place);
    return w->place.leaf == GPI_NOWHERE ? GPI_NONE : gpi_opener_at(w->nest, w->place);
}

/* What is on top of the stack when `now` is taken off: its parent, which is written where it is in the tile. */
GPI_INLINE gpi_index gpi_walk_down(gpi_walk *w, gpi_index now)
{
    if (GPI_RARELY(now - w->begin >= w->length)) return gpi_walk_below(w);
    return w->parent[now];
}

/* Parents of 16 closers, the first one's is `now`. Those on top of the stack in the tile are side by side, or
   all are of one tile before. False: neither. */
GPI_INLINE bool gpi_walk_row(gpi_walk *w, gpi_index *now, __global gpi_index *out)
{
    const gpi_index top = *now, lowest = top - 15;
    if (top - w->begin < w->length) {
        if (top - w->begin < 15 ||
            !gpi_rows_agree(GPI_LOAD_VECTOR(gpi_index_row, w->parent + lowest), gpi_row_from(lowest - 1)))
            return false;
        const gpi_index_row row = gpi_row_from(lowest);
        GPI_STORE_VECTOR(gpi_index_row, GPI_TURNED(row), out);
        *now = top - 16;
        return true;
    }
    if (w->place.leaf == GPI_NOWHERE || w->place.need + 16 >= gpi_leaf(w->nest, w->place.leaf).pushes)
        return false;
    const ulong begin = gpi_tile_begin(w->place.leaf);
    __global const uint *cell =
        w->nest.cells + begin + gpi_leaf(w->nest, w->place.leaf).pushes - 1 - w->place.need;
    const uint16 cells = GPI_LOAD_VECTOR(gpi_cell_row, cell - 15) - (uint16)((uint)begin);
    GPI_STORE_VECTOR(gpi_index_row, (gpi_index_row)((gpi_index)begin) + gpi_convert_row(GPI_TURNED(cells)),
                     out);
    w->place.need += 16;
    *now = gpi_cell_index(cell[-16], (gpi_index)begin);
    return true;
}

/* A block of closers. */
GPI_INLINE gpi_index gpi_walk_closers(gpi_walk *w, gpi_index now, gpi_index at)
{
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
        if (gpi_walk_row(w, &now, w->parent + at + j)) continue;
        for (uint k = j; k < j + 16; k++) {
            w->parent[at + k] = now;
            now = gpi_walk_down(w, now);
        }
    }
    return now;
}

/* The block's parents where few elements are brackets: rows up to each of them. Writes up to 15 more, which
   come later. `top`: the stack's top. */
GPI_INLINE void gpi_walk_few(gpi_brackets_block block, gpi_index at, gpi_index *top, __global gpi_index *out)
{
    ulong left = block.openers | block.closers;
    uint j = 0;
    for (;;) {
        const uint end = left ? gpi_first_bracket(left) + 1 : GPI_BRACKETS_BLOCK;
        for (; j < end; j += 16) GPI_STORE_VECTOR(gpi_index_row, (gpi_index_row)(*top), out + j);
        j = end;
        if (!left) return;
        top[1] = at + end - 1;
        top += (int)(block.openers >> (end - 1) & 1) - (int)(block.closers >> (end - 1) & 1);
        left &= left - 1;
    }
}

/* Parents of a block: `now` is that of its first element. The stack is in private memory: as much of it as the block
   reaches, below `now` and above. */
GPI_INLINE gpi_index gpi_walk_block(gpi_walk *w, gpi_index now, gpi_brackets_block block, gpi_index at,
                                    uint length)
{
    const ulong pairs = block.openers & block.closers >> 1, brackets = gpi_block_brackets(block);
    const int steps = gpi_block_steps(block, GPI_BRACKETS_BLOCK);
    __global gpi_index *out = w->parent + at;
    gpi_index stack[2 * GPI_BRACKETS_BLOCK + 2], *top = stack + GPI_BRACKETS_BLOCK;
    char height[GPI_BRACKETS_BLOCK];
    if (block.closers == ~0ul) return gpi_walk_closers(w, now, at);
    if (length == GPI_BRACKETS_BLOCK && brackets == (pairs | pairs << 1)) {
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
            const gpi_index_row mask = (gpi_index_row)(0) - gpi_convert_row(gpi_bits_row(pairs << 1, j));
            const gpi_index_row outer = (gpi_index_row)(now);
            GPI_STORE_VECTOR(gpi_index_row, outer ^ ((outer ^ gpi_row_from(at + j - 1)) & mask), out + j);
        }
        return now;
    }
    *top = now;
    for (int least = gpi_least_height(block), m = 0; m > least; m--) top[m - 1] = gpi_walk_down(w, top[m]);
    if (popcount(brackets) <= GPI_BRACKETS_FEW && at + GPI_BRACKETS_BLOCK + 16 <= w->begin + w->length) {
        gpi_walk_few(block, at, top, out);
        return top[steps];
    }
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16)
        GPI_STORE_PRIVATE(gpi_height_row, gpi_heights_row(block, j), height + j);
#pragma unroll 8
    for (uint j = 0; j < length; j++) {
        const int h = height[j];
        top[h + 1] = at + j;
        out[j] = top[h];
    }
    return top[steps];
}

static void gpi_walk_tile(gpi_symbol_input in, gpi_nest nest, uint tile, __global gpi_index *parent)
{
    gpi_walk w;
    gpi_index now = gpi_walk_begin(&w, nest, tile, parent);
    for (uint i = 0; i < w.length; i += GPI_BRACKETS_BLOCK) {
        const uint length = min(w.length - i, GPI_BRACKETS_BLOCK);
        now = gpi_walk_block(&w, now, gpi_block_read(in, w.begin + i, length), w.begin + i, length);
    }
}

static void gpi_enclose_group(gpi_symbol_input in, gpi_nest nest, uint group, __global gpi_index *parent,
                              bool parents, __global gpi_index *depth, bool depths, gpi_pair_shared shared)
{
    const uint tile = group * GPI_GROUP_TILES;
    (void)shared;
    for (uint k = 0; k < GPI_GROUP_TILES && gpi_tile_begin(tile + k) < nest.n; k++) {
        if (parents) gpi_walk_tile(in, nest, tile + k, parent);
        if (depths) gpi_depth_tile(in, nest, tile + k, depth);
    }
}
#endif
#endif
