/* test_group_by.c - gp_group_by against a sort of rows by their bytes, and with bad offsets. */
#include "../support/columns.h"

typedef struct table_case {
    const char *name;
    test_column columns[GP_KEY_COLUMNS_MAX];
    size_t column_count;
    ids ids;
    size_t distinct; /* most groups, or about as many */
    size_t count;
    size_t offset; /* of buffers */
    bool groups, rows, order, offsets, wants_count;
} table_case;

typedef struct table_data {
    test_columns keys;
    uint32_t *groups, *rows, *order, *offsets, group_count; /* as expected */
} table_data;

static const test_columns *sorted;

static int compare_rows(const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const int order = columns_compare(sorted, i, sorted, j);
    return order ? order : (i > j) - (i < j);
}

/* Sorts the rows by key: the first row of each run is its group's first row. */
static void expect(const table_case *c, table_data *data)
{
    const size_t n = c->count;
    uint32_t *rows = columns_room(n * 4), *first = columns_room(n * 4), *at = columns_room(n * 4 + 4), g = 0;
    size_t i;
    sorted = &data->keys;
    for (i = 0; i < n; i++) rows[i] = (uint32_t)i;
    if (n) qsort(rows, n, 4, compare_rows);
    for (i = 0; i < n; i++)
        first[rows[i]] =
            i && columns_compare(sorted, rows[i - 1], sorted, rows[i]) == 0 ? first[rows[i - 1]] : rows[i];
    for (i = 0; i < n; i++) {
        if (first[i] == i) data->rows[g++] = (uint32_t)i;
        data->groups[i] = first[i] == i ? g - 1 : data->groups[first[i]];
    }
    data->group_count = g;
    memset(data->offsets, 0, (g + 1) * 4);
    for (i = 0; i < n; i++) data->offsets[data->groups[i] + 1]++;
    for (i = 0; i < g; i++) data->offsets[i + 1] += data->offsets[i];
    memcpy(at, data->offsets, (g + 1) * 4);
    for (i = 0; i < n; i++) data->order[at[data->groups[i]]++] = (uint32_t)i;
    free(rows);
    free(first);
    free(at);
}

static uint32_t *poisoned(size_t count)
{
    uint32_t *p = columns_room(count * 4);
    memset(p, TEST_POISON, count * 4);
    return p;
}

static table_data make_data(const table_case *c)
{
    const size_t n = c->count;
    uint64_t *id = columns_room(n * sizeof *id);
    table_data data;
    size_t i;
    for (i = 0; i < n; i++) id[i] = columns_id(c->ids, c->distinct, n, i);
    data.keys = columns_make(c->columns, c->column_count, n, id);
    data.groups = poisoned(n);
    data.rows = poisoned(n);
    data.order = poisoned(n);
    data.offsets = poisoned(n + 1);
    free(id);
    return data;
}

static void free_data(table_data *data)
{
    columns_free(&data->keys);
    free(data->groups);
    free(data->rows);
    free(data->order);
    free(data->offsets);
}

/* ------------------------------------------------------------------ check */

static gp_group_by_desc make_desc(gp_context *gp, const table_case *c, const table_data *data,
                                  gp_key_column *columns)
{
    const size_t n = c->count;
    gp_group_by_desc d = {0};
    columns_buffers(gp, &data->keys, c->offset, columns);
    d.columns = columns;
    d.column_count = c->column_count;
    d.count = n;
    d.groups_out_offset = c->offset;
    d.rows_out_offset = 2 * c->offset;
    d.order_out_offset = c->offset ? 7 : 0;
    d.offsets_out_offset = c->offset ? 9 : 0;
    d.count_out_offset = c->offset;
    if (c->groups) d.groups_out = guarded(gp, d.groups_out_offset, n, 4, NULL);
    if (c->rows) d.rows_out = guarded(gp, d.rows_out_offset, n, 4, NULL);
    if (c->order) d.order_out = guarded(gp, d.order_out_offset, n, 4, NULL);
    if (c->offsets) d.offsets_out = guarded(gp, d.offsets_out_offset, n + 1, 4, NULL);
    if (c->wants_count) d.count_out = guarded(gp, d.count_out_offset, 1, 4, NULL);
    return d;
}

static void release(const gp_group_by_desc *d)
{
    const cl_mem all[] = {d->groups_out,  d->rows_out,  d->order_out,
                          d->offsets_out, d->count_out, d->count_buffer};
    size_t k;
    for (k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k]) clReleaseMemObject(all[k]);
    columns_release(d->columns, d->column_count);
}

