/* test_hash.c - gp_hash: batches against a model, under every variant and width. */
#include "../support/hash_support.h"

static uint64_t random_64(void) { return (uint64_t)test_random() << 32 | test_random(); }

/* ------------------------------------------------------------------ random mixed operations */

/* A batch of keys by their numbers, with what is expected of them. */
typedef struct batch {
    size_t n;
    size_t *id;
    uint64_t *key, *value, *result;
} batch;

static batch batch_make(size_t n)
{
    batch b;
    b.n = n;
    b.id = malloc((n + 1) * sizeof *b.id);
    b.key = malloc((n + 1) * sizeof *b.key);
    b.value = malloc((n + 1) * sizeof *b.value);
    b.result = malloc((n + 1) * sizeof *b.result);
    assert_true(b.id && b.key && b.value && b.result);
    return b;
}

static void batch_free(batch *b)
{
    free(b->id);
    free(b->key);
    free(b->value);
    free(b->result);
}

static void batch_fill(batch *b, const hash_model *m, hash_widths w)
{
    const size_t spread =
        test_random() % 4 == 0 ? 1 + m->universe / 50 : m->universe; /* many equal, or few */
    const uint64_t salt = random_64();
    size_t i;
    for (i = 0; i < b->n; i++) {
        b->id[i] = test_random() % spread;
        b->key[i] = m->key[b->id[i]];
        b->value[i] = (salt ^ (uint64_t)b->id[i] * 0x2545f4914f6cdd1du) & hash_ones(w.value);
        if (b->id[i] % 97 == 13) b->value[i] = hash_ones(w.value);
        if (w.value == 0) b->value[i] = 0;
    }
}

static uint64_t applied(gp_op op, uint64_t x, uint64_t v)
{
    switch (op) {
    case GP_MIN: return x < v ? x : v;
    case GP_MAX: return x > v ? x : v;
    case GP_AND: return x & v;
    case GP_OR: return x | v;
    case GP_XOR: return x ^ v;
    default: return x + v;
    }
}

static uint64_t model_put(hash_model *m, hash_widths w, size_t id, hash_how how, gp_op op, uint64_t value)
{
    const bool was = m->live[id];
    if (!was || how == HASH_ASSIGN) m->value[id] = value;
    else if (how == HASH_APPLY) m->value[id] = applied(op, m->value[id], value) & hash_ones(w.value);
    m->live[id] = true;
    return was ? GP_HASH_EXISTED : GP_HASH_INSERTED;
}

/* Which index stands for each key: -1 where all do. */
static void model_choose(const batch *b, const hash_model *m, gp_hash_duplicates duplicates, size_t *chosen)
{
    size_t i;
    for (i = 0; i < m->universe; i++) chosen[i] = SIZE_MAX;
    for (i = 0; i < b->n; i++) {
        if (duplicates == GP_HASH_LAST || chosen[b->id[i]] == SIZE_MAX) chosen[b->id[i]] = i;
    }
}

static void model_batch(hash_model *m, batch *b, hash_widths w, hash_how how, gp_op op,
                        gp_hash_duplicates duplicates)
{
    size_t *chosen = malloc(m->universe * sizeof *chosen), i;
    assert_non_null(chosen);
    model_choose(b, m, duplicates, chosen);
    for (i = 0; i < b->n; i++) {
        if (duplicates && chosen[b->id[i]] != i) b->result[i] = GP_HASH_SUPERSEDED;
        else b->result[i] = model_put(m, w, b->id[i], how, op, b->value[i]);
        hash_model_count(m, b->result[i]);
    }
    free(chosen);
}

static void check_results(gp_context *gp, const char *name, const hash_column *results, const batch *b,
                          bool exact)
{
    uint64_t *r = hash_column_read(gp, results);
    size_t seen[8] = {0}, expected[8] = {0}, i;
    for (i = 0; i < b->n; i++) {
        if (r[i] > 7 || (exact && r[i] != b->result[i]))
            fail_msg("%s: result %zu is %d, not %d", name, i, (int)r[i], (int)b->result[i]);
        seen[r[i]]++;
        expected[b->result[i]]++;
    }
    for (i = 0; i < 8; i++) {
        if (seen[i] != expected[i]) fail_msg("%s: %zu results %zu, not %zu", name, seen[i], i, expected[i]);
    }
    free(r);
}

