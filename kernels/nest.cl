/* nest.cl - symbols, what a piece of the input does to the stack of open brackets, and the search in it.

   Each symbol has a code: +k opens a bracket of kind k, -k closes one, 0 is something else. When the pairs
   inside a piece of the input have cancelled, ")))((" is left: it takes `pops` openers off the stack and puts
   `pushes` of its own on it. Two neighbours make one (the bicyclic monoid):

       (p1, s1) . (p2, s2) = (p1 + max(p2 - s1, 0), s2 + max(s1 - p2, 0))

   Products are kept in a tree; leaf t is piece t, and node x has the children 2x and 2x + 1:

       1                     root                      before(t):  product of all leaves before t
       2          3                                    search(t, need):  which leaf holds the opener that is
       4    5     6    7     leaves = 4                    `need` below the top of the stack before t

   A search goes up to the left: a node that pushes more than `need` has the opener, any other one is passed
   with need += pops - pushes. It takes 2 log2(leaves) steps at most, whatever the input: no chain of tiles
   can make it longer. Items in a group and tiles in the grid are searched in the same way.
   (Levien, The stack monoid, 2020, for the monoid; the tree in place of its back-links is ours.)

   Parameters
       GPI_SYMBOL       type of an input element
       GPI_CODE(x, i)   its code
       GPI_SIGN(x, i)   the code's sign
       GPI_OPENS(x, i)  serial: all bits where it opens, else none; from a table where there is one
       GPI_INDEX_SIZE   4, 8: bytes of an index
       GPI_KINDS        1: codes may be of several kinds, and pairs of two are to be counted
       GPI_MATCH        1: partners are written
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1 (strands.cl, items.cl)
       GPI_TILE         elements of a tile                                                              */
#if !defined(GPI_SYMBOL) || !defined(GPI_KINDS) || !defined(GPI_MATCH)
#error "GPI_SYMBOL, GPI_KINDS and GPI_MATCH must be defined"
#endif
#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_TILE < 1 || GPI_TILE > 65536
#error "GPI_TILE must be 1 ... 65536"
#endif

#if GPI_INDEX_SIZE == 4
typedef uint gpi_index;
typedef uint16 gpi_aligned_row;
typedef uint16 gpi_row __attribute__((aligned(4)));
#elif GPI_INDEX_SIZE == 8
typedef ulong gpi_index;
typedef ulong16 gpi_aligned_row;
typedef ulong16 gpi_row __attribute__((aligned(8)));
#else
#error "GPI_INDEX_SIZE must be 4 or 8"
#endif

#define GPI_NONE (~(gpi_index)0)

/* ------------------------------------------------------------------ nodes */

typedef struct gpi_node {
    gpi_index pops, pushes;
} gpi_node;

static gpi_node gpi_node_make(gpi_index pops, gpi_index pushes)
{
    gpi_node node;
    node.pops = pops;
    node.pushes = pushes;
    return node;
}

static gpi_index gpi_excess(gpi_index a, gpi_index b) { return a > b ? a - b : 0; }

static gpi_node gpi_node_product(gpi_node a, gpi_node b)
{
    return gpi_node_make(a.pops + gpi_excess(b.pops, a.pushes), b.pushes + gpi_excess(a.pushes, b.pops));
}

/* ------------------------------------------------------------------ trees */

#define GPI_NOWHERE (~0u)

/* An opener: `need` below the top of what leaf `leaf` pushes. Leaf GPI_NOWHERE: it comes before the tree. */
typedef struct gpi_place {
    uint leaf;
    gpi_index need;
} gpi_place;

/* The functions on a tree, for trees in `space`. Nodes are named by their place in the heap. (No return
   inside a loop: Mesa 22.3 lets such an item go on for another turn.) */
#define GPI_DEFINE_TREE(name, space)                                                                         \
    static gpi_place gpi_##name##_descend(space const gpi_node *tree, uint leaves, uint x, gpi_index need)   \
    {                                                                                                        \
        gpi_place place;                                                                                     \
        while (x < leaves) {                                                                                 \
            const gpi_index pops = tree[2 * x + 1].pops, pushes = tree[2 * x + 1].pushes;                    \
            const bool right = pushes > need;                                                                \
            x = 2 * x + right;                                                                               \
            if (!right) need += pops - pushes;                                                               \
        }                                                                                                    \
        place.leaf = x - leaves;                                                                             \
        place.need = need;                                                                                   \
        return place;                                                                                        \
    }                                                                                                        \
    static gpi_place gpi_##name##_search(space const gpi_node *tree, uint leaves, uint leaf, gpi_index need) \
    {                                                                                                        \
        gpi_place nowhere;                                                                                   \
        uint x = leaves + leaf;                                                                              \
        bool found = false;                                                                                  \
        while (x > 1 && !found) {                                                                            \
            if (x & 1) {                                                                                     \
                const gpi_index pops = tree[x - 1].pops, pushes = tree[x - 1].pushes;                        \
                found = pushes > need;                                                                       \
                if (!found) need += pops - pushes;                                                           \
            }                                                                                                \
            if (!found) x >>= 1;                                                                             \
        }                                                                                                    \
        if (found) return gpi_##name##_descend(tree, leaves, x - 1, need);                                   \
        nowhere.leaf = GPI_NOWHERE;                                                                          \
        nowhere.need = need;                                                                                 \
        return nowhere;                                                                                      \
    }                                                                                                        \
    static gpi_node gpi_##name##_before(space const gpi_node *tree, uint leaves, uint leaf)                  \
    {                                                                                                        \
        gpi_node all = gpi_node_make(0, 0);                                                                  \
        for (uint x = leaves + leaf; x > 1; x >>= 1) {                                                       \
            if (x & 1) all = gpi_node_product(tree[x - 1], all);                                             \
        }                                                                                                    \
        return all;                                                                                          \
    }

