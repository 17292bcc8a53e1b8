/* test_transpose.c - gp_transpose against a plain loop. */
#include "../support/keys.h"

/* A call to check. */
typedef struct transpose_case {
    size_t size, rows, columns;
    size_t in_more, out_more;     /* elements between rows */
    size_t in_offset, out_offset; /* in elements */
} transpose_case;

static unsigned char *random_bytes(size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    size_t i;
    assert_non_null(bytes);
    for (i = 0; i < size; i++) bytes[i] = (unsigned char)(test_random() >> 11);
    return bytes;
}

static size_t extent(size_t rows, size_t row, size_t stride)
{
    return rows && row ? (rows - 1) * stride + row : 0;
}

static void check(gp_context *gp, const char *name, const transpose_case *c)
{
    const size_t in_stride = c->columns + c->in_more, out_stride = c->rows + c->out_more;
    const size_t ins = extent(c->rows, c->columns, in_stride), outs = extent(c->columns, c->rows, out_stride);
    unsigned char *in = random_bytes(ins * c->size), *expected = malloc(outs * c->size + 1);
    gp_transpose_desc d = {0};
    const char *wrong;
    size_t at = 0, r, k;
    assert_non_null(expected);
    memset(expected, TEST_POISON, outs * c->size);
    for (r = 0; r < c->rows; r++)
        for (k = 0; k < c->columns; k++)
            memcpy(expected + (k * out_stride + r) * c->size, in + (r * in_stride + k) * c->size, c->size);
    d.element_size = c->size;
    d.rows = c->rows;
    d.columns = c->columns;
    d.in_stride = c->in_more ? in_stride : 0;
    d.out_stride = c->out_more ? out_stride : 0;
    d.in_offset = c->in_offset;
    d.out_offset = c->out_offset;
    d.in = guarded(gp, d.in_offset, ins, c->size, in);
    d.out = guarded(gp, d.out_offset, outs, c->size, NULL);
    assert_gp(gp, gp_transpose(gp, &d));
    wrong = guarded_difference(gp, d.out, d.out_offset, outs, c->size, expected, &at);
    if (wrong) {
        fail_msg(
            "%s: %zu rows of %zu elements of %zu bytes, %zu and %zu between rows, offsets %zu, %zu: %s %zu",
            name, c->rows, c->columns, c->size, c->in_more, c->out_more, c->in_offset, c->out_offset, wrong,
            at);
    }
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.out);
    free(in);
    free(expected);
}

/* Sides around every boundary of both shapes: vectors, lines, tiles. */
static void test_sides(void **state)
{
    static const size_t sides[] = {0,  1,  3,  7,   8,   15,  16,  17,  31,   33,
                                   63, 64, 65, 127, 129, 255, 257, 521, 1031, 4099};
    enum { SIDES = sizeof sides / sizeof *sides };
    size_t v, a, b, size, turn = 0;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (size = 1; size <= 16; size *= 2) {
            if (v > 1 && size != 4 && size != 1) continue;
            for (a = 0; a < SIDES; a++) {
                for (b = 0; b < SIDES; b++) {
                    transpose_case c = {size, sides[a], sides[b], 0, 0, 0, 0};
                    if (c.rows * c.columns > (v ? 200000u : 2000000u)) continue;
                    if (++turn % (test_small() ? 17 : v ? 5 : 2)) continue;
                    c.in_more = turn % 3 ? 0 : turn % 7;
                    c.out_more = turn % 4 ? 0 : turn % 11;
                    c.in_offset = turn % 5;
                    c.out_offset = turn % 13;
                    check(gp, test_shapes[v].name, &c);
                }
            }
        }
        gp_context_destroy(gp);
    }
}

/* Matrices of several tiles; power-of-two strides. */
static void test_large(void **state)
{
    static const transpose_case cases[] = {
        {4, 2048, 2048, 0, 0, 0, 0}, {4, 100003, 7, 0, 0, 0, 0},  {4, 7, 100003, 0, 0, 1, 2},
        {1, 5003, 301, 0, 61, 0, 7}, {2, 301, 5003, 1, 0, 3, 0},  {8, 1000, 1000, 24, 24, 0, 0},
        {16, 999, 777, 0, 1, 0, 3},  {1, 1, 1000003, 0, 0, 0, 0}, {8, 500009, 1, 0, 0, 0, 5}};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof cases / sizeof *cases; k++)
        if (!test_small() || k % 3 == 1) check(gp, "large", &cases[k]);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    cl_mem a = test_buffer(gp, 4000, NULL), b = test_buffer(gp, 4000, NULL);
    gp_transpose_desc good = {0}, d;
    (void)state;
    good.in = a;
    good.out = b;
    good.element_size = 4;
    good.rows = 20;
    good.columns = 50;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_transpose(gp, &d), result, text)
    REFUSED(d.element_size = 3, GP_ERROR_INVALID_ARGUMENT, "gp_transpose: element_size = 3");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.rows = 21, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED(d.in_stride = 51, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED(d.out_stride = 21, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED(d.out_offset = 1, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED(d.in_stride = 49, GP_ERROR_INVALID_ARGUMENT, "in_stride = 49 is less than a row of 50 elements");
    REFUSED(d.out_stride = 19, GP_ERROR_INVALID_ARGUMENT,
            "out_stride = 19 is less than a row of 20 elements");
    REFUSED(d.rows = SIZE_MAX / 100, GP_ERROR_COUNT_LIMIT, "50 elements apart (in_stride), are too many");
    REFUSED(d.out = a, GP_ERROR_OVERLAP, "in is bytes");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    d = good;
    d.rows = 0;
    d.in = d.out = NULL;
    assert_gp(gp, gp_transpose(gp, &d));
    d.rows = 5;
    d.columns = 0;
    assert_gp(gp, gp_transpose(gp, &d));
    assert_int_equal(test_profile_of(gp).launches, 0);
    assert_gp_fails(NULL, gp_transpose(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_transpose(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const transpose_case c = {2, 300, 70, 0, 0, 1, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_transpose_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.element_size = 2;
    warm.transpose = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_int_equal(built, 1);
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sides),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("transpose", tests, NULL, NULL);
}
