/* tile.cl - includes the tile of a selection, which is that of scan/tile.cl. */
#ifndef GPI_SELECT_TILE_CL
#define GPI_SELECT_TILE_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "scan/tile.cl"
#endif
