/* test_host_topk.c - gp_host_topk against the first k of a stable sort in plain C, in chunks of many sizes. */
#include "../support/patterns.h"
#include "host.h"

static gp_context *gp;

enum { MOST = 30011 };

typedef struct topk_case {
    gp_type type;
    size_t count, k, budget;
    key_pattern pattern;
    bool smallest, wide, no_keys, no_indices;
} topk_case;

static void check(const topk_case *c)
{
    const size_t size = key_size(c->type), index_size = c->wide ? 8 : 4;
    unsigned char *keys = keys_make(c->type, c->pattern, c->count);
    key_entry *e = keys_sorted(c->type, !c->smallest, 0, 0, keys, c->count);
    void *key_block, *index_block;
    unsigned char *keys_out = copy_at(NULL, c->k * size, 8, &key_block);
    unsigned char *indices = copy_at(NULL, c->k * index_size, 8, &index_block);
    gp_host_topk_desc d = {0};
    told progress = {0};
    size_t j;
    d.keys = keys;
    d.keys_out = c->no_keys ? NULL : keys_out;
    d.indices_out = c->no_indices ? NULL : indices;
    d.count = c->count;
    d.k = c->k;
    d.key_type = c->type;
    d.index_type = c->wide ? GP_U64 : GP_TYPE_NONE;
    d.smallest = c->smallest;
    d.budget = c->budget;
    d.progress = tell;
    d.progress_user = &progress;
    assert_gp(gp, gp_host_topk(gp, &d));
    for (j = 0; j < c->k; j++) {
        uint64_t index = 0;
        memcpy(&index, indices + j * index_size, index_size);
        if ((!c->no_indices && index != e[j].index) ||
            (!c->no_keys && memcmp(keys_out + j * size, keys + e[j].index * size, size) != 0))
            fail_msg("type %d, %zu keys, k %zu, budget %zu, pattern %d: result %zu", (int)c->type, c->count,
                     c->k, c->budget, (int)c->pattern, j);
    }
    assert_int_equal(progress.last, progress.total);
    assert_around(key_block, 8, c->k * size);
    assert_around(index_block, 8, c->k * index_size);
    free(key_block);
    free(index_block);
    free(keys);
    free(e);
}

/* One chunk, several, and so many that their results are again several chunks; a k for which all keys are sorted. */
static void test_sizes(void **state)
{
    static const size_t sizes[] = {0, 1, 127, 1021, 4099, MOST}, ks[] = {0, 1, 7, 100, 1000};
    static const size_t budgets[] = {4000, 60000, 0};
    unsigned turn = 0;
    size_t s, k, b;
    (void)state;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (k = 0; k < sizeof ks / sizeof *ks; k++) {
            for (b = 0; b < 3; b++, turn++) {
                topk_case c = {GP_U32, sizes[s], ks[k], budgets[b], KEYS_RANDOM, false, false, false, false};
                if (c.k > c.count) c.k = c.count;
                c.pattern = (key_pattern)(turn % KEYS_PATTERNS);
                c.smallest = turn & 1;
                c.wide = turn & 2;
                c.no_keys = turn % 7 == 3;
                c.no_indices = turn % 7 == 5;
                check(&c);
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
            const topk_case c = {key_types[t], 5003,           p % 3 ? 20 : 300,
                                 20000,        (key_pattern)p, (t + p) % 2 != 0,
                                 p % 4 == 1,   false,          false};
            if (test_small() && (t + p) % 4) continue;
            check(&c);
        }
    }
}

/* Budgets with which the last chunk is short, and needs more scratch than the others. */
static void test_last_chunk(void **state)
{
    static const size_t counts[] = {146903, 185460, 200000, 344815}, budgets[] = {607612, 761840, 1 << 20};
    size_t n, b;
    (void)state;
    for (n = 0; n < sizeof counts / sizeof *counts; n++) {
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            const topk_case c = {GP_U32, counts[n], 9, budgets[b], KEYS_RANDOM, false, false, false, false};
            check(&c);
        }
    }
}

static void test_cancel(void **state)
{
    static uint32_t keys[MOST], out[10];
    uint64_t n;
    (void)state;
    for (n = 1;; n++) {
        told progress = {.cancel_at = n};
        const gp_host_topk_desc d = {.keys = keys,
                                     .keys_out = out,
                                     .count = MOST,
                                     .k = 10,
                                     .key_type = GP_U32,
                                     .budget = 60000,
                                     .progress = tell,
                                     .progress_user = &progress};
        const gp_result result = gp_host_topk(gp, &d);
        if (progress.calls < n) {
            assert_int_equal(result, GP_OK);
            break;
        }
        assert_int_equal(result, GP_ERROR_CANCELED);
        assert_non_null(strstr(gp_last_error(gp), "gp_host_topk: progress canceled"));
    }
    assert_true(n > 4);
}

#define FAILS(change, expected, part)                              \
    do {                                                           \
        gp_host_topk_desc d = good;                                \
        change;                                                    \
        assert_gp_fails(gp, gp_host_topk(gp, &d), expected, part); \
    } while (0)

static void test_refused(void **state)
{
    static uint32_t keys[1000], out[1000], indices[1000];
    const gp_host_topk_desc good = {
        .keys = keys, .keys_out = out, .indices_out = indices, .count = 1000, .k = 9, .key_type = GP_U32};
    (void)state;
    assert_gp(gp, gp_host_topk(gp, &good));
    FAILS(d.k = 1001, GP_ERROR_INVALID_ARGUMENT, "gp_host_topk: k = 1001, and there are 1000 keys");
    FAILS(d.keys = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_topk: keys is NULL");
    FAILS(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "key_type = 0");
    FAILS(d.index_type = GP_I32, GP_ERROR_INVALID_TYPE, "index_type");
    FAILS((d.keys_out = d.indices_out = NULL), GP_ERROR_INVALID_ARGUMENT,
          "keys_out and indices_out are NULL");
    FAILS(d.keys_out = keys + 995, GP_ERROR_OVERLAP, "keys and keys_out overlap");
    FAILS(d.indices_out = keys, GP_ERROR_OVERLAP, "keys and indices_out overlap");
    FAILS(d.indices_out = out + 8, GP_ERROR_OVERLAP, "keys_out and indices_out overlap");
    FAILS((d.count = (size_t)1 << 33), GP_ERROR_COUNT_LIMIT, "indices of GP_U32");
    FAILS(d.other_count = 1, GP_ERROR_INVALID_ARGUMENT, "others is NULL");
    FAILS(d.budget = 200, GP_ERROR_INVALID_ARGUMENT, "budget = 200");
    assert_gp_fails(gp, gp_host_topk(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
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
        cmocka_unit_test(test_sizes),  cmocka_unit_test(test_types),   cmocka_unit_test(test_last_chunk),
        cmocka_unit_test(test_cancel), cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
