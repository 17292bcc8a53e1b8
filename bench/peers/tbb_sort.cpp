// tbb_sort.cpp - oneTBB's parallel_sort.
#include "sorts.h"

#include <tbb/parallel_sort.h>

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_SORT_RECORDS || sorts_supports(work);
}

static bool run(const bench_work *work)
{
    const auto sort = [](auto begin, auto end) { tbb::parallel_sort(begin, end); };
    return work->primitive == BENCH_SORT_RECORDS ? sorts_records(work, sort) : sorts_run(work, sort);
}

const bench_peer bench_peer_tbb_sort = {"tbb-sort", true, false, true, supports, run};
