/* c_histogram.c - a histogram on all cores in plain C: each thread counts its part in four tables, so that
   equal samples in a row do not wait for each other; many bins in one table a thread. Compiled like
   host_loops.c. */
#include "peer.h"

#include <stdlib.h>
#include <string.h>

#include "../harness/pool.h"

enum { TABLES = 4, BYTE = 256, THREADS_MAX = 64, FEW = 4096 };

typedef struct histogram_job {
    const bench_work *work;
    pool *p;
    unsigned shift;
    uint32_t *tables; /* many bins: one a thread; kept from run to run */
    size_t room;
    uint32_t bytes[THREADS_MAX][TABLES][BYTE];
} histogram_job;

static void count_bytes(uint32_t table[TABLES][BYTE], const uint8_t *in, size_t n)
{
    size_t i = 0;
    memset(table, 0, sizeof(uint32_t[TABLES][BYTE]));
    for (; i + 8 <= n; i += 8) {
        uint64_t x;
        memcpy(&x, in + i, 8);
        table[0][x & 255]++;
        table[1][x >> 8 & 255]++;
        table[2][x >> 16 & 255]++;
        table[3][x >> 24 & 255]++;
        table[0][x >> 32 & 255]++;
        table[1][x >> 40 & 255]++;
        table[2][x >> 48 & 255]++;
        table[3][x >> 56]++;
    }
    for (; i < n; i++) table[0][in[i]]++;
}

/* `tables` tables of few bins, or one of many. */
static void count_words(uint32_t *table, unsigned tables, size_t bins, const uint32_t *in, size_t n,
                        unsigned shift)
{
    const size_t row = tables == TABLES ? bins : 0;
    size_t i = 0;
    memset(table, 0, tables * bins * sizeof *table);
    for (; i + 4 <= n; i += 4) {
        table[in[i] >> shift]++;
        table[row + (in[i + 1] >> shift)]++;
        table[2 * row + (in[i + 2] >> shift)]++;
        table[3 * row + (in[i + 3] >> shift)]++;
    }
    for (; i < n; i++) table[in[i] >> shift]++;
}

static void count(void *user, unsigned thread, unsigned threads)
{
    histogram_job *job = user;
    const bench_work *w = job->work;
    const size_t begin = w->n * thread / threads, end = w->n * (thread + 1) / threads, bins = w->segments;
    const unsigned tables = w->type == GP_U8 || bins <= FEW ? TABLES : 1;
    uint32_t *all = w->type == GP_U8 ? job->bytes[0][0] : job->tables, *out = w->host_out;
    if (w->type == GP_U8) count_bytes(job->bytes[thread], (const uint8_t *)w->host_in + begin, end - begin);
    else
        count_words(all + thread * tables * bins, tables, bins, (const uint32_t *)w->host_in + begin,
                    end - begin, job->shift);
    pool_barrier(job->p);
    for (size_t b = bins * thread / threads; b < bins * (thread + 1) / threads; b++) {
        uint32_t sum = 0;
        for (unsigned t = 0; t < threads * tables; t++) sum += all[t * bins + b];
        out[b] = sum;
    }
}

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_HISTOGRAM && pool_threads(work->pool) <= THREADS_MAX;
}

static bool run(const bench_work *work)
{
    static histogram_job job;
    const size_t room = pool_threads(work->pool) * TABLES * work->segments;
    job.work = work;
    job.p = work->pool;
    job.shift = 32;
    for (size_t b = work->segments; b > 1; b /= 2) job.shift--;
    if (room > job.room) {
        free(job.tables);
        job.tables = malloc(room * sizeof *job.tables);
        job.room = job.tables ? room : 0;
    }
    if (job.tables == NULL) return false;
    pool_run(work->pool, count, &job);
    return true;
}

const bench_peer bench_peer_c_histogram = {
    .name = "c-histogram", .on_host = true, .pooled = true, .supports = supports, .run = run};
