// tbb.cpp - oneTBB's parallel_reduce and parallel_scan, written as its manual shows.
#include "peer.h"

#include <functional>

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

namespace
{

using range = tbb::blocked_range<size_t>;

bool supports(const bench_work *work)
{
    const gp_type t = work->type;
    return (work->primitive == BENCH_REDUCE || work->primitive == BENCH_SCAN) && work->op == GP_SUM &&
           (t == GP_U32 || t == GP_U64 || t == GP_F32 || t == GP_F64);
}

template <typename T> T reduce(const T *in, size_t n)
{
    const auto body = [in](const range &r, T sum) {
        for (size_t i = r.begin(); i < r.end(); i++) sum += in[i];
        return sum;
    };
    return tbb::parallel_reduce(range(0, n), T{}, body, std::plus<T>());
}

template <typename T> void scan(const T *in, size_t n, T *out)
{
    const auto body = [in, out](const range &r, T sum, bool is_final) {
        for (size_t i = r.begin(); i < r.end(); i++) {
            sum += in[i];
            if (is_final) out[i] = sum;
        }
        return sum;
    };
    tbb::parallel_scan(range(0, n), T{}, body, std::plus<T>());
}

template <typename T> bool run_as(const bench_work *work)
{
    const T *in = static_cast<const T *>(work->host_in);
    T *out = static_cast<T *>(work->host_out);
    if (work->primitive == BENCH_REDUCE) *out = reduce(in, work->n);
    else scan(in, work->n, out);
    return true;
}

bool run(const bench_work *work)
{
    switch (work->type) {
    case GP_U32: return run_as<uint32_t>(work);
    case GP_U64: return run_as<uint64_t>(work);
    case GP_F32: return run_as<float>(work);
    case GP_F64: return run_as<double>(work);
    default: return false;
    }
}

} // namespace

const bench_peer bench_peer_tbb = {"tbb", true, false, true, supports, run};
