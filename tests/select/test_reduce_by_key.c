/* test_reduce_by_key.c - gp_reduce_by_key against a sequential reduction of each run. */
#include "../support/keys.h"

typedef enum runs {
    RUNS_TINY,  /* 1 to 4 */
    RUNS_ONES,  /* all of one element */
    RUNS_MIXED, /* by a power law */
    RUNS_ONE,   /* all of them */
    RUNS_COUNT
} runs;

typedef struct by_key_case {
    const test_element *element;
    runs runs;
    size_t count, key_size, offset;
    bool initial, no_keys;
} by_key_case;

typedef struct by_key_data {
    unsigned char *keys, *in, *keys_expected, *expected, initial[64];
    size_t found;
} by_key_data;

/* ------------------------------------------------------------------ input, reference */

static size_t length_of(const by_key_case *c)
{
    switch (c->runs) {
    case RUNS_ONES: return 1;
    case RUNS_MIXED: return (size_t)1 << (test_random() % 16 ? 0 : test_random() % 14);
    case RUNS_ONE: return SIZE_MAX;
    default: return 1 + (test_random() >> 8) % 4;
    }
}

/* Runs of keys that follow each other, so that neighbouring runs differ in every key size. */
static void make_keys(const by_key_case *c, by_key_data *data)
{
    size_t i, left = 0;
    uint64_t key = test_random();
    for (i = 0; i < c->count; i++) {
        size_t b;
        if (left == 0) {
            left = length_of(c);
            key++;
        }
        left--;
        for (b = 0; b < c->key_size; b++)
            data->keys[i * c->key_size + b] = (unsigned char)(b < 8 ? key >> (8 * b) : b);
    }
}

static void expect(const by_key_case *c, by_key_data *data)
{
    const test_element *e = c->element;
    const size_t k = c->key_size;
    size_t i;
    data->found = 0;
    for (i = 0; i < c->count; i++) {
        unsigned char x[64], *out;
        if (i == 0 || memcmp(data->keys + i * k, data->keys + (i - 1) * k, k) != 0) {
            out = data->expected + data->found * e->size;
            e->identity(out);
            if (c->initial) memcpy(out, data->initial, e->size);
            memcpy(data->keys_expected + data->found * k, data->keys + i * k, k);
            data->found++;
        }
        out = data->expected + (data->found - 1) * e->size;
        e->from(data->in + i * e->in_size, x);
        e->combine(out, x, out);
    }
    memset(data->expected + data->found * e->size, TEST_POISON, (c->count - data->found) * e->size);
    memset(data->keys_expected + data->found * k, TEST_POISON, (c->count - data->found) * k);
}

static by_key_data make_data(const by_key_case *c)
{
    by_key_data data;
    unsigned char first[64];
    data.in = test_input(c->element, TEST_RANDOM, c->count);
    data.keys = malloc(c->count * c->key_size + 1);
    data.keys_expected = malloc(c->count * c->key_size + 1);
    data.expected = malloc(c->count * c->element->size + 1);
    assert_true(data.keys && data.keys_expected && data.expected);
    c->element->make(0x12345677u, first);
    c->element->from(first, data.initial);
    make_keys(c, &data);
    expect(c, &data);
    return data;
}

static void free_data(by_key_data *data)
{
    free(data->keys);
    free(data->in);
    free(data->keys_expected);
    free(data->expected);
}

/* ------------------------------------------------------------------ check */

static gp_reduce_by_key_desc make_desc(gp_context *gp, const by_key_case *c, const by_key_data *data)
{
    const test_element *e = c->element;
    gp_reduce_by_key_desc d = {0};
    d.type = e->type;
    d.out_type = e->out_type;
    d.op = e->op;
    d.monoid = e->monoid;
    d.count = c->count;
    d.key_size = c->key_size;
    d.initial = c->initial ? data->initial : NULL;
    d.keys_offset = c->offset;
    d.in_offset = 2 * c->offset;
    d.keys_out_offset = 3 * c->offset;
    d.out_offset = c->offset;
    d.keys = guarded(gp, d.keys_offset, c->count, c->key_size, data->keys);
    d.in = guarded(gp, d.in_offset, c->count, e->in_size, data->in);
    if (!c->no_keys) d.keys_out = guarded(gp, d.keys_out_offset, c->count, c->key_size, NULL);
    d.out = guarded(gp, d.out_offset, c->count, e->size, NULL);
    return d;
}

