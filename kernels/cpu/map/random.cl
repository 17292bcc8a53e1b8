/* random.cl - one item computes random numbers (map/random_blocks.cl). */
#ifndef GPI_MAP_RANDOM_CL
#define GPI_MAP_RANDOM_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "map/random_blocks.cl"
#include "map/random_lanes.cl"

/* Each group g writes out[i] for `span` indices i, from span * g on. Computes eight blocks at a time, from the block of the
   first element on. */
GPI_KERNEL void gp_random_tiles(GPI_RANDOM_PARAMETERS)
{
    const uint chunk = GPI_BLOCKS * GPI_PER_BLOCK;
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong begin = get_group_id(0) * span, end = min(n, begin + span);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    out += out_offset;
    for (ulong i = begin; i < end;) {
        const uint skip = (uint)((first_element + i) % GPI_PER_BLOCK);
        uint word[4 * GPI_BLOCKS];
        GPI_LANE element[GPI_BLOCKS * GPI_PER_BLOCK];
        gpi_random_words((first_element + i) / GPI_PER_BLOCK, seed, stream, word);
        gpi_random_elements(word, a, b, element);
        if (skip == 0 && i + chunk <= end) {
            for (uint k = 0; k < chunk; k++) GPI_RANDOM_WRITE(out, i + k, element[k]);
        } else {
            for (uint k = skip; k < chunk && i + k - skip < end; k++)
                GPI_RANDOM_WRITE(out, i + k - skip, element[k]);
        }
        i += chunk - skip;
    }
}
#endif
