/* test_histogram_map.c - gp_histogram of what a map makes: of numbers, records, indices alone, with arguments; against
   plain C. */
#include "../support/keys.h"

#include <math.h>

enum { TABLE = 8, TABLE_AT = 3 }; /* elements of the table, the first one's place in its buffer */

/* What the map is of. */
typedef enum source { NUMBERS, RECORDS, INDICES, SOURCES } source;

typedef struct event {
    float unused;
    uint32_t key;
    float more;
} event;
static const gp_record event_record = {.cl_type = "event",
                                       .size = sizeof(event),
                                       .source =
                                           "typedef struct { float unused; uint key; float more; } event;"};

/* Integers: key * scale + table[i % 8], as far as they fit. Floats: 64ths, and NaN. */
static const char *const maps[SOURCES][2] = {
    {"x * scale + table[i % 8]", "x % 97 == 0 ? NAN : ((int)(x * scale % 2048) - 1024) * 0.015625f"},
    {"x.key * scale + table[i % 8]",
     "x.key % 97 == 0 ? NAN : ((int)(x.key * scale % 2048) - 1024) * 0.015625f"},
    {"(uint)i * scale + table[i % 8]",
     "i % 97 == 0 ? NAN : ((int)((uint)i * scale % 2048) - 1024) * 0.015625f"}};

typedef struct map_case {
    source source;
    gp_type type, out_type, weight_type; /* of samples; weight_type 0: no weights */
    size_t count, bins, offset;
    double lower, upper; /* both 0: all of an integer type */
    bool edges, accumulate;
} map_case;

typedef struct map_data {
    uint32_t *key;
    uint8_t *weights;
    double *edges;
    uint64_t *before;
    cl_mem raw, table[2];
    uint32_t scale, tables[2][TABLE];
    gp_arg args[2];
    gp_histogram_desc desc;
} map_data;

static bool is_float(gp_type type) { return type == GP_F16 || type == GP_F32 || type == GP_F64; }
static bool is_signed(gp_type type)
{
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
}

/* ------------------------------------------------------------------ reference */

/* The map's value, which is exact as a double. */
static double sample_of(const map_case *c, const map_data *d, const uint32_t *table, size_t i)
{
    const uint32_t key = c->source == INDICES ? (uint32_t)i : d->key[i];
    const unsigned width = 8 * (unsigned)key_size(c->type);
    const uint32_t x = key * d->scale + table[i % TABLE];
    if (is_float(c->type)) return key % 97 == 0 ? NAN : ((int)(key * d->scale % 2048) - 1024) / 64.0;
    if (width > 32 || (width == 32 && !is_signed(c->type))) return x;
    if (!is_signed(c->type)) return x & (((uint32_t)1 << width) - 1);
    return (int32_t)(x << (32 - width)) >> (32 - width);
}

static size_t bin_of(const map_case *c, const map_data *d, double x)
{
    const bool whole = c->lower == 0 && c->upper == 0;
    const double all = ldexp(1, 8 * (int)key_size(c->type));
    const double lower = whole ? is_signed(c->type) ? -all / 2 : 0 : c->lower,
                 upper = whole ? lower + all : c->upper;
    size_t b;
    if (c->edges) {
        size_t low = 0, high = c->bins + 1;
        while (low < high) {
            b = (low + high) / 2;
            if (d->edges[b] <= x) low = b + 1;
            else high = b;
        }
        return low > 0 && low <= c->bins ? low - 1 : SIZE_MAX;
    }
    if (!(x >= lower && x < upper)) return SIZE_MAX;
    if (!is_float(c->type)) return (size_t)((uint64_t)(x - lower) * c->bins / (uint64_t)(upper - lower));
    if (c->type == GP_F64) {
        b = (size_t)((x - lower) * ((double)c->bins / (upper - lower)));
    } else {
        const float scale = (float)c->bins / ((float)upper - (float)lower),
                    p = ((float)x - (float)lower) * scale;
        b = (size_t)p;
    }
    return b < c->bins ? b : c->bins - 1;
}

static void *expected_of(const map_case *c, const map_data *d, const uint32_t *table)
{
    const size_t size = key_size(c->out_type);
    unsigned char *expected = calloc(c->bins, size);
    size_t i;
    assert_non_null(expected);
    for (i = 0; i < c->bins && c->accumulate; i++) memcpy(expected + i * size, &d->before[i], size);
    for (i = 0; i < c->count; i++) {
        const size_t b = bin_of(c, d, sample_of(c, d, table, i));
        uint64_t sum = b == SIZE_MAX ? 0 : key_load(expected, b, size);
        sum += c->weight_type ? (uint64_t)(int64_t)(int8_t)d->weights[i] : 1;
        if (b != SIZE_MAX) memcpy(expected + b * size, &sum, size);
    }
    return expected;
}

