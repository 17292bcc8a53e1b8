/* test_host_brackets.c - gp_host_brackets against a stack on the host: every kind of nest across chunks of many sizes. */
#include "../support/brackets.h"
#include "host.h"

static gp_context *gp;

static const size_t budgets[] = {3000, 20000, 200000, 0};

enum { MATCH = 1, PARENT = 2, DEPTH = 4, ERRORS = 8, ALL = 15, WIDE = 16 };

static void compare(const char *name, const char *what, const unsigned char *got, const uint64_t *expected,
                    size_t n, size_t size)
{
    const uint64_t none = size == 8 ? UINT64_MAX : UINT32_MAX;
    size_t i;
    for (i = 0; i < n; i++) {
        uint64_t index = 0;
        memcpy(&index, got + i * size, size); /* little endian */
        if (index != (expected[i] == UINT64_MAX ? none : expected[i]))
            fail_msg("%s, count %zu: %s[%zu] = %llu, not %llu", name, n, what, i, (unsigned long long)index,
                     (unsigned long long)expected[i]);
    }
}

/* Elements of `size` bytes with these codes. Returns the first chunk's size. */
static size_t check(const char *name, gp_host_brackets_desc desc, const void *in, size_t size,
                    const int *code, unsigned outputs)
{
    const size_t n = desc.count, index = outputs & WIDE ? 8 : 4, offset = 8;
    nest_reference *r = nest_reference_make(code, n);
    void *blocks[4] = {NULL};
    gp_brackets_errors errors;
    told progress = {0};
    int k;
    desc.in = copy_at(in, n * size, offset, &blocks[0]);
    if (outputs & MATCH) desc.match = copy_at(NULL, n * index, offset, &blocks[1]);
    if (outputs & PARENT) desc.parent = copy_at(NULL, n * index, offset, &blocks[2]);
    if (outputs & DEPTH) desc.depth = copy_at(NULL, n * index, offset, &blocks[3]);
    if (outputs & ERRORS) desc.errors = &errors;
    if (outputs & WIDE) desc.index_type = GP_U64;
    desc.progress = tell;
    desc.progress_user = &progress;
    assert_gp(gp, gp_host_brackets(gp, &desc));
    if (desc.match) compare(name, "match", desc.match, r->match, n, index);
    if (desc.parent) compare(name, "parent", desc.parent, r->parent, n, index);
    if (desc.depth) compare(name, "depth", desc.depth, r->depth, n, index);
    if (desc.errors) assert_errors(name, &errors, &r->errors);
    assert_memory_equal(desc.in, in, n * size);
    assert_int_equal(progress.last, n);
    for (k = 0; k < 4; k++) {
        if (blocks[k]) assert_around(blocks[k], offset, n * (k ? index : size));
        free(blocks[k]);
    }
    nest_reference_free(r);
    return (size_t)progress.first;
}

static size_t check_text(size_t n, size_t budget, nest_pattern p, unsigned outputs)
{
    const gp_host_brackets_desc desc = {.count = n, .type = GP_U8, .budget = budget};
    unsigned char *text = malloc(n + 1);
    char name[80];
    int *code;
    size_t chunk;
    assert_non_null(text);
    nest_fill(text, n, p);
    code = nest_codes(text, n, "()[]{}");
    snprintf(name, sizeof name, "pattern %d, budget %zu, outputs %u", (int)p, budget, outputs);
    chunk = check(name, desc, text, 1, code, outputs);
    free(code);
    free(text);
    return chunk;
}

/* ------------------------------------------------------------------ nests */

static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 1021, 4099};

static void test_patterns(void **state)
{
    size_t b, s;
    int p;
    (void)state;
    for (p = 0; p < NEST_PATTERNS; p++) {
        for (b = test_small() ? 1 : 0; b < sizeof budgets / sizeof *budgets; b++) {
            for (s = 0; s < sizeof sizes / sizeof *sizes - 2 * test_small(); s++) {
                const unsigned outputs = s % 3 == 2 ? 1u + (unsigned)(s + b + (size_t)p) % 15 : ALL;
                (void)check_text(sizes[s], budgets[b], (nest_pattern)p, outputs | (b % 2 ? WIDE : 0));
            }
        }
    }
}

