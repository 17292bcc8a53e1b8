/* test_host_group_by.c - gp_host_group_by against plain C: whatever the keys are, in chunks of many sizes. */
#include <stddef.h>

/* The most that a call allocates at once. */
static size_t most_allocated;
static void *counted_malloc(size_t bytes);
#define GP_MALLOC(bytes) counted_malloc(bytes)
#define GP_FREE(memory) free(memory)
#include "host.h"

static void *counted_malloc(size_t bytes)
{
    if (bytes > most_allocated) most_allocated = bytes;
    return malloc(bytes);
}

static gp_context *gp;

static const size_t budgets[] = {2000, 60000, 0};

typedef enum keys {
    KEYS_RANDOM, /* few are equal */
    KEYS_EQUAL,
    KEYS_SORTED,
    KEYS_REVERSED,
    KEYS_FEW,
    KEYS_SOME,    /* of 300 distinct values */
    KEYS_SKEWED,  /* nine of ten are one key */
    KEYS_LATE,    /* equal at first, then distinct */
    KEYS_SPECIAL, /* -0, +0, NaNs, infinities */
    KEYS_COUNT
} keys;

typedef struct group_case {
    gp_type type;
    size_t count, budget;
    keys keys;
    size_t room; /* SIZE_MAX: as many as there are */
    bool no_keys;
    bool tmp; /* temporary memory of the caller's */
} group_case;

static size_t size_of(gp_type type)
{
    switch (type) {
#define SIZE_CASE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(SIZE_CASE)
    default: return 0;
    }
}

static uint64_t special(gp_type type, uint32_t random)
{
    static const uint64_t f16[] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e01, 0xfe02, 0x3c00, 0xbc00};
    static const uint64_t f32[] = {0,           0x80000000u, 0x7f800000u, 0xff800000u,
                                   0x7fc00001u, 0xffc00002u, 0x3f800000u, 0xbf800000u};
    const unsigned k = random >> 7 & 7;
    if (type == GP_F16) return f16[k];
    if (type == GP_F64) return f32[k] << 32 | (f32[k] & 3);
    return type == GP_F32 ? f32[k] : (uint64_t)k << 61 | k;
}

static uint64_t make_key(const group_case *c, size_t i)
{
    const uint64_t random = (uint64_t)test_random() << 32 | test_random();
    switch (c->keys) {
    case KEYS_EQUAL: return 0x9e3779b97f4a7c15u;
    case KEYS_SORTED: return i / 3;
    case KEYS_REVERSED: return (c->count - i) * 977;
    case KEYS_FEW: return random % 5 * 0x3333333333333333u;
    case KEYS_SOME: return random % 300 * 0x9e3779b97f4a7c15u;
    case KEYS_SKEWED: return random % 10 ? 77 : random;
    case KEYS_LATE: return i < c->count / 2 ? 5 : i;
    case KEYS_SPECIAL: return special(c->type, (uint32_t)random);
    default: return random;
    }
}

/* An unsigned number that is ordered as keys are. */
static uint64_t ordered(gp_type type, const void *key)
{
    const unsigned bits = (unsigned)(8 * size_of(type));
    const uint64_t top = (uint64_t)1 << (bits - 1);
    const bool is_float = type == GP_F16 || type == GP_F32 || type == GP_F64;
    uint64_t x = 0;
    memcpy(&x, key, bits / 8); /* little endian */
    if (type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 || (is_float && !(x & top)))
        x ^= top;
    else if (is_float) x = ~x & (top | (top - 1));
    return x;
}

typedef struct entry {
    uint64_t key;
    size_t index;
} entry;

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static entry *sorted_order(gp_type type, const unsigned char *in, size_t count)
{
    entry *order = malloc((count + 1) * sizeof *order);
    size_t i;
    assert_non_null(order);
    for (i = 0; i < count; i++) {
        order[i].key = ordered(type, in + i * size_of(type));
        order[i].index = i;
    }
    qsort(order, count, sizeof *order, compare);
    return order;
}

static size_t count_groups(const entry *order, size_t count)
{
    size_t i, groups = 0;
    for (i = 0; i < count; i++) groups += i == 0 || order[i].key != order[i - 1].key;
    return groups;
}

/* ------------------------------------------------------------------ sums */

