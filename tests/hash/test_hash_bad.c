/* test_hash_bad.c - gp_hash: handles, and what is refused. */
#include "../support/hash_support.h"

static const hash_widths pair = {4, 4};

static void test_handles(void **state)
{
    const gp_context_desc desc = {0};
    gp_context *gp = hash_open(&hash_variants[0]), *other = test_open_with(&desc); /* another cl_context */
    const gp_hash none = {0};
    gp_hash a = hash_create(gp, pair, 8), b, c;
    size_t live;
    (void)state;
    assert_gp_fails(gp, gp_hash_size_read(gp, none, &live), GP_ERROR_INVALID_ARGUMENT,
                    "not a table of this context");
    assert_gp_fails(other, gp_hash_size_read(other, a, &live), GP_ERROR_INVALID_ARGUMENT,
                    "not a table of this context");
    assert_null(gp_hash_buffer(other, a));
    assert_gp_fails(other, gp_hash_share(other, gp, a, &c), GP_ERROR_INVALID_ARGUMENT,
                    "different cl_contexts");
    assert_gp(gp, gp_hash_destroy(gp, a));
    assert_gp_fails(gp, gp_hash_destroy(gp, a), GP_ERROR_INVALID_ARGUMENT, "was destroyed");
    b = hash_create(gp, pair, 8); /* takes the place, under another generation */
    assert_true(a.id != b.id);
    assert_gp_fails(gp, gp_hash_size_read(gp, a, &live), GP_ERROR_INVALID_ARGUMENT, "was destroyed");
    assert_gp(gp, gp_hash_size_read(gp, b, &live));
    assert_null(gp_hash_buffer(gp, a));
    assert_gp_fails(NULL, gp_hash_destroy(NULL, b), GP_ERROR_INVALID_ARGUMENT, "gp is NULL");
    gp_context_destroy(other);
    gp_context_destroy(gp);
}

/* Every call that takes a table refuses one that was destroyed, and says which call it was. */
static void test_destroyed(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    const gp_hash a = hash_create(gp, pair, 8);
    const gp_hash_insert_desc insert = {0};
    const gp_hash_find_desc find = {0};
    const gp_hash_erase_desc erase = {0};
    const gp_hash_clear_desc clear = {0};
    const gp_hash_retrieve_desc retrieve = {0};
    const gp_hash_for_each_desc each = {0};
    const gp_hash_rehash_desc rehash = {0};
    gp_device_source_desc source = {0};
    gp_hash_counts counts;
    gp_hash_stats stats;
    gp_hash shared;
    size_t n;
    (void)state;
    source.part = GP_DEVICE_HASH;
    source.table = a;
    assert_gp(gp, gp_hash_destroy(gp, a));
#define REFUSED(name, call) assert_gp_fails(gp, call, GP_ERROR_INVALID_ARGUMENT, name ": table = ")
    REFUSED("gp_hash_insert", gp_hash_insert(gp, a, &insert));
    REFUSED("gp_hash_insert_or_assign", gp_hash_insert_or_assign(gp, a, &insert));
    REFUSED("gp_hash_insert_or_apply", gp_hash_insert_or_apply(gp, a, &insert));
    REFUSED("gp_hash_insert_scratch_size", gp_hash_insert_scratch_size(gp, a, &insert, &n));
    REFUSED("gp_hash_find", gp_hash_find(gp, a, &find));
    REFUSED("gp_hash_contains", gp_hash_contains(gp, a, &find));
    REFUSED("gp_hash_erase", gp_hash_erase(gp, a, &erase));
    REFUSED("gp_hash_erase_scratch_size", gp_hash_erase_scratch_size(gp, a, &erase, &n));
    REFUSED("gp_hash_clear", gp_hash_clear(gp, a, &clear));
    REFUSED("gp_hash_retrieve", gp_hash_retrieve(gp, a, &retrieve));
    REFUSED("gp_hash_retrieve_scratch_size", gp_hash_retrieve_scratch_size(gp, a, &retrieve, &n));
    REFUSED("gp_hash_for_each", gp_hash_for_each(gp, a, &each));
    REFUSED("gp_hash_rehash", gp_hash_rehash(gp, a, &rehash));
    REFUSED("gp_hash_counts_read", gp_hash_counts_read(gp, a, &counts));
    REFUSED("gp_hash_size_read", gp_hash_size_read(gp, a, &n));
    REFUSED("gp_hash_stats_read", gp_hash_stats_read(gp, a, &stats));
    REFUSED("gp_device_source", gp_device_source(gp, &source, NULL, 0, &n));
    REFUSED("gp_hash_share", gp_hash_share(gp, gp, a, &shared));
#undef REFUSED
    gp_context_destroy(gp);
}

