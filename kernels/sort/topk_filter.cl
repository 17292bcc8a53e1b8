/* topk_filter.cl - what a group does with its tile of keys, in each shape: finds those below a threshold, and writes
   them.

       keep(tile, t) = the elements whose order is below t, in the tile's order, each with its index

       serial   two loops over the tile: one compares vectors and notes stretches in which keys pass, the other
                goes over these stretches again, which are still in the cache
       local    a bit for each key that passes, set by its item; the bits before it say where it goes

   Every function is collective: all items of the group call it.

   Parameters: those of sort/rank.cl. */
#ifndef GPI_SORT_TOPK_FILTER_CL
#define GPI_SORT_TOPK_FILTER_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/rank.cl"

/* A tile's keys, and what they are compared with. */
typedef struct gpi_topk_tile {
    __global const gpi_key *key;
    uint length;
    gpi_key_bits flip, threshold;
} gpi_topk_tile;

/* What is written of a tile: the element's key and index, from `at` on. */
typedef struct gpi_topk_kept {
    __global gpi_key *key;
    __global gpi_value *index;
} gpi_topk_kept;

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

#define GPI_STRETCH 256 /* keys that are looked at again when one of them passes: a bit of a ulong */
#define GPI_SPAN_MAX (64 * GPI_STRETCH)

#if GPI_KEY_SIZE == 1
typedef uchar16 gpi_keys;
typedef char16 gpi_flags;
#define GPI_FLAGS_TO_INT convert_int16
#elif GPI_KEY_SIZE == 2
typedef ushort16 gpi_keys;
typedef short16 gpi_flags;
#define GPI_FLAGS_TO_INT convert_int16
#elif GPI_KEY_SIZE == 4
typedef uint16 gpi_keys;
typedef int16 gpi_flags;
#define GPI_FLAGS_TO_INT
#else
typedef ulong16 gpi_keys;
typedef long16 gpi_flags;
#define GPI_FLAGS_TO_INT convert_int16
#endif

static gpi_keys gpi_codes_of(gpi_keys k, gpi_key flip)
{
#if GPI_KEY_FLOAT
    const gpi_key sign = (gpi_key)1 << (8 * GPI_KEY_SIZE - 1);
    k ^= ((gpi_keys)0 - (k >> (gpi_key)(8 * GPI_KEY_SIZE - 1))) & (gpi_keys)(sign - 1);
#endif
    return k ^ (gpi_keys)flip;
}

/* The number of lanes that are -1 rather than 0. */
static uint gpi_flags_count(gpi_flags flags)
{
    const int16 x = GPI_FLAGS_TO_INT(flags);
    const int8 a = x.lo + GPI_UPPER(x);
    const int4 b = a.lo + a.hi;
    const int2 c = b.lo + b.hi;
    return (uint) - (c.x + c.y);
}

/* Keys [begin, end) below and equal to the threshold are added; true when there are any below. */
static bool gpi_stretch_count(gpi_topk_tile tile, uint begin, uint end, uint *below, uint *equal)
{
    const gpi_key flip = (gpi_key)tile.flip, t = (gpi_key)tile.threshold;
    const uint before = *below;
    gpi_flags less = 0, same = 0;
    uint i = begin;
    for (; i + 16 <= end; i += 16) {
        const gpi_keys c = gpi_codes_of(vload16(0, tile.key + i), flip);
        GPI_PREFETCH_READ((__global const char *)(tile.key + i) + GPI_RANK_AHEAD);
        less += c < (gpi_keys)t;
        same += c == (gpi_keys)t;
    }
    if (any(less | same)) {
        *below += gpi_flags_count(less);
        *equal += gpi_flags_count(same);
    }
    for (; i < end; i++) {
        const gpi_key_bits c = gpi_key_order(tile.key[i], tile.flip);
        *below += c < tile.threshold;
        *equal += c == tile.threshold;
    }
    return *below != before;
}

/* How many keys are below and equal to the threshold; what finds the former again. */
static ulong gpi_tile_survey(gpi_topk_tile tile, uint *below, uint *equal, gpi_rank_shared shared)
{
    ulong found = 0;
    (void)shared;
    *below = *equal = 0;
    for (uint i = 0; i < tile.length; i += GPI_STRETCH) {
        const uint end = min(tile.length, i + GPI_STRETCH);
        if (gpi_stretch_count(tile, i, end, below, equal)) found |= (ulong)1 << (i / GPI_STRETCH);
    }
    return found;
}

