/* test_hostile.c - texts of the caller's that do not keep to their place: each works as it reads, or is
   refused in words, and the context lives on. And variables of any content. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "../support/folders.h"
#include "../support/support.h"

enum { COUNT = 10 };

/* What comes of a text. */
typedef enum outcome { WORKS, REFUSED, NO_BUILD } outcome;

typedef struct row {
    const char *text;
    outcome outcome;
    const char *told; /* in the error's text */
} row;

typedef struct fixture {
    gp_context *gp;
    cl_mem in, out;
} fixture;

static int set_up(void **state)
{
    static uint32_t data[COUNT];
    fixture *f = calloc(1, sizeof *f);
    uint32_t i;
    assert_non_null(f);
    for (i = 0; i < COUNT; i++) data[i] = i + 1;
    f->gp = test_open(&test_variants[0], NULL);
    f->in = test_buffer(f->gp, sizeof data, data);
    f->out = test_buffer(f->gp, sizeof data, NULL);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    test_scan_ones(f->gp, 100);
    clReleaseMemObject(f->in);
    clReleaseMemObject(f->out);
    gp_context_destroy(f->gp);
    free(f);
    return 0;
}

/* The call has come to what the row says; refusals print nothing. */
static void check(const fixture *f, const row *row, gp_result result, long printed)
{
    const gp_result wanted[] = {GP_OK, GP_ERROR_INVALID_ARGUMENT, GP_ERROR_BUILD};
    if (result != wanted[row->outcome])
        fail_msg("\"%.80s\": %s: %s", row->text, gp_error_string(result), result ? gp_last_error(f->gp) : "");
    if (row->told && !strstr(gp_last_error(f->gp), row->told))
        fail_msg("\"%.60s\": \"%s\" has no \"%s\"", row->text, gp_last_error(f->gp), row->told);
    if (row->outcome == REFUSED && printed != 0) fail_msg("\"%.60s\": prints", row->text);
}

/* ------------------------------------------------------------------ expressions */

/* Those that work are all worth x. */
static const row expressions[] = {
    /* brackets that close ours, or open what ours close */
    {"x)", REFUSED, "map: ')' in line 1 closes nothing"},
    {"(x", REFUSED, "there is no ')' at its end, line 1"},
    {"x) + (0", REFUSED, "')' in line 1 closes nothing"},
    {"\nx); }\nstatic uint other(uint x) { return (x", REFUSED, "';' in an expression"},
    {"x) }\n__kernel void other(void) { if (0", REFUSED, "')' in line 1"},
    {"(x]", REFUSED, "']' in line 1"},
    {"x[(0])", REFUSED, "']' in line 1"},
    {"x }", REFUSED, "'}' in line 1"},
    {"x + {", REFUSED, "there is no '}'"},
    {"x <: 0 :>", REFUSED, "a digraph"},
    {"x ?\?) + ?\?( 0", REFUSED, "a trigraph"},
    {"x [ /* ] */", REFUSED, "there is no ']'"},
    {"x + ')' )", REFUSED, "')' in line 1"},
    /* cut off */
    {"x > ", REFUSED, "map, line 1: it ends after '>', where a value is expected"},
    {"x +\n1 << // shift\n", REFUSED, "map, line 2: it ends after '<', where a value is expected"},
    {"(x ? x :", REFUSED, "it ends after ':'"},
    {"x - -/**/", REFUSED, "it ends after '-'"},
    {"x.", REFUSED, "it ends after '.'"},
    {"0.f + x * 1.", WORKS, NULL},
    {"x++", NO_BUILD, NULL},
    /* comments, literals and lines without an end */
    {"x /*", REFUSED, "a comment is never closed"},
    {"x /* *\\\n/ + 1", REFUSED, "a backslash in a comment"},
    {"x /\\\n* + 1", REFUSED, "a backslash"},
    {"x // \\", REFUSED, "ends in a backslash"},
    {"x // \\ \t", REFUSED, "ends in a backslash"},
    {"x // ?\?/\n", REFUSED, "ends in a backslash"},
    {"x \\", REFUSED, "a backslash"},
    {"x \\\n + 1", REFUSED, "a backslash"},
    {"x + '", REFUSED, "is not closed on its line"},
    {"x + \"\n\"", REFUSED, "is not closed on its line"},
    {"x + '\\'", REFUSED, "is not closed on its line"},
    {"x + \"?\?/\"", REFUSED, "a trigraph"},
    {"// x", REFUSED, "contains only comments"},
    {"/**/ //", REFUSED, "contains only comments"},
    /* statements, directives, names of ours */
    {"x;", REFUSED, "';' in an expression"},
    {"0; x", REFUSED, "';' in an expression"},
    {"x\n#define x 1\n", REFUSED, "'#' in an expression"},
    {"x\n#include \"gpuprim.h\"\n", REFUSED, "line 2: '#' in an expression"},
    {"#undef GPI_WG\nx", REFUSED, "'#' in an expression"},
    {"x\n%:define y 1\n", REFUSED, "a digraph"},
    {"x\n?\?=define y 1\n", REFUSED, "a trigraph"},
    {"x\r#define y 1\r", REFUSED, "'#' in an expression"},
    {"gpi_map(x)", REFUSED, "gpi_map: names that begin with gp_, gpi_"},
    {"x + GPI_WG", REFUSED, "GPI_WG: names"},
    {"x + gp_map_tiles", REFUSED, "gp_map_tiles: names"},
    {"GP_X", REFUSED, "GP_X: names"},
    /* the compiler's business */
    {"return x", NO_BUILD, "clBuildProgram"},
    {"goto out", NO_BUILD, "clBuildProgram"},
    {"\n\nx x", NO_BUILD, "clBuildProgram"},
    {"{x}", NO_BUILD, "clBuildProgram"},
    {"x \x01", NO_BUILD, "clBuildProgram"},
    {"x + \xc3\xa9", NO_BUILD, "clBuildProgram"},
    {"x + \xff", NO_BUILD, "clBuildProgram"},
    {"nobody + x", NO_BUILD, "nobody"},
    {"x @ 1", NO_BUILD, "clBuildProgram"},
    /* strange, and as good as any */
    {"\t\v\f(x) /* ); } \xff\xc3\xa9 gpi_ # ; \" ' */\r\n+ 0x0u // ); } \\ ; # ' gpi_ ?\?/ (", WORKS, NULL},
    {"x + '\\'' - '\\'' + (uint)sizeof(\"; ( # gpi_ //\") * 0", WORKS, NULL},
};

