/* test_buckets.c - examples/17_buckets.c against sorted keys, counted one by one. */
#include "example.h"

#include "../../examples/17_buckets.c"
#undef main

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void check_buckets(const uint64_t *sorted, size_t n, buckets found)
{
    uint64_t *keys = malloc((size_t)found.count * 8);
    uint32_t *counts = malloc((size_t)found.count * 4);
    size_t at = 0, end, k;
    assert_true(found.count > 0 && keys && counts);
    assert_int_equal(read_back(&found, keys, counts, (size_t)found.count), found.count);
    for (k = 0; at < n; at = end, k++) {
        for (end = at; end < n && sorted[end] == sorted[at]; end++) {
        }
        assert_true(k < found.count);
        assert_int_equal(keys[k], sorted[at]);
        assert_int_equal(counts[k], end - at);
    }
    assert_int_equal(k, found.count);
    free(keys);
    free(counts);
    release(&found);
}

/* `kinds` different keys at most, and the largest and the smallest possible one where there is room. */
static void check_keys(size_t n, uint32_t kinds)
{
    uint16_t *few = malloc(n * 2);
    uint64_t *any = malloc(n * 8), *wide = malloc(n * 8);
    cl_mem keys;
    size_t i;
    assert_true(few && any && wide);
    for (i = 0; i < n; i++) {
        const uint32_t kind = (test_random() >> 4) % kinds;
        few[i] = (uint16_t)(i == 1 ? 0 : i == 2 ? 65535 : kind * 40503u);
        any[i] = i == 1 ? 0 : i == 2 ? UINT64_MAX : kind * 0x9e3779b97f4a7c15u;
        wide[i] = few[i];
    }
    keys = test_buffer(gp, n * 2, few);
    qsort(wide, n, 8, compare);
    check_buckets(wide, n, count_few(keys, n));
    clReleaseMemObject(keys);

    keys = test_buffer(gp, n * 8, any);
    qsort(any, n, 8, compare);
    check_buckets(any, n, count_any(keys, n));
    clReleaseMemObject(keys);
    free(few);
    free(any);
    free(wide);
}

static void check_sizes(void)
{
    static const size_t sizes[] = {1, 2, 3, 255, 4096, 4097, 100003};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0] && !test_small(); k++) {
        check_keys(sizes[k], 1);
        check_keys(sizes[k], 12);
        check_keys(sizes[k], UINT32_MAX);
    }
    if (test_small()) check_keys(1003, 12); /* 65536 counts each time */
}

static void test_counts(void **state)
{
    (void)state;
    FOR_EACH_SHAPE(check_sizes());
}

static void test_program(void **state)
{
    (void)state;
    if (test_small()) skip(); /* it has a million keys */
    assert_int_equal(example_main(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts), cmocka_unit_test(test_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
