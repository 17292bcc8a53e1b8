/* stencil_tile.cl - a group computes a tile of a stencil. An item computes GPI_STENCIL_DOWN elements of a column, so that
   it reads weights and copied elements once for several of them. Neighbouring items have neighbouring columns.

   Rims in local memory are padded to whole vectors of four, so that the tile can be copied by such vectors, if it is
   aligned in memory:

       near   | pad, rim |  GPI_TILE_X  | rim, pad |      a row of GPI_ROW elements                        */
#ifndef GPI_MAP_STENCIL_TILE_CL
#define GPI_MAP_STENCIL_TILE_CL
#include "base/args.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "map/stencil_picture.cl"

typedef uint gpi_stencil_groups; /* a number of groups, or the index of one */

#define GPI_NEAR_RIM ((GPI_RIM + 3) / 4 * 4)
#define GPI_STENCIL_DOWN (GPI_TILE_Y < 8 ? GPI_TILE_Y : 8)
#define GPI_STENCIL_STRIPS (GPI_TILE_Y / GPI_STENCIL_DOWN * GPI_TILE_X) /* strips of a tile */
#if GPI_ROW != GPI_TILE_X + 2 * GPI_NEAR_RIM || GPI_TILE_X % 4 || GPI_TILE_Y % GPI_STENCIL_DOWN
#error \
    "GPI_TILE_X must be a multiple of 4, GPI_ROW that and two rims of whole vectors, GPI_TILE_Y a power of two"
#endif

typedef GPI_QUAD(GPI_X) gpi_near_quad;
typedef struct gpi_stencil_memory {
    GPI_X near[GPI_STENCIL_ROWS * GPI_ROW] __attribute__((aligned(sizeof(gpi_near_quad))));
#if GPI_WEIGHTS
    GPI_SUM weight[GPI_WEIGHT_COUNT];
#endif
} gpi_stencil_memory;
typedef __local gpi_stencil_memory *gpi_stencil_shared;

/* ------------------------------------------------------------------ stage */

#if GPI_IN_HALF
#define GPI_STENCIL_ALIGN sizeof(GPI_IN)
#define GPI_STENCIL_QUAD(p) vload_half4(0, p)
#else
#define GPI_STENCIL_ALIGN sizeof(gpi_near_quad)
#define GPI_STENCIL_QUAD(p) (*(__global const GPI_QUAD(GPI_IN) *)(p))
#endif

/* Returns four elements of row y, from element e on. The row may be beyond the border. */
GPI_INLINE gpi_near_quad gpi_stage_quad(gpi_picture in, long e, long y)
{
    const bool inside = y >= 0 && y < in.height;
    if (GPI_BORDER == 2 && !inside) return (gpi_near_quad)(in.beyond);
    return GPI_STENCIL_QUAD(in.in + (inside ? y : gpi_inside(y, in.height)) * in.pitch + e);
}

/* Copies the rims to the left and right of the tile. */
static void gpi_stage_rims(gpi_picture in, long e, long y, gpi_stencil_shared memory)
{
#if GPI_RIM
    GPI_ROLLED
    for (uint k = (uint)get_local_id(0); k < GPI_STENCIL_ROWS * 2 * GPI_RIM; k += GPI_WG) {
        const uint r = k / (2 * GPI_RIM), c = k % (2 * GPI_RIM), x = c < GPI_RIM ? c : GPI_TILE_X + c;
        memory->near[r * GPI_ROW + GPI_NEAR_RIM - GPI_RIM + x] =
            gpi_read_any(in, e - GPI_RIM + x, y + r - GPI_RY);
    }
#endif
}

/* Copies to local memory the tile whose first element is at (e, y), with its rim. */
static void gpi_stage(gpi_picture in, long e, long y, gpi_stencil_shared memory)
{
    const uint l = (uint)get_local_id(0);
    if (e + GPI_TILE_X <= in.width * GPI_CHANNELS && (size_t)(in.in + e) % GPI_STENCIL_ALIGN == 0 &&
        in.pitch % 4 == 0) {
        GPI_UNROLL
        for (uint k = l; k < GPI_STENCIL_ROWS * (GPI_TILE_X / 4); k += GPI_WG) {
            const uint r = k / (GPI_TILE_X / 4), c = k % (GPI_TILE_X / 4) * 4;
            *(__local gpi_near_quad *)(memory->near + r * GPI_ROW + GPI_NEAR_RIM + c) =
                gpi_stage_quad(in, e + c, y + r - GPI_RY);
        }
    } else {
        GPI_ROLLED
        for (uint k = l; k < GPI_STENCIL_ROWS * GPI_TILE_X; k += GPI_WG) {
            const uint r = k / GPI_TILE_X, c = k % GPI_TILE_X;
            memory->near[r * GPI_ROW + GPI_NEAR_RIM + c] = gpi_read_any(in, e + c, y + r - GPI_RY);
        }
    }
    gpi_stage_rims(in, e, y, memory);
}

