/* test_topk.c - gp_topk against the first k of a stable sort on the host. */
#include "../support/patterns.h"

typedef struct topk_case {
    gp_type type, index_type;
    size_t count, k;
    key_pattern pattern;
    bool smallest;
    bool no_keys, no_indices;
    size_t offset; /* of keys and outputs, elements; all differ */
} topk_case;

static size_t index_size(const topk_case *c) { return c->index_type == GP_U64 ? 8 : 4; }

/* ------------------------------------------------------------------ check */

static void fail_case(const char *variant, const topk_case *c, const char *what, size_t i)
{
    fail_msg(
        "%s: type %d, index type %d, count %zu, k %zu, pattern %d, smallest %d, offset %zu: %s[%zu] is wrong",
        variant, (int)c->type, (int)c->index_type, c->count, c->k, (int)c->pattern, c->smallest, c->offset,
        what, i);
}

/* Poison but for [offset, offset + found) elements. */
static void check_guards(const char *variant, const topk_case *c, const char *what, const unsigned char *out,
                         size_t offset, size_t found, size_t size)
{
    size_t i;
    for (i = 0; i < (offset + c->k + GUARD) * size; i++) {
        if (i >= offset * size && i < (offset + found) * size) continue;
        if (out[i] != TEST_POISON) fail_case(variant, c, what, i);
    }
}

static void check_keys(gp_context *gp, const char *variant, const topk_case *c, const gp_topk_desc *d,
                       const unsigned char *keys, const key_entry *e, size_t found)
{
    const size_t size = key_size(c->type), offset = d->keys_out_offset;
    unsigned char *out = test_read(gp, d->keys_out, (offset + c->k + GUARD) * size);
    size_t i;
    for (i = 0; i < found; i++) {
        if (memcmp(out + (offset + i) * size, keys + e[i].index * size, size) != 0)
            fail_case(variant, c, "keys_out", i);
    }
    check_guards(variant, c, "around keys_out", out, offset, found, size);
    free(out);
}

static void check_indices(gp_context *gp, const char *variant, const topk_case *c, const gp_topk_desc *d,
                          const key_entry *e, size_t found)
{
    const size_t size = index_size(c), offset = d->indices_out_offset;
    unsigned char *out = test_read(gp, d->indices_out, (offset + c->k + GUARD) * size);
    size_t i;
    for (i = 0; i < found; i++) {
        uint64_t index = 0;
        memcpy(&index, out + (offset + i) * size, size);
        if (index != e[i].index) fail_case(variant, c, "indices_out", i);
    }
    check_guards(variant, c, "around indices_out", out, offset, found, size);
    free(out);
}

static gp_topk_desc make_desc(gp_context *gp, const topk_case *c, const unsigned char *keys)
{
    gp_topk_desc d = {0};
    d.count = c->count;
    d.k = c->k;
    d.key_type = c->type;
    d.index_type = c->index_type;
    d.smallest = c->smallest;
    d.keys_offset = c->offset;
    d.keys_out_offset = c->offset ? c->offset + 3 : 0;
    d.indices_out_offset = c->offset ? c->offset + 8 : 0;
    d.keys = guarded(gp, d.keys_offset, c->count, key_size(c->type), keys);
    if (!c->no_keys) d.keys_out = guarded(gp, d.keys_out_offset, c->k, key_size(c->type), NULL);
    if (!c->no_indices) d.indices_out = guarded(gp, d.indices_out_offset, c->k, index_size(c), NULL);
    return d;
}

static void release(const gp_topk_desc *d)
{
    clReleaseMemObject(d->keys);
    if (d->keys_out) clReleaseMemObject(d->keys_out);
    if (d->indices_out) clReleaseMemObject(d->indices_out);
}

static key_entry *reference(const topk_case *c, const unsigned char *keys)
{
    return keys_sorted(c->type, !c->smallest, 0, 0, keys, c->count);
}

static void check_outputs(gp_context *gp, const char *variant, const topk_case *c, const gp_topk_desc *d,
                          const unsigned char *keys, const key_entry *e, size_t found)
{
    if (d->keys_out) check_keys(gp, variant, c, d, keys, e, found);
    if (d->indices_out) check_indices(gp, variant, c, d, e, found);
}

