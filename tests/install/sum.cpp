// The same in C++20 beside OpenCL's C++ bindings: before gpuprim, or after it (HPP_AFTER).
#define CL_HPP_TARGET_OPENCL_VERSION 300
#ifndef HPP_AFTER
#include <CL/opencl.hpp>
#endif
#define GP_IMPLEMENTATION
#include "gpuprim.h"
#ifdef HPP_AFTER
#include <CL/opencl.hpp>
#endif
#include <cstdio>
#include <numeric>
#include <vector>

int main()
{
    std::vector<uint32_t> data(1000), sums(data.size()), expected(data.size());
    std::iota(data.begin(), data.end(), 0u);
    std::partial_sum(data.begin(), data.end(), expected.begin());

    gp_context_desc device{};
    gp_context *gp;
    if (gp_context_create(&device, &gp) != GP_OK) return std::puts(gp_last_error(nullptr)), 1;
    {
        cl::Context context(gp_cl_context(gp), true);
        cl::CommandQueue queue(gp_cl_queue(gp), true);
        cl::Buffer in(context, data.begin(), data.end(), true),
            out(context, CL_MEM_READ_WRITE, data.size() * 4);
        gp_scan_desc scan{.in = in(), .out = out(), .count = data.size(), .type = GP_U32, .op = GP_SUM};
        if (gp_scan(gp, &scan) != GP_OK) return std::puts(gp_last_error(gp)), 1;
        if (cl::copy(queue, out, sums.begin(), sums.end()) != CL_SUCCESS) return 1;
    }
    gp_context_destroy(gp);
    return sums != expected;
}
