/* load.cl - the loads of gpu/group/load.cl, one at a time: a CPU's core runs ahead by itself. */
#ifndef GPI_GROUP_LOAD_CL
#define GPI_GROUP_LOAD_CL
#define GPI_LOADS 1
#define GPI_LOAD_STRIPED(x, p) (x)[0] = (p)[0]
#endif
