/* large.c - calls with more elements than 32 bits count, on a device whose memory holds them.

   Inputs are made and results compared on the device, by plain kernels that are not the library's. Prints a line of
   JSON; what the library refuses, or memory does not hold, is told and no failure.

   usage: large --list | large NAME COUNT */
#define _POSIX_C_SOURCE 200809L
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"
#include "large.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 1 << 18, CASES = sizeof large_cases / sizeof *large_cases };

static const char *const source =
    "#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable\n"
    "#define EACH(count) for (ulong i = get_global_id(0); i < (count); i += get_global_size(0))\n"
    "__kernel void make_in(__global IN *a, ulong n) { EACH(n) a[i] = (IN)(MAKE_IN); }\n"
    "__kernel void make_in2(__global IN2 *a, ulong n) { EACH(COUNT_IN2) a[i] = (IN2)(MAKE_IN2); }\n"
    "__kernel void make_ones(__global OUT *a, ulong n) { EACH(n) a[i] = 1; }\n"
    "__kernel void compare(__global const OUT *a, ulong n, volatile __global uint *wrong)\n"
    "{\n"
    "    EACH(COUNT_OUT) if (a[i] != (OUT)(EXPECTED)) atomic_inc(wrong);\n"
    "}\n"
    "__kernel void is_sorted(__global const OUT *a, ulong n, volatile __global uint *wrong)\n"
    "{\n"
    "    EACH(n - 1) if (a[i] > a[i + 1]) atomic_inc(wrong);\n"
    "}\n"
    "__kernel void hash(__global const OUT *a, ulong n, volatile __global uint *sum)\n"
    "{\n"
    "    uint h = 0;\n"
    "    EACH(n) h += ((uint)a[i] + 1) * 2654435761u ^ ((uint)a[i] << 7);\n"
    "    atomic_add(sum, h);\n"
    "}\n";

static const char *type_of(unsigned size) { return size == 8 ? "ulong" : size == 4 ? "uint" : "uchar"; }

static int report(const large_case *c, uint64_t n, const char *result, const char *text, double seconds)
{
    printf("{\"large\": \"%s\", \"n\": %" PRIu64 ", \"result\": \"%s\", \"seconds\": %.3f, \"text\": \"",
           c->name, n, result, seconds);
    for (; *text; text++) putchar(*text == '"' || *text == '\\' || (unsigned char)*text < ' ' ? ' ' : *text);
    puts("\"}");
    return strcmp(result, "WRONG") == 0 || strcmp(result, "failed") == 0;
}

/* ------------------------------------------------------------------ the program's own kernels */

static cl_program build(const large *l, const large_case *c)
{
    char text[8192];
    const char *p = text;
    cl_device_id device = gp_cl_device(l->gp);
    cl_int error;
    cl_program program;
    snprintf(text, sizeof text,
             "#define IN %s\n#define MAKE_IN %s\n#define IN2 %s\n#define MAKE_IN2 %s\n#define COUNT_IN2 %s\n"
             "#define OUT %s\n#define EXPECTED %s\n#define COUNT_OUT %s\n%s",
             type_of(c->in_size), c->in_size ? c->in : "0", type_of(c->in2_size), c->in2_size ? c->in2 : "0",
             c->in2_size ? c->in2_count : "0", type_of(c->out_size), c->expected ? c->expected : "0",
             c->out_count, source);
    program = clCreateProgramWithSource(gp_cl_context(l->gp), 1, &p, NULL, &error);
    if (clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL) == CL_SUCCESS) return program;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
    fprintf(stderr, "large: %s\n", text);
    exit(2);
}

static void launch(const large *l, cl_program program, const char *name, cl_mem array, cl_mem counter)
{
    const size_t global = ITEMS;
    const cl_ulong n = l->n;
    cl_int error;
    cl_kernel kernel = clCreateKernel(program, name, &error);
    if (error == CL_SUCCESS) error = clSetKernelArg(kernel, 0, sizeof array, &array);
    if (error == CL_SUCCESS) error = clSetKernelArg(kernel, 1, sizeof n, &n);
    if (error == CL_SUCCESS && counter) error = clSetKernelArg(kernel, 2, sizeof counter, &counter);
    if (error == CL_SUCCESS)
        error = clEnqueueNDRangeKernel(gp_cl_queue(l->gp), kernel, 1, NULL, &global, NULL, 0, NULL, NULL);
    if (error == CL_SUCCESS) error = clFinish(gp_cl_queue(l->gp));
    if (error != CL_SUCCESS) {
        fprintf(stderr, "large: %s failed (%d)\n", name, (int)error);
        exit(2);
    }
    clReleaseKernel(kernel);
}

