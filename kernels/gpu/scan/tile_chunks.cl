/* tile_chunks.cl - the tile of a scan whose elements are read four at a time. A chunk of four elements stays with the lane that
   read it. Only the chunks' products are transposed, so that each lane scans consecutive products. With the tile of
   scan/tile_elements.cl instead, a scan on sm_90 needs 1.5 times the instructions and 2.3 times the wavefronts of local memory.

       piece       | chunk of lane 0 | chunk of lane 1 | ... |      a row of chunks
                   | chunk of lane 0 | ...                   |      the next row
       product     a cell for each chunk, row by row; lane l scans GPI_ROWS cells, from cell l * GPI_ROWS on

   While the group looks back, an item's first GPI_HELD elements are in registers. Its other elements are on the stage,
   in local memory, where only this item reads them. This file replaces gpi_tile and gpi_tile_open of
   scan/tile_elements.cl. */
#ifndef GPI_SCAN_TILE_CHUNKS_CL
#define GPI_SCAN_TILE_CHUNKS_CL
#include "base/platform.cl"
#include "group/team.cl"
#include "element/monoid.cl"
#include "scan/tile_input.cl"
#include "scan/tile_elements.cl"

#if GPI_BY_CHUNKS
#define GPI_ROWS (GPI_PER_ITEM / 4)
#define GPI_HELD_ROWS (GPI_HELD / 4)

typedef struct gpi_tile {
    GPI_T held[GPI_HELD];
    GPI_T before;    /* product of the chunks before those that this item scans */
    GPI_T aggregate; /* product of the whole tile */
} gpi_tile;

/* Returns the index in the tile of the first element of this item's chunk of `row`. */
static uint gpi_chunk_place(uint row)
{
    return gpi_team_index() * (GPI_TEAM * GPI_PER_ITEM) + row * (4 * GPI_TEAM) + gpi_team_lane() * 4;
}

/* Returns the cell of the stage at which this team's `row` begins. The stage has cells for the rows that are not in registers. A
   row that is in registers uses the cells of the first staged row, once they are free. */
static __local GPI_CELL *gpi_stage_row(gpi_tile_shared shared, uint row)
{
    const uint first = gpi_team_index() * (GPI_TILE_STAGE / GPI_WG * GPI_TEAM);
    const uint before = row < GPI_HELD_ROWS ? 0 : row - GPI_HELD_ROWS;
    return shared->stage + GPI_TILE_PAD(first) + GPI_TILE_PAD(before * (4 * GPI_TEAM));
}

/* Returns the cell of the stage at which this item's chunk of `row` begins. */
static __local GPI_CELL *gpi_stage_chunk(gpi_tile_shared shared, uint row)
{
    return gpi_stage_row(shared, row) + GPI_TILE_PAD(gpi_team_lane() * 4);
}

/* Returns the cell for the product of this item's chunk of `row`. */
static __local GPI_CELL *gpi_product_cell(gpi_tile_shared shared, uint row)
{
    const uint first = gpi_team_index() * (GPI_TEAM * GPI_ROWS) + gpi_team_lane();
    return shared->product + GPI_TILE_PAD(first) + GPI_TILE_PAD(row * GPI_TEAM);
}

/* Returns the first of the GPI_ROWS products that this item scans. */
static __local GPI_CELL *gpi_own_products(gpi_tile_shared shared)
{
    return shared->product + GPI_TILE_PAD((uint)GPI_LOCAL_ID * GPI_ROWS);
}

/* How many products gpi_products_get and gpi_products_put move at a time. */
#define GPI_PRODUCTS_AT_ONCE (GPI_ROWS % 4 ? 1 : 4)

GPI_INLINE_GPU void gpi_products_get(__local const GPI_CELL *at, GPI_T *x)
{
#if GPI_ROWS % 4
    x[0] = at[0];
#else
    gpi_chunk_get(at, x);
#endif
}

GPI_INLINE_GPU void gpi_products_put(__local GPI_CELL *at, const GPI_T *x)
{
#if GPI_ROWS % 4
    at[0] = x[0];
#else
    gpi_chunk_put(at, x);
#endif
}

/* Loads this item's chunks of `rows` rows, from row `first` on, into x. No load waits for another load. */
GPI_INLINE_GPU void gpi_rows_load(gpi_input input, ulong base, const uint first, const uint rows, GPI_T *x)
{
    const uint length = gpi_tile_length(input, base);
    if (length == GPI_TILE && gpi_quads_aligned(input)) {
        GPI_EACH(row, rows) gpi_load_quad(input, base + gpi_chunk_place(first + row), true, x + 4 * row);
    } else {
        GPI_EACH(row, rows) {
            GPI_EACH(k, 4) {
                const uint i = gpi_chunk_place(first + row) + k;
                x[4 * row + k] = i < length ? gpi_load(input, base + i) : gpi_identity();
            }
        }
    }
}

/* Computes the product of each chunk in x, and writes it to its cell. x has this item's chunks of `rows` rows, from row `first`
   on. */
GPI_INLINE_GPU void gpi_rows_reduce(gpi_input input, const uint first, const uint rows, const GPI_T *x,
                                    gpi_tile_shared shared)
{
    GPI_EACH(row, rows) {
        GPI_T product = x[4 * row];
        GPI_UNROLL
        for (uint k = 1; k < 4; k++) product = gpi_combine(GPI_COMBINE_OF(input) product, x[4 * row + k]);
        *gpi_product_cell(shared, first + row) = product;
    }
}

/* Reads the tile into registers and the stage, each element once. Sets tile->before and tile->aggregate. */
GPI_INLINE_GPU void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    GPI_T sum = gpi_identity();
#if GPI_STAGED
    GPI_T staged[GPI_STAGED];
    gpi_rows_load(input, base, GPI_HELD_ROWS, GPI_ROWS - GPI_HELD_ROWS, staged);
    GPI_EACH(row, GPI_ROWS - GPI_HELD_ROWS)
        gpi_chunk_put(gpi_stage_chunk(shared, GPI_HELD_ROWS + row), staged + 4 * row);
    gpi_rows_reduce(input, GPI_HELD_ROWS, GPI_ROWS - GPI_HELD_ROWS, staged, shared);
    gpi_team_sync(); /* otherwise a compiler loads all rows early, and runs out of registers */
#endif
    gpi_rows_load(input, base, 0, GPI_HELD_ROWS, tile->held);
    gpi_rows_reduce(input, 0, GPI_HELD_ROWS, tile->held, shared);
    gpi_team_sync(); /* the products are written */
    GPI_EACH_CHUNK(j, GPI_ROWS, GPI_PRODUCTS_AT_ONCE) {
        GPI_T x[4];
        gpi_products_get(gpi_own_products(shared) + GPI_TILE_PAD(j), x);
        GPI_EACH(k, GPI_PRODUCTS_AT_ONCE) sum = gpi_combine(GPI_COMBINE_OF(input) sum, x[k]);
    }
    tile->before = gpi_group_scan(GPI_COMBINE_OF(input) sum, &tile->aggregate, shared);
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }
#endif
#endif
