/* sorted.c - see sorted.h. */
#include "sorted.h"

#include <string.h>

static uint64_t next_word(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Positive floats are ordered as their bits are: exponents stay short of infinity's. */
static uint64_t range_of(gp_type type)
{
    if (type == GP_F32) return UINT64_C(0x7f800000);
    if (type == GP_F64) return UINT64_C(0x7ff) << 52;
    return ~UINT64_C(0) >> (65 - 8 * data_size(type));
}

void sorted_fill(gp_type type, uint64_t seed, void *keys, size_t n)
{
    const size_t size = data_size(type);
    const uint64_t range = range_of(type);
    for (size_t i = 0; i < n; i++) {
        /* between i and i + 1 of n equal parts of the range */
        const double at = ((double)i + (double)(next_word(&seed) >> 11) * 0x1p-53) / (double)n;
        const uint64_t x = (uint64_t)(at * 0.999 * (double)range);
        memcpy((char *)keys + i * size, &x, size); /* little-endian, as devices are */
    }
}
