/* rank_tile.cl - a tile of keys in local memory, for sort/rank_nibbles.cl.

       stage      keys, in the order of the input
       order      an entry for each key, in the order of the output: its digit, and its cell of the stage

   A tile is loaded, sorted by its digits (sort/rank_nibbles.cl), and written: neighbouring items write neighbouring keys. Loads
   and stores are striped (item l handles elements l, l + GPI_WG, ...). Ranking is blocked (item l handles the GPI_PER_ITEM
   elements from l * GPI_PER_ITEM on). In a full tile every item has the same number of keys, and loops have no condition.

   Parameters
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, keys of an item, keys of a tile                 */
#ifndef GPI_SORT_RANK_TILE_CL
#define GPI_SORT_RANK_TILE_CL
#include "base/platform.cl"
#include "group/exchange.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"

#if GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* Element l * GPI_PER_ITEM + j of an array of cells (group/exchange.cl), and its cell. If possible, the addresses for all j
   differ by constants. */
#if 32 % GPI_PER_ITEM == 0
#define GPI_RANK_BLOCKED_CELL(l, j) (GPI_PADDED((l)*GPI_PER_ITEM) + (j))
#define GPI_RANK_BLOCKED(array, l, j) ((array) + GPI_PADDED((l)*GPI_PER_ITEM))[j]
#else
#define GPI_RANK_BLOCKED_CELL(l, j) GPI_PADDED((l)*GPI_PER_ITEM + (j))
#define GPI_RANK_BLOCKED(array, l, j) (array)[GPI_RANK_BLOCKED_CELL(l, j)]
#endif

/* An entry of the order: the digit of a key, and its cell of the stage. */
#define GPI_ORDER(d, c) ((d) << 16 | (c))
#define GPI_ORDER_DIGIT(o) ((o) >> 16)
#define GPI_ORDER_CELL(o) ((o)&0xffffu)

/* Words of counters. An item has 16 counters, one for each value of four bits, and a word has two of them. */
#define GPI_NIBBLE_WORDS (8 * GPI_WG)

/* gpi_group_before adds up rows of up to 32 values, one item per row. */
#define GPI_SUM_ROW min(32u, (uint)GPI_WG)
#define GPI_SUM_ROWS ((GPI_WG + 31) / 32)

typedef struct gpi_move_memory {
    union {
        uint4 four[GPI_NIBBLE_WORDS / 4];
        uint word[GPI_NIBBLE_WORDS];
        ushort part[2 * GPI_NIBBLE_WORDS];
    } nibble;
    ulong next[GPI_BINS];
    gpi_key stage[GPI_PADDED(GPI_TILE)];
    uint order[GPI_PADDED(GPI_TILE)];
    uint sum[GPI_PADDED(GPI_WG)];
    uint row[2 * GPI_SUM_ROWS]; /* zeros, then the sums of the rows */
    uint count[GPI_BINS];       /* how many keys of the tile have each digit */
    uint start[GPI_BINS];       /* rank in the tile of each digit's first key */
    uint word;
} gpi_move_memory;
typedef __local gpi_move_memory *gpi_move_shared;

/* Returns the sum of x over the items before this one, and sets *total to the sum over all items. Unlike group/collectives.cl,
   every item adds up the same number of row sums, of which the surplus ones are zero. So it compares nothing and needs fewer
   registers. The caller needs a barrier before the next call. */
static uint gpi_group_before(uint x, uint *total, gpi_move_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID;
    __local const uint *sums = shared->row + GPI_SUM_ROWS;
    uint before, all = 0;
    shared->sum[GPI_PADDED(l)] = x;
    gpi_sync(); /* the rows are complete */
    if (l < GPI_SUM_ROWS) {
        __local uint *row = shared->sum + GPI_PADDED(32 * l);
        uint sum = 0;
        for (uint i = 0; i < GPI_TURNS(GPI_SUM_ROW); i++) {
            const uint y = row[i];
            row[i] = sum;
            sum += y;
        }
        shared->row[l] = 0;
        shared->row[GPI_SUM_ROWS + l] = sum;
    }
    gpi_sync(); /* the rows are summed up */
    before = shared->sum[GPI_PADDED(l)];
    for (uint r = 1; r < GPI_TURNS(GPI_SUM_ROWS); r++) before += (shared->row + l / 32)[GPI_SUM_ROWS - r];
    for (uint r = 0; r < GPI_TURNS(GPI_SUM_ROWS); r++) all += sums[r];
    *total = all;
    return before;
}

