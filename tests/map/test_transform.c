/* test_transform.c - gp_transform, gp_fill, gp_iota and gp_adjacent_difference against plain loops. */
#include "../support/keys.h"

static const size_t sizes[] = {0,    1,    2,    15,   16,   17,   127,  128,   129,    1023,
                               1024, 1025, 4095, 4096, 4097, 8191, 8193, 49159, 104729, (1 << 20) + 123};
enum { SIZES = sizeof sizes / sizeof *sizes };

static size_t largest(size_t variant) { return test_small() ? 4097 : variant == 0 ? SIZE_MAX : 104729; }

static unsigned char *random_bytes(size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    size_t i;
    assert_non_null(bytes);
    for (i = 0; i < size; i++) bytes[i] = (unsigned char)(test_random() >> 11);
    return bytes;
}

/* The buffer holds `expected` from `offset` on, and its guards are whole. */
static void check_out(gp_context *gp, const char *what, cl_mem out, size_t offset, size_t count, size_t size,
                      const void *expected)
{
    size_t at = 0;
    const char *wrong = guarded_difference(gp, out, offset, count, size, expected, &at);
    if (wrong) fail_msg("%s, %zu elements, offset %zu: %s %zu", what, count, offset, wrong, at);
}

/* ------------------------------------------------------------------ transform */

/* Three inputs of different types; in place where `in_place`. */
static void check_three(gp_context *gp, const char *name, size_t n, size_t offset, bool in_place)
{
    uint32_t *x = (uint32_t *)random_bytes(n * 4), *expected = malloc(n * 4 + 1);
    uint8_t *y = random_bytes(n);
    int16_t *z = (int16_t *)random_bytes(n * 2);
    gp_transform_desc d = {0};
    size_t i;
    assert_non_null(expected);
    for (i = 0; i < n; i++) expected[i] = x[i] * 3u + y[i] - (uint32_t)z[i] + (uint32_t)i;
    d.map = "x * 3 + y - z + (uint)i // as it is";
    d.count = n;
    d.in_offset = offset;
    d.in2_offset = 2 * offset;
    d.in3_offset = 3 * offset;
    d.out_offset = in_place ? offset : 5 * offset;
    d.in = guarded(gp, d.in_offset, n, 4, x);
    d.in2 = guarded(gp, d.in2_offset, n, 1, y);
    d.in3 = guarded(gp, d.in3_offset, n, 2, z);
    d.out = in_place ? d.in : guarded(gp, d.out_offset, n, 4, NULL);
    d.type = GP_U32;
    d.type2 = GP_U8;
    d.type3 = GP_I16;
    assert_gp(gp, gp_transform(gp, &d));
    check_out(gp, name, d.out, d.out_offset, n, 4, expected);
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.in2);
    clReleaseMemObject(d.in3);
    if (!in_place) clReleaseMemObject(d.out);
    free(x);
    free(y);
    free(z);
    free(expected);
}

static void test_three_inputs(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < SIZES && sizes[k] <= largest(v); k++)
            check_three(gp, test_shapes[v].name, sizes[k], k % 4, k % 3 == 1);
        gp_context_destroy(gp);
    }
}

/* One call with `type` in and `out_type` out. */
static void check_one(gp_context *gp, gp_type type, gp_type out_type, const char *map, const void *in,
                      const void *expected, size_t n)
{
    gp_transform_desc d = {0};
    d.type = type;
    d.out_type = out_type;
    d.map = map;
    d.count = n;
    d.in = type ? test_buffer(gp, n * key_size(type), in) : NULL;
    d.out = guarded(gp, 1, n, key_size(out_type), NULL);
    d.out_offset = 1;
    assert_gp(gp, gp_transform(gp, &d));
    check_out(gp, map, d.out, 1, n, key_size(out_type), expected);
    if (d.in) clReleaseMemObject(d.in);
    clReleaseMemObject(d.out);
}