/* Sums of u32 as u64, with an initial value. */
static void check(const group_case *c)
{
    const size_t k = size_of(c->type), n = c->count, offset = 16;
    const uint64_t initial = 1000;
    unsigned char *in = malloc(n * k + 1), *keys_out = NULL;
    uint32_t *values = malloc(n * 4 + 1);
    uint64_t *out, groups = 99;
    void *keys_block, *values_block, *keys_out_block = NULL, *out_block, *tmp_block[2] = {NULL, NULL};
    told progress = {0};
    gp_host_group_by_desc desc = {0};
    entry *order;
    size_t i, g, expected, room;
    assert_true(in && values);
    for (i = 0; i < n; i++) {
        const uint64_t key = make_key(c, i);
        memcpy(in + i * k, &key, k);
        values[i] = test_random() >> (i % 7);
    }
    order = sorted_order(c->type, in, n);
    expected = count_groups(order, n);
    room = c->room == SIZE_MAX ? expected : c->room ? c->room : n;
    if (!c->no_keys) keys_out = copy_at(NULL, room * k, offset, &keys_out_block);
    out = copy_at(NULL, room * 8, offset, &out_block);
    desc.keys = copy_at(in, n * k, offset, &keys_block);
    desc.in = copy_at(values, n * 4, offset, &values_block);
    desc.keys_out = keys_out;
    desc.out = out;
    desc.room = c->room == SIZE_MAX ? expected : c->room;
    desc.groups = &groups;
    desc.count = n;
    desc.key_type = c->type;
    desc.type = GP_U32;
    desc.op = GP_SUM;
    desc.initial = &initial;
    desc.budget = c->budget;
    desc.progress = tell;
    desc.progress_user = &progress;
    if (c->tmp) {
        desc.keys_tmp = copy_at(NULL, 2 * n * k, offset, &tmp_block[0]);
        desc.values_tmp = copy_at(NULL, 2 * n * 8, offset, &tmp_block[1]);
    }
    most_allocated = 0;
    assert_gp(gp, gp_host_group_by(gp, &desc));
    if (c->tmp && n > 4 * progress.first)
        assert_true(most_allocated <= (n / progress.first + 1) * 257 * sizeof(size_t));
    assert_int_equal(groups, expected);
    for (i = 0, g = 0; i < n; g++) {
        const size_t first = i;
        uint64_t sum = initial;
        for (; i < n && order[i].key == order[first].key; i++) sum += values[order[i].index];
        if (out[g] != sum || (keys_out && memcmp(keys_out + g * k, in + order[first].index * k, k) != 0))
            fail_msg("type %d, count %zu, budget %zu, keys %d: [%zu] is wrong", (int)c->type, n, c->budget,
                     (int)c->keys, g);
    }
    for (i = expected * 8; i < room * 8; i++) assert_int_equal(((unsigned char *)out)[i], TEST_POISON);
    for (i = expected * k; keys_out && i < room * k; i++) assert_int_equal(keys_out[i], TEST_POISON);
    assert_memory_equal(desc.keys, in, n * k);
    assert_memory_equal(desc.in, values, n * 4);
    if (n) {
        assert_int_equal(progress.last, progress.total);
        assert_true(progress.total == n || progress.total == 2 * n);
    }
    assert_around(keys_block, offset, n * k);
    assert_around(values_block, offset, n * 4);
    assert_around(out_block, offset, room * 8);
    if (keys_out) assert_around(keys_out_block, offset, room * k);
    if (c->tmp) {
        assert_around(tmp_block[0], offset, 2 * n * k);
        assert_around(tmp_block[1], offset, 2 * n * 8);
    }
    free(tmp_block[0]);
    free(tmp_block[1]);
    free(keys_block);
    free(values_block);
    free(keys_out_block);
    free(out_block);
    free(order);
    free(in);
    free(values);
}

static const size_t sizes[] = {0, 1, 2, 127, 128, 1021, 4099};

static void test_keys(void **state)
{
    size_t b, s;
    int k;
    (void)state;
    for (k = 0; k < KEYS_COUNT; k++) {
        for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            for (s = 0; s < sizeof sizes / sizeof *sizes - test_small(); s++) {
                group_case c = {.type = GP_U32, .count = sizes[s], .budget = budgets[b], .keys = (keys)k};
                c.room = s % 2 ? SIZE_MAX : 0;
                c.no_keys = (s + b) % 4 == 3;
                c.tmp = (s + (size_t)k) % 2;
                check(&c);
            }
        }
    }
}

