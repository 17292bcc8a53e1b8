/* test_search.c - gp_search against a sequential binary search on the host. */
#include "../support/keys.h"

typedef enum search_pattern {
    SEARCH_RANDOM,
    SEARCH_TIES,    /* few different keys */
    SEARCH_EQUAL,   /* one key */
    SEARCH_SPECIAL, /* floats: NaNs of either sign, infinities, zeros; integers: extremes */
    SEARCH_BEFORE,  /* all needles before all keys */
    SEARCH_BEHIND,
    SEARCH_UNSORTED,
    SEARCH_PATTERNS
} search_pattern;

/* A search to check. */
typedef struct search_case {
    gp_type type, out_type;
    size_t count, needle_count;
    search_pattern pattern;
    bool upper, descending;
    size_t offset; /* elements; each buffer's is another one */
} search_case;

typedef struct search_data {
    unsigned char *keys, *needles, *expected;
} search_data;

static size_t out_size(const search_case *c) { return c->out_type == GP_U32 ? 4 : 8; }

/* ------------------------------------------------------------------ input, reference */

static uint64_t make_key(const search_case *c, bool needle)
{
    const unsigned width = 8 * (unsigned)key_size(c->type);
    const uint64_t top = (uint64_t)1 << (width - 2), low = random_64() % top;
    switch (c->pattern) {
    case SEARCH_TIES: return test_random() % 9;
    case SEARCH_EQUAL: return 0x1234567812345678u + (needle ? test_random() % 3 : 1);
    case SEARCH_SPECIAL: return key_special(c->type, test_random() >> 8);
    case SEARCH_BEFORE: return needle != c->descending ? low : low + top;
    case SEARCH_BEHIND: return needle != c->descending ? low + top : low;
    default: return random_64();
    }
}

/* What qsort compares by. */
static const search_case *sorted_by;

static int compare_keys(const void *x, const void *y)
{
    const size_t size = key_size(sorted_by->type);
    const uint64_t a = key_order(sorted_by->type, sorted_by->descending, key_load(x, 0, size));
    const uint64_t b = key_order(sorted_by->type, sorted_by->descending, key_load(y, 0, size));
    return (a > b) - (a < b);
}

static unsigned char *make_keys(const search_case *c, bool needles)
{
    const size_t size = key_size(c->type), count = needles ? c->needle_count : c->count;
    unsigned char *keys = malloc(count * size + 1);
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < count; i++) {
        const uint64_t x = make_key(c, needles);
        memcpy(keys + i * size, &x, size);
    }
    sorted_by = c;
    if (!needles && c->pattern != SEARCH_UNSORTED) qsort(keys, count, size, compare_keys);
    return keys;
}

/* Keys of [0, count) before the needle. */
static uint64_t position(const search_case *c, const unsigned char *keys, uint64_t needle)
{
    const size_t size = key_size(c->type);
    const uint64_t q = key_order(c->type, c->descending, needle);
    size_t low = 0, high = c->count;
    while (low < high) {
        const size_t i = (low + high) / 2;
        const uint64_t x = key_order(c->type, c->descending, key_load(keys, i, size));
        if (x < q || (c->upper && x == q)) low = i + 1;
        else high = i;
    }
    return low;
}

/* The positions for all of c->needle_count needles. */
static void expect(const search_case *c, search_data *data)
{
    size_t i;
    data->expected = malloc(c->needle_count * out_size(c) + 1);
    assert_non_null(data->expected);
    for (i = 0; i < c->needle_count; i++) {
        const uint64_t p = position(c, data->keys, key_load(data->needles, i, key_size(c->type)));
        memcpy(data->expected + i * out_size(c), &p, out_size(c));
    }
}

static search_data make_data(const search_case *c)
{
    search_data data;
    data.keys = make_keys(c, false);
    data.needles = make_keys(c, true);
    expect(c, &data);
    return data;
}

static void free_data(search_data *data)
{
    free(data->keys);
    free(data->needles);
    free(data->expected);
}

/* ------------------------------------------------------------------ check */

static gp_search_desc make_desc(gp_context *gp, const search_case *c, const search_data *data)
{
    const size_t size = key_size(c->type);
    gp_search_desc d = {0};
    d.key_type = c->type;
    d.out_type = c->out_type;
    d.upper = c->upper;
    d.descending = c->descending;
    d.count = c->count;
    d.needle_count = c->needle_count;
    d.keys_offset = c->offset;
    d.needles_offset = 2 * c->offset;
    d.out_offset = 3 * c->offset;
    d.keys = guarded(gp, d.keys_offset, c->count, size, data->keys);
    d.needles = guarded(gp, d.needles_offset, c->needle_count, size, data->needles);
    d.out = guarded(gp, d.out_offset, c->needle_count, out_size(c), NULL);
    return d;
}

