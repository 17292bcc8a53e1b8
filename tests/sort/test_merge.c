/* test_merge.c - gp_merge against a sequential merge on the host. */
#include "../support/keys.h"

typedef enum merge_pattern {
    MERGE_RANDOM,
    MERGE_TIES,    /* few different keys */
    MERGE_EQUAL,   /* one key */
    MERGE_SPECIAL, /* floats: NaNs of either sign, infinities, zeros; integers: extremes */
    MERGE_A_FIRST, /* all of a before all of b */
    MERGE_B_FIRST,
    MERGE_RUNS, /* long runs from one, then from the other */
    MERGE_UNSORTED,
    MERGE_PATTERNS
} merge_pattern;

/* A merge to check. */
typedef struct merge_case {
    gp_type type;
    size_t value_size;
    size_t a_count, b_count;
    merge_pattern pattern;
    bool descending;
    size_t offset; /* elements; each buffer's is another one */
} merge_case;

/* Input and what is expected of it. */
typedef struct merge_data {
    unsigned char *keys[2], *values[2]; /* of a and b */
    unsigned char *keys_out, *values_out;
} merge_data;

/* ------------------------------------------------------------------ input, reference */

static uint64_t make_key(const merge_case *c, int side, size_t i)
{
    const uint64_t top = (uint64_t)1 << (8 * key_size(c->type) - 2);
    switch (c->pattern) {
    case MERGE_TIES: return test_random() % 5;
    case MERGE_EQUAL: return 0x1234567812345678u;
    case MERGE_SPECIAL: return key_special(c->type, test_random() >> 8);
    case MERGE_A_FIRST: return random_64() % top + (side ? top : 0);
    case MERGE_B_FIRST: return random_64() % top + (side ? 0 : top);
    case MERGE_RUNS: return i / 1500 * 2 + (uint64_t)side;
    default: return random_64();
    }
}

/* What qsort compares by. */
static gp_type sorted_type;
static bool sorted_descending;

static int compare_keys(const void *x, const void *y)
{
    const size_t size = key_size(sorted_type);
    const uint64_t a = key_order(sorted_type, sorted_descending, key_load(x, 0, size));
    const uint64_t b = key_order(sorted_type, sorted_descending, key_load(y, 0, size));
    return (a > b) - (a < b);
}

static unsigned char *make_keys(const merge_case *c, int side, size_t count)
{
    const size_t size = key_size(c->type);
    unsigned char *keys = malloc(count * size + 1);
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < count; i++) {
        const uint64_t x = make_key(c, side, i);
        memcpy(keys + i * size, &x, size);
    }
    sorted_type = c->type;
    sorted_descending = c->descending;
    if (c->pattern != MERGE_UNSORTED) qsort(keys, count, size, compare_keys);
    return keys;
}

/* Value i: its index and its side, as far as they fit. */
static unsigned char *make_values(const merge_case *c, int side, size_t count)
{
    unsigned char *values = malloc(count * c->value_size + 1);
    size_t i;
    assert_non_null(values);
    for (i = 0; i < count; i++) {
        const uint64_t x[2] = {i * 2 + (size_t)side, ~(uint64_t)i};
        memcpy(values + i * c->value_size, x, c->value_size);
    }
    return values;
}

static void expect(const merge_case *c, merge_data *data)
{
    const size_t size = key_size(c->type), v = c->value_size, n = c->a_count + c->b_count;
    size_t i = 0, j = 0, k;
    data->keys_out = malloc(n * size + 1);
    data->values_out = malloc(n * v + 1);
    assert_non_null(data->keys_out);
    assert_non_null(data->values_out);
    for (k = 0; k < n; k++) {
        const bool first =
            j == c->b_count ||
            (i < c->a_count && key_order(c->type, c->descending, key_load(data->keys[0], i, size)) <=
                                   key_order(c->type, c->descending, key_load(data->keys[1], j, size)));
        const size_t from = first ? i++ : j++;
        memcpy(data->keys_out + k * size, data->keys[!first] + from * size, size);
        memcpy(data->values_out + k * v, data->values[!first] + from * v, v);
    }
}

static merge_data make_data(const merge_case *c)
{
    merge_data data;
    int side;
    for (side = 0; side < 2; side++) {
        const size_t count = side ? c->b_count : c->a_count;
        data.keys[side] = make_keys(c, side, count);
        data.values[side] = make_values(c, side, count);
    }
    expect(c, &data);
    return data;
}

static void free_data(merge_data *data)
{
    int side;
    for (side = 0; side < 2; side++) {
        free(data->keys[side]);
        free(data->values[side]);
    }
    free(data->keys_out);
    free(data->values_out);
}

