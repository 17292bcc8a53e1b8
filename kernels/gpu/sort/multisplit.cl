/* multisplit.cl - moves tiles of keys by their digits, if groups have sub-groups.

       rank     each sub-group has a piece of the tile: lane l has keys l, l + S, ... in registers. For one key per
                lane at a time, the lanes with the same digit find one another, and the last of these lanes adds
                their number to the sub-group's count of the digit
       count    the counts become running sums, over sub-groups and over digits
       place    each key is stored at its rank in the tile, in local memory
       write    neighbouring items write neighbouring keys, then values in the same order

       key      7 1 7 | 1 0 7 |        a tile of two sub-groups of three
       at       0 0 1 | 0 0 0 |        earlier keys of the sub-group with the same digit
       counts   0: 0 0   1: 1 2   7: 3 5        by digit: rank of each sub-group's first key
       stage    0 1 1 7 7 7

   Keys that all have the same digit cost no more than others, because only one lane of a sub-group counts them. (Ashkiani et al.
   2016; Adinets & Merrill 2022.)

   Parameters: those of group/sub_group.cl, and
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, keys of an item, keys of a tile                 */
#ifndef GPI_SORT_MULTISPLIT_CL
#define GPI_SORT_MULTISPLIT_CL
#include "base/platform.cl"
#include "group/exchange.cl"
#include "group/striped.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"

#define GPI_GROUP gpi_splits
#define GPI_GROUP_T uint
#define GPI_GROUP_COMBINE(a, b) ((a) + (b))
#define GPI_GROUP_IDENTITY 0u
#define GPI_GROUP_SIZE GPI_WG
#define GPI_GROUP_ITEM ((uint)GPI_LOCAL_ID)
#define GPI_GROUP_TURNS(n) GPI_TURNS(n)
#include "group/sub_group_collectives.cl"
#undef GPI_GROUP_SIZE
#undef GPI_GROUP_ITEM
#undef GPI_GROUP_TURNS

#define GPI_SPLIT_PIECES (GPI_WG / GPI_SUB_GROUP)
#define GPI_SPLIT_BINS ((GPI_BINS + GPI_WG - 1) / GPI_WG) /* consecutive digits that an item handles */
#define GPI_EACH_SPLIT_BIN(d)                                  \
    GPI_UNROLL                                                 \
    for (uint k_ = 0, d = (uint)GPI_LOCAL_ID * GPI_SPLIT_BINS; \
         k_ < GPI_TURNS(GPI_SPLIT_BINS) && (GPI_WG <= GPI_BINS || d < GPI_BINS); k_++, d++)

typedef struct gpi_move_memory {
    union {
        gpi_key key[GPI_PADDED(GPI_TILE)];
#if GPI_VALUE_SIZE
        gpi_value value[GPI_PADDED(GPI_TILE)];
#endif
    } stage;
    ulong next[GPI_BINS];
    uint counts[GPI_SPLIT_PIECES * GPI_BINS]; /* by sub-group, then by digit */
    uint count[GPI_BINS];                     /* how many keys of the tile have each digit */
    uint start[GPI_BINS];                     /* rank in the tile of each digit's first key */
    uint sum[GPI_WG];
    gpi_sg_memory sub_group;
    uint word;
} gpi_move_memory;
typedef __local gpi_move_memory *gpi_move_shared;

/* Returns the index in the tile of this item's first element. The item's elements are GPI_SUB_GROUP apart. */
static uint gpi_split_first(void) { return gpi_sg_index() * (GPI_SUB_GROUP * GPI_PER_ITEM) + gpi_sg_lane(); }

/* Loads this item's keys into x and writes their digits to `at`. All loads come before the first use. Elements beyond the tile's
   end get the greatest digit, so that a stable sort leaves them at the end. */
