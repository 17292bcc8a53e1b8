// segment_sorts.cpp - std::sort of each segment, or std::stable_sort of its indices, on one thread and on all.
#include "peer.h"

extern "C" {
#include "../harness/pool.h"
}

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_SEGMENTED_SORT && (work->type == GP_U32 || work->type == GP_F32);
}

static void sort_segments(const bench_work *work, size_t first, size_t last)
{
    const uint32_t *offsets = work->host_offsets;
    uint32_t *out = static_cast<uint32_t *>(work->host_out);
    if (first >= last) return;
    if (work->type == GP_F32) {
        for (size_t s = first; s < last; s++) {
            const float *key = static_cast<const float *>(work->host_in) + offsets[s];
            std::iota(out + offsets[s], out + offsets[s + 1], 0u);
            std::stable_sort(out + offsets[s], out + offsets[s + 1],
                             [key](uint32_t i, uint32_t j) { return key[i] < key[j]; });
        }
        return;
    }
    std::memcpy(out + offsets[first], static_cast<const uint32_t *>(work->host_in) + offsets[first],
                (offsets[last] - offsets[first]) * sizeof *out);
    for (size_t s = first; s < last; s++) std::sort(out + offsets[s], out + offsets[s + 1]);
}

static bool run(const bench_work *work)
{
    sort_segments(work, 0, work->segments);
    return true;
}

struct shared_work {
    const bench_work *work;
    std::atomic<size_t> next;
};

// Takes segments until none is left: some at a time, few enough that all threads end together.
static void share(void *user, unsigned, unsigned threads)
{
    shared_work *shared = static_cast<shared_work *>(user);
    const size_t m = shared->work->segments, step = std::max<size_t>(1, m / (64 * threads));
    for (;;) {
        const size_t first = shared->next.fetch_add(step);
        if (first >= m) return;
        sort_segments(shared->work, first, std::min(m, first + step));
    }
}

static bool run_pooled(const bench_work *work)
{
    shared_work shared = {work, {0}};
    pool_run(work->pool, share, &shared);
    return true;
}

const bench_peer bench_peer_std_segments = {"std-sort", true, false, false, supports, run};
const bench_peer bench_peer_std_segments_pool = {"std-sort-threads", true, true, false, supports, run_pooled};
