/* opener.cl - looks up, in a tile's cells, the openers that the tile leaves open. */
#ifndef GPI_NEST_OPENER_CL
#define GPI_NEST_OPENER_CL
#include "base/platform.cl"
#include "nest/lookback_nodes.cl"
#include "nest/lookback_wait.cl"
#include "nest/stack_monoid.cl"
#include "nest/tile_summary.cl"

#if GPI_LOOKBACK
/* Returns the k-th of the openers that `tile` leaves open, from the lowest. k must be less than the number of openers that its
   node pushes. A word has two cells, each with a bit that says that the cell is written. Polls the cell at most `polls` times.
   If the cell is still missing, finds the opener in the input. */
static gpi_index gpi_opener_of(gpi_nest nest, uint tile, gpi_index k)
{
    const ulong begin = gpi_tile_begin(tile), at = begin + k;
    volatile __global uint *word = nest.cells + at / 2;
    const uint shift = (uint)(at & 1) * 16;
    uint cell = gpi_word_load(word) >> shift;
    for (uint looks = nest.tree.polls; looks > 0 && !(cell & GPI_CELL_THERE); looks--)
        cell = gpi_word_read(word) >> shift;
    if (cell & GPI_CELL_THERE) return (gpi_index)begin + (cell & (GPI_CELL_THERE - 1));
    return (gpi_index)begin +
           gpi_lookback_opener(nest.tree, tile, (uint)(gpi_leaf(nest, tile).pushes - 1 - k));
}
#else
/* Returns the k-th of the openers that `tile` leaves open, from the lowest. */
static gpi_index gpi_opener_of(gpi_nest nest, uint tile, gpi_index k)
{
    const ulong begin = gpi_tile_begin(tile);
    return gpi_cell_index(nest.cells[begin + k], (gpi_index)begin);
}
#endif
#endif
