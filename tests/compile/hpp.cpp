// A C++ program that has OpenCL's C++ bindings too, before gpuprim or (HPP_AFTER) behind it, for any version
// of OpenCL (CL_HPP_TARGET_OPENCL_VERSION, CL_HPP_MINIMUM_OPENCL_VERSION).
#ifndef HPP_AFTER
#include <CL/opencl.hpp>
#endif
#define GP_IMPLEMENTATION
#include "gpuprim.h"
#ifdef HPP_AFTER
#include <CL/opencl.hpp>
#endif

gp_result running_sums(gp_context *gp, const cl::Buffer &a, const cl::Buffer &b, size_t n)
{
    gp_scan_desc d = {};
    d.in = a();
    d.out = b();
    d.count = n;
    d.type = GP_U32;
    d.op = GP_SUM;
    return gp_scan(gp, &d);
}

int main()
{
    cl::CommandQueue none;
    return none() == nullptr && gp_error_string(GP_OK) != nullptr ? 0 : 1;
}
