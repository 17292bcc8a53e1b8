/* lanes.cl - operations on the lanes of a CPU's vectors, by what the compiler says the CPU has.

       GPI_VECTOR_BYTES                 bytes of a vector: 64, 32 or 16
       GPI_PACKS                        1: there are gpi_mask_of and gpi_pack_near_n
       gpi_mask_of(lanes)               a mask whose bit k is lane k, which is 0 or 1
       gpi_pack_near_n(to, v, mask)     stores those of 16 elements of n bytes (1, 2, 4, 8) whose bit in `mask` is set, side by
                                        side from `to` on, in private memory; up to 16 elements there are overwritten
       gpi_bit_sums(plus, minus, sums)  sums[k], k = 0 ... 63: how many bits of `plus` below bit k are set, minus how many of
                                        `minus` */
#ifndef GPI_VECTOR_LANES_CL
#define GPI_VECTOR_LANES_CL
#include "base/platform.cl"

#if GPI_ON_CPU && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && \
    defined(__AVX512VL__) && defined(__BMI2__)
#define GPI_VECTOR_BYTES 64
#define GPI_PACKS 1
#include "vector/lanes_avx512.cl"
#elif GPI_ON_CPU && defined(__AVX2__)
#define GPI_VECTOR_BYTES 32
#define GPI_PACKS 1
#include "vector/lanes_avx2.cl"
#else
#define GPI_VECTOR_BYTES 16
#define GPI_PACKS 0
#include "vector/bit_sums.cl"
#endif
#endif
