/* lookback.cl - look-back over the tree of tiles: how a group learns what the tiles before its own leave, while other
   groups work on them.

   The tree of tiles (nest/stack_monoid.cl) grows while groups search it. A tile's group publishes the tile's leaf as
   soon as the tile's own pairs are found. Then it climbs from the leaf to the root, x being the node on its path:

       x is a right child    node(x - 1) comes before the tile;
                             if the tile is also the last leaf below x, its group publishes
                             node(x / 2) = node(x - 1) . node(x)
       the input's last tile publishes node(x / 2) = node(x) for left children, too

             *                 The tile that is a node's last leaf publishes the node: a tile publishes one
          *     .              node on the average, log2(leaves) at most. Then all nodes to the left of its
        *   *  . .             path are published, and later tiles can search them: a search takes
       * * t  . . .            2 log2(leaves) steps for every input. Links from tile to tile would form chains.

   A node has four words, each with 31 bits of payload and a top bit that says that the word is written. A node is
   valid when all four words are written, so that every access is a relaxed atomic and no order between words is
   needed. A node depends on the input alone, so that it does not matter who writes it, or how often.

   Waiting. Groups wait for leaves only, and a group publishes its leaf before it waits for anybody. If a node above the
   leaves is late, the group that needs it computes the node from its children, and publishes it.
     - Tiles are handed out by ticket: whoever waits, waits for groups that have already started.
     - Local shape: the items of a group look at the nodes to the left of its path at the same time, a level each. A
       wait is bounded. After `polls` looks at a late leaf, the item computes the leaf from the input, publishes it,
       and goes on. Cells have a bit that says that they are written. A late cell is computed from the input, too.
     - Serial shape: cells are plain memory, written before the leaf. They are read only by groups that have seen the
       leaf itself, not only a node above it. The host takes this form only if both fences below are known and
       threads of the operating system run the groups: a group that has started runs on until it ends.
   Checked in every state: tests/models/back.pml.
   (Levien, The stack monoid, 2020, and Merrill & Garland 2016, for decoupled look-back over it; the tree is
   ours.)

   In tests, gpi_tells (base/fault_injection.cl) may suppress or delay the words and cells that a tile publishes. */
#ifndef GPI_NEST_LOOKBACK_CL
#define GPI_NEST_LOOKBACK_CL
#include "base/count.cl"
#include "base/fault_injection.cl"
#include "base/platform.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/constants.cl"

#if GPI_LOOKBACK
#define GPI_WORD_THERE 0x80000000u
#define GPI_CELL_THERE 0x8000u

/* The tree of tiles, and what is needed to compute a late tile. The words of node 0, which does not exist, have the ticket. */
typedef struct gpi_lookback {
    volatile __global uint *words;
    gpi_symbol_input in;
    volatile __global uint *counters;
    ulong n;
    uint leaves, polls;
} gpi_lookback;

static gpi_lookback gpi_lookback_make(volatile __global uint *words, gpi_symbol_input in,
                                      volatile __global uint *counters, ulong n, uint leaves, uint polls)
{
    gpi_lookback back;
    back.words = words;
    back.in = in;
    back.counters = counters;
    back.n = n;
    back.leaves = leaves;
    back.polls = polls;
    return back;
}

static uint gpi_node_word(gpi_node node, uint k)
{
    const gpi_index x = k < 2 ? node.pops : node.pushes;
    return GPI_WORD_THERE | (uint)(k % 2 ? (ulong)x >> 31 : (ulong)x);
}

static volatile __global uint *gpi_node_words(gpi_lookback back, uint x)
{
    return back.words + (ulong)x * GPI_NODE_WORDS;
}

/* Writes node x, which this group has computed for another one. */
static void gpi_lookback_write(gpi_lookback back, uint x, gpi_node node)
{
    volatile __global uint *words = gpi_node_words(back, x);
    for (uint k = 0; k < GPI_NODE_WORDS; k++) gpi_word_write(words + k, gpi_node_word(node, k));
}

/* Publishes node x. The group of the node's last leaf calls. */
static void gpi_lookback_publish(gpi_lookback back, uint x, gpi_node node)
{
    const uint level = clz(x) - clz(back.leaves), tile = ((x + 1) << level) - 1 - back.leaves;
    volatile __global uint *words = gpi_node_words(back, x);
    GPI_RELEASE(); /* serial shape: a leaf's cells are there */
    for (uint k = 0; k < GPI_NODE_WORDS; k++) {
        if (gpi_tells(words + k, tile, k)) gpi_word_write(words + k, gpi_node_word(node, k));
    }
}

static gpi_index gpi_number_of(uint low, uint high)
{
    return (gpi_index)(low & ~GPI_WORD_THERE) | (gpi_index)((ulong)(high & ~GPI_WORD_THERE) << 31);
}

/* Loads node x once into *node. Returns false if it is not published yet. A node without tiles counts as published. (back.pml:
   `whole`.) */
static bool gpi_lookback_look(gpi_lookback back, uint x, gpi_node *node)
{
    const uint level = clz(x) - clz(back.leaves);
    volatile __global uint *words = gpi_node_words(back, x);
    if ((x << level) - back.leaves >= gpi_tiles_of(back.n)) {
        *node = gpi_node_make(0, 0);
        return true;
    }
    const uint a = gpi_word_load(words), b = gpi_word_load(words + 1);
    const uint c = gpi_word_load(words + 2), d = gpi_word_load(words + 3);
    *node = gpi_node_make(gpi_number_of(a, b), gpi_number_of(c, d));
    return (a & b & c & d & GPI_WORD_THERE) != 0;
}

