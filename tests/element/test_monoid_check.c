/* test_monoid_check.c - gp_check_monoid: monoids pass, what is none is told with a counter-example. */
#include <string.h>

#include "../support/support.h"

static gp_context *open_context(bool check_monoids)
{
    gp_context_desc desc = {0};
    desc.check_monoids = check_monoids;
    return test_open_if(&desc);
}

/* ------------------------------------------------------------------ what is one, and what is not */

static const uint32_t zero = 0, one[2] = {1, 0}, all = ~0u;
static const float zeros[2] = {0, 0};

static const char add_source[] = "static uint add(uint a, uint b) { return a + b; }\n";
static const char sub_source[] = "static uint sub(uint a, uint b) { return a - b; }\n";
static const char mean_source[] = "static float mean(float a, float b) { return (a + b) / 2; }\n";
static const char affine_source[] = "typedef struct affine { uint scale, offset; } affine;\n"
                                    "static affine compose(affine a, affine b)\n"
                                    "{\n"
                                    "    affine c;\n"
                                    "    c.scale = a.scale * b.scale;\n"
                                    "    c.offset = a.offset * b.scale + b.offset;\n"
                                    "    return c;\n"
                                    "}\n";
static const char sums_source[] = "typedef struct sums { float x, y; } sums;\n"
                                  "static sums both(sums a, sums b)\n"
                                  "{\n"
                                  "    sums c;\n"
                                  "    c.x = a.x + b.x;\n"
                                  "    c.y = a.y + b.y;\n"
                                  "    return c;\n"
                                  "}\n";
/* a plain sum of what stays small, and none of what does not */
static const char clipped_source[] = "static uint clipped(uint a, uint b)\n"
                                     "{\n"
                                     "    return a > 250 ? a + 2 * b : b > 250 ? a + b + 1 : a + b;\n"
                                     "}\n";

static gp_monoid monoid_of(const char *type, const char *source, const char *combine, const void *identity,
                           size_t size, bool commutative, bool exact)
{
    gp_monoid m = {0};
    m.type = type;
    m.source = source;
    m.combine = combine;
    m.identity = identity;
    m.size = size;
    m.commutative = commutative;
    m.exact = exact;
    return m;
}

static void passes(gp_context *gp, gp_monoid m)
{
    gp_check_monoid_desc desc = {0};
    desc.monoid = &m;
    assert_gp(gp, gp_check_monoid(gp, &desc));
}

static void fails(gp_context *gp, gp_monoid m, const char *text)
{
    gp_check_monoid_desc desc = {0};
    desc.monoid = &m;
    assert_int_equal(gp_check_monoid(gp, &desc), GP_ERROR_LAW);
    if (!strstr(gp_last_error(gp), text)) fail_msg("no '%s' in: %s", text, gp_last_error(gp));
    if (!strstr(gp_last_error(gp), m.type)) fail_msg("no '%s' in: %s", m.type, gp_last_error(gp));
}

static void test_verdicts(void **state)
{
    gp_context *gp = open_context(false);
    (void)state;
    passes(gp, monoid_of("uint", add_source, "add", &zero, 4, true, true));
    passes(gp, monoid_of("affine", affine_source, "compose", one, 8, false, true));
    passes(gp, monoid_of("sums", sums_source, "both", zeros, 8, true, false));
    fails(gp, monoid_of("uint", add_source, "add", one, 4, true, true), "identity is not neutral: e a = ");
    fails(gp, monoid_of("uint", sub_source, "sub", &zero, 4, false, true), "identity is not neutral");
    fails(gp, monoid_of("float", mean_source, "mean", zeros, 4, true, false), "identity is not neutral");
    fails(gp, monoid_of("affine", affine_source, "compose", one, 8, true, true),
          "is not commutative: a b = {");
    gp_context_destroy(gp);
}

/* Elements that the library made up may be none of the caller's. */
static void test_own_elements(void **state)
{
    static const uint32_t hours[] = {0, 7, 99};
    gp_context *gp = open_context(false);
    const gp_monoid m = monoid_of("uint", "static uint turn(uint a, uint b) { return (a + b) % 100; }\n",
                                  "turn", &zero, 4, true, true);
    gp_check_monoid_desc desc = {0};
    (void)state;
    fails(gp, m, "(the library's own choice; give yours as gp_check_monoid_desc.samples)");
    desc.monoid = &m;
    desc.samples = hours;
    desc.sample_count = 3;
    assert_gp(gp, gp_check_monoid(gp, &desc));
    desc.monoid = &m;
    desc.samples = &all;
    desc.sample_count = 1;
    assert_gp_fails(gp, gp_check_monoid(gp, &desc), GP_ERROR_LAW, "is not neutral");
    assert_null(strstr(gp_last_error(gp), "own choice"));
    gp_context_destroy(gp);
}

/* Rounding is no counter-example, unless the same bits are promised. */
static void test_rounding(void **state)
{
    static const float samples[] = {0.1f, 1e8f, -1e8f, 3.3f};
    gp_context *gp = open_context(false);
    gp_monoid m = monoid_of("float", "static float add(float a, float b) { return a + b; }\n", "add", zeros,
                            4, true, false);
    gp_check_monoid_desc desc = {0};
    (void)state;
    desc.monoid = &m;
    desc.samples = samples;
    desc.sample_count = 4;
    assert_gp(gp, gp_check_monoid(gp, &desc));
    m.exact = true;
    assert_int_equal(gp_check_monoid(gp, &desc), GP_ERROR_LAW);
    assert_non_null(strstr(gp_last_error(gp), "not associative"));
    gp_context_destroy(gp);
}

