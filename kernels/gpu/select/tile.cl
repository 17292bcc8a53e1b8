/* tile.cl - the tile of a selection: scan/tile.cl's. */
#ifndef GPI_SELECT_TILE_CL
#define GPI_SELECT_TILE_CL
#include "select/input_vectors.cl" /* first: it stands in place of element/input.cl */
#include "scan/tile.cl"
#endif