/* Halves, conversions both ways, and no input at all. */
static void test_types(void **state)
{
    enum { N = 101 };
    const float floats[] = {0.5f, -1.5f, 2048.0f, 65504.0f};
    const uint16_t halves[] = {0x3800, 0xbe00, 0x6800, 0x7bff};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    uint16_t half[N];
    float f[N];
    int8_t bytes[N];
    int64_t cubes[N];
    double d[N];
    size_t i;
    (void)state;
    for (i = 0; i < N; i++) {
        half[i] = halves[i % 4];
        f[i] = floats[i % 4];
        bytes[i] = (int8_t)(i * 5);
        cubes[i] = (int64_t)bytes[i] * bytes[i] * bytes[i];
        d[i] = bytes[i] * 0.5;
    }
    check_one(gp, GP_F16, GP_F32, "x", half, f, N);
    check_one(gp, GP_F32, GP_F16, "x", f, half, N);
    check_one(gp, GP_I8, GP_I64, "x * x * x", bytes, cubes, N);
    if (gp_context_info(gp)->fp64) check_one(gp, GP_I8, GP_F64, "x * 0.5", bytes, d, N);
    check_one(gp, GP_TYPE_NONE, GP_I8, "i * 5", NULL, bytes, N);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ fill, iota */

static void check_fill(gp_context *gp, const char *name, size_t size, size_t n, size_t offset, bool zeros)
{
    unsigned char *value = random_bytes(16), *expected = calloc(n + 1, size);
    gp_fill_desc d = {0};
    size_t i;
    assert_non_null(expected);
    for (i = 0; i < n && !zeros; i++) memcpy(expected + i * size, value, size);
    d.element_size = size;
    d.value = zeros ? NULL : value;
    d.count = n;
    d.out = guarded(gp, offset, n, size, NULL);
    d.out_offset = offset;
    assert_gp(gp, gp_fill(gp, &d));
    check_out(gp, name, d.out, offset, n, size, expected);
    clReleaseMemObject(d.out);
    free(value);
    free(expected);
}

static void test_fill(void **state)
{
    size_t v, size, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (size = 1; size <= 16; size *= 2) {
            if (v > 0 && size != 1 && size != 16) continue;
            for (k = 0; k < SIZES && sizes[k] <= (test_small() ? 129u : 104729u); k += 1 + k % 3)
                check_fill(gp, test_shapes[v].name, size, sizes[k], k % 3, k % 4 == 0);
        }
        gp_context_destroy(gp);
    }
}

static void expect_iota(gp_type type, gp_value start, gp_value step, size_t i, void *out)
{
    const uint64_t integer = start.u64 + i * step.u64;
    const float f32 = start.f32 + (float)i * step.f32;
    const double f64 = start.f64 + (double)i * step.f64;
    if (type == GP_F32) memcpy(out, &f32, 4);
    else if (type == GP_F64) memcpy(out, &f64, 8);
    else memcpy(out, &integer, key_size(type));
}

/* Floats may be rounded once or twice: they are compared within one rounding of the product. */
static bool iota_is_near(gp_type type, gp_value start, gp_value step, size_t i, const void *out)
{
    double x = 0, y;
    float f32;
    if (type == GP_F64) {
        memcpy(&x, out, 8);
        y = start.f64 + (double)i * step.f64 - x;
        return (y < 0 ? -y : y) <=
               1e-15 * ((double)i * (step.f64 < 0 ? -step.f64 : step.f64) + 2 * start.f64);
    }
    memcpy(&f32, out, 4);
    y = (double)start.f32 + (double)(float)i * step.f32 - f32;
    return (y < 0 ? -y : y) <= 1.2e-7 * ((double)i * (step.f32 < 0 ? -step.f32 : step.f32) + 4);
}

/* Takes the device's elements over as expected where they are near. */
static void accept_near(gp_context *gp, const gp_iota_desc *d, gp_value step, unsigned char *expected)
{
    const size_t size = key_size(d->type);
    unsigned char *out = test_read(gp, d->out, (d->out_offset + d->count) * size);
    size_t i;
    for (i = 0; i < d->count; i++) {
        const unsigned char *at = out + (d->out_offset + i) * size;
        if (iota_is_near(d->type, d->start, step, i, at)) memcpy(expected + i * size, at, size);
    }
    free(out);
}