/* ------------------------------------------------------------------ input */

static uint64_t bits_of(gp_type type, double x)
{
    const float f = (float)x;
    uint64_t bits = (uint64_t)(int64_t)x;
    int exponent;
    if (type == GP_F64) {
        memcpy(&bits, &x, 8);
    } else if (type == GP_F32) {
        bits = 0;
        memcpy(&bits, &f, 4);
    } else if (type == GP_F16) {
        const double part = frexp(fabs(x), &exponent);
        bits = x == 0 ? 0
                      : (uint64_t)(exponent + 14) << 10 | (uint64_t)((part * 2 - 1) * 1024) |
                            (x < 0 ? 0x8000 : 0);
    }
    return bits;
}

/* Rising, each number twice; the lowest samples lie below them, the highest above. */
static void make_edges(gp_context *gp, const map_case *c, map_data *d)
{
    const size_t size = key_size(c->type);
    const double all = is_float(c->type) ? 32 : ldexp(1, size == 8 ? 32 : 8 * (int)size);
    const double unit = is_float(c->type) ? 64 : 1;
    const double first = is_float(c->type) ? -15 : is_signed(c->type) && size < 8 ? -all / 2 + 3 : 5;
    const double span = is_float(c->type) ? 29 : all - 20;
    unsigned char *bits = malloc((c->bins + 1) * size);
    size_t b;
    d->edges = malloc((c->bins + 1) * sizeof *d->edges);
    assert_non_null(d->edges);
    assert_non_null(bits);
    for (b = 0; b <= c->bins; b++) {
        uint64_t edge;
        d->edges[b] = first + floor(span * (double)(b / 2 * 2) / (double)c->bins * unit) / unit;
        edge = bits_of(c->type, d->edges[b]);
        memcpy(bits + b * size, &edge, size);
    }
    d->desc.edges_offset = 2 * c->offset;
    d->desc.edges = guarded(gp, d->desc.edges_offset, c->bins + 1, size, bits);
    free(bits);
}

static void set_bounds(const map_case *c, gp_histogram_desc *desc)
{
    if (is_float(c->type)) {
        desc->lower.f64 = c->lower;
        desc->upper.f64 = c->upper;
    } else {
        desc->lower.i64 = (int64_t)c->lower;
        desc->upper.i64 = (int64_t)c->upper;
    }
}

static void set_input(gp_context *gp, const map_case *c, map_data *d)
{
    event *events = calloc(c->count + 1, sizeof *events);
    size_t i;
    assert_non_null(events);
    for (i = 0; i < c->count; i++) events[i].key = d->key[i];
    d->desc.in_offset = c->offset;
    if (c->source == NUMBERS) {
        d->desc.type = GP_U32;
        d->desc.in = guarded(gp, c->offset, c->count, 4, d->key);
    } else if (c->source == RECORDS) {
        d->desc.record = &event_record;
        d->desc.in = guarded(gp, c->offset, c->count, sizeof(event), events);
    }
    free(events);
}

static void data_open(gp_context *gp, const map_case *c, map_data *d)
{
    uint32_t padded[TABLE_AT + TABLE] = {99, 99, 99};
    size_t i, k;
    memset(d, 0, sizeof *d);
    d->key = malloc((c->count + 1) * sizeof *d->key);
    d->weights = malloc(c->count + 1);
    d->before = malloc(c->bins * sizeof *d->before);
    assert_true(d->key && d->weights && d->before);
    for (i = 0; i < c->count; i++) d->key[i] = i % 5 ? test_random() >> 4 : i ? d->key[i - 1] : 97;
    for (i = 0; i < c->count; i++) d->weights[i] = (uint8_t)(test_random() >> 9);
    for (i = 0; i < c->bins; i++) d->before[i] = test_random();
    for (k = 0; k < 2; k++) {
        for (i = 0; i < TABLE; i++) padded[TABLE_AT + i] = d->tables[k][i] = test_random() >> 7;
        d->table[k] = test_buffer(gp, sizeof padded, padded);
    }
    d->args[0] = (gp_arg){.name = "scale", .type = GP_U32, .value = &d->scale};
    d->args[1] = (gp_arg){.name = "table", .type = GP_U32, .offset = TABLE_AT, .count = TABLE};
    set_input(gp, c, d);
    if (c->edges) make_edges(gp, c, d);
    else set_bounds(c, &d->desc);
    if (c->weight_type) {
        d->desc.weight_type = c->weight_type;
        d->desc.weights_offset = 5 * c->offset;
        d->desc.weights = guarded(gp, d->desc.weights_offset, c->count, 1, d->weights);
    }
    d->desc.map = maps[c->source][is_float(c->type)];
    d->desc.map_type = c->source == NUMBERS && c->type == GP_U32 ? GP_TYPE_NONE : c->type;
    d->desc.args = d->args;
    d->desc.arg_count = 2;
    d->desc.count = c->count;
    d->desc.bins = c->bins;
    d->desc.out_type = c->out_type;
    d->desc.out_offset = 3 * c->offset;
    d->desc.accumulate = c->accumulate;
}

