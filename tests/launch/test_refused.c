/* test_refused.c - fields that mean nothing beside the others, names that stand for nothing, texts that no
   compiler should be given: each is an error that says so. What each call checks of its own is in its own
   test. */
#include <math.h>

#include "../support/support.h"

enum { BYTES = 4096, COUNT = 100 };

typedef struct fixture {
    gp_context *gp;
    cl_mem a, b, c, number;
} fixture;

static int setup(void **state)
{
    static fixture f;
    const uint32_t number = 50;
    f.gp = test_open(&test_variants[0], NULL);
    f.a = test_buffer(f.gp, BYTES, NULL);
    f.b = test_buffer(f.gp, BYTES, NULL);
    f.c = test_buffer(f.gp, BYTES, NULL);
    f.number = test_buffer(f.gp, 4, &number);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    clReleaseMemObject(f->a);
    clReleaseMemObject(f->b);
    clReleaseMemObject(f->c);
    clReleaseMemObject(f->number);
    gp_context_destroy(f->gp);
    return 0;
}

#define REFUSED(call, result, text) assert_gp_fails(f->gp, call, result, text)

/* ------------------------------------------------------------------ names that stand for nothing */

static void test_names(void **state)
{
    fixture *f = *state;
    gp_transform_desc t = {0};
    gp_adjacent_difference_desc d = {0};
    t.out = f->b;
    t.out_type = GP_U32;
    t.count = COUNT;
    t.map = "x";
    REFUSED(gp_transform(f->gp, &t), GP_ERROR_BUILD, test_place("map:1"));
    t.in = f->a;
    t.type = GP_U32;
    t.map = "x + y";
    REFUSED(gp_transform(f->gp, &t), GP_ERROR_BUILD, test_place("map:1"));
    t.in2 = f->a;
    t.map = "x + z";
    REFUSED(gp_transform(f->gp, &t), GP_ERROR_BUILD, test_place("map:1"));
    d.in = f->a;
    d.out = f->b;
    d.type = GP_U32;
    d.count = COUNT;
    d.map = "x + y * z";
    REFUSED(gp_adjacent_difference(f->gp, &d), GP_ERROR_BUILD, test_place("map:1"));
}

/* Names in expressions are constants: "x = 3" where "x == 3" was meant does not compile. */
static void test_assignments(void **state)
{
    static const char *const elements[] = {"x = 3", "y = 3", "z = 3", "i = 3", "x++"};
    static const char *const pairs[] = {"k = 3", "v = 3"};
    fixture *f = *state;
    const gp_hash_desc small = {.key_size = 4, .value_size = 4, .capacity = 64};
    gp_transform_desc t = {.in = f->a, .in2 = f->a, .in3 = f->a, .type = GP_U32, .out = f->b, .count = COUNT};
    gp_reduce_desc r = {.in = f->a, .in2 = f->a, .type = GP_U32, .out = f->b, .count = COUNT, .op = GP_SUM};
    gp_partition_desc p = {.in = f->a, .type = GP_U32, .out = f->b, .count = COUNT, .predicate = "x > 3"};
    gp_select_desc s = {.in = f->a, .element_size = 16, .out = f->b, .count = COUNT, .predicate = "x.y = 3"};
    gp_unique_desc u = {.keys = f->a, .key_type = GP_U32, .keys_out = f->b, .count = COUNT, .equal = "x = y"};
    gp_brackets_desc b = {.in = f->a, .type = GP_I32, .match = f->b, .count = COUNT, .map = "x = 1"};
    gp_tree_desc tree = {.parent = f->a, .in = f->c, .type = GP_U32, .end = f->b, .count = COUNT};
    gp_stencil_desc stencil = {.in = f->a, .type = GP_U32, .out = f->b, .width = COUNT, .map = "j = 1"};
    const gp_check_monoid_desc laws = {.monoid = &test_affine_monoid, .equal = "x.a = y.a"};
    gp_hash_for_each_desc each = {0};
    gp_hash table;
    size_t k;
    for (k = 0; k < sizeof elements / sizeof *elements; k++) {
        t.map = r.map = elements[k];
        REFUSED(gp_transform(f->gp, &t), GP_ERROR_BUILD, test_place("map:1"));
        if (k != 2) REFUSED(gp_reduce(f->gp, &r), GP_ERROR_BUILD, test_place("map:1"));
    }
    REFUSED(gp_select(f->gp, &s), GP_ERROR_BUILD, test_place("predicate:1"));
    p.predicate2 = "i = 3";
    REFUSED(gp_partition(f->gp, &p), GP_ERROR_BUILD, test_place("predicate2:1"));
    REFUSED(gp_unique(f->gp, &u), GP_ERROR_BUILD, test_place("equal:1"));
    REFUSED(gp_brackets(f->gp, &b), GP_ERROR_BUILD, test_place("map:1"));
    tree.map = "x = 1";
    REFUSED(gp_tree(f->gp, &tree), GP_ERROR_BUILD, test_place("map:1"));
    REFUSED(gp_stencil(f->gp, &stencil), GP_ERROR_BUILD, test_place("map:1"));
    REFUSED(gp_check_monoid(f->gp, &laws), GP_ERROR_BUILD, test_place("equal:1"));
    assert_gp(f->gp, gp_hash_create(f->gp, &small, &table));
    for (k = 0; k < 2; k++) {
        each.where = pairs[k];
        each.map = "v";
        REFUSED(gp_hash_for_each(f->gp, table, &each), GP_ERROR_BUILD, test_place("where:1"));
        each.where = NULL;
        each.map = pairs[k];
        REFUSED(gp_hash_for_each(f->gp, table, &each), GP_ERROR_BUILD, test_place("map:1"));
    }
    assert_gp(f->gp, gp_hash_destroy(f->gp, table));
}