static void release(const gp_search_desc *d)
{
    const cl_mem all[] = {d->keys, d->needles, d->out, d->count_buffer, d->needle_count_buffer};
    size_t i;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]) clReleaseMemObject(all[i]);
    }
}

static void fail_case(const char *variant, const search_case *c, const char *what, size_t at)
{
    fail_msg("%s: type %d, %zu keys, %zu needles, pattern %d, upper %d, descending %d, offset %zu: %s %zu",
             variant, (int)c->type, c->count, c->needle_count, (int)c->pattern, c->upper, c->descending,
             c->offset, what, at);
}

/* Unsorted keys: positions are in range. */
static void check_range(gp_context *gp, const char *variant, const search_case *c, const gp_search_desc *d)
{
    const size_t size = out_size(c);
    unsigned char *out = test_read(gp, d->out, (d->out_offset + c->needle_count) * size);
    size_t i;
    for (i = 0; i < c->needle_count; i++) {
        if (key_load(out, d->out_offset + i, size) > c->count) fail_case(variant, c, "beyond the end:", i);
    }
    free(out);
}

static void compare(gp_context *gp, const char *variant, const search_case *c, const gp_search_desc *d,
                    const search_data *data)
{
    size_t at = 0;
    const char *what =
        guarded_difference(gp, d->out, d->out_offset, c->needle_count, out_size(c), data->expected, &at);
    if (c->pattern == SEARCH_UNSORTED) check_range(gp, variant, c, d);
    if (what && (c->pattern != SEARCH_UNSORTED || strcmp(what, "element") != 0))
        fail_case(variant, c, what, at);
}

static void check(gp_context *gp, const char *variant, const search_case *c)
{
    search_data data = make_data(c);
    const gp_search_desc desc = make_desc(gp, c, &data);
    const gp_result result = gp_search(gp, &desc);
    if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ shapes */

/* Of keys, and of needles. */
static const size_t sizes[] = {0,    1,    2,    3,     127,   128,    1023,           1024,
                               1025, 2047, 2049, 16384, 49159, 104729, (1 << 20) + 123};
static const size_t small_sizes[] = {0, 1, 2, 257, 2049};

static void check_sizes(gp_context *gp, const char *name, search_case c, size_t most)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    size_t i;
    for (i = 0; i < n && list[i] <= most; i++) {
        c.count = list[i];
        c.needle_count = test_small() ? 300 : 5003;
        c.upper = i % 2 != 0;
        check(gp, name, &c);
        if (test_small() && i != 3) continue;
        c.needle_count = list[i];
        c.count = 3001;
        check(gp, name, &c);
    }
}

/* Patterns, bounds, orders and offsets. */
static void check_ways(gp_context *gp, const char *name, search_case c)
{
    size_t k, way;
    for (k = 0; k < SEARCH_PATTERNS; k++) {
        for (way = 0; way < 4; way++) {
            c.pattern = (search_pattern)k;
            c.upper = way % 2 != 0;
            c.descending = way / 2 != 0;
            c.offset = way == 1 ? 3 : 0;
            if (!test_small() || way == k % 4) check(gp, name, &c);
        }
    }
}

static void test_every_variant(void **state)
{
    search_case c = {GP_U32, GP_U32, 0, 0, SEARCH_RANDOM, false, false, 0};
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        check_sizes(gp, test_shapes[v].name, c, v ? 50000 : SIZE_MAX);
        c.count = test_small() ? 2500 : 30011;
        c.needle_count = test_small() ? 200 : 9001;
        check_ways(gp, test_shapes[v].name, c);
        gp_context_destroy(gp);
    }
}

