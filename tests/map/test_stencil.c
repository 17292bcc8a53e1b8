/* test_stencil.c - gp_stencil against plain loops. Weights and elements are small whole numbers: sums are
 * exact. */
#include "../support/keys.h"

/* A call to check; of f32, or of u8 with weights. */
typedef struct stencil_case {
    gp_type type;
    size_t width, height;
    uint32_t channels, radius_x, radius_y;
    gp_border border;
    size_t gap; /* elements between rows, and other offsets */
    bool map, in_place, own_scratch;
} stencil_case;

static const char map[] = "at(-1, 0) * 2 + x - at(1, 0) + (float)(i + 3 * j) // as it is";

static size_t pitch_of(const stencil_case *c) { return c->width * c->channels + c->gap; }
static size_t extent(const stencil_case *c)
{
    return c->width ? (c->height - 1) * pitch_of(c) + c->width * c->channels : 0;
}

static double number(gp_type type, const void *data, size_t i)
{
    float x;
    if (type == GP_U8) return ((const uint8_t *)data)[i];
    memcpy(&x, (const char *)data + 4 * i, 4);
    return x;
}

static void store(gp_type type, void *data, size_t i, double x)
{
    const float f = (float)x;
    if (type == GP_U8) ((uint8_t *)data)[i] = (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
    else memcpy((char *)data + 4 * i, &f, 4);
}

static double neighbour(const stencil_case *c, const void *in, long x, long y, size_t channel)
{
    const long w = (long)c->width, h = (long)c->height;
    if (c->border == GP_BORDER_CONSTANT && (x < 0 || x >= w || y < 0 || y >= h)) return 5;
    if (c->border == GP_BORDER_WRAP) {
        x = (x % w + w) % w;
        y = (y % h + h) % h;
    }
    x = x < 0 ? 0 : x >= w ? w - 1 : x;
    y = y < 0 ? 0 : y >= h ? h - 1 : y;
    return number(c->type, in, (size_t)y * pitch_of(c) + (size_t)x * c->channels + channel);
}

static double expect(const stencil_case *c, const void *in, const float *weights, long x, long y,
                     size_t channel)
{
    const long rx = (long)c->radius_x, ry = (long)c->radius_y;
    double sum = 0;
    long dx, dy;
    if (c->map) {
        return neighbour(c, in, x - 1, y, channel) * 2 + neighbour(c, in, x, y, channel) -
               neighbour(c, in, x + 1, y, channel) + (double)(x + 3 * y);
    }
    for (dy = -ry; dy <= ry; dy++) {
        for (dx = -rx; dx <= rx; dx++) sum += *weights++ * neighbour(c, in, x + dx, y + dy, channel);
    }
    return sum;
}

/* The whole output with what is between rows, which starts as the input or as poison. */
static void expect_all(const stencil_case *c, const void *in, const float *weights, unsigned char *out)
{
    size_t x, y, channel;
    if (c->in_place) memcpy(out, in, extent(c) * key_size(c->type));
    else memset(out, TEST_POISON, extent(c) * key_size(c->type));
    for (y = 0; y < c->height; y++) {
        for (x = 0; x < c->width; x++) {
            for (channel = 0; channel < c->channels; channel++) {
                store(c->type, out, y * pitch_of(c) + x * c->channels + channel,
                      expect(c, in, weights, (long)x, (long)y, channel));
            }
        }
    }
}

static void fail_case(const char *name, const stencil_case *c, const char *what, size_t at)
{
    fail_msg(
        "%s: type %d, %zu x %zu, channels %u, radii %u %u, border %d, gap %zu, map %d, in place %d: %s %zu",
        name, (int)c->type, c->width, c->height, c->channels, c->radius_x, c->radius_y, (int)c->border,
        c->gap, c->map, c->in_place, what, at);
}

static gp_stencil_desc make_desc(const stencil_case *c)
{
    gp_stencil_desc d = {0};
    d.type = c->type;
    d.width = c->width;
    d.height = c->height;
    d.channels = c->channels;
    d.radius_x = c->radius_x;
    d.radius_y = c->radius_y;
    d.border = c->border;
    d.in_pitch = d.out_pitch = pitch_of(c);
    d.map = c->map ? map : NULL;
    if (c->type == GP_U8) d.border_value.u8 = 5;
    else d.border_value.f32 = 5;
    return d;
}

static void check(gp_context *gp, const char *name, const stencil_case *c)
{
    const size_t size = key_size(c->type), n = extent(c);
    unsigned char *in = calloc(n + 1, size), *expected = malloc(n * size + 1);
    float weights[17 * 17];
    gp_stencil_desc d = make_desc(c);
    size_t i, at = 0, bytes = 0;
    const char *wrong;
    assert_non_null(in);
    assert_non_null(expected);
    for (i = 0; i < n; i++) store(c->type, in, i, test_random() >> 5 & 31);
    for (i = 0; i < 17 * 17; i++) weights[i] = (float)(test_random() >> 9 & 3) - 1;
    expect_all(c, in, weights, expected);
    d.in_offset = c->gap;
    d.out_offset = c->in_place ? c->gap : 3 * c->gap;
    d.in = guarded(gp, d.in_offset, n, size, in);
    d.out = c->in_place ? d.in : guarded(gp, d.out_offset, n, size, NULL);
    d.weights = c->map ? NULL : test_buffer(gp, sizeof weights, weights);
    assert_gp(gp, gp_stencil_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, c->in_place ? n * size : 0);
    if (c->own_scratch && bytes) d.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_stencil(gp, &d));
    wrong = guarded_difference(gp, d.out, d.out_offset, n, size, expected, &at);
    if (wrong) fail_case(name, c, wrong, at);
    if (d.scratch) clReleaseMemObject(d.scratch);
    if (d.weights) clReleaseMemObject(d.weights);
    if (!c->in_place) clReleaseMemObject(d.out);
    clReleaseMemObject(d.in);
    free(in);
    free(expected);
}

