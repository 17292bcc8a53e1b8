/* keys.c - see keys.h. */
#include "keys.h"

const gp_type key_types[KEY_TYPES] = {GP_U8,  GP_I8,  GP_U16, GP_I16, GP_U32, GP_I32,
                                      GP_U64, GP_I64, GP_F32, GP_F64, GP_F16};

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

uint64_t key_load(const void *keys, size_t i, size_t size)
{
    uint64_t x = 0;
    memcpy(&x, (const char *)keys + i * size, size); /* little-endian, as all of this is */
    return x;
}

uint64_t key_order(gp_type type, bool descending, uint64_t bits)
{
    const unsigned width = 8 * (unsigned)key_size(type);
    const uint64_t ones = ~(uint64_t)0 >> (64 - width), sign = (uint64_t)1 << (width - 1);
    const bool is_float = type == GP_F16 || type == GP_F32 || type == GP_F64;
    const bool has_sign = is_float || type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
    if (is_float && (bits & sign)) bits = ~bits & ones;
    else if (has_sign) bits ^= sign;
    return descending ? ~bits & ones : bits;
}

uint64_t random_64(void) { return (uint64_t)test_random() << 32 | test_random(); }

uint64_t key_special(gp_type type, size_t i)
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

cl_mem guarded(gp_context *gp, size_t offset, size_t count, size_t size, const void *data)
{
    const size_t bytes = (offset + count + GUARD) * size;
    unsigned char *all = malloc(bytes);
    cl_mem buffer;
    assert_non_null(all);
    memset(all, TEST_POISON, bytes);
    if (data) memcpy(all + offset * size, data, count * size);
    buffer = test_buffer(gp, bytes, all);
    free(all);
    return buffer;
}

/* Returns the first byte of [begin, end) that is not poison; `end` if there is none. */
static size_t unpoisoned(const unsigned char *out, size_t begin, size_t end)
{
    while (begin < end && out[begin] == TEST_POISON) begin++;
    return begin;
}

const char *guarded_difference(gp_context *gp, cl_mem buffer, size_t offset, size_t count, size_t size,
                               const void *expected, size_t *at)
{
    const size_t begin = offset * size, end = (offset + count) * size, all = end + GUARD * size;
    unsigned char *out = test_read(gp, buffer, all);
    const char *what = NULL;
    if (unpoisoned(out, 0, begin) < begin) what = "before";
    else if (unpoisoned(out, end, all) < all) what = "behind";
    for (*at = 0; !what && *at < count; ++*at) {
        if (memcmp(out + begin + *at * size, (const char *)expected + *at * size, size) != 0)
            what = "element";
        if (what) break;
    }
    free(out);
    return what;
}
