/* test_join.c - gp_join against a sort of the right rows and binary searches in it. */
#include "../support/columns.h"

typedef struct join_case {
    const char *name;
    test_column columns[GP_KEY_COLUMNS_MAX];
    size_t column_count;
    gp_join_kind kind;
    size_t left_count, right_count;
    ids left_ids, right_ids;
    size_t distinct; /* most right keys, or about as many. Left keys are from twice as many */
    size_t offset;
    size_t spare; /* capacity beyond the number of pairs */
    bool built;   /* the right table is made beforehand */
    int without;  /* 1: left_out is NULL, 2: right_out */
} join_case;

typedef struct join_data {
    test_columns left, right;
    uint32_t *left_out, *right_out; /* as expected */
    uint64_t *offsets, pairs;
} join_data;

/* ------------------------------------------------------------------ reference */

static const test_columns *sorted;

static int compare_rows(const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    const int order = columns_compare(sorted, i, sorted, j);
    return order ? order : (i > j) - (i < j);
}

static test_columns make_table(const join_case *c, ids ids, size_t count, size_t distinct)
{
    uint64_t *id = columns_room(count * sizeof *id);
    test_columns t;
    size_t i;
    for (i = 0; i < count; i++) id[i] = columns_id(ids, distinct, count, i);
    t = columns_make(c->columns, c->column_count, count, id);
    free(id);
    return t;
}

