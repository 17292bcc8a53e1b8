/* brackets_tile.cl - what a group does with its tile of brackets, in the program's shape. */
#ifndef GPI_NEST_BRACKETS_TILE_CL
#define GPI_NEST_BRACKETS_TILE_CL
#if GPI_SHAPE_SERIAL
#include "nest/brackets_serial.cl"
#else
#include "nest/brackets_local.cl"
#endif
#endif
