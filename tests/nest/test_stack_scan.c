/* test_stack_scan.c - gp_stack_scan against a stack of products on the host. */
#include "../support/brackets.h"
#include "../support/keys.h"

/* ------------------------------------------------------------------ reference, check */

/* What gp_stack_scan has to give; to be freed. */
static unsigned char *expect(const test_element *e, const int *code, const unsigned char *values, size_t n,
                             const void *initial, bool exclusive)
{
    unsigned char *out = malloc((n + 1) * e->size), *stack = malloc((n + 1) * e->size), value[64];
    size_t i, height = 0;
    assert_non_null(out);
    assert_non_null(stack);
    e->identity(stack);
    if (initial) memcpy(stack, initial, e->size);
    for (i = 0; i < n; i++) {
        if (exclusive) memcpy(out + i * e->size, stack + height * e->size, e->size);
        if (code[i] > 0) {
            e->from(values + i * e->in_size, value);
            e->combine(stack + height * e->size, value, stack + (height + 1) * e->size);
            height++;
        }
        if (code[i] < 0 && height > 0) height--;
        if (!exclusive) memcpy(out + i * e->size, stack + height * e->size, e->size);
    }
    free(stack);
    return out;
}

static gp_stack_scan_desc element_desc(const test_element *e, size_t n)
{
    gp_stack_scan_desc desc = {0};
    desc.type = GP_U8;
    desc.count = n;
    desc.value_type = e->type;
    desc.out_type = e->out_type;
    desc.op = e->op;
    desc.monoid = e->monoid;
    return desc;
}

/* Runs what `desc` says on n = count elements (fewer: `n` is on the device), and compares. */
static void check_values(gp_context *gp, const char *name, const test_element *e, gp_stack_scan_desc desc,
                         const void *in, size_t size, const int *code, size_t n)
{
    unsigned char *values = test_input(e, TEST_RANDOM, desc.count + 1);
    unsigned char *expected = expect(e, code, values, n, desc.initial, desc.exclusive);
    const char *what;
    size_t at;
    desc.in = guarded(gp, desc.in_offset, desc.count, size, in);
    desc.values = guarded(gp, desc.values_offset, desc.count, e->in_size, values);
    desc.out = guarded(gp, desc.out_offset, desc.count, e->size, NULL);
    assert_gp(gp, gp_stack_scan(gp, &desc));
    what = guarded_difference(gp, desc.out, desc.out_offset, n, e->size, expected, &at);
    if (what && !(n < desc.count && strcmp(what, "behind") == 0))
        fail_msg("%s: %s, %zu elements, exclusive %d: %s %zu", name, e->name, n, desc.exclusive, what, at);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.values);
    clReleaseMemObject(desc.out);
    free(values);
    free(expected);
}

static void check(gp_context *gp, const char *name, const test_element *e, size_t n, nest_pattern p,
                  bool exclusive)
{
    unsigned char *text = malloc(n + 1);
    gp_stack_scan_desc desc = element_desc(e, n);
    char title[80];
    int *code;
    assert_non_null(text);
    nest_fill(text, n, p);
    code = nest_codes(text, n, "()[]{}");
    desc.exclusive = exclusive;
    snprintf(title, sizeof title, "%s: pattern %d", name, (int)p);
    check_values(gp, title, e, desc, text, 1, code, n);
    free(code);
    free(text);
}

/* ------------------------------------------------------------------ tests */

static const size_t sizes[] = {0,   1,   2,   3,    4,    5,    31,   32,   33,   63,   64,    65,    127,
                               255, 256, 257, 1023, 1025, 2047, 2049, 4095, 4097, 8193, 16385, 32771, 104729};
static const size_t small_sizes[] = {0, 1, 31, 33, 257, 700};

static void test_every_variant(void **state)
{
    size_t v, k, p;
    (void)state;
    for (v = 0; v < NEST_VARIANTS; v++) {
        gp_context *gp = nest_open(v);
        const size_t *list = test_small() ? small_sizes : sizes;
        const size_t count = test_small() ? sizeof small_sizes / sizeof *sizes : sizeof sizes / sizeof *sizes;
        if (!gp) continue;
        for (k = 0; k < count; k++) {
            for (p = 0; p < NEST_PATTERNS; p++) {
                if (list[k] > 70 && (k + p) % 3 != 0) continue;
                check(gp, nest_variants[v].name, &test_affine, list[k], (nest_pattern)p,
                      (k + p / 3) % 2 == 0);
            }
        }
        gp_context_destroy(gp);
    }
}

