/* rank_tile.cl - a tile of keys in local memory: what the shapes with many items a group have in common.

       stage      keys, as they come
       order      digit and place in the stage of each key, in the order in which keys are written

   A tile is loaded, put in the order of its digits in its shape's own way (sort/rank_local.cl), and written:
   neighbours write neighbours.

   Parameters
       GPI_SHAPE_LOCAL                  1
       GPI_WG, GPI_PER_ITEM, GPI_TILE   items of a group, keys of an item, keys of a tile                 */
#ifndef GPI_SORT_RANK_TILE_CL
#define GPI_SORT_RANK_TILE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"

#if !GPI_SHAPE_LOCAL || GPI_TILE != GPI_WG * GPI_PER_ITEM || GPI_TILE > 32768
#error "GPI_TILE must be GPI_WG * GPI_PER_ITEM, and at most 32768"
#endif

/* The memory of a group. */
#define GPI_NEAR __local
#define GPI_NEAR_INC(p) (void)atomic_inc(p)

/* order[i] of a tile: the digit of the key that comes i-th, and where in the tile it is. */
#define GPI_ORDER(d, i) ((d) << 16 | (i))
#define GPI_ORDER_DIGIT(o) ((o) >> 16)
#define GPI_ORDER_INDEX(o) ((o)&0xffffu)

typedef struct gpi_rank_memory {
    gpi_key stage[GPI_TILE];
    uint order[GPI_TILE];
    ushort nibble[16 * GPI_WG]; /* value, item: how many of the item's keys have it; then, where they go */
    uint sum[2][GPI_WG];
    uint count[GPI_BINS]; /* of a range, or of a tile */
    uint start[GPI_BINS]; /* where a digit begins in the ordered tile */
    ulong next[GPI_BINS];
    uint word;
} gpi_rank_memory;
typedef __local gpi_rank_memory *gpi_rank_shared;

/* The sum of x over the items before this one. Each step doubles the reach. */
static uint gpi_group_before(uint x, gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0), own = x;
    uint from = 0;
    shared->sum[0][l] = x;
    gpi_sync(); /* row 0 is complete */
    for (uint d = 1; d < GPI_WG; d *= 2) {
        if (l >= d) x += shared->sum[from][l - d];
        from = 1 - from;
        shared->sum[from][l] = x;
        gpi_sync(); /* this step's row is complete; the other one is no longer read */
    }
    return x - own;
}

/* The digits of [begin, end) into shared->count. */
static void gpi_count_range(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,
                            gpi_rank_shared shared)
{
    GPI_EACH_BIN(d) shared->count[d] = 0;
    gpi_sync(); /* the counters are zero */
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG)
        (void)atomic_inc(&shared->count[gpi_digit_of(key[i], digit)]);
    gpi_sync(); /* all is counted */
}

/* ------------------------------------------------------------------ a tile */

/* The tile at `base` into the stage, its digits into `order`; after its end the highest digit, which a
   stable order leaves there. */
static void gpi_tile_load(__global const gpi_key *key, ulong base, uint length, gpi_digit digit,
                          gpi_rank_shared shared)
{
    for (uint i = (uint)get_local_id(0); i < GPI_TURNS(GPI_TILE); i += GPI_WG) {
        uint d = GPI_BINS - 1;
        if (i < length) {
            const gpi_key k = key[base + i];
            shared->stage[i] = k;
            d = gpi_digit_of(k, digit);
        }
        shared->order[i] = GPI_ORDER(d, i);
    }
}

/* The loaded tile's digits into shared->count. */
static void gpi_tile_count(uint length, gpi_rank_shared shared)
{
    GPI_EACH_BIN(d) shared->count[d] = 0;
    gpi_sync(); /* the counters are zero, the entries written */
    for (uint i = (uint)get_local_id(0); i < length; i += GPI_WG)
        (void)atomic_inc(&shared->count[GPI_ORDER_DIGIT(shared->order[i])]);
    gpi_sync(); /* all is counted */
}

/* Writes the ordered tile to where shared->next says. */
static void gpi_tile_write(gpi_move move, ulong base, uint length, gpi_rank_shared shared)
{
    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {
        const uint d = GPI_ORDER_DIGIT(shared->order[p]);
        if (p == 0 || GPI_ORDER_DIGIT(shared->order[p - 1]) != d) shared->start[d] = p;
    }
    gpi_sync(); /* the digits' starts are written, by one item each */
    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {
        const uint o = shared->order[p], d = GPI_ORDER_DIGIT(o), i = GPI_ORDER_INDEX(o);
        const ulong j = shared->next[d] + (p - shared->start[d]);
        move.key_to[j] = shared->stage[i];
#if GPI_VALUE_SIZE
        move.value_to[j] = gpi_value_at(move, base + i);
#endif
    }
}

/* Moves next[d] to after what the tile has written of digit d. */
static void gpi_tile_advance(uint length, gpi_rank_shared shared)
{
    gpi_sync(); /* all have used `next` */
    for (uint p = (uint)get_local_id(0); p < length; p += GPI_WG) {
        const uint d = GPI_ORDER_DIGIT(shared->order[p]);
        if (p == length - 1 || GPI_ORDER_DIGIT(shared->order[p + 1]) != d)
            shared->next[d] += p + 1 - shared->start[d];
    }
    gpi_sync(); /* `next` is moved, and the tile is no longer read */
}
#endif
