/* map.cl - out[i] = f(x[i], y[i], z[i], i)

   f is gpi_map, of the user's expression or of the library's own: a fill is f = a, an iota f = a + i b. With
   GPI_LAG the second input is one element late, and the first element stays as it is:

       x   | x0 | x1 | x2 | x3 |        out   | x0 | f(x1, x0) | f(x2, x1) | f(x3, x2) |

   In place, the output is one of the inputs: an item reads each element before it writes it, and nobody else
   reads it (a late input is never the output).

   Parameters, which the host writes ahead
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: an item has a span of elements, or every GPI_WG-th of a tile
       GPI_WG, GPI_PER_ITEM                  items of a group; local: elements of an item
       GPI_INPUTS                            0 .. 3
       GPI_IN_0, GPI_IN_1, GPI_IN_2          types in memory of the inputs that there are
       GPI_HALF_0, GPI_HALF_1, GPI_HALF_2    1: that type is half
       GPI_PARTS_0, GPI_PART_0, ...          not defined, or that type is a vector of 2 or 4 of this one
       GPI_X, GPI_Y, GPI_Z                   types as operands: halves are floats; int where there is none
       GPI_OUT, GPI_OUT_HALF                 the output's type in memory; 1: half
       GPI_LANE                              its type as the value of gpi_map
       GPI_OUT_RECORD                        1: the output's type is a record
       GPI_OUT_VECTOR                        type of 16 elements of the output; not defined: there is none
       GPI_LAG                               1: the second input is late
       GPI_CHUNK                             local: 4: elements can be moved by vectors of four, else 1
       gpi_map(x, y, z, i, a, b)             the function                                              */
#ifndef GPI_MAP_MAP_CL
#define GPI_MAP_MAP_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/paste.cl"
#include "base/platform.cl"

#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if !defined(GPI_INPUTS) || GPI_INPUTS > 3
#error "GPI_INPUTS must be 0 .. 3"
#endif
#if GPI_LAG && GPI_INPUTS != 2
#error "GPI_LAG takes two inputs"
#endif

/* What a call reads. */
typedef struct gpi_inputs {
#if GPI_INPUTS > 0
    __global const GPI_IN_0 *x;
#endif
#if GPI_INPUTS > 1
    __global const GPI_IN_1 *y;
#endif
#if GPI_INPUTS > 2
    __global const GPI_IN_2 *z;
#endif
    ulong a, b; /* constants */
    GPI_ARGS_MEMBER
} gpi_inputs;

#if GPI_INPUTS > 0
#define GPI_X_PARAMETERS __global const GPI_IN_0 *x, ulong x_offset,
#define GPI_X_SET(in) (in).x = x + x_offset;
#else
#define GPI_X_PARAMETERS
#define GPI_X_SET(in)
#endif
#if GPI_INPUTS > 1
#define GPI_Y_PARAMETERS __global const GPI_IN_1 *y, ulong y_offset,
#define GPI_Y_SET(in) (in).y = y + y_offset;
#else
#define GPI_Y_PARAMETERS
#define GPI_Y_SET(in)
#endif
#if GPI_INPUTS > 2
#define GPI_Z_PARAMETERS __global const GPI_IN_2 *z, ulong z_offset,
#define GPI_Z_SET(in) (in).z = z + z_offset;
#else
#define GPI_Z_PARAMETERS
#define GPI_Z_SET(in)
#endif

#define GPI_INPUTS_PARAMETERS GPI_ARGS_PARAMETERS GPI_X_PARAMETERS GPI_Y_PARAMETERS GPI_Z_PARAMETERS

#if GPI_HALF_0
#define GPI_READ_X(p, i) vload_half(i, p)
#elif defined(GPI_PARTS_0) && GPI_SHAPE_SERIAL
#define GPI_READ_X(p, i) GPI_PASTE(GPI_READ_PARTS_, GPI_PARTS_0)(GPI_IN_0, GPI_PART_0, p, i)
#else
#define GPI_READ_X(p, i) (p)[i]
#endif
#if GPI_HALF_1
#define GPI_READ_Y(p, i) vload_half(i, p)
#elif defined(GPI_PARTS_1) && GPI_SHAPE_SERIAL
#define GPI_READ_Y(p, i) GPI_PASTE(GPI_READ_PARTS_, GPI_PARTS_1)(GPI_IN_1, GPI_PART_1, p, i)
#else
#define GPI_READ_Y(p, i) (p)[i]
#endif
#if GPI_HALF_2
#define GPI_READ_Z(p, i) vload_half(i, p)
#elif defined(GPI_PARTS_2) && GPI_SHAPE_SERIAL
#define GPI_READ_Z(p, i) GPI_PASTE(GPI_READ_PARTS_, GPI_PARTS_2)(GPI_IN_2, GPI_PART_2, p, i)
#else
#define GPI_READ_Z(p, i) (p)[i]
#endif
#if GPI_OUT_HALF
#define GPI_MAP_WRITE(p, i, v) vstore_half(v, i, p)
#else
#define GPI_MAP_WRITE(p, i, v) (p)[i] = (v)
#endif

