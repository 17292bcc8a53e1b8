/* tree_runs.cl - gp_tree: what a nest looks like from its nodes, made of their parents; what both shapes
   share.

       index[i]      how many of i's siblings stand before it
       children[i]   how many elements have parent i
       end[i]        the first element after i whose parent is before i: i's subtree is i ... end[i] - 1

   Parents are looked at as keys, parent + 1, and 0 for none: key(j) = i + 1 says that j is a child of i, and
   end[i] is the first j > i with key(j) <= i. In between no key is below i + 1, so that children are what has
   the lowest key there. With each run of GPI_RUN elements goes

       (key, count)    the lowest key in it, and how many of those that count have it

   and a product of neighbours is of the same kind. In a tree of these runs the number of a node's children
   between two runs is a matter of 2 log2(runs) steps, and so is the first run that reaches below a key. An
   item goes over its run alone: it counts children whose parent is in the run, and looks up the others' once
   for each parent.

       runs    an item a run         inside runs; their keys and counts; local: inside tiles
       grow    a group 4096 tiles    products of neighbours, in two launches
       join    an item a run         what goes beyond runs; local: beyond tiles

   Parameters: GPI_INDEX_SIZE, shape and tile as in nest/tile_summary.cl;
       GPI_SELECT           1: elements count only where gpi_counted(x, i) is not 0
       GPI_MAP_BY_BYTE      with GPI_SELECT: as in nest/symbols.cl                                       */
#ifndef GPI_NEST_TREE_RUNS_CL
#define GPI_NEST_TREE_RUNS_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "nest/constants.cl"
#include "nest/stack_monoid.cl"

#ifndef GPI_SELECT
#error "GPI_SELECT must be defined"
#endif
#define GPI_RUN GPI_PER_ITEM
#define GPI_TREE_ROWS ((GPI_RUN + 15) / 16) /* rows of 16 elements */

/* ------------------------------------------------------------------ tree of runs */

typedef struct gpi_low {
    gpi_index key, count;
} gpi_low;

static gpi_low gpi_low_make(gpi_index key, gpi_index count)
{
    gpi_low low;
    low.key = key;
    low.count = count;
    return low;
}

static gpi_low gpi_low_product(gpi_low a, gpi_low b)
{
    return gpi_low_make(min(a.key, b.key), (a.key <= b.key ? a.count : 0) + (b.key <= a.key ? b.count : 0));
}

/* The functions on a tree of this type with so many leaves.

       between(first, last)   the product of the runs [first, last)
       first_below(x, most)   the first run after node x with a key of `most` or less; `leaves` where there is none. Up to
                              the right, then down. (No return inside a loop: Mesa 22.3 lets such an item go on for
                              another turn.) */
#define GPI_DEFINE_LOWS(name, type)                                                      \
    static gpi_low gpi_##name##_between(type tree, uint leaves, uint first, uint last)   \
    {                                                                                    \
        gpi_low sum = gpi_low_make(GPI_NONE, 0);                                         \
        uint a = leaves + first, b = leaves + last;                                      \
        while (a < b) {                                                                  \
            if (a & 1) sum = gpi_low_product(sum, tree[a]);                              \
            if (b & 1) sum = gpi_low_product(sum, tree[b - 1]);                          \
            a = (a + 1) >> 1;                                                            \
            b >>= 1;                                                                     \
        }                                                                                \
        return sum;                                                                      \
    }                                                                                    \
    static uint gpi_##name##_first_below(type tree, uint leaves, uint x, gpi_index most) \
    {                                                                                    \
        while (x > 1 && ((x & 1) || tree[x + 1].key > most)) x >>= 1;                    \
        if (x <= 1) return leaves;                                                       \
        x++;                                                                             \
        while (x < leaves) x = 2 * x + (tree[2 * x].key > most);                         \
        return x - leaves;                                                               \
    }

GPI_DEFINE_LOWS(run_lows, __global const gpi_low *)

/* ------------------------------------------------------------------ input, output */

