/* keys.cl - hashes and compares the keys of a table's rows. A key is the row's values in several columns.

   Parameters, which the prelude defines
       GPI_KEY_NUMBERS(use)    use(c, word, words, kind) for each column c of numbers or bytes
           word    uchar, ushort, uint or ulong, of which a row has `words`
           kind    bits: words are compared by their bits
                   half, float, double: -0 equals 0, and NaN equals NaN
       GPI_KEY_STRINGS(use)    use(c, offset) for each column c of strings
           offset  uint or ulong: row i has the bytes from offsets[i] up to offsets[i + 1]

   A string whose offsets are out of order or beyond the bytes is empty. */
#ifndef GPI_TABLE_KEYS_CL
#define GPI_TABLE_KEYS_CL
#include "base/platform.cl"

#if !defined(GPI_KEY_NUMBERS) || !defined(GPI_KEY_STRINGS)
#error "GPI_KEY_NUMBERS and GPI_KEY_STRINGS must be defined"
#endif

/* ------------------------------------------------------------------ columns */

#define GPI_KEY_NUMBERS_PARAMETER(c, word, words, kind) __global const word *key##c, ulong key##c##_at,
#define GPI_KEY_STRINGS_PARAMETER(c, offset)                                                         \
    __global const uchar *key##c, ulong key##c##_at, ulong key##c##_size, __global const offset *ends##c, \
        ulong ends##c##_at,
#define GPI_KEYS_PARAMETERS \
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_PARAMETER) GPI_KEY_STRINGS(GPI_KEY_STRINGS_PARAMETER) ulong seed

#define GPI_KEY_NUMBERS_MEMBER(c, word, words, kind) __global const word *key##c;
#define GPI_KEY_STRINGS_MEMBER(c, offset) \
    __global const uchar *key##c;         \
    __global const offset *ends##c;       \
    ulong key##c##_size;
/* The columns, from their first row on. */
typedef struct gpi_keys {
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_MEMBER)
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_MEMBER)
    ulong seed;
} gpi_keys;

#define GPI_KEY_NUMBERS_SET(c, word, words, kind) keys.key##c = key##c + key##c##_at * (words);
#define GPI_KEY_STRINGS_SET(c, offset) \
    keys.key##c = key##c + key##c##_at; \
    keys.ends##c = ends##c + ends##c##_at; \
    keys.key##c##_size = key##c##_size;
/* Sets `keys` from the kernel's parameters. */
#define GPI_KEYS_SET(keys)                   \
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_SET)     \
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_SET)     \
    keys.seed = seed

/* ------------------------------------------------------------------ words */

