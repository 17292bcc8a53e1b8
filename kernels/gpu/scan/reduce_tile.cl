/* reduce_tile.cl - reduces a tile for gp_reduce and gp_segmented_reduce. (Scans have scan/tile_elements.cl.)

   An item handles its elements in steps of GPI_SHARE_STEP elements. If the input has all elements of a step, the item loads its
   own in chunks of consecutive elements, without a bounds check for each, before it combines any of them. If the operation
   commutes, the items' chunks alternate. Otherwise an item's elements are consecutive. */
#ifndef GPI_SCAN_REDUCE_TILE_CL
#define GPI_SCAN_REDUCE_TILE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input_vectors.cl"
#include "element/monoid.cl"
#include "scan/items.cl"
#include "scan/tile_input.cl"

typedef struct gpi_tile_memory {
    GPI_T value[GPI_WG + GPI_WG / 32];
} gpi_tile_memory;
typedef __local gpi_tile_memory *gpi_tile_shared;

/* Returns the product of every item's x, in item order (group/collectives.cl). */
static GPI_T gpi_group_reduce(GPI_COMBINE_PARAMETER GPI_T x, gpi_tile_shared shared)
{
    return gpi_items_reduce(GPI_COMBINE_PASSED x, shared->value);
}

#define GPI_SHARE_STEP (GPI_PER_ITEM < 16 ? GPI_PER_ITEM : 16)
#if GPI_QUADS && GPI_PER_ITEM >= 4
#define GPI_SHARE_CHUNK 4
#define GPI_SHARE_ALIGNED(input) gpi_quads_aligned(input)
#define GPI_SHARE_LOAD(input, i, aligned, x) gpi_load_quad(input, i, aligned, x)
#else
#define GPI_SHARE_CHUNK 1
#define GPI_SHARE_ALIGNED(input) true
#define GPI_SHARE_LOAD(input, i, aligned, x) *(x) = gpi_load(input, i)
#endif
#define GPI_SHARE_STRIDE \
    (GPI_COMMUTATIVE ? GPI_WG * GPI_SHARE_CHUNK : GPI_SHARE_CHUNK) /* distance of an item's chunks */
#define GPI_SHARE_APART \
    (GPI_COMMUTATIVE ? GPI_WG * GPI_SHARE_STEP : GPI_SHARE_STEP) /* distance of a tile's steps */
#if GPI_PER_ITEM & (GPI_PER_ITEM - 1)
#error "GPI_PER_ITEM must be a power of two"
#endif

/* Returns `sum` . the product of this item's elements of one step, of which element i is the first. All of them must be in the
   input. `aligned`: vector loads from i on are aligned. */
static GPI_T gpi_step_reduce(GPI_T sum, gpi_input input, ulong i, const bool aligned)
{
    GPI_T x[GPI_SHARE_STEP], all = sum;
    GPI_EACH(k, GPI_STRUCT_TURNS(GPI_SHARE_STEP / GPI_SHARE_CHUNK))
        GPI_SHARE_LOAD(input, i + k * GPI_SHARE_STRIDE, aligned, x + k * GPI_SHARE_CHUNK);
    GPI_EACH(k, GPI_STRUCT_TURNS(GPI_SHARE_STEP)) all = gpi_combine(GPI_COMBINE_OF(input) all, x[k]);
    return all;
}

/* Returns the product of this item's elements. There are `per_item` of them, a multiple of GPI_SHARE_STEP. The group's first step
   begins at element `base`, and each further step begins `apart` elements after the previous step. Elements from `limit` on are
   ignored. */
static GPI_T gpi_share_reduce(gpi_input input, ulong base, ulong limit, uint per_item, const ulong apart)
{
    const uint l = (uint)get_local_id(0);
    const bool aligned = GPI_SHARE_ALIGNED(input);
    const uint i = l * (GPI_COMMUTATIVE ? GPI_SHARE_CHUNK : per_item);
    const uint end = GPI_COMMUTATIVE ? GPI_SHARE_STEP * GPI_WG : i + GPI_SHARE_STEP;
    GPI_T sum = gpi_identity();
    for (uint turn = 0; turn < per_item; turn += GPI_SHARE_STEP) {
        if (base + end > limit) {
            for (uint k = 0; k < GPI_STRUCT_TURNS(GPI_SHARE_STEP); k++) {
                const uint at = i + k / GPI_SHARE_CHUNK * GPI_SHARE_STRIDE + k % GPI_SHARE_CHUNK;
                if (base + at < limit)
                    sum = gpi_combine(GPI_COMBINE_OF(input) sum, gpi_load(input, base + at));
            }
        } else if (aligned) {
            sum = gpi_step_reduce(sum, input, base + i, true);
        } else {
            sum = gpi_step_reduce(sum, input, base + i, false);
        }
        base += apart;
    }
    return sum;
}

/* Returns the product of the tile's elements. */
static GPI_T gpi_tile_reduce(gpi_input input, ulong base, gpi_tile_shared shared)
{
    const ulong limit = base + gpi_tile_length(input, base);
    return gpi_group_reduce(
        GPI_COMBINE_OF(input) gpi_share_reduce(input, base, limit, GPI_PER_ITEM, GPI_SHARE_APART), shared);
}
#endif
