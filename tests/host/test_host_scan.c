/* test_host_scan.c - gp_host_reduce and gp_host_scan against plain C, in chunks of many sizes. */
#include "host.h"

static gp_context *gp;

static const size_t budgets[] = {2000, 12345, 60000, 0};

static const size_t sizes[] = {0, 1, 2, 3, 127, 128, 129, 509, 4099, 65537};
static const size_t large[] = {(1 << 20) + 123};

/* ------------------------------------------------------------------ reduce */

static gp_host_reduce_desc reduce_of(const test_element *e)
{
    gp_host_reduce_desc desc = {0};
    desc.type = e->type;
    desc.out_type = e->out_type;
    desc.op = e->op;
    desc.monoid = e->monoid;
    return desc;
}

static void check_reduce(const test_element *e, test_pattern pattern, size_t count, size_t budget,
                         bool initial)
{
    unsigned char *input = test_input(e, pattern, count + 1), *in;
    unsigned char sum[64], x[64], start[64], out[65];
    gp_host_reduce_desc desc = reduce_of(e);
    told progress = {0};
    void *block;
    size_t i;
    e->make(0x12345677u, x);
    e->from(x, start);
    in = copy_at(input, count * e->in_size, 8, &block);
    desc.in = in;
    desc.out = out;
    desc.count = count;
    desc.budget = budget;
    desc.initial = initial ? start : NULL;
    desc.progress = tell;
    desc.progress_user = &progress;
    memset(out, TEST_POISON, sizeof out);
    assert_gp(gp, gp_host_reduce(gp, &desc));
    if (initial) memcpy(sum, start, e->size);
    else e->identity(sum);
    for (i = 0; i < count; i++) {
        e->from(input + i * e->in_size, x);
        e->combine(sum, x, sum);
    }
    if (memcmp(out, sum, e->size) != 0)
        fail_msg("%s, pattern %d, count %zu, budget %zu: wrong", e->name, (int)pattern, count, budget);
    assert_int_equal(out[e->size], TEST_POISON);
    assert_int_equal(progress.last, count);
    if (count == large[0] && budget == 2000) assert_true(progress.calls > 1000);
    free(block);
    free(input);
}

static const test_element *const exact[] = {&test_u32_sum_u64, &test_u32_sum, &test_i32_min,
                                            &test_f32_max,     &test_u64_max, &test_u8_sum,
                                            &test_i16_max,     &test_affine,  &test_matrix};

static void test_reduce(void **state)
{
    size_t e, s, b;
    (void)state;
    for (e = 0; e < sizeof exact / sizeof *exact; e++) {
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
                check_reduce(exact[e], (test_pattern)((e + s) % TEST_PATTERNS), sizes[s], budgets[b],
                             (s + b) % 2);
        }
    }
    for (b = 0; b < 2; b++) check_reduce(&test_u32_sum_u64, TEST_RANDOM, large[0], budgets[b], false);
}

/* Maps of elements, of a second input, and of i; and what only looks like i. */
static void test_reduce_maps(void **state)
{
    enum { COUNT = 5000 };
    static uint32_t x[COUNT];
    static uint64_t y[COUNT];
    uint64_t expected = 0, out = 0;
    const uint32_t scale = 3;
    const gp_arg args[] = {{.name = "scale", .type = GP_U32, .value = &scale}};
    gp_host_reduce_desc desc = {.in = x,
                                .in2 = y,
                                .type = GP_U32,
                                .type2 = GP_U64,
                                .out_type = GP_U64,
                                .op = GP_SUM,
                                .out = &out,
                                .count = COUNT,
                                .budget = 3000,
                                .args = args,
                                .arg_count = 1};
    size_t i;
    (void)state;
    for (i = 0; i < COUNT; i++) {
        x[i] = test_random();
        y[i] = (uint64_t)test_random() << 20;
        expected += (x[i] > i ? x[i] * (uint64_t)scale : i) ^ y[i];
    }
    desc.map = "(x>i ? x * (ulong)scale : /* not i */ i) ^ y";
    assert_gp(gp, gp_host_reduce(gp, &desc));
    assert_int_equal(out, expected);
    for (expected = 0, i = 0; i < COUNT; i++) expected += x[i] ^ (x[i] + i);
    desc.map = "x ^ ((uint2)(x, x + i)).y";
    desc.in2 = NULL;
    desc.type2 = GP_TYPE_NONE;
    assert_gp(gp, gp_host_reduce(gp, &desc));
    for (expected = 0, i = 0; i < COUNT; i++) expected += x[i] ^ (uint32_t)(x[i] + i);
    assert_int_equal(out, expected);
}