/* Return a word, or the one word that stands for all numbers equal to it. */
#define gpi_key_bits(x) (x)
static ushort gpi_key_half(ushort x)
{
    return (x & 0x7fff) > 0x7c00 ? (ushort)0x7e00 : x == 0x8000 ? (ushort)0 : x;
}
static uint gpi_key_float(uint x)
{
    return (x & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : x == 0x80000000u ? 0u : x;
}
static ulong gpi_key_double(ulong x)
{
    const ulong infinity = 0x7fful << 52;
    return (x & ~(1ul << 63)) > infinity ? infinity + 1 : x == 1ul << 63 ? 0ul : x;
}

/* Returns the hash of the words that `hash` covers and of x. */
static ulong gpi_key_mix(ulong hash, ulong x, ulong seed)
{
    hash = (hash ^ x) * (seed | 1);
    return hash ^ hash >> 32;
}

/* ------------------------------------------------------------------ strings */

/* Returns up to eight bytes of a string as a word: bytes [i, i + 8), or those before `end`. */
static ulong gpi_key_bytes(__global const uchar *bytes, ulong i, ulong end)
{
    ulong word = 0;
    for (uint k = 0; k < 8 && i + k < end; k++) word |= (ulong)bytes[i + k] << 8 * k;
    return word;
}

/* Defines gpi_key_range_C, which sets the bytes of row i in column C, and returns whether its offsets are bad. Then there are no
   bytes. */
#define GPI_KEY_STRINGS_RANGE(c, offset)                                            \
    static bool gpi_key_range_##c(gpi_keys keys, ulong i, ulong *begin, ulong *end) \
    {                                                                               \
        *begin = keys.ends##c[i];                                                   \
        *end = keys.ends##c[i + 1];                                                 \
        if (*begin <= *end && *end <= keys.key##c##_size) return false;             \
        *begin = *end = 0;                                                          \
        return true;                                                                \
    }
GPI_KEY_STRINGS(GPI_KEY_STRINGS_RANGE)

#define GPI_KEY_STRINGS_BAD(c, offset)                                   \
    for (ulong i = first + GPI_LOCAL_ID; i < end; i += GPI_WG) {         \
        ulong from, to;                                                  \
        bad |= gpi_key_range_##c(keys, i, &from, &to);                   \
    }
/* Returns whether this item finds bad offsets of the strings of rows [first, end). */
static bool gpi_keys_are_bad(gpi_keys keys, ulong first, ulong end)
{
    bool bad = false;
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_BAD)
    (void)keys;
    (void)first;
    (void)end;
    return bad;
}

/* ------------------------------------------------------------------ keys */

#define GPI_KEY_NUMBERS_HASH(c, word, words, kind) \
    for (uint w = 0; w < (words); w++)             \
        hash = gpi_key_mix(hash, gpi_key_##kind(keys.key##c[i * (words) + w]), keys.seed);
#define GPI_KEY_STRINGS_HASH(c, offset)                                                              \
    {                                                                                                \
        ulong begin, end;                                                                            \
        (void)gpi_key_range_##c(keys, i, &begin, &end);                                                    \
        hash = gpi_key_mix(hash, end - begin, keys.seed);                                            \
        for (; begin < end; begin += 8)                                                              \
            hash = gpi_key_mix(hash, gpi_key_bytes(keys.key##c, begin, end), keys.seed);             \
    }
/* Returns the hash of row i's key, all of whose bits depend on all bits of the key. */
GPI_INLINE ulong gpi_keys_hash(gpi_keys keys, ulong i)
{
    ulong hash = keys.seed;
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_HASH)
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_HASH)
    return gpi_key_mix(hash, 0, 0xbf58476d1ce4e5b9ul);
}

#define GPI_KEY_NUMBERS_EQUAL(c, word, words, kind) \
    for (uint w = 0; w < (words); w++)              \
        if (gpi_key_##kind(keys.key##c[i * (words) + w]) != gpi_key_##kind(keys.key##c[j * (words) + w])) return false;
#define GPI_KEY_STRINGS_EQUAL(c, offset)                                                                  \
    {                                                                                                     \
        ulong begin, end, other, other_end;                                                               \
        (void)gpi_key_range_##c(keys, i, &begin, &end);                                                         \
        (void)gpi_key_range_##c(keys, j, &other, &other_end);                                                   \
        if (end - begin != other_end - other) return false;                                               \
        for (; begin < end; begin++, other++)                                                             \
            if (keys.key##c[begin] != keys.key##c[other]) return false;                                   \
    }
/* Returns whether rows i and j have the same key. */
GPI_INLINE bool gpi_keys_equal(gpi_keys keys, ulong i, ulong j)
{
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_EQUAL)
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_EQUAL)
    return true;
}

#define GPI_KEY_NUMBERS_PREFETCH(c, word, words, kind) GPI_PREFETCH_READ(keys.key##c + i * (words));
#define GPI_KEY_STRINGS_PREFETCH(c, offset) GPI_PREFETCH_READ(keys.ends##c + i);
/* Hints that row i's key will soon be read. */
GPI_INLINE void gpi_keys_prefetch(gpi_keys keys, ulong i)
{
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_PREFETCH)
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_PREFETCH)
}
#endif