GPI_INLINE_GPU void gpi_split_load(__global const gpi_key *key, uint length, gpi_digit digit, gpi_key *x,
                                   uint *at)
{
    const uint first = gpi_split_first(), left = gpi_left(length, first);
    if (length == GPI_TILE) {
        GPI_LOAD_STRIPED(x, GPI_PER_ITEM, key + first, GPI_SUB_GROUP);
        GPI_EACH_OWN(j) at[j] = gpi_digit_of(x[j], digit);
    } else {
        GPI_LOAD_STRIPED_PART(x, GPI_PER_ITEM, key + first, GPI_SUB_GROUP, left, 0);
        GPI_EACH_OWN(j) at[j] = j * GPI_SUB_GROUP < left ? gpi_digit_of(x[j], digit) : GPI_BINS - 1;
    }
}

/* Replaces at[j], the digit d of key j, by (d << 16) + how many earlier keys of the sub-group have digit d. Overwrites `counts`,
   which no item may still read. */
GPI_INLINE_GPU void gpi_split_rank(uint *at, gpi_move_shared shared)
{
    __local uint *counts = shared->counts + gpi_sg_index() * GPI_BINS;
    for (uint c = (uint)GPI_LOCAL_ID; c < GPI_SPLIT_PIECES * GPI_BINS; c += GPI_WG) shared->counts[c] = 0;
    gpi_sync(); /* the counters are zero */
    GPI_EACH_OWN(j) {
        const uint d = at[j];
        const gpi_sg_mask alike = gpi_sg_match(d, 8, &shared->sub_group);
        const uint last = gpi_sg_last(alike), below = gpi_sg_count_below(alike);
        uint before = 0;
        if (gpi_sg_lane() == last) before = atomic_add(counts + d, below + 1);
        at[j] = (d << 16) + gpi_sg_from(before, last, &shared->sub_group) + below;
        GPI_SETTLE(at[j]);
    }
    gpi_sync(); /* all keys are counted */
}

/* Writes the tile's count of each digit to `count` and the digit's first rank to `start`. Replaces `counts` by the rank of each
   sub-group's first key of a digit. The caller needs a barrier before an item reads `counts`. */
GPI_INLINE_GPU void gpi_split_count(uint length, gpi_move_shared shared)
{
    uint own = 0, total;
    GPI_EACH_SPLIT_BIN(d)
    {
        uint sum = 0;
        GPI_SPARING
        for (uint s = 0; s < GPI_SPLIT_PIECES; s++) sum += shared->counts[s * GPI_BINS + d];
        if (d == GPI_BINS - 1) sum -= GPI_TILE - length;
        shared->count[d] = sum;
        own += sum;
    }
    uint start = gpi_splits_scan_exclusive(own, &total, shared->sum); /* its barriers make `count` visible */
    GPI_EACH_SPLIT_BIN(d)
    {
        uint sum = start;
        shared->start[d] = start;
        start += shared->count[d];
        GPI_SPARING
        for (uint s = 0; s < GPI_SPLIT_PIECES; s++) {
            const uint c = shared->counts[s * GPI_BINS + d];
            shared->counts[s * GPI_BINS + d] = sum;
            sum += c;
        }
    }
}

/* Pack and unpack number j of an array whose numbers have `bits` bits, several to a word. */
#define GPI_SPLIT_PACK(words, j, bits, x)                                                  \
    (words)[(j) * (bits) / 32] =                                                           \
        ((x) << (j) * (bits) % 32) + ((j) * (bits) % 32 ? (words)[(j) * (bits) / 32] : 0); \
    GPI_SETTLE((words)[(j) * (bits) / 32])
#define GPI_SPLIT_UNPACK(words, j, bits) \
    ((words)[(j) * (bits) / 32] >> (j) * (bits) % 32 & ((1u << (bits)) - 1))

/* Stores each key on the stage at its rank in the tile. Replaces `at` by the keys' cells, packed. The caller needs a
   barrier afterwards. */
GPI_INLINE_GPU void gpi_split_place(const gpi_key *x, uint *at, gpi_move_shared shared)
{
    __local const uint *counts = shared->counts + gpi_sg_index() * GPI_BINS;
    gpi_sync(); /* `counts` are complete */
    GPI_EACH_OWN(j) {
        const uint p = counts[at[j] >> 16] + (at[j] & 0xffff), c = GPI_PADDED(p);
        shared->stage.key[c] = x[j];
        GPI_SPLIT_PACK(at, j, 16, c);
    }
}

