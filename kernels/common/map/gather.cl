/* gather.cl - moves elements by index

       gather     out[i] = in[index[i]]
       scatter    out[index[i]] = in[i]
       unpack     if flag i is set, out[i] = in[index[i]], and out[i] keeps its value otherwise. index[i]: flags set before i

   `limit` is the number of elements of the indexed array. An element whose index is not below `limit` is skipped, and
   counted. If an element's flag is not set, its index is ignored.

   On CPUs, the cache line of each element is prefetched GPI_FETCH elements before it is used. So at any time, as many misses
   overlap as a core can have in flight. With batches, fewer would overlap at the end of each batch.

   Parameters: those of map/moves.cl. */
#ifndef GPI_MAP_GATHER_CL
#define GPI_MAP_GATHER_CL
#include "base/arrays.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "map/gather_tile.cl"
#include "map/moves.cl"

GPI_KERNEL void gp_gather_tiles(__global const GPI_OUT *in, ulong in_offset, __global GPI_OUT *out,
                                ulong out_offset, GPI_MOVE_ARRAYS(GPI_ARRAY_PARAMETER, _) ulong limit,
                                ulong span, GPI_COUNT_PARAMETERS, volatile __global uint *counters)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) * span;
    gpi_moves m;
    uint skipped;
    m.in = in + in_offset;
    m.out = out + out_offset;
    m.limit = limit;
    GPI_MOVE_ARRAYS(GPI_ARRAY_SET, m)
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    if (first >= n) return;
    skipped = gpi_gather_tile(m, first, min(n, first + span));
    if (skipped) (void)atomic_add(counters + GPI_COUNT_SKIPPED, skipped);
}
#endif
