/* test_host_nth_element.c - gp_host_nth_element against a sort in plain C, in chunks of many sizes. */
#include "../support/patterns.h"
#include "host.h"

static gp_context *gp;

enum { RANKS = 64 };

/* Checks ranks of sorted keys: the ends, the middle, and others. */
static void check_keys(gp_type type, const unsigned char *keys, size_t count, size_t rank_count,
                       size_t budget, const char *what)
{
    const size_t size = key_size(type);
    key_entry *e = keys_sorted(type, false, 0, 0, keys, count);
    uint64_t ranks[RANKS];
    void *block;
    unsigned char *out = copy_at(NULL, rank_count * size, 8, &block);
    gp_host_nth_element_desc d = {0};
    told progress = {0};
    size_t r;
    for (r = 0; r < rank_count; r++)
        ranks[r] = r == 0   ? count / 2
                   : r == 1 ? 0
                   : r == 2 ? count - 1
                   : r == 3 ? count / 2
                            : test_random() % count;
    d.keys = keys;
    d.keys_out = out;
    d.count = count;
    d.ranks = ranks;
    d.rank_count = rank_count;
    d.key_type = type;
    d.budget = budget;
    d.progress = tell;
    d.progress_user = &progress;
    assert_gp(gp, gp_host_nth_element(gp, &d));
    for (r = 0; r < rank_count; r++) {
        if (memcmp(out + r * size, keys + e[ranks[r]].index * size, size) != 0)
            fail_msg("%s: type %d, %zu keys, %zu ranks, budget %zu: rank %zu", what, (int)type, count,
                     rank_count, budget, (size_t)ranks[r]);
    }
    if (rank_count) assert_int_equal(progress.last, count);
    assert_around(block, 8, rank_count * size);
    free(block);
    free(e);
}

static void check(gp_type type, key_pattern pattern, size_t count, size_t rank_count, size_t budget)
{
    char what[32];
    unsigned char *keys = keys_make(type, pattern, count);
    (void)snprintf(what, sizeof what, "pattern %d", (int)pattern);
    check_keys(type, keys, count, rank_count, budget, what);
    free(keys);
}

static void test_sizes(void **state)
{
    static const size_t sizes[] = {1, 2, 127, 1021, 30011, 70001}, numbers[] = {1, 3, 9, RANKS, 0};
    static const size_t budgets[] = {40000, 300000, 0};
    unsigned turn = 0;
    size_t s, r, b;
    (void)state;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (r = 0; r < sizeof numbers / sizeof *numbers; r++) {
            for (b = 0; b < 3; b++, turn++) {
                if (test_small() && turn % 4 != 1) continue;
                check(GP_U32, (key_pattern)(turn % KEYS_PATTERNS), sizes[s], numbers[r], budgets[b]);
            }
        }
    }
}

static void test_types(void **state)
{
    size_t t, p;
    (void)state;
    for (t = 0; t < KEY_TYPES; t++) {
        for (p = 0; p < KEYS_PATTERNS; p++) {
            if (test_small() && (t + p) % 4) continue;
            check(key_types[t], (key_pattern)p, 20011, p % 2 ? 5 : 1, 100000);
        }
    }
}

