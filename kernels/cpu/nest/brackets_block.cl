/* brackets_block.cl - brackets: represents 64 elements by two masks, of openers and of closers, and computes heights of the
   stack from these masks. */
#ifndef GPI_NEST_BRACKETS_BLOCK_CL
#define GPI_NEST_BRACKETS_BLOCK_CL
#include "base/platform.cl"
#include "vector/bytes.cl"
#include "vector/lanes.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"

#define GPI_BRACKETS_BLOCK 64u
#define GPI_COMPARISONS (GPI_BRACKETS_BLOCK / GPI_VECTOR_BYTES)
#define GPI_BRACKETS_FEW 24 /* if a block has no more brackets than this, they are handled one by one */

/* GPI_BRACKETS_BLOCK elements, a bit each. */
typedef struct gpi_brackets_block {
    ulong openers, closers;
} gpi_brackets_block;

GPI_INLINE ulong gpi_block_brackets(gpi_brackets_block block) { return block.openers | block.closers; }

/* Adds the GPI_VECTOR_BYTES elements from the block's j-th on. `sign` has their signs, or their codes. */
GPI_INLINE void gpi_block_add(gpi_brackets_block *block, uint j, gpi_bytes sign)
{
    const ulong closers = gpi_hits_bits(gpi_bytes_negative(sign));
    const ulong all = ~0ul >> (64 - GPI_VECTOR_BYTES);
    block->closers |= closers << j;
    block->openers |= (all & ~(closers | gpi_hits_bits(gpi_bytes_equal(sign, 0)))) << j;
}

#if GPI_TABLE
/* Classifies 64 symbols: compares all of them with each listed symbol, or, if symbols are codes, tests their signs. */
GPI_INLINE gpi_brackets_block gpi_block_compare(gpi_symbol_input in, gpi_index at)
{
    const uint openers = in.classes->openers, count = in.classes->count;
    gpi_brackets_block block = {0, 0};
    gpi_bytes_aligned v[GPI_COMPARISONS];
    gpi_hits opens[GPI_COMPARISONS], closes[GPI_COMPARISONS];
#pragma unroll
    for (uint j = 0; j < GPI_COMPARISONS; j++) {
        v[j] = GPI_LOAD_VECTOR(gpi_bytes, in.symbols + at + j * GPI_VECTOR_BYTES);
        opens[j] = closes[j] = (gpi_hits)(0);
    }
    if (in.classes->codes) {
#pragma unroll
        for (uint j = 0; j < GPI_COMPARISONS; j++) gpi_block_add(&block, j * GPI_VECTOR_BYTES, v[j]);
        return block;
    }
    for (uint k = 0; k < openers; k++) {
#pragma unroll
        for (uint j = 0; j < GPI_COMPARISONS; j++) opens[j] |= gpi_bytes_equal(v[j], in.classes->listed[k]);
    }
    for (uint k = openers; k < count; k++) {
#pragma unroll
        for (uint j = 0; j < GPI_COMPARISONS; j++) closes[j] |= gpi_bytes_equal(v[j], in.classes->listed[k]);
    }
#pragma unroll
    for (uint j = 0; j < GPI_COMPARISONS; j++) {
        block.openers |= gpi_hits_bits(opens[j]) << j * GPI_VECTOR_BYTES;
        block.closers |= gpi_hits_bits(closes[j]) << j * GPI_VECTOR_BYTES;
    }
    return block;
}
#endif

#if GPI_KNOWS_CODES
/* Looks up 64 symbols in four rows of 16 side by side. The word of a row has the row's openers in bits 0 to 15, and its
   closers in bits 16 to 31. Symbols whose code is not known yet are in both masks. */
GPI_NOINLINE gpi_brackets_block gpi_block_known(const gpi_known_codes *known,
                                                __global const GPI_SYMBOL *symbol)
{
    gpi_brackets_block block;
    uint a = 0, b = 0, c = 0, d = 0;
#pragma unroll
    for (uint j = 0; j < 16; j++) {
        a = a >> 1 | known->bits[(uchar)symbol[j]];
        b = b >> 1 | known->bits[(uchar)symbol[j + 16]];
        c = c >> 1 | known->bits[(uchar)symbol[j + 32]];
        d = d >> 1 | known->bits[(uchar)symbol[j + 48]];
    }
    block.openers = (a & 0xffff) | (b & 0xffff) << 16 | (ulong)((c & 0xffff) | d << 16) << 32;
    block.closers = (a >> 16) | (b & 0xffff0000) | (ulong)((c >> 16) | (d & 0xffff0000)) << 32;
    return block;
}

