/* shadow.c - helps Oclgrind 21.10 to know what has been written (--uninitialized). `make races` links the
   tests with it (--wrap). Of what the host does, Oclgrind notes too little:

       clEnqueueFillBuffer   is not seen as writing: a kernel fills here
       clEnqueueCopyBuffer   counts as writing, and its bytes as all that the buffer has: a kernel copies here
       clReleaseMemObject    the next buffer in that place is taken for the old one, and for as long as that:
                             buffers stay here

   Of what kernels do, it takes lane 11 of a vector's part for never written (it compares the lane with LLVM's
   number for undefined values): programs are built with GPI_LANE_BY_LANE (kernels/common/base/platform.cl).

   clEnqueueWriteBuffer has the second fault, too; the library and the tests write whole buffers. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

cl_int __real_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);
cl_int __wrap_clBuildProgram(cl_program, cl_uint, const cl_device_id *, const char *,
                             void(CL_CALLBACK *)(cl_program, void *), void *);
cl_mem __real_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_mem __wrap_clCreateBuffer(cl_context, cl_mem_flags, size_t, void *, cl_int *);
cl_int __real_clEnqueueFillBuffer(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint,
                                  const cl_event *, cl_event *);
cl_int __wrap_clEnqueueFillBuffer(cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint,
                                  const cl_event *, cl_event *);
cl_int __real_clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                                  const cl_event *, cl_event *);
cl_int __wrap_clEnqueueCopyBuffer(cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
                                  const cl_event *, cl_event *);

/* An item does 64 elements. */
static const char source[] =
    "__kernel void fill(__global uint *to, ulong at, ulong n, uint x)\n"
    "{\n"
    "    for (ulong i = get_global_id(0) * 64; i < min(n, (get_global_id(0) + 1) * 64); i++)\n"
    "        to[at + i] = x;\n"
    "}\n"
    "__kernel void copy(__global uchar *to, ulong at, ulong n, __global const uchar *from, ulong from_at)\n"
    "{\n"
    "    for (ulong i = get_global_id(0) * 64; i < min(n, (get_global_id(0) + 1) * 64); i++)\n"
    "        to[at + i] = from[from_at + i];\n"
    "}\n";

/* ------------------------------------------------------------------ a program for each context */

typedef struct helper {
    cl_context context; /* which the program keeps alive, so that no other can have its address */
    cl_program program;
    struct helper *next;
} helper;

static helper *helpers;
static pthread_mutex_t helpers_lock = PTHREAD_MUTEX_INITIALIZER;

static helper *helper_make(cl_context context)
{
    const char *text = source;
    helper *h = malloc(sizeof *h);
    if (!h) abort();
    h->context = context;
    h->program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (clBuildProgram(h->program, 0, NULL, "-cl-std=CL1.2", NULL, NULL) != CL_SUCCESS) abort();
    h->next = helpers;
    helpers = h;
    return h;
}

static cl_kernel kernel_of(cl_context context, const char *name)
{
    helper *h;
    cl_kernel kernel;
    pthread_mutex_lock(&helpers_lock);
    for (h = helpers; h && h->context != context;) h = h->next;
    if (!h) h = helper_make(context);
    kernel = clCreateKernel(h->program, name, NULL);
    pthread_mutex_unlock(&helpers_lock);
    if (!kernel) abort();
    return kernel;
}

/* The kernel over n elements of `to` from `at` on; NULL when the arguments are for the real function to
 * refuse. */
static cl_kernel kernel_begin(cl_command_queue queue, const char *name, cl_mem to, size_t at, size_t n)
{
    const cl_ulong wide_at = at, wide_n = n;
    cl_context context;
    cl_kernel kernel;
    if (!n || clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL) != CL_SUCCESS)
        return NULL;
    kernel = kernel_of(context, name);
    if (clSetKernelArg(kernel, 0, sizeof to, &to) == CL_SUCCESS &&
        clSetKernelArg(kernel, 1, sizeof wide_at, &wide_at) == CL_SUCCESS &&
        clSetKernelArg(kernel, 2, sizeof wide_n, &wide_n) == CL_SUCCESS)
        return kernel;
    clReleaseKernel(kernel);
    return NULL;
}

static cl_int kernel_run(cl_command_queue queue, cl_kernel kernel, size_t n, cl_uint wait_count,
                         const cl_event *wait, cl_event *done)
{
    const size_t items = (n + 63) / 64, one = 1;
    const cl_int error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &one, wait_count, wait, done);
    clReleaseKernel(kernel);
    return error;
}

/* ------------------------------------------------------------------ instead of OpenCL's own */

cl_int __wrap_clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices,
                             const char *options, void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    static const char more[] = " -DGPI_LANE_BY_LANE=1";
    const size_t size = options ? strlen(options) : 0;
    char *all = malloc(size + sizeof more);
    cl_int error;
    if (!all) abort();
    if (size > 0) memcpy(all, options, size);
    memcpy(all + size, more, sizeof more);
    error = __real_clBuildProgram(program, count, devices, all, notify, user);
    free(all);
    return error;
}

cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error)
{
    cl_mem buffer = __real_clCreateBuffer(context, flags, size, host, error);
    if (buffer) clRetainMemObject(buffer);
    return buffer;
}

cl_int __wrap_clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern,
                                  size_t pattern_size, size_t offset, size_t size, cl_uint wait_count,
                                  const cl_event *wait, cl_event *done)
{
    const bool fits = pattern_size == 4 && offset % 4 == 0 && size % 4 == 0;
    cl_kernel kernel = fits ? kernel_begin(queue, "fill", buffer, offset / 4, size / 4) : NULL;
    if (!kernel)
        return __real_clEnqueueFillBuffer(queue, buffer, pattern, pattern_size, offset, size, wait_count,
                                          wait, done);
    clSetKernelArg(kernel, 3, 4, pattern);
    return kernel_run(queue, kernel, size / 4, wait_count, wait, done);
}

cl_int __wrap_clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                                  size_t to_offset, size_t size, cl_uint wait_count, const cl_event *wait,
                                  cl_event *done)
{
    const cl_ulong wide_from = from_offset;
    cl_kernel kernel = kernel_begin(queue, "copy", to, to_offset, size);
    if (!kernel)
        return __real_clEnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, wait_count, wait,
                                          done);
    clSetKernelArg(kernel, 3, sizeof from, &from);
    clSetKernelArg(kernel, 4, sizeof wide_from, &wide_from);
    return kernel_run(queue, kernel, size, wait_count, wait, done);
}