/* ------------------------------------------------------------------ check */

static gp_merge_desc make_desc(gp_context *gp, const merge_case *c, const merge_data *data)
{
    const size_t n = c->a_count + c->b_count, size = key_size(c->type), v = c->value_size, o = c->offset;
    gp_merge_desc d = {0};
    d.key_type = c->type;
    d.value_size = v;
    d.descending = c->descending;
    d.a_count = c->a_count;
    d.b_count = c->b_count;
    d.a_keys_offset = o;
    d.b_keys_offset = 2 * o;
    d.keys_out_offset = 3 * o;
    d.a_values_offset = 4 * o;
    d.b_values_offset = 5 * o;
    d.values_out_offset = 6 * o;
    d.a_keys = guarded(gp, d.a_keys_offset, c->a_count, size, data->keys[0]);
    d.b_keys = guarded(gp, d.b_keys_offset, c->b_count, size, data->keys[1]);
    d.keys_out = guarded(gp, d.keys_out_offset, n, size, NULL);
    if (!v) return d;
    d.a_values = guarded(gp, d.a_values_offset, c->a_count, v, data->values[0]);
    d.b_values = guarded(gp, d.b_values_offset, c->b_count, v, data->values[1]);
    d.values_out = guarded(gp, d.values_out_offset, n, v, NULL);
    return d;
}

