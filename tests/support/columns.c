#include "columns.h"

#include <math.h>

void *columns_room(size_t bytes)
{
    void *p = malloc(bytes + 16);
    assert_non_null(p);
    return p;
}

uint64_t columns_id(ids ids, size_t distinct, size_t count, size_t i)
{
    const uint64_t random = (uint64_t)test_random() << 24 ^ test_random();
    switch (ids) {
    case IDS_RANDOM: return random % distinct;
    case IDS_SORTED: return i * distinct / count;
    case IDS_REVERSED: return (count - 1 - i) * distinct / count;
    case IDS_ZIPF: return (uint64_t)pow((double)distinct, (double)(random & 0xffffff) / 0x1000000);
    default: return i + 1 == count;
    }
}

/* Writes column k of a row whose key has this id. Columns share the id's digits, so that no column has all of it, unless there is only
   one. */
static void put_value(const test_columns *c, size_t k, uint64_t id, size_t size, unsigned char *to)
{
    static const uint32_t floats[] = {0x00000000, 0x80000000, 0x7fc00000, 0xffc01234,
                                      0x7f800000, 0xff800000, 1,          0x80000001};
    static const uint64_t doubles[] = {0, 1ull << 63, 0x7ff8ull << 48, 0xfff0000000000001ull, 0x7ff0ull << 48,
                                       1};
    static const uint16_t halves[] = {0, 0x8000, 0x7e00, 0xfc01, 0x7c00, 1};
    const uint64_t part = c->column_count == 1 ? id : k == 0 ? id % 13 : id / 13 + k;
    const gp_type type = c->columns[k].type;
    size_t b;
    for (b = 0; b < size; b++) to[b] = (unsigned char)(part >> 8 * (b % 8));
    if (type == GP_F32 && part % 3 == 0) memcpy(to, &floats[part / 3 % 8], 4);
    if (type == GP_F64 && part % 3 == 0) memcpy(to, &doubles[part / 3 % 6], 8);
    if (type == GP_F16 && part % 3 == 0) memcpy(to, &halves[part / 3 % 6], 2);
}

static size_t string_length(uint64_t id) { return id % 5 == 4 ? 0 : id % 29 + (id % 101 == 7 ? 300 : 0); }

static void put_string(uint64_t id, unsigned char *to)
{
    const size_t length = string_length(id);
    size_t b;
    memset(to, 'x', length);
    for (b = 0; b < 8 && b < length; b++) to[length - 1 - b] = (unsigned char)(id >> 8 * b);
}

static size_t type_size(gp_type type)
{
    switch (type) {
#define TYPE_SIZE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(TYPE_SIZE)
#undef TYPE_SIZE
    default: return 0;
    }
}

size_t columns_size(const test_column *c) { return c->offsets ? 1 : c->type ? type_size(c->type) : c->size; }

static void fill_column(test_columns *c, size_t k, const uint64_t *id)
{
    const test_column *column = &c->columns[k];
    const size_t size = columns_size(column), wide = column->offsets == GP_U64 ? 8 : 4;
    uint64_t at = 3; /* the first string does not begin with the bytes */
    size_t i;
    if (!column->offsets) {
        c->in[k] = columns_room(c->count * size);
        for (i = 0; i < c->count; i++) put_value(c, k, id[i], size, c->in[k] + i * size);
        return;
    }
    c->ends[k] = columns_room((c->count + 1) * 8);
    for (i = 0; i < c->count; i++) at += string_length(id[i]);
    c->bytes[k] = (size_t)at + 5;
    c->in[k] = columns_room(c->bytes[k]);
    memset(c->in[k], 'x', c->bytes[k]);
    at = 3;
    for (i = 0; i <= c->count; i++) {
        memcpy(c->ends[k] + i * wide, &at, wide);
        if (i == c->count) break;
        put_string(id[i], c->in[k] + at);
        at += string_length(id[i]);
    }
}

test_columns columns_make(const test_column *columns, size_t column_count, size_t count, const uint64_t *id)
{
    test_columns t = {columns, column_count, count, {NULL}, {NULL}, {0}};
    size_t k;
    for (k = 0; k < column_count; k++) fill_column(&t, k, id);
    return t;
}

