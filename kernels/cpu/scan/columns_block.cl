/* columns_block.cl - one item reduces a block of columns, row by row. */
#ifndef GPI_SCAN_COLUMNS_BLOCK_CL
#define GPI_SCAN_COLUMNS_BLOCK_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"
#include "scan/constants.cl"
#include "scan/segments.cl"

#define GPI_COLUMNS_STEP 4 /* rows that are combined before their sum is stored */

/* The product of each segment's elements so far. */
typedef struct gpi_columns_memory {
    GPI_T sum[GPI_COLUMNS_BYTES / GPI_SIZE];
} gpi_columns_memory;

/* Combines sums with elements [from, to) of each segment. */
GPI_INLINE void gpi_columns_rows(gpi_column_block block, const ulong row_stride, ulong from, ulong to,
                                 __private GPI_T *sum)
{
    ulong i = from;
    for (; i + GPI_COLUMNS_STEP <= to; i += GPI_COLUMNS_STEP) {
        for (uint s = 0; s < block.segments; s++) {
            GPI_T x = sum[s];
#pragma unroll
            for (uint k = 0; k < GPI_COLUMNS_STEP; k++)
                x = gpi_combine(GPI_COMBINE_OF(block.input) x, gpi_column_load(block, row_stride, s, i + k));
            sum[s] = x;
        }
    }
    for (; i < to; i++)
        for (uint s = 0; s < block.segments; s++)
            sum[s] =
                gpi_combine(GPI_COMBINE_OF(block.input) sum[s], gpi_column_load(block, row_stride, s, i));
}

/* Reduces the columns of a matrix with few columns. Handles 2^shift rows as one long row, and then combines the sums of the same
   column. */
GPI_INLINE void gpi_columns_flat(gpi_column_block block, uint shift, __private GPI_T *sum)
{
    const uint columns = block.segments;
    block.segments <<= shift;
    block.element_stride <<= shift;
    for (uint s = columns; s < block.segments; s++) sum[s] = gpi_identity();
    gpi_columns_rows(block, 1, 0, block.input.count, sum);
    for (uint s = columns; s < block.segments; s += columns)
        for (uint c = 0; c < columns; c++)
            sum[c] = gpi_combine(GPI_COMBINE_OF(block.input) sum[c], sum[s + c]);
}

/* Reduces elements [from, to) of each segment. */
GPI_NOINLINE void gpi_columns_reduce(gpi_column_block block, ulong from, ulong to,
                                     __private gpi_columns_memory *memory)
{
    const bool whole = block.row_stride == 1 && block.element_stride == block.segments;
    for (uint s = 0; s < block.segments; s++) memory->sum[s] = gpi_identity();
#if GPI_COMMUTATIVE && !GPI_PLACES
    if (whole && block.segments <= block.wide / 2) {
        const uint shift = 31 - clz(block.wide / block.segments); /* Intel's runtime cannot divide here */
        gpi_column_block flat = block;
        const ulong rows = (to - from) >> shift, first = from; /* number of long rows */
        from += rows << shift;
        flat.input.count = rows;
        flat.input.in += (GPI_REVERSE ? block.input.count - from : first) * block.element_stride;
        gpi_columns_flat(flat, shift, memory->sum);
    }
#endif
    (void)whole;
    if (block.row_stride == 1) gpi_columns_rows(block, 1, from, to, memory->sum);
    else gpi_columns_rows(block, block.row_stride, from, to, memory->sum);
}

/* Combines the results of `parts` parts, each of which has `stride` segments. */
GPI_NOINLINE void gpi_columns_join(GPI_COMBINE_PARAMETER __global const GPI_T *partials, ulong stride,
                                   uint parts, uint wide, uint segments, __private gpi_columns_memory *memory)
{
    (void)wide;
    for (uint s = 0; s < segments; s++) {
        memory->sum[s] = partials[s];
        for (uint p = 1; p < parts; p++)
            memory->sum[s] = gpi_combine(GPI_COMBINE_PASSED memory->sum[s], partials[p * stride + s]);
    }
}
#endif
