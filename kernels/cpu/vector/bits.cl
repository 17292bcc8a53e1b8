/* bits.cl - between bits and the bytes of a vector of 16, for vector/lanes.cl and vector/bytes.cl. */
#ifndef GPI_VECTOR_BITS_CL
#define GPI_VECTOR_BITS_CL
#include "base/platform.cl"
#include "vector/features.cl"

/* Returns a number whose bit k is the sign of byte k. Without an instruction for it, each byte keeps only the bit of its own place,
   and the product's top byte gathers the bits of eight bytes. */
GPI_INLINE uint gpi_sign_bits(char16 v)
{
#if GPI_ON_CPU && defined(__SSE2__)
    return (uint)__builtin_ia32_pmovmskb128(v);
#else
    const ulong2 bits = (as_ulong2(v < (char16)(0)) & 0x8040201008040201ul) * 0x0101010101010101ul >> 56;
    return (uint)(bits.x | bits.y << 8);
#endif
}

#if GPI_VECTOR_BYTES < 64 /* else vector/lanes_avx512.cl has gpi_bit_sums */
/* Returns bits j ... j + 15, a byte each: -1 or 0. */
GPI_INLINE char16 gpi_bits_bytes(ulong bits, uint j)
{
    const ulong low = (bits >> j & 255) * 0x0101010101010101ul,
                high = (bits >> (j + 8) & 255) * 0x0101010101010101ul;
    return as_char16((ulong2)(low, high) & 0x8040201008040201ul) != (char16)(0);
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
