/* test_bad_input.c - every wrong call gets its code and a text that names it, and the context lives on. */
#define _POSIX_C_SOURCE 200809L /* setenv, strdup */

#include "../support/support.h"

enum { COUNT = 1000 };

typedef struct fixture {
    gp_context *gp;
    cl_mem in, out;
    uint32_t *data;
} fixture;

static gp_scan_desc good_scan(const fixture *f)
{
    gp_scan_desc desc = {0};
    desc.in = f->in;
    desc.out = f->out;
    desc.count = COUNT;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    return desc;
}

static gp_reduce_desc good_reduce(const fixture *f)
{
    gp_reduce_desc desc = {0};
    desc.in = f->in;
    desc.out = f->out;
    desc.count = COUNT;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    return desc;
}

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->gp = test_open(&test_variants[0], NULL);
    f->data = test_input(&test_u32_sum, TEST_RANDOM, COUNT);
    f->in = test_buffer(f->gp, COUNT * 4, f->data);
    f->out = test_buffer(f->gp, COUNT * 4, NULL);
    *state = f;
    return 0;
}

/* Whatever the test did: a good call still works. */
static int tear_down(void **state)
{
    fixture *f = *state;
    const gp_scan_desc scan = good_scan(f);
    uint32_t *out, sum = 0;
    size_t i;
    assert_gp(f->gp, gp_scan(f->gp, &scan));
    out = test_read(f->gp, f->out, COUNT * 4);
    for (i = 0; i < COUNT; i++) {
        sum += f->data[i];
        assert_int_equal(out[i], sum);
    }
    clReleaseMemObject(f->in);
    clReleaseMemObject(f->out);
    gp_context_destroy(f->gp);
    free(out);
    free(f->data);
    free(f);
    return 0;
}

/* ------------------------------------------------------------------ arguments */

/* The calls within gp_warmup do not leave their names to failures after them. */
static void test_warmup_names_itself(void **state)
{
    fixture *f = *state;
    gp_warmup_desc d = {0};
    gp_scan_desc scan = {0};
    gp_hash_desc hash = {0};
    gp_random_desc random = {0};
    scan.type = GP_U32;
    scan.op = GP_SUM;
    hash.key_size = hash.value_size = 4;
    random.type = (gp_type)99;
    d.scan = &scan;
    d.random = &random;
    assert_gp_fails(f->gp, gp_warmup(f->gp, &d), GP_ERROR_INVALID_TYPE, ": gp_warmup: type");
    d.hash = &hash;
    assert_gp_fails(f->gp, gp_warmup(f->gp, &d), GP_ERROR_INVALID_TYPE, ": gp_warmup: type");
}

static void test_null(void **state)
{
    fixture *f = *state;
    gp_scan_desc scan = good_scan(f);
    gp_reduce_desc reduce = good_reduce(f);
    size_t bytes;
    assert_gp_fails(NULL, gp_scan(NULL, &scan), GP_ERROR_INVALID_ARGUMENT, "gp_scan");
    assert_gp_fails(f->gp, gp_scan(f->gp, NULL), GP_ERROR_INVALID_ARGUMENT, "gp_scan");
    assert_gp_fails(f->gp, gp_reduce(f->gp, NULL), GP_ERROR_INVALID_ARGUMENT, "gp_reduce");
    assert_gp_fails(f->gp, gp_reduce_read(f->gp, &reduce, NULL), GP_ERROR_INVALID_ARGUMENT, "result");
    assert_gp_fails(f->gp, gp_scan_scratch_size(f->gp, &scan, NULL), GP_ERROR_INVALID_ARGUMENT, "bytes");
    assert_gp_fails(f->gp, gp_reduce_scratch_size(f->gp, NULL, &bytes), GP_ERROR_INVALID_ARGUMENT, "desc");
    assert_gp_fails(f->gp, gp_warmup(f->gp, NULL), GP_ERROR_INVALID_ARGUMENT, "gp_warmup");
    assert_gp_fails(f->gp, gp_stats_read(f->gp, NULL), GP_ERROR_INVALID_ARGUMENT, "gp_stats_read");
    assert_gp_fails(f->gp, gp_stats_kernels(f->gp, NULL, 1, &bytes), GP_ERROR_INVALID_ARGUMENT, "out");
    assert_gp_fails(NULL, gp_finish(NULL), GP_ERROR_INVALID_ARGUMENT, "gp_finish");
    assert_gp_fails(NULL, gp_devices(NULL, 1, &bytes), GP_ERROR_INVALID_ARGUMENT, "gp_devices");
    gp_context_destroy(NULL);
    assert_null(gp_cl_queue(NULL));
    assert_string_equal(gp_error_string((gp_result)77), "not a gp_result");
}