static void check_expression(const fixture *f, const row *row)
{
    gp_transform_desc d = {0};
    gp_result result;
    uint32_t *out;
    uint32_t i;
    long printed;
    d.in = f->in;
    d.out = f->out;
    d.count = COUNT;
    d.type = GP_U32;
    d.map = row->text;
    test_quiet_begin();
    result = gp_transform(f->gp, &d);
    printed = test_quiet_end();
    check(f, row, result, printed);
    if (result != GP_OK) return;
    out = test_read(f->gp, f->out, COUNT * sizeof *out);
    for (i = 0; i < COUNT; i++) assert_int_equal(out[i], i + 1);
    free(out);
}

static void test_expressions(void **state)
{
    size_t i;
    for (i = 0; i < sizeof expressions / sizeof *expressions; i++) check_expression(*state, &expressions[i]);
}

/* Depth pairs of brackets around x. */
static void check_depth(const fixture *f, size_t depth, outcome outcome, const char *told)
{
    char text[2 * 300 + 2];
    row deep = {text, outcome, told};
    memset(text, '(', depth);
    text[depth] = 'x';
    memset(text + depth + 1, ')', depth);
    text[2 * depth + 1] = '\0';
    check_expression(f, &deep);
}

/* Brackets within brackets and signs behind signs, up to what compilers take. */
static void test_deep(void **state)
{
    char text[16001];
    row signs = {text, REFUSED, "map, line 1: more than 256 signs in a row"};
    check_depth(*state, 300, REFUSED, "map, line 1: brackets are nested more than 240 deep");
    check_depth(*state, 241, REFUSED, "map, line 1: brackets are nested more than 240 deep");
    check_depth(*state, 240, WORKS, NULL);
    memset(text, '~', 16000);
    text[16000] = '\0';
    strcpy(text + 8000, "x");
    check_expression(*state, &signs);
    strcpy(text + 257, "x");
    check_expression(*state, &signs);
    strcpy(text + 256, "x");
    signs.outcome = WORKS;
    signs.told = NULL;
    check_expression(*state, &signs);
}

/* ------------------------------------------------------------------ every place for one */

#define BREAKS_OUT "x) + (x"

