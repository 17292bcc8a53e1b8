/* Sums of floats, which are put together in order, of runs of keys that are compared as floats. */
#define GPI_X float
#define GPI_KEY_OF(x) as_float(x)
#define GPI_KEYS_OF(v) as_float16(v)
#include "prelude_by_key_u32.h"
#define GPI_EXACT 0
#define GPI_ORDERED 1
#define GPI_VALUE_0 float
#define GPI_FLOAT_0 1
#define GPI_RESULT_0 float
#define GPI_LANE_0 float
#define GPI_Y float
#define GPI_IN float
#define GPI_OUT float
