/* lanes_loop.cl - the operations of vector/lanes.cl by loops, for elements that no instruction packs. Each lane is written to the
   position of the next packed lane. The next lane overwrites it unless its bit is set. */
#ifndef GPI_VECTOR_LANES_LOOP_CL
#define GPI_VECTOR_LANES_LOOP_CL
#include "base/platform.cl"
#include "vector/features.cl"
#include "vector/bits.cl"

#if GPI_PACKS && GPI_VECTOR_BYTES == 16
static uint gpi_mask_of(uint16 lanes) { return gpi_sign_bits(as_char16(convert_uchar16(lanes) << 7)); }

#define GPI_PACK_LOOP(size, T, V)                                         \
    static void gpi_pack_near_##size(__private uchar *to, V v, uint mask) \
    {                                                                     \
        typedef T element __attribute__((aligned(1)));                    \
        T lane[16];                                                       \
        uint n = 0;                                                       \
        vstore16(v, 0, lane);                                             \
        for (uint k = 0; k < 16; k++) {                                   \
            *(__private element *)(to + size * n) = lane[k];              \
            n += mask >> k & 1;                                           \
        }                                                                 \
    }
#if !GPI_MOVES_BYTES
GPI_PACK_LOOP(1, uchar, uchar16)
GPI_PACK_LOOP(2, ushort, ushort16)
GPI_PACK_LOOP(4, uint, uint16)
#endif
GPI_PACK_LOOP(8, ulong, ulong16)
#endif
#endif
