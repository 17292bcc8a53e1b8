/* keys.c - see keys.h. */
#include "keys.h"

size_t key_size(gp_type type)
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

uint64_t key_at(gp_type type, const unsigned char *keys, size_t i)
{
    const size_t size = key_size(type);
    uint64_t x = 0;
    memcpy(&x, keys + i * size, size); /* little-endian, as all of this is */
    return x;
}

/* ------------------------------------------------------------------ order */

uint64_t key_order(gp_type type, bool descending, uint32_t begin, uint32_t end, uint64_t x)
{
    const unsigned width = 8 * (unsigned)key_size(type), last = end ? end : width;
    const uint64_t ones = ~(uint64_t)0 >> (64 - width), sign = (uint64_t)1 << (width - 1);
    const bool is_float = type == GP_F16 || type == GP_F32 || type == GP_F64;
    const bool has_sign = is_float || type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
    if (is_float && (x & sign)) x = ~x & ones;
    else if (has_sign) x ^= sign;
    if (descending) x = ~x & ones;
    if (begin == last) return 0;
    x >>= begin;
    return last - begin == 64 ? x : x & (((uint64_t)1 << (last - begin)) - 1);
}

static int compare_entries(const void *a, const void *b)
{
    const key_entry *x = a, *y = b;
    if (x->bits != y->bits) return x->bits < y->bits ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

key_entry *keys_sorted(gp_type type, bool descending, uint32_t begin, uint32_t end, const unsigned char *keys,
                       size_t count)
{
    key_entry *e = malloc((count + 1) * sizeof *e);
    size_t i;
    assert_non_null(e);
    for (i = 0; i < count; i++) {
        e[i].bits = key_order(type, descending, begin, end, key_at(type, keys, i));
        e[i].index = i;
    }
    qsort(e, count, sizeof *e, compare_entries);
    return e;
}

/* ------------------------------------------------------------------ input */

static uint64_t random_64(void) { return (uint64_t)test_random() << 32 | test_random(); }

static uint64_t special(gp_type type, size_t i)
{
    static const uint32_t f32[] = {0x7fc00000u, 0xffc00000u, 0x7f800000u, 0xff800000u, 0u, 0x80000000u,
                                   0x7fc00001u, 0xffffffffu, 0x3f800000u, 0xbf800000u, 1u, 0x80000001u};
    static const uint16_t f16[] = {0x7e00, 0xfe00, 0x7c00, 0xfc00, 0, 0x8000,
                                   0x7c01, 0xffff, 0x3c00, 0xbc00, 1, 0x8001};
    const uint64_t top = (uint64_t)1 << (8 * key_size(type) - 1);
    const uint64_t extremes[] = {0, top, top - 1, ~(uint64_t)0, 1, top + 1};
    if (type == GP_F32) return f32[i % (sizeof f32 / sizeof *f32)];
    if (type == GP_F16) return f16[i % (sizeof f16 / sizeof *f16)];
    if (type == GP_F64) return (uint64_t)f32[i % (sizeof f32 / sizeof *f32)] << 32 | (i % 3 == 0);
    return extremes[i % 6];
}

static uint64_t random_and(unsigned words)
{
    uint64_t x = random_64();
    while (--words) x &= random_64();
    return x;
}

static uint64_t make_key(gp_type type, key_pattern pattern, unsigned words, size_t i, size_t count)
{
    switch (pattern) {
    case KEYS_AND: return random_and(words);
    case KEYS_EQUAL: return 0x1234567812345678u;
    case KEYS_SORTED: return i;
    case KEYS_REVERSED: return count - i;
    case KEYS_SPECIAL: return special(type, test_random() >> 8);
    case KEYS_LOW: return 0x1234567812345600u | (test_random() >> 24);
    default: return random_64();
    }
}

static unsigned char *make_all(gp_type type, key_pattern pattern, unsigned words, size_t count)
{
    const size_t size = key_size(type);
    unsigned char *keys = malloc(count * size + 1);
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < count; i++) {
        const uint64_t x = make_key(type, pattern, words, i, count);
        memcpy(keys + i * size, &x, size);
    }
    return keys;
}

unsigned char *keys_make(gp_type type, key_pattern pattern, size_t count)
{
    return make_all(type, pattern, 3, count);
}

unsigned char *keys_make_and(gp_type type, unsigned words, size_t count)
{
    return make_all(type, words ? KEYS_AND : KEYS_EQUAL, words, count);
}

cl_mem test_guarded(gp_context *gp, size_t offset, size_t count, size_t size, const void *data)
{
    const size_t bytes = (offset + count + KEYS_GUARD) * size;
    unsigned char *all = malloc(bytes);
    cl_mem buffer;
    assert_non_null(all);
    memset(all, TEST_POISON, bytes);
    if (data) memcpy(all + offset * size, data, count * size);
    buffer = test_buffer(gp, bytes, all);
    free(all);
    return buffer;
}
