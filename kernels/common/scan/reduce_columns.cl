/* reduce_columns.cl - out[s] = initial . in[b] . in[b + element_stride] ...        b = s * row_stride, row_length elements

   Reduces segments whose elements are not adjacent, such as the columns of a matrix that is stored row by row. Neighbouring
   lanes reduce neighbouring segments.

       gp_columns_reduce    group per block of `wide` segments and part of `span` elements
       gp_columns_join      group per block of segments: combines the results of all parts, in their order

                    segments, `wide` a block
                  +------+------+------+--+
           span   |  0   |  1   |  2   |3 |       across = 4
     elements     +------+------+------+--+
                  |  4   |  5   |  6   |7 |
                  +------+------+------+--+

   Positions are counted from the segment's first element. The order of combination depends only on the call's parameters, and is
   input order unless the operation commutes. With a single part there is no join. */
#ifndef GPI_SCAN_REDUCE_COLUMNS_CL
#define GPI_SCAN_REDUCE_COLUMNS_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"
#include "scan/columns_block.cl"
#include "scan/columns_parts.cl"
#include "scan/segments.cl"

GPI_KERNEL void gp_columns_join(GPI_COMBINE_PARAMETERS __global const char *scratch, uint parts,
                                GPI_OUTPUTS_PARAMETERS GPI_COUNT_PARAMETERS, uint wide)
{
    GPI_SHARED(gpi_columns_memory, memory);
    gpi_outputs outputs;
    const ulong segments = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = (ulong)get_group_id(0) * wide;
    const uint some = (uint)min((ulong)wide, segments - min(segments, first));
    gpi_columns_join(GPI_COMBINE_HERE(__global const GPI_T *) scratch + first, bound, parts, wide, some,
                     memory);
    GPI_OUTPUTS_SET(outputs);
    for (uint k = GPI_LOCAL_ID; k < some; k += GPI_WG) gpi_segment_put(outputs, first + k, memory->sum[k]);
}
#endif
