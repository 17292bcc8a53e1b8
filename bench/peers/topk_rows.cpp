// topk_rows.cpp - the k largest keys of each row, by std::partial_sort of the columns' numbers, on all threads.
#include "peer.h"

extern "C" {
#include "../harness/pool.h"
}

#include <algorithm>
#include <numeric>
#include <vector>

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_TOPK_ROWS && work->type == GP_F32;
}

// Takes its part of the rows.
static void share(void *user, unsigned thread, unsigned threads)
{
    const bench_work *work = static_cast<const bench_work *>(user);
    const size_t columns = work->n / work->segments, k = work->k;
    const size_t first = work->segments * thread / threads, last = work->segments * (thread + 1) / threads;
    std::vector<uint32_t> at(columns);
    for (size_t s = first; s < last; s++) {
        const float *row = static_cast<const float *>(work->host_in) + s * columns;
        std::iota(at.begin(), at.end(), 0u);
        std::partial_sort(at.begin(), at.begin() + k, at.end(),
                          [row](uint32_t a, uint32_t b) { return row[a] > row[b]; });
        for (size_t j = 0; j < k; j++) static_cast<float *>(work->host_out)[s * k + j] = row[at[j]];
    }
}

static bool run(const bench_work *work)
{
    pool_run(work->pool, share, const_cast<bench_work *>(work));
    return true;
}

const bench_peer bench_peer_partial_sort_rows = {"partial-sort-rows", true, true, false, supports, run};