GPI_DEFINE_TREE(tiles, __global)

/* The nodes above [bottom, 2 * bottom) of a tree in global memory: each group multiplies its share until one
   is left. grow(x) makes a node of its children; clear(x) a leaf for which there is no piece. */
#define GPI_GROW_TREE(leaves, pieces, bottom, clear, grow)                                     \
    do {                                                                                       \
        const uint l = (uint)get_local_id(0), g = (uint)get_group_id(0);                       \
        const uint groups = (uint)get_num_groups(0);                                           \
        uint width = (bottom) / groups;                                                        \
        for (uint k = g * width + l; (bottom) == (leaves) && k < (g + 1) * width; k += GPI_WG) \
            if (k >= (pieces)) clear((leaves) + k);                                            \
        for (width /= 2; width > 0; width /= 2) {                                              \
            gpi_sync_all(); /* the children are written */                                     \
            for (uint k = l; k < width; k += GPI_WG) grow((groups + g) * width + k);           \
        }                                                                                      \
    } while (0)

/* ------------------------------------------------------------------ tiles, and what is kept of them */

/* Scratch, in uints; the host computes where the parts begin:

       | cells: one an element | notes: gpi_note a tile | tree: 2 * leaves gpi_node |

   A tile's cells hold what is left of it: its openers from the first cell on, lowest in the stack first, and
   its closers from the last cell back, first one first. A cell has the low 32 bits of an index. */
#define GPI_SCRATCH_PARAMETERS __global uint *scratch, ulong notes_at, ulong tree_at, uint leaves

/* What there is to tell of a tile besides its node. */
typedef struct gpi_note {
    uint mismatches; /* closers whose opener is of another kind */
    uint first;      /* ... of them the first, counted from the tile's begin */
    uint joined;     /* closers whose opener is in another tile */
    uint searches;   /* ... and how often one had to be searched for */
    uint rise;       /* how far the stack gets above its height before the tile; where errors are wanted */
    uint unused[3];
} gpi_note;

static gpi_note gpi_note_make(void)
{
    gpi_note note = {0, ~0u, 0, 0, 0, {0, 0, 0}};
    return note;
}

typedef struct gpi_nest {
    __global uint *cells;
    __global gpi_note *notes;
    __global gpi_node *tree;
    uint leaves;
    ulong n;
} gpi_nest;

static gpi_nest gpi_nest_make(__global uint *scratch, ulong notes_at, ulong tree_at, uint leaves, ulong n)
{
    gpi_nest nest;
    nest.cells = scratch;
    nest.notes = (__global gpi_note *)(scratch + notes_at);
    nest.tree = (__global gpi_node *)(scratch + tree_at);
    nest.leaves = leaves;
    nest.n = n;
    return nest;
}

static ulong gpi_tile_begin(uint tile) { return (ulong)tile * GPI_TILE; }
static uint gpi_tiles_of(ulong n) { return (uint)((n + GPI_TILE - 1) / GPI_TILE); }

static uint gpi_tile_length(gpi_nest nest, uint tile)
{
    return (uint)min((ulong)GPI_TILE, nest.n - min(nest.n, gpi_tile_begin(tile)));
}

/* The index that a cell of the tile that begins at `begin` stands for. */
static gpi_index gpi_cell_index(uint cell, gpi_index begin) { return begin + (cell - (uint)begin); }

/* A place's opener. */
static gpi_index gpi_opener_at(gpi_nest nest, gpi_place place)
{
    const gpi_index k = nest.tree[nest.leaves + place.leaf].pushes - 1 - place.need;
    const ulong begin = gpi_tile_begin(place.leaf);
    return gpi_cell_index(nest.cells[begin + k], (gpi_index)begin);
}

/* A place whose `need` is beyond what its tile pushes: where that is, before it. */
static gpi_place gpi_place_behind(gpi_nest nest, gpi_place place)
{
    const gpi_node node = nest.tree[nest.leaves + place.leaf];
    return gpi_tiles_search(nest.tree, nest.leaves, place.leaf, place.need - node.pushes + node.pops);
}

/* The place below this one. */
static gpi_place gpi_place_below(gpi_nest nest, gpi_place place)
{
    place.need++;
    if (place.need < nest.tree[nest.leaves + place.leaf].pushes) return place;
    return gpi_place_behind(nest, place);
}