/* Lines of a text, those that have `part` in them. */
static int lines_with(const char *text, const char *part)
{
    int lines = 0;
    const char *end;
    for (; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        char line[512];
        snprintf(line, sizeof line, "%.*s", (int)(end - text < 500 ? end - text : 500), text);
        lines += strstr(line, part) != NULL;
    }
    return lines;
}

/* The caller's own lines come first, and few about our kernels. */
static void test_build_log(void **state)
{
    fixture *f = *state;
    gp_monoid monoid = test_affine_monoid;
    gp_scan_desc scan = {0};
    gp_select_desc s = {0};
    const char *log;
    scan.in = f->a;
    scan.out = f->b;
    scan.count = COUNT;
    scan.monoid = &monoid;
    monoid.source = "typedef struct affine { uint a, b; } affine\n"
                    "static affine affine_then(affine f, affine g) { return f; }\n";
    REFUSED(gp_scan(f->gp, &scan), GP_ERROR_BUILD, test_place("monoid:1"));
    log = strchr(gp_last_error(f->gp), '\n');
    assert_non_null(log);
    log++;
    assert_true(strncmp(log, "kernels/", 8) != 0);
    assert_true(lines_with(log, "kernels/") <= 9);
    if (strstr(log, "kernels/")) assert_true(strstr(log, "monoid:1") < strstr(log, "kernels/"));
    s.in = f->a;
    s.out = f->b;
    s.count = COUNT;
    s.element_size = 16;
    s.predicate = "x == (uint4)(1)"; /* a vector, where an answer is wanted */
    REFUSED(gp_select(f->gp, &s), GP_ERROR_BUILD, test_place("predicate:"));
}

/* ------------------------------------------------------------------ texts that are too long */

static char *long_text(size_t length)
{
    char *text = malloc(length + 1);
    assert_non_null(text);
    memset(text, 'x', length);
    text[length] = 0;
    return text;
}

static void test_long_texts(void **state)
{
    fixture *f = *state;
    char *text = long_text(70000);
    gp_monoid monoid = test_affine_monoid;
    gp_transform_desc t = {0};
    gp_scan_desc scan = {0};
    t.in = scan.in = f->a;
    t.out = scan.out = f->b;
    t.type = GP_U32;
    t.count = scan.count = COUNT;
    t.map = text + 70000 - 16385;
    REFUSED(gp_transform(f->gp, &t), GP_ERROR_INVALID_ARGUMENT, "map has 16385 characters, at most 16384");
    scan.monoid = &monoid;
    monoid.source = text;
    REFUSED(gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "monoid->source has 70000 characters");
    monoid = test_affine_monoid;
    monoid.combine = text + 70000 - 257;
    REFUSED(gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "monoid->combine has 257");
    monoid = test_affine_monoid;
    monoid.type = text + 70000 - 257;
    REFUSED(gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, "monoid->type has 257");
    memset(text, ' ', 16384);
    text[0] = 'x';
    text[16384] = 0;
    t.map = text;
    assert_gp(f->gp, gp_transform(f->gp, &t));
    free(text);
}

/* ------------------------------------------------------------------ fields that mean nothing */

static void test_ignored_select(void **state)
{
    fixture *f = *state;
    gp_select_desc s = {0}, good;
    uint64_t count = 0;
    s.in = f->a;
    s.out = f->b;
    s.count = COUNT;
    s.type = GP_U32;
    s.predicate = "x > 5";
    good = s;
    s.in_count = 7;
    REFUSED(gp_select(f->gp, &s), GP_ERROR_INVALID_ARGUMENT, "in_count = 7 but indices is NULL");
    s = good;
    s.flags_type = GP_U8;
    REFUSED(gp_select(f->gp, &s), GP_ERROR_INVALID_ARGUMENT, "flags_type = 2 but flags is NULL");
    s = good;
    s.out = NULL;
    REFUSED(gp_select(f->gp, &s), GP_ERROR_INVALID_BUFFER, "at least one output is required");
    assert_gp(f->gp, gp_select_read(f->gp, &s, &count)); /* but the count */
    s.count = 0;
    assert_gp(f->gp, gp_select(f->gp, &s));
}

