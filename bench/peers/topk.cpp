// topk.cpp - the largest k keys with the standard library, on one thread; keys only.
#include "peer.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_TOPK && (work->type == GP_U32 || work->type == GP_F32);
}

template <typename T> static bool partial_sort_keys(const bench_work *work)
{
    const T *in = static_cast<const T *>(work->host_in);
    T *out = static_cast<T *>(work->host_out);
    std::partial_sort_copy(in, in + work->n, out, out + work->k, std::greater<T>());
    return true;
}

template <typename T> static bool nth_element_keys(const bench_work *work)
{
    static std::vector<T> copy; // nth_element reorders
    const T *in = static_cast<const T *>(work->host_in);
    copy.assign(in, in + work->n);
    std::nth_element(copy.begin(), copy.begin() + (work->k - 1), copy.end(), std::greater<T>());
    std::sort(copy.begin(), copy.begin() + work->k, std::greater<T>());
    std::memcpy(work->host_out, copy.data(), work->k * sizeof(T));
    return true;
}

static bool run_partial_sort(const bench_work *work)
{
    return work->type == GP_U32 ? partial_sort_keys<uint32_t>(work) : partial_sort_keys<float>(work);
}

static bool run_nth_element(const bench_work *work)
{
    return work->type == GP_U32 ? nth_element_keys<uint32_t>(work) : nth_element_keys<float>(work);
}

static bool supports_ranks(const bench_work *work)
{
    return work->primitive == BENCH_NTH_ELEMENT && work->type == GP_F32;
}

// Each rank among the keys that the rank before has left behind it.
static bool run_ranks(const bench_work *work)
{
    static std::vector<float> copy;
    const float *in = static_cast<const float *>(work->host_in);
    size_t begin = 0;
    copy.assign(in, in + work->n);
    for (size_t r = 0; r < work->k; r++) {
        const size_t rank = (r + 1) * (work->n - 1) / (work->k + 1);
        std::nth_element(copy.begin() + begin, copy.begin() + rank, copy.end());
        static_cast<float *>(work->host_out)[r] = copy[rank];
        begin = rank;
    }
    return true;
}

const bench_peer bench_peer_nth_element_ranks = {"nth-element", true,           false,
                                                 false,         supports_ranks, run_ranks};
const bench_peer bench_peer_partial_sort = {"partial-sort", true, false, false, supports, run_partial_sort};
const bench_peer bench_peer_nth_element = {"nth-element", true, false, false, supports, run_nth_element};