static void test_types(void **state)
{
    static const gp_type types[] = {
#define TYPE_NAME(name, value, cl, bytes) name,
        GP_TYPES(TYPE_NAME)};
    size_t t;
    int k;
    (void)state;
    for (t = 0; t < sizeof types / sizeof *types; t++) {
        for (k = test_small() ? KEYS_SPECIAL : 0; k < KEYS_COUNT; k++) {
            group_case c = {.type = types[t], .count = 3001, .budget = 9000 + t * 1000, .keys = (keys)k};
            check(&c);
        }
    }
}

/* Sizes around those of chunks; keys that fill pieces, and end with them. */
static void test_boundaries(void **state)
{
    static uint32_t zeros[20000];
    static uint64_t sums[20000]; /* types as check has them: chunks of the same size */
    told progress = {0};
    gp_host_group_by_desc desc = {.keys = zeros,
                                  .in = zeros,
                                  .out = sums,
                                  .count = 20000,
                                  .key_type = GP_U32,
                                  .type = GP_U32,
                                  .op = GP_SUM,
                                  .budget = 12000,
                                  .progress = tell,
                                  .progress_user = &progress};
    size_t chunk, k;
    int kind;
    (void)state;
    assert_gp(gp, gp_host_group_by(gp, &desc));
    chunk = progress.first;
    assert_true(chunk > 50 && chunk < 1000);
    for (kind = 0; kind < KEYS_SPECIAL; kind++) {
        for (k = 1; k < (test_small() ? 3 : 12); k += k < 4 ? 1 : 3) {
            group_case c = {.type = GP_U32, .count = k * chunk - 1, .budget = 12000, .keys = (keys)kind};
            check(&c);
            c.count++;
            check(&c);
            c.count++;
            check(&c);
        }
    }
}

static void test_large(void **state)
{
    group_case c = {.type = GP_U64, .count = ((size_t)1 << 20) + 123, .budget = 4000000};
    (void)state;
    if (test_small()) c.count = 5003, c.budget = 100000;
    check(&c);
    c.tmp = true;
    check(&c);
    c.keys = KEYS_SOME;
    check(&c);
    c.keys = KEYS_LATE;
    c.budget = 0;
    check(&c);
}

/* ------------------------------------------------------------------ order, values */

/* Not commutative: a group's elements come in their order. As integers the results are exact. */
static void test_monoid(void **state)
{
    enum { COUNT = 3001 };
    static const char source[] = "typedef struct { uint first, last; } ends;"
                                 "ends join(ends a, ends b) { ends c = {a.first ? a.first : b.first,"
                                 "b.last ? b.last : a.last}; return c; }";
    static const uint32_t none[2] = {0, 0};
    static const gp_monoid join = {
        .type = "ends", .source = source, .combine = "join", .identity = none, .size = 8, .exact = true};
    static uint32_t keys_in[COUNT], numbers[COUNT], keys_out[COUNT], out[COUNT][2], ends[300][2];
    size_t b, i, g;
    (void)state;
    for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        uint64_t groups = 0;
        const gp_host_group_by_desc desc = {.keys = keys_in,
                                            .in = numbers,
                                            .keys_out = keys_out,
                                            .out = out,
                                            .groups = &groups,
                                            .count = COUNT,
                                            .key_type = GP_U32,
                                            .type = GP_U32,
                                            .monoid = &join,
                                            .map = "(ends){x, x}",
                                            .budget = budgets[b]};
        memset(ends, 0, sizeof ends);
        for (i = 0; i < COUNT; i++) {
            keys_in[i] = test_random() % 300;
            numbers[i] = (uint32_t)i + 1;
            if (!ends[keys_in[i]][0]) ends[keys_in[i]][0] = numbers[i];
            ends[keys_in[i]][1] = numbers[i];
        }
        assert_gp(gp, gp_host_group_by(gp, &desc));
        for (g = 0, i = 0; i < 300; i++) {
            if (!ends[i][0]) continue;
            assert_int_equal(keys_out[g], i);
            assert_memory_equal(out[g++], ends[i], 8);
        }
        assert_int_equal(groups, g);
    }
}