/* The size of scratch is what the call takes: a copy in place only, where pitches are the same, too. */
static void test_scratch(void **state)
{
    enum { WIDTH = 100, HEIGHT = 4, PITCH = 128 };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    cl_mem buffer = test_buffer(gp, 2 * PITCH * HEIGHT * 4, NULL);
    gp_stencil_desc d = {.in = buffer,
                         .out = buffer,
                         .width = WIDTH,
                         .height = HEIGHT,
                         .in_pitch = PITCH,
                         .out_pitch = PITCH,
                         .type = GP_F32,
                         .radius_x = 1,
                         .map = "at(1, 0)"};
    size_t bytes = 99;
    (void)state;
    assert_gp(gp, gp_stencil_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, ((HEIGHT - 1) * PITCH + WIDTH) * 4);
    d.out_offset = PITCH * HEIGHT;
    assert_gp(gp, gp_stencil_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, 0);
    assert_gp(gp, gp_stencil(gp, &d));
    d.out_pitch = WIDTH;
    assert_gp(gp, gp_stencil_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, 0);
    clReleaseMemObject(buffer);
    gp_context_destroy(gp);
}

/* Lines: around tiles of both shapes; shorter than the radius. */
static void test_lines(void **state)
{
    static const size_t widths[] = {0,   1,   2,    3,    15,   17,   255,  256,  257,
                                    511, 513, 1023, 1025, 4095, 4096, 4097, 30011};
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = 0; k < sizeof widths / sizeof *widths && widths[k] <= (test_small() ? 513u : 30011u); k++) {
            stencil_case c = {GP_F32,          widths[k], 1,     1,          3,         0,
                              GP_BORDER_CLAMP, k % 3,     false, k % 2 == 1, k % 4 == 1};
            check(gp, test_shapes[v].name, &c);
            c.border = GP_BORDER_WRAP;
            if (v == 0 && widths[k] > 0) check(gp, test_shapes[v].name, &c);
        }
        gp_context_destroy(gp);
    }
}

