/* compact.cl - compacts a tile: writes its selected elements, in their order, once the group knows how many are
   selected before them.

       select         out[n selected before i] = element i, for each i that is selected
       partition      as select; also writes the other elements, in their order, to the second part or to the rest
       runs           at the last element of run r: writes out[r], and the run's start and length */
#ifndef GPI_SELECT_COMPACT_CL
#define GPI_SELECT_COMPACT_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#if GPI_BY_MASKS
#include "select/compact_masks.cl"
#else
#include "select/compact_one.cl"
#endif
#endif
