// sorted.cpp - std::merge on one thread; std::lower_bound on one thread and on all.
#include "peer.h"

#include <algorithm>

extern "C" {
#include "../harness/pool.h"
}

static bool supports_merge(const bench_work *work)
{
    const gp_type t = work->type;
    return work->primitive == BENCH_MERGE && !work->value_size &&
           (t == GP_U32 || t == GP_U64 || t == GP_F32 || t == GP_F64);
}

template <typename T> static bool merge_as(const bench_work *work)
{
    const T *a = static_cast<const T *>(work->host_in), *b = a + work->n / 2;
    std::merge(a, b, b, a + work->n, static_cast<T *>(work->host_out));
    return true;
}

static bool run_merge(const bench_work *work)
{
    switch (work->type) {
    case GP_U32: return merge_as<uint32_t>(work);
    case GP_U64: return merge_as<uint64_t>(work);
    case GP_F32: return merge_as<float>(work);
    default: return merge_as<double>(work);
    }
}

static bool supports_search(const bench_work *work) { return work->primitive == BENCH_SEARCH; }

static void search_part(void *user, unsigned thread, unsigned threads)
{
    const bench_work *work = static_cast<const bench_work *>(user);
    const size_t begin = work->n / threads * thread;
    const size_t end = thread == threads - 1 ? work->n : begin + work->n / threads;
    const uint32_t *keys = static_cast<const uint32_t *>(work->host_in);
    const uint32_t *needles = static_cast<const uint32_t *>(work->host_in2);
    uint32_t *out = static_cast<uint32_t *>(work->host_out);
    for (size_t i = begin; i < end; i++)
        out[i] = static_cast<uint32_t>(std::lower_bound(keys, keys + work->n, needles[i]) - keys);
}

static bool run_search(const bench_work *work)
{
    search_part(const_cast<bench_work *>(work), 0, 1);
    return true;
}

static bool run_search_threads(const bench_work *work)
{
    pool_run(work->pool, search_part, const_cast<bench_work *>(work));
    return true;
}

const bench_peer bench_peer_std_merge = {"std-merge", true, false, false, supports_merge, run_merge};
const bench_peer bench_peer_std_search = {"std-lower-bound", true, false, false, supports_search, run_search};
const bench_peer bench_peer_std_search_threads = {
    "std-lower-bound-threads", true, true, false, supports_search, run_search_threads};