/* Sizes around those of chunks. */
static void test_boundaries(void **state)
{
    const size_t chunk = check_text(20000, 12000, NEST_RANDOM, ALL);
    size_t k;
    int p;
    (void)state;
    assert_true(chunk > 10 && chunk < 1000);
    for (p = 0; p < NEST_PATTERNS; p++) {
        for (k = 1; k < (test_small() ? 3 : 8); k += k < 3 ? 1 : 4) {
            (void)check_text(k * chunk - 1, 12000, (nest_pattern)p, ALL);
            (void)check_text(k * chunk, 12000, (nest_pattern)p, ALL);
            (void)check_text(k * chunk + 1, 12000, (nest_pattern)p, ALL);
        }
    }
}

/* Short ones at random, in chunks of a few elements: what is open closes, or does not, in every way. */
static void test_short(void **state)
{
    size_t round, i;
    (void)state;
    for (round = 0; round < (test_small() ? 30 : 200); round++) {
        const size_t n = 1 + test_random() % 40;
        const gp_host_brackets_desc desc = {.count = n, .type = GP_I8, .budget = 700 + 40 * (round % 16)};
        int8_t in[40];
        int code[40];
        for (i = 0; i < n; i++) {
            in[i] = (int8_t)((int)(test_random() >> 5) % 7 - 3);
            code[i] = in[i];
        }
        (void)check("short", desc, in, 1, code, ALL);
    }
}

static void test_large(void **state)
{
    const size_t n = test_small() ? 5003 : ((size_t)1 << 20) + 123, budget = 6 * n;
    (void)state;
    (void)check_text(n, budget, NEST_TEXT, ALL);
    (void)check_text(n, budget, NEST_DEEP, MATCH);
    (void)check_text(n, budget, NEST_MOUNTAINS, ALL | WIDE);
}

/* ------------------------------------------------------------------ codes */

/* A table, codes, maps of numbers, of records' fields in an argument, and of positions. */
static void test_codes(void **state)
{
    enum { COUNT = 3001 };
    static unsigned char text[COUNT];
    static uint8_t letters[COUNT];
    static int32_t wide[COUNT];
    static uint64_t numbers[COUNT];
    static int8_t table[256];
    size_t b, i;
    int p;
    (void)state;
    table['a'] = table['c'] = 1;
    table['b'] = -1;
    table['z'] = 5;
    table['y'] = -5;
    for (p = NEST_RANDOM; p <= (test_small() ? NEST_KINDS : NEST_DEEP); p++) {
        int *code;
        nest_fill(text, COUNT, (nest_pattern)p);
        code = nest_codes(text, COUNT, "()[]{}");
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            gp_host_brackets_desc desc = {.count = COUNT, .type = GP_I32, .budget = budgets[b] + 2000};
            int code2[COUNT];
            cl_mem buffer;
            gp_arg args[2] = {{.name = "codes", .type = GP_I32}, {.name = "factor", .type = GP_I32}};
            int32_t factor = 3;
            for (i = 0; i < COUNT; i++) {
                letters[i] = code[i] == 1 ? "ac"[i % 2] : code[i] == -1 ? 'b' : code[i] == 2 ? 'z' : 'y';
                code2[i] = table[letters[i]];
                wide[i] = code[i] * 100000;
                numbers[i] = (uint64_t)(code[i] + 5) << 40;
            }
            (void)check("codes", desc, wide, 4, wide, ALL);
            desc.type = GP_U8;
            desc.table = table;
            (void)check("table", desc, letters, 1, code2, ALL);
            desc.table = NULL;
            desc.type = GP_U64;
            desc.map = "(int)(x >> 40) - 5 // of the upper bits";
            (void)check("map", desc, numbers, 8, code, ALL);
            for (i = 0; i < COUNT; i++) code2[i] = i % 5 == 4 ? 0 : 3 * code[i];
            buffer = test_buffer(gp, COUNT * 4, code);
            args[0].buffer = buffer;
            args[1].value = &factor;
            desc.map = "i % 5 == 4 ? 0 : codes[i] * factor";
            desc.args = args;
            desc.arg_count = 2;
            (void)check("map of positions", desc, numbers, 8, code2, ALL);
            clReleaseMemObject(buffer);
        }
        free(code);
    }
}

/* Pairs of the caller's. */
static void test_pairs(void **state)
{
    static const char text[] = "if <a (b> c) then <<d>> end > begin (";
    const size_t n = sizeof text - 1;
    size_t b;
    (void)state;
    for (b = 0; b < 4; b++) { /* several chunks */
        const gp_host_brackets_desc desc = {
            .count = n, .type = GP_U8, .pairs = "<>()", .budget = 1000 + 100 * b};
        int *code = nest_codes((const unsigned char *)text, n, "<>()");
        assert_true(check("pairs", desc, text, 1, code, ALL) < n);
        free(code);
    }
}

