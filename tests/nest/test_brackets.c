/* test_brackets.c - gp_brackets against a stack on the host. */
#include "../support/brackets.h"
#include "../support/keys.h"

/* ------------------------------------------------------------------ tests */

static const size_t sizes[] = {0,    1,    2,     3,     4,     5,     7,     31,    32,   33,
                               63,   64,   65,    127,   255,   257,   1023,  1024,  1025, 4095,
                               4096, 4097, 16383, 16384, 16385, 65536, 65537, 104729};
static const size_t small_sizes[] = {0, 1, 31, 33, 257, 700};

static void test_every_variant(void **state)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t count = test_small() ? sizeof small_sizes / sizeof *sizes : sizeof sizes / sizeof *sizes;
    size_t v;
    (void)state;
    for (v = 0; v < NEST_VARIANTS; v++) {
        gp_context *gp = nest_open(v);
        if (gp) nest_check_sizes(gp, nest_variants[v].name, list, count);
        gp_context_destroy(gp);
    }
}

/* Any outputs, with and without errors; none at all is refused (test_refused.c). */
static void test_outputs(void **state)
{
    unsigned outputs, v;
    (void)state;
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        for (outputs = 1; outputs < 16; outputs++) {
            if (nest_is_dear(gp, v) && outputs != 1 && !(outputs & 1 && outputs & 8)) continue;
            nest_check_text(gp, "outputs", test_small() ? 300 : 50021, NEST_KINDS, outputs);
            nest_check_text(gp, "outputs", 20, NEST_KINDS, outputs);
        }
        gp_context_destroy(gp);
    }
}

/* More than two launches' worth of leaves, and sizes in the millions. */
static void test_large(void **state)
{
    static const size_t large[] = {(1 << 20) + 123, 1 << 24};
    gp_context *gp;
    size_t k, p;
    (void)state;
    if (test_small()) return;
    gp = nest_open(0);
    for (k = 0; k < 2; k++) {
        for (p = 0; p < NEST_PATTERNS; p++) {
            const bool some = p == NEST_DEEP || p == NEST_BROKEN;
            if (k == 0 || (some && !test_builds_are_cheap(gp)))
                nest_check_text(gp, "large", large[k], (nest_pattern)p, 15);
        }
    }
    gp_context_destroy(gp);
    for (k = 1; k < 4; k += 2) { /* tiles of 64 and of 32: two launches of the tree */
        gp = nest_open(k);
        if (!gp || test_builds_are_cheap(gp)) {
            gp_context_destroy(gp);
            continue;
        }
        for (p = 0; p < NEST_PATTERNS; p += 2)
            nest_check_text(gp, nest_variants[k].name, k == 3 ? test_most(gp, GP_SHAPE_LOCAL) : large[0],
                            (nest_pattern)p, 15);
        gp_context_destroy(gp);
    }
}

/* Offsets of every buffer, odd ones; indices of 64 bits. */
static void test_offsets_and_wide(void **state)
{
    const size_t n = test_small() ? 333 : 70001;
    size_t v, k;
    (void)state;
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        unsigned char *text = malloc(n);
        int *code;
        assert_non_null(text);
        for (k = 0; k < 4; k++) {
            gp_brackets_desc desc = nest_desc(n);
            desc.in_offset = 3 * k;
            desc.match_offset = 5 * k;
            desc.parent_offset = k;
            desc.depth_offset = 7 * k;
            desc.errors_offset = 0;
            desc.index_type = k % 2 ? GP_U64 : GP_U32;
            nest_fill(text, n, k < 2 ? NEST_KINDS : NEST_BROKEN);
            code = nest_codes(text, n, "()[]{}");
            nest_check(gp, "offsets", desc, text, 1, code, 15);
            free(code);
        }
        free(text);
        gp_context_destroy(gp);
    }
}

