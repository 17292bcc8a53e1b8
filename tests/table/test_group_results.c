/* test_group_results.c - the results of gp_group_by against loops over the rows of each group. */
#include <math.h>

#include "../support/keys.h"

/* Columns. Sums of v * q are exact in floats. */
typedef struct rows {
    size_t count, groups;
    uint32_t *key, *group, *q;
    float *v;
    int16_t *h;
    uint64_t *w;
} rows;

/* A result, and its map and condition in C: of floats or of integers. */
typedef struct one_result {
    gp_group_result r;
    size_t size; /* of a result in memory */
    double (*real)(const rows *t, size_t i);
    uint64_t (*whole)(const rows *t, size_t i);
    bool (*where)(const rows *t, size_t i);
} one_result;

static double real_v(const rows *t, size_t i) { return (double)t->v[i]; }
static double real_q(const rows *t, size_t i) { return (double)t->q[i]; }
static double real_sale(const rows *t, size_t i) { return (double)t->v[i] * t->q[i]; }
static uint64_t whole_q(const rows *t, size_t i) { return t->q[i]; }
static uint64_t whole_h(const rows *t, size_t i) { return (uint64_t)(int64_t)t->h[i]; }
static uint64_t whole_w(const rows *t, size_t i) { return t->w[i]; }
static uint64_t whole_over(const rows *t, size_t i) { return t->q[i] > 5; }
static uint64_t whole_two(const rows *t, size_t i) { return 1 + t->q[i] % 2; }
static uint64_t whole_row(const rows *t, size_t i)
{
    (void)t;
    return i;
}
static bool where_third(const rows *t, size_t i) { return t->q[i] % 3 == 0; }
static bool where_over(const rows *t, size_t i) { return t->q[i] > 5; }
static bool where_none(const rows *t, size_t i) { return t->count == 0 && i == 1; }

#define RESULT(op_, text, type, out, size_) \
    .r = {.op = op_, .map = text, .map_type = type, .out_type = out}, .size = size_
static const one_result all[] = {
    {.r = {.op = GP_COUNT}, .size = 4},
    {.r = {.op = GP_COUNT, .where = "q[i] % 3 == 0 // a third\n", .out_type = GP_U64},
     .size = 8,
     .where = where_third},
    {RESULT(GP_SUM, "v[i] * q[i]", GP_F32, 0, 4), .real = real_sale},
    {RESULT(GP_SUM, "q[i]", GP_U32, 0, 8), .whole = whole_q},
    {RESULT(GP_SUM, "h[i]", GP_I16, 0, 8), .whole = whole_h},
    {RESULT(GP_SUM, "q[i] > limit", GP_U8, GP_U16, 2), .whole = whole_over},
    {RESULT(GP_PROD, "1 + q[i] % 2", GP_U32, GP_U32, 4), .whole = whole_two},
    {RESULT(GP_MIN, "v[i]", GP_F32, 0, 4), .real = real_v},
    {RESULT(GP_MAX, "h[i]", GP_I16, 0, 2), .whole = whole_h},
    {RESULT(GP_MAX, "v[i]", GP_F32, 0, 4), .real = real_v, .r.where = "q[i] > limit", .where = where_over},
    {RESULT(GP_AND, "q[i]", GP_U32, 0, 4), .whole = whole_q},
    {RESULT(GP_OR, "w[i]", GP_U64, 0, 8), .whole = whole_w},
    {RESULT(GP_XOR, "w[i]", GP_U64, 0, 8), .whole = whole_w},
    {RESULT(GP_ARGMIN, "v[i]", GP_F32, 0, 8), .real = real_v},
    {RESULT(GP_ARGMAX, "h[i]", GP_I16, GP_U32, 4), .whole = whole_h},
    {RESULT(GP_MEAN, "v[i]", GP_F32, 0, 4), .real = real_v},
    {RESULT(GP_MEAN, "q[i]", GP_U32, 0, 4), .real = real_q, .r.where = "q[i] > limit", .where = where_over},
    {RESULT(GP_VARIANCE, "v[i]", GP_F32, GP_F32, 4), .real = real_v},
    {RESULT(GP_VARIANCE, "v[i]", GP_F32, 0, 4), .real = real_v, .r.where = "q[i] % 3 == 0",
     .where = where_third},
    {RESULT(GP_FIRST, "v[i]", GP_F32, 0, 4), .real = real_v, .r.where = "q[i] > limit", .where = where_over},
    {RESULT(GP_FIRST, "h[i]", GP_I16, GP_I32, 4), .whole = whole_h},
    {RESULT(GP_LAST, "w[i]", GP_U64, 0, 8), .whole = whole_w},
    {RESULT(GP_LAST, "i", GP_U32, 0, 4), .whole = whole_row},
    {RESULT(GP_MEAN, "v[i]", GP_F32, 0, 4), .real = real_v, .r.where = "0", .where = where_none},
    {RESULT(GP_MIN, "w[i]", GP_U64, 0, 8), .whole = whole_w, .r.where = "0", .where = where_none},
    {RESULT(GP_ARGMAX, "v[i]", GP_F32, GP_U32, 4), .real = real_v, .r.where = "0", .where = where_none},
};
enum { RESULTS = sizeof all / sizeof *all };

