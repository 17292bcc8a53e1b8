/* single_tile_local.cl - at most a tile of keys in the local shape: their order is made in registers and local memory
   (sort/tile_merge_sort.cl), then keys and values move once.

   Loads and stores are striped (item l takes l, l + GPI_WG, ...), entries blocked (item l has l * GPI_PER_ITEM and those
   after it).

   Parameters: those of sort/tile_merge_sort.cl. */
#ifndef GPI_SORT_SINGLE_TILE_LOCAL_CL
#define GPI_SORT_SINGLE_TILE_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/tile_merge_sort.cl"

typedef struct gpi_single_tile_memory {
    union {
        gpi_entry_memory entry;
        struct {
            gpi_key key[GPI_ENTRY_CELLS];
            uint place[GPI_ENTRY_CELLS];
        } stage;
    } tile;
    uint word;
} gpi_single_tile_memory;
typedef __local gpi_single_tile_memory *gpi_single_tile_shared;

/* Of an array of cells, that of element j * GPI_WG + l: one address for all j. */
#if GPI_PER_ITEM % 2 || GPI_WG % GPI_ENTRY_RUN == 0
#define GPI_ENTRY_STRIPED(array, l, j) ((array) + GPI_ENTRY_CELL(l))[(j)*GPI_ENTRY_CELL(GPI_WG)]
#else
#define GPI_ENTRY_STRIPED(array, l, j) (array)[GPI_ENTRY_CELL((j)*GPI_WG + (l))]
#endif

/* The first n keys at `key` onto the stage; after them, zeros. All loads of a full tile come first, so that they are under
   way together. */
GPI_INLINE_GPU void gpi_single_tile_stage(__global const gpi_key *key, uint n, gpi_single_tile_shared shared)
{
    const uint l = (uint)get_local_id(0);
    const int left = (int)n - (int)l;
    gpi_key x[GPI_PER_ITEM];
    GPI_UNROLL
    for (int j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) x[j] = j * GPI_WG < left ? (key + l)[j * GPI_WG] : 0;
    GPI_UNROLL
    for (int j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) GPI_ENTRY_STRIPED(shared->tile.stage.key, l, j) = x[j];
    gpi_sync(); /* the stage is filled */
}

/* The entries of n keys, all of segment 0; after them, what comes after them in their order. */
GPI_INLINE_GPU void gpi_single_tile_load(__global const gpi_key *key, uint n, gpi_digit_bits bits,
                                         gpi_entry *entry, gpi_single_tile_shared shared)
{
    uint at = (uint)get_local_id(0) * GPI_PER_ITEM;
    gpi_single_tile_stage(key, n, shared);
    GPI_SETTLE(at);
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const gpi_key_bits x = gpi_window_of((shared->tile.stage.key + GPI_ENTRY_CELL(at))[j], bits);
        entry[j] = gpi_entry_make(at + j < n ? x : GPI_ENTRY_KEY_MOST, at + j);
    }
    gpi_sync(); /* the stage is read: entries may overwrite it */
}

/* Moves the n keys and values from `base` on into the entries' order, in place if need be, or the first `most` of them.
   Ends with a barrier. */
GPI_INLINE_GPU void gpi_single_tile_write(gpi_move move, ulong base, uint n, uint most,
                                          const gpi_entry *entry, gpi_single_tile_shared shared)
{
    const uint l = (uint)get_local_id(0), at = l * GPI_PER_ITEM;
    const int left = (int)min(n, most) - (int)l;
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++)
        (shared->tile.stage.place + GPI_ENTRY_CELL(at))[j] = gpi_entry_place(entry[j]);
    gpi_single_tile_stage(move.key + base, n, shared); /* its barrier shows the places, too */
#if GPI_VALUE_SIZE
    gpi_value value[GPI_PER_ITEM];
    GPI_UNROLL
    for (int j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++)
        if (j * GPI_WG < left)
            value[j] = gpi_value_at(move, base + GPI_ENTRY_STRIPED(shared->tile.stage.place, l, j));
#endif
    gpi_sync_all(); /* all is read: in place, it is now overwritten */
    GPI_UNROLL
    for (int j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        if (j * GPI_WG < left) {
            const uint from = GPI_ENTRY_STRIPED(shared->tile.stage.place, l, j);
            (move.key_to + base + l)[j * GPI_WG] = shared->tile.stage.key[GPI_ENTRY_CELL(from)];
#if GPI_VALUE_SIZE
            (move.value_to + base + l)[j * GPI_WG] = value[j];
#endif
        }
    }
    gpi_sync(); /* the stage is read: the next tile may overwrite it */
}

/* Of the keys [base, base + n) in place `from`, 0 < n <= GPI_TILE, the first `most` in order to the output, or the second
   buffer. */
GPI_INLINE_GPU void gpi_single_tile_first(gpi_places places, ulong base, uint n, uint most,
                                          gpi_digit_bits bits, uint from, uint tmp_first,
                                          gpi_single_tile_shared shared)
{
    const gpi_move move = gpi_move_make(places, from, tmp_first ? GPI_PLACE_TMP : GPI_PLACE_OUT);
    gpi_entry entry[GPI_PER_ITEM];
    gpi_single_tile_load(move.key + base, n, bits, entry, shared);
    gpi_entries_sort(entry, n, &shared->tile.entry);
    gpi_single_tile_write(move, base, n, most, entry, shared);
}
#endif
