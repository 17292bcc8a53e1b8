/* lanes.cl - operations on the lanes of a CPU's vectors, according to the CPU's features (vector/features.cl). If GPI_PACKS is 0,
   only gpi_bit_sums may be used.

       gpi_mask_of(lanes)               a mask whose bit k is lane k, which is 0 or 1
       gpi_pack_near_n(to, v, mask)     stores the elements of v whose bits in `mask` are set, side by side from `to`
                                        on, in private memory; v has 16 elements of n bytes (1, 2, 4, 8); up to 16
                                        elements at `to` are overwritten
       gpi_bit_sums(plus, minus, sums)  sets sums[k], k = 0 ... 63, to the number of set bits of `plus` below bit k,
                                        minus the number of set bits of `minus` below bit k */
#ifndef GPI_VECTOR_LANES_CL
#define GPI_VECTOR_LANES_CL
#include "base/platform.cl"
#include "vector/features.cl"
#include "vector/lanes_avx512.cl"
#include "vector/lanes_avx2.cl"
#include "vector/lanes_bytes.cl"
#include "vector/lanes_loop.cl"
#include "vector/bits.cl"
#endif
