/* lookback.cl - look-back: how a group learns what the tiles before its own leave, while they are being
   worked on.

   The tree of tiles (nest/stack_monoid.cl) grows while groups search it. A tile publishes its leaf as soon as
   its own pairs are found. Then it climbs from there to the root:

       x is a right child    node(x - 1) comes before the tile;
                             as long as x's last leaf is the tile's, it publishes
                             node(x / 2) = node(x - 1) . node(x)
       the input's last tile publishes node(x / 2) = node(x) for left children too

             *                 Each node is published by the tile that its last leaf is: one a tile on the
          *     .              average, log2(leaves) at most. What is to the left of the path is there then,
        *   *  . .             and every later tile can go down in it: a search takes 2 log2(leaves) steps
       * * t  . . .            whatever is in between, where links from tile to tile would form chains.

   A node has four words, 31 bits of payload each. Their top bit says that the word is there: a node is
   believed when all four are, so that every access is a relaxed atomic and no order between words is needed.
   What a node is depends on the input alone, so that it does not matter who writes it, or how often.

   Waiting. Groups wait for leaves only, and a leaf is published by a group that has not waited for anybody: a
   node above it that is late is computed by whoever needs it, from its children, and published.
     - Tiles are handed out by ticket: whoever waits, waits for groups that have already started.
     - Local shape: a group's items look at the nodes to the left of its path side by side, a level each. A
       wait is bounded. After `polls` looks at a leaf that is late, the item computes it from the input,
       publishes it, and goes on. Cells validate themselves like words; those that are late are found in the
       input.
     - Serial shape: cells are plain memory, written before the leaf, and read by those who have seen the leaf
       itself, not only a node above it. The host takes this form only where both fences below are known and
       threads of the operating system run the groups: those that have started run on until they end.
   Checked in every state: tests/models/back.pml.
   (Levien, The stack monoid, 2020, and Merrill & Garland 2016, for decoupled look-back over it; the tree is
   ours.)

   Behind base/fault_injection.cl: words and cells of a tile go past gpi_tells. */
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

/* The tree of tiles, and what it takes to do a late tile's work. Node 0, which is no node, has the ticket. */
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

/* A node that somebody has computed. */
static void gpi_lookback_write(gpi_lookback back, uint x, gpi_node node)
{
    volatile __global uint *words = gpi_node_words(back, x);
    for (uint k = 0; k < GPI_NODE_WORDS; k++) gpi_word_write(words + k, gpi_node_word(node, k));
}

/* A node, by the tile that its last leaf is. */
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

/* One look at node x: false when it is not there yet. Nodes that have no tiles are. (back.pml: `whole`.) */
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
/* A tile's node, from the input. */
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

/* Where in a tile the opener is that it leaves with `above` others on it; from the input. */
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

/* A leaf that was not there a moment ago. Local: ends after so many looks. Serial: ends because the tile has
   been started, before the one that waits, and goes on to publish its leaf without waiting for anybody.
   (back.pml: `alive`.) */
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

/* Node x from what is below it, in order from the left: nodes where they are there, else their children.
   Ends because each turn goes down, or on to the right. (back.pml: `right`.) */
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

/* Node x of the tree, all of whose leaves are tiles before the group's own or its own; after the launch any. */
static gpi_node gpi_lookback_node(gpi_lookback back, uint x)
{
    gpi_node node;
    if (GPI_RARELY(!gpi_lookback_look(back, x, &node))) node = gpi_lookback_compute(back, x);
    GPI_ACQUIRE(); /* serial shape: a leaf's cells are there (back.pml: `cells`) */
    return node;
}

/* What is to the left of node x, beside it: node x - 1. Nothing, where x is a left child or the root. */
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

/* The product of all tiles before this one. Publishes the nodes whose last leaf the tile is. `beside`: local
   shape, by gpi_lookback_all_beside. (back.pml: `right`, `grown`.) */
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
