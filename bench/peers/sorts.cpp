// sorts.cpp - std::sort on one thread.
#include "sorts.h"

#include <algorithm>

static bool run(const bench_work *work)
{
    return sorts_run(work, [](auto begin, auto end) { std::sort(begin, end); });
}

const bench_peer bench_peer_std_sort = {"std-sort", true, false, false, sorts_supports, run};
