/* stencil_tile.cl - one item computes a stencil: 16 elements side by side, or, with weights, a row of a tile. */
#ifndef GPI_MAP_STENCIL_TILE_CL
#define GPI_MAP_STENCIL_TILE_CL
#include "base/args.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "map/stencil_picture.cl"

typedef ulong gpi_stencil_groups; /* a number of groups, or the index of one */

#define GPI_STENCIL_LANES 16                               /* elements that an item computes side by side */
#define GPI_STENCIL_STEPS (GPI_TILE_X / GPI_STENCIL_LANES) /* steps of a row */

/* Copies to `near` the tile whose first element is at (e, y), with its rim. From the tile's left edge on, a row's elements inside
   the picture are copied in a separate loop. */
static void gpi_stage(gpi_picture in, long e, long y, GPI_NEAR GPI_X *near)
{
    const long end = clamp(in.width * GPI_CHANNELS - (e - GPI_RIM), (long)GPI_RIM, (long)GPI_ROW);
    for (uint r = 0; r < GPI_STENCIL_ROWS; r++) {
        const long row = y + r - GPI_RY, start = gpi_inside(row, in.height) * in.pitch + e - GPI_RIM;
        const bool there = GPI_BORDER != 2 || (row >= 0 && row < in.height);
        const long stop = there ? end : GPI_RIM; /* the picture contains the elements before it */
        long q = 0;
        for (; q < GPI_RIM; q++) near[q] = gpi_read_any(in, e - GPI_RIM + q, row);
        for (; q < stop; q++) near[q] = GPI_READ(in.in, start + q);
        for (; q < GPI_ROW; q++) near[q] = gpi_read_any(in, e - GPI_RIM + q, row);
        near += GPI_ROW;
    }
}

typedef GPI_VECTOR(GPI_X) gpi_near_vector __attribute__((aligned(sizeof(GPI_X))));
#if !GPI_OUT_HALF
typedef GPI_VECTOR(GPI_OUT) gpi_out_vector __attribute__((aligned(sizeof(GPI_OUT))));
#endif

/* Writes the first `count` of the 16 elements v to `out`. */
GPI_INLINE void gpi_write(__global GPI_OUT *out, GPI_VECTOR(GPI_LANE) v, uint count)
{
    if (count >= 16) {
#if GPI_OUT_HALF
        vstore_half16(v, 0, out);
#else
        GPI_STORE_VECTOR(gpi_out_vector, v, out);
#endif
    } else {
        GPI_LANE lane[16];
        vstore16(v, 0, lane);
        for (uint k = 0; k < count; k++) GPI_STENCIL_WRITE(out, k, lane[k]);
    }
}

#if GPI_WEIGHTS
#if GPI_IN_HALF
#define GPI_LOAD_FAR(p) vload_half16(0, p)
#else
typedef GPI_VECTOR(GPI_IN) gpi_in_vector __attribute__((aligned(sizeof(GPI_IN))));
#define GPI_LOAD_FAR(p) GPI_LOAD_VECTOR(gpi_in_vector, p)
#endif
#define GPI_LOAD_NEAR(p) GPI_LOAD_PRIVATE(gpi_near_vector, p)

/* Loops over few weights are unrolled, except for tiles at the borders, where that would only make compiling longer. */
#if GPI_WEIGHT_COUNT <= 25
#define GPI_UNROLL_WEIGHTS _Pragma("unroll")
#else
#define GPI_UNROLL_WEIGHTS GPI_ROLLED
#endif

/* Computes the sums of GPI_TILE_X elements side by side, the first one at `here`. Each weight is read once for all of them, and
   their additions hide one another's latency. gpi_sums_far reads the picture itself, gpi_sums_near the copied tile. */
#define GPI_SUMS(name, pointer, load, unroll)                                                        \
    GPI_INLINE void name(pointer here, long pitch, const GPI_SUM *weight, GPI_VECTOR(GPI_SUM) * sum) \
    {                                                                                                \
        _Pragma("unroll") for (uint k = 0; k < GPI_STENCIL_STEPS; k++) sum[k] = (GPI_SUM)0;          \
        unroll for (int dy = -GPI_RY; dy <= GPI_RY; dy++)                                            \
        {                                                                                            \
            unroll for (int dx = -GPI_RX; dx <= GPI_RX; dx++)                                        \
            {                                                                                        \
                pointer from = here + dy * pitch + dx * GPI_CHANNELS;                                \
                const GPI_SUM w = *weight++;                                                         \
                _Pragma("unroll") for (uint k = 0; k < GPI_STENCIL_STEPS; k++) sum[k] +=             \
                    w * GPI_PASTE(convert_, GPI_VECTOR(GPI_SUM))(load(from + 16 * k));               \
            }                                                                                        \
        }                                                                                            \
    }
GPI_SUMS(gpi_sums_far, __global const GPI_IN *, GPI_LOAD_FAR, GPI_UNROLL_WEIGHTS)
GPI_SUMS(gpi_sums_near, GPI_NEAR const GPI_X *, GPI_LOAD_NEAR, GPI_ROLLED)