static void test_types_and_ops(void **state)
{
    fixture *f = *state;
    gp_scan_desc scan = good_scan(f);
    gp_reduce_desc reduce = good_reduce(f);
    scan.type = GP_TYPE_NONE;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_TYPE, "gp_scan: type is not set");
    scan.type = (gp_type)99;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_TYPE, "type = 99");
    reduce.type = GP_TYPE_NONE;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_TYPE, "gp_reduce: type is not set");
    reduce = good_reduce(f);
    reduce.op = GP_OP_NONE;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_OP, "gp_reduce: op is not set");
    reduce = good_reduce(f);
    reduce.out_type = (gp_type)-3;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_TYPE, "out_type = -3");
    reduce = good_reduce(f);
    reduce.type = GP_F32;
    reduce.out_type = GP_U32;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_TYPE, "out_type uint");
    scan = good_scan(f);
    scan.op = GP_OP_NONE;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_OP, "gp_scan: op is not set");
    scan.op = (gp_op)99;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_OP, "op = 99");
    scan.type = GP_F32;
    scan.op = GP_XOR;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_OP, "bitwise");
    scan = good_scan(f);
    scan.strategy = (gp_strategy)9;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "strategy = 9");
    scan = good_scan(f);
    scan.wait_count = 2;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "wait_count is 2");
    if (gp_context_info(f->gp)->fp64) return;
    reduce = good_reduce(f);
    reduce.type = GP_F64;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_UNSUPPORTED, "cl_khr_fp64");
}

/* ------------------------------------------------------------------ segments, several operations */

static void test_segments(void **state)
{
    fixture *f = *state;
    gp_scan_desc scan = good_scan(f);
    scan.segments = (gp_segments)9;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "segments = 9");
    scan.segments = GP_SEGMENTS_BY_FLAGS;
    scan.heads = f->in;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_TYPE, "heads_type is not set");
    scan.heads_type = GP_U32;
    scan.heads = NULL;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "heads is NULL");
    scan.heads = f->in;
    scan.heads_offset = 1;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "heads");
    scan.heads = f->out;
    scan.heads_offset = 0;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_OVERLAP, "heads and out overlap");
    scan.heads = f->in;
    scan.op = GP_ARGMAX;
    scan.out_type = GP_U32;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_UNSUPPORTED, "segments");
}

/* Options that mean nothing without another one. */
static void test_stray_options(void **state)
{
    static const gp_type types[1] = {GP_U32};
    fixture *f = *state;
    gp_scan_desc scan = good_scan(f);
    gp_reduce_desc reduce = good_reduce(f);
    scan.heads = f->in;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "segments is GP_SEGMENTS_NONE");
    reduce.out_types = types;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_ARGUMENT, "op_count is 0");
    reduce = good_reduce(f);
    reduce.compensated = true;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_OP, "compensated");
    reduce = good_reduce(f);
    reduce.map = " \n";
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_ARGUMENT, "map is empty");
}

static void test_narrow_results(void **state)
{
    fixture *f = *state;
    gp_scan_desc scan = good_scan(f);
    gp_reduce_desc reduce = good_reduce(f);
    scan.out_type = GP_U16;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_TYPE, "ushort is narrower than type uint");
    reduce.type = GP_F32;
    reduce.out_type = GP_F16;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_TYPE, "half is narrower");
    reduce.out_type = GP_I32;
    reduce.op = GP_ARGMIN;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_TYPE, "give u32 or u64");
    reduce.type = GP_U32;
    reduce.out_type = GP_U32;
    reduce.count = UINT32_MAX;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_COUNT_LIMIT, "count = 4294967295");
}