/* Element i of the output; i > 0 with GPI_LAG. */
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

/* The same for any i. */
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

#if GPI_SHAPE_SERIAL
/* How far ahead the next elements are asked for, in bytes: the hardware's own prefetching stops at every
   page's end. Once a cache line: a vector of small elements is less than one. */
#define GPI_MAP_AHEAD(p, i, hint) \
    if (sizeof *(p) >= 4 || (i) % 64 < 16) GPI_PREFETCH_##hint((p) + (i) + 2048 / sizeof *(p))

static void gpi_prefetch(gpi_inputs in, __global GPI_OUT *out, ulong i)
{
#if GPI_INPUTS > 0
    GPI_MAP_AHEAD(in.x, i, READ);
#endif
#if GPI_INPUTS > 1 && !GPI_LAG
    GPI_MAP_AHEAD(in.y, i, READ);
#endif
#if GPI_INPUTS > 2
    GPI_MAP_AHEAD(in.z, i, READ);
#endif
    GPI_MAP_AHEAD(out, i, WRITE);
}

#ifdef GPI_OUT_VECTOR
#define GPI_MAP_STEP 16
#else /* a cache line */
#define GPI_MAP_STEP (sizeof(GPI_OUT) < 64 ? 64 / sizeof(GPI_OUT) : 1)
#endif

/* Elements i .. i + GPI_MAP_STEP - 1, i > 0 with GPI_LAG. */
GPI_INLINE void gpi_map_step(gpi_inputs in, __global GPI_OUT *out, ulong i)
{
    gpi_prefetch(in, out, i);
#ifdef GPI_OUT_VECTOR
    GPI_LANE lane[GPI_MAP_STEP] __attribute__((aligned(64)));
    GPI_AT_ONCE
    for (uint k = 0; k < GPI_MAP_STEP; k++) lane[k] = gpi_map_value(in, i + k);
#if GPI_OUT_HALF
    vstore_half16(vload16(0, lane), 0, out + i);
#else
    GPI_STORE_VECTOR(gpi_out_vector, GPI_LOAD_PRIVATE(gpi_out_vector, lane), out + i);
#endif
#else
#pragma unroll
    for (uint k = 0; k < GPI_MAP_STEP; k++) GPI_MAP_WRITE(out, i + k, gpi_map_value(in, i + k));
#endif
}

GPI_INLINE void gpi_map_tile(gpi_inputs in, __global GPI_OUT *out, ulong first, ulong end)
{
    ulong i = first;
    if (GPI_LAG && i == 0 && end > 0) {
        GPI_MAP_WRITE(out, 0, gpi_value_any(in, 0));
        i = 1;
    }
    for (; i + GPI_MAP_STEP <= end; i += GPI_MAP_STEP) gpi_map_step(in, out, i);
    for (; i < end; i++) GPI_MAP_WRITE(out, i, gpi_map_value(in, i));
}
#else
/* A full tile is made in steps: an item reads all its elements of a step before it writes the first one, so that the
   reads are under way together. Its elements are neighbours by GPI_CHUNK, or far from each other by GPI_WG: neighbours
   read and write neighbours. */
#if GPI_OUT_RECORD
#define GPI_MAP_STEP_MOST 4
#else
#define GPI_MAP_STEP_MOST 16
#endif
#define GPI_MAP_STEP (GPI_PER_ITEM < GPI_MAP_STEP_MOST ? GPI_PER_ITEM : GPI_MAP_STEP_MOST)

#if GPI_CHUNK == 4
#if GPI_INPUTS > 0
#define GPI_MAP_X(k) x.s##k
#else
#define GPI_MAP_X(k) 0
#endif
#if GPI_INPUTS > 1
#define GPI_MAP_Y(k) y.s##k
#else
#define GPI_MAP_Y(k) 0
#endif
#if GPI_INPUTS > 2
#define GPI_MAP_Z(k) z.s##k
#else
#define GPI_MAP_Z(k) 0
#endif
#define GPI_MAP_QUAD(type, p) (*(__global const GPI_QUAD(type) *)(p))
#define GPI_MAP_SET(k) \
    lane[k] = gpi_map(GPI_ARGS_OF(in) GPI_MAP_X(k), GPI_MAP_Y(k), GPI_MAP_Z(k), i + k, in.a, in.b)

