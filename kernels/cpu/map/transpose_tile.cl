/* transpose_tile.cl - one item transposes a tile, by whole lines of the output, which are stored past the caches.

   GPI_LINE rows at a time are transposed in squares of 16 bytes by 16 bytes. Each output row of the tile has two lines
   in private memory: one with elements of earlier rows, and one with elements of the current rows. Together they always
   contain one complete line of the output, wherever that line begins, because the two are consecutive.

       private     | earlier rows  | these rows    |
       output          | a line        |                                                       */
#ifndef GPI_MAP_TRANSPOSE_TILE_CL
#define GPI_MAP_TRANSPOSE_TILE_CL
#include "base/platform.cl"

#define GPI_LANES ((uint)(16 / sizeof(GPI_OUT))) /* elements of a vector: the side of a square */
#define GPI_LINE ((int)(64 / sizeof(GPI_OUT)))   /* elements of a line */

typedef struct gpi_transpose_memory {
    GPI_OUT x[GPI_SIDE * 2 * GPI_LINE] __attribute__((aligned(64)));
} gpi_transpose_memory;

typedef __attribute__((aligned(sizeof(GPI_OUT)))) GPI_PART gpi_square_row;
typedef uint16 gpi_line __attribute__((aligned(sizeof(GPI_OUT))));

/* Transposes a square. Interleaving the square's upper half with its lower half rotates the bits of an element's
   position by one. After log2(GPI_LANES) such steps, rows and columns are exchanged. */
GPI_INLINE void gpi_transpose_square(__global const GPI_OUT *in, ulong stride, __private GPI_OUT *out)
{
    GPI_PART x[GPI_LANES], y[GPI_LANES];
#pragma unroll
    for (uint k = 0; k < GPI_LANES; k++) x[k] = *(__global const gpi_square_row *)(in + k * stride);
#pragma unroll
    for (uint turn = 1; turn < GPI_LANES; turn *= 2) {
#pragma unroll
        for (uint k = 0; k < GPI_LANES / 2; k++) {
            const GPI_PART upper = x[k], lower = x[k + GPI_LANES / 2];
            y[2 * k].even = upper.lo;
            y[2 * k].odd = lower.lo;
            y[2 * k + 1].even = upper.hi;
            y[2 * k + 1].odd = lower.hi;
        }
#pragma unroll
        for (uint k = 0; k < GPI_LANES; k++) x[k] = y[k];
    }
#pragma unroll
    for (uint k = 0; k < GPI_LANES; k++) *(__private gpi_square_row *)(out + k * 2 * GPI_LINE) = x[k];
}

/* Transposes at most GPI_LINE rows into `near`. The last squares overlap those before them. */
GPI_INLINE void gpi_transpose_read(__global const GPI_OUT *in, ulong stride, uint rows, uint columns,
                                   __private GPI_OUT *near)
{
    if (rows < GPI_LANES || columns < GPI_LANES) {
        for (uint c = 0; c < columns; c++)
            for (uint r = 0; r < rows; r++) near[c * 2 * GPI_LINE + r] = in[r * stride + c];
        return;
    }
    for (uint row = 0; row < rows; row += GPI_LANES) {
        const uint r = min(row, rows - GPI_LANES);
        for (uint column = 0; column < columns; column += GPI_LANES) {
            const uint c = min(column, columns - GPI_LANES);
            gpi_transpose_square(in + r * stride + c, stride, near + c * 2 * GPI_LINE + r);
        }
    }
}

/* Writes the lines that are complete. If the current rows are the first or the last, also writes the elements that are
   in no complete line of the tile. Keeps the current rows as the earlier rows of the next call. */
GPI_INLINE void gpi_transpose_write(__global GPI_OUT *out, ulong stride, int rows, uint columns, bool first,
                                    bool last, __private GPI_OUT *near)
{
    for (uint c = 0; c < columns; c++) {
        __private GPI_OUT *const x = near + c * 2 * GPI_LINE;
        __global GPI_OUT *const to = out + c * stride;
        const int before = (int)((size_t)to % 64 / sizeof(GPI_OUT)), line_end = GPI_LINE - before;
        int i = first ? 0 : -before;
        if (i == -before && line_end <= rows) {
            const uint16 line = *(__private const gpi_line *)(x - before);
            GPI_STREAM_STORE(line, (__global uint16 *)(to - before));
            i = line_end;
        }
        for (const int end = last ? rows : line_end; i < end; i++) to[i] = x[i];
        *(__private gpi_line *)(x - GPI_LINE) = *(__private const gpi_line *)x;
    }
}

GPI_NOINLINE void gpi_transpose_tile(__global const GPI_OUT *in, ulong in_stride, __global GPI_OUT *out,
                                     ulong out_stride, uint rows, uint columns,
                                     __private gpi_transpose_memory *memory)
{
    for (uint r = 0; r < rows; r += GPI_LINE) {
        const uint n = min(rows - r, (uint)GPI_LINE);
        gpi_transpose_read(in + r * in_stride, in_stride, n, columns, memory->x + GPI_LINE);
        gpi_transpose_write(out + r, out_stride, (int)n, columns, r == 0, r + n == rows,
                            memory->x + GPI_LINE);
    }
}
#endif
