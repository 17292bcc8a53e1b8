/* brackets_tile.cl - brackets: one item handles the tiles of its group.

   A tile's cells (nest/tile_summary.cl) are its stack. Elements are classified by vectors, in blocks of 64: a mask of
   openers and a mask of closers. Pairs within a block are found from the masks alone:

       ( ( ) ( ( ) ) ) ) (      adjacent "()" are paired by vectors
         2-2   4-4              a closer's opener is the last one before it that is still open
       1-------1                the remaining closers pop the stack, the remaining openers are pushed: ")))(("
                                blocks of only openers, or only closers, are handled by rows

   If many closers pop the stack, eight brackets are handled in one step (nest/brackets_eights.cl).

   Parameters
       GPI_MEASURE         1: errors are wanted                                                           */
#ifndef GPI_NEST_BRACKETS_TILE_CL
#define GPI_NEST_BRACKETS_TILE_CL
#include "base/platform.cl"
#include "nest/brackets_block.cl"
#include "nest/brackets_eights.cl"
#include "nest/brackets_enclose.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/tile_summary.cl"
#include "nest/constants.cl"

typedef uint gpi_pair_memory;
typedef uint gpi_join_memory;
typedef uint *gpi_pair_shared;
typedef uint *gpi_join_shared;

#define GPI_GROUP_TILES GPI_GROUP_TILES_SERIAL
#define GPI_LONE_NOTED 0 /* 1: gpi_note.lone is set */
#define GPI_PAIR_FEW 16  /* up to this many brackets outside of adjacent pairs are handled one by one */

/* A tile whose brackets are being paired. Its stack grows from `base` up, and the list of its closers without an opener from the
   last cell down. The next opener's cell, `free`, changes with every bracket. `free` is not in the struct, so that it can stay
   in a register. */
typedef struct gpi_strand {
    __global uint *base, *pending; /* pending: the cell of the next closer without an opener */
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
/* Writes "none" as the partner of the `count` elements in `cell`. Later steps may replace it. */
GPI_NOINLINE void gpi_join_none(__global gpi_index *match, __global const uint *cell, gpi_index count,
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

#if GPI_MEASURE
/* Updates s->note.rise for the next block. It is how far the stack rises above its height before the tile. Assumes that no
   closer finds the stack empty. */
GPI_INLINE void gpi_strand_rise(gpi_strand *s, __global const uint *free, gpi_brackets_block block)
{
    const int height = (int)(free - s->base) - (int)s->node.pops, rise = (int)s->note.rise,
              openers = (int)popcount(block.openers & ~(block.closers >> 1));
    if (height + openers + 1 <= rise) return;
    s->note.rise = (uint)max(rise, height + (block.closers ? gpi_greatest_height(block) : openers));
}
#endif

/* ------------------------------------------------------------------ pairs */

/* Counts a pair in the note if its kinds differ. If opener == closer, the closer has no opener yet, and is not counted. */
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

/* Handles a block of only openers. Also handles a block of only closers if the tile's stack is empty or has an opener
   for each of them. Returns false for all other blocks. */
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
/* Returns a mask: bit j < 63 is set if the codes of elements at + j and at + j + 1 add up to 0, as in a pair of one kind. Bit 63
   has no meaning. The list of symbols must not be empty. */
GPI_INLINE ulong gpi_kinds_agree(gpi_symbol_input in, gpi_index at)
{
    uchar code[GPI_BRACKETS_BLOCK + 1];
    ulong agree = 0;
    code[GPI_BRACKETS_BLOCK] = 0;
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_VECTOR_BYTES) {
        const gpi_bytes v = GPI_LOAD_VECTOR(gpi_bytes, in.symbols + at + j);
        gpi_bytes_aligned codes = (gpi_bytes_aligned)(0);
        for (uint k = 0; k < in.classes->count; k++)
            codes |= gpi_bytes_where(v, in.classes->listed[k], in.classes->code[in.classes->listed[k]]);
        GPI_STORE_PRIVATE(gpi_bytes, codes, code + j);
    }
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_VECTOR_BYTES)
        agree |= gpi_hits_bits(gpi_bytes_equal(
                     GPI_LOAD_PRIVATE(gpi_bytes, code + j) + GPI_LOAD_PRIVATE(gpi_bytes, code + j + 1), 0))
                 << j;
    return agree;
}
#endif

