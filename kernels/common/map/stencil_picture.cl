/* stencil_picture.cl - reads elements of pictures, also beyond their borders, and has the parameters for weights, for
   the stencils of both wings.

   Parameters: those of map/stencil.cl. */
#ifndef GPI_MAP_STENCIL_PICTURE_CL
#define GPI_MAP_STENCIL_PICTURE_CL
#include "base/args.cl"
#include "base/platform.cl"

#if GPI_RX > 8 || GPI_RY > 8
#error "GPI_RX and GPI_RY must be 0 .. 8"
#endif
#if GPI_BORDER > 2
#error "GPI_BORDER must be 0 .. 2"
#endif

#define GPI_RIM (GPI_RX * GPI_CHANNELS)
#define GPI_STENCIL_ROWS (GPI_TILE_Y + 2 * GPI_RY)

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

/* The input picture. width: pixels of a row; pitch: elements from one row to the next. */
typedef struct gpi_picture {
    __global const GPI_IN *in;
    long width, height, pitch;
    GPI_X beyond; /* value of all elements beyond a constant border */
    GPI_ARGS_MEMBER
} gpi_picture;

/* Maps position p to a position in [0, size), according to GPI_BORDER. */
GPI_INLINE long gpi_inside(long p, long size)
{
#if GPI_BORDER == 1
    const long q = p % size;
    return q < 0 ? q + size : q;
#else
    return clamp(p, 0l, size - 1);
#endif
}

/* Returns element e of row y. Both may be beyond the borders, by at most a radius and a tile. */
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

#if GPI_WEIGHTS
#define GPI_WEIGHT_PARAMETERS __global const float *weights, ulong weights_offset,
#define GPI_WEIGHTS_AT (weights + weights_offset)
#define GPI_WEIGHT_COUNT ((2 * GPI_RX + 1) * (2 * GPI_RY + 1))
#else
#define GPI_WEIGHT_PARAMETERS
#define GPI_WEIGHTS_AT 0
#endif
#endif
