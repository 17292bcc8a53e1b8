/* ranked_sort.cl - a group sorts a few entries in local memory (bitonic sort: Batcher 1968). */
#ifndef GPI_SORT_RANKED_SORT_CL
#define GPI_SORT_RANKED_SORT_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/ranked.cl"

/* Sorts n entries. First pads them with gpi_ranked_last to a power of two, for which there must be room. Every step orders pairs.
   The first step of each size pairs mirrored positions, so that all pairs are put in the same order. Must be called by all items
   of the group, with the same n. */
static void gpi_ranked_sort(__local gpi_ranked *entry, uint n)
{
    uint all = 1;
    while (all < n) all *= 2;
    for (uint i = n + (uint)get_local_id(0); i < all; i += GPI_WG) entry[i] = gpi_ranked_last();
    gpi_sync(); /* the last entries are written */
    for (uint size = 2; size <= all; size *= 2) {
        for (uint reach = size; reach > 1; reach /= 2) {
            const uint half_reach = reach / 2;
            for (uint p = (uint)get_local_id(0); p < all / 2; p += GPI_WG) {
                const uint within = p & (half_reach - 1), at = 2 * p - within;
                const uint other = reach == size ? at + reach - 1 - 2 * within : at + half_reach;
                const gpi_ranked a = entry[at], b = entry[other];
                if (gpi_ranked_before(b, a)) {
                    entry[at] = b;
                    entry[other] = a;
                }
            }
            gpi_sync(); /* the step's entries are written */
        }
    }
}
#endif