/* Pictures, with every border. */
static void test_pictures(void **state)
{
    static const size_t sides[][2] = {{1, 1},   {3, 5},    {64, 32},    {65, 33},
                                      {300, 7}, {257, 70}, {1001, 253}, {4200, 5}};
    size_t v, k, border;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (border = 0; border < GP_BORDER_COUNT; border++) {
            if (v > 0 && border != GP_BORDER_WRAP) continue; /* a program each */
            for (k = 0; k < (test_small() ? 4u : 8u); k++) {
                const stencil_case c = {GP_F32,    sides[k][0], sides[k][1], 1,   2, 1, (gp_border)border,
                                        k % 2 * 3, false,       k % 3 == 2,  true};
                check(gp, test_shapes[v].name, &c);
            }
        }
        gp_context_destroy(gp);
    }
}

/* Bytes of three channels, rounded and saturated; the largest radius; a map. */
static void test_kinds(void **state)
{
    static const stencil_case cases[] = {
        {GP_U8, 100, 41, 3, 1, 1, GP_BORDER_CLAMP, 0, false, false, false},
        {GP_U8, 33, 20, 3, 1, 1, GP_BORDER_CLAMP, 5, false, true, false},
        {GP_F32, 70, 45, 1, 8, 8, GP_BORDER_WRAP, 1, false, false, false},
        {GP_F32, 5, 3, 1, 8, 8, GP_BORDER_WRAP, 1, false, false, false},
        {GP_F32, 301, 35, 1, 1, 1, GP_BORDER_CONSTANT, 2, true, false, false},
        {GP_F32, 40, 9, 1, 1, 1, GP_BORDER_CONSTANT, 0, true, true, false},
        {GP_F32, 132, 37, 1, 1, 1, GP_BORDER_CONSTANT, 0, true, false, false}, /* vectors */
    };
    size_t v, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (k = v ? 4 : 0; k < sizeof cases / sizeof *cases; k++) check(gp, test_shapes[v].name, &cases[k]);
        gp_context_destroy(gp);
    }
}

/* Rows of halves, as long as a tile's and more: 1, 2, 1, 2 ... in a border of 0. */
static void test_halves(void **state)
{
    enum { WIDTH = 132, HEIGHT = 2, N = WIDTH * HEIGHT };
    const float ones[] = {1, 1, 1};
    uint16_t halves[N], sums[N];
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_stencil_desc d = {0};
    size_t i, at = 0;
    const char *wrong;
    (void)state;
    for (i = 0; i < N; i++) halves[i] = i % 2 ? 0x4000 : 0x3c00;
    for (i = 0; i < N; i++) sums[i] = i % 2 ? 0x4400 : 0x4500;                           /* 4, 5 */
    for (i = 0; i < HEIGHT; i++) sums[i * WIDTH] = sums[i * WIDTH + WIDTH - 1] = 0x4200; /* 3 */
    d.type = GP_F16;
    d.width = WIDTH;
    d.height = HEIGHT;
    d.in_pitch = d.out_pitch = WIDTH;
    d.radius_x = 1;
    d.border = GP_BORDER_CONSTANT;
    d.in = test_buffer(gp, sizeof halves, halves);
    d.out = guarded(gp, 0, N, 2, NULL);
    d.weights = test_buffer(gp, sizeof ones, ones);
    assert_gp(gp, gp_stencil(gp, &d));
    wrong = guarded_difference(gp, d.out, 0, N, 2, sums, &at);
    if (wrong) fail_msg("halves: %s %zu", wrong, at);
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.out);
    clReleaseMemObject(d.weights);
    gp_context_destroy(gp);
}