static void test_several(void **state)
{
    static const gp_op ops[GP_OPS_MAX + 1] = {GP_SUM, GP_MIN, GP_MAX, GP_SUM, GP_SUM,
                                              GP_SUM, GP_SUM, GP_SUM, GP_SUM};
    static const gp_op unknown[2] = {GP_SUM, (gp_op)77};
    static const gp_type narrow[2] = {GP_U64, GP_U8};
    fixture *f = *state;
    gp_reduce_desc reduce = good_reduce(f);
    reduce.op_count = 2;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_ARGUMENT,
                    "op, out_type and initial must be 0");
    reduce.op = GP_OP_NONE;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_ARGUMENT, "ops is NULL");
    reduce.ops = ops;
    reduce.op_count = GP_OPS_MAX + 1;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_ARGUMENT, "op_count = 9");
    reduce.op_count = 2;
    reduce.map_type = GP_U32;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_TYPE, "map_type");
    reduce.map_type = GP_TYPE_NONE;
    reduce.out_types = narrow;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_TYPE, "uchar is narrower");
    reduce.out_types = NULL;
    reduce.ops = unknown;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_OP, "op = 77");
    reduce.ops = ops;
    reduce.out_offset = COUNT / 4; /* in pairs of 8 bytes */
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_BUFFER, "out");
    reduce.monoid = &test_affine_monoid;
    reduce.type = GP_TYPE_NONE;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_ARGUMENT, "with a monoid");
}

static void test_compensated(void **state)
{
    fixture *f = *state;
    gp_context_desc desc = {0};
    gp_reduce_desc reduce = good_reduce(f);
    gp_context *fast;
    desc.fast_math = true;
    fast = test_open_with(&desc);
    reduce.in = reduce.out = test_buffer(fast, COUNT * 4, f->data);
    reduce.type = GP_F32;
    reduce.compensated = true;
    assert_gp_fails(fast, gp_reduce(fast, &reduce), GP_ERROR_INVALID_ARGUMENT, "fast_math");
    clReleaseMemObject(reduce.in);
    gp_context_destroy(fast);
}

/* ------------------------------------------------------------------ buffers */

static void test_missing_and_small_buffers(void **state)
{
    fixture *f = *state;
    gp_scan_desc scan = good_scan(f);
    gp_reduce_desc reduce = good_reduce(f);
    scan.in = NULL;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "in is NULL");
    scan = good_scan(f);
    scan.out = NULL;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "out is NULL");
    scan = good_scan(f);
    scan.count = COUNT + 1;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "in has 4000 bytes");
    scan = good_scan(f);
    scan.out_offset = 1;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "out has 4000 bytes");
    scan = good_scan(f);
    scan.in_offset = SIZE_MAX;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "offset 18446744073709551615");
    scan = good_scan(f);
    scan.out_type = GP_U64;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "of 8 bytes");
    scan = good_scan(f);
    scan.count = SIZE_MAX;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_COUNT_LIMIT, "count = 18446744073709551615");
    reduce.out = NULL;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_BUFFER, "out is NULL");
    reduce.count = 0; /* also where nothing is read */
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_BUFFER, "out is NULL");
    reduce = good_reduce(f);
    reduce.out_offset = COUNT - 1;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_INVALID_BUFFER, "elements of 8 bytes");
}

