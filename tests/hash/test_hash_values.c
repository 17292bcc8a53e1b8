/* test_hash_values.c - gp_hash: no value and no key is special, under every variant and width. */
#include "../support/hash_support.h"

/* Values that have been special somewhere: in 32 bits and 64, signed and not, and as keys. */
static const uint64_t odd_values[] = {0,
                                      1,
                                      UINT64_MAX,
                                      UINT64_MAX - 1,
                                      UINT32_MAX,
                                      UINT32_MAX - 1,
                                      INT32_MAX,
                                      (uint64_t)1 << 31,
                                      (uint64_t)1 << 32,
                                      INT64_MAX,
                                      (uint64_t)1 << 63,
                                      0x5555555555555555u,
                                      0x7ff8000000000000u,
                                      0x7fc00000u};
enum { VALUES = sizeof odd_values / sizeof *odd_values, KEYS = 16 };

/* ------------------------------------------------------------------ group-by of signed values */

static void check_group_by(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const uint64_t key[] = {1, 1, 1, 2}, value[] = {100, UINT64_MAX, 50, UINT64_MAX};
    hash_model m = hash_model_make(2, w.key);
    gp_hash table = hash_create(gp, w, 8);
    hash_column keys = hash_column_make(gp, w.key, 4, 0, key),
                values = hash_column_make(gp, w.value, 4, 0, value);
    gp_hash_insert_desc d = {0};
    d.keys = keys.mem;
    d.values = values.mem;
    d.count = 4;
    d.op = GP_SUM;
    d.type = w.value == 8 ? GP_I64 : GP_I32;
    if (w.value) {
        assert_gp(gp, gp_hash_insert_or_apply(gp, table, &d));
        m.key[0] = 1;
        m.key[1] = 2;
        m.value[0] = 149;
        m.value[1] = hash_ones(w.value);
        m.live[0] = m.live[1] = true;
        m.counts.inserted = m.counts.existed = 2;
        hash_check(gp, way->name, table, w, &m);
        assert_gp(gp, gp_finish(gp));
    }
    hash_column_free(&keys);
    hash_column_free(&values);
    hash_model_free(&m);
    assert_gp(gp, gp_hash_destroy(gp, table));
}

static void test_group_by(void **state)
{
    (void)state;
    hash_each_way(check_group_by);
}

/* ------------------------------------------------------------------ every operation, every odd value */

static uint64_t apply(gp_op op, bool is_signed, size_t size, uint64_t x, uint64_t v)
{
    const uint64_t sign = (uint64_t)1 << (8 * size - 1), flip = is_signed ? sign : 0;
    switch (op) {
    case GP_MIN: return (x ^ flip) < (v ^ flip) ? x : v;
    case GP_MAX: return (x ^ flip) > (v ^ flip) ? x : v;
    case GP_AND: return x & v;
    case GP_OR: return x | v;
    case GP_XOR: return x ^ v;
    default: return (x + v) & hash_ones(size);
    }
}

/* Key i gets odd value i + round of every round, in one batch: each key once, so that the results are known. */
static void put_round(gp_context *gp, gp_hash table, hash_widths w, hash_model *m, size_t round, hash_how how,
                      gp_op op, bool is_signed)
{
    uint64_t value[KEYS], *r;
    hash_column keys = hash_column_make(gp, w.key, KEYS, 0, m->key), values, results;
    gp_hash_insert_desc d = {0};
    size_t i;
    for (i = 0; i < KEYS; i++) value[i] = w.value ? odd_values[(i + round) % VALUES] & hash_ones(w.value) : 0;
    values = hash_column_make(gp, w.value, KEYS, 1, value);
    results = hash_column_make(gp, 1, KEYS, 0, NULL);
    d.keys = keys.mem;
    d.values = values.mem;
    d.values_offset = w.value ? 1 : 0;
    d.count = KEYS;
    if (round % 2) d.results = results.mem;
    if (how == HASH_APPLY) d.op = op;
    if (how == HASH_APPLY && is_signed) d.type = w.value == 8 ? GP_I64 : GP_I32;
    assert_gp(gp, hash_put(gp, table, how, &d));
    r = hash_column_read(gp, &results);
    for (i = 0; i < KEYS; i++) {
        const uint64_t result = m->live[i] ? GP_HASH_EXISTED : GP_HASH_INSERTED;
        if (!m->live[i] || how == HASH_ASSIGN) m->value[i] = value[i];
        else if (how == HASH_APPLY) m->value[i] = apply(op, is_signed, w.value, m->value[i], value[i]);
        m->live[i] = true;
        hash_model_count(m, result);
        if (d.results) assert_int_equal(r[i], result);
    }
    free(r);
    hash_column_free(&keys);
    hash_column_free(&values);
    hash_column_free(&results);
}

/* Keys [from, to) of the model. */
static void erase(gp_context *gp, gp_hash table, hash_widths w, hash_model *m, size_t from, size_t to)
{
    hash_column keys = hash_column_make(gp, w.key, m->universe, 0, m->key);
    gp_hash_erase_desc d = {0};
    size_t i;
    d.keys = keys.mem;
    d.keys_offset = from;
    d.count = to - from;
    assert_gp(gp, gp_hash_erase(gp, table, &d));
    for (i = from; i < to; i++) {
        if (m->live[i]) hash_model_count(m, GP_HASH_ERASED);
        m->live[i] = false;
    }
    hash_column_free(&keys);
}