/* ------------------------------------------------------------------ input */

static void *room(size_t bytes)
{
    void *p = malloc(bytes + 16);
    assert_non_null(p);
    return p;
}

/* Rows whose keys are drawn from `distinct` ones, evenly or as by Zipf's law. */
static rows make_rows(size_t n, size_t distinct, bool zipf)
{
    rows t = {.count = n};
    uint32_t *number = room(4 * (distinct + 1));
    size_t i;
    t.key = room(4 * n);
    t.group = room(4 * n);
    t.q = room(4 * n);
    t.v = room(4 * n);
    t.h = room(2 * n);
    t.w = room(8 * n);
    memset(number, 0xff, 4 * (distinct + 1));
    for (i = 0; i < n; i++) {
        const uint32_t random = test_random();
        const uint32_t k = zipf ? (uint32_t)pow((double)distinct, (double)(random & 0xffffff) / 0x1000000)
                                : random % (uint32_t)distinct;
        t.key[i] = k * 2654435761u;
        if (number[k] == UINT32_MAX) number[k] = (uint32_t)t.groups++;
        t.group[i] = number[k];
        t.q[i] = test_random() % 16;
        t.v[i] = (float)((int)(test_random() % 65) - 32) / 4;
        t.h[i] = (int16_t)(test_random() % 2001 - 1000);
        t.w[i] = random_64();
    }
    free(number);
    return t;
}

static void free_rows(rows *t)
{
    free(t->key);
    free(t->group);
    free(t->q);
    free(t->v);
    free(t->h);
    free(t->w);
}

/* ------------------------------------------------------------------ reference */

/* What a group has so far. */
typedef struct sum {
    uint64_t count, whole, place;
    double real, square;
} sum;

/* Returns whether x is better than y. */
static bool better(gp_op op, const one_result *o, double x, double y, uint64_t a, uint64_t b)
{
    const bool lower = op == GP_MIN || op == GP_ARGMIN;
    const bool is_signed = o->r.map_type == GP_I16;
    if (o->real) return lower ? x < y : x > y;
    if (is_signed) return lower ? (int64_t)a < (int64_t)b : (int64_t)a > (int64_t)b;
    return lower ? a < b : a > b;
}

static void add(const one_result *o, const rows *t, size_t i, sum *s)
{
    const gp_op op = o->r.op;
    const double x = o->real ? o->real(t, i) : 0;
    const uint64_t a = o->whole ? o->whole(t, i) : 0;
    const bool takes =
        s->count == 0 || op == GP_LAST || (op != GP_FIRST && better(op, o, x, s->real, a, s->whole));
    if (o->where && !o->where(t, i)) return;
    switch (op) {
    case GP_COUNT: break;
    case GP_SUM:
    case GP_MEAN:
    case GP_VARIANCE:
        s->whole += a;
        s->real += x;
        s->square += x * x;
        break;
    case GP_PROD: s->whole = s->count ? s->whole * a : a; break;
    case GP_AND: s->whole = s->count ? s->whole & a : a; break;
    case GP_OR: s->whole |= a; break;
    case GP_XOR: s->whole ^= a; break;
    default:
        if (!takes) break;
        s->whole = a;
        s->real = x;
        s->place = i;
        break;
    }
    s->count++;
}