static void test_foreign_and_read_only_buffers(void **state)
{
    fixture *f = *state;
    cl_device_id device = gp_cl_device(f->gp);
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_mem foreign, fixed;
    gp_scan_desc scan = good_scan(f);
    cl_int error;
    assert_non_null(other);
    foreign = clCreateBuffer(other, CL_MEM_READ_WRITE, COUNT * 4, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    scan.in = foreign;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "another cl_context");
    fixed = clCreateBuffer(gp_cl_context(f->gp), CL_MEM_READ_ONLY, COUNT * 4, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    scan = good_scan(f);
    scan.out = fixed;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "CL_MEM_READ_ONLY");
    clReleaseMemObject(fixed);
    fixed = clCreateBuffer(gp_cl_context(f->gp), CL_MEM_WRITE_ONLY, COUNT * 4, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    scan = good_scan(f);
    scan.in = fixed;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_BUFFER, "CL_MEM_WRITE_ONLY");
    clReleaseMemObject(foreign);
    clReleaseMemObject(fixed);
    clReleaseContext(other);
}

static void test_overlap(void **state)
{
    fixture *f = *state;
    gp_scan_desc scan = good_scan(f);
    const cl_buffer_region region = {2048, 1024};
    cl_int error;
    cl_mem part;
    scan.out = scan.in;
    scan.count = 100;
    scan.out_offset = 50;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_OVERLAP, "they overlap");
    scan.out_offset = 100; /* apart */
    assert_gp(f->gp, gp_scan(f->gp, &scan));
    /* a sub-buffer is part of its parent */
    part = clCreateSubBuffer(f->in, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    assert_int_equal(error, CL_SUCCESS);
    scan = good_scan(f);
    scan.out = part;
    scan.in_offset = 500;
    scan.count = 100;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_OVERLAP, "[2048, 2448)");
    clReleaseMemObject(part);
    assert_gp(f->gp, gp_finish(f->gp));
    assert_int_equal(
        clEnqueueWriteBuffer(gp_cl_queue(f->gp), f->in, CL_TRUE, 0, COUNT * 4, f->data, 0, NULL, NULL),
        CL_SUCCESS);
}

/* Two buffers on one piece of host memory are one piece of memory; neighbours are not. */
static void test_overlap_on_host(void **state)
{
    fixture *f = *state;
    static uint32_t memory[2048];
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR;
    const cl_buffer_region region = {2048, 1024};
    gp_scan_desc scan = good_scan(f);
    gp_sort_desc sort = {0};
    cl_int error;
    cl_mem part, same;
    scan.in = clCreateBuffer(gp_cl_context(f->gp), flags, sizeof memory / 2, memory, &error);
    assert_int_equal(error, CL_SUCCESS);
    scan.out = clCreateBuffer(gp_cl_context(f->gp), flags, sizeof memory / 2, memory + 512, &error);
    assert_int_equal(error, CL_SUCCESS);
    part = clCreateSubBuffer(scan.out, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    assert_int_equal(error, CL_SUCCESS);
    scan.count = 513;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_OVERLAP, "CL_MEM_USE_HOST_PTR");
    sort.keys = scan.in;
    sort.keys_out = scan.out;
    sort.count = 513;
    sort.key_type = GP_U32;
    assert_gp_fails(f->gp, gp_sort(f->gp, &sort), GP_ERROR_OVERLAP, "CL_MEM_USE_HOST_PTR");
    scan.count = 512;
    assert_gp(f->gp, gp_scan(f->gp, &scan));
    same = clCreateBuffer(gp_cl_context(f->gp), flags, sizeof memory / 2, memory, &error);
    assert_int_equal(error, CL_SUCCESS);
    sort.keys_out = same; /* the same elements of another buffer: not in place */
    assert_gp_fails(f->gp, gp_sort(f->gp, &sort), GP_ERROR_OVERLAP, "CL_MEM_USE_HOST_PTR");
    sort.keys_out = scan.out;
    scan.out = part; /* elements 1024 to 1279 of the memory */
    scan.count = 256;
    scan.in_offset = 768;
    assert_gp(f->gp, gp_scan(f->gp, &scan));
    scan.in = sort.keys_out;
    scan.in_offset = 257; /* 769 to 1024 */
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_OVERLAP, "they overlap");
    assert_gp(f->gp, gp_finish(f->gp));
    clReleaseMemObject(part);
    clReleaseMemObject(same);
    clReleaseMemObject(sort.keys);
    clReleaseMemObject(sort.keys_out);
}

