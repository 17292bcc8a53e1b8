/* test_random.c - gp_random against Philox4x32-10 on the host, which is checked against the published
 * vectors. */
#include <math.h>

#include "../support/keys.h"
#include "../support/philox.h"

static const size_t sizes[] = {
    0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 65, 1023, 1024, 1025, 4097, 49159, (1 << 20) + 123};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* ------------------------------------------------------------------ reference */

/* Of Random123's kat_vectors. */
static void test_published_vectors(void **state)
{
    static const uint32_t vectors[][10] = {{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                           {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                            0xffffffff, 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                           {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822,
                                            0x299f31d0, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    size_t k;
    (void)state;
    for (k = 0; k < 3; k++) {
        uint32_t out[4];
        philox(vectors[k], vectors[k] + 4, out);
        assert_memory_equal(out, vectors[k] + 6, sizeof out);
    }
}

static uint32_t stream_word(const gp_random_desc *d, uint64_t block, unsigned word)
{
    return philox_word(d->seed, d->stream, block, word);
}

/* The bits of element e: one word, or two. */
static uint64_t element_bits(const gp_random_desc *d, uint64_t e)
{
    if (key_size(d->type) < 8 && d->kind != GP_RANDOM_RANGE) return stream_word(d, e / 4, (unsigned)(e % 4));
    return stream_word(d, e / 2, (unsigned)(e % 2) * 2) |
           (uint64_t)stream_word(d, e / 2, (unsigned)(e % 2) * 2 + 1) << 32;
}

/* x * y >> 64 */
static uint64_t high_product(uint64_t x, uint64_t y)
{
    const uint64_t xl = (uint32_t)x, xh = x >> 32, yl = (uint32_t)y, yh = y >> 32;
    const uint64_t middle = (xl * yl >> 32) + xh * yl, low = (uint32_t)middle + xl * yh;
    return xh * yh + (middle >> 32) + (low >> 32);
}

/* Of integers in a range. */
static uint64_t in_range(const gp_random_desc *d, uint64_t bits)
{
    return d->low.u64 + high_product(bits, d->high.u64 - d->low.u64);
}

static double fraction(const gp_random_desc *d, uint64_t e)
{
    const uint64_t bits = element_bits(d, e);
    if (d->type == GP_F64) return (double)(bits >> 11) / 9007199254740992.0;
    return (double)(bits >> 8) / 16777216.0;
}

static double normal(const gp_random_desc *d, uint64_t e)
{
    const double u = 1 - fraction(d, e & ~(uint64_t)1), v = fraction(d, e | 1), pi = 3.14159265358979323846;
    const double r = sqrt(-2 * log(u)) * (d->deviation == 0 ? 1 : d->deviation);
    return d->mean + r * (e & 1 ? sin(2 * pi * v) : cos(2 * pi * v));
}

static uint16_t half_fraction(uint64_t bits)
{
    const uint32_t k = (uint32_t)bits >> 21; /* k * 2^-11 */
    uint32_t exponent = 4, top = 1;          /* of k = 1: 2^-11 is exponent 15 - 11 */
    if (k == 0) return 0;
    while (top * 2 <= k) top *= 2, exponent++;
    return (uint16_t)(exponent << 10 | (k - top) * (1024 / top));
}

static void expect(const gp_random_desc *d, uint64_t e, unsigned char *out)
{
    const uint64_t bits = element_bits(d, e);
    if (d->kind == GP_RANDOM_UNIFORM) {
        const double f64 = fraction(d, e);
        const float f32 = (float)f64;
        const uint16_t f16 = half_fraction(bits);
        memcpy(out,
               d->type == GP_F64   ? (const void *)&f64
               : d->type == GP_F32 ? (const void *)&f32
                                   : &f16,
               key_size(d->type));
    } else {
        const uint64_t x = d->kind == GP_RANDOM_RANGE ? in_range(d, bits) : bits;
        memcpy(out, &x, key_size(d->type));
    }
}

/* ------------------------------------------------------------------ check */

static bool is_near(const gp_random_desc *d, uint64_t e, const unsigned char *at)
{
    const double expected = normal(d, e);
    double x;
    float f32;
    memcpy(&x, at, d->type == GP_F64 ? 8 : 4);
    memcpy(&f32, at, 4);
    if (d->type == GP_F32) x = f32;
    /* the angle is off by a rounding of 2 v, the radius near u = 1 by log's */
    return fabs(x - expected) <=
           (d->type == GP_F64 ? 1e-12 : 4e-5) * (1 + fabs(d->deviation) + fabs(d->mean));
}

/* Normal numbers that are near are taken over as expected. */
static void accept_near(gp_context *gp, const gp_random_desc *d, unsigned char *expected)
{
    const size_t size = key_size(d->type);
    unsigned char *out = test_read(gp, d->out, (d->out_offset + d->count) * size);
    size_t i;
    for (i = 0; i < d->count; i++) {
        const unsigned char *at = out + (d->out_offset + i) * size;
        if (is_near(d, d->first_element + i, at)) memcpy(expected + i * size, at, size);
    }
    free(out);
}

static void check(gp_context *gp, const char *name, gp_random_desc d)
{
    const size_t size = key_size(d.type), n = d.count;
    unsigned char *expected = calloc(n + 1, size);
    const char *wrong;
    size_t i, at = 0;
    assert_non_null(expected);
    for (i = 0; i < n && d.kind != GP_RANDOM_NORMAL; i++)
        expect(&d, d.first_element + i, expected + i * size);
    d.out = guarded(gp, d.out_offset, n, size, NULL);
    assert_gp(gp, gp_random(gp, &d));
    if (d.kind == GP_RANDOM_NORMAL) accept_near(gp, &d, expected);
    wrong = guarded_difference(gp, d.out, d.out_offset, n, size, expected, &at);
    if (wrong) {
        fail_msg("%s: type %d, kind %d, %zu elements from %llu: %s %zu", name, (int)d.type, (int)d.kind, n,
                 (unsigned long long)d.first_element, wrong, at);
    }
    clReleaseMemObject(d.out);
    free(expected);
}

static gp_random_desc make_desc(gp_type type, gp_random_kind kind, size_t n)
{
    gp_random_desc d = {0};
    d.type = type;
    d.kind = kind;
    d.count = n;
    d.seed = 0x0123456789abcdefu;
    return d;
}

static void test_sizes(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < SIZES && sizes[k] <= (test_small() ? 4097u : v ? 49159u : SIZE_MAX); k++) {
            gp_random_desc d = make_desc(GP_U32, GP_RANDOM_BITS, sizes[k]);
            d.first_element = k * 7 % 5;
            d.out_offset = k % 3;
            check(gp, test_shapes[v].name, d);
        }
        gp_context_destroy(gp);
    }
}

/* Every kind, in both shapes. */
static void test_kinds(void **state)
{
    static const struct {
        gp_type type;
        gp_random_kind kind;
    } kinds[] = {{GP_U64, GP_RANDOM_BITS},    {GP_I8, GP_RANDOM_BITS},     {GP_F32, GP_RANDOM_UNIFORM},
                 {GP_F16, GP_RANDOM_UNIFORM}, {GP_F64, GP_RANDOM_UNIFORM}, {GP_I32, GP_RANDOM_RANGE},
                 {GP_U8, GP_RANDOM_RANGE},    {GP_U64, GP_RANDOM_RANGE},   {GP_F32, GP_RANDOM_NORMAL},
                 {GP_F64, GP_RANDOM_NORMAL}};
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            gp_random_desc d = make_desc(kinds[k].type, kinds[k].kind, test_small() ? 501 : 10007);
            if (v > 0 && k != 0 && k != 2 && k != 5 && k != 8) continue; /* a program each */
            if (d.type == GP_F64 && !gp_context_info(gp)->fp64) continue;
            d.first_element = k % 4;
            d.stream = k;
            d.deviation = k % 2 ? 2.5 : 0;
            d.mean = k % 2 ? -7 : 0;
            if (d.type == GP_I32) d.low.i64 = -1000, d.high.i64 = 999;
            if (d.type == GP_U8) d.low.u64 = 250, d.high.u64 = 256;
            if (d.type == GP_U64) d.low.u64 = 5, d.high.u64 = (uint64_t)-3;
            check(gp, test_shapes[v].name, d);
        }
        gp_context_destroy(gp);
    }
}

