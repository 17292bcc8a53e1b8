/* reduce_tile.cl - reduces a tile: includes scan/tile.cl, which has gpi_tile_reduce and gpi_group_reduce. */
#ifndef GPI_SCAN_REDUCE_TILE_CL
#define GPI_SCAN_REDUCE_TILE_CL
#include "scan/tile.cl"
#endif