static void data_close(map_data *d)
{
    const cl_mem all[] = {d->desc.in, d->desc.edges, d->desc.weights, d->table[0], d->table[1]};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
    free(d->key);
    free(d->weights);
    free(d->edges);
    free(d->before);
}

/* ------------------------------------------------------------------ check */

static uint64_t programs_of(gp_context *gp)
{
    const gp_stats stats = test_profile_of(gp);
    return stats.programs_built + stats.programs_loaded;
}

static void *before_of(const map_case *c, const map_data *d)
{
    const size_t size = key_size(c->out_type);
    unsigned char *before = malloc(c->bins * size);
    size_t i;
    assert_non_null(before);
    for (i = 0; i < c->bins; i++) memcpy(before + i * size, &d->before[i], size);
    return before;
}

static void check_once(gp_context *gp, const char *variant, const map_case *c, map_data *d, int time)
{
    void *expected, *before = before_of(c, d);
    const char *what;
    size_t at = 0;
    d->scale = time ? 5 : 3;
    d->args[1].buffer = d->table[time];
    d->desc.out =
        guarded(gp, d->desc.out_offset, c->bins, key_size(c->out_type), c->accumulate ? before : NULL);
    if (gp_histogram(gp, &d->desc) != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    expected = expected_of(c, d, d->tables[time]);
    what = guarded_difference(gp, d->desc.out, d->desc.out_offset, c->bins, key_size(c->out_type), expected,
                              &at);
    if (what) {
        fail_msg(
            "%s: source %d, type %d, %zu elements, %zu bins (%d), [%g, %g), weights %d, out %d, offset %zu: "
            "%s %zu",
            variant, (int)c->source, (int)c->type, c->count, c->bins, c->edges, c->lower, c->upper,
            (int)c->weight_type, (int)c->out_type, c->offset, what, at);
    }
    clReleaseMemObject(d->desc.out);
    free(expected);
    free(before);
}

/* With two sets of args, of which the second one makes no program. */
static void check(gp_context *gp, const char *variant, const map_case *c)
{
    map_data d;
    uint64_t programs;
    data_open(gp, c, &d);
    check_once(gp, variant, c, &d, 0);
    programs = programs_of(gp);
    check_once(gp, variant, c, &d, 1);
    assert_int_equal(programs_of(gp), programs);
    data_close(&d);
}

/* ------------------------------------------------------------------ tests */

/* Every type of sample, from each source; even bins and edges; few bins and many; weights. */
static void test_types(void **state)
{
    size_t t, v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (t = 0; t < KEY_TYPES && gp; t++) {
            map_case c = {(source)((t + v) % SOURCES),
                          key_types[t],
                          t % 2 ? GP_U64 : GP_U32,
                          t % 3 ? GP_TYPE_NONE : GP_I8,
                          0,
                          33,
                          v + 1,
                          0,
                          0,
                          t % 4 == v % 4,
                          false};
            if (key_types[t] == GP_F64 && !gp_context_info(gp)->fp64) continue;
            if (is_float(c.type)) c.lower = -10, c.upper = 13.25;
            else if (key_size(c.type) == 8) c.lower = 17, c.upper = 3e9;
            c.count = test_small() ? 600 : 20011;
            check(gp, test_shapes[v].name, &c);
            c.bins = key_size(c.type) == 1 ? 200 : 9001;
            c.accumulate = true;
            check(gp, test_shapes[v].name, &c);
        }
        if (gp) gp_context_destroy(gp);
    }
}