/* Float sums repeat; counts, records and arguments. */
static void test_values(void **state)
{
    enum { COUNT = 5003 };
    typedef struct row {
        float price;
        uint32_t pieces;
    } row;
    static const gp_record record = {
        .cl_type = "row", .size = sizeof(row), .source = "typedef struct { float price; uint pieces; } row;"};
    static row rows[COUNT];
    static uint8_t keys_in[COUNT];
    static float sums[2][256];
    static double totals[256];
    static uint32_t counts[256], expected[256], bound = 40, pieces[256], wanted[256];
    const gp_arg args[] = {{.name = "bound", .type = GP_U32, .value = &bound}};
    gp_host_group_by_desc desc = {.keys = keys_in,
                                  .in = rows,
                                  .room = 256,
                                  .count = COUNT,
                                  .key_type = GP_U8,
                                  .record = &record,
                                  .op = GP_SUM,
                                  .budget = 9000};
    size_t i;
    (void)state;
    for (i = 0; i < COUNT; i++) {
        keys_in[i] = (uint8_t)(i < 256 ? i : test_random() >> 5);
        rows[i].price = (float)test_random() / 1e6f;
        rows[i].pieces = test_random() >> 20;
        totals[keys_in[i]] += rows[i].price;
        expected[keys_in[i]]++;
        if (rows[i].pieces > bound) wanted[keys_in[i]] += rows[i].pieces;
    }
    desc.map = "x.price";
    desc.out_type = GP_F32;
    for (i = 0; i < 2; i++) {
        desc.out = sums[i];
        assert_gp(gp, gp_host_group_by(gp, &desc));
    }
    assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
    for (i = 0; i < 256; i++)
        assert_true(sums[0][i] >= totals[i] * (1 - 1e-5) && sums[0][i] <= totals[i] * (1 + 1e-5));
    desc.map = "1";
    desc.out_type = GP_U32;
    desc.out = counts;
    assert_gp(gp, gp_host_group_by(gp, &desc));
    assert_memory_equal(counts, expected, sizeof counts);
    desc.map = "x.pieces > bound ? x.pieces : 0";
    desc.args = args;
    desc.arg_count = 1;
    desc.out = pieces;
    assert_gp(gp, gp_host_group_by(gp, &desc));
    assert_memory_equal(pieces, wanted, sizeof pieces);
}

/* ------------------------------------------------------------------ memory, cancel, bad input */

static uint32_t keys_in[5000], values_in[5000], keys_out[5000], out[5000];

static gp_host_group_by_desc usual(uint64_t *groups)
{
    gp_host_group_by_desc desc = {.keys = keys_in,
                                  .in = values_in,
                                  .keys_out = keys_out,
                                  .out = out,
                                  .groups = groups,
                                  .count = 5000,
                                  .key_type = GP_U32,
                                  .type = GP_U32,
                                  .out_type = GP_U32,
                                  .op = GP_SUM,
                                  .budget = 12000};
    return desc;
}

/* One group more than there is room for: all are counted, and nothing is written beyond. */
static void test_room(void **state)
{
    size_t b, i;
    (void)state;
    for (b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        uint64_t groups = 0;
        gp_host_group_by_desc desc = usual(&groups);
        for (i = 0; i < 5000; i++) keys_in[i] = (uint32_t)i % 1000;
        desc.budget = budgets[b];
        desc.room = 999;
        out[999] = keys_out[999] = 12345;
        assert_gp_fails(gp, gp_host_group_by(gp, &desc), GP_ERROR_COUNT_LIMIT,
                        "gp_host_group_by: room = 999: there are 1000 groups");
        assert_int_equal(groups, 1000);
        assert_true(out[999] == 12345 && keys_out[999] == 12345);
        desc.room = 1000;
        assert_gp(gp, gp_host_group_by(gp, &desc));
        assert_true(keys_out[999] == 999 && groups == 1000);
    }
}

static void test_cancel(void **state)
{
    uint64_t n;
    size_t i;
    (void)state;
    for (i = 0; i < 5000; i++) keys_in[i] = (uint32_t)i * 7919 % 3001;
    for (n = 1;; n++) {
        uint64_t groups = 77;
        told progress = {.cancel_at = n};
        gp_host_group_by_desc desc = usual(&groups);
        gp_result result;
        desc.progress = tell;
        desc.progress_user = &progress;
        result = gp_host_group_by(gp, &desc);
        if (progress.calls < n) {
            assert_int_equal(result, GP_OK);
            assert_int_equal(groups, 3001);
            break;
        }
        assert_int_equal(result, GP_ERROR_CANCELED);
        assert_int_equal(groups, 77);
        assert_non_null(strstr(gp_last_error(gp), "gp_host_group_by: progress canceled the call after "));
        assert_non_null(strstr(gp_last_error(gp), " of 10000"));
    }
    assert_true(n > 10);
}

#define FAILS(change, expected, part)                                  \
    do {                                                               \
        gp_host_group_by_desc d = usual(&groups);                      \
        change;                                                        \
        assert_gp_fails(gp, gp_host_group_by(gp, &d), expected, part); \
    } while (0)