/* Pairs of the caller's, tables with many symbols, codes, maps. */
static void test_symbols(void **state)
{
    const size_t n = test_small() ? 300 : 40009;
    unsigned char *text = malloc(n);
    int32_t *wide = malloc(n * sizeof *wide);
    int8_t table[256] = {0};
    int *code = malloc(n * sizeof *code), *other;
    size_t i, v;
    (void)state;
    assert_non_null(text);
    assert_non_null(wide);
    assert_non_null(code);
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        gp_brackets_desc desc = nest_desc(n);
        for (i = 0; i < n; i++) text[i] = nest_pick("<>ab()", 6);
        other = nest_codes(text, n, "<>");
        desc.pairs = "<>";
        nest_check(gp, "pairs", desc, text, 1, other, 15);
        free(other);
        desc.pairs = NULL;
        desc.table = table;
        for (i = 0; i < 256; i++)
            table[i] = (int8_t)(i % 16 == 3 ? 1 + (int)(i / 64) : i % 16 == 9 ? -1 - (int)(i / 64) : 0);
        for (i = 0; i < n; i++) text[i] = (unsigned char)(test_random() >> 9);
        for (i = 0; i < n; i++) code[i] = table[text[i]];
        nest_check(gp, "table", desc, text, 1, code, 15);
        if (nest_is_dear(gp, v)) {
            gp_context_destroy(gp);
            continue;
        }
        desc.table = NULL;
        desc.type = GP_I8;
        for (i = 0; i < n; i++) code[i] = (int)(test_random() >> 7) % 3 - 1;
        for (i = 0; i < n; i++) text[i] = (unsigned char)(signed char)code[i];
        nest_check(gp, "codes of 8 bits", desc, text, 1, code, 15);
        desc.type = GP_I32;
        for (i = 0; i < n; i++) wide[i] = code[i] = (int)(test_random() >> 7) % 5 * 100000 - 200000;
        nest_check(gp, "codes of 32 bits", desc, wide, 4, code, 15);
        desc.map = "x == 200000 ? 1 : x == 0 && i % 3 != 0 ? -1 : 0 // of the index too";
        for (i = 0; i < n; i++) code[i] = wide[i] == 200000 ? 1 : wide[i] == 0 && i % 3 != 0 ? -1 : 0;
        nest_check(gp, "map", desc, wide, 4, code, 15);
        gp_context_destroy(gp);
    }
    free(code);
    free(wide);
    free(text);
}

/* Maps of bytes: with an argument that changes from call to call; one that divides by zero for a symbol which does
   not occur; one that names the index, and ones with a macro that does, of an argument's source or of the context's
   options. */
typedef struct byte_map {
    gp_type type;
    const char *map;
    int (*code)(int x, size_t i, int a);
} byte_map;

static int code_of_class(int x, size_t i, int a)
{
    (void)i;
    return x % 16 == a ? 1 + x / 64 : x % 16 == 9 ? -1 - x / 64 : 0;
}
static int code_of_signed(int x, size_t i, int a)
{
    (void)i;
    return x < -100 ? -x : x > 90 ? -200 - x : x == -a ? 1 : 0;
}
static int code_of_quotient(int x, size_t i, int a)
{
    (void)i;
    (void)a;
    return 1000 / (x - 7) > 4 ? 1 : 1000 / (x - 7) < -140 ? -1 : x > 240 ? -1 : 0;
}
static int code_of_place(int x, size_t i, int a) { return (int)i % 3 == a % 3 ? x % 3 - 1 : 0; }

static const byte_map byte_maps[] = {
    {GP_U8, "x % 16 == a ? 1 + x / 64 : x % 16 == 9 ? -1 - x / 64 : 0", code_of_class},
    {GP_I8, "x < -100 ? -x : x > 90 ? -200 - x : x == -a ? 1 : 0", code_of_signed},
    {GP_U8, "1000 / (x - 7) > 4 ? 1 : 1000 / (x - 7) < -140 ? -1 : x > 240 ? -1 : 0", code_of_quotient},
    {GP_U8, "i % 3 == a % 3 ? x % 3 - 1 : 0", code_of_place},
    {GP_U8, "PLACE % 3 == a % 3 ? x % 3 - 1 : 0", code_of_place},
    {GP_U8, "OPTION % 3 == a % 3 ? x % 3 - 1 : 0", code_of_place},
};

static void check_byte_map(gp_context *gp, const char *name, const byte_map *m, gp_brackets_desc desc, int a)
{
    static const gp_record place = {
        .source = "#define PLACE i\ntypedef int whole;", .cl_type = "whole", .size = 4};
    const gp_arg number = {.name = "a", .type = GP_I32, .value = &a};
    const gp_arg with_source = {.name = "a", .record = &place, .value = &a};
    const size_t n = desc.count;
    unsigned char *text = malloc(n);
    int *code = malloc(n * sizeof *code);
    size_t i;
    assert_non_null(text);
    assert_non_null(code);
    for (i = 0; i < n; i++) {
        text[i] = (unsigned char)(i < 256 ? i : test_random() >> 9);
        if (m->code == code_of_quotient && text[i] == 7) text[i] = 8;
        code[i] = m->code(m->type == GP_I8 ? (signed char)text[i] : text[i], i, a);
    }
    desc.type = m->type;
    desc.map = m->map;
    desc.args = strstr(m->map, "PLACE") ? &with_source : &number;
    desc.arg_count = 1;
    nest_check(gp, name, desc, text, 1, code, 15);
    free(code);
    free(text);
}

