/* single_tile.cl - one group sorts at most a tile of keys. It sorts their entries in registers and local memory
   (sort/tile_merge_sort.cl), and then moves keys and values once.

   Loads and stores are striped (item l handles elements l, l + GPI_TEAM, ... of its team's piece). Entries are blocked (item l
   has GPI_PER_ITEM consecutive entries, from l * GPI_PER_ITEM on). Each team converts between the two orders on a stage, which
   shares its local memory with the team's entries.

   Parameters: those of sort/tile_merge_sort.cl. */
#ifndef GPI_SORT_SINGLE_TILE_CL
#define GPI_SORT_SINGLE_TILE_CL
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/tile_merge_sort.cl"

#if GPI_KEY_SIZE < 8
#define GPI_STAGE_CELLS (4 / GPI_KEY_SIZE * GPI_TEAM_CELLS)
#endif

typedef struct gpi_single_tile_memory {
    union {
        gpi_entry_memory entry;
#if GPI_KEY_SIZE < 8
        uint place[2 * GPI_ENTRY_CELLS];                 /* a team's places, then room for its keys */
        gpi_key key[8 / GPI_KEY_SIZE * GPI_ENTRY_CELLS]; /* a team's keys, after room for its places */
#else
        struct {
            gpi_key key[GPI_ENTRY_CELLS];
            uint place[GPI_ENTRY_CELLS];
        } stage;
#endif
    } tile;
    uint word;
} gpi_single_tile_memory;
typedef __local gpi_single_tile_memory *gpi_single_tile_shared;

GPI_INLINE __local gpi_key *gpi_stage_keys(gpi_single_tile_shared shared)
{
#if GPI_KEY_SIZE < 8
    return shared->tile.key + (2 * gpi_entries_team() + 1) * GPI_STAGE_CELLS;
#else
    return shared->tile.stage.key + gpi_entries_team() * GPI_TEAM_CELLS;
#endif
}

GPI_INLINE __local uint *gpi_stage_places(gpi_single_tile_shared shared)
{
#if GPI_KEY_SIZE < 8
    return shared->tile.place + 2 * gpi_entries_team() * GPI_TEAM_CELLS;
#else
    return shared->tile.stage.place + gpi_entries_team() * GPI_TEAM_CELLS;
#endif
}

/* GPI_STAGE_CELL(i) is the cell of a team's element i on the stage. After each GPI_STAGE_RUN cells one is unused, to
   avoid bank conflicts between items. If GPI_PER_ITEM is odd, there are no unused cells. */
#if GPI_KEY_SIZE < 8
#define GPI_STAGE_RUN (32 % GPI_PER_ITEM ? GPI_PER_ITEM : 32)
#else
#define GPI_STAGE_RUN GPI_ENTRY_RUN
#endif
#define GPI_STAGE_CELL(i) ((i) + (GPI_PER_ITEM % 2 ? 0 : (i) / GPI_STAGE_RUN))
/* Element j * GPI_TEAM + l of an array of cells. The addresses for all j differ by constants if no cell is unused, or if GPI_TEAM
   is a multiple of GPI_STAGE_RUN. */
#if GPI_PER_ITEM % 2 || GPI_TEAM % GPI_STAGE_RUN == 0
#define GPI_STAGE_STRIPED(array, l, j) ((array) + GPI_STAGE_CELL(l))[(j)*GPI_STAGE_CELL(GPI_TEAM)]
#else
#define GPI_STAGE_STRIPED(array, l, j) (array)[GPI_STAGE_CELL((j)*GPI_TEAM + (l))]
#endif

/* Returns the index in the tile of this item's first striped element. The item's striped elements are GPI_TEAM apart. */
static uint gpi_team_first(void) { return gpi_entries_team() * GPI_TEAM_SPAN + gpi_entries_lane(); }

/* Returns the bits by which a key is sorted. They stay at their place, unless they are of a hash. */
static gpi_key_bits gpi_entry_window(gpi_key key, gpi_digit_bits bits)
{
#if GPI_KEY_HASH
    return gpi_window_of(key, bits);
#else
    const uint width = 8 * sizeof(gpi_key_bits), window = bits.end - bits.begin;
    const gpi_key_bits mask = window ? ~(gpi_key_bits)0 >> (width - window) << bits.begin : 0;
    return gpi_key_order(key, (gpi_key_bits)bits.flip) & mask;
#endif
}

/* Writes to `entry` this item's entries of the n keys at `key`, all of segment 0. If `ends`, entries after the n-th are greater than
   all others. All loads come first, so that they are in flight together. The caller needs a barrier before it stores entries in
   local memory. */
