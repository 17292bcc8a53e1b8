/* tile_scan_elements.cl - scans a tile: each item scans its own elements, beginning with the product before them. Results are
   written striped, through the stage (scan/tile_elements.cl). On the stage, an item overwrites only cells that it has read
   itself. */
#ifndef GPI_SCAN_TILE_SCAN_ELEMENTS_CL
#define GPI_SCAN_TILE_SCAN_ELEMENTS_CL
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_sink.cl"

#if !GPI_BY_CHUNKS /* otherwise scan/tile_scan_chunks.cl replaces this file */
/* GPI_CELL_ITEM converts a cell to this item's own element j, gpi_cell_result converts a cell to a result, and GPI_CELL_SET
   stores a result in a cell. */
#if GPI_KEYED
#define GPI_CELL_ITEM(tile, cell, j) gpi_keyed_item(tile, cell, j)
static GPI_T gpi_cell_result(GPI_CELL cell)
{
    GPI_T x;
    x.value = cell;
    x.head = 0;
    return x;
}
#define GPI_CELL_SET(cell, x) cell = (x).value
#else
#define GPI_CELL_ITEM(tile, cell, j) cell
#define gpi_cell_result(cell) cell
#define GPI_CELL_SET(cell, x) cell = x
#endif

/* Writes the tile's results from the stage to `sink`. */
GPI_INLINE_GPU void gpi_stage_store(gpi_input input, ulong base, gpi_sink sink, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    const uint first = gpi_tile_first(1);
    __local const GPI_CELL *at = shared->stage + GPI_TILE_PAD(first);
    if (length < GPI_TILE) {
        GPI_ROLLED
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const uint i = first + j * GPI_TEAM;
            if (i < length)
                gpi_put(sink, gpi_position(input, base + i), gpi_cell_result(at[GPI_TILE_PAD(j * GPI_TEAM)]));
        }
#if GPI_PUT_QUADS && GPI_CELL_CHUNK == 4
    } else if (gpi_put_aligned(sink)) {
        const uint quad = gpi_tile_first(4);
        GPI_EACH_CHUNK(j, GPI_PER_ITEM, 4) {
            GPI_CELL cell[4];
            GPI_T x[4];
            gpi_chunk_get(shared->stage + GPI_TILE_PAD(quad) + GPI_TILE_PAD(j * GPI_TEAM), cell);
            GPI_EACH(k, 4) x[k] = gpi_cell_result(cell[k]);
            gpi_put_quad(sink, base + quad + j * GPI_TEAM, x);
        }
#endif
    } else {
        GPI_EACH_OWN(j)
            gpi_put(sink, gpi_position(input, base + first + j * GPI_TEAM),
                    gpi_cell_result(at[GPI_TILE_PAD(j * GPI_TEAM)]));
    }
}

/* Scans this item's own elements, beginning with the product `begin`, and writes the results to the stage. Staged elements are
   scanned in chunks, so that few of them are in registers at a time. */
GPI_INLINE_GPU void gpi_own_scan(GPI_COMBINE_PARAMETER const gpi_tile *tile, GPI_T begin,
                                 const bool exclusive, gpi_tile_shared shared)
{
    __local GPI_CELL *at = gpi_own_cells(shared);
    GPI_T sum = begin;
    GPI_EACH_CHUNK(j, GPI_TURNS(GPI_PER_ITEM), GPI_CELL_CHUNK) {
        GPI_CELL scanned[GPI_CELL_CHUNK];
#if GPI_OWN_KEPT && !GPI_KEYED
        const GPI_T *x = tile->item + j;
#else
        GPI_CELL x[GPI_CELL_CHUNK];
        gpi_chunk_get(at + GPI_TILE_PAD(j), x);
#endif
        GPI_EACH(k, GPI_CELL_CHUNK) {
            const GPI_T next = gpi_combine(GPI_COMBINE_PASSED sum, GPI_CELL_ITEM(tile, x[k], j + k));
            GPI_CELL_SET(scanned[k], exclusive ? gpi_before(sum, GPI_CELL_ITEM(tile, x[k], j + k)) : next);
            sum = next;
        }
        gpi_chunk_put(at + GPI_TILE_PAD(j), scanned);
    }
    (void)tile;
}

/* Scans the tile, and writes the results to `sink`. `prefix` is the product of everything before the tile. */
GPI_INLINE_GPU void gpi_tile_scan(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base,
                                  gpi_sink sink, gpi_tile_shared shared)
{
    const GPI_T begin = gpi_combine(GPI_COMBINE_OF(input) prefix, tile->before);
    if (sink.exclusive)
        gpi_own_scan(GPI_COMBINE_OF(input) tile, begin, true, shared); /* no test in the loop over elements */
    else gpi_own_scan(GPI_COMBINE_OF(input) tile, begin, false, shared);
    gpi_team_sync(); /* the stage is filled */
    gpi_stage_store(input, base, sink, shared);
}
#endif
#endif
