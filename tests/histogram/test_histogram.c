/* test_histogram.c - gp_histogram against a loop over samples that finds each one's bin by its definition. */
#include "../support/keys.h"

#include <float.h>
#include <math.h>

/* A histogram to check. */
typedef struct histogram_case {
    gp_type type, out_type, weight_type; /* weight_type 0: no weights */
    size_t count, bins;
    unsigned channels, channels_out; /* 0: one, all */
    bool edges;
    int64_t lower, upper; /* of integers; of floats in 64ths; both 0: all of an integer type */
    unsigned different;   /* samples, of random bits or in the range; 1: constant; 0: random bits */
    bool accumulate;
    size_t offset;
    size_t run; /* equal samples in a row; 0: as they come */
} histogram_case;

typedef struct histogram_data {
    unsigned char *in, *weights, *edges, *before, *expected;
} histogram_data;

static size_t channels_of(const histogram_case *c) { return c->channels ? c->channels : 1; }
static size_t counted_of(const histogram_case *c)
{
    return c->channels_out ? c->channels_out : channels_of(c);
}
static size_t count_size(const histogram_case *c) { return c->out_type == GP_U64 ? 8 : 4; }
static bool is_float(gp_type type) { return type == GP_F16 || type == GP_F32 || type == GP_F64; }

/* ------------------------------------------------------------------ reference */

static double number(gp_type type, uint64_t bits)
{
    const int exponent = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const uint32_t low = (uint32_t)bits;
    float f;
    double d;
    memcpy(&f, &low, 4);
    memcpy(&d, &bits, 8);
    if (type == GP_F64) return d;
    if (type == GP_F32) return (double)f;
    if (exponent == 31) return fraction ? NAN : bits & 0x8000 ? -INFINITY : INFINITY;
    return (bits & 0x8000 ? -1.0 : 1.0) *
           ldexp(exponent ? 1024 + fraction : fraction, (exponent ? exponent : 1) - 25);
}

/* a * b as two words. */
static void multiply(uint64_t a, uint64_t b, uint64_t out[2])
{
    const uint64_t low = (a & 0xffffffffu) * (b & 0xffffffffu), cross = (a >> 32) * (b & 0xffffffffu);
    const uint64_t other = (a & 0xffffffffu) * (b >> 32) + (low >> 32) + (cross & 0xffffffffu);
    out[0] = other << 32 | (low & 0xffffffffu);
    out[1] = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
}

/* The greatest b with b * range <= d * bins; range 0: 2^64. */
static size_t even_bin(uint64_t d, uint64_t range, uint64_t bins)
{
    uint64_t goal[2], some[2], low = 0, high = bins;
    multiply(d, bins, goal);
    if (range == 0) return (size_t)goal[1];
    while (high - low > 1) {
        const uint64_t b = low + (high - low) / 2;
        multiply(b, range, some);
        if (some[1] < goal[1] || (some[1] == goal[1] && some[0] <= goal[0])) low = b;
        else high = b;
    }
    return (size_t)low;
}

static size_t even_bin_float(const histogram_case *c, double x)
{
    const double lower = (double)c->lower / 64, upper = (double)c->upper / 64;
    const float scale = (float)c->bins / ((float)upper - (float)lower);
    const double wide = (double)c->bins / (upper - lower);
    size_t b;
    if (!(x >= lower && x < upper)) return SIZE_MAX;
    if (c->type == GP_F64) {
        b = (size_t)((x - lower) * wide);
    } else {
        const float d = (float)x - (float)lower, p = d * scale;
        b = (size_t)p;
    }
    return b < c->bins ? b : c->bins - 1;
}

/* Is edge e at or below x? */
static bool is_below(const histogram_case *c, const unsigned char *edges, size_t e, uint64_t x)
{
    const uint64_t edge = key_load(edges, e, key_size(c->type));
    if (is_float(c->type)) return number(c->type, edge) <= number(c->type, x);
    return key_order(c->type, false, edge) <= key_order(c->type, false, x);
}