/* Scratch, in uints; the host computes where the parts begin:

       | tree: 2 * leaves gpi_low | own: a gpi_tree_own an element | marks |

   An element's own are its children in its own run. In the serial shape marks, a ushort a row of 16 elements
   of a run, say whose parent is in another; in the local one they are two uints a run (nest/tree_tile.cl). */
#if GPI_SHAPE_SERIAL
typedef ushort gpi_tree_own;
#else
typedef uchar gpi_tree_own;
#endif
#define GPI_TREE_PARAMETERS                                                                           \
    GPI_ARGS_PARAMETERS __global const GPI_SYMBOL *in, ulong in_at, __global const gpi_index *parent, \
        ulong parent_at, GPI_COUNT_PARAMETERS, __global gpi_index *index, ulong index_at,             \
        __global gpi_index *children, ulong children_at, __global gpi_index *end, ulong end_at,       \
        uint outputs, __global uint *scratch, ulong own_at, ulong marks_at, uint leaves

#define GPI_KNOWS_COUNTED (GPI_SHAPE_SERIAL && GPI_SELECT && GPI_MAP_BY_BYTE)
#if GPI_KNOWS_COUNTED
#define GPI_COUNTED_UNKNOWN 2
#define GPI_COUNTED_SET(f)                                           \
    uchar counted[256];                                              \
    for (uint x = 0; x < 256; x++) counted[x] = GPI_COUNTED_UNKNOWN; \
    f.counted = counted;
#else
#define GPI_COUNTED_SET(f)
#endif

typedef struct gpi_family {
#if GPI_KNOWS_COUNTED
    uchar *counted; /* of each byte: gpi_counted's value, or GPI_COUNTED_UNKNOWN */
#endif
    __global const GPI_SYMBOL *in;
    __global const gpi_index *parent;
    __global gpi_index *index, *children, *end;
    __global gpi_low *tree;
    __global gpi_tree_own *own;
    __global ushort *marks;
    uint outputs, leaves;
    ulong n;
    GPI_ARGS_MEMBER
} gpi_family;

#define GPI_TREE_SET(f)                                  \
    gpi_family f;                                        \
    GPI_ARGS_SET(f)                                      \
    GPI_COUNTED_SET(f)                                   \
    f.in = in + in_at;                                   \
    f.parent = parent + parent_at;                       \
    f.index = index + index_at;                          \
    f.children = children + children_at;                 \
    f.end = end + end_at;                                \
    f.tree = (__global gpi_low *)scratch;                \
    f.own = (__global gpi_tree_own *)(scratch + own_at); \
    f.marks = (__global ushort *)(scratch + marks_at);   \
    f.outputs = outputs;                                 \
    f.leaves = leaves;                                   \
    f.n = gpi_count(bound, wanted, wanted_offset, wanted_words)

/* What is no parent, because it does not stand before i, counts as none. */
static gpi_index gpi_key_of(gpi_family f, ulong i)
{
    const gpi_index key = f.parent[i] + 1;
    return key <= i ? key : 0;
}

static uint gpi_counts(gpi_family f, ulong i)
{
#if GPI_KNOWS_COUNTED
    const GPI_SYMBOL x = f.in[i];
    uint counted = f.counted[(uchar)x];
    if (GPI_RARELY(counted == GPI_COUNTED_UNKNOWN))
        f.counted[(uchar)x] = (uchar)(counted = gpi_counted(GPI_ARGS_OF(f) x, i));
    return counted;
#elif GPI_SELECT
    return gpi_counted(GPI_ARGS_OF(f) f.in[i], i);
#else
    (void)f;
    (void)i;
    return 1;
#endif
}

/* An item's run: elements begin ... begin + length - 1. */
typedef struct gpi_tree_run {
    uint number, length;
    gpi_index begin;
} gpi_tree_run;

static gpi_tree_run gpi_run_make(ulong n, uint number)
{
    gpi_tree_run run;
    run.number = number;
    run.begin = (gpi_index)run.number * GPI_RUN;
    run.length = (ulong)run.number * GPI_RUN < n ? (uint)min((ulong)GPI_RUN, n - run.begin) : 0;
    return run;
}