/* The keys: all ones, one less, 0 and others, in which bits of dead slots' words would be seen. */
static void check_operations(gp_context *gp, const hash_variant *way, hash_widths w)
{
    static const gp_op ops[] = {GP_SUM, GP_MIN, GP_MAX, GP_AND, GP_OR, GP_XOR};
    const size_t rounds = test_small() ? 3 : VALUES;
    hash_model m = hash_model_make(KEYS, w.key);
    gp_hash table = hash_create(gp, w, 2 * KEYS);
    size_t round, op;
    for (round = 0; round < rounds; round++) {
        put_round(gp, table, w, &m, round, HASH_INSERT, GP_OP_NONE, false);
        put_round(gp, table, w, &m, round + 1, HASH_ASSIGN, GP_OP_NONE, false);
        for (op = 0; op < (w.value ? sizeof ops / sizeof *ops : 0); op++) {
            put_round(gp, table, w, &m, round + op, HASH_APPLY, ops[op], false);
            put_round(gp, table, w, &m, 2 * round + op, HASH_APPLY, ops[op], true);
        }
        if (round % 4 == 0) hash_check(gp, way->name, table, w, &m);
        erase(gp, table, w, &m, round % 3, KEYS - round % 5);
    }
    hash_check(gp, way->name, table, w, &m);
    assert_gp(gp, gp_finish(gp));
    hash_model_free(&m);
    assert_gp(gp, gp_hash_destroy(gp, table));
}

static void test_operations(void **state)
{
    (void)state;
    hash_each_way(check_operations);
}

/* A sum that passes through every small value of both signs, in one batch: whatever the order, all of it. */
static void check_passing(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const size_t half = test_small() ? 40 : 1000, n = 3 * half;
    hash_model m = hash_model_make(3, w.key);
    gp_hash table = hash_create(gp, w, 8);
    uint64_t *key = malloc(n * sizeof *key), *value = malloc(n * sizeof *value);
    hash_column keys, values;
    gp_hash_insert_desc d = {0};
    size_t i;
    assert_true(key && value);
    for (i = 0; i < n; i++) {
        key[i] = m.key[i % 3];
        value[i] = i < n / 2 ? hash_ones(w.value) : i % 3 == 1 ? 3 : 1; /* down from 0, and up again */
        m.value[i % 3] = (m.value[i % 3] + value[i]) & hash_ones(w.value);
    }
    keys = hash_column_make(gp, w.key, n, 0, key);
    values = hash_column_make(gp, w.value, n, 0, value);
    d.keys = keys.mem;
    d.values = values.mem;
    d.count = n;
    d.op = GP_SUM;
    if (w.value) {
        assert_gp(gp, gp_hash_insert_or_apply(gp, table, &d));
        for (i = 0; i < 3; i++) m.live[i] = true;
        m.counts.inserted = 3;
        m.counts.existed = n - 3;
        hash_check(gp, way->name, table, w, &m);
    }
    hash_column_free(&keys);
    hash_column_free(&values);
    free(key);
    free(value);
    hash_model_free(&m);
    assert_gp(gp, gp_hash_destroy(gp, table));
}

static void test_passing(void **state)
{
    (void)state;
    hash_each_way(check_passing);
}

/* ------------------------------------------------------------------ churn, rehash, growing, for_each */

/* A full table, in which the same keys come and go: none ever fails, no slot is taken besides. */
static void check_churn(gp_context *gp, const hash_variant *way, hash_widths w)
{
    hash_model m = hash_model_make(KEYS + 2, w.key);
    gp_hash table = hash_create(gp, w, KEYS);
    gp_hash_stats stats;
    size_t round;
    m.universe = KEYS; /* with 0, all ones and one less: 13 to 16 slots */
    for (round = 0; round < (test_small() ? 3u : 12u); round++) {
        put_round(gp, table, w, &m, round, HASH_INSERT, GP_OP_NONE, false);
        erase(gp, table, w, &m, round % KEYS, KEYS);
        assert_gp(gp, gp_hash_stats_read(gp, table, &stats));
        assert_true(stats.live == hash_model_live(&m) && stats.live + stats.dead <= KEYS);
    }
    put_round(gp, table, w, &m, 2, HASH_ASSIGN, GP_OP_NONE, false);
    hash_check(gp, way->name, table, w, &m);
    hash_model_free(&m);
    assert_gp(gp, gp_hash_destroy(gp, table));
}

static void test_churn(void **state)
{
    (void)state;
    hash_each_way(check_churn);
}

