/* test_sort_shares.c - gp_sort by shares (kernels/cpu/sort/shares.cl), as many as there may be: many keys are alike,
   the least, or the greatest; in place, and in place but for keys or values. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "../support/patterns.h"

typedef struct shares_case {
    gp_type type;
    size_t count;
    uint64_t often;   /* this key */
    uint32_t eighths; /* of all keys are it */
    uint32_t end_bit;
    bool descending, keys_in_place, values_in_place;
} shares_case;

static unsigned char *make_keys(const shares_case *c)
{
    const size_t size = key_size(c->type);
    unsigned char *keys = keys_make(c->type, KEYS_RANDOM, c->count);
    size_t i;
    for (i = 0; i < c->count; i++)
        if (test_random() >> 29 < c->eighths) memcpy(keys + i * size, &c->often, size);
    return keys;
}

static void compare(gp_context *gp, const shares_case *c, const char *what, cl_mem buffer, size_t size,
                    const void *expected)
{
    size_t at;
    const char *wrong = guarded_difference(gp, buffer, 0, c->count, size, expected, &at);
    if (!wrong) return;
    fail_msg(
        "%u units, keys of %zu, %u eighths are %llx, end_bit %u, descending %d, in place %d, %d: %s, %s %zu",
        gp_context_info(gp)->compute_units, key_size(c->type), c->eighths, (unsigned long long)c->often,
        c->end_bit, c->descending, c->keys_in_place, c->values_in_place, what, wrong, at);
}

/* Values are the indices. By shares: one launch, or two. */
static void check(gp_context *gp, const shares_case *c)
{
    const size_t n = c->count, size = key_size(c->type);
    unsigned char *keys = make_keys(c), *sorted = malloc(n * size);
    uint32_t *values = malloc(n * sizeof *values);
    key_entry *e = keys_sorted(c->type, c->descending, 0, c->end_bit, keys, n);
    const uint64_t before = test_profile_of(gp).launches;
    gp_sort_desc d = {0};
    size_t i;
    assert_non_null(sorted);
    assert_non_null(values);
    for (i = 0; i < n; i++) values[i] = (uint32_t)i;
    d.key_type = c->type;
    d.value_size = 4;
    d.count = n;
    d.end_bit = c->end_bit;
    d.descending = c->descending;
    d.keys = guarded(gp, 0, n, size, keys);
    d.keys_out = c->keys_in_place ? d.keys : guarded(gp, 0, n, size, NULL);
    d.values = guarded(gp, 0, n, 4, values);
    d.values_out = c->values_in_place ? d.values : guarded(gp, 0, n, 4, NULL);
    assert_gp(gp, gp_sort(gp, &d));
    assert_int_equal(test_profile_of(gp).launches - before, c->keys_in_place || c->values_in_place ? 2 : 1);
    for (i = 0; i < n; i++) {
        memcpy(sorted + i * size, keys + e[i].index * size, size);
        values[i] = (uint32_t)e[i].index;
    }
    compare(gp, c, "keys_out", d.keys_out, size, sorted);
    compare(gp, c, "values_out", d.values_out, 4, values);
    if (d.keys_out != d.keys) clReleaseMemObject(d.keys_out);
    if (d.values_out != d.values) clReleaseMemObject(d.values_out);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.values);
    free(e);
    free(values);
    free(sorted);
    free(keys);
}

/* Both orders, whole keys and windows, each way to be in place. */
static void check_ways(gp_context *gp, shares_case c)
{
    static const uint32_t ends[] = {0, 24, 9};
    unsigned way;
    for (way = 0; way < 3 * 8; way++) {
        c.end_bit = ends[way / 8];
        c.descending = (way & 4) != 0;
        c.keys_in_place = (way & 2) != 0;
        c.values_in_place = (way & 1) != 0;
        check(gp, &c);
    }
}

static void test_alike(void **state)
{
    static const uint64_t often[] = {0, UINT64_MAX, 0x5555555555555555u};
    const gp_type types[] = {GP_U32, GP_U64};
    gp_context_desc desc = {0};
    gp_context *gp;
    uint32_t eighths;
    size_t t, k;
    (void)state;
    desc.tuning.shape = GP_SHAPE_SERIAL;
    desc.tuning.tile = 1024;
    gp = test_open_if(&desc);
    if (!gp) return;
    for (t = 0; t < 2 && gp_context_info(gp)->compute_units > 1; t++) {
        for (eighths = 0; eighths <= 8; eighths++) {
            for (k = 0; k < 3; k++) {
                const shares_case c = {types[t], 5003, often[k], eighths, 0, false, false, false};
                if (!test_small() || eighths == 3) check_ways(gp, c);
            }
        }
    }
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_alike)};
    /* PoCL then has as many cores as there are shares at most. */
    if (setenv("POCL_MAX_PTHREAD_COUNT", "8", 1) || setenv("POCL_CPU_MAX_CU_COUNT", "8", 1)) return 1;
    return cmocka_run_group_tests_name("sort shares", tests, NULL, NULL);
}
