/* test_lanes.c - what vectors do by masks (kernels/cpu/vector/lanes.cl) against loops, for every mask of 16 lanes: on PoCL, in the body
   that this CPU takes. */
#include "../support/support.h"

#include <stdio.h>

enum { LANES = 16, MASKS = 1 << LANES, SUMS = 64 };

/* Each item handles one mask. gpi_mask_of and gpi_pack_near_n are defined only if GPI_PACKS is 1. */
static const char source[] =
    "#include \"base/prelude.h\"\n"
    "#include \"vector/lanes.cl\"\n"
    "__kernel void bit_sums(__global const ulong *bits, __global char *out)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    char sums[64];\n"
    "    gpi_bit_sums(bits[2 * i], bits[2 * i + 1], sums);\n"
    "    for (uint k = 0; k < 64; k++) out[64 * i + k] = sums[k];\n"
    "}\n"
    "__kernel void packs(__global uint *out) { out[0] = GPI_PACKS; }\n"
    "#if GPI_PACKS\n"
    "__kernel void mask_of(__global const uint *lanes, __global uint *out)\n"
    "{\n"
    "    const size_t i = get_global_id(0);\n"
    "    out[i] = gpi_mask_of(vload16(i, lanes));\n"
    "}\n"
    "#define PACK(n, T)                                                                     \\\n"
    "    __kernel void pack_##n(__global const T *v, __global T *out)                       \\\n"
    "    {                                                                                  \\\n"
    "        const size_t i = get_global_id(0);                                             \\\n"
    "        T near[40];                                                                    \\\n"
    "        for (uint k = 0; k < 40; k++) near[k] = (T)0x55;                               \\\n"
    "        gpi_pack_near_##n((uchar *)(near + 1 + i % 7), vload16(0, v), (uint)i);        \\\n"
    "        for (uint k = 0; k < 24; k++) out[24 * i + k] = near[k];                       \\\n"
    "    }\n"
    "PACK(1, uchar) PACK(2, ushort) PACK(4, uint) PACK(8, ulong)\n"
    "#endif\n";

static cl_program program;

static void run(gp_context *gp, const char *name, size_t items, cl_mem in, cl_mem out)
{
    cl_int error;
    const cl_kernel kernel = clCreateKernel(program, name, &error);
    cl_uint a = 0;
    assert_int_equal(error, CL_SUCCESS);
    if (in) assert_int_equal(clSetKernelArg(kernel, a++, sizeof in, &in), CL_SUCCESS);
    assert_int_equal(clSetKernelArg(kernel, a, sizeof out, &out), CL_SUCCESS);
    assert_int_equal(clEnqueueNDRangeKernel(gp_cl_queue(gp), kernel, 1, NULL, &items, NULL, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(gp_cl_queue(gp)), CL_SUCCESS);
    clReleaseKernel(kernel);
}

static void check_bit_sums(gp_context *gp)
{
    enum { COUNT = 5003 };
    uint64_t *bits = malloc(COUNT * 2 * sizeof *bits);
    signed char *sums;
    cl_mem in, out;
    size_t i, k;
    assert_non_null(bits);
    for (i = 0; i < 2 * COUNT; i++) {
        bits[i] = (uint64_t)test_random() << 32 | test_random();
        if (i < 4) bits[i] = i % 3 ? ~UINT64_C(0) : 0;
    }
    in = test_buffer(gp, COUNT * 2 * sizeof *bits, bits);
    out = test_buffer(gp, COUNT * SUMS, NULL);
    run(gp, "bit_sums", COUNT, in, out);
    sums = test_read(gp, out, COUNT * SUMS);
    for (i = 0; i < COUNT; i++) {
        int sum = 0;
        for (k = 0; k < SUMS; k++) {
            if (sums[i * SUMS + k] != sum) fail_msg("gpi_bit_sums: sums[%zu] of pair %zu", k, i);
            sum += (int)(bits[2 * i] >> k & 1) - (int)(bits[2 * i + 1] >> k & 1);
        }
    }
    free(sums);
    free(bits);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void check_mask_of(gp_context *gp)
{
    uint32_t *lanes = malloc((size_t)MASKS * LANES * sizeof *lanes), *masks, i;
    cl_mem in, out;
    assert_non_null(lanes);
    for (i = 0; i < (uint32_t)MASKS * LANES; i++) lanes[i] = i / LANES >> i % LANES & 1;
    in = test_buffer(gp, (size_t)MASKS * LANES * sizeof *lanes, lanes);
    out = test_buffer(gp, MASKS * sizeof *masks, NULL);
    run(gp, "mask_of", MASKS, in, out);
    masks = test_read(gp, out, MASKS * sizeof *masks);
    for (i = 0; i < MASKS; i++)
        if (masks[i] != i) fail_msg("gpi_mask_of: %x instead of %x", masks[i], i);
    free(masks);
    free(lanes);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* Elements before the first one stay as they are. */
static void check_pack(gp_context *gp, size_t size)
{
    enum { ROW = 24 };
    unsigned char v[LANES * 8], expected[ROW * 8], *out;
    char name[16];
    size_t i, k;
    cl_mem in, packed = test_buffer(gp, (size_t)MASKS * ROW * size, NULL);
    for (i = 0; i < LANES * size; i++) v[i] = (unsigned char)(test_random() >> 8);
    in = test_buffer(gp, LANES * size, v);
    (void)snprintf(name, sizeof name, "pack_%zu", size);
    run(gp, name, MASKS, in, packed);
    out = test_read(gp, packed, (size_t)MASKS * ROW * size);
    for (i = 0; i < MASKS; i++) {
        const size_t begin = 1 + i % 7;
        size_t n = begin;
        for (k = 0; k < ROW * size; k++) expected[k] = k % size ? 0 : 0x55;
        for (k = 0; k < LANES; k++)
            if (i >> k & 1) memcpy(expected + n++ * size, v + k * size, size);
        if (memcmp(out + i * ROW * size, expected, n * size) != 0) fail_msg("%s: mask %zx", name, i);
    }
    free(out);
    clReleaseMemObject(in);
    clReleaseMemObject(packed);
}

static void test_masks(void **state)
{
    const char *text = source;
    const gp_context_desc desc = {0};
    gp_context *gp = test_open_with(&desc);
    const cl_device_id device = gp_cl_device(gp);
    uint32_t *packs;
    size_t size;
    cl_mem out;
    cl_int error;
    (void)state;
    if (strcmp(gp_context_info(gp)->platform_name, "Portable Computing Language") != 0) {
        gp_context_destroy(gp);
        skip();
    }
    program = clCreateProgramWithSource(gp_cl_context(gp), 1, &text, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    assert_int_equal(clBuildProgram(program, 1, &device,
                                    "-cl-std=CL1.2 -Ikernels/cpu -Ikernels/common -DGPI_SHAPE_SERIAL=1", NULL,
                                    NULL),
                     CL_SUCCESS);
    out = test_buffer(gp, sizeof *packs, NULL);
    run(gp, "packs", 1, NULL, out);
    packs = test_read(gp, out, sizeof *packs);
    check_bit_sums(gp);
    if (*packs) check_mask_of(gp);
    for (size = 1; size <= 8 && *packs; size *= 2) check_pack(gp, size);
    print_message("lanes are %s\n", *packs ? "packed by vectors" : "stored one by one");
    free(packs);
    clReleaseMemObject(out);
    clReleaseProgram(program);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_masks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
