/* stencil.cl - computes each element from its neighbours

       weights       out(x, y) = sum of weight(dx, dy) * in(x + dx, y + dy) over |dx| <= RX, |dy| <= RY
       expression    out(x, y) = gpi_map(here, x, i, j), in which at(dx, dy) is in(x + dx, y + dy)

   A group computes span_x elements of span_y rows of the output. It copies a tile and its rim to near memory (GPI_NEAR),
   and fills in the elements beyond the borders of the picture, so that later steps need not check for borders.

       near   +--------------+
              | rim    RY    |      rows of GPI_ROW elements: GPI_TILE_X and the rim on either side,
              |  +--------+  |      RX pixels of GPI_CHANNELS elements each
              |  |  tile  |RX|
              |  +--------+  |
              +--------------+

   On CPUs, weighted sums are computed row by row. Only tiles that reach beyond a border are copied. The others are read in
   place, because the caches keep a row until the next row needs it.

   Parameters, which the prelude defines
       GPI_WG                                items of a group
       GPI_NEAR                              __private or __local
       GPI_RX, GPI_RY                        radii, 0 .. 8
       GPI_CHANNELS                          elements of a pixel
       GPI_TILE_X, GPI_TILE_Y                elements and rows of a tile: all of a group's output, or a part of a row
                                             if it works row by row; on CPUs GPI_TILE_X is a multiple of 16
       GPI_ROW                               GPI_TILE_X + 2 GPI_RX GPI_CHANNELS; on GPUs the rims are padded
       GPI_BORDER                            0: clamp, 1: wrap, 2: constant
       GPI_IN, GPI_IN_HALF, GPI_X            the input's type in memory; 1: it is half; its type in expressions
       GPI_OUT, GPI_OUT_HALF, GPI_LANE       the output's type in memory; 1: it is half; its type in expressions
       GPI_SUM                               type of weighted sums
       GPI_ROUND(sum), GPI_ROUND_16(sums)    convert one sum, or sixteen sums at once, to GPI_LANE
       GPI_WEIGHTS                           1: weights, 0: gpi_map                                       */
#ifndef GPI_MAP_STENCIL_CL
#define GPI_MAP_STENCIL_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "map/stencil_picture.cl"
#include "map/stencil_tile.cl"

GPI_KERNEL void gp_stencil_tiles(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
                                 ulong in_pitch, __global GPI_OUT *out, ulong out_offset, ulong out_pitch,
                                 GPI_WEIGHT_PARAMETERS ulong width, ulong height, ulong span_x, ulong span_y,
                                 ulong spans_across, GPI_X beyond)
{
    const gpi_stencil_groups group = (gpi_stencil_groups)get_group_id(0);
    const gpi_stencil_groups groups_across = (gpi_stencil_groups)spans_across;
    const ulong first_x = group % groups_across * span_x, first_y = group / groups_across * span_y;
    const ulong end_x = min(first_x + span_x, width * GPI_CHANNELS), end_y = min(first_y + span_y, height);
    GPI_SHARED(gpi_stencil_memory, memory);
    gpi_picture picture;
    picture.in = in + in_offset;
    picture.width = (long)width;
    picture.height = (long)height;
    picture.pitch = (long)in_pitch;
    picture.beyond = beyond;
    GPI_ARGS_SET(picture)
    out += out_offset;
    gpi_stencil_group(picture, GPI_WEIGHTS_AT, first_x, first_y, end_x, end_y, out, out_pitch, memory);
}
#endif