static void release(const gp_reduce_by_key_desc *d)
{
    const cl_mem all[] = {d->keys, d->in, d->keys_out, d->out, d->count_out, d->count_buffer, d->scratch};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static void compare(gp_context *gp, const char *variant, const by_key_case *c, const gp_reduce_by_key_desc *d,
                    const by_key_data *data)
{
    size_t at = 0;
    const char *what =
        guarded_difference(gp, d->out, d->out_offset, c->count, c->element->size, data->expected, &at);
    const char *array = "out";
    if (!what && d->keys_out) {
        array = "keys_out";
        what = guarded_difference(gp, d->keys_out, d->keys_out_offset, c->count, c->key_size,
                                  data->keys_expected, &at);
    }
    if (!what) return;
    fail_msg("%s, %s: %zu elements, runs %d, keys of %zu, offset %zu, initial %d: %s %s %zu", variant,
             c->element->name, c->count, (int)c->runs, c->key_size, c->offset, c->initial, array, what, at);
}

static void check(gp_context *gp, const char *variant, const by_key_case *c)
{
    by_key_data data = make_data(c);
    gp_reduce_by_key_desc desc = make_desc(gp, c, &data);
    uint64_t found = TEST_POISON;
    const gp_result result = gp_reduce_by_key_read(gp, &desc, &found);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    if (found != data.found) fail_msg("%s: %zu elements: %d runs", variant, c->count, (int)found);
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ tests */

static const test_variant variants[] = {
    {"default", GP_SHAPE_AUTO, GP_STRATEGY_AUTO, GP_WORDS_AUTO},
    {"serial, single pass", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_AUTO},
    {"serial, multi-pass", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_AUTO},
    {"local", GP_SHAPE_LOCAL, GP_STRATEGY_AUTO, GP_WORDS_AUTO},
    {"local, single pass", GP_SHAPE_LOCAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_AUTO},
    {"local, single pass, narrow words", GP_SHAPE_LOCAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_NARROW},
    {"local, multi-pass", GP_SHAPE_LOCAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_AUTO},
};
enum { VARIANTS = sizeof variants / sizeof *variants, FIRST_LOCAL = 3 };

/* The default, and those of the local shape: where the forms differ. */
static bool is_other_form(size_t v) { return v == 0 || v >= FIRST_LOCAL; }

/* Whether a call is one launch; of what is not exact, where the device is fair. */
static bool is_single_pass(const gp_context *gp, size_t v, bool exact)
{
    return variants[v].strategy == GP_STRATEGY_SINGLE_PASS &&
           gp_context_info(gp)->device_class != GP_DEVICE_CLASS_LLVMPIPE &&
           (exact || gp_context_info(gp)->fair);
}

static void check_sizes(gp_context *gp, const char *name, const test_element *element, size_t key_size)
{
    static const size_t sizes[] = {0,    1,    2,     257,   1023,  1024,   1025,           2047,
                                   2049, 4096, 10007, 16385, 65537, 300007, (1 << 20) + 123};
    const size_t n = test_small() ? 4 : sizeof sizes / sizeof *sizes;
    by_key_case c = {element, RUNS_TINY, 0, key_size, 0, false, false};
    size_t s, k;
    for (s = 0; s < n; s++) {
        for (k = 0; k < RUNS_COUNT; k++) {
            c.count = sizes[s];
            c.runs = (runs)k;
            c.offset = (s + k) % 3;
            c.initial = (s + k) % 2 != 0;
            check(gp, name, &c);
        }
    }
}

static void test_every_variant(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        gp_context *gp = test_open(&variants[v], NULL);
        if (!gp) continue;
        check_sizes(gp, variants[v].name, &test_u32_sum_u64, 4);
        gp_context_destroy(gp);
    }
}

/* Monoids, and key sizes. */
static void test_elements(void **state)
{
    static const test_element *const elements[] = {&test_affine, &test_i16_max, &test_u64_min, &test_u8_sum,
                                                   &test_text,   &test_matrix4, &test_runs,    &test_sums};
    static const size_t key_sizes[] = {8, 1, 16, 2, 4, 16, 1, 4};
    enum { ELEMENTS = sizeof elements / sizeof *elements };
    size_t v, k;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        gp_context *gp = is_other_form(v) && v != FIRST_LOCAL ? test_open(&variants[v], NULL) : NULL;
        if (!gp) continue;
        for (k = 0;
             k < (v == 0 || test_builds_are_cheap(gp) ? ELEMENTS : 3 + (v - FIRST_LOCAL) * 2) && k < ELEMENTS;
             k++) {
            by_key_case c = {elements[k], RUNS_MIXED, test_small() ? 500 : 50021, key_sizes[k], k,
                             k == 1,      false};
            check(gp, variants[v].name, &c);
            c.no_keys = k == 0;
            c.runs = RUNS_TINY;
            check(gp, variants[v].name, &c);
        }
        gp_context_destroy(gp);
    }
}

