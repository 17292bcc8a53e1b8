/* keys.c - see keys.h. */
#include "keys.h"

size_t test_key_size(gp_type type)
{
    switch (type) {
    case GP_I8:
    case GP_U8: return 1;
    case GP_I16:
    case GP_U16:
    case GP_F16: return 2;
    case GP_I32:
    case GP_U32:
    case GP_F32: return 4;
    default: return 8;
    }
}

/* ------------------------------------------------------------------ order */

static uint64_t load(const unsigned char *p, size_t size)
{
    uint64_t x = 0;
    memcpy(&x, p, size); /* little-endian, as all of this is */
    return x;
}

static uint64_t order_bits(const test_key_order *o, uint64_t x)
{
    const unsigned width = 8 * (unsigned)test_key_size(o->type), end = o->end_bit ? o->end_bit : width;
    const uint64_t ones = ~(uint64_t)0 >> (64 - width), sign = (uint64_t)1 << (width - 1);
    const bool is_float = o->type == GP_F16 || o->type == GP_F32 || o->type == GP_F64;
    const bool has_sign =
        is_float || o->type == GP_I8 || o->type == GP_I16 || o->type == GP_I32 || o->type == GP_I64;
    if (is_float && (x & sign)) x = ~x & ones;
    else if (has_sign) x ^= sign;
    if (o->descending) x = ~x & ones;
    x >>= o->begin_bit;
    return end - o->begin_bit == 64 ? x : x & (((uint64_t)1 << (end - o->begin_bit)) - 1);
}

static int compare_entries(const void *a, const void *b)
{
    const test_entry *x = a, *y = b;
    if (x->bits != y->bits) return x->bits < y->bits ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

test_entry *test_keys_sorted(const test_key_order *order, const unsigned char *keys, size_t count)
{
    const size_t size = test_key_size(order->type);
    test_entry *e = malloc((count + 1) * sizeof *e);
    size_t i;
    assert_non_null(e);
    for (i = 0; i < count; i++) {
        e[i].bits = order_bits(order, load(keys + i * size, size));
        e[i].index = i;
    }
    qsort(e, count, sizeof *e, compare_entries);
    return e;
}

/* ------------------------------------------------------------------ input */

uint64_t test_random_64(void) { return (uint64_t)test_random() << 32 | test_random(); }

static uint64_t special(gp_type type, size_t i)
{
    static const uint32_t f32[] = {0x7fc00000u, 0xffc00000u, 0x7f800000u, 0xff800000u, 0u, 0x80000000u,
                                   0x7fc00001u, 0xffffffffu, 0x3f800000u, 0xbf800000u, 1u, 0x80000001u};
    static const uint16_t f16[] = {0x7e00, 0xfe00, 0x7c00, 0xfc00, 0, 0x8000,
                                   0x7c01, 0xffff, 0x3c00, 0xbc00, 1, 0x8001};
    const uint64_t top = (uint64_t)1 << (8 * test_key_size(type) - 1);
    const uint64_t extremes[] = {0, top, top - 1, ~(uint64_t)0, 1, top + 1};
    if (type == GP_F32) return f32[i % (sizeof f32 / sizeof *f32)];
    if (type == GP_F16) return f16[i % (sizeof f16 / sizeof *f16)];
    if (type == GP_F64) return (uint64_t)f32[i % (sizeof f32 / sizeof *f32)] << 32 | (i % 3 == 0);
    return extremes[i % 6];
}

static uint64_t make_key(gp_type type, test_key_pattern pattern, size_t i, size_t count)
{
    switch (pattern) {
    case TEST_KEYS_AND: return test_random_64() & test_random_64() & test_random_64();
    case TEST_KEYS_EQUAL: return 0x1234567812345678u;
    case TEST_KEYS_SORTED: return i;
    case TEST_KEYS_REVERSED: return count - i;
    case TEST_KEYS_SPECIAL: return special(type, test_random() >> 8);
    case TEST_KEYS_LOW: return 0x1234567812345600u | (test_random() >> 24);
    default: return test_random_64();
    }
}

unsigned char *test_keys_make(gp_type type, test_key_pattern pattern, size_t count)
{
    const size_t size = test_key_size(type);
    unsigned char *keys = malloc(count * size + 1);
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < count; i++) {
        const uint64_t x = make_key(type, pattern, i, count);
        memcpy(keys + i * size, &x, size);
    }
    return keys;
}

unsigned char *test_values_make(size_t size, size_t count)
{
    unsigned char *values = malloc(count * size + 1);
    size_t i;
    assert_non_null(values);
    for (i = 0; i < count; i++) {
        const uint64_t x[2] = {i, ~(uint64_t)i};
        memcpy(values + i * size, x, size);
    }
    return values;
}

cl_mem test_guarded(gp_context *gp, size_t offset, size_t count, size_t size, const void *data)
{
    const size_t bytes = (offset + count + TEST_GUARD) * size;
    unsigned char *all = malloc(bytes);
    cl_mem buffer;
    assert_non_null(all);
    memset(all, TEST_POISON, bytes);
    if (data) memcpy(all + offset * size, data, count * size);
    buffer = test_buffer(gp, bytes, all);
    free(all);
    return buffer;
}
