/* reduce.cl - out = initial . in[0] . in[1] ... in[count-1]

       in      |  span 0   |  span 1   | ... |  span s  |        gp_reduce_tiles: group per span
       partial |     0     |     1     | ... |    s     |        gp_reduce_partials: one group, or in the first
                                                                launch the group that ends last
       out     |                  result                |

   In the serial shape a span is one tile. In the local shape it has several tiles, but so few that there are several spans per
   compute unit. The tiles of a span are consecutive. But if the operation commutes, the spans' elements alternate, so that groups
   that run at the same time read one region of memory. Partial i is always the product of span i. Spans and the order of
   combination depend only on the count, so that float results repeat bit for bit. If there is a single tile, the first launch
   writes the result. If elements have several fields, there are several results, of 8 bytes each.

   Parameter
       GPI_TILES_ABREAST   compute units of the device */
#ifndef GPI_SCAN_REDUCE_CL
#define GPI_SCAN_REDUCE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/constants.cl"
#include "scan/reduce_span.cl"
#include "scan/reduce_tile.cl"

#if GPI_FIELD_COUNT > 1
/* Writes the result of field n, padded with zeros to 8 bytes. */
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

/* Writes the result, initial . all partials. Every item combines consecutive partials, so that input order is kept. */
static void gpi_reduce_partials(GPI_COMBINE_PARAMETER __global const GPI_T *partials, uint spans,
                                __global GPI_OUT *out, ulong out_offset, gpi_argument initial,
                                gpi_tile_shared shared)
{
    const uint run = (spans + GPI_WG - 1) / GPI_WG;
    const uint begin = min((uint)GPI_LOCAL_ID * run, spans);
    const uint end = min(begin + run, spans);
    GPI_T sum = gpi_identity();
    for (uint i = begin; i < end; i++) sum = gpi_combine(GPI_COMBINE_PASSED sum, partials[i]);
    sum = gpi_group_reduce(GPI_COMBINE_PASSED sum, shared);
    const GPI_T total = gpi_combine(GPI_COMBINE_PASSED gpi_base_of(initial), sum);
    if (GPI_LOCAL_ID == 0) gpi_write_result(out, out_offset, total);
}

/* Reduces a span to its partial. `finish` 0: gp_reduce_partials follows. 1: there is one tile, and its group writes the result.
   2: the group that ends last combines the partials. */
GPI_KERNEL void gp_reduce_tiles(GPI_INPUT_PARAMETERS, __global GPI_T *partials, __global GPI_OUT *out,
                                ulong out_offset, gpi_argument initial, uint finish,
                                volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_input input;
    const uint span = (uint)get_group_id(0);
    GPI_INPUT_SET(input);
    GPI_COUNT_CHECK(span == 0, counters);
    const GPI_T sum = gpi_span_reduce(input, span, shared);
    const GPI_T total = gpi_combine(GPI_COMBINE_OF(input) gpi_base_of(initial), sum);
    if (GPI_LOCAL_ID != 0) return;
    if (finish == 1) gpi_write_result(out, out_offset, total);
    else partials[span] = sum;
    if (finish == 2 && gpi_last_group(counters + GPI_COUNT_ARRIVED))
        gpi_reduce_partials(GPI_COMBINE_OF(input) partials, gpi_spans(input.count), out, out_offset, initial,
                            shared);
}

GPI_KERNEL void gp_reduce_partials(GPI_COMBINE_PARAMETERS __global const GPI_T *partials,
                                   GPI_COUNT_PARAMETERS, __global GPI_OUT *out, ulong out_offset,
                                   gpi_argument initial)
{
    GPI_SHARED(gpi_tile_memory, shared);
    const ulong count = gpi_count(bound, wanted, wanted_offset, wanted_words);
    gpi_reduce_partials(GPI_COMBINE_HERE partials, gpi_spans(count), out, out_offset, initial, shared);
}
#endif