static void check_iota(gp_context *gp, gp_type type, gp_value start, gp_value step, size_t n, size_t offset)
{
    const size_t size = key_size(type);
    const gp_value zero = {0};
    unsigned char *expected = malloc(n * size + 1);
    gp_iota_desc d = {0};
    size_t i;
    assert_non_null(expected);
    d.type = type;
    d.start = start;
    d.step = step;
    if (memcmp(&step, &zero, sizeof zero) == 0) { /* the default */
        if (type == GP_F32) step.f32 = 1;
        else if (type == GP_F64) step.f64 = 1;
        else step.u64 = 1;
    }
    for (i = 0; i < n; i++) expect_iota(type, start, step, i, expected + i * size);
    d.count = n;
    d.out = guarded(gp, offset, n, size, NULL);
    d.out_offset = offset;
    assert_gp(gp, gp_iota(gp, &d));
    if (type == GP_F32 || type == GP_F64) accept_near(gp, &d, step, expected);
    check_out(gp, "iota", d.out, offset, n, size, expected);
    clReleaseMemObject(d.out);
    free(expected);
}

static void test_iota(void **state)
{
    static const gp_type types[] = {GP_U32, GP_I8, GP_I64, GP_F32, GP_F64};
    size_t v, t, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (t = 0; t < (v ? 1u : 5u); t++) {
            gp_value start = {0}, step = {0};
            if (types[t] == GP_F64 && !gp_context_info(gp)->fp64) continue;
            for (k = 0; k < SIZES && sizes[k] <= (test_small() ? 129u : 104729u); k++) {
                check_iota(gp, types[t], start, step, sizes[k], k % 4);
                if (types[t] == GP_F32) start.f32 = -3.25f, step.f32 = 0.1f;
                else if (types[t] == GP_F64) start.f64 = 1e9, step.f64 = -1e-3;
                else start.i64 = -70000, step.i64 = types[t] == GP_I64 ? -123456789012 : -3;
            }
        }
        gp_context_destroy(gp);
    }
}

/* Halves: whole numbers, which are exact. */
static void test_iota_half(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    const uint16_t expected[] = {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500};
    gp_iota_desc d = {0};
    (void)state;
    d.type = GP_F16;
    d.start.f32 = 1;
    d.count = 5;
    d.out = guarded(gp, 0, 5, 2, NULL);
    assert_gp(gp, gp_iota(gp, &d));
    check_out(gp, "iota", d.out, 0, 5, 2, expected);
    clReleaseMemObject(d.out);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ adjacent difference */

enum { APART, IN_PLACE, IN_PLACE_OWN_SCRATCH };

static void check_difference(gp_context *gp, const char *name, size_t n, size_t offset, int way,
                             const char *map)
{
    uint32_t *x = (uint32_t *)random_bytes(n * 4), *expected = malloc(n * 4 + 1);
    gp_adjacent_difference_desc d = {0};
    size_t i, bytes = 99;
    assert_non_null(expected);
    for (i = 0; i < n; i++) {
        expected[i] = i == 0 ? x[0] : map ? x[i] * 7u + x[i - 1] + (uint32_t)i : x[i] - x[i - 1];
    }
    d.type = GP_U32;
    d.map = map;
    d.count = n;
    d.in = guarded(gp, offset, n, 4, x);
    d.in_offset = offset;
    d.out_offset = way ? offset : 3 * offset;
    d.out = way ? d.in : guarded(gp, d.out_offset, n, 4, NULL);
    assert_gp(gp, gp_adjacent_difference_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, way ? n * 4 : 0);
    if (way == IN_PLACE_OWN_SCRATCH) d.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_adjacent_difference(gp, &d));
    check_out(gp, name, d.out, d.out_offset, n, 4, expected);
    if (d.scratch) clReleaseMemObject(d.scratch);
    if (!way) clReleaseMemObject(d.out);
    clReleaseMemObject(d.in);
    free(x);
    free(expected);
}

static void test_difference(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < SIZES && sizes[k] <= largest(v); k++) {
            check_difference(gp, test_shapes[v].name, sizes[k], k % 4, (int)k % 3, NULL);
            if (v == 0 && sizes[k] < 5000)
                check_difference(gp, test_shapes[v].name, sizes[k], 0, (int)(k + 1) % 3,
                                 "x * 7 + y + (uint)i");
        }
        gp_context_destroy(gp);
    }
}