/* The first place in the order from which on right keys are not below (`above`: are above) the key of left row i. */
static size_t bound(const join_data *data, const uint32_t *order, size_t i, bool above)
{
    size_t low = 0, high = data->right.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int sign = columns_compare(&data->right, order[middle], &data->left, i);
        if (sign < 0 || (above && sign == 0)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void add(join_data *data, size_t left, size_t right)
{
    if (data->left_out) data->left_out[data->pairs] = (uint32_t)left;
    if (data->right_out) data->right_out[data->pairs] = (uint32_t)right;
    data->pairs++;
}

/* Adds the pairs that are expected of the first `lefts` and `rights` rows. */
static void expect_pairs(gp_join_kind kind, size_t lefts, join_data *data)
{
    const size_t n = data->right.count;
    uint32_t *order = columns_room(n * 4);
    unsigned char *partners = columns_room(n);
    size_t i, k;
    data->pairs = 0;
    sorted = &data->right;
    memset(partners, 0, n);
    for (i = 0; i < n; i++) order[i] = (uint32_t)i;
    if (n) qsort(order, n, 4, compare_rows);
    for (i = 0; i < lefts; i++) {
        const size_t begin = bound(data, order, i, false), end = bound(data, order, i, true);
        data->offsets[i] = data->pairs;
        if (kind == GP_JOIN_SEMI || kind == GP_JOIN_ANTI) {
            if ((begin < end) == (kind == GP_JOIN_SEMI)) add(data, i, 0);
            continue;
        }
        for (k = begin; k < end; k++) {
            add(data, i, order[k]);
            partners[order[k]] = 1;
        }
        if (begin == end && kind != GP_JOIN_INNER) add(data, i, UINT32_MAX);
    }
    for (i = lefts; i <= data->left.count; i++) data->offsets[i] = data->pairs;
    for (i = 0; i < n && kind == GP_JOIN_FULL; i++)
        if (!partners[i]) add(data, UINT32_MAX, i);
    free(order);
    free(partners);
}

/* Makes what is expected of the first `lefts` and `rights` rows, in place of what was. */
static void expect(gp_join_kind kind, size_t lefts, size_t rights, join_data *data)
{
    const size_t all = data->right.count;
    free(data->left_out);
    free(data->right_out);
    data->right.count = rights;
    data->left_out = data->right_out = NULL;
    expect_pairs(kind, lefts, data);
    data->left_out = columns_room(data->pairs * 4);
    data->right_out = columns_room(data->pairs * 4);
    expect_pairs(kind, lefts, data);
    data->right.count = all;
}

static join_data make_data(const join_case *c)
{
    join_data data = {0};
    data.offsets = columns_room((c->left_count + 1) * 8);
    data.left = make_table(c, c->left_ids, c->left_count, 2 * c->distinct);
    data.right = make_table(c, c->right_ids, c->right_count, c->distinct);
    expect(c->kind, c->left_count, c->right_count, &data);
    return data;
}

static void free_data(join_data *data)
{
    columns_free(&data->left);
    columns_free(&data->right);
    free(data->left_out);
    free(data->right_out);
    free(data->offsets);
}

/* ------------------------------------------------------------------ check */

static gp_join_desc make_desc(gp_context *gp, const join_case *c, const join_data *data, gp_key_column *left,
                              gp_key_column *right)
{
    const size_t capacity = (size_t)data->pairs + c->spare;
    gp_join_desc d = {0};
    columns_buffers(gp, &data->left, c->offset, left);
    columns_buffers(gp, &data->right, c->offset, right);
    d.left = left;
    d.right = right;
    d.column_count = c->column_count;
    d.kind = c->kind;
    d.left_count = c->left_count;
    d.right_count = c->right_count;
    d.capacity = capacity;
    d.left_out_offset = c->offset;
    d.right_out_offset = c->offset ? 7 : 0;
    d.count_out_offset = c->offset;
    if (c->without != 1) d.left_out = guarded(gp, d.left_out_offset, capacity, 4, NULL);
    if (c->without != 2 && c->kind != GP_JOIN_SEMI && c->kind != GP_JOIN_ANTI)
        d.right_out = guarded(gp, d.right_out_offset, capacity, 4, NULL);
    d.count_out = guarded(gp, d.count_out_offset, 1, 8, NULL);
    d.offsets_out_offset = c->offset;
    d.offsets_out = guarded(gp, d.offsets_out_offset, c->left_count + 1, 8, NULL);
    return d;
}

static void release(const gp_join_desc *d)
{
    const cl_mem all[] = {d->left_out,          d->right_out,          d->offsets_out, d->count_out,
                          d->left_count_buffer, d->right_count_buffer, d->table};
    size_t k;
    for (k = 0; k < sizeof all / sizeof *all; k++)
        if (all[k]) clReleaseMemObject(all[k]);
    columns_release(d->left, d->column_count);
    columns_release(d->right, d->column_count);
}

/* Compares one output, in which all beyond the pairs must be as before. */
static void compare_rows_out(gp_context *gp, const char *variant, const join_case *c, const gp_join_desc *d,
                             const join_data *data, const char *name, cl_mem out, size_t offset,
                             const uint32_t *expected)
{
    const size_t written = data->pairs < d->capacity ? (size_t)data->pairs : d->capacity;
    unsigned char *all = columns_room(d->capacity * 4);
    const char *what;
    size_t at = 0;
    if (!out) {
        free(all);
        return;
    }
    memset(all, TEST_POISON, d->capacity * 4);
    memcpy(all, expected, written * 4);
    what = guarded_difference(gp, out, offset, d->capacity, 4, all, &at);
    free(all);
    if (what)
        fail_msg("%s, %s: kind %d, %zu left, %zu right, distinct %zu, %zu pairs: %s, %s %zu", variant,
                 c->name, (int)c->kind, c->left_count, c->right_count, c->distinct, (size_t)data->pairs, what,
                 name, at);
}

static void compare(gp_context *gp, const char *variant, const join_case *c, const gp_join_desc *d,
                    const join_data *data)
{
    size_t at = 0;
    const char *what = guarded_difference(gp, d->count_out, d->count_out_offset, 1, 8, &data->pairs, &at);
    if (what)
        fail_msg("%s, %s: kind %d, %zu left, %zu right, distinct %zu: %s, count", variant, c->name,
                 (int)c->kind, c->left_count, c->right_count, c->distinct, what);
    what = guarded_difference(gp, d->offsets_out, d->offsets_out_offset, c->left_count + 1, 8, data->offsets,
                              &at);
    if (what)
        fail_msg("%s, %s: kind %d, %zu left, %zu right, distinct %zu: %s, offset %zu", variant, c->name,
                 (int)c->kind, c->left_count, c->right_count, c->distinct, what, at);
    compare_rows_out(gp, variant, c, d, data, "left", d->left_out, d->left_out_offset, data->left_out);
    compare_rows_out(gp, variant, c, d, data, "right", d->right_out, d->right_out_offset, data->right_out);
}

/* Makes the right table, in a buffer of the size that the library asks for. */
static void build(gp_context *gp, gp_join_desc *d)
{
    gp_join_desc right = {0}; /* nothing else is needed */
    size_t bytes = 0;
    right.right = d->right;
    right.column_count = d->column_count;
    right.right_count = d->right_count;
    right.right_count_buffer = d->right_count_buffer;
    right.right_count_offset = d->right_count_offset;
    right.right_count_type = d->right_count_type;
    assert_gp(gp, gp_join_table_size(gp, &right, &bytes));
    right.table = d->table = guarded(gp, 0, bytes, 1, NULL);
    assert_gp(gp, gp_join_build(gp, &right));
}

static void check(gp_context *gp, const char *variant, const join_case *c)
{
    gp_key_column left[GP_KEY_COLUMNS_MAX], right[GP_KEY_COLUMNS_MAX];
    join_data data = make_data(c);
    gp_join_desc desc = make_desc(gp, c, &data, left, right);
    if (c->built) build(gp, &desc);
    if (gp_join(gp, &desc) != GP_OK) fail_msg("%s, %s: %s", variant, c->name, gp_last_error(gp));
    compare(gp, variant, c, &desc, &data);
    release(&desc);
    free_data(&data);
}

/* ------------------------------------------------------------------ tests */

static void check_sizes(gp_context *gp, const char *name, join_case c)
{
    static const size_t sizes[][2] = {{0, 0},       {0, 1},      {1, 0},     {1, 1},     {0, 300},
                                      {300, 0},     {15, 16},    {17, 48},   {255, 1},   {256, 257},
                                      {1, 1000},    {1023, 700}, {700, 999}, {4097, 90}, {20011, 4097},
                                      {300, 20011}, {9000, 9001}};
    static const size_t distinct[] = {3, 100, 3000, 1000000007};
    const size_t all = test_small() ? 12 : sizeof sizes / sizeof *sizes;
    size_t n, k;
    int kind;
    for (n = 0; n < all; n++) {
        for (kind = 0; kind < GP_JOIN_KIND_COUNT; kind++) {
            for (k = 0; k < sizeof distinct / sizeof *distinct; k++) {
                if (sizes[n][0] * sizes[n][1] / distinct[k] > 2000000) continue;
                c.left_count = sizes[n][0];
                c.right_count = sizes[n][1];
                c.distinct = distinct[k];
                c.kind = (gp_join_kind)kind;
                c.left_ids = (ids)((n + k) % IDS_ZIPF);
                c.right_ids = (ids)((n + k / 2 + (size_t)kind) % IDS_ZIPF);
                c.offset = (n + k) % 3 == 1 ? 5 : 0;
                c.spare = (n + k) % 2 * 9;
                c.built = (n + k / 2) % 2 == 1;
                c.without = kind == GP_JOIN_SEMI || kind == GP_JOIN_ANTI ? 0 : (int)((n + 2 * k) % 4);
                check(gp, name, &c);
            }
        }
    }
}

static const join_case one_number = {.name = "u32", .columns = {{.type = GP_U32}}, .column_count = 1};

static void test_every_variant(void **state)
{
    static const join_case mixed = {.name = "f32, 12 bytes, string",
                                    .columns = {{.type = GP_F32}, {.size = 12}, {.offsets = GP_U32}},
                                    .column_count = 3};
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
    static const join_case cases[] = {
        {.name = "i64", .columns = {{.type = GP_I64}}, .column_count = 1},
        {.name = "f64", .columns = {{.type = GP_F64}}, .column_count = 1},
        {.name = "f16, u8", .columns = {{.type = GP_F16}, {.type = GP_U8}}, .column_count = 2},
        {.name = "64 bytes", .columns = {{.size = 64}}, .column_count = 1},
        {.name = "strings", .columns = {{.offsets = GP_U64}, {.offsets = GP_U32}}, .column_count = 2},
        {.name = "eight",
         .columns = {{.type = GP_I8},
                     {.type = GP_U16},
                     {.type = GP_I32},
                     {.type = GP_F32},
                     {.size = 3},
                     {.offsets = GP_U32},
                     {.type = GP_U64},
                     {.size = 16}},
         .column_count = 8},
    };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k;
    int kind;
    (void)state;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (kind = 0; kind < GP_JOIN_KIND_COUNT; kind++) {
            join_case c = cases[k];
            c.kind = (gp_join_kind)kind;
            c.left_count = test_small() ? 400 : 20011;
            c.right_count = test_small() ? 500 : 6007;
            c.distinct = kind % 2 ? 777 : 5000;
            c.offset = (size_t)kind % 3;
            c.built = (k + (size_t)kind) % 2 == 0;
            check(gp, "types", &c);
        }
    }
    gp_context_destroy(gp);
}

/* So many rows that one table after another is too small; keys that repeat and that do not; a key with very many rows. */
static void test_large(void **state)
{
    static const join_case cases[] = {
        {.left_count = ((size_t)1 << 20) + 123, .right_count = 100003, .distinct = 1000000007},
        {.left_count = ((size_t)1 << 20) + 123, .right_count = 300007, .distinct = 100000},
        {.left_count = 100003,
         .right_count = ((size_t)1 << 20) + 123,
         .distinct = 600000,
         .right_ids = IDS_SORTED},
        {.left_count = 1000, .right_count = 200003, .distinct = 100},
        {.left_count = 5, .right_count = 300007, .distinct = 1},
        {.left_count = 300007, .right_count = 5, .distinct = 1},
        {.left_count = 40009,
         .right_count = 40009,
         .distinct = 1 << 20,
         .left_ids = IDS_ZIPF,
         .right_ids = IDS_ZIPF},
    };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    size_t k;
    int kind;
    (void)state;
    for (k = 0; k < sizeof cases / sizeof *cases && !test_small(); k++) {
        for (kind = 0; kind < GP_JOIN_KIND_COUNT; kind++) {
            join_case c = cases[k];
            if (k < 3 && kind != GP_JOIN_FULL && kind != (int)k) continue;
            memcpy(c.columns, one_number.columns, sizeof c.columns);
            c.name = "large";
            c.column_count = 1;
            c.kind = (gp_join_kind)kind;
            c.built = (k + (size_t)kind) % 2 == 0;
            check(gp, "large", &c);
        }
    }
    gp_context_destroy(gp);
}

/* Pairs that are only counted, and outputs that have no room for all: the first pairs are written, and the call says how many there are. */
static void test_capacity(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_key_column left[GP_KEY_COLUMNS_MAX], right[GP_KEY_COLUMNS_MAX];
    join_case c = one_number;
    join_data data;
    gp_join_desc d, counts;
    uint64_t pairs = 0;
    char text[64];
    (void)state;
    c.left_count = 3000;
    c.right_count = 2000;
    c.distinct = 300;
    data = make_data(&c);
    d = make_desc(gp, &c, &data, left, right);
    d.capacity -= 777; /* what is beyond must not be written: make_desc's guards are further */
    assert_int_equal(gp_join_read(gp, &d, &pairs), GP_ERROR_INVALID_BUFFER);
    assert_int_equal(pairs, data.pairs);
    (void)snprintf(text, sizeof text, "%u pairs, but capacity = %u", (unsigned)data.pairs,
                   (unsigned)d.capacity);
    assert_non_null(strstr(gp_last_error(gp), text));
    assert_gp(gp, gp_join(gp, &d)); /* count_out tells */
    d.capacity += 777;
    memset(data.left_out + data.pairs - 777, TEST_POISON, 777 * 4);
    memset(data.right_out + data.pairs - 777, TEST_POISON, 777 * 4);
    compare(gp, "capacity", &c, &d, &data);
    counts = d;
    counts.left_out = counts.right_out = counts.offsets_out = counts.count_out = NULL;
    counts.capacity = 0;
    pairs = 0;
    assert_gp(gp, gp_join_read(gp, &counts, &pairs));
    assert_int_equal(pairs, data.pairs);
    release(&d);
    free_data(&data);
    gp_context_destroy(gp);
}

/* More than 2^32 pairs are counted. */
static void test_many_pairs(void **state)
{
    enum { ROWS = 70001 };
    gp_context *gp = test_open(&test_shapes[0], NULL);
    uint32_t *keys = calloc(ROWS, 4);
    gp_key_column column = {.type = GP_U32};
    gp_join_desc d = {
        .left = &column, .right = &column, .column_count = 1, .left_count = ROWS, .right_count = ROWS};
    uint64_t pairs = 0;
    (void)state;
    assert_non_null(keys);
    if (!test_small()) {
        column.in = test_buffer(gp, ROWS * 4, keys);
        assert_gp(gp, gp_join_read(gp, &d, &pairs));
        assert_true(pairs == (uint64_t)ROWS * ROWS);
        clReleaseMemObject(column.in);
    }
    free(keys);
    gp_context_destroy(gp);
}

static void test_counts(void **state)
{
    static const uint32_t counts[][2] = {{0, 5}, {999, 0}, {1, 1}, {4000, 2999}, {4001, 4000}};
    size_t v, i;
    int kind;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (i = 0; i < 5 * GP_JOIN_KIND_COUNT; i++) {
            gp_key_column left[GP_KEY_COLUMNS_MAX], right[GP_KEY_COLUMNS_MAX];
            const uint32_t *count = counts[i / GP_JOIN_KIND_COUNT];
            join_case c = one_number;
            join_data data;
            gp_join_desc d;
            kind = (int)(i % GP_JOIN_KIND_COUNT);
            c.kind = (gp_join_kind)kind;
            c.left_count = 4000;
            c.right_count = 3000;
            c.distinct = 2000;
            c.offset = 2;
            data = make_data(&c);
            expect(c.kind, count[0] < 4000 ? count[0] : 4000, count[1] < 3000 ? count[1] : 3000, &data);
            d = make_desc(gp, &c, &data, left, right);
            d.left_count_buffer = test_buffer(gp, 4, &count[0]);
            d.right_count_buffer = test_buffer(gp, 4, &count[1]);
            d.left_count_type = d.right_count_type = GP_U32;
            if (i % 2) build(gp, &d);
            assert_gp(gp, gp_join(gp, &d));
            compare(gp, "counts", &c, &d, &data);
            release(&d);
            free_data(&data);
        }
        assert_int_equal(test_profile_of(gp).clamped, 2 * GP_JOIN_KIND_COUNT);
        gp_context_destroy(gp);
    }
}

