/* lanes_avx2.cl - the operations of vector/lanes.cl by AVX2: a table has, for each mask of eight bits, the positions of its bits,
   by which one instruction moves eight lanes. */
#ifndef GPI_VECTOR_LANES_AVX2_CL
#define GPI_VECTOR_LANES_AVX2_CL
#include "base/platform.cl"
#include "vector/bit_sums.cl"

#ifdef __AVX2__
/* Row m: the positions of the bits of m, a byte each, the lowest first. The bits 4 to 7 of m have the positions `high`. */
#define GPI_PACK_ROWS(high)                                                                               \
    high##ul, high##ul << 8, 1 | high##ul << 8, 0x100 | high##ul << 16, 2 | high##ul << 8,                \
        0x200 | high##ul << 16, 0x201 | high##ul << 16, 0x20100 | high##ul << 24, 3 | high##ul << 8,      \
        0x300 | high##ul << 16, 0x301 | high##ul << 16, 0x30100 | high##ul << 24, 0x302 | high##ul << 16, \
        0x30200 | high##ul << 24, 0x30201 | high##ul << 24, 0x3020100 | high##ul << 32
__constant ulong gpi_pack_rows[256] = {
    GPI_PACK_ROWS(0),     GPI_PACK_ROWS(0x4),     GPI_PACK_ROWS(0x5),     GPI_PACK_ROWS(0x504),
    GPI_PACK_ROWS(0x6),   GPI_PACK_ROWS(0x604),   GPI_PACK_ROWS(0x605),   GPI_PACK_ROWS(0x60504),
    GPI_PACK_ROWS(0x7),   GPI_PACK_ROWS(0x704),   GPI_PACK_ROWS(0x705),   GPI_PACK_ROWS(0x70504),
    GPI_PACK_ROWS(0x706), GPI_PACK_ROWS(0x70604), GPI_PACK_ROWS(0x70605), GPI_PACK_ROWS(0x7060504)};

static uint gpi_mask_of(uint16 lanes)
{
    return (uint)__builtin_ia32_movmskps256(as_float8(lanes.lo << 31)) |
           (uint)__builtin_ia32_movmskps256(as_float8(GPI_UPPER(lanes) << 31)) << 8;
}

static void gpi_pack_near_1(__private uchar *to, uchar16 v, uint mask)
{
    typedef uchar8 vector __attribute__((aligned(1)));
    const ulong low = gpi_pack_rows[mask & 255], high = gpi_pack_rows[mask >> 8] + 0x0808080808080808ul;
    const char16 packed = __builtin_ia32_pshufb128(as_char16(v), as_char16((ulong2)(low, high)));
    *(__private vector *)to = as_uchar16(packed).lo;
    *(__private vector *)(to + popcount(mask & 255)) = as_uchar16(packed).hi;
}

/* Packs eight lanes of two bytes. */
static ushort8 gpi_pack_half_2(ushort8 v, uint mask)
{
    const ushort8 bytes = convert_ushort8(as_uchar8(gpi_pack_rows[mask])) * (ushort)0x202 + (ushort)0x100;
    return as_ushort8(__builtin_ia32_pshufb128(as_char16(v), as_char16(bytes)));
}

static void gpi_pack_near_2(__private uchar *to, ushort16 v, uint mask)
{
    typedef ushort8 vector __attribute__((aligned(1)));
    *(__private vector *)to = gpi_pack_half_2(v.lo, mask & 255);
    *(__private vector *)(to + 2 * popcount(mask & 255)) = gpi_pack_half_2(v.hi, mask >> 8);
}

/* Packs eight lanes of four bytes. */
static uint8 gpi_pack_half_4(uint8 v, uint mask)
{
    const uint8 from = convert_uint8(as_uchar8(gpi_pack_rows[mask]));
    return as_uint8(__builtin_ia32_permvarsi256(as_int8(v), as_int8(from)));
}

static void gpi_pack_near_4(__private uchar *to, uint16 v, uint mask)
{
    typedef uint8 vector __attribute__((aligned(1)));
    *(__private vector *)to = gpi_pack_half_4(v.lo, mask & 255);
    *(__private vector *)(to + 4 * popcount(mask & 255)) = gpi_pack_half_4(v.hi, mask >> 8);
}

/* Packs four lanes of eight bytes. */
static ulong4 gpi_pack_quarter_8(ulong4 v, uint mask)
{
    const uint4 from = 2 * convert_uint4(as_uchar4((uint)gpi_pack_rows[mask & 15]));
    const uint8 halves = from.xxyyzzww + (uint8)(0, 1, 0, 1, 0, 1, 0, 1);
    return as_ulong4(__builtin_ia32_permvarsi256(as_int8(v), as_int8(halves)));
}

static void gpi_pack_near_8(__private uchar *to, ulong16 v, uint mask)
{
    typedef ulong4 vector __attribute__((aligned(1)));
    *(__private vector *)to = gpi_pack_quarter_8(v.lo.lo, mask);
    *(__private vector *)(to + 8 * popcount(mask & 15)) = gpi_pack_quarter_8(v.lo.hi, mask >> 4);
    *(__private vector *)(to + 8 * popcount(mask & 255)) = gpi_pack_quarter_8(v.hi.lo, mask >> 8);
    *(__private vector *)(to + 8 * popcount(mask & 4095)) = gpi_pack_quarter_8(v.hi.hi, mask >> 12);
}
#endif
#endif
