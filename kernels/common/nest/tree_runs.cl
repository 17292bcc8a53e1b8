/* tree_runs.cl - gp_tree: computes each element's index among its siblings, its number of children, and the end of its
   subtree, from the elements' parents. Both wings share this file.

       index[i]      how many of i's siblings are before i
       children[i]   how many elements have parent i
       end[i]        the first element after i whose parent is before i: i's subtree is i ... end[i] - 1

   A parent is handled as a key, parent + 1, or 0 for none: j is a child of i if key(j) = i + 1, and end[i] is the first
   j > i with key(j) <= i. Between i and end[i] no key is below i + 1, so that the children of i are the elements with
   the lowest key there. Each run of GPI_RUN elements has

       (key, count)    the lowest key in the run, and how many counted elements have this key

   A product of neighbouring runs has such a pair, too. In a tree of runs it takes 2 log2(runs) steps to find how many children
   an element has between two runs, or the first run with a key below a given key. An item handles its run alone: it counts
   children whose parent is in the run, and looks up other parents in the tree, each parent once.

       runs    item per run          makes (key, count), and handles parents in the run, on GPUs also those in the tile
       grow    group per 4096 tiles  computes products of neighbours, in two launches
       join    item per run          handles all other parents

   Parameters: GPI_INDEX_SIZE, shape and tile as in nest/tile_summary.cl;
       GPI_SELECT           1: an element is counted only if gpi_counted(x, i) is not 0
       GPI_MAP_BY_BYTE      used if GPI_SELECT is 1. 1: gpi_counted is evaluated once per byte, and kept  */
#ifndef GPI_NEST_TREE_RUNS_CL
#define GPI_NEST_TREE_RUNS_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "nest/constants.cl"
#include "nest/stack_monoid.cl"
#include "nest/tree_rows.cl"

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

/* Defines the functions on a tree of `type` with `leaves` leaves.

       between(first, last)   the product of the runs [first, last)
       first_below(x, most)   the first run after node x with a key of `most` or less, or `leaves`. Climbs and moves to the
                              right, then descends. (No function returns inside a loop: with Mesa 22.3, an item that does so
                              runs one more iteration.) */
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

/* The parts of the scratch. The host computes where they begin; own_at and marks_at are in uints:

       | tree: 2 * leaves gpi_low | own: a gpi_tree_own per element | marks |

   `own` counts an element's children in its own run. `marks`: nest/tree_tile.cl, in each wing. */
#define GPI_TREE_PARAMETERS                                                                           \
    GPI_ARGS_PARAMETERS __global const GPI_SYMBOL *in, ulong in_at, __global const gpi_index *parent, \
        ulong parent_at, GPI_COUNT_PARAMETERS, __global gpi_index *index, ulong index_at,             \
        __global gpi_index *children, ulong children_at, __global gpi_index *end, ulong end_at,       \
        uint outputs, __global uint *scratch, ulong own_at, ulong marks_at, uint leaves

#define GPI_KNOWS_COUNTED (GPI_SELECT && GPI_MAP_BY_BYTE)
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
    uchar *counted; /* gpi_counted's value for each byte, or GPI_COUNTED_UNKNOWN */
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

/* Returns the key of element i. A parent that is not before i counts as none. */
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

/* A crowd is the set of all children that a parent in another run has in one run. A run's parents are handled in order, from
   the innermost outward. The current parent may have more children in later runs. */
typedef struct gpi_crowd {
    gpi_index key, count; /* the parent's key, GPI_NONE before the first parent; its children so far */
    uint first;           /* the run after the parent's own run */
    gpi_low between;      /* the product of the runs from `first` up to the children's run */
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

/* Returns how many elements with `key` are before `run`: in their parent's own run, and in the runs between. */
static gpi_index gpi_siblings_before(gpi_family f, gpi_tree_run run, gpi_crowd *crowd, gpi_index key)
{
    const uint first = key ? (uint)((key - 1) / GPI_RUN) + 1 : 0;
    if (first != crowd->first) crowd->between = gpi_run_lows_between(f.tree, f.leaves, first, run.number);
    crowd->first = first;
    return (key ? f.own[key - 1] : 0) + (crowd->between.key == key ? crowd->between.count : 0);
}

/* Writes the number of children of the parent with `key`, if there is one and the output is wanted. */
static void gpi_children_done(gpi_family f, gpi_index key, gpi_index count)
{
    if (key > 0 && f.outputs & GPI_TREE_CHILDREN) f.children[key - 1] = count;
}

/* Adds `counts` counted elements to the crowd, whose parent has `key`. If the crowd had another parent, writes that parent's
   number of children first. Returns how many of the parent's counted children are before the elements. */
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

/* Returns the first element from `at` on, in the run of `at`, whose key is `most` or less. Such an element must
   exist. */
static ulong gpi_first_at(gpi_family f, ulong at, gpi_index most)
{
    const ulong last = min(f.n, (at / GPI_RUN + 1) * GPI_RUN);
    at = gpi_skip_rows(f.parent, at, last, most);
    while (at < last && gpi_key_of(f, at) > most) at++;
    return at;
}

/* Returns whether a later run has a child of the parent with `key`. */
static bool gpi_goes_on(gpi_family f, gpi_tree_run run, gpi_index key)
{
    const uint next = gpi_run_lows_first_below(f.tree, f.leaves, f.leaves + run.number, key);
    const ulong at = (ulong)next * GPI_RUN;
    if (next == f.leaves) return false;
    return f.tree[f.leaves + next].key == key || gpi_key_of(f, gpi_first_at(f, at, key)) == key;
}

/* Finishes the last parent: writes the number of its children, if no later run has one. */
static void gpi_crowd_end(gpi_family f, gpi_tree_run run, const gpi_crowd *crowd)
{
    if (crowd->key == 0 || !(f.outputs & GPI_TREE_CHILDREN)) return;
    if (!gpi_goes_on(f, run, crowd->key)) gpi_children_done(f, crowd->key, crowd->count);
}
#endif