static void test_bad_create(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    const uint32_t seven = 7;
    const gp_hash_rehash_desc both = {.capacity = 64, .expected_count = 10};
    gp_hash_desc d;
    gp_hash table = hash_create(gp, pair, 64);
    (void)state;
    assert_gp_fails(gp, gp_hash_rehash(gp, table, &both), GP_ERROR_INVALID_ARGUMENT,
                    "gp_hash_rehash: capacity = 64 and expected_count = 10");
#define REFUSED(change, result, text) \
    memset(&d, 0, sizeof d);          \
    d.key_size = d.value_size = 4;    \
    d.capacity = 64;                  \
    change;                           \
    assert_gp_fails(gp, gp_hash_create(gp, &d, &table), result, text)
    REFUSED(d.key_size = 0, GP_ERROR_INVALID_ARGUMENT, "key_size = 0");
    REFUSED(d.key_size = 16, GP_ERROR_INVALID_ARGUMENT, "key_size = 16");
    REFUSED(d.value_size = 2, GP_ERROR_INVALID_ARGUMENT, "value_size = 2");
    REFUSED(d.capacity = 0, GP_ERROR_INVALID_ARGUMENT, "capacity and expected_count");
    REFUSED(d.capacity = ((size_t)1 << 31) + 1, GP_ERROR_COUNT_LIMIT, "capacity = 2147483649");
    REFUSED((d.capacity = 0, d.expected_count = SIZE_MAX), GP_ERROR_COUNT_LIMIT, "expected_count");
    REFUSED(d.expected_count = 10, GP_ERROR_INVALID_ARGUMENT,
            "capacity = 64 and expected_count = 10: give one of them");
    REFUSED(d.max_load = 1.5f, GP_ERROR_INVALID_ARGUMENT, "max_load = 1.5");
    REFUSED(d.max_load = -1, GP_ERROR_INVALID_ARGUMENT, "max_load = -1");
    REFUSED((d.value_size = 0, d.reserved = &seven), GP_ERROR_INVALID_ARGUMENT, "the table is a set");
    REFUSED(d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
#undef REFUSED
    if (!gp_context_info(gp)->int64_base_atomics) {
        d.key_size = 8;
        d.wait_count = 0;
        assert_gp_fails(gp, gp_hash_create(gp, &d, &table), GP_ERROR_UNSUPPORTED, "64-bit atomics");
    }
    assert_int_equal(table.id, 0);
    assert_gp_fails(gp, gp_hash_create(gp, NULL, &table), GP_ERROR_INVALID_ARGUMENT, "NULL");
    assert_gp_fails(gp, gp_hash_create(gp, &d, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    gp_context_destroy(gp);
}

/* The table's own memory in every other place. */
static void check_table_overlaps(hash_fixture *f, cl_mem memory)
{
    gp_context *gp = f->gp;
    gp_hash_insert_desc put = hash_fixture_insert(f);
    gp_hash_find_desc find = {0};
    gp_hash_erase_desc erase = {0};
    gp_hash_retrieve_desc retrieve = {0};
    put.results = memory;
    assert_gp_fails(gp, gp_hash_insert(gp, f->table, &put), GP_ERROR_OVERLAP, "the table");
    put = hash_fixture_insert(f);
    put.values = memory;
    assert_gp_fails(gp, gp_hash_insert(gp, f->table, &put), GP_ERROR_OVERLAP, "the table");
    put = hash_fixture_insert(f);
    put.count_buffer = memory;
    put.count_type = GP_U32;
    assert_gp_fails(gp, gp_hash_insert(gp, f->table, &put), GP_ERROR_OVERLAP, "count_buffer");
    put = hash_fixture_insert(f);
    put.duplicates = GP_HASH_LAST;
    put.count = 10;
    put.scratch = memory;
    assert_gp_fails(gp, gp_hash_insert(gp, f->table, &put), GP_ERROR_OVERLAP, "scratch");
    find.keys = f->keys.mem;
    find.found = memory;
    find.count = f->n;
    assert_gp_fails(gp, gp_hash_find(gp, f->table, &find), GP_ERROR_OVERLAP, "the table");
    erase.keys = memory;
    erase.count = f->n;
    assert_gp_fails(gp, gp_hash_erase(gp, f->table, &erase), GP_ERROR_OVERLAP, "the table");
    retrieve.keys = f->keys.mem;
    retrieve.room = f->n;
    retrieve.live_count = memory;
    assert_gp_fails(gp, gp_hash_retrieve(gp, f->table, &retrieve), GP_ERROR_OVERLAP, "the table");
}

static void test_bad_batches(void **state)
{
    hash_fixture f = hash_fixture_make(pair, 100, NULL);
    const gp_hash_insert_desc good = hash_fixture_insert(&f);
    gp_context *gp = f.gp;
    cl_mem memory = gp_hash_buffer(gp, f.table);
    gp_hash_insert_desc d;
    gp_hash_find_desc find = {0};
    gp_hash_erase_desc erase = {0};
    size_t bytes;
    (void)state;
#define REFUSED(call, change, result, text) \
    d = good;                               \
    change;                                 \
    assert_gp_fails(gp, call(gp, f.table, &d), result, text)
    REFUSED(gp_hash_insert, d.keys = NULL, GP_ERROR_INVALID_BUFFER, "keys is NULL");
    REFUSED(gp_hash_insert, d.values = NULL, GP_ERROR_INVALID_BUFFER, "values is NULL");
    REFUSED(gp_hash_insert, d.count = 1000, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(gp_hash_insert, d.keys_offset = 99, GP_ERROR_INVALID_BUFFER, "keys has");
    REFUSED(gp_hash_insert, d.keys = memory, GP_ERROR_OVERLAP, "the table");
    REFUSED(gp_hash_insert, d.results = d.keys, GP_ERROR_OVERLAP, "results");
    REFUSED(gp_hash_insert, d.op = GP_SUM, GP_ERROR_INVALID_OP, "op = 1");
    REFUSED(gp_hash_insert, d.duplicates = (gp_hash_duplicates)3, GP_ERROR_INVALID_ARGUMENT,
            "duplicates = 3");
    REFUSED(gp_hash_insert, d.strategy = (gp_strategy)9, GP_ERROR_INVALID_ARGUMENT, "strategy = 9");
    REFUSED(gp_hash_insert, d.failed_keys = d.keys, GP_ERROR_INVALID_ARGUMENT, "failed_count NULL");
    REFUSED(gp_hash_insert, d.wait_count = 1, GP_ERROR_INVALID_ARGUMENT, "wait");
    REFUSED(gp_hash_insert, (d.count_buffer = d.keys, d.count_type = GP_F32), GP_ERROR_INVALID_TYPE,
            "count_type");
    REFUSED(gp_hash_insert_or_apply, d.op = GP_OP_NONE, GP_ERROR_INVALID_OP, "op is not set");
    REFUSED(gp_hash_insert_or_apply, d.op = GP_PROD, GP_ERROR_INVALID_OP, "op = 2");
    REFUSED(gp_hash_insert_or_apply, (d.op = GP_SUM, d.type = GP_U64), GP_ERROR_INVALID_TYPE, "type = 8");
    REFUSED(gp_hash_insert_or_apply, (d.op = GP_XOR, d.type = GP_F32), GP_ERROR_INVALID_OP, "op = 7");
    REFUSED(gp_hash_insert_or_apply, (d.op = GP_SUM, d.duplicates = GP_HASH_LAST), GP_ERROR_INVALID_ARGUMENT,
            "duplicates");
#undef REFUSED
    find.keys = f.keys.mem;
    find.count = 100;
    assert_gp_fails(gp, gp_hash_find(gp, f.table, &find), GP_ERROR_INVALID_BUFFER,
                    "at least one output is required");
    find.values = f.keys.mem;
    find.values_offset = 1;
    find.count = 99;
    assert_gp_fails(gp, gp_hash_find(gp, f.table, &find), GP_ERROR_OVERLAP, "values");
    find.values = memory;
    assert_gp_fails(gp, gp_hash_find(gp, f.table, &find), GP_ERROR_OVERLAP, "the table");
    assert_gp_fails(gp, gp_hash_contains(gp, f.table, &find), GP_ERROR_INVALID_ARGUMENT, "values");
    erase.keys = f.keys.mem;
    erase.results = f.keys.mem;
    erase.count = 100;
    assert_gp_fails(gp, gp_hash_erase(gp, f.table, &erase), GP_ERROR_OVERLAP, "results");
    assert_gp_fails(gp, gp_hash_erase(gp, f.table, NULL), GP_ERROR_INVALID_ARGUMENT, "NULL");
    erase.results = NULL;
    erase.strategy = (gp_strategy)9;
    assert_gp_fails(gp, gp_hash_erase(gp, f.table, &erase), GP_ERROR_INVALID_ARGUMENT, "strategy = 9");
    assert_gp_fails(gp, gp_hash_erase_scratch_size(gp, f.table, &erase, &bytes), GP_ERROR_INVALID_ARGUMENT,
                    "gp_hash_erase_scratch_size: strategy = 9");
    assert_gp_fails(gp, gp_hash_erase_scratch_size(gp, f.table, &erase, NULL), GP_ERROR_INVALID_ARGUMENT,
                    "bytes is NULL");
    check_table_overlaps(&f, memory);
    hash_fixture_check(&f, "unharmed");
    hash_fixture_free(&f);
}

/* ------------------------------------------------------------------ memory that others write */

/* Calls that would write into a live table, and tables in one another's memory. */
static void test_live_memory(void **state)
{
    hash_fixture f = hash_fixture_make(pair, 100, NULL);
    gp_context *gp = f.gp;
    const cl_mem memory = gp_hash_buffer(gp, f.table);
    gp_random_desc random = {0};
    gp_fill_desc fill = {0};
    gp_hash_desc create = {0};
    gp_hash_rehash_desc rehash = {0};
    gp_hash second = hash_create(gp, pair, 64), third;
    const uint32_t zero = 0;
    (void)state;
    random.out = fill.out = memory;
    random.count = fill.count = 8;
    random.type = GP_U32;
    fill.element_size = 4;
    fill.value = &zero;
    assert_gp_fails(gp, gp_random(gp, &random), GP_ERROR_OVERLAP,
                    "gp_random: out is bytes [0, 32) and the table");
    assert_gp_fails(gp, gp_fill(gp, &fill), GP_ERROR_OVERLAP, "the table");
    create.key_size = create.value_size = 4;
    create.capacity = 16;
    create.buffer = memory;
    assert_gp_fails(gp, gp_hash_create(gp, &create, &third), GP_ERROR_OVERLAP, "gp_hash_create: buffer");
    rehash.buffer = memory;
    assert_gp_fails(gp, gp_hash_rehash(gp, second, &rehash), GP_ERROR_OVERLAP, "gp_hash_rehash: buffer");
    hash_fixture_check(&f, "unharmed");
    clRetainMemObject(memory);
    assert_gp(gp, gp_hash_destroy(gp, f.table)); /* then it may be written */
    assert_gp(gp, gp_fill(gp, &fill));
    assert_gp(gp, gp_finish(gp));
    clReleaseMemObject(memory);
    hash_fixture_free(&f);
}

/* The memory of a table, overwritten behind the library's back: nothing is read or written outside of it,
   nothing is done, and it is told. */
static void check_overwritten(uint32_t pattern)
{
    hash_fixture f = hash_fixture_make(pair, 1000, NULL);
    gp_context *gp = f.gp;
    gp_hash_insert_desc insert = hash_fixture_insert(&f);
    gp_hash_find_desc find = {0};
    gp_hash_erase_desc erase = {0};
    gp_hash_retrieve_desc retrieve = {0};
    gp_hash_for_each_desc each = {0};
    gp_hash_rehash_desc rehash = {0};
    gp_hash_clear_desc clear = {0};
    gp_hash_stats stats;
    hash_column out = hash_column_make(gp, 4, 1000, 0, NULL);
    size_t bytes, live;
    assert_int_equal(clGetMemObjectInfo(gp_hash_buffer(gp, f.table), CL_MEM_SIZE, sizeof bytes, &bytes, NULL),
                     0);
    assert_int_equal(clEnqueueFillBuffer(gp_cl_queue(gp), gp_hash_buffer(gp, f.table), &pattern, 4, 0, bytes,
                                         0, NULL, NULL),
                     CL_SUCCESS);
    find.keys = erase.keys = f.keys.mem;
    find.values = retrieve.keys = out.mem;
    find.count = erase.count = retrieve.room = f.n;
    retrieve.live_count = test_buffer(gp, 4, NULL);
    each.map = "v + 1";
#define TOLD(call)       \
    assert_gp(gp, call); \
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_INVALID_BUFFER, "overwritten")
    TOLD(gp_hash_find(gp, f.table, &find));
    TOLD(gp_hash_insert(gp, f.table, &insert));
    insert.duplicates = GP_HASH_LAST;
    TOLD(gp_hash_insert_or_assign(gp, f.table, &insert));
    insert.duplicates = GP_HASH_ANY;
    insert.op = GP_SUM;
    TOLD(gp_hash_insert_or_apply(gp, f.table, &insert));
    TOLD(gp_hash_erase(gp, f.table, &erase));
    TOLD(gp_hash_retrieve(gp, f.table, &retrieve));
    TOLD(gp_hash_for_each(gp, f.table, &each));
#undef TOLD
    assert_gp_fails(gp, gp_hash_size_read(gp, f.table, &live), GP_ERROR_INVALID_BUFFER, "overwritten");
    assert_gp_fails(gp, gp_hash_stats_read(gp, f.table, &stats), GP_ERROR_INVALID_BUFFER, "overwritten");
    assert_gp_fails(gp, gp_hash_rehash(gp, f.table, &rehash), GP_ERROR_INVALID_BUFFER, "overwritten");
    assert_gp(gp, gp_hash_clear(gp, f.table, &clear));
    insert.op = GP_OP_NONE;
    assert_gp(gp, gp_hash_insert(gp, f.table, &insert));
    hash_fixture_check(&f, "made anew");
    assert_gp(gp, gp_finish(gp));
    clReleaseMemObject(retrieve.live_count);
    hash_column_free(&out);
    hash_fixture_free(&f);
}

static void test_overwritten(void **state)
{
    (void)state;
    check_overwritten(0);
    check_overwritten(0xffffffffu);
    check_overwritten(0x12345678u);
}

/* ------------------------------------------------------------------ refused values */

/* A table of 64-bit values has one that it cannot hold. It is not all ones; and it does not get lost in
   silence unless the caller has named it. */
static void test_refused_loudly(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    const hash_widths wide = {8, 8};
    uint64_t facts[4], key = 5;
    hash_column keys, values;
    const gp_hash_rehash_desc more = {.capacity = 64};
    gp_hash_insert_desc d = {0};
    gp_hash table;
    size_t live;
    (void)state;
    if (!hash_can(gp, &hash_variants[0], wide)) {
        gp_context_destroy(gp);
        return;
    }
    table = hash_create(gp, wide, 8);
    assert_int_equal(clEnqueueReadBuffer(gp_cl_queue(gp), gp_hash_buffer(gp, table), CL_TRUE, 0, sizeof facts,
                                         facts, 0, NULL, NULL),
                     CL_SUCCESS);
    keys = hash_column_make(gp, 8, 1, 0, &key);
    values = hash_column_make(gp, 8, 1, 0, &facts[3]); /* the reserved value */
    d.keys = keys.mem;
    d.values = values.mem;
    d.count = 1;
    assert_gp(gp, gp_hash_insert(gp, table, &d));
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_INVALID_ARGUMENT, "gp_hash_insert: keys refused: 1:");
    assert_gp(gp, gp_finish(gp)); /* told once */
    d.op = GP_SUM;
    assert_gp(gp, gp_hash_insert_or_apply(gp, table, &d));
    assert_gp_fails(gp, gp_hash_size_read(gp, table, &live), GP_ERROR_INVALID_ARGUMENT,
                    "gp_hash_insert_or_apply: keys refused: 1:");
    assert_gp(gp, gp_hash_size_read(gp, table, &live));
    assert_int_equal(live, 0);
    /* each call's refusals are told, one at a time */
    assert_gp(gp, gp_hash_insert_or_apply(gp, table, &d));
    d.op = (gp_op)0;
    assert_gp(gp, gp_hash_insert_or_assign(gp, table, &d));
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_INVALID_ARGUMENT,
                    "gp_hash_insert_or_apply: keys refused: 1:");
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_INVALID_ARGUMENT,
                    "gp_hash_insert_or_assign: keys refused: 1:");
    /* and keep no table from growing */
    assert_gp(gp, gp_hash_insert(gp, table, &d));
    assert_gp(gp, gp_hash_rehash(gp, table, &more));
    assert_gp_fails(gp, gp_finish(gp), GP_ERROR_INVALID_ARGUMENT, "gp_hash_insert: keys refused: 1:");
    assert_gp(gp, gp_finish(gp));
    hash_column_free(&keys);
    hash_column_free(&values);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_handles),        cmocka_unit_test(test_destroyed),
        cmocka_unit_test(test_bad_create),     cmocka_unit_test(test_bad_batches),
        cmocka_unit_test(test_live_memory),    cmocka_unit_test(test_overwritten),
        cmocka_unit_test(test_refused_loudly),
    };
    return cmocka_run_group_tests_name("hash_bad", tests, NULL, NULL);
}
