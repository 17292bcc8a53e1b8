/* load.cl - several loads that each item has in flight at a time.

       GPI_LOADS                the number of these loads
       GPI_LOAD_STRIPED(x, p)   x[j] = p[j * GPI_WG], j < GPI_LOADS: neighbouring items load neighbouring elements */
#ifndef GPI_GROUP_LOAD_CL
#define GPI_GROUP_LOAD_CL
#include "base/platform.cl"

#define GPI_LOADS 8
#define GPI_LOAD_STRIPED(x, p) \
    GPI_UNROLL                 \
    for (uint j = 0; j < GPI_TURNS(GPI_LOADS); j++) (x)[j] = (p)[j * GPI_WG]
#endif
