/* bins.cl - finds the bin of a sample.

       even     b = floor((x - lower) * bins / (upper - lower))       lower <= x < upper
       edges    b: edges[b] <= x < edges[b+1]                         by binary search

   Even bins of integers are exact without a division. With d = x - lower < range <= 2^w,

       f = floor(2^2w * (bins % range) / range) + 1
       floor(d * bins / range) = d * (bins / range) + floor(d * f / 2^2w)

   because the error of f adds less than 1 / range. If a bin has 2^s numbers, floor(d * bins / range) = d >> s.

   Parameters
       GPI_SAMPLE, GPI_OPERAND               type of samples and edges in memory; type in which they are compared
       GPI_SAMPLE_SIZE, _FLOAT, _HALF        bytes of a sample; _FLOAT 1: it is float or double; _HALF 1: it is half
       GPI_EDGES                             1: bins by edges */
#ifndef GPI_HISTOGRAM_BINS_CL
#define GPI_HISTOGRAM_BINS_CL
#include "base/platform.cl"
#include "histogram/batch.cl"

#define GPI_HISTOGRAM_NOWHERE (~0u) /* the bin of a sample that is in no bin */
#define GPI_BYTES (GPI_SAMPLE_SIZE == 1)

/* lower, limit and scale are integers, or the bits of a GPI_OPERAND (src/histogram/histogram.c). There are no gaps between
   members, because Mesa's drivers copy structs that have gaps through memory, not through registers. */
typedef struct gpi_bins {
    uint count;
    uint shift;         /* integers: a bin has 2^shift numbers; GPI_HISTOGRAM_NOWHERE: not a power of two */
    ulong lower, limit; /* integers: upper - lower - 1; floats: upper */
    ulong scale[3];     /* integers: bins / range, and f's two words; floats: bins / (upper - lower) */
    __global const GPI_SAMPLE *edges;
} gpi_bins;

#define GPI_BINS_PARAMETERS                                                                             \
    uint bins_count, ulong lower, ulong limit, ulong scale_0, ulong scale_1, ulong scale_2, uint shift, \
        __global const GPI_SAMPLE *edges, ulong edges_at
#define GPI_BINS_SET(bins)     \
    (bins).count = bins_count; \
    (bins).lower = lower;      \
    (bins).limit = limit;      \
    (bins).scale[0] = scale_0; \
    (bins).scale[1] = scale_1; \
    (bins).scale[2] = scale_2; \
    (bins).shift = shift;      \
    (bins).edges = edges + edges_at

#if GPI_SAMPLE_HALF
#define GPI_READ_EDGE(p, i) vload_half(i, p)
#else
#define GPI_READ_EDGE(p, i) (p)[i]
#endif

#if GPI_EDGES
/* Writes to b[k] the bin of x[k]: the number of edges that are not above x[k], minus one. All searches make the same number of
   steps. */
static void gpi_bins_find(const GPI_OPERAND *x, gpi_bins bins, uint *b)
{
    uint n = bins.count + 1;
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) b[k] = 0;
    for (; n > 1; n -= n / 2) {
#pragma unroll
        for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++)
            b[k] += GPI_READ_EDGE(bins.edges, b[k] + n / 2 - 1) <= x[k] ? n / 2 : 0;
    }
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) {
        b[k] += GPI_READ_EDGE(bins.edges, b[k]) <= x[k];
        b[k] = b[k] - 1 < bins.count ? b[k] - 1 : GPI_HISTOGRAM_NOWHERE;
    }
}
#else
/* The distance of a sample from the lowest sample that is in a bin. Signed samples are sign-extended. */
#if GPI_SAMPLE_SIZE == 8
typedef ulong gpi_distance;
#else
typedef uint gpi_distance;
#endif

static uint gpi_bin(GPI_OPERAND x, gpi_bins bins)
{
#if GPI_SAMPLE_FLOAT
#if GPI_SAMPLE_SIZE == 8
    const double lower = as_double(bins.lower), upper = as_double(bins.limit),
                 scale = as_double(bins.scale[0]);
#else
    const float lower = as_float((uint)bins.lower), upper = as_float((uint)bins.limit),
                scale = as_float((uint)bins.scale[0]);
#endif
    const bool inside = x >= lower && x < upper; /* NaN is not inside */
    const uint b = (uint)((inside ? x - lower : 0) * scale);
    return inside ? min(b, bins.count - 1) : GPI_HISTOGRAM_NOWHERE; /* rounding may yield count */
#else
    const gpi_distance d = (gpi_distance)x - (gpi_distance)bins.lower;
#if GPI_SAMPLE_SIZE == 8
    const ulong low = d * bins.scale[1];
    const ulong b = d * bins.scale[0] + mul_hi(d, bins.scale[1]) + (low + mul_hi(d, bins.scale[2]) < low);
#else
    /* d and f0, f1 have 32 bits: two multiplications yield the third word of the product. */
    const uint f0 = (uint)bins.scale[1], f1 = (uint)(bins.scale[1] >> 32);
    const ulong above = (ulong)d * f1 + ((ulong)d * f0 >> 32);
    const uint b = d * (uint)bins.scale[0] + (uint)(above >> 32);
#endif
    return d <= (gpi_distance)bins.limit ? (uint)b : GPI_HISTOGRAM_NOWHERE;
#endif
}

static void gpi_bins_find(const GPI_OPERAND *x, gpi_bins bins, uint *b)
{
#if !GPI_SAMPLE_FLOAT
    if (bins.shift != GPI_HISTOGRAM_NOWHERE) {
        GPI_FOR_BATCH(k)
        {
            const gpi_distance d = (gpi_distance)x[k] - (gpi_distance)bins.lower;
            b[k] = d <= (gpi_distance)bins.limit ? (uint)(d >> bins.shift) : GPI_HISTOGRAM_NOWHERE;
        }
        return;
    }
#endif
    GPI_FOR_BATCH(k) b[k] = gpi_bin(x[k], bins);
}
#endif

#if GPI_BYTES
/* Returns the bin of a sample of 8 bits. */
static uint gpi_bin_of_byte(uint value, gpi_bins bins)
{
    GPI_OPERAND x[GPI_HISTOGRAM_BATCH];
    uint b[GPI_HISTOGRAM_BATCH];
    for (uint k = 0; k < GPI_HISTOGRAM_BATCH; k++) x[k] = (GPI_OPERAND)value;
    gpi_bins_find(x, bins, b);
    return b[0];
}
#endif
#endif