static void test_ignored_unique(void **state)
{
    fixture *f = *state;
    gp_unique_desc u = {0};
    gp_run_length_encode_desc r = {0};
    gp_run_length_decode_desc e = {.offsets = f->a, .offsets_type = GP_U32, .run_count = 10, .count = COUNT};
    gp_tree_desc t = {0};
    gp_brackets_desc b = {0};
    gp_partition_desc p = {0};
    u.keys = f->a;
    u.keys_out = f->b;
    u.count = r.count = t.count = COUNT;
    u.key_type = r.type = GP_U32;
    u.values = f->c;
    REFUSED(gp_unique(f->gp, &u), GP_ERROR_INVALID_ARGUMENT, "values is only used by gp_unique_by_key");
    u.values = NULL;
    u.values_out = f->c;
    REFUSED(gp_unique(f->gp, &u), GP_ERROR_INVALID_ARGUMENT, "values_out is only used by gp_unique_by_key");
    u.values_out = u.keys_out = NULL;
    REFUSED(gp_unique(f->gp, &u), GP_ERROR_INVALID_BUFFER, "at least one output is required");
    r.in = f->a;
    REFUSED(gp_run_length_encode(f->gp, &r), GP_ERROR_INVALID_BUFFER, "at least one output is required");
    REFUSED(gp_run_length_decode(f->gp, &e), GP_ERROR_INVALID_BUFFER, "at least one output is required");
    e.runs_out = f->b;
    e.in = f->c;
    REFUSED(gp_run_length_decode(f->gp, &e), GP_ERROR_INVALID_BUFFER, "out is NULL, and in");
    b.in = f->a;
    b.type = GP_U8;
    b.count = COUNT;
    REFUSED(gp_brackets(f->gp, &b), GP_ERROR_INVALID_BUFFER, "at least one output is required");
    t.parent = f->a;
    REFUSED(gp_tree(f->gp, &t), GP_ERROR_INVALID_BUFFER, "at least one output is required");
    REFUSED(gp_partition_read(f->gp, &p, NULL), GP_ERROR_INVALID_ARGUMENT, "counts is NULL");
}

static void test_join(void **state)
{
    fixture *f = *state;
    gp_key_column left[GP_KEY_COLUMNS_MAX + 1] = {{.in = f->a, .type = GP_U32}};
    gp_key_column right[GP_KEY_COLUMNS_MAX + 1] = {{.in = f->a, .type = GP_U32}};
    gp_join_desc d = {.left = left, .right = right, .left_count = COUNT, .right_count = COUNT};
    uint64_t count;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "column_count = 0, must be 1 to 8");
    d.column_count = GP_KEY_COLUMNS_MAX + 1;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "column_count = 9, must be 1 to 8");
    d.column_count = 1;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_BUFFER, "all outputs are NULL: at least one is required");
    REFUSED(gp_join_read(f->gp, &d, NULL), GP_ERROR_INVALID_ARGUMENT, "count is NULL");
    assert_gp(f->gp, gp_join_read(f->gp, &d, &count)); /* no output but the count */
    d.capacity = 3;
    REFUSED(gp_join_read(f->gp, &d, &count), GP_ERROR_INVALID_ARGUMENT,
            "capacity = 3, but left_out and right_out are NULL");
    d.left_out = f->b;
    d.capacity = COUNT;

    d.right_out = f->b;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_OVERLAP, "they overlap");
    d.right_out = f->c;
    d.kind = GP_JOIN_SEMI;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_BUFFER,
            "right_out is given, but semi and anti joins have only left rows");
    d.kind = GP_JOIN_LEFT;
    d.left_out = f->a;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_OVERLAP, "left_out");
    d.left_out = f->b;
    d.kind = GP_JOIN_KIND_COUNT;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "kind = 5 is not a gp_join_kind");
    d.kind = GP_JOIN_INNER;
    right[0].type = GP_I32;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_TYPE,
            "left[0] is a column of uint, right[0] of int: they must be of one type");
    right[0].type = GP_TYPE_NONE;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_TYPE, "right[0]: type = 0, element_size = 0");
    right[0].type = GP_U32;
    left[0].in = NULL;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_BUFFER, "left[0].in");
    left[0].in = f->a;
    right[0].in = NULL;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_BUFFER, "right[0].in");
    d.right = NULL;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "right is NULL");
    d.right = right;
    right[0].in = f->a;
    d.left_count = ((size_t)1 << 30) + 1;
    REFUSED(gp_join(f->gp, &d), GP_ERROR_COUNT_LIMIT, "left_count = 1073741825, at most 2^30");
}

