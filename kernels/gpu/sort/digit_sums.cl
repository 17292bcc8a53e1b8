/* digit_sums.cl - scans one number of 64 bits per item of the group, by addition: gpi_digit_sums_scan_exclusive and the others of
   group/collectives.cl. Memory: GPI_DIGIT_SUMS numbers. */
#ifndef GPI_SORT_DIGIT_SUMS_CL
#define GPI_SORT_DIGIT_SUMS_CL
#include "base/platform.cl"
#include "group/sync.cl"

#define GPI_DIGIT_SUMS (GPI_WG + GPI_WG / 32 + 1)
#define GPI_GROUP gpi_digit_sums
#define GPI_GROUP_T ulong
#define GPI_GROUP_COMBINE(a, b) ((a) + (b))
#define GPI_GROUP_IDENTITY 0ul
#define GPI_GROUP_SIZE GPI_WG
#define GPI_GROUP_ITEM ((uint)GPI_LOCAL_ID)
#define GPI_GROUP_TURNS(n) GPI_TURNS(n)
#define GPI_GROUP_ALONE 0
#if GPI_SUB_GROUP
#include "group/sub_group_collectives.cl"
#else
#include "group/collectives.cl"
#endif
#undef GPI_GROUP_SIZE
#undef GPI_GROUP_ITEM
#undef GPI_GROUP_TURNS
#undef GPI_GROUP_ALONE
#endif
