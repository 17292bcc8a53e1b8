/* single_tile_local.cl - at most a tile of keys in the local shape: their order is made in local memory, then
   keys and values move once.

   Parameters: those of sort/rank_tile.cl. */
#ifndef GPI_SORT_SINGLE_TILE_LOCAL_CL
#define GPI_SORT_SINGLE_TILE_LOCAL_CL
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"

/* The n keys from `base` on into the stage, and shared->order into their order. */
static void gpi_single_tile_order(__global const gpi_key *key, ulong base, uint n, gpi_digit_bits bits,
                                  gpi_rank_shared shared)
{
    gpi_tile_load(key, base, n, gpi_digit_of_pass(0, bits), shared);
    for (uint p = 0; p < bits.passes; p++) {
        const gpi_digit digit = gpi_digit_of_pass(p, bits);
        for (uint i = (uint)get_local_id(0); i < GPI_TILE && p > 0; i += GPI_WG) {
            const uint k = GPI_ORDER_INDEX(shared->order[i]);
            const uint d = k < n ? gpi_digit_of(shared->stage[k], digit) : GPI_BINS - 1;
            shared->order[i] = GPI_ORDER(d, k);
        }
        gpi_order_digits(shared, digit.mask);
    }
    gpi_sync(); /* the order is written */
}

/* Moves the n keys and values of the ordered tile, in place if need be. */
static void gpi_single_tile_write(gpi_move move, ulong base, uint n, gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0);
#if GPI_VALUE_SIZE
    gpi_value value[GPI_PER_ITEM];
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint i = j * GPI_WG + l;
        if (i < n) value[j] = gpi_value_at(move, base + GPI_ORDER_INDEX(shared->order[i]));
    }
    gpi_sync_all(); /* all values are read: in place, they are now overwritten */
#endif
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint i = j * GPI_WG + l;
        if (i >= n) break;
        move.key_to[base + i] = shared->stage[GPI_ORDER_INDEX(shared->order[i])];
#if GPI_VALUE_SIZE
        move.value_to[base + i] = value[j];
#endif
    }
}
#endif