/* Fails unless `got`, a group's result, is what the sum says. */
static void compare(const char *name, const rows *t, unsigned k, size_t g, const sum *s,
                    const unsigned char *got)
{
    const one_result *o = &all[k];
    const gp_op op = o->r.op;
    const double n = (double)s->count;
    uint64_t whole = s->whole, bits = 0;
    double real = s->real, value;
    float f;
    memcpy(&bits, got, o->size);
    memcpy(&f, got, 4);
    value = (double)f;
    if (op == GP_MEAN) real /= n;
    if (op == GP_VARIANCE) real = s->square / n - real / n * (real / n);
    if (op == GP_COUNT) whole = s->count;
    if (op == GP_ARGMIN || op == GP_ARGMAX) whole = s->count ? s->place : UINT64_MAX;
    if (s->count == 0) {
        if (op == GP_PROD) whole = 1;
        if (op == GP_AND || op == GP_MIN) whole = UINT64_MAX;
        if (op == GP_MAX) real = -INFINITY;
    }
    if (o->real && op != GP_ARGMIN && op != GP_ARGMAX) {
        const bool moment = op == GP_MEAN || op == GP_VARIANCE;
        const bool right = moment && s->count == 0 ? value != value
                           : moment ? fabs(value - real) <= 1e-6 * (fabs(real) + (op == GP_VARIANCE ? 64 : 8))
                                    : value == real;
        if (!right)
            fail_msg("%s: %zu rows, %zu groups: results[%u] of group %zu is %g, not %g", name, t->count,
                     t->groups, k, g, value, real);
        return;
    }
    if (o->size < 8) whole &= ((uint64_t)1 << 8 * o->size) - 1;
    if (bits != whole)
        fail_msg("%s: %zu rows, %zu groups: results[%u] of group %zu is %llu, not %llu", name, t->count,
                 t->groups, k, g, (unsigned long long)bits, (unsigned long long)whole);
}

static bool is_poison(const unsigned char *p, size_t bytes)
{
    size_t b;
    for (b = 0; b < bytes && p[b] == TEST_POISON; b++) {
    }
    return b == bytes;
}

static void check_result(gp_context *gp, const char *name, const rows *t, unsigned k,
                         const gp_group_result *r)
{
    const size_t size = all[k].size, n = t->count;
    sum *sums = calloc(t->groups + 1, sizeof *sums);
    unsigned char *got = test_read(gp, r->out, (n + r->out_offset + GUARD) * size);
    size_t i, g;
    assert_non_null(sums);
    for (i = 0; i < n; i++) add(&all[k], t, i, &sums[t->group[i]]);
    for (g = 0; g < t->groups; g++) compare(name, t, k, g, &sums[g], got + (r->out_offset + g) * size);
    if (!is_poison(got, r->out_offset * size) ||
        !is_poison(got + (r->out_offset + t->groups) * size, (n - t->groups + GUARD) * size))
        fail_msg("%s: results[%u] wrote outside", name, k);
    free(sums);
    free(got);
}

/* ------------------------------------------------------------------ check */

typedef struct table {
    gp_key_column key;
    gp_arg args[5];
    gp_group_result results[RESULTS];
    gp_group_by_desc d;
} table;

static const uint32_t limit = 5;

static void open_table(gp_context *gp, const rows *t, size_t offset, table *b)
{
    const size_t n = t->count;
    size_t k;
    memset(b, 0, sizeof *b);
    b->key.type = GP_U32;
    b->key.in = guarded(gp, 0, n, 4, t->key);
    b->args[0] =
        (gp_arg){.name = "v", .type = GP_F32, .buffer = guarded(gp, offset, n, 4, t->v), .offset = offset};
    b->args[1] = (gp_arg){.name = "q", .type = GP_U32, .buffer = guarded(gp, 0, n, 4, t->q)};
    b->args[2] = (gp_arg){.name = "h", .type = GP_I16, .buffer = guarded(gp, 0, n, 2, t->h)};
    b->args[3] = (gp_arg){.name = "w", .type = GP_U64, .buffer = guarded(gp, 0, n, 8, t->w)};
    b->args[4] = (gp_arg){.name = "limit", .type = GP_U32, .value = &limit};
    for (k = 0; k < RESULTS; k++) {
        b->results[k] = all[k].r;
        b->results[k].out_offset = offset ? offset + k % 3 : 0;
        b->results[k].out = guarded(gp, b->results[k].out_offset, n, all[k].size, NULL);
    }
    b->d.columns = &b->key;
    b->d.column_count = 1;
    b->d.count = n;
    b->d.results = b->results;
    b->d.result_count = RESULTS;
    b->d.args = b->args;
    b->d.arg_count = 5;
}

