/* stack_monoid.cl - the stack monoid, which describes how a range of the input changes the stack of open brackets, and
   trees of such ranges, which are searched for openers.

   Each symbol has a code: +k opens a bracket of kind k, -k closes one, 0 is any other symbol. After the pairs inside a
   range have cancelled, ")))((" remains: the range pops `pops` openers off the stack, and then pushes `pushes` of its
   own. The product of two neighbours (the bicyclic monoid) is

       (p1, s1) . (p2, s2) = (p1 + max(p2 - s1, 0), s2 + max(s1 - p2, 0))

   Products are kept in a tree. Leaf t is range t, and node x has the children 2x and 2x + 1:

       1                     root                      before(t):  product of all leaves before t
       2          3                                    search(t, need):  the leaf of the opener that is
       4    5     6    7     leaves = 4                    `need` below the top of the stack before t

   A search climbs from a leaf, and reads each node to the left of its path. If a node pushes more than `need` openers, the
   opener is one of them. Otherwise need += pops - pushes, and the search continues. It takes at most 2 log2(leaves) steps
   for every input, because it follows no chain of tiles. Items of a group and tiles of the grid are searched in the same
   way.
   (Levien, The stack monoid, 2020, for the monoid; the tree in place of its back-links is ours.)

   Parameters
       GPI_INDEX_SIZE   4, 8: bytes of an index
       GPI_KINDS        1: codes may be of several kinds, and pairs of different kinds are counted
       GPI_MATCH        1: partners are written
       GPI_TILE         elements of a tile
       GPI_LOOKBACK     1: groups look back over a tree that is still growing (nest/lookback.cl) */
#ifndef GPI_NEST_STACK_MONOID_CL
#define GPI_NEST_STACK_MONOID_CL
#include "base/platform.cl"
#include "group/sync.cl"

#if !defined(GPI_KINDS) || !defined(GPI_MATCH) || !defined(GPI_LOOKBACK)
#error "GPI_KINDS, GPI_MATCH and GPI_LOOKBACK must be defined"
#endif
#if GPI_TILE < 1 || GPI_TILE > 65536
#error "GPI_TILE must be 1 ... 65536"
#endif

#if GPI_INDEX_SIZE == 4
typedef uint gpi_index;
typedef uint4 gpi_index_quad;
typedef uint16 gpi_aligned_row;
typedef uint16 gpi_index_row __attribute__((aligned(4)));
typedef uint8 gpi_index_half;
#define gpi_convert_row convert_uint16
#define gpi_convert_steps as_uint16
#elif GPI_INDEX_SIZE == 8
typedef ulong gpi_index;
typedef ulong4 gpi_index_quad;
typedef ulong16 gpi_aligned_row;
typedef ulong16 gpi_index_row __attribute__((aligned(8)));
typedef ulong8 gpi_index_half;
#define gpi_convert_row convert_ulong16
#define gpi_convert_steps(v) as_ulong16(convert_long16(v))
#else
#error "GPI_INDEX_SIZE must be 4 or 8"
#endif

#define GPI_NONE (~(gpi_index)0)
#define GPI_LANE_NUMBERS(type) ((type)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* Writes 16 elements of an output that is not read again soon. If the row is aligned, the store bypasses the caches. */
static void gpi_row_write(__global gpi_index *out, gpi_index_row row)
{
    if ((size_t)out % sizeof(gpi_aligned_row) == 0)
        GPI_STREAM_STORE((gpi_aligned_row)(row), (__global gpi_aligned_row *)out);
    else GPI_STORE_VECTOR(gpi_index_row, row, out);
}

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

/* The place of an opener: it is `need` below the topmost opener that leaf `leaf` pushes. If the leaf is GPI_NOWHERE, the opener
   is before the tree. */
typedef struct gpi_place {
    uint leaf;
    gpi_index need;
} gpi_place;

/* Defines the functions on a tree of `type`. node(tree, x) is the node with index x in the heap. (No function returns
   inside a loop: with Mesa 22.3, an item that does so runs one more iteration.)

       descend(x, need)      the place of the opener that is `need` below the topmost opener that node x pushes
       search(leaf, need)    the place of the opener that is `need` below the top of the stack before `leaf`
       before(leaf)          the product of all leaves before `leaf`
       after(leaf)           the product of all leaves after `leaf` */