static void compare(gp_context *gp, const char *variant, const table_case *c, const gp_group_by_desc *d,
                    const table_data *data)
{
    const struct {
        const char *name;
        cl_mem buffer;
        size_t offset, count;
        const void *expected;
    } outputs[] = {{"groups", d->groups_out, d->groups_out_offset, d->count, data->groups},
                   {"rows", d->rows_out, d->rows_out_offset, d->count, data->rows},
                   {"order", d->order_out, d->order_out_offset, d->count, data->order},
                   {"offsets", d->offsets_out, d->offsets_out_offset, d->count + 1, data->offsets},
                   {"count", d->count_out, d->count_out_offset, 1, &data->group_count}};
    size_t k, at = 0;
    for (k = 0; k < sizeof outputs / sizeof *outputs; k++) {
        const char *what = NULL;
        if (!outputs[k].buffer) continue;
        what = guarded_difference(gp, outputs[k].buffer, outputs[k].offset, outputs[k].count, 4,
                                  outputs[k].expected, &at);
        if (!what) continue;
        fail_msg("%s, %s: ids %d, distinct %zu, count %zu, offset %zu: %s, %s %zu", variant, c->name,
                 (int)c->ids, c->distinct, c->count, c->offset, what, outputs[k].name, at);
    }
}

static void check(gp_context *gp, const char *variant, const table_case *c)
{
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    table_data data = make_data(c);
    const gp_group_by_desc desc = make_desc(gp, c, &data, columns);
    const gp_result result = gp_group_by(gp, &desc);
    if (result != GP_OK) fail_msg("%s, %s: %s", variant, c->name, gp_last_error(gp));
    expect(c, &data);
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ tests */

#define ALL .groups = true, .rows = true, .order = true, .offsets = true, .wants_count = true

static void check_sizes(gp_context *gp, const char *name, table_case c)
{
    static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 48, 255, 256, 257, 1023, 4097, 16351, 16352, 20011};
    static const size_t distinct[] = {1, 3, 100, 3000, 1000000007};
    const size_t all = test_small() ? 10 : sizeof sizes / sizeof *sizes;
    size_t n, k;
    for (n = 0; n < all; n++) {
        for (k = 0; k < sizeof distinct / sizeof *distinct; k++) {
            c.count = sizes[n];
            c.distinct = distinct[k];
            c.ids = (ids)((n + k) % IDS_COUNT);
            c.offset = (n + k) % 3 == 1 ? 5 : 0;
            check(gp, name, &c);
        }
    }
}

static const table_case one_number = {.name = "u32", .columns = {{.type = GP_U32}}, .column_count = 1, ALL};

static void test_every_variant(void **state)
{
    static const table_case mixed = {.name = "f32, 12 bytes, string",
                                     .columns = {{.type = GP_F32}, {.size = 12}, {.offsets = GP_U32}},
                                     .column_count = 3,
                                     ALL};
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        check_sizes(gp, test_shapes[v].name, one_number);
        check_sizes(gp, test_shapes[v].name, mixed);
        assert_int_equal(test_profile_of(gp).bad_offsets, 0);
        gp_context_destroy(gp);
    }
}

static void test_types(void **state)
{
    static const table_case cases[] = {
        {.name = "i64", .columns = {{.type = GP_I64}}, .column_count = 1, ALL},
        {.name = "f64", .columns = {{.type = GP_F64}}, .column_count = 1, ALL},
        {.name = "f16, u8", .columns = {{.type = GP_F16}, {.type = GP_U8}}, .column_count = 2, ALL},
        {.name = "64 bytes", .columns = {{.size = 64}}, .column_count = 1, ALL},
        {.name = "7 bytes, 6 bytes", .columns = {{.size = 7}, {.size = 6}}, .column_count = 2, ALL},
        {.name = "strings", .columns = {{.offsets = GP_U64}, {.offsets = GP_U32}}, .column_count = 2, ALL},
        {.name = "eight",
         .columns = {{.type = GP_I8},
                     {.type = GP_U16},
                     {.type = GP_I32},
                     {.type = GP_F32},
                     {.size = 3},
                     {.offsets = GP_U32},
                     {.type = GP_U64},
                     {.size = 16}},
         .column_count = 8,
         ALL},
    };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k;
    int i;
    (void)state;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (i = 0; i < (int)IDS_COUNT; i++) {
            table_case c = cases[k];
            c.ids = (ids)i;
            c.count = test_small() ? 500 : 20011;
            c.distinct = i % 2 ? 77 : 5000;
            c.offset = (size_t)i % 3;
            check(gp, "types", &c);
        }
    }
    gp_context_destroy(gp);
}

