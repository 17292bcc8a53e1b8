/* constants.cl - constants that the host and kernels share: what selects elements, and where parts of a partition are written. */
#ifndef GPI_SELECT_CONSTANTS_CL
#define GPI_SELECT_CONSTANTS_CL

/* Values of GPI_SELECT_BY: what selects an element (select/input.cl). */
#define GPI_SELECT_BY_PREDICATE 1
#define GPI_SELECT_BY_FLAGS 2
#define GPI_SELECT_BY_INDICES 3
#define GPI_SELECT_BY_UNIQUE 4
#define GPI_SELECT_BY_RUNS 5

/* Values of `where`: how the parts after the first one are written. */
#define GPI_WHERE_APART 0    /* in buffers of their own */
#define GPI_WHERE_AFTER 1    /* one after the other, so that the whole input must be counted first */
#define GPI_WHERE_REVERSED 2 /* the rest backwards, from the output's end */
#endif