/* ------------------------------------------------------------------ parents elsewhere */

/* The children that one run has of parents elsewhere. Their parents are further and further out: this is the
   one in hand, which may have more children in later runs. */
typedef struct gpi_crowd {
    gpi_index key, count; /* key: GPI_NONE before the first one; count: of its children so far */
    uint first;           /* the run after its own ... */
    gpi_low between;      /* ... and the product of those from that one on */
} gpi_crowd;

static gpi_crowd gpi_crowd_make(void)
{
    gpi_crowd crowd;
    crowd.key = GPI_NONE;
    crowd.count = 0;
    crowd.first = ~0u;
    crowd.between = gpi_low_make(GPI_NONE, 0);
    return crowd;
}

/* How many siblings with this key stand before the run: in their parent's own run, and in those between. */
static gpi_index gpi_siblings_before(gpi_family f, gpi_tree_run run, gpi_crowd *crowd, gpi_index key)
{
    const uint first = key ? (uint)((key - 1) / GPI_RUN) + 1 : 0;
    if (first != crowd->first) crowd->between = gpi_run_lows_between(f.tree, f.leaves, first, run.number);
    crowd->first = first;
    return (key ? f.own[key - 1] : 0) + (crowd->between.key == key ? crowd->between.count : 0);
}

/* All of a parent's children are counted. */
static void gpi_children_done(gpi_family f, gpi_index key, gpi_index count)
{
    if (key > 0 && f.outputs & GPI_TREE_CHILDREN) f.children[key - 1] = count;
}

/* One more element, or several, that have this parent, of which so many count. Returns how many stand before. */
static gpi_index gpi_crowd_add(gpi_family f, gpi_tree_run run, gpi_crowd *crowd, gpi_index key, uint counts)
{
    if (key != crowd->key) {
        if (crowd->key != GPI_NONE) gpi_children_done(f, crowd->key, crowd->count);
        crowd->count = gpi_siblings_before(f, run, crowd, key);
        crowd->key = key;
    }
    crowd->count += counts;
    return crowd->count - counts;
}

/* The first element from `at` on, in its run, whose key is `most` or less; there is one. */
static ulong gpi_first_at(gpi_family f, ulong at, gpi_index most)
{
    const ulong last = min(f.n, (at / GPI_RUN + 1) * GPI_RUN);
#if GPI_SHAPE_SERIAL
    for (bool above = true; above && at + 16 <= last;) { /* rows of parents from `most` to the one before */
        const gpi_index_row parent = GPI_LOAD_VECTOR(gpi_index_row, f.parent + at) - (gpi_index_row)(most),
                            last_one =
                                (gpi_index_row)((gpi_index)at - 1 - most) + GPI_LANE_NUMBERS(gpi_index_row);
        above = gpi_rows_agree(min(parent, last_one), parent);
        if (above) at += 16;
    }
#endif
    while (at < last && gpi_key_of(f, at) > most) at++;
    return at;
}

/* Whether a child of the parent with this key comes in a later run. */
static bool gpi_goes_on(gpi_family f, gpi_tree_run run, gpi_index key)
{
    const uint next = gpi_run_lows_first_below(f.tree, f.leaves, f.leaves + run.number, key);
    const ulong at = (ulong)next * GPI_RUN;
    if (next == f.leaves) return false;
    return f.tree[f.leaves + next].key == key || gpi_key_of(f, gpi_first_at(f, at, key)) == key;
}

/* The last parent's children: the run that has the last one of them tells how many there are. */
static void gpi_crowd_end(gpi_family f, gpi_tree_run run, const gpi_crowd *crowd)
{
    if (crowd->key == 0 || !(f.outputs & GPI_TREE_CHILDREN)) return;
    if (!gpi_goes_on(f, run, crowd->key)) gpi_children_done(f, crowd->key, crowd->count);
}
#endif