static void test_sizes(void **state)
{
    static const size_t sizes[] = {
        0, 1, 15, 16, 17, 255, 256, 257, 4095, 4097, 32769, 104729, (1 << 20) + 123};
    const size_t n = test_small() ? 5 : sizeof sizes / sizeof *sizes;
    size_t v, k, s;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (k = 0; k < n && gp; k++) {
            for (s = 0; s < SOURCES; s++) {
                const map_case bytes = {(source)s, GP_U8, GP_U32, GP_TYPE_NONE, sizes[k],  256,
                                        k % 4,     0,     0,      false,        k % 2 != 0};
                map_case words = {(source)s, GP_U32, GP_U32, GP_TYPE_NONE, sizes[k],  100,
                                  k % 4,     0,      4e9,    false,        k % 2 == 0};
                check(gp, test_shapes[v].name, &bytes);
                check(gp, test_shapes[v].name, &words);
                words.bins = 30011;
                if (!test_small()) check(gp, test_shapes[v].name, &words);
            }
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Fewer elements, by a number on the device. */
static void test_count_on_device(void **state)
{
    const map_case whole = {INDICES, GP_U32, GP_U32, GP_TYPE_NONE, 3000, 100, 1, 0, 4e9, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    const uint32_t count = 1777;
    map_case c = whole;
    map_data d;
    (void)state;
    data_open(gp, &whole, &d);
    d.desc.count_buffer = test_buffer(gp, 4, &count);
    d.desc.count_type = GP_U32;
    c.count = count;
    check_once(gp, "count", &c, &d, 0);
    clReleaseMemObject(d.desc.count_buffer);
    data_close(&d);
    gp_context_destroy(gp);
}

/* What is warmed up is what the call takes: near and far, with edges and without. */
static void test_warm(void **state)
{
    size_t s, e;
    (void)state;
    for (s = 0; s < SOURCES; s++) {
        for (e = 0; e < 2; e++) {
            const map_case c = {(source)s, GP_F32, GP_U32, GP_TYPE_NONE, 5000, 40, 1, -10, 10, e != 0, false};
            gp_context *gp = test_open(&test_shapes[0], NULL);
            gp_warmup_desc warm = {0};
            gp_histogram_desc desc;
            map_data d;
            uint64_t programs;
            data_open(gp, &c, &d);
            d.args[1].buffer = d.table[0];
            desc = d.desc;
            if (s == INDICES) desc.in_offset = 0;
            desc.in = NULL;
            warm.histogram = &desc;
            assert_gp(gp, gp_warmup(gp, &warm));
            programs = programs_of(gp);
            check_once(gp, "warmed", &c, &d, 0);
            assert_int_equal(programs_of(gp), programs);
            data_close(&d);
            gp_context_destroy(gp);
        }
    }
}

static void test_bad_input(void **state)
{
    const map_case c = {NUMBERS, GP_U8, GP_U32, GP_TYPE_NONE, 500, 256, 0, 0, 0, false, false};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_histogram_desc h;
    map_data d;
    (void)state;
    data_open(gp, &c, &d);
    d.args[1].buffer = d.table[0];
    d.desc.out = guarded(gp, 0, 256, 4, NULL);
#define REFUSED(change, result, text) \
    h = d.desc;                       \
    change;                           \
    assert_gp_fails(gp, gp_histogram(gp, &h), result, text)
    REFUSED(h.map = NULL, GP_ERROR_INVALID_TYPE, "map_type = 2, and map is NULL");
    REFUSED(h.map = "x x", GP_ERROR_BUILD, test_place("map:"));
    REFUSED(h.map = "x)", GP_ERROR_INVALID_ARGUMENT, "map");
    REFUSED(h.map = "y", GP_ERROR_BUILD, test_place("map:1"));
    REFUSED(h.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "type is not set");
    REFUSED(h.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(h.map_type = (gp_type)99, GP_ERROR_INVALID_TYPE, "map_type = 99");
    REFUSED((h.in = NULL, h.type = h.map_type = GP_TYPE_NONE, h.map = "i"), GP_ERROR_INVALID_TYPE,
            "map_type is not set");
    REFUSED(h.channels = 2, GP_ERROR_INVALID_ARGUMENT, "channels = 2 and a map");
    REFUSED(h.record = &event_record, GP_ERROR_INVALID_TYPE, "records take a map, and no type");
    REFUSED((h.record = &event_record, h.type = GP_TYPE_NONE, h.map = NULL), GP_ERROR_INVALID_TYPE,
            "map is NULL: records take a map");
    REFUSED((h.record = &event_record, h.type = h.map_type = GP_TYPE_NONE, h.map = "x.key"),
            GP_ERROR_INVALID_TYPE, "map_type is not set");
    REFUSED((h.record = &event_record, h.type = GP_TYPE_NONE, h.map = "x.key"), GP_ERROR_INVALID_BUFFER,
            "in has");
    REFUSED((h.map_type = GP_F32), GP_ERROR_INVALID_ARGUMENT, "as float");
    REFUSED(h.arg_count = 0, GP_ERROR_INVALID_ARGUMENT, "arg_count = 0");
    d.args[1].buffer = d.desc.out;
    REFUSED((void)h, GP_ERROR_OVERLAP, "args[1].buffer is");
#undef REFUSED
    d.args[1].buffer = d.table[0];
    assert_gp(gp, gp_histogram(gp, &d.desc));
    clReleaseMemObject(d.desc.out);
    data_close(&d);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),           cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_count_on_device), cmocka_unit_test(test_warm),
        cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests_name("histogram of maps", tests, NULL, NULL);
}
