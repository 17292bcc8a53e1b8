/* test_sort_abandoned.c - a onesweep sort whose passes are abandoned (kernels/common/sort/lookback.cl): groups
   misbehave in one of its passes, each in turn, and the result is right. Where the device is fair one launch
   does the rest of the sort; elsewhere, which is pretended here, the classic kernels after each pass do.

   And how many launches it takes to be ready for that. */
#include "../support/patterns.h"

static const test_variant serial = {"serial", GP_SHAPE_SERIAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_AUTO};
static const test_variant local = {"local", GP_SHAPE_LOCAL, GP_STRATEGY_SINGLE_PASS, GP_WORDS_AUTO};

typedef struct abandoned_case {
    const char *variant;
    gp_type type;
    size_t value_size, count;
    uint32_t pass; /* in which groups misbehave */
    bool in_place, resumed;
    uint64_t same; /* bits that all keys share: passes with nothing to do */
} abandoned_case;

static unsigned char *make_keys(const abandoned_case *c)
{
    const size_t size = key_size(c->type);
    unsigned char *keys = keys_make(c->type, KEYS_RANDOM, c->count);
    size_t i;
    for (i = 0; i < c->count; i++) {
        const uint64_t key = key_load(keys, i, size) & ~c->same;
        memcpy(keys + i * size, &key, size);
    }
    return keys;
}

/* Passes that are done again: those from the abandoned one on, if that has anything to do. More, where groups are
   late by chance. */
static uint64_t passes_redone(const abandoned_case *c)
{
    const uint32_t passes = (uint32_t)key_size(c->type);
    uint64_t redone = 0;
    uint32_t p;
    if (c->same >> 8 * c->pass & 255) return 0;
    for (p = c->pass; p < passes; p++) redone += !(c->same >> 8 * p & 255);
    return redone;
}

static void compare(gp_context *gp, const abandoned_case *c, const char *what, cl_mem buffer, size_t size,
                    const key_entry *e, const unsigned char *from)
{
    unsigned char *out = test_read(gp, buffer, c->count * size);
    size_t i;
    for (i = 0; i < c->count; i++) {
        if (memcmp(out + i * size, from + e[i].index * size, size) == 0) continue;
        fail_msg("%s, keys of %zu, values of %zu, pass %u, in place %d, resumed %d: %s[%zu] is wrong",
                 c->variant, key_size(c->type), c->value_size, c->pass, c->in_place, c->resumed, what, i);
    }
    free(out);
}

static void check(gp_context *gp, const abandoned_case *c)
{
    const size_t n = c->count, size = key_size(c->type), vs = c->value_size;
    unsigned char *keys = make_keys(c), *values = calloc(n, vs + 1);
    key_entry *e = keys_sorted(c->type, false, 0, 0, keys, n);
    const uint64_t before = test_profile_of(gp).fallbacks;
    gp_sort_desc d = {0};
    size_t i;
    assert_non_null(values);
    for (i = 0; i < n; i++) memcpy(values + i * vs, &i, vs);
    d.key_type = c->type;
    d.value_size = vs;
    d.count = n;
    d.keys = test_buffer(gp, n * size, keys);
    d.keys_out = c->in_place ? d.keys : test_buffer(gp, n * size, NULL);
    if (vs) d.values = test_buffer(gp, n * vs, values);
    if (vs) d.values_out = c->in_place ? d.values : test_buffer(gp, n * vs, NULL);
    assert_gp(gp, gp_sort(gp, &d));
    compare(gp, c, "keys_out", d.keys_out, size, e, keys);
    if (vs) compare(gp, c, "values_out", d.values_out, vs, e, values);
    assert_true(test_profile_of(gp).fallbacks - before >= passes_redone(c));
    if (!c->in_place) clReleaseMemObject(d.keys_out);
    if (!c->in_place && vs) clReleaseMemObject(d.values_out);
    clReleaseMemObject(d.keys);
    if (vs) clReleaseMemObject(d.values);
    free(e);
    free(values);
    free(keys);
}

/* ------------------------------------------------------------------ passes */

/* In several launches a pass, where tiles are small. */
static gp_context *open_faulty(const test_variant *variant, uint32_t pass)
{
    gp_context_desc desc = {0};
    char options[64];
    (void)snprintf(options, sizeof options, "-DGPI_FAULT=2 -DGPI_FAULT_PASS=%u", pass);
    desc.strategy = variant->strategy;
    desc.build_options = options;
    desc.tuning.shape = variant->shape;
    desc.tuning.polls = 1 << 14;
    if (variant->shape == GP_SHAPE_SERIAL) {
        desc.tuning.tile = 1024;
        desc.tuning.sort_portion = 5000;
    }
    return test_open_if(&desc);
}

static void check_pass(const test_variant *variant, gp_type type, size_t value_size, uint32_t pass)
{
    abandoned_case c = {variant->name, type, value_size, 9001, pass, false, false, 0};
    gp_context *gp = open_faulty(variant, pass);
    int way;
    if (!gp) return;
    for (way = 0; way < 8; way++) {
        c.in_place = way & 1;
        c.same = way & 2 ? 0xff0000 : 0;
        c.resumed = !(way & 4) && gp_context_info(gp)->fair;
        if (way == 4) test_pretend_unfair(gp);
        check(gp, &c);
    }
    gp_context_destroy(gp);
}

static void test_each_pass(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const bool cheap = test_builds_are_cheap(gp);
    uint32_t p;
    (void)state;
    gp_context_destroy(gp);
    for (p = 0; p < 4; p++) {
        check_pass(&serial, GP_U32, 0, p);
        if (cheap || p == 1) check_pass(&local, GP_U32, 4, p);
    }
    for (p = 0; p < 8; p++) {
        if (p % 3 != 1 && test_small()) continue;
        check_pass(&serial, GP_U64, 8, p);
        if (cheap) check_pass(&local, GP_U64, 0, p);
    }
}

/* ------------------------------------------------------------------ launches */

/* Of a sort of as many keys as the device finds in a buffer, at most `count`: none. */
static uint64_t launches_of(gp_context *gp, size_t count)
{
    const uint32_t none = 0;
    gp_sort_desc d = {0};
    gp_stats before;
    d.key_type = GP_U32;
    d.strategy = GP_STRATEGY_SINGLE_PASS;
    d.count = count;
    d.count_buffer = test_buffer(gp, 4, &none);
    d.count_type = GP_U32;
    d.keys = test_buffer(gp, 4 * count, NULL);
    before = test_profile_of(gp);
    assert_gp(gp, gp_sort(gp, &d));
    assert_gp(gp, gp_finish(gp));
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.count_buffer);
    return test_profile_of(gp).launches - before.launches;
}

/* The last launch stands by where the device is fair and there are not too many keys for one group; else three a pass. */
static void test_launches(void **state)
{
    const gp_context_desc desc = {0};
    gp_context *gp = test_open_if(&desc);
    const bool fair = gp_context_info(gp)->fair;
    (void)state;
    assert_int_equal(launches_of(gp, 1 << 20), fair ? 8 : 20);
    assert_int_equal(launches_of(gp, (1 << 24) + 1), 20);
    test_pretend_unfair(gp);
    assert_int_equal(launches_of(gp, 1 << 20), 20);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_pass),
        cmocka_unit_test(test_launches),
    };
    return cmocka_run_group_tests_name("sort_abandoned", tests, NULL, NULL);
}
