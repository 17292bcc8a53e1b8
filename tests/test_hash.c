/* test_hash.c - gp_hash: batches against a model, under every variant and width. */
#include "hash_support.h"

#include <pthread.h>

static uint64_t random_64(void) { return (uint64_t)test_random() << 32 | test_random(); }

/* Calls check for each variant and width that the device can do. Under a simulator, and where the shape is
   dear to build, one width of each form. */
static void each_way(void (*check)(gp_context *gp, const hash_variant *way, hash_widths w))
{
    size_t v, i;
    for (v = 0; v < HASH_VARIANTS; v++) {
        gp_context *gp = hash_open(&hash_variants[v]);
        for (i = 0; gp && i < HASH_WIDTHS; i++) {
            const hash_widths w = hash_all_widths[i];
            const bool sample = (w.key == 4 && w.value == 4) || (v == 0 && w.key == 8 && w.value == 8);
            if (!hash_can(gp, &hash_variants[v], w) || (test_small() && !sample)) continue;
            check(gp, &hash_variants[v], w);
        }
        gp_context_destroy(gp);
    }
}

/* GPUPRIM_TEST_HASH: how often the random tests run, each time with other numbers (make test-hash-stress). */
static long seeds(void)
{
    const char *wanted = getenv("GPUPRIM_TEST_HASH");
    const long n = wanted ? strtol(wanted, NULL, 10) : 1;
    return n > 0 ? n : 1;
}

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
        b->value[i] = (salt ^ (uint64_t)b->id[i] * 0x2545f4914f6cdd1du) & (hash_ones(w.value) >> 1);
        if (w.value && b->id[i] % 97 == 13) b->value[i] = hash_ones(w.value); /* the reserved value */
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

static void model_count(hash_model *m, uint64_t result)
{
    m->counts.inserted += result == GP_HASH_INSERTED;
    m->counts.existed += result == GP_HASH_EXISTED;
    m->counts.refused += result == GP_HASH_REFUSED;
    m->counts.superseded += result == GP_HASH_SUPERSEDED;
    m->counts.erased += result == GP_HASH_ERASED;
}

