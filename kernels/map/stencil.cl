/* stencil.cl - each element from its neighbours

       weights       out(x, y) = sum of weight(dx, dy) * in(x + dx, y + dy) over |dx| <= RX, |dy| <= RY
       expression    out(x, y) = gpi_map(here, x, i, j), in which at(dx, dy) is in(x + dx, y + dy)

   A group has span_x elements of span_y rows of the output. It brings a tile with its rim near; what lies
   beyond the borders is made there and then, so that nothing later has to think of borders.

       near   +--------------+
              | rim    RY    |      rows of GPI_ROW elements: GPI_TILE_X and the rim on either side,
              |  +--------+  |      RX pixels of GPI_CHANNELS elements each
              |  |  tile  |RX|
              |  +--------+  |
              +--------------+

   Weighted sums in the serial shape go row by row (GPI_BY_ROWS), a tile of one row after the other, and bring
   near only what looks beyond a border: the caches hold a row until the next one needs it.

   Parameters, which the host writes ahead
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: the tile is in private, or in local memory
       GPI_WG                                items of a group
       GPI_NEAR                              __private or __local
       GPI_RX, GPI_RY                        radii, 0 .. 8
       GPI_CHANNELS                          elements of a pixel
       GPI_TILE_X, GPI_TILE_Y                elements and rows of a tile: what a group has, or a part of a row
                                             where it goes by rows; serial: GPI_TILE_X a multiple of 16
       GPI_ROW                               GPI_TILE_X + 2 GPI_RX GPI_CHANNELS
       GPI_BORDER                            0: clamp, 1: wrap, 2: constant
       GPI_IN, GPI_IN_HALF, GPI_X            input in memory; 1: half; as an operand
       GPI_OUT, GPI_OUT_HALF, GPI_LANE       output in memory; 1: half; as an operand
       GPI_SUM                               type of weighted sums
       GPI_ROUND(sum), GPI_ROUND_16(sums)    a sum as GPI_LANE, sixteen at once
       GPI_WEIGHTS                           1: weights, 0: gpi_map                                       */
#ifndef GPI_MAP_STENCIL_CL
#define GPI_MAP_STENCIL_CL
#include "base/count.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "group/sync.cl"

#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_RX > 8 || GPI_RY > 8
#error "GPI_RX and GPI_RY must be 0 .. 8"
#endif
#if GPI_BORDER > 2
#error "GPI_BORDER must be 0 .. 2"
#endif

#define GPI_BY_ROWS (GPI_SHAPE_SERIAL && GPI_WEIGHTS)
#define GPI_RIM (GPI_RX * GPI_CHANNELS)
#define GPI_STENCIL_ROWS (GPI_TILE_Y + 2 * GPI_RY)
#define GPI_STENCIL_LANES (GPI_SHAPE_SERIAL ? 16 : 1)      /* elements that an item makes side by side */
#define GPI_STENCIL_STEPS (GPI_TILE_X / GPI_STENCIL_LANES) /* of a row */

#if GPI_IN_HALF
#define GPI_READ(p, i) vload_half(i, p)
#else
#define GPI_READ(p, i) (p)[i]
#endif
#if GPI_OUT_HALF
#define GPI_STENCIL_WRITE(p, i, v) vstore_half(v, i, p)
#else
#define GPI_STENCIL_WRITE(p, i, v) (p)[i] = (v)
#endif

/* The picture, in elements: a row has `width` pixels. */
typedef struct gpi_picture {
    __global const GPI_IN *in;
    long width, height, pitch;
    GPI_X beyond; /* constant border */
} gpi_picture;

/* A position beyond the border, inside. */
GPI_INLINE long gpi_inside(long p, long size)
{
#if GPI_BORDER == 1
    const long q = p % size;
    return q < 0 ? q + size : q;
#else
    return clamp(p, 0l, size - 1);
#endif
}

/* The element at e of row y, wherever that is; both may be a radius and a tile beyond the borders. */
GPI_INLINE GPI_X gpi_read_any(gpi_picture in, long e, long y)
{
    const bool inside = e >= 0 && e < in.width * GPI_CHANNELS && y >= 0 && y < in.height;
    long pixel = (e + GPI_RIM) / GPI_CHANNELS - GPI_RX, channel; /* never negative before the division */
    if (inside) return GPI_READ(in.in, y * in.pitch + e);
    if (GPI_BORDER == 2) return in.beyond;
    channel = e - pixel * GPI_CHANNELS;
    pixel = gpi_inside(pixel, in.width);
    return GPI_READ(in.in, gpi_inside(y, in.height) * in.pitch + pixel * GPI_CHANNELS + channel);
}

