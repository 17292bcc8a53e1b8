/* columns_sink.cl - writes the results of segments whose elements are not adjacent. */
#ifndef GPI_SCAN_COLUMNS_SINK_CL
#define GPI_SCAN_COLUMNS_SINK_CL
#include "base/platform.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"
#include "scan/tile_sink.cl"

/* Writes the result for element i of segment s. `sink` begins with the block's first segment. */
GPI_INLINE void gpi_column_put(gpi_column_block block, gpi_sink sink, const ulong row_stride, uint s, ulong i,
                               GPI_T x)
{
    const ulong position = gpi_position(block.input, i);
    gpi_sink segment = sink;
    segment.out += position * (block.element_stride - 1) + s * row_stride;
    gpi_put(segment, position, x);
}
#endif
