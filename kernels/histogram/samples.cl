/* samples.cl - the samples that a group counts, their weights, and what is counted.

   Parameters
       GPI_CHANNELS              samples of an element, 1..4; more than one of 8 bits only
       GPI_WEIGHTS, GPI_WEIGHT   1: with weights, of this type
       GPI_COUNT_WIDE            1: counts of 64 bits */
#ifndef GPI_HISTOGRAM_SAMPLES_CL
#define GPI_HISTOGRAM_SAMPLES_CL
#include "base/count.cl"
#include "base/platform.cl"

#if GPI_CHANNELS < 1 || GPI_CHANNELS > 4 || (GPI_CHANNELS > 1 && GPI_SAMPLE_SIZE > 1)
#error "GPI_CHANNELS must be 1, or up to 4 with samples of 8 bits"
#endif

#if GPI_COUNT_WIDE
typedef ulong gpi_histogram_cell;
#else
typedef uint gpi_histogram_cell;
#endif
#if GPI_WEIGHTS
typedef gpi_histogram_cell gpi_weight; /* modulo 2^32 or 2^64, negative ones too */
#else
typedef uint gpi_weight;
#endif

/* What is counted: elements [begin, end) of this group, and their weights. */
typedef struct gpi_samples {
    __global const GPI_SAMPLE *in;
    ulong begin, end;
#if GPI_WEIGHTS
    __global const GPI_WEIGHT *weights;
#endif
} gpi_samples;

#if GPI_WEIGHTS
#define GPI_WEIGHTS_PARAMETERS __global const GPI_WEIGHT *weights, ulong weights_at,
#define GPI_WEIGHTS_SET(samples) (samples).weights = weights + weights_at;
#define GPI_WEIGHT_OF(samples, i) ((gpi_weight)(samples).weights[i])
#else
#define GPI_WEIGHTS_PARAMETERS
#define GPI_WEIGHTS_SET(samples)
#define GPI_WEIGHT_OF(samples, i) ((gpi_weight)1)
#endif
#define GPI_SAMPLES_PARAMETERS \
    __global const GPI_SAMPLE *in, ulong in_at, GPI_WEIGHTS_PARAMETERS GPI_COUNT_PARAMETERS, ulong span
#define GPI_SAMPLES_SET(samples)                                           \
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words); \
    (samples).in = in + in_at * GPI_CHANNELS;                              \
    GPI_WEIGHTS_SET(samples)                                               \
    (samples).begin = min(n, span * get_group_id(0));                      \
    (samples).end = min(n, (samples).begin + span)

/* Adds to a count of `out`. */
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
