/* test_count.c - counts that live on the device: the same results as with a count of the host, bit for bit. */
#include "../support/support.h"

#define BOUND (test_small() ? (size_t)5003 : (size_t)150007)

/* What `count_buffer` holds: a number at index 1 of u32 (also where the type is not set) or u64. */
static cl_mem count_buffer(gp_context *gp, gp_type type, uint64_t n)
{
    const uint32_t narrow[2] = {77, (uint32_t)n};
    const uint64_t wide[2] = {77, n};
    return type == GP_U64 ? test_buffer(gp, sizeof wide, wide) : test_buffer(gp, sizeof narrow, narrow);
}

static float *rounding_floats(size_t count)
{
    float *x = malloc(count * sizeof *x);
    size_t i;
    assert_non_null(x);
    for (i = 0; i < count; i++) x[i] = (float)test_random() / 3.0f;
    return x;
}

static float reduce(gp_context *gp, cl_mem in, size_t count, cl_mem device_count, gp_type type)
{
    gp_reduce_desc desc = {0};
    float sum = -1;
    desc.in = in;
    desc.count = count;
    desc.count_buffer = device_count;
    desc.count_offset = 1;
    desc.count_type = type;
    desc.type = GP_F32;
    desc.op = GP_SUM;
    assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
    return sum;
}

/* The scan of `n` elements; what lies behind them must stay poisoned. */
static void check_scan(gp_context *gp, const uint32_t *data, cl_mem in, size_t n, gp_type type)
{
    cl_mem out = test_buffer(gp, BOUND * 4, NULL), device_count = count_buffer(gp, type, n);
    gp_scan_desc desc = {0};
    uint32_t *result, sum = 0, poison;
    size_t i;
    memset(&poison, TEST_POISON, sizeof poison);
    desc.in = in;
    desc.out = out;
    desc.count = BOUND;
    desc.count_buffer = device_count;
    desc.count_offset = 1;
    desc.count_type = type;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    assert_gp(gp, gp_scan(gp, &desc));
    result = test_read(gp, out, BOUND * 4);
    for (i = 0; i < BOUND; i++) {
        const uint32_t expected = i < n ? (sum += data[i]) : poison;
        if (result[i] != expected) fail_msg("n = %zu: out[%zu]", n, i);
    }
    free(result);
    clReleaseMemObject(out);
    clReleaseMemObject(device_count);
}

static void check_variant(const test_variant *variant)
{
    static const gp_type types[] = {GP_U64, GP_U32, GP_TYPE_NONE};
    const size_t counts[] = {0, 1, 1023, 1024, 1025, 4096, 4097, BOUND / 3, BOUND - 1, BOUND, BOUND + 1};
    gp_context *gp = test_open(variant, NULL);
    uint32_t *data;
    float *floats;
    cl_mem data_buffer, float_buffer;
    gp_stats profile;
    size_t k;
    if (!gp) return;
    data = test_input(&test_u32_sum, TEST_RANDOM, BOUND);
    floats = rounding_floats(BOUND);
    data_buffer = test_buffer(gp, BOUND * 4, data);
    float_buffer = test_buffer(gp, BOUND * 4, floats);
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        const gp_type type = types[k % 3];
        const size_t n = counts[k] < BOUND ? counts[k] : BOUND;
        cl_mem device_count = count_buffer(gp, type, counts[k]);
        const float there = reduce(gp, float_buffer, BOUND, device_count, type);
        const float here = reduce(gp, float_buffer, n, NULL, GP_TYPE_NONE);
        assert_memory_equal(&there, &here, sizeof here);
        check_scan(gp, data, data_buffer, counts[k], type);
        clReleaseMemObject(device_count);
    }
    assert_gp(gp, gp_stats_read(gp, &profile));
    assert_int_equal(profile.clamped, 2); /* BOUND + 1, once each */
    clReleaseMemObject(data_buffer);
    clReleaseMemObject(float_buffer);
    free(data);
    free(floats);
    gp_context_destroy(gp);
}

/* Default, and the three ways that a count runs through: look-back, sweeps, local memory. */
static void test_device_counts(void **state)
{
    static const size_t variants[] = {0, 2, 3, 5, 6};
    size_t v;
    (void)state;
    for (v = 0; v < sizeof variants / sizeof *variants; v++) check_variant(&test_variants[variants[v]]);
}

/* One call's result is the next one's count: no host in between. */
static void test_chain(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    uint32_t *data = test_input(&test_u32_sum, TEST_FEW_BITS, BOUND);
    gp_reduce_desc reduce = {0};
    uint64_t sum = 0, expected = 0;
    size_t i, n = 0;
    (void)state;
    for (i = 0; i < BOUND; i++) n += data[i] % 2;
    for (i = 0; i < n; i++) expected += data[i];
    reduce.in = test_buffer(gp, BOUND * 4, data);
    reduce.out = test_buffer(gp, 8, NULL);
    reduce.count = BOUND;
    reduce.type = GP_U32;
    reduce.op = GP_SUM;
    reduce.map = "x % 2";
    assert_gp(gp, gp_reduce(gp, &reduce)); /* how many are odd */
    reduce.count_buffer = reduce.out;
    reduce.count_type = GP_U64;
    reduce.map = NULL;
    reduce.out = NULL;
    assert_gp(gp, gp_reduce_read(gp, &reduce, &sum)); /* the sum of that many */
    assert_true(sum == expected);
    clReleaseMemObject(reduce.in);
    clReleaseMemObject(reduce.count_buffer);
    free(data);
    gp_context_destroy(gp);
}

static void test_bad_counts(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const uint32_t data[4] = {1, 2, 3, 4};
    gp_scan_desc scan = {0};
    gp_reduce_desc reduce = {0};
    uint64_t sum = 0;
    (void)state;
    scan.in = scan.out = reduce.in = test_buffer(gp, sizeof data, data);
    scan.count = reduce.count = 4;
    scan.type = reduce.type = GP_U32;
    scan.op = reduce.op = GP_SUM;
    scan.count_buffer = reduce.count_buffer = scan.in;
    scan.count_offset = 4;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_BUFFER, "count_buffer");
    reduce.count_type = GP_I32;
    assert_gp_fails(gp, gp_reduce_read(gp, &reduce, &sum), GP_ERROR_INVALID_TYPE, "count_type = 5");
    scan.count_type = reduce.count_type = GP_U64;
    scan.count_offset = reduce.count_offset = 2;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_INVALID_BUFFER, "count_buffer");
    assert_gp_fails(gp, gp_reduce_read(gp, &reduce, &sum), GP_ERROR_INVALID_BUFFER, "count_buffer");
    scan.count_type = GP_U32;
    assert_gp_fails(gp, gp_scan(gp, &scan), GP_ERROR_OVERLAP, "count_buffer and out overlap");
    reduce.count_buffer = NULL;
    assert_gp_fails(gp, gp_reduce_read(gp, &reduce, &sum), GP_ERROR_INVALID_ARGUMENT,
                    "count_type = 8 but count_buffer is NULL");
    reduce.count_type = GP_TYPE_NONE;
    assert_gp(gp, gp_reduce_read(gp, &reduce, &sum));
    assert_int_equal(sum, 10);
    clReleaseMemObject(scan.in);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_counts),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_bad_counts),
    };
    return cmocka_run_group_tests_name("count", tests, NULL, NULL);
}
