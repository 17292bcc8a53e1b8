/* items.cl - defines gpi_items_reduce, gpi_items_scan and gpi_items_scan_exclusive, which reduce and scan one element per item of
   a group (group/collectives.cl). */
#ifndef GPI_SCAN_ITEMS_CL
#define GPI_SCAN_ITEMS_CL
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "element/monoid.cl"

#define GPI_GROUP gpi_items
#define GPI_GROUP_T GPI_T
#define GPI_GROUP_COMBINE(a, b) gpi_combine(GPI_COMBINE_PASSED a, b)
#define GPI_GROUP_PARAMETER GPI_COMBINE_PARAMETER
#define GPI_GROUP_PASSED GPI_COMBINE_PASSED
#define GPI_GROUP_IDENTITY gpi_identity()
#define GPI_GROUP_SIZE GPI_WG
#define GPI_GROUP_ITEM ((uint)get_local_id(0))
#define GPI_GROUP_TURNS(n) GPI_STRUCT_TURNS(n)
#define GPI_GROUP_ALONE 0
/* The number of elements of local memory that a reduction or scan needs. */
#if GPI_SUB_GROUP && GPI_SUB_GROUP_FORM != GPI_SUB_GROUP_EMULATED
#define GPI_ITEMS_CELLS (GPI_WG / GPI_SUB_GROUP)
#else
#define GPI_ITEMS_CELLS (GPI_WG + GPI_WG / 32)
#endif
#define GPI_GROUP_BITS gpi_bits
#if GPI_SUB_GROUP
#include "group/sub_group_collectives.cl"
#else
#include "group/collectives.cl"
#endif
#endif
