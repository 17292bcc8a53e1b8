/* test_sketch.c - gp_bloom_... and gp_hyperloglog_... against a model of the hash, bit for bit, and against what they promise. */
#include "../support/columns.h"

#include <math.h>

enum { SEED_COUNT = 3 };
static const uint64_t seeds[SEED_COUNT] = {0, 1, 0x123456789abcdef0u};

typedef struct sketch_case {
    const char *name;
    test_column columns[GP_KEY_COLUMNS_MAX];
    size_t column_count;
} sketch_case;

static const sketch_case cases[] = {
    {"u32", {{.type = GP_U32}}, 1},
    {"f32", {{.type = GP_F32}}, 1},
    {"f64, f16", {{.type = GP_F64}, {.type = GP_F16}}, 2},
    {"12 bytes, u8", {{.size = 12}, {.type = GP_U8}}, 2},
    {"strings, i64", {{.offsets = GP_U64}, {.type = GP_I64}}, 2},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ------------------------------------------------------------------ model */

static uint64_t high_product(uint64_t a, uint64_t b)
{
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    return a1 * b1 + (middle >> 32) + ((uint32_t)middle + a0 * b1) / ((uint64_t)1 << 32);
}

static uint64_t mix(uint64_t hash, uint64_t x, uint64_t seed)
{
    const uint64_t a = hash ^ x, b = seed | 1;
    return (a * b) ^ high_product(a, b);
}

static uint64_t word_of(const unsigned char *bytes, size_t size)
{
    uint64_t x = 0;
    memcpy(&x, bytes, size);
    return x;
}

/* One word for all numbers that are equal. */
static uint64_t canonical_word(gp_type type, uint64_t x)
{
    if (type == GP_F16) return (x & 0x7fff) > 0x7c00 ? 0x7e00 : x == 0x8000 ? 0 : x;
    if (type == GP_F32) return (x & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : x == 0x80000000 ? 0 : x;
    if (type == GP_F64)
        return (x & INT64_MAX) > (uint64_t)0x7ff << 52 ? ((uint64_t)0x7ff << 52) + 1
               : x == (uint64_t)1 << 63                ? 0
                                                       : x;
    return x;
}

static uint64_t hash_string(const test_columns *t, size_t k, size_t i, uint64_t hash, uint64_t seed)
{
    const size_t wide = t->columns[k].offsets == GP_U64 ? 8 : 4;
    const uint64_t begin = word_of(t->ends[k] + i * wide, wide),
                   end = word_of(t->ends[k] + (i + 1) * wide, wide);
    uint64_t at;
    hash = mix(hash, end - begin, seed);
    for (at = begin; at < end; at += 8)
        hash = mix(hash, word_of(t->in[k] + at, end - at < 8 ? (size_t)(end - at) : 8), seed);
    return hash;
}

/* Numbers and records are hashed first, strings last. */
static uint64_t hash_row(const test_columns *t, size_t i, uint64_t seed)
{
    uint64_t hash;
    size_t k, w;
    seed += 0x9e3779b97f4a7c15u;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9u;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebu;
    seed ^= seed >> 31;
    hash = seed;
    for (k = 0; k < t->column_count; k++) {
        const size_t size = columns_size(&t->columns[k]);
        size_t word = 8;
        if (t->columns[k].offsets) continue;
        while (size % word) word /= 2;
        for (w = 0; w < size; w += word)
            hash =
                mix(hash, canonical_word(t->columns[k].type, word_of(t->in[k] + i * size + w, word)), seed);
    }
    for (k = 0; k < t->column_count; k++)
        if (t->columns[k].offsets) hash = hash_string(t, k, i, hash, seed);
    return mix(hash, 0, 0xbf58476d1ce4e5b9u);
}

static void model_bloom(uint32_t *filter, size_t blocks, uint64_t hash)
{
    static const uint32_t odd[8] = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                    0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};
    uint32_t *block = filter + 8 * ((hash >> 32) * blocks >> 32);
    size_t w;
    for (w = 0; w < 8; w++) block[w] |= (uint32_t)1 << ((uint32_t)hash * odd[w] >> 27);
}

static void model_registers(uint32_t *registers, size_t precision, uint64_t hash)
{
    uint32_t *to = registers + (hash >> (64 - precision)), rank = 1;
    while (rank < 65 - precision && !(hash << precision << (rank - 1) >> 63)) rank++;
    if (*to < rank) *to = rank;
}

/* ------------------------------------------------------------------ bit for bit */

static test_columns make_columns(const sketch_case *c, size_t count, size_t distinct)
{
    uint64_t *id = columns_room(count * sizeof *id);
    test_columns t;
    size_t i;
    for (i = 0; i < count; i++) id[i] = columns_id(IDS_RANDOM, distinct, count, i);
    t = columns_make(c->columns, c->column_count, count, id);
    free(id);
    return t;
}

static void expect_same(gp_context *gp, const char *variant, const char *name, size_t count, const char *what,
                        cl_mem out, size_t offset, size_t n, size_t size, const void *expected)
{
    size_t at = 0;
    const char *wrong = guarded_difference(gp, out, offset, n, size, expected, &at);
    if (wrong) fail_msg("%s, %s, %zu rows: %s, %s %zu", variant, name, count, wrong, what, at);
}

/* Adds half of the rows, and asks for all of them. */
static void check_bloom(gp_context *gp, const char *variant, const sketch_case *c, size_t count,
                        size_t blocks, size_t offset, uint64_t seed)
{
    const size_t added = count / 2;
    test_columns t = make_columns(c, count, 1 + count);
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    gp_bloom_desc d = {0};
    uint32_t *filter = calloc(8 * blocks, 4), *probe = calloc(8 * blocks, 4);
    unsigned char *found = columns_room(count);
    size_t i;
    assert_true(filter && probe);
    for (i = 0; i < added; i++) model_bloom(filter, blocks, hash_row(&t, i, seed));
    for (i = 0; i < count; i++) { /* found, if the key changes nothing */
        memcpy(probe, filter, 32 * blocks);
        if (blocks < 100) model_bloom(probe, blocks, hash_row(&t, i, seed));
        found[i] = memcmp(probe, filter, 32 * blocks) == 0;
    }
    columns_buffers(gp, &t, offset, columns);
    d.columns = columns;
    d.column_count = c->column_count;
    d.seed = seed;
    d.block_count = blocks;
    d.filter_offset = offset;
    d.found_offset = offset;
    memset(probe, 0, 32 * blocks);
    d.filter = guarded(gp, offset, blocks, 32, probe);
    d.count = added;
    assert_gp(gp, gp_bloom_add(gp, &d));
    expect_same(gp, variant, c->name, count, "block", d.filter, offset, blocks, 32, filter);
    d.found = guarded(gp, offset, count, 1, NULL);
    d.count = count;
    assert_gp(gp, gp_bloom_contains(gp, &d));
    if (blocks < 100) expect_same(gp, variant, c->name, count, "found", d.found, offset, count, 1, found);
    clReleaseMemObject(d.filter);
    clReleaseMemObject(d.found);
    columns_release(columns, c->column_count);
    columns_free(&t);
    free(filter);
    free(probe);
    free(found);
}

static void check_registers(gp_context *gp, const char *variant, const sketch_case *c, size_t count,
                            size_t precision, size_t offset, uint64_t seed)
{
    const size_t n = (size_t)1 << precision;
    test_columns t = make_columns(c, count, 1 + count);
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    gp_hyperloglog_desc d = {0};
    uint32_t *expected = calloc(n, 4), *zeros = calloc(n, 4);
    size_t i;
    assert_true(expected && zeros);
    for (i = 0; i < count; i++) model_registers(expected, precision, hash_row(&t, i, seed));
    columns_buffers(gp, &t, offset, columns);
    d.columns = columns;
    d.column_count = c->column_count;
    d.seed = seed;
    d.count = count;
    d.precision = precision;
    d.registers_offset = offset;
    d.registers = guarded(gp, offset, n, 4, zeros);
    assert_gp(gp, gp_hyperloglog_add(gp, &d));
    expect_same(gp, variant, c->name, count, "register", d.registers, offset, n, 4, expected);
    clReleaseMemObject(d.registers);
    columns_release(columns, c->column_count);
    columns_free(&t);
    free(expected);
    free(zeros);
}

static void test_every_variant(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 255, 257, 4097, 20011};
    size_t v, c, n;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (c = 0; c < CASES; c++) {
            for (n = 0; n < sizeof sizes / sizeof *sizes - (test_small() ? 2 : 0); n++) {
                const size_t offset = (n + c) % 3;
                const uint64_t seed = seeds[(n + c) % SEED_COUNT];
                check_bloom(gp, test_shapes[v].name, &cases[c], sizes[n], n % 2 ? 57 : 1 + sizes[n] / 8,
                            offset, seed);
                check_registers(gp, test_shapes[v].name, &cases[c], sizes[n], 4 + n, offset, seed);
            }
        }
        assert_int_equal(test_profile_of(gp).bad_offsets, 0);
        gp_context_destroy(gp);
    }
}

