/* test_monoid_args.c - monoids whose function takes the call's arguments: in every call that takes a monoid, against
   plain C; other arguments build nothing. */
#include "../support/keys.h"

/* Across several tiles in every variant, with a ragged end. */
#define COUNT (test_small() ? (size_t)2003 : (size_t)70007)
enum { TABLE_AT = 3, TABLE = 4, OFFSET = 3 };

/* What the functions are given, the first and the second time; table[2] is a modulus. */
static const uint32_t limits[2] = {900, 50000}, tables[2][TABLE] = {{1, 5, 251, 9}, {4, 2, 65521, 7}};

/* A monoid with a reference in C. */
typedef struct kind {
    const char *name, *map; /* an element made of a uint */
    gp_monoid monoid;
    void (*combine)(const uint32_t *a, const uint32_t *b, uint32_t limit, const uint32_t *table,
                    uint32_t *out);
    void (*unit)(uint32_t x, uint32_t limit, uint32_t *out);
} kind;

static void combine_moves(const uint32_t *a, const uint32_t *b, uint32_t limit, const uint32_t *table,
                          uint32_t *out)
{
    const uint32_t move[3] = {a[0] * b[0] % table[2], (a[1] * b[0] + b[1]) % table[2],
                              a[2] + b[2] < limit ? a[2] + b[2] : limit};
    memcpy(out, move, sizeof move);
}

static void unit_move(uint32_t x, uint32_t limit, uint32_t *out)
{
    out[0] = x % 200 + 1;
    out[1] = x / 7 % 250;
    out[2] = x % (limit / 300);
}

static void combine_sums(const uint32_t *a, const uint32_t *b, uint32_t limit, const uint32_t *table,
                         uint32_t *out)
{
    *out = *a + *b < limit + table[1] ? *a + *b : limit + table[1];
}

static void unit_sum(uint32_t x, uint32_t limit, uint32_t *out) { *out = x % (limit / 300); }

static const uint32_t identity_move[3] = {1, 0, 0}, identity_sum = 0;
#define MOVES                                                                                          \
    "typedef struct { uint m, c, sum; } move;\n"                                                       \
    "move follow(move a, move b, const uint limit, __global const uint *table)\n{\n"                   \
    "    move s;\n    s.m = a.m * b.m % table[2];\n    s.c = (a.c * b.m + b.c) % table[2];\n"          \
    "    s.sum = min(a.sum + b.sum, limit);\n    return s;\n}\n"                                       \
    "move move_of(uint x, uint limit)\n{\n    const move s = {x % 200 + 1, x / 7 % 250, x % (limit / " \
    "300)};\n"                                                                                         \
    "    return s;\n}\n"
#define MOVE_MONOID \
    .type = "move", .source = MOVES, .combine = "follow", .identity = identity_move, .size = 12

