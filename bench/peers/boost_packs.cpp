// boost_packs.cpp - Boost.Compute's copy_if, partition_copy and unique_copy, on the same device and buffers.
#include "packs.h"

#include <exception>

#include <boost/compute/algorithm/copy_if.hpp>
#include <boost/compute/algorithm/partition_copy.hpp>
#include <boost/compute/algorithm/unique_copy.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/lambda.hpp>

namespace compute = boost::compute;

static bool run(const bench_work *work)
try {
    compute::command_queue queue(work->queue);
    const compute::buffer in(work->in), out(work->out);
    const auto begin = compute::make_buffer_iterator<cl_uint>(in, 0);
    const auto end = compute::make_buffer_iterator<cl_uint>(in, work->n);
    const auto result = compute::make_buffer_iterator<cl_uint>(out, 0);
    const auto rest = compute::make_buffer_iterator<cl_uint>(out, work->n);
    const cl_uint k = static_cast<cl_uint>(work->k);
    using compute::lambda::_1;
    if (work->primitive == BENCH_SELECT) compute::copy_if(begin, end, result, _1 < k, queue);
    if (work->primitive == BENCH_PARTITION) compute::partition_copy(begin, end, result, rest, _1 < k, queue);
    if (work->primitive == BENCH_UNIQUE) compute::unique_copy(begin, end, result, queue);
    queue.finish();
    return true;
} catch (const std::exception &) {
    return false;
}

const bench_peer bench_peer_boost_pack = {"boost-compute", false, false, false, packs_supports, run};
