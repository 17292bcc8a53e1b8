/* test_hash_table.c - gp_hash as an object: handles, memory, growing, retrieve, for_each, kernels of one's
   own, and what is refused. */
#include "hash_support.h"

static const hash_widths pair = {4, 4}, set = {4, 0}, wide = {8, 8};

/* A context and a table with keys 0 ... n-1 of a model, each with its number as value. */
typedef struct fixture {
    gp_context *gp;
    gp_hash table;
    hash_widths w;
    hash_model m;
    hash_column keys, values;
    size_t n;
} fixture;

static fixture fixture_make(hash_widths w, size_t n, const gp_hash_desc *how)
{
    fixture f;
    gp_hash_desc desc = {0};
    gp_hash_insert_desc insert = {0};
    size_t i;
    f.gp = hash_open(&hash_variants[0]);
    f.w = w;
    f.n = n;
    f.m = hash_model_make(n, w.key);
    for (i = 0; i < n; i++) {
        f.m.value[i] = w.value ? i : 0;
        f.m.live[i] = true;
    }
    if (how) desc = *how;
    desc.key_size = w.key;
    desc.value_size = w.value;
    if (!desc.capacity) desc.expected_count = n;
    assert_gp(f.gp, gp_hash_create(f.gp, &desc, &f.table));
    f.keys = hash_column_make(f.gp, w.key, n, 0, f.m.key);
    f.values = hash_column_make(f.gp, w.value, n, 0, f.m.value);
    insert.keys = f.keys.mem;
    insert.values = f.values.mem;
    insert.count = n;
    assert_gp(f.gp, gp_hash_insert(f.gp, f.table, &insert));
    f.m.counts.inserted = n;
    return f;
}

static void fixture_check(fixture *f, const char *what) { hash_check(f->gp, what, f->table, f->w, &f->m); }

static void fixture_free(fixture *f)
{
    hash_column_free(&f->keys);
    hash_column_free(&f->values);
    hash_model_free(&f->m);
    gp_context_destroy(f->gp); /* and the table with it */
}

static size_t some(void) { return test_small() ? 300 : 5000; }

static gp_hash_insert_desc insert_of(const fixture *f)
{
    gp_hash_insert_desc d = {0};
    d.keys = f->keys.mem;
    d.values = f->values.mem;
    d.count = f->n;
    return d;
}

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
        assert_int_equal(bytes, 256 + 8 * (rows[i].slots + 1));
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
    assert_gp_fails(gp, gp_hash_rehash(gp, table, &again), GP_ERROR_OVERLAP, "present memory");
    again.buffer = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_hash_rehash(gp, table, &again));
    assert_ptr_equal(gp_hash_buffer(gp, table), again.buffer);
    clReleaseMemObject(again.buffer);
    assert_gp(gp, gp_hash_destroy(gp, table));
    gp_context_destroy(gp);
}

/* A table that begins with one slot takes whatever comes. */
static void test_grow(void **state)
{
    gp_hash_desc how = {0};
    fixture f;
    gp_hash_counts counts;
    size_t part;
    (void)state;
    how.capacity = 1;
    how.grow = true;
    f = fixture_make(pair, some(), &how);
    fixture_check(&f, "grown");
    assert_gp(f.gp, gp_hash_counts_read(f.gp, f.table, &counts));
    assert_true(counts.capacity >= 2 * f.n && counts.capacity < 8 * f.n);
    for (part = 0; part < 3; part++) { /* the same keys: no more slots than twice as many */
        const gp_hash_insert_desc d = insert_of(&f);
        assert_gp(f.gp, gp_hash_insert(f.gp, f.table, &d));
    }
    assert_gp(f.gp, gp_hash_counts_read(f.gp, f.table, &counts));
    assert_int_equal(counts.failed, 0);
    assert_int_equal(counts.live, f.n);
    fixture_free(&f);
}

static void test_clear(void **state)
{
    fixture f = fixture_make(pair, some(), NULL);
    const gp_hash_clear_desc clear = {0};
    const gp_hash_insert_desc d = insert_of(&f);
    size_t i;
    (void)state;
    assert_gp(f.gp, gp_hash_clear(f.gp, f.table, &clear));
    memset(&f.m.counts, 0, sizeof f.m.counts);
    for (i = 0; i < f.n; i++) f.m.live[i] = false;
    fixture_check(&f, "cleared");
    assert_gp(f.gp, gp_hash_insert(f.gp, f.table, &d));
    for (i = 0; i < f.n; i++) f.m.live[i] = true;
    f.m.counts.inserted = f.n;
    fixture_check(&f, "filled again");
    fixture_free(&f);
}