static const kind kinds[] = {
    {"moves",
     "move_of(x, limit)",
     {MOVE_MONOID, .exact = true, .takes_args = true},
     combine_moves,
     unit_move},
    {"moves that are not exact",
     "move_of(x, limit)",
     {MOVE_MONOID, .takes_args = true},
     combine_moves,
     unit_move},
    {"sums",
     "x % (limit / 300)",
     {.type = "uint",
      .source =
          "uint add(uint a, uint b, uint limit, __global const uint *table) { return min(a + b, limit + "
          "table[1]); }",
      .combine = "add",
      .identity = &identity_sum,
      .size = 4,
      .commutative = true,
      .exact = true,
      .takes_args = true},
     combine_sums,
     unit_sum},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct data {
    gp_context *gp;
    const kind *kind;
    const char *variant;
    size_t count, words; /* of an element */
    uint32_t *x, *elements, *wanted;
    cl_mem numbers, in, table[2];
    uint32_t limit;
    const uint32_t *given; /* the table that the call has */
    gp_arg args[2];
    bool mapped;
} data;

static void data_open(data *d, gp_context *gp, const char *variant, const kind *kind, size_t count)
{
    size_t i, k;
    memset(d, 0, sizeof *d);
    d->gp = gp;
    d->kind = kind;
    d->variant = variant;
    d->count = count;
    d->words = kind->monoid.size / 4;
    d->x = malloc((count + 1) * 4);
    d->elements = malloc((count + 1) * kind->monoid.size);
    d->wanted = malloc((count + 1) * kind->monoid.size);
    assert_true(d->x && d->elements && d->wanted);
    for (i = 0; i < count; i++) d->x[i] = test_random() >> 8;
    for (i = 0; i < count; i++) kind->unit(d->x[i], limits[0], d->elements + i * d->words);
    d->numbers = guarded(gp, OFFSET, count, 4, d->x);
    d->in = guarded(gp, OFFSET, count, kind->monoid.size, d->elements);
    for (k = 0; k < 2; k++) {
        uint32_t padded[TABLE_AT + TABLE] = {0};
        memcpy(padded + TABLE_AT, tables[k], sizeof tables[k]);
        d->table[k] = test_buffer(gp, sizeof padded, padded);
    }
    d->args[0] = (gp_arg){.name = "limit", .type = GP_U32, .value = &d->limit};
    d->args[1] = (gp_arg){.name = "table", .type = GP_U32, .offset = TABLE_AT, .count = TABLE};
}

static void data_close(data *d)
{
    clReleaseMemObject(d->numbers);
    clReleaseMemObject(d->in);
    clReleaseMemObject(d->table[0]);
    clReleaseMemObject(d->table[1]);
    free(d->x);
    free(d->elements);
    free(d->wanted);
}

static void data_set(data *d, int time)
{
    d->limit = limits[time];
    d->given = tables[time];
    d->args[1].buffer = d->table[time];
}

/* Element i of the call: of memory, or made by the map. */
static void element_of(const data *d, size_t i, uint32_t *out)
{
    if (d->mapped) d->kind->unit(d->x[i], d->limit, out);
    else memcpy(out, d->elements + i * d->words, d->words * 4);
}

static void append(const data *d, const uint32_t *a, const uint32_t *b, uint32_t *out)
{
    d->kind->combine(a, b, d->limit, d->given, out);
}

/* What stands before all. */
static void initial_of(const data *d, uint32_t *out)
{
    d->kind->unit(12345, limits[0], out);
    (void)d;
}

static cl_mem output(const data *d, size_t count)
{
    return guarded(d->gp, OFFSET, count, d->words * 4, NULL);
}

/* Releases it, too. */
static void expect(const data *d, cl_mem out, size_t count, const char *call)
{
    size_t at = 0;
    const char *what = guarded_difference(d->gp, out, OFFSET, count, d->words * 4, d->wanted, &at);
    if (what)
        fail_msg("%s, %s, %s%s: %zu elements: %s %zu", d->variant, d->kind->name, call,
                 d->mapped ? ", mapped" : "", d->count, what, at);
    clReleaseMemObject(out);
}

#define INPUT                                                                          \
    .in = d->mapped ? d->numbers : d->in, .in_offset = OFFSET, .count = d->count,      \
    .type = d->mapped ? GP_U32 : GP_TYPE_NONE, .map = d->mapped ? d->kind->map : NULL, \
    .monoid = &d->kind->monoid, .args = d->args, .arg_count = 2

/* ------------------------------------------------------------------ calls */

static void check_reduce(data *d)
{
    uint32_t initial[3], x[3];
    const gp_reduce_desc desc = {INPUT, .initial = initial, .out_offset = OFFSET};
    gp_reduce_desc call = desc;
    size_t i;
    initial_of(d, initial);
    memcpy(d->wanted, initial, d->words * 4);
    for (i = 0; i < d->count; i++) {
        element_of(d, i, x);
        append(d, d->wanted, x, d->wanted);
    }
    call.out = output(d, 1);
    assert_gp(d->gp, gp_reduce(d->gp, &call));
    expect(d, call.out, 1, "reduce");
}

/* From either end, with the element and without. */
static void check_scan(data *d)
{
    uint32_t initial[3];
    unsigned form;
    initial_of(d, initial);
    for (form = 0; form < 4; form++) {
        const bool reverse = form & 1, exclusive = form & 2;
        gp_scan_desc call = {INPUT, .exclusive = exclusive, .reverse = reverse, .initial = initial,
                             .out_offset = OFFSET};
        uint32_t sum[3], next[3], x[3];
        size_t k;
        memcpy(sum, initial, sizeof sum);
        for (k = 0; k < d->count; k++) {
            const size_t i = reverse ? d->count - 1 - k : k;
            element_of(d, i, x);
            if (reverse) append(d, x, sum, next);
            else append(d, sum, x, next);
            memcpy(d->wanted + i * d->words, exclusive ? sum : next, d->words * 4);
            memcpy(sum, next, sizeof sum);
        }
        call.out = output(d, d->count);
        assert_gp(d->gp, gp_scan(d->gp, &call));
        expect(d, call.out, d->count, "scan");
    }
}

/* Runs of 1 to 40, and a long one. */
static uint32_t *make_keys(const data *d)
{
    uint32_t *keys = malloc((d->count + 1) * 4), key = 1;
    size_t i, left = 0;
    assert_non_null(keys);
    for (i = 0; i < d->count; i++) {
        if (left == 0)
            left = i > d->count / 2 && i < d->count / 2 + 100 ? d->count / 4 : 1 + test_random() % 40, key++;
        left--;
        keys[i] = key;
    }
    return keys;
}

static void check_segments(data *d)
{
    uint32_t initial[3], sum[3], x[3], *keys = make_keys(d);
    unsigned form;
    size_t i;
    initial_of(d, initial);
    for (form = 0; form < 4; form++) {
        const bool exclusive = form & 1;
        gp_scan_desc call = {INPUT,
                             .exclusive = exclusive,
                             .initial = initial,
                             .out_offset = OFFSET,
                             .segments = form & 2 ? GP_SEGMENTS_BY_KEYS : GP_SEGMENTS_BY_FLAGS,
                             .heads_type = GP_U32,
                             .heads_offset = OFFSET};
        uint32_t *heads = malloc((d->count + 1) * 4);
        assert_non_null(heads);
        for (i = 0; i < d->count; i++) {
            const bool head = i == 0 || keys[i] != keys[i - 1];
            heads[i] = form & 2 ? keys[i] : head;
            if (head) memcpy(sum, initial, sizeof sum);
            element_of(d, i, x);
            if (exclusive) memcpy(d->wanted + i * d->words, sum, d->words * 4);
            append(d, sum, x, sum);
            if (!exclusive) memcpy(d->wanted + i * d->words, sum, d->words * 4);
        }
        call.heads = guarded(d->gp, OFFSET, d->count, 4, heads);
        call.out = output(d, d->count);
        assert_gp(d->gp, gp_scan(d->gp, &call));
        expect(d, call.out, d->count, form & 2 ? "scan by keys" : "scan by flags");
        clReleaseMemObject(call.heads);
        free(heads);
    }
    free(keys);
}

/* The products of runs of keys; returns how many. */
static size_t reduce_runs(data *d, const uint32_t *keys, const uint32_t *initial, uint32_t *offsets)
{
    uint32_t x[3];
    size_t i, n = 0;
    for (i = 0; i < d->count; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            memcpy(d->wanted + n * d->words, initial, d->words * 4);
            offsets[n++] = (uint32_t)i;
        }
        element_of(d, i, x);
        append(d, d->wanted + (n - 1) * d->words, x, d->wanted + (n - 1) * d->words);
    }
    offsets[n] = (uint32_t)d->count;
    return n;
}

