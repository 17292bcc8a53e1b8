/* merge_tile.cl - one item merges one tile of the output.

   It divides the tile into GPI_MERGE_RUNS runs of equal length, and merges a step of each run in turn, because each
   step waits for the previous comparison of the same run. No branch depends on keys.

   Parameters
       GPI_MERGE_RUNS     runs of a tile
       GPI_MERGE_AHEAD    distance of prefetches, in bytes                                              */
#ifndef GPI_SORT_MERGE_TILE_CL
#define GPI_SORT_MERGE_TILE_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/constants.cl"
#include "sort/merge_pair.cl"

#ifndef GPI_MERGE_RUNS
#define GPI_MERGE_RUNS GPI_MERGE_RUNS_MOST
#endif
#ifndef GPI_MERGE_AHEAD
#define GPI_MERGE_AHEAD 1024
#endif

typedef uint gpi_merge_memory; /* one item shares nothing */
typedef gpi_merge_memory *gpi_merge_shared;

/* Runs that are merged side by side. Run r begins at diagonal d[r], and its next element of a is i[r]. */
typedef struct gpi_runs {
    ulong d[GPI_MERGE_RUNS], i[GPI_MERGE_RUNS];
} gpi_runs;

/* Returns the crossing of diagonal d, which must be in [low, high]. */
static ulong gpi_crossing(gpi_pair pair, ulong d, ulong low, ulong high)
{
    while (low < high) {
        const ulong i = low + (high - low) / 2;
        if (gpi_is_before(pair.a[i], pair.b[d - 1 - i], pair.flip)) low = i + 1;
        else high = i;
    }
    return low;
}

/* Starts all runs: they have `length` elements each, from diagonal `begin` on. */
static void gpi_runs_begin(gpi_pair pair, gpi_runs *runs, ulong begin, ulong length)
{
    ulong low = 0, high = ~0ul;
    for (uint r = 0; r < GPI_MERGE_RUNS; r++) {
        const ulong d = begin + r * length;
        low = max(low, gpi_crossing_least(pair, d));
        high = min(high, gpi_crossing_most(pair, d));
        low = gpi_crossing(pair, d, low, high);
        high = low + length;
        runs->d[r] = d;
        runs->i[r] = low;
    }
}

/* Returns how many steps, from step s on, all runs can make without passing the end of a or b. */
static ulong gpi_runs_room(gpi_pair pair, const gpi_runs *runs, ulong s)
{
    ulong room = ~0ul;
    for (uint r = 0; r < GPI_MERGE_RUNS; r++) {
        const ulong i = runs->i[r], j = runs->d[r] + s - i;
        room = min(room, min(pair.a_count - i, pair.b_count - j));
    }
    return room;
}

/* Makes steps [s, end) of every run. `end - s` must be a multiple of GPI_MERGE_STEP, and no run may pass the end of a or b. */
static void gpi_runs_go(gpi_pair pair, gpi_runs *runs, ulong s, ulong end)
{
    ulong i[GPI_MERGE_RUNS];
    for (uint r = 0; r < GPI_MERGE_RUNS; r++) i[r] = runs->i[r];
    for (; s < end; s += GPI_MERGE_STEP) {
#pragma unroll
        for (uint r = 0; r < GPI_MERGE_RUNS; r++) {
            const ulong d = runs->d[r] + s;
            GPI_PREFETCH_READ((__global const char *)(pair.a + i[r]) + GPI_MERGE_AHEAD);
            GPI_PREFETCH_READ((__global const char *)(pair.b + (d - i[r])) + GPI_MERGE_AHEAD);
            GPI_PREFETCH_WRITE((__global char *)(pair.out + d) + GPI_MERGE_AHEAD);
#if GPI_VALUE_SIZE
            GPI_PREFETCH_READ((__global const char *)(pair.a_value + i[r]) + GPI_MERGE_AHEAD);
            GPI_PREFETCH_READ((__global const char *)(pair.b_value + (d - i[r])) + GPI_MERGE_AHEAD);
            GPI_PREFETCH_WRITE((__global char *)(pair.value_out + d) + GPI_MERGE_AHEAD);
#endif
        }
        for (ulong t = s; t < s + GPI_MERGE_STEP; t++) {
#pragma unroll
            for (uint r = 0; r < GPI_MERGE_RUNS; r++) {
                const ulong d = runs->d[r] + t, j = d - i[r];
                const gpi_key x = pair.a[i[r]], y = pair.b[j];
                const bool first = gpi_is_before(x, y, pair.flip);
                pair.out[d] = first ? x : y;
#if GPI_VALUE_SIZE
                pair.value_out[d] = *(first ? pair.a_value + i[r] : pair.b_value + j);
#endif
                i[r] += first;
            }
        }
    }
    for (uint r = 0; r < GPI_MERGE_RUNS; r++) runs->i[r] = i[r];
}

