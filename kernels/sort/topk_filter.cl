/* topk_filter.cl - what a group does with its tile of keys: finds those below a threshold, and writes them.

       keep(tile, t) = the elements whose order is below t, in the tile's order, each with its index

   Every function is collective: all items of the group call it. Each shape defines

       gpi_found             what the survey leaves to find keys again: GPI_FOUND of them
       gpi_tile_survey       how many keys are below and equal to the threshold
       gpi_tile_keep         after it: writes the keys below the threshold, in order; `base`: the tile's first index
       gpi_tile_keep_equal   alone: the same with the first `most` keys that equal it */
#ifndef GPI_SORT_TOPK_FILTER_CL
#define GPI_SORT_TOPK_FILTER_CL
#if GPI_SHAPE_SERIAL
#include "sort/topk_filter_serial.cl"
#else
#include "sort/topk_filter_local.cl"
#endif
#endif
