/* columns_scan.cl - a group scans a block of columns. The group has `wide` items, a power of two, for each of several
   rows. An item handles GPI_COLUMNS_RUN consecutive elements of a segment at a time. */
#ifndef GPI_SCAN_COLUMNS_SCAN_CL
#define GPI_SCAN_COLUMNS_SCAN_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/columns.cl"
#include "scan/columns_block.cl"
#include "scan/columns_sink.cl"
#include "scan/team_scan.cl"
#include "scan/tile_sink.cl"

#define GPI_COLUMNS_RUN (GPI_SIZE <= 8 ? 8 : 2)

/* Scans elements [from, to) of each segment. `memory` has the products before them. */
static void gpi_columns_scan(gpi_column_block block, gpi_sink sink, ulong from, ulong to,
                             __local gpi_columns_memory *memory)
{
    const uint s = (uint)get_local_id(0) % block.wide, row = (uint)get_local_id(0) / block.wide;
    const uint rows = GPI_WG / block.wide;
    gpi_sync(); /* the products before the part are written */
    GPI_T carry = s < block.segments ? memory->sum[s] : gpi_identity();
    gpi_sync(); /* the products are read: the scan overwrites them */
    for (ulong base = from; base < to; base += rows * GPI_COLUMNS_RUN) {
        const ulong i = base + row * GPI_COLUMNS_RUN;
        GPI_T x[GPI_COLUMNS_RUN], product = gpi_identity(), total;
        GPI_UNROLL
        for (uint k = 0; k < GPI_STRUCT_TURNS(GPI_COLUMNS_RUN); k++)
            x[k] = i + k < to && s < block.segments ? gpi_column_load(block, block.row_stride, s, i + k)
                                                    : gpi_identity();
        GPI_UNROLL
        for (uint k = 0; k < GPI_STRUCT_TURNS(GPI_COLUMNS_RUN); k++)
            product = gpi_combine(GPI_COMBINE_OF(block.input) product, x[k]);
        const GPI_T within =
            gpi_team_scan(GPI_COMBINE_OF(block.input) product, row, rows, block.wide, &total, memory->sum);
        GPI_T before = gpi_combine(GPI_COMBINE_OF(block.input) carry, within);
        GPI_UNROLL
        for (uint k = 0; k < GPI_STRUCT_TURNS(GPI_COLUMNS_RUN); k++) {
            const GPI_T next = gpi_combine(GPI_COMBINE_OF(block.input) before, x[k]);
            if (i + k < to && s < block.segments)
                gpi_column_put(block, sink, block.row_stride, s, i + k, sink.exclusive ? before : next);
            before = next;
        }
        carry = gpi_combine(GPI_COMBINE_OF(block.input) carry, total);
    }
}
#endif
