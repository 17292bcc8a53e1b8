/* math.c - rounding, powers of two, a hash of bytes. */
#include "base/math.h"

static uint32_t gpi_or_default(uint32_t value, uint32_t fallback) { return value ? value : fallback; }

static uint32_t gpi_power_of_two_below(uint64_t x)
{
    uint32_t p = 1;
    while (p < 0x40000000u && (uint64_t)p * 2 <= x) p *= 2;
    return p;
}

static uint64_t gpi_fnv1a(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    size_t i;
    for (i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 0x100000001b3u; /* a step of FNV-1a */
    return hash;
}

/* Returns the largest power of two, at most 16, that divides `size`: the size of the words in which an element of
   `size` bytes is moved. */
static size_t gpi_word_of(size_t size)
{
    size_t word = 16;
    while (size % word) word /= 2;
    return word;
}

static size_t gpi_round_up(size_t x, size_t multiple) { return (x + multiple - 1) / multiple * multiple; }

static size_t gpi_ceil_div(size_t a, size_t b) { return a / b + (a % b != 0); }

static size_t gpi_clamp(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}