/* ------------------------------------------------------------------ elements */

#if GPI_WEIGHTS
#define GPI_WEIGHTS_ACROSS (2 * GPI_RX + 1)
#define GPI_WEIGHTS_DOWN (2 * GPI_RY + 1)

/* Computes the sums of GPI_STENCIL_DOWN elements of a column, the first one at `here`. Each sum adds up rows of weights, from
   left to right. If there are few weights, they are kept in registers, and each copied element is read once. */
GPI_INLINE void gpi_stencil_strip(GPI_NEAR const GPI_X *here, __local const GPI_SUM *weight, GPI_SUM *sum)
{
    GPI_UNROLL
    for (int k = 0; k < GPI_STENCIL_DOWN; k++) sum[k] = 0;
#if GPI_WEIGHT_COUNT <= 25
    GPI_SUM w[GPI_WEIGHT_COUNT];
    GPI_UNROLL
    for (int k = 0; k < GPI_WEIGHT_COUNT; k++) w[k] = weight[k];
    GPI_UNROLL
    for (int r = 0; r < GPI_STENCIL_DOWN + 2 * GPI_RY; r++) {
        GPI_UNROLL
        for (int c = 0; c < GPI_WEIGHTS_ACROSS; c++) {
            const GPI_SUM x = (GPI_SUM)here[(r - GPI_RY) * GPI_ROW + (c - GPI_RX) * GPI_CHANNELS];
            GPI_UNROLL
            for (int k = 0; k < GPI_STENCIL_DOWN; k++)
                if (k <= r && r - k < GPI_WEIGHTS_DOWN) sum[k] += w[(r - k) * GPI_WEIGHTS_ACROSS + c] * x;
        }
    }
#else
    GPI_ROLLED
    for (int dy = -GPI_RY; dy <= GPI_RY; dy++) {
        GPI_ROLLED
        for (int dx = -GPI_RX; dx <= GPI_RX; dx++) {
            const GPI_SUM w = *weight++;
            GPI_UNROLL
            for (int k = 0; k < GPI_STENCIL_DOWN; k++)
                sum[k] += w * (GPI_SUM)here[(dy + k) * GPI_ROW + dx * GPI_CHANNELS];
        }
    }
#endif
}
#endif

/* Writes the tile's `across` times `down` elements to `out`. The first one is the picture's element (e, y). */
static void gpi_stencil_tile(gpi_picture in, ulong e, ulong y, uint across, uint down, __global GPI_OUT *out,
                             ulong pitch, gpi_stencil_shared memory)
{
    (void)in;
    for (uint s = (uint)get_local_id(0); s < GPI_STENCIL_STRIPS; s += GPI_WG) {
        const uint column = s % GPI_TILE_X, row = s / GPI_TILE_X * GPI_STENCIL_DOWN;
        GPI_NEAR const GPI_X *here = memory->near + (row + GPI_RY) * GPI_ROW + GPI_NEAR_RIM + column;
        __global GPI_OUT *to = out + row * pitch + column;
        if (column >= across || row >= down) continue;
#if GPI_WEIGHTS
        GPI_SUM sum[GPI_STENCIL_DOWN];
        gpi_stencil_strip(here, memory->weight, sum);
        GPI_UNROLL
        for (uint k = 0; k < GPI_STENCIL_DOWN; k++, to += pitch)
            if (row + k < down) GPI_STENCIL_WRITE(to, 0, GPI_ROUND(sum[k]));
#else
        for (uint k = 0; k < GPI_STENCIL_DOWN && row + k < down; k++, here += GPI_ROW, to += pitch)
            GPI_STENCIL_WRITE(
                to, 0, gpi_map(GPI_ARGS_OF(in) here, here[0], (e + column) / GPI_CHANNELS, y + row + k));
#endif
    }
    (void)e;
    (void)y;
}

/* Computes elements [first_x, end_x) of rows [first_y, end_y). */
static void gpi_stencil_group(gpi_picture picture, __global const float *weights, ulong first_x,
                              ulong first_y, ulong end_x, ulong end_y, __global GPI_OUT *out, ulong out_pitch,
                              __local gpi_stencil_memory *memory)
{
#if GPI_WEIGHTS
    for (uint k = (uint)get_local_id(0); k < GPI_WEIGHT_COUNT; k += GPI_WG) memory->weight[k] = weights[k];
#else
    (void)weights;
#endif
    gpi_stage(picture, (long)first_x, (long)first_y, memory);
    gpi_sync(); /* the tile and its weights are in local memory */
    gpi_stencil_tile(picture, first_x, first_y, (uint)(end_x - first_x), (uint)(end_y - first_y),
                     out + first_y * out_pitch + first_x, out_pitch, memory);
}
#endif