/* By their offsets, and by the keys. */
static void check_runs(data *d)
{
    uint32_t initial[3], *keys = make_keys(d), *offsets = malloc((d->count + 2) * 4);
    gp_segmented_reduce_desc segmented = {INPUT, .initial = initial, .out_offset = OFFSET,
                                          .offsets_type = GP_U32};
    gp_reduce_by_key_desc by_key = {INPUT, .initial = initial, .out_offset = OFFSET, .key_type = GP_U32,
                                    .keys_offset = OFFSET};
    uint64_t found = 77;
    size_t n;
    assert_non_null(offsets);
    initial_of(d, initial);
    n = reduce_runs(d, keys, initial, offsets);
    segmented.segment_count = n;
    segmented.offsets = test_buffer(d->gp, (n + 1) * 4, offsets);
    segmented.out = output(d, n);
    assert_gp(d->gp, gp_segmented_reduce(d->gp, &segmented));
    expect(d, segmented.out, n, "segmented reduce");
    clReleaseMemObject(segmented.offsets);
    by_key.keys = guarded(d->gp, OFFSET, d->count, 4, keys);
    by_key.out = output(d, d->count);
    assert_gp(d->gp, gp_reduce_by_key_read(d->gp, &by_key, &found));
    assert_int_equal(found, n);
    memset(d->wanted + n * d->words, TEST_POISON, (d->count - n) * d->words * 4);
    expect(d, by_key.out, d->count, "reduce by key");
    clReleaseMemObject(by_key.keys);
    free(keys);
    free(offsets);
}

