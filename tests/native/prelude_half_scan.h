/* Halves, scanned from the last to the first. */
#include "element.h"
#define GPI_EXACT 0
#define GPI_VALUE_0 float
#define GPI_FLOAT_0 1
#define GPI_RESULT_0 float
#define GPI_LANE_0 float
#define GPI_Y float
#define GPI_IN half
#define GPI_IN_HALF 1
#define GPI_OUT half
#define GPI_OUT_HALF 1
#define GPI_REVERSE 1
