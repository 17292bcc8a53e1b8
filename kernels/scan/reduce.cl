/* reduce.cl - out = initial . in[0] . in[1] ... in[count-1]

       in      |  tile 0   |  tile 1   | ... |  tile t  |        gp_reduce_tiles: a group a tile
       partial |     0     |     1     | ... |    t     |        gp_reduce_partials: one group
       out     |                  result                |

   Partial i always covers tile i and both trees depend on the count alone, so that float results
   repeat bit for bit. With a single tile the first launch writes the result. An element of several
   fields leaves several results, each in 8 bytes.                                                   */
#ifndef GPI_SCAN_REDUCE_CL
#define GPI_SCAN_REDUCE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"

#if GPI_FIELD_COUNT > 1
/* Field n's result in the low bytes of a cell of its own. */
#define GPI_WRITE_FIELD(n)                             \
    {                                                  \
        union {                                        \
            ulong cell;                                \
            GPI_RESULT_##n value;                      \
        } bits;                                        \
        bits.cell = 0;                                 \
        bits.value = gpi_field_result_##n(total.f##n); \
        out[GPI_FIELD_COUNT * offset + n] = bits.cell; \
    }
static void gpi_write_result(__global GPI_OUT *out, ulong offset, GPI_T total) { GPI_FIELDS(GPI_WRITE_FIELD) }
#else
static void gpi_write_result(__global GPI_OUT *out, ulong offset, GPI_T total)
{
    GPI_WRITE(out, offset, GPI_BASE_RESULT(total));
}
#endif

/* `result` is 1 when there is one tile: its product, after `initial`, is the result. */
GPI_KERNEL void gp_reduce_tiles(GPI_INPUT_PARAMETERS, __global GPI_T *partials, __global GPI_OUT *out,
                                ulong out_offset, gpi_argument initial, uint result,
                                volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_input input;
    const uint tile = (uint)get_group_id(0);
    GPI_INPUT_SET(input);
    GPI_COUNT_CHECK(tile == 0, counters);
    const GPI_T sum = gpi_tile_reduce(input, (ulong)tile * GPI_TILE, shared);
    const GPI_T total = gpi_combine(gpi_base_of(initial), sum);
    if (get_local_id(0) != 0) return;
    if (result) gpi_write_result(out, out_offset, total);
    else partials[tile] = sum;
}

/* One group. Every item takes a run of consecutive partials, so that input order is kept. */
GPI_KERNEL void gp_reduce_partials(__global const GPI_T *partials, GPI_COUNT_PARAMETERS,
                                   __global GPI_OUT *out, ulong out_offset, gpi_argument initial)
{
    GPI_SHARED(gpi_tile_memory, shared);
    const ulong count = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const uint tiles = (uint)((count + GPI_TILE - 1) / GPI_TILE);
    const uint run = (tiles + GPI_WG - 1) / GPI_WG;
    const uint begin = min((uint)get_local_id(0) * run, tiles);
    const uint end = min(begin + run, tiles);
    GPI_T sum = gpi_identity();
    for (uint i = begin; i < end; i++) sum = gpi_combine(sum, partials[i]);
    sum = gpi_group_reduce(sum, shared);
    const GPI_T total = gpi_combine(gpi_base_of(initial), sum);
    if (get_local_id(0) == 0) gpi_write_result(out, out_offset, total);
}
#endif
