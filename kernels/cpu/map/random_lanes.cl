/* random_lanes.cl - types of blocks of random numbers (map/random_blocks.cl): vectors of eight lanes. Each lane
   computes one block. */
#ifndef GPI_MAP_RANDOM_LANES_CL
#define GPI_MAP_RANDOM_LANES_CL
#include "base/platform.cl"

#define GPI_BLOCKS 8
typedef uint8 gpi_random_lanes;
#define GPI_RANDOM_LANES(x) (uint8)(x)
#define GPI_LANES_WIDE(x) convert_ulong8(x)
#define GPI_LANES_NARROW(x) convert_uint8(x)
#define GPI_LANES_STORE(x, p) vstore8(x, 0, p)
#define GPI_RANDOM_NUMBERS (ulong8)(0, 1, 2, 3, 4, 5, 6, 7)
typedef ulong8 gpi_wide_lanes;
#endif
