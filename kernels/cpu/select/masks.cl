/* masks.cl - represents the tile of a selection by masks, one for 16 elements, so that the selection is evaluated once.
   This file replaces the tile of scan/tile.cl if vectors can be packed (GPI_BY_MASKS of select/input_vectors.cl).

       selected   | 1 0 0 1 ... 1 | ... |     a block at a time, in a loop that compilers turn into vectors
       mask     |    16 bits    | ... |     of the whole tile
       sum      how many bits are set; for runs also where the run after the last set bit begins

   So the second pass over the tile, which compacts it (select/compact.cl), need not evaluate the selection again. */
#ifndef GPI_SELECT_MASKS_CL
#define GPI_SELECT_MASKS_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "base/platform.cl"
#include "vector/bytes.cl"
#include "vector/lanes.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_input.cl"

#if GPI_BY_MASKS
#define GPI_MASKS_BLOCK 256u /* elements whose masks are made together */
#define GPI_MASKS_OF_BLOCK (GPI_MASKS_BLOCK / 16)
#define GPI_TILE_MASKS ((GPI_TILE + GPI_MASKS_BLOCK - 1) / GPI_MASKS_BLOCK * GPI_MASKS_OF_BLOCK)

typedef struct gpi_tile {
    GPI_T sum;
    ushort mask[GPI_TILE_MASKS]; /* bit k of mask m: element 16 m + k; none after the tile's end */
} gpi_tile;

/* Returns whether every element of the whole block at i has the neighbour that it is compared with. */
static bool gpi_is_inside(gpi_input input, ulong i)
{
#if GPI_SELECT_BY == GPI_SELECT_BY_UNIQUE
    return i > 0;
#elif GPI_SELECT_BY == GPI_SELECT_BY_RUNS
    return i + GPI_MASKS_BLOCK < input.count;
#else
    (void)input;
    (void)i;
    return true;
#endif
}

/* Makes the masks of the whole block at i, whose elements all have the neighbour that they are compared with. */
static void gpi_masks_make(gpi_input input, ulong i, ushort *mask)
{
#if GPI_SELECT_BY == GPI_SELECT_BY_FLAGS || GPI_PLAIN
    for (uint k = 0; k < GPI_MASKS_OF_BLOCK; k++)
        mask[k] = (ushort)gpi_mask_of(gpi_read_vector(input, i + 16 * k));
#else
    uchar selected[GPI_MASKS_BLOCK] __attribute__((aligned(GPI_VECTOR_BYTES)));
    for (uint k = 0; k < GPI_MASKS_BLOCK; k++) selected[k] = (uchar)gpi_is_selected(input, i + k, true);
    for (uint k = 0; k < GPI_MASKS_BLOCK; k += GPI_VECTOR_BYTES) {
        const ulong bits = gpi_hits_bits(gpi_bytes_equal(*(__private const gpi_bytes *)(selected + k), 1));
        for (uint j = 0; j < GPI_VECTOR_BYTES; j += 16) mask[(k + j) / 16] = (ushort)(bits >> j);
    }
#endif
}

/* Makes the masks of the block of `length` elements at i, which may be the input's first or last one. */
static void gpi_masks_make_any(gpi_input input, ulong i, uint length, ushort *mask)
{
    for (uint k = 0; k < GPI_MASKS_OF_BLOCK; k++) mask[k] = 0;
    for (uint k = 0; k < length; k++)
        mask[k / 16] |= (ushort)(gpi_is_selected(input, i + k, false) << k % 16);
}

/* Returns the counts of the 16 * `count` elements from i on, whose masks are `mask`. */
static GPI_T gpi_masks_sum(gpi_input input, ulong i, const ushort *mask, uint count)
{
    GPI_T sum = gpi_identity();
#if GPI_SELECT_BY == GPI_SELECT_BY_RUNS
    uint last = count;
#if GPI_SINGLES
    for (uint k = 0; k < count; k++) sum.n += popcount((uint)mask[k]);
#else
    uint begins =
        i == 0 || (count > 0 && gpi_is_selected(input, i - 1, true)); /* a run begins where the mask does */
    for (uint k = 0; k < count; k++) {
        sum.n += popcount(mask[k] & ~((uint)mask[k] << 1 | begins));
        begins = mask[k] >> 15;
    }
#endif
    while (last > 0 && mask[last - 1] == 0) last--;
    if (last > 0) sum.m = (GPI_NUMBER)(i + 16 * last - clz((uint)mask[last - 1] << 16));
#else
    (void)input;
    (void)i;
    for (uint k = 0; k < count; k++) sum += popcount((uint)mask[k]);
#endif
    return sum;
}

static void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    uint i = 0;
    (void)shared;
    for (; i < length; i += GPI_MASKS_BLOCK) {
        ushort *mask = tile->mask + i / 16;
        gpi_prefetch_read(input, base + i + GPI_TILE_AHEAD / sizeof(GPI_IN), GPI_MASKS_BLOCK);
        if (i + GPI_MASKS_BLOCK <= length && gpi_is_inside(input, base + i))
            gpi_masks_make(input, base + i, mask);
        else gpi_masks_make_any(input, base + i, min(length - i, GPI_MASKS_BLOCK), mask);
    }
    tile->sum = gpi_masks_sum(input, base, tile->mask, i / 16);
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->sum; }

/* Returns the tile's counts, without keeping its masks. */
static GPI_T gpi_tile_reduce(gpi_input input, ulong base, gpi_tile_shared shared)
{
    gpi_tile tile;
    gpi_tile_open(&tile, input, base, shared);
    return tile.sum;
}
#endif
#endif