static void test_sketches(void **state)
{
    fixture *f = *state;
    const gp_key_column column = {.in = f->a, .type = GP_U32};
    gp_bloom_desc b = {.columns = &column, .column_count = 1, .count = COUNT, .filter = f->b};
    gp_hyperloglog_desc h = {
        .columns = &column, .column_count = 1, .count = COUNT, .registers = f->b, .precision = 3};
    double estimate;
    REFUSED(gp_bloom_add(f->gp, &b), GP_ERROR_INVALID_ARGUMENT, "block_count = 0, must be 1 to 2^31 - 1");
    b.block_count = 2;
    b.column_count = 0;
    REFUSED(gp_bloom_add(f->gp, &b), GP_ERROR_INVALID_ARGUMENT, "column_count = 0, must be 1 to 8");
    b.column_count = 1;
    REFUSED(gp_bloom_contains(f->gp, &b), GP_ERROR_INVALID_BUFFER, "found");
    b.found = f->c;
    REFUSED(gp_bloom_add(f->gp, &b), GP_ERROR_INVALID_BUFFER, "found is given: it is gp_bloom_contains's");
    b.block_count = 1 << 20;
    REFUSED(gp_bloom_contains(f->gp, &b), GP_ERROR_INVALID_BUFFER, "filter has");
    b.block_count = 2;
    b.filter = f->a;
    b.found = NULL;
    REFUSED(gp_bloom_add(f->gp, &b), GP_ERROR_OVERLAP, "they overlap");
    REFUSED(gp_hyperloglog_add(f->gp, &h), GP_ERROR_INVALID_ARGUMENT, "precision = 3, must be 4 to 18");
    REFUSED(gp_hyperloglog_estimate(f->gp, &h, &estimate), GP_ERROR_INVALID_ARGUMENT, "precision = 3");
    h.precision = 4;
    REFUSED(gp_hyperloglog_estimate(f->gp, &h, NULL), GP_ERROR_INVALID_ARGUMENT, "estimate is NULL");
    h.registers = NULL;
    REFUSED(gp_hyperloglog_estimate(f->gp, &h, &estimate), GP_ERROR_INVALID_BUFFER, "registers");
    REFUSED(gp_hyperloglog_add(f->gp, &h), GP_ERROR_INVALID_BUFFER, "registers");
    h.registers = f->a;
    REFUSED(gp_hyperloglog_add(f->gp, &h), GP_ERROR_OVERLAP, "they overlap");
}

static void test_group_by(void **state)
{
    fixture *f = *state;
    gp_key_column columns[GP_KEY_COLUMNS_MAX + 1] = {{.in = f->a, .type = GP_U32}};
    gp_group_by_desc d = {.columns = columns, .count = COUNT};
    uint64_t count;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "column_count = 0, must be 1 to 8");
    d.column_count = GP_KEY_COLUMNS_MAX + 1;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "column_count = 9, must be 1 to 8");
    d.column_count = 1;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_BUFFER, "at least one is required");
    REFUSED(gp_group_by_read(f->gp, &d, NULL), GP_ERROR_INVALID_ARGUMENT, "count is NULL");
    assert_gp(f->gp, gp_group_by_read(f->gp, &d, &count)); /* no output but the count */
    d.groups_out = f->b;
    columns[0].element_size = 4;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE,
            "exactly one of type, element_size and strings must be given");
    columns[0].type = GP_TYPE_NONE;
    columns[0].element_size = 65;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "element_size = 65, at most 64");
    columns[0].element_size = 0;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE,
            "exactly one of type, element_size and strings must be given");
    columns[0].type = (gp_type)99;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE, "type = 99");
    columns[0].type = GP_TYPE_NONE;
    columns[0].offsets = f->c;
    columns[0].offsets_type = GP_I32;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE, "offsets_type = 5, must be GP_U32 or GP_U64");
    columns[0].offsets_type = GP_U32;
    columns[0].in = NULL;
    columns[0].byte_count = 10;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_BUFFER, "columns[0].in");
    columns[0].in = f->a;
    columns[0].offsets = NULL;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_BUFFER, "columns[0].offsets");
    columns[0] = (gp_key_column){.in = f->a, .type = GP_U32, .byte_count = 16};
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE, "and strings (byte_count)");
    columns[0] = (gp_key_column){.in = f->b, .type = GP_U32};
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_OVERLAP, "groups_out");
    columns[0].in = f->a;
    d.order_out = f->b;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_OVERLAP, "order_out");
    d.order_out = NULL;
    d.count = ((size_t)1 << 30) + 1;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_COUNT_LIMIT, "at most 2^30");
}

