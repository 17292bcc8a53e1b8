/* columns_parts.cl - reduces parts of columns (scan/reduce_columns.cl), each to a result or a partial. */
#ifndef GPI_SCAN_COLUMNS_PARTS_CL
#define GPI_SCAN_COLUMNS_PARTS_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"
#include "scan/columns_block.cl"
#include "scan/segments.cl"

GPI_KERNEL void gp_columns_reduce(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
                                  ulong row_length, ulong row_stride, ulong element_stride,
                                  GPI_COUNT_PARAMETERS, ulong span, uint wide, ulong across,
                                  __global char *scratch,
                                  GPI_OUTPUTS_PARAMETERS volatile __global uint *counters)
{
    GPI_SHARED(gpi_columns_memory, memory);
    gpi_column_block block;
    gpi_outputs outputs;
    const ulong segments = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) % across * wide, part = get_group_id(0) / across;
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    GPI_COLUMN_BLOCK_SET(block);
    GPI_OUTPUTS_SET(outputs);
    gpi_columns_reduce(block, part * span, min(row_length, (part + 1) * span), memory);
    for (uint k = GPI_LOCAL_ID; k < block.segments; k += GPI_WG) {
        if (span >= row_length) gpi_segment_put(outputs, first + k, memory->sum[k]);
        else ((__global GPI_T *)scratch)[part * bound + first + k] = memory->sum[k];
    }
}
#endif