/* The size of scratch is what the call takes: nothing for parts of one buffer, a copy for one part by two names. */
static void test_difference_scratch(void **state)
{
    enum { N = 1024, HALF = N / 2 };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    const cl_buffer_region upper = {HALF * 4, HALF * 4};
    cl_mem buffer = test_buffer(gp, N * 4, NULL), part;
    gp_adjacent_difference_desc d = {.in = buffer, .out = buffer, .out_offset = HALF, .type = GP_U32};
    size_t bytes = 99;
    cl_int error;
    (void)state;
    part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &upper, &error);
    assert_int_equal(error, CL_SUCCESS);
    d.count = HALF;
    assert_gp(gp, gp_adjacent_difference_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, 0);
    assert_gp(gp, gp_adjacent_difference(gp, &d));
    d.in = part;
    assert_gp(gp, gp_adjacent_difference_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, HALF * 4);
    d.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_adjacent_difference(gp, &d));
    d.in = NULL; /* asked before there are buffers */
    assert_gp(gp, gp_adjacent_difference_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, 0);
    d.out = NULL;
    d.out_offset = 0;
    assert_gp(gp, gp_adjacent_difference_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, HALF * 4);
    clReleaseMemObject(d.scratch);
    clReleaseMemObject(part);
    clReleaseMemObject(buffer);
    gp_context_destroy(gp);
}

/* A difference of bytes does not wrap round where the output is wider. */
static void test_difference_types(void **state)
{
    const uint8_t in[] = {200, 100, 255, 0, 7};
    const int32_t expected[] = {200, -100, 155, -255, 7};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_adjacent_difference_desc d = {0};
    (void)state;
    d.type = GP_U8;
    d.out_type = GP_I32;
    d.count = 5;
    d.in = test_buffer(gp, sizeof in, in);
    d.out = guarded(gp, 0, 5, 4, NULL);
    assert_gp(gp, gp_adjacent_difference(gp, &d));
    check_out(gp, "bytes", d.out, 0, 5, 4, expected);
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.out);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ counts, bad input */

/* Less than the bound, and more, which is clamped; what is behind stays as it is. */
static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 777, 3000, 5000};
    enum { BOUND = 3000 };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    uint32_t expected[BOUND];
    size_t k, i;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        gp_iota_desc d = {0};
        d.type = GP_U32;
        d.start.u32 = 5;
        d.count = BOUND;
        d.out = guarded(gp, 0, BOUND, 4, NULL);
        d.count_buffer = test_buffer(gp, sizeof counts, counts);
        d.count_offset = k;
        d.count_type = GP_U32;
        assert_gp(gp, gp_iota(gp, &d));
        for (i = 0; i < BOUND; i++) expected[i] = i < counts[k] ? 5u + (uint32_t)i : 0xa5a5a5a5u;
        check_out(gp, "counts", d.out, 0, BOUND, 4, expected);
        clReleaseMemObject(d.out);
        clReleaseMemObject(d.count_buffer);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    gp_context_destroy(gp);
}

#define REFUSED(call, change, result, text) \
    d = good;                               \
    change;                                 \
    assert_gp_fails(gp, call(gp, &d), result, text)

