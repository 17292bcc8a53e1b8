/* compact_one.cl - compacts a tile by one loop over it. The tile is still in the cache, because it has been counted before. The
   loop has no branches: each element is written to the position of the next selected element. If it is not selected itself, the
   element after it overwrites it. The loop ends with the tile's last selected element, because the next tile's output begins
   after that. */
#ifndef GPI_SELECT_COMPACT_ONE_CL
#define GPI_SELECT_COMPACT_ONE_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_input.cl"
#include "select/sink.cl"

#if GPI_PARTS == 1
static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const GPI_NUMBER end = GPI_SELECTED(prefix) + GPI_SELECTED(gpi_tile_aggregate(tile));
    GPI_T sum = prefix;
    (void)shared;
    for (ulong i = base; GPI_SELECTED(sum) < end; i++) {
        gpi_put(input, sink, GPI_SELECTED(sum), i, GPI_BEGIN(sum));
        sum = gpi_combine(sum, gpi_load(input, i));
    }
}

#else
static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const ulong end = base + gpi_tile_length(input, base);
    __global GPI_RECORD *first = sink.out + GPI_SELECTED(prefix);
    __global GPI_RECORD *rest =
        sink.rest + sink.step * (long)(base - GPI_SELECTED(prefix) - GPI_SECOND(prefix));
#if GPI_PARTS == 3
    __global GPI_RECORD *second = sink.second + GPI_SECOND(prefix);
#endif
    (void)tile;
    (void)shared;
    for (ulong i = base; i < end; i++) {
        const GPI_T x = gpi_load(input, i);
        const bool is_first = GPI_SELECTED(x) != 0;
#if GPI_PARTS == 3
        const bool is_second = GPI_SECOND(x) != 0;
        *(is_first ? first : is_second ? second : rest) = input.data[i];
        second += is_second;
        rest += is_first || is_second ? 0 : sink.step;
#else
        *(is_first ? first : rest) = input.data[i];
        rest += is_first ? 0 : sink.step;
#endif
        first += is_first;
    }
}
#endif
#endif
