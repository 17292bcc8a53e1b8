/* test_monoids.c - the monoids of monoids.h: each is one, and reduce and scan take it. */
#include <math.h>

#include "../support/support.h"

/* ------------------------------------------------------------------ are they monoids? */

static void random_element(const test_element *e, unsigned char *out)
{
    unsigned char in[64];
    e->make(test_random(), in);
    e->from(in, out);
}

/* The identity is neutral on both sides, grouping does not matter, and order only where it may. */
static void check_laws(const test_element *e)
{
    unsigned char a[64], b[64], c[64], one[64], x[64], y[64];
    bool commutes = true;
    int round;
    e->identity(one);
    for (round = 0; round < 1000; round++) {
        random_element(e, a);
        random_element(e, b);
        random_element(e, c);
        e->combine(a, one, x);
        e->combine(one, a, y);
        if (memcmp(x, a, e->size) != 0 || memcmp(y, a, e->size) != 0) fail_msg("%s: identity", e->name);
        e->combine(a, b, x);
        e->combine(b, a, y);
        commutes = commutes && memcmp(x, y, e->size) == 0;
        e->combine(x, c, x);
        e->combine(b, c, y);
        e->combine(a, y, y);
        if (memcmp(x, y, e->size) != 0) fail_msg("%s: not associative", e->name);
    }
    if (commutes != e->monoid->commutative) fail_msg("%s: commutative", e->name);
}

static void test_monoid_check(void **state)
{
    size_t k;
    (void)state;
    for (k = 0; k < test_monoid_count; k++) check_laws(test_monoids[k]);
}

/* ------------------------------------------------------------------ reduce and scan */

typedef struct monoid_case {
    const test_element *element;
    size_t count;
    bool exclusive, initial, reduce;
} monoid_case;

/* sums[0 ... count]: initial, then with one element more each. To be freed. */
static unsigned char *reference(const monoid_case *c, const unsigned char *in, const unsigned char *initial)
{
    const test_element *e = c->element;
    unsigned char *sums = malloc((c->count + 1) * e->size), x[64];
    size_t i;
    assert_non_null(sums);
    if (c->initial) memcpy(sums, initial, e->size);
    else e->identity(sums);
    for (i = 0; i < c->count; i++) {
        e->from(in + i * e->in_size, x);
        e->combine(sums + i * e->size, x, sums + (i + 1) * e->size);
    }
    return sums;
}

static void check_reduce(gp_context *gp, const char *variant, const monoid_case *c, cl_mem in,
                         const unsigned char *initial, const unsigned char *sums)
{
    const test_element *e = c->element;
    gp_reduce_desc desc = {0};
    unsigned char result[64];
    desc.in = in;
    desc.count = c->count;
    desc.monoid = e->monoid;
    desc.initial = c->initial ? initial : NULL;
    assert_gp(gp, gp_reduce_read(gp, &desc, result));
    if (memcmp(result, sums + c->count * e->size, e->size) != 0) {
        fail_msg("%s, %s: reduce of %zu, initial %d", e->name, variant, c->count, c->initial);
    }
}

static void check_scan(gp_context *gp, const char *variant, const monoid_case *c, cl_mem in,
                       const unsigned char *initial, const unsigned char *sums)
{
    const test_element *e = c->element;
    const unsigned char *expected = c->exclusive ? sums : sums + e->size;
    gp_scan_desc desc = {0};
    unsigned char *out;
    size_t i;
    desc.in = in;
    desc.out = test_buffer(gp, c->count * e->size, NULL);
    desc.count = c->count;
    desc.monoid = e->monoid;
    desc.exclusive = c->exclusive;
    desc.initial = c->initial ? initial : NULL;
    assert_gp(gp, gp_scan(gp, &desc));
    out = test_read(gp, desc.out, c->count * e->size);
    for (i = 0; i < c->count; i++) {
        if (memcmp(out + i * e->size, expected + i * e->size, e->size) != 0) {
            fail_msg("%s, %s: scan of %zu, exclusive %d, initial %d: out[%zu] is wrong", e->name, variant,
                     c->count, c->exclusive, c->initial, i);
        }
    }
    free(out);
    clReleaseMemObject(desc.out);
}

