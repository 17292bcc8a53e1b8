/* tree_rows.cl - the type in which the children of a run's elements are counted. On GPUs, no rows of parents are
   skipped: parents are read one by one. */
#ifndef GPI_NEST_TREE_ROWS_CL
#define GPI_NEST_TREE_ROWS_CL
#include "base/platform.cl"
#include "nest/constants.cl"
#include "nest/stack_monoid.cl"

typedef uchar gpi_tree_own;

#define gpi_skip_rows(parent, at, last, most) (at)
#endif
