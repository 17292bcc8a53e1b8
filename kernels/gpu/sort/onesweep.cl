/* onesweep.cl - a group moves one tile of onesweep, in these steps:

       load, count         the counts are immediately published for the other groups
       rank                while other groups read the counts
       look back, write

   With sub-groups (sort/multisplit.cl), keys are counted and ranked in the same step.

   Parameters: those of sort/rank_tile.cl and sort/lookback.cl. */
#ifndef GPI_SORT_ONESWEEP_CL
#define GPI_SORT_ONESWEEP_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/lookback.cl"
#include "sort/rank.cl"

/* Looks back, and sets shared->next[d] to the position of the tile's first key with digit d, as gpi_tile_write expects it.
   Returns false if the pass is abandoned. shared->word must say whether the tile has published its counts. Writes the bases of
   the next launch to `bases_after`, which is NULL unless the tile is the last tile. */
static bool gpi_onesweep_look_back(gpi_ring ring, uint tile, __global const ulong *bases,
                                   __global ulong *bases_after, gpi_move_shared shared)
{
    bool failed = !shared->word;
    GPI_EACH_BIN(d)
    {
        uint before = 0;
        const bool found = !failed && gpi_ring_look_back(ring, tile, d, &before);
        const bool told = found && gpi_ring_conclude(ring, tile, d, before + shared->count[d]);
        failed |= !told;
        shared->next[d] = bases[d] + before - shared->start[d];
        if (bases_after) bases_after[d] = bases[d] + before + shared->count[d];
    }
    if (failed) gpi_ring_abandon(ring);
    gpi_sync_all(); /* all reads and writes of the table are done, and `next` is written */
    uint over = 0;
    if (get_local_id(0) == 0) over = gpi_is_abandoned(ring.state) || !gpi_ring_leave(ring, tile);
    if (over) gpi_ring_abandon(ring);
    return !gpi_broadcast_once(over, &shared->word);
}

/* Moves the elements [base, base + length), which are tile number `tile`, to their positions after this pass. */
static void gpi_onesweep_tile(gpi_move move, gpi_ring ring, uint tile, ulong base, uint length,
                              gpi_digit digit, uint lines, __global const ulong *bases,
                              __global ulong *bases_after, gpi_move_shared shared)
{
    (void)lines;
    if (get_local_id(0) == 0) shared->word = gpi_ring_gate(ring, tile);
#if GPI_SUB_GROUP
    gpi_key x[GPI_PER_ITEM];
    uint at[GPI_PER_ITEM];
    gpi_split_load(move.key + base, length, digit, x, at);
    gpi_split_rank(at, shared); /* its barriers make shared->word visible */
    gpi_split_count(length, shared);
    if (shared->word) {
        GPI_EACH_BIN(d) gpi_ring_publish(ring, tile, d, shared->count[d]);
    }
    gpi_split_place(x, at, shared);
    if (!gpi_onesweep_look_back(ring, tile, bases, bases_after, shared)) return;
    gpi_split_write(move, base, length, digit, at, shared);
#else
    uint entry[GPI_PER_ITEM];
    gpi_tile_count(move.key + base, length, digit, entry, shared); /* its barriers make `word` visible */
    if (shared->word) {
        GPI_EACH_BIN(d) gpi_ring_publish(ring, tile, d, shared->count[d]);
    }
    gpi_order_digits(entry, digit.mask, shared);
    gpi_tile_starts(shared);
    if (gpi_onesweep_look_back(ring, tile, bases, bases_after, shared))
        gpi_tile_write(move, base, length, shared);
#endif
}
#endif
