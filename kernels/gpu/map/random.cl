/* random.cl - a group computes random numbers (map/random_blocks.cl). */
#ifndef GPI_MAP_RANDOM_CL
#define GPI_MAP_RANDOM_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "map/random_blocks.cl"

/* Writes random numbers, GPI_WG blocks at a time. Each item computes one block. The elements are exchanged in local memory, so
   that neighbouring items write neighbouring elements. */
GPI_KERNEL void gp_random_tiles(GPI_RANDOM_PARAMETERS)
{
    __local GPI_LANE near[GPI_WG * GPI_PER_BLOCK];
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const uint skip = (uint)(first_element % GPI_PER_BLOCK), l = (uint)GPI_LOCAL_ID;
    const ulong end = n + skip; /* elements from the first block on; those before `skip` are not wanted */
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    out += out_offset;
    for (uint k = 0; k < GPI_PER_ITEM; k++) {
        const ulong first = (get_group_id(0) * GPI_PER_ITEM + k) * (GPI_WG * GPI_PER_BLOCK);
        uint word[4];
        GPI_LANE element[GPI_PER_BLOCK];
        gpi_random_words(first_element / GPI_PER_BLOCK + first / GPI_PER_BLOCK + l, seed, stream, word);
        gpi_random_elements(word, a, b, element);
        for (uint e = 0; e < GPI_PER_BLOCK; e++) near[l * GPI_PER_BLOCK + e] = element[e];
        gpi_sync(); /* all elements are in `near` */
        for (uint e = 0; e < GPI_PER_BLOCK; e++) {
            const ulong at = first + e * GPI_WG + l;
            if (at >= skip && at < end) GPI_RANDOM_WRITE(out, at - skip, near[e * GPI_WG + l]);
        }
        gpi_sync(); /* `near` is read: the next iteration may overwrite it */
    }
}
#endif