static void test_bad_offsets(void **state)
{
    static const join_case c = {.name = "string",
                                .columns = {{.offsets = GP_U32}},
                                .column_count = 1,
                                .left_count = 5001,
                                .right_count = 3001,
                                .distinct = 2000,
                                .kind = GP_JOIN_FULL};
    size_t v, way;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (way = 0; way < 3; way++) { /* right, left, both: the call is counted once */
            gp_key_column left[GP_KEY_COLUMNS_MAX], right[GP_KEY_COLUMNS_MAX];
            const uint32_t bad = UINT32_MAX;
            join_data data = make_data(&c);
            gp_join_desc d;
            size_t i;
            for (i = 0; i <= 3001; i += 100) {
                if (way != 0) memcpy(data.left.ends[0] + 4 * i, &bad, 4);
                if (way != 1) memcpy(data.right.ends[0] + 4 * i, &bad, 4);
            }
            expect(c.kind, c.left_count, c.right_count, &data);
            d = make_desc(gp, &c, &data, left, right);
            assert_gp(gp, gp_join(gp, &d));
            compare(gp, test_shapes[v].name, &c, &d, &data);
            assert_int_equal(test_profile_of(gp).bad_offsets, way + 1);
            release(&d);
            free_data(&data);
        }
        gp_context_destroy(gp);
    }
}

