/* Chapter "From CUB". */
#include "manual.h"

static gp_context *gp;

static void scan(cl_mem in, cl_mem out, size_t n)
{
    /* [scan] */
    gp_scan_desc sums = {.in = in, .out = out, .count = n, .type = GP_U32, .op = GP_SUM, .exclusive = true};
    TRY(gp_scan(gp, &sums));
    /* [/scan] */
}

static void select_below(cl_mem in, cl_mem out, cl_mem kept, size_t n, uint32_t limit)
{
    /* [select] */
    const gp_arg args[] = {{.name = "limit", .type = GP_U32, .value = &limit}};
    gp_select_desc below = {.in = in,
                            .out = out,
                            .count_out = kept,
                            .count = n,
                            .type = GP_U32,
                            .predicate = "x < limit",
                            .args = args,
                            .arg_count = 1};
    TRY(gp_select(gp, &below));
    /* [/select] */
}

static void sort(cl_mem keys, cl_mem keys_out, cl_mem values, cl_mem values_out, size_t n)
{
    /* [sort] */
    gp_sort_desc pairs = {.keys = keys,
                          .keys_out = keys_out,
                          .values = values,
                          .values_out = values_out,
                          .count = n,
                          .key_type = GP_U32,
                          .value_size = 4};
    TRY(gp_sort(gp, &pairs));
    /* [/sort] */
}

static void by_key(cl_mem keys, cl_mem values, cl_mem keys_out, cl_mem sums, cl_mem runs, size_t n)
{
    /* [by-key] */
    gp_reduce_by_key_desc d = {.keys = keys,
                               .in = values,
                               .keys_out = keys_out,
                               .out = sums,
                               .count_out = runs,
                               .count = n,
                               .key_type = GP_U32,
                               .type = GP_U32,
                               .out_type = GP_U32,
                               .op = GP_SUM};
    TRY(gp_reduce_by_key(gp, &d));
    /* [/by-key] */
}

/* [block] */
static const char *kernel =
    "__kernel void sums(__global const uint *in, __global uint *out, __local uint *memory)\n"
    "{\n"
    "    const uint total = gp_group_sum_reduce(in[get_global_id(0)], memory);\n"
    "    if (gp_group_item() == 0) out[get_group_id(0)] = total;\n"
    "}\n";

static cl_program build(void)
{
    const gp_group_op sum = {.name = "sum", .type = GP_U32, .op = GP_SUM};
    const gp_device_source_desc group = {.part = GP_DEVICE_GROUP, .ops = &sum, .op_count = 1};
    size_t size;
    TRY(gp_device_source(gp, &group, NULL, 0, &size));
    char *text = malloc(size);
    TRY(gp_device_source(gp, &group, text, size, &size));
    const char *sources[2] = {text, kernel};
    cl_program program = clCreateProgramWithSource(gp_cl_context(gp), 2, sources, NULL, NULL);
    TRY_CL(clBuildProgram(program, 0, NULL, "-cl-std=CL1.2", NULL, NULL));
    free(text);
    return program;
}
/* [/block] */

static void block(cl_mem in, cl_mem out)
{
    cl_int error;
    cl_program program = build();
    cl_kernel sums = clCreateKernel(program, "sums", &error);
    EXPECT(error == CL_SUCCESS);
    const size_t items = 64, group = 16;
    clSetKernelArg(sums, 0, sizeof in, &in);
    clSetKernelArg(sums, 1, sizeof out, &out);
    clSetKernelArg(sums, 2, 2 * group * sizeof(uint32_t), NULL); /* 2 elements per item */
    EXPECT(clEnqueueNDRangeKernel(gp_cl_queue(gp), sums, 1, NULL, &items, &group, 0, NULL, NULL) ==
           CL_SUCCESS);
    clReleaseKernel(sums);
    clReleaseProgram(program);
}

int main(void)
{
    enum { N = 1000 };
    uint32_t numbers[N], results[N], count;
    gp = open_context();
    for (uint32_t i = 0; i < N; i++) numbers[i] = (i * 7919) % 100;
    cl_mem in = buffer_of(gp, sizeof numbers, numbers), out = buffer_of(gp, sizeof numbers, NULL);
    cl_mem third = buffer_of(gp, sizeof numbers, NULL), kept = buffer_of(gp, sizeof count, NULL);

    scan(in, out, N);
    read_back(gp, out, sizeof results, results);
    EXPECT(results[0] == 0 && results[N - 1] + numbers[N - 1] == 49500);

    select_below(in, out, kept, N, 7);
    read_back(gp, kept, sizeof count, &count);
    EXPECT(count == 70);

    sort(in, out, in, third, N);
    read_back(gp, out, sizeof results, results);
    EXPECT(results[0] == 0 && results[9] == 0 && results[10] == 1 && results[N - 1] == 99);

    cl_mem sums = buffer_of(gp, sizeof numbers, NULL), keys = buffer_of(gp, sizeof numbers, NULL);
    by_key(out, third, keys, sums, kept, N);
    read_back(gp, kept, sizeof count, &count);
    read_back(gp, sums, sizeof results, results);
    EXPECT(count == 100 && results[99] == 990);

    block(in, sums);
    read_back(gp, sums, sizeof results, results);
    uint32_t first = 0;
    for (int i = 0; i < 16; i++) first += numbers[i];
    EXPECT(results[0] == first);

    cl_mem buffers[] = {in, out, third, kept, sums, keys};
    for (int i = 0; i < 6; i++) clReleaseMemObject(buffers[i]);
    gp_context_destroy(gp);
    return 0;
}
