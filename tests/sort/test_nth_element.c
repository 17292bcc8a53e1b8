/* test_nth_element.c - gp_nth_element against a sort on the host. */
#include "../support/patterns.h"

typedef struct nth_case {
    gp_type type;
    size_t count, ranks;
    key_pattern pattern;
    size_t offset;  /* of keys and keys_out, elements */
    size_t counted; /* the number in count_buffer; SIZE_MAX: there is none */
} nth_case;

enum { RANKS = 64 };

/* Ranks in any order, some more than once: the extremes, and others at random. */
static void make_ranks(uint64_t *ranks, size_t n, size_t count)
{
    size_t r;
    for (r = 0; r < n; r++) ranks[r] = random_64() % count;
    if (n > 1) ranks[n / 2] = 0;
    if (n > 2) ranks[n - 1] = count - 1;
    if (n > 3) ranks[1] = ranks[0];
    if (n > 4) ranks[2] = (count - 1) / 2;
}

static void check_keys(gp_context *gp, const char *variant, const nth_case *c, const unsigned char *keys)
{
    const size_t size = key_size(c->type), n = c->counted < c->count ? c->counted : c->count;
    const uint64_t counted = c->counted;
    unsigned char *expected = malloc(c->ranks * size + 1);
    key_entry *e = keys_sorted(c->type, false, 0, 0, keys, n);
    uint64_t ranks[RANKS];
    gp_nth_element_desc d = {0};
    const char *what;
    size_t r, at = 0;
    make_ranks(ranks, c->ranks, c->count);
    for (r = 0; r < c->ranks; r++) {
        if (ranks[r] < n) memcpy(expected + r * size, keys + e[ranks[r]].index * size, size);
        else memset(expected + r * size, TEST_POISON, size);
    }
    d.keys = guarded(gp, c->offset, c->count, size, keys);
    d.keys_offset = c->offset;
    d.count = c->count;
    if (c->counted != SIZE_MAX) {
        d.count_buffer = test_buffer(gp, sizeof counted, &counted);
        d.count_type = GP_U64;
    }
    d.ranks = ranks;
    d.rank_count = c->ranks;
    d.keys_out_offset = c->offset ? c->offset + 3 : 0;
    d.keys_out = guarded(gp, d.keys_out_offset, c->ranks, size, NULL);
    d.key_type = c->type;
    if (gp_nth_element(gp, &d) != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
    memset(ranks, 0xff, sizeof ranks); /* they are read during the call */
    what = guarded_difference(gp, d.keys_out, d.keys_out_offset, c->ranks, size, expected, &at);
    if (what) {
        fail_msg("%s: type %d, count %zu, ranks %zu, pattern %d, offset %zu, counted %zu: %s, rank %zu",
                 variant, (int)c->type, c->count, c->ranks, (int)c->pattern, c->offset, c->counted, what, at);
    }
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.keys_out);
    if (d.count_buffer) clReleaseMemObject(d.count_buffer);
    free(e);
    free(expected);
}

static void check(gp_context *gp, const char *variant, const nth_case *c)
{
    unsigned char *keys = keys_make(c->type, c->pattern, c->count);
    check_keys(gp, variant, c, keys);
    free(keys);
}

/* ------------------------------------------------------------------ tests */

/* Around tiles, samples and the counts that need one, two and three levels. */
static void test_sizes(void **state)
{
    static const size_t sizes[] = {
        1, 2, 255, 1023, 4095, 4096, 4097, 16385, 32767, 32768, 32769, 104729, ((size_t)1 << 20) + 123};
    static const size_t numbers[] = {1, 2, 9, 16, 17, RANKS};
    const size_t all = test_small() ? 7 : sizeof sizes / sizeof *sizes;
    size_t v, s, r;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (s = 0; s < all && gp; s++) {
            for (r = 0; r < 6; r++) {
                nth_case c = {GP_U32, sizes[s], numbers[r], KEYS_RANDOM, 0, SIZE_MAX};
                if (test_small() && (s + r) % 4) continue;
                c.pattern = (key_pattern)((s + r) % KEYS_PATTERNS);
                c.offset = (s + r) % 2 ? 5 : 0;
                check(gp, test_shapes[v].name, &c);
            }
        }
        if (gp) gp_context_destroy(gp);
    }
}