static size_t edge_bin(const histogram_case *c, const unsigned char *edges, uint64_t x)
{
    size_t low = 0, high = c->bins + 1;
    while (low < high) {
        const size_t e = (low + high) / 2;
        if (is_below(c, edges, e, x)) low = e + 1;
        else high = e;
    }
    return low > 0 && low <= c->bins ? low - 1 : SIZE_MAX;
}

static size_t bin_of(const histogram_case *c, const unsigned char *edges, uint64_t x)
{
    const unsigned width = 8 * (unsigned)key_size(c->type);
    const uint64_t mask = ~(uint64_t)0 >> (64 - width), u = key_order(c->type, false, x);
    const uint64_t lower = key_order(c->type, false, (uint64_t)c->lower & mask);
    uint64_t range = (uint64_t)c->upper - (uint64_t)c->lower;
    if (edges) return edge_bin(c, edges, x);
    if (is_float(c->type)) return even_bin_float(c, number(c->type, x));
    if (c->lower == c->upper) return even_bin(u, mask + 1, c->bins);
    if (u < lower || u - lower >= range) return SIZE_MAX;
    return even_bin(u - lower, range, c->bins);
}

static void expect(const histogram_case *c, histogram_data *data)
{
    const size_t cells = counted_of(c) * c->bins, size = count_size(c);
    size_t i, k;
    data->expected = malloc(cells * size);
    assert_non_null(data->expected);
    if (c->accumulate) memcpy(data->expected, data->before, cells * size);
    else memset(data->expected, 0, cells * size);
    for (i = 0; i < c->count; i++) {
        uint64_t w = 1;
        if (c->weight_type) {
            const unsigned shift = 64 - 8 * (unsigned)key_size(c->weight_type);
            const bool is_signed =
                c->weight_type == GP_I8 || c->weight_type == GP_I16 || c->weight_type == GP_I32;
            w = key_load(data->weights, i, key_size(c->weight_type)) << shift;
            w = is_signed ? (uint64_t)((int64_t)w >> shift) : w >> shift;
        }
        for (k = 0; k < counted_of(c); k++) {
            const uint64_t x = key_load(data->in, i * channels_of(c) + k, key_size(c->type));
            const size_t b = bin_of(c, data->edges, x);
            const size_t cell = k * c->bins + b;
            const uint64_t sum = b == SIZE_MAX ? 0 : key_load(data->expected, cell, size) + w;
            if (b != SIZE_MAX) memcpy(data->expected + cell * size, &sum, size);
        }
    }
}

/* ------------------------------------------------------------------ input */

static uint64_t make_float(gp_type type, double x)
{
    const float f = (float)x;
    uint64_t bits = 0;
    if (type == GP_F64) memcpy(&bits, &x, 8);
    else if (type == GP_F32) memcpy(&bits, &f, 4);
    else bits = test_random() & 0xffff; /* halves: any */
    return bits;
}