/* The caller's idea of equal, maps without and with positions, and positions from the run's first element. */
enum { EQUAL_SUM, EQUAL_POSITIONS, EQUAL_LEAST, EQUAL_HIDDEN, EQUAL_OPTION, EQUAL_KINDS };

static void check_equal_and_map(gp_context *gp, size_t v, size_t k)
{
    const uint32_t keys[] = {10, 11, 12, 25, 26, 31, 39, 30}, in[] = {5, 4, 6, 9, 9, 1, 1, 0};
    const uint32_t firsts[] = {10, 25, 31};
    const uint64_t expected[EQUAL_KINDS][3] = {{5 * 3 + 4 * 3 + 6 * 3, 27 + 27, 3 + 3},
                                               {4 + 2 * 6, 9, 1},
                                               {1, 0, 2},
                                               {4 + 2 * 6, 9, 1},
                                               {4 + 2 * 6, 9, 1}};
    static const char *const maps[EQUAL_KINDS] = {"x * 3 // i: no position", "x * i", NULL,
                                                  "(uint2)(x * PLACE, 0)", "x * OPTION"};
    static const uint32_t zeros[2];
    /* a macro hides the position, here or in the context's options */
    const gp_monoid pair = {.type = "uint2",
                            .size = 8,
                            .source = "#define PLACE i\nuint2 add(uint2 a, uint2 b) { return a + b; }",
                            .combine = "add",
                            .identity = zeros,
                            .commutative = true,
                            .exact = true};
    gp_reduce_by_key_desc d = {0};
    uint64_t count = 0, *out;
    uint32_t *first;
    d.keys = test_buffer(gp, sizeof keys, keys);
    d.in = test_buffer(gp, sizeof in, in);
    d.keys_out = test_buffer(gp, sizeof keys, NULL);
    d.out = test_buffer(gp, 64, NULL);
    d.count = 8;
    d.key_type = d.type = GP_U32;
    d.equal = "x / 10 == y / 10 // tens";
    d.map = maps[k];
    if (k == EQUAL_HIDDEN) d.monoid = &pair;
    else d.op = k == EQUAL_LEAST ? GP_ARGMIN : GP_SUM;
    d.out_type = k == EQUAL_LEAST || k == EQUAL_HIDDEN ? GP_TYPE_NONE : GP_U64;
    assert_gp(gp, gp_reduce_by_key_read(gp, &d, &count));
    if (count != 3) fail_msg("%s, kind %zu: %d runs", variants[v].name, k, (int)count);
    out = test_read(gp, d.out, 24);
    first = test_read(gp, d.keys_out, 12);
    if (memcmp(out, expected[k], 24) != 0) fail_msg("%s, kind %zu", variants[v].name, k);
    assert_memory_equal(first, firsts, 12);
    free(out);
    free(first);
    release(&d);
}

static void test_equal_and_map(void **state)
{
    size_t v, k;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        for (k = 0; k < EQUAL_KINDS && (v == 0 || v == FIRST_LOCAL + 1); k++) {
            gp_context *gp = test_open(&variants[v], k == EQUAL_OPTION ? "-DOPTION=i" : NULL);
            if (!gp) continue;
            check_equal_and_map(gp, v, k);
            gp_context_destroy(gp);
        }
    }
}

