/* keys.cl - hashes and compares the keys of a table's rows. A key is the row's values in several columns.

   Parameters, which the prelude defines
       GPI_KEY_NUMBERS(use, t)    use(t, c, word, words, kind) for each column c of numbers or bytes, whatever t is
           word    uchar, ushort, uint or ulong, of which a row has `words`
           kind    bits: words are compared by their bits
                   half, float, double: -0 equals 0, and NaN equals NaN
       GPI_KEY_STRINGS(use, t)    use(t, c, offset) for each column c of strings
           offset  uint or ulong: row i has the bytes from offsets[i] up to offsets[i + 1]

   A string whose offsets are out of order or beyond the bytes is empty. */
#ifndef GPI_TABLE_KEYS_CL
#define GPI_TABLE_KEYS_CL
#include "base/platform.cl"

#if !defined(GPI_KEY_NUMBERS) || !defined(GPI_KEY_STRINGS)
#error "GPI_KEY_NUMBERS and GPI_KEY_STRINGS must be defined"
#endif

/* ------------------------------------------------------------------ columns */

/* The parameters of a kernel that reads table t. */
#define GPI_KEY_NUMBERS_PARAMETER(t, c, word, words, kind) __global const word *t##c, ulong t##c##_at,
#define GPI_KEY_STRINGS_PARAMETER(t, c, offset)                                                            \
    __global const uchar *t##c, ulong t##c##_at, ulong t##c##_size, __global const offset *t##c##_offsets, \
        ulong t##c##_offsets_at,
#define GPI_COLUMNS_PARAMETERS(t) \
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_PARAMETER, t) GPI_KEY_STRINGS(GPI_KEY_STRINGS_PARAMETER, t) ulong t##_seed

#define GPI_KEY_NUMBERS_MEMBER(t, c, word, words, kind) __global const word *key##c;
#define GPI_KEY_STRINGS_MEMBER(t, c, offset) \
    __global const uchar *key##c;            \
    __global const offset *ends##c;          \
    ulong key##c##_size;
/* The columns of a table, from their first row on. */
typedef struct gpi_key_columns {
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_MEMBER, columns)
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_MEMBER, columns)
    ulong seed;
} gpi_key_columns;

#define GPI_KEY_NUMBERS_SET(t, c, word, words, kind) t.key##c = t##c + t##c##_at * (words);
#define GPI_KEY_STRINGS_SET(t, c, offset)           \
    t.key##c = t##c + t##c##_at;                    \
    t.ends##c = t##c##_offsets + t##c##_offsets_at; \
    t.key##c##_size = t##c##_size;
/* Sets the columns `t` from the kernel's parameters of table t. */
#define GPI_COLUMNS_SET(t)                  \
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_SET, t) \
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_SET, t) \
    t.seed = t##_seed

/* ------------------------------------------------------------------ words */

/* Return the word that represents x and all numbers equal to x: x itself, or one zero for both zeros, or one NaN for
   all NaNs. */
