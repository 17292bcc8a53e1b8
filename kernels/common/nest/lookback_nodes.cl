/* lookback_nodes.cl - publishes and loads nodes of the tree of tiles under look-back (nest/lookback.cl). */
#ifndef GPI_NEST_LOOKBACK_NODES_CL
#define GPI_NEST_LOOKBACK_NODES_CL
#include "base/count.cl"
#include "base/fault_injection.cl"
#include "base/platform.cl"
#include "nest/stack_monoid.cl"
#include "nest/symbols.cl"
#include "nest/constants.cl"

#if GPI_LOOKBACK
#define GPI_WORD_THERE 0x80000000u
#define GPI_CELL_THERE 0x8000u

/* The tree of tiles, and the data to compute a late tile. There is no node 0: the first of its words is used for the
   ticket. */
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

/* Writes node x, which this group has computed in place of the group that publishes it. */
static void gpi_lookback_write(gpi_lookback back, uint x, gpi_node node)
{
    volatile __global uint *words = gpi_node_words(back, x);
    for (uint k = 0; k < GPI_NODE_WORDS; k++) gpi_word_write(words + k, gpi_node_word(node, k));
}

/* Publishes node x. Called only by the group of the node's last leaf. */
static void gpi_lookback_publish(gpi_lookback back, uint x, gpi_node node)
{
    const uint level = clz(x) - clz(back.leaves), tile = ((x + 1) << level) - 1 - back.leaves;
    volatile __global uint *words = gpi_node_words(back, x);
    GPI_RELEASE(); /* on CPUs a leaf's cells become visible before the leaf */
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
#endif
#endif
