/* by_key.cl - gp_reduce_by_key in a single pass, and gp_run_length_encode, in which every element is 1:

       keys_out[r] = key[b]      out[r] = initial . in[b] ... in[e-1]      of run r, elements b ... e-1

   The kernels scan two values: the number of runs that have begun, and the product since the last run began (GPI_HEADS
   3 of element/input.cl).

       in, keys   | tile 0 | tile 1 | ... |     gp_by_key_look_back: group per tile, tiles by ticket
       keys_out   | first keys of the runs that begin in the tile | ...
       out        | products of the runs before these | ...              the last tile adds the last run's product

   A single tile needs no look-back: gp_by_key_tile.
   (Merrill & Garland 2016.)

   The prelude defines, in addition to the parameters of element/input.cl:
       GPI_KEYS_OUT       1: first keys are wanted
       GPI_PLAIN          1: keys are equal if x == y; GPI_KEYS_OF(v) is the vector of keys to compare
       GPI_OUT_SIZE       bytes of a result; GPI_OUT_BITS(v) is a vector of results as unsigned integers          */
#ifndef GPI_SELECT_BY_KEY_CL
#define GPI_SELECT_BY_KEY_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/lookback.cl"
#include "scan/tile.cl"
#include "scan/tile_states.cl"
#include "select/run_sink.cl"
#include "select/by_key_tile.cl"

#if GPI_HEADS != 3
#error "GPI_HEADS must be 3"
#endif

GPI_KERNEL void gp_by_key_look_back(GPI_INPUT_PARAMETERS, GPI_RUNS_PARAMETERS, volatile __global uint *state,
                                    uint polls, volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_tile tile;
    gpi_input input;
    gpi_run_sink runs;
    GPI_INPUT_SET(input);
    GPI_RUNS_SET(runs);
    const uint id = gpi_take_ticket(state, shared);
    const ulong base = (ulong)id * GPI_TILE;
    GPI_COUNT_CHECK(id == 0, counters);
    if (base >= input.count && id > 0) return; /* all later tiles return, too: no group waits for it */
    gpi_runs_open(&tile, input, base, shared);
    const GPI_T aggregate = gpi_tile_aggregate(&tile);
    const GPI_T prefix = gpi_look_back(state, id, aggregate, input, polls, counters, shared);
    /* The last run is written before the last barrier, because PoCL 6 hangs in kernels that return early and branch after a
       barrier (docs/drivers.md). */
    gpi_last_run_put(runs, input, base, gpi_combine(GPI_COMBINE_OF(input) prefix, aggregate));
    gpi_runs_put(&tile, prefix, input, base, runs, shared);
}

GPI_KERNEL void gp_by_key_tile(GPI_INPUT_PARAMETERS, GPI_RUNS_PARAMETERS, volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_tile tile;
    gpi_input input;
    gpi_run_sink runs;
    GPI_INPUT_SET(input);
    GPI_RUNS_SET(runs);
    GPI_COUNT_CHECK(true, counters);
    gpi_runs_open(&tile, input, 0, shared);
    gpi_last_run_put(runs, input, 0, gpi_tile_aggregate(&tile));
    gpi_sync(); /* the runs' keys and products are in local memory */
    gpi_runs_put(&tile, gpi_identity(), input, 0, runs, shared);
}
#endif