/* Prefetch distance along a row, in bytes. The last input row of a tile is the only one prefetched, because earlier tiles have
   read its other rows. */
#define GPI_STENCIL_AHEAD 2048

GPI_INLINE void gpi_stencil_ask(__global const GPI_IN *in, __global GPI_OUT *out)
{
#pragma unroll
    for (uint k = 0; k < GPI_TILE_X * sizeof(GPI_IN); k += 64)
        GPI_PREFETCH_READ((__global const char *)in + k + GPI_STENCIL_AHEAD);
#pragma unroll
    for (uint k = 0; k < GPI_TILE_X * sizeof(GPI_OUT); k += 64)
        GPI_PREFETCH_WRITE((__global char *)out + k + GPI_STENCIL_AHEAD);
}

/* Computes elements [first, end) of row y. `out`: the output's row y. */
static void gpi_stencil_row(gpi_picture in, __global GPI_OUT *out, long first, long end, long y,
                            const GPI_SUM *weight)
{
    GPI_NEAR GPI_X near[GPI_STENCIL_ROWS * GPI_ROW];
    GPI_VECTOR(GPI_SUM) sum[GPI_STENCIL_STEPS];
    __global const GPI_IN *row = in.in + y * in.pitch;
    const bool inside = y >= GPI_RY && y + GPI_RY < in.height;
    const long last = in.width * GPI_CHANNELS - GPI_RIM - GPI_TILE_X;
    for (long e = first; e < end; e += GPI_TILE_X) {
        gpi_stencil_ask(row + GPI_RY * in.pitch + e, out + e);
        if (inside && e >= GPI_RIM && e <= last) {
            gpi_sums_far(row + e, in.pitch, weight, sum);
        } else {
            gpi_stage(in, e, y, near);
            gpi_sums_near(near + GPI_RY * GPI_ROW + GPI_RIM, GPI_ROW, weight, sum);
        }
#pragma unroll
        for (uint k = 0; k < GPI_STENCIL_STEPS; k++)
            gpi_write(out + e + 16 * k, GPI_ROUND_16(sum[k]), (uint)clamp(end - e - 16 * k, 0l, 16l));
    }
}

typedef uint gpi_stencil_memory; /* each row has its own copy of a tile */

/* Computes elements [first_x, end_x) of rows [first_y, end_y). */
static void gpi_stencil_group(gpi_picture picture, __global const float *weights, ulong first_x,
                              ulong first_y, ulong end_x, ulong end_y, __global GPI_OUT *out, ulong out_pitch,
                              gpi_stencil_memory *memory)
{
    GPI_SUM weight[GPI_WEIGHT_COUNT];
    (void)memory;
    for (uint k = 0; k < GPI_WEIGHT_COUNT; k++) weight[k] = weights[k];
    for (ulong y = first_y; y < end_y; y++)
        gpi_stencil_row(picture, out + y * out_pitch, (long)first_x, (long)end_x, (long)y, weight);
}

#else
/* Returns 16 elements of the output, the first of which is element e of row y. `here`: the copy of the first element in
   the tile. */
GPI_INLINE GPI_VECTOR(GPI_LANE)
    gpi_stencil_elements(gpi_picture in, GPI_NEAR const GPI_X *here, ulong e, ulong y)
{
    GPI_LANE lane[16];
    (void)in;
    GPI_AT_ONCE
    for (uint k = 0; k < 16; k++)
        lane[k] = gpi_map(GPI_ARGS_OF(in) here + k, here[k], (e + k) / GPI_CHANNELS, y);
    return vload16(0, lane);
}

typedef struct gpi_stencil_memory {
    GPI_X near[GPI_STENCIL_ROWS * GPI_ROW];
} gpi_stencil_memory;

/* Computes elements [first_x, end_x) of rows [first_y, end_y). */
static void gpi_stencil_group(gpi_picture picture, __global const float *weights, ulong first_x,
                              ulong first_y, ulong end_x, ulong end_y, __global GPI_OUT *out, ulong out_pitch,
                              gpi_stencil_memory *memory)
{
    const uint across = (uint)(end_x - first_x), down = (uint)(end_y - first_y);
    __global const GPI_IN *const in = picture.in + first_y * picture.pitch + first_x;
    (void)weights;
    gpi_stage(picture, (long)first_x, (long)first_y, memory->near);
    out += first_y * out_pitch + first_x;
    for (uint k = 0; k < GPI_STENCIL_STEPS * GPI_TILE_Y; k++) {
        const uint column = k % GPI_STENCIL_STEPS * GPI_STENCIL_LANES, row = k / GPI_STENCIL_STEPS;
        if (row >= down || column >= across) continue;
        /* prefetch what the tile to the right reads, and what the next row writes */
        GPI_PREFETCH_READ(in + row * picture.pitch + GPI_TILE_X + column);
        GPI_PREFETCH_WRITE(out + (row + 1) * out_pitch + column);
        gpi_write(out + row * out_pitch + column,
                  gpi_stencil_elements(picture, memory->near + (row + GPI_RY) * GPI_ROW + GPI_RIM + column,
                                       first_x + column, first_y + row),
                  across - column);
    }
}
#endif
#endif