/* ------------------------------------------------------------------ cancel, bad input */

static void test_cancel(void **state)
{
    enum { COUNT = 5000 };
    static uint8_t text[COUNT];
    static uint32_t match[COUNT];
    uint64_t n;
    (void)state;
    nest_fill(text, COUNT, NEST_RANDOM);
    for (n = 1;; n++) {
        told progress = {.cancel_at = n};
        const gp_host_brackets_desc desc = {.in = text,
                                            .match = match,
                                            .count = COUNT,
                                            .type = GP_U8,
                                            .budget = 60000,
                                            .progress = tell,
                                            .progress_user = &progress};
        const gp_result result = gp_host_brackets(gp, &desc);
        if (progress.calls < n) {
            assert_int_equal(result, GP_OK);
            break;
        }
        assert_int_equal(result, GP_ERROR_CANCELED);
        assert_non_null(strstr(gp_last_error(gp), "gp_host_brackets: progress canceled the call after "));
    }
    assert_true(n > 4);
}

#define FAILS(change, expected, part)                                  \
    do {                                                               \
        gp_host_brackets_desc d = good;                                \
        change;                                                        \
        assert_gp_fails(gp, gp_host_brackets(gp, &d), expected, part); \
    } while (0)

static void test_refused(void **state)
{
    static uint8_t in[1000];
    static uint32_t match[1000], depth[1000];
    static const int8_t table[256] = {0};
    gp_brackets_errors errors = {.max_depth = 77};
    const gp_host_brackets_desc good = {
        .in = in, .count = 1000, .type = GP_U8, .match = match, .depth = depth, .errors = &errors};
    const gp_arg unnamed[GP_ARGS_MAX] = {{0}};
    (void)state;
    FAILS(d.in = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_brackets: in is NULL");
    FAILS(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "type = 0 is not an element type");
    FAILS(d.type = GP_F32, GP_ERROR_INVALID_TYPE, "gp_brackets");
    FAILS(d.type = GP_U16, GP_ERROR_INVALID_TYPE, "gp_brackets");
    FAILS(d.index_type = GP_I32, GP_ERROR_INVALID_TYPE, "index_type = 5 is not GP_U32 or GP_U64");
    FAILS((d.match = NULL, d.depth = NULL, d.errors = NULL), GP_ERROR_INVALID_ARGUMENT,
          "match, parent, depth and errors are NULL");
    FAILS(d.depth = match, GP_ERROR_OVERLAP, "gp_host_brackets: match and depth overlap");
    FAILS(d.parent = in + 996, GP_ERROR_OVERLAP, "gp_host_brackets: in and parent overlap");
    FAILS(d.pairs = "(((", GP_ERROR_INVALID_ARGUMENT, "pairs");
    FAILS(d.pairs = "", GP_ERROR_INVALID_ARGUMENT, "pairs");
    FAILS((d.pairs = "()", d.table = table), GP_ERROR_INVALID_ARGUMENT, "only one of pairs, table and map");
    FAILS(d.map = "x >", GP_ERROR_INVALID_ARGUMENT, "map");
    FAILS((d.map = "x", d.args = unnamed, d.arg_count = GP_ARGS_MAX), GP_ERROR_INVALID_ARGUMENT,
          "gp_host_brackets: arg_count = 16");
    FAILS(d.budget = 90, GP_ERROR_INVALID_ARGUMENT, "gp_host_brackets: budget = 90 bytes");
    FAILS(d.count = SIZE_MAX, GP_ERROR_COUNT_LIMIT, "is more than memory can hold");
    FAILS((d.count = (size_t)1 << 32, d.index_type = GP_U32), GP_ERROR_COUNT_LIMIT,
          "does not fit indices of 32 bits");
    assert_int_equal(errors.max_depth, 77);
    assert_int_equal(gp_host_brackets(NULL, &good), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_host_brackets(gp, NULL), GP_ERROR_INVALID_ARGUMENT);
}

static int open_context(void **state)
{
    (void)state;
    gp = test_open(&test_variants[0], NULL);
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
        cmocka_unit_test(test_patterns), cmocka_unit_test(test_boundaries), cmocka_unit_test(test_short),
        cmocka_unit_test(test_large),    cmocka_unit_test(test_codes),      cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_cancel),   cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