/* The same keys with several k: most of a case's time goes into the reference. */
static void check_ks(gp_context *gp, const char *variant, topk_case c, const size_t *ks, size_t n)
{
    unsigned char *keys = keys_make(c.type, c.pattern, c.count);
    key_entry *e = reference(&c, keys);
    size_t i;
    for (i = 0; i < n; i++) {
        gp_topk_desc d;
        gp_result result;
        c.k = ks[i] < c.count ? ks[i] : c.count;
        d = make_desc(gp, &c, keys);
        result = gp_topk(gp, &d);
        if (result != GP_OK) fail_msg("%s: %s", variant, gp_last_error(gp));
        check_outputs(gp, variant, &c, &d, keys, e, c.k);
        release(&d);
    }
    free(e);
    free(keys);
}

static void check(gp_context *gp, const char *variant, const topk_case *c)
{
    check_ks(gp, variant, *c, &c->k, 1);
}

/* ------------------------------------------------------------------ variants */

typedef struct topk_variant {
    const char *name;
    gp_shape shape;
    gp_strategy strategy;
} topk_variant;

static const topk_variant variants[] = {
    {"default", GP_SHAPE_AUTO, GP_STRATEGY_AUTO},
    {"serial", GP_SHAPE_SERIAL, GP_STRATEGY_MULTI_PASS},
    {"serial, onesweep", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS},
    {"local", GP_SHAPE_LOCAL, GP_STRATEGY_MULTI_PASS},
};
enum { VARIANTS = sizeof variants / sizeof *variants, ONESWEEP = 2 };

/* NULL: the device cannot. */
static gp_context *open_variant(const topk_variant *v, const char *options)
{
    gp_context_desc desc = {0};
    desc.strategy = v->strategy;
    desc.tuning.shape = v->shape;
    desc.build_options = options;
    if (v->shape == GP_SHAPE_SERIAL) desc.tuning.tile = test_small() ? 256 : 1024;
    return test_open_if(&desc);
}

/* The local shape costs PoCL many seconds a program. */
static bool is_dear(const gp_context *gp, const topk_variant *v)
{
    return v->shape == GP_SHAPE_LOCAL && !test_builds_are_cheap(gp);
}

static const size_t ks[] = {1, 2, 10, 255, 1000, 4096, 20000, SIZE_MAX};
enum { KS = sizeof ks / sizeof *ks };

static void check_sizes(gp_context *gp, const char *name, topk_case c, size_t most)
{
    static const size_t sizes[] = {1,    2,     1023,  1024,   1025,   8192,
                                   8193, 16385, 65536, 104729, 262147, (1 << 20) + 123};
    static const size_t small_sizes[] = {1, 257, 2049, 5003};
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t n = test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    size_t i;
    for (i = 0; i < n && list[i] <= most; i++) {
        c.count = list[i];
        if (test_small()) check_ks(gp, name, c, ks + 2, i < 3 ? 1 : 2);
        else check_ks(gp, name, c, ks, KS);
    }
}

/* Patterns, orders, places, outputs. */
static void check_ways(gp_context *gp, const char *name, topk_case c)
{
    static const size_t few[] = {10, 1000};
    size_t p;
    for (p = 0; p < KEYS_PATTERNS; p += test_small() ? 3 : 1) {
        c.pattern = (key_pattern)p;
        c.smallest = p % 2 != 0;
        check_ks(gp, name, c, few, test_small() ? 1 : 2);
        c.smallest = !c.smallest;
        check_ks(gp, name, c, few, test_small() ? 1 : 2);
    }
    c.pattern = KEYS_AND;
    c.offset = 5;
    c.k = 77;
    check(gp, name, &c);
    c.no_keys = true;
    check(gp, name, &c);
    c.no_keys = false;
    c.no_indices = true;
    check(gp, name, &c);
}

