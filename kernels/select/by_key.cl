/* by_key.cl - gp_reduce_by_key in a single pass, and gp_run_length_encode, of ones:

       keys_out[r] = key[b]      out[r] = initial . in[b] ... in[e-1]      of run r, elements b ... e-1

   A scan of how many runs have begun, and of the product since the last one began (GPI_HEADS 3 of element/input.cl).

       in, keys   | tile 0 | tile 1 | ... |     gp_by_key_look_back: a group a tile, tiles by ticket
       keys_out   | first keys of the runs that begin in the tile | ...
       out        | products of the runs before these | ...              the last tile adds that of the last run

   A single tile looks back on nothing: gp_by_key_tile.
   (Merrill & Garland 2016.)

   The host writes ahead, beside what element/input.cl takes:
       GPI_KEYS_OUT   1: first keys are wanted                                                              */
#ifndef GPI_SELECT_BY_KEY_CL
#define GPI_SELECT_BY_KEY_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/lookback.cl"
#include "scan/tile.cl"

#if !GPI_KEYED || GPI_HEADS != 3
#error "GPI_KEYED must be 1, GPI_HEADS 3"
#endif

/* ------------------------------------------------------------------ outputs */

typedef struct gpi_run_sink {
    GPI_COMBINE_MEMBER
    __global GPI_HEADS_TYPE *keys;
    __global GPI_OUT *out;
    GPI_BASE initial;
    __global uint *number; /* of runs */
    uint number_words;     /* 1, 2; 0: not wanted */
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

/* The tile that ends the input knows of all runs; where there is no input, the first one does. */
static void gpi_last_run_put(gpi_run_sink runs, gpi_input input, ulong base, GPI_T total)
{
    const bool last = base < input.count ? base + GPI_TILE >= input.count : base == 0;
    if (!last || get_local_id(0) != 0) return;
    if (total.head > 0) gpi_run_put(runs, total.head - 1, total.value);
    if (runs.number_words > 0) runs.number[0] = (uint)total.head;
    if (runs.number_words == 2) runs.number[1] = (uint)((ulong)total.head >> 32);
}

/* ------------------------------------------------------------------ a tile */

#if GPI_KEYS_OUT && GPI_INPUTS > 0
/* The heads' keys go to where they come in the tile. */
GPI_INLINE_GPU void gpi_keys_pack(const gpi_tile *tile, const GPI_HEADS_TYPE *key, gpi_tile_shared shared)
{
    uint r = (uint)tile->before.head;
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const uint head = tile->heads >> j & 1;
        if (head) shared->key[GPI_KEY_PAD(r)] = key[j];
        r += head;
    }
}
#endif

/* Reads the tile. Heads put down, in their order, what they find before them in the tile, and their keys. To be read after
   the next barrier. */
GPI_INLINE_GPU void gpi_runs_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    GPI_CELL value[GPI_PER_ITEM];
    GPI_HEADS_TYPE key[GPI_PER_ITEM];
    const GPI_T own = gpi_keyed_read(tile, input, base, shared, key);
    tile->before = gpi_group_scan(GPI_COMBINE_OF(input) own, &tile->aggregate,
                                  shared); /* its barriers free the keys' stage */
    GPI_BASE sum = tile->before.value;
    uint r = (uint)tile->before.head;
#if GPI_KEYS_OUT && GPI_INPUTS > 0
    gpi_keys_pack(tile, key, shared); /* before the values, which take registers, too */
#endif
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j += GPI_CELL_CHUNK)
        gpi_values_get(input, base, shared, j, GPI_PER_ITEM,
                       value + j); /* of those after the end nothing comes */
#if GPI_INPUTS > 0
    gpi_sync(); /* the values are read: others may take their place */
#endif
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const uint head = tile->heads >> j & 1;
        if (head) shared->stage[GPI_TILE_PAD(r)] = sum;
#if GPI_KEYS_OUT && GPI_INPUTS == 0
        if (head) shared->key[GPI_KEY_PAD(r)] = key[j];
#endif
        r += head;
        sum = gpi_base_append(GPI_COMBINE_OF(input) sum, value[j], head != 0);
    }
}

/* On the stage: what comes after element j * GPI_WG + l of the tile. (GPI_TILE_PAD adds up over whole rows.) */
#if GPI_WG % GPI_TILE_ROW
#define GPI_STAGE_NEXT(stage, l, j) (stage)[GPI_TILE_PAD((j)*GPI_WG + (l) + 1)]
#else
#define GPI_STAGE_NEXT(stage, l, j) ((stage) + GPI_TILE_PAD((l) + 1))[GPI_TILE_PAD((j)*GPI_WG)]
#endif

/* All of it goes out, keys and the products of their runs side by side, but for that of the tile's last run, which goes on.
   `prefix`: of the tiles before, whose last run ends where the tile's first begins. */
GPI_INLINE_GPU void gpi_runs_put(const gpi_tile *tile, GPI_T prefix, gpi_run_sink runs,
                                 gpi_tile_shared shared)
{
    const uint l = (uint)get_local_id(0);
    const int left = (int)tile->aggregate.head - (int)l;
    const ulong first = prefix.head + l;
    if (l == 0 && left > 0 && first > 0)
        gpi_run_put(runs, first - 1, gpi_base_combine(GPI_COMBINE_OF(runs) prefix.value, shared->stage[0]));
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
#if GPI_KEYS_OUT
        if ((int)(j * GPI_WG) < left)
            (runs.keys + first)[j * GPI_WG] = (shared->key + GPI_KEY_PAD(l))[GPI_KEY_PAD(j * GPI_WG)];
#endif
        if ((int)(j * GPI_WG) < left - 1)
            gpi_run_put(runs, first + j * GPI_WG, GPI_STAGE_NEXT(shared->stage, l, j));
    }
}

/* ------------------------------------------------------------------ kernels */

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
    if (base >= input.count && id > 0) return; /* so do all later tiles: nobody waits for this one */
    gpi_runs_open(&tile, input, base, shared);
    const GPI_T aggregate = gpi_tile_aggregate(&tile);
    const GPI_T prefix = gpi_look_back(state, id, aggregate, input, polls, counters, shared);
    /* Not after the last barrier: PoCL 6 hangs on returns and then a branch there (docs/drivers.md). */
    gpi_last_run_put(runs, input, base, gpi_combine(GPI_COMBINE_OF(input) prefix, aggregate));
    gpi_runs_put(&tile, prefix, runs, shared);
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
    gpi_sync(); /* the stages are filled */
    gpi_runs_put(&tile, gpi_identity(), runs, shared);
}
#endif