static void test_group_results(void **state)
{
    fixture *f = *state;
    gp_reduce_desc mean = {.in = f->a, .out = f->b, .count = 16, .type = GP_F32, .op = GP_MEAN};
    const gp_key_column column = {.in = f->a, .type = GP_U32};
    const gp_arg arg = {.name = "v", .type = GP_F32, .buffer = f->a};
    gp_group_result r[9];
    gp_group_by_desc d = {.columns = &column, .column_count = 1, .count = 16, .args = &arg, .arg_count = 1};
    size_t k;
    for (k = 0; k < 9; k++) r[k] = (gp_group_result){.op = GP_COUNT, .out = f->b, .out_offset = 16 * k};
    gp_select_desc select = {
        .in = f->a, .out = f->b, .count = 16, .type = GP_F32, .args = &arg, .arg_count = 1};
    REFUSED(gp_reduce(f->gp, &mean), GP_ERROR_INVALID_OP, "op = 11: only gp_group_by takes it");
    mean.op = GP_SUM;
    mean.map = "v == 3 ? x : 0";
    mean.args = &arg;
    mean.arg_count = 1;
    REFUSED(gp_reduce(f->gp, &mean), GP_ERROR_BUILD, "an expression compares a buffer, not its element");
    select.predicate = "x > 0 && v > 3";
    REFUSED(gp_select(f->gp, &select), GP_ERROR_BUILD, "an expression compares a buffer, not its element");
    select.predicate = "v";
    REFUSED(gp_select(f->gp, &select), GP_ERROR_BUILD, "predicate");
    d.results = r;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "results is given, but result_count = 0");
    d.result_count = 33;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "result_count = 33, at most 32");
    d.result_count = 9;
    r[8].map = "v[i]";
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_ARGUMENT,
            "gp_group_by: results[8]: map or map_type is given: GP_COUNT takes neither");
    r[8].op = GP_SUM;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE, "results[8]: map_type is not set");
    r[8].map_type = GP_F32;
    r[8].op = (gp_op)77;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_OP, "results[8]: op = 77");
    r[8].op = GP_OP_NONE;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_OP, "results[8]: op is not set");
    r[8].op = GP_XOR;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_OP, "results[8]: op = 7 is bitwise");
    r[8].op = GP_ARGMAX;
    r[8].out_type = GP_F32;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE, "results[8]: argmin and argmax give u32 or u64");
    r[8].op = GP_MEAN;
    r[8].out_type = GP_U32;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE,
            "results[8]: out_type uint: must be GP_F32 or GP_F64");
    r[8].op = GP_LAST;
    r[8].out_type = (gp_type)99;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE, "results[8]: out_type = 99 is not a gp_type");
    r[8].out_type = GP_U16;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE, "results[8]: map_type float cannot");
    r[8].out_type = GP_F16;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_TYPE, "results[8]: out_type must not be GP_F16");
    r[8].out_type = GP_TYPE_NONE;
    r[8].where = "v[i] >";
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "results[8]: where");
    r[8].where = NULL;
    r[8].where = "v > 3";
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_BUILD, "an expression compares a buffer, not its element");
    r[8].where = "v";
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_BUILD, "results[8].where");
    r[8].where = NULL;
    r[8].map = "v[i]) + (1";
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_ARGUMENT, "results[8]: map");
    r[8].map = "w[i]";
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_BUILD, "results[8].map");
    r[8].map = "v[i]";
    r[8].out_offset = 100;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_OVERLAP, "results[8].out");
    r[8].out = NULL;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_INVALID_BUFFER, "results[8].out");
    r[8].out = f->a;
    REFUSED(gp_group_by(f->gp, &d), GP_ERROR_OVERLAP, "results[8].out");
}

static void test_ignored_count_type(void **state)
{
    fixture *f = *state;
    gp_sort_desc sort = {0};
    gp_scan_desc scan = {0};
    gp_search_desc search = {0};
    gp_merge_desc merge = {0};
    const char *text = "count_type = 6 but count_buffer is NULL";
    sort.keys = scan.in = search.keys = search.needles = merge.a_keys = merge.b_keys = f->a;
    sort.keys_out = scan.out = search.out = merge.keys_out = f->b;
    sort.key_type = scan.type = search.key_type = merge.key_type = GP_U32;
    sort.count = scan.count = search.count = search.needle_count = merge.a_count = merge.b_count = COUNT;
    sort.count_type = scan.count_type = search.needle_count_type = merge.b_count_type = GP_U32;
    scan.op = GP_SUM;
    REFUSED(gp_sort(f->gp, &sort), GP_ERROR_INVALID_ARGUMENT, text);
    REFUSED(gp_scan(f->gp, &scan), GP_ERROR_INVALID_ARGUMENT, text);
    REFUSED(gp_search(f->gp, &search), GP_ERROR_INVALID_ARGUMENT,
            "needle_count_type = 6 but needle_count_buffer is NULL");
    REFUSED(gp_merge(f->gp, &merge), GP_ERROR_INVALID_ARGUMENT,
            "b_count_type = 6 but b_count_buffer is NULL");
    scan.count_buffer = f->number;
    assert_gp(f->gp, gp_scan(f->gp, &scan));
}

