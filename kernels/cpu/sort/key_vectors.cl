/* key_vectors.cl - order(key) of 16 keys (element/key.cl) as a vector, and flags of its lanes. */
#ifndef GPI_SORT_KEY_VECTORS_CL
#define GPI_SORT_KEY_VECTORS_CL
#include "base/platform.cl"
#include "element/key.cl"

#if GPI_KEY_SIZE == 1
typedef uchar16 gpi_keys;
typedef char16 gpi_flags;
#define GPI_FLAGS_TO_INT convert_int16
#elif GPI_KEY_SIZE == 2
typedef ushort16 gpi_keys;
typedef short16 gpi_flags;
#define GPI_FLAGS_TO_INT convert_int16
#elif GPI_KEY_SIZE == 4
typedef uint16 gpi_keys;
typedef int16 gpi_flags;
#define GPI_FLAGS_TO_INT
#else
typedef ulong16 gpi_keys;
typedef long16 gpi_flags;
#define GPI_FLAGS_TO_INT convert_int16
#endif

static gpi_keys gpi_codes_of(gpi_keys k, gpi_key flip)
{
#if GPI_KEY_FLOAT
    const gpi_key sign = (gpi_key)1 << (8 * GPI_KEY_SIZE - 1);
    k ^= ((gpi_keys)0 - (k >> (gpi_key)(8 * GPI_KEY_SIZE - 1))) & (gpi_keys)(sign - 1);
#endif
    return k ^ (gpi_keys)flip;
}

/* Returns minus the sum of all lanes. Each lane is minus a count, because a comparison of vectors is -1 in lanes where it is
   true. */
static uint gpi_flags_count(gpi_flags flags)
{
    const int16 x = GPI_FLAGS_TO_INT(flags);
    const int8 a = x.lo + GPI_UPPER(x);
    const int4 b = a.lo + a.hi;
    const int2 c = b.lo + b.hi;
    return (uint) - (c.x + c.y);
}
#endif
