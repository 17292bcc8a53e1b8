/* test_reduce.c - gp_reduce against a sequential reduction. */
#include "../support/support.h"

#include <math.h>

typedef struct reduce_case {
    const test_element *element;
    test_pattern pattern;
    size_t count;
    size_t in_offset, out_offset;
    bool initial;
} reduce_case;

static gp_reduce_desc desc_of(const test_element *e)
{
    gp_reduce_desc desc = {0};
    desc.type = e->type;
    desc.out_type = e->out_type;
    desc.op = e->op;
    desc.monoid = e->monoid;
    return desc;
}

static void reference(const test_element *e, const unsigned char *in, size_t count, const void *initial,
                      void *out)
{
    unsigned char x[64];
    size_t i;
    e->identity(out);
    if (initial) memcpy(out, initial, e->size);
    for (i = 0; i < count; i++) {
        e->from(in + i * e->in_size, x);
        e->combine(out, x, out);
    }
}

static void check(gp_context *gp, const test_variant *variant, const reduce_case *c)
{
    const test_element *e = c->element;
    const size_t out_size = (c->out_offset + 2) * e->size;
    unsigned char initial[64], expected[64], first[64], *out;
    unsigned char *in = test_input(e, c->pattern, c->in_offset + c->count);
    cl_mem in_buffer = test_buffer(gp, (c->in_offset + c->count) * e->in_size, in);
    cl_mem out_buffer = test_buffer(gp, out_size, NULL);
    gp_reduce_desc desc = desc_of(e);
    size_t i;
    e->make(0x12345677u, first);
    e->from(first, initial);
    desc.in = in_buffer;
    desc.in_offset = c->in_offset;
    desc.out = out_buffer;
    desc.out_offset = c->out_offset;
    desc.count = c->count;
    desc.initial = c->initial ? initial : NULL;
    assert_gp(gp, gp_reduce(gp, &desc));
    out = test_read(gp, out_buffer, out_size);
    reference(e, in + c->in_offset * e->in_size, c->count, desc.initial, expected);
    if (memcmp(out + c->out_offset * e->size, expected, e->size) != 0) {
        fail_msg("%s, %s, pattern %d, count %zu, offsets %zu %zu, initial %d", e->name, variant->name,
                 (int)c->pattern, c->count, c->in_offset, c->out_offset, c->initial);
    }
    for (i = 0; i < c->out_offset * e->size; i++) assert_int_equal(out[i], TEST_POISON);
    for (i = (c->out_offset + 1) * e->size; i < out_size; i++) assert_int_equal(out[i], TEST_POISON);
    free(out);
    free(in);
    clReleaseMemObject(in_buffer);
    clReleaseMemObject(out_buffer);
}

static const size_t sizes[] = {0,     1,     1023,  1024,  1025,  2049,  4095,   4096,           4097,
                               16385, 32767, 32768, 32769, 98311, 49159, 104729, (1 << 20) + 123};
static const size_t small_sizes[] = {0, 1, 1023, 1024, 1025, 3079, 4099};

static void check_sizes(gp_context *gp, const test_variant *variant, reduce_case c)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    const size_t most = c.element == &test_u32_sum_u64 ? SIZE_MAX : test_most(gp, variant->shape);
    size_t i;
    for (i = 0; i < n && list[i] <= most; i++) {
        c.count = list[i];
        check(gp, variant, &c);
    }
}

static void check_variant(const test_variant *variant, const test_element *element)
{
    gp_context *gp = test_open_other(variant);
    reduce_case c = {element, TEST_RANDOM, 0, 0, 0, false};
    size_t k;
    if (!gp) return; /* the device cannot */
    check_sizes(gp, variant, c);
    c.initial = true;
    check_sizes(gp, variant, c);
    c.count = 5003;
    for (k = 0; k < TEST_PATTERNS; k++) {
        c.pattern = (test_pattern)k;
        check(gp, variant, &c);
    }
    c.pattern = TEST_RANDOM;
    for (k = 0; k < 16; k += test_small() ? 5 : 1) {
        c.in_offset = k;
        c.out_offset = (5 * k + 3) % 16;
        check(gp, variant, &c);
    }
    gp_context_destroy(gp);
}