/* Elements i .. i + 3 of the output. */
GPI_INLINE_GPU void gpi_map_quad(gpi_inputs in, ulong i, GPI_LANE *lane)
{
#if GPI_INPUTS > 0
    const GPI_QUAD(GPI_IN_0) x = GPI_MAP_QUAD(GPI_IN_0, in.x + i);
#endif
#if GPI_INPUTS > 1
    const GPI_QUAD(GPI_IN_1) y = GPI_MAP_QUAD(GPI_IN_1, in.y + i);
#endif
#if GPI_INPUTS > 2
    const GPI_QUAD(GPI_IN_2) z = GPI_MAP_QUAD(GPI_IN_2, in.z + i);
#endif
    GPI_MAP_SET(0);
    GPI_MAP_SET(1);
    GPI_MAP_SET(2);
    GPI_MAP_SET(3);
}

/* Whether vectors are where they are in memory, from every fourth element on. */
static bool gpi_map_aligned(gpi_inputs in, __global GPI_OUT *out)
{
    bool aligned = (size_t)out % sizeof(GPI_QUAD(GPI_OUT)) == 0;
#if GPI_INPUTS > 0
    aligned = aligned && (size_t)in.x % sizeof(GPI_QUAD(GPI_IN_0)) == 0;
#endif
#if GPI_INPUTS > 1
    aligned = aligned && (size_t)in.y % sizeof(GPI_QUAD(GPI_IN_1)) == 0;
#endif
#if GPI_INPUTS > 2
    aligned = aligned && (size_t)in.z % sizeof(GPI_QUAD(GPI_IN_2)) == 0;
#endif
    return aligned;
}

static void gpi_map_quads(gpi_inputs in, __global GPI_OUT *out, ulong begin)
{
    GPI_LANE lane[GPI_MAP_STEP];
    GPI_UNROLL
    for (uint k = 0; k < GPI_MAP_STEP; k += 4) gpi_map_quad(in, begin + k * GPI_WG, lane + k);
    GPI_UNROLL
    for (uint k = 0; k < GPI_MAP_STEP; k += 4) {
        *(__global GPI_QUAD(GPI_OUT) *)(out + begin + k * GPI_WG) =
            (GPI_QUAD(GPI_OUT))(lane[k], lane[k + 1], lane[k + 2], lane[k + 3]);
    }
}
#endif

static void gpi_map_step(gpi_inputs in, __global GPI_OUT *out, ulong begin)
{
    GPI_LANE lane[GPI_MAP_STEP];
    for (uint k = 0; k < GPI_MAP_STEP; k++) lane[k] = gpi_value_any(in, begin + k * GPI_WG);
    for (uint k = 0; k < GPI_MAP_STEP; k++) GPI_MAP_WRITE(out, begin + k * GPI_WG, lane[k]);
}

static void gpi_map_tile(gpi_inputs in, __global GPI_OUT *out, ulong first, ulong end)
{
    const uint l = (uint)GPI_LOCAL_ID;
    if (first + GPI_WG * GPI_PER_ITEM > end) {
        for (ulong i = first + l; i < end; i += GPI_WG) GPI_MAP_WRITE(out, i, gpi_value_any(in, i));
#if GPI_CHUNK == 4
    } else if (gpi_map_aligned(in, out)) {
        for (uint k = 0; k < GPI_PER_ITEM; k += GPI_MAP_STEP)
            gpi_map_quads(in, out, first + k * GPI_WG + 4 * l);
#endif
    } else {
        for (uint k = 0; k < GPI_PER_ITEM; k += GPI_MAP_STEP) gpi_map_step(in, out, first + k * GPI_WG + l);
    }
}
#endif

GPI_KERNEL void gp_map_tiles(GPI_INPUTS_PARAMETERS __global GPI_OUT *out, ulong out_offset, ulong a, ulong b,
                             ulong span, GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) * span;
    gpi_inputs in;
    GPI_ARGS_SET(in)
    GPI_X_SET(in)
    GPI_Y_SET(in)
    GPI_Z_SET(in)
    in.a = a;
    in.b = b;
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    if (first < n) gpi_map_tile(in, out + out_offset, first, min(n, first + span));
}
#endif