/* The first published vector; elements far into a stream, and other streams. */
static void test_streams(void **state)
{
    static const uint32_t zero[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
    static const uint64_t firsts[] = {0xfffffffe, 0x3fffffffdu, 0x123456789abcdefu, UINT64_MAX - 40};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_random_desc d = make_desc(GP_U32, GP_RANDOM_BITS, 4);
    size_t at, k;
    (void)state;
    d.seed = 0;
    d.out = guarded(gp, 0, 4, 4, NULL);
    assert_gp(gp, gp_random(gp, &d));
    assert_null(guarded_difference(gp, d.out, 0, 4, 4, zero, &at));
    clReleaseMemObject(d.out);
    d.count = 39;
    for (k = 0; k < 4; k++) {
        d.first_element = firsts[k];
        d.stream = k * 0x987654321u;
        d.seed = firsts[3 - k];
        check(gp, "streams", d);
    }
    gp_context_destroy(gp);
}

/* Mean and deviation of many normal numbers; no number is infinite. */
static void test_normal_moments(void **state)
{
    const size_t n = test_small() ? 4000 : 400000;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_random_desc d = make_desc(GP_F32, GP_RANDOM_NORMAL, n);
    double sum = 0, squares = 0;
    float *out;
    size_t i;
    (void)state;
    d.out = test_buffer(gp, n * 4, NULL);
    assert_gp(gp, gp_random(gp, &d));
    out = test_read(gp, d.out, n * 4);
    for (i = 0; i < n; i++) {
        assert_true(fabs((double)out[i]) < 8);
        sum += out[i];
        squares += (double)out[i] * out[i];
    }
    assert_true(fabs(sum / (double)n) < 5 / sqrt((double)n));
    assert_true(fabs(squares / (double)n - 1) < 8 / sqrt((double)n));
    free(out);
    clReleaseMemObject(d.out);
    gp_context_destroy(gp);
}

static void test_count_on_device(void **state)
{
    static const uint64_t counts[] = {0, 1, 777, 5000};
    enum { BOUND = 1000 };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k, i, at = 0;
    (void)state;
    for (k = 0; k < 4; k++) {
        gp_random_desc d = make_desc(GP_U32, GP_RANDOM_BITS, BOUND);
        uint32_t expected[BOUND];
        d.out = guarded(gp, 0, BOUND, 4, NULL);
        d.count_buffer = test_buffer(gp, sizeof counts, counts);
        d.count_offset = k;
        d.count_type = GP_U64;
        memset(expected, TEST_POISON, sizeof expected);
        for (i = 0; i < BOUND && i < counts[k]; i++) expect(&d, i, (unsigned char *)&expected[i]);
        assert_gp(gp, gp_random(gp, &d));
        assert_null(guarded_difference(gp, d.out, 0, BOUND, 4, expected, &at));
        clReleaseMemObject(d.out);
        clReleaseMemObject(d.count_buffer);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_random_desc good = make_desc(GP_U32, GP_RANDOM_BITS, 900), d;
    (void)state;
    good.out = test_buffer(gp, 4000, NULL);
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_random(gp, &d), result, text)
    REFUSED(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_random: type is not set");
    REFUSED(d.type = GP_F32, GP_ERROR_INVALID_TYPE, "type float, kind 0 is of integers");
    REFUSED(d.kind = GP_RANDOM_NORMAL, GP_ERROR_INVALID_TYPE, "type uint, kind 3 is of floats");
    REFUSED(d.kind = (gp_random_kind)7, GP_ERROR_INVALID_ARGUMENT, "kind = 7");
    REFUSED(d.kind = GP_RANDOM_RANGE, GP_ERROR_INVALID_ARGUMENT, "low = 0 and high = 0: must be low < high");
    REFUSED((d.kind = GP_RANDOM_RANGE, d.type = GP_I16, d.high.i64 = -4), GP_ERROR_INVALID_ARGUMENT,
            "low = 0 and high = -4");
    REFUSED(d.first_element = UINT64_MAX - 3, GP_ERROR_COUNT_LIMIT, "count = 900");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.count = 1001, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED((d.count_buffer = good.out, d.count_type = GP_I32), GP_ERROR_INVALID_TYPE, "count_type = 5");
    REFUSED((d.count_buffer = good.out, d.count_type = GP_U32), GP_ERROR_OVERLAP, "count_buffer");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_random(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_random(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    clReleaseMemObject(good.out);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    const gp_random_desc d = make_desc(GP_F32, GP_RANDOM_UNIFORM, 300);
    gp_warmup_desc warm = {0};
    (void)state;
    warm.random = &d;
    assert_gp(gp, gp_warmup(gp, &warm));
    check(gp, "warmed", d);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, 1);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_vectors),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_normal_moments),
        cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