/* Results come to the host from buffers, and parts of buffers, that it may not read. */
static void test_unreadable_out(void **state)
{
    static const cl_mem_flags flags[] = {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY};
    gp_context *gp = test_open(&test_variants[0], NULL);
    const uint32_t ones[4] = {1, 1, 1, 1};
    gp_reduce_desc desc = {0};
    size_t k;
    (void)state;
    desc.in = test_buffer(gp, sizeof ones, ones);
    desc.count = 4;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    for (k = 0; k < 2; k++) {
        const cl_buffer_region region = {1024, 1024};
        cl_int error;
        cl_mem whole = clCreateBuffer(gp_cl_context(gp), flags[k], 4096, NULL, &error);
        cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
        uint64_t sum = 0; /* what sums of GP_U32 are made in */
        assert_int_equal(error, CL_SUCCESS);
        desc.out = whole;
        desc.out_offset = 3;
        assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
        assert_int_equal(sum, 4);
        desc.out = part;
        sum = 0;
        assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
        assert_int_equal(sum, 4);
        clReleaseMemObject(part);
        clReleaseMemObject(whole);
    }
    clReleaseMemObject(desc.in);
    gp_context_destroy(gp);
}

/* Reduce does not look back, so that the shapes are all its variants. */
static const size_t shapes[] = {0, 3, 6};

static void test_every_shape(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < sizeof shapes / sizeof *shapes; v++) {
        check_variant(&test_variants[shapes[v]], &test_u32_sum_u64);
        check_variant(&test_variants[shapes[v]], &test_affine);
    }
    check_variant(&test_variants[0], &test_matrix);
}