static void test_every_variant(void **state)
{
    topk_case c = {GP_U32, GP_U32, 0, 0, KEYS_RANDOM, false, false, false, 0};
    size_t v;
    (void)state;
    for (v = 0; v < VARIANTS; v++) {
        gp_context *gp = open_variant(&variants[v], NULL);
        if (!gp) continue;
        if (v == ONESWEEP && !test_builds_are_cheap(gp)) {
            gp_context_destroy(gp); /* other tests have it */
            continue;
        }
        if (is_dear(gp, &variants[v]) || (test_small() && v > 1)) {
            c.count = test_small() ? 9001 : 50021; /* what takes all kernels */
            check_ks(gp, variants[v].name, c, ks + 2, test_small() ? 1 : 3);
        } else {
            check_sizes(gp, variants[v].name, c, v == 0 ? SIZE_MAX : 200000);
            c.count = test_small() ? 4001 : 100003;
            check_ways(gp, variants[v].name, c);
        }
        gp_context_destroy(gp);
    }
}

static void test_types(void **state)
{
    gp_context *gp = open_variant(&variants[0], NULL);
    size_t t;
    (void)state;
    for (t = 0; t < KEY_TYPES; t++) {
        const bool wide = key_types[t] == GP_F64; /* types of one size share programs, but for floats */
        topk_case c = {key_types[t], wide ? GP_U64 : GP_U32, 0, 0, KEYS_RANDOM, false, false, false, 0};
        c.count = test_small() ? 9001 : 100003;
        if (test_small()) {
            c.k = 10;
            c.pattern = t % 2 ? KEYS_SPECIAL : KEYS_RANDOM;
            check(gp, "types", &c);
            continue;
        }
        check_ways(gp, "types", c); /* takes few of the sort's kernels, which are dear to build */
        if (test_builds_are_cheap(gp)) check_sizes(gp, "types", c, 1025);
    }
    gp_context_destroy(gp);
}

/* Inputs in which the best keys are in one place, or recur with any period. */
static void test_places(void **state)
{
    gp_context *gp = open_variant(&variants[0], NULL);
    const topk_case c = {GP_U32, GP_U32, test_small() ? 9001 : 300007, 500, KEYS_EQUAL, false, false,
                         false,  0};
    static const size_t periods[] = {0, 2, 32, 36, 37, 4096};
    size_t p, i;
    (void)state;
    for (p = 0; p < sizeof periods / sizeof *periods; p += test_small() ? 4 : 1) {
        uint32_t *keys = malloc(c.count * 4);
        key_entry *e;
        gp_topk_desc d;
        assert_non_null(keys);
        for (i = 0; i < c.count; i++) {
            const bool best = periods[p] ? i % periods[p] == 1 : i >= c.count / 2 && i < c.count / 2 + 3000;
            keys[i] = best ? 0x80000000u + test_random() % 1000 : test_random() % 1000;
        }
        e = reference(&c, (const unsigned char *)keys);
        d = make_desc(gp, &c, (const unsigned char *)keys);
        assert_gp(gp, gp_topk(gp, &d));
        check_outputs(gp, "places", &c, &d, (const unsigned char *)keys, e, c.k);
        release(&d);
        free(e);
        free(keys);
    }
    gp_context_destroy(gp);
}

/* The sample is of all stretches alike, so that keys in order do not mislead it. */
static void test_in_order(void **state)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_SORTED, KEYS_REVERSED};
    static const size_t few[] = {10, 1000};
    gp_context *gp = open_variant(&variants[0], NULL);
    topk_case c = {GP_U32, GP_U32, test_small() ? 9001 : 100003, 0, KEYS_RANDOM, false, false, false, 0};
    size_t i;
    (void)state;
    for (i = 0; i < 6; i++) {
        c.pattern = patterns[i / 2];
        c.smallest = i % 2 != 0;
        check_ks(gp, "in order", c, few, test_small() ? 1 : 2);
    }
    assert_int_equal(test_profile_of(gp).fallbacks, 0);
    gp_context_destroy(gp);
}

static uint64_t launches_of(gp_context *gp, size_t count)
{
    const uint32_t none = 0;
    const gp_stats before = test_profile_of(gp);
    gp_topk_desc d = {0};
    d.count = count;
    d.k = 10;
    d.key_type = GP_U32;
    d.count_buffer = test_buffer(gp, 4, &none);
    d.count_type = GP_U32;
    d.keys = test_buffer(gp, 4 * count, NULL);
    d.keys_out = test_buffer(gp, 4 * d.k, NULL);
    assert_gp(gp, gp_topk(gp, &d));
    assert_gp(gp, gp_finish(gp));
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.keys_out);
    clReleaseMemObject(d.count_buffer);
    return test_profile_of(gp).launches - before.launches;
}

