/* c_by_key.c - runs of equal keys summed up on all cores in plain C: each thread counts the runs that begin
   in its part, then sums them up, the last one to its end wherever that is. Compiled like host_loops.c. */
#include "peer.h"

#include "../harness/pool.h"

enum { THREADS_MAX = 256 };

typedef struct by_key_job {
    const bench_work *work;
    size_t begun[THREADS_MAX];
    bool writes;
} by_key_job;

static bool supports(const bench_work *work) { return work->primitive == BENCH_BY_KEY; }

static size_t count_heads(const uint32_t *keys, size_t begin, size_t end)
{
    size_t heads = begin == 0 && end > 0;
    for (size_t i = begin ? begin : 1; i < end; i++) heads += keys[i] != keys[i - 1];
    return heads;
}

static void sum_runs(const uint32_t *keys, const uint32_t *values, size_t begin, size_t n, size_t count,
                     uint32_t *keys_out, uint32_t *sums)
{
    size_t i = begin;
    while (count > 0 && i > 0 && i < n && keys[i] == keys[i - 1]) i++;
    for (size_t r = 0; r < count; r++) {
        const uint32_t key = keys[i];
        uint32_t sum = 0;
        for (; i < n && keys[i] == key; i++) sum += values[i];
        keys_out[r] = key;
        sums[r] = sum;
    }
}

static void work_part(void *user, unsigned thread, unsigned threads)
{
    by_key_job *job = user;
    const bench_work *w = job->work;
    const uint32_t *keys = w->host_in;
    uint32_t *out = w->host_out;
    const size_t begin = w->n * thread / threads, end = w->n * (thread + 1) / threads;
    size_t before = 0;
    if (!job->writes) {
        job->begun[thread] = count_heads(keys, begin, end);
        return;
    }
    for (unsigned t = 0; t < thread; t++) before += job->begun[t];
    sum_runs(keys, w->host_in2, begin, w->n, job->begun[thread], out + before, out + w->n + before);
}

static bool run(const bench_work *work)
{
    static by_key_job job;
    job.work = work;
    job.writes = false;
    pool_run(work->pool, work_part, &job);
    job.writes = true;
    pool_run(work->pool, work_part, &job);
    return true;
}

const bench_peer bench_peer_c_by_key = {"c-by-key", true, true, false, supports, run};