static void test_refused(void **state)
{
    static const float three[3] = {0, 0, 0};
    static uint32_t tmp[20000];
    static const gp_monoid wide = {.type = "float3",
                                   .source = "float3 plus(float3 a, float3 b) { return a + b; }",
                                   .combine = "plus",
                                   .identity = three,
                                   .size = 12};
    const gp_record empty = {.cl_type = "uint"};
    uint64_t groups = 3;
    (void)state;
    FAILS(d.keys = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_group_by: keys is NULL");
    FAILS(d.in = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_group_by: in is NULL");
    FAILS(d.out = NULL, GP_ERROR_INVALID_ARGUMENT, "gp_host_group_by: out is NULL");
    FAILS(d.key_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "key_type = 0 is not an element type");
    FAILS(d.type = (gp_type)99, GP_ERROR_INVALID_TYPE, "gp_host_group_by: type = 99");
    FAILS(d.out_type = (gp_type)99, GP_ERROR_INVALID_TYPE, "gp_host_group_by: out_type = 99");
    FAILS(d.op = GP_ARGMIN, GP_ERROR_INVALID_OP, "argmin and argmax are not taken");
    FAILS(d.op = GP_OP_NONE, GP_ERROR_INVALID_OP, "gp_reduce_by_key");
    FAILS((d.type = GP_TYPE_NONE, d.record = &empty), GP_ERROR_INVALID_TYPE, "elements of in have 0 bytes");
    FAILS((d.op = GP_OP_NONE, d.out_type = GP_TYPE_NONE, d.monoid = &wide), GP_ERROR_INVALID_TYPE,
          "elements of in have 12 bytes");
    FAILS(d.map = "x + i", GP_ERROR_INVALID_ARGUMENT, "gp_host_group_by: map: i has no meaning");
    FAILS(d.keys_out = keys_in + 4999, GP_ERROR_OVERLAP, "gp_host_group_by: keys and keys_out overlap");
    FAILS(d.out = values_in, GP_ERROR_OVERLAP, "gp_host_group_by: in and out overlap");
    FAILS(d.out = keys_out, GP_ERROR_OVERLAP, "gp_host_group_by: keys_out and out overlap");
    FAILS(d.keys_tmp = tmp, GP_ERROR_INVALID_ARGUMENT, "one of keys_tmp and values_tmp is set");
    FAILS(d.values_tmp = tmp, GP_ERROR_INVALID_ARGUMENT, "one of keys_tmp and values_tmp is set");
    FAILS((d.keys_tmp = tmp, d.values_tmp = tmp + 9999), GP_ERROR_OVERLAP, "keys_tmp and values_tmp overlap");
    FAILS((d.keys_tmp = tmp, d.values_tmp = keys_in), GP_ERROR_OVERLAP, "keys and values_tmp overlap");
    FAILS(d.budget = 30, GP_ERROR_INVALID_ARGUMENT, "gp_host_group_by: budget = 30 bytes");
    FAILS(d.count = SIZE_MAX, GP_ERROR_COUNT_LIMIT, "is more than memory can hold");
    FAILS(d.map = "x +", GP_ERROR_INVALID_ARGUMENT, "map");
    assert_int_equal(groups, 3);
    assert_int_equal(gp_host_group_by(NULL, NULL), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_host_group_by(gp, NULL), GP_ERROR_INVALID_ARGUMENT);
}

/* The smallest budgets: chunks of one element, or of two. */
static void test_small_budgets(void **state)
{
    static uint32_t equal[40], ones[40];
    size_t budget, worked = 0, i;
    (void)state;
    for (i = 0; i < 40; i++) ones[i] = 1;
    for (budget = 24; budget < 4000; budget += budget / 16) {
        uint64_t groups = 0;
        gp_host_group_by_desc desc = usual(&groups);
        gp_result result;
        desc.keys = equal;
        desc.in = ones;
        desc.count = 40;
        out[0] = 0;
        desc.budget = budget;
        result = gp_host_group_by(gp, &desc);
        if (result == GP_OK) assert_true(groups == 1 && out[0] == 40);
        else assert_true(result == GP_ERROR_INVALID_ARGUMENT && !worked); /* a larger budget works, too */
        worked += result == GP_OK;
    }
    assert_true(worked > 0);
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
        cmocka_unit_test(test_keys),       cmocka_unit_test(test_types),
        cmocka_unit_test(test_boundaries), cmocka_unit_test(test_large),
        cmocka_unit_test(test_monoid),     cmocka_unit_test(test_values),
        cmocka_unit_test(test_room),       cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_small_budgets),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