static void check(gp_context *gp, const char *variant, const monoid_case *c)
{
    unsigned char initial[64], *in = test_input(c->element, TEST_RANDOM, c->count), *sums;
    cl_mem buffer = test_buffer(gp, c->count * c->element->in_size, in);
    random_element(c->element, initial);
    sums = reference(c, in, initial);
    if (c->reduce) check_reduce(gp, variant, c, buffer, initial, sums);
    check_scan(gp, variant, c, buffer, initial, sums);
    free(sums);
    free(in);
    clReleaseMemObject(buffer);
}

/* One tile, several, and many. */
static void check_sizes(const test_variant *variant, const test_element *element, bool reduce)
{
    static const size_t sizes[] = {1, 1000, 4099, 30011, 300007}, small_sizes[] = {2100};
    const size_t *list = test_small() ? small_sizes : sizes;
    gp_context *gp = test_open(variant, NULL);
    monoid_case c = {element, 0, false, false, reduce};
    size_t n, k;
    if (!gp) return; /* the device cannot */
    n = test_small() ? 1 : test_builds_are_cheap(gp) ? 4 : 5;
    for (k = 0; k < n; k++) {
        c.count = list[k];
        c.exclusive = k % 2 == 1;
        c.initial = k % 3 == 1;
        if (!test_small()) check(gp, variant->name, &c);
        c.exclusive = !c.exclusive;
        c.initial = !c.initial;
        check(gp, variant->name, &c);
    }
    assert_int_equal(test_profile_of(gp).abandoned, 0);
    gp_context_destroy(gp);
}

/* All scans; reductions of every other one only, where builds are dear. */
static void test_default(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const bool cheap = test_builds_are_cheap(gp);
    size_t k;
    (void)state;
    gp_context_destroy(gp);
    for (k = 0; k < test_monoid_count; k++) {
        check_sizes(&test_variants[0], test_monoids[k], cheap || k % 2 == 0);
    }
}

/* Every shape, strategy and word form, where builds are cheap; in a simulator every sixth pair. */
static void test_every_variant(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const bool cheap = test_builds_are_cheap(gp);
    size_t v, k;
    (void)state;
    gp_context_destroy(gp);
    for (v = 1; cheap && v < test_variant_count; v++) {
        for (k = 0; k < test_monoid_count; k++) {
            if (!test_small() || (k + v) % 6 == 0) check_sizes(&test_variants[v], test_monoids[k], true);
        }
    }
}

/* Mean and variance of uniform numbers, as a statistician would have them, from a monoid that rounds. */
static void test_mean_and_variance(void **state)
{
    const size_t count = test_small() ? 4099 : 300007;
    const test_element *e = &test_variance;
    gp_context *gp = test_open(&test_variants[0], NULL);
    struct {
        float n, mean, m2;
    } *in = test_input(e, TEST_RANDOM, count), result;
    double mean = 0, m2 = 0;
    gp_reduce_desc desc = {0};
    size_t i;
    (void)state;
    for (i = 0; i < count; i++) mean += in[i].mean / (double)count;
    for (i = 0; i < count; i++) m2 += (in[i].mean - mean) * (in[i].mean - mean);
    desc.in = test_buffer(gp, count * e->size, in);
    desc.count = count;
    desc.monoid = e->monoid;
    assert_gp(gp, gp_reduce_read(gp, &desc, &result));
    assert_true(result.n == (float)count);
    assert_true(fabs(result.mean - mean) < 1e-4 * mean);
    assert_true(fabs(result.m2 - m2) < 1e-4 * m2);
    free(in);
    clReleaseMemObject(desc.in);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_monoid_check),
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_mean_and_variance),
    };
    return cmocka_run_group_tests_name("monoids", tests, NULL, NULL);
}