/* The caller's scratch is apart from all else. */
static void test_scratch_overlap(void **state)
{
    fixture *f = *state;
    const size_t count = 100000;
    gp_scan_desc scan = good_scan(f);
    gp_reduce_desc reduce = good_reduce(f);
    scan.in = reduce.in = test_buffer(f->gp, count * 4, NULL);
    scan.out = test_buffer(f->gp, count * 4, NULL);
    scan.count = reduce.count = count;
    scan.scratch = scan.in;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_OVERLAP, "scratch");
    scan.scratch = scan.out;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_OVERLAP, "scratch");
    reduce.scratch = reduce.in;
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_OVERLAP, "scratch");
    clReleaseMemObject(scan.in);
    clReleaseMemObject(scan.out);
}

static void test_buffer_create(void **state)
{
    fixture *f = *state;
    cl_mem buffer = f->in;
    assert_gp_fails(f->gp, gp_buffer_create(f->gp, (size_t)1 << 60, NULL, &buffer),
                    GP_ERROR_OUT_OF_DEVICE_MEMORY, "1152921504606846976 bytes");
    assert_null(buffer);
    assert_gp_fails(f->gp, gp_buffer_create(f->gp, 0, NULL, &buffer), GP_ERROR_INVALID_ARGUMENT, "0 bytes");
    assert_gp_fails(f->gp, gp_buffer_create(f->gp, 4, NULL, NULL), GP_ERROR_INVALID_ARGUMENT, "out is NULL");
}

/* ------------------------------------------------------------------ monoids */

static void test_monoid(void **state)
{
    fixture *f = *state;
    gp_monoid monoid = test_affine_monoid;
    gp_scan_desc scan = good_scan(f);
    scan.count = 10;
    scan.monoid = &monoid;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "must be 0");
    scan.type = GP_TYPE_NONE;
    scan.op = GP_OP_NONE;
    monoid.size = 6;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "size = 6");
    monoid.size = 68;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "size = 68");
    monoid = test_affine_monoid;
    monoid.identity = NULL;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "no identity");
    monoid = test_affine_monoid;
    monoid.combine = NULL;
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "no combine");
    monoid.combine = "";
    assert_gp_fails(f->gp, gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "no combine");
}

/* Names that the kernels use for their own variables, and text that ends in a backslash: all fine. */
static void test_monoid_names(void **state)
{
    static const char *const names[] = {"sum",    "total",  "next",    "prefix", "carry",    "x",
                                        "a",      "b",      "i",       "in",     "out",      "tile",
                                        "source", "shared", "initial", "count",  "aggregate"};
    fixture *f = *state;
    static const uint32_t zero = 0;
    size_t k;
    for (k = 0; k < sizeof names / sizeof *names; k++) {
        gp_monoid monoid = {"uint", NULL, names[k], &zero, 4, true, true, false};
        gp_scan_desc scan = good_scan(f);
        char source[128];
        if (k > 2 && !test_builds_are_cheap(f->gp)) break;
        (void)snprintf(source, sizeof source, "static uint %s(uint p, uint q) { return p + q; } // \\",
                       names[k]);
        monoid.source = source;
        scan.type = GP_TYPE_NONE;
        scan.op = GP_OP_NONE;
        scan.monoid = &monoid;
        assert_gp(f->gp, gp_scan(f->gp, &scan));
    }
}

/* What only the device's compiler can find: the build log is in the text. */
static void test_monoid_that_does_not_compile(void **state)
{
    fixture *f = *state;
    static const uint32_t wide_identity[4] = {0, 0, 0, 0};
    gp_monoid monoid = test_affine_monoid;
    gp_reduce_desc reduce = good_reduce(f);
    reduce.count = 10;
    reduce.type = GP_TYPE_NONE;
    reduce.op = GP_OP_NONE;
    reduce.monoid = &monoid;
    monoid.source = "typedef struct affine { uint a, b; } affine;\n"
                    "static affine affine_then(affine f, affine g) { return no_such_name; }\n";
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_BUILD, "no_such_name");
    monoid = test_affine_monoid;
    monoid.combine = "affine_before";
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_BUILD, "affine_before");
    monoid = test_affine_monoid;
    monoid.identity = wide_identity;
    monoid.size = 16; /* the type has 8 */
    assert_gp_fails(f->gp, gp_reduce(f->gp, &reduce), GP_ERROR_BUILD,
                    "monoid->size = 16 is not sizeof(type)");
}