/* The type of an output that is not wanted is checked, and otherwise ignored; so are the offsets' type of rows. */
static void test_ignored_output_types(void **state)
{
    fixture *f = *state;
    static const gp_type types[] = {GP_U32, GP_U64, GP_F32};
    const gp_sort_column column = {NULL, GP_U32, false};
    size_t i;
    for (i = 0; i < 3; i++) {
        const gp_result result = types[i] == GP_F32 ? GP_ERROR_INVALID_TYPE : GP_OK;
        gp_select_desc select = {
            .in = f->a, .out = f->b, .count = COUNT, .type = GP_U32, .predicate = "x > 5"};
        gp_unique_desc unique = {.keys = f->a, .keys_out = f->b, .count = COUNT, .key_type = GP_U32};
        gp_run_length_encode_desc encode = {.in = f->a, .out = f->b, .count = COUNT, .type = GP_U32};
        gp_run_length_decode_desc decode = {.in = f->a,
                                            .out = f->b,
                                            .type = GP_U32,
                                            .offsets = f->c,
                                            .offsets_type = GP_U32,
                                            .run_count = 10,
                                            .count = COUNT};
        gp_sort_records_desc records = {
            .in = f->a, .out = f->b, .count = COUNT, .type = GP_U32, .columns = &column, .column_count = 1};
        gp_topk_desc topk = {.keys = f->a, .keys_out = f->b, .count = COUNT, .k = 5, .key_type = GP_U32};
        gp_segmented_topk_desc rows = {.keys = f->a,
                                       .keys_out = f->b,
                                       .row_length = 10,
                                       .segment_count = 5,
                                       .k = 2,
                                       .key_type = GP_U32,
                                       .offsets_type = types[i]};
        gp_segmented_reduce_desc sums = {.in = f->a,
                                         .out = f->b,
                                         .row_length = 10,
                                         .segment_count = 5,
                                         .type = GP_U32,
                                         .op = GP_SUM,
                                         .offsets_type = types[i]};
        gp_segmented_sort_desc sorted = {.keys = f->a,
                                         .keys_out = f->b,
                                         .count = 50,
                                         .row_length = 10,
                                         .segment_count = 5,
                                         .key_type = GP_U32,
                                         .offsets_type = types[i]};
        assert_gp(f->gp, gp_segmented_topk(f->gp, &rows));
        assert_gp(f->gp, gp_segmented_reduce(f->gp, &sums));
        assert_gp(f->gp, gp_segmented_sort(f->gp, &sorted));
        select.index_type = unique.index_type = encode.index_type = decode.index_type = types[i];
        records.index_type = topk.index_type = rows.index_type = types[i];
        assert_int_equal(gp_select(f->gp, &select), result);
        assert_int_equal(gp_unique(f->gp, &unique), result);
        assert_int_equal(gp_run_length_encode(f->gp, &encode), result);
        assert_int_equal(gp_run_length_decode(f->gp, &decode), result);
        assert_int_equal(gp_sort_records(f->gp, &records), result);
        assert_int_equal(gp_topk(f->gp, &topk), result);
        assert_int_equal(gp_segmented_topk(f->gp, &rows), result);
        select.index_type = unique.index_type = encode.index_type = GP_TYPE_NONE;
        select.count_out_type = unique.count_out_type = encode.count_out_type = types[i];
        assert_int_equal(gp_select(f->gp, &select), result);
        assert_int_equal(gp_unique(f->gp, &unique), result);
        assert_int_equal(gp_run_length_encode(f->gp, &encode), result);
    }
}

static void test_ignored_hash(void **state)
{
    fixture *f = *state;
    const gp_hash_desc desc = {.key_size = 4, .value_size = 4, .capacity = 64};
    gp_hash_insert_desc put = {0};
    gp_hash_find_desc find = {0};
    gp_hash_retrieve_desc out = {0};
    gp_hash table;
    assert_gp(f->gp, gp_hash_create(f->gp, &desc, &table));
    put.keys = put.values = find.keys = f->a;
    find.values = f->b;
    put.count = find.count = 10;
    put.type = (gp_type)77;
    REFUSED(gp_hash_insert(f->gp, table, &put), GP_ERROR_INVALID_TYPE,
            "type = 77 is for gp_hash_insert_or_apply");
    REFUSED(gp_hash_insert_or_assign(f->gp, table, &put), GP_ERROR_INVALID_TYPE, "type = 77");
    find.count_type = GP_U64;
    REFUSED(gp_hash_find(f->gp, table, &find), GP_ERROR_INVALID_ARGUMENT, "count_type = 8 but count_buffer");
    out.keys = f->a;
    out.values = f->b;
    out.live_count = f->number;
    out.room = 10;
    out.descending = true;
    REFUSED(gp_hash_retrieve(f->gp, table, &out), GP_ERROR_INVALID_ARGUMENT,
            "descending is set but sort_type is 0");
    assert_gp(f->gp, gp_hash_destroy(f->gp, table));
}

