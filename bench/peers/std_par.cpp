// std_par.cpp - the C++17 parallel algorithms; libstdc++ has them on TBB.
#include "peer.h"

#include <execution>
#include <numeric>

namespace
{

bool supports(const bench_work *work)
{
    const gp_type t = work->type;
    return (work->primitive == BENCH_REDUCE || work->primitive == BENCH_SCAN) && work->op == GP_SUM &&
           (t == GP_U32 || t == GP_U64 || t == GP_F32 || t == GP_F64);
}

template <typename T> bool run_as(const bench_work *work)
{
    const T *in = static_cast<const T *>(work->host_in);
    T *out = static_cast<T *>(work->host_out);
    if (work->primitive == BENCH_REDUCE) *out = std::reduce(std::execution::par_unseq, in, in + work->n, T{});
    else std::inclusive_scan(std::execution::par_unseq, in, in + work->n, out);
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

const bench_peer bench_peer_std_par = {"std-par", true, false, true, supports, run};
