/* columns_scan.cl - one item scans a block of columns, row by row. */
#ifndef GPI_SCAN_COLUMNS_SCAN_CL
#define GPI_SCAN_COLUMNS_SCAN_CL
#include "base/platform.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"
#include "scan/columns_block.cl"
#include "scan/columns_sink.cl"
#include "scan/tile_sink.cl"

/* Scans elements [from, to) of each segment. `sum` has the products before them. Columns share no elements, so the compiler may
   compute neighbouring columns together, also in place. */
GPI_INLINE void gpi_columns_scan_rows(gpi_column_block block, gpi_sink sink, const ulong row_stride,
                                      ulong from, ulong to, const bool exclusive, __private GPI_T *sum)
{
    for (ulong i = from; i < to; i++) {
        GPI_APART
        for (uint s = 0; s < block.segments; s++) {
            const GPI_T before = sum[s];
            const GPI_T next =
                gpi_combine(GPI_COMBINE_OF(block.input) before, gpi_column_load(block, row_stride, s, i));
            gpi_column_put(block, sink, row_stride, s, i, exclusive ? before : next);
            sum[s] = next;
        }
    }
}

/* Scans elements [from, to) of each segment. `memory` has the products before them. */
GPI_NOINLINE void gpi_columns_scan(gpi_column_block block, gpi_sink sink, ulong from, ulong to,
                                   __private gpi_columns_memory *memory)
{
    if (block.row_stride != 1)
        gpi_columns_scan_rows(block, sink, block.row_stride, from, to, sink.exclusive, memory->sum);
    else if (sink.exclusive) gpi_columns_scan_rows(block, sink, 1, from, to, true, memory->sum);
    else gpi_columns_scan_rows(block, sink, 1, from, to, false, memory->sum);
}
#endif
