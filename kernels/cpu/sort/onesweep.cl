/* onesweep.cl - one item finds by look-back where the keys of a tile of onesweep go. */
#ifndef GPI_SORT_ONESWEEP_CL
#define GPI_SORT_ONESWEEP_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#include "sort/lookback.cl"
#include "sort/rank.cl"

/* Writes to shared->next where the tile's keys of each digit go, from the tile's counts in shared->count. Returns false if the pass
   is abandoned. */
static bool gpi_onesweep_place(gpi_ring ring, uint tile, bool last, __global const ulong *bases,
                               __global ulong *bases_after, gpi_rank_shared shared)
{
    uint failed = 0;
    if (GPI_LOCAL_ID == 0) failed = !gpi_ring_gate(ring, tile);
    if (failed) gpi_ring_abandon(ring);
    if (gpi_broadcast(failed, &shared->word)) return false;
    GPI_EACH_BIN(d) gpi_ring_publish(ring, tile, d, shared->count[d]);
    GPI_EACH_BIN(d)
    {
        uint before = 0;
        const bool found = !failed && gpi_ring_look_back(ring, tile, d, &before);
        const bool told = found && gpi_ring_conclude(ring, tile, d, before + shared->count[d]);
        failed |= !told;
        shared->next[d] = bases[d] + before;
        if (last && bases_after) bases_after[d] = bases[d] + before + shared->count[d];
    }
    if (failed) gpi_ring_abandon(ring);
    gpi_sync_all(); /* all reads and writes of the table are done, and `next` is written */
    if (GPI_LOCAL_ID == 0) failed = gpi_is_abandoned(ring.state) || !gpi_ring_leave(ring, tile);
    if (GPI_LOCAL_ID == 0 && failed) gpi_ring_abandon(ring);
    return !gpi_broadcast(failed, &shared->word);
}
#endif
