// tbb_sort.cpp - oneTBB's parallel_sort.
#include "sorts.h"

#include <tbb/parallel_sort.h>

static bool run(const bench_work *work)
{
    return sorts_run(work, [](auto begin, auto end) { tbb::parallel_sort(begin, end); });
}

const bench_peer bench_peer_tbb_sort = {"tbb-sort", true, false, true, sorts_supports, run};