/* ------------------------------------------------------------------ contexts */

/* The last text has each device, as a filter would name it. */
static void assert_devices_listed(void)
{
    gp_device_info infos[4];
    char text[1024];
    size_t count, i;
    (void)snprintf(text, sizeof text, "%s", gp_last_error(NULL));
    assert_gp(NULL, gp_devices(infos, 4, &count));
    for (i = 0; i < count && i < 4; i++)
        if (!strstr(text, infos[i].name) || !strstr(text, infos[i].platform_name))
            fail_msg("%s (%s) is not in \"%s\"", infos[i].name, infos[i].platform_name, text);
}

static void test_context_desc(void **state)
{
    fixture *f = *state;
    gp_context_desc desc = {0};
    gp_context *gp = f->gp;
    assert_gp_fails(NULL, gp_context_create(NULL, &gp), GP_ERROR_INVALID_ARGUMENT, "desc");
    assert_null(gp);
    assert_gp_fails(NULL, gp_context_create(&desc, NULL), GP_ERROR_INVALID_ARGUMENT, "out is NULL");
    desc.device_filter = "no such device";
    assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_NO_DEVICE,
                    "no device matches device_filter = \"no such device\"");
    assert_devices_listed();
    assert_null(gp);
    desc.device_filter = "\x1b[2J";
    assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_NO_DEVICE, "\"\\x1b[2J\"");
    desc.device_filter = "99:0";
    assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_NO_DEVICE, "99:0");
    desc.device_filter = NULL;
    desc.strategy = (gp_strategy)7;
    assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_INVALID_ARGUMENT, "strategy = 7");
    desc.strategy = GP_STRATEGY_AUTO;
    desc.tuning.shape = (gp_shape)5;
    assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_INVALID_ARGUMENT, "tuning.shape = 5");
    desc.tuning.shape = GP_SHAPE_AUTO;
    desc.profile = true;
    desc.queue = gp_cl_queue(f->gp);
    assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_INVALID_ARGUMENT,
                    "CL_QUEUE_PROFILING_ENABLE");
}

static void test_environment_names_no_device(void **state)
{
    const char *old = getenv("GPUPRIM_DEVICE");
    char *kept = old ? strdup(old) : NULL;
    gp_context_desc desc = {0};
    gp_context *gp;
    (void)state;
    setenv("GPUPRIM_DEVICE", "imaginary", 1);
    assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_NO_DEVICE,
                    "no device matches GPUPRIM_DEVICE = \"imaginary\"");
    assert_devices_listed();
    if (kept) setenv("GPUPRIM_DEVICE", kept, 1);
    else unsetenv("GPUPRIM_DEVICE");
    free(kept);
}

static int64_t reject(const gp_device_info *info, void *user)
{
    (void)info;
    *(int *)user += 1;
    return -1;
}