/* With the caller's elements, and with what it means by equal. */
static void test_samples(void **state)
{
    gp_context *gp = open_context(false);
    static const uint32_t few[] = {1, 7, 90}, many[] = {1, 7, 90, 240, 99};
    const gp_monoid clipped = monoid_of("uint", clipped_source, "clipped", &zero, 4, false, true);
    const gp_monoid nearest = monoid_of("uint", "static uint low(uint a, uint b) { return (a + b) & 255; }\n",
                                        "low", &zero, 4, true, true);
    gp_check_monoid_desc desc = {0};
    (void)state;
    desc.monoid = &clipped;
    desc.samples = few;
    desc.sample_count = 1; /* 1 + 1 + 1 and so on stays small */
    assert_gp(gp, gp_check_monoid(gp, &desc));
    desc.sample_count = 3;
    assert_int_equal(gp_check_monoid(gp, &desc), GP_ERROR_LAW);
    assert_non_null(strstr(gp_last_error(gp), "not associative: (a b) c = {"));
    desc.samples = many;
    desc.sample_count = 5;
    assert_int_equal(gp_check_monoid(gp, &desc), GP_ERROR_LAW);
    desc.monoid = &nearest; /* neutral modulo 256 only */
    desc.samples = &all;
    desc.sample_count = 1;
    assert_int_equal(gp_check_monoid(gp, &desc), GP_ERROR_LAW);
    desc.equal = "(x & 255) == (y & 255) // modulo 256";
    assert_gp(gp, gp_check_monoid(gp, &desc));
    gp_context_destroy(gp);
}

/* By itself, once for each new monoid. */
static void test_flag(void **state)
{
    gp_context *gp = open_context(true);
    const gp_monoid good = monoid_of("uint", add_source, "add", &zero, 4, true, true);
    const gp_monoid bad = monoid_of("uint", sub_source, "sub", &zero, 4, false, true);
    const uint32_t in[5] = {1, 2, 3, 4, 5};
    uint32_t sum = TEST_POISON;
    gp_reduce_desc desc = {0};
    int round;
    (void)state;
    assert_gp(gp, gp_buffer_create(gp, sizeof in, in, &desc.in));
    desc.count = 5;
    for (round = 0; round < 2; round++) {
        uint64_t launches;
        desc.monoid = &good;
        assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
        assert_int_equal(sum, 15);
        launches = test_profile_of(gp).launches;
        assert_gp(gp, gp_reduce_read(gp, &desc, &sum));
        assert_int_equal(test_profile_of(gp).launches - launches, 1); /* not tried again */
        desc.monoid = &bad;
        assert_int_equal(gp_reduce_read(gp, &desc, &sum), GP_ERROR_LAW);
        assert_non_null(strstr(gp_last_error(gp), "gp_reduce_read: monoid uint"));
    }
    clReleaseMemObject(desc.in);
    gp_context_destroy(gp);
}

static void refused(gp_context *gp, const gp_check_monoid_desc *desc, gp_result result, const char *text)
{
    assert_int_equal(gp_check_monoid(gp, desc), result);
    if (!strstr(gp_last_error(gp), text)) fail_msg("no '%s' in: %s", text, gp_last_error(gp));
}

static void test_bad_input(void **state)
{
    gp_context *gp = open_context(false);
    gp_monoid m = monoid_of("uint", add_source, "add", &zero, 4, true, true);
    gp_check_monoid_desc desc = {0};
    (void)state;
    assert_int_equal(gp_check_monoid(NULL, &desc), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_check_monoid(gp, NULL), GP_ERROR_INVALID_ARGUMENT);
    refused(gp, &desc, GP_ERROR_INVALID_ARGUMENT, "monoid is NULL");
    desc.monoid = &m;
    desc.sample_count = 3;
    refused(gp, &desc, GP_ERROR_INVALID_ARGUMENT, "samples is NULL, sample_count = 3");
    desc.samples = &zero;
    desc.sample_count = 0;
    refused(gp, &desc, GP_ERROR_INVALID_ARGUMENT, "samples is given, sample_count = 0");
    desc.samples = NULL;
    desc.equal = " ";
    refused(gp, &desc, GP_ERROR_INVALID_ARGUMENT, "equal is empty");
    desc.equal = "x y";
    refused(gp, &desc, GP_ERROR_BUILD, "gp_check_monoid: clBuildProgram");
    desc.equal = NULL;
    desc.tolerance = -1;
    refused(gp, &desc, GP_ERROR_INVALID_ARGUMENT, "tolerance = -1");
    desc.tolerance = 0;
    m.size = 6;
    refused(gp, &desc, GP_ERROR_INVALID_ARGUMENT, "monoid->size = 6");
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts), cmocka_unit_test(test_rounding),
        cmocka_unit_test(test_samples),  cmocka_unit_test(test_own_elements),
        cmocka_unit_test(test_flag),     cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