/* Float sums: the same bits each time. */
static void test_reduce_repeats(void **state)
{
    enum { COUNT = 30011 };
    float *in = test_input(&test_f32_sum, TEST_RANDOM, COUNT);
    float first = 0, again = 0;
    gp_host_reduce_desc desc = {
        .in = in, .type = GP_F32, .op = GP_SUM, .out = &first, .count = COUNT, .budget = 5000};
    int k;
    (void)state;
    assert_gp(gp, gp_host_reduce(gp, &desc));
    desc.out = &again;
    for (k = 0; k < 5; k++) {
        assert_gp(gp, gp_host_reduce(gp, &desc));
        assert_memory_equal(&first, &again, sizeof first);
    }
    free(in);
}

/* ------------------------------------------------------------------ scan */

typedef struct scan_case {
    const test_element *element;
    test_pattern pattern;
    size_t count, budget;
    bool exclusive, reverse, initial, in_place;
} scan_case;

static unsigned char *expected_scan(const scan_case *c, const unsigned char *in, const void *initial)
{
    const test_element *e = c->element;
    unsigned char *out = malloc(c->count * e->size + 1);
    unsigned char sum[64], x[64];
    size_t k;
    assert_non_null(out);
    if (initial) memcpy(sum, initial, e->size);
    else e->identity(sum);
    for (k = 0; k < c->count; k++) {
        const size_t i = c->reverse ? c->count - 1 - k : k;
        if (c->exclusive) memcpy(out + i * e->size, sum, e->size);
        e->from(in + i * e->in_size, x);
        if (c->reverse) e->combine(x, sum, sum);
        else e->combine(sum, x, sum);
        if (!c->exclusive) memcpy(out + i * e->size, sum, e->size);
    }
    return out;
}

static void check_scan(const scan_case *c)
{
    const test_element *e = c->element;
    unsigned char *input = test_input(e, c->pattern, c->count + 1), *expected;
    unsigned char x[64], initial[64];
    gp_host_scan_desc desc = {0};
    void *in_block, *out_block = NULL;
    const size_t offset = 8 + 4 * (c->count % 3), bytes = c->count * e->size;
    e->make(0x12345677u, x);
    e->from(x, initial);
    desc.type = e->type;
    desc.out_type = e->out_type;
    desc.op = e->op;
    desc.monoid = e->monoid;
    desc.count = c->count;
    desc.budget = c->budget;
    desc.exclusive = c->exclusive;
    desc.reverse = c->reverse;
    desc.initial = c->initial ? initial : NULL;
    desc.in = copy_at(input, c->count * e->in_size, offset, &in_block);
    desc.out = c->in_place ? (void *)(uintptr_t)desc.in : copy_at(NULL, bytes, offset, &out_block);
    assert_gp(gp, gp_host_scan(gp, &desc));
    expected = expected_scan(c, input, desc.initial);
    if (memcmp(expected, desc.out, bytes) != 0)
        fail_msg(
            "%s, pattern %d, count %zu, budget %zu, exclusive %d, reverse %d, initial %d, in place %d: wrong",
            e->name, (int)c->pattern, c->count, c->budget, c->exclusive, c->reverse, c->initial, c->in_place);
    assert_around(c->in_place ? in_block : out_block, offset, bytes);
    if (!c->in_place) assert_memory_equal(input, desc.in, c->count * e->in_size);
    free(expected);
    free(input);
    free(in_block);
    free(out_block);
}

static void check_scans(const test_element *e, size_t count, size_t budget, unsigned k)
{
    unsigned form;
    for (form = 0; form < 4; form++) {
        scan_case c = {
            e,    (test_pattern)(k % TEST_PATTERNS), count, budget, form & 1, form & 2, (k + form) % 3 == 0,
            false};
        c.in_place = e->in_size == e->size && (k + form) % 2;
        check_scan(&c);
    }
}

static void test_scan(void **state)
{
    static const test_element *const scanned[] = {&test_u32_sum, &test_u32_sum_u64, &test_i32_min,
                                                  &test_f32_max, &test_u8_sum_u64,  &test_u64_max,
                                                  &test_affine,  &test_matrix};
    size_t e, s, b;
    (void)state;
    for (e = 0; e < sizeof scanned / sizeof *scanned; e++) {
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
                check_scans(scanned[e], sizes[s], budgets[b], (unsigned)(e + s + b));
        }
    }
    for (b = 0; b < 2; b++) check_scans(&test_u32_sum, large[0], budgets[b], 0);
}

