/* test_reduce.c - gp_reduce against a sequential reduction. */
#include "support.h"

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
    size_t i;
    for (i = 0; i < n; i++) {
        c.count = list[i];
        check(gp, variant, &c);
    }
}

static void check_variant(const test_variant *variant, const test_element *element)
{
    gp_context *gp = test_open(variant, NULL);
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
    for (k = 0; k < 16; k++) {
        c.in_offset = k;
        c.out_offset = (5 * k + 3) % 16;
        check(gp, variant, &c);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_shape),      cmocka_unit_test(test_types_and_ops),
        cmocka_unit_test(test_default_out_type), cmocka_unit_test(test_out_inside_in),
        cmocka_unit_test(test_float_repeats),
    };
    return cmocka_run_group_tests_name("reduce", tests, NULL, NULL);
}
