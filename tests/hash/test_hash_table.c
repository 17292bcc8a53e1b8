/* test_hash_table.c - gp_hash as an object: memory, growing, retrieve, for_each, kernels of one's
   own. */
#include "../support/hash_support.h"

static const hash_widths pair = {4, 4}, set = {4, 0}, wide = {8, 8};

static size_t some(void) { return test_small() ? 300 : 5000; }

/* ------------------------------------------------------------------ capacity, memory, growing */

static void test_capacity(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    static const struct {
        size_t capacity, expected;
        float load;
        uint64_t slots;
    } rows[] = {{1, 0, 0, 1},      {2, 0, 0, 2},      {3, 0, 0, 4},       {1000, 0, 0, 1024},  {0, 1, 0, 2},
                {0, 512, 0, 1024}, {0, 513, 0, 2048}, {0, 1024, 1, 1024}, {0, 900, 0.9f, 1024}};
    size_t i;
    (void)state;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        gp_hash_desc desc = {0};
        gp_hash_counts counts;
        gp_hash table;
        size_t bytes;
        desc.key_size = 4;
        desc.value_size = 4;
        desc.capacity = rows[i].capacity;
        desc.expected_count = rows[i].expected;
        desc.max_load = rows[i].load;
        assert_gp(gp, gp_hash_create(gp, &desc, &table));
        assert_gp(gp, gp_hash_counts_read(gp, table, &counts));
        assert_int_equal(counts.capacity, rows[i].slots);
        assert_gp(gp, gp_hash_buffer_size(gp, &desc, &bytes));
        assert_int_equal(bytes, 256 + 8 * (rows[i].slots + hash_side_slots(gp, pair)));
        assert_gp(gp, gp_hash_destroy(gp, table));
    }
    gp_context_destroy(gp);
}

/* The table in a buffer of the caller's, exactly large enough; it goes on living when the caller lets go. */
static void test_own_buffer(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    gp_hash_desc desc = {0};
    gp_hash_rehash_desc again = {0};
    gp_hash table;
    size_t bytes;
    (void)state;
    desc.key_size = 4;
    desc.value_size = 4;
    desc.capacity = 1024;
    assert_gp(gp, gp_hash_buffer_size(gp, &desc, &bytes));
    desc.buffer = test_buffer(gp, bytes - 1, NULL);
    assert_gp_fails(gp, gp_hash_create(gp, &desc, &table), GP_ERROR_INVALID_BUFFER, "buffer");
    assert_int_equal(table.id, 0);
    clReleaseMemObject(desc.buffer);
    desc.buffer = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_hash_create(gp, &desc, &table));
    assert_ptr_equal(gp_hash_buffer(gp, table), desc.buffer);
    clReleaseMemObject(desc.buffer);
    again.buffer = desc.buffer;
    assert_gp_fails(gp, gp_hash_rehash(gp, table, &again), GP_ERROR_OVERLAP, "the table");
    again.buffer = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_hash_rehash(gp, table, &again));
    assert_ptr_equal(gp_hash_buffer(gp, table), again.buffer);
    clReleaseMemObject(again.buffer);
    assert_gp(gp, gp_hash_destroy(gp, table));
    gp_context_destroy(gp);
}

