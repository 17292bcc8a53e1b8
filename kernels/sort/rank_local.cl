/* rank_local.cl - ranking in the local shape: tiles (sort/rank_tile.cl) are put in the order of their digits,
   stably, by two rounds of four bits.

   Parameters: those of sort/rank_tile.cl. */
#ifndef GPI_SORT_RANK_LOCAL_CL
#define GPI_SORT_RANK_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#include "sort/rank_tile.cl"

/* Puts shared->order in the order of four bits of the digits, stably: items own consecutive entries, count
   them by value, and the counters' running sum says where each goes. */
static void gpi_order_nibble(gpi_rank_shared shared, uint shift)
{
    const uint l = (uint)get_local_id(0);
    uint entry[GPI_PER_ITEM], rank[GPI_PER_ITEM], sum = 0;
    for (uint v = 0; v < GPI_TURNS(16); v++) shared->nibble[v * GPI_WG + l] = 0;
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        entry[j] = shared->order[l * GPI_PER_ITEM + j];
        rank[j] = shared->nibble[(entry[j] >> shift & 15) * GPI_WG + l]++;
    }
    gpi_sync(); /* all items have counted, and read their entries */
    for (uint k = 0; k < GPI_TURNS(16); k++) {
        const uint x = shared->nibble[l * 16 + k];
        shared->nibble[l * 16 + k] = (ushort)sum;
        sum += x;
    }
    sum = gpi_group_before(sum, shared);
    for (uint k = 0; k < GPI_TURNS(16); k++) shared->nibble[l * 16 + k] += (ushort)sum;
    gpi_sync(); /* the running sum is complete */
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++)
        shared->order[shared->nibble[(entry[j] >> shift & 15) * GPI_WG + l] + rank[j]] = entry[j];
    gpi_sync(); /* the new order is written */
}

/* Puts shared->order in the order of its digits, stably. */
static void gpi_order_digits(gpi_rank_shared shared, uint mask)
{
    gpi_sync(); /* the entries are written */
    gpi_order_nibble(shared, 16);
    if (mask > 15) gpi_order_nibble(shared, 20);
}

/* Moves [begin, end) to where shared->next says, tile by tile. */
static void gpi_move_range(gpi_move move, ulong begin, ulong end, gpi_digit digit, bool lines,
                           gpi_rank_shared shared)
{
    (void)lines;
    for (ulong base = begin; base < end; base += GPI_TILE) {
        const uint length = (uint)min((ulong)GPI_TILE, end - base);
        gpi_tile_load(move.key, base, length, digit, shared);
        gpi_order_digits(shared, digit.mask);
        gpi_tile_write(move, base, length, shared);
        gpi_tile_advance(length, shared);
    }
}
#endif
