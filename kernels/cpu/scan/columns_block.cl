/* columns_block.cl - one item reduces a block of columns, row by row. */
#ifndef GPI_SCAN_COLUMNS_BLOCK_CL
#define GPI_SCAN_COLUMNS_BLOCK_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"
#include "scan/constants.cl"

/* The product of each segment's elements so far. */
typedef struct gpi_columns_memory {
    GPI_T sum[GPI_COLUMNS_BYTES / GPI_SIZE];
} gpi_columns_memory;

GPI_INLINE void gpi_columns_rows(gpi_column_block block, const ulong row_stride, ulong from, ulong to,
                                 __private GPI_T *sum)
{
    for (ulong i = from; i < to; i++)
        for (uint s = 0; s < block.segments; s++)
            sum[s] =
                gpi_combine(GPI_COMBINE_OF(block.input) sum[s], gpi_column_load(block, row_stride, s, i));
}

/* Reduces elements [from, to) of each segment. */
GPI_NOINLINE void gpi_columns_reduce(gpi_column_block block, ulong from, ulong to,
                                     __private gpi_columns_memory *memory)
{
    for (uint s = 0; s < block.segments; s++) memory->sum[s] = gpi_identity();
    if (block.row_stride == 1) gpi_columns_rows(block, 1, from, to, memory->sum);
    else gpi_columns_rows(block, block.row_stride, from, to, memory->sum);
}

/* Combines the results of `parts` parts, of which each has `stride` segments. */
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