/* Values of 1 to 64 bytes; where builds are dear, in the serial shape only. */
static void test_elements(void **state)
{
    static const test_element *const elements[] = {&test_matrix4, &test_matrix, &test_i16_max,
                                                   &test_u8_sum_u64};
    const size_t n = test_small() ? 300 : 30011;
    size_t v, k, p;
    (void)state;
    for (v = 0; v < NEST_VARIANTS; v += 3) {
        gp_context *gp = nest_open(v);
        const bool cheap = test_builds_are_cheap(gp);
        for (k = 0; k < sizeof elements / sizeof *elements; k++) {
            if ((v == 3 && !cheap) || (k == 1 && !cheap) || (test_small() && k > 1)) continue;
            for (p = 0; p < NEST_PATTERNS; p++)
                check(gp, nest_variants[v].name, elements[k], n, (nest_pattern)p, p % 2 == 0);
        }
        gp_context_destroy(gp);
    }
}

/* Full size tiles, two launches of the tree. */
static void test_large(void **state)
{
    const size_t large = (1 << 20) + 123;
    size_t v, p;
    (void)state;
    if (test_small()) return;
    for (v = 0; v < 4; v++) {
        gp_context *gp = nest_open(v);
        if (!gp || (v > 0 && test_builds_are_cheap(gp)) || v == 2) {
            gp_context_destroy(gp);
            continue;
        }
        for (p = 0; p < NEST_PATTERNS; p += v ? 2 : 1)
            check(gp, nest_variants[v].name, &test_affine, v == 3 ? test_most(gp, GP_SHAPE_LOCAL) : large,
                  (nest_pattern)p, p % 3 == 0);
        gp_context_destroy(gp);
    }
}

/* Offsets of every buffer, odd ones; an initial value; codes of several types; a map of the values. */
static void test_descs(void **state)
{
    const size_t n = test_small() ? 333 : 20011;
    unsigned char *text = malloc(n);
    int32_t *wide = malloc(n * sizeof *wide);
    uint64_t initial = 0x0000000500000003u;
    int8_t table[256] = {0};
    gp_stack_scan_desc desc;
    size_t i, v;
    int *code;
    (void)state;
    assert_non_null(text);
    assert_non_null(wide);
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        const bool dear = v == 3 && !test_builds_are_cheap(gp);
        nest_fill(text, n, NEST_BROKEN);
        code = nest_codes(text, n, "()[]{}");
        desc = element_desc(&test_affine, n);
        desc.in_offset = 3;
        desc.values_offset = 5;
        desc.out_offset = 7;
        desc.initial = &initial;
        for (i = 0; i < 2; i++) {
            desc.exclusive = i > 0;
            check_values(gp, "offsets, initial", &test_affine, desc, text, 1, code, n);
        }
        desc.table = table;
        table['('] = table['['] = 1;
        table['}'] = -1;
        for (i = 0; i < n; i++) code[i] = table[text[i]];
        if (!dear) check_values(gp, "table", &test_affine, desc, text, 1, code, n);
        desc.table = NULL;
        desc.type = GP_I8;
        desc.map = "x == '(' || x == '[' || x == '{' ? 1 : -(x == ')' || x == ']' || x == '}')";
        for (i = 0; i < n; i++) code[i] = (strchr("([{", text[i]) != NULL) - (strchr(")]}", text[i]) != NULL);
        if (!dear) check_values(gp, "map of bytes", &test_affine, desc, text, 1, code, n);
        desc.map = "i % 2 ? x == '(' || x == '[' || x == '{' : -(x == ')' || x == ']' || x == '}')";
        for (i = 0; i < n; i++) code[i] = i % 2 ? code[i] > 0 : -(code[i] < 0);
        if (!dear) check_values(gp, "map of bytes and places", &test_affine, desc, text, 1, code, n);
        desc.type = GP_I32;
        desc.map = "x > 5 ? 1 : -(x < -5)";
        for (i = 0; i < n; i++) wide[i] = (int)(test_random() >> 7) % 15 - 7;
        for (i = 0; i < n; i++) code[i] = wide[i] > 5 ? 1 : -(wide[i] < -5);
        if (!dear) check_values(gp, "map", &test_affine, desc, wide, 4, code, n);
        free(code);
        gp_context_destroy(gp);
    }
    free(wide);
    free(text);
}