/* Many ranks, so that not all keys near them can be kept; a sample that misleads; one value with half of the keys. */
static void test_passes(void **state)
{
    const size_t count = (test_small() ? 300007 : ((size_t)1 << 20) + 123), budget = 1 << 20;
    uint32_t *keys = malloc(count * 4);
    size_t i;
    (void)state;
    assert_non_null(keys);
    for (i = 0; i < count; i++) keys[i] = test_random();
    check_keys(GP_U32, (unsigned char *)keys, count, RANKS, budget, "many ranks");
    check_keys(GP_F32, (unsigned char *)keys, count, 1, budget, "one rank");
    for (i = 0; i < count; i++) keys[i] = i % 2 ? 7 : test_random();
    check_keys(GP_U32, (unsigned char *)keys, count, 9, budget, "half equal");
    for (i = 0; i < count; i++) keys[i] = UINT32_MAX;
    check_keys(GP_U32, (unsigned char *)keys, count, 9, budget, "all ones");
    check_keys(GP_U64, (unsigned char *)keys, count / 2, 9, budget, "all ones, 64 bits");
    for (i = 0; i < count; i++) keys[i] = (uint32_t)i;
    check_keys(GP_U32, (unsigned char *)keys, count, 9, budget, "in order");
    for (i = 0; i < count; i++) keys[i] = test_random() % 1000;
    check_keys(GP_U32, (unsigned char *)keys, count, RANKS, 0, "below 1000");
    check_keys(GP_U16, (unsigned char *)keys, count, RANKS, budget, "below 1000, 16 bits");
    check_keys(GP_I64, (unsigned char *)keys, count / 2, RANKS, 0, "below 1000, 64 bits");
    { /* where the sample reads, keys are 0 */
        const size_t part = count / 65536;
        uint32_t random = 1;
        for (i = 0; i < count; i++) keys[i] = test_random() | 1;
        for (i = 0; i < 65536; i++) {
            random = random * 1664525u + 1013904223u;
            keys[i * part + (size_t)(((uint64_t)random * part) >> 32)] = 0;
        }
        check_keys(GP_U32, (unsigned char *)keys, count, 1, budget, "misled");
        check_keys(GP_U64, (unsigned char *)keys, count / 2, RANKS, budget, "misled, 64 bits");
    }
    free(keys);
}

static void test_cancel(void **state)
{
    enum { MOST = 30011 };
    static uint32_t keys[MOST], out;
    const uint64_t rank = 5;
    uint64_t n;
    (void)state;
    for (n = 1;; n++) {
        told progress = {.cancel_at = n};
        const gp_host_nth_element_desc d = {.keys = keys,
                                            .keys_out = &out,
                                            .count = MOST,
                                            .ranks = &rank,
                                            .rank_count = 1,
                                            .key_type = GP_U32,
                                            .budget = 60000,
                                            .progress = tell,
                                            .progress_user = &progress};
        const gp_result result = gp_host_nth_element(gp, &d);
        if (progress.calls < n) {
            assert_int_equal(result, GP_OK);
            break;
        }
        assert_int_equal(result, GP_ERROR_CANCELED);
        assert_non_null(strstr(gp_last_error(gp), "gp_host_nth_element: progress canceled"));
    }
    assert_true(n > 4);
}

#define FAILS(change, expected, part)                                     \
    do {                                                                  \
        gp_host_nth_element_desc d = good;                                \
        change;                                                           \
        assert_gp_fails(gp, gp_host_nth_element(gp, &d), expected, part); \
    } while (0)

static void test_refused(void **state)
{
    static uint32_t keys[1000], out[10];
    static const uint64_t ranks[10] = {0, 999}, wrong[2] = {5, 1000};
    const gp_host_nth_element_desc good = {
        .keys = keys, .keys_out = out, .count = 1000, .ranks = ranks, .rank_count = 2, .key_type = GP_U32};
    (void)state;
    assert_gp(gp, gp_host_nth_element(gp, &good));
    FAILS(d.ranks = wrong, GP_ERROR_INVALID_ARGUMENT,
          "gp_host_nth_element: ranks[1] = 1000, and there are 1000");
    FAILS(d.ranks = NULL, GP_ERROR_INVALID_ARGUMENT, "ranks is NULL");
    FAILS(d.rank_count = 65, GP_ERROR_COUNT_LIMIT, "rank_count = 65, at most 64");
    FAILS(d.keys = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_nth_element: keys is NULL");
    FAILS(d.keys_out = NULL, GP_ERROR_INVALID_ARGUMENT, "keys_out is NULL");
    FAILS(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "key_type = 0");
    FAILS(d.keys_out = keys + 999, GP_ERROR_OVERLAP, "keys and keys_out overlap");
    FAILS(d.other_count = 1, GP_ERROR_INVALID_ARGUMENT, "others is NULL");
    FAILS(d.budget = 2000, GP_ERROR_INVALID_ARGUMENT, "budget = 2000");
    assert_gp_fails(gp, gp_host_nth_element(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
}

static int open_context(void **state)
{
    (void)state;
    gp = test_open(&test_shapes[0], NULL);
    return gp ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    gp_context_destroy(gp);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),  cmocka_unit_test(test_types),   cmocka_unit_test(test_passes),
        cmocka_unit_test(test_cancel), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