#if GPI_SHAPE_LOCAL
/* Computes the node of `tile` from the input. Counts a fallback. */
static gpi_node gpi_lookback_leaf(gpi_lookback back, uint tile)
{
    const ulong begin = gpi_tile_begin(tile);
    const uint length = gpi_tile_length_of(back.n, tile);
    gpi_node node = gpi_node_make(0, 0);
    for (uint i = 0; i < length; i++) {
        const int sign = gpi_sign(back.in, begin + i);
        if (sign > 0) node.pushes++;
        else if (sign < 0 && node.pushes > 0) node.pushes--;
        else if (sign < 0) node.pops++;
    }
    (void)atomic_inc(back.counters + GPI_COUNT_FALLBACKS);
    return node;
}

/* Returns where in `tile` the opener is that the tile leaves with `above` others above it. Reads the input. */
GPI_NOINLINE uint gpi_lookback_opener(gpi_lookback back, uint tile, uint above)
{
    const ulong begin = gpi_tile_begin(tile);
    uint closers = 0, i = gpi_tile_length_of(back.n, tile);
    bool found = false;
    while (!found && i > 0) {
        i--;
        const int sign = gpi_sign(back.in, begin + i);
        if (sign < 0) closers++;
        else if (sign > 0 && closers > 0) closers--;
        else if (sign > 0) found = above-- == 0;
    }
    return i;
}
#endif

/* Waits for leaf x, and returns it. Local: ends after back.polls looks. Serial: ends because the tile's group has started
   before the one that waits, and publishes the leaf without waiting for anybody. (back.pml: `alive`.) */
static gpi_node gpi_lookback_wait(gpi_lookback back, uint x)
{
    gpi_node node;
    bool there = false;
#if GPI_SHAPE_LOCAL
    for (uint looks = back.polls; looks > 0 && !there; looks--) there = gpi_lookback_look(back, x, &node);
    if (!there) node = gpi_lookback_leaf(back, x - back.leaves);
#else
    while (!there) there = gpi_lookback_look(back, x, &node);
#endif
    return node;
}

/* Computes node x from the nodes below it, from the left: takes each published node, or else its children. Ends because each
   turn goes down, or on to the right. (back.pml: `right`.) */
GPI_NOINLINE gpi_node gpi_lookback_compute(gpi_lookback back, uint x)
{
    gpi_node all = gpi_node_make(0, 0), node;
    uint y = x;
    bool done = false;
    while (!done) {
        const bool there = gpi_lookback_look(back, y, &node);
        if (!there && y < back.leaves) {
            y = 2 * y;
        } else {
            if (!there) node = gpi_lookback_wait(back, y);
            all = gpi_node_product(all, node);
            while (y != x && (y & 1)) y >>= 1;
            done = y == x;
            y++;
        }
    }
    if (x < back.leaves || GPI_SHAPE_LOCAL) gpi_lookback_write(back, x, all);
    return all;
}

/* Returns node x. During the launch no leaf of x may be a tile after the group's own. */
static gpi_node gpi_lookback_node(gpi_lookback back, uint x)
{
    gpi_node node;
    if (GPI_RARELY(!gpi_lookback_look(back, x, &node))) node = gpi_lookback_compute(back, x);
    GPI_ACQUIRE(); /* serial shape: a leaf's cells are there (back.pml: `cells`) */
    return node;
}

/* Returns node x - 1, the left neighbour of x, or an empty node if x is a left child or the root. */
static gpi_node gpi_lookback_beside(gpi_lookback back, uint x)
{
    return (x & 1) && x > 1 ? gpi_lookback_node(back, x - 1) : gpi_node_make(0, 0);
}

#if GPI_SHAPE_LOCAL
/* Fills beside[level] with the node to the left of the tile's path to the root, for every level from the leaf up; each item takes
   other levels. All items call, and a barrier follows. */
static void gpi_lookback_all_beside(gpi_lookback back, uint tile, __local gpi_node *beside)
{
    for (uint level = (uint)GPI_LOCAL_ID; level < 32; level += GPI_WG)
        beside[level] = gpi_lookback_beside(back, (back.leaves + tile) >> level);
}
#endif

/* Returns the product of all tiles before `tile`. Publishes the nodes of which `tile` is the last leaf. `beside`: in the local
   shape, the nodes that gpi_lookback_all_beside has filled in. (back.pml: `right`, `grown`.) */
static gpi_node gpi_lookback_climb(gpi_lookback back, uint tile, gpi_node leaf,
                                   __local const gpi_node *beside)
{
    const bool last = tile + 1 == gpi_tiles_of(back.n);
    gpi_node before = gpi_node_make(0, 0), node = leaf;
    bool ours = true; /* node x ends with the tile */
    for (uint x = back.leaves + tile; x > 1; x >>= 1) {
        const gpi_node left = GPI_SHAPE_LOCAL ? *beside++ : gpi_lookback_beside(back, x);
        before = gpi_node_product(left, before);
        node = gpi_node_product(left, node);
        ours = ours && ((x & 1) || last);
        if (ours) gpi_lookback_publish(back, x >> 1, node);
    }
    return before;
}
#endif
#endif