/* A value's map, and argmax: of all that is open, which has the greatest value. */
static void test_arg_and_map(void **state)
{
    const size_t n = test_small() ? 300 : 20011;
    gp_context *gp = nest_open_small();
    gp_stack_scan_desc desc = {0};
    unsigned char *text = malloc(n);
    uint32_t *values = malloc(n * 4), *stack = malloc((n + 1) * 4), *got;
    uint64_t *where;
    size_t i, height = 0;
    (void)state;
    assert_true(text && values && stack);
    nest_fill(text, n, NEST_BROKEN);
    for (i = 0; i < n; i++) values[i] = test_random() >> 8;
    desc.in = test_buffer(gp, n, text);
    desc.values = test_buffer(gp, n * 4, values);
    desc.out = test_buffer(gp, n * 8, NULL);
    desc.count = n;
    desc.type = GP_U8;
    desc.value_type = GP_U32;
    desc.op = GP_ARGMAX;
    assert_gp(gp, gp_stack_scan(gp, &desc));
    where = test_read(gp, desc.out, n * 8);
    for (i = 0; i < n; i++) {
        uint64_t best = UINT64_MAX;
        size_t k;
        if (strchr("([{", text[i])) stack[height++] = (uint32_t)i;
        if (strchr(")]}", text[i]) && height > 0) height--;
        for (k = 0; k < height; k++)
            if (best == UINT64_MAX || values[stack[k]] > values[best]) best = stack[k];
        if (where[i] != best) fail_msg("argmax: %zu is %llu", i, (unsigned long long)where[i]);
    }
    desc.op = GP_SUM; /* as the depth */
    desc.value_map = "x >= 0 && i >= 0 ? 1 : 0";
    desc.exclusive = true;
    assert_gp(gp, gp_stack_scan(gp, &desc));
    got = test_read(gp, desc.out, n * 4);
    for (i = height = 0; i < n; i++) {
        if (got[i] != height) fail_msg("depth: %zu is %u", i, got[i]);
        if (strchr("([{", text[i])) height++;
        if (strchr(")]}", text[i]) && height > 0) height--;
    }
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.values);
    clReleaseMemObject(desc.out);
    free(got);
    free(where);
    free(text);
    free(values);
    free(stack);
    gp_context_destroy(gp);
}

static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 700, 19999, 30000};
    const size_t bound = test_small() ? 2000 : 20000;
    unsigned char *text = malloc(bound);
    size_t v, k;
    int *code;
    (void)state;
    assert_non_null(text);
    nest_fill(text, bound, NEST_KINDS);
    code = nest_codes(text, bound, "()[]{}");
    for (v = 0; v < 4; v++) {
        gp_context *gp = nest_open(v);
        if (!gp) continue;
        for (k = 0; k < sizeof counts / sizeof *counts; k++) {
            const uint32_t wanted = test_small() ? counts[k] / 10 : counts[k];
            gp_stack_scan_desc desc = element_desc(&test_affine, bound);
            desc.count_buffer = test_buffer(gp, 4, &wanted);
            desc.count_type = GP_U32;
            check_values(gp, "count on device", &test_affine, desc, text, 1, code,
                         wanted < bound ? wanted : bound);
            clReleaseMemObject(desc.count_buffer);
        }
        assert_true(test_profile_of(gp).clamped > 0);
        gp_context_destroy(gp);
    }
    free(code);
    free(text);
}