/* Values and dead slots through a rehash, and keys that are all over a table that grew from one slot. */
static void check_moves(gp_context *gp, const hash_variant *way, hash_widths w)
{
    hash_model m = hash_model_make(KEYS, w.key);
    gp_hash_desc desc = {0};
    gp_hash_rehash_desc rehash = {0};
    gp_hash_stats stats;
    gp_hash table;
    size_t round;
    desc.key_size = w.key;
    desc.value_size = w.value;
    desc.capacity = 1;
    desc.grow = true;
    assert_gp(gp, gp_hash_create(gp, &desc, &table));
    for (round = 0; round < (test_small() ? 1u : 3u); round++) {
        put_round(gp, table, w, &m, round, HASH_ASSIGN, GP_OP_NONE, false);
        erase(gp, table, w, &m, round, KEYS / 2);
        hash_check(gp, way->name, table, w, &m);
        rehash.capacity = KEYS << round;
        assert_gp(gp, gp_hash_rehash(gp, table, &rehash));
        assert_gp(gp, gp_hash_stats_read(gp, table, &stats));
        assert_int_equal(stats.dead, 0);
        hash_check(gp, way->name, table, w, &m);
    }
    hash_model_free(&m);
    assert_gp(gp, gp_hash_destroy(gp, table));
}

static void test_moves(void **state)
{
    (void)state;
    hash_each_way(check_moves);
}

/* for_each maps to values that were special, and erases the sentinels' pairs among others. */
static void check_each(gp_context *gp, const hash_variant *way, hash_widths w)
{
    hash_model m = hash_model_make(KEYS, w.key);
    gp_hash table = hash_create(gp, w, 2 * KEYS);
    gp_hash_for_each_desc d = {0};
    size_t i;
    put_round(gp, table, w, &m, 0, HASH_INSERT, GP_OP_NONE, false);
    if (w.value) {
        d.map = "v == 0 ? ~v : v == 1 ? v - 2 : v - 1";
        assert_gp(gp, gp_hash_for_each(gp, table, &d));
        for (i = 0; i < KEYS; i++)
            m.value[i] = (m.value[i] <= 1 ? ~m.value[i] + m.value[i] : m.value[i] - 1) & hash_ones(w.value);
        m.counts.existed += KEYS;
        hash_check(gp, way->name, table, w, &m);
    }
    memset(&d, 0, sizeof d);
    d.where = "k + 2 <= 2"; /* 0 and the two highest */
    d.erase = true;
    assert_gp(gp, gp_hash_for_each(gp, table, &d));
    for (i = 0; i < 3; i++) m.live[i] = false;
    m.counts.erased += 3;
    hash_check(gp, way->name, table, w, &m);
    put_round(gp, table, w, &m, 3, HASH_INSERT, GP_OP_NONE, false);
    hash_check(gp, way->name, table, w, &m);
    hash_model_free(&m);
    assert_gp(gp, gp_hash_destroy(gp, table));
}

static void test_each(void **state)
{
    (void)state;
    hash_each_way(check_each);
}

/* ------------------------------------------------------------------ kernels of one's own */

static const char user_kernel[] =
    "__kernel void user(__global uint *memory, uint n, __global uint *out)\n"
    "{\n"
    "    const gp_hash_table t = gp_hash_open(memory);\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    const gp_hash_key key = (gp_hash_key)0 - i;\n" /* 0, all ones, one less ... */
    "    gp_hash_value v = 77;\n"
    "    if (i >= n) return;\n"
    "    out[i] = gp_hash_insert(t, key, (gp_hash_value)0 - i);\n"
    "    out[i] += 10 * gp_hash_erase(t, key);\n"
    "    out[i] += 100 * gp_hash_find(t, key, &v);\n"
    "    out[i] += 1000 * gp_hash_assign(t, key, (gp_hash_value)0 - i);\n"
    "    out[i] += 10000 * (gp_hash_find(t, key, &v) && v == (gp_hash_value)0 - i);\n"
    "    (void)gp_hash_add(t, key, 1);\n"
    "}\n";

static void check_device_source(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const cl_uint n = 8;
    gp_hash table;
    hash_model m;
    uint32_t *r;
    size_t i;
    if (w.key != w.value) return; /* one of each form will do */
    m = hash_model_make(n, w.key);
    table = hash_create(gp, w, 16);
    r = hash_run_user(gp, table, user_kernel, n, 4);
    for (i = 0; i < n; i++) {
        assert_int_equal(r[i], GP_HASH_INSERTED + 10 * GP_HASH_ERASED + 1000 * GP_HASH_INSERTED + 10000);
        m.key[i] = (0 - (uint64_t)i) & hash_ones(w.key);
        m.value[i] = (1 - (uint64_t)i) & hash_ones(w.value);
        m.live[i] = true;
    }
    m.counts.inserted = 2 * n;
    m.counts.erased = m.counts.existed = n;
    hash_check(gp, way->name, table, w, &m);
    free(r);
    hash_model_free(&m);
    assert_gp(gp, gp_hash_destroy(gp, table));
}

static void test_device_source(void **state)
{
    (void)state;
    hash_each_way(check_device_source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_group_by),      cmocka_unit_test(test_operations),
        cmocka_unit_test(test_passing),       cmocka_unit_test(test_churn),
        cmocka_unit_test(test_moves),         cmocka_unit_test(test_each),
        cmocka_unit_test(test_device_source),
    };
    return cmocka_run_group_tests_name("hash_values", tests, NULL, NULL);
}
