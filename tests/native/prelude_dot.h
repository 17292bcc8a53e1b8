/* A dot product: two inputs, mapped, in vectors. */
#include "element.h"
#define GPI_EXACT 0
#define GPI_VALUE_0 float
#define GPI_FLOAT_0 1
#define GPI_RESULT_0 float
#define GPI_LANE_0 float
#define GPI_Y float
#define GPI_MAPPED 1
static GPI_Y gpi_map(float x, float y, ulong i) { return (x * y); }
#define GPI_IN float
#define GPI_INPUTS 2
#define GPI_IN2 float
#define GPI_IN2_HALF 0
#define GPI_OUT float
