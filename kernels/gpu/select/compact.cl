/* compact.cl - compacts a tile: writes its selected elements, in their order, once the group knows how many are
   selected before them.

       select         out[number selected before i] = element i, for each i that is selected
       partition      the same; writes the other elements to the second part or to the rest, also in their order
       runs           at each run's last element: out[number of runs ended before], the run's length and its begin */
#ifndef GPI_SELECT_COMPACT_CL
#define GPI_SELECT_COMPACT_CL
#include "select/input_vectors.cl" /* first: it replaces element/input.cl */
#include "scan/tile.cl"
#include "select/sink.cl"

#if GPI_BY_PIECES
#include "select/compact_pieces.cl"
#else
#include "select/compact_items.cl"
#endif
#endif
