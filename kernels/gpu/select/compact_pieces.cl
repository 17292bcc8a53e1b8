/* compact_pieces.cl - writes the selected elements of a tile: each sub-group writes its own piece, which gpi_tile_open
   has compacted (select/pieces.cl). Without GPI_BY_PIECES this file is empty. */
#ifndef GPI_SELECT_COMPACT_PIECES_CL
#define GPI_SELECT_COMPACT_PIECES_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "select/pieces.cl"
#include "select/sink.cl"

#if GPI_BY_PIECES
GPI_INLINE_GPU void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base,
                                     gpi_sink sink, gpi_tile_shared shared)
{
    const uint lane = gpi_sg_lane(), selected = tile->selected;
    const int left = (int)selected - (int)lane;
    const GPI_NUMBER first = prefix + tile->before;
    __local const gpi_kept_cell *piece = gpi_piece_of(shared);
    __global GPI_RECORD *out = sink.out + first;
#if GPI_PARTS == 2
    const uint length = gpi_piece_length(input, base);
    const ulong rest = base + gpi_sg_index() * GPI_PIECE - first;
#endif
    GPI_EACH(j, GPI_PER_ITEM) {
        const uint r = j * GPI_SUB_GROUP + lane;
        const bool is_selected = (int)(j * GPI_SUB_GROUP) < left;
#if GPI_PARTS == 2 /* one store: PoCL 3.1 loses the second of two stores in branches (docs/drivers.md) */
        __global GPI_RECORD *to =
            is_selected ? out + r : sink.rest + sink.step * (long)(rest + (r - selected));
        if (r < length) *to = piece[is_selected ? r : GPI_PIECE - 1 - (r - selected)].record;
#else
        if (is_selected) out[r] = piece[r].record;
#endif
    }
    (void)input;
    (void)base;
}
#endif
#endif
