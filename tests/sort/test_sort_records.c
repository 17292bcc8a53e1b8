/* test_sort_records.c - gp_sort_records against a stable merge sort on the host. */
#include "../support/keys.h"

enum { COLUMNS_MAX = GP_SORT_COLUMNS_MAX, WORDS_MAX = GP_RECORD_BYTES / 4 };

typedef enum record_pattern {
    RECORDS_RANDOM,
    RECORDS_FEW,     /* four different words */
    RECORDS_EQUAL,   /* but for the last word, which nobody compares */
    RECORDS_SPECIAL, /* as floats: NaNs of either sign, infinities, zeros */
    RECORDS_PATTERNS
} record_pattern;

/* A sort to check. */
typedef struct record_case {
    size_t size; /* of a record: 1, 2, or a multiple of 4 */
    size_t columns;
    gp_type types[COLUMNS_MAX];
    bool descending[COLUMNS_MAX];
    record_pattern pattern;
    size_t count;
    bool in_place, indices, records; /* records: wanted, though indices are */
    gp_type index_type;
    size_t offset;
    size_t device_count; /* 0: count_buffer is not used; else n + 1 */
} record_case;

/* ------------------------------------------------------------------ records */

/* Words that columns are made of: all but the last one, where there are several. */
static size_t words_of(const record_case *c) { return c->size < 8 ? 1 : c->size / 4 - 1; }

static uint32_t word_make(record_pattern pattern)
{
    static const uint32_t special[] = {0x7fc00000u, 0xffc00000u, 0,           0x80000000u, 0x7f800000u,
                                       0xff800000u, 0x3f800000u, 0xbf800000u, 0x7fc00001u};
    const uint32_t x = test_random() ^ test_random() << 16;
    switch (pattern) {
    case RECORDS_FEW: return (x & 3) * 0x40404041u;
    case RECORDS_EQUAL: return 0x12345678;
    case RECORDS_SPECIAL: return special[x % 9];
    default: return x;
    }
}

static unsigned char *records_make(const record_case *c)
{
    unsigned char *records = malloc(c->count * c->size + 1);
    size_t i, w;
    assert_non_null(records);
    for (i = 0; i < c->count; i++) {
        for (w = 0; 4 * w < c->size; w++) {
            const uint32_t x = w > 0 && 4 * (w + 1) == c->size ? (uint32_t)i : word_make(c->pattern);
            memcpy(records + i * c->size + 4 * w, &x, c->size < 4 ? c->size : 4);
        }
    }
    return records;
}

/* Column k: the first of its words, and the second, for keys of 8 bytes. */
static size_t word_at(const record_case *c, size_t k, size_t part) { return (k + part) % words_of(c); }

static uint64_t order_of(const record_case *c, size_t k, const unsigned char *record)
{
    uint32_t low = 0, high = 0;
    uint64_t bits;
    memcpy(&low, record + 4 * word_at(c, k, 0), c->size < 4 ? c->size : 4);
    memcpy(&high, record + 4 * word_at(c, k, 1), c->size < 4 ? c->size : 4);
    bits = key_size(c->types[k]) == 8 ? low | (uint64_t)high << 32 : low;
    if (c->types[k] == GP_F16) return key_order(GP_U16, c->descending[k], low & 2047);
    if (key_size(c->types[k]) < 8) bits &= ~UINT64_C(0) >> (64 - 8 * key_size(c->types[k]));
    return key_order(c->types[k], c->descending[k], bits);
}