/* Most of them in the range or near it. */
static uint64_t make_sample(const histogram_case *c)
{
    const uint64_t range = (uint64_t)c->upper - (uint64_t)c->lower;
    const uint32_t kind = test_random() >> 8;
    if (kind % 16 == 0) return key_special(c->type, kind >> 4);
    if (is_float(c->type))
        return make_float(
            c->type, ((double)c->lower + (double)range * (test_random() / 4294967296.0 * 1.25 - 0.125)) / 64);
    if (range == 0 || kind % 16 == 1) return random_64();
    return (uint64_t)c->lower + random_64() % (range + range / 8 + 1) - range / 16;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static const histogram_case *sorted_by;

static int compare_edges(const void *x, const void *y)
{
    const size_t size = key_size(sorted_by->type);
    const double f = number(sorted_by->type, key_load(x, 0, size)),
                 g = number(sorted_by->type, key_load(y, 0, size));
    const uint64_t a = key_order(sorted_by->type, false, key_load(x, 0, size));
    const uint64_t b = key_order(sorted_by->type, false, key_load(y, 0, size));
    return is_float(sorted_by->type) ? compare_doubles(&f, &g) : (a > b) - (a < b);
}

/* Rising, some of them equal. */
static unsigned char *make_edges(const histogram_case *c)
{
    const size_t size = key_size(c->type);
    unsigned char *edges = malloc((c->bins + 1) * size);
    size_t i;
    assert_non_null(edges);
    for (i = 0; i <= c->bins; i++) {
        uint64_t x = make_sample(c);
        while (is_float(c->type) && isnan(number(c->type, x))) x = make_sample(c);
        memcpy(edges + i * size, &x, size);
    }
    sorted_by = c;
    qsort(edges, c->bins + 1, size, compare_edges);
    return edges;
}

static unsigned char *make_random(size_t bytes)
{
    unsigned char *data = malloc(bytes + 4);
    size_t i;
    assert_non_null(data);
    for (i = 0; i < bytes; i++) data[i] = (unsigned char)(test_random() >> 16);
    return data;
}

static histogram_data make_data(const histogram_case *c)
{
    const size_t size = key_size(c->type), samples = c->count * channels_of(c);
    histogram_data data = {0};
    uint64_t some[8];
    size_t i;
    data.in = malloc(samples * size + 1);
    assert_non_null(data.in);
    for (i = 0; i < 8; i++) some[i] = make_sample(c);
    for (i = 0; i < samples; i++) {
        const uint64_t x = c->different ? some[test_random() % c->different] : make_sample(c);
        if (c->run > 0 && i % c->run > 0) memcpy(data.in + i * size, data.in + (i - 1) * size, size);
        else memcpy(data.in + i * size, &x, size);
    }
    data.weights = c->weight_type ? make_random(c->count * key_size(c->weight_type)) : NULL;
    data.edges = c->edges ? make_edges(c) : NULL;
    data.before = make_random(counted_of(c) * c->bins * count_size(c));
    expect(c, &data);
    return data;
}

static void free_data(histogram_data *data)
{
    free(data->in);
    free(data->weights);
    free(data->edges);
    free(data->before);
    free(data->expected);
}

/* ------------------------------------------------------------------ check */

static void set_bounds(const histogram_case *c, gp_histogram_desc *d)
{
    if (is_float(c->type)) {
        d->lower.f64 = (double)c->lower / 64;
        d->upper.f64 = (double)c->upper / 64;
    } else {
        d->lower.i64 = c->lower;
        d->upper.i64 = c->upper;
    }
}

static gp_histogram_desc make_desc(gp_context *gp, const histogram_case *c, const histogram_data *data)
{
    const size_t size = key_size(c->type);
    gp_histogram_desc d = {0};
    d.type = c->type;
    d.out_type = c->out_type;
    d.channels = c->channels;
    d.channels_out = c->channels_out;
    d.bins = c->bins;
    d.count = c->count;
    d.accumulate = c->accumulate;
    d.in_offset = c->offset;
    d.out_offset = 3 * c->offset;
    d.in = guarded(gp, d.in_offset, c->count, size * channels_of(c), data->in);
    d.out = guarded(gp, d.out_offset, counted_of(c) * c->bins, count_size(c),
                    c->accumulate ? data->before : NULL);
    if (c->edges) {
        d.edges_offset = 2 * c->offset;
        d.edges = guarded(gp, d.edges_offset, c->bins + 1, size, data->edges);
    } else {
        set_bounds(c, &d);
    }
    if (c->weight_type) {
        d.weight_type = c->weight_type;
        d.weights_offset = 5 * c->offset;
        d.weights = guarded(gp, d.weights_offset, c->count, key_size(c->weight_type), data->weights);
    }
    return d;
}

static void release(const gp_histogram_desc *d)
{
    const cl_mem all[] = {d->in, d->out, d->edges, d->weights, d->count_buffer, d->scratch};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static void compare(gp_context *gp, const char *variant, const histogram_case *c, const gp_histogram_desc *d,
                    const histogram_data *data)
{
    size_t at = 0;
    const char *what = guarded_difference(gp, d->out, d->out_offset, counted_of(c) * c->bins, count_size(c),
                                          data->expected, &at);
    if (!what) return;
    fail_msg("%s: type %d, %zu elements of %u, %zu bins (%d), [%lld, %lld), weights %d, out %d, offset %zu: "
             "%s %zu",
             variant, (int)c->type, c->count, c->channels, c->bins, c->edges, (long long)c->lower,
             (long long)c->upper, (int)c->weight_type, (int)c->out_type, c->offset, what, at);
}

static void check(gp_context *gp, const char *variant, const histogram_case *c)
{
    histogram_data data = make_data(c);
    const gp_histogram_desc desc = make_desc(gp, c, &data);
    const gp_result result = gp_histogram(gp, &desc);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ tests */

static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 255, 4095, 4097, 32767, 32769, 104729, (1 << 20) + 123};
static const size_t small_sizes[] = {0, 1, 17, 1025};

static void check_sizes(gp_context *gp, const char *name, histogram_case c)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    size_t i;
    for (i = 0; i < n; i++) {
        c.count = list[i];
        c.offset = i % 4;
        c.accumulate = i % 2 != 0;
        c.different = (unsigned)(i % 3);
        check(gp, name, &c);
    }
}

/* Few bins, as many as near tables hold, and more; ranges that divide evenly and that do not. */
static void check_bins(gp_context *gp, const char *name, histogram_case c)
{
    static const size_t bins[] = {1, 2, 7, 256, 4095, 4096, 4097, 70001};
    static const int64_t ranges[][2] = {{0, 0}, {0, 256}, {3, 1003}, {17, 100000}};
    size_t b, r;
    c.count = test_small() ? 700 : 20011;
    for (b = 0; b < sizeof bins / sizeof *bins; b++) {
        for (r = 0; r < 4; r++) {
            c.bins = bins[b];
            c.lower = ranges[r][0];
            c.upper = ranges[r][1];
            if (is_float(c.type) && r == 0) c.lower = -640, c.upper = 641;
            c.offset = r;
            c.different = r == 2 ? 3 : 0;
            c.accumulate = b % 2 == 0;
            if (!test_small() || (b < 6 && r == b % 4)) check(gp, name, &c);
        }
    }
}

/* Runs of equal samples, in the range or not, longer and shorter than what is counted at once. */
static void check_runs(gp_context *gp, const char *name, histogram_case c)
{
    static const size_t runs[] = {7, 64, 300, 5000};
    size_t r;
    c.count = test_small() ? 700 : 20011;
    for (r = 0; r < sizeof runs / sizeof *runs; r++) {
        c.run = runs[r];
        c.offset = r;
        check(gp, name, &c);
    }
}

static void test_every_variant(void **state)
{
    const histogram_case few = {GP_I32, GP_U64, 0, 0, 100, 0, 0, false, -50, 950, 0, false, 0, 0};
    const histogram_case many = {GP_U32, GP_U32, 0, 0, 70001, 0, 0, false, 17, 100000, 0, true, 0, 0};
    const histogram_case bytes = {GP_U8, GP_U32, 0, 0, 256, 0, 0, false, 0, 0, 0, false, 0, 0};
    const histogram_case words = {GP_U32, GP_U32, 0, 0, 1000, 0, 0, false, 0, 0, 0, false, 0, 0};
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        check_sizes(gp, test_shapes[v].name, bytes);
        check_sizes(gp, test_shapes[v].name, words);
        check_bins(gp, test_shapes[v].name, words);
        check_runs(gp, test_shapes[v].name, bytes);
        check_runs(gp, test_shapes[v].name, few);
        check_runs(gp, test_shapes[v].name, many);
        gp_context_destroy(gp);
    }
}

