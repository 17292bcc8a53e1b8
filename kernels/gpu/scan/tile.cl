/* tile.cl - a group's tile (scan/tile_input.cl): GPI_WG items with GPI_PER_ITEM elements each, exchanged through local memory.

       gpi_tile_reduce         returns the product of the tile's elements
       gpi_tile_open           reads the tile into a gpi_tile
       gpi_tile_aggregate      returns the product of the tile that was read
       gpi_group_reduce        returns the product of an element of each item, in item order
       gpi_group_scan          returns the product over the items before this one, and over all items
       gpi_broadcast_element   returns item 0's element; no function of this list may follow before the next barrier

   gpi_tile_open and gpi_tile are defined in one of three files, chosen by GPI_BY_CHUNKS (tile_elements.cl) and GPI_KEYED:

       read four at a time      tile_chunks.cl (GPI_BY_CHUNKS): part of the tile is in registers
       segments by keys         tile_keyed.cl (GPI_KEYED)
       others                   tile_elements.cl: the tile is in local memory

   For some selections, select/kept.cl or select/pieces.cl defines gpi_tile_open and gpi_tile instead.

   Every function is collective: all items of the group must call it, with the same arguments except for their own elements, and
   all get the result. */
#ifndef GPI_SCAN_TILE_CL
#define GPI_SCAN_TILE_CL
#include "scan/tile_input.cl"
#include "scan/tile_elements.cl"
#include "scan/tile_keyed.cl"
#include "scan/tile_chunks.cl"
#endif
