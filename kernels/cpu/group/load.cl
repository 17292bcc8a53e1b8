/* load.cl - loads elements one at a time, because a CPU's core overlaps loads by itself. */
#ifndef GPI_GROUP_LOAD_CL
#define GPI_GROUP_LOAD_CL
#define GPI_LOADS 1
#define GPI_LOAD_STRIPED(x, p) (x)[0] = (p)[0]
#endif
