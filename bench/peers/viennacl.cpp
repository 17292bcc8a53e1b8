// viennacl.cpp - ViennaCL on the same device, queue and buffers: sums, scans, inner products. It has no sort.
#include "peer.h"

#include <exception>

#define VIENNACL_WITH_OPENCL
// Its headers have warnings of their own.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wdeprecated-copy"
#include <viennacl/linalg/inner_prod.hpp>
#include <viennacl/linalg/sum.hpp>
#include <viennacl/linalg/vector_operations.hpp>
#include <viennacl/scalar.hpp>
#include <viennacl/vector.hpp>

namespace
{

// Its scan carries sums from block to block as unsigned ints, which is wrong for floats.
bool supports(const bench_work *work)
{
    const gp_type t = work->type;
    if (work->op != GP_SUM) return false;
    if (work->primitive == BENCH_SCAN) return t == GP_U32;
    if (work->primitive == BENCH_DOT) return t == GP_F32;
    return work->primitive == BENCH_REDUCE && (t == GP_U32 || t == GP_F32 || t == GP_F64);
}

// The context is gpbench's, and there is one.
void use_context(const bench_work *work)
{
    static bool done = false;
    if (done) return;
    viennacl::ocl::setup_context(1, work->context, work->device, work->queue);
    viennacl::ocl::switch_context(1);
    done = true;
}

template <typename T> void run_as(const bench_work *work)
{
    viennacl::vector<T> in(work->in, work->n);
    if (work->primitive == BENCH_SCAN) {
        viennacl::vector<T> out(work->out, work->n);
        viennacl::linalg::inclusive_scan(in, out);
    } else {
        viennacl::scalar<T> out(work->out, 1);
        out.handle().opencl_handle().context(viennacl::ocl::current_context()); // the constructor does not
        if (work->primitive == BENCH_DOT) {
            viennacl::vector<T> in2(work->in2, work->n);
            out = viennacl::linalg::inner_prod(in, in2);
        } else {
            out = viennacl::linalg::sum(in);
        }
    }
    clFinish(work->queue);
}

bool run(const bench_work *work)
try {
    use_context(work);
    switch (work->type) {
    case GP_U32: run_as<cl_uint>(work); return true;
    case GP_F32: run_as<cl_float>(work); return true;
    case GP_F64: run_as<cl_double>(work); return true;
    default: return false;
    }
} catch (const std::exception &) {
    return false;
}

} // namespace

const bench_peer bench_peer_viennacl = {"viennacl", false, false, false, supports, run};