/* The tile whose first element is at (e, y), with its rim. Rows are copied from the tile's edge on, where
   lines of the cache begin. */
#if GPI_SHAPE_SERIAL
static void gpi_stage(gpi_picture in, long e, long y, GPI_NEAR GPI_X *near)
{
    const long end = clamp(in.width * GPI_CHANNELS - (e - GPI_RIM), (long)GPI_RIM, (long)GPI_ROW);
    for (uint r = 0; r < GPI_STENCIL_ROWS; r++) {
        const long row = y + r - GPI_RY, start = gpi_inside(row, in.height) * in.pitch + e - GPI_RIM;
        const bool there = GPI_BORDER != 2 || (row >= 0 && row < in.height);
        const long stop = there ? end : GPI_RIM; /* the picture has what is before */
        long q = 0;
        for (; q < GPI_RIM; q++) near[q] = gpi_read_any(in, e - GPI_RIM + q, row);
        for (; q < stop; q++) near[q] = GPI_READ(in.in, start + q);
        for (; q < GPI_ROW; q++) near[q] = gpi_read_any(in, e - GPI_RIM + q, row);
        near += GPI_ROW;
    }
}
#else
static void gpi_stage(gpi_picture in, long e, long y, GPI_NEAR GPI_X *near)
{
    for (uint k = (uint)get_local_id(0); k < GPI_STENCIL_ROWS * GPI_ROW; k += GPI_WG)
        near[k] = gpi_read_any(in, e - GPI_RIM + k % GPI_ROW, y + k / GPI_ROW - GPI_RY);
}
#endif

#if GPI_WEIGHTS
#define GPI_WEIGHT_PARAMETERS __global const float *weights, ulong weights_offset,
#define GPI_WEIGHT_COUNT ((2 * GPI_RX + 1) * (2 * GPI_RY + 1))
#define GPI_WEIGHT_ARGUMENT , weights + weights_offset
#define GPI_WEIGHT_PARAMETER , __global const float *weight
#else
#define GPI_WEIGHT_PARAMETERS
#define GPI_WEIGHT_ARGUMENT
#define GPI_WEIGHT_PARAMETER
#endif

#if GPI_SHAPE_SERIAL
typedef GPI_VECTOR(GPI_X) gpi_near_vector __attribute__((aligned(sizeof(GPI_X))));
#if !GPI_OUT_HALF
typedef GPI_VECTOR(GPI_OUT) gpi_out_vector __attribute__((aligned(sizeof(GPI_OUT))));
#endif

#if GPI_WEIGHTS
#if GPI_IN_HALF
#define GPI_LOAD_FAR(p) vload_half16(0, p)
#else
typedef GPI_VECTOR(GPI_IN) gpi_in_vector __attribute__((aligned(sizeof(GPI_IN))));
#define GPI_LOAD_FAR(p) GPI_LOAD_VECTOR(gpi_in_vector, p)
#endif
#define GPI_LOAD_NEAR(p) GPI_LOAD_PRIVATE(gpi_near_vector, p)

/* The sums of GPI_TILE_X elements side by side, the first one at `here`: each weight is read once for all of
   them, and their additions hide one another's latency. Of the picture itself, or of what is near. */
#define GPI_SUMS(name, pointer, load)                                                                \
    GPI_INLINE void name(pointer here, long pitch, const GPI_SUM *weight, GPI_VECTOR(GPI_SUM) * sum) \
    {                                                                                                \
        for (uint k = 0; k < GPI_STENCIL_STEPS; k++) sum[k] = (GPI_SUM)0;                            \
        for (int dy = -GPI_RY; dy <= GPI_RY; dy++) {                                                 \
            for (int dx = -GPI_RX; dx <= GPI_RX; dx++) {                                             \
                pointer from = here + dy * pitch + dx * GPI_CHANNELS;                                \
                const GPI_SUM w = *weight++;                                                         \
                _Pragma("unroll") for (uint k = 0; k < GPI_STENCIL_STEPS; k++) sum[k] +=             \
                    w * GPI_PASTE(convert_, GPI_VECTOR(GPI_SUM))(load(from + 16 * k));               \
            }                                                                                        \
        }                                                                                            \
    }
GPI_SUMS(gpi_sums_far, __global const GPI_IN *, GPI_LOAD_FAR)
GPI_SUMS(gpi_sums_near, GPI_NEAR const GPI_X *, GPI_LOAD_NEAR)
#else
/* 16 elements side by side. The first one is element e of row y. */
GPI_INLINE GPI_VECTOR(GPI_LANE) gpi_stencil_elements(GPI_NEAR const GPI_X *here, ulong e, ulong y)
{
    GPI_LANE lane[16];
    for (uint k = 0; k < 16; k++) lane[k] = gpi_map(here + k, here[k], (e + k) / GPI_CHANNELS, y);
    return vload16(0, lane);
}
#endif