/* A device that ends long loops: a long string, left or right, makes the call find no pair. */
static void test_limited(void **state)
{
    size_t v;
    int way;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        join_case c = {.name = "string",
                       .columns = {{.offsets = GP_U32}},
                       .column_count = 1,
                       .left_count = 50001,
                       .right_count = 40001,
                       .distinct = 2, /* up to 3 bytes */
                       .kind = GP_JOIN_ANTI};
        if (!gp) continue;
        if (!gp_context_info(gp)->loop_limit) test_pretend_limited(gp);
        check(gp, test_shapes[v].name, &c);
        assert_int_equal(test_profile_of(gp).abandoned, 0);
        c.distinct = 500;
        for (way = 0; way < 2; way++) {
            gp_key_column left[GP_KEY_COLUMNS_MAX], right[GP_KEY_COLUMNS_MAX];
            join_data data = make_data(&c);
            const uint32_t zero = 0;
            uint64_t pairs = 1;
            gp_join_desc d;
            memcpy((way ? data.left.ends[0] : data.right.ends[0]) + 4 * 39000, &zero, 4);
            d = make_desc(gp, &c, &data, left, right);
            if (v % 2) build(gp, &d);
            if (gp_join_read(gp, &d, &pairs) != GP_ERROR_UNSUPPORTED)
                fail_msg("%s, way %d, built %d: %s", test_shapes[v].name, way, d.table != NULL,
                         gp_last_error(gp));
            assert_non_null(strstr(gp_last_error(gp), "too long for this device"));
            assert_int_equal(pairs, 1); /* not written */
            assert_int_equal(test_profile_of(gp).abandoned, way + 1);
            expect(c.kind, 0, 0, &data);
            compare(gp, "limited", &c, &d, &data);
            release(&d);
            free_data(&data);
        }
        gp_context_destroy(gp);
    }
}