static cl_uint counted(const large *l, cl_program program, const char *name, cl_mem array)
{
    cl_uint count = 0;
    cl_mem counter;
    if (gp_buffer_create(l->gp, sizeof count, &count, &counter) != GP_OK) exit(2);
    launch(l, program, name, array, counter);
    clEnqueueReadBuffer(gp_cl_queue(l->gp), counter, CL_TRUE, 0, sizeof count, &count, 0, NULL, NULL);
    clReleaseMemObject(counter);
    return count;
}

/* How many elements are wrong; of a sort one more where the keys are not the input's. */
static cl_uint wrong_elements(const large *l, const large_case *c, cl_program program)
{
    if (c->expected) return counted(l, program, "compare", l->out);
    return counted(l, program, "is_sorted", l->out) +
           (counted(l, program, "hash", l->in) != counted(l, program, "hash", l->out));
}

/* ------------------------------------------------------------------ a case */

static bool make_buffer(const large *l, unsigned size, uint64_t count, cl_mem *out)
{
    *out = NULL;
    return size == 0 || gp_buffer_create(l->gp, (size_t)(size * (count + 16)), NULL, out) == GP_OK;
}

static bool open_buffers(large *l, const large_case *c, cl_program program)
{
    if (!make_buffer(l, c->in_size, l->n, &l->in)) return false;
    if (!make_buffer(l, c->in2_size, strcmp(c->in2_count, "n") == 0 ? l->n : 1 << 16, &l->in2)) return false;
    if (!make_buffer(l, c->out_size, l->n > 1 << 16 ? l->n : 1 << 16, &l->out)) return false;
    if (l->in) launch(l, program, "make_in", l->in, NULL);
    if (l->in2) launch(l, program, "make_in2", l->in2, NULL);
    launch(l, program, "make_ones", l->out, NULL);
    return true;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int run_case(const large_case *c, uint64_t n)
{
    const gp_context_desc desc = {0};
    large l = {.n = n};
    cl_program program;
    gp_result result;
    double began;
    cl_uint wrong;
    char text[64];
    if (gp_context_create(&desc, &l.gp) != GP_OK) return report(c, n, "failed", gp_last_error(NULL), 0);
    program = build(&l, c);
    if (!open_buffers(&l, c, program)) return report(c, n, "no memory", gp_last_error(l.gp), 0);
    began = now();
    result = c->run(&l);
    if (result == GP_OK) result = gp_finish(l.gp);
    began = now() - began;
    if (result == GP_ERROR_COUNT_LIMIT || result == GP_ERROR_UNSUPPORTED)
        return report(c, n, "refused", gp_last_error(l.gp), 0);
    if (result == GP_ERROR_OUT_OF_DEVICE_MEMORY || result == GP_ERROR_OUT_OF_HOST_MEMORY)
        return report(c, n, "no memory", gp_last_error(l.gp), 0);
    if (result != GP_OK) return report(c, n, "failed", gp_last_error(l.gp), 0);
    wrong = wrong_elements(&l, c, program);
    snprintf(text, sizeof text, "%u elements wrong", (unsigned)wrong);
    return report(c, n, wrong ? "WRONG" : "right", wrong ? text : "", began);
}

int main(int argc, char **argv)
{
    size_t i;
    for (i = 0; argc == 2 && strcmp(argv[1], "--list") == 0 && i < CASES; i++) puts(large_cases[i].name);
    if (argc == 2 && i == CASES) return 0;
    for (i = 0; argc == 3 && i < CASES; i++)
        if (strcmp(argv[1], large_cases[i].name) == 0)
            return run_case(&large_cases[i], strtoull(argv[2], NULL, 10));
    fprintf(stderr, "usage: large --list | large NAME COUNT\n");
    return 2;
}