static uint64_t model_put(hash_model *m, hash_widths w, size_t id, hash_how how, gp_op op, uint64_t value)
{
    const uint64_t ones = hash_ones(w.value), reserved = w.value ? ones : 1;
    const bool was = m->live[id];
    const uint64_t next = !was                 ? value
                          : how == HASH_INSERT ? m->value[id]
                          : how == HASH_ASSIGN ? value
                                               : applied(op, m->value[id], value) & ones;
    if (value == reserved || (how == HASH_APPLY && next == reserved)) return GP_HASH_REFUSED;
    m->live[id] = true;
    m->value[id] = next;
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
        model_count(m, b->result[i]);
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

/* A partition is a pass of a sort, whose programs are dear on PoCL: two of them will do. */
static bool may_partition(const gp_context *gp, const char *name, hash_widths w, bool counting)
{
    return test_builds_are_cheap(gp) || (!strstr(name, "local") && w.key == w.value && !counting);
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
    desc.results = results.mem;
    desc.results_offset = results.offset;
    desc.count = b->n;
    for (i = 0; i < b->n; i++) {
        b->result[i] = m->live[b->id[i]] ? GP_HASH_ERASED : GP_HASH_ABSENT;
        m->live[b->id[i]] = false;
        model_count(m, b->result[i]);
    }
    assert_gp(gp, gp_hash_erase(gp, table, &desc));
    check_results(gp, name, &results, b, false);
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
    for (seed = 0; seed < seeds(); seed++) each_way(check_mixed);
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
    each_way(check_sizes);
}

/* ------------------------------------------------------------------ full tables */

/* The inverse of murmur3's finaliser: a key whose hash this is. */
static uint32_t unmix_32(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x7ed1b41du; /* 1 / 0xc2b2ae35 */
    h ^= h >> 13 ^ h >> 26;
    h *= 0xa5cb9243u; /* 1 / 0x85ebca6b */
    return h ^ h >> 16;
}

static uint64_t unmix_64(uint64_t h)
{
    h ^= h >> 33;
    h *= 0x9cb4b2f8129337dbu; /* 1 / 0xc4ceb9fe1a85ec53 */
    h ^= h >> 33;
    h *= 0x4f74430c22a54005u; /* 1 / 0xff51afd7ed558ccd */
    return h ^ h >> 33;
}

/* A batch of n pairs from arrays, the failed ones listed. */
typedef struct listed {
    hash_column keys, values, failed_keys, failed_values, failed_count;
    gp_hash_insert_desc desc;
} listed;

static listed listed_make(gp_context *gp, hash_widths w, size_t n, const uint64_t *key, const uint64_t *value)
{
    listed l;
    memset(&l, 0, sizeof l);
    l.keys = hash_column_make(gp, w.key, n, 0, key);
    l.values = hash_column_make(gp, w.value, n, 0, value);
    l.failed_keys = hash_column_make(gp, w.key, n, 3, NULL);
    l.failed_values = hash_column_make(gp, w.value, n, 1, NULL);
    l.failed_count = hash_column_make(gp, 4, 1, 2, NULL);
    l.desc.keys = l.keys.mem;
    l.desc.values = l.values.mem;
    l.desc.count = n;
    l.desc.failed_keys = l.failed_keys.mem;
    l.desc.failed_keys_offset = 3;
    l.desc.failed_values = l.failed_values.mem;
    l.desc.failed_values_offset = w.value ? 1 : 0;
    l.desc.failed_count = l.failed_count.mem;
    l.desc.failed_count_offset = 2;
    return l;
}

static void listed_free(listed *l)
{
    hash_column_free(&l->keys);
    hash_column_free(&l->values);
    hash_column_free(&l->failed_keys);
    hash_column_free(&l->failed_values);
    hash_column_free(&l->failed_count);
}

/* What failed goes in again: straight from the device's lists. */
static void try_again(gp_context *gp, gp_hash table, const listed *l)
{
    gp_hash_insert_desc again = {0};
    again.keys = l->desc.failed_keys;
    again.keys_offset = l->desc.failed_keys_offset;
    again.values = l->desc.failed_values;
    again.values_offset = l->desc.failed_values_offset;
    again.count = l->desc.count;
    again.count_buffer = l->desc.failed_count;
    again.count_offset = l->desc.failed_count_offset;
    again.count_type = GP_U32;
    assert_gp(gp, gp_hash_insert(gp, table, &again));
}

/* More keys than slots: all slots and the one behind are taken, the rest fails, nothing that was there is
   lost; a larger table and the list finish the batch. */
static void check_full(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const char *name = way->name;
    const size_t capacity = test_small() ? 64 : 1024, n = capacity + 101;
    const size_t room =
        capacity + (w.key == 8 || w.value <= 4); /* all ones has a place of its own, as a cell */
    hash_model m = hash_model_make(n, w.key);
    gp_hash table = hash_create(gp, w, capacity);
    gp_hash_rehash_desc larger = {0};
    gp_hash_counts counts;
    uint64_t *failed;
    listed l;
    size_t i;
    for (i = 0; i < n && w.value; i++) m.value[i] = 3 * i;
    l = listed_make(gp, w, n, m.key, m.value);
    assert_gp(gp, gp_hash_insert(gp, table, &l.desc));
    assert_gp(gp, gp_hash_counts_read(gp, table, &counts));
    failed = hash_column_read(gp, &l.failed_count);
    assert_int_equal(counts.live, room);
    assert_int_equal(counts.failed, n - room);
    assert_int_equal(failed[0], n - room);
    free(failed);
    failed = hash_column_read(gp, &l.failed_keys);
    for (i = 0; i < n; i++) m.live[i] = true;
    for (i = 0; i < n - room; i++) {
        size_t k = 0;
        while (k < n && m.key[k] != failed[i]) k++;
        assert_true(k < n && m.live[k]); /* each failed key once */
        m.live[k] = false;
    }
    free(failed);
    m.counts.inserted = room;
    m.counts.failed = n - room;
    hash_check(gp, name, table, w, &m);
    larger.capacity = capacity / 2;
    assert_gp_fails(gp, gp_hash_rehash(gp, table, &larger), GP_ERROR_COUNT_LIMIT, "live keys");
    hash_check(gp, name, table, w, &m);
    larger.capacity = 4 * capacity;
    assert_gp(gp, gp_hash_rehash(gp, table, &larger));
    hash_check(gp, name, table, w, &m);
    try_again(gp, table, &l);
    for (i = 0; i < n; i++) m.live[i] = true;
    m.counts.inserted = n;
    hash_check(gp, name, table, w, &m);
    listed_free(&l);
    assert_gp(gp, gp_hash_destroy(gp, table));
    hash_model_free(&m);
}

static void test_full(void **state)
{
    (void)state;
    each_way(check_full);
}

/* All keys have one home: a single long probe, of known depths. */
static void check_one_home(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const char *name = way->name;
    const size_t capacity = test_small() ? 256 : 4096, n = capacity / 2 + 1;
    hash_model m;
    gp_hash table;
    hash_column keys;
    gp_hash_insert_desc insert = {0};
    gp_hash_erase_desc erase = {0};
    gp_hash_stats stats;
    size_t i;
    if (w.key == 4 && w.value == 8) return; /* its 64-bit hash is of keys that these are not */
    m = hash_model_make(n, w.key);
    for (i = 0; i < n; i++) {
        const uint64_t hash = i * capacity + capacity - 5; /* home: 5 before the end */
        m.key[i] = w.key == 8 ? unmix_64(hash) : unmix_32((uint32_t)hash);
        m.value[i] = w.value ? 1 : 0;
        m.live[i] = true;
    }
    table = hash_create(gp, w, capacity);
    keys = hash_column_make(gp, w.key, n, 0, m.key);
    insert.keys = keys.mem;
    insert.count = n;
    if (w.value) {
        insert.op = GP_SUM;
        assert_gp(gp, gp_hash_insert_or_apply(gp, table, &insert));
    } else {
        assert_gp(gp, gp_hash_insert(gp, table, &insert));
    }
    m.counts.inserted = n;
    hash_check(gp, name, table, w, &m);
    assert_gp(gp, gp_hash_stats_read(gp, table, &stats));
    assert_int_equal(stats.max_depth, n - 1);
    assert_true(stats.mean_depth == (double)(n - 1) / 2);
    assert_int_equal(stats.depths[0], 1);
    assert_int_equal(stats.depths[3], 4);
    erase.keys = keys.mem;
    erase.count = n - 1;
    assert_gp(gp, gp_hash_erase(gp, table, &erase));
    for (i = 0; i < n - 1; i++) m.live[i] = false;
    m.counts.erased = n - 1;
    hash_check(gp, name, table, w, &m);
    assert_gp(gp, gp_hash_stats_read(gp, table, &stats));
    assert_int_equal(stats.dead, n - 1);
    hash_column_free(&keys);
    assert_gp(gp, gp_hash_destroy(gp, table));
    hash_model_free(&m);
}

static void test_one_home(void **state)
{
    (void)state;
    each_way(check_one_home);
}

/* Many of few keys: one insertion each, and sums of all. */
static void check_few(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const char *name = way->name;
    const size_t n = test_small() ? 1000 : 60000, few = 3;
    uint64_t *key = malloc(n * sizeof *key);
    hash_model m = hash_model_make(few, w.key);
    gp_hash table = hash_create(gp, w, 64);
    hash_column keys;
    gp_hash_insert_desc desc = {0};
    size_t i, equal;
    assert_non_null(key);
    for (equal = 0; equal < 2; equal++) {
        for (i = 0; i < n; i++) {
            const size_t id = equal ? 0 : i % few;
            const bool was = m.live[id];
            key[i] = m.key[id];
            m.live[id] = true;
            m.value[id] += w.value ? 1 : 0;
            model_count(&m, was ? GP_HASH_EXISTED : GP_HASH_INSERTED);
        }
        keys = hash_column_make(gp, w.key, n, 0, key);
        desc.keys = keys.mem;
        desc.count = n;
        if (w.value) desc.op = GP_SUM;
        assert_gp(gp, hash_put(gp, table, w.value ? HASH_APPLY : HASH_INSERT, &desc));
        hash_check(gp, name, table, w, &m);
        hash_column_free(&keys);
    }
    free(key);
    assert_gp(gp, gp_hash_destroy(gp, table));
    hash_model_free(&m);
}

static void test_few(void **state)
{
    (void)state;
    each_way(check_few);
}

/* ------------------------------------------------------------------ two contexts at once */

enum { THREADS = 2 };

/* What one thread does to the table. */
typedef struct worker {
    gp_context *gp;
    gp_hash table;
    cl_mem keys, ones;
    size_t n, rounds, first;
    gp_result result;
} worker;

/* Its own keys come and go, and every key of the shared half is counted, over and over. */
static void *work(void *user)
{
    worker *w = user;
    size_t round;
    for (round = 0; round < w->rounds && w->result == GP_OK; round++) {
        gp_hash_insert_desc add = {0};
        gp_hash_erase_desc erase = {0};
        add.keys = erase.keys = w->keys;
        add.values = w->ones;
        add.count = w->n;
        add.op = GP_SUM;
        w->result = gp_hash_insert_or_apply(w->gp, w->table, &add);
        add.op = GP_OP_NONE;
        add.keys_offset = add.values_offset = erase.keys_offset = w->first;
        erase.count = w->n;
        if (w->result == GP_OK) w->result = gp_hash_insert(w->gp, w->table, &add);
        if (w->result == GP_OK && round + 1 < w->rounds) w->result = gp_hash_erase(w->gp, w->table, &erase);
    }
    if (w->result == GP_OK) w->result = gp_finish(w->gp);
    return NULL;
}

static void check_concurrent(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const char *name = way->name;
    const size_t n = test_small() ? 100 : 20000, rounds = test_small() ? 2 : 20;
    gp_context_desc other;
    gp_context *gps[THREADS] = {gp, NULL};
    hash_model m = hash_model_make(n * (1 + THREADS), w.key);
    gp_hash table = hash_create(gp, w, 4 * m.universe / 3);
    hash_column keys, ones;
    pthread_t thread[THREADS];
    worker workers[THREADS];
    size_t i;
    if (w.value == 0) {
        hash_model_free(&m);
        return;
    }
    for (i = 0; i < m.universe; i++) m.value[i] = 1;
    keys = hash_column_make(gp, w.key, m.universe, 0, m.key);
    ones = hash_column_make(gp, w.value, m.universe, 0, m.value);
    other = hash_context_desc(way);
    other.context = gp_cl_context(gp);
    other.share = gp;
    gps[1] = test_open_with(&other);
    assert_gp(gp, gp_finish(gp)); /* the table is clear before another queue uses it */
    for (i = 0; i < THREADS; i++) {
        workers[i] = (worker){gps[i], table, keys.mem, ones.mem, n, rounds, n * (1 + i), GP_OK};
        if (i > 0) assert_gp(gps[i], gp_hash_share(gps[i], gp, table, &workers[i].table));
    }
    for (i = 0; i < THREADS; i++) { /* Oclgrind 21.10 aborts when two kernels run at once */
        if (test_small()) work(&workers[i]);
        else assert_int_equal(pthread_create(&thread[i], NULL, work, &workers[i]), 0);
    }
    for (i = 0; i < THREADS && !test_small(); i++) pthread_join(thread[i], NULL);
    for (i = 0; i < THREADS; i++) assert_int_equal(workers[i].result, GP_OK);
    for (i = 0; i < m.universe; i++) {
        m.live[i] = true;
        m.value[i] = i < n ? THREADS * rounds : 1;
    }
    m.counts.inserted = n + THREADS * rounds * n;
    m.counts.existed = (THREADS * rounds - 1) * n;
    m.counts.erased = THREADS * (rounds - 1) * n;
    hash_check(gp, name, table, w, &m);
    assert_gp(gp, gp_hash_destroy(gp, table));
    assert_gp(gps[1], gp_hash_destroy(gps[1], workers[1].table));
    gp_context_destroy(gps[1]);
    hash_column_free(&keys);
    hash_column_free(&ones);
    hash_model_free(&m);
}

static void test_concurrent(void **state)
{
    long seed;
    (void)state;
    for (seed = 0; seed < seeds(); seed++) each_way(check_concurrent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mixed),    cmocka_unit_test(test_sizes), cmocka_unit_test(test_full),
        cmocka_unit_test(test_one_home), cmocka_unit_test(test_few),   cmocka_unit_test(test_concurrent),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
