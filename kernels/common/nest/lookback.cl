/* lookback.cl - look-back over the tree of tiles: a group finds the product of the tiles before its own, and their openers,
   while other groups still work on them.

   The tree of tiles (nest/stack_monoid.cl) grows while groups search it. A tile's group publishes the tile's leaf as
   soon as the tile's own pairs are found. Then it climbs from the leaf to the root, x being the node on its path:

       x is a right child    node(x - 1) comes before the tile;
                             if the tile is also the last leaf below x, its group publishes
                             node(x / 2) = node(x - 1) . node(x)
       the input's last tile publishes node(x / 2) = node(x) for left children, too

             *                 The tile that is a node's last leaf publishes the node: a tile publishes one
          *     .              node on the average, log2(leaves) at most. After its climb, all nodes to the left
        *   *  . .             of its path are published, and later tiles can search them: a search takes
       * * t  . . .            2 log2(leaves) steps for every input. Links from tile to tile would form chains.

   A node has four words, each with 31 bits of payload and a top bit that says that the word is written. A node is valid
   when all four words are written, so that every access is a relaxed atomic and no order between words is needed. A
   node depends on the input alone, so that it does not matter which group writes it, or how often.

   Waiting. Groups wait only for leaves and, on GPUs, for cells. A group publishes its own leaf and cells before it
   waits. If a node above the leaves is late, the group that needs it computes the node from its children, and publishes
   it.
     - Tiles are handed out by ticket, so that a group only waits for groups that have already started.
     - On GPUs, the items of a group read the nodes to the left of its path at the same time, one level each. A wait is
       bounded: after `polls` reads of a late leaf, the item computes the leaf from the input, publishes it, and
       continues. Each cell has a bit that says that it is written. A late cell is computed from the input, too.
     - On CPUs, cells are plain memory, written before the leaf. They are read only by groups that have seen the
       leaf itself, not only a node above it. The host chooses this form only if both fences below are known and
       threads of the operating system run the groups: a group that has started runs on until it ends.
   tests/models/back.pml checks this in every state.
   (Levien, The stack monoid, 2020, and Merrill & Garland 2016, for decoupled look-back over it; the tree is
   ours.)

   In tests, gpi_tells (base/fault_injection.cl) may suppress or delay the words and cells that a tile publishes. */
#ifndef GPI_NEST_LOOKBACK_CL
#define GPI_NEST_LOOKBACK_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "nest/lookback_nodes.cl"
#include "nest/lookback_wait.cl"
#include "nest/stack_monoid.cl"

#if GPI_LOOKBACK
/* Computes node x from published nodes below it, from left to right. Uses the children of an unpublished node instead,
   and waits for an unpublished leaf. Also writes node x, unless it is a leaf. Ends because each iteration moves down or
   to the right. (back.pml: `right`.) */
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
    if (x < back.leaves) gpi_lookback_write(back, x, all);
    return all;
}

/* Returns node x. During the launch, all leaves of x must be tiles up to the group's own. */
static gpi_node gpi_lookback_node(gpi_lookback back, uint x)
{
    gpi_node node;
    if (GPI_RARELY(!gpi_lookback_look(back, x, &node))) node = gpi_lookback_compute(back, x);
    GPI_ACQUIRE(); /* on CPUs a leaf's cells are visible from here on (back.pml: `cells`) */
    return node;
}

/* Returns node x - 1, the left neighbour of x, or an empty node if x is a left child or the root. */
static gpi_node gpi_lookback_beside(gpi_lookback back, uint x)
{
    return (x & 1) && x > 1 ? gpi_lookback_node(back, x - 1) : gpi_node_make(0, 0);
}

/* Fills beside[level] with the node to the left of the tile's path to the root, for every level from the leaf up. The levels are
   divided among the items. Must be called by all items, and followed by a barrier. */
static void gpi_lookback_all_beside(gpi_lookback back, uint tile, GPI_GROUP_SPACE gpi_node *beside)
{
    const uint levels = 31 - clz(back.leaves + tile); /* levels below the root */
    for (uint level = (uint)GPI_LOCAL_ID; level < levels; level += GPI_WG)
        beside[level] = gpi_lookback_beside(back, (back.leaves + tile) >> level);
}

/* Returns the product of all tiles before `tile`, and publishes the nodes of which `tile` is the last leaf. `beside` must be
   filled by gpi_lookback_all_beside. (back.pml: `right`, `grown`.) */
static gpi_node gpi_lookback_climb(gpi_lookback back, uint tile, gpi_node leaf,
                                   GPI_GROUP_SPACE const gpi_node *beside)
{
    const bool last = tile + 1 == gpi_tiles_of(back.n);
    gpi_node before = gpi_node_make(0, 0), node = leaf;
    bool ours = true; /* the tile is the last leaf of node x */
    for (uint x = back.leaves + tile; x > 1; x >>= 1) {
        const gpi_node left = *beside++;
        before = gpi_node_product(left, before);
        node = gpi_node_product(left, node);
        ours = ours && ((x & 1) || last);
        if (ours) gpi_lookback_publish(back, x >> 1, node);
    }
    return before;
}
#endif
#endif