/* The expression of column k. */
static void map_write(const record_case *c, size_t k, char *out, size_t size)
{
    const size_t a = word_at(c, k, 0), b = word_at(c, k, 1);
    char low[32], both[80];
    snprintf(low, sizeof low, c->size < 4 ? "x" : "x.w[%d]", (int)a);
    snprintf(both, sizeof both, c->size < 4 ? "(x | (ulong)x << 32)" : "(x.w[%d] | (ulong)x.w[%d] << 32)",
             (int)a, (int)b);
    switch (c->types[k]) {
    case GP_I8: snprintf(out, size, "as_char((uchar)%s)", low); break;
    case GP_U8: snprintf(out, size, "%s & 255 // a byte", low); break;
    case GP_I16: snprintf(out, size, "as_short((ushort)%s)", low); break;
    case GP_U16: snprintf(out, size, "%s & 65535", low); break;
    case GP_I32: snprintf(out, size, "as_int((uint)%s)", low); break;
    case GP_F32: snprintf(out, size, "as_float((uint)%s)", low); break;
    case GP_I64: snprintf(out, size, "as_long(%s)", both); break;
    case GP_U64: snprintf(out, size, "%s", both); break;
    case GP_F64: snprintf(out, size, "as_double(%s)", both); break;
    case GP_F16: snprintf(out, size, "(float)(int)(%s & 2047) * 0.5f - 300", low); break;
    default: snprintf(out, size, "%s", low); break;
    }
}

/* ------------------------------------------------------------------ reference */

/* Indices [0, n) in the order of `orders`, c->columns numbers each: a merge sort. */
static void merge_sort(size_t columns, const uint64_t *orders, size_t *index, size_t *other, size_t n)
{
    const size_t half = n / 2;
    size_t a = 0, b = half, i;
    if (n < 2) return;
    merge_sort(columns, orders, index, other, half);
    merge_sort(columns, orders, index + half, other, n - half);
    for (i = 0; i < n; i++) {
        bool second = a == half;
        size_t k;
        for (k = 0; a < half && b < n && k < columns; k++) {
            const uint64_t x = orders[index[a] * columns + k], y = orders[index[b] * columns + k];
            second = y < x;
            if (x != y) break;
        }
        other[i] = second ? index[b++] : index[a++];
    }
    memcpy(index, other, n * sizeof *index);
}

static size_t *reference(const record_case *c, const unsigned char *records, size_t n)
{
    size_t *index = malloc((n + 1) * sizeof *index), *other = malloc((n + 1) * sizeof *other), i, k;
    uint64_t *orders = malloc((n * c->columns + 1) * sizeof *orders);
    assert_true(index && other && orders);
    for (i = 0; i < n; i++) {
        index[i] = i;
        for (k = 0; k < c->columns; k++) orders[i * c->columns + k] = order_of(c, k, records + i * c->size);
    }
    merge_sort(c->columns, orders, index, other, n);
    free(other);
    free(orders);
    return index;
}

/* ------------------------------------------------------------------ check */

static void fail_case(const char *name, const record_case *c, const char *what, size_t at)
{
    fail_msg(
        "%s: records of %zu bytes, %zu columns, the first of type %d, descending %d, pattern %d, count %zu, "
        "device count %zu, in place %d, indices %d, records %d, offset %zu: %s %zu",
        name, c->size, c->columns, (int)c->types[0], c->descending[0], (int)c->pattern, c->count,
        c->device_count, c->in_place, c->indices, c->records, c->offset, what, at);
}

/* The buffer has record index[i] at i < n, and what was there (NULL: poison) from n on. */
static void check_records(gp_context *gp, const char *name, const record_case *c, cl_mem buffer,
                          size_t offset, const unsigned char *records, const size_t *index, size_t n,
                          bool was)
{
    unsigned char *expected = malloc(c->count * c->size + 1);
    size_t i, at = 0;
    const char *wrong;
    assert_non_null(expected);
    memset(expected, TEST_POISON, c->count * c->size);
    if (was) memcpy(expected, records, c->count * c->size);
    for (i = 0; i < n; i++)
        memcpy(expected + i * c->size, records + (index ? index[i] : i) * c->size, c->size);
    wrong = guarded_difference(gp, buffer, offset, c->count, c->size, expected, &at);
    if (wrong) fail_case(name, c, wrong, at);
    free(expected);
}