static void test_types(void **state)
{
    size_t v, t, p;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (t = 0; t < KEY_TYPES && gp; t++) {
            for (p = 0; p < KEYS_PATTERNS; p++) {
                const nth_case c = {key_types[t],   test_small() ? 2003 : 70001,
                                    p % 2 ? 3 : 20, (key_pattern)p,
                                    p % 3,          SIZE_MAX};
                if (test_small() && (t + p) % 5) continue;
                check(gp, test_shapes[v].name, &c);
            }
        }
        if (gp) gp_context_destroy(gp);
    }
}

static void test_counts_on_the_device(void **state)
{
    static const size_t counted[] = {0, 1, 777, 40000, 100003, 100004};
    size_t v, i;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        for (i = 0; i < 6 && gp; i++) {
            const nth_case c = {GP_F32, test_small() ? 2003 : 100003, 9, KEYS_RANDOM, i % 2, counted[i]};
            check(gp, test_shapes[v].name, &c);
        }
        if (gp) gp_context_destroy(gp);
    }
}

/* Half of the keys are one value, so that an interval beside it has too many keys, which are read again. */
static void test_frequent(void **state)
{
    const size_t count = test_small() ? 5003 : 200003;
    size_t v, i;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        nth_case c = {GP_U32, count, 1, KEYS_RANDOM, 0, SIZE_MAX};
        uint32_t *keys = malloc(count * sizeof *keys);
        for (i = 0; i < count; i++) keys[i] = i % 2 ? 7 : (uint32_t)random_64() | 8;
        for (c.ranks = 1; c.ranks < 40 && gp; c.ranks += 19)
            check_keys(gp, "frequent", &c, (unsigned char *)keys);
        if (gp) {
            const uint64_t rank = count / 2 - 1; /* the last of the frequent ones */
            uint32_t *out;
            gp_nth_element_desc d = {0};
            d.keys = test_buffer(gp, count * sizeof *keys, keys);
            d.keys_out = test_buffer(gp, sizeof *out, NULL);
            d.count = count;
            d.ranks = &rank;
            d.rank_count = 1;
            d.key_type = GP_U32;
            assert_int_equal(gp_nth_element(gp, &d), GP_OK);
            out = test_read(gp, d.keys_out, sizeof *out);
            assert_int_equal(*out, 7);
            free(out);
            clReleaseMemObject(d.keys);
            clReleaseMemObject(d.keys_out);
            gp_context_destroy(gp);
        }
        free(keys);
    }
}

/* The first level's intervals are wrong, so all keys are read again. */
static void test_misses(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], "-DGPI_FAULT=1");
        nth_case c = {GP_I32, 100003, 9, KEYS_RANDOM, 0, SIZE_MAX};
        gp_stats stats;
        if (!gp) continue;
        if (!test_small()) {
            check(gp, "misses", &c);
            assert_int_equal(gp_stats_read(gp, &stats), GP_OK);
            assert_true(stats.fallbacks == 1);
        }
        gp_context_destroy(gp);
    }
}

/* Keys in order, of which those that are kept are from one part of the array: the sample must not prefer some of them. And equal keys,
   also at the first and the last rank. */
