/* prelude.h - example values of the parameters of map/, with which a file there compiles alone. All elements are
   floats: a map of three inputs (src/map/map.c), a gather by uints (src/map/gather.c), a stencil of 5 by 3
   (src/map/stencil.c), and uniform random numbers (src/map/random.c). */
#include "base/prelude.h"
#define GPI_OUT float
#define GPI_OUT_HALF 0
#define GPI_OUT_RECORD 0
#define GPI_LANE float
/* map.cl */
#define GPI_INPUTS 3
#define GPI_LAG 0
#define GPI_CHUNK 1
#define GPI_IN_0 float
#define GPI_IN_1 float
#define GPI_IN_2 half
#define GPI_HALF_2 1
#define GPI_X float
#define GPI_Y float
#define GPI_Z float
#define gpi_map(x, y, z, i, a, b) ((x) + (y) * (z) + (a))
/* gather.cl */
#define GPI_SCATTER 0
#define GPI_INDEX uint
/* transpose.cl */
#define GPI_PART float4
#define GPI_SIDE 64
/* random.cl */
#define GPI_KIND 1
#define GPI_WORDS 1
#define GPI_FRACTION 24
/* stencil.cl */
#define GPI_IN float
#define GPI_IN_HALF 0
#define GPI_SUM float
#define GPI_ROUND(x) (x)
#define GPI_ROUND_16(x) (x)
#define GPI_RX 2
#define GPI_RY 1
#define GPI_CHANNELS 3
#define GPI_TILE_X 64
#define GPI_TILE_Y 8
#define GPI_BORDER 0
#define GPI_WEIGHTS 1
#if GPI_SHAPE_SERIAL
#define GPI_NEAR __private
#define GPI_ROW 76
#else
#define GPI_NEAR __local
#define GPI_ROW 80
#endif