/* ------------------------------------------------------------------ values, counts on the device, scratch */

/* Another value is reserved: it is refused, all ones is not. */
static void test_reserved(void **state)
{
    const uint32_t reserved = 7;
    gp_hash_desc how = {0};
    fixture f;
    (void)state;
    how.reserved = &reserved;
    f = fixture_make(pair, 20, &how);
    f.m.live[7] = false; /* its value is 7 */
    f.m.counts.inserted = 19;
    f.m.counts.refused = 1;
    fixture_check(&f, "reserved");
    fixture_free(&f);
}

static void test_count_on_device(void **state)
{
    static const uint32_t wanted[] = {0, 1, 50, 99, 200};
    size_t k, i;
    (void)state;
    for (k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        fixture f = fixture_make(set, 100, NULL);
        gp_hash_erase_desc erase = {0};
        erase.keys = f.keys.mem;
        erase.count = f.n;
        erase.count_buffer = test_buffer(f.gp, 4, &wanted[k]);
        erase.count_type = GP_U32;
        assert_gp(f.gp, gp_hash_erase(f.gp, f.table, &erase));
        for (i = 0; i < f.n && i < wanted[k]; i++) f.m.live[i] = false;
        f.m.counts.erased = i;
        fixture_check(&f, "count on the device");
        assert_int_equal(test_profile_of(f.gp).clamped, wanted[k] > 100);
        clReleaseMemObject(erase.count_buffer);
        fixture_free(&f);
    }
}

/* Scratch of exactly the size asked for; one byte less is refused. */
static void test_own_scratch(void **state)
{
    fixture f = fixture_make(pair, some(), NULL);
    size_t way, bytes;
    (void)state;
    for (way = 0; way < 2; way++) {
        gp_hash_insert_desc d = insert_of(&f);
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
        fixture_check(&f, "own scratch");
        clReleaseMemObject(d.scratch);
    }
    fixture_free(&f);
}

/* values = keys: each key is replaced by its value. */
static void test_find_in_place(void **state)
{
    fixture f = fixture_make(pair, some(), NULL);
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
    fixture_free(&f);
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
    fixture f = fixture_make(pair, some(), NULL);
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
    d.room = 10;
    assert_gp(f.gp, gp_hash_retrieve(f.gp, f.table, &d));
    n = hash_column_read(f.gp, &count);
    assert_int_equal(n[0], f.n);
    free(n);
    hash_column_free(&keys);
    hash_column_free(&values);
    hash_column_free(&count);
    fixture_free(&f);
}

