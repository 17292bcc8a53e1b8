// par_packs.cpp - the same with the parallel policy, which is oneTBB's in libstdc++; and oneTBB's own
// parallel_scan over counts, whose final pass writes.
#include <algorithm>
#include <execution>
#include <functional>

#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>

#include "packs.h"

static bool run_par(const bench_work *work)
{
    const auto policy = std::execution::par_unseq;
    return packs_run(
        work,
        [=](auto begin, auto end, auto out, auto below) { std::copy_if(policy, begin, end, out, below); },
        [=](auto begin, auto end, auto out, auto rest, auto below) {
            std::partition_copy(policy, begin, end, out, rest, below);
        },
        [=](auto begin, auto end, auto out) { std::unique_copy(policy, begin, end, out); });
}

// write(i, kept before i, kept)
template <typename Keep, typename Write> static void scan_and_write(size_t n, Keep keep, Write write)
{
    using range = tbb::blocked_range<size_t>;
    const auto body = [keep, write](const range &r, size_t kept, bool is_final) {
        for (size_t i = r.begin(); i < r.end(); i++) {
            const bool is_kept = keep(i);
            if (is_final) write(i, kept, is_kept);
            kept += is_kept;
        }
        return kept;
    };
    tbb::parallel_scan(range(0, n), size_t(0), body, std::plus<size_t>());
}

static bool run_tbb(const bench_work *work)
{
    return packs_run(
        work,
        [](auto begin, auto end, auto out, auto below) {
            scan_and_write(
                end - begin, [=](size_t i) { return below(begin[i]); },
                [=](size_t i, size_t kept, bool is_kept) {
                    if (is_kept) out[kept] = begin[i];
                });
        },
        [](auto begin, auto end, auto out, auto rest, auto below) {
            scan_and_write(
                end - begin, [=](size_t i) { return below(begin[i]); },
                [=](size_t i, size_t kept, bool is_kept) {
                    *(is_kept ? out + kept : rest + (i - kept)) = begin[i];
                });
        },
        [](auto begin, auto end, auto out) {
            scan_and_write(
                end - begin, [=](size_t i) { return i == 0 || begin[i] != begin[i - 1]; },
                [=](size_t i, size_t kept, bool is_kept) {
                    if (is_kept) out[kept] = begin[i];
                });
        });
}

const bench_peer bench_peer_par_pack = {"std-par", true, false, true, packs_supports, run_par};
const bench_peer bench_peer_tbb_pack = {"tbb", true, false, true, packs_supports, run_tbb};