static void close_table(table *b)
{
    size_t k;
    clReleaseMemObject(b->key.in);
    for (k = 0; k < 4; k++) clReleaseMemObject(b->args[k].buffer);
    for (k = 0; k < RESULTS; k++) clReleaseMemObject(b->results[k].out);
}

static void check(gp_context *gp, const char *name, size_t n, size_t distinct, bool zipf, size_t offset)
{
    rows t = make_rows(n, distinct, zipf);
    table b;
    uint64_t groups = 0;
    unsigned k;
    open_table(gp, &t, offset, &b);
    if (gp_group_by_read(gp, &b.d, &groups) != GP_OK) fail_msg("%s: %s", name, gp_last_error(gp));
    assert_int_equal(groups, t.groups);
    for (k = 0; k < RESULTS; k++) check_result(gp, name, &t, k, &b.results[k]);
    close_table(&b);
    free_rows(&t);
}

static void test_every_variant(void **state)
{
    static const size_t sizes[] = {0, 1, 2, 17, 257, 1023, 4097, 16351, 16384, 20011};
    static const size_t distinct[] = {1, 3, 100, 3000, 1000003};
    size_t v, n, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (n = 0; n < (test_small() ? 5 : sizeof sizes / sizeof *sizes); n++)
            for (k = 0; k < 5; k++)
                if ((n + k) % 2 == 0 || sizes[n] > 16000)
                    check(gp, test_shapes[v].name, sizes[n], distinct[k], k % 2, (n + k) % 3 ? 0 : 5);
        assert_int_equal(test_profile_of(gp).bad_offsets, 0);
        assert_int_equal(test_profile_of(gp).clamped, 0);
        gp_context_destroy(gp);
    }
}

/* Around the most groups that are reduced without a sort, and many more. */
static void test_large(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t distinct;
    (void)state;
    if (!test_small()) {
        for (distinct = 500; distinct < 20000; distinct += distinct / 2)
            check(gp, "large", 40000, distinct, false, 0);
        check(gp, "large", 150001, 1000003, true, 3);
        check(gp, "large", ((size_t)1 << 20) + 123, 300, true, 0);
        check(gp, "large", ((size_t)1 << 20) + 123, 200000, false, 1);
    }
    gp_context_destroy(gp);
}

/* A number of rows on the device, every output at once, and the caller's scratch. */
static void test_outputs(void **state)
{
    static const uint32_t counts[] = {0, 1, 999, 5000, 70000};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    rows t;
    size_t i;
    (void)state;
    t = make_rows(test_small() ? 500 : 20000, 3000, false);
    for (i = 0; i < 5; i++) {
        rows few = t;
        table b;
        size_t bytes = 0, j;
        unsigned k;
        cl_mem out[4];
        if (counts[i] < t.count) few.count = counts[i];
        for (j = few.groups = 0; j < few.count; j++)
            if (t.group[j] + 1 > few.groups) few.groups = t.group[j] + 1;
        open_table(gp, &t, 0, &b);
        for (j = 0; j < 4; j++) out[j] = test_buffer(gp, 4 * t.count + 4, NULL);
        if (i % 2) {
            b.d.groups_out = out[0];
            b.d.rows_out = out[1];
            b.d.order_out = out[2];
            b.d.offsets_out = out[3];
        }
        b.d.count_buffer = test_buffer(gp, 4, &counts[i]);
        b.d.count_type = GP_U32;
        assert_gp(gp, gp_group_by_scratch_size(gp, &b.d, &bytes));
        b.d.scratch = test_buffer(gp, bytes, NULL);
        assert_gp(gp, gp_group_by(gp, &b.d));
        for (k = 0; k < RESULTS; k++) check_result(gp, "outputs", &few, k, &b.results[k]);
        clReleaseMemObject(b.d.scratch);
        clReleaseMemObject(b.d.count_buffer);
        for (j = 0; j < 4; j++) clReleaseMemObject(out[j]);
        close_table(&b);
    }
    free_rows(&t);
    gp_context_destroy(gp);
}

