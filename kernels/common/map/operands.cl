/* operands.cl - reads the inputs of gp_transform and similar calls, and passes them to gpi_map.

   Parameters, which the prelude defines
       GPI_WG, GPI_PER_ITEM                  items of a group; on GPUs: elements of an item
       GPI_INPUTS                            0 .. 3
       GPI_IN_0, GPI_IN_1, GPI_IN_2          types of the inputs in memory
       GPI_HALF_0, GPI_HALF_1, GPI_HALF_2    1: the input's type is half
       GPI_PARTS_0, GPI_PART_0, ...          if defined, the input's type is a vector of GPI_PARTS_0 (2 or 4) GPI_PART_0
       GPI_X, GPI_Y, GPI_Z                   types of gpi_map's parameters: float for half; int if there is no such input
       GPI_OUT, GPI_OUT_HALF                 the output's type in memory; 1: half
       GPI_LANE                              type of gpi_map's value
       GPI_OUT_RECORD                        1: the output's type is a record
       GPI_OUT_VECTOR                        type of 16 elements of the output; undefined if there is none
       GPI_LAG                               1: the second input lags by one element
       GPI_CHUNK                             on GPUs: 4 if elements can be moved by vectors of four, else 1
       gpi_map(x, y, z, i, a, b)             the function                                              */
#ifndef GPI_MAP_OPERANDS_CL
#define GPI_MAP_OPERANDS_CL
#include "base/args.cl"
#include "base/arrays.cl"
#include "base/count.cl"
#include "base/parts.cl"
#include "base/platform.cl"

#if !defined(GPI_INPUTS) || GPI_INPUTS > 3
#error "GPI_INPUTS must be 0 .. 3"
#endif
#if GPI_LAG && GPI_INPUTS != 2
#error "GPI_LAG takes two inputs"
#endif

/* The input arrays (base/arrays.cl). */
#if GPI_INPUTS == 0
#define GPI_OPERAND_ARRAYS(use, to)
#elif GPI_INPUTS == 1
#define GPI_OPERAND_ARRAYS(use, to) use(to, GPI_IN_0, x)
#elif GPI_INPUTS == 2
#define GPI_OPERAND_ARRAYS(use, to) use(to, GPI_IN_0, x) use(to, GPI_IN_1, y)
#else
#define GPI_OPERAND_ARRAYS(use, to) use(to, GPI_IN_0, x) use(to, GPI_IN_1, y) use(to, GPI_IN_2, z)
#endif

/* The inputs of a call. */
typedef struct gpi_inputs {
    GPI_OPERAND_ARRAYS(GPI_ARRAY_MEMBER, _)
    ulong a, b; /* constants of gpi_map */
    GPI_ARGS_MEMBER
} gpi_inputs;

#if GPI_HALF_0
#define GPI_READ_X(p, i) vload_half(i, p)
#elif defined(GPI_PARTS_0)
#define GPI_READ_X(p, i) GPI_READ_PARTS(GPI_IN_0, GPI_PARTS_0, GPI_PART_0, p, i)
#else
#define GPI_READ_X(p, i) (p)[i]
#endif
#if GPI_HALF_1
#define GPI_READ_Y(p, i) vload_half(i, p)
#elif defined(GPI_PARTS_1)
#define GPI_READ_Y(p, i) GPI_READ_PARTS(GPI_IN_1, GPI_PARTS_1, GPI_PART_1, p, i)
#else
#define GPI_READ_Y(p, i) (p)[i]
#endif
#if GPI_HALF_2
#define GPI_READ_Z(p, i) vload_half(i, p)
#elif defined(GPI_PARTS_2)
#define GPI_READ_Z(p, i) GPI_READ_PARTS(GPI_IN_2, GPI_PARTS_2, GPI_PART_2, p, i)
#else
#define GPI_READ_Z(p, i) (p)[i]
#endif
#if GPI_OUT_HALF
#define GPI_MAP_WRITE(p, i, v) vstore_half(v, i, p)
#else
#define GPI_MAP_WRITE(p, i, v) (p)[i] = (v)
#endif

/* Returns element i of the output. With GPI_LAG, i must not be 0. */
GPI_INLINE GPI_LANE gpi_map_value(gpi_inputs in, ulong i)
{
#if GPI_INPUTS > 0
    const GPI_X x = GPI_READ_X(in.x, i);
#else
    const GPI_X x = 0;
#endif
#if GPI_INPUTS > 1
    const GPI_Y y = GPI_READ_Y(in.y, i - GPI_LAG);
#else
    const GPI_Y y = 0;
#endif
#if GPI_INPUTS > 2
    const GPI_Z z = GPI_READ_Z(in.z, i);
#else
    const GPI_Z z = 0;
#endif
    return gpi_map(GPI_ARGS_OF(in) x, y, z, i, in.a, in.b);
}

/* Returns element i of the output, also for i = 0. */
GPI_INLINE GPI_LANE gpi_value_any(gpi_inputs in, ulong i)
{
#if GPI_LAG
    if (i == 0) return (GPI_LANE)GPI_READ_X(in.x, 0);
#endif
    return gpi_map_value(in, i);
}

#if defined(GPI_OUT_VECTOR) && !GPI_OUT_HALF
typedef GPI_OUT_VECTOR gpi_out_vector __attribute__((aligned(sizeof(GPI_OUT))));
#endif
#endif