/* A partition is a pass of a sort, whose programs are dear on PoCL: a few of them will do. */
static bool may_partition(const gp_context *gp, const char *name, hash_widths w, bool dear)
{
    return test_builds_are_cheap(gp) || (!strstr(name, "local") && w.key == w.value && !dear);
}

static void put_round(gp_context *gp, const char *name, gp_hash table, hash_widths w, hash_model *m, batch *b)
{
    static const gp_op ops[] = {GP_SUM, GP_MIN, GP_MAX, GP_AND, GP_OR, GP_XOR};
    const hash_how how = (hash_how)(test_random() % (w.value ? 3 : 2));
    const bool counting = how == HASH_APPLY && test_random() % 4 == 0;
    hash_column keys, values, results;
    gp_hash_insert_desc desc = {0};
    size_t i;
    batch_fill(b, m, w);
    for (i = 0; counting && i < b->n; i++) b->value[i] = 1;
    keys = hash_column_make(gp, w.key, b->n, 3, b->key);
    values = hash_column_make(gp, w.value, b->n, 1, b->value);
    results = hash_column_make(gp, 1, b->n, 7, NULL);
    if (how == HASH_APPLY) desc.op = counting ? GP_SUM : ops[test_random() % 6];
    else desc.duplicates = (gp_hash_duplicates)(test_random() % 3);
    desc.keys = keys.mem;
    desc.keys_offset = keys.offset;
    desc.values = counting ? NULL : values.mem;
    desc.values_offset = desc.values ? values.offset : 0;
    desc.count = b->n;
    if (test_random() % 2) {
        desc.results = results.mem;
        desc.results_offset = results.offset;
    }
    if (test_random() % 3 == 0 && may_partition(gp, name, w, counting))
        desc.strategy = GP_STRATEGY_MULTI_PASS;
    model_batch(m, b, w, how, desc.op, desc.duplicates);
    assert_gp(gp, hash_put(gp, table, how, &desc));
    if (desc.results) check_results(gp, name, &results, b, desc.duplicates != GP_HASH_ANY);
    hash_column_free(&keys);
    hash_column_free(&values);
    hash_column_free(&results);
}

static void erase_round(gp_context *gp, const char *name, gp_hash table, hash_widths w, hash_model *m,
                        batch *b)
{
    hash_column keys, results = hash_column_make(gp, 1, b->n, 2, NULL);
    gp_hash_erase_desc desc = {0};
    size_t i;
    batch_fill(b, m, w);
    keys = hash_column_make(gp, w.key, b->n, 5, b->key);
    desc.keys = keys.mem;
    desc.keys_offset = keys.offset;
    if (test_random() % 2) {
        desc.results = results.mem;
        desc.results_offset = results.offset;
    }
    desc.count = b->n;
    if (test_random() % 2 && may_partition(gp, name, w, w.key == 8)) desc.strategy = GP_STRATEGY_MULTI_PASS;
    for (i = 0; i < b->n; i++) {
        b->result[i] = m->live[b->id[i]] ? GP_HASH_ERASED : GP_HASH_ABSENT;
        m->live[b->id[i]] = false;
        hash_model_count(m, b->result[i]);
    }
    assert_gp(gp, gp_hash_erase(gp, table, &desc));
    if (desc.results) check_results(gp, name, &results, b, false);
    hash_column_free(&keys);
    hash_column_free(&results);
}

static void rehash_round(gp_context *gp, gp_hash table, size_t capacity)
{
    gp_hash_rehash_desc desc = {0};
    desc.capacity = test_random() % 2 ? capacity : test_random() % 2 ? 2 * capacity : 0;
    assert_gp(gp, gp_hash_rehash(gp, table, &desc));
}

static void check_mixed(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const char *name = way->name;
    const size_t universe = test_small() ? 150 : 3000, capacity = test_small() ? 256 : 4096;
    const size_t rounds = test_small() ? 8 : 60;
    hash_model m = hash_model_make(universe, w.key);
    gp_hash table = hash_create(gp, w, capacity);
    size_t round;
    for (round = 0; round < rounds; round++) {
        batch b = batch_make(test_random() % (test_small() ? 300 : 6000));
        const uint32_t dice = test_random() % 16;
        if (dice < 11) put_round(gp, name, table, w, &m, &b);
        else if (dice < 14) erase_round(gp, name, table, w, &m, &b);
        else if (dice < 15) rehash_round(gp, table, capacity);
        if (round % 8 == 7) hash_check(gp, name, table, w, &m);
        batch_free(&b);
    }
    hash_check(gp, name, table, w, &m);
    assert_gp(gp, gp_hash_destroy(gp, table));
    hash_model_free(&m);
}

