/* kept.cl - the tile of selections that write only elements, and that depend only on the elements (GPI_KEPT of
   select/input_vectors.cl). An item keeps its elements in registers, so that each is read once. Groups without
   sub-groups use this file instead of select/pieces.cl, too: here a tile has 5 barriers, there it has 26 with emulated
   sub-groups (docs/gpu-cost.md).

       in       striped      item l of a team reads l, l + GPI_TEAM, ... of the team's piece, or chunks of four
       stage    blocked      item l keeps l * GPI_PER_ITEM ..., and counts
       stage    by rank      the selected elements, compacted (select/compact_items.cl)
       out      striped

   This file replaces gpi_tile and gpi_tile_open of scan/tile_elements.cl. */
#ifndef GPI_SELECT_KEPT_CL
#define GPI_SELECT_KEPT_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "base/args.cl"
#include "base/platform.cl"
#include "group/striped.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"

#if GPI_KEPT && !GPI_BY_PIECES
typedef struct gpi_tile {
    gpi_kept_cell kept[GPI_PER_ITEM]; /* this item's own elements */
    uint selected, second;            /* bit j: element j is in the first (second) part */
    GPI_T before;                     /* product of the items before this one */
    GPI_T aggregate;                  /* product of the whole tile */
} gpi_tile;

/* Returns what this item's own element j adds to the tile's counts. */
static GPI_T gpi_tile_item(const gpi_tile *tile, uint j)
{
#if GPI_PARTS == 3
    GPI_T n;
    n.n = tile->selected >> j & 1;
    n.m = tile->second >> j & 1;
    return n;
#else
    return tile->selected >> j & 1;
#endif
}

/* Returns 1 if element i, which is x, is selected, else 0. `before` is the element before it. */
static uint gpi_is_kept(gpi_input input, GPI_IN x, GPI_IN before, ulong i)
{
    (void)input;
#if GPI_SELECT_BY == GPI_SELECT_BY_UNIQUE
    return i > 0 && gpi_equal(GPI_ARGS_OF(input) x, before) ? 0 : 1;
#else
    (void)before;
    return gpi_predicate(GPI_ARGS_OF(input) x, i);
#endif
}

/* Reads the tile, each element once, and sets *tile. */
GPI_INLINE_GPU void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint lane = gpi_team_lane(), first = (uint)GPI_LOCAL_ID * GPI_PER_ITEM;
    const uint length = gpi_tile_length(input, base), own = length - min(first, length);
    GPI_T sum = gpi_identity();
    gpi_kept_cell last;
    tile->selected = tile->second = 0;
    gpi_stage_load(input, base, shared);
    gpi_team_sync(); /* the stage is filled */
    last = shared->stage[GPI_TILE_PAD(first - min(lane, 1u))];
    if (GPI_SELECT_BY == GPI_SELECT_BY_UNIQUE && lane == 0 && base + first > 0 && own > 0)
        last = gpi_kept_cell_load(input, base + first - 1);
    GPI_EACH_CHUNK(j, GPI_TURNS(GPI_PER_ITEM), GPI_CELL_CHUNK)
        gpi_chunk_get(gpi_own_cells(shared) + GPI_TILE_PAD(j), tile->kept + j);
    GPI_EACH_OWN(j) {
        const gpi_kept_cell x = tile->kept[j];
        if (j < own && gpi_is_kept(input, GPI_KEPT_IN(x), GPI_KEPT_IN(last), base + first + j))
            tile->selected |= 1u << j;
#if GPI_PARTS == 3
        else if (j < own && gpi_predicate2(GPI_ARGS_OF(input) GPI_KEPT_IN(x), base + first + j))
            tile->second |= 1u << j;
#endif
        sum = gpi_combine(sum, gpi_tile_item(tile, j));
        last = x;
    }
    tile->before = gpi_group_scan(sum, &tile->aggregate, shared); /* its barriers free the stage */
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }
#endif
#endif
