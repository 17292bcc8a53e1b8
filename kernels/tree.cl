/* tree.cl - gp_tree: what a nest looks like from its nodes, made of their parents.

       index[i]      how many of i's siblings stand before it
       children[i]   how many elements have parent i
       end[i]        the first element behind i whose parent is before i: i's subtree is i ... end[i] - 1

   Parents are looked at as keys, parent + 1, and 0 for none: key(j) = i + 1 says that j is a child of i, and
   end[i] is the first j > i with key(j) <= i. In between no key is below i + 1, so that children are what has
   the lowest key there. With each run of GPI_RUN elements goes

       (key, count)    the lowest key in it, and how many of those that count have it

   and a product of neighbours is of the same kind. In a tree of these runs the number of a node's children
   between two runs is a matter of 2 log2(runs) steps, and so is the first run that reaches below a key. An
   item goes over its run alone: it counts children whose parent is in the run, and looks up the others' once
   for each parent.

       runs    an item a run         inside runs; their keys and counts
       grow    a group 4096 leaves   products of neighbours, in two launches
       join    an item a run         what goes beyond runs: reads parents again

   Parameters: GPI_INDEX_SIZE, shape and tile as in nest.cl;
       GPI_SELECT           1: elements count only where GPI_COUNTED(x, i) is not 0                     */
#ifndef GPI_SELECT
#error "GPI_SELECT must be defined"
#endif
#define GPI_RUN GPI_ITEMS

#define GPI_TREE_INDEX 1u
#define GPI_TREE_CHILDREN 2u
#define GPI_TREE_END 4u