/* Every output alone, and none that a call could take as its scratch. */
static void test_outputs(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    int wants;
    (void)state;
    for (wants = 1; wants < 32; wants++) {
        table_case c = one_number;
        c.count = 3001;
        c.distinct = 300;
        c.groups = wants & 1;
        c.rows = wants & 2;
        c.order = wants & 4;
        c.offsets = wants & 8;
        c.wants_count = wants & 16;
        check(gp, "outputs", &c);
    }
    gp_context_destroy(gp);
}

/* So many rows and groups that one table after another is too small. */
static void test_large(void **state)
{
    static const size_t distinct[] = {1, 50, 4000, 100000, 130000, 1000000007};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    table_case c = one_number;
    size_t k;
    int i;
    (void)state;
    c.count = ((size_t)1 << 20) + 123;
    for (k = 0; k < 6 && !test_small(); k++) {
        for (i = 0; i < (int)IDS_ZIPF + 1; i++) {
            if (k != 2 && k != 5 && i != (int)(k % 4)) continue;
            c.ids = (ids)i;
            c.distinct = distinct[k];
            check(gp, "large", &c);
        }
    }
    gp_context_destroy(gp);
}

/* Keys that differ in a few bits only, wherever these are, and more rows than the third table has slots: each row is its group. */
static void test_distinct(void **state)
{
    static const struct {
        size_t count;
        int shift;
    } cases[] = {{17000000, 0}, {1000003, 44}, {1000003, 20}, {100003, 47}};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k, i;
    (void)state;
    for (k = 0; k < 4 && !test_small(); k++) {
        const size_t n = cases[k].count;
        uint64_t *keys = columns_room(n * 8), groups = 0;
        gp_key_column column = {.type = GP_U64};
        gp_group_by_desc d = {.columns = &column, .column_count = 1, .count = n};
        uint32_t *out;
        for (i = 0; i < n; i++) keys[i] = (uint64_t)i << cases[k].shift;
        column.in = test_buffer(gp, n * 8, keys);
        d.groups_out = test_buffer(gp, n * 4, NULL);
        assert_gp(gp, gp_group_by_read(gp, &d, &groups));
        assert_int_equal(groups, n);
        out = test_read(gp, d.groups_out, n * 4);
        for (i = 0; i < n && out[i] == i; i++) {
        }
        assert_int_equal(i, n);
        free(out);
        free(keys);
        release(&d);
    }
    gp_context_destroy(gp);
}

/* Strings whose words differ in bits 63 and 31, so that multiplications modulo 2^64 keep or cancel the difference whatever the
   multiplier is. If that made their hashes equal, the test would take minutes. */
static void test_chosen(void **state)
{
    enum { WORDS = 32 };
    const size_t n = test_small() ? 300 : 30000;
    gp_context *gp = test_open(&test_shapes[0], NULL);
    uint64_t *words = columns_room(n * WORDS * 8), *ends = columns_room((n + 1) * 8), groups = 0;
    gp_key_column column = {.offsets_type = GP_U64, .byte_count = n * WORDS * 8};
    gp_group_by_desc d = {.columns = &column, .column_count = 1, .count = n};
    size_t i, k;
    (void)state;
    for (i = 0; i <= n; i++) ends[i] = i * WORDS * 8;
    for (i = 0; i < n; i++) {
        bool before = false;
        for (k = 0; k < WORDS; k++) {
            const bool now = k + 1 < WORDS && (i >> k % 31 & 1);
            words[i * WORDS + k] = 0x6161616161616161u ^ (before ? (uint64_t)1 << 63 | 1u << 31 : 0) ^
                                   (now ? (uint64_t)1 << 63 : 0);
            before = now;
        }
    }
    column.in = test_buffer(gp, column.byte_count, words);
    column.offsets = test_buffer(gp, (n + 1) * 8, ends);
    assert_gp(gp, gp_group_by_read(gp, &d, &groups));
    assert_int_equal(groups, n);
    free(words);
    free(ends);
    release(&d);
    gp_context_destroy(gp);
}

