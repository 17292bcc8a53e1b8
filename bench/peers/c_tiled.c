/* c_tiled.c - the toughest plain C: all cores, tile by tile, so that a scan's second reading is from cache.
   Compiled like host_loops.c. */
#include "peer.h"

#include "../harness/pool.h"

/* Elements of one thread's tile: read twice, so it must stay in a core's cache. */
enum { TILE = 32768, THREADS_MAX = 256, LINE = 16 /* words: threads write to lines of their own */ };

typedef struct scan_job {
    const uint32_t *in;
    uint32_t *out;
    size_t n;
    pool *p;
    uint32_t sums[2][THREADS_MAX * LINE]; /* of the tiles of this block and of the one before */
} scan_job;

static uint32_t sum_of(const uint32_t *in, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += in[i];
    return sum;
}

static uint32_t scan_from(uint32_t sum, const uint32_t *in, uint32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) out[i] = sum += in[i];
    return sum;
}

/* A block is a tile for each thread. One barrier a block: sums alternate between two rows. */
static void scan_blocks(void *user, unsigned thread, unsigned threads)
{
    scan_job *job = user;
    uint32_t before = 0; /* of this block: every thread keeps its own */
    unsigned row = 0;
    for (size_t block = 0; block < job->n; block += (size_t)threads * TILE, row = 1 - row) {
        const size_t begin = block + (size_t)thread * TILE;
        const size_t rest = begin < job->n ? job->n - begin : 0, length = rest < TILE ? rest : TILE;
        job->sums[row][thread * LINE] = sum_of(job->in + begin, length);
        pool_barrier(job->p);
        uint32_t mine = 0;
        for (unsigned t = 0; t < threads; t++) {
            if (t == thread) mine = before;
            before += job->sums[row][t * LINE];
        }
        scan_from(mine, job->in + begin, job->out + begin, length);
    }
}

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_SCAN && work->type == GP_U32 && work->op == GP_SUM &&
           pool_threads(work->pool) <= THREADS_MAX;
}

static bool run(const bench_work *work)
{
    static scan_job job;
    job.in = (const uint32_t *)work->host_in;
    job.out = (uint32_t *)work->host_out;
    job.n = work->n;
    job.p = work->pool;
    pool_run(work->pool, scan_blocks, &job);
    return true;
}

const bench_peer bench_peer_c_tiled = {
    .name = "c-tiled", .on_host = true, .pooled = true, .supports = supports, .run = run};