static void test_in_order(void **state)
{
    const size_t count = (size_t)1 << 21;
    const uint64_t ranks[] = {count / 2, 0, count - count / 5, count - 1};
    gp_context *gp;
    uint32_t *keys = malloc(count * sizeof *keys), *out;
    size_t i, how;
    (void)state;
    for (how = 0; how < 3 && !test_small(); how++) {
        gp_nth_element_desc d = {0};
        gp = test_open(&test_shapes[0], NULL);
        if (!gp) break;
        for (i = 0; i < count; i++) keys[i] = (uint32_t)(how == 0 ? i : how == 1 ? count - 1 - i : 7);
        d.keys = test_buffer(gp, count * sizeof *keys, keys);
        d.keys_out = test_buffer(gp, sizeof ranks, NULL);
        d.count = count;
        d.ranks = ranks;
        d.key_type = GP_U32;
        for (d.rank_count = 1; d.rank_count <= 4; d.rank_count += 3) {
            assert_gp(gp, gp_nth_element(gp, &d));
            out = test_read(gp, d.keys_out, sizeof *out * d.rank_count);
            for (i = 0; i < d.rank_count; i++) assert_int_equal(out[i], how < 2 ? ranks[i] : 7);
            free(out);
        }
        assert_int_equal(test_profile_of(gp).fallbacks, 0);
        clReleaseMemObject(d.keys);
        clReleaseMemObject(d.keys_out);
        gp_context_destroy(gp);
    }
    free(keys);
}

static void test_nothing(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_nth_element_desc d = {0};
    size_t bytes = 1;
    (void)state;
    d.key_type = GP_F64;
    assert_int_equal(gp_nth_element(gp, &d), GP_OK);
    assert_int_equal(gp_nth_element_scratch_size(gp, &d, &bytes), GP_OK);
    assert_int_equal(bytes, 0);
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    const uint64_t ranks[2] = {99, 0};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_nth_element_desc good = {0}, d;
    size_t bytes;
    (void)state;
    good.keys = test_buffer(gp, 400, NULL);
    good.keys_out = test_buffer(gp, 8, NULL);
    good.count = 100;
    good.ranks = ranks;
    good.rank_count = 2;
    good.key_type = GP_U32;
    assert_gp(gp, gp_nth_element(gp, &good));
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_nth_element(gp, &d), result, text)
    REFUSED(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_nth_element: key_type is not set");
    REFUSED(d.ranks = NULL, GP_ERROR_INVALID_ARGUMENT, "ranks is NULL, and rank_count is not 0");
    REFUSED(d.rank_count = 65, GP_ERROR_COUNT_LIMIT, "rank_count = 65, at most 64");
    REFUSED(d.count = 99, GP_ERROR_INVALID_ARGUMENT, "ranks[0] = 99 is not below count = 99");
    REFUSED(d.count = (size_t)1 << 32, GP_ERROR_COUNT_LIMIT, "count = 4294967296, at most 2^32 - 1");
    REFUSED(d.count = 101, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED(d.keys_out = NULL, GP_ERROR_INVALID_BUFFER, "keys_out is NULL");
    REFUSED(d.keys_out_offset = 1, GP_ERROR_INVALID_BUFFER, "keys_out has");
    REFUSED(d.keys_out = d.keys, GP_ERROR_OVERLAP, "keys is bytes [0, 400) and keys_out");
    REFUSED(d.scratch = d.keys_out, GP_ERROR_INVALID_BUFFER, "scratch has");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    d = good;
    d.keys = d.keys_out = NULL;
    assert_gp(gp, gp_nth_element_scratch_size(gp, &d, &bytes));
    assert_true(bytes > 0);
    d = good;
    d.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_nth_element(gp, &d));
    clReleaseMemObject(d.scratch);
    clReleaseMemObject(good.keys);
    clReleaseMemObject(good.keys_out);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    const nth_case c = {GP_F32, 300000, 9, KEYS_RANDOM, 0, SIZE_MAX};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_nth_element_desc desc = {0};
    gp_warmup_desc warm = {0};
    (void)state;
    desc.key_type = GP_F32;
    warm.nth_element = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, 1);
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, 1);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_types),     cmocka_unit_test(test_counts_on_the_device),
        cmocka_unit_test(test_frequent),  cmocka_unit_test(test_misses),
        cmocka_unit_test(test_bad_input), cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