/* ------------------------------------------------------------------ a tile */

/* Loads the tile onto the stage, with zeros after the tile's end. All loads of a full tile come first, so that they are in flight
   together. */
GPI_INLINE_GPU void gpi_tile_load(__global const gpi_key *key, uint length, gpi_move_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID;
    if (length == GPI_TILE) {
        gpi_key x[GPI_PER_ITEM];
        GPI_LOAD_STRIPED(x, GPI_PER_ITEM, key + l, GPI_WG);
        GPI_EACH_OWN(j) GPI_PADDED_AT(shared->stage, l, GPI_WG, j) = x[j];
    } else {
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const uint i = j * GPI_WG + l;
            shared->stage[GPI_PADDED(i)] = i < length ? key[i] : 0;
        }
    }
}

/* Writes the entries of this item's staged keys to `entry`. Entries after the tile's end get the highest digit, so that a stable
   sort leaves them at the end. */
GPI_INLINE_GPU void gpi_tile_entries(uint length, gpi_digit digit, uint *entry, gpi_move_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID, i = l * GPI_PER_ITEM;
    GPI_EACH_OWN(j)
        entry[j] = GPI_ORDER(gpi_digit_of(GPI_RANK_BLOCKED(shared->stage, l, j), digit),
                             GPI_RANK_BLOCKED_CELL(l, j));
    if (length < GPI_TILE) {
        GPI_EACH_OWN(j)
            if (i + j >= length) entry[j] |= GPI_ORDER(GPI_BINS - 1, 0);
    }
}

/* Loads the tile, makes its entries, and counts its digits into shared->count. */
GPI_INLINE_GPU void gpi_tile_count(__global const gpi_key *key, uint length, gpi_digit digit, uint *entry,
                                   gpi_move_shared shared)
{
    /* Entries after the tile's end will be counted with the highest digit. They are subtracted here. */
    GPI_EACH_BIN(d) shared->count[d] = d < GPI_BINS - 1 ? 0 : length - GPI_TILE;
    gpi_tile_load(key, length, shared);
    gpi_sync(); /* the stage is filled, the counters set */
    gpi_tile_entries(length, digit, entry, shared);
    GPI_EACH_OWN(j) (void)atomic_inc(&shared->count[GPI_ORDER_DIGIT(entry[j])]);
    gpi_sync(); /* all keys are counted */
}

/* Writes the sorted tile: its element p, of digit d, to position shared->next[d] + p. */
GPI_INLINE_GPU void gpi_tile_write(gpi_move move, ulong base, uint length, gpi_move_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID;
    if (length == GPI_TILE) {
        GPI_EACH_OWN(j) {
            const uint o = GPI_PADDED_AT(shared->order, l, GPI_WG, j), c = GPI_ORDER_CELL(o);
            const ulong to = shared->next[GPI_ORDER_DIGIT(o)];
            (move.key_to + l + to)[j * GPI_WG] = shared->stage[c];
#if GPI_VALUE_SIZE
            (move.value_to + l + to)[j * GPI_WG] = gpi_value_at(move, base + GPI_PADDED_BACK(c));
#endif
        }
    } else {
        for (uint p = l; p < length; p += GPI_WG) {
            const uint o = shared->order[GPI_PADDED(p)], c = GPI_ORDER_CELL(o);
            const ulong to = shared->next[GPI_ORDER_DIGIT(o)];
            move.key_to[to + p] = shared->stage[c];
#if GPI_VALUE_SIZE
            move.value_to[to + p] = gpi_value_at(move, base + GPI_PADDED_BACK(c));
#endif
        }
    }
}
#endif