/* Sizes around those of chunks. */
static void test_scan_boundaries(void **state)
{
    static uint32_t in[40000], out[40000];
    told progress = {0};
    gp_host_scan_desc desc = {.in = in,
                              .out = out,
                              .count = 40000,
                              .type = GP_U32,
                              .op = GP_SUM,
                              .budget = 9000,
                              .progress = tell,
                              .progress_user = &progress};
    size_t chunk, k;
    (void)state;
    assert_gp(gp, gp_host_scan(gp, &desc));
    chunk = progress.first;
    assert_true(chunk > 100 && chunk < 4000);
    for (k = 1; k < 6; k++) {
        check_scans(&test_u32_sum, k * chunk - 1, 9000, (unsigned)k);
        check_scans(&test_u32_sum, k * chunk, 9000, (unsigned)k);
        check_scans(&test_u32_sum, k * chunk + 1, 9000, (unsigned)k);
    }
}

/* A map of i and of args, by a table that i must not leave. */
static void test_scan_maps(void **state)
{
    enum { COUNT = 9001 };
    static uint16_t in[COUNT];
    static uint64_t out[COUNT];
    static uint32_t table[COUNT];
    gp_arg args[] = {{.name = "table", .type = GP_U32}};
    gp_host_scan_desc desc = {.in = in,
                              .out = out,
                              .count = COUNT,
                              .type = GP_U16,
                              .out_type = GP_U64,
                              .op = GP_SUM,
                              .budget = 20000,
                              .map = "x * (ulong)table[i] + i",
                              .args = args,
                              .arg_count = 1};
    int form;
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        in[i] = (uint16_t)test_random();
        table[i] = test_random();
    }
    args[0].buffer = test_buffer(gp, sizeof table, table);
    for (form = 0; form < 4; form++) {
        uint64_t sum = 0;
        desc.exclusive = form & 1;
        desc.reverse = form & 2;
        assert_gp(gp, gp_host_scan(gp, &desc));
        for (size_t k = 0; k < COUNT; k++) {
            const size_t i = desc.reverse ? COUNT - 1 - k : k;
            const uint64_t x = in[i] * (uint64_t)table[i] + i;
            if (!desc.exclusive) sum += x;
            assert_int_equal(out[i], sum);
            if (desc.exclusive) sum += x;
        }
    }
    clReleaseMemObject(args[0].buffer);
}

/* ------------------------------------------------------------------ cancel, bad input */

static void test_cancel(void **state)
{
    enum { COUNT = 20000 };
    static uint32_t in[COUNT], out[COUNT];
    uint64_t n;
    (void)state;
    for (n = 1;; n++) {
        told progress = {.cancel_at = n};
        gp_host_scan_desc scan = {.in = in,
                                  .out = out,
                                  .count = COUNT,
                                  .type = GP_U32,
                                  .op = GP_SUM,
                                  .budget = 30000,
                                  .progress = tell,
                                  .progress_user = &progress};
        const gp_result result = gp_host_scan(gp, &scan);
        if (progress.calls < n) {
            assert_int_equal(result, GP_OK);
            break;
        }
        assert_int_equal(result, GP_ERROR_CANCELED);
        assert_non_null(strstr(gp_last_error(gp), "gp_host_scan: progress canceled the call after "));
        assert_int_equal(progress.calls, n);
    }
    assert_true(n > 5);
    {
        told progress = {.cancel_at = 2};
        gp_host_reduce_desc reduce = {.in = in,
                                      .out = out,
                                      .count = COUNT,
                                      .type = GP_U32,
                                      .op = GP_SUM,
                                      .budget = 30000,
                                      .progress = tell,
                                      .progress_user = &progress};
        assert_gp_fails(gp, gp_host_reduce(gp, &reduce), GP_ERROR_CANCELED,
                        "gp_host_reduce: progress canceled");
    }
}

/* The call with one field changed fails with this result, and the text has this in it. */
#define SCAN_FAILS(change, expected, part)                         \
    do {                                                           \
        gp_host_scan_desc d = good;                                \
        change;                                                    \
        assert_gp_fails(gp, gp_host_scan(gp, &d), expected, part); \
    } while (0)
#define REDUCE_FAILS(change, expected, part)                         \
    do {                                                             \
        gp_host_reduce_desc d = well;                                \
        change;                                                      \
        assert_gp_fails(gp, gp_host_reduce(gp, &d), expected, part); \
    } while (0)