/* Every field that takes an expression refuses it by its name. */
static void test_every_field(void **state)
{
    const fixture *f = *state;
    gp_context *gp = f->gp;
    const gp_monoid plus = {
        "uint", "static uint plus(uint a, uint b) { return a + b; }", "plus", "\0\0\0", 4, true, true, false};
    gp_hash_desc how = {0};
    gp_hash table;
#define FIELD(desc, function, set, name)                                                                 \
    do {                                                                                                 \
        desc d = {0};                                                                                    \
        set;                                                                                             \
        assert_gp_fails(gp, function, GP_ERROR_INVALID_ARGUMENT, name ": ')' in line 1 closes nothing"); \
    } while (0)
    FIELD(gp_reduce_desc, gp_reduce(gp, &d), (d.type = GP_U32, d.op = GP_SUM, d.map = BREAKS_OUT), "map");
    FIELD(gp_scan_desc, gp_scan(gp, &d), (d.type = GP_U32, d.op = GP_SUM, d.map = BREAKS_OUT), "map");
    FIELD(gp_segmented_reduce_desc, gp_segmented_reduce(gp, &d),
          (d.offsets_type = GP_U32, d.type = GP_U32, d.op = GP_SUM, d.map = BREAKS_OUT), "map");
    FIELD(gp_segmented_scan_desc, gp_segmented_scan(gp, &d),
          (d.offsets_type = GP_U32, d.type = GP_U32, d.op = GP_SUM, d.map = BREAKS_OUT), "map");
    FIELD(gp_select_desc, gp_select(gp, &d), (d.type = GP_U32, d.predicate = BREAKS_OUT), "predicate");
    FIELD(gp_partition_desc, gp_partition(gp, &d), (d.type = GP_U32, d.predicate = BREAKS_OUT), "predicate");
    FIELD(gp_partition_desc, gp_partition(gp, &d),
          (d.type = GP_U32, d.predicate = "x", d.predicate2 = BREAKS_OUT, d.second = f->in, d.rest = f->in),
          "predicate2");
    FIELD(gp_unique_desc, gp_unique(gp, &d), (d.key_type = GP_U32, d.equal = BREAKS_OUT), "equal");
    FIELD(gp_search_desc, gp_search(gp, &d), (d.key_type = GP_U32, d.map = BREAKS_OUT), "map");
    FIELD(gp_search_desc, gp_search(gp, &d), (d.key_type = GP_U32, d.needle_map = BREAKS_OUT), "needle_map");
    FIELD(gp_run_length_encode_desc, gp_run_length_encode(gp, &d), (d.type = GP_U32, d.equal = BREAKS_OUT),
          "equal");
    FIELD(gp_reduce_by_key_desc, gp_reduce_by_key(gp, &d),
          (d.key_type = GP_U32, d.type = GP_U32, d.op = GP_SUM, d.equal = BREAKS_OUT), "equal");
    FIELD(gp_reduce_by_key_desc, gp_reduce_by_key(gp, &d),
          (d.key_type = GP_U32, d.type = GP_U32, d.op = GP_SUM, d.map = BREAKS_OUT), "map");
    FIELD(gp_brackets_desc, gp_brackets(gp, &d), (d.type = GP_U8, d.map = BREAKS_OUT), "map");
    FIELD(gp_stack_scan_desc, gp_stack_scan(gp, &d),
          (d.type = GP_U8, d.value_type = GP_U32, d.op = GP_SUM, d.map = BREAKS_OUT), "map");
    FIELD(gp_stack_scan_desc, gp_stack_scan(gp, &d),
          (d.type = GP_U8, d.value_type = GP_U32, d.op = GP_SUM, d.value_map = BREAKS_OUT), "value_map");
    FIELD(gp_tree_desc, gp_tree(gp, &d), (d.type = GP_U8, d.map = BREAKS_OUT), "map");
    FIELD(gp_transform_desc, gp_transform(gp, &d), (d.type = GP_U32, d.map = BREAKS_OUT), "map");
    FIELD(gp_adjacent_difference_desc, gp_adjacent_difference(gp, &d), (d.type = GP_U32, d.map = BREAKS_OUT),
          "map");
    FIELD(gp_stencil_desc, gp_stencil(gp, &d), (d.type = GP_U32, d.map = BREAKS_OUT), "map");
    FIELD(gp_check_monoid_desc, gp_check_monoid(gp, &d), (d.monoid = &plus, d.equal = BREAKS_OUT), "equal");
    how.key_size = how.value_size = 4;
    how.capacity = 64;
    assert_gp(gp, gp_hash_create(gp, &how, &table));
    FIELD(gp_hash_for_each_desc, gp_hash_for_each(gp, table, &d), d.map = BREAKS_OUT, "map");
    FIELD(gp_hash_for_each_desc, gp_hash_for_each(gp, table, &d), (d.erase = true, d.where = BREAKS_OUT),
          "where");
    assert_gp(gp, gp_hash_destroy(gp, table));
#undef FIELD
}

/* ------------------------------------------------------------------ monoids */

