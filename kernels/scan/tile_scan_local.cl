/* tile_scan_local.cl - a tile scanned in the local shape: each item's own elements, from what is before them;
   they go out striped, through the stage (scan/tile_local.cl). */
#ifndef GPI_SCAN_TILE_SCAN_LOCAL_CL
#define GPI_SCAN_TILE_SCAN_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_sink.cl"

/* Writes the tile from the stage. */
GPI_INLINE_GPU void gpi_stage_store(gpi_input input, ulong base, gpi_sink sink, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    const uint l = (uint)get_local_id(0);
    if (length == GPI_TILE) {
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++)
            gpi_put(sink, gpi_position(input, base + l + j * GPI_WG), GPI_TILE_STRIPED(shared->stage, l, j));
    } else {
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const uint i = j * GPI_WG + l;
            if (i < length) gpi_put(sink, gpi_position(input, base + i), shared->stage[GPI_TILE_PAD(i)]);
        }
    }
}

/* Scans the tile with everything before it in `prefix`, into the sink. */
GPI_INLINE_GPU void gpi_tile_scan(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base,
                                  gpi_sink sink, gpi_tile_shared shared)
{
    const uint l = (uint)get_local_id(0);
    GPI_T sum = gpi_combine(prefix, tile->before);
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const GPI_T next = gpi_combine(sum, tile->item[j]);
        GPI_TILE_BLOCKED(shared->stage, l, j) = sink.exclusive ? gpi_before(sum, tile->item[j]) : next;
        sum = next;
    }
    gpi_sync(); /* the stage is filled */
    gpi_stage_store(input, base, sink, shared);
}
#endif
