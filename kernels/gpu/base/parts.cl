/* parts.cl - loads vectors of the caller's types as a whole. */
#ifndef GPI_BASE_PARTS_CL
#define GPI_BASE_PARTS_CL
#define GPI_READ_PARTS(type, count, part, p, i) (p)[i]
#endif