GPI_INLINE_GPU void gpi_single_tile_load(__global const gpi_key *key, uint n, const bool ends,
                                         gpi_digit_bits bits, gpi_entry *entry, gpi_single_tile_shared shared)
{
    const uint l = gpi_entries_lane(), first = gpi_team_first();
    __local gpi_key *stage = gpi_stage_keys(shared);
    uint at = gpi_entries_item() * GPI_PER_ITEM;
    gpi_key x[GPI_PER_ITEM];
    if (n == GPI_TILE) GPI_LOAD_STRIPED(x, GPI_PER_ITEM, key + first, GPI_TEAM);
    else GPI_LOAD_STRIPED_PART(x, GPI_PER_ITEM, key + first, GPI_TEAM, gpi_left(n, first), 0);
    GPI_EACH_OWN(j) GPI_STAGE_STRIPED(stage, l, j) = x[j];
    gpi_team_sync(); /* the stage is filled */
    GPI_SETTLE(at);
    GPI_EACH_OWN(j) {
        const gpi_key_bits k = gpi_entry_window((stage + GPI_STAGE_CELL(l * GPI_PER_ITEM))[j], bits);
        entry[j] = gpi_entry_make(ends && at + j >= n ? GPI_ENTRY_KEY_MOST : k, at + j);
    }
}

/* Returns whether entries contain all bits of their keys, so that keys can be restored from entries. */
static bool gpi_entries_are_keys(gpi_digit_bits bits)
{
    return !GPI_KEY_HASH && bits.end - bits.begin == 8 * GPI_KEY_SIZE;
}

/* Writes the first `most` of the n elements from `base` on, keys and values, in the order of the entries. The entries must have
   their segments. The sort may be in place. The caller needs a barrier before it uses the stage again. */
GPI_INLINE_GPU void gpi_single_tile_write(gpi_move move, gpi_digit_bits bits, ulong base, uint n, uint most,
                                          const gpi_entry *entry, gpi_single_tile_shared shared)
{
    const uint l = gpi_entries_lane(), at = l * GPI_PER_ITEM, first = gpi_team_first();
    const int left = (int)min(n, most) - (int)first;
    const bool own = gpi_entries_are_keys(bits);
    __local gpi_key *stage = gpi_stage_keys(shared);
    __local uint *place = gpi_stage_places(shared);
#if !GPI_KEY_HASH
    if (own) {
        GPI_EACH_OWN(j)
            (stage + GPI_STAGE_CELL(at))[j] =
                gpi_key_of_order((gpi_key)gpi_entry_key(entry[j]), (gpi_key_bits)bits.flip);
    }
#endif
#if GPI_VALUE_SIZE
    const bool gathers = true;
#else
    const bool gathers = !own;
#endif
    if (gathers) {
        GPI_EACH_OWN(j)
            (place + GPI_STAGE_CELL(at))[j] = gpi_entry_place(entry[j]) | gpi_entry_segment(entry[j]) << 16;
    }
    gpi_team_sync(); /* the stage is filled */
    if (!own) {
        GPI_UNROLL_SOME
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++)
            if ((int)(j * GPI_TEAM) < left)
                GPI_STAGE_STRIPED(stage, l, j) = (move.key + base)[GPI_STAGE_STRIPED(place, l, j) & 0xffffu];
    }
#if GPI_VALUE_SIZE
    gpi_value value[GPI_PER_ITEM];
    GPI_EACH_STRIPED(j, GPI_TEAM, left) {
        const uint p = GPI_STAGE_STRIPED(place, l, j);
        if (move.indices == GPI_INDICES_SEGMENT) move.origin = base + (p >> 16);
        value[j] = gpi_value_at(move, base + (p & 0xffffu));
    }
#endif
    gpi_sync_all(); /* all input is read: if the sort is in place, it is now overwritten */
    GPI_EACH_STRIPED(j, GPI_TEAM, left) {
        (move.key_to + base + first)[j * GPI_TEAM] = GPI_STAGE_STRIPED(stage, l, j);
#if GPI_VALUE_SIZE
        (move.value_to + base + first)[j * GPI_TEAM] = value[j];
#endif
    }
}

/* Writes the first `most` of n keys in order, 0 < n <= GPI_TILE. */
GPI_INLINE_GPU void gpi_single_tile_sort(gpi_move move, uint n, uint most, gpi_digit_bits bits,
                                         gpi_single_tile_shared shared)
{
    gpi_entry entry[GPI_PER_ITEM];
    gpi_single_tile_load(move.key, n, true, bits, entry, shared);
    gpi_sync(); /* the stage is read: entries may overwrite it */
    gpi_entries_sort(entry, n, &shared->tile.entry);
    gpi_single_tile_write(move, bits, 0, n, most, entry, shared);
}
#endif
