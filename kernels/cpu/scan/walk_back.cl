/* walk_back.cl - combines states of tiles, by the group's only item. */
#ifndef GPI_SCAN_WALK_BACK_CL
#define GPI_SCAN_WALK_BACK_CL
#include "scan/walk_back_item.cl"
#endif
