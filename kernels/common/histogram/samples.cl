/* samples.cl - the samples that a group counts, their weights, and the type of counts.

   Parameters
       GPI_IN, GPI_IN_HALF       type of elements in memory; 1: half
       GPI_INPUTS                0: there are no elements in memory
       GPI_MAPPED                1: gpi_map(x, i), or gpi_map(i) without an input, is the sample of an element; 0:
                                 elements are samples, of GPI_SAMPLE
       GPI_CHANNELS              samples of an element, 1..4; more than one only if they have 8 bits and no map
       GPI_WEIGHTS, GPI_WEIGHT   1: with weights, of this type
       GPI_COUNT_WIDE            1: counts of 64 bits */
#ifndef GPI_HISTOGRAM_SAMPLES_CL
#define GPI_HISTOGRAM_SAMPLES_CL
#include "base/args.cl"
#include "base/arrays.cl"
#include "base/count.cl"
#include "base/platform.cl"

#if GPI_CHANNELS < 1 || GPI_CHANNELS > 4 || (GPI_CHANNELS > 1 && GPI_SAMPLE_SIZE > 1)
#error "GPI_CHANNELS must be 1, or up to 4 with samples of 8 bits"
#endif
#if (GPI_MAPPED && GPI_CHANNELS > 1) || (GPI_INPUTS == 0 && !GPI_MAPPED)
#error "a map makes one sample of an element, or of an index"
#endif

#if GPI_COUNT_WIDE
typedef ulong gpi_histogram_cell;
#else
typedef uint gpi_histogram_cell;
#endif
#if GPI_WEIGHTS
typedef gpi_histogram_cell gpi_weight; /* modulo 2^32 or 2^64, so that it may be negative */
#else
typedef uint gpi_weight;
#endif

/* The input arrays (base/arrays.cl). */
#if GPI_INPUTS == 0
#define GPI_SAMPLE_ARRAYS_IN(use, to)
#else
#define GPI_SAMPLE_ARRAYS_IN(use, to) use(to, GPI_IN, in)
#endif
#if GPI_WEIGHTS
#define GPI_SAMPLE_ARRAYS(use, to) GPI_SAMPLE_ARRAYS_IN(use, to) use(to, GPI_WEIGHT, weights)
#define GPI_WEIGHT_OF(samples, i) ((gpi_weight)(samples).weights[i])
#else
#define GPI_SAMPLE_ARRAYS(use, to) GPI_SAMPLE_ARRAYS_IN(use, to)
#define GPI_WEIGHT_OF(samples, i) ((gpi_weight)1)
#endif

/* The elements [begin, end) that this group counts, and their weights. */
typedef struct gpi_samples {
    GPI_SAMPLE_ARRAYS(GPI_ARRAY_MEMBER, _)
    GPI_ARGS_MEMBER
    ulong begin, end;
} gpi_samples;

#define GPI_SAMPLES_PARAMETERS \
    GPI_ARGS_PARAMETERS GPI_SAMPLE_ARRAYS(GPI_ARRAY_PARAMETER, _) GPI_COUNT_PARAMETERS, ulong span
#define GPI_SAMPLES_SET(samples)                                           \
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words); \
    GPI_ARGS_SET(samples)                                                  \
    GPI_SAMPLE_ARRAYS(GPI_ARRAY_SET, samples)                              \
    (samples).begin = min(n, span * get_group_id(0));                      \
    (samples).end = min(n, (samples).begin + span)

#if GPI_IN_HALF
#define GPI_READ_ELEMENT(p, i) vload_half(i, p)
#else
#define GPI_READ_ELEMENT(p, i) (p)[i]
#endif

/* Returns the sample of element i, if elements have one sample each. */
static GPI_OPERAND gpi_sample_read(gpi_samples s, ulong i)
{
#if GPI_INPUTS == 0
    return gpi_map(GPI_ARGS_OF(s) i);
#elif GPI_MAPPED
    return gpi_map(GPI_ARGS_OF(s) GPI_READ_ELEMENT(s.in, i), i);
#else
    return GPI_READ_ELEMENT(s.in, i);
#endif
}

/* Adds x to count `cell` of `out`, atomically. */
static void gpi_out_add(volatile __global uint *out, ulong cell, gpi_histogram_cell x)
{
#if GPI_COUNT_WIDE
    const uint high = (uint)(x >> 32);
    gpi_add_wide(out + 2 * cell, (uint)x);
    if (high) (void)atomic_add(out + 2 * cell + 1, high);
#else
    (void)atomic_add(out + cell, x);
#endif
}
#endif
