/* Three operations on halves at once, one of them compensated. */
#include "element.h"
#define GPI_SIZE 32
#define GPI_IDENTITY_WORDS \
    0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u, 0x7f800000u, 0xff800000u, 0xffffffffu, 0xffffffffu
#define GPI_EXACT 0
#define GPI_FIELD_COUNT 3
#define GPI_FIELDS(X) X(0) X(1) X(2)
#define GPI_VALUE_0 double
#define GPI_FLOAT_0 1
#define GPI_RESULT_0 double
#define GPI_COMPENSATED_0 1
#define GPI_LANE_0 double
#define GPI_INDEX_0 ulong
#define GPI_OP_1 GPI_MIN
#define GPI_VALUE_1 float
#define GPI_FLOAT_1 1
#define GPI_RESULT_1 float
#define GPI_COMPENSATED_1 0
#define GPI_LANE_1 float
#define GPI_INDEX_1 uint
#define GPI_OP_2 GPI_ARGMAX
#define GPI_VALUE_2 float
#define GPI_FLOAT_2 1
#define GPI_RESULT_2 uint
#define GPI_COMPENSATED_2 0
#define GPI_LANE_2 float
#define GPI_INDEX_2 uint
#define GPI_Y float
#define GPI_IN half
#define GPI_IN_HALF 1
#define GPI_OUT ulong