static void test_maps_of_bytes(void **state)
{
    enum { MAPS = sizeof byte_maps / sizeof *byte_maps };
    const size_t n = test_small() ? 300 : 40009;
    size_t v, k;
    int a;
    (void)state;
    for (v = 0; v < 6; v++) {
        for (k = 0; k < MAPS; k++) {
            gp_context *gp = NULL;
            if (v == 2 || v == 4 || (v > 0 && k != 1)) continue; /* each is a program */
            gp = nest_open_with(v, strstr(byte_maps[k].map, "OPTION") ? "-DOPTION=i" : NULL);
            for (a = 3; gp && a < 9; a += 2)
                check_byte_map(gp, nest_variants[v].name, &byte_maps[k], nest_desc(n), a);
            gp_context_destroy(gp);
        }
    }
}

/* Of 2^k symbols, none to all of which are brackets; of the text, one symbol in sixteen may be one. */
static void make_table(size_t t, size_t n, int8_t *table, unsigned char *text, int *code)
{
    const size_t brackets = t < 9 ? ((size_t)1 << t) - 1 + t / 8 : 256 - t;
    size_t i;
    memset(table, 0, 256);
    for (i = 0; i < brackets; i++)
        table[(i * 77 + t) % 256] = (int8_t)(i % 2 ? -1 - (int)(i / 2) : 1 + (int)(i / 2));
    for (i = 0; i < n; i++) {
        const uint32_t r = test_random() >> 5;
        const size_t other = (255 * 77 + t) % 256; /* the last to become a bracket */
        text[i] = (unsigned char)(r % 16 == 0 || t % 2 ? r / 16 : other);
        code[i] = table[text[i]];
    }
}

enum { TABLES = 13 };

/* A call, and what has to come of it. */
typedef struct table_call {
    int8_t table[256];
    nest_reference *expected;
    gp_brackets_desc desc;
} table_call;

static void make_table_call(gp_context *gp, size_t t, size_t n, table_call *call)
{
    unsigned char *text = malloc(n);
    int *code = malloc(n * sizeof *code);
    assert_non_null(text);
    assert_non_null(code);
    make_table(t, n, call->table, text, code);
    call->expected = nest_reference_make(code, n);
    call->desc = nest_desc(n);
    call->desc.table = call->table;
    call->desc.in = test_buffer(gp, n, text);
    call->desc.match = test_buffer(gp, 2 * n * 4, NULL);
    call->desc.depth = test_buffer(gp, 2 * n * 4, NULL);
    free(text);
    free(code);
}

/* One program serves all tables. The calls are under way together, and each one's table is its own. */
static void check_tables(gp_context *gp)
{
    const size_t n = test_small() ? 300 : 3001;
    table_call calls[TABLES];
    uint64_t before = 0;
    size_t t;
    for (t = 0; t < TABLES; t++) make_table_call(gp, t, n, &calls[t]);
    for (t = 0; t < TABLES; t++) {
        assert_gp(gp, gp_brackets(gp, &calls[t].desc));
        memset(calls[t].table, 0, sizeof calls[t].table);
        if (t == 0) before = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    }
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, before);
    for (t = 0; t < TABLES; t++) {
        nest_compare(gp, "match", calls[t].desc.match, 0, n, 4, calls[t].expected->match);
        nest_compare(gp, "depth", calls[t].desc.depth, 0, n, 4, calls[t].expected->depth);
        nest_reference_free(calls[t].expected);
        clReleaseMemObject(calls[t].desc.in);
        clReleaseMemObject(calls[t].desc.match);
        clReleaseMemObject(calls[t].desc.depth);
    }
}

static void test_tables(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        check_tables(gp);
        gp_context_destroy(gp);
    }
}

static void test_count_on_device(void **state)
{
    static const uint32_t counts[] = {0, 1, 700, 19999, 30000};
    static const uint32_t small_counts[] = {0, 1, 70, 1999, 3000};
    size_t v, k;
    (void)state;
    for (v = 0; v < 4; v++) {
        gp_context *gp = nest_open(v);
        if (!gp) continue;
        for (k = 0; k < sizeof counts / sizeof *counts; k++) {
            if (test_small()) nest_check_count_on_device(gp, 2000, small_counts[k]);
            else nest_check_count_on_device(gp, 20000, counts[k]);
        }
        assert_true(test_profile_of(gp).clamped > 0);
        gp_context_destroy(gp);
    }
}

static void test_scratch(void **state)
{
    size_t v, n;
    (void)state;
    for (v = 0; v < 4; v += 3) {
        gp_context *gp = nest_open(v);
        nest_check_scratch(gp, test_small() ? 3000 : 300000, NEST_RANDOM);
        for (n = 1; n < (size_t)1 << (v == 0 ? 24 : 18); n *= 3)
            assert_nest_scratch_size(gp, n, v == 0 ? 1024 : 32);
        gp_context_destroy(gp);
    }
}

