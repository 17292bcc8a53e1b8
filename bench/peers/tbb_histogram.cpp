// tbb_histogram.cpp - histograms as oneTBB's manual shows, a table a thread; and by the C++17 parallel
// algorithms, one table of atomic counts.
#include "peer.h"

#include <algorithm>
#include <atomic>
#include <execution>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/parallel_for.h>

namespace
{

bool supports(const bench_work *work) { return work->primitive == BENCH_HISTOGRAM; }

unsigned shift_of(const bench_work *work)
{
    unsigned shift = work->type == GP_U8 ? 8 : 32;
    for (size_t b = work->segments; b > 1; b /= 2) shift--;
    return shift;
}

template <typename T> bool run_tbb(const bench_work *work)
{
    const T *in = static_cast<const T *>(work->host_in);
    uint32_t *out = static_cast<uint32_t *>(work->host_out);
    const size_t bins = work->segments;
    const unsigned shift = shift_of(work);
    tbb::combinable<std::vector<uint32_t>> tables([bins] { return std::vector<uint32_t>(bins); });
    tbb::parallel_for(tbb::blocked_range<size_t>(0, work->n), [&](const tbb::blocked_range<size_t> &r) {
        uint32_t *table = tables.local().data();
        for (size_t i = r.begin(); i < r.end(); i++) table[in[i] >> shift]++;
    });
    std::fill(out, out + bins, 0u);
    tables.combine_each([out, bins](const std::vector<uint32_t> &table) {
        for (size_t b = 0; b < bins; b++) out[b] += table[b];
    });
    return true;
}

template <typename T> bool run_std(const bench_work *work)
{
    const T *in = static_cast<const T *>(work->host_in);
    const unsigned shift = shift_of(work);
    std::vector<std::atomic<uint32_t>> table(work->segments);
    std::for_each(std::execution::par, in, in + work->n,
                  [&](T x) { table[x >> shift].fetch_add(1, std::memory_order_relaxed); });
    std::copy(table.begin(), table.end(), static_cast<uint32_t *>(work->host_out));
    return true;
}

bool run_with_tbb(const bench_work *work)
{
    return work->type == GP_U8 ? run_tbb<uint8_t>(work) : run_tbb<uint32_t>(work);
}

bool run_with_std(const bench_work *work)
{
    return work->type == GP_U8 ? run_std<uint8_t>(work) : run_std<uint32_t>(work);
}

} // namespace

const bench_peer bench_peer_tbb_histogram = {"tbb", true, false, true, supports, run_with_tbb};
const bench_peer bench_peer_std_par_histogram = {"std-par", true, false, true, supports, run_with_std};