static void check_indices(gp_context *gp, const char *name, const record_case *c, cl_mem buffer,
                          size_t offset, const size_t *index, size_t n)
{
    const size_t size = c->index_type == GP_U64 ? 8 : 4;
    unsigned char *expected = malloc(c->count * size + 1);
    size_t i, at = 0;
    const char *wrong;
    assert_non_null(expected);
    memset(expected, TEST_POISON, c->count * size);
    for (i = 0; i < n; i++) {
        const uint64_t x = index[i];
        memcpy(expected + i * size, &x, size);
    }
    wrong = guarded_difference(gp, buffer, offset, c->count, size, expected, &at);
    if (wrong) fail_case(name, c, wrong, at);
    free(expected);
}

static char source[64], maps[COLUMNS_MAX][96];
static gp_record record;
static gp_sort_column columns[COLUMNS_MAX];

static void describe(const record_case *c, gp_sort_records_desc *d)
{
    size_t k;
    record = (gp_record){.cl_type = c->size == 1   ? "uchar"
                                    : c->size == 2 ? "ushort"
                                                   : "thing",
                         .size = c->size};
    if (c->size >= 4) {
        snprintf(source, sizeof source, "typedef struct { uint w[%d]; } thing;", (int)(c->size / 4));
        record.source = source;
    }
    for (k = 0; k < c->columns; k++) {
        map_write(c, k, maps[k], sizeof maps[k]);
        columns[k] = (gp_sort_column){maps[k], c->types[k], c->descending[k]};
    }
    *d = (gp_sort_records_desc){.record = &record, .columns = columns, .column_count = c->columns};
}

static void release(const gp_sort_records_desc *d)
{
    if (d->in) clReleaseMemObject(d->in);
    if (d->out && d->out != d->in) clReleaseMemObject(d->out);
    if (d->indices_out) clReleaseMemObject(d->indices_out);
    if (d->count_buffer) clReleaseMemObject(d->count_buffer);
    if (d->scratch) clReleaseMemObject(d->scratch);
}

static void check(gp_context *gp, const char *name, const record_case *c)
{
    const bool records_out = c->records || !c->indices;
    unsigned char *records = records_make(c);
    const size_t n = c->device_count ? c->device_count - 1 : c->count;
    size_t *index = reference(c, records, n), bytes = 0;
    const cl_uint count[] = {7, (cl_uint)n};
    gp_sort_records_desc d;
    describe(c, &d);
    d.count = c->count;
    d.in_offset = c->offset;
    d.out_offset = c->in_place ? c->offset : 2 * c->offset;
    d.indices_out_offset = 3 * c->offset;
    d.in = guarded(gp, d.in_offset, c->count, c->size, records);
    if (records_out && !c->in_place) d.out = guarded(gp, d.out_offset, c->count, c->size, NULL);
    if (records_out && c->in_place && (c->indices || c->offset)) d.out = d.in;
    if (c->indices)
        d.indices_out = guarded(gp, d.indices_out_offset, c->count, c->index_type == GP_U64 ? 8 : 4, NULL);
    d.index_type = c->index_type;
    if (c->device_count) {
        d.count_buffer = test_buffer(gp, sizeof count, count);
        d.count_offset = 1;
    }
    assert_gp(gp, gp_sort_records_scratch_size(gp, &d, &bytes));
    if (c->offset && bytes) d.scratch = test_buffer(gp, bytes, NULL);
    assert_gp(gp, gp_sort_records(gp, &d));
    if (records_out)
        check_records(gp, name, c, c->in_place ? d.in : d.out, d.out_offset, records, index, n, c->in_place);
    if (!records_out || !c->in_place) check_records(gp, name, c, d.in, d.in_offset, records, NULL, n, true);
    if (c->indices) check_indices(gp, name, c, d.indices_out, d.indices_out_offset, index, n);
    release(&d);
    free(index);
    free(records);
}