/* After a warm-up no program is built, whatever the kind. */
static void test_warm_up(void **state)
{
    size_t v;
    int kind;
    (void)state;
    for (v = 0; v < TEST_SHAPES; v++) {
        gp_context *gp = test_open(&test_shapes[v], NULL);
        if (!gp) continue;
        for (kind = 0; kind < GP_JOIN_KIND_COUNT; kind++) {
            const gp_key_column column = {.type = GP_U16};
            const gp_join_desc d = {.left = &column,
                                    .right = &column,
                                    .column_count = 1,
                                    .kind = (gp_join_kind)kind,
                                    .left_count = 3000,
                                    .right_count = 3000};
            const gp_warmup_desc warmup = {.join = &d};
            join_case c = {.name = "u16", .columns = {{.type = GP_U16}}, .column_count = 1};
            uint64_t built;
            assert_gp(gp, gp_warmup(gp, &warmup));
            built = test_profile_of(gp).programs_built;
            c.kind = (gp_join_kind)kind;
            c.left_count = c.right_count = 3000;
            c.distinct = 1000;
            check(gp, "warm", &c);
            assert_int_equal(test_profile_of(gp).programs_built, built);
        }
        gp_context_destroy(gp);
    }
}

/* A table that was built for something else, or not at all, is told, and joins nothing. */
static void test_strange_table(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    gp_key_column left[GP_KEY_COLUMNS_MAX], right[GP_KEY_COLUMNS_MAX];
    join_case c = one_number;
    join_data data;
    gp_join_desc d;
    uint64_t pairs = 1;
    (void)state;
    c.kind = GP_JOIN_FULL;
    c.left_count = 700;
    c.right_count = 900;
    c.distinct = 500;
    data = make_data(&c);
    d = make_desc(gp, &c, &data, left, right);
    build(gp, &d);
    right[0].type = left[0].type = GP_I32;
    assert_int_equal(gp_join_read(gp, &d, &pairs), GP_ERROR_INVALID_BUFFER);
    assert_non_null(strstr(gp_last_error(gp), "table was not built by gp_join_build"));
    assert_int_equal(pairs, 1);
    assert_int_equal(test_profile_of(gp).abandoned, 1);
    right[0].type = left[0].type = GP_U32;
    d.right_count--;
    assert_gp(gp, gp_join(gp, &d));
    assert_int_equal(test_profile_of(gp).abandoned, 2);
    d.right_count++;
    expect(c.kind, 0, 0, &data);
    compare(gp, "strange", &c, &d, &data);
    clReleaseMemObject(d.table);
    d.table = test_buffer(gp, 100, NULL);
    assert_int_equal(gp_join_read(gp, &d, &pairs), GP_ERROR_INVALID_BUFFER);
    assert_non_null(strstr(gp_last_error(gp), "table"));
    release(&d);
    free_data(&data);
    gp_context_destroy(gp);
}