/* Counts, in the note, those adjacent pairs of the block whose brackets differ in kind. In a whole block whose symbols
   are listed, comparisons of vectors first discard the pairs of one kind. */
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

/* Writes the partners of the block's elements: each other's index for the elements of adjacent pairs, "none" for all others. */
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

/* Handles a block's brackets that are not in adjacent pairs. Returns the stack's new end. */
GPI_INLINE __global uint *gpi_pair_singly(gpi_strand *s, __global uint *free, gpi_symbol_input in,
                                          ulong openers, ulong closers, __global gpi_index *match,
                                          gpi_index at, uint i)
{
    ulong outer = 0;
    for (; closers; closers &= closers - 1) {
        const uint c = gpi_first_bracket(closers);
        const ulong bit = closers & -closers, below = openers & (bit - 1);
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

#if GPI_EIGHTS
/* Handles a block whose closers pop so few cells that at least GPI_EIGHTS_BELOW cells stay on the stack. `lone`: the closers that
   are not in adjacent pairs. Returns the stack's new end. */
GPI_INLINE __global uint *gpi_pair_eights(gpi_strand *s, const gpi_eight *eights, gpi_tops *tops,
                                          __global uint *free, gpi_symbol_input in, gpi_brackets_block block,
                                          ulong lone, __global gpi_index *match, gpi_index at, uint i)
{
    const ulong closers = gpi_pack_bits(lone, gpi_block_brackets(block));
    uint places[GPI_BRACKETS_BLOCK + 16], found[GPI_BRACKETS_BLOCK + 16];
    int kinds = 0; /* 0: the kinds of all pairs agree */
    tops->free = (uint *)(size_t)free;
    gpi_eights_find(eights, tops, block, at, places, found);
    for (ulong left = closers; left; left &= left - 1) {
        const uint k = gpi_first_bracket(left), opener = found[k], closer = places[k];
#if GPI_MATCH
        match[opener] = closer;
        match[closer] = opener;
#endif
        if (GPI_KINDS) kinds |= gpi_code(in, opener) + gpi_code(in, closer);
    }
    for (ulong left = kinds ? closers : 0; left; left &= left - 1) {
        const uint k = gpi_first_bracket(left);
        gpi_pair_kinds(s, in, found[k], places[k], i + (places[k] - at));
    }
    return (__global uint *)(size_t)tops->free;
}
#endif

/* Handles a block of `length` elements from `at` on, the first of which is the tile's i-th. Returns the stack's new end. */
GPI_INLINE __global uint *gpi_pair_block(gpi_strand *s, const gpi_eight *eights, gpi_tops *tops,
                                         __global uint *free, gpi_symbol_input in, gpi_brackets_block block,
                                         __global gpi_index *match, gpi_index at, uint i, uint length)
{
    const ulong pairs = block.openers & block.closers >> 1;
    const ulong openers = block.openers & ~pairs, closers = block.closers & ~(pairs << 1);
#if GPI_MEASURE
    gpi_strand_rise(s, free, block);
#endif
    if (gpi_pair_rows(s, &free, in, block, match, at, i)) {
        tops->known = 0;
        return free;
    }
    gpi_pair_beside(match, at, pairs, length);
#if GPI_KINDS
    gpi_kinds_beside(s, in, at, pairs, i, length);
#endif
#if GPI_EIGHTS
    if (popcount(openers | closers) > GPI_PAIR_FEW &&
        (int)popcount(closers) + GPI_EIGHTS_BELOW <= free - s->base)
        return gpi_pair_eights(s, eights, tops, free, in, block, closers, match, at, i);
    tops->known = 0;
#endif
    return gpi_pair_singly(s, free, in, openers, closers, match, at, i);
}

static void gpi_pair_tile(gpi_symbol_input in, const gpi_eight *eights, __global gpi_index *match,
                          gpi_nest nest, uint tile)
{
    gpi_strand s;
    gpi_tops tops = {0};
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    __global uint *free = gpi_strand_begin(&s, nest, tile);
    uint i = 0;
    for (; i + GPI_BRACKETS_BLOCK <= length; i += GPI_BRACKETS_BLOCK)
        free = gpi_pair_block(&s, eights, &tops, free, in, gpi_block_read(in, begin + i, GPI_BRACKETS_BLOCK),
                              match, begin + i, i, GPI_BRACKETS_BLOCK);
    if (i < length)
        free = gpi_pair_block(&s, eights, &tops, free, in, gpi_block_read(in, begin + i, length - i), match,
                              begin + i, i, length - i);
#if GPI_MATCH
    if (GPI_LOOKBACK || gpi_tiles_of(nest.n) == 1) { /* otherwise gpi_join_left writes "none" */
        gpi_join_none(match, s.base, (gpi_index)(free - s.base), begin);
        gpi_join_none(match, s.pending + 1, s.node.pops, begin);
    }
#endif
    gpi_strand_end(&s, free, nest, tile);
}

/* Makes the tile's node, without pairing its brackets. */
static void gpi_pair_node(gpi_symbol_input in, gpi_nest nest, uint tile)
{
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const uint length = gpi_brackets_tile_length(nest, tile);
    int pops = 0, pushes = 0;
    for (uint i = 0; i < length; i += GPI_BRACKETS_BLOCK) {
        const gpi_brackets_block block = gpi_block_read(in, begin + i, min(length - i, GPI_BRACKETS_BLOCK));
        const int steps = gpi_block_steps(block, GPI_BRACKETS_BLOCK);
        const ulong beside = block.openers << 1 & block.closers; /* closers of adjacent pairs */
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

GPI_NOINLINE void gpi_pair_group(gpi_symbol_input in, __global gpi_index *match, gpi_nest nest, uint group,
                                 bool cells, gpi_pair_shared shared)
{
    const uint tile = group * GPI_GROUP_TILES;
    gpi_eight eights[GPI_EIGHTS_ROWS];
    (void)shared;
    if (cells) gpi_eights_make(eights);
    for (uint k = 0; k < GPI_GROUP_TILES && gpi_tile_begin(tile + k) < nest.n; k++) {
        if (cells) gpi_pair_tile(in, eights, match, nest, tile + k);
        else gpi_pair_node(in, nest, tile + k);
    }
}

static void gpi_pair_note(gpi_nest nest, uint group, gpi_pair_shared shared)
{
    (void)nest; /* gpi_strand_end has written the note */
    (void)group;
    (void)shared;
}

/* Writes "none" as the partner of the tile's brackets that are still unpaired. `joined` in the note is the number of the tile's
   closers that gpi_join_tile has paired. */
GPI_NOINLINE void gpi_join_left(__global gpi_index *match, gpi_nest nest, uint tile)
{
#if GPI_MATCH && !GPI_LOOKBACK
    const gpi_index begin = (gpi_index)gpi_tile_begin(tile);
    const gpi_node node = gpi_leaf(nest, tile);
    __global const uint *cells = nest.cells + gpi_tile_begin(tile);
    __global const uint *end = cells + gpi_brackets_tile_length(nest, tile);
    gpi_join_none(match, cells, gpi_excess(node.pushes, gpi_tiles_after(nest.tree, nest.leaves, tile).pops),
                  begin);
    gpi_join_none(match, end - node.pops, node.pops - nest.notes[tile].joined, begin);
#endif
}

/* Adds `note`, the note of the group's only item, to the tile's note. */
static void gpi_note_add(gpi_nest nest, uint tile, gpi_note note, gpi_join_shared shared)
{
    (void)shared;
    nest.notes[tile].mismatches += note.mismatches;
    nest.notes[tile].first = min(nest.notes[tile].first, note.first);
    nest.notes[tile].joined = note.joined;
    nest.notes[tile].searches = note.searches;
}

GPI_NOINLINE void gpi_enclose_group(gpi_symbol_input in, gpi_nest nest, uint group,
                                    __global gpi_index *parent, bool parents, __global gpi_index *depth,
                                    bool depths, gpi_pair_shared shared)
{
    const uint tile = group * GPI_GROUP_TILES;
    gpi_eight eights[GPI_EIGHTS_ROWS];
    (void)shared;
    if (parents) gpi_eights_make(eights);
    for (uint k = 0; k < GPI_GROUP_TILES && gpi_tile_begin(tile + k) < nest.n; k++) {
        if (parents) gpi_walk_tile(in, nest, eights, tile + k, parent);
        if (depths) gpi_depth_tile(in, nest, tile + k, depth);
    }
}
#endif