#define PLUS "static uint plus(uint a, uint b) { return a + b; }"

static const row sources[] = {
    {PLUS " }", REFUSED, "monoid->source: '}' in line 1"},
    {PLUS "\nvoid f(void) {", REFUSED, "there is no '}' at its end, line 2"},
    {PLUS " /*", REFUSED, "a comment is never closed"},
    {PLUS " \"", REFUSED, "is not closed on its line"},
    {"// \\\n" PLUS, REFUSED, "ends in a backslash"},
    {PLUS " \\\n;", REFUSED, "a backslash"},
    {"#include <math.h>\n" PLUS, REFUSED, "line 1: #include"},
    {PLUS "\n # /* */ include \"plus.h\"\n", REFUSED, "line 2: #include"},
    {"#if __has_include(\"plus.h\")\n#endif\n" PLUS, REFUSED, "__has_include: the cache"},
    {"#ifdef __has_builtin\n#if __has_builtin(__builtin_trap)\n#endif\n#endif\n" PLUS, WORKS, NULL},
    {PLUS "\n#\\\ninclude \"plus.h\"\n", REFUSED, "cut by a backslash"},
    {PLUS "\n#import \"plus.h\"\n", REFUSED, "#import"},
    {"%:define plus minus\n" PLUS, REFUSED, "a digraph"},
    {"?\?=define plus minus\n" PLUS, REFUSED, "a trigraph"},
    {"#define GPI_SIZE 8\n" PLUS, REFUSED, "GPI_SIZE: names"},
    {"#define A gpi_user\n" PLUS, REFUSED, "gpi_user: names"},
    {"#define A gp\\\ni_user\n" PLUS, REFUSED, "a word is cut"},
    {PLUS " typedef gpi_user other;", REFUSED, "gpi_user: names"},
    {PLUS "\n#define uint float\n", REFUSED, "#define uint: that is a word of the library's own text"},
    {PLUS "\n#define half char\n", REFUSED, "#define half"},
    {PLUS "\n#define get_group_id(d) 0\n", REFUSED, "#define get_group_id"},
    {PLUS "\n#define if(x) while (x)\n", REFUSED, "#define if"},
    {PLUS "\n#if 1\n#/**/define\tbarrier(x)\n#endif\n", REFUSED, "#define barrier"},
    {PLUS "\n#undef CLK_GLOBAL_MEM_FENCE\n", REFUSED, "#undef CLK_GLOBAL_MEM_FENCE"},
    {PLUS "\n#if 0\n", NO_BUILD, "clBuildProgram"},
    {PLUS "\n#endif\n", NO_BUILD, "clBuildProgram"},
    {PLUS "\n#error don't\n", NO_BUILD, "don't"},
    {PLUS " typedef float uint;", NO_BUILD, "clBuildProgram"},
    {"uint plus", NO_BUILD, "clBuildProgram"},
    {"#define SUM_OF(p, q) \\\n    ((p) + \\\n     (q))\n#ifdef NOBODY\nstatic uint plus(int a) { /* twice "
     "*/\n"
     "#error don't\n#else\nstatic uint plus(uint a, uint b) {\n#endif\n    return SUM_OF(a, b);\n} // } \\",
     WORKS, NULL},
};

static gp_result sum(const fixture *f, const gp_monoid *monoid, uint32_t *result, long *printed)
{
    gp_reduce_desc d = {0};
    gp_result r;
    d.in = f->in;
    d.count = COUNT;
    d.monoid = monoid;
    test_quiet_begin();
    r = gp_reduce_read(f->gp, &d, result);
    *printed = test_quiet_end();
    return r;
}

static void test_sources(void **state)
{
    static const uint32_t zero = 0;
    size_t i;
    for (i = 0; i < sizeof sources / sizeof *sources; i++) {
        const gp_monoid monoid = {"uint", sources[i].text, "plus", &zero, 4, true, true, false};
        uint32_t result = 0;
        long printed;
        const gp_result r = sum(*state, &monoid, &result, &printed);
        check(*state, &sources[i], r, printed);
        if (r == GP_OK) assert_int_equal(result, COUNT * (COUNT + 1) / 2);
    }
}

