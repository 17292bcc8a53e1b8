/* transpose_tile.cl - a group moves a square through local memory, so that neighbouring items read and write neighbouring
   elements. Rows in local memory are a word longer than the square's, so that the elements of a column are in different banks. */
#ifndef GPI_MAP_TRANSPOSE_TILE_CL
#define GPI_MAP_TRANSPOSE_TILE_CL
#include "base/platform.cl"
#include "group/sync.cl"

#define GPI_TRANSPOSE_ROW (GPI_SIDE + (sizeof(GPI_OUT) < 4 ? 4 / sizeof(GPI_OUT) : 1))

typedef struct gpi_transpose_memory {
    GPI_OUT x[GPI_SIDE * GPI_TRANSPOSE_ROW];
} gpi_transpose_memory;

#define GPI_TRANSPOSE_ROWS (GPI_WG / GPI_SIDE) /* rows of the square that the group accesses together */

/* Transposes `rows` by `columns` elements, at least one. If GPI_WG is not a multiple of GPI_SIDE, the last items repeat
   the work of others. */
static void gpi_transpose_tile(__global const GPI_OUT *in, ulong in_stride, __global GPI_OUT *out,
                               ulong out_stride, uint rows, uint columns,
                               __local gpi_transpose_memory *memory)
{
    const uint first = (uint)GPI_LOCAL_ID / GPI_SIDE, lane = (uint)GPI_LOCAL_ID % GPI_SIDE;
    in += first * in_stride + lane;
    out += first * out_stride + lane;
    __local GPI_OUT *const near = memory->x + first * GPI_TRANSPOSE_ROW + lane;
    __local const GPI_OUT *const across = memory->x + lane * GPI_TRANSPOSE_ROW + first;
    const uint reads = lane < columns && first < rows ? rows - first : 0;
    const uint writes = lane < rows && first < columns ? columns - first : 0;
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_SIDE); j += GPI_TRANSPOSE_ROWS, in += GPI_TRANSPOSE_ROWS * in_stride)
        if (j < reads) near[j * GPI_TRANSPOSE_ROW] = *in;
    gpi_sync(); /* the square is read */
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_SIDE); j += GPI_TRANSPOSE_ROWS, out += GPI_TRANSPOSE_ROWS * out_stride)
        if (j < writes) *out = across[j];
}
#endif
