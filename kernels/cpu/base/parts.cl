/* parts.cl - loads vectors of the caller's types part by part. */
#ifndef GPI_BASE_PARTS_CL
#define GPI_BASE_PARTS_CL
#include "base/paste.cl"

#define GPI_READ_PARTS(type, count, part, p, i) GPI_PASTE(GPI_READ_PARTS_, count)(type, part, p, i)
/* Loads element i of p, a vector of 2 or 4, part by part, because compilers vectorize only loops over scalars. */
#define GPI_READ_PART(part, p, i) ((__global const part *)(p))[i]
#define GPI_READ_PARTS_2(type, part, p, i) \
    ((type)(GPI_READ_PART(part, p, 2 * (i)), GPI_READ_PART(part, p, 2 * (i) + 1)))
#define GPI_READ_PARTS_4(type, part, p, i)                                        \
    ((type)(GPI_READ_PART(part, p, 4 * (i)), GPI_READ_PART(part, p, 4 * (i) + 1), \
            GPI_READ_PART(part, p, 4 * (i) + 2), GPI_READ_PART(part, p, 4 * (i) + 3)))
#endif
