/* features.cl - features of the CPU, according to the compiler.

       GPI_VECTOR_BYTES   bytes of a vector: 64, 32 or 16
       GPI_MOVES_BYTES    1: an instruction moves the bytes of a vector to positions that another vector names
       GPI_PACKS          1: on PoCL, vectors are packed by masks (vector/lanes.cl) */
#ifndef GPI_VECTOR_FEATURES_CL
#define GPI_VECTOR_FEATURES_CL
#include "base/platform.cl"

#if GPI_ON_CPU && defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && \
    defined(__AVX512VL__) && defined(__BMI2__)
#define GPI_VECTOR_BYTES 64
#elif GPI_ON_CPU && defined(__AVX2__)
#define GPI_VECTOR_BYTES 32
#else
#define GPI_VECTOR_BYTES 16
#endif

#if GPI_ON_CPU && (defined(__SSSE3__) || defined(__aarch64__))
#define GPI_MOVES_BYTES 1
#else
#define GPI_MOVES_BYTES 0
#endif

#if GPI_ON_CPU && !defined(GPI_INTEL_CPU)
#define GPI_PACKS 1
#else
#define GPI_PACKS 0
#endif
#endif