static void test_bad_input(void **state)
{
    gp_context *gp = nest_open(0);
    gp_brackets_desc good = nest_desc(5000), d;
    static const int8_t table[256] = {1};
    size_t bytes;
    (void)state;
    good.in = test_buffer(gp, 5000, NULL);
    good.match = test_buffer(gp, 20000, NULL);
#define REFUSED(change, result, text) \
    d = good;                         \
    change;                           \
    assert_gp_fails(gp, gp_brackets(gp, &d), result, text)
    REFUSED(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "type is not set");
    REFUSED(d.type = GP_F32, GP_ERROR_INVALID_TYPE, "type = 9");
    REFUSED(d.type = GP_U32, GP_ERROR_INVALID_TYPE, "type = 6");
    REFUSED((d.type = GP_F32, d.map = "x"), GP_ERROR_INVALID_TYPE, "type = 9");
    REFUSED((d.type = GP_I8, d.pairs = "()"), GP_ERROR_INVALID_ARGUMENT, "only one of");
    REFUSED((d.table = table, d.pairs = "()"), GP_ERROR_INVALID_ARGUMENT, "only one of");
    REFUSED((d.table = table, d.map = "x"), GP_ERROR_INVALID_ARGUMENT, "only one of");
    REFUSED(d.map = "  ", GP_ERROR_INVALID_ARGUMENT, "map is empty");
    REFUSED(d.pairs = "", GP_ERROR_INVALID_ARGUMENT, "pairs = \"\"");
    REFUSED(d.pairs = "()[", GP_ERROR_INVALID_ARGUMENT, "pairs = \"()[\"");
    REFUSED(d.pairs = "()((", GP_ERROR_INVALID_ARGUMENT, "occurs twice");
    REFUSED(d.pairs = "\"\"", GP_ERROR_INVALID_ARGUMENT, "\"\\\"\" occurs twice");
    REFUSED(d.pairs = "(\x07\n", GP_ERROR_INVALID_ARGUMENT, "pairs = \"(\\x07\\x0a\":");
    REFUSED(d.pairs = "\x9b\x9b", GP_ERROR_INVALID_ARGUMENT, "\"\\x9b\" occurs twice");
    REFUSED(d.index_type = GP_I32, GP_ERROR_INVALID_TYPE, "index_type = 5");
    REFUSED((d.index_type = GP_U32, d.count = (size_t)UINT32_MAX + 1), GP_ERROR_COUNT_LIMIT, "32 bits");
    REFUSED(d.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REFUSED(d.count = 6000, GP_ERROR_INVALID_BUFFER, "in has");
    REFUSED(d.match_offset = 1, GP_ERROR_INVALID_BUFFER, "match has");
    REFUSED(d.depth = d.match, GP_ERROR_OVERLAP, "match is bytes [0, 20000) and depth");
    REFUSED((d.count = 1250, d.match = d.in), GP_ERROR_OVERLAP, "in is bytes [0, 1250) and match");
    REFUSED(d.errors = d.match, GP_ERROR_OVERLAP, "and errors [");
    REFUSED((d.errors = d.in, d.errors_offset = 70), GP_ERROR_INVALID_BUFFER, "errors has");
    REFUSED(d.scratch = d.in, GP_ERROR_INVALID_BUFFER, "scratch");
    REFUSED((d.count_buffer = d.in, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE, "count_type");
    REFUSED((d.count_buffer = d.match, d.count_type = GP_U32), GP_ERROR_OVERLAP, "count_buffer is bytes");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    assert_gp_fails(NULL, gp_brackets(NULL, &good), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_brackets(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_brackets_read(gp, &good, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_brackets_scratch_size(gp, NULL, &bytes), GP_ERROR_INVALID_ARGUMENT, "NULL");
    clReleaseMemObject(good.in);
    clReleaseMemObject(good.match);
    gp_context_destroy(gp);
}

static void test_many(void **state)
{
    gp_context *gp = nest_open_small();
    (void)state;
    nest_check_many(gp, test_small() ? 20 : 1000);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    gp_context *gp = nest_open_small();
    gp_brackets_desc desc = nest_desc(0);
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    desc.match = test_buffer(gp, 4, NULL); /* only whether it is there matters */
    desc.parent = desc.errors = desc.match;
    warm.brackets = &desc;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    nest_check_text(gp, "warmed", 1000, NEST_TEXT, 15);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    clReleaseMemObject(desc.match);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_offsets_and_wide),
        cmocka_unit_test(test_symbols),       cmocka_unit_test(test_maps_of_bytes),
        cmocka_unit_test(test_tables),        cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_scratch),       cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_many),          cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("brackets", tests, NULL, NULL);
}
