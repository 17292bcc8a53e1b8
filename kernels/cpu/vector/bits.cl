/* bits.cl - converts between bits and the bytes of a vector of 16, for vector/lanes.cl and vector/bytes.cl. */
#ifndef GPI_VECTOR_BITS_CL
#define GPI_VECTOR_BITS_CL
#include "base/platform.cl"
#include "vector/features.cl"

/* In byte k only bit k is set. */
#define GPI_BYTE_BITS (uchar8)(1, 2, 4, 8, 16, 32, 64, 128)

/* Returns a number whose bit k is the sign of byte k. */
GPI_INLINE uint gpi_sign_bits(char16 v)
{
#if GPI_ON_CPU && defined(__SSE2__)
    return (uint)__builtin_ia32_pmovmskb128(v);
#else
    const uchar16 bits = as_uchar16(v < (char16)(0)) & (uchar16)(GPI_BYTE_BITS, GPI_BYTE_BITS);
    const uchar8 two = bits.even | bits.odd;
    const uchar4 four = two.even | two.odd;
    const uchar2 eight = four.even | four.odd;
    return eight.x | (uint)eight.y << 8;
#endif
}

#if GPI_VECTOR_BYTES < 64 /* else vector/lanes_avx512.cl has gpi_bit_sums */
/* Returns bits j ... j + 15 as a vector of bytes: -1 for a bit that is set, else 0. */
GPI_INLINE char16 gpi_bits_bytes(ulong bits, uint j)
{
    const uchar8 low = (uchar8)((uchar)(bits >> j)), high = (uchar8)((uchar)(bits >> (j + 8)));
    return as_char16((uchar16)(low & GPI_BYTE_BITS, high & GPI_BYTE_BITS) != (uchar16)(0));
}

typedef char16 gpi_sums_row __attribute__((aligned(1)));

GPI_INLINE void gpi_bit_sums(ulong plus, ulong minus, __private char *sums)
{
    for (uint j = 0; j < 64; j += 16) {
        const ulong below = (1ul << j) - 1;
        const char16 step = gpi_bits_bytes(minus, j) - gpi_bits_bytes(plus, j);
        char16 sum = (char16)(0, step.s0123, step.s4567, step.s89ab, step.scd, step.se);
        sum += (char16)(0, sum.s0123, sum.s4567, sum.s89ab, sum.scd, sum.se);
        sum += (char16)(0, 0, sum.s0123, sum.s4567, sum.s89ab, sum.scd);
        sum += (char16)(0, 0, 0, 0, sum.s0123, sum.s4567, sum.s89ab);
        sum += (char16)((char8)(0), sum.s01234567) +
               (char16)((char)(popcount(plus & below) - popcount(minus & below)));
        GPI_STORE_PRIVATE(gpi_sums_row, sum, sums + j);
    }
}
#endif
#endif
