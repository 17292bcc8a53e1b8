/* Chapter "Your own queue". */
#include "manual.h"

/* Objects as a program has them that uses OpenCL already. */
static cl_command_queue make_queue(cl_command_queue_properties properties)
{
    gp_context *gp = open_context();
    cl_int error;
    cl_command_queue queue = clCreateCommandQueue(gp_cl_context(gp), gp_cl_device(gp), properties, &error);
    EXPECT(error == CL_SUCCESS);
    gp_context_destroy(gp); /* the queue holds on to its cl_context */
    return queue;
}

static const char *kernel_source = "__kernel void squares(__global uint *out)\n"
                                   "{ out[get_global_id(0)] = get_global_id(0) * get_global_id(0); }\n";

static cl_kernel make_kernel(gp_context *gp)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(gp_cl_context(gp), 1, &kernel_source, NULL, &error);
    EXPECT(error == CL_SUCCESS && clBuildProgram(program, 0, NULL, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(program, "squares", &error);
    EXPECT(error == CL_SUCCESS);
    clReleaseProgram(program);
    return kernel;
}

static void in_order(void)
{
    cl_command_queue queue = make_queue(0);
    uint32_t total = 0;
    /* [hand-over] */
    gp_context_desc desc = {.queue = queue}; /* its cl_context and device come with it */
    gp_context *gp;
    if (gp_context_create(&desc, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    /* [/hand-over] */
    cl_kernel kernel = make_kernel(gp);
    cl_mem numbers = buffer_of(gp, 1000 * sizeof(uint32_t), NULL);
    cl_mem result = buffer_of(gp, sizeof(uint32_t), NULL);
    const size_t n = 1000;
    /* [kernel] */
    TRY_CL(clSetKernelArg(kernel, 0, sizeof numbers, &numbers));
    TRY_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, NULL)); /* yours */
    gp_reduce_desc sum = {
        .in = numbers, .out = result, .count = n, .type = GP_U32, .out_type = GP_U32, .op = GP_SUM};
    TRY(gp_reduce(gp, &sum)); /* runs after your kernel */
    /* And this runs after both: */
    TRY_CL(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof total, &total, 0, NULL, NULL));
    /* [/kernel] */
    EXPECT(total == 332833500);
    clReleaseMemObject(numbers);
    clReleaseMemObject(result);
    clReleaseKernel(kernel);
    gp_context_destroy(gp);
    clReleaseCommandQueue(queue);
}

static void out_of_order(void)
{
    cl_command_queue queue = make_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    gp_context_desc desc = {.queue = queue};
    gp_context *gp;
    uint32_t total = 0;
    const size_t n = 1000;
    if (gp_context_create(&desc, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    cl_kernel kernel = make_kernel(gp);
    cl_mem numbers = buffer_of(gp, n * sizeof(uint32_t), NULL);
    cl_mem result = buffer_of(gp, sizeof(uint32_t), NULL);
    TRY_CL(clSetKernelArg(kernel, 0, sizeof numbers, &numbers));
    /* [events] */
    cl_event squared, summed;
    TRY_CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n, NULL, 0, NULL, &squared));
    gp_reduce_desc sum = {.in = numbers,
                          .out = result,
                          .count = n,
                          .type = GP_U32,
                          .out_type = GP_U32,
                          .op = GP_SUM,
                          .wait = &squared,
                          .wait_count = 1,
                          .done = &summed};
    TRY(gp_reduce(gp, &sum));
    TRY_CL(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof total, &total, 1, &summed, NULL));
    clReleaseEvent(squared);
    clReleaseEvent(summed);
    /* [/events] */
    EXPECT(total == 332833500);
    clReleaseMemObject(numbers);
    clReleaseMemObject(result);
    clReleaseKernel(kernel);
    gp_context_destroy(gp);
    clReleaseCommandQueue(queue);
}

static void two_queues(void)
{
    gp_context *gp = open_context();
    cl_mem numbers = buffer_of(gp, 1000 * sizeof(uint32_t), NULL);
    /* [share] */
    gp_context_desc desc = {.share = gp}; /* the same cl_context, a queue of its own, and gp's programs */
    gp_context *second;
    if (gp_context_create(&desc, &second) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    /* [/share] */
    /* [across] */
    cl_event written;
    gp_iota_desc iota = {.out = numbers, .type = GP_U32, .count = 1000, .done = &written};
    TRY(gp_iota(gp, &iota));
    clFlush(gp_cl_queue(gp)); /* calls do not flush, and another queue waits */
    uint64_t total;
    gp_reduce_desc sum = {
        .in = numbers, .count = 1000, .type = GP_U32, .op = GP_SUM, .wait = &written, .wait_count = 1};
    if (gp_reduce_read(second, &sum, &total) != GP_OK) puts(gp_last_error(second));
    clReleaseEvent(written);
    /* [/across] */
    EXPECT(total == 499500);
    gp_context_destroy(second);
    clReleaseMemObject(numbers);
    gp_context_destroy(gp);
}

int main(void)
{
    in_order();
    out_of_order();
    two_queues();
    return 0;
}
