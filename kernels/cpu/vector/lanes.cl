/* lanes.cl - operations on the lanes of a CPU's vectors, according to the CPU's features (vector/features.cl). If GPI_PACKS is 0,
   only gpi_bit_sums is defined.

       gpi_mask_of(lanes)               a mask whose bit k is lane k, which is 0 or 1
       gpi_pack_near_n(to, v, mask)     stores those of 16 elements of n bytes (1, 2, 4, 8) whose bit in `mask` is set, side by
                                        side from `to` on, in private memory; up to 16 elements there are overwritten
       gpi_bit_sums(plus, minus, sums)  sums[k], k = 0 ... 63: how many bits of `plus` below bit k are set, minus how many of
                                        `minus` */
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
