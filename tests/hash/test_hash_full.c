/* test_hash_full.c - gp_hash where it is hard: full tables, keys of one home, few keys, two queues at once;
   under every variant and width. */
#include "../support/hash_support.h"

#include <pthread.h>

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
    /* All ones has a place of its own, as a cell; packed, one less has too. */
    const size_t room = capacity + (w.key == 8 || w.value <= 4 ? hash_side_slots(gp, w) : 0);
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
    hash_each_way(check_full);
}

/* Keys that find no slot and are in no list of the call's are an error, told once. */
static void check_told(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const size_t capacity = 64, n = 300;
    const size_t room = capacity + (w.key == 8 || w.value <= 4 ? hash_side_slots(gp, w) : 0);
    hash_model m = hash_model_make(n, w.key);
    hash_column keys = hash_column_make(gp, w.key, n, 0, m.key),
                results = hash_column_make(gp, 1, n, 0, NULL);
    hash_column values = hash_column_make(gp, w.value, n, 0, m.value);
    gp_hash table = hash_create(gp, w, capacity);
    const gp_hash_clear_desc clear = {0};
    gp_hash_counts counts;
    size_t how, duplicates;
    (void)way;
    for (how = HASH_INSERT; how <= (w.value ? HASH_APPLY : HASH_ASSIGN); how++) {
        for (duplicates = 0; duplicates < (how == HASH_APPLY ? 1 : GP_HASH_DUPLICATES_COUNT); duplicates++) {
            gp_hash_insert_desc d = {0};
            d.keys = keys.mem;
            d.values = values.mem;
            d.count = n;
            d.duplicates = (gp_hash_duplicates)duplicates;
            d.op = how == HASH_APPLY ? GP_SUM : GP_OP_NONE;
            assert_gp(gp, hash_put(gp, table, (hash_how)how, &d));
            assert_gp_fails(gp, gp_finish(gp), GP_ERROR_COUNT_LIMIT, "found no slot");
            assert_gp(gp, gp_finish(gp));
            assert_gp(gp, hash_put(gp, table, (hash_how)how, &d));
            assert_gp_fails(gp, gp_hash_counts_read(gp, table, &counts), GP_ERROR_COUNT_LIMIT, "grow");
            assert_int_equal(counts.failed, 2 * (n - room));
            d.results = results.mem;
            assert_gp(gp, hash_put(gp, table, (hash_how)how, &d));
            assert_gp(gp, gp_finish(gp));
            assert_gp(gp, gp_hash_clear(gp, table, &clear));
        }
    }
    assert_gp(gp, gp_hash_destroy(gp, table));
    hash_column_free(&keys);
    hash_column_free(&values);
    hash_column_free(&results);
    hash_model_free(&m);
}

static void test_told(void **state)
{
    (void)state;
    hash_each_way(check_told);
}

/* A warm-up evaluates its map on no element, whatever an earlier call has counted: a division by 0 would end the process. */
static void test_warm_up_when_full(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const gp_hash_desc tiny = {.key_size = 4, .capacity = 1};
    const uint32_t keys[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    gp_hash_insert_desc insert = {.count = 16};
    gp_transform_desc divide = {.type = GP_U32, .map = "100 / x", .count = 1};
    gp_warmup_desc warmup = {.transform = &divide};
    gp_hash table;
    (void)state;
    assert_gp(gp, gp_hash_create(gp, &tiny, &table));
    insert.keys = test_buffer(gp, sizeof keys, keys);
    assert_gp(gp, gp_hash_insert(gp, table, &insert));
    assert_gp_fails(gp, gp_warmup(gp, &warmup), GP_ERROR_COUNT_LIMIT, "found no slot");
    assert_gp(gp, gp_warmup(gp, &warmup));
    assert_gp(gp, gp_hash_destroy(gp, table));
    clReleaseMemObject(insert.keys);
    gp_context_destroy(gp);
}

/* All keys have one home: a single long probe, of known depths; with another seed short ones. */
static void check_one_home(gp_context *gp, const hash_variant *way, hash_widths w)
{
    const char *name = way->name;
    const size_t capacity = test_small() ? 256 : 4096, n = capacity / 2 + 1;
    hash_model m;
    gp_hash table, seeded;
    hash_column keys;
    gp_hash_desc desc = {0};
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
    if (w.value) insert.op = GP_SUM;
    assert_gp(gp, hash_put(gp, table, w.value ? HASH_APPLY : HASH_INSERT, &insert));
    m.counts.inserted = n;
    hash_check(gp, name, table, w, &m);
    assert_gp(gp, gp_hash_stats_read(gp, table, &stats));
    assert_int_equal(stats.max_depth, n - 1);
    assert_true(stats.mean_depth == (double)(n - 1) / 2);
    assert_int_equal(stats.depths[0], 1);
    assert_int_equal(stats.depths[3], 4);
    desc.key_size = w.key;
    desc.value_size = w.value;
    desc.capacity = capacity;
    desc.seed = 0x9e3779b97f4a7c15u;
    assert_gp(gp, gp_hash_create(gp, &desc, &seeded));
    assert_gp(gp, hash_put(gp, seeded, w.value ? HASH_APPLY : HASH_INSERT, &insert));
    assert_gp(gp, gp_hash_stats_read(gp, seeded, &stats));
    assert_int_equal(stats.live, n);
    assert_true(stats.max_depth < n / 8);
    assert_gp(gp, gp_hash_destroy(gp, seeded));
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
    hash_each_way(check_one_home);
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
            hash_model_count(&m, was ? GP_HASH_EXISTED : GP_HASH_INSERTED);
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
    hash_each_way(check_few);
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
    if (w->result == GP_OK) w->result = gp_hash_destroy(w->gp, w->table);
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
        workers[i] = (worker){gps[i], {0}, keys.mem, ones.mem, n, rounds, n * (1 + i), GP_OK};
        assert_gp(gps[i], gp_hash_share(gps[i], gp, table, &workers[i].table));
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
    gp_context_destroy(gps[1]);
    hash_column_free(&keys);
    hash_column_free(&ones);
    hash_model_free(&m);
}

static void test_concurrent(void **state)
{
    long seed;
    (void)state;
    for (seed = 0; seed < hash_seeds(); seed++) hash_each_way(check_concurrent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_warm_up_when_full),
        cmocka_unit_test(test_one_home),
        cmocka_unit_test(test_few),
        cmocka_unit_test(test_concurrent),
    };
    return cmocka_run_group_tests_name("hash_full", tests, NULL, NULL);
}