static void test_names(void **state)
{
    static const row types[] = {
        {"uint; typedef float x", REFUSED, "';' in an expression"},
        {"uint x, ", REFUSED, "is not a type name"},
        {"uint *", REFUSED, "is not a type name"},
        {"struct { uint x", REFUSED, "monoid->type: there is no '}'"},
        {"gpi_user", REFUSED, "gpi_user: names"},
        {"4", REFUSED, "is not a type name"},
        {" unsigned\n int /**/", REFUSED, "is not a type name"},
        {" unsigned\n int ", WORKS, NULL},
    };
    static const row combines[] = {
        {"plus(a, b) + ", REFUSED, "is not a function name"},
        {"0) + plus", REFUSED, "monoid->combine: ')' in line 1"},
        {"plus; plus", REFUSED, "';' in an expression"},
        {"a b", REFUSED, "is not a function name"},
        {"gpi_user_combine", REFUSED, "gpi_user_combine: names"},
        {"minus", NO_BUILD, "minus"},
        {" plus\n", WORKS, NULL},
    };
    static const uint32_t zero = 0;
    uint32_t result;
    long printed;
    size_t i;
    for (i = 0; i < sizeof types / sizeof *types; i++) {
        const gp_monoid monoid = {types[i].text, PLUS, "plus", &zero, 4, true, true, false};
        const gp_result r = sum(*state, &monoid, &result, &printed);
        check(*state, &types[i], r, printed);
    }
    for (i = 0; i < sizeof combines / sizeof *combines; i++) {
        const gp_monoid monoid = {"uint", PLUS, combines[i].text, &zero, 4, true, true, false};
        const gp_result r = sum(*state, &monoid, &result, &printed);
        check(*state, &combines[i], r, printed);
    }
}

/* ------------------------------------------------------------------ variables */

/* GPUPRIM_DEVICE of any content and length names a device or none. */
static void test_device_variable(void **state)
{
    static const char *const values[] = {"%s%n%n%n",
                                         "\x01\xff\xfe",
                                         "nobody's device",
                                         "99999999999999999999999:0",
                                         "0:99999999999999999999999",
                                         "4294967296:0",
                                         "-1:0",
                                         "0:-1",
                                         "0:0 ",
                                         "0:0:0"};
    const char *was = getenv("GPUPRIM_DEVICE");
    char *keep = was ? malloc(strlen(was) + 1) : NULL, *text = malloc(1000001);
    size_t i;
    (void)state;
    if (keep) memcpy(keep, was, strlen(was) + 1);
    assert_non_null(text);
    memset(text, 'z', 1000000);
    text[1000000] = '\0';
    for (i = 0; i <= sizeof values / sizeof *values; i++) {
        const gp_context_desc desc = {0};
        gp_context *gp;
        assert_int_equal(setenv("GPUPRIM_DEVICE", i < sizeof values / sizeof *values ? values[i] : text, 1),
                         0);
        test_quiet_begin();
        (void)gp_context_create(&desc, &gp);
        assert_int_equal(test_quiet_end(), 0);
        if (gp)
            fail_msg("GPUPRIM_DEVICE=\"%.60s\" is %s", getenv("GPUPRIM_DEVICE"), gp_context_info(gp)->name);
        assert_non_null(strstr(gp_last_error(NULL), "no device matches GPUPRIM_DEVICE = "));
    }
    if (keep) (void)setenv("GPUPRIM_DEVICE", keep, 1);
    else (void)unsetenv("GPUPRIM_DEVICE");
    free(keep);
    free(text);
}

/* Folders to keep programs in that are none: the programs are built, and the results right. */
static void test_cache_variable(void **state)
{
    static const char *const values[] = {"/dev/null", "%s%n", "/proc/%n%s", "\x01\xff", ""};
    const char *was = getenv("GPUPRIM_CACHE");
    char *keep = was ? malloc(strlen(was) + 1) : NULL, *text = malloc(200001);
    size_t i;
    (void)state;
    if (keep) memcpy(keep, was, strlen(was) + 1);
    assert_non_null(text);
    memset(text, '/', 200000);
    text[200000] = '\0';
    for (i = 0; i <= sizeof values / sizeof *values; i++) {
        const gp_context_desc desc = {0};
        gp_context *gp;
        assert_int_equal(setenv("GPUPRIM_CACHE", i < sizeof values / sizeof *values ? values[i] : text, 1),
                         0);
        test_quiet_begin();
        gp = test_open_with(&desc);
        test_scan_ones(gp, 100);
        gp_context_destroy(gp);
        assert_int_equal(test_quiet_end(), 0);
    }
    if (keep) (void)setenv("GPUPRIM_CACHE", keep, 1);
    else (void)unsetenv("GPUPRIM_CACHE");
    free(keep);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
        TEST(test_expressions),    TEST(test_deep),  TEST(test_every_field),
        TEST(test_sources),        TEST(test_names), TEST(test_device_variable),
        TEST(test_cache_variable),
    };
    return cmocka_run_group_tests_name("hostile", tests, NULL, NULL);
}