/* Writes the keys below the threshold to `to`, in order. `base`: the tile's first index. */
static void gpi_tile_keep(gpi_topk_tile tile, ulong found, gpi_topk_kept to, ulong base,
                          gpi_rank_shared shared)
{
    uint j = 0;
    (void)shared;
    for (; found; found &= found - 1) {
        const uint begin = (63 - (uint)clz(found & (~found + 1))) * GPI_STRETCH;
        const uint end = min(tile.length, begin + GPI_STRETCH);
        for (uint i = begin; i < end; i++) {
            if (gpi_key_order(tile.key[i], tile.flip) >= tile.threshold) continue;
            to.key[j] = tile.key[i];
            to.index[j++] = GPI_VALUE_OF(base + i);
        }
    }
}

/* The same with the first `most` keys that equal it. */
static void gpi_tile_keep_equal(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                gpi_rank_shared shared)
{
    ulong j = 0;
    (void)shared;
    for (uint i = 0; i < tile.length && j < most; i++) {
        if (gpi_key_order(tile.key[i], tile.flip) != tile.threshold) continue;
        to.key[j] = tile.key[i];
        to.index[j++] = GPI_VALUE_OF(base + i);
    }
}

#else
/* ------------------------------------------------------------------ local */

#define GPI_SPAN_MAX GPI_TILE

/* A bit for each of the tile's keys, in shared->order; how many are set before a word, in shared->nibble. */
#define GPI_MASKS ((GPI_TILE + 31) / 32)
#define GPI_MASKS_EACH ((GPI_MASKS + GPI_WG - 1) / GPI_WG)
#if GPI_MASKS > 16 * GPI_WG
#error "GPI_PER_ITEM must be 512 at most"
#endif

/* Marks the keys that equal the threshold (`equals`), or that are below it; counts both kinds. */
static void gpi_tile_mark(gpi_topk_tile tile, bool equals, uint *below, uint *equal, gpi_rank_shared shared)
{
    const uint l = (uint)get_local_id(0);
    uint less = 0, same = 0;
    for (uint i = l; i < GPI_MASKS; i += GPI_WG) shared->order[i] = 0;
    if (l == 0) shared->count[0] = shared->count[1] = 0;
    gpi_sync(); /* masks and counters are zero */
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint i = j * GPI_WG + l;
        const gpi_key_bits c = i < tile.length ? gpi_key_order(tile.key[i], tile.flip) : 0;
        const bool is_less = i < tile.length && c < tile.threshold;
        const bool is_same = i < tile.length && c == tile.threshold;
        less += is_less;
        same += is_same;
        if (equals ? is_same : is_less) (void)atomic_or(&shared->order[i / 32], 1u << i % 32);
    }
    if (less) (void)atomic_add(&shared->count[0], less);
    if (same) (void)atomic_add(&shared->count[1], same);
    gpi_sync(); /* all is marked and counted */
    *below = shared->count[0];
    *equal = shared->count[1];
}

/* shared->nibble[w]: how many keys are marked in the masks before w. */
static void gpi_masks_rank(gpi_rank_shared shared)
{
    const uint first = (uint)get_local_id(0) * GPI_MASKS_EACH;
    uint sum = 0;
    for (uint w = first; w < first + GPI_MASKS_EACH && w < GPI_MASKS; w++) sum += popcount(shared->order[w]);
    sum = gpi_group_before(sum, shared);
    for (uint w = first; w < first + GPI_MASKS_EACH && w < GPI_MASKS; w++) {
        shared->nibble[w] = (ushort)sum;
        sum += popcount(shared->order[w]);
    }
    gpi_sync(); /* the ranks are written */
}

/* Writes the first `most` marked keys to `to`, in order. */
static void gpi_tile_keep_marked(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                 gpi_rank_shared shared)
{
    gpi_masks_rank(shared);
    for (uint i = (uint)get_local_id(0); i < tile.length; i += GPI_WG) {
        const uint mask = shared->order[i / 32], bit = 1u << i % 32;
        const uint rank = shared->nibble[i / 32] + popcount(mask & (bit - 1));
        if (!(mask & bit) || rank >= most) continue;
        to.key[rank] = tile.key[i];
        to.index[rank] = GPI_VALUE_OF(base + i);
    }
}

static ulong gpi_tile_survey(gpi_topk_tile tile, uint *below, uint *equal, gpi_rank_shared shared)
{
    gpi_tile_mark(tile, false, below, equal, shared);
    return 0;
}

static void gpi_tile_keep(gpi_topk_tile tile, ulong found, gpi_topk_kept to, ulong base,
                          gpi_rank_shared shared)
{
    (void)found;
    gpi_tile_keep_marked(tile, GPI_TILE, to, base, shared);
}

static void gpi_tile_keep_equal(gpi_topk_tile tile, ulong most, gpi_topk_kept to, ulong base,
                                gpi_rank_shared shared)
{
    uint below, equal;
    gpi_tile_mark(tile, true, &below, &equal, shared);
    gpi_tile_keep_marked(tile, most, to, base, shared);
}
#endif
#endif
