/* c_decode.c - repeats the keys of runs on all cores in plain C: each thread finds the run of its part's first element, and fills
   run by run. Compiled like host_loops.c. */
#include "peer.h"

#include "../harness/pool.h"

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_RLE_DECODE && work->type == GP_U32;
}

static size_t run_of(const uint32_t *offsets, size_t runs, size_t at)
{
    size_t low = 0, high = runs;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (offsets[middle] <= at) low = middle;
        else high = middle;
    }
    return low;
}

static void fill_part(void *user, unsigned thread, unsigned threads)
{
    const bench_work *w = user;
    const uint32_t *offsets = w->host_offsets, *keys = w->host_in;
    uint32_t *out = w->host_out;
    const size_t end = w->n * (thread + 1) / threads;
    size_t at = w->n * thread / threads;
    for (size_t r = run_of(offsets, w->segments, at); at < end; r++) {
        const size_t stop = offsets[r + 1] < end ? offsets[r + 1] : end;
        for (; at < stop; at++) out[at] = keys[r];
    }
}

static bool run(const bench_work *work)
{
    pool_run(work->pool, fill_part, (void *)work);
    return true;
}

const bench_peer bench_peer_c_decode = {"c-decode", true, true, false, supports, run};