static void check_stack(data *d)
{
    uint32_t initial[3], x[3], *stack = malloc((d->count + 2) * 12);
    unsigned char *text = malloc(d->count + 1);
    gp_stack_scan_desc call = {.values = d->mapped ? d->numbers : d->in,
                               .values_offset = OFFSET,
                               .count = d->count,
                               .type = GP_U8,
                               .pairs = "()",
                               .value_type = d->mapped ? GP_U32 : GP_TYPE_NONE,
                               .value_map = d->mapped ? d->kind->map : NULL,
                               .monoid = &d->kind->monoid,
                               .args = d->args,
                               .arg_count = 2,
                               .initial = initial,
                               .out_offset = OFFSET};
    size_t i, depth = 0;
    assert_true(stack && text);
    initial_of(d, initial);
    memcpy(stack, initial, 12);
    for (i = 0; i < d->count; i++) {
        const bool sinks = i > d->count / 2 && i < d->count / 2 + d->count / 3;
        text[i] = "(().)()"[test_random() % (sinks ? 7 : 5)];
        if (sinks && i % 3) text[i] = ')';
        if (text[i] == '(') {
            element_of(d, i, x);
            append(d, stack + 3 * depth, x, stack + 3 * (depth + 1));
            depth++;
        } else if (text[i] == ')' && depth > 0) {
            depth--;
        }
        memcpy(d->wanted + i * d->words, stack + 3 * depth, d->words * 4);
    }
    call.in = test_buffer(d->gp, d->count + 1, text);
    call.out = output(d, d->count);
    assert_gp(d->gp, gp_stack_scan(d->gp, &call));
    expect(d, call.out, d->count, "stack scan");
    clReleaseMemObject(call.in);
    free(stack);
    free(text);
}

/* ------------------------------------------------------------------ in every variant */

static uint64_t programs_of(gp_context *gp)
{
    const gp_stats stats = test_profile_of(gp);
    return stats.programs_built + stats.programs_loaded;
}

/* With two sets of args, of which the second one makes no program. */
static void check_sizes(gp_context *gp, const char *variant, const kind *kind, void (*run)(data *))
{
    const size_t sizes[] = {COUNT, 0, 1, 17, 1023, 1024, 1025, 4099};
    size_t k;
    for (k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        uint64_t programs = 0;
        data d;
        data_open(&d, gp, variant, kind, sizes[k]);
        d.mapped = kind->monoid.exact && (k % 2 != 0 || k == 4);
        data_set(&d, 0);
        run(&d);
        programs = programs_of(gp);
        data_set(&d, 1);
        run(&d);
        if (sizes[k] == COUNT || sizes[k] == 1) assert_int_equal(programs_of(gp), programs);
        data_close(&d);
    }
}

/* In the first variant moves and sums, in the others one of them in turn; and where groups look back in local memory moves
   that are not exact, which differ there only. */
