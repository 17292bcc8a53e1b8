/* transpose.cl - transposes a matrix

       out[c * out_stride + r] = in[r * in_stride + c]

   Group g moves tile g, which has at most `span` rows and GPI_SIDE columns. `across` tiles are side by side:

                       across = 3
                     +----+----+--+
                span | 0  | 1  |2 |
          in         +----+----+--+
                     | 3  | 4  |5 |
                     +----+----+--+

   Parameters, which the prelude defines
       GPI_WG        items of a group
       GPI_OUT       type of an element: any of 1, 2, 4, 8 or 16 bytes
       GPI_PART      type of 16 bytes, a vector of such elements
       GPI_SIDE      most columns of a tile; on GPUs it is also `span`             */
#ifndef GPI_MAP_TRANSPOSE_CL
#define GPI_MAP_TRANSPOSE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "map/transpose_tile.cl"

GPI_KERNEL void gp_transpose_tiles(__global const GPI_OUT *in, ulong in_offset, ulong in_stride,
                                   __global GPI_OUT *out, ulong out_offset, ulong out_stride, ulong rows,
                                   ulong columns, ulong span, ulong across)
{
    const ulong group = get_group_id(0);
    const ulong r = group / across * span, c = group % across * GPI_SIDE;
    GPI_SHARED(gpi_transpose_memory, memory);
    gpi_transpose_tile(in + in_offset + r * in_stride + c, in_stride, out + out_offset + c * out_stride + r,
                       out_stride, (uint)min(span, rows - r), (uint)min((ulong)GPI_SIDE, columns - c),
                       memory);
}
#endif