/* What no kernel could be built with is told at once, by field, value and range. */
static void test_tuning(void **state)
{
    gp_context_desc desc;
    gp_context *gp;
    (void)state;
#define REFUSED(text, ...)                                                                     \
    do {                                                                                       \
        memset(&desc, 0, sizeof desc);                                                         \
        __VA_ARGS__;                                                                           \
        assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_INVALID_ARGUMENT, text); \
        assert_null(gp);                                                                       \
    } while (0)
    REFUSED("tuning.shape = 5", desc.tuning.shape = (gp_shape)5);
    REFUSED("tuning.device_class = 100 is not a gp_device_class",
            desc.tuning.device_class = (gp_device_class)100);
    REFUSED("tuning.words = 3", desc.tuning.words = (gp_words)3);
    REFUSED("tuning.ring_rows = 1000 is not a power of two", desc.tuning.ring_rows = 1000);
    REFUSED("tuning.ring_rows = 64 must be at least ring_reach + ring_block = 64 + 32",
            desc.tuning.ring_rows = 64);
    REFUSED("tuning.ring_rows = 1024 must be at least", desc.tuning.ring_reach = 1000);
    REFUSED("ring_reach + ring_block = 4294967295 + 32", desc.tuning.ring_reach = UINT32_MAX);
    REFUSED("tuning.ring_rows = 2147483648, at most", desc.tuning.ring_rows = 1u << 31);
    REFUSED("tuning.ring_block = 3 is not a power of two", desc.tuning.ring_block = 3);
    REFUSED("tuning.tile = 1048577, at most 1048576 in the serial shape", desc.tuning.tile = 1048577,
            desc.tuning.shape = GP_SHAPE_SERIAL);
    REFUSED("tuning.tile = 129, at most 128 in the local shape", desc.tuning.tile = 129,
            desc.tuning.shape = GP_SHAPE_LOCAL);
    REFUSED("tuning.tile = 4294967295, at most", desc.tuning.tile = UINT32_MAX);
#undef REFUSED
    memset(&desc, 0, sizeof desc);
    desc.tuning.ring_block = desc.tuning.ring_reach = 1;
    desc.tuning.ring_rows = 2;
    assert_gp(NULL, gp_context_create(&desc, &gp));
    gp_context_destroy(gp);
}

static void test_every_device_rejected(void **state)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    int asked = 0;
    (void)state;
    desc.score = reject;
    desc.score_user = &asked;
    assert_gp_fails(NULL, gp_context_create(&desc, &gp), GP_ERROR_NO_DEVICE, "has a score of 0 or more");
    assert_devices_listed();
    assert_true(asked > 0);
}

/* Options that no compiler knows. */
static void test_build_options(void **state)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    const uint32_t one = 1;
    gp_reduce_desc reduce = {0};
    uint64_t sum;
    (void)state;
    desc.build_options = "-include no_such_file.h";
    assert_gp(NULL, gp_context_create(&desc, &gp));
    assert_gp(gp, gp_buffer_create(gp, 4, &one, &reduce.in));
    reduce.count = 1;
    reduce.type = GP_U32;
    reduce.op = GP_SUM;
    assert_gp_fails(gp, gp_reduce_read(gp, &reduce, &sum), GP_ERROR_BUILD, "clBuildProgram");
    clReleaseMemObject(reduce.in);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ no platform at all */

static char *program;

/* In a process of its own: the loader looks for platforms once. */
static int without_platform(void)
{
    gp_context_desc desc = {0};
    gp_context *gp;
    const gp_result result = gp_context_create(&desc, &gp);
    const bool good =
        result == GP_ERROR_NO_PLATFORM && !gp && strstr(gp_last_error(NULL), "clGetPlatformIDs");
    if (!good) printf("%s\n", gp_last_error(NULL));
    return good ? 0 : 1;
}

static void test_no_platform(void **state)
{
    char command[4096];
    (void)state;
    if (test_small()) return; /* the simulator brings its own loader */
    (void)snprintf(command, sizeof command,
                   "OCL_ICD_VENDORS=/nonexistent OCL_ICD_FILENAMES= '%s' --no-platform", program);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_warmup_names_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_types_and_ops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_segments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_narrow_results, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stray_options, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_several, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_compensated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_missing_and_small_buffers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_foreign_and_read_only_buffers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_overlap_on_host, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_scratch_overlap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_monoid_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_buffer_create, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_monoid, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_monoid_that_does_not_compile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_context_desc, set_up, tear_down),
        cmocka_unit_test(test_environment_names_no_device),
        cmocka_unit_test(test_every_device_rejected),
        cmocka_unit_test(test_tuning),
        cmocka_unit_test(test_build_options),
        cmocka_unit_test(test_no_platform),
    };
    program = argv[0];
    if (argc > 1 && strcmp(argv[1], "--no-platform") == 0) return without_platform();
    return cmocka_run_group_tests_name("bad input", tests, NULL, NULL);
}
