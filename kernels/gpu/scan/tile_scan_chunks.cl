/* tile_scan_chunks.cl - scans the tile of scan/tile_chunks.cl. First the chunks' products are scanned. Then each lane scans its
   own chunks, each beginning with the product before it. This file replaces scan/tile_scan_elements.cl. */
#ifndef GPI_SCAN_TILE_SCAN_CHUNKS_CL
#define GPI_SCAN_TILE_SCAN_CHUNKS_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "group/team.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_sink.cl"

#if GPI_BY_CHUNKS
/* Replaces each of the products that this item scans by `begin` . the item's products before it. */
GPI_INLINE_GPU void gpi_products_scan(GPI_COMBINE_PARAMETER GPI_T begin, gpi_tile_shared shared)
{
    GPI_T sum = begin;
    GPI_EACH_CHUNK(j, GPI_ROWS, GPI_PRODUCTS_AT_ONCE) {
        __local GPI_CELL *at = gpi_own_products(shared) + GPI_TILE_PAD(j);
        GPI_T x[4];
        gpi_products_get(at, x);
        GPI_EACH(k, GPI_PRODUCTS_AT_ONCE) {
            const GPI_T next = gpi_combine(GPI_COMBINE_PASSED sum, x[k]);
            x[k] = sum;
            sum = next;
        }
        gpi_products_put(at, x);
    }
}

/* GPI_PUT_WHOLE 1: whole chunks are written as vectors even if the tile is not full. For small tiles this is not worth the
   code. */
#define GPI_PUT_WHOLE (GPI_PUT_QUADS && GPI_ROWS > 4)

/* Writes the results of `row`; x has this item's four results. Results that cannot be written as vectors pass through the stage,
   so that neighbouring items write neighbouring results. `straight`: the tile is full, and vector stores are aligned. */
GPI_INLINE_GPU void gpi_row_store(gpi_input input, ulong base, gpi_sink sink, const bool straight, uint row,
                                  const GPI_T *x, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base), place = gpi_chunk_place(row);
    if (straight) {
#if GPI_PUT_QUADS
        gpi_put_quad(sink, base + place, x);
    } else if (GPI_PUT_WHOLE && gpi_put_aligned(sink)) {
        if (place + 3 < length) {
            gpi_put_quad(sink, base + place, x);
        } else {
            GPI_EACH(k, 3)
                if (place + k < length) gpi_put(sink, base + place + k, x[k]);
        }
#endif
    } else {
        const uint lane = gpi_team_lane();
        __local const GPI_CELL *at = gpi_stage_row(shared, row);
        gpi_team_sync(); /* the row's cells on the stage are read */
        gpi_chunk_put(gpi_stage_chunk(shared, row), x);
        gpi_team_sync(); /* the row is written */
        GPI_EACH(k, 4) {
            const uint j = lane + k * GPI_TEAM, i = place - 4 * lane + j;
            if (i < length) gpi_put(sink, gpi_position(input, base + i), at[GPI_TILE_PAD(j)]);
        }
    }
}

/* Scans this item's chunks, each beginning with the product before it, and writes the results. If `straight`, the chunks in
   registers are scanned first, which frees these registers. Otherwise results pass through the stage, and the chunks in registers
   are scanned last, because they use the cells of a staged row. */
GPI_INLINE_GPU void gpi_rows_scan(const gpi_tile *tile, gpi_input input, ulong base, gpi_sink sink,
                                  const bool exclusive, const bool straight, gpi_tile_shared shared)
{
    GPI_EACH(j, GPI_ROWS) {
        const uint row = straight ? j : GPI_ROWS - 1 - j;
        GPI_T x[4], sum = *gpi_product_cell(shared, row);
        if (row < GPI_HELD_ROWS) {
            GPI_EACH(k, 4) x[k] = tile->held[4 * row + k];
        } else {
            if (j % 2 == 0)
                gpi_team_sync(); /* otherwise a compiler reads all chunks early, and runs out of registers */
            gpi_chunk_get(gpi_stage_chunk(shared, row), x);
        }
        GPI_EACH(k, 4) {
            const GPI_T next = gpi_combine(GPI_COMBINE_OF(input) sum, x[k]);
            x[k] = exclusive ? gpi_before(sum, x[k]) : next;
            sum = next;
        }
        gpi_row_store(input, base, sink, straight, row, x, shared);
    }
}

/* Scans the tile, and writes the results to `sink`. `prefix` is the product of everything before the tile. */
GPI_INLINE_GPU void gpi_tile_scan(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base,
                                  gpi_sink sink, gpi_tile_shared shared)
{
    bool straight = false;
#if GPI_PUT_QUADS
    straight = gpi_tile_length(input, base) == GPI_TILE && gpi_put_aligned(sink);
#endif
    gpi_products_scan(GPI_COMBINE_OF(input) gpi_combine(GPI_COMBINE_OF(input) prefix, tile->before), shared);
    gpi_team_sync(); /* the products before the chunks are written */
    if (!straight) {
        gpi_sync_all(); /* the input is read: if the scan is in place, it is now overwritten */
        gpi_rows_scan(tile, input, base, sink, sink.exclusive, false, shared);
    } else if (sink.exclusive) {
        gpi_rows_scan(tile, input, base, sink, true, true, shared);
    } else {
        gpi_rows_scan(tile, input, base, sink, false, true, shared);
    }
}
#endif
#endif
