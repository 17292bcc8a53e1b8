/* scan_columns.cl - out[k] = initial . in[b] . in[b + element_stride] ... in[k]        b = s * row_stride, row_length elements

   Scans segments whose elements are not adjacent, such as the columns of a matrix that is stored row by row.
   scan/reduce_columns.cl describes blocks of columns, and their parts. If a block has several parts, it is read twice:

       gp_columns_reduce    group per block of `wide` segments and part of `span` elements: partials (scan/columns_parts.cl)
       gp_columns_scan      group per block and part: combines the partials of earlier parts, and scans its part  */
#ifndef GPI_SCAN_SCAN_COLUMNS_CL
#define GPI_SCAN_SCAN_COLUMNS_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"
#include "scan/columns_block.cl"
#include "scan/columns_parts.cl"
#include "scan/columns_scan.cl"
#include "scan/tile_sink.cl"

GPI_KERNEL void gp_columns_scan(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
                                ulong row_length, ulong row_stride, ulong element_stride,
                                GPI_COUNT_PARAMETERS, ulong span, uint wide, ulong across,
                                __global const char *scratch, GPI_SINK_PARAMETERS,
                                volatile __global uint *counters)
{
    GPI_SHARED(gpi_columns_memory, memory);
    gpi_column_block block;
    gpi_sink sink;
    const ulong segments = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) % across * wide, part = get_group_id(0) / across;
    GPI_COUNT_CHECK(get_group_id(0) == 0 && span >= row_length, counters); /* else gp_columns_reduce checks */
    GPI_COLUMN_BLOCK_SET(block);
    GPI_SINK_SET(sink);
    sink.out += first * row_stride;
    if (part > 0)
        gpi_columns_join(GPI_COMBINE_OF(block.input)(__global const GPI_T *) scratch + first, bound,
                         (uint)part, wide, block.segments, memory);
    for (uint k = GPI_LOCAL_ID; k < block.segments; k += GPI_WG)
        memory->sum[k] =
            part > 0 ? gpi_combine(GPI_COMBINE_OF(block.input) sink.initial, memory->sum[k]) : sink.initial;
    gpi_columns_scan(block, sink, part * span, min(row_length, (part + 1) * span), memory);
}
#endif