/* NaN is equal to nothing, -0 to 0; keys go out as they are. The same eight keys, over and over. */
static void test_float_keys(void **state)
{
    enum { TIMES = 50 };
    const float nan = (float)(1e308 * 10 * 0.0);
    const float keys[] = {nan, nan, -0.0f, 0.0f, -0.0f, 1, 1, nan}, firsts[] = {nan, nan, -0.0f, 1, nan};
    const uint16_t halves[] = {0x7e01, 0x7e02, 0x8000, 0, 0x8000, 0x3c00, 0x3c00, 0x7e03};
    const uint16_t first_halves[] = {0x7e01, 0x7e02, 0x8000, 0x3c00, 0x7e03};
    const uint32_t in[] = {1, 2, 4, 8, 16, 32, 64, 128}, sums[] = {1, 2, 28, 96, 128};
    size_t v, half, k;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        gp_context *gp = v == 0 || v == FIRST_LOCAL + 1 ? test_open(&variants[v], NULL) : NULL;
        if (!gp) continue;
        for (half = 0; half < 2; half++) {
            const size_t size = half ? 2 : 4;
            gp_reduce_by_key_desc d = {0};
            uint64_t count = 0;
            unsigned char *out, *first, all_keys[TIMES * sizeof keys], all_in[TIMES * sizeof in];
            for (k = 0; k < TIMES; k++) {
                memcpy(all_keys + k * 8 * size, half ? (const void *)halves : keys, 8 * size);
                memcpy(all_in + k * sizeof in, in, sizeof in);
            }
            d.keys = test_buffer(gp, TIMES * 8 * size, all_keys);
            d.in = test_buffer(gp, sizeof all_in, all_in);
            d.keys_out = test_buffer(gp, TIMES * 8 * size, NULL);
            d.out = test_buffer(gp, sizeof all_in, NULL);
            d.count = TIMES * 8;
            d.key_type = half ? GP_F16 : GP_F32;
            d.type = d.out_type = GP_U32;
            d.op = GP_SUM;
            assert_gp(gp, gp_reduce_by_key_read(gp, &d, &count));
            assert_int_equal(count, TIMES * 5);
            out = test_read(gp, d.out, TIMES * sizeof sums);
            first = test_read(gp, d.keys_out, TIMES * 5 * size);
            for (k = 0; k < TIMES; k++) {
                assert_memory_equal(out + k * sizeof sums, sums, sizeof sums);
                assert_memory_equal(first + k * 5 * size, half ? (const void *)first_halves : firsts,
                                    5 * size);
            }
            free(out);
            free(first);
            release(&d);
        }
        gp_context_destroy(gp);
    }
}

/* Sums that round, of long runs, have the same bits whenever tiles tell of themselves. */
static void check_repeats(size_t v, bool unfair)
{
    static const char *const options[] = {NULL, "-DGPI_FAULT=2 -DGPI_FAULT_PAUSE=300"};
    by_key_case c = {&test_f32_sum, RUNS_MIXED, test_small() ? 5000 : 200003, 4, 0, true, false};
    void *bits = NULL;
    by_key_data data;
    size_t o, i, round;
    test_element rounds = test_f32_sum;
    rounds.name = "f32 sum that rounds";
    c.element = &rounds;
    data = make_data(&c);
    for (i = 0; i < c.count; i++) ((float *)data.in)[i] = (float)test_random() / 3.0f;
    for (i = 0; i < c.count / 2; i++) memcpy(data.keys + 4 * i, data.keys, 4);
    for (o = 0; o < 2; o++) {
        gp_context *gp = test_open(&variants[v], options[o]);
        gp_reduce_by_key_desc desc;
        if (!gp) break;
        if (unfair) test_pretend_unfair(gp);
        desc = make_desc(gp, &c, &data);
        for (round = 0; round < 3; round++) {
            const uint64_t launches = test_profile_of(gp).launches;
            void *found;
            assert_gp(gp, gp_reduce_by_key(gp, &desc));
            if (variants[v].strategy != GP_STRATEGY_AUTO)
                assert_int_equal(test_profile_of(gp).launches - launches == 1, is_single_pass(gp, v, false));
            found = test_read(gp, desc.out, c.count * 4);
            if (bits && memcmp(bits, found, c.count * 4) != 0)
                fail_msg("%s: other bits in round %zu", variants[v].name, round);
            free(bits);
            bits = found;
        }
        release(&desc);
        gp_context_destroy(gp);
    }
    free(bits);
    free_data(&data);
}