/* The caller's scratch of the size that the library asks for, without the buffers. */
static void test_scratch(void **state)
{
    gp_context *gp = test_open(&test_shapes[0], NULL);
    int kind;
    (void)state;
    for (kind = 0; kind < GP_JOIN_KIND_COUNT; kind++) {
        gp_key_column left[GP_KEY_COLUMNS_MAX], right[GP_KEY_COLUMNS_MAX];
        join_case c = one_number;
        join_data data;
        gp_join_desc d, size;
        size_t bytes = 0;
        c.kind = (gp_join_kind)kind;
        c.left_count = 3000;
        c.right_count = 7000;
        c.distinct = 2999;
        c.without = kind < (int)GP_JOIN_SEMI ? kind : 0;
        data = make_data(&c);
        d = make_desc(gp, &c, &data, left, right);
        size = d;
        size.offsets_out = size.count_out = NULL;
        assert_gp(gp, gp_join_scratch_size(gp, &size, &bytes));
        d.scratch = guarded(gp, 0, bytes, 1, NULL);
        assert_gp(gp, gp_join(gp, &d));
        compare(gp, "scratch", &c, &d, &data);
        clReleaseMemObject(d.scratch);
        d.scratch = test_buffer(gp, bytes - 1, NULL);
        assert_int_equal(gp_join(gp, &d), GP_ERROR_INVALID_BUFFER);
        clReleaseMemObject(d.scratch);
        d.scratch = NULL;
        release(&d);
        free_data(&data);
    }
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_types),
        cmocka_unit_test(test_large),         cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_many_pairs),    cmocka_unit_test(test_counts),
        cmocka_unit_test(test_bad_offsets),   cmocka_unit_test(test_limited),
        cmocka_unit_test(test_scratch),       cmocka_unit_test(test_strange_table),
        cmocka_unit_test(test_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