void columns_free(test_columns *t)
{
    size_t k;
    for (k = 0; k < GP_KEY_COLUMNS_MAX; k++) {
        free(t->in[k]);
        free(t->ends[k]);
    }
}

/* ------------------------------------------------------------------ comparison */

static uint64_t string_end(const test_columns *c, size_t k, size_t i)
{
    uint64_t x = 0;
    memcpy(&x, c->ends[k] + i * (c->columns[k].offsets == GP_U64 ? 8 : 4),
           c->columns[k].offsets == GP_U64 ? 8 : 4);
    return x;
}

/* A string's bytes; none if its offsets are bad. */
static size_t string_of(const test_columns *c, size_t k, size_t i, const unsigned char **bytes)
{
    const uint64_t begin = string_end(c, k, i), end = string_end(c, k, i + 1);
    const bool good = begin <= end && end <= c->bytes[k];
    *bytes = c->in[k] + (good ? begin : 0);
    return good ? (size_t)(end - begin) : 0;
}

/* A value's bits, the same for all values that are equal. */
static void canonical(gp_type type, const unsigned char *value, size_t size, unsigned char *to)
{
    float f;
    double d;
    uint16_t h;
    memcpy(to, value, size);
    memcpy(&f, value, size < 4 ? size : 4);
    memcpy(&d, value, size < 8 ? size : 8);
    memcpy(&h, value, size < 2 ? size : 2);
    if (type == GP_F32 && f == 0) memset(to, 0, 4);
    if (type == GP_F32 && f != f) memset(to, 0xff, 4);
    if (type == GP_F64 && d == 0) memset(to, 0, 8);
    if (type == GP_F64 && d != d) memset(to, 0xff, 8);
    if (type == GP_F16 && h == 0x8000) memset(to, 0, 2);
    if (type == GP_F16 && (h & 0x7fff) > 0x7c00) memset(to, 0xff, 2);
}

static int compare_column(const test_columns *a, size_t i, const test_columns *b, size_t j, size_t k)
{
    const test_column *column = &a->columns[k];
    const size_t size = columns_size(column);
    unsigned char x[64], y[64];
    const unsigned char *s, *t;
    size_t m, n;
    int order;
    if (!column->offsets) {
        canonical(column->type, a->in[k] + i * size, size, x);
        canonical(column->type, b->in[k] + j * size, size, y);
        return memcmp(x, y, size);
    }
    m = string_of(a, k, i, &s);
    n = string_of(b, k, j, &t);
    order = memcmp(s, t, m < n ? m : n);
    return order ? order : m < n ? -1 : m > n;
}

int columns_compare(const test_columns *a, size_t i, const test_columns *b, size_t j)
{
    size_t k;
    int order = 0;
    for (k = 0; k < a->column_count && order == 0; k++) order = compare_column(a, i, b, j, k);
    return order;
}

/* ------------------------------------------------------------------ buffers */

void columns_buffers(gp_context *gp, const test_columns *t, size_t offset, gp_key_column *columns)
{
    size_t k;
    for (k = 0; k < t->column_count; k++) {
        const test_column *column = &t->columns[k];
        gp_key_column *to = &columns[k];
        memset(to, 0, sizeof *to);
        to->type = column->type;
        to->element_size = column->size;
        to->offsets_type = column->offsets;
        to->in_offset = offset ? offset + k : 0;
        to->byte_count = t->bytes[k];
        to->in = guarded(gp, to->in_offset, column->offsets ? t->bytes[k] : t->count, columns_size(column),
                         t->in[k]);
        if (!column->offsets) continue;
        to->offsets_offset = offset;
        to->offsets = guarded(gp, offset, t->count + 1, type_size(column->offsets), t->ends[k]);
    }
}

void columns_release(const gp_key_column *columns, size_t column_count)
{
    size_t k;
    for (k = 0; k < column_count; k++) {
        if (columns[k].in) clReleaseMemObject(columns[k].in);
        if (columns[k].offsets) clReleaseMemObject(columns[k].offsets);
    }
}
