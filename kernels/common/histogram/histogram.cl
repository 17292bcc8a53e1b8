/* histogram.cl - counts samples: out[c * bins + b] += w for each sample of channel c in bin b. w is the sample's
   weight, or 1 if there are no weights.

   Bins are even or between edges (bins.cl). Samples outside all bins, including NaN, are not counted.

       in       |  span 0  |  span 1  | ... |        group per span
       near     |  table   |  table   |              few bins: each group has its own tables, which it adds to `out`
       far      |  `out`, or slices of it            many bins: on GPUs by atomics, on CPUs in slices that are then joined

   A group has several near tables side by side, so that consecutive equal samples do not wait for each other's
   addition. Samples of 8 bits are counted by value, in tables of 256 counts. The bin of each value is found once, at the
   end.

   Parameters: those of bins.cl and samples.cl, and
       GPI_NEAR_CELLS   counts that the near tables have room for */
#ifndef GPI_HISTOGRAM_HISTOGRAM_CL
#define GPI_HISTOGRAM_HISTOGRAM_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "histogram/bins.cl"
#include "histogram/count_samples.cl"
#include "histogram/samples.cl"

#if GPI_NEAR_CELLS < GPI_CHANNELS * 256
#error "GPI_NEAR_CELLS must hold 256 counts a channel"
#endif

/* Counts a span of samples in near tables, and adds these to `out`. Only the first `channels` channels are wanted. */
GPI_KERNEL void gp_histogram_near(GPI_SAMPLES_PARAMETERS, GPI_BINS_PARAMETERS, volatile __global uint *out,
                                  ulong out_at, uint copies, uint channels, volatile __global uint *counters)
{
    GPI_NEAR_SHARED(near);
    gpi_samples samples;
    gpi_bins bins;
    GPI_SAMPLES_SET(samples);
    GPI_BINS_SET(bins);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    out += out_at * (GPI_COUNT_WIDE + 1);
    gpi_count_near(samples, bins, copies, channels, out, near);
}

/* Counts a span of samples in `out` or in a slice, if there are more bins than near tables can hold. Does not count samples
   of 8 bits, which never need it. */
GPI_KERNEL void gp_histogram_far(GPI_SAMPLES_PARAMETERS, GPI_BINS_PARAMETERS,
                                 __global gpi_histogram_cell *out, ulong out_at,
                                 __global gpi_histogram_cell *slices, uint clears,
                                 volatile __global uint *counters)
{
    gpi_samples samples;
    gpi_bins bins;
    GPI_SAMPLES_SET(samples);
    GPI_BINS_SET(bins);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
#if !GPI_BYTES
    gpi_count_far(samples, bins, out + out_at, slices, clears);
#endif
}

/* Adds `count` slices to `out`. Each group handles a range of `span` bins. */
GPI_KERNEL void gp_histogram_join(__global gpi_histogram_cell *out, ulong out_at,
                                  __global const gpi_histogram_cell *slices, uint count, ulong bins,
                                  ulong span)
{
    const ulong begin = span * get_group_id(0), end = min(bins, begin + span);
    out += out_at;
    for (uint k = 0; k < count; k++) {
        for (ulong b = begin + GPI_LOCAL_ID; b < end; b += GPI_WG) out[b] += slices[k * bins + b];
    }
}
#endif
