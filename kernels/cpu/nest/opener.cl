/* opener.cl - looks up, in a tile's cells, the openers that the tile leaves open. */
#ifndef GPI_NEST_OPENER_CL
#define GPI_NEST_OPENER_CL
#include "base/platform.cl"
#include "nest/stack_monoid.cl"
#include "nest/tile_summary.cl"

/* Returns the k-th of the openers that `tile` leaves open, from the lowest. */
static gpi_index gpi_opener_of(gpi_nest nest, uint tile, gpi_index k)
{
    const ulong begin = gpi_tile_begin(tile);
    return gpi_cell_index(nest.cells[begin + k], (gpi_index)begin);
}
#endif