/* In the local shape one group sorts few keys, and another stands by; for very many a launch a digit does, and the filter. */
static void test_launches(void **state)
{
    const size_t most = (size_t)1 << 24;
    gp_context *gp = open_variant(&variants[3], NULL);
    (void)state;
    if (!gp) return;
    if (gp_context_info(gp)->loop_limit == 0) {
        assert_int_equal(launches_of(gp, 100), 1);
        assert_int_equal(launches_of(gp, 9001), 5);
        if (!test_small()) assert_int_equal(launches_of(gp, most + 1), launches_of(gp, most) + 4);
        test_pretend_limited(gp);
    }
    assert_int_equal(launches_of(gp, 9001), 9);
    gp_context_destroy(gp);
}

/* The sample misleads: too few keys pass when k is odd, too many when it is even. */
static void test_misled(void **state)
{
    static const key_pattern patterns[] = {KEYS_RANDOM, KEYS_AND, KEYS_EQUAL, KEYS_LOW, KEYS_SORTED};
    static const size_t few[] = {10, 999, 1, 1000};
    size_t way, p;
    (void)state;
    for (way = 0; way < 3; way++) { /* serial; local: one group, and a launch a digit */
        const size_t v = way == 0 ? 1 : 3;
        gp_context *gp = open_variant(&variants[v], "-DGPI_FAULT=1");
        topk_case c = {GP_U32, GP_U32, test_small() ? 9001 : 100003, 0, KEYS_RANDOM, false, false, false, 0};
        bool dear;
        if (!gp) continue;
        if (way == 2) test_pretend_limited(gp);
        dear = is_dear(gp, &variants[v]);
        for (p = 0; p < sizeof patterns / sizeof *patterns; p++) {
            if (test_small() && p % 3 != 0) continue;
            if (dear && patterns[p] != KEYS_LOW) continue; /* many keys equal the k-th */
            c.pattern = patterns[p];
            c.smallest = p % 2 != 0;
            check_ks(gp, "misled", c, few, dear ? 1 : test_small() ? 2 : 4);
        }
        assert_true(test_profile_of(gp).fallbacks > 0);
        gp_context_destroy(gp);
    }
}

/* The number of keys is on the device: none, fewer than k, fewer than are left, as many as the bound, more. */
static void test_count_on_device(void **state)
{
    static const uint64_t counts[] = {0, 1, 9, 300, 20000, 60000, 99999, 100003, 200000};
    const size_t bound = test_small() ? 9001 : 100003;
    static const size_t chosen[] = {10, 1000, 50000};
    size_t v, i, j;
    (void)state;
    for (v = 0; v < (test_small() ? 1 : 2); v++) {
        gp_context *gp = open_variant(&variants[v], NULL);
        topk_case c = {GP_U32, GP_U32, bound, 0, KEYS_RANDOM, false, false, false, 0};
        unsigned char *keys;
        if (!gp) continue;
        keys = keys_make(c.type, c.pattern, bound);
        for (i = 0; i < sizeof counts / sizeof *counts; i += test_small() ? 2 : 1) {
            const uint64_t wanted = test_small() ? counts[i] / 10 : counts[i];
            const size_t n = wanted < bound ? (size_t)wanted : bound;
            key_entry *e;
            c.count = n;
            e = reference(&c, keys);
            c.count = bound;
            for (j = 0; j < (test_small() ? 2 : 3); j++) {
                gp_topk_desc d;
                c.k = test_small() ? chosen[j] / 5 : chosen[j];
                d = make_desc(gp, &c, keys);
                d.count_buffer = test_buffer(gp, 8, &wanted);
                d.count_type = j % 2 ? GP_U32 : GP_U64;
                assert_gp(gp, gp_topk(gp, &d));
                check_outputs(gp, "count on device", &c, &d, keys, e, c.k < n ? c.k : n);
                clReleaseMemObject(d.count_buffer);
                release(&d);
            }
            free(e);
        }
        assert_true(test_small() || test_profile_of(gp).clamped > 0);
        free(keys);
        gp_context_destroy(gp);
    }
}

