/* tile_scan.cl - scans a tile:

       gpi_tile_open         reads the tile (scan/tile.cl)
       gpi_tile_aggregate    returns the tile's product, which is published
       gpi_tile_scan         writes the tile's scan, once the product before the tile is known (scan/tile_sink.cl) */
#ifndef GPI_SCAN_TILE_SCAN_CL
#define GPI_SCAN_TILE_SCAN_CL
#include "scan/tile.cl"
#include "scan/tile_sink.cl"
#include "scan/tile_scan_chunks.cl"
#include "scan/tile_scan_elements.cl"
#endif
