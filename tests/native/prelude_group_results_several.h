/* Three results of groups: a sum of values to a limit, a variance, and the last row that counts. */
#define GPI_LANES 1
#include "element.h"
#define GPI_SIZE 48
#define GPI_IDENTITY_WORDS                                                                                  \
    0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u, 0x00000000u, \
        0x00000000u, 0xffffffffu, 0xffffffffu, 0x00000000u
#define GPI_EXACT 0
#define GPI_FIELD_COUNT 3
#define GPI_FIELDS(X) X(0) X(1) X(2)
#define GPI_VALUE_0 ulong
#define GPI_RESULT_0 ulong
#define GPI_LANE_0 ulong
#define GPI_INDEX_0 ulong
#define GPI_OP_1 GPI_VARIANCE
#define GPI_VALUE_1 double
#define GPI_FLOAT_1 1
#define GPI_RESULT_1 float
#define GPI_COMPENSATED_1 0
#define GPI_LANE_1 double
#define GPI_INDEX_1 ulong
#define GPI_OP_2 GPI_LAST_VALUE
#define GPI_VALUE_2 uint
#define GPI_FLOAT_2 0
#define GPI_RESULT_2 uint
#define GPI_COMPENSATED_2 0
#define GPI_LANE_2 uint
#define GPI_INDEX_2 uint
#define GPI_Y uint
#define GPI_IN uint
#define GPI_OUT ulong
#define GPI_MAPS 1
#define GPI_ARGS 1
typedef struct gpi_args {
    uint limit;
    __global const float *value;
} gpi_args;
#define GPI_ARGS_PARAMETERS const uint gpi_a0, __global const float *gpi_a1, ulong gpi_at1,
static gpi_args gpi_args_make(uint limit, __global const float *value)
{
    const gpi_args args = {limit, value};
    return args;
}
#define GPI_ARGS_VALUE gpi_args_make(gpi_a0, gpi_a1 + gpi_at1)
static uint gpi_map_0(const gpi_args args, const ulong i) { return min(args.limit, (uint)i); }
static float gpi_map_1(const gpi_args args, const ulong i) { return args.value[i]; }
static uint gpi_map_2(const gpi_args args, const ulong i) { return (uint)i; }
static bool gpi_where_0(const gpi_args args, const ulong i) { return true; }
static bool gpi_where_1(const gpi_args args, const ulong i) { return args.value[i] > 0; }
static bool gpi_where_2(const gpi_args args, const ulong i) { return args.limit > i; }