/* ------------------------------------------------------------------ promises */

static cl_mem zeros(gp_context *gp, size_t bytes)
{
    void *p = calloc(bytes, 1);
    cl_mem buffer;
    assert_non_null(p);
    buffer = test_buffer(gp, bytes, p);
    free(p);
    return buffer;
}

/* Fills filters with as many keys as they are for. Every key is found, and others at the promised rate, to 10 %. */
static void test_rates(void **state)
{
    static const double rates[] = {.3, .05, .01, .001};
    enum { ADDED = 1 << 18, ASKED = 1 << 22 };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    uint32_t *keys = columns_room((size_t)ASKED * 4);
    gp_key_column column = {.type = GP_U32};
    size_t i, r;
    (void)state;
    for (i = 0; i < ASKED; i++) keys[i] = (uint32_t)(i * 7 + 3);
    column.in = test_buffer(gp, (size_t)ASKED * 4, keys);
    for (r = 0; r < sizeof rates / sizeof *rates && !test_small(); r++) {
        gp_bloom_desc d = {.columns = &column, .column_count = 1, .seed = 99, .count = ADDED};
        unsigned char *found;
        size_t others = 0;
        d.block_count = gp_bloom_blocks(ADDED, rates[r]);
        d.filter = zeros(gp, 32 * d.block_count);
        assert_gp(gp, gp_bloom_add(gp, &d));
        d.found = test_buffer(gp, ASKED, NULL);
        d.count = ASKED;
        assert_gp(gp, gp_bloom_contains(gp, &d));
        found = test_read(gp, d.found, ASKED);
        for (i = 0; i < ADDED; i++) assert_int_equal(found[i], 1);
        for (; i < ASKED; i++) others += found[i];
        if (fabs((double)others / (ASKED - ADDED) / rates[r] - 1) > .1)
            fail_msg("rate %g: %g", rates[r], (double)others / (ASKED - ADDED));
        free(found);
        clReleaseMemObject(d.filter);
        clReleaseMemObject(d.found);
    }
    clReleaseMemObject(column.in);
    free(keys);
    gp_context_destroy(gp);
}