/* Writes element d of the output. i must be the number of elements of a before it. Returns the number of elements of a before
   element d + 1. Checks for the ends of a and b. Neither may be empty. */
static ulong gpi_merge_step(gpi_pair pair, ulong d, ulong i)
{
    const ulong j = d - i, i_in = min(i, pair.a_count - 1), j_in = min(j, pair.b_count - 1);
    const gpi_key x = pair.a[i_in], y = pair.b[j_in];
    const bool first = (j > j_in) | ((i == i_in) & gpi_is_before(x, y, pair.flip));
    pair.out[d] = first ? x : y;
#if GPI_VALUE_SIZE
    pair.value_out[d] = *(first ? pair.a_value + i_in : pair.b_value + j_in);
#endif
    return i + first;
}

/* Makes GPI_MERGE_STEP steps of every run from step s on, and checks for the ends of a and b. */
static void gpi_runs_creep(gpi_pair pair, gpi_runs *runs, ulong s)
{
    for (ulong t = s; t < s + GPI_MERGE_STEP; t++) {
#pragma unroll
        for (uint r = 0; r < GPI_MERGE_RUNS; r++)
            runs->i[r] = gpi_merge_step(pair, runs->d[r] + t, runs->i[r]);
    }
}

/* Writes elements [begin, end) of the output. Neither a nor b may be empty. */
static void gpi_merge_runs(gpi_pair pair, ulong begin, ulong end)
{
    const ulong length = (end - begin) / (GPI_MERGE_RUNS * GPI_MERGE_STEP) * GPI_MERGE_STEP;
    gpi_runs runs;
    gpi_runs_begin(pair, &runs, begin, length);
    for (ulong s = 0; s < length;) {
        const ulong room = min(length - s, gpi_runs_room(pair, &runs, s)) / GPI_MERGE_STEP * GPI_MERGE_STEP;
        if (room) gpi_runs_go(pair, &runs, s, s + room);
        else gpi_runs_creep(pair, &runs, s);
        s += room ? room : GPI_MERGE_STEP;
    }
    ulong i = runs.i[GPI_MERGE_RUNS - 1];
    for (ulong d = begin + GPI_MERGE_RUNS * length; d < end; d++) i = gpi_merge_step(pair, d, i);
}

/* Writes elements [begin, end) of the output if a or b is empty: copies them from the other sequence. */
static void gpi_merge_copy(gpi_pair pair, ulong begin, ulong end)
{
    const bool first = pair.a_count > 0;
    for (ulong d = begin; d < end; d++) {
        pair.out[d] = first ? pair.a[d] : pair.b[d];
#if GPI_VALUE_SIZE
        pair.value_out[d] = first ? pair.a_value[d] : pair.b_value[d];
#endif
    }
}

/* Writes elements [begin, end) of the output. */
GPI_NOINLINE void gpi_merge_tile(gpi_pair pair, ulong begin, ulong end, gpi_merge_shared shared)
{
    (void)shared;
    if (pair.a_count > 0 && pair.b_count > 0) gpi_merge_runs(pair, begin, end);
    else gpi_merge_copy(pair, begin, end);
}
#endif
