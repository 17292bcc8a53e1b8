/* brackets_eights.cl - brackets: a stack whose topmost 16 cells are in a vector.

   Eight brackets are handled in one step. A table has a row for each pattern of up to eight brackets. The row says what each
   bracket finds on top of the stack, and what the topmost 16 cells contain after the step: 0 to 15 are cells from before the
   step (15 the topmost), 16 to 23 are the step's brackets:

       ( ) ) ( (       finds  15 16 15 14 19     cells after  x 0 1 ... 12 13 19 20      x: unknown, because it is deeper

   Row 2^k + p has the pattern p of k brackets: bit j is set if the j-th bracket opens. */
#ifndef GPI_NEST_BRACKETS_EIGHTS_CL
#define GPI_NEST_BRACKETS_EIGHTS_CL
#include "base/platform.cl"
#include "vector/lanes.cl"
#include "nest/brackets_block.cl"
#include "nest/stack_monoid.cl"

#if GPI_VECTOR_BYTES == 64 && GPI_INDEX_SIZE == 4
#define GPI_EIGHTS 1
#else
#define GPI_EIGHTS 0
#endif

#define GPI_EIGHTS_ROWS (GPI_EIGHTS ? 512 : 1)
/* A step also reads, or writes unchanged, this many cells below the lowest cell that it pops. */
#define GPI_EIGHTS_BELOW 16

typedef struct gpi_eight {
    uchar16 cells;
    ulong found; /* a byte for each bracket: what it finds; other bytes: the top after the step */
    uchar pops;  /* how far the stack falls during the step */
    char rise;   /* how much higher the stack is after the step */
    uchar known; /* how many cells are known after the step, if all 16 are known before it */
} gpi_eight;

/* A stack. `cells` has its topmost 16 cells, but only the last `known` lanes are valid. All cells are also in memory, where
   `free` is their end. */
typedef struct gpi_tops {
    uint16 cells;
    uint known;
    uint *free;
} gpi_tops;

#if GPI_EIGHTS
/* Makes the table's row *next for the `count` brackets of *row and one more, which opens or closes. */
static void gpi_eights_add(gpi_eight *next, const gpi_eight *row, uint count, bool opens)
{
    const uchar16 old = row->cells;
    const uchar16 cells = opens ? (uchar16)(old.s12345678, old.s9abc, old.sde, old.sf, (uchar)(16 + count))
                                : (uchar16)(0, old.s01234567, old.s89ab, old.scd, old.se);
    const int rise = row->rise + (opens ? 1 : -1);
    next->cells = cells;
    next->found = row->found;
    if (count < 7) {
        const ulong others = 0x0101010101010101ul << 8 * (count + 1);
        next->found = (row->found & ~(others * 255)) | others * cells.sf;
    }
    next->pops = (uchar)max((int)row->pops, -rise);
    next->rise = (char)rise;
    next->known = (uchar)min(row->known + (opens ? 1 : -1), 16);
}

static void gpi_eights_make(gpi_eight *row)
{
    row[1].cells = GPI_LANE_NUMBERS(uchar16);
    row[1].found = 0x0f0f0f0f0f0f0f0ful;
    row[1].pops = 0;
    row[1].rise = 0;
    row[1].known = 16;
    for (uint count = 0; count < 8; count++) {
        for (uint p = 0; p < 1u << count; p++) {
            gpi_eights_add(row + (2u << count | p), row + (1u << count | p), count, false);
            gpi_eights_add(row + (3u << count | p), row + (1u << count | p), count, true);
        }
    }
}

typedef uint8 gpi_cell_half __attribute__((aligned(4)));

/* Handles up to eight brackets, and returns what each of them finds on top of the stack. `places` has the brackets' indices. In
   `places` and in the result, only the lower eight lanes count. */
GPI_INLINE uint16 gpi_eight_step(const gpi_eight *row, gpi_tops *tops, uint16 places)
{
    if (GPI_RARELY(tops->known < row->pops + 8u)) {
        tops->cells = GPI_LOAD_PRIVATE(gpi_cell_row, tops->free - 16);
        tops->known = 16;
    }
    const uint16 found =
        gpi_pick_lanes(tops->cells, places, convert_uint16(as_uchar16((ulong2)(row->found, 0))));
    tops->cells = gpi_pick_lanes(tops->cells, places, convert_uint16(row->cells));
    tops->known = min(tops->known + (int)row->rise, (uint)row->known);
    tops->free += (int)row->rise;
    GPI_STORE_PRIVATE(gpi_cell_half, tops->cells.hi, tops->free - 8);
    return found;
}

/* Handles the brackets among 16 elements. `brackets` has a bit for each, and the first lanes of `places` have their
   indices. Returns what each bracket finds on top of the stack. The lanes after the last bracket have the top of the
   stack after the 16 elements. */
GPI_INLINE uint16 gpi_eights_row(const gpi_eight *table, gpi_tops *tops, uint openers, uint brackets,
                                 uint16 places)
{
    const uint row = (uint)gpi_pack_bits(openers, brackets) | 1u << popcount(brackets);
    const uint16 lower = gpi_eight_step(table + (row < 256 ? row : 256 | (row & 255)), tops, places);
    const uint16 upper = gpi_eight_step(table + max(row >> 8, 1u), tops, (uint16)(places.hi, places.hi));
    return (uint16)(lower.lo, upper.lo);
}

/* Writes the parents of a block's elements. */
GPI_INLINE void gpi_eights_enclose(const gpi_eight *table, gpi_tops *tops, gpi_brackets_block block, uint at,
                                   __global uint *out)
{
    const ulong brackets = gpi_block_brackets(block);
    char rank[GPI_BRACKETS_BLOCK]; /* brackets of the block before each element */
    gpi_bit_sums(brackets, 0, rank);
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
        const uint some = (uint)(brackets >> j) & 0xffff, opens = (uint)(block.openers >> j) & 0xffff;
        const uint16 found =
            gpi_eights_row(table, tops, opens, some, gpi_pack_lanes(gpi_row_from(at + j), some));
        const char16 ranks = GPI_LOAD_PRIVATE(gpi_height_row, rank + j) - (char16)(rank[j]);
        gpi_row_write(out + j, gpi_pick_lanes(found, found, convert_uint16(ranks)));
    }
}

/* Writes the indices of a block's brackets to `places`, and what each bracket finds on top of the stack to `found`. Overwrites up
   to 16 more elements of both. */
GPI_INLINE void gpi_eights_find(const gpi_eight *table, gpi_tops *tops, gpi_brackets_block block, uint at,
                                uint *places, uint *found)
{
    const ulong brackets = gpi_block_brackets(block);
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
        const uint some = (uint)(brackets >> j) & 0xffff, opens = (uint)(block.openers >> j) & 0xffff;
        const uint16 row = gpi_pack_lanes(gpi_row_from(at + j), some);
        GPI_STORE_PRIVATE(gpi_cell_row, row, places);
        GPI_STORE_PRIVATE(gpi_cell_row, gpi_eights_row(table, tops, opens, some, row), found);
        places += popcount(some);
        found += popcount(some);
    }
}
#else
static void gpi_eights_make(gpi_eight *row) { (void)row; }
#endif
#endif
