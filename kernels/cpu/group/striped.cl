/* striped.cl - loads elements one at a time, because a CPU's core overlaps loads by itself. */
#ifndef GPI_GROUP_STRIPED_CL
#define GPI_GROUP_STRIPED_CL
#define GPI_LOADS 1
#define GPI_LOAD_STRIPED(x, n, from, step) (x)[0] = (from)[0]
#endif