static void test_types_and_ops(void **state)
{
    static const test_element *const diagonal[] = {&test_u32_max,    &test_i32_min, &test_i32_sum_i64,
                                                   &test_f32_sum,    &test_f32_max, &test_u64_min,
                                                   &test_u8_sum_u64, &test_f64_sum};
    const test_variant *variant = &test_variants[0];
    gp_context *gp = test_open(variant, NULL);
    const bool all = test_builds_are_cheap(gp);
    const size_t n = all ? test_grid_count : sizeof diagonal / sizeof *diagonal;
    size_t i;
    (void)state;
    for (i = 0; i < n; i++) {
        const reduce_case c = {all ? test_grid[i] : diagonal[i], TEST_RANDOM, 0, 1, 0, true};
        if (c.element->type == GP_F64 && !gp_context_info(gp)->fp64) continue;
        check_sizes(gp, variant, c);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ argmin, argmax */

/* Where the extreme of `count` elements first stands. */
static uint64_t position_of(const test_element *e, const unsigned char *in, size_t count)
{
    unsigned char best[64], x[64];
    uint64_t position = 0;
    size_t i;
    e->from(in, best);
    for (i = 1; i < count; i++) {
        e->from(in + i * e->in_size, x);
        e->combine(best, x, x);
        if (memcmp(best, x, e->size) == 0) continue;
        memcpy(best, x, e->size);
        position = i;
    }
    return position;
}

/* `e` is a minimum or a maximum. */
static void check_arg(gp_context *gp, const test_element *e, test_pattern pattern, size_t count)
{
    unsigned char *in = test_input(e, pattern, count);
    cl_mem buffer = test_buffer(gp, count * e->in_size, in);
    gp_reduce_desc desc = {0};
    uint64_t at = 0;
    desc.in = buffer;
    desc.count = count;
    desc.type = e->type;
    desc.op = e->op == GP_MIN ? GP_ARGMIN : GP_ARGMAX;
    assert_gp(gp, gp_reduce_read(gp, &desc, &at));
    if (at != position_of(e, in, count))
        fail_msg("arg of %s, pattern %d, count %zu", e->name, (int)pattern, count);
    free(in);
    clReleaseMemObject(buffer);
}

static void test_arg_of_every_type(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const size_t step = test_builds_are_cheap(gp) ? 1 : 5;
    size_t i, extremes = 0, k;
    (void)state;
    for (i = 0; i < test_grid_count; i++) {
        const test_element *e = test_grid[i];
        if ((e->op != GP_MIN && e->op != GP_MAX) || extremes++ % step) continue;
        if (e->type == GP_F64 && !gp_context_info(gp)->fp64) continue;
        for (k = 0; k < TEST_PATTERNS; k++) check_arg(gp, e, (test_pattern)k, test_small() ? 3001 : 150001);
        check_arg(gp, e, TEST_RANDOM, 1);
        check_arg(gp, e, TEST_RANDOM, 37);
    }
    gp_context_destroy(gp);
}

static uint64_t arg_of(gp_context *gp, gp_type type, gp_op op, const void *in, size_t size, size_t count)
{
    gp_reduce_desc desc = {0};
    uint64_t at = 0;
    desc.in = test_buffer(gp, count * size, in);
    desc.count = count;
    desc.type = type;
    desc.op = op;
    assert_gp(gp, gp_reduce_read(gp, &desc, &at));
    clReleaseMemObject(desc.in);
    return at;
}

/* Elements that are as bad as can be, and NaNs, which are worse: of floats all but those at `number` and after it. */
static void test_arg_of_the_worst(void **state)
{
    static const size_t counts[] = {1, 16, 63, 64, 3001, 150001};
    gp_context *gp = test_open(&test_variants[0], NULL);
    uint32_t *words = calloc(150001, sizeof *words);
    float *floats = malloc(150001 * sizeof *floats);
    size_t c, i, k;
    (void)state;
    assert_non_null(words);
    assert_non_null(floats);
    for (c = 0; c < sizeof counts / sizeof *counts; c++) {
        const size_t n = counts[c];
        const size_t numbers[] = {0, n / 3, n - 1, n};
        assert_int_equal(arg_of(gp, GP_U32, GP_ARGMAX, words, sizeof *words, n), 0);
        for (k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            for (i = 0; i < n; i++) floats[i] = i < numbers[k] ? (float)NAN : -(float)INFINITY;
            assert_int_equal(arg_of(gp, GP_F32, GP_ARGMAX, floats, sizeof *floats, n),
                             numbers[k] < n ? numbers[k] : UINT64_MAX);
        }
    }
    free(words);
    free(floats);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ several at once, compensated */

static void check_several(gp_context *gp, const test_variant *variant, size_t count)
{
    static const gp_op ops[] = {GP_SUM, GP_MIN, GP_ARGMAX, GP_MAX, GP_XOR, GP_ARGMIN};
    static const gp_type outs[] = {GP_U64, GP_TYPE_NONE, GP_U32, GP_U64, GP_U16, GP_U64};
    enum { OPS = sizeof ops / sizeof *ops };
    uint16_t *in = test_input(&test_grid_u16_max, TEST_RANDOM, count + 1);
    cl_mem buffer = test_buffer(gp, (count + 1) * 2, in), out = test_buffer(gp, (OPS + 2) * 8 * 2, NULL);
    gp_value expected[OPS], *results;
    gp_reduce_desc desc = {0};
    size_t i;
    memset(expected, 0, sizeof expected);
    expected[1].u16 = UINT16_MAX;
    expected[2].u32 = UINT32_MAX;
    expected[5].u64 = UINT64_MAX;
    for (i = 0; i < count; i++) {
        const uint16_t x = in[i + 1];
        expected[0].u64 += x;
        if (i == 0 || x > expected[3].u64) expected[2].u32 = (uint32_t)i;
        if (i == 0 || x < expected[1].u16) expected[5].u64 = i;
        expected[1].u16 = x < expected[1].u16 ? x : expected[1].u16;
        expected[3].u64 = x > expected[3].u64 ? x : expected[3].u64;
        expected[4].u16 ^= x;
    }
    desc.in = buffer;
    desc.in_offset = 1;
    desc.out = out;
    desc.out_offset = 1; /* in what is written: OPS values */
    desc.count = count;
    desc.type = GP_U16;
    desc.ops = ops;
    desc.out_types = outs;
    desc.op_count = OPS;
    assert_gp(gp, gp_reduce(gp, &desc));
    results = test_read(gp, out, (OPS + 2) * 8 * 2);
    for (i = 0; i < OPS; i++) {
        if (results[OPS + i].u64 != expected[i].u64)
            fail_msg("%s: count %zu, result %zu", variant->name, count, i);
    }
    assert_int_equal(((unsigned char *)(results + OPS))[-1], TEST_POISON);
    assert_int_equal(((unsigned char *)(results + 2 * OPS))[0], TEST_POISON);
    free(results);
    free(in);
    clReleaseMemObject(buffer);
    clReleaseMemObject(out);
}

static void test_several_at_once(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 0; v < sizeof shapes / sizeof *shapes; v++) {
        gp_context *gp = test_open_other(&test_variants[shapes[v]]);
        const size_t *list = test_small() ? small_sizes : sizes;
        const size_t n =
            test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
        for (k = 0; gp && k < n && list[k] <= test_most(gp, test_variants[shapes[v]].shape); k++)
            check_several(gp, &test_variants[shapes[v]], list[k]);
        gp_context_destroy(gp);
    }
}

/* Elements with padding at their end: of two operations, and of a monoid. */
static void test_padding(void **state)
{
    typedef struct padded {
        uint64_t sum;
        uint32_t max;
    } padded;
    static const padded zero = {0, 0};
    static const gp_monoid monoid = {"padded",
                                     "typedef struct { ulong sum; uint max; } padded;\n"
                                     "padded join(padded a, padded b)\n"
                                     "{\n"
                                     "    padded c;\n"
                                     "    c.sum = a.sum + b.sum;\n"
                                     "    c.max = max(a.max, b.max);\n"
                                     "    return c;\n"
                                     "}\n"
                                     "padded make(uint x)\n"
                                     "{\n"
                                     "    padded c;\n"
                                     "    c.sum = c.max = x;\n"
                                     "    return c;\n"
                                     "}\n",
                                     "join",
                                     &zero,
                                     sizeof(padded),
                                     true,
                                     true,
                                     false};
    static const gp_op ops[2] = {GP_SUM, GP_MAX};
    const uint32_t in[4] = {0xffffffffu, 7, 0xfffffff0u, 9};
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_reduce_desc desc = {0};
    gp_value results[2];
    padded result;
    (void)state;
    desc.in = test_buffer(gp, sizeof in, in);
    desc.count = 4;
    desc.type = GP_U32;
    desc.ops = ops;
    desc.op_count = 2;
    assert_gp(gp, gp_reduce_read(gp, &desc, results));
    assert_true(results[0].u64 == 0x1ffffffffu && results[1].u32 == 0xffffffffu);
    desc.ops = NULL;
    desc.op_count = 0;
    desc.monoid = &monoid;
    desc.map = "make(x)";
    assert_gp(gp, gp_reduce_read(gp, &desc, &result));
    assert_true(result.sum == 0x1ffffffffu && result.max == 0xffffffffu);
    clReleaseMemObject(desc.in);
    gp_context_destroy(gp);
}

/* A map's value in a type of its own; floats, one of them compensated; read to the host. */
static void test_several_mapped(void **state)
{
    static const gp_op ops[] = {GP_SUM, GP_SUM, GP_MAX};
    static const gp_type outs[] = {GP_F32, GP_F64, GP_I64};
    const int8_t in[5] = {-128, 3, 127, -7, 2};
    gp_context *gp = test_open(&test_variants[0], NULL);
    cl_mem buffer = test_buffer(gp, sizeof in, in);
    gp_reduce_desc desc = {0};
    gp_value results[3];
    (void)state;
    desc.in = buffer;
    desc.count = 5;
    desc.type = GP_I8;
    desc.map = "x * x";
    desc.map_type = GP_I32;
    desc.ops = ops;
    desc.out_types = outs;
    desc.op_count = gp_context_info(gp)->fp64 ? 3 : 1;
    desc.compensated = true;
    assert_gp(gp, gp_reduce_read(gp, &desc, results));
    assert_true(results[0].f32 == 32575.0f);
    if (desc.op_count == 3) assert_true(results[1].f64 == 32575.0 && results[2].i64 == 16384);
    clReleaseMemObject(buffer);
    gp_context_destroy(gp);
}

/* Large values that cancel, and small ones that a plain sum loses beside them. */
static void check_compensated(gp_context *gp, const test_variant *variant, size_t count)
{
    float *in = malloc((3 * count + 1) * sizeof *in), plain = 0, compensated = 0;
    gp_reduce_desc desc = {0};
    double exact = 0;
    size_t i;
    assert_non_null(in);
    for (i = 0; i < 3 * count; i++) {
        in[i] = i % 3 == 0 ? (float)(test_random() >> 8) * 1024.0f : i % 3 == 1 ? -in[i - 1] : 0.25f;
        exact += in[i];
    }
    desc.in = test_buffer(gp, 3 * count * sizeof *in, in);
    desc.count = 3 * count;
    desc.type = GP_F32;
    desc.op = GP_SUM;
    assert_gp(gp, gp_reduce_read(gp, &desc, &plain));
    desc.compensated = true;
    assert_gp(gp, gp_reduce_read(gp, &desc, &compensated));
    if (compensated != (float)exact || plain == compensated) {
        fail_msg("%s: %.9g compensated, %.9g plain, %.9g exact", variant->name, compensated, plain, exact);
    }
    clReleaseMemObject(desc.in);
    in[count] = (float)INFINITY; /* what follows an infinite sum is no NaN */
    desc.in = test_buffer(gp, 3 * count * sizeof *in, in);
    assert_gp(gp, gp_reduce_read(gp, &desc, &compensated));
    assert_true(compensated == (float)INFINITY);
    clReleaseMemObject(desc.in);
    free(in);
}

static void test_compensated(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < sizeof shapes / sizeof *shapes; v++) {
        gp_context *gp = test_open_other(&test_variants[shapes[v]]);
        if (gp) check_compensated(gp, &test_variants[shapes[v]], test_small() ? 1000 : 70001);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ results */

/* Integer sums are in 64 bits unless out_type names the result: a read into 8 bytes. */
static void test_default_out_type(void **state)
{
    const uint32_t in[3] = {0xffffffffu, 0xffffffffu, 3};
    gp_context *gp = test_open(&test_variants[0], NULL);
    cl_mem buffer = test_buffer(gp, sizeof in, in);
    gp_reduce_desc desc = {0};
    uint64_t wide = 0;
    uint32_t narrow[2] = {0, 0xa5a5a5a5u};
    (void)state;
    desc.in = buffer;
    desc.count = 3;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    assert_gp(gp, gp_reduce_read(gp, &desc, &wide));
    assert_true(wide == 0x200000001u);
    desc.out_type = GP_U32;
    assert_gp(gp, gp_reduce_read(gp, &desc, narrow));
    assert_int_equal(narrow[0], 1);
    assert_int_equal(narrow[1], 0xa5a5a5a5u);
    clReleaseMemObject(buffer);
    gp_context_destroy(gp);
}

/* The result may land inside the input. */
static void test_out_inside_in(void **state)
{
    const size_t count = test_small() ? 5000 : 100000;
    gp_context *gp = test_open(&test_variants[0], NULL);
    uint32_t *in = test_input(&test_u32_sum, TEST_RANDOM, count), sum = 0, *out;
    cl_mem buffer = test_buffer(gp, count * 4, in);
    gp_reduce_desc desc = {0};
    size_t i;
    (void)state;
    for (i = 0; i < count; i++) sum += in[i];
    desc.in = desc.out = buffer;
    desc.count = count;
    desc.out_offset = count / 2;
    desc.type = desc.out_type = GP_U32;
    desc.op = GP_SUM;
    assert_gp(gp, gp_reduce(gp, &desc));
    out = test_read(gp, buffer, count * 4);
    assert_int_equal(out[count / 2], sum);
    free(in);
    free(out);
    clReleaseMemObject(buffer);
    gp_context_destroy(gp);
}

/* Rounding float sums repeat bit for bit. */
static void test_float_repeats(void **state)
{
    const size_t count = test_small() ? 5000 : 300001;
    gp_context *gp = test_open(&test_variants[0], NULL);
    float *in = malloc(count * sizeof *in), first = 0;
    cl_mem buffer;
    gp_reduce_desc desc = {0};
    double exact = 0;
    size_t i;
    int round;
    (void)state;
    assert_non_null(in);
    for (i = 0; i < count; i++) {
        in[i] = (float)test_random() / 3.0f;
        exact += in[i];
    }
    buffer = test_buffer(gp, count * sizeof *in, in);
    desc.in = buffer;
    desc.count = count;
    desc.type = GP_F32;
    desc.op = GP_SUM;
    for (round = 0; round < 10; round++) {
        float sum = 0;
        assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
        if (round == 0) first = sum;
        assert_memory_equal(&sum, &first, sizeof sum);
    }
    assert_true(first > exact * 0.99999 && first < exact * 1.00001);
    free(in);
    clReleaseMemObject(buffer);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ spans of several tiles */

static const size_t span_sizes[] = {1023, 1025, 8191, 8192, 8193, 16383, 16385, 33000, 70001};

/* Sums of rounding floats do not depend on the bound, where the count is on the device. */
static void check_bound(gp_context *gp, const test_variant *variant, size_t n)
{
    const size_t most = span_sizes[n - 1] + 1;
    float *in = malloc(most * sizeof *in);
    gp_reduce_desc desc = {0};
    size_t i;
    assert_non_null(in);
    for (i = 0; i < most; i++) in[i] = (float)test_random() / 3.0f;
    desc.in = test_buffer(gp, most * sizeof *in, in);
    desc.type = GP_F32;
    desc.op = GP_SUM;
    for (i = 0; i < n; i++) {
        const uint32_t count = (uint32_t)span_sizes[i];
        float plain = 0, bounded = 1;
        desc.in_offset = i % 2;
        desc.count = count;
        assert_gp(gp, gp_reduce_read(gp, &desc, &plain));
        desc.count = most - desc.in_offset;
        desc.count_buffer = test_buffer(gp, 4, &count);
        desc.count_type = GP_U32;
        assert_gp(gp, gp_reduce_read(gp, &desc, &bounded));
        if (memcmp(&plain, &bounded, 4) != 0) fail_msg("%s: %u of %zu", variant->name, count, desc.count);
        clReleaseMemObject(desc.count_buffer);
        desc.count_buffer = NULL;
        desc.count_type = GP_TYPE_NONE;
    }
    free(in);
    clReleaseMemObject(desc.in);
}

/* Either of two inputs may begin anywhere. */
static void check_inner_product(gp_context *gp, const test_variant *variant, size_t n)
{
    const size_t most = span_sizes[n - 1] + 4;
    uint32_t *in = test_input(&test_u32_sum, TEST_RANDOM, most);
    uint16_t *in2 = test_input(&test_grid_u16_max, TEST_RANDOM, most);
    gp_reduce_desc desc = {0};
    size_t i, k, offset;
    desc.in = test_buffer(gp, most * sizeof *in, in);
    desc.in2 = test_buffer(gp, most * sizeof *in2, in2);
    desc.type = GP_U32;
    desc.type2 = GP_U16;
    desc.op = GP_SUM;
    desc.map = "x * y + (uint)i";
    for (k = 0; k < n; k++) {
        for (offset = 0; offset < 5; offset++) {
            uint64_t sum = 0, expected = 0;
            desc.count = span_sizes[k];
            desc.in_offset = offset % 4;
            desc.in2_offset = offset / 2;
            for (i = 0; i < desc.count; i++)
                expected += (uint32_t)(in[i + desc.in_offset] * in2[i + desc.in2_offset] + (uint32_t)i);
            assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
            if (sum != expected)
                fail_msg("%s: count %zu, offsets %zu %zu", variant->name, desc.count, desc.in_offset,
                         desc.in2_offset);
        }
    }
    free(in);
    free(in2);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.in2);
}

static void test_spans(void **state)
{
    const size_t n = test_small() ? 2 : sizeof span_sizes / sizeof *span_sizes;
    size_t v;
    (void)state;
    for (v = 0; v < sizeof shapes / sizeof *shapes; v++) {
        const test_variant *variant = &test_variants[shapes[v]];
        gp_context *gp = test_open_other(variant);
        if (!gp) continue;
        check_bound(gp, variant, n);
        check_inner_product(gp, variant, n);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ launches */

/* Several reductions in flight, each with a scratch of its own, so that nothing but the queue keeps them apart. In one
   launch each where groups can tell which of them ends last. */
static void check_launches(cl_command_queue_properties properties)
{
    enum { CALLS = 8, COUNT = 100003 };
    gp_context *maker = test_open(&test_variants[0], NULL), *gp;
    gp_context_desc context = {0};
    uint64_t sums[CALLS], launches;
    uint32_t *ones = malloc(COUNT * sizeof *ones);
    gp_reduce_desc desc = {0};
    cl_mem scratch[CALLS];
    size_t bytes, k;
    cl_int error;
    assert_non_null(ones);
    for (k = 0; k < COUNT; k++) ones[k] = 1;
    context.queue = clCreateCommandQueue(gp_cl_context(maker), gp_cl_device(maker), properties, &error);
    gp = error == CL_SUCCESS ? test_open_with(&context) : NULL;
    if (gp) {
        const gp_device_info *info = gp_context_info(gp);
        const bool one = info->device_class == GP_DEVICE_CLASS_POCL && info->fair && !properties;
        desc.in = test_buffer(gp, COUNT * sizeof *ones, ones);
        desc.out = test_buffer(gp, sizeof sums, NULL);
        desc.count = COUNT;
        desc.type = GP_U32;
        desc.op = GP_SUM;
        assert_gp(gp, gp_reduce_scratch_size(gp, &desc, &bytes));
        for (k = 0; k < CALLS; k++) scratch[k] = test_buffer(gp, bytes, NULL);
        launches = test_profile_of(gp).launches;
        for (k = 0; k < CALLS; k++) {
            desc.scratch = scratch[k];
            desc.out_offset = k;
            desc.count = COUNT - k;
            assert_gp(gp, gp_reduce(gp, &desc));
        }
        assert_gp(gp, gp_finish(gp));
        assert_int_equal(test_profile_of(gp).launches - launches, one ? CALLS : 2 * CALLS);
        error = clEnqueueReadBuffer(gp_cl_queue(gp), desc.out, CL_TRUE, 0, sizeof sums, sums, 0, NULL, NULL);
        assert_int_equal(error, CL_SUCCESS);
        for (k = 0; k < CALLS; k++) assert_int_equal(sums[k], COUNT - k);
        for (k = 0; k < CALLS; k++) clReleaseMemObject(scratch[k]);
        clReleaseMemObject(desc.in);
        clReleaseMemObject(desc.out);
        gp_context_destroy(gp);
        clReleaseCommandQueue(context.queue);
    }
    free(ones);
    gp_context_destroy(maker);
}

static void test_launches(void **state)
{
    (void)state;
    check_launches(0);
    check_launches(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape),      cmocka_unit_test(test_types_and_ops),
        cmocka_unit_test(test_default_out_type), cmocka_unit_test(test_out_inside_in),
        cmocka_unit_test(test_float_repeats),    cmocka_unit_test(test_arg_of_every_type),
        cmocka_unit_test(test_unreadable_out),   cmocka_unit_test(test_several_at_once),
        cmocka_unit_test(test_several_mapped),   cmocka_unit_test(test_padding),
        cmocka_unit_test(test_compensated),      cmocka_unit_test(test_spans),
        cmocka_unit_test(test_launches),         cmocka_unit_test(test_arg_of_the_worst),
    };
    return cmocka_run_group_tests_name("reduce", tests, NULL, NULL);
}