#define gpi_equal_bits(x) (x)
static ushort gpi_equal_half(ushort x)
{
    return (x & 0x7fff) > 0x7c00 ? (ushort)0x7e00 : x == 0x8000 ? (ushort)0 : x;
}
static uint gpi_equal_float(uint x)
{
    return (x & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : x == 0x80000000u ? 0u : x;
}
static ulong gpi_equal_double(ulong x)
{
    const ulong infinity = 0x7fful << 52;
    return (x & ~(1ul << 63)) > infinity ? infinity + 1 : x == 1ul << 63 ? 0ul : x;
}

/* Adds the word x to a hash, and returns the new hash: both halves of a product with the seed, which those who choose keys do not
   know. (The low half alone would keep a difference in the highest bit, whatever the seed is.) */
static ulong gpi_row_mix(ulong hash, ulong x, ulong seed)
{
    const ulong a = hash ^ x, b = seed | 1;
#if GPI_ON_CPU && defined(__SIZEOF_INT128__) && \
    !defined(__AVX512DQ__) /* one instruction; mul_hi has twenty, but AVX-512 does eight at once */
    const unsigned __int128 product = (unsigned __int128)a * b;
    return (ulong)product ^ (ulong)(product >> 64);
#else
    return a * b ^ mul_hi(a, b);
#endif
}

/* ------------------------------------------------------------------ strings */

/* Returns up to eight bytes of a string as a word: bytes [i, i + 8), or those before `end`. */
static ulong gpi_string_word(__global const uchar *bytes, ulong i, ulong end)
{
    ulong word = 0;
    for (uint k = 0; k < 8 && i + k < end; k++) word |= (ulong)bytes[i + k] << 8 * k;
    return word;
}

static bool gpi_string_is_bad(ulong begin, ulong end, ulong size) { return begin > end || end > size; }

/* Returns where a string with these offsets begins and ends. A string with bad offsets is empty. */
static ulong2 gpi_string_range(ulong begin, ulong end, ulong size)
{
    return gpi_string_is_bad(begin, end, size) ? (ulong2)(0, 0) : (ulong2)(begin, end);
}

#define GPI_STRING_RANGE(t, c, i) gpi_string_range(t.ends##c[i], t.ends##c[(i) + 1], t.key##c##_size)

/* ------------------------------------------------------------------ keys */

#define GPI_KEY_STRINGS_BAD(columns, c, offset)                                                      \
    for (ulong i = first + GPI_LOCAL_ID; i < end; i += GPI_WG) {                                     \
        const ulong2 range = GPI_STRING_RANGE(columns, c, i);                                        \
        bad |= gpi_string_is_bad(columns.ends##c[i], columns.ends##c[i + 1], columns.key##c##_size); \
        *has_long |= range.y - range.x > longest;                                                    \
    }
/* Returns whether this item finds bad offsets of the strings of rows [first, end). Sets *has_long to whether it finds a string of more
   than `longest` bytes. */
static bool gpi_columns_are_bad(gpi_key_columns columns, ulong first, ulong end, ulong longest,
                                __private bool *has_long)
{
    bool bad = false;
    *has_long = false;
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_BAD, columns)
    (void)columns;
    (void)first;
    (void)end;
    (void)longest;
    return bad;
}

#define GPI_KEY_NUMBERS_HASH(columns, c, word, words, kind) \
    for (uint w = 0; w < (words); w++)                      \
        hash = gpi_row_mix(hash, gpi_equal_##kind(columns.key##c[i * (words) + w]), columns.seed);
#define GPI_KEY_STRINGS_HASH(columns, c, offset)                                                  \
    {                                                                                             \
        const ulong2 range = GPI_STRING_RANGE(columns, c, i);                                     \
        hash = gpi_row_mix(hash, range.y - range.x, columns.seed);                                \
        for (ulong at = range.x; at < range.y; at += 8)                                           \
            hash = gpi_row_mix(hash, gpi_string_word(columns.key##c, at, range.y), columns.seed); \
    }
/* Returns the hash of row i's key. Each bit of the hash depends on all bits of the key. */
GPI_INLINE ulong gpi_row_hash(gpi_key_columns columns, ulong i)
{
    ulong hash = columns.seed;
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_HASH, columns)
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_HASH, columns)
    return gpi_row_mix(hash, 0, 0xbf58476d1ce4e5b9ul);
}

#define GPI_KEY_NUMBERS_EQUAL(t, c, word, words, kind)                                                  \
    for (uint w = 0; w < (words); w++)                                                                  \
        if (gpi_equal_##kind(a.key##c[i * (words) + w]) != gpi_equal_##kind(b.key##c[j * (words) + w])) \
            return false;
#define GPI_KEY_STRINGS_EQUAL(t, c, offset)                                        \
    {                                                                              \
        const ulong2 x = GPI_STRING_RANGE(a, c, i), y = GPI_STRING_RANGE(b, c, j); \
        if (x.y - x.x != y.y - y.x) return false;                                  \
        for (ulong at = 0; at < x.y - x.x; at++)                                   \
            if (a.key##c[x.x + at] != b.key##c[y.x + at]) return false;            \
    }
/* Returns whether row i of table a and row j of table b have the same key. */
GPI_INLINE bool gpi_rows_equal(gpi_key_columns a, ulong i, gpi_key_columns b, ulong j)
{
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_EQUAL, rows)
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_EQUAL, rows)
    return true;
}

#define GPI_KEY_NUMBERS_PREFETCH(columns, c, word, words, kind) \
    GPI_PREFETCH_READ(columns.key##c + i * (words));
#define GPI_KEY_STRINGS_PREFETCH(columns, c, offset) GPI_PREFETCH_READ(columns.ends##c + i);
/* Hints that row i's key will soon be read. */
GPI_INLINE void gpi_row_prefetch(gpi_key_columns columns, ulong i)
{
    GPI_KEY_NUMBERS(GPI_KEY_NUMBERS_PREFETCH, columns)
    GPI_KEY_STRINGS(GPI_KEY_STRINGS_PREFETCH, columns)
}
#endif
