/* lanes_bytes.cl - the operations of vector/lanes.cl by an instruction that moves the bytes of a vector to positions that another
   vector names (SSSE3's pshufb, NEON's tbl). A table has the positions of the set bits of each mask of eight bits. Elements of
   four bytes are packed here unless vectors have 32 bytes, for which there are better instructions (vector/lanes_avx2.cl). */
#ifndef GPI_VECTOR_LANES_BYTES_CL
#define GPI_VECTOR_LANES_BYTES_CL
#include "base/platform.cl"
#include "vector/features.cl"

#if GPI_MOVES_BYTES && GPI_VECTOR_BYTES < 64
/* Returns a vector whose byte k is v[from[k]]; from[k] < 16. */
GPI_INLINE uchar16 gpi_move_bytes(uchar16 v, uchar16 from)
{
#ifdef __SSSE3__
    return as_uchar16(__builtin_ia32_pshufb128(as_char16(v), as_char16(from)));
#else
    uchar16 moved;
    __asm__("tbl %0.16b, {%1.16b}, %2.16b" : "=w"(moved) : "w"(v), "w"(from));
    return moved;
#endif
}

/* Row m has the positions of the set bits of m, a byte each, the lowest first. `high` has the positions of those among bits 4 to
   7. */
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

static void gpi_pack_near_1(__private uchar *to, uchar16 v, uint mask)
{
    typedef uchar8 vector __attribute__((aligned(1)));
    const ulong low = gpi_pack_rows[mask & 255], high = gpi_pack_rows[mask >> 8] + 0x0808080808080808ul;
    const uchar16 packed = gpi_move_bytes(v, as_uchar16((ulong2)(low, high)));
    *(__private vector *)to = packed.lo;
    *(__private vector *)(to + popcount(mask & 255)) = packed.hi;
}

/* Packs eight lanes of two bytes. */
GPI_INLINE ushort8 gpi_pack_half_2(ushort8 v, uint mask)
{
    const ushort8 bytes = convert_ushort8(as_uchar8(gpi_pack_rows[mask])) * (ushort)0x202 + (ushort)0x100;
    return as_ushort8(gpi_move_bytes(as_uchar16(v), as_uchar16(bytes)));
}

static void gpi_pack_near_2(__private uchar *to, ushort16 v, uint mask)
{
    typedef ushort8 vector __attribute__((aligned(1)));
    *(__private vector *)to = gpi_pack_half_2(v.lo, mask & 255);
    *(__private vector *)(to + 2 * popcount(mask & 255)) = gpi_pack_half_2(v.hi, mask >> 8);
}

#if GPI_VECTOR_BYTES == 16
/* Row m has the positions of the bytes of those lanes, of four bytes each, whose bits are set in m, the lowest
   first. */
#define GPI_LANE_BYTES(k) (0x03020100u + 0x04040404u * (k))
#define GPI_LANE_ROW(a, b, c, d) GPI_LANE_BYTES(a), GPI_LANE_BYTES(b), GPI_LANE_BYTES(c), GPI_LANE_BYTES(d)
__constant uint gpi_lane_rows[64] __attribute__((aligned(16))) = {
    GPI_LANE_ROW(0, 0, 0, 0), GPI_LANE_ROW(0, 0, 0, 0), GPI_LANE_ROW(1, 0, 0, 0), GPI_LANE_ROW(0, 1, 0, 0),
    GPI_LANE_ROW(2, 0, 0, 0), GPI_LANE_ROW(0, 2, 0, 0), GPI_LANE_ROW(1, 2, 0, 0), GPI_LANE_ROW(0, 1, 2, 0),
    GPI_LANE_ROW(3, 0, 0, 0), GPI_LANE_ROW(0, 3, 0, 0), GPI_LANE_ROW(1, 3, 0, 0), GPI_LANE_ROW(0, 1, 3, 0),
    GPI_LANE_ROW(2, 3, 0, 0), GPI_LANE_ROW(0, 2, 3, 0), GPI_LANE_ROW(1, 2, 3, 0), GPI_LANE_ROW(0, 1, 2, 3)};

/* Packs four lanes of four bytes. */
GPI_INLINE uint4 gpi_pack_quarter_4(uint4 v, uint mask)
{
    const uint4 from = *(__constant const uint4 *)(gpi_lane_rows + 4 * (mask & 15));
    return as_uint4(gpi_move_bytes(as_uchar16(v), as_uchar16(from)));
}

static void gpi_pack_near_4(__private uchar *to, uint16 v, uint mask)
{
    typedef uint4 vector __attribute__((aligned(1)));
    *(__private vector *)to = gpi_pack_quarter_4(v.lo.lo, mask);
    *(__private vector *)(to + 4 * popcount(mask & 15)) = gpi_pack_quarter_4(v.lo.hi, mask >> 4);
    *(__private vector *)(to + 4 * popcount(mask & 255)) = gpi_pack_quarter_4(v.hi.lo, mask >> 8);
    *(__private vector *)(to + 4 * popcount(mask & 4095)) = gpi_pack_quarter_4(v.hi.hi, mask >> 12);
}
#endif
#endif
#endif