static void in_variants(const test_variant *variants, size_t count, void (*run)(data *))
{
    size_t v, k;
    for (v = 0; v < count; v++) {
        gp_context *gp = test_open_other(&variants[v]);
        for (k = 0; k < KINDS && gp; k++) {
            const bool looks_back = count != TEST_SHAPES && (v == 4 || v == 5);
            if (k == 1 ? !looks_back : v > 0 && k != v % 2 * 2) continue;
            check_sizes(gp, variants[v].name, &kinds[k], run);
        }
        gp_context_destroy(gp);
    }
}

static void test_reduce(void **state)
{
    (void)state;
    in_variants(test_shapes, TEST_SHAPES, check_reduce);
}

static void test_scan(void **state)
{
    (void)state;
    in_variants(test_variants, test_variant_count, check_scan);
}

static void test_segments(void **state)
{
    (void)state;
    in_variants(test_variants, test_variant_count, check_segments);
}

static void test_by_key(void **state)
{
    (void)state;
    in_variants(test_variants, test_variant_count, check_runs);
}

static void test_stack(void **state)
{
    (void)state;
    in_variants(test_shapes, TEST_SHAPES, check_stack);
}

/* ------------------------------------------------------------------ warm-up, check, bad input */

static void test_warm(void **state)
{
    const uint32_t offsets[2] = {0, 5000};
    gp_context *gp = test_open(&test_variants[0], NULL);
    data here, *d = &here;
    gp_reduce_desc r;
    gp_scan_desc s;
    gp_segmented_reduce_desc g;
    gp_stack_scan_desc t = {.type = GP_U8, .pairs = "()"};
    const gp_warmup_desc warm = {.reduce = &r, .scan = &s, .segmented_reduce = &g, .stack_scan = &t};
    uint64_t programs;
    (void)state;
    data_open(d, gp, "warm", &kinds[0], 5000);
    data_set(d, 0);
    r = (gp_reduce_desc){.monoid = &d->kind->monoid, .args = d->args, .arg_count = 2};
    s = (gp_scan_desc){.monoid = r.monoid, .args = d->args, .arg_count = 2};
    g = (gp_segmented_reduce_desc){.monoid = r.monoid, .args = d->args, .arg_count = 2};
    t.monoid = r.monoid;
    t.args = d->args;
    t.arg_count = 2;
    assert_gp(gp, gp_warmup(gp, &warm));
    programs = programs_of(gp);
    data_set(d, 1);
    r.in = s.in = g.in = t.values = t.in = d->in;
    r.out = s.out = g.out = t.out = output(d, d->count);
    r.count = s.count = g.count = t.count = d->count;
    g.offsets = test_buffer(gp, sizeof offsets, offsets);
    g.offsets_type = GP_U32;
    g.segment_count = 1;
    assert_gp(gp, gp_reduce(gp, &r));
    assert_gp(gp, gp_scan(gp, &s));
    assert_gp(gp, gp_segmented_reduce(gp, &g));
    assert_gp(gp, gp_stack_scan(gp, &t));
    assert_int_equal(programs_of(gp), programs);
    clReleaseMemObject(g.offsets);
    clReleaseMemObject(r.out);
    data_close(d);
    gp_context_destroy(gp);
}

/* A law may hold for some arguments only: a + b + extra has the identity 0 where extra is 0. */
static const gp_monoid extra_monoid = {.type = "uint",
                                       .source =
                                           "uint add(uint a, uint b, uint extra) { return a + b + extra; }",
                                       .combine = "add",
                                       .identity = &identity_sum,
                                       .size = 4,
                                       .commutative = true,
                                       .exact = true,
                                       .takes_args = true};

