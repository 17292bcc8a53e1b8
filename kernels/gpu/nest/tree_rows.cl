/* tree_rows.cl - the type of a run's counts. Parents are read one by one. */
#ifndef GPI_NEST_TREE_ROWS_CL
#define GPI_NEST_TREE_ROWS_CL
#include "base/platform.cl"
#include "nest/constants.cl"
#include "nest/stack_monoid.cl"

typedef uchar gpi_tree_own;

#define gpi_skip_rows(parent, at, last, most) (at)
#endif
