// par_merge.cpp - std::merge with the parallel policy, which is oneTBB's in libstdc++.
#include "peer.h"

#include <algorithm>
#include <execution>

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_MERGE && !work->value_size &&
           (work->type == GP_U32 || work->type == GP_U64);
}

template <typename T> static bool merge_as(const bench_work *work)
{
    const T *a = static_cast<const T *>(work->host_in), *b = a + work->n / 2;
    std::merge(std::execution::par_unseq, a, b, b, a + work->n, static_cast<T *>(work->host_out));
    return true;
}

static bool run(const bench_work *work)
{
    return work->type == GP_U32 ? merge_as<uint32_t>(work) : merge_as<uint64_t>(work);
}

const bench_peer bench_peer_par_merge = {"std-par-merge", true, false, true, supports, run};