/* Scratch of the caller's: exactly as much as asked for; one byte less is refused. */
/* Scratch of exactly `bytes`, the first ones of a larger buffer, which is poisoned. */
static cl_mem guarded_scratch(cl_mem whole, size_t bytes)
{
    const cl_buffer_region region = {0, bytes};
    cl_int error;
    cl_mem scratch = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    assert_int_equal(error, CL_SUCCESS);
    return scratch;
}

static void check_own_scratch(gp_context *gp, size_t count, size_t k)
{
    const topk_case c = {GP_U32, GP_U32, count, k, k == 1 ? KEYS_RANDOM : KEYS_AND, false, false, false, 0};
    unsigned char *keys = keys_make(c.type, c.pattern, c.count), *after;
    key_entry *e = reference(&c, keys);
    gp_topk_desc d = make_desc(gp, &c, keys), empty = {0};
    size_t bytes, again, i;
    cl_mem whole;
    empty.count = c.count;
    empty.k = c.k;
    empty.key_type = c.type;
    assert_gp(gp, gp_topk_scratch_size(gp, &d, &bytes));
    assert_gp(gp, gp_topk_scratch_size(gp, &empty, &again));
    assert_int_equal(bytes, again);
    whole = test_buffer(gp, bytes + 4096, NULL);
    d.scratch = guarded_scratch(whole, bytes - 1);
    assert_gp_fails(gp, gp_topk(gp, &d), GP_ERROR_INVALID_BUFFER, "scratch");
    clReleaseMemObject(d.scratch);
    d.scratch = guarded_scratch(whole, bytes);
    assert_gp(gp, gp_topk(gp, &d));
    check_outputs(gp, "own scratch", &c, &d, keys, e, c.k);
    after = test_read(gp, whole, bytes + 4096);
    for (i = bytes; i < bytes + 4096; i++) assert_int_equal(after[i], TEST_POISON);
    assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
    clReleaseMemObject(d.scratch);
    clReleaseMemObject(whole);
    release(&d);
    free(after);
    free(e);
    free(keys);
}

static void test_own_scratch(void **state)
{
    size_t v, round;
    (void)state;
    for (v = 0; v < VARIANTS; v += 3) {
        gp_context *gp = open_variant(&variants[v], NULL);
        if (!gp) continue;
        check_own_scratch(gp, 500, 99);
        check_own_scratch(gp, 9001, 99);
        if (!test_small()) check_own_scratch(gp, 100003, 99);
        for (round = 0; round < (test_small() ? 1 : 20); round++) check_own_scratch(gp, 6000 + 97 * round, 1);
        gp_context_destroy(gp);
    }
}