static void release(const gp_merge_desc *d)
{
    const cl_mem all[] = {d->a_keys,   d->b_keys,     d->keys_out,       d->a_values,
                          d->b_values, d->values_out, d->a_count_buffer, d->b_count_buffer};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static void compare(gp_context *gp, const char *variant, const merge_case *c, const char *name, cl_mem buffer,
                    size_t offset, size_t count, size_t size, const void *expected)
{
    size_t at = 0;
    const char *what = guarded_difference(gp, buffer, offset, count, size, expected, &at);
    if (what && (c->pattern != MERGE_UNSORTED || strcmp(what, "element") != 0))
        fail_msg("%s: type %d, values of %zu, %zu and %zu, pattern %d, descending %d, offset %zu: %s: %s %zu",
                 variant, (int)c->type, c->value_size, c->a_count, c->b_count, (int)c->pattern, c->descending,
                 c->offset, name, what, at);
}

static void compare_all(gp_context *gp, const char *variant, const merge_case *c, const gp_merge_desc *d,
                        const merge_data *data)
{
    const size_t n = c->a_count + c->b_count, size = key_size(c->type), v = c->value_size;
    compare(gp, variant, c, "keys_out", d->keys_out, d->keys_out_offset, n, size, data->keys_out);
    compare(gp, variant, c, "a_keys", d->a_keys, d->a_keys_offset, c->a_count, size, data->keys[0]);
    compare(gp, variant, c, "b_keys", d->b_keys, d->b_keys_offset, c->b_count, size, data->keys[1]);
    if (v) compare(gp, variant, c, "values_out", d->values_out, d->values_out_offset, n, v, data->values_out);
}

static void check(gp_context *gp, const char *variant, const merge_case *c)
{
    merge_data data = make_data(c);
    const gp_merge_desc desc = make_desc(gp, c, &data);
    const gp_result result = gp_merge(gp, &desc);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    compare_all(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ shapes */

static const size_t sizes[] = {1,    2,    127,  128,  129,   1023,  1024,   1025,
                               2047, 2048, 2049, 4097, 16384, 49159, 104729, (1 << 20) + 123};
static const size_t small_sizes[] = {1, 257, 2049};

/* `n` elements, split in several ways. */
static void check_splits(gp_context *gp, const char *name, merge_case c, size_t n)
{
    const size_t parts[] = {n / 2, 0, n, 1, n / 7, n - n / 5};
    size_t k;
    for (k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (n > 200000 && k > 0) break;
        c.a_count = parts[k];
        c.b_count = n - parts[k];
        check(gp, name, &c);
    }
}

static void check_sizes(gp_context *gp, const char *name, merge_case c, size_t most)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    size_t i;
    for (i = 0; i < n && list[i] <= most; i++) check_splits(gp, name, c, list[i]);
}

/* Patterns, orders and offsets, at sizes that take several tiles. */
static void check_ways(gp_context *gp, const char *name, merge_case c, size_t n)
{
    size_t k;
    for (k = 0; k < MERGE_PATTERNS; k++) {
        c.pattern = (merge_pattern)k;
        c.a_count = n / 3 + k * 11;
        c.b_count = n - n / 3;
        c.descending = k % 2 != 0;
        check(gp, name, &c);
        if (test_small()) continue;
        c.descending = !c.descending;
        c.offset = c.offset ? 0 : 5;
        check(gp, name, &c);
    }
}

static void test_every_variant(void **state)
{
    const merge_case c = {GP_U32, 4, 0, 0, MERGE_RANDOM, false, 0};
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        check_sizes(gp, test_shapes[v].name, c, v ? 50000 : SIZE_MAX);
        check_ways(gp, test_shapes[v].name, c, test_small() ? 2049 : 20011);
        gp_context_destroy(gp);
    }
}

/* Types and value sizes on the device's default: all where builds are cheap, else a diagonal. */
static void test_types(void **state)
{
    static const size_t value_sizes[] = {0, 1, 2, 4, 8, 16};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    const bool all = test_builds_are_cheap(gp) && !test_small();
    size_t t, v;
    (void)state;
    for (t = 0; t < KEY_TYPES; t++) {
        for (v = 0; v < 6; v++) {
            /* types of one size share programs, but for floats */
            static const size_t diagonal[] = {1, 1, 2, 2, 0, 0, 4, 4, 0, 5, 2};
            const merge_case c = {key_types[t], value_sizes[v], 0, 0, MERGE_RANDOM, false, 3};
            if (!all && v != diagonal[t]) continue;
            if (!test_small()) check_sizes(gp, "types", c, 2049);
            check_ways(gp, "types", c, test_small() ? 700 : 9001);
        }
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ counts, bad input */

/* The numbers of elements are on the device: less than the bounds, and more, which is clamped. */
static void test_count_on_device(void **state)
{
    static const uint64_t counts[][2] = {{0, 0}, {0, 700}, {1, 0}, {999, 1}, {300, 3000}, {4000, 5000}};
    const size_t bound = test_small() ? 500 : 3500;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        const merge_case whole = {GP_U32, 4, bound, bound, MERGE_TIES, false, 0};
        merge_case c = whole;
        merge_data data = make_data(&whole), part = data;
        gp_merge_desc desc = make_desc(gp, &whole, &data);
        const uint32_t a = (uint32_t)counts[k][0];
        c.a_count = a < bound ? a : bound;
        c.b_count = counts[k][1] < bound ? (size_t)counts[k][1] : bound;
        expect(&c, &part);
        desc.a_count_buffer = test_buffer(gp, 4, &a);
        desc.a_count_type = GP_U32;
        desc.b_count_buffer = test_buffer(gp, 16, counts[k]);
        desc.b_count_offset = 1;
        desc.b_count_type = GP_U64;
        assert_gp(gp, gp_merge(gp, &desc));
        compare(gp, "counts", &c, "keys_out", desc.keys_out, 0, c.a_count + c.b_count, 4, part.keys_out);
        compare(gp, "counts", &c, "values_out", desc.values_out, 0, c.a_count + c.b_count, 4,
                part.values_out);
        free(part.keys_out);
        free(part.values_out);
        release(&desc);
        free_data(&data);
    }
    assert_int_equal(test_profile_of(gp).clamped, test_small() ? 5 : 2);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    const merge_case c = {GP_U32, 4, 500, 300, MERGE_RANDOM, false, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    merge_data data = make_data(&c);
    const gp_merge_desc good = make_desc(gp, &c, &data);
    gp_merge_desc d;
    (void)state;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_merge(gp, &d), result, text)
    REFUSED(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_merge: key_type is not set");
    REFUSED(d.key_type = (gp_type)99, GP_ERROR_INVALID_TYPE, "key_type = 99");
    REFUSED(d.value_size = 3, GP_ERROR_INVALID_ARGUMENT, "value_size = 3");
    REFUSED(d.value_size = 32, GP_ERROR_INVALID_ARGUMENT, "value_size = 32");
    REFUSED(d.value_size = 0, GP_ERROR_INVALID_ARGUMENT, "value_size is 0");
    REFUSED(d.a_keys = NULL, GP_ERROR_INVALID_BUFFER, "a_keys is NULL");
    REFUSED(d.b_keys = NULL, GP_ERROR_INVALID_BUFFER, "b_keys is NULL");
    REFUSED(d.a_values = NULL, GP_ERROR_INVALID_BUFFER, "a_values is NULL");
    REFUSED(d.b_values = NULL, GP_ERROR_INVALID_BUFFER, "b_values is NULL");
    REFUSED(d.keys_out = NULL, GP_ERROR_INVALID_BUFFER, "keys_out is NULL");
    REFUSED(d.values_out = NULL, GP_ERROR_INVALID_BUFFER, "values_out is NULL");
    REFUSED(d.a_count = 600, GP_ERROR_INVALID_BUFFER, "a_keys has");
    REFUSED(d.b_count = SIZE_MAX, GP_ERROR_INVALID_BUFFER, "b_keys has");
    REFUSED(d.keys_out_offset = 17, GP_ERROR_INVALID_BUFFER, "keys_out has");
    REFUSED((d.a_keys = d.keys_out, d.a_keys_offset = 100), GP_ERROR_OVERLAP, "a_keys");
    REFUSED(d.b_values = d.values_out, GP_ERROR_OVERLAP, "b_values");
    REFUSED(d.values_out = d.keys_out, GP_ERROR_OVERLAP, "values_out");
    REFUSED((d.a_count_buffer = d.a_keys, d.a_count_type = GP_F32), GP_ERROR_INVALID_TYPE, "a_count_type");
    REFUSED((d.b_count_buffer = d.a_keys, d.b_count_type = GP_I32), GP_ERROR_INVALID_TYPE,
            "b_count_type = 5");
    REFUSED((d.b_count_buffer = d.keys_out, d.b_count_type = GP_U32), GP_ERROR_OVERLAP, "b_count_buffer");
    REFUSED((d.a_count_buffer = d.a_keys, d.a_count_type = GP_U32, d.a_count_offset = 5000),
            GP_ERROR_INVALID_BUFFER, "a_count_buffer has");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_merge(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_merge(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    compare(gp, "untouched", &c, "a_keys", good.a_keys, 0, c.a_count, 4, data.keys[0]);
    release(&good);
    free_data(&data);
    gp_context_destroy(gp);
}

/* Empty inputs may be NULL; nothing to merge is no error, and `done` comes all the same. */
static void test_empty(void **state)
{
    const merge_case c = {GP_I16, 2, 300, 0, MERGE_RANDOM, false, 2};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    merge_data data = make_data(&c);
    gp_merge_desc desc = make_desc(gp, &c, &data), none = {0};
    cl_event done = NULL;
    (void)state;
    clReleaseMemObject(desc.b_keys);
    clReleaseMemObject(desc.b_values);
    desc.b_keys = desc.b_values = NULL;
    desc.done = &done;
    assert_gp(gp, gp_merge(gp, &desc));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    compare(gp, "empty", &c, "keys_out", desc.keys_out, desc.keys_out_offset, 300, 2, data.keys_out);
    compare(gp, "empty", &c, "values_out", desc.values_out, desc.values_out_offset, 300, 2, data.values_out);
    clReleaseEvent(done);
    none.key_type = GP_I16;
    none.value_size = 2;
    none.done = &done;
    none.wait = NULL;
    assert_gp(gp, gp_merge(gp, &none));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    release(&desc);
    free_data(&data);
    gp_context_destroy(gp);
}

/* Random sizes, patterns and splits in a row. */
static void test_many(void **state)
{
    const size_t most = 5000, rounds = test_small() ? 10 : 500;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t i;
    (void)state;
    for (i = 0; i < rounds; i++) {
        const merge_case c = {
            GP_U32,     4,    test_random() % most, test_random() % most, (merge_pattern)(i % MERGE_PATTERNS),
            i % 3 == 0, i % 7};
        check(gp, "many", &c);
    }
    gp_context_destroy(gp);
}

/* Both inputs are the same elements of one buffer. */
static void test_same_input_twice(void **state)
{
    const merge_case c = {GP_U32, 0, 3000, 3000, MERGE_SPECIAL, false, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    merge_data data = make_data(&c);
    gp_merge_desc desc = make_desc(gp, &c, &data);
    (void)state;
    memcpy(data.keys[1], data.keys[0], 3000 * 4);
    free(data.keys_out);
    free(data.values_out);
    expect(&c, &data);
    clReleaseMemObject(desc.b_keys);
    desc.b_keys = desc.a_keys;
    assert_gp(gp, gp_merge(gp, &desc));
    compare(gp, "twice", &c, "keys_out", desc.keys_out, 0, 6000, 4, data.keys_out);
    desc.b_keys = NULL;
    release(&desc);
    free_data(&data);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const merge_case c = {GP_F32, 4, 1000, 2000, MERGE_SPECIAL, true, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_merge_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.key_type = GP_F32;
    desc.value_size = 4;
    warm.merge = &desc;
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
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_same_input_twice),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("merge", tests, NULL, NULL);
}
