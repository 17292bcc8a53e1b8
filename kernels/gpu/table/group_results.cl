/* group_results.cl - reduces groups of rows to several results: each group is a segment of row numbers, which are sorted
   by group (scan/segmented_reduce.cl). */
#ifndef GPI_TABLE_GROUP_RESULTS_CL
#define GPI_TABLE_GROUP_RESULTS_CL
#include "scan/segmented_reduce.cl"
#endif