static void test_counts(void **state)
{
    static const uint32_t counts[] = {0, 1, 999, 5000, 70000};
    gp_context *gp = test_open(&test_shapes[0], NULL);
    table_case c = one_number;
    size_t i;
    (void)state;
    c.count = 5000;
    c.distinct = 123;
    c.offset = 2;
    for (i = 0; i < 5; i++) {
        gp_key_column columns[GP_KEY_COLUMNS_MAX];
        table_data data = make_data(&c);
        gp_group_by_desc d = make_desc(gp, &c, &data, columns);
        table_case few = c;
        d.count_buffer = test_buffer(gp, 4, &counts[i]);
        d.count_type = GP_U32;
        assert_gp(gp, gp_group_by(gp, &d));
        if (counts[i] < few.count) few.count = counts[i];
        expect(&few, &data);
        compare(gp, "counts", &c, &d, &data);
        release(&d);
        free_data(&data);
    }
    assert_int_equal(test_profile_of(gp).clamped, 1);
    gp_context_destroy(gp);
}

static void test_bad_offsets(void **state)
{
    static const table_case c = {.name = "string",
                                 .columns = {{.offsets = GP_U32}},
                                 .column_count = 1,
                                 .distinct = 500,
                                 .count = 9001,
                                 ALL};
    size_t v, way;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (way = 0; way < (gp_context_info(gp)->loop_limit ? 1 : 3);
             way++) { /* the others make long strings */
            gp_key_column columns[GP_KEY_COLUMNS_MAX];
            table_data data = make_data(&c);
            gp_group_by_desc d;
            size_t i;
            for (i = 0; i <= c.count; i++) {
                const uint32_t bad = way == 0 ? UINT32_MAX : way == 1 ? 0 : test_random();
                if (way == 2 || i % 1000 == 500) memcpy(data.keys.ends[0] + 4 * i, &bad, 4);
            }
            d = make_desc(gp, &c, &data, columns);
            assert_gp(gp, gp_group_by(gp, &d));
            expect(&c, &data);
            compare(gp, test_shapes[v].name, &c, &d, &data);
            assert_int_equal(test_profile_of(gp).bad_offsets, way + 1);
            release(&d);
            free_data(&data);
        }
        gp_context_destroy(gp);
    }
}

/* A device that ends long loops: short strings are grouped, and a long one makes the call find no group. */
static void test_limited(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        table_case c = {.name = "string",
                        .columns = {{.offsets = GP_U32}},
                        .column_count = 1,
                        .distinct = 500,
                        .count = 30001,
                        ALL};
        gp_key_column columns[GP_KEY_COLUMNS_MAX];
        table_data data;
        gp_group_by_desc d;
        uint64_t groups = 1;
        const uint32_t zero = 0;
        if (!gp) continue;
        if (!gp_context_info(gp)->loop_limit) test_pretend_limited(gp);
        c.distinct = 4; /* up to 3 bytes */
        check(gp, test_shapes[v].name, &c);
        assert_int_equal(test_profile_of(gp).abandoned, 0);
        c.distinct = 500;
        data = make_data(&c);
        memcpy(data.keys.ends[0] + 4 * 29000, &zero, 4);
        d = make_desc(gp, &c, &data, columns);
        assert_int_equal(gp_group_by_read(gp, &d, &groups), GP_ERROR_UNSUPPORTED);
        assert_non_null(strstr(gp_last_error(gp), "too long for this device"));
        assert_int_equal(groups, 1); /* not written */
        assert_int_equal(test_profile_of(gp).abandoned, 1);
        release(&d);
        free_data(&data);
        gp_context_destroy(gp);
    }
}

/* The caller's scratch of the size that the library asks for; the number of groups on the host. */
static void test_scratch(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_key_column columns[GP_KEY_COLUMNS_MAX];
    table_case c = one_number;
    table_data data;
    gp_group_by_desc d;
    uint64_t groups = 0;
    size_t bytes = 0;
    (void)state;
    c.count = 30000;
    c.distinct = 999;
    data = make_data(&c);
    d = make_desc(gp, &c, &data, columns);
    assert_gp(gp, gp_group_by_scratch_size(gp, &d, &bytes));
    d.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_group_by_read(gp, &d, &groups));
    expect(&c, &data);
    compare(gp, "scratch", &c, &d, &data);
    assert_int_equal(groups, data.group_count);
    clReleaseMemObject(d.scratch);
    d.scratch = test_buffer(gp, bytes - 1, NULL);
    assert_int_equal(gp_group_by(gp, &d), GP_ERROR_INVALID_BUFFER);
    clReleaseMemObject(d.scratch);
    d.scratch = NULL;
    release(&d);
    free_data(&data);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_types),
        cmocka_unit_test(test_outputs),       cmocka_unit_test(test_large),
        cmocka_unit_test(test_distinct),      cmocka_unit_test(test_counts),
        cmocka_unit_test(test_chosen),        cmocka_unit_test(test_bad_offsets),
        cmocka_unit_test(test_limited),       cmocka_unit_test(test_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