#if GPI_SHAPE_SERIAL
static void gpi_sync(void) {} /* there is nobody else */
static void gpi_sync_all(void) {}
#else
static void gpi_sync(void) { barrier(CLK_LOCAL_MEM_FENCE); }
static void gpi_sync_all(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
#endif

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

/* How many elements of the runs [first, last) that count have this key, below which there is none. */
static gpi_index gpi_count_between(__global const gpi_low *tree, uint leaves, uint first, uint last,
                                   gpi_index key)
{
    gpi_low sum = gpi_low_make(GPI_NONE, 0);
    uint a = leaves + first, b = leaves + last;
    while (a < b) {
        if (a & 1) sum = gpi_low_product(sum, tree[a]);
        if (b & 1) sum = gpi_low_product(sum, tree[b - 1]);
        a = (a + 1) >> 1;
        b >>= 1;
    }
    return sum.key == key ? sum.count : 0;
}

/* The first run behind `run` with a key of `most` or less; `leaves` where there is none. Up to the right,
   then down. (No return inside a loop: Mesa 22.3 lets such an item go on for another turn.) */
static uint gpi_first_below(__global const gpi_low *tree, uint leaves, uint run, gpi_index most)
{
    uint x = leaves + run;
    while (x > 1 && ((x & 1) || tree[x + 1].key > most)) x >>= 1;
    if (x <= 1) return leaves;
    x++;
    while (x < leaves) x = 2 * x + (tree[2 * x].key > most);
    return x - leaves;
}

/* ------------------------------------------------------------------ input, output */

/* Scratch, in uints: | tree: 2 * leaves gpi_low | own: a ushort an element, children in its own run | */
#define GPI_TREE_PARAMETERS                                                                             \
    __global const GPI_SYMBOL *in, ulong in_at, __global const gpi_index *parent, ulong parent_at,      \
        GPI_COUNT_PARAMETERS, __global gpi_index *index, ulong index_at, __global gpi_index *children,  \
        ulong children_at, __global gpi_index *end, ulong end_at, uint outputs, __global uint *scratch, \
        ulong own_at, uint leaves

typedef struct gpi_family {
    __global const GPI_SYMBOL *in;
    __global const gpi_index *parent;
    __global gpi_index *index, *children, *end;
    __global gpi_low *tree;
    __global ushort *own;
    uint outputs, leaves;
    ulong n;
} gpi_family;

#define GPI_TREE_SET(f)                            \
    gpi_family f;                                  \
    f.in = in + in_at;                             \
    f.parent = parent + parent_at;                 \
    f.index = index + index_at;                    \
    f.children = children + children_at;           \
    f.end = end + end_at;                          \
    f.tree = (__global gpi_low *)scratch;          \
    f.own = (__global ushort *)(scratch + own_at); \
    f.outputs = outputs;                           \
    f.leaves = leaves;                             \
    f.n = gpi_count(bound, wanted, wanted_offset, wanted_words)

/* What is no parent, because it does not stand before i, counts as none. */
static gpi_index gpi_key_of(gpi_family f, ulong i)
{
    const gpi_index key = f.parent[i] + 1;
    return key <= i ? key : 0;
}

static uint gpi_counts(gpi_family f, ulong i)
{
#if GPI_SELECT
    return GPI_COUNTED(f.in[i], i) ? 1 : 0;
#else
    (void)f;
    (void)i;
    return 1;
#endif
}

/* An item's run: elements begin ... begin + length - 1. */
typedef struct gpi_run {
    uint number, length;
    gpi_index begin;
} gpi_run;

static gpi_run gpi_run_make(ulong n)
{
    gpi_run run;
    run.number = (uint)get_global_id(0);
    run.begin = (gpi_index)run.number * GPI_RUN;
    run.length = (ulong)run.number * GPI_RUN < n ? (uint)min((ulong)GPI_RUN, n - run.begin) : 0;
    return run;
}

/* What an item reads and writes of its run's i-th element: at once in memory (serial), or in local memory,
   which the group fills and empties together. */
#if GPI_SHAPE_SERIAL
typedef uint gpi_tree_memory;
#define GPI_KEY(i) gpi_key_of(f, run.begin + (i))
#define GPI_COUNTS(i) gpi_counts(f, run.begin + (i))
#define GPI_OWN(i) f.own[run.begin + (i)]
#define GPI_SET_NEAR(i, x) \
    if (f.outputs & GPI_TREE_INDEX) f.index[run.begin + (i)] = (x)
#define GPI_SET_FAR(i, x) GPI_SET_NEAR(i, x)
#define GPI_SET_END(i, x) \
    if (f.outputs & GPI_TREE_END) f.end[run.begin + (i)] = run.begin + (x)
#else
/* One unused cell after every 32 keeps items that stride by GPI_RUN off one another's banks. */
#define GPI_PAD(i) ((i) + (i) / 32)
typedef struct gpi_tree_memory {
    gpi_index key[GPI_PAD(GPI_TILE)],
        far[GPI_PAD(GPI_TILE)]; /* far: index of one whose parent is elsewhere */
    uchar counts[GPI_TILE], own[GPI_TILE], near[GPI_TILE], end[GPI_TILE]; /* end: in the run; 0: beyond */
} gpi_tree_memory;
#define GPI_AT(i) ((uint)get_local_id(0) * GPI_RUN + (i))
#define GPI_KEY(i) memory->key[GPI_PAD(GPI_AT(i))]
#define GPI_COUNTS(i) memory->counts[GPI_AT(i)]
#define GPI_OWN(i) memory->own[GPI_AT(i)]
#define GPI_SET_NEAR(i, x) memory->near[GPI_AT(i)] = (uchar)(x)
#define GPI_SET_FAR(i, x) memory->far[GPI_PAD(GPI_AT(i))] = (x)
#define GPI_SET_END(i, x) memory->end[GPI_AT(i)] = (uchar)(x)
#endif

#if GPI_SHAPE_SERIAL
typedef uint *gpi_tree_shared;
#define GPI_TREE_SHARED(name) const gpi_tree_shared name = 0

static void gpi_tree_load(gpi_family f, gpi_tree_shared memory)
{
    (void)f;
    (void)memory;
}

/* What has not been written yet: children as far as they are known. */
static void gpi_tree_store_near(gpi_family f, gpi_run run, gpi_tree_shared memory)
{
    (void)memory;
    for (uint i = 0; i < run.length && f.outputs & GPI_TREE_CHILDREN; i++)
        f.children[run.begin + i] = f.own[run.begin + i];
}

static void gpi_tree_store_far(gpi_family f, gpi_tree_shared memory)
{
    (void)f;
    (void)memory;
}
#else
typedef __local gpi_tree_memory *gpi_tree_shared;
#define GPI_TREE_SHARED(name)           \
    __local gpi_tree_memory name##_mem; \
    const gpi_tree_shared name = &name##_mem

static void gpi_tree_load(gpi_family f, gpi_tree_shared memory)
{
    const ulong begin = (ulong)get_group_id(0) * GPI_TILE;
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG) {
        if (begin + i >= f.n) continue;
        memory->key[GPI_PAD(i)] = gpi_key_of(f, begin + i);
        memory->counts[i] = (uchar)gpi_counts(f, begin + i);
        memory->end[i] = 0;
    }
    gpi_sync(); /* the tile is there */
}

