/* tile_local.cl - a tile in the local shape: GPI_WG items with GPI_PER_ITEM elements each.

   Loads and stores are striped (item l takes l, l + GPI_WG, ...: neighbours read neighbours), the scan is
   blocked (item l owns l * GPI_PER_ITEM ... + GPI_PER_ITEM - 1: input order); `stage` turns one into the
   other. */
#ifndef GPI_SCAN_TILE_LOCAL_CL
#define GPI_SCAN_TILE_LOCAL_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/items_local.cl"
#include "scan/tile_input.cl"

/* One unused cell after every 32 keeps items that stride by GPI_PER_ITEM off one another's banks. */
#define GPI_TILE_PAD(i) ((i) + (i) / 32)
/* On the stage: element j * GPI_WG + l of the tile, and element l * GPI_PER_ITEM + j, one address for all j. */
#if GPI_WG % 32 == 0
#define GPI_TILE_STRIPED(stage, l, j) ((stage) + GPI_TILE_PAD(l))[(j)*GPI_TILE_PAD(GPI_WG)]
#else
#define GPI_TILE_STRIPED(stage, l, j) (stage)[GPI_TILE_PAD((j)*GPI_WG + (l))]
#endif
#if 32 % GPI_PER_ITEM == 0
#define GPI_TILE_BLOCKED(stage, l, j) ((stage) + GPI_TILE_PAD((l)*GPI_PER_ITEM))[j]
#else
#define GPI_TILE_BLOCKED(stage, l, j) (stage)[GPI_TILE_PAD((l)*GPI_PER_ITEM + (j))]
#endif

/* What the stage holds. */
#if GPI_KEPT
#define GPI_CELL gpi_kept_cell /* of select/input.cl */
#define GPI_CELL_LOAD(input, i) gpi_kept_cell_load(input, i)
#define GPI_CELL_NONE gpi_kept_cell_none()
#else
#define GPI_CELL GPI_T
#define GPI_CELL_LOAD(input, i) gpi_load(input, i)
#define GPI_CELL_NONE gpi_identity()
#endif

typedef struct gpi_tile_memory {
    GPI_CELL stage[GPI_TILE_PAD(GPI_TILE)];
    GPI_T value[GPI_TILE_PAD(GPI_WG)];
    uint word;
} gpi_tile_memory;
typedef __local gpi_tile_memory *gpi_tile_shared;

#if !GPI_KEPT
typedef struct gpi_tile {
    GPI_T item[GPI_PER_ITEM]; /* this item's own elements */
    GPI_T before;             /* product of the items before this one */
    GPI_T aggregate;          /* of the whole tile */
} gpi_tile;
#endif

/* Item 0's x. Collectives may follow after the next barrier. */
static GPI_T gpi_broadcast_element(GPI_T x, gpi_tile_shared shared)
{
    if (get_local_id(0) == 0) shared->value[0] = x;
    gpi_sync(); /* value is written */
    return shared->value[0];
}

/* The product of every item's x, in item order (group/collectives.cl). */
static GPI_T gpi_group_reduce(GPI_T x, gpi_tile_shared shared) { return gpi_items_reduce(x, shared->value); }

/* The product of x over the items before this one; *total over all. */
static GPI_T gpi_group_scan(GPI_T x, GPI_T *total, gpi_tile_shared shared)
{
    return gpi_items_scan_exclusive(x, total, shared->value);
}

/* The product of the tile's elements. */
static GPI_T gpi_tile_reduce(gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    const uint l = (uint)get_local_id(0);
    GPI_T sum = gpi_identity();
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        const uint i = GPI_COMMUTATIVE ? j * GPI_WG + l : l * GPI_PER_ITEM + j;
        if (i < length) sum = gpi_combine(sum, gpi_load(input, base + i));
    }
    return gpi_group_reduce(sum, shared);
}

/* Brings the tile to the stage; after its end, what counts for nothing. All loads come first, so that they are
   under way together. */
GPI_INLINE_GPU void gpi_stage_load(gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    const uint l = (uint)get_local_id(0);
    if (length == GPI_TILE) {
        GPI_CELL x[GPI_PER_ITEM];
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) x[j] = GPI_CELL_LOAD(input, base + l + j * GPI_WG);
        GPI_UNROLL
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) GPI_TILE_STRIPED(shared->stage, l, j) = x[j];
    } else {
        for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
            const uint i = j * GPI_WG + l;
            shared->stage[GPI_TILE_PAD(i)] = i < length ? GPI_CELL_LOAD(input, base + i) : GPI_CELL_NONE;
        }
    }
}

#if !GPI_KEPT /* else select/kept.cl has the rest */
/* Reads the tile, once: every item keeps its own elements and what is before them. */
GPI_INLINE_GPU void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint l = (uint)get_local_id(0);
    GPI_T sum = gpi_identity();
    gpi_stage_load(input, base, shared);
    gpi_sync(); /* the stage is filled */
    GPI_UNROLL
    for (uint j = 0; j < GPI_TURNS(GPI_PER_ITEM); j++) {
        tile->item[j] = GPI_TILE_BLOCKED(shared->stage, l, j);
        sum = gpi_combine(sum, tile->item[j]);
    }
    tile->before = gpi_group_scan(sum, &tile->aggregate, shared); /* its barriers free the stage */
}

static GPI_T gpi_tile_item(const gpi_tile *tile, uint j) { return tile->item[j]; }

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }
#endif
#endif