/* Numbers go on from seed to seed: each one takes other turns. */
static void test_mixed(void **state)
{
    long seed;
    (void)state;
    for (seed = 0; seed < hash_seeds(); seed++) hash_each_way(check_mixed);
}

/* ------------------------------------------------------------------ sizes */

/* Keys 1 ... n, in, found, out. */
static void check_size(gp_context *gp, const char *name, hash_widths w, size_t n)
{
    hash_model m = hash_model_make(n + 1, w.key);
    gp_hash table = hash_create(gp, w, 2 * n + 1);
    hash_column keys = hash_column_make(gp, w.key, n, 0, m.key), values;
    gp_hash_insert_desc insert = {0};
    gp_hash_erase_desc erase = {0};
    size_t i;
    for (i = 0; i < n; i++) m.value[i] = w.value ? i : 0;
    for (i = 0; i < n; i++) m.live[i] = true;
    values = hash_column_make(gp, w.value, n, 0, m.value);
    insert.keys = keys.mem;
    insert.values = values.mem;
    insert.count = n;
    assert_gp(gp, gp_hash_insert(gp, table, &insert));
    m.counts.inserted = n;
    hash_check(gp, name, table, w, &m);
    for (i = 0; i < n / 2; i++) m.live[i] = false;
    erase.keys = keys.mem;
    erase.count = n / 2;
    m.counts.erased = n / 2;
    assert_gp(gp, gp_hash_erase(gp, table, &erase));
    hash_check(gp, name, table, w, &m);
    hash_column_free(&keys);
    hash_column_free(&values);
    assert_gp(gp, gp_hash_destroy(gp, table));
    hash_model_free(&m);
}

static void check_sizes(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const char *name = way->name;
    static const size_t sizes[] = {0,    1,    2,    15,   16,   17,     255,
                                   1023, 1024, 1025, 2047, 2049, 104729, (1 << 20) + 123};
    const bool plain = w.key == 4 && w.value == 4 && way == hash_variants;
    size_t i;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > (test_small() ? 300u : plain ? SIZE_MAX : 2500u)) continue;
        check_size(gp, name, w, sizes[i]);
    }
}

static void test_sizes(void **state)
{
    (void)state;
    hash_each_way(check_sizes);
}

/* ------------------------------------------------------------------ group-by */

/* How often each of k keys is there among n. */
static void check_counting(gp_context *gp, const char *name, hash_widths w, size_t n, size_t k)
{
    hash_model m = hash_model_make(k, w.key);
    gp_hash table = hash_create(gp, w, 2 * k);
    uint64_t *key = malloc(n * sizeof *key);
    gp_hash_insert_desc d = {0};
    hash_column keys;
    size_t i;
    assert_non_null(key);
    for (i = 0; i < n; i++) {
        const size_t which = i * 7919 % k;
        key[i] = m.key[which];
        m.live[which] = true;
        m.value[which]++;
    }
    for (i = 0; i < k; i++) m.counts.inserted += m.live[i];
    m.counts.existed = n - m.counts.inserted;
    keys = hash_column_make(gp, w.key, n, 0, key);
    d.keys = keys.mem;
    d.count = n;
    d.op = GP_SUM;
    assert_gp(gp, gp_hash_insert_or_apply(gp, table, &d));
    hash_check(gp, name, table, w, &m);
    hash_column_free(&keys);
    free(key);
    assert_gp(gp, gp_hash_destroy(gp, table));
    hash_model_free(&m);
}

/* Of the sizes the last is more than groups take that a device runs at a time, the last but one more than an item counts
   without a pause. */
static void check_countings(gp_context *gp, const hash_variant *way, hash_widths w)
{
    static const size_t sizes[] = {1, 257, 1025, 40001, 600011}, keys[] = {1, 4, 64, 300, 40000};
    const bool plain = w.key == 4 && w.value == 4 && way == hash_variants;
    size_t i, k;
    for (i = 0; w.value && i < sizeof sizes / sizeof *sizes; i++) {
        if (sizes[i] > (test_small() ? 300u : plain ? SIZE_MAX : 1100u)) continue;
        for (k = 0; k < sizeof keys / sizeof *keys && keys[k] <= sizes[i]; k++)
            check_counting(gp, way->name, w, sizes[i], keys[k]);
    }
}

static void test_counting(void **state)
{
    (void)state;
    hash_each_way(check_countings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_counting),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