/* A key of more than the run's begin is one whose parent is in the run. */
static bool gpi_is_near(gpi_tree_shared memory, ulong begin, uint i)
{
    return memory->key[GPI_PAD(i)] > begin + (i - i % GPI_RUN);
}

static void gpi_tree_store_near(gpi_family f, gpi_run run, gpi_tree_shared memory)
{
    const ulong begin = (ulong)get_group_id(0) * GPI_TILE;
    (void)run;
    gpi_sync(); /* all runs are done */
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG) {
        if (begin + i >= f.n) continue;
        f.own[begin + i] = memory->own[i];
        if (f.outputs & GPI_TREE_CHILDREN) f.children[begin + i] = memory->own[i];
        if (f.outputs & GPI_TREE_INDEX && gpi_is_near(memory, begin, i)) f.index[begin + i] = memory->near[i];
        if (f.outputs & GPI_TREE_END && memory->end[i])
            f.end[begin + i] = (gpi_index)(begin + (i - i % GPI_RUN) + memory->end[i]);
    }
}

static void gpi_tree_store_far(gpi_family f, gpi_tree_shared memory)
{
    const ulong begin = (ulong)get_group_id(0) * GPI_TILE;
    gpi_sync(); /* all runs are done */
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG)
        if (begin + i < f.n && f.outputs & GPI_TREE_INDEX && !gpi_is_near(memory, begin, i))
            f.index[begin + i] = memory->far[GPI_PAD(i)];
}
#endif

/* ------------------------------------------------------------------ inside runs */

/* Element i ends what is open and not around it: from the element before it up, as long as parents are not
   before its own. */
static void gpi_run_close(gpi_family f, gpi_run run, uint i, gpi_index key, gpi_tree_shared memory)
{
    gpi_index open = run.begin + i; /* a key: one more than the element */
    (void)memory;
    (void)f;
    while (open > key && open > run.begin) {
        const uint k = (uint)(open - 1 - run.begin);
        GPI_SET_END(k, i);
        open = GPI_KEY(k);
    }
}

static gpi_low gpi_run_inside(gpi_family f, gpi_run run, gpi_tree_shared memory)
{
    gpi_low low = gpi_low_make(GPI_NONE, 0);
    (void)memory;
    for (uint i = 0; i < run.length; i++) GPI_OWN(i) = 0;
    for (uint i = 0; i < run.length; i++) {
        const gpi_index key = GPI_KEY(i);
        const uint counts = GPI_COUNTS(i);
        gpi_run_close(f, run, i, key, memory);
        if (key > run.begin) {
            const uint k = (uint)(key - 1 - run.begin), before = GPI_OWN(k);
            GPI_SET_NEAR(i, before);
            GPI_OWN(k) = before + counts;
        } else {
            low = gpi_low_product(low, gpi_low_make(key, counts));
        }
    }
    return low;
}

GPI_KERNEL void gp_tree_runs(GPI_TREE_PARAMETERS, volatile __global uint *counters)
{
    GPI_TREE_SET(f);
    GPI_TREE_SHARED(memory);
    const gpi_run run = gpi_run_make(f.n);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_tree_load(f, memory);
    const gpi_low low = gpi_run_inside(f, run, memory);
    if (run.length > 0) f.tree[leaves + run.number] = low;
    gpi_tree_store_near(f, run, memory);
}

