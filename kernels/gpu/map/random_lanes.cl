/* random_lanes.cl - types of a block of random numbers (map/random_blocks.cl). Each item computes one block. */
#ifndef GPI_MAP_RANDOM_LANES_CL
#define GPI_MAP_RANDOM_LANES_CL
#include "base/platform.cl"

#define GPI_BLOCKS 1
typedef uint gpi_random_lanes;
#define GPI_RANDOM_LANES(x) (x)
#define GPI_LANES_WIDE(x) (ulong)(x)
#define GPI_LANES_NARROW(x) (uint)(x)
#define GPI_LANES_STORE(x, p) *(p) = (x)
#define GPI_RANDOM_NUMBERS 0ul
typedef ulong gpi_wide_lanes;
#endif
