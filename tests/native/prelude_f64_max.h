/* The largest double. */
#include "element.h"
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000000u, 0xfff00000u
#define GPI_EXACT 0
#define GPI_OP_0 GPI_MAX
#define GPI_VALUE_0 double
#define GPI_FLOAT_0 1
#define GPI_RESULT_0 double
#define GPI_LANE_0 double
#define GPI_INDEX_0 ulong
#define GPI_Y double
#define GPI_IN double
#define GPI_OUT double
