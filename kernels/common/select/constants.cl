/* constants.cl - what selects elements, and where the parts of a partition are written: for the host and for kernels. */
#ifndef GPI_SELECT_CONSTANTS_CL
#define GPI_SELECT_CONSTANTS_CL

/* GPI_SELECT_BY */
#define GPI_SELECT_BY_PREDICATE 1
#define GPI_SELECT_BY_FLAGS 2
#define GPI_SELECT_BY_INDICES 3
#define GPI_SELECT_BY_UNIQUE 4
#define GPI_SELECT_BY_RUNS 5

/* Where the parts after the first one are written. */
#define GPI_WHERE_APART 0    /* in buffers of their own */
#define GPI_WHERE_AFTER 1    /* one after the other, for which the whole input must be counted first */
#define GPI_WHERE_REVERSED 2 /* the rest from the output's end on, the first one last */
#endif