/* ------------------------------------------------------------------ sizes, types, columns */

static const size_t sizes[] = {0, 1, 2, 255, 256, 257, 1024, 1025, 8191, 8192, 8193, 16411, 49159, 104729};
static const size_t small_sizes[] = {0, 1, 257, 2049};

static void check_sizes(gp_context *gp, const char *name, record_case c, size_t most)
{
    const size_t *list = test_small() ? small_sizes : sizes;
    const size_t count =
        test_small() ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    size_t k;
    for (k = 0; k < count && list[k] <= most; k++) {
        c.count = list[k];
        c.pattern = (record_pattern)(k % RECORDS_PATTERNS);
        c.offset = k % 3;
        c.in_place = k % 2 != 0;
        check(gp, name, &c);
    }
}

/* Patterns, outputs, places, counts on the device, at one size. */
static void check_ways(gp_context *gp, const char *name, record_case c)
{
    size_t way;
    for (way = 0; way < 24; way++) {
        c.pattern = (record_pattern)(way % RECORDS_PATTERNS);
        c.in_place = way % 2 != 0;
        c.indices = way % 3 > 0;
        c.records = way % 3 > 1;
        c.index_type = way % 3 == 1 && way % 5 == 1 && !test_small() ? GP_U64
                       : way % 2                                     ? GP_U32
                                                                     : GP_TYPE_NONE;
        c.offset = way % 4;
        c.device_count = way % 5 == 0 ? 1 + c.count / (way / 5 + 1) : way == 13 ? 1 : 0;
        check(gp, name, &c);
    }
}

/* One and three columns; records that move with their keys, and such as are gathered. */
static void check_context(gp_context *gp, const char *name, size_t most)
{
    record_case one = {16, 1, {GP_F32}, {false}, RECORDS_RANDOM, 0, false, false, false, GP_TYPE_NONE, 0, 0};
    record_case wide = {20,
                        3,
                        {GP_U32, GP_F32, GP_I16},
                        {false, true, false},
                        RECORDS_RANDOM,
                        0,
                        false,
                        false,
                        false,
                        GP_TYPE_NONE,
                        0,
                        0};
    check_sizes(gp, name, one, most);
    check_sizes(gp, name, wide, most);
    one.size = 8;
    one.count = wide.count = test_small() ? 300 : 9973;
    check_ways(gp, name, one);
    check_ways(gp, name, wide);
}

static void test_every_variant(void **state)
{
    size_t v;
    (void)state;
    for (v = 0; v < test_variant_count; v++) {
        gp_context *gp = v == 0 ? test_open(&test_variants[0], NULL) : test_open_other(&test_variants[v]);
        if (!gp) continue;
        if (test_variants[v].shape == GP_SHAPE_LOCAL && !test_builds_are_cheap(gp)) {
            record_case c = {
                12, 2, {GP_U32, GP_I32}, {true, false}, RECORDS_FEW, 20011, false, true, true, GP_TYPE_NONE,
                1,  0};
            check(gp, test_variants[v].name, &c);
        } else {
            check_context(gp, test_variants[v].name, v == 0 ? SIZE_MAX : 20000);
        }
        gp_context_destroy(gp);
    }
}

static void test_types(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    size_t t;
    (void)state;
    for (t = 0; t < KEY_TYPES; t++) {
        record_case c = {
            12, 1, {key_types[t]}, {t % 2 != 0}, RECORDS_RANDOM, 0, false, true, true, GP_TYPE_NONE, 1, 0};
        size_t p;
        if (key_types[t] == GP_F64 && !gp_context_info(gp)->fp64) continue;
        for (p = 0; p < RECORDS_PATTERNS; p++) {
            c.pattern = (record_pattern)p;
            c.count = test_small() ? 257 : 5003;
            c.descending[0] = (p + t) % 2 != 0;
            check(gp, "types", &c);
        }
    }
    gp_context_destroy(gp);
}

