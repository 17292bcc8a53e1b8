/* test_half.c - halves in memory: every value converted, sums carried in floats, results rounded to nearest. */
#include "../support/support.h"

#include <math.h>

/* What a half's bits mean. */
static float value_of(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const double sign = half & 0x8000u ? -1.0 : 1.0;
    if (exponent == 31) return (float)(fraction ? NAN : sign * INFINITY);
    return (float)(sign * ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25));
}

static bool same(float a, float b) { return a == b || (a != a && b != b); }

/* Every half becomes the float that it means, in either shape: min with what follows, over single elements. */
static void check_every_value(const test_variant *variant)
{
    gp_context *gp = test_open(variant, NULL);
    enum { count = 65536 };
    static uint16_t in[count];
    gp_scan_desc desc = {0};
    float *out;
    size_t i;
    if (!gp) return; /* the device cannot */
    for (i = 0; i < count; i++) in[i] = (uint16_t)(i * 40503u);
    desc.in = test_buffer(gp, count * 2, in);
    desc.out = test_buffer(gp, count * 4, NULL);
    desc.heads = test_buffer(gp, count * 2, in); /* all keys differ: segments of one element each */
    desc.segments = GP_SEGMENTS_BY_KEYS;
    desc.heads_type = desc.type = GP_F16;
    desc.out_type = GP_F32;
    desc.op = GP_SUM;
    desc.count = count;
    assert_gp(gp, gp_scan(gp, &desc));
    out = test_read(gp, desc.out, count * 4);
    for (i = 0; i < count; i++) {
        if (!same(out[i], value_of(in[i])))
            fail_msg("%s: half 0x%04x is %g", variant->name, in[i], (double)out[i]);
    }
    free(out);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.out);
    clReleaseMemObject(desc.heads);
    gp_context_destroy(gp);
}

static void test_every_value(void **state)
{
    (void)state;
    check_every_value(&test_variants[0]);
    check_every_value(&test_variants[3]);
    check_every_value(&test_variants[6]);
}

/* The nearest half, ties to even, as a float. */
static float rounded(double x)
{
    int exponent;
    double unit;
    (void)frexp(x, &exponent);
    unit = ldexp(1.0, exponent - 11 < -24 ? -24 : exponent - 11);
    x = nearbyint(x / unit) * unit;
    return (float)(fabs(x) >= 65520.0 ? (x < 0 ? -INFINITY : INFINITY) : x);
}

/* Sums carried as floats, rounded once, when stored; with an initial half, in place or not. */
static void check_scan(const test_variant *variant)
{
    gp_context *gp = test_open(variant, NULL);
    const size_t count = test_small() ? 5003 : 150001;
    const uint16_t initial = 0xb800; /* -0.5 */
    uint16_t *in, *out;
    gp_scan_desc desc = {0};
    double sum = -0.5;
    size_t i;
    if (!gp) return; /* the device cannot */
    in = malloc(count * 2);
    assert_non_null(in);
    for (i = 0; i < count; i++) { /* 1.5, -1.25 or 0: exact in floats, not in halves */
        in[i] = i % 2 ? 0xbd00 : test_random() & 1024 ? 0x3e00 : 0x0000;
    }
    desc.in = test_buffer(gp, count * 2, in);
    desc.out = test_buffer(gp, (count + 1) * 2, NULL);
    desc.count = count;
    desc.type = GP_F16;
    desc.op = GP_SUM;
    desc.initial = &initial;
    assert_gp(gp, gp_scan(gp, &desc));
    out = test_read(gp, desc.out, (count + 1) * 2);
    for (i = 0; i < count; i++) {
        sum += value_of(in[i]);
        if (!same(value_of(out[i]), rounded(sum))) {
            fail_msg("%s: out[%zu] = %g, not %g", variant->name, i, (double)value_of(out[i]), sum);
        }
    }
    assert_int_equal(out[count], 0xa5a5);
    free(in);
    free(out);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.out);
    gp_context_destroy(gp);
}

static void test_scan(void **state)
{
    (void)state;
    check_scan(&test_variants[0]);
    check_scan(&test_variants[6]);
}

/* A sum far beyond the largest half comes out as a float; extremes as halves; two inputs in a map. */
static void test_reduce(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const size_t count = test_small() ? 5003 : 150001;
    uint16_t *in = malloc(count * 2), low = 0;
    gp_reduce_desc desc = {0};
    float sum = 0, dot = 0;
    double expected = 0, squares = 0;
    size_t i;
    (void)state;
    assert_non_null(in);
    for (i = 0; i < count; i++) in[i] = (uint16_t)(0x5000 + 0x100 * (test_random() >> 8 & 3)); /* 32 ... 56 */
    in[count / 2] = 0x4c00; /* 16 instead */
    desc.in = test_buffer(gp, count * 2, in);
    desc.count = count;
    desc.type = GP_F16;
    desc.op = GP_MIN;
    assert_gp(gp, gp_reduce_read(gp, &desc, &low));
    assert_int_equal(low, 0x4c00);
    desc.op = GP_SUM;
    desc.compensated = true;
    for (i = 0; i < count; i++) {
        expected += value_of(in[i]);
        squares += (double)value_of(in[i]) * value_of(in[i]);
    }
    assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
    assert_true(sum == (float)expected);
    desc.in2 = desc.in;
    desc.map = "x * y";
    assert_gp(gp, gp_reduce_read(gp, &desc, &dot));
    assert_true(dot == (float)squares);
    free(in);
    clReleaseMemObject(desc.in);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_value),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_reduce),
    };
    return cmocka_run_group_tests_name("half", tests, NULL, NULL);
}
