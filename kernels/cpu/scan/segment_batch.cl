/* segment_batch.cl - some short segments that are given by offsets, as a batch. If each segment had its own loop, the loop's end
   would be mispredicted. */
#ifndef GPI_SCAN_SEGMENT_BATCH_CL
#define GPI_SCAN_SEGMENT_BATCH_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/segments.cl"
#include "element/monoid.cl"

#define GPI_SEGMENTS_BATCH 32u                                      /* segments of a batch */
#define GPI_BATCH_MOST (GPI_SIZE <= 16 ? 1024u : 16384u / GPI_SIZE) /* the most elements of a batch */

/* Returns whether the GPI_SEGMENTS_BATCH segments from segment s on have good offsets, and are short: together at most
   GPI_BATCH_MOST elements. Writes to `at` the segments' bounds, counted from `begin`, where segment s begins. */
static bool gpi_batch_open(gpi_offsets offsets, ulong s, ulong begin, uint *at)
{
    bool rises = true;
    for (uint k = 0; k <= GPI_SEGMENTS_BATCH; k++) {
        const ulong from_begin = gpi_number(offsets.at, s + k, offsets.words) - begin;
        at[k] = (uint)min(from_begin, (ulong)GPI_BATCH_MOST + 1);
    }
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++) rises &= at[k] <= at[k + 1];
    return rises && at[GPI_SEGMENTS_BATCH] <= GPI_BATCH_MOST && begin <= offsets.count &&
           at[GPI_SEGMENTS_BATCH] <= offsets.count - begin;
}
#endif