static void test_repeats(void **state)
{
    (void)state;
    check_repeats(0, false);
    check_repeats(1, false);
    check_repeats(FIRST_LOCAL + 1, false);
    check_repeats(FIRST_LOCAL + 1, true);
}

/* One launch where groups can wait, and then little scratch. */
static void test_single_pass(void **state)
{
    const by_key_case c = {&test_u32_sum_u64, RUNS_MIXED, test_small() ? 3000 : 100003, 4, 0, false, false};
    size_t v, bytes = 0;
    (void)state;
    for (v = 1; v < VARIANTS; v++) {
        gp_context *gp = test_open(&variants[v], NULL);
        by_key_data data;
        gp_reduce_by_key_desc desc;
        if (!gp) continue;
        data = make_data(&c);
        desc = make_desc(gp, &c, &data);
        assert_gp(gp, gp_reduce_by_key_scratch_size(gp, &desc, &bytes));
        if (v != FIRST_LOCAL) assert_int_equal(bytes < 4 * c.count, is_single_pass(gp, v, true));
        assert_gp(gp, gp_reduce_by_key(gp, &desc));
        if (v != FIRST_LOCAL)
            assert_int_equal(test_profile_of(gp).launches == 1, is_single_pass(gp, v, true));
        compare(gp, variants[v].name, &c, &desc, &data);
        release(&desc);
        free_data(&data);
        gp_context_destroy(gp);
    }
}

/* Groups that are smaller than a row of the stage, items with one element and with more than there are bits. */
static void test_tiny_and_large_tiles(void **state)
{
    static const uint32_t groups[] = {4, 2, 32}, tiles[] = {16, 1, 128};
    static const size_t sizes[] = {1, 31, 32, 33, 500, 9001};
    size_t k, s;
    (void)state;
    for (k = 0; k < 3; k++) {
        gp_context_desc with = {0};
        gp_context *gp;
        with.strategy = GP_STRATEGY_SINGLE_PASS;
        with.tuning.shape = GP_SHAPE_LOCAL;
        with.tuning.work_group_size = groups[k];
        with.tuning.tile = tiles[k];
        gp = test_open_if(&with);
        if (!gp) continue;
        for (s = 0; s < (test_small() || gp_context_info(gp)->loop_limit ? 5 : 6); s++) {
            by_key_case c = {
                &test_u32_sum_u64, s % 2 ? RUNS_ONES : RUNS_TINY, sizes[s], 4, s % 3, s == 0, false};
            check(gp, "tiny and large tiles", &c);
        }
        gp_context_destroy(gp);
    }
}

/* Counts from and on the device, own scratch, nothing blocking. */
static void check_counts_and_scratch(gp_context *gp)
{
    static const uint32_t counts[] = {0, 1, 3000, 5000};
    size_t k, bytes = 0;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        by_key_case c = {&test_u32_sum_u64, RUNS_TINY, 4000, 4, 1, false, false}, part;
        by_key_data data = make_data(&c);
        gp_reduce_by_key_desc desc = make_desc(gp, &c, &data);
        uint64_t *found;
        part = c;
        part.count = counts[k] < 4000 ? counts[k] : 4000;
        expect(&part, &data);
        memset(data.expected + data.found * 8, TEST_POISON, (4000 - data.found) * 8);
        memset(data.keys_expected + data.found * 4, TEST_POISON, (4000 - data.found) * 4);
        desc.count_buffer = test_buffer(gp, 4, &counts[k]);
        desc.count_type = GP_U32;
        desc.count_out = test_buffer(gp, 24, NULL);
        desc.count_out_offset = 1;
        desc.count_out_type = k % 2 ? GP_U64 : GP_U32;
        assert_gp(gp, gp_reduce_by_key_scratch_size(gp, &desc, &bytes));
        if (bytes) desc.scratch = test_buffer(gp, bytes, NULL);
        assert_gp(gp, gp_reduce_by_key(gp, &desc));
        compare(gp, "counts", &c, &desc, &data);
        found = test_read(gp, desc.count_out, 24);
        if (k % 2) assert_true(found[1] == data.found);
        else assert_true((found[0] >> 32) == data.found);
        free(found);
        release(&desc);
        free_data(&data);
    }
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
}

