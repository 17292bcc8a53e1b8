/* lanes_avx512.cl - the operations of vector/lanes.cl by AVX-512, and some that only AVX-512 has:

       gpi_pack_lanes(v, mask)         the lanes of v whose bits in `mask` are set, side by side from lane 0 on
       gpi_pick_lanes(a, b, source)    lane k is lane source[k] of a, or, if source[k] >= 16, lane source[k] - 16 of b
       gpi_pack_bits(bits, mask)       the bits of `bits` at the positions of the set bits of `mask`, side by side from bit 0 on */
#ifndef GPI_VECTOR_LANES_AVX512_CL
#define GPI_VECTOR_LANES_AVX512_CL
#include "base/platform.cl"
#include "vector/features.cl"

#if GPI_VECTOR_BYTES == 64
static uint gpi_mask_of(uint16 lanes) { return __builtin_ia32_cvtd2mask512(as_int16(lanes << 31)); }

static uint16 gpi_pack_lanes(uint16 v, uint mask)
{
    return as_uint16(__builtin_ia32_compresssi512_mask(as_int16(v), (int16)(0), (ushort)mask));
}

static uint16 gpi_pick_lanes(uint16 a, uint16 b, uint16 source)
{
    return as_uint16(__builtin_ia32_vpermi2vard512(as_int16(a), as_int16(source), as_int16(b)));
}

typedef char gpi_signed_bytes __attribute__((ext_vector_type(64)));
#define GPI_BYTES_UP(v, n) \
    __builtin_astype(__builtin_ia32_pslldqi512_byteshift(__builtin_astype(v, long8), n), gpi_signed_bytes)

static void gpi_bit_sums(ulong plus, ulong minus, __private char *sums)
{
    typedef char vector __attribute__((ext_vector_type(64), aligned(1)));
    gpi_signed_bytes sum = __builtin_ia32_cvtmask2b512(minus) - __builtin_ia32_cvtmask2b512(plus);
    ulong8 before = (ulong8)(0); /* for each 16 bytes: the sum of all earlier bytes */
    for (uint k = 16; k < 64; k += 16) {
        const ulong below = (1ul << k) - 1;
        const uint steps = (uint)popcount(plus & below) - (uint)popcount(minus & below);
        before[k / 8] = before[k / 8 + 1] = (steps & 255) * 0x0101010101010101ul;
    }
    sum = GPI_BYTES_UP(sum, 1);
    sum += GPI_BYTES_UP(sum, 1);
    sum += GPI_BYTES_UP(sum, 2);
    sum += GPI_BYTES_UP(sum, 4);
    sum += GPI_BYTES_UP(sum, 8);
    *(__private vector *)sums = sum + __builtin_astype(before, gpi_signed_bytes);
}

static ulong gpi_pack_bits(ulong bits, ulong mask) { return __builtin_ia32_pext_di(bits, mask); }

static void gpi_pack_near_1(__private uchar *to, uchar16 v, uint mask)
{
    typedef uchar16 vector __attribute__((aligned(1)));
    *(__private vector *)to = convert_uchar16(gpi_pack_lanes(convert_uint16(v), mask));
}

static void gpi_pack_near_2(__private uchar *to, ushort16 v, uint mask)
{
    typedef ushort16 vector __attribute__((aligned(2)));
    *(__private vector *)to = convert_ushort16(gpi_pack_lanes(convert_uint16(v), mask));
}

static void gpi_pack_near_4(__private uchar *to, uint16 v, uint mask)
{
    typedef uint16 vector __attribute__((aligned(4)));
    *(__private vector *)to = gpi_pack_lanes(v, mask);
}

static void gpi_pack_near_8(__private uchar *to, ulong16 v, uint mask)
{
    typedef long8 vector __attribute__((aligned(8)));
    const uint low = mask & 255u;
    *(__private vector *)to = __builtin_ia32_compressdi512_mask(as_long8(v.lo), (long8)(0), (uchar)low);
    *(__private vector *)(to + 8 * popcount(low)) =
        __builtin_ia32_compressdi512_mask(as_long8(v.hi), (long8)(0), (uchar)(mask >> 8));
}
#endif
#endif