/* ------------------------------------------------------------------ numbers */

static void test_numbers(void **state)
{
    fixture *f = *state;
    gp_histogram_desc h = {0};
    gp_stencil_desc s = {0};
    gp_random_desc r = {0}, good;
    h.in = s.in = f->a;
    h.out = s.out = r.out = f->b;
    s.weights = f->c;
    h.count = r.count = COUNT;
    h.type = s.type = r.type = GP_F32;
    h.bins = 10;
    h.lower.f64 = 0.1;
    h.upper.f64 = 0.1 + 1e-12; /* the same as f32 */
    REFUSED(gp_histogram(f->gp, &h), GP_ERROR_INVALID_ARGUMENT,
            "lower = 0.10000000000000001 and upper = 0.10000000000100001: as float");
    h.type = GP_U32;
    h.lower.u64 = h.upper.u64 = 0;
    h.bins = UINT32_MAX;
    REFUSED(gp_histogram(f->gp, &h), GP_ERROR_COUNT_LIMIT, "bins = 4294967295");
    h.bins = 0;
    REFUSED(gp_histogram(f->gp, &h), GP_ERROR_INVALID_ARGUMENT, "bins = 0");
    s.width = 10;
    s.height = SIZE_MAX / 32;
    s.in_pitch = 100;
    REFUSED(gp_stencil(f->gp, &s), GP_ERROR_COUNT_LIMIT, "in_pitch = 100, out_pitch = 10: more than");
    r.kind = GP_RANDOM_NORMAL;
    good = r;
    r.mean = (double)NAN;
    REFUSED(gp_random(f->gp, &r), GP_ERROR_INVALID_ARGUMENT, "mean = ");
    r = good;
    r.deviation = -1;
    REFUSED(gp_random(f->gp, &r), GP_ERROR_INVALID_ARGUMENT, "deviation = -1: must be finite as float");
    r.deviation = (double)NAN;
    REFUSED(gp_random(f->gp, &r), GP_ERROR_INVALID_ARGUMENT, "deviation = ");
    r.deviation = 1e300;
    REFUSED(gp_random(f->gp, &r), GP_ERROR_INVALID_ARGUMENT, "finite as float");
    r = good;
    r.kind = GP_RANDOM_RANGE;
    r.type = GP_U8;
    r.high.u64 = 257;
    REFUSED(gp_random(f->gp, &r), GP_ERROR_INVALID_ARGUMENT,
            "high = 257: must be low < high, of numbers of uchar");
    r.high.u64 = 256;
    assert_gp(f->gp, gp_random(f->gp, &r));
}

/* ------------------------------------------------------------------ what is allowed */

/* Flags of floats, in the same way everywhere: numbers, halves by their bits. */
static void test_float_flags(void **state)
{
    fixture *f = *state;
    const float flags[5] = {0.0f, -0.0f, 0.5f, NAN, -1.0f};
    const uint16_t halves[5] = {0, 0x8000, 0x3c00, 0x7e00, 0};
    const uint32_t in[5] = {10, 11, 12, 13, 14}, first[3] = {12, 13, 14}, second[3] = {11, 12, 13};
    cl_mem data = test_buffer(f->gp, sizeof in, in), by[2];
    gp_select_desc s = {0};
    uint64_t count;
    int k;
    by[0] = test_buffer(f->gp, sizeof flags, flags);
    by[1] = test_buffer(f->gp, sizeof halves, halves);
    s.in = data;
    s.out = f->b;
    s.type = GP_U32;
    s.count = 5;
    for (k = 0; k < 2; k++) {
        void *out;
        s.flags = by[k];
        s.flags_type = k == 0 ? GP_F32 : GP_F16;
        assert_gp(f->gp, gp_select_read(f->gp, &s, &count));
        assert_int_equal(count, 3);
        out = test_read(f->gp, f->b, sizeof first);
        assert_memory_equal(out, k == 0 ? first : second, sizeof first);
        free(out);
        clReleaseMemObject(by[k]);
    }
    clReleaseMemObject(data);
}