/* Halves in, halves out; a rounded mean of bytes into words. */
static void test_types(void **state)
{
    const uint16_t halves[] = {0x3c00, 0x4000, 0x4200}, sums[] = {0x4200, 0x4600, 0x4500}; /* 3, 6, 5 */
    const uint8_t bytes[] = {0, 1, 255, 255};
    const int32_t means[] = {0, 1, 170, 170}; /* of 3, constant 0 beyond: .33, 85.3, 170.3, 170 */
    const float ones[] = {1, 1, 1}, thirds[] = {1 / 3.0f, 1 / 3.0f, 1 / 3.0f};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_stencil_desc d = {0};
    size_t at = 0;
    (void)state;
    d.type = GP_F16;
    d.width = 3;
    d.radius_x = 1;
    d.border = GP_BORDER_CONSTANT;
    d.in = test_buffer(gp, sizeof halves, halves);
    d.out = guarded(gp, 0, 3, 2, NULL);
    d.weights = test_buffer(gp, sizeof ones, ones);
    assert_gp(gp, gp_stencil(gp, &d));
    assert_null(guarded_difference(gp, d.out, 0, 3, 2, sums, &at));
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.out);
    clReleaseMemObject(d.weights);
    d.type = GP_U8;
    d.out_type = GP_I32;
    d.width = 4;
    d.in = test_buffer(gp, sizeof bytes, bytes);
    d.out = guarded(gp, 0, 4, 4, NULL);
    d.weights = test_buffer(gp, sizeof thirds, thirds);
    assert_gp(gp, gp_stencil(gp, &d));
    {
        int32_t *out = test_read(gp, d.out, 16);
        assert_int_equal(out[0], means[0]);
        assert_int_equal(out[1], 85);
        assert_int_equal(out[2], means[2]);
        assert_int_equal(out[3], means[3]);
        free(out);
    }
    clReleaseMemObject(d.in);
    clReleaseMemObject(d.out);
    clReleaseMemObject(d.weights);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    cl_mem a = test_buffer(gp, 4000, NULL), b = test_buffer(gp, 4000, NULL), w = test_buffer(gp, 36, NULL);
    gp_stencil_desc good = {0}, d;
    (void)state;
    good.in = a;
    good.out = b;
    good.weights = w;
    good.type = GP_F32;
    good.width = 30;
    good.height = 30;
    good.radius_x = good.radius_y = 1;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_stencil(gp, &d), result, text)
    REFUSED(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_stencil: type is not set");
    REFUSED(d.out_type = (gp_type)88, GP_ERROR_INVALID_TYPE, "out_type = 88");
    REFUSED(d.radius_x = 9, GP_ERROR_INVALID_ARGUMENT, "radius_x = 9");
    REFUSED(d.radius_y = 99, GP_ERROR_INVALID_ARGUMENT, "radius_y = 99");
    REFUSED(d.channels = 5, GP_ERROR_INVALID_ARGUMENT, "channels = 5");
    REFUSED(d.border = (gp_border)3, GP_ERROR_INVALID_ARGUMENT, "border = 3");
    REFUSED(d.map = "x", GP_ERROR_INVALID_ARGUMENT, "map and weights");
    REFUSED(d.in_pitch = 29, GP_ERROR_INVALID_ARGUMENT, "in_pitch = 29");
    REFUSED(d.height = SIZE_MAX / 8, GP_ERROR_COUNT_LIMIT, "rows");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.weights = NULL, GP_ERROR_INVALID_BUFFER, "weights is NULL");
    REFUSED(d.weights_offset = 1, GP_ERROR_INVALID_BUFFER, "weights has");
    REFUSED(d.height = 34, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED(d.in_pitch = 40, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED((d.out = a, d.out_offset = 1), GP_ERROR_OVERLAP, "in is bytes");
    REFUSED((d.in = b, d.scratch = b), GP_ERROR_OVERLAP, "scratch");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_stencil(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_stencil(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_stencil_scratch_size(gp, &good, NULL), GP_ERROR_INVALID_ARGUMENT, "bytes is NULL");
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(w);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const stencil_case c = {GP_F32, 100, 50, 1, 1, 1, GP_BORDER_CONSTANT, 0, true, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    const gp_stencil_desc d = make_desc(&c);
    gp_warmup_desc warm = {0};
    (void)state;
    warm.stencil = &d;
    assert_gp(gp, gp_warmup(gp, &warm));
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, 1);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),  cmocka_unit_test(test_pictures), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_halves), cmocka_unit_test(test_types),    cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_warmup), cmocka_unit_test(test_scratch),
    };
    return cmocka_run_group_tests_name("stencil", tests, NULL, NULL);
}