GPI_KERNEL void gp_tree_grow(GPI_TREE_PARAMETERS, uint bottom)
{
    GPI_TREE_SET(f);
#define GPI_CLEAR(x) f.tree[x] = gpi_low_make(GPI_NONE, 0)
#define GPI_GROW(x) f.tree[x] = gpi_low_product(f.tree[2 * (x)], f.tree[2 * (x) + 1])
    GPI_GROW_TREE(leaves, (f.n + GPI_RUN - 1) / GPI_RUN, bottom, GPI_CLEAR, GPI_GROW);
}

/* ------------------------------------------------------------------ beyond runs */

/* How many siblings with this key stand before the run: in their parent's own run, and in those between. */
static gpi_index gpi_siblings_before(gpi_family f, gpi_run run, gpi_index key)
{
    const uint own = key ? (uint)((key - 1) / GPI_RUN) : 0;
    if (key == 0) return gpi_count_between(f.tree, f.leaves, 0, run.number, 0);
    return f.own[key - 1] + gpi_count_between(f.tree, f.leaves, own + 1, run.number, key);
}

/* All of a parent's children are counted. */
static void gpi_children_done(gpi_family f, gpi_index key, gpi_index count)
{
    if (key > 0 && f.outputs & GPI_TREE_CHILDREN) f.children[key - 1] = count;
}

/* The first element from `at` on, in its run, whose key is `most` or less; there is one. */
static ulong gpi_first_at(gpi_family f, ulong at, gpi_index most)
{
    const ulong last = min(f.n, (at / GPI_RUN + 1) * GPI_RUN);
    while (at < last && gpi_key_of(f, at) > most) at++;
    return at;
}

/* Whether a child of the parent with this key comes in a later run. */
static bool gpi_goes_on(gpi_family f, gpi_run run, gpi_index key)
{
    const uint next = gpi_first_below(f.tree, f.leaves, run.number, key);
    const ulong at = (ulong)next * GPI_RUN;
    if (next == f.leaves) return false;
    return f.tree[f.leaves + next].key == key || gpi_key_of(f, gpi_first_at(f, at, key)) == key;
}

/* Elements whose parents are elsewhere. Their parents are further and further out; the outermost one may have
   more children in later runs, of which the last one tells how many there are. */
static void gpi_run_outside(gpi_family f, gpi_run run, gpi_tree_shared memory)
{
    gpi_index last = GPI_NONE, count = 0;
    (void)memory;
    for (uint i = 0; i < run.length; i++) {
        const gpi_index key = GPI_KEY(i);
        if (key > run.begin) continue;
        if (key != last) {
            if (last != GPI_NONE) gpi_children_done(f, last, count);
            count = gpi_siblings_before(f, run, key);
            last = key;
        }
        GPI_SET_FAR(i, count);
        count += GPI_COUNTS(i);
    }
    if (last > 0 && f.outputs & GPI_TREE_CHILDREN && !gpi_goes_on(f, run, last))
        gpi_children_done(f, last, count);
}

/* Elements that are still open at the run's end, from the innermost one out: each ends where the one before
   it does or behind that. */
static void gpi_run_ends(gpi_family f, gpi_run run, gpi_tree_shared memory)
{
    gpi_index open = run.begin + run.length; /* a key */
    uint next = run.number;
    ulong at = open;
    (void)memory;
    while (open > run.begin) {
        if (next != f.leaves && (next == run.number || f.tree[f.leaves + next].key >= open)) {
            next = gpi_first_below(f.tree, f.leaves, next, open - 1);
            at = next == f.leaves ? f.n : (ulong)next * GPI_RUN;
        }
        if (next != f.leaves) at = gpi_first_at(f, at, open - 1);
        f.end[open - 1] = (gpi_index)at;
        open = GPI_KEY((uint)(open - 1 - run.begin));
    }
}

GPI_KERNEL void gp_tree_join(GPI_TREE_PARAMETERS)
{
    GPI_TREE_SET(f);
    GPI_TREE_SHARED(memory);
    const gpi_run run = gpi_run_make(f.n);
    gpi_tree_load(f, memory);
    if (run.length > 0 && outputs & (GPI_TREE_INDEX | GPI_TREE_CHILDREN)) gpi_run_outside(f, run, memory);
    if (run.length > 0 && outputs & GPI_TREE_END) gpi_run_ends(f, run, memory);
    gpi_tree_store_far(f, memory);
}
