/* columns_block.cl - a group reduces a block of columns. The group has `wide` items, a power of two, for each of
   several rows. */
#ifndef GPI_SCAN_COLUMNS_BLOCK_CL
#define GPI_SCAN_COLUMNS_BLOCK_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"

/* The product of each item's elements; at the end, the product of each segment's elements. */
typedef struct gpi_columns_memory {
    GPI_T sum[GPI_WG];
} gpi_columns_memory;

/* Combines the items' sums of each segment, in the order of items, into the sum of the segment's first item. */
static void gpi_columns_combine(GPI_COMBINE_PARAMETER GPI_T sum, uint wide,
                                __local gpi_columns_memory *memory)
{
    const uint l = (uint)get_local_id(0);
    memory->sum[l] = sum;
    for (uint d = wide; d < GPI_WG; d *= 2) {
        const uint to = l / wide * 2 * d + l % wide; /* items of one segment are `wide` apart */
        gpi_sync();                                  /* the sums of the last step are written */
        if (to + d < GPI_WG)
            memory->sum[to] = gpi_combine(GPI_COMBINE_PASSED memory->sum[to], memory->sum[to + d]);
    }
    gpi_sync(); /* the products are written */
}

/* Reduces elements [from, to) of each segment. An item's elements are consecutive, unless the operation commutes. */
static void gpi_columns_reduce(gpi_column_block block, ulong from, ulong to,
                               __local gpi_columns_memory *memory)
{
    const uint s = (uint)get_local_id(0) % block.wide, row = (uint)get_local_id(0) / block.wide;
    const uint rows = GPI_WG / block.wide;
    const ulong run = (to - from + rows - 1) / rows;
    GPI_T sum = gpi_identity();
    GPI_UNROLL_SOME
    for (ulong j = 0; j < run; j++) {
        const ulong i = from + (GPI_COMMUTATIVE ? j * rows + row : row * run + j);
        if (i < to && s < block.segments)
            sum =
                gpi_combine(GPI_COMBINE_OF(block.input) sum, gpi_column_load(block, block.row_stride, s, i));
    }
    gpi_columns_combine(GPI_COMBINE_OF(block.input) sum, block.wide, memory);
}

/* Combines the results of `parts` parts, each of which has `stride` segments. */
static void gpi_columns_join(GPI_COMBINE_PARAMETER __global const GPI_T *partials, ulong stride, uint parts,
                             uint wide, uint segments, __local gpi_columns_memory *memory)
{
    const uint s = (uint)get_local_id(0) % wide, run = (parts + GPI_WG / wide - 1) / (GPI_WG / wide);
    const uint first = (uint)get_local_id(0) / wide * run;
    GPI_T sum = gpi_identity();
    for (uint p = first; p < min(first + run, parts) && s < segments; p++)
        sum = gpi_combine(GPI_COMBINE_PASSED sum, partials[p * stride + s]);
    gpi_columns_combine(GPI_COMBINE_PASSED sum, wide, memory);
}
#endif
