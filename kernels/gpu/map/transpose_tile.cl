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

/* Transposes `rows` by `columns` elements, at least one. Reads the last row and column again in place of those beyond them. */
static void gpi_transpose_tile(__global const GPI_OUT *in, ulong in_stride, __global GPI_OUT *out,
                               ulong out_stride, uint rows, uint columns,
                               __local gpi_transpose_memory *memory)
{
    GPI_UNROLL_SOME
    for (uint i = GPI_LOCAL_ID; i < GPI_SIDE * GPI_SIDE; i += GPI_WG) {
        const uint r = i / GPI_SIDE, c = i % GPI_SIDE;
        memory->x[r * GPI_TRANSPOSE_ROW + c] = in[min(r, rows - 1) * in_stride + min(c, columns - 1)];
    }
    gpi_sync(); /* the square is read */
    GPI_UNROLL_SOME
    for (uint i = GPI_LOCAL_ID; i < GPI_SIDE * GPI_SIDE; i += GPI_WG) {
        const uint r = i % GPI_SIDE, c = i / GPI_SIDE;
        if (r < rows && c < columns) out[c * out_stride + r] = memory->x[r * GPI_TRANSPOSE_ROW + c];
    }
}
#endif