static void test_for_each(void **state)
{
    fixture f = fixture_make(pair, some(), NULL);
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
    fixture_check(&f, "mapped");
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
    fixture_check(&f, "erased");
    d.where = "k +";
    assert_gp_fails(f.gp, gp_hash_for_each(f.gp, f.table, &d), GP_ERROR_BUILD, "build log");
    d.where = " ";
    assert_gp_fails(f.gp, gp_hash_for_each(f.gp, f.table, &d), GP_ERROR_INVALID_ARGUMENT, "empty");
    d.where = NULL;
    d.map = "v";
    assert_gp_fails(f.gp, gp_hash_for_each(f.gp, f.table, &d), GP_ERROR_INVALID_ARGUMENT, "either one");
    fixture_free(&f);
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

static cl_program user_build(gp_context *gp, gp_hash table)
{
    size_t size = 0;
    char *text, few[10];
    const char *whole;
    cl_device_id device = gp_cl_device(gp);
    cl_program program;
    cl_int error;
    assert_gp(gp, gp_device_source(gp, GP_DEVICE_HASH, table, NULL, 0, &size));
    assert_gp(gp, gp_device_source(gp, GP_DEVICE_HASH, table, few, sizeof few, &size));
    assert_int_equal(strlen(few), sizeof few - 1);
    text = malloc(size + sizeof user_kernel);
    assert_non_null(text);
    assert_gp(gp, gp_device_source(gp, GP_DEVICE_HASH, table, text, size, &size));
    assert_int_equal(strlen(text) + 1, size);
    strcat(text, user_kernel);
    whole = text;
    program = clCreateProgramWithSource(gp_cl_context(gp), 1, &whole, NULL, &error);
    assert_int_equal(error, CL_SUCCESS);
    /* Oclgrind: see docs/ARCHITECTURE.md */
    assert_int_equal(clBuildProgram(program, 1, &device,
                                    test_small() ? "-cl-std=CL1.2 -cl-opt-disable" : "-cl-std=CL1.2", NULL,
                                    NULL),
                     CL_SUCCESS);
    free(text);
    return program;
}

static void test_device_source(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    const hash_widths w = gp_context_info(gp)->int64_base_atomics ? wide : pair;
    const cl_uint n = 64;
    const size_t global = 64, local = 8;
    gp_hash table = hash_create(gp, w, 256);
    cl_program program = user_build(gp, table);
    cl_kernel kernel = clCreateKernel(program, "user", NULL);
    cl_mem buffer = gp_hash_buffer(gp, table), out = test_buffer(gp, n * 4, NULL);
    gp_hash_counts counts;
    uint32_t *r;
    size_t i;
    (void)state;
    assert_non_null(kernel);
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    clSetKernelArg(kernel, 2, sizeof out, &out);
    assert_int_equal(clEnqueueNDRangeKernel(gp_cl_queue(gp), kernel, 1, NULL, &global, &local, 0, NULL, NULL),
                     CL_SUCCESS);
    r = test_read(gp, out, n * 4);
    for (i = 0; i < n; i++) assert_int_equal(r[i], GP_HASH_INSERTED + (i % 2 ? 10 * GP_HASH_ERASED : 100));
    assert_gp(gp, gp_hash_counts_read(gp, table, &counts));
    assert_int_equal(counts.live, n / 2 + 1);
    assert_int_equal(counts.erased, n / 2);
    assert_int_equal(counts.existed, n - 1);
    assert_int_equal(counts.dead, n / 2);
    free(r);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(out);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ handles, bad input, warm-up */

static void test_handles(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]), *other = hash_open(&hash_variants[0]);
    const gp_hash none = {0};
    gp_hash a = hash_create(gp, pair, 8), b, c;
    size_t live;
    (void)state;
    assert_gp_fails(gp, gp_hash_size_read(gp, none, &live), GP_ERROR_INVALID_ARGUMENT, "no table");
    assert_gp_fails(other, gp_hash_size_read(other, a, &live), GP_ERROR_INVALID_ARGUMENT, "no table");
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
    gp_hash_counts counts;
    gp_hash_stats stats;
    gp_hash shared;
    size_t n;
    (void)state;
    assert_gp(gp, gp_hash_destroy(gp, a));
#define REFUSED(name, call) assert_gp_fails(gp, call, GP_ERROR_INVALID_ARGUMENT, name ": table = ")
    REFUSED("gp_hash_insert", gp_hash_insert(gp, a, &insert));
    REFUSED("gp_hash_insert_or_assign", gp_hash_insert_or_assign(gp, a, &insert));
    REFUSED("gp_hash_insert_or_apply", gp_hash_insert_or_apply(gp, a, &insert));
    REFUSED("gp_hash_insert_scratch_size", gp_hash_insert_scratch_size(gp, a, &insert, &n));
    REFUSED("gp_hash_find", gp_hash_find(gp, a, &find));
    REFUSED("gp_hash_contains", gp_hash_contains(gp, a, &find));
    REFUSED("gp_hash_erase", gp_hash_erase(gp, a, &erase));
    REFUSED("gp_hash_clear", gp_hash_clear(gp, a, &clear));
    REFUSED("gp_hash_retrieve", gp_hash_retrieve(gp, a, &retrieve));
    REFUSED("gp_hash_retrieve_scratch_size", gp_hash_retrieve_scratch_size(gp, a, &retrieve, &n));
    REFUSED("gp_hash_for_each", gp_hash_for_each(gp, a, &each));
    REFUSED("gp_hash_rehash", gp_hash_rehash(gp, a, &rehash));
    REFUSED("gp_hash_counts_read", gp_hash_counts_read(gp, a, &counts));
    REFUSED("gp_hash_size_read", gp_hash_size_read(gp, a, &n));
    REFUSED("gp_hash_stats_read", gp_hash_stats_read(gp, a, &stats));
    REFUSED("gp_device_source", gp_device_source(gp, GP_DEVICE_HASH, a, NULL, 0, &n));
    REFUSED("gp_hash_share", gp_hash_share(gp, gp, a, &shared));
#undef REFUSED
    gp_context_destroy(gp);
}