GPI_INLINE gpi_brackets_block gpi_block_look_up(gpi_symbol_input in, gpi_index at)
{
    gpi_brackets_block block = gpi_block_known(in.known, in.symbols + at);
    if (GPI_RARELY(block.openers & block.closers)) {
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) (void)gpi_code(in, at + j);
        block = gpi_block_known(in.known, in.symbols + at);
    }
    return block;
}
#endif

/* Classifies `length` elements from `at` on. Bits from `length` on are 0, and nothing after the elements is read. */
GPI_NOINLINE gpi_brackets_block gpi_block_classify(gpi_symbol_input in, gpi_index at, uint length)
{
    gpi_brackets_block block = {0, 0};
    uchar sign[GPI_BRACKETS_BLOCK];
#if GPI_TABLE
    if (in.classes->compares && length == GPI_BRACKETS_BLOCK) return gpi_block_compare(in, at);
#endif
    if (length == GPI_BRACKETS_BLOCK) {
#pragma unroll 8
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++) sign[j] = (uchar)gpi_sign(in, at + j);
    } else {
#pragma unroll 1
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j++)
            sign[j] = (uchar)(j < length ? gpi_sign(in, at + j) : 0);
    }
#pragma unroll
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += GPI_VECTOR_BYTES)
        gpi_block_add(&block, j, GPI_LOAD_PRIVATE(gpi_bytes, sign + j));
    return block;
}

/* Returns the block of `length` elements from `at` on. Bits from `length` on are 0, and nothing after the elements is read. */
GPI_INLINE gpi_brackets_block gpi_block_read(gpi_symbol_input in, gpi_index at, uint length)
{
#if GPI_KNOWS_CODES
    if (length == GPI_BRACKETS_BLOCK) return gpi_block_look_up(in, at);
#endif
    return gpi_block_classify(in, at, length);
}

/* gpi_first_bracket returns the number of the lowest bit of `brackets`, gpi_last_bracket that of the highest. */
GPI_INLINE uint gpi_first_bracket(ulong brackets) { return (uint)popcount(~brackets & (brackets - 1)); }
GPI_INLINE uint gpi_last_bracket(ulong brackets) { return 63 - (uint)clz(brackets); }

typedef uint16 gpi_cell_row __attribute__((aligned(4)));
typedef char16 gpi_height_row __attribute__((aligned(1)));

GPI_INLINE gpi_index_row gpi_row_from(gpi_index first)
{
    return (gpi_index_row)(first) + GPI_LANE_NUMBERS(gpi_index_row);
}

/* Returns bits j ... j + 15 as a vector of lanes that are 0 or 1. */
GPI_INLINE uint16 gpi_bits_row(ulong bits, uint j)
{
    return (uint16)((uint)(bits >> j)) >> GPI_LANE_NUMBERS(uint16) & 1;
}

/* Returns by how much the block's first j elements change the height; j <= GPI_BRACKETS_BLOCK. */
GPI_INLINE int gpi_block_steps(gpi_brackets_block block, uint j)
{
    const ulong before = j < GPI_BRACKETS_BLOCK ? (1ul << j) - 1 : ~0ul;
    return (int)popcount(block.openers & before) - (int)popcount(block.closers & before);
}

/* Sets heights[j] to the height of the stack before element j, relative to the height before the block. */
GPI_INLINE void gpi_block_heights(gpi_brackets_block block, char *heights)
{
    gpi_bit_sums(block.openers, block.closers, heights);
}

/* Returns the greatest height before an element or after the block, relative to the height before the block. */
GPI_INLINE int gpi_greatest_height(gpi_brackets_block block)
{
    char heights[GPI_BRACKETS_BLOCK];
    gpi_block_heights(block, heights);
    const char16 all = max(
        max(GPI_LOAD_PRIVATE(gpi_height_row, heights), GPI_LOAD_PRIVATE(gpi_height_row, heights + 16)),
        max(GPI_LOAD_PRIVATE(gpi_height_row, heights + 32), GPI_LOAD_PRIVATE(gpi_height_row, heights + 48)));
    const char8 eight = max(all.lo, all.hi);
    const char4 four = max(eight.lo, eight.hi);
    return max(max(max(four.x, four.y), max(four.z, four.w)),
               (char)gpi_block_steps(block, GPI_BRACKETS_BLOCK));
}

/* Returns the minimum of the heights before each element and after the block, relative to the height before the block. Swaps openers and
   closers, which changes the signs of heights. */
GPI_INLINE int gpi_least_height(gpi_brackets_block block)
{
    const gpi_brackets_block other = {block.closers, block.openers};
    return -gpi_greatest_height(other);
}
#endif