/* Those of the 16 elements that the picture has. */
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
#else
GPI_INLINE GPI_LANE gpi_stencil_elements(GPI_NEAR const GPI_X *here, ulong e, ulong y GPI_WEIGHT_PARAMETER)
{
#if GPI_WEIGHTS
    GPI_SUM sum = 0;
    for (int dy = -GPI_RY; dy <= GPI_RY; dy++) {
        for (int dx = -GPI_RX; dx <= GPI_RX; dx++)
            sum += (GPI_SUM)*weight++ * (GPI_SUM)here[dy * GPI_ROW + dx * GPI_CHANNELS];
    }
    return GPI_ROUND(sum);
#else
    return gpi_map(here, here[0], e / GPI_CHANNELS, y);
#endif
}

GPI_INLINE void gpi_write(__global GPI_OUT *out, GPI_LANE v, uint count)
{
    (void)count;
    GPI_STENCIL_WRITE(out, 0, v);
}
#endif

#if GPI_BY_ROWS
/* What lies in a row is asked for this far ahead, in bytes, of the input in the row that none before needed. */
#define GPI_STENCIL_AHEAD 2048

GPI_INLINE void gpi_stencil_ask(__global const GPI_IN *in, __global GPI_OUT *out)
{
    for (uint k = 0; k < GPI_TILE_X * sizeof(GPI_IN); k += 64)
        GPI_PREFETCH_READ((__global const char *)in + k + GPI_STENCIL_AHEAD);
    for (uint k = 0; k < GPI_TILE_X * sizeof(GPI_OUT); k += 64)
        GPI_PREFETCH_WRITE((__global char *)out + k + GPI_STENCIL_AHEAD);
}

/* Elements [first, end) of row y, which goes to `out`. */
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
        for (uint k = 0; k < GPI_STENCIL_STEPS; k++)
            gpi_write(out + e + 16 * k, GPI_ROUND_16(sum[k]), (uint)clamp(end - e - 16 * k, 0l, 16l));
    }
}
#endif

GPI_KERNEL void gp_stencil_tiles(__global const GPI_IN *in, ulong in_offset, ulong in_pitch,
                                 __global GPI_OUT *out, ulong out_offset, ulong out_pitch,
                                 GPI_WEIGHT_PARAMETERS ulong width, ulong height, ulong span_x, ulong span_y,
                                 ulong spans_across, GPI_X beyond)
{
    const ulong first_x = get_group_id(0) % spans_across * span_x;
    const ulong first_y = get_group_id(0) / spans_across * span_y;
    const ulong end_x = min(first_x + span_x, width * GPI_CHANNELS), end_y = min(first_y + span_y, height);
    gpi_picture picture;
    picture.in = in + in_offset;
    picture.width = (long)width;
    picture.height = (long)height;
    picture.pitch = (long)in_pitch;
    picture.beyond = beyond;
    out += out_offset;
#if GPI_BY_ROWS
    GPI_SUM weight[GPI_WEIGHT_COUNT];
    for (uint k = 0; k < GPI_WEIGHT_COUNT; k++) weight[k] = weights[weights_offset + k];
    for (ulong y = first_y; y < end_y; y++)
        gpi_stencil_row(picture, out + y * out_pitch, (long)first_x, (long)end_x, (long)y, weight);
#else
    const uint across = (uint)(end_x - first_x), down = (uint)(end_y - first_y);
    GPI_NEAR GPI_X near[GPI_STENCIL_ROWS * GPI_ROW];
    gpi_stage(picture, (long)first_x, (long)first_y, near);
    gpi_sync(); /* the tile is near */
    out += first_y * out_pitch + first_x;
    for (uint k = (uint)get_local_id(0); k < GPI_STENCIL_STEPS * GPI_TILE_Y; k += GPI_WG) {
        const uint column = k % GPI_STENCIL_STEPS * GPI_STENCIL_LANES, row = k / GPI_STENCIL_STEPS;
        if (row >= down || column >= across) continue;
        /* what the tile to the right reads, and what the next row writes */
        GPI_PREFETCH_READ(picture.in + (first_y + row) * in_pitch + first_x + GPI_TILE_X + column);
        GPI_PREFETCH_WRITE(out + (row + 1) * out_pitch + column);
        gpi_write(out + row * out_pitch + column,
                  gpi_stencil_elements(near + (row + GPI_RY) * GPI_ROW + GPI_RIM + column, first_x + column,
                                       first_y + row GPI_WEIGHT_ARGUMENT),
                  across - column);
    }
#endif
}
#endif