static void test_bad_create(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    const uint32_t seven = 7;
    gp_hash_desc d;
    gp_hash table;
    (void)state;
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
    REFUSED(d.max_load = 1.5f, GP_ERROR_INVALID_ARGUMENT, "max_load = 1.5");
    REFUSED(d.max_load = -1, GP_ERROR_INVALID_ARGUMENT, "max_load = -1");
    REFUSED((d.value_size = 0, d.reserved = &seven), GP_ERROR_INVALID_ARGUMENT, "a set has no values");
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
static void check_table_overlaps(fixture *f, cl_mem memory)
{
    gp_context *gp = f->gp;
    gp_hash_insert_desc put = insert_of(f);
    gp_hash_find_desc find = {0};
    gp_hash_erase_desc erase = {0};
    gp_hash_retrieve_desc retrieve = {0};
    put.results = memory;
    assert_gp_fails(gp, gp_hash_insert(gp, f->table, &put), GP_ERROR_OVERLAP, "the table");
    put = insert_of(f);
    put.values = memory;
    assert_gp_fails(gp, gp_hash_insert(gp, f->table, &put), GP_ERROR_OVERLAP, "the table");
    put = insert_of(f);
    put.count_buffer = memory;
    put.count_type = GP_U32;
    assert_gp_fails(gp, gp_hash_insert(gp, f->table, &put), GP_ERROR_OVERLAP, "count_buffer");
    put = insert_of(f);
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
    fixture f = fixture_make(pair, 100, NULL);
    const gp_hash_insert_desc good = insert_of(&f);
    gp_context *gp = f.gp;
    cl_mem memory = gp_hash_buffer(gp, f.table);
    gp_hash_insert_desc d;
    gp_hash_find_desc find = {0};
    gp_hash_erase_desc erase = {0};
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
    REFUSED(gp_hash_insert_or_apply, d.op = GP_OP_NONE, GP_ERROR_INVALID_OP, "op = 0");
    REFUSED(gp_hash_insert_or_apply, d.op = GP_PROD, GP_ERROR_INVALID_OP, "op = 2");
    REFUSED(gp_hash_insert_or_apply, (d.op = GP_SUM, d.type = GP_U64), GP_ERROR_INVALID_TYPE, "type = 8");
    REFUSED(gp_hash_insert_or_apply, (d.op = GP_XOR, d.type = GP_F32), GP_ERROR_INVALID_OP, "op = 7");
    REFUSED(gp_hash_insert_or_apply, (d.op = GP_SUM, d.duplicates = GP_HASH_LAST), GP_ERROR_INVALID_ARGUMENT,
            "duplicates");
#undef REFUSED
    find.keys = f.keys.mem;
    find.count = 100;
    assert_gp_fails(gp, gp_hash_find(gp, f.table, &find), GP_ERROR_INVALID_BUFFER, "nothing is wanted");
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
    check_table_overlaps(&f, memory);
    fixture_check(&f, "unharmed");
    fixture_free(&f);
}

static void test_warmup(void **state)
{
    gp_context *gp = hash_open(&hash_variants[0]);
    gp_hash_desc how = {0};
    gp_warmup_desc warm = {0};
    gp_hash table;
    uint64_t built;
    (void)state;
    how.key_size = how.value_size = 4;
    warm.hash = &how;
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
        cmocka_unit_test(test_capacity),    cmocka_unit_test(test_own_buffer),
        cmocka_unit_test(test_grow),        cmocka_unit_test(test_clear),
        cmocka_unit_test(test_reserved),    cmocka_unit_test(test_count_on_device),
        cmocka_unit_test(test_own_scratch), cmocka_unit_test(test_find_in_place),
        cmocka_unit_test(test_types),       cmocka_unit_test(test_retrieve),
        cmocka_unit_test(test_for_each),    cmocka_unit_test(test_device_source),
        cmocka_unit_test(test_handles),     cmocka_unit_test(test_destroyed),
        cmocka_unit_test(test_bad_create),  cmocka_unit_test(test_bad_batches),
        cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("hash_table", tests, NULL, NULL);
}