static void test_bad_transform(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    cl_mem buffer = test_buffer(gp, 4000, NULL), other = test_buffer(gp, 4000, NULL);
    gp_transform_desc good = {0}, d;
    (void)state;
    good.in = buffer;
    good.out = other;
    good.type = GP_U32;
    good.map = "x + 1u";
    good.count = 900;
    REFUSED(gp_transform, d.map = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_transform: map is NULL");
    REFUSED(gp_transform, d.map = " ", GP_ERROR_INVALID_ARGUMENT, "map is empty");
    REFUSED(gp_transform, d.map = "x x", GP_ERROR_BUILD, "gp_transform");
    REFUSED(gp_transform, d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "type is not set");
    REFUSED(gp_transform, d.type2 = (gp_type)99, GP_ERROR_INVALID_TYPE, "type2 = 99");
    REFUSED(gp_transform, d.out_type = (gp_type)-1, GP_ERROR_INVALID_TYPE, "out_type = -1");
    REFUSED(gp_transform, d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(gp_transform, d.in3 = other, GP_ERROR_INVALID_BUFFER, "in2 is NULL");
    REFUSED(gp_transform, d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(gp_transform, d.count = 1001, GP_ERROR_INVALID_BUFFER, "in has 4000 bytes");
    REFUSED(gp_transform, d.out_offset = 101, GP_ERROR_INVALID_BUFFER, "out has 4000 bytes");
    REFUSED(gp_transform, (d.out = buffer, d.out_offset = 1), GP_ERROR_OVERLAP, "in is bytes [0, 3600)");
    REFUSED(gp_transform, (d.out = buffer, d.out_type = GP_U8), GP_ERROR_OVERLAP, "out [0, 900)");
    REFUSED(gp_transform, (d.count_buffer = buffer, d.count_type = GP_I32), GP_ERROR_INVALID_TYPE,
            "count_type = 5");
    REFUSED(gp_transform, (d.count_buffer = other, d.count_type = GP_U32), GP_ERROR_OVERLAP, "count_buffer");
    REFUSED(gp_transform, d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
    assert_gp_fails(NULL, gp_transform(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_transform(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    d = good;
    d.count = 0;
    d.in = d.out = NULL;
    assert_gp(gp, gp_transform(gp, &d));
    clReleaseMemObject(buffer);
    clReleaseMemObject(other);
    gp_context_destroy(gp);
}

static void test_bad_others(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    cl_mem buffer = test_buffer(gp, 4000, NULL);
    (void)state;
    {
        gp_fill_desc good = {0}, d;
        good.out = buffer;
        good.element_size = 4;
        good.count = 900;
        REFUSED(gp_fill, d.element_size = 0, GP_ERROR_INVALID_ARGUMENT, "gp_fill: element_size = 0");
        REFUSED(gp_fill, d.element_size = 12, GP_ERROR_INVALID_ARGUMENT, "element_size = 12");
        REFUSED(gp_fill, d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
        REFUSED(gp_fill, d.count = 1001, GP_ERROR_INVALID_BUFFER, "out has");
        assert_gp_fails(gp, gp_fill(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    }
    {
        gp_iota_desc good = {0}, d;
        good.out = buffer;
        good.type = GP_U32;
        good.count = 900;
        REFUSED(gp_iota, d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_iota: type is not set");
        REFUSED(gp_iota, d.count = SIZE_MAX, GP_ERROR_INVALID_BUFFER, "out has");
        assert_gp_fails(gp, gp_iota(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    }
    {
        gp_adjacent_difference_desc good = {0}, d;
        good.in = good.out = buffer;
        good.type = GP_U32;
        good.count = 900;
        REFUSED(gp_adjacent_difference, d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "type is not set");
        REFUSED(gp_adjacent_difference, d.map = "", GP_ERROR_INVALID_ARGUMENT, "map is empty");
        REFUSED(gp_adjacent_difference, d.out_offset = 1, GP_ERROR_OVERLAP, "in is bytes");
        REFUSED(gp_adjacent_difference, d.scratch = buffer, GP_ERROR_OVERLAP, "scratch");
        assert_gp_fails(gp, gp_adjacent_difference(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
        assert_gp_fails(gp, gp_adjacent_difference_scratch_size(gp, &good, NULL), GP_ERROR_INVALID_ARGUMENT,
                        "bytes is NULL");
    }
    clReleaseMemObject(buffer);
    gp_context_destroy(gp);
}

/* Random sizes in a row. */
static void test_many(void **state)
{
    const size_t rounds = test_small() ? 5 : 150, most = test_small() ? 700 : 20000;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t i;
    (void)state;
    for (i = 0; i < rounds; i++) {
        check_three(gp, "many", test_random() % most, i % 5, i % 2 == 0);
        check_difference(gp, "many", test_random() % most, i % 3, (int)(i % 3), NULL);
    }
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_transform_desc transform = {0};
    gp_fill_desc fill = {0};
    gp_iota_desc iota = {0};
    gp_adjacent_difference_desc difference = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    transform.type = GP_U32;
    transform.type2 = GP_U8;
    transform.type3 = GP_I16;
    transform.map = "x * 3 + y - z + (uint)i // as it is";
    fill.element_size = 16;
    iota.type = GP_U32;
    difference.type = GP_U32;
    warm.transform = &transform;
    warm.fill = &fill;
    warm.iota = &iota;
    warm.adjacent_difference = &difference;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_int_equal(built, 4);
    check_three(gp, "warmed", 1000, 1, false);
    check_fill(gp, "warmed", 16, 1000, 1, false);
    check_iota(gp, GP_U32, (gp_value){.u64 = 3}, (gp_value){0}, 1000, 1);
    check_difference(gp, "warmed", 1000, 1, IN_PLACE, NULL);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_inputs),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_iota),
        cmocka_unit_test(test_iota_half),
        cmocka_unit_test(test_difference),
        cmocka_unit_test(test_difference_scratch),
        cmocka_unit_test(test_difference_types),
        cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_bad_transform),
        cmocka_unit_test(test_bad_others),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("transform", tests, NULL, NULL);
}
