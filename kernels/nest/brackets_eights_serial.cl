/* brackets_eights_serial.cl - brackets in the serial shape: a stack whose highest 16 cells are a vector.

   Eight brackets are one step. A table of 256 rows, for each pattern of openers (1) and closers (0), has where what
   they find on top of the stack comes from, and where the stack's cells after them do: lanes 0 ... 15 of the
   cells before, the highest last, or 16 ... 23, which are the eight's own places.

       after ( ( ) ( ) ) ) (     the fourth's parent: lane 16, the first one;  the last one's: lane 14
                                 cells after: lanes 0 ... 14 one higher up... 

   Parameters
       GPI_SHAPE_SERIAL    1; otherwise this file is empty                                                */
#ifndef GPI_NEST_BRACKETS_EIGHTS_SERIAL_CL
#define GPI_NEST_BRACKETS_EIGHTS_SERIAL_CL
#include "base/platform.cl"
#include "nest/brackets_block_serial.cl"
#include "nest/stack_monoid.cl"

#if GPI_SHAPE_SERIAL
#if GPI_PACKS && GPI_INDEX_SIZE == 4
#define GPI_EIGHTS 1
#else
#define GPI_EIGHTS 0
#endif

#define GPI_EIGHTS_ROWS (GPI_EIGHTS ? 256 : 1)

typedef struct gpi_eight {
    uchar16 stack;
    uchar parents[8];
    uchar pops; /* how far the stack goes down meanwhile */
    char rise;  /* how much higher it is then */
    uchar kept; /* of 16 known cells so many are known then */
} gpi_eight;

#if GPI_EIGHTS
/* Rows of k + 1 brackets are made of those of k. */
static void gpi_eights_make(gpi_eight *row)
{
    row->stack = GPI_LANE_NUMBERS(uchar16);
    row->pops = 0;
    row->rise = 0;
    row->kept = 16;
    for (uint k = 0; k < 8; k++) {
        for (uint p = 0; p < 1u << k; p++) {
            gpi_eight closed = row[p];
            const uchar16 stack = closed.stack;
            closed.parents[k] = stack.sf;
            gpi_eight opened = closed;
            closed.stack = (uchar16)(0, stack.s01234567, stack.s89ab, stack.scd, stack.se);
            closed.rise--;
            closed.kept--;
            closed.pops = (uchar)max((int)closed.pops, -closed.rise);
            opened.stack = (uchar16)(stack.s12345678, stack.s9abc, stack.sde, stack.sf, (uchar)(16 + k));
            opened.rise++;
            opened.kept = min(opened.kept + 1, 16);
            row[p] = closed;
            row[p + (1u << k)] = opened;
        }
    }
}

/* The stack as vectors go over it: lanes from 16 - valid on are its highest cells. */
typedef struct gpi_tops {
    uint16 cells;
    uint valid;
} gpi_tops;

typedef uint8 gpi_cell_half __attribute__((aligned(4)));
typedef uchar16 gpi_lanes_row __attribute__((aligned(8)));

/* Eight brackets at these places. What each finds on top of the stack is in the result's lower half. Memory
   below `free` has all the cells. */
GPI_INLINE uint16 gpi_eight_step(const gpi_eight *row, gpi_tops *tops, uint **free, uint16 places)
{
    if (GPI_RARELY(tops->valid < row->pops + 8u)) {
        tops->cells = GPI_LOAD_PRIVATE(gpi_cell_row, *free - 16);
        tops->valid = 16;
    }
    const uint16 parents =
        gpi_pick_lanes(tops->cells, places, convert_uint16(GPI_LOAD_PRIVATE(gpi_lanes_row, row->parents)));
    tops->cells = gpi_pick_lanes(tops->cells, places, convert_uint16(row->stack));
    tops->valid = min(tops->valid + (int)row->rise, (uint)row->kept);
    *free += (int)row->rise;
    GPI_STORE_PRIVATE(gpi_cell_half, tops->cells.hi, *free - 8);
    return parents;
}

/* Parents of a block of brackets alone. */
GPI_INLINE uint *gpi_eights_all(const gpi_eight *table, uint *free, ulong openers, uint at, __global uint *out)
{
    gpi_tops tops;
    tops.valid = 0;
    for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
        const uint16 lower = gpi_eight_step(table + (openers >> j & 255), &tops, &free, gpi_row_from(at + j));
        const uint16 upper = gpi_eight_step(table + (openers >> (j + 8) & 255), &tops, &free, gpi_row_from(at + j + 8));
        gpi_row_write(out + j, (uint16)(lower.lo, upper.lo));
    }
    return free;
}

/* How many of bits j ... j + 15 are set below each of them. */
GPI_INLINE char16 gpi_ranks_row(ulong bits, uint j)
{
    const char16 step = gpi_bits_bytes(bits, j);
    char16 sum = (char16)(0, step.s0123, step.s4567, step.s89ab, step.scd, step.se);
    sum += (char16)(0, sum.s0123, sum.s4567, sum.s89ab, sum.scd, sum.se);
    sum += (char16)(0, 0, sum.s0123, sum.s4567, sum.s89ab, sum.scd);
    sum += (char16)(0, 0, 0, 0, sum.s0123, sum.s4567, sum.s89ab);
    sum += (char16)((char8)(0), sum.s01234567);
    return -sum;
}

/* Parents of a block: those of its brackets, side by side, then those of what is between them. */
GPI_INLINE uint *gpi_eights_block(const gpi_eight *table, uint *free, gpi_brackets_block block, uint at,
                                  __global uint *out)
{
    const ulong brackets = gpi_block_brackets(block);
    const uint count = (uint)popcount(brackets);
    uint places[GPI_BRACKETS_BLOCK + 16], parents[GPI_BRACKETS_BLOCK + 32];
    gpi_tops tops;
    tops.valid = 0;
    if (count == GPI_BRACKETS_BLOCK) return gpi_eights_all(table, free, block.openers, at, out);
    if (count == 0) {
        for (uint j = 0; j < GPI_BRACKETS_BLOCK; j += 16) gpi_row_write(out + j, (uint16)(free[-1]));
        return free;
    }
    for (uint j = 0, k = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
        gpi_pack_near_4((uchar *)(places + k), gpi_row_from(at + j), (uint)(brackets >> j) & 0xffff);
        k += popcount((uint)(brackets >> j) & 0xffff);
    }
    const ulong openers = gpi_pack_bits(block.openers, brackets) | ~0ul << count; /* as if more came */
    for (uint k = 0; k < count; k += 8) {
        const uint16 row = gpi_eight_step(table + (openers >> k & 255), &tops, &free, GPI_LOAD_PRIVATE(gpi_cell_row, places + k));
        GPI_STORE_PRIVATE(gpi_cell_half, row.lo, parents + k);
    }
    free -= -count & 7;
    parents[count] = free[-1];
    for (uint j = 0, k = 0; j < GPI_BRACKETS_BLOCK; j += 16) {
        const uint16 row = GPI_LOAD_PRIVATE(gpi_cell_row, parents + k);
        gpi_row_write(out + j, gpi_pick_lanes(row, row, convert_uint16(gpi_ranks_row(brackets, j))));
        k += popcount((uint)(brackets >> j) & 0xffff);
    }
    return free;
}
#endif
#endif
#endif