#define GPI_DEFINE_TREE(name, type, node)                                                   \
    static gpi_place gpi_##name##_descend(type tree, uint leaves, uint x, gpi_index need)   \
    {                                                                                       \
        gpi_place place;                                                                    \
        while (x < leaves) {                                                                \
            const gpi_node right = node(tree, 2 * x + 1);                                   \
            const bool there = right.pushes > need;                                         \
            x = 2 * x + there;                                                              \
            if (!there) need += right.pops - right.pushes;                                  \
        }                                                                                   \
        place.leaf = x - leaves;                                                            \
        place.need = need;                                                                  \
        return place;                                                                       \
    }                                                                                       \
    static gpi_place gpi_##name##_search(type tree, uint leaves, uint leaf, gpi_index need) \
    {                                                                                       \
        gpi_place nowhere;                                                                  \
        uint x = leaves + leaf;                                                             \
        bool found = false;                                                                 \
        while (x > 1 && !found) {                                                           \
            if (x & 1) {                                                                    \
                const gpi_node left = node(tree, x - 1);                                    \
                found = left.pushes > need;                                                 \
                if (!found) need += left.pops - left.pushes;                                \
            }                                                                               \
            if (!found) x >>= 1;                                                            \
        }                                                                                   \
        if (found) return gpi_##name##_descend(tree, leaves, x - 1, need);                  \
        nowhere.leaf = GPI_NOWHERE;                                                         \
        nowhere.need = need;                                                                \
        return nowhere;                                                                     \
    }                                                                                       \
    static gpi_node gpi_##name##_before(type tree, uint leaves, uint leaf)                  \
    {                                                                                       \
        gpi_node all = gpi_node_make(0, 0);                                                 \
        for (uint x = leaves + leaf; x > 1; x >>= 1) {                                      \
            if (x & 1) all = gpi_node_product(node(tree, x - 1), all);                      \
        }                                                                                   \
        return all;                                                                         \
    }                                                                                       \
    static gpi_node gpi_##name##_after(type tree, uint leaves, uint leaf)                   \
    {                                                                                       \
        gpi_node all = gpi_node_make(0, 0);                                                 \
        for (uint x = leaves + leaf; x > 1; x >>= 1) {                                      \
            if (!(x & 1)) all = gpi_node_product(all, node(tree, x + 1));                   \
        }                                                                                   \
        return all;                                                                         \
    }

/* The `node` of GPI_DEFINE_TREE for a tree that no other group is writing. */
#define GPI_NODE_AT(tree, x) ((tree)[x])

/* Makes the nodes above [bottom, 2 * bottom) of a tree in global memory: each group multiplies the nodes of its share until one
   is left. grow(x) makes node x from its children. clear(x) sets leaf x to the identity, if x is behind the last piece of the input. */
#define GPI_GROW_TREE(leaves, pieces, bottom, clear, grow)                                     \
    do {                                                                                       \
        const uint l = (uint)GPI_LOCAL_ID, g = (uint)get_group_id(0);                          \
        const uint groups = (uint)get_num_groups(0);                                           \
        uint width = (bottom) / groups;                                                        \
        for (uint k = g * width + l; (bottom) == (leaves) && k < (g + 1) * width; k += GPI_WG) \
            if (k >= (pieces)) clear((leaves) + k);                                            \
        for (width /= 2; width > 0; width /= 2) {                                              \
            gpi_sync_all(); /* the children are written */                                     \
            for (uint k = l; k < width; k += GPI_WG) grow((groups + g) * width + k);           \
        }                                                                                      \
    } while (0)

/* ------------------------------------------------------------------ tiles */

static ulong gpi_tile_begin(uint tile) { return (ulong)tile * GPI_TILE; }
static uint gpi_tiles_of(ulong n) { return (uint)((n + GPI_TILE - 1) / GPI_TILE); }

/* Returns how many of n elements are in `tile`. */
static uint gpi_tile_length_of(ulong n, uint tile)
{
    return (uint)min((ulong)GPI_TILE, n - min(n, gpi_tile_begin(tile)));
}
#endif