static void test_record_sizes(void **state)
{
    static const size_t record_sizes[] = {1, 2, 4, 8, 12, 16, 20, 32, 64, 256};
    gp_context *gp = test_open(&test_variants[0], NULL);
    size_t k, way;
    (void)state;
    for (k = 0; k < sizeof record_sizes / sizeof *record_sizes; k++) {
        record_case c = {record_sizes[k], 1,           {k < 2 ? GP_U8 : GP_U32},
                         {k % 2 != 0},    RECORDS_FEW, 0,
                         false,           false,       false,
                         GP_TYPE_NONE,    0,           0};
        for (way = 0; way < 4; way++) {
            c.count = test_small() ? 300 : way == 3 ? 20011 : 4099;
            c.in_place = way % 2 != 0;
            c.offset = way;
            c.indices = c.records = way > 1;
            check(gp, "record sizes", &c);
        }
    }
    gp_context_destroy(gp);
}

/* Columns that share keys, or are keys of their own; 128 bits. */
static void test_columns(void **state)
{
    static const record_case cases[] = {
        {24, 2, {GP_U64, GP_U64}, {false, false}, RECORDS_FEW, 0, false, false, false, GP_TYPE_NONE, 0, 0},
        {24, 2, {GP_I64, GP_U64}, {true, false}, RECORDS_RANDOM, 0, false, true, false, GP_TYPE_NONE, 0, 0},
        {16, 2, {GP_U32, GP_F32}, {false, true}, RECORDS_SPECIAL, 0, true, false, false, GP_TYPE_NONE, 2, 0},
        {16, 2, {GP_U8, GP_I8}, {true, true}, RECORDS_FEW, 0, false, false, false, GP_TYPE_NONE, 1, 0},
        {16,
         3,
         {GP_U8, GP_U16, GP_I8},
         {true, false, true},
         RECORDS_FEW,
         0,
         false,
         true,
         true,
         GP_TYPE_NONE,
         0,
         0},
        {40,
         8,
         {GP_U8, GP_I16, GP_F16, GP_U32, GP_I64, GP_F32, GP_U64, GP_I8},
         {false, true, true, false, false, true, false, true},
         RECORDS_FEW,
         0,
         true,
         false,
         false,
         GP_TYPE_NONE,
         1,
         0},
        {32,
         4,
         {GP_U64, GP_I64, GP_U64, GP_I64},
         {false, true, true, false},
         RECORDS_FEW,
         0,
         false,
         true,
         true,
         GP_TYPE_NONE,
         1,
         0},
    };
    gp_context *gp = test_open(&test_variants[0], NULL);
    size_t k;
    (void)state;
    for (k = 0; k < sizeof cases / sizeof *cases; k++) {
        record_case c = cases[k];
        c.count = test_small() ? 300 : 10007;
        check(gp, "columns", &c);
        c.pattern = RECORDS_EQUAL;
        check(gp, "columns", &c);
    }
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ elements, no input, arguments */

/* Numbers by what an expression makes of them; NULL: by themselves. */
static void test_elements(void **state)
{
    enum { N = 3001 };
    const gp_sort_column by_itself = {NULL, GP_F32, true}, by_map = {"fabs(x)", GP_F32, false};
    gp_context *gp = test_open(&test_variants[0], NULL);
    float in[N], *out;
    gp_sort_records_desc d = {.type = GP_F32, .columns = &by_itself, .column_count = 1, .count = N};
    size_t i;
    (void)state;
    for (i = 0; i < N; i++) in[i] = (float)(int)(test_random() % 20001) - 10000.0f;
    d.in = test_buffer(gp, sizeof in, in);
    assert_gp(gp, gp_sort_records(gp, &d));
    out = test_read(gp, d.in, sizeof in);
    for (i = 1; i < N; i++) assert_true(out[i - 1] >= out[i]);
    free(out);
    d.columns = &by_map;
    assert_gp(gp, gp_sort_records(gp, &d));
    out = test_read(gp, d.in, sizeof in);
    for (i = 1; i < N; i++) {
        const float a = out[i - 1] < 0 ? -out[i - 1] : out[i - 1], b = out[i] < 0 ? -out[i] : out[i];
        assert_true(a <= b);
        if (a == b) assert_true(out[i - 1] >= out[i]); /* as they were */
    }
    free(out);
    clReleaseMemObject(d.in);
    gp_context_destroy(gp);
}

/* Columns in buffers of their own; another value of an argument, or another direction, builds nothing. */
static void test_no_input(void **state)
{
    enum { N = 2503 };
    gp_context *gp = test_open(&test_variants[0], NULL);
    uint16_t age[N];
    uint32_t id[N], *out, turn;
    gp_sort_column by[] = {{"age[i]", GP_U16, true}, {"id[i] ^ turn", GP_U32, false}};
    gp_arg args[] = {{.name = "age", .type = GP_U16},
                     {.name = "id", .type = GP_U32},
                     {.name = "turn", .type = GP_U32, .value = &turn}};
    gp_sort_records_desc d = {.columns = by, .column_count = 2, .args = args, .arg_count = 3, .count = N};
    uint64_t built = 0;
    size_t i, round;
    (void)state;
    for (i = 0; i < N; i++) {
        age[i] = (uint16_t)(test_random() % 90);
        id[i] = test_random() % 1000;
    }
    args[0].buffer = test_buffer(gp, sizeof age, age);
    args[1].buffer = test_buffer(gp, sizeof id, id);
    d.indices_out = test_buffer(gp, sizeof id, NULL);
    for (round = 0; round < 3; round++) {
        turn = (uint32_t)round * 21;
        by[0].descending = round == 0;
        assert_gp(gp, gp_sort_records(gp, &d));
        if (round == 0) built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
        assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
        out = test_read(gp, d.indices_out, sizeof id);
        for (i = 1; i < N; i++) {
            const uint32_t a = out[i - 1], b = out[i];
            assert_true(a < N && b < N);
            if (age[a] != age[b]) assert_true((age[a] > age[b]) == (round == 0));
            else if (id[a] != id[b]) assert_true((id[a] ^ turn) < (id[b] ^ turn));
            else assert_true(a < b);
        }
        free(out);
    }
    clReleaseMemObject(args[0].buffer);
    clReleaseMemObject(args[1].buffer);
    clReleaseMemObject(d.indices_out);
    gp_context_destroy(gp);
}

/* ------------------------------------------------------------------ refused, warm-up */

#define assert_refused(expected, words)                                           \
    do {                                                                          \
        assert_int_equal(gp_sort_records(gp, &d), expected);                      \
        if (!strstr(gp_last_error(gp), words)) fail_msg("%s", gp_last_error(gp)); \
        d = good;                                                                 \
        by[0] = (gp_sort_column){"x.y", GP_F32, false};                           \
    } while (0)

static void test_bad_input(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    const gp_record vector = {.cl_type = "float4", .size = 16}, wrong = {.cl_type = "float4", .size = 12};
    gp_sort_column by[] = {{"x.y", GP_F32, false}};
    gp_arg arg = {.name = "limit", .type = GP_F32};
    const cl_mem in = test_buffer(gp, 1600, NULL), out = test_buffer(gp, 1600, NULL);
    const gp_sort_records_desc good = {
        .in = in, .out = out, .record = &vector, .columns = by, .column_count = 1, .count = 100};
    gp_sort_records_desc d = good;
    size_t bytes = 1;
    (void)state;
    d.column_count = 0;
    assert_refused(GP_ERROR_INVALID_ARGUMENT, "column_count = 0");
    d.column_count = 9;
    assert_refused(GP_ERROR_INVALID_ARGUMENT, "column_count = 9");
    d.columns = NULL;
    assert_refused(GP_ERROR_INVALID_ARGUMENT, "columns is NULL");
    by[0].map = NULL;
    assert_refused(GP_ERROR_INVALID_ARGUMENT, "columns[0].map is NULL");
    by[0].map = "x.y)";
    assert_refused(GP_ERROR_INVALID_ARGUMENT, "columns[0].map");
    by[0].map = "x.nothing";
    assert_refused(GP_ERROR_BUILD, "");
    by[0].type = GP_TYPE_NONE;
    assert_refused(GP_ERROR_INVALID_TYPE, "columns[0].type is not set");
    by[0].type = (gp_type)99;
    assert_refused(GP_ERROR_INVALID_TYPE, "columns[0].type = 99");
    d.type = GP_F32;
    assert_refused(GP_ERROR_INVALID_TYPE, "give one of them");
    d.record = NULL;
    assert_refused(GP_ERROR_INVALID_TYPE, "type is not set");
    d.record = NULL;
    d.in = NULL;
    assert_refused(GP_ERROR_INVALID_ARGUMENT, "indices_out");
    d.record = &wrong;
    assert_refused(GP_ERROR_BUILD, "");
    d.index_type = GP_I32;
    assert_refused(GP_ERROR_INVALID_TYPE, "index_type");
    d.in = NULL;
    assert_refused(GP_ERROR_INVALID_BUFFER, "in is NULL");
    d.count = 101;
    assert_refused(GP_ERROR_INVALID_BUFFER, "in");
    d.out = in;
    d.out_offset = 1;
    d.count = 99;
    assert_refused(GP_ERROR_OVERLAP, "overlap");
    d.indices_out = out;
    assert_refused(GP_ERROR_OVERLAP, "indices_out");
    d.count_buffer = in;
    d.out = NULL;
    assert_refused(GP_ERROR_OVERLAP, "count_buffer");
    d.scratch = out;
    d.count = 10;
    assert_refused(GP_ERROR_OVERLAP, "scratch");
    d.args = &arg;
    assert_refused(GP_ERROR_INVALID_ARGUMENT, "arg_count = 0");
    arg.buffer = out;
    d.args = &arg;
    d.arg_count = 1;
    assert_refused(GP_ERROR_OVERLAP, "args[0].buffer");
    assert_int_equal(gp_sort_records(gp, NULL), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_sort_records(NULL, &d), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gp_sort_records_scratch_size(gp, NULL, &bytes), GP_ERROR_INVALID_ARGUMENT);
    assert_int_equal(bytes, 0);
    assert_gp(gp, gp_sort_records(gp, &good));
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    gp_context_destroy(gp);
}

static void test_warmup(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    record_case c = {20,
                     3,
                     {GP_U32, GP_U64, GP_F32},
                     {false, true, false},
                     RECORDS_FEW,
                     0,
                     false,
                     false,
                     false,
                     GP_TYPE_NONE,
                     0,
                     0};
    gp_sort_records_desc d;
    gp_warmup_desc warm = {0};
    uint64_t built;
    (void)state;
    describe(&c, &d);
    warm.sort_records = &d;
    assert_gp(gp, gp_warmup(gp, &warm));
    built = test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded;
    for (c.count = 1; c.count < (test_small() ? 1000 : 100000); c.count *= 20) {
        c.in_place = !c.in_place;
        check(gp, "warmed", &c);
    }
    assert_int_equal(test_profile_of(gp).programs_built + test_profile_of(gp).programs_loaded, built);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variant), cmocka_unit_test(test_types),
        cmocka_unit_test(test_record_sizes),  cmocka_unit_test(test_columns),
        cmocka_unit_test(test_elements),      cmocka_unit_test(test_no_input),
        cmocka_unit_test(test_bad_input),     cmocka_unit_test(test_warmup),
    };
    return cmocka_run_group_tests_name("sort_records", tests, NULL, NULL);
}
