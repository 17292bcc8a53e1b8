/* ballots.cl - the tile of gp_select and gp_partition by a predicate where groups have sub-groups and only elements go
   out (GPI_BY_BALLOTS of select/input.cl): each sub-group brings its own piece of the tile together, before it knows of
   any other.

       in       striped     a ballot says which of S neighbours are selected, and where they come
       piece    | selected, in their order | ... | the others, from the end on |        of the stage

   In place of what opens a tile in scan/tile_local.cl. */
#ifndef GPI_SELECT_BALLOTS_CL
#define GPI_SELECT_BALLOTS_CL
#include "select/input.cl" /* first: it stands in place of element/input.cl */
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"

#if GPI_BY_BALLOTS
#define GPI_PIECE (GPI_SUB_GROUP * GPI_PER_ITEM) /* elements */

typedef struct gpi_tile {
    uint selected;   /* of this sub-group's piece */
    GPI_T before;    /* selected in the pieces before it */
    GPI_T aggregate; /* in the whole tile */
} gpi_tile;

static __local gpi_kept_cell *gpi_piece_of(gpi_tile_shared shared)
{
    return shared->stage + gpi_sg_index() * GPI_PIECE;
}

/* This item's elements, striped. All loads come first, so that they are under way together. */
GPI_INLINE_GPU void gpi_piece_load(gpi_input input, ulong at, uint length, gpi_kept_cell *x)
{
    const int left = (int)length - (int)gpi_sg_lane();
    if (length == GPI_PIECE) {
        GPI_UNROLL
        for (uint j = 0; j < GPI_PER_ITEM; j++)
            x[j] = gpi_kept_cell_load(input, at + gpi_sg_lane() + j * GPI_SUB_GROUP);
    } else {
        GPI_UNROLL
        for (uint j = 0; j < GPI_PER_ITEM; j++) {
            x[j] = gpi_kept_cell_none();
            if ((int)(j * GPI_SUB_GROUP) < left)
                x[j] = gpi_kept_cell_load(input, at + gpi_sg_lane() + j * GPI_SUB_GROUP);
        }
    }
}

/* Elements of this sub-group's piece that are there. */
static uint gpi_piece_length(gpi_input input, ulong base)
{
    const uint length = gpi_tile_length(input, base), first = gpi_sg_index() * GPI_PIECE;
    return min(length - min(first, length), (uint)GPI_PIECE);
}

/* Reads the tile, once. */
GPI_INLINE_GPU void gpi_tile_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    const uint lane = gpi_sg_lane(), length = gpi_piece_length(input, base);
    const int left = (int)length - (int)lane;
    const ulong at = base + gpi_sg_index() * GPI_PIECE;
    __local gpi_kept_cell *piece = gpi_piece_of(shared);
    gpi_kept_cell x[GPI_PER_ITEM];
    uint selected = 0;
    gpi_piece_load(input, at, length, x);
    GPI_UNROLL
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint i = j * GPI_SUB_GROUP + lane;
        const bool mine = (int)(j * GPI_SUB_GROUP) < left && gpi_predicate(x[j].in, at + i);
        const gpi_sg_mask all = gpi_sg_ballot(mine, &shared->sub_group);
        const uint below = gpi_sg_count_below(all);
        if (mine) piece[selected + below] = x[j];
#if GPI_PARTS == 2
        else piece[GPI_PIECE - 1 - (i - selected - below)] = x[j];
#endif
        selected += gpi_sg_count(all);
    }
    tile->selected = selected;
    tile->before = gpi_items_scan_sub_groups(selected, &tile->aggregate, shared->value);
    /* its barriers come after all that the stage is given */
}

static GPI_T gpi_tile_aggregate(const gpi_tile *tile) { return tile->aggregate; }
#endif
#endif