static void test_bad_input(void **state)
{
    gp_context *gp = open_variant(&variants[0], NULL);
    const topk_case c = {GP_U32, GP_U32, 5000, 100, KEYS_RANDOM, false, false, false, 0};
    unsigned char *keys = keys_make(c.type, c.pattern, c.count);
    const gp_topk_desc good = make_desc(gp, &c, keys);
    gp_topk_desc d;
    size_t bytes;
    (void)state;
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_topk(gp, &d), result, text)
    REFUSED(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "key_type is not set");
    REFUSED(d.key_type = (gp_type)99, GP_ERROR_INVALID_TYPE, "key_type = 99");
    REFUSED(d.index_type = GP_I32, GP_ERROR_INVALID_TYPE, "index_type = 5");
    REFUSED(d.k = 5001, GP_ERROR_INVALID_ARGUMENT, "k = 5001 is greater than count = 5000");
    REFUSED(d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED((d.keys_out = NULL, d.indices_out = NULL), GP_ERROR_INVALID_BUFFER,
            "at least one output is required");
    REFUSED(d.count = 6000, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(d.k = 200, GP_ERROR_INVALID_BUFFER, "keys_out has");
    REFUSED(d.indices_out_offset = 17, GP_ERROR_INVALID_BUFFER, "indices_out has");
    REFUSED(d.keys_out = d.keys, GP_ERROR_OVERLAP, "keys is bytes");
    REFUSED(d.indices_out = d.keys, GP_ERROR_OVERLAP, "and indices_out [");
    REFUSED(d.indices_out = d.keys_out, GP_ERROR_OVERLAP, "keys_out is bytes");
    REFUSED(d.scratch = d.keys_out, GP_ERROR_INVALID_BUFFER, "scratch");
    REFUSED(d.strategy = (gp_strategy)7, GP_ERROR_INVALID_ARGUMENT, "strategy = 7");
    REFUSED((d.count_buffer = d.keys, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type");
    REFUSED((d.count_buffer = d.keys_out, d.count_type = GP_U32), GP_ERROR_OVERLAP, "count_buffer");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    d = good;
    d.index_type = GP_U32;
    d.count = (size_t)UINT32_MAX + 1;
    assert_gp_fails(gp, gp_topk(gp, &d), GP_ERROR_COUNT_LIMIT, "indices of 4 bytes");
    assert_gp_fails(NULL, gp_topk(NULL, &d), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_topk(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_topk_scratch_size(gp, &d, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    d = good;
    d.k = 0; /* nothing to do */
    assert_gp(gp, gp_topk(gp, &d));
    assert_gp(gp, gp_topk_scratch_size(gp, &d, &bytes));
    assert_int_equal(bytes, 0);
    d.count = 0;
    assert_gp(gp, gp_topk(gp, &d));
    check_outputs(gp, "nothing", &c, &good, keys, NULL, 0);
    release(&good);
    free(keys);
    gp_context_destroy(gp);
}

/* Random sizes in a row in one context, without a host sync. */
static void test_many(void **state)
{
    const size_t most = test_small() ? 9001 : 100003, rounds = test_small() ? 5 : 300;
    gp_context *gp = open_variant(&variants[0], NULL);
    topk_case c = {GP_U32, GP_U32, most, 0, KEYS_RANDOM, false, false, false, 0};
    unsigned char *keys = keys_make(c.type, c.pattern, most);
    gp_topk_desc d;
    key_entry *e;
    size_t i;
    (void)state;
    c.k = most;
    d = make_desc(gp, &c, keys);
    for (i = 0; i < rounds; i++) {
        d.count = test_random() % (most + 1);
        d.k = test_random() % (d.count / (1 + test_random() % 1000) + 1);
        assert_gp(gp, gp_topk(gp, &d));
        if (i % 100 == 99) assert_gp(gp, gp_finish(gp));
    }
    d.count = most;
    d.k = most;
    assert_gp(gp, gp_topk(gp, &d));
    e = reference(&c, keys);
    check_outputs(gp, "many", &c, &d, keys, e, most);
    release(&d);
    free(e);
    free(keys);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    gp_context *gp = open_variant(&variants[0], NULL);
    const topk_case c = {GP_U32, GP_U32, 100003, 1000, KEYS_AND, false, false, false, 0};
    gp_topk_desc desc = {0};
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.key_type = GP_U32;
    warm.topk = &desc;
    if (test_small()) return;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    check(gp, "warmed", &c);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

/* An event from a call that waits for another, on a queue without order. */
static void test_events(void **state)
{
    gp_context *gp = open_variant(&variants[0], NULL);
    const topk_case c = {GP_U32, GP_U32, test_small() ? 9001 : 100003, 100, KEYS_RANDOM, true, false,
                         false,  0};
    unsigned char *keys = keys_make(c.type, c.pattern, c.count);
    key_entry *e = reference(&c, keys);
    gp_topk_desc d = make_desc(gp, &c, keys);
    cl_event first, second;
    (void)state;
    d.done = &first;
    assert_gp(gp, gp_topk(gp, &d));
    d.wait = &first;
    d.wait_count = 1;
    d.done = &second;
    assert_gp(gp, gp_topk(gp, &d));
    assert_int_equal(clWaitForEvents(1, &second), CL_SUCCESS);
    check_outputs(gp, "events", &c, &d, keys, e, c.k);
    clReleaseEvent(first);
    clReleaseEvent(second);
    release(&d);
    free(e);
    free(keys);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),   cmocka_unit_test(test_types),
        cmocka_unit_test(test_places),          cmocka_unit_test(test_in_order),
        cmocka_unit_test(test_launches),        cmocka_unit_test(test_misled),
        cmocka_unit_test(test_count_on_device), cmocka_unit_test(test_own_scratch),
        cmocka_unit_test(test_bad_input),       cmocka_unit_test(test_many),
        cmocka_unit_test(test_warmup),          cmocka_unit_test(test_events),
    };
    return cmocka_run_group_tests_name("topk", tests, NULL, NULL);
}
