// boost_sort.cpp - Boost.Sort's block_indirect_sort, and Boost.Compute's sort on the same device.
#include "sorts.h"

#include <exception>

#include <boost/compute/algorithm/copy_n.hpp>
#include <boost/compute/algorithm/sort.hpp>
#include <boost/compute/algorithm/sort_by_key.hpp>
#include <boost/compute/buffer.hpp>
#include <boost/compute/command_queue.hpp>
#include <boost/compute/iterator/buffer_iterator.hpp>
#include <boost/sort/sort.hpp>

static bool run_block_indirect(const bench_work *work)
{
    return sorts_run(work, [](auto begin, auto end) { boost::sort::block_indirect_sort(begin, end); });
}

const bench_peer bench_peer_block_indirect = {"block-indirect",  true, false, false, sorts_supports,
                                              run_block_indirect};

namespace compute = boost::compute;

template <typename T> static void sort_on_device(const bench_work *work)
{
    compute::command_queue queue(work->queue);
    const compute::buffer in(work->in), in2(work->in2), out(work->out);
    const auto begin = compute::make_buffer_iterator<T>(out, 0);
    const auto end = compute::make_buffer_iterator<T>(out, work->n);
    compute::copy_n(compute::make_buffer_iterator<T>(in, 0), work->n, begin, queue);
    if (work->value_size) {
        compute::copy_n(compute::make_buffer_iterator<cl_uint>(in2, 0), work->n,
                        compute::make_buffer_iterator<cl_uint>(out, work->n), queue);
        compute::sort_by_key(begin, end, compute::make_buffer_iterator<cl_uint>(out, work->n), queue);
    } else {
        compute::sort(begin, end, queue);
    }
    queue.finish();
}

static bool run_compute(const bench_work *work)
try {
    if (work->type == GP_U64) sort_on_device<cl_ulong>(work);
    else if (work->type == GP_F32) sort_on_device<cl_float>(work);
    else sort_on_device<cl_uint>(work);
    return true;
} catch (const std::exception &) {
    return false;
}

const bench_peer bench_peer_boost_compute_sort = {"boost-compute", false,          false,
                                                  false,           sorts_supports, run_compute};
