/* tile_radix_sort.cl - one group with sub-groups sorts at most a tile of keys: digit by digit, the lowest first.

       load        keys are loaded to the stage, in local memory
       each digit  keys are read, ranked (sort/multisplit.cl), and stored on the stage at their ranks
       write       neighbouring items write neighbouring keys; values are read at their keys' indices in the input

   Parameters: those of sort/multisplit.cl. */
#ifndef GPI_SORT_TILE_RADIX_SORT_CL
#define GPI_SORT_TILE_RADIX_SORT_CL
#include "base/platform.cl"
#include "group/exchange.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/multisplit.cl"

#if GPI_TILE > 32768
#error "GPI_TILE must be at most 32768"
#endif

typedef struct gpi_radix_tile_memory {
    gpi_move_memory move;
#if GPI_VALUE_SIZE
    ushort place[GPI_PADDED(GPI_TILE)]; /* index in the input of each key on the stage */
#endif
} gpi_radix_tile_memory;
typedef __local gpi_radix_tile_memory *gpi_radix_tile_shared;

/* Loads the n keys at `key` onto the stage. All loads come before the first store, so that they are in flight together. If
   there are values, also writes the index of each key to `place`. */
GPI_INLINE_GPU void gpi_radix_tile_load(__global const gpi_key *key, uint n, gpi_radix_tile_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID;
    gpi_key x[GPI_PER_ITEM];
    GPI_LOAD_STRIPED_PART(x, GPI_PER_ITEM, key + l, GPI_WG, gpi_left(n, l), 0);
    GPI_EACH_OWN(j) {
        GPI_PADDED_AT(shared->move.stage.key, l, GPI_WG, j) = x[j];
#if GPI_VALUE_SIZE
        GPI_PADDED_AT(shared->place, l, GPI_WG, j) = (ushort)(l + j * GPI_WG);
#endif
    }
    gpi_sync(); /* the stage is filled */
}

/* Sorts the n keys on the stage, and with them their indices in the input, stably by one digit. */
GPI_INLINE_GPU void gpi_radix_tile_pass(uint n, gpi_digit digit, gpi_radix_tile_shared shared)
{
    const uint first = GPI_ANEW(gpi_split_first(), digit.shift >> 30), left = gpi_left(n, first);
    gpi_key x[GPI_PER_ITEM];
    uint at[GPI_PER_ITEM];
    GPI_EACH_OWN(j) {
        x[j] = GPI_PADDED_AT(shared->move.stage.key, first, GPI_SUB_GROUP, j);
        at[j] = j * GPI_SUB_GROUP < left ? gpi_digit_of(x[j], digit) : GPI_BINS - 1; /* see gpi_split_load */
    }
#if GPI_VALUE_SIZE
    uint place[(GPI_PER_ITEM + 1) / 2];
    GPI_EACH_OWN(j) {
        GPI_SPLIT_PACK(place, j, 16, (uint)GPI_PADDED_AT(shared->place, first, GPI_SUB_GROUP, j));
    }
#endif
    gpi_split_rank(at, &shared->move);
    gpi_split_count(n, &shared->move);
    gpi_split_place(x, at, &shared->move);
#if GPI_VALUE_SIZE
    GPI_EACH_OWN(j) shared->place[GPI_SPLIT_UNPACK(at, j, 16)] = (ushort)GPI_SPLIT_UNPACK(place, j, 16);
#endif
    gpi_sync(); /* the keys are staged in their new order */
}

/* Writes the first `length` keys on the stage, and their values. All values are read before one is written, because the sort may
   be in place. */
GPI_INLINE_GPU void gpi_radix_tile_write(gpi_move move, uint length, gpi_radix_tile_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID, left = gpi_left(length, l);
#if GPI_VALUE_SIZE
    gpi_value value[GPI_PER_ITEM];
    GPI_EACH_STRIPED(j, GPI_WG, left)
        value[j] = gpi_value_at(move, GPI_PADDED_AT(shared->place, l, GPI_WG, j));
#endif
    gpi_sync_all(); /* all input is read: if the sort is in place, it is now overwritten */
    GPI_EACH_STRIPED(j, GPI_WG, left) {
        (move.key_to + l)[j * GPI_WG] = GPI_PADDED_AT(shared->move.stage.key, l, GPI_WG, j);
#if GPI_VALUE_SIZE
        (move.value_to + l)[j * GPI_WG] = value[j];
#endif
    }
}

/* Writes the first `most` of n keys in order, 0 < n <= GPI_TILE. */
GPI_INLINE_GPU void gpi_radix_tile_sort(gpi_move move, uint n, uint most, gpi_digit_bits bits,
                                        gpi_radix_tile_shared shared)
{
    gpi_radix_tile_load(move.key, n, shared);
    GPI_ROLLED
    for (uint p = 0; p < bits.passes; p++) gpi_radix_tile_pass(n, gpi_digit_of_pass(p, bits), shared);
    gpi_radix_tile_write(move, min(n, most), shared);
}
#endif
