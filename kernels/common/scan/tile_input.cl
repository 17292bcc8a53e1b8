/* tile_input.cl - a tile of the input: its parameters, and how many elements it has.

   A tile is GPI_TILE consecutive elements, owned by one group.

   Parameters
       GPI_TILE, GPI_PER_ITEM                elements of a tile, of an item */
#ifndef GPI_SCAN_TILE_INPUT_CL
#define GPI_SCAN_TILE_INPUT_CL

/* Selections include select/input_vectors.cl first, in place of element/input_vectors.cl. */
#ifndef GPI_SELECT_BY
#include "element/input_vectors.cl"
#endif

#if GPI_TILE != GPI_WG * GPI_PER_ITEM
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM"
#endif
#if GPI_TILE % GPI_LANES
#error "GPI_TILE must be a multiple of GPI_LANES"
#endif

/* Returns how many elements the tile at `base` has: GPI_TILE, fewer in the last tile, none in tiles after it. (There
   are such tiles if the count on the device is below the bound for which groups were launched.) */
static uint gpi_tile_length(gpi_input input, ulong base)
{
    return base < input.count ? (uint)min((ulong)GPI_TILE, input.count - base) : 0;
}
#endif
