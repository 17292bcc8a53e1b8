/* single_tile_local.cl - at most a tile of keys in the local shape: their order is made in local memory, then
   keys and values move once.

   Parameters: those of sort/rank_tile.cl. */
#ifndef GPI_SORT_SINGLE_TILE_LOCAL_CL
#define GPI_SORT_SINGLE_TILE_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"

/* The n keys from `base` on into the stage, and shared->order into their order. */
static void gpi_single_tile_order(__global const gpi_key *key, ulong base, uint n, gpi_digit_bits bits,
                                  gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0);
    gpi_tile_load(key + base, n, shared);
    gpi_sync(); /* the stage is filled */
    for (uint p = 0; p < max(bits.passes, 1u); p++) {
        const gpi_digit digit = gpi_digit_of_pass(p, bits);
        uint entry[GPI_PER_ITEM];
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            uint c = GPI_RANK_BLOCKED_CELL(l, j);
            if (p > 0) c = GPI_ORDER_CELL(GPI_RANK_BLOCKED(shared->order, l, j));
            entry[j] =
                GPI_ORDER(c < GPI_RANK_CELL(n) ? gpi_digit_of(shared->stage[c], digit) : GPI_BINS - 1u, c);
        }
        gpi_order_digits(entry, digit.mask, shared);
    }
}

/* Moves the n keys and values of the ordered tile, in place if need be. */
static void gpi_single_tile_write(gpi_move move, ulong base, uint n, gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0);
#if GPI_VALUE_SIZE
    gpi_value value[GPI_PER_ITEM];
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const uint c = GPI_ORDER_CELL(GPI_RANK_STRIPED(shared->order, l, j));
        if (j * GPI_WG + l < n) value[j] = gpi_value_at(move, base + GPI_RANK_CELL_BACK(c));
    }
    gpi_sync_all(); /* all values are read: in place, they are now overwritten */
#endif
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const uint i = j * GPI_WG + l, c = GPI_ORDER_CELL(GPI_RANK_STRIPED(shared->order, l, j));
        if (i < n) {
            move.key_to[base + i] = shared->stage[c];
#if GPI_VALUE_SIZE
            move.value_to[base + i] = value[j];
#endif
        }
    }
}
#endif