/* A condition may be a number, as in C: 0 does not hold, anything else does, NaN too. */
static void test_number_conditions(void **state)
{
    fixture *f = *state;
    const float in[6] = {0.0f, -0.0f, 0.25f, NAN, -1.0f, 0.0f};
    gp_select_desc s = {0};
    gp_partition_desc p = {0};
    gp_unique_desc u = {0};
    gp_reduce_by_key_desc r = {0};
    uint64_t count, counts[3];
    s.in = p.in = u.keys = r.keys = r.in = test_buffer(f->gp, sizeof in, in);
    s.out = p.out = u.keys_out = r.keys_out = f->b;
    r.out = f->c;
    s.type = p.type = u.key_type = r.key_type = r.type = GP_F32;
    s.count = p.count = u.count = r.count = 6;
    s.predicate = "x";
    assert_gp(f->gp, gp_select_read(f->gp, &s, &count));
    assert_int_equal(count, 3);
    s.predicate = "0.5f // a half is not 0";
    assert_gp(f->gp, gp_select_read(f->gp, &s, &count));
    assert_int_equal(count, 6);
    p.predicate = "x < 0";
    p.predicate2 = "x * 0.5f";
    assert_gp(f->gp, gp_partition_read(f->gp, &p, counts));
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 2);
    u.equal = "x + y"; /* of neighbours: 0, 0.25, NaN, NaN, -1 */
    assert_gp(f->gp, gp_unique_read(f->gp, &u, &count));
    assert_int_equal(count, 2);
    r.equal = "x + y";
    r.op = GP_SUM;
    assert_gp(f->gp, gp_reduce_by_key_read(f->gp, &r, &count));
    assert_int_equal(count, 2);
    clReleaseMemObject(s.in);
}

/* Scratch of which nothing is needed is not looked at. */
static void test_scratch_unneeded(void **state)
{
    fixture *f = *state;
    gp_select_desc s = {0};
    size_t bytes = 1;
    s.in = s.scratch = f->a;
    s.out = f->b;
    s.type = GP_U32;
    s.count = COUNT;
    s.predicate = "x > 5";
    assert_gp(f->gp, gp_select_scratch_size(f->gp, &s, &bytes));
    assert_int_equal(bytes, 0);
    assert_gp(f->gp, gp_select(f->gp, &s));
}

/* Reversed, with a number on the device: the rest ends where the number says. */
static void test_reversed_count(void **state)
{
    fixture *f = *state;
    uint32_t in[COUNT], *out;
    cl_mem data;
    gp_partition_desc p = {0};
    uint32_t i;
    for (i = 0; i < COUNT; i++) in[i] = i;
    data = test_buffer(f->gp, sizeof in, in);
    p.in = data;
    p.out = f->b;
    p.type = GP_U32;
    p.count = COUNT;
    p.count_buffer = f->number; /* 50 */
    p.count_type = GP_U32;
    p.predicate = "x < 20";
    p.reversed = true;
    assert_gp(f->gp, gp_partition(f->gp, &p));
    out = test_read(f->gp, f->b, sizeof in);
    for (i = 0; i < 50; i++) assert_int_equal(out[i], i < 20 ? i : 20 + 49 - i);
    free(out);
    clReleaseMemObject(data);
}

/* Argmin on a stack: an opener's index, or none. */
static void test_stack_argmin(void **state)
{
    fixture *f = *state;
    const char in[] = "a(b((c)))d";
    const uint32_t values[10] = {0, 5, 0, 3, 3, 0, 0, 0, 0, 0}, none = UINT32_MAX;
    const uint32_t expected[10] = {none, 1, 1, 3, 3, 3, 3, 1, none, none};
    cl_mem text = test_buffer(f->gp, 10, in), of = test_buffer(f->gp, sizeof values, values);
    gp_stack_scan_desc d = {0};
    void *out;
    d.in = text;
    d.type = GP_U8;
    d.values = of;
    d.value_type = GP_U32;
    d.op = GP_ARGMIN;
    d.out_type = GP_U32;
    d.out = f->b;
    d.count = 10;
    assert_gp(f->gp, gp_stack_scan(f->gp, &d));
    out = test_read(f->gp, f->b, sizeof expected);
    assert_memory_equal(out, expected, sizeof expected);
    free(out);
    clReleaseMemObject(text);
    clReleaseMemObject(of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_assignments),
        cmocka_unit_test(test_build_log),
        cmocka_unit_test(test_long_texts),
        cmocka_unit_test(test_ignored_select),
        cmocka_unit_test(test_ignored_unique),
        cmocka_unit_test(test_group_by),
        cmocka_unit_test(test_join),
        cmocka_unit_test(test_sketches),
        cmocka_unit_test(test_group_results),
        cmocka_unit_test(test_ignored_count_type),
        cmocka_unit_test(test_ignored_output_types),
        cmocka_unit_test(test_ignored_hash),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_float_flags),
        cmocka_unit_test(test_number_conditions),
        cmocka_unit_test(test_scratch_unneeded),
        cmocka_unit_test(test_reversed_count),
        cmocka_unit_test(test_stack_argmin),
    };
    return cmocka_run_group_tests_name("refused", tests, setup, teardown);
}
