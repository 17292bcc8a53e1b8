/* bit_sums.cl - gpi_bit_sums of vector/lanes.cl in vectors of 16 bytes. */
#ifndef GPI_VECTOR_BIT_SUMS_CL
#define GPI_VECTOR_BIT_SUMS_CL
#include "base/platform.cl"

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
