// gpuprim.hpp beside OpenCL's C++ bindings (HPP_BEFORE, HPP_AFTER), and in C++20 (DESIGNATED).
#ifdef HPP_BEFORE
#define CL_HPP_TARGET_OPENCL_VERSION 300
#include <CL/opencl.hpp>
#endif
#include "gpuprim.hpp"
#ifdef HPP_AFTER
#define CL_HPP_TARGET_OPENCL_VERSION 300
#include <CL/opencl.hpp>
#endif

void running_sums(gp_context *ctx, const gp::buffer<float> &in, const gp::view<double> &out)
{
    gp::scan(ctx, in, out);
}

#if defined(HPP_BEFORE) || defined(HPP_AFTER)
void running_sums(const cl::CommandQueue &queue, const cl::Buffer &in, const cl::Buffer &out, size_t n,
                  cl::Event &done)
{
    const gp::context ctx(queue);
    gp::scan(ctx, gp::view<int>(in, n), gp::view<int>(out, n, 3), gp::op::sum, gp::done(done));
}
#endif

#if defined(DESIGNATED) && __cplusplus >= 202002L
void before_each(gp_context *ctx, const gp::buffer<float> &in, const gp::buffer<float> &out, float limit)
{
    gp::scan(ctx, in, out, gp::op::max, {.exclusive = true});
    gp::sort(ctx, in, {.keys_out = out.get(), .descending = true});
    gp::select(ctx, in, out, {"x > limit", {gp::arg("limit", limit)}}, {.strategy = GP_STRATEGY_MULTI_PASS});
    gp::sort(ctx, {.keys = in.get(), .count = in.size(), .key_type = GP_F32});
}
#endif

int main() { return 0; }