static void test_counts_and_scratch(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        gp_context *gp = is_other_form(v) ? test_open(&variants[v], NULL) : NULL;
        if (!gp) continue;
        check_counts_and_scratch(gp);
        gp_context_destroy(gp);
    }
}

static void test_bad_input(void **state)
{
    const by_key_case c = {&test_u32_sum_u64, RUNS_TINY, 500, 4, 0, false, false};
    gp_context *gp = test_open(&variants[0], NULL);
    by_key_data data = make_data(&c);
    const gp_reduce_by_key_desc good = make_desc(gp, &c, &data);
    gp_reduce_by_key_desc d = good;
    cl_event done = (cl_event)&data; /* anything: to become NULL */
    uint64_t count;
    size_t bytes = 0;
    (void)state;
    assert_gp(gp, gp_reduce_by_key(gp, &d));
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_reduce_by_key(gp, &d), result, text)
    REFUSED(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_reduce_by_key: type is not set");
    REFUSED(d.op = GP_OP_NONE, GP_ERROR_INVALID_OP, "op is not set");
    REFUSED(d.key_size = 3, GP_ERROR_INVALID_ARGUMENT, "key_size = 3");
    REFUSED(d.key_type = GP_U32, GP_ERROR_INVALID_TYPE, "give one of them");
    REFUSED(d.equal = " ", GP_ERROR_INVALID_ARGUMENT, "equal is empty");
    REFUSED(d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.count = 600, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(d.keys_out = d.keys, GP_ERROR_OVERLAP, "keys is");
    REFUSED((d.count_out = d.out), GP_ERROR_OVERLAP, "out is");
    REFUSED(d.count_out_type = GP_F32, GP_ERROR_INVALID_TYPE, "count_out_type = 9");
    assert_gp(gp, gp_reduce_by_key_scratch_size(gp, &good, &bytes));
    if (bytes > 4 * c.count) { /* a single pass needs less */
        REFUSED(d.scratch = d.keys, GP_ERROR_INVALID_BUFFER, "scratch has");
    }
    if (sizeof(size_t) == 8) {
        REFUSED(d.count = UINT32_MAX, GP_ERROR_COUNT_LIMIT, "count = 4294967295");
    }
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_reduce_by_key(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_reduce_by_key(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    d = good;
    d.done = &done;
    assert_gp_fails(gp, gp_reduce_by_key_read(gp, &d, NULL), GP_ERROR_INVALID_ARGUMENT, "count is NULL");
    assert_null(done);
    assert_gp_fails(gp, gp_reduce_by_key_read(gp, NULL, &count), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    free_data(&data);
    gp_context_destroy(gp);
}

static void check_warmup(size_t v, uint64_t programs)
{
    const by_key_case c = {&test_u32_sum_u64, RUNS_MIXED, 40000, 4, 0, false, false};
    gp_context *gp = test_open(&variants[v], NULL);
    gp_reduce_by_key_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    if (!gp) return;
    desc.key_size = 4;
    desc.type = GP_U32;
    desc.out_type = GP_U64;
    desc.op = GP_SUM;
    desc.keys_out = test_buffer(gp, 4, NULL); /* that it is there */
    warm.reduce_by_key = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    if (programs) assert_int_equal(built, is_single_pass(gp, v, true) ? 1 : programs);
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    clReleaseMemObject(desc.keys_out);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    (void)state;
    check_warmup(0, 0);
    check_warmup(FIRST_LOCAL + 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_equal_and_map),
        cmocka_unit_test(test_float_keys),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_single_pass),
        cmocka_unit_test(test_tiny_and_large_tiles),
        cmocka_unit_test(test_counts_and_scratch),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("reduce_by_key", tests, NULL, NULL);
}
