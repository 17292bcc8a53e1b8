/* reduce_tile.cl - a tile that is only reduced: gpi_tile_reduce and gpi_group_reduce of scan/tile.cl. */
#ifndef GPI_SCAN_REDUCE_TILE_CL
#define GPI_SCAN_REDUCE_TILE_CL
#include "scan/tile.cl"
#endif