static void test_check(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    uint32_t extra = 0;
    const gp_arg arg = {.name = "extra", .type = GP_U32, .value = &extra};
    gp_check_monoid_desc c = {.monoid = &extra_monoid, .args = &arg, .arg_count = 1};
    uint64_t programs;
    (void)state;
    assert_gp(gp, gp_check_monoid(gp, &c));
    programs = programs_of(gp);
    extra = 1;
    assert_gp_fails(gp, gp_check_monoid(gp, &c), GP_ERROR_LAW, "the identity is not neutral");
    assert_int_equal(programs_of(gp), programs);
    c.equal = "abs_diff(x, y) <= extra"; /* near enough; the other laws hold */
    assert_gp(gp, gp_check_monoid(gp, &c));
    programs = programs_of(gp);
    extra = 0;
    assert_gp(gp, gp_check_monoid(gp, &c));
    assert_int_equal(programs_of(gp), programs);
    c.arg_count = 0;
    assert_gp_fails(gp, gp_check_monoid(gp, &c), GP_ERROR_INVALID_ARGUMENT, "arg_count = 0");
    gp_context_destroy(gp);
}

/* What a context tests by itself: once for each value. */
static void test_context_check(void **state)
{
    gp_context_desc desc = {.check_monoids = true};
    gp_context *gp;
    uint32_t extra = 0, found = 77;
    const gp_arg arg = {.name = "extra", .type = GP_U32, .value = &extra};
    gp_reduce_desc r = {.monoid = &extra_monoid, .args = &arg, .arg_count = 1};
    size_t bytes;
    (void)state;
    assert_gp(NULL, gp_context_create(&desc, &gp));
    assert_gp(gp, gp_reduce_read(gp, &r, &found));
    assert_int_equal(found, 0);
    extra = 3;
    assert_gp_fails(gp, gp_reduce_read(gp, &r, &found), GP_ERROR_LAW, "the identity is not neutral");
    extra = 0;
    assert_gp(gp, gp_reduce_read(gp, &r, &found));
    {
        const gp_arg args[2] = {{.name = "limit", .type = GP_U32, .value = &limits[0]},
                                {.name = "table", .type = GP_U32}};
        r = (gp_reduce_desc){.monoid = &kinds[2].monoid, .args = args, .arg_count = 2, .count = 100000};
        assert_gp(gp, gp_reduce_scratch_size(gp, &r, &bytes)); /* a buffer may be missing there */
    }
    gp_context_destroy(gp);
}

static void test_bad_input(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const uint32_t two = 2;
    const gp_arg args[2] = {{.name = "extra", .type = GP_U32, .value = &two},
                            {.name = "more", .type = GP_U32, .value = &two}};
    gp_monoid monoid = extra_monoid;
    gp_reduce_desc r = {.monoid = &monoid, .args = args, .arg_count = 2};
    const gp_group_op op = {.name = "mine", .monoid = &extra_monoid};
    const gp_device_source_desc source = {.part = GP_DEVICE_GROUP, .ops = &op, .op_count = 1};
    uint32_t found;
    size_t size = 0;
    (void)state;
    assert_gp_fails(gp, gp_reduce_read(gp, &r, &found), GP_ERROR_BUILD, ""); /* one too many */
    r.arg_count = 1;
    assert_gp(gp, gp_reduce_read(gp, &r, &found));
    monoid.takes_args = false; /* and one too few */
    assert_gp_fails(gp, gp_reduce_read(gp, &r, &found), GP_ERROR_BUILD, "");
    monoid.source = "uint add(uint a, uint b) { return a + b; }";
    assert_gp(gp, gp_reduce_read(gp, &r, &found)); /* args that it does not take */
    monoid.takes_args = true;
    r.args = NULL;
    r.arg_count = 0;
    assert_gp(gp, gp_reduce_read(gp, &r, &found)); /* and none to take */
    assert_gp_fails(gp, gp_device_source(gp, &source, NULL, 0, &size), GP_ERROR_INVALID_ARGUMENT,
                    "takes_args");
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce), cmocka_unit_test(test_scan),          cmocka_unit_test(test_segments),
        cmocka_unit_test(test_by_key), cmocka_unit_test(test_stack),         cmocka_unit_test(test_warm),
        cmocka_unit_test(test_check),  cmocka_unit_test(test_context_check), cmocka_unit_test(test_bad_input),
    };
    return cmocka_run_group_tests_name("monoids with args", tests, NULL, NULL);
}