static void test_types(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t t;
    (void)state;
    for (t = 0; t < KEY_TYPES; t++) {
        const search_case c = {key_types[t],
                               t % 2 ? GP_U64 : GP_TYPE_NONE,
                               test_small() ? 900 : 5003,
                               test_small() ? 100u : 2000u,
                               SEARCH_RANDOM,
                               false,
                               false,
                               0};
        check_ways(gp, "types", c);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ counts, bad input */

/* Both numbers are on the device: less than the bounds, and more, which is clamped. */
static void test_count_on_device(void **state)
{
    static const uint64_t counts[][2] = {{0, 0}, {0, 70}, {1, 0}, {999, 1}, {300, 4000}, {4000, 5000}};
    const search_case whole = {GP_U32, GP_U32, 3500, 3500, SEARCH_RANDOM, false, false, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
        search_data data = make_data(&whole), part = data;
        gp_search_desc desc = make_desc(gp, &whole, &data);
        const uint32_t needles = (uint32_t)counts[k][0];
        search_case c = whole;
        c.needle_count = needles < 3500 ? needles : 3500;
        c.count = counts[k][1] < 3500 ? (size_t)counts[k][1] : 3500;
        expect(&c, &part);
        desc.needle_count_buffer = test_buffer(gp, 4, &needles);
        desc.needle_count_type = GP_U32;
        desc.count_buffer = test_buffer(gp, 16, counts[k]);
        desc.count_offset = 1;
        desc.count_type = GP_U64;
        assert_gp(gp, gp_search(gp, &desc));
        compare(gp, "counts", &c, &desc, &part);
        free(part.expected);
        release(&desc);
        free_data(&data);
    }
    assert_int_equal(test_profile_of(gp).clamped, 3);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    const search_case c = {GP_U32, GP_U32, 500, 300, SEARCH_RANDOM, false, false, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    search_data data = make_data(&c);
    const gp_search_desc good = make_desc(gp, &c, &data);
    gp_search_desc d;
    (void)state;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_search(gp, &d), result, text)
    REFUSED(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_search: key_type is not set");
    REFUSED(d.key_type = (gp_type)99, GP_ERROR_INVALID_TYPE, "key_type = 99");
    REFUSED(d.out_type = GP_F32, GP_ERROR_INVALID_TYPE, "out_type = 9");
    REFUSED(d.count = (size_t)1 << 32, GP_ERROR_COUNT_LIMIT, "count = 4294967296");
    REFUSED(d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.count = 600, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(d.needle_count = SIZE_MAX, GP_ERROR_INVALID_BUFFER, "needles has");
    REFUSED(d.out_offset = 17, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED(d.out_type = GP_U64, GP_ERROR_INVALID_BUFFER, "out has");
    REFUSED(d.needles = d.out, GP_ERROR_OVERLAP, "needles");
    REFUSED((d.keys = d.out, d.count = 10), GP_ERROR_OVERLAP, "keys");
    REFUSED((d.count_buffer = d.keys, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type = 9");
    REFUSED((d.needle_count_buffer = d.keys, d.needle_count_type = GP_I32), GP_ERROR_INVALID_TYPE,
            "needle_count_type = 5");
    REFUSED((d.needle_count_buffer = d.out, d.needle_count_type = GP_U32), GP_ERROR_OVERLAP,
            "needle_count_buffer");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_search(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_search(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    release(&good);
    free_data(&data);
    gp_context_destroy(gp);
}

/* No keys: NULL will do, and every needle is at 0. No needles: no error, and `done` comes all the same. Keys
   that are their own needles. */
static void test_empty_and_same(void **state)
{
    search_case c = {GP_I16, GP_U64, 0, 300, SEARCH_RANDOM, true, false, 2};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    search_data data = make_data(&c);
    gp_search_desc desc = make_desc(gp, &c, &data), none = {0};
    cl_event done = NULL;
    (void)state;
    clReleaseMemObject(desc.keys);
    desc.keys = NULL;
    desc.done = &done;
    assert_gp(gp, gp_search(gp, &desc));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    compare(gp, "empty", &c, &desc, &data);
    clReleaseEvent(done);
    none.key_type = GP_I16;
    none.done = &done;
    assert_gp(gp, gp_search(gp, &none));
    assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
    clReleaseEvent(done);
    sorted_by = &c;
    qsort(data.needles, 300, 2, compare_keys);
    data.keys = (free(data.keys), data.needles);
    free(data.expected);
    c.count = 300;
    expect(&c, &data);
    desc.keys = guarded(gp, 4, 300, 2, data.needles);
    clReleaseMemObject(desc.needles);
    desc.needles = desc.keys;
    desc.keys_offset = desc.needles_offset = 4;
    desc.count = 300;
    desc.done = NULL;
    assert_gp(gp, gp_search(gp, &desc));
    compare(gp, "same", &c, &desc, &data);
    desc.needles = NULL;
    data.needles = NULL;
    release(&desc);
    free_data(&data);
    gp_context_destroy(gp);
}

/* Random sizes in a row. */
static void test_many(void **state)
{
    const size_t most = 5000, rounds = test_small() ? 10 : 500;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t i;
    (void)state;
    for (i = 0; i < rounds; i++) {
        const search_case c = {GP_U32,
                               GP_U32,
                               test_random() % most,
                               test_random() % (test_small() ? 300 : most),
                               (search_pattern)(i % SEARCH_PATTERNS),
                               i % 2 == 0,
                               i % 3 == 0,
                               i % 5};
        check(gp, "many", &c);
    }
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const search_case c = {GP_F32, GP_TYPE_NONE, 1000, 200, SEARCH_SPECIAL, true, false, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_search_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.key_type = GP_F32;
    warm.search = &desc;
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
        cmocka_unit_test(test_every_variant),   cmocka_unit_test(test_types),
        cmocka_unit_test(test_count_on_device), cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_empty_and_same),  cmocka_unit_test(test_many),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
