/* test_brackets_back.c - gp_brackets by look-back, against a stack on the host. */
#include "../support/brackets.h"
#include "../support/keys.h"

static const size_t sizes[] = {0,    1,    4,     5,     6,     19,     20,     21,    31,   32,
                               33,   63,   64,    65,    128,   129,    255,    257,   1023, 1024,
                               1025, 4097, 32768, 32769, 65537, 131071, 131073, 262207};
static const size_t small_sizes[] = {0, 1, 31, 33, 65, 257, 700};

static void test_every_variant(void **state)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t count = test_small() ? sizeof small_sizes / sizeof *sizes : sizeof sizes / sizeof *sizes;
    size_t v;
    (void)state;
    for (v = NEST_VARIANTS; v < NEST_ALL_VARIANTS; v++) {
        gp_context *gp = nest_open(v);
        if (!gp) continue;
        nest_check_sizes(gp, nest_variants[v].name, list, count);
        assert_int_equal(test_profile_of(gp).abandoned, 0);
        gp_context_destroy(gp);
    }
}

/* Any outputs, with and without errors. */
static void test_outputs(void **state)
{
    unsigned outputs;
    size_t v;
    (void)state;
    for (v = 6; v < NEST_ALL_VARIANTS; v += 2) {
        gp_context *gp = nest_open(v);
        for (outputs = 1; outputs < 16 && gp; outputs++) {
            if (nest_is_dear(gp, v) && outputs != 1 && outputs != 15) continue;
            nest_check_text(gp, "outputs", test_small() ? 300 : 50021, NEST_KINDS, outputs);
            nest_check_text(gp, "outputs", 70, NEST_KINDS, outputs);
        }
        gp_context_destroy(gp);
    }
}

/* Sizes in the millions; many more tiles than groups that run at a time. */
static void test_large(void **state)
{
    size_t v, p;
    (void)state;
    if (test_small()) return;
    for (v = NEST_VARIANTS; v < NEST_ALL_VARIANTS; v++) {
        gp_context *gp = nest_open(v);
        for (p = 0; p < NEST_PATTERNS && gp; p++) {
            const bool some = p == NEST_RANDOM || p == NEST_DEEP || p == NEST_SAWTOOTH || p == NEST_COMB;
            if (v == 6 || v == 7 || (test_builds_are_cheap(gp) && v > NEST_VARIANTS)) continue;
            if (v == NEST_VARIANTS || some)
                nest_check_text(gp, nest_variants[v].name,
                                v == 8 ? test_most(gp, GP_SHAPE_LOCAL) : (1 << 20) + 123, (nest_pattern)p,
                                15);
        }
        if (gp && v == NEST_VARIANTS && !test_builds_are_cheap(gp))
            nest_check_text(gp, "large", 1 << 24, NEST_RANDOM, 15);
        gp_context_destroy(gp);
    }
}

/* One tile in k never publishes: its node, and its openers, are found in the input. */
static void test_fault_injection(void **state)
{
    const size_t n = test_small() ? 300 : 5003;
    gp_context *gp = nest_open_with(NEST_ALL_VARIANTS - 1, "-DGPI_FAULT=2");
    size_t p;
    (void)state;
    if (!gp) return;
    for (p = 0; p < NEST_PATTERNS; p++) nest_check_text(gp, "fault injection", n, (nest_pattern)p, 15);
    if (test_forces_shapes()) assert_true(test_profile_of(gp).fallbacks > 0); /* tiles are small */
    assert_int_equal(test_profile_of(gp).abandoned, 0);
    gp_context_destroy(gp);
}

/* Offsets of every buffer, odd ones; indices of 64 bits; codes, and a map. */
static void test_offsets_and_wide(void **state)
{
    const size_t n = test_small() ? 333 : 70001;
    size_t v;
    (void)state;
    for (v = 6; v < NEST_ALL_VARIANTS; v += 2) {
        gp_context *gp = nest_open(v);
        gp_brackets_desc desc = nest_desc(n);
        unsigned char *text = malloc(n);
        int *code;
        size_t i;
        assert_non_null(text);
        nest_fill(text, n, NEST_KINDS);
        code = nest_codes(text, n, "()[]{}");
        desc.in_offset = 3;
        desc.match_offset = 5;
        desc.parent_offset = 1;
        desc.depth_offset = 7;
        if (gp) nest_check(gp, "offsets", desc, text, 1, code, 15);
        desc.index_type = GP_U64;
        if (gp && !nest_is_dear(gp, v)) nest_check(gp, "wide", desc, text, 1, code, 15);
        desc.type = GP_I8;
        for (i = 0; i < n; i++) text[i] = (unsigned char)(signed char)code[i];
        if (gp && !nest_is_dear(gp, v)) nest_check(gp, "codes", desc, text, 1, code, 15);
        free(code);
        free(text);
        gp_context_destroy(gp);
    }
}

static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 64, 65, 1600, 1999, 2000, 3000};
    size_t v, k;
    (void)state;
    for (v = 6; v < NEST_ALL_VARIANTS; v += 2) {
        gp_context *gp = nest_open(v);
        for (k = 0; k < sizeof counts / sizeof *counts && gp; k++)
            nest_check_count_on_device(gp, 2000, counts[k]);
        gp_context_destroy(gp);
    }
}

static void test_scratch(void **state)
{
    const size_t n = test_small() ? 3000 : 100003;
    size_t v;
    (void)state;
    for (v = 6; v < NEST_ALL_VARIANTS; v += 2) {
        gp_context *gp = nest_open(v);
        if (!gp) continue;
        nest_check_scratch(gp, n, NEST_BROKEN);
        assert_nest_scratch_size(gp, n, v == 6 ? 64 : 32);
        gp_context_destroy(gp);
    }
}

static void test_many(void **state)
{
    size_t v;
    (void)state;
    for (v = 6; v < NEST_ALL_VARIANTS; v += 2) {
        gp_context *gp = nest_open(v);
        if (!gp) continue;
        nest_check_many(gp, test_small() ? 10 : 300);
        gp_context_destroy(gp);
    }
}

static void test_strategy(void **state)
{
    gp_context *gp = nest_open(0);
    gp_brackets_desc desc = nest_desc(100);
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.in = desc.match = test_buffer(gp, 400, NULL);
    desc.strategy = GP_STRATEGY_COUNT;
    assert_gp_fails(gp, gp_brackets(gp, &desc), GP_ERROR_INVALID_ARGUMENT, "strategy = 3");
    clReleaseMemObject(desc.in);
    gp_context_destroy(gp);
    gp = nest_open_small();
    desc = nest_desc(0);
    desc.strategy = GP_STRATEGY_SINGLE_PASS;
    desc.match = desc.parent = desc.errors = test_buffer(gp, 4, NULL); /* only whether it is there matters */
    warm.brackets = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    clReleaseMemObject(desc.match);
    desc = nest_desc(1000);
    desc.strategy = GP_STRATEGY_SINGLE_PASS;
    {
        unsigned char text[1000];
        int *code;
        nest_fill(text, 1000, NEST_TEXT);
        code = nest_codes(text, 1000, "()[]{}");
        nest_check(gp, "warmed", desc, text, 1, code, 15);
        free(code);
    }
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_fault_injection),
        cmocka_unit_test(test_offsets_and_wide),
        cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_strategy),
    };
    return cmocka_run_group_tests_name("brackets_back", tests, NULL, NULL);
}
