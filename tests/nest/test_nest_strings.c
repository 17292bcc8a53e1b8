/* test_nest_strings.c - gp_brackets on every string of brackets, in tiles so small that all goes across them. */
#include "../support/brackets.h"

/* In turns two kinds of brackets and something else. */
static const char symbols[] = "()[]x";
enum { SYMBOLS = 5, LENGTH = 8 };

static const struct tiny {
    gp_shape shape;
    uint32_t tile, group;
} tinies[] = {
    {GP_SHAPE_SERIAL, 2, 0}, {GP_SHAPE_SERIAL, 3, 0}, {GP_SHAPE_SERIAL, 4, 0},
    {GP_SHAPE_LOCAL, 1, 2},  {GP_SHAPE_LOCAL, 3, 1},  {GP_SHAPE_LOCAL, 2, 2},
};
static const gp_strategy strategies[] = {GP_STRATEGY_MULTI_PASS, GP_STRATEGY_SINGLE_PASS};
enum { TINIES = sizeof tinies / sizeof *tinies };

static size_t power(size_t length)
{
    size_t n = 1, i;
    for (i = 0; i < length; i++) n *= SYMBOLS;
    return n;
}

/* Brackets of two kinds can change places: one of each two such strings is enough. */
static bool is_first_of_two(const unsigned char *text, size_t length)
{
    size_t i = 0;
    while (i < length && text[i] == 'x') i++;
    return i == length || text[i] == '(' || text[i] == ')';
}

/* All strings of `length`, one behind the other in *text; returns how many. */
static size_t make_strings(size_t length, unsigned char *text)
{
    size_t s, k, n = 0;
    for (s = 0; s < power(length); s++) {
        size_t rest = s;
        for (k = 0; k < length; k++, rest /= SYMBOLS)
            text[n * length + k] = (unsigned char)symbols[rest % SYMBOLS];
        n += is_first_of_two(text + n * length, length);
    }
    return n;
}

typedef struct outputs {
    uint32_t *match, *parent, *depth;
    gp_brackets_errors *errors;
} outputs;

static void compare(const unsigned char *text, size_t length, const outputs *out, size_t s)
{
    nest_reference *r;
    char name[LENGTH + 1];
    int code[LENGTH];
    size_t k, at = s * length;
    for (k = 0; k < length; k++) {
        const char *p = strchr(symbols, text[at + k]);
        const int i = (int)(p - symbols);
        code[k] = i == 4 ? 0 : i % 2 ? -(i / 2 + 1) : i / 2 + 1;
    }
    memcpy(name, text + at, length);
    name[length] = 0;
    r = nest_reference_make(code, length);
    for (k = 0; k < length; k++) {
        if (out->match[at + k] != (uint32_t)r->match[k])
            fail_msg("%s: match[%zu] is %u", name, k, out->match[at + k]);
        if (out->parent[at + k] != (uint32_t)r->parent[k])
            fail_msg("%s: parent[%zu] is %u", name, k, out->parent[at + k]);
        if (out->depth[at + k] != (uint32_t)r->depth[k])
            fail_msg("%s: depth[%zu] is %u", name, k, out->depth[at + k]);
    }
    assert_errors(name, &out->errors[s], &r->errors);
    nest_reference_free(r);
}

/* Each string is a call of its own; nobody waits until the end. */
static void check_length(gp_context *gp, size_t length)
{
    unsigned char *text = malloc(power(length) * length);
    gp_brackets_desc desc = {0};
    outputs out;
    size_t n, s;
    assert_non_null(text);
    n = make_strings(length, text);
    desc.in = test_buffer(gp, n * length, text);
    desc.match = test_buffer(gp, n * length * 4, NULL);
    desc.parent = test_buffer(gp, n * length * 4, NULL);
    desc.depth = test_buffer(gp, n * length * 4, NULL);
    desc.errors = test_buffer(gp, n * sizeof *out.errors, NULL);
    desc.type = GP_U8;
    desc.count = length;
    desc.pairs = "()[]";
    for (s = 0; s < n; s++) {
        desc.in_offset = desc.match_offset = desc.parent_offset = desc.depth_offset = s * length;
        desc.errors_offset = s;
        assert_gp(gp, gp_brackets(gp, &desc));
    }
    out.match = test_read(gp, desc.match, n * length * 4);
    out.parent = test_read(gp, desc.parent, n * length * 4);
    out.depth = test_read(gp, desc.depth, n * length * 4);
    out.errors = test_read(gp, desc.errors, n * sizeof *out.errors);
    for (s = 0; s < n; s++) compare(text, length, &out, s);
    free(out.match);
    free(out.parent);
    free(out.depth);
    free(out.errors);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.match);
    clReleaseMemObject(desc.parent);
    clReleaseMemObject(desc.depth);
    clReleaseMemObject(desc.errors);
    free(text);
}

/* A device that takes half a millisecond a launch, or interprets, gets short strings only; others the longest
   in one kind of tiles, and with GPUPRIM_TEST_STRINGS=8 (make test-strings) in all. */
static size_t longest(const gp_context *gp, size_t k)
{
    const char *wanted = getenv("GPUPRIM_TEST_STRINGS");
    if (test_builds_are_cheap(gp)) return test_small() ? 3 : 4;
    if (wanted && atoi(wanted) > 0) return (size_t)atoi(wanted) < LENGTH ? (size_t)atoi(wanted) : LENGTH;
    return k % TINIES == 0 ? 6 : 5;
}

static void test_every_string(void **state)
{
    size_t k, length;
    (void)state;
    for (k = 0; k < 2 * TINIES; k++) {
        const struct tiny *t = &tinies[k % TINIES];
        gp_context_desc desc = {0};
        gp_context *gp;
        desc.strategy = strategies[k / TINIES];
        desc.tuning.shape = t->shape;
        desc.tuning.tile = t->tile;
        desc.tuning.work_group_size = t->group;
        gp = test_open_if(&desc);
        if (!gp) continue;
        for (length = 1; length <= longest(gp, k); length++) check_length(gp, length);
        gp_context_destroy(gp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_string)};
    return cmocka_run_group_tests_name("nest_strings", tests, NULL, NULL);
}
