/* c_transpose.c - a transpose in plain C: loops over blocks of 16 by 16 words, on all cores. Compiled like host_loops.c. */
#include "peer.h"

#include "../harness/pool.h"

enum { SIDE = 16 };

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void share(void *user, unsigned thread, unsigned threads)
{
    const bench_work *work = user;
    const size_t rows = work->segments, columns = work->n / rows;
    const size_t first = columns * thread / threads, last = columns * (thread + 1) / threads;
    const uint32_t *in = work->host_in;
    uint32_t *out = work->host_out;
    for (size_t c = first; c < last; c += SIDE)
        for (size_t r = 0; r < rows; r += SIDE)
            for (size_t j = c; j < least(c + SIDE, last); j++)
                for (size_t i = r; i < least(r + SIDE, rows); i++) out[j * rows + i] = in[i * columns + j];
}

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_TRANSPOSE && work->type == GP_U32;
}

static bool run(const bench_work *work)
{
    pool_run(work->pool, share, (void *)work);
    return true;
}

const bench_peer bench_peer_c_transpose = {
    .name = "c-blocks", .on_host = true, .pooled = true, .supports = supports, .run = run};