/* NaN and infinities: min and max ignore NaN, sums and means do not; a variance of large numbers that differ little. */
static void test_floats(void **state)
{
    enum { N = 10 };
    static const uint32_t keys[N] = {7, 9, 7, 9, 7, 9, 1, 2, 3, 3};
    static const float v[N] = {NAN, 1000000, 3, 1000001, -INFINITY, 1000002, NAN, INFINITY, 1, INFINITY};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_key_column key = {.type = GP_U32, .in = test_buffer(gp, sizeof keys, keys)};
    gp_arg arg = {.name = "v", .type = GP_F32, .buffer = test_buffer(gp, sizeof v, v)};
    gp_group_result r[5] = {
        {.op = GP_MIN}, {.op = GP_MAX}, {.op = GP_SUM}, {.op = GP_MEAN}, {.op = GP_VARIANCE}};
    gp_group_by_desc d = {.columns = &key,
                          .column_count = 1,
                          .count = N,
                          .results = r,
                          .result_count = 5,
                          .args = &arg,
                          .arg_count = 1};
    float got[5][5];
    size_t k;
    (void)state;
    for (k = 0; k < 5; k++) {
        r[k].map = "v[i]";
        r[k].map_type = GP_F32;
        r[k].out = test_buffer(gp, N * 4, NULL);
    }
    assert_gp(gp, gp_group_by(gp, &d));
    for (k = 0; k < 5; k++) {
        float *out = test_read(gp, r[k].out, 20);
        memcpy(got[k], out, 20);
        free(out);
        clReleaseMemObject(r[k].out);
    }
    assert_true(got[0][0] == -INFINITY && got[1][0] == 3 && isnan(got[2][0]) && isnan(got[3][0]) &&
                isnan(got[4][0]));
    assert_true(got[0][1] == 1000000 && got[1][1] == 1000002 && got[2][1] == 3000003 && got[3][1] == 1000001);
    if (gp_context_info(gp)->fp64) assert_true(fabsf(got[4][1] - 2.f / 3) < 1e-6f);
    assert_true(isnan(got[3][2]) && got[3][3] == INFINITY && got[3][4] == INFINITY);
    assert_true(isnan(got[4][2]) && isnan(got[4][3]) && isnan(got[4][4])); /* of NaN, inf, {1, inf} */
    clReleaseMemObject(key.in);
    clReleaseMemObject(arg.buffer);
    gp_context_destroy(gp);
}

/* Sums that depend on the order of additions are the same to the bit from call to call. */
static void test_repeated(void **state)
{
    const size_t n = test_small() ? 500 : 100003;
    size_t v, i, k;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        float *x, *got[3];
        uint32_t *keys;
        gp_key_column key = {.type = GP_U32};
        gp_arg arg = {.name = "x", .type = GP_F32};
        gp_group_result r = {.op = GP_SUM, .map = "x[i]", .map_type = GP_F32};
        gp_group_by_desc d = {.columns = &key,
                              .column_count = 1,
                              .count = n,
                              .results = &r,
                              .result_count = 1,
                              .args = &arg,
                              .arg_count = 1};
        if (!gp) continue;
        x = room(4 * n);
        keys = room(4 * n);
        for (i = 0; i < n; i++) {
            x[i] = (float)test_random() / 1e5f * (i % 2 ? -1 : 1);
            keys[i] = test_random() % (v == 1 ? 60000 : 7);
        }
        key.in = test_buffer(gp, 4 * n, keys);
        arg.buffer = test_buffer(gp, 4 * n, x);
        for (k = 0; k < 3; k++) {
            r.out = test_buffer(gp, 4 * n, NULL);
            assert_gp(gp, gp_group_by(gp, &d));
            got[k] = test_read(gp, r.out, 4 * 7);
            assert_memory_equal(got[0], got[k], 4 * 7);
            clReleaseMemObject(r.out);
        }
        for (k = 0; k < 3; k++) free(got[k]);
        clReleaseMemObject(key.in);
        clReleaseMemObject(arg.buffer);
        free(x);
        free(keys);
        gp_context_destroy(gp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_large),    cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_floats),        cmocka_unit_test(test_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
