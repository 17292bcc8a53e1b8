// boost_compute.cpp - Boost.Compute on the same device, queue and buffers.
#include "peer.h"

#include <exception>

#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/reduce.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/functional/operator.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>

namespace
{

namespace compute = boost::compute;

bool supports(const bench_work *work)
{
    const gp_type t = work->type;
    return (work->primitive == BENCH_REDUCE || work->primitive == BENCH_SCAN) && work->op == GP_SUM &&
           (t == GP_U32 || t == GP_U64 || t == GP_F32 || t == GP_F64);
}

template <typename T> void run_as(const bench_work *work)
{
    compute::command_queue queue(work->queue);
    const compute::buffer in(work->in), out(work->out);
    const auto begin = compute::make_buffer_iterator<T>(in, 0);
    const auto end = compute::make_buffer_iterator<T>(in, work->n);
    const auto result = compute::make_buffer_iterator<T>(out, 0);
    if (work->primitive == BENCH_REDUCE) compute::reduce(begin, end, result, compute::plus<T>(), queue);
    else compute::inclusive_scan(begin, end, result, compute::plus<T>(), queue);
    queue.finish();
}

bool run(const bench_work *work)
try {
    switch (work->type) {
    case GP_U32: run_as<cl_uint>(work); return true;
    case GP_U64: run_as<cl_ulong>(work); return true;
    case GP_F32: run_as<cl_float>(work); return true;
    case GP_F64: run_as<cl_double>(work); return true;
    default: return false;
    }
} catch (const std::exception &) {
    return false;
}

} // namespace

const bench_peer bench_peer_boost_compute = {"boost-compute", false, false, false, supports, run};