/* In a buffer that the host may not read, counts are told and the table moves all the same. */
static void test_unreadable_buffer(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    gp_hash_desc desc = {0};
    gp_hash_insert_desc insert = {0};
    gp_hash_rehash_desc again = {0};
    const uint32_t keys[3] = {7, 8, 7};
    gp_hash table;
    size_t bytes, live = 0;
    cl_int error;
    (void)state;
    desc.key_size = 4;
    desc.capacity = 64;
    assert_gp(gp, gp_hash_buffer_size(gp, &desc, &bytes));
    desc.buffer = clCreateBuffer(gp_cl_context(gp), CL_MEM_HOST_NO_ACCESS, bytes, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    assert_gp(gp, gp_hash_create(gp, &desc, &table));
    clReleaseMemObject(desc.buffer);
    insert.keys = test_buffer(gp, sizeof keys, keys);
    insert.count = 3;
    assert_gp(gp, gp_hash_insert(gp, table, &insert));
    assert_gp(gp, gp_hash_size_read(gp, table, &live));
    assert_int_equal(live, 2);
    again.capacity = 128;
    assert_gp(gp, gp_hash_rehash(gp, table, &again));
    assert_gp(gp, gp_hash_size_read(gp, table, &live));
    assert_int_equal(live, 2);
    clReleaseMemObject(insert.keys);
    assert_gp(gp, gp_hash_destroy(gp, table));
    gp_context_destroy(gp);
}

/* A table that begins with one slot takes whatever comes. */
static void test_grow(void **state)
{
    gp_hash_desc how = {0};
    hash_fixture f;
    gp_hash_counts counts;
    size_t part;
    (void)state;
    how.capacity = 1;
    how.grow = true;
    f = hash_fixture_make(pair, some(), &how);
    hash_fixture_check(&f, "grown");
    assert_gp(f.gp, gp_hash_counts_read(f.gp, f.table, &counts));
    assert_true(counts.capacity >= 2 * f.n && counts.capacity < 8 * f.n);
    for (part = 0; part < 3; part++) { /* the same keys: no more slots than twice as many */
        const gp_hash_insert_desc d = hash_fixture_insert(&f);
        assert_gp(f.gp, gp_hash_insert(f.gp, f.table, &d));
    }
    assert_gp(f.gp, gp_hash_counts_read(f.gp, f.table, &counts));
    assert_int_equal(counts.failed, 0);
    assert_int_equal(counts.live, f.n);
    hash_fixture_free(&f);
}

static void test_clear(void **state)
{
    hash_fixture f = hash_fixture_make(pair, some(), NULL);
    const gp_hash_clear_desc clear = {0};
    const gp_hash_insert_desc d = hash_fixture_insert(&f);
    size_t i;
    (void)state;
    assert_gp(f.gp, gp_hash_clear(f.gp, f.table, &clear));
    memset(&f.m.counts, 0, sizeof f.m.counts);
    for (i = 0; i < f.n; i++) f.m.live[i] = false;
    hash_fixture_check(&f, "cleared");
    assert_gp(f.gp, gp_hash_insert(f.gp, f.table, &d));
    for (i = 0; i < f.n; i++) f.m.live[i] = true;
    f.m.counts.inserted = f.n;
    hash_fixture_check(&f, "filled again");
    hash_fixture_free(&f);
}

/* ------------------------------------------------------------------ values, counts on the device, scratch */

/* What gp_hash_find gives for a key that is not there. */
static uint64_t value_of_none(const hash_fixture *f)
{
    const uint64_t key = 123;
    hash_column keys = hash_column_make(f->gp, f->w.key, 1, 0, &key),
                values = hash_column_make(f->gp, f->w.value, 1, 0, NULL);
    gp_hash_find_desc find = {0};
    uint64_t *v, value;
    find.keys = keys.mem;
    find.values = values.mem;
    find.count = 1;
    assert_gp(f->gp, gp_hash_find(f->gp, f->table, &find));
    v = hash_column_read(f->gp, &values);
    value = *v;
    free(v);
    hash_column_free(&keys);
    hash_column_free(&values);
    return value;
}

/* A value that the caller names: 64-bit values need one, and it is refused in silence. Pairs of 32 bits need
   none where one word holds both. Without it, gp_hash_find gives all ones for what is absent, else it. */
static void test_reserved(void **state)
{
    const uint64_t reserved = 7;
    const hash_widths widths[] = {pair, wide};
    gp_context *gp = hash_open(&hash_variants[0]);
    size_t i;
    (void)state;
    for (i = 0; i < 2; i++) {
        gp_hash_desc how = {0};
        hash_fixture f;
        if (!hash_can(gp, &hash_variants[0], widths[i])) continue;
        how.reserved = &reserved;
        f = hash_fixture_make(widths[i], 20, &how);
        if (hash_side_slots(f.gp, widths[i]) == 1) {
            f.m.live[7] = false; /* its value is 7 */
            f.m.counts.inserted = 19;
            f.m.counts.refused = 1;
        }
        hash_fixture_check(&f, "reserved");
        assert_gp(f.gp, gp_finish(f.gp));
        assert_int_equal(value_of_none(&f), 7);
        hash_fixture_free(&f);
        f = hash_fixture_make(widths[i], 20, NULL);
        assert_true(value_of_none(&f) == hash_ones(widths[i].value));
        hash_fixture_free(&f);
    }
    gp_context_destroy(gp);
}

/* Too many are clamped, and counted once, straight and partitioned. */
static void test_count_on_device(void **state)
{
    static const uint32_t wanted[] = {0, 1, 50, 199, 300};
    size_t k, i;
    (void)state;
    for (k = 0; k < 2 * sizeof wanted / sizeof *wanted; k++) {
        const uint32_t n = wanted[k / 2];
        hash_fixture f = hash_fixture_make(set, 200, NULL);
        gp_hash_erase_desc erase = {0};
        erase.keys = f.keys.mem;
        erase.count = f.n;
        erase.count_buffer = test_buffer(f.gp, 4, &n);
        erase.count_type = GP_U32;
        if (k % 2) erase.strategy = GP_STRATEGY_MULTI_PASS;
        assert_gp(f.gp, gp_hash_erase(f.gp, f.table, &erase));
        for (i = 0; i < f.n && i < n; i++) f.m.live[i] = false;
        f.m.counts.erased = i;
        hash_fixture_check(&f, "count on the device");
        assert_int_equal(test_profile_of(f.gp).clamped, n > 200);
        clReleaseMemObject(erase.count_buffer);
        hash_fixture_free(&f);
    }
}

/* Scratch of exactly the size asked for; one byte less is refused. */
static void test_own_scratch(void **state)
{
    hash_fixture f = hash_fixture_make(pair, some(), NULL);
    size_t way, bytes;
    (void)state;
    for (way = 0; way < 2; way++) {
        gp_hash_insert_desc d = hash_fixture_insert(&f);
        if (way == 0) d.duplicates = GP_HASH_LAST;
        else d.strategy = GP_STRATEGY_MULTI_PASS;
        assert_gp(f.gp, gp_hash_insert_scratch_size(f.gp, f.table, &d, &bytes));
        assert_true(bytes > 0);
        d.scratch = test_buffer(f.gp, bytes - 1, NULL);
        assert_gp_fails(f.gp, gp_hash_insert_or_assign(f.gp, f.table, &d), GP_ERROR_INVALID_BUFFER,
                        "scratch");
        clReleaseMemObject(d.scratch);
        d.scratch = test_buffer(f.gp, bytes, NULL);
        assert_gp(f.gp, gp_hash_insert_or_assign(f.gp, f.table, &d));
        f.m.counts.existed += f.n;
        hash_fixture_check(&f, "own scratch");
        clReleaseMemObject(d.scratch);
    }
    hash_fixture_free(&f);
}

/* The same for erasing: straight it takes none. Half of the keys are erased, and those again. */
static void test_own_scratch_erase(void **state)
{
    hash_fixture f = hash_fixture_make(pair, some(), NULL);
    gp_hash_erase_desc d = {0};
    size_t bytes, i;
    (void)state;
    d.keys = f.keys.mem;
    d.count = f.n / 2;
    d.strategy = GP_STRATEGY_SINGLE_PASS;
    assert_gp(f.gp, gp_hash_erase_scratch_size(f.gp, f.table, &d, &bytes));
    assert_int_equal(bytes, 0);
    d.strategy = GP_STRATEGY_MULTI_PASS;
    assert_gp(f.gp, gp_hash_erase_scratch_size(f.gp, f.table, &d, &bytes));
    assert_true(bytes > 4 * d.count);
    d.scratch = test_buffer(f.gp, bytes - 1, NULL);
    assert_gp_fails(f.gp, gp_hash_erase(f.gp, f.table, &d), GP_ERROR_INVALID_BUFFER, "scratch");
    clReleaseMemObject(d.scratch);
    d.scratch = gp_hash_buffer(f.gp, f.table);
    assert_gp_fails(f.gp, gp_hash_erase(f.gp, f.table, &d), GP_ERROR_OVERLAP, "scratch");
    hash_fixture_check(&f, "not erased");
    d.scratch = test_buffer(f.gp, bytes, NULL);
    for (i = 0; i < 2; i++) assert_gp(f.gp, gp_hash_erase(f.gp, f.table, &d));
    for (i = 0; i < d.count; i++) f.m.live[i] = false;
    f.m.counts.erased = d.count;
    hash_fixture_check(&f, "erased with own scratch");
    clReleaseMemObject(d.scratch);
    hash_fixture_free(&f);
}

/* values = keys: each key is replaced by its value. */
static void test_find_in_place(void **state)
{
    hash_fixture f = hash_fixture_make(pair, some(), NULL);
    gp_hash_find_desc find = {0};
    uint64_t *v;
    size_t i;
    (void)state;
    find.keys = find.values = f.keys.mem;
    find.count = f.n;
    assert_gp(f.gp, gp_hash_find(f.gp, f.table, &find));
    v = hash_column_read(f.gp, &f.keys);
    for (i = 0; i < f.n; i++) assert_int_equal(v[i], i);
    free(v);
    hash_fixture_free(&f);
}

/* Floats add up, signed values are compared as such. */
static void test_types(void **state)
{
    static const float parts[] = {1.5f, -4.25f, 8.0f};
    static const int32_t signs[] = {3, -5, 2};
    gp_context *gp = hash_open(&hash_variants[0]);
    gp_hash floats = hash_create(gp, pair, 8), ints = hash_create(gp, pair, 8);
    const uint32_t key[3] = {9, 9, 9};
    gp_hash_insert_desc d = {0};
    gp_hash_find_desc find = {0};
    float *sum;
    int32_t *least;
    (void)state;
    d.keys = find.keys = test_buffer(gp, sizeof key, key);
    d.count = 3;
    d.op = GP_SUM;
    d.type = GP_F32;
    d.values = test_buffer(gp, sizeof parts, parts);
    assert_gp(gp, gp_hash_insert_or_apply(gp, floats, &d));
    clReleaseMemObject(d.values);
    d.op = GP_MIN;
    d.type = GP_I32;
    d.values = test_buffer(gp, sizeof signs, signs);
    assert_gp(gp, gp_hash_insert_or_apply(gp, ints, &d));
    find.values = test_buffer(gp, 4, NULL);
    find.count = 1;
    assert_gp(gp, gp_hash_find(gp, floats, &find));
    sum = test_read(gp, find.values, 4);
    assert_true(*sum == 5.25f);
    assert_gp(gp, gp_hash_find(gp, ints, &find));
    least = test_read(gp, find.values, 4);
    assert_int_equal(*least, -5);
    free(sum);
    free(least);
    clReleaseMemObject(d.keys);
    clReleaseMemObject(d.values);
    clReleaseMemObject(find.values);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ retrieve, for_each */

/* Pairs sorted by key; with less room than there are keys, that many, and the true number. */
static void test_retrieve(void **state)
{
    hash_fixture f = hash_fixture_make(pair, some(), NULL);
    gp_hash_retrieve_desc d = {0};
    hash_column keys = hash_column_make(f.gp, 4, f.n, 1, NULL),
                values = hash_column_make(f.gp, 4, f.n, 2, NULL);
    hash_column count = hash_column_make(f.gp, 4, 1, 0, NULL);
    uint64_t *k, *v, *n;
    size_t i;
    (void)state;
    d.keys = keys.mem;
    d.keys_offset = 1;
    d.values = values.mem;
    d.values_offset = 2;
    d.room = f.n;
    d.live_count = count.mem;
    d.sort_type = GP_U32;
    d.descending = true;
    assert_gp(f.gp, gp_hash_retrieve(f.gp, f.table, &d));
    k = hash_column_read(f.gp, &keys);
    v = hash_column_read(f.gp, &values);
    for (i = 0; i < f.n; i++) {
        assert_true(i == 0 || k[i] < k[i - 1]);
        assert_true(v[i] < f.n && f.m.key[v[i]] == k[i]);
    }
    free(k);
    free(v);
    d.sort_type = GP_TYPE_NONE;
    d.descending = false;
    d.room = 10;
    assert_gp(f.gp, gp_hash_retrieve(f.gp, f.table, &d));
    n = hash_column_read(f.gp, &count);
    assert_int_equal(n[0], f.n);
    free(n);
    hash_column_free(&keys);
    hash_column_free(&values);
    hash_column_free(&count);
    hash_fixture_free(&f);
}

static void test_for_each(void **state)
{
    hash_fixture f = hash_fixture_make(pair, some(), NULL);
    gp_hash_for_each_desc d = {0};
    size_t i;
    (void)state;
    d.where = "v % 3 == 1 /* odd ones\nout */ && k != 0";
    d.map = "v * 2 + 1";
    assert_gp(f.gp, gp_hash_for_each(f.gp, f.table, &d));
    for (i = 0; i < f.n; i++) {
        const bool mapped = i % 3 == 1 && f.m.key[i] != 0;
        f.m.counts.existed += mapped;
        if (mapped) f.m.value[i] = 2 * i + 1;
    }
    hash_fixture_check(&f, "mapped");
    memset(&d, 0, sizeof d);
    d.where = "(int)k < 0 || v == 5";
    d.key_type = GP_I32;
    d.erase = true;
    assert_gp(f.gp, gp_hash_for_each(f.gp, f.table, &d));
    for (i = 0; i < f.n; i++) {
        const bool erased = (int32_t)f.m.key[i] < 0 || f.m.value[i] == 5;
        f.m.counts.erased += erased;
        if (erased) f.m.live[i] = false;
    }
    hash_fixture_check(&f, "erased");
    d.where = "k k";
    assert_gp_fails(f.gp, gp_hash_for_each(f.gp, f.table, &d), GP_ERROR_BUILD, "build log");
    d.where = " ";
    assert_gp_fails(f.gp, gp_hash_for_each(f.gp, f.table, &d), GP_ERROR_INVALID_ARGUMENT, "empty");
    d.where = NULL;
    d.map = "v";
    assert_gp_fails(f.gp, gp_hash_for_each(f.gp, f.table, &d), GP_ERROR_INVALID_ARGUMENT, "exactly one");
    hash_fixture_free(&f);
}

/* ------------------------------------------------------------------ a kernel of one's own */

static const char user_kernel[] = "__kernel void user(__global uint *memory, uint n, __global uint *out)\n"
                                  "{\n"
                                  "    const gp_hash_table t = gp_hash_open(memory);\n"
                                  "    const uint i = (uint)get_global_id(0);\n"
                                  "    gp_hash_value v = 0;\n"
                                  "    if (i >= n) return;\n"
                                  "    out[i] = gp_hash_insert(t, i, i + 100);\n"
                                  "    if (i % 2) out[i] += 10 * gp_hash_erase(t, i);\n"
                                  "    if (gp_hash_find(t, i, &v)) out[i] += 100 * (v == i + 100);\n"
                                  "    (void)gp_hash_add(t, 1000000, 1);\n"
                                  "}\n";

static void test_device_source(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    const hash_widths w = gp_context_info(gp)->int64_base_atomics ? wide : pair;
    const cl_uint n = 64;
    gp_device_source_desc desc = {0};
    gp_hash table = hash_create(gp, w, 256);
    gp_hash_counts counts;
    uint32_t *r;
    size_t i, size;
    char few[10];
    (void)state;
    desc.part = GP_DEVICE_HASH;
    desc.table = table;
    assert_gp(gp, gp_device_source(gp, &desc, few, sizeof few, &size));
    assert_int_equal(strlen(few), sizeof few - 1);
    r = hash_run_user(gp, table, user_kernel, n, 8);
    for (i = 0; i < n; i++) assert_int_equal(r[i], GP_HASH_INSERTED + (i % 2 ? 10 * GP_HASH_ERASED : 100));
    assert_gp(gp, gp_hash_counts_read(gp, table, &counts));
    assert_int_equal(counts.live, n / 2 + 1);
    assert_int_equal(counts.erased, n / 2);
    assert_int_equal(counts.existed, n - 1);
    assert_int_equal(counts.dead, n / 2);
    free(r);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ warm-up */

static void test_warmup(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    gp_hash_desc how = {0};
    gp_warmup_desc warm = {0};
    gp_hash table;
    uint64_t built;
    (void)state;
    warm.hash = &how;
    assert_gp_fails(gp, gp_warmup(gp, &warm), GP_ERROR_INVALID_ARGUMENT, "gp_warmup: key_size = 0");
    how.key_size = how.value_size = 4;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    table = hash_create(gp, pair, 64);
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    assert_gp(gp, gp_hash_destroy(gp, table));
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_own_buffer),
        cmocka_unit_test(test_unreadable_buffer),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_own_scratch),
        cmocka_unit_test(test_find_in_place),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_retrieve),
        cmocka_unit_test(test_for_each),
        cmocka_unit_test(test_device_source),
        cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_own_scratch_erase),
    };
    return cmocka_run_group_tests_name("hash_table", tests, NULL, NULL);
}
