// boost_map.cpp - Boost.Compute's transform, fill and gather on the same device, queue and buffers.
#include "peer.h"

#include <exception>

#include <boost/compute/algorithm/fill.hpp>
#include <boost/compute/algorithm/gather.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/compute/lambda.hpp>

namespace
{

namespace compute = boost::compute;

bool supports(const bench_work *work)
{
    return (work->primitive == BENCH_TRANSFORM || work->primitive == BENCH_FILL ||
            work->primitive == BENCH_GATHER) &&
           work->type == GP_U32;
}

bool run(const bench_work *work)
try {
    using compute::lambda::_1;
    compute::command_queue queue(work->queue);
    const compute::buffer in(work->in), out(work->out);
    const auto begin = compute::make_buffer_iterator<cl_uint>(in, 0);
    const auto end = compute::make_buffer_iterator<cl_uint>(in, work->n);
    const auto result = compute::make_buffer_iterator<cl_uint>(out, 0);
    const auto result_end = compute::make_buffer_iterator<cl_uint>(out, work->n);
    switch (work->primitive) {
    case BENCH_TRANSFORM: compute::transform(begin, end, result, _1 * 3 + 1, queue); break;
    case BENCH_FILL: compute::fill(result, result_end, cl_uint(42), queue); break;
    case BENCH_GATHER: {
        const compute::buffer in2(work->in2);
        compute::gather(compute::make_buffer_iterator<cl_uint>(in2, 0),
                        compute::make_buffer_iterator<cl_uint>(in2, work->n), begin, result, queue);
        break;
    }
    default: return false;
    }
    queue.finish();
    return true;
} catch (const std::exception &) {
    return false;
}

} // namespace

const bench_peer bench_peer_boost_compute_map = {"boost-compute", false, false, false, supports, run};
