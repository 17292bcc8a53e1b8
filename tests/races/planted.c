/* planted.c - kernels with one fault each, which `make races` must find: is Oclgrind looking at all?

   usage: planted KERNEL */
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"

#include <stdio.h>

static const char source[] =
    "__kernel void global_race(__global uint *x) { x[0] = get_global_id(0); }\n"
    "__kernel void local_race(__global uint *x)\n"
    "{\n"
    "    __local uint y[1];\n"
    "    y[0] = get_local_id(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    x[get_global_id(0)] = y[0];\n"
    "}\n"
    "__kernel void out_of_bounds(__global uint *x) { x[get_global_id(0) + 1] = 1; }\n"
    "__kernel void never_written(__global uint *x) { if (x[get_global_id(0)] == 7) x[get_global_id(0)] = 8; "
    "}\n";

enum { ITEMS = 8, GROUP = 4 };

/* A buffer that nobody has written, where one has been that was. */
static cl_mem make_buffer(cl_context context, cl_command_queue queue)
{
    const cl_uint zero = 0;
    cl_mem written = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * 4, NULL, NULL);
    (void)clEnqueueFillBuffer(queue, written, &zero, sizeof zero, 0, ITEMS * 4, 0, NULL, NULL);
    (void)clFinish(queue);
    (void)clReleaseMemObject(written);
    return clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * 4, NULL, NULL);
}

static cl_int run(cl_context context, cl_command_queue queue, const char *name)
{
    const char *text = source;
    const size_t items = ITEMS, group = GROUP;
    cl_mem x = make_buffer(context, queue);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    cl_int error = clBuildProgram(program, 0, NULL, "-cl-std=CL1.2 -cl-opt-disable", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, name, NULL);
    if (error == CL_SUCCESS) error = clSetKernelArg(kernel, 0, sizeof x, &x);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL);
    if (error == CL_SUCCESS) error = clFinish(queue);
    (void)clReleaseKernel(kernel);
    (void)clReleaseProgram(program);
    (void)clReleaseMemObject(x);
    return error;
}

int main(int count, char **arguments)
{
    const gp_context_desc desc = {0};
    gp_context *gp = NULL;
    const gp_result result = gp_context_create(&desc, &gp);
    cl_int error;
    if (count != 2 || result != GP_OK) {
        fprintf(stderr, "planted: %s\n", count != 2 ? "usage: planted KERNEL" : gp_last_error(NULL));
        return 2;
    }
    error = run(gp_cl_context(gp), gp_cl_queue(gp), arguments[1]);
    gp_context_destroy(gp);
    if (error != CL_SUCCESS) fprintf(stderr, "planted: OpenCL error %d\n", (int)error);
    return error == CL_SUCCESS ? 0 : 2;
}
