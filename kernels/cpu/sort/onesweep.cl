/* onesweep.cl - one item finds the positions of the keys of a onesweep tile by look-back, and moves the keys. */
#ifndef GPI_SORT_ONESWEEP_CL
#define GPI_SORT_ONESWEEP_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/bin.cl"
#include "sort/digit.cl"
#include "sort/lookback.cl"
#include "sort/rank.cl"

/* Writes to shared->next[d] the position of the tile's first key of each digit d, computed by look-back from the counts in
   shared->count. Unless `bases_after` is NULL, writes the bases of the next launch to it. Returns false if this tile or another
   one has abandoned the pass. */
static bool gpi_onesweep_place(gpi_ring ring, uint tile, __global const ulong *bases,
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
        if (bases_after) bases_after[d] = bases[d] + before + shared->count[d];
    }
    if (failed) gpi_ring_abandon(ring);
    gpi_sync_all(); /* all reads and writes of the table are done, and `next` is written */
    if (GPI_LOCAL_ID == 0) failed = gpi_is_abandoned(ring.state) || !gpi_ring_leave(ring, tile);
    if (GPI_LOCAL_ID == 0 && failed) gpi_ring_abandon(ring);
    return !gpi_broadcast(failed, &shared->word);
}

/* Moves the elements [base, base + length), which are tile `tile`, to their positions of this pass. `bases_after` is
   NULL, or, for the last tile, the address to which the bases of the next launch are written. `lines`: as for
   gpi_move_range. */
static void gpi_onesweep_tile(gpi_move move, gpi_ring ring, uint tile, ulong base, uint length,
                              gpi_bin_map digit, uint lines, __global const ulong *bases,
                              __global ulong *bases_after, gpi_move_shared shared)
{
    gpi_count_range(move.key, base, base + length, digit, shared);
    if (gpi_onesweep_place(ring, tile, bases, bases_after, shared))
        gpi_move_range(move, base, base + length, digit, lines, shared);
}
#endif