/* Writes this item's keys of the ordered tile. The tile has `left` elements from this item's first key on. */
GPI_INLINE_GPU void gpi_split_write_keys(__global gpi_key *to, uint left, const bool full, gpi_digit digit,
                                         uint *digits, gpi_move_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID;
    GPI_EACH_OWN(j) {
        const gpi_key key = GPI_PADDED_AT(shared->stage.key, l, GPI_WG, j);
        const uint d = gpi_digit_of(key, digit);
        if (full || j * GPI_WG < left) (to + l + shared->next[d])[j * GPI_WG] = key;
#if GPI_VALUE_SIZE
        GPI_SPLIT_PACK(digits, j, 8, d);
#endif
    }
    (void)digits;
}

#if GPI_VALUE_SIZE
/* Writes this item's values of the ordered tile. `digits`: the digits of their keys, packed by gpi_split_write_keys. (There is no
   separate code for a full tile: all its loads would be in flight at once, and need 104 registers.) */
GPI_INLINE_GPU void gpi_split_write_values(__global gpi_value *to, uint left, const uint *digits,
                                           gpi_move_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID;
    GPI_EACH_STRIPED(j, GPI_WG, left)
        (to + l + shared->next[GPI_SPLIT_UNPACK(digits, j, 8)])[j * GPI_WG] =
            GPI_PADDED_AT(shared->stage.value, l, GPI_WG, j);
}

/* Loads the values of this item's keys. `first` is the index of the first of them. The tile has `left` elements from there on. */
GPI_INLINE_GPU void gpi_split_load_values(gpi_move move, ulong first, uint left, const bool full,
                                          gpi_value *value)
{
    GPI_EACH_OWN(j) {
        if (full || j * GPI_SUB_GROUP < left) value[j] = gpi_value_at(move, first + j * GPI_SUB_GROUP);
    }
}
#endif

/* Writes the sorted tile: its element p, of digit d, to position shared->next[d] + p. */
GPI_INLINE_GPU void gpi_split_write(gpi_move move, ulong base, uint length, gpi_digit digit, const uint *at,
                                    gpi_move_shared shared)
{
    const bool full = length == GPI_TILE;
    const uint ours = gpi_left(length, (uint)GPI_LOCAL_ID);
    uint digits[(GPI_PER_ITEM + 3) / 4];
    if (full) gpi_split_write_keys(move.key_to, ours, true, digit, digits, shared);
    else gpi_split_write_keys(move.key_to, ours, false, digit, digits, shared);
#if GPI_VALUE_SIZE
    const uint first = gpi_split_first(), left = gpi_left(length, first);
    gpi_value value[GPI_PER_ITEM];
    if (full) gpi_split_load_values(move, base + first, left, true, value);
    else gpi_split_load_values(move, base + first, left, false, value);
    gpi_sync(); /* the keys are read */
    GPI_EACH_OWN(j) shared->stage.value[GPI_SPLIT_UNPACK(at, j, 16)] = value[j];
    gpi_sync(); /* the values are staged */
    gpi_split_write_values(move.value_to, ours, digits, shared);
#else
    (void)base;
    (void)at;
#endif
}

/* Moves elements [begin, end), tile by tile. The next element of digit d moves to shared->next[d], which is then advanced. */
static void gpi_move_range(gpi_move move, ulong begin, ulong end, gpi_digit digit, uint lines,
                           gpi_move_shared shared)
{
    (void)lines;
    for (ulong base = begin; base < end; base += GPI_TILE) {
        const uint length = (uint)min((ulong)GPI_TILE, end - base);
        gpi_key x[GPI_PER_ITEM];
        uint at[GPI_PER_ITEM];
        gpi_split_load(move.key + base, length, digit, x, at);
        gpi_split_rank(at, shared);
        gpi_split_count(length, shared);
        gpi_split_place(x, at, shared);
        GPI_EACH_BIN(d) shared->next[d] -= shared->start[d];
        gpi_sync(); /* the keys are staged, and `next` is complete */
        gpi_split_write(move, base, length, digit, at, shared);
        gpi_sync(); /* all items have used `next`, and the tile is no longer read */
        GPI_EACH_BIN(d) shared->next[d] += shared->start[d] + shared->count[d];
    }
}
#endif