/* Every type by even bins and by edges; small groups, so that many add up. */
static void test_types(void **state)
{
    size_t t, v;
    (void)state;
    for (v = 1; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (t = 0; t < KEY_TYPES && gp; t++) {
            histogram_case c = {
                key_types[t], t % 2 ? GP_U64 : GP_U32, 0, 0, 0, 0, 0, v == 1, 5, 117, 0, false, 3, 0};
            if (key_types[t] == GP_F64 && !gp_context_info(gp)->fp64) continue;
            if (!test_small() && !test_builds_are_cheap(gp) && (t + v) % 2) continue;
            c.count = test_small() ? 600 : 20011;
            c.bins = 33;
            check(gp, test_shapes[v].name, &c);
            c.lower = is_float(c.type) ? -100 : key_size(c.type) == 8 && t % 2 ? INT64_MIN : 0;
            c.upper = is_float(c.type) ? 10000 : key_size(c.type) == 8 ? INT64_MAX : 127;
            c.bins = 1000;
            check(gp, test_shapes[v].name, &c);
            c.bins = 9001;
            check(gp, test_shapes[v].name, &c);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Bytes are counted in words and vectors, which begin and end anywhere in them. */
static void test_ends(void **state)
{
    static const size_t counts[] = {1, 7, 15, 16, 33, 4111};
    size_t v, k, offset;
    (void)state;
    for (v = 1; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < (test_small() ? 5 : 6) && gp; k++) {
            for (offset = 0; offset < 17; offset += test_small() ? 3 : 1) {
                const histogram_case c = {GP_U8, GP_U32, 0, counts[k], 256,  3,      0,
                                          false, 0,      0, 0,         true, offset, 0};
                histogram_case single = c;
                single.channels = 1;
                check(gp, test_shapes[v].name, &c);
                check(gp, test_shapes[v].name, &single);
            }
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Pixels: all channel numbers, some channels left out, offsets, weights. */
static void test_channels(void **state)
{
    static const unsigned shapes[][2] = {{4, 3}, {3, 0}, {2, 0}, {4, 0}};
    size_t v, k, offset;
    (void)state;
    for (v = 1; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < (test_small() ? 2 : 4) && gp; k++) {
            for (offset = 0; offset < 5; offset++) {
                const histogram_case c = {GP_U8,
                                          k % 2 ? GP_U64 : GP_U32,
                                          k == 3 ? GP_I16 : GP_TYPE_NONE,
                                          test_small() ? 333 : 70001,
                                          k % 2 ? 256 : 100,
                                          shapes[k][0],
                                          shapes[k][1],
                                          false,
                                          0,
                                          k == 2 ? 200 : 0,
                                          (unsigned)offset % 3,
                                          offset == 4,
                                          offset,
                                          0};
                check(gp, test_shapes[v].name, &c);
            }
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Weights of each width, sums of each; near and far. Those of 32 bits overflow 32. */
static void test_weights(void **state)
{
    static const gp_type types[][2] = {{GP_U32, GP_U64}, {GP_I32, GP_U64}, {GP_U8, GP_U32}, {GP_U64, GP_U64}};
    size_t v, k;
    (void)state;
    for (v = 1; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < (test_small() ? 2 : 4) && gp; k++) {
            histogram_case c = {GP_U16,      types[k][1],
                                types[k][0], test_small() ? 500 : 30011,
                                64,          0,
                                0,           false,
                                0,           0,
                                3,           true,
                                k,           0};
            check(gp, test_shapes[v].name, &c);
            c.bins = 6000;
            c.different = 0;
            check(gp, test_shapes[v].name, &c);
        }
        if (gp) gp_context_destroy(gp);
    }
}

static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 2999, 3000, 5000};
    const histogram_case whole = {GP_U32, GP_U32, 0, 3000, 100, 0, 0, false, 0, 1 << 30, 0, false, 1, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        histogram_data data = make_data(&whole);
        gp_histogram_desc desc = make_desc(gp, &whole, &data);
        histogram_case c = whole;
        c.count = counts[k] < 3000 ? counts[k] : 3000;
        free(data.expected);
        expect(&c, &data);
        desc.count_buffer = test_buffer(gp, 4, &counts[k]);
        desc.count_type = GP_U32;
        assert_gp(gp, gp_histogram(gp, &desc));
        compare(gp, "counts", &c, &desc, &data);
        release(&desc);
        free_data(&data);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    gp_context_destroy(gp);
}

/* Own scratch of exactly the size that is asked for; slices of several groups where there are any. */
static void test_scratch(void **state)
{
    const histogram_case c = {GP_U32, GP_U32, 0, 50000, 5000, 0, 0, false, 0, 1 << 30, 0, false, 0, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    histogram_data data = make_data(&c);
    gp_histogram_desc desc = make_desc(gp, &c, &data);
    size_t bytes = 1;
    (void)state;
    assert_gp(gp, gp_histogram_scratch_size(gp, &desc, &bytes));
    assert_int_equal(bytes % (5000 * 4), 0);
    if (bytes) desc.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_histogram(gp, &desc));
    compare(gp, "scratch", &c, &desc, &data);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    if (bytes) {
        clReleaseMemObject(desc.scratch);
        desc.scratch = test_buffer(gp, bytes - 1, NULL);
        assert_gp_fails(gp, gp_histogram(gp, &desc), GP_ERROR_INVALID_BUFFER, "scratch");
    }
    release(&desc);
    free_data(&data);
    gp_context_destroy(gp);
}

/* As wide as FLT_MAX and as narrow as bins / FLT_MAX. */
static void test_float_bounds(void **state)
{
    static const struct {
        double lower, upper;
        bool good;
    } bounds[] = {{0, FLT_MAX, true},
                  {-FLT_MAX / 2, FLT_MAX / 2, true},
                  {-FLT_MAX / 2, FLT_MAX, false},
                  {0, 30 / (double)FLT_MAX * 1.01, true},
                  {0, 30 / (double)FLT_MAX * 0.99, false},
                  {0, -1, false}};
    const histogram_case c = {GP_U32, GP_U32, GP_U32, 500, 30, 0, 0, false, 5, 100, 0, false, 0, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    histogram_data data = make_data(&c);
    gp_histogram_desc d = make_desc(gp, &c, &data);
    size_t k;
    (void)state;
    d.type = GP_F32;
    for (k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        d.lower.f64 = bounds[k].lower;
        d.upper.f64 = bounds[k].upper;
        if (bounds[k].good) assert_gp(gp, gp_histogram(gp, &d));
        else assert_gp_fails(gp, gp_histogram(gp, &d), GP_ERROR_INVALID_ARGUMENT, "must be finite");
    }
    release(&d);
    free_data(&data);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    const histogram_case c = {GP_U32, GP_U32, GP_U32, 500, 30, 0, 0, false, 5, 100, 0, false, 0, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    histogram_data data = make_data(&c);
    const gp_histogram_desc good = make_desc(gp, &c, &data);
    gp_histogram_desc d;
    (void)state;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_histogram(gp, &d), result, text)
    REFUSED(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_histogram: type is not set");
    REFUSED(d.out_type = GP_F32, GP_ERROR_INVALID_TYPE, "out_type = 9");
    REFUSED(d.weight_type = GP_F32, GP_ERROR_INVALID_TYPE, "weight_type = 9");
    REFUSED(d.weights = NULL, GP_ERROR_INVALID_TYPE, "weights is NULL");
    REFUSED(d.bins = 0, GP_ERROR_INVALID_ARGUMENT, "bins = 0");
    REFUSED(d.channels = 2, GP_ERROR_INVALID_ARGUMENT, "channels = 2");
    REFUSED((d.type = GP_U8, d.channels = 5), GP_ERROR_INVALID_ARGUMENT, "channels = 5");
    REFUSED(d.channels_out = 2, GP_ERROR_INVALID_ARGUMENT, "channels_out = 2");
    REFUSED(d.lower.u64 = 100, GP_ERROR_INVALID_ARGUMENT, "lower = 100 and upper = 100");
    REFUSED(d.upper.u64 = (uint64_t)1 << 33, GP_ERROR_INVALID_ARGUMENT, "numbers of uint");
    REFUSED((d.type = GP_I32, d.lower.i64 = 3, d.upper.i64 = -3), GP_ERROR_INVALID_ARGUMENT, "upper = -3");
    REFUSED((d.type = GP_F32, d.lower.f64 = 1, d.upper.f64 = 1), GP_ERROR_INVALID_ARGUMENT, "upper = 1");
    REFUSED((d.type = GP_F32, d.lower.f64 = 0, d.upper.f64 = 1e300), GP_ERROR_INVALID_ARGUMENT, "upper");
    REFUSED((d.type = GP_F32, d.lower.f64 = 0, d.upper.f64 = (double)NAN), GP_ERROR_INVALID_ARGUMENT,
            "upper");
    REFUSED((d.type = GP_F32, d.lower.f32 = 0, d.upper.f32 = 100), GP_ERROR_INVALID_ARGUMENT,
            "bounds of floats are lower.f64");
    REFUSED((d.type = GP_F16, d.lower.f32 = -1, d.upper.f32 = 1), GP_ERROR_INVALID_ARGUMENT,
            "bounds of floats are lower.f64");
    if (gp_context_info(gp)->fp64) {
        REFUSED((d.type = GP_F64, d.lower.f64 = 0, d.upper.f32 = 1), GP_ERROR_INVALID_ARGUMENT,
                "bounds of floats are lower.f64");
    }
    REFUSED(d.edges = d.weights, GP_ERROR_INVALID_ARGUMENT, "edges");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.count = 1000, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED(d.bins = 47, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED(d.weights_offset = 100, GP_ERROR_INVALID_BUFFER, "weights has");
    REFUSED((d.in = d.out, d.count = 10), GP_ERROR_OVERLAP, "in is");
    REFUSED((d.count_buffer = d.in, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type = 9");
    REFUSED((d.count_buffer = d.out, d.count_type = GP_U32), GP_ERROR_OVERLAP, "count_buffer");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_histogram(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_histogram(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    free_data(&data);
    gp_context_destroy(gp);
}

/* Random sizes, bins and ranges in a row. */
static void test_many(void **state)
{
    const size_t rounds = test_small() ? 10 : 300;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t i;
    (void)state;
    for (i = 0; i < rounds; i++) {
        const int64_t lower = test_random() % 1000, range = 1 + (int64_t)(test_random() >> i % 32);
        const histogram_case c = {GP_U32,
                                  GP_U32,
                                  0,
                                  test_random() % (test_small() ? 300 : 9000),
                                  1 + test_random() % (i % 7 ? 300 : 20000),
                                  0,
                                  0,
                                  false,
                                  lower,
                                  lower + range <= UINT32_MAX ? lower + range : UINT32_MAX,
                                  0,
                                  i % 3 == 0,
                                  i % 5,
                                  0};
        check(gp, "many", &c);
    }
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const histogram_case c = {GP_F32, GP_U32, 0, 1000, 20, 0, 0, true, -64, 64, 0, false, 0, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_histogram_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.type = GP_F32;
    desc.edges = test_buffer(gp, 4, NULL);
    warm.histogram = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_int_equal(built, 1);
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    clReleaseMemObject(desc.edges);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_types),
        cmocka_unit_test(test_channels),      cmocka_unit_test(test_weights),
        cmocka_unit_test(test_scratch),       cmocka_unit_test(test_float_bounds),
        cmocka_unit_test(test_bad_input),     cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