static void test_refused(void **state)
{
    static uint32_t in[1000], out[1000], before[1000];
    const gp_host_scan_desc good = {.in = in, .out = out, .count = 1000, .type = GP_U32, .op = GP_SUM};
    const gp_host_reduce_desc well = {.in = in, .out = out, .count = 1000, .type = GP_U32, .op = GP_SUM};
    gp_arg many[GP_ARGS_MAX + 1] = {{0}};
    const gp_record empty = {.cl_type = "uint"};
    const gp_monoid sizeless = {.type = "uint"};
    (void)state;
    memset(out, TEST_POISON, sizeof out);
    memcpy(before, out, sizeof out);
    SCAN_FAILS(d.in = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_scan: in is NULL");
    SCAN_FAILS(d.out = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_scan: out is NULL");
    SCAN_FAILS(d.out = in + 1, GP_ERROR_OVERLAP, "gp_host_scan: in and out overlap");
    SCAN_FAILS(d.type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "gp_host_scan: type = 0 is not an element type");
    SCAN_FAILS(d.type = (gp_type)99, GP_ERROR_INVALID_TYPE, "type = 99");
    SCAN_FAILS(d.out_type = (gp_type)99, GP_ERROR_INVALID_TYPE, "out_type = 99");
    SCAN_FAILS(d.op = GP_ARGMIN, GP_ERROR_INVALID_OP, "argmin and argmax are not taken");
    SCAN_FAILS(d.op = GP_OP_NONE, GP_ERROR_INVALID_OP, "gp_scan");
    SCAN_FAILS(d.budget = 11, GP_ERROR_INVALID_ARGUMENT,
               "budget = 11 bytes is not enough for chunks of one element");
    SCAN_FAILS(d.count = SIZE_MAX, GP_ERROR_COUNT_LIMIT, "is more than memory can hold");
    SCAN_FAILS((d.type = GP_TYPE_NONE, d.op = GP_OP_NONE, d.monoid = &sizeless), GP_ERROR_INVALID_ARGUMENT,
               "gp_host_scan: elements of in have 0 bytes");
    REDUCE_FAILS((d.record = &empty, d.map = "x"), GP_ERROR_INVALID_ARGUMENT,
                 "gp_host_reduce: elements of in have 0 bytes");
    SCAN_FAILS(d.map = "x +", GP_ERROR_BUILD, "map");
    SCAN_FAILS(d.map = "x; 1", GP_ERROR_INVALID_ARGUMENT, "map");
    SCAN_FAILS(d.map = "x) + (x", GP_ERROR_INVALID_ARGUMENT, "do not close within it");
    SCAN_FAILS(d.map = "x /* ( */ + ')' + (x", GP_ERROR_INVALID_ARGUMENT, "do not close within it");
    SCAN_FAILS(d.map = " // x", GP_ERROR_INVALID_ARGUMENT, "map is empty");
    REDUCE_FAILS(d.map = "x)(", GP_ERROR_INVALID_ARGUMENT, "map");
    SCAN_FAILS((d.map = "x", d.args = many, d.arg_count = 13), GP_ERROR_INVALID_ARGUMENT,
               "arg_count = 13 is more than 12");
    SCAN_FAILS(d.arg_count = 1, GP_ERROR_INVALID_ARGUMENT, "args is NULL");
    REDUCE_FAILS(d.in = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_reduce: in is NULL");
    REDUCE_FAILS(d.out = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_reduce: out is NULL");
    REDUCE_FAILS(d.type = (gp_type)99, GP_ERROR_INVALID_TYPE, "type = 99");
    REDUCE_FAILS(d.op = GP_ARGMAX, GP_ERROR_INVALID_OP, "argmin and argmax are not taken");
    REDUCE_FAILS(d.op = (gp_op)99, GP_ERROR_INVALID_OP, "gp_reduce");
    REDUCE_FAILS(d.budget = 1, GP_ERROR_INVALID_ARGUMENT, "gp_host_reduce: budget = 1 bytes");
    REDUCE_FAILS((d.map = "i", d.args = many, d.arg_count = 16), GP_ERROR_INVALID_ARGUMENT,
                 "arg_count = 16 is more than 15");
    assert_memory_equal(out, before, sizeof out);
    assert_int_equal(gp_host_scan(NULL, &good), GP_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(gp_last_error(NULL), "gp_host_scan: gp is NULL"));
    assert_gp_fails(gp, gp_host_scan(gp, NULL), GP_ERROR_INVALID_ARGUMENT, "desc is NULL");
    assert_int_equal(gp_set_error(gp, GP_ERROR_LAW, "100 %s"), GP_ERROR_LAW);
    assert_string_equal(gp_last_error(gp), "GP_ERROR_LAW: 100 %s");
    assert_string_equal(gp_cl_error_string(CL_OUT_OF_RESOURCES), "CL_OUT_OF_RESOURCES");
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
        cmocka_unit_test(test_reduce),          cmocka_unit_test(test_reduce_maps),
        cmocka_unit_test(test_reduce_repeats),  cmocka_unit_test(test_scan),
        cmocka_unit_test(test_scan_boundaries), cmocka_unit_test(test_scan_maps),
        cmocka_unit_test(test_cancel),          cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
