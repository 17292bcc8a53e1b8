/* c_pack.c - selection, partition, unique elements and runs on all cores in plain C: each thread counts in
   its part, then writes, without branches. Compiled like host_loops.c. */
#include "peer.h"

#include "../harness/pool.h"

enum { THREADS_MAX = 256 };

typedef struct pack_job {
    const bench_work *work;
    size_t kept[THREADS_MAX];
    size_t last[THREADS_MAX]; /* runs: one behind the last run's end in the part; 0: none ends there */
    bool writes;
} pack_job;

static bool supports(const bench_work *work)
{
    const bench_primitive p = work->primitive;
    return (p == BENCH_SELECT || p == BENCH_PARTITION || p == BENCH_UNIQUE || p == BENCH_RLE) &&
           work->type == GP_U32;
}

static size_t count_below(const uint32_t *in, size_t begin, size_t end, uint32_t k)
{
    size_t kept = 0;
    for (size_t i = begin; i < end; i++) kept += in[i] < k;
    return kept;
}

static size_t count_heads(const uint32_t *in, size_t begin, size_t end)
{
    size_t kept = begin == 0 && end > 0;
    for (size_t i = begin ? begin : 1; i < end; i++) kept += in[i] != in[i - 1];
    return kept;
}

static size_t count_tails(const uint32_t *in, size_t begin, size_t end, size_t n)
{
    size_t kept = end == n && begin < end;
    for (size_t i = begin; i + 1 < end || (i < end && end < n); i++) kept += in[i] != in[i + 1];
    return kept;
}

static size_t last_tail(const uint32_t *in, size_t begin, size_t end, size_t n)
{
    for (size_t i = end; i > begin; i--)
        if (i == n || in[i - 1] != in[i]) return i;
    return 0;
}

static void write_below(const uint32_t *in, size_t begin, size_t end, uint32_t k, uint32_t *out, size_t kept)
{
    uint32_t *const stop = out + kept;
    (void)end;
    for (size_t i = begin; out < stop; i++) {
        *out = in[i];
        out += in[i] < k;
    }
}

static void write_parts(const uint32_t *in, size_t begin, size_t end, uint32_t k, uint32_t *out,
                        uint32_t *rest)
{
    for (size_t i = begin; i < end; i++) {
        const bool first = in[i] < k;
        *(first ? out : rest) = in[i];
        out += first;
        rest += !first;
    }
}

static void write_heads(const uint32_t *in, size_t begin, uint32_t *out, size_t kept)
{
    uint32_t *const stop = out + kept;
    size_t i = begin;
    if (i == 0 && kept) *out++ = in[i++];
    for (; out < stop; i++) {
        *out = in[i];
        out += in[i] != in[i - 1];
    }
}

static void write_runs(const uint32_t *in, size_t begin, size_t n, size_t start, uint32_t *out,
                       uint32_t *lengths, size_t kept)
{
    size_t j = 0;
    for (size_t i = begin; j < kept; i++) {
        const bool tail = i + 1 == n || in[i] != in[i + 1];
        out[j] = in[i];
        lengths[j] = (uint32_t)(i + 1 - start);
        start = tail ? i + 1 : start;
        j += tail;
    }
}

static void work_part(void *user, unsigned thread, unsigned threads)
{
    pack_job *job = user;
    const bench_work *w = job->work;
    const uint32_t *in = w->host_in, k = (uint32_t)w->k;
    uint32_t *out = w->host_out;
    const size_t begin = w->n * thread / threads, end = w->n * (thread + 1) / threads;
    size_t before = 0, start = 0;
    if (!job->writes) {
        job->kept[thread] = w->primitive == BENCH_UNIQUE ? count_heads(in, begin, end)
                            : w->primitive == BENCH_RLE  ? count_tails(in, begin, end, w->n)
                                                         : count_below(in, begin, end, k);
        job->last[thread] = w->primitive == BENCH_RLE ? last_tail(in, begin, end, w->n) : 0;
        return;
    }
    for (unsigned t = 0; t < thread; t++) {
        before += job->kept[t];
        if (job->last[t]) start = job->last[t];
    }
    if (w->primitive == BENCH_SELECT) write_below(in, begin, end, k, out + before, job->kept[thread]);
    if (w->primitive == BENCH_PARTITION)
        write_parts(in, begin, end, k, out + before, out + w->n + (begin - before));
    if (w->primitive == BENCH_UNIQUE) write_heads(in, begin, out + before, job->kept[thread]);
    if (w->primitive == BENCH_RLE)
        write_runs(in, begin, w->n, start, out + before, out + w->n + before, job->kept[thread]);
}

static bool run(const bench_work *work)
{
    static pack_job job;
    job.work = work;
    job.writes = false;
    pool_run(work->pool, work_part, &job);
    job.writes = true;
    pool_run(work->pool, work_part, &job);
    return true;
}

const bench_peer bench_peer_c_pack = {"c-pack", true, true, false, supports, run};