static void test_blocks(void **state)
{
    size_t last = 0;
    int e;
    (void)state;
    assert_int_equal(gp_bloom_blocks(1000, 0), 0);
    assert_int_equal(gp_bloom_blocks(1000, 1), 0);
    assert_int_equal(gp_bloom_blocks(1000, NAN), 0);
    assert_int_equal(gp_bloom_blocks(1000, -1), 0);
    assert_int_equal(gp_bloom_blocks(0, .01), 1);
    assert_int_equal(gp_bloom_blocks((size_t)1 << 40, .01), 0);
    for (e = 1; e < 12; e++) { /* smaller rates take more */
        const size_t blocks = gp_bloom_blocks(1000000, pow(10, -e));
        assert_true(blocks > last);
        last = blocks;
    }
    /* ten and a half bits a key for 1 % */
    assert_true(gp_bloom_blocks(1000000, .01) > 39000 && gp_bloom_blocks(1000000, .01) < 43000);
}

/* Estimates are within four standard errors, of few keys and of many, however often each occurs, and of two sets together. */
static void test_estimates(void **state)
{
    static const size_t distinct[] = {0, 1, 2, 10, 100, 3000, 40000, 300000, 5000000};
    static const size_t precisions[] = {4, 10, 14, 18};
    enum { ROWS = 5000000 };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    uint32_t *keys = columns_room((size_t)ROWS * 4);
    gp_key_column column = {.type = GP_U32};
    size_t i, n, p;
    (void)state;
    for (n = 0; n < sizeof distinct / sizeof *distinct && !test_small(); n++) {
        const size_t rows = distinct[n] < 1000 ? 3 * distinct[n] : ROWS;
        for (i = 0; i < rows; i++) keys[i] = (uint32_t)(i % distinct[n]) * 2654435761u;
        column.in = test_buffer(gp, rows * 4 + 4, keys);
        for (p = 0; p < sizeof precisions / sizeof *precisions; p++) {
            const double error = 1.04 / sqrt((double)((size_t)1 << precisions[p]));
            gp_hyperloglog_desc d = {
                .columns = &column, .column_count = 1, .seed = 5, .count = rows, .precision = precisions[p]};
            double estimate = -1;
            d.registers = zeros(gp, (size_t)4 << precisions[p]);
            assert_gp(gp, gp_hyperloglog_add(gp, &d));
            assert_gp(gp, gp_hyperloglog_add(gp, &d)); /* again: nothing changes */
            assert_gp(gp, gp_hyperloglog_estimate(gp, &d, &estimate));
            if (fabs(estimate - (double)distinct[n]) > 4 * error * (double)distinct[n] + 1e-9)
                fail_msg("%zu keys, precision %zu: %g", distinct[n], precisions[p], estimate);
            clReleaseMemObject(d.registers);
        }
        clReleaseMemObject(column.in);
    }
    free(keys);
    gp_context_destroy(gp);
}

