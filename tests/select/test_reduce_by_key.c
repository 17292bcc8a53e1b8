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
    {"serial, multi-pass", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS, GP_WORDS_AUTO},
    {"local", GP_SHAPE_LOCAL, GP_STRATEGY_AUTO, GP_WORDS_AUTO},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void check_sizes(gp_context *gp, const char *name, const test_element *element, size_t key_size)
{
    static const size_t sizes[] = {0, 1, 2, 257, 4096, 16385, 65537, 300007, (1 << 20) + 123};
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
    static const test_element *const elements[] = {&test_affine, &test_i16_max, &test_u64_min};
    static const size_t key_sizes[] = {8, 1, 16, 2};
    gp_context *gp = test_open(&variants[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < 3; k++) {
        by_key_case c = {elements[k], RUNS_MIXED, test_small() ? 500 : 50021, key_sizes[k], k, k == 1, false};
        check(gp, "elements", &c);
        c.no_keys = k == 0;
        c.runs = RUNS_TINY;
        check(gp, "elements", &c);
    }
    gp_context_destroy(gp);
}

/* The caller's idea of equal, a map, and positions from the run's first element. */
static void test_equal_and_map(void **state)
{
    const uint32_t keys[] = {10, 11, 12, 25, 26, 31, 39, 30}, in[] = {5, 4, 6, 9, 9, 1, 1, 0};
    const uint32_t firsts[] = {10, 25, 31};
    const uint64_t sums[] = {4 + 2 * 6, 9, 1 + 2 * 0}, least[] = {1, 0, 2};
    gp_context *gp = test_open(&variants[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < 2; k++) {
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
        d.op = k ? GP_ARGMIN : GP_SUM;
        d.map = k ? NULL : "x * i";
        d.out_type = k ? GP_TYPE_NONE : GP_U64;
        assert_gp(gp, gp_reduce_by_key_read(gp, &d, &count));
        assert_int_equal(count, 3);
        out = test_read(gp, d.out, 24);
        first = test_read(gp, d.keys_out, 12);
        assert_memory_equal(out, k ? least : sums, 24);
        assert_memory_equal(first, firsts, 12);
        free(out);
        free(first);
        release(&d);
    }
    gp_context_destroy(gp);
}

/* Counts from and on the device, own scratch, nothing blocking. */
static void test_counts_and_scratch(void **state)
{
    static const uint32_t counts[] = {0, 1, 3000, 5000};
    gp_context *gp = test_open(&variants[0], NULL);
    size_t k, bytes = 0;
    (void)state;
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
        desc.scratch = test_buffer(gp, bytes, NULL);
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
    gp_context_destroy(gp);
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
    REFUSED(d.scratch = d.keys, GP_ERROR_INVALID_BUFFER, "scratch has");
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

static void test_warmup(void **state)
{
    const by_key_case c = {&test_u32_sum_u64, RUNS_MIXED, 40000, 4, 0, false, false};
    gp_context *gp = test_open(&variants[0], NULL);
    gp_reduce_by_key_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.key_size = 4;
    desc.type = GP_U32;
    desc.out_type = GP_U64;
    desc.op = GP_SUM;
    desc.keys_out = test_buffer(gp, 4, NULL); /* that it is there */
    warm.reduce_by_key = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    assert_int_equal(built, 2);
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    clReleaseMemObject(desc.keys_out);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_elements),
        cmocka_unit_test(test_equal_and_map), cmocka_unit_test(test_counts_and_scratch),
        cmocka_unit_test(test_bad_input),     cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("reduce_by_key", tests, NULL, NULL);
}
