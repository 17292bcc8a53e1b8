/* tile_summary.cl - the summary of a tile: its node in the tree of tiles; its cells, which list brackets without a partner in
   the tile; and its note, which has counts for the report on errors.

   Scratch, in uints; the host computes where the parts begin:

       | cells: one per element | notes: a gpi_note per tile | tree: 2 * leaves nodes |

   The first cells have the tile's openers without a partner, the lowest of the stack first. The last cells have its
   closers without a partner, from the last cell back, the first closer first. A cell has the low 32 bits of an index. On
   GPUs under GPI_LOOKBACK, a cell has 16 bits, and only openers have cells (nest/brackets_tile.cl). */
#ifndef GPI_NEST_TILE_SUMMARY_CL
#define GPI_NEST_TILE_SUMMARY_CL
#include "base/platform.cl"
#include "nest/stack_monoid.cl"
#include "nest/lookback.cl"
#include "nest/lookback_nodes.cl"

#define GPI_SCRATCH_PARAMETERS __global uint *scratch, ulong notes_at, ulong tree_at, uint leaves

/* A tile's contribution to gp_brackets_errors, besides its node. */
typedef struct gpi_note {
    uint mismatches; /* closers whose opener is of another kind */
    uint first;      /* index in the tile of the first mismatched closer */
    uint joined;     /* closers whose opener is in another tile */
    uint searches;   /* number of searches for openers in other tiles */
    uint rise;       /* how far the stack rises above its height before the tile; only if errors are wanted */
    uint lone;       /* index in the tile of the first closer without an opener; on GPUs under GPI_LOOKBACK */
    ulong base;      /* the stack's height before the tile; only if errors are wanted */
} gpi_note;

static gpi_note gpi_note_make(void)
{
    gpi_note note = {0, ~0u, 0, 0, 0, ~0u, 0};
    return note;
}

#if GPI_LOOKBACK
typedef gpi_lookback gpi_tiles;
#define GPI_TILE_NODE(tree, x) gpi_lookback_node(tree, x)
#else
typedef __global gpi_node *gpi_tiles;
#define GPI_TILE_NODE(tree, x) GPI_NODE_AT(tree, x)
#endif

GPI_DEFINE_TREE(tiles, const gpi_tiles, GPI_TILE_NODE)

typedef struct gpi_nest {
    __global uint *cells;
    __global gpi_note *notes;
    gpi_tiles tree;
    uint leaves;
    uint none; /* fills a gap: Mesa's drivers copy structs with gaps through memory, not registers */
    ulong n;
} gpi_nest;

static gpi_nest gpi_nest_make(__global uint *scratch, ulong notes_at, gpi_tiles tree, uint leaves, ulong n)
{
    gpi_nest nest;
    nest.cells = scratch;
    nest.notes = (__global gpi_note *)(scratch + notes_at);
    nest.tree = tree;
    nest.leaves = leaves;
    nest.n = n;
    return nest;
}

static uint gpi_brackets_tile_length(gpi_nest nest, uint tile) { return gpi_tile_length_of(nest.n, tile); }

static gpi_node gpi_leaf(gpi_nest nest, uint tile) { return GPI_TILE_NODE(nest.tree, nest.leaves + tile); }

/* Sets the tile's node. On CPUs, the tile's cells must already be written. */
static void gpi_leaf_set(gpi_nest nest, uint tile, gpi_node node)
{
#if GPI_LOOKBACK
    gpi_lookback_publish(nest.tree, nest.leaves + tile, node);
#else
    nest.tree[nest.leaves + tile] = node;
#endif
}

/* Returns the index of the bracket in `cell`, whose tile begins at `begin`. */
static gpi_index gpi_cell_index(uint cell, gpi_index begin) { return begin + (cell - (uint)begin); }
#endif