static void test_counts(void **state)
{
    static const uint32_t counts[] = {0, 100, 5000};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    test_columns t = make_columns(&cases[0], 1000, 1 << 20);
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    size_t i, k;
    (void)state;
    columns_buffers(gp, &t, 0, columns);
    for (i = 0; i < 3; i++) {
        const size_t rows = counts[i] < 1000 ? counts[i] : 1000;
        gp_bloom_desc b = {
            .columns = columns, .column_count = 1, .count = 1000, .count_type = GP_U32, .block_count = 40};
        gp_hyperloglog_desc h = {
            .columns = columns, .column_count = 1, .count = 1000, .count_type = GP_U32, .precision = 8};
        uint32_t filter[40 * 8] = {0}, registers[256] = {0};
        void *got;
        b.count_buffer = h.count_buffer = test_buffer(gp, 4, &counts[i]);
        b.filter = zeros(gp, sizeof filter);
        h.registers = zeros(gp, sizeof registers);
        assert_gp(gp, gp_bloom_add(gp, &b));
        assert_gp(gp, gp_hyperloglog_add(gp, &h));
        for (k = 0; k < rows; k++) {
            model_bloom(filter, 40, hash_row(&t, k, 0));
            model_registers(registers, 8, hash_row(&t, k, 0));
        }
        got = test_read(gp, b.filter, sizeof filter);
        assert_memory_equal(got, filter, sizeof filter);
        free(got);
        got = test_read(gp, h.registers, sizeof registers);
        assert_memory_equal(got, registers, sizeof registers);
        free(got);
        clReleaseMemObject(b.filter);
        clReleaseMemObject(b.count_buffer);
        clReleaseMemObject(h.registers);
    }
    assert_int_equal(test_profile_of(gp).clamped, 2);
    columns_release(columns, 1);
    columns_free(&t);
    gp_context_destroy(gp);
}

/* Bad offsets, and strings that are too long for a device that ends loops: both are counted, once a call. */
static void test_strings(void **state)
{
    static const sketch_case strings = {"strings", {{.offsets = GP_U32}}, 1};
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        test_columns t;
        gp_key_column columns[GP_KEY_COLUMNS_MAX];
        gp_hyperloglog_desc h = {.columns = columns, .column_count = 1, .count = 50001, .precision = 6};
        const uint32_t bad = UINT32_MAX, zero = 0;
        size_t way;
        if (!gp) continue;
        for (way = 0; way < 2; way++) {
            t = make_columns(&strings, 50001, 500);
            for (size_t i = 0; i <= 50001 && !way; i += 100) memcpy(t.ends[0] + 4 * i, &bad, 4);
            if (way) memcpy(t.ends[0] + 4 * 49000, &zero, 4);
            if (way && !gp_context_info(gp)->loop_limit) test_pretend_limited(gp);
            columns_buffers(gp, &t, 0, columns);
            h.registers = zeros(gp, 4 << 6);
            assert_gp(gp, gp_hyperloglog_add(gp, &h));
            assert_int_equal(test_profile_of(gp).abandoned, way);
            assert_int_equal(test_profile_of(gp).bad_offsets, way + 1);
            clReleaseMemObject(h.registers);
            columns_release(columns, 1);
            columns_free(&t);
        }
        gp_context_destroy(gp);
    }
}

static void test_warm_up(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    const gp_key_column column = {.type = GP_I16};
    const gp_bloom_desc b = {.columns = &column, .column_count = 1};
    const gp_hyperloglog_desc h = {.columns = &column, .column_count = 1};
    const gp_warmup_desc warmup = {.bloom = &b, .hyperloglog = &h};
    static const sketch_case i16 = {"i16", {{.type = GP_I16}}, 1};
    uint64_t built;
    (void)state;
    assert_gp(gp, gp_warmup(gp, &warmup));
    built = test_profile_of(gp).programs_built;
    check_bloom(gp, "warm", &i16, 3000, 77, 0, 1);
    check_registers(gp, "warm", &i16, 3000, 7, 0, 1);
    assert_int_equal(test_profile_of(gp).programs_built, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_rates),  cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_estimates),     cmocka_unit_test(test_counts), cmocka_unit_test(test_strings),
        cmocka_unit_test(test_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
