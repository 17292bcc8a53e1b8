/* lanes_avx2.cl - the operations of vector/lanes.cl by AVX2. Elements of four and eight bytes are packed by an instruction that
   moves eight lanes to positions that a table names. The other operations, and the table, are in vector/lanes_bytes.cl. */
#ifndef GPI_VECTOR_LANES_AVX2_CL
#define GPI_VECTOR_LANES_AVX2_CL
#include "base/platform.cl"
#include "vector/features.cl"
#include "vector/lanes_bytes.cl"

#if GPI_VECTOR_BYTES == 32
static uint gpi_mask_of(uint16 lanes)
{
    return (uint)__builtin_ia32_movmskps256(as_float8(lanes.lo << 31)) |
           (uint)__builtin_ia32_movmskps256(as_float8(GPI_UPPER(lanes) << 31)) << 8;
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
