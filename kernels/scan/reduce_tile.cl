/* reduce_tile.cl - what a group does with a tile (tile_input.cl) that is only reduced: of tile.cl, and as there,

       gpi_tile_reduce    the product of the tile's elements
       gpi_group_reduce   the product of an element of each item, in item order                          */
#ifndef GPI_SCAN_REDUCE_TILE_CL
#define GPI_SCAN_REDUCE_TILE_CL
#include "scan/tile_input.cl"

#if GPI_SHAPE_SERIAL
#include "scan/tile_serial.cl"
#else
#include "scan/reduce_local.cl"
#endif
#endif