/* Scratch of the caller's, exactly as much as asked for. */
static void test_scratch(void **state)
{
    const size_t n = test_small() ? 700 : 50000;
    size_t v, bytes;
    (void)state;
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        gp_stack_scan_desc desc = element_desc(&test_affine, n);
        unsigned char *text = malloc(n);
        int *code;
        assert_non_null(text);
        nest_fill(text, n, NEST_RANDOM);
        code = nest_codes(text, n, "()");
        assert_gp(gp, gp_stack_scan_scratch_size(gp, &desc, &bytes));
        if (bytes > 8 * n + (n / 32 + 2) * (32 + 3 * 8) * 2 + 512) fail_msg("%zu bytes of scratch", bytes);
        desc.scratch = test_buffer(gp, bytes, NULL);
        check_values(gp, "own scratch", &test_affine, desc, text, 1, code, n);
        assert_int_equal(test_profile_of(gp).scratch_bytes, 0);
        clReleaseMemObject(desc.scratch);
        free(code);
        free(text);
        gp_context_destroy(gp);
    }
}

static void test_bad_input(void **state)
{
    gp_context *gp = nest_open(0);
    gp_stack_scan_desc good = element_desc(&test_u32_sum, 1000), d;
    size_t bytes;
    (void)state;
    good.in = test_buffer(gp, 1000, NULL);
    good.values = test_buffer(gp, 4000, NULL);
    good.out = test_buffer(gp, 4000, NULL);
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_stack_scan(gp, &d), result, text)
    REFUSED(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "type is not set");
    REFUSED((d.type = GP_I8, d.pairs = "()"), GP_ERROR_INVALID_ARGUMENT, "only one of");
    REFUSED(d.value_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "value_type is not set");
    REFUSED(d.out_type = GP_U8, GP_ERROR_INVALID_TYPE, "narrower than value_type");
    REFUSED((d.value_map = "x + q", d.map = "x - 40"), GP_ERROR_BUILD, test_place("value_map:1:5"));
    REFUSED((d.value_map = "x + 1", d.map = "x + q"), GP_ERROR_BUILD, test_place("map:1:5"));
    assert_null(strstr(gp_last_error(gp), "value_map"));
    REFUSED(d.op = GP_OP_NONE, GP_ERROR_INVALID_OP, "op is not set");
    REFUSED(d.monoid = &test_affine_monoid, GP_ERROR_INVALID_ARGUMENT,
            "value_type too unless value_map is given");
    REFUSED(d.value_map = " ", GP_ERROR_INVALID_ARGUMENT, "value_map is empty");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.values = NULL, GP_ERROR_INVALID_BUFFER, "values is NULL");
    REFUSED(d.out = NULL, GP_ERROR_INVALID_BUFFER, "out is NULL");
    REFUSED(d.values_offset = 1, GP_ERROR_INVALID_BUFFER, "values has");
    REFUSED(d.out = d.values, GP_ERROR_OVERLAP, "values is bytes");
    REFUSED((d.out = d.in, d.count = 250), GP_ERROR_OVERLAP, "in is bytes");
    REFUSED(d.scratch = d.in, GP_ERROR_INVALID_BUFFER, "scratch");
    REFUSED((d.count_buffer = d.in, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_stack_scan(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_stack_scan(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_stack_scan_scratch_size(gp, NULL, &bytes), GP_ERROR_INVALID_ARGUMENT, "NULL");
    clReleaseMemObject(good.in);
    clReleaseMemObject(good.values);
    clReleaseMemObject(good.out);
    gp_context_destroy(gp);
}

/* Random sizes in a row; a warmed-up context builds nothing more. */
static void test_many(void **state)
{
    gp_context *gp = nest_open_small();
    gp_stack_scan_desc desc = element_desc(&test_affine, 0);
    gp_warmup_desc warm = {0};
    uint64_t built;
    size_t i;
    (void)state;
    warm.stack_scan = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    for (i = 0; i < (test_small() ? 10u : 300u); i++)
        check(gp, "many", &test_affine, test_random() % (test_small() ? 500 : 5000),
              (nest_pattern)(i % NEST_PATTERNS), i % 2);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_elements),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_descs),
        cmocka_unit_test(test_arg_and_map),   cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_scratch),       cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests_name("stack_scan", tests, NULL, NULL);
}
