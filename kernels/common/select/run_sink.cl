/* run_sink.cl - writes the keys and the products of runs. */
#ifndef GPI_SELECT_RUN_SINK_CL
#define GPI_SELECT_RUN_SINK_CL
#include "element/input.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/tile_input.cl"

typedef struct gpi_run_sink {
    GPI_COMBINE_MEMBER
    __global GPI_HEADS_TYPE *keys;
    __global GPI_OUT *out;
    GPI_BASE initial;
    __global uint *number; /* number of runs */
    uint number_words;     /* words of the number: 1, 2; 0: it is not wanted */
} gpi_run_sink;

#define GPI_RUNS_PARAMETERS                                                                            \
    __global GPI_HEADS_TYPE *keys_out, ulong keys_out_offset, __global GPI_OUT *out, ulong out_offset, \
        gpi_argument initial, __global uint *number, ulong number_offset, uint number_words
#define GPI_RUNS_SET(runs)                                 \
    GPI_COMBINE_SET(runs)                                  \
    (runs).keys = keys_out + keys_out_offset;              \
    (runs).out = out + out_offset;                         \
    (runs).initial = gpi_base_of(initial);                 \
    (runs).number = number + number_offset * number_words; \
    (runs).number_words = number_words

static void gpi_run_put(gpi_run_sink runs, ulong r, GPI_BASE product)
{
    GPI_WRITE(runs.out, r, GPI_BASE_RESULT(gpi_base_combine(GPI_COMBINE_OF(runs) runs.initial, product)));
}

/* Writes the last run's product and the number of runs, if the tile at `base` ends the input, or if the input is empty and the
   tile is the first. `total` is the product of all elements up to the tile's end. */
static void gpi_last_run_put(gpi_run_sink runs, gpi_input input, ulong base, GPI_T total)
{
    const bool last = base < input.count ? base + GPI_TILE >= input.count : base == 0;
    if (!last || GPI_LOCAL_ID != 0) return;
    if (total.head > 0) gpi_run_put(runs, total.head - 1, total.value);
    if (runs.number_words > 0) runs.number[0] = (uint)total.head;
    if (runs.number_words == 2) runs.number[1] = (uint)((ulong)total.head >> 32);
}
#endif
