// sorts.cpp - std::sort, and std::stable_sort of records, on one thread.
#include "sorts.h"

#include <algorithm>

static bool run(const bench_work *work)
{
    return sorts_run(work, [](auto begin, auto end) { std::sort(begin, end); });
}

static bool supports_records(const bench_work *work) { return work->primitive == BENCH_SORT_RECORDS; }

static bool run_stable(const bench_work *work)
{
    return sorts_records(work, [](auto begin, auto end) { std::stable_sort(begin, end); });
}

const bench_peer bench_peer_std_stable_sort = {"std-stable-sort", true,      false, false,
                                               supports_records,  run_stable};

const bench_peer bench_peer_std_sort = {"std-sort", true, false, false, sorts_supports, run};
