/* single_tile_sort.cl - few keys, sorted by one group from beginning to end.

       serial   up to GPI_SINGLE_TILE_FEW keys by their ranks, sixteen at a time; more by passes over their
                digits, from place to place (sort/single_tile_serial.cl)
       local    at most a tile: its order is made in local memory, then keys and values move once
                (sort/single_tile_local.cl)

   Sizes are limited by what one group should do alone, in the local shape by the tile. */
#ifndef GPI_SORT_SINGLE_TILE_SORT_CL
#define GPI_SORT_SINGLE_TILE_SORT_CL
#if GPI_SHAPE_SERIAL
#include "sort/single_tile_serial.cl"
#else
#include "sort/single_tile_local.cl"
#endif
#endif
