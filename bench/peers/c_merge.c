/* c_merge.c - merging and searching on all cores in plain C. Each thread takes an equal part of the output,
   or of the needles; where its part of a merge begins is found by binary search (Merge Path). The tough forms
   work on several runs, or needles, side by side. Compiled like host_loops.c. */
#include "peer.h"

#include "../harness/pool.h"

enum { RUNS = 8, ABREAST = 16 };

typedef struct sorted_job {
    const bench_work *work;
    bool side_by_side;
} sorted_job;

/* Elements of a among the first d of the merge. */
static size_t crossing(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, size_t d)
{
    size_t low = d > b_count ? d - b_count : 0, high = d < a_count ? d : a_count;
    while (low < high) {
        const size_t i = (low + high) / 2;
        if (a[i] <= b[d - 1 - i]) low = i + 1;
        else high = i;
    }
    return low;
}

/* [d, end) of the merge: no branch but the loop's, until one input ends. */
static void merge_plain(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, uint32_t *out,
                        size_t d, size_t end)
{
    size_t i = crossing(a, a_count, b, b_count, d), j = d - i;
    for (; d < end && i < a_count && j < b_count; d++) {
        const uint32_t x = a[i], y = b[j];
        const size_t first = x <= y;
        out[d] = first ? x : y;
        i += first;
        j += 1 - first;
    }
    for (; d < end && i < a_count; d++) out[d] = a[i++];
    for (; d < end; d++) out[d] = b[j++];
}

/* The same in RUNS runs of one length; the last steps one after the other. */
static void merge_runs(const uint32_t *a, size_t a_count, const uint32_t *b, size_t b_count, uint32_t *out,
                       size_t d, size_t end)
{
    const size_t length = (end - d) / RUNS;
    size_t i[RUNS], from[RUNS], steps = length;
    for (int r = 0; r < RUNS; r++) {
        from[r] = d + (size_t)r * length;
        i[r] = crossing(a, a_count, b, b_count, from[r]);
        if (a_count - i[r] < steps) steps = a_count - i[r];
        if (b_count - (from[r] - i[r]) < steps) steps = b_count - (from[r] - i[r]);
    }
    for (size_t s = 0; s < steps; s++) {
        for (int r = 0; r < RUNS; r++) {
            const size_t k = from[r] + s;
            const uint32_t x = a[i[r]], y = b[k - i[r]];
            const size_t first = x <= y;
            out[k] = first ? x : y;
            i[r] += first;
        }
    }
    for (int r = 0; r < RUNS; r++)
        merge_plain(a, a_count, b, b_count, out, from[r] + steps, r < RUNS - 1 ? from[r + 1] : end);
}

static void merge_part(void *user, unsigned thread, unsigned threads)
{
    enum { TILE = 1 << 18 };
    const sorted_job *job = user;
    const size_t n = job->work->n, a_count = n / 2;
    const uint32_t *a = job->work->host_in, *b = a + a_count;
    const size_t begin = n / threads * thread, stop = thread == threads - 1 ? n : begin + n / threads;
    for (size_t d = begin; d < stop; d += TILE) {
        const size_t end = stop - d < TILE ? stop : d + TILE;
        (job->side_by_side ? merge_runs : merge_plain)(a, a_count, b, n - a_count, job->work->host_out, d,
                                                       end);
    }
}

/* Keys before each of `count` needles: all of them take the same steps. */
static void search_abreast(const uint32_t *keys, size_t n, const uint32_t *needles, uint32_t *out,
                           size_t count)
{
    uint32_t at[ABREAST] = {0};
    for (; n > 1; n -= n / 2) {
        for (size_t k = 0; k < count; k++)
            at[k] += keys[at[k] + n / 2 - 1] < needles[k] ? (uint32_t)(n / 2) : 0;
    }
    for (size_t k = 0; k < count; k++) out[k] = at[k] + (keys[at[k]] < needles[k]);
}

static void search_part(void *user, unsigned thread, unsigned threads)
{
    const sorted_job *job = user;
    const size_t n = job->work->n, begin = n / threads * thread;
    const size_t end = thread == threads - 1 ? n : begin + n / threads;
    const uint32_t *needles = job->work->host_in2;
    uint32_t *out = job->work->host_out;
    size_t i = begin;
    for (; i + ABREAST <= end; i += ABREAST)
        search_abreast(job->work->host_in, n, needles + i, out + i, ABREAST);
    search_abreast(job->work->host_in, n, needles + i, out + i, end - i);
}

static bool supports_merge(const bench_work *work)
{
    return work->primitive == BENCH_MERGE && work->type == GP_U32 && !work->value_size;
}

static bool supports_search(const bench_work *work) { return work->primitive == BENCH_SEARCH; }

static bool run_job(const bench_work *work, pool_task task, bool side_by_side)
{
    sorted_job job = {work, side_by_side};
    pool_run(work->pool, task, &job);
    return true;
}

static bool run_plain(const bench_work *work) { return run_job(work, merge_part, false); }
static bool run_runs(const bench_work *work) { return run_job(work, merge_part, true); }
static bool run_search(const bench_work *work) { return run_job(work, search_part, true); }

const bench_peer bench_peer_c_merge = {
    .name = "c-merge-runs", .on_host = true, .pooled = true, .supports = supports_merge, .run = run_runs};
const bench_peer bench_peer_c_merge_plain = {
    .name = "c-merge", .on_host = true, .pooled = true, .supports = supports_merge, .run = run_plain};
const bench_peer bench_peer_c_search = {.name = "c-search-abreast",
                                        .on_host = true,
                                        .pooled = true,
                                        .supports = supports_search,
                                        .run = run_search};
