/* key.cl - keys and values in memory, and order(key), the number by which keys are compared.

       order(key) = map(key) ^ flip          an unsigned number, as wide as the key

   Integers: map is the identity, and `flip` has the sign bit for signed integers. Floats (GPI_KEY_FLOAT): map inverts
   all bits but the sign if the sign is set, and `flip` has the sign bit:
   -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN. For descending order all bits of `flip` are inverted. Different
   keys have different numbers. To partition a hash table's batch (gp_hash_insert) the number is
   element/hash_function.cl's hash of key ^ flip, and `flip` is the table's seed.

   Parameters
       GPI_KEY_SIZE     1, 2, 4, 8: bytes of a key
       GPI_KEY_FLOAT    1: keys are floats
       GPI_KEY_HASH     64, 32: order(key) is a hash of this many bits; 0: it is not a hash
       GPI_VALUE_SIZE   0, 1, 2, 4, 8, 16: bytes of a value                                             */
#ifndef GPI_ELEMENT_KEY_CL
#define GPI_ELEMENT_KEY_CL
#include "base/platform.cl"
#include "element/hash_function.cl"

#if GPI_KEY_SIZE == 1
typedef uchar gpi_key;
typedef uchar4 gpi_key4;
#elif GPI_KEY_SIZE == 2
typedef ushort gpi_key;
typedef ushort4 gpi_key4;
#elif GPI_KEY_SIZE == 4
typedef uint gpi_key;
typedef uint4 gpi_key4;
#elif GPI_KEY_SIZE == 8
typedef ulong gpi_key;
typedef ulong4 gpi_key4;
#else
#error "GPI_KEY_SIZE must be 1, 2, 4 or 8"
#endif

#if GPI_VALUE_SIZE == 1
typedef uchar gpi_value;
#define GPI_VALUE_OF(i) ((gpi_value)(i))
#elif GPI_VALUE_SIZE == 2
typedef ushort gpi_value;
#define GPI_VALUE_OF(i) ((gpi_value)(i))
#elif GPI_VALUE_SIZE == 4
typedef uint gpi_value;
#define GPI_VALUE_OF(i) ((gpi_value)(i))
#elif GPI_VALUE_SIZE == 8
typedef ulong gpi_value;
#define GPI_VALUE_OF(i) ((gpi_value)(i))
#elif GPI_VALUE_SIZE == 16
typedef uint4 gpi_value;
#define GPI_VALUE_OF(i) ((gpi_value)((uint)(i), (uint)((i) >> 32), 0, 0))
#elif GPI_VALUE_SIZE != 0
#error "GPI_VALUE_SIZE must be 0, 1, 2, 4, 8 or 16"
#endif

#ifndef GPI_KEY_HASH
#define GPI_KEY_HASH 0
#endif
#if GPI_KEY_SIZE == 8 || GPI_KEY_HASH == 64
typedef ulong gpi_key_bits;
#else
typedef uint gpi_key_bits;
#endif

static gpi_key_bits gpi_key_order(gpi_key key, gpi_key_bits flip)
{
    gpi_key_bits k = key;
#if GPI_KEY_FLOAT && \
    GPI_KEY_SIZE == 8 /* in a form that LLVM 15 compiles correctly for NVIDIA: docs/drivers.md */
    k ^= (gpi_key_bits)((long)k >> 63) >> 1;
#elif GPI_KEY_FLOAT
    const gpi_key_bits sign = (gpi_key_bits)1 << (8 * GPI_KEY_SIZE - 1);
    k ^= ((gpi_key_bits)0 - (k >> (8 * GPI_KEY_SIZE - 1))) & (sign - 1);
#endif
    k ^= flip;
#if GPI_KEY_HASH == 64
    k = gpi_hash_64(k);
#elif GPI_KEY_HASH == 32
    k = gpi_hash_32(k);
#endif
    return k;
}

/* Returns the key k with order(k) = `order`. Must not be called if order(key) is a hash. */
static gpi_key gpi_key_of_order(gpi_key order, gpi_key_bits flip)
{
    return (gpi_key)gpi_key_order(order ^ (gpi_key)flip, 0);
}
#endif
