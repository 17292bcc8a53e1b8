/* tree_tile.cl - trees: a group handles a tile, and each of its items a run.

   Elements whose parents are in the tile are handled in the launch `runs`. If the parent is in the item's run, the item needs
   nothing else. If the parent is in another run of the tile, the item searches a tree of the tile's runs in local memory, which
   becomes a part of the whole tree. For the launch `join`, each run keeps two words: a bit for each element whose parent is
   before the tile, and a bit for each element that is still open at the tile's end. Only these elements are handled again. All
   items load and store the tile together.

   Parameters
       GPI_SUB_GROUP      items of a sub-group; 0: none (group/sub_group.cl)                             */
#ifndef GPI_NEST_TREE_TILE_CL
#define GPI_NEST_TREE_TILE_CL
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"
#include "nest/stack_monoid.cl"
#include "nest/tree_runs.cl"

#if GPI_RUN > 32 || GPI_TILE > 16384
#error "a run is at most 32 elements, a tile 16384"
#endif

/* GPI_TREE_CELL is the cell of element i. An item's row has `unused` cells more than elements, because rows of an odd number of
   words avoid bank conflicts between items. GPI_TREE_STRIPE is the cell of element l of the group's k-th stripe of GPI_WG
   elements. (Constants are separate terms, because compilers do not know that l is less than GPI_WG.) */
#define GPI_TREE_CELL(i, unused) ((i) + (i) / GPI_RUN * (unused))
#define GPI_TREE_CELLS(unused) (GPI_WG * (GPI_RUN + (unused)))
#define GPI_TREE_WORDS(cells, of_word) (((cells) + (of_word)-1) / (of_word))
#if GPI_WG % GPI_RUN == 0
#define GPI_TREE_STRIPE(l, k, unused) (GPI_TREE_CELL(l, unused) + GPI_TREE_CELL((k)*GPI_WG, unused))
#else
#define GPI_TREE_STRIPE(l, k, unused) GPI_TREE_CELL((l) + (k)*GPI_WG, unused)
#endif
#define GPI_OF_INDEX 1 /* unused cells of a row, for elements of this type */
#define GPI_OF_USHORT 2

/* Indices of elements are counted from the tile's first element. */
typedef struct gpi_tree_memory {
    gpi_low low[2 * GPI_WG]; /* the tree of the tile's runs */
    gpi_index key[GPI_TREE_CELLS(GPI_OF_INDEX)];
    uint own[GPI_TREE_WORDS(GPI_TILE, 4)];                      /* uchars: children in the run */
    uint children[GPI_TREE_WORDS(GPI_TILE, 2)];                 /* children in other runs; 2 per word */
    uint end[GPI_TREE_WORDS(GPI_TREE_CELLS(GPI_OF_USHORT), 2)]; /* ushorts; 0: ends after the tile */
    ushort index[GPI_TREE_CELLS(GPI_OF_USHORT)];
#if GPI_SELECT
    uchar counts[GPI_TILE];
#endif
#if GPI_SUB_GROUP
    gpi_sg_memory sub_group;
#endif
} gpi_tree_memory;
typedef __local gpi_tree_memory *gpi_tree_shared;

typedef struct gpi_outside_memory {
    uint far[GPI_WG], open[GPI_WG];              /* the two words that each run keeps */
    gpi_index key[GPI_TREE_CELLS(GPI_OF_INDEX)]; /* elements with a bit in `far`: key, then index */
    gpi_index end[GPI_TREE_CELLS(GPI_OF_INDEX)]; /* elements with a bit in `open`: their ends */
#if GPI_SELECT
    uchar counts[GPI_TILE];
#endif
} gpi_outside_memory;
typedef __local gpi_outside_memory *gpi_outside_shared;

/* The cell of this item's i-th element, in an array whose rows have `unused` cells more than elements (GPI_TREE_CELL). */
#define GPI_TREE_AT(i, unused) ((uint)get_local_id(0) * (GPI_RUN + (unused)) + (i))
#define GPI_KEY(i) memory->key[GPI_TREE_AT(i, GPI_OF_INDEX)]
#if GPI_SELECT
#define GPI_TREE_COUNTS(i) memory->counts[GPI_TREE_AT(i, 0)]
#else
#define GPI_TREE_COUNTS(i) 1u
#endif

#define GPI_TREE_ENDS ((__local ushort *)memory->end)
#define GPI_TREE_OWN ((__local uchar *)memory->own)
#if GPI_WG % 2 == 0
#define GPI_TREE_CHILDREN_OF(l, k) (memory->children[(l) / 2 + (k) * (GPI_WG / 2)] >> (l) % 2 * 16 & 0xffff)
#else
#define GPI_TREE_CHILDREN_OF(l, k) (memory->children[((l) + (k)) / 2] >> ((l) + (k)) % 2 * 16 & 0xffff)
#endif

GPI_DEFINE_LOWS(tile_lows, __local const gpi_low *)

static uint gpi_tree_lowest(uint bits) { return (uint)popcount(~bits & (bits - 1)); }
static uint gpi_tree_highest(uint bits) { return 31 - clz(bits); }

static ulong gpi_tree_begin(void) { return (ulong)get_group_id(0) * GPI_TILE; }

/* ------------------------------------------------------------------ inside runs */

GPI_INLINE_GPU void gpi_tree_clear(__local uint *words, const uint count)
{
    GPI_EACH(k, (count + GPI_WG - 1) / GPI_WG)
        if (count % GPI_WG == 0 || (uint)get_local_id(0) + k * GPI_WG < count)
            words[(uint)get_local_id(0) + k * GPI_WG] = 0;
}

#define GPI_TREE_LOADS (GPI_RUN % 4 ? 1 : 4) /* loads of an item in flight */

static void gpi_tree_load(gpi_family f, gpi_tree_shared memory)
{
    const uint l = (uint)get_local_id(0);
    const ulong first = gpi_tree_begin() + l;
    for (uint j = 0; j < GPI_TURNS(GPI_RUN); j += GPI_TREE_LOADS) {
        gpi_index key[GPI_TREE_LOADS];
        GPI_EACH(k, GPI_TREE_LOADS) {
            const ulong i = first + (j + k) * GPI_WG;
            key[k] = i < f.n ? gpi_key_of(f, i) : 0;
        }
        GPI_EACH(k, GPI_TREE_LOADS) {
            memory->key[GPI_TREE_STRIPE(l, j + k, GPI_OF_INDEX)] = key[k];
#if GPI_SELECT
            const ulong i = first + (j + k) * GPI_WG;
            memory->counts[l + (j + k) * GPI_WG] = (uchar)(i < f.n ? gpi_counts(f, i) : 0);
#endif
        }
    }
    gpi_tree_clear(memory->own, GPI_TREE_WORDS(GPI_TILE, 4));
    gpi_tree_clear(memory->children, GPI_TREE_WORDS(GPI_TILE, 2));
    gpi_tree_clear(memory->end, GPI_TREE_WORDS(GPI_TREE_CELLS(GPI_OF_USHORT), 2));
    gpi_sync(); /* the tile is written */
}

/* A bit for each element of an item's run. */
typedef struct gpi_run_bits {
    uint outside; /* the element's parent is not in the run */
    uint open; /* the element has not ended; each open element is a descendant of all earlier open elements */
} gpi_run_bits;

/* Ends, at element i of the run, the open elements in `closed`, which do not enclose i. Returns the bit of element i. */
static uint gpi_run_close(uint closed, uint i, gpi_tree_shared memory)
{
    for (; closed; closed &= closed - 1)
        GPI_TREE_ENDS[GPI_TREE_AT(gpi_tree_lowest(closed), GPI_OF_USHORT)] =
            (ushort)((uint)get_local_id(0) * GPI_RUN + i);
    return 1u << i;
}

static gpi_low gpi_run_inside(gpi_tree_run run, gpi_run_bits *bits, gpi_tree_shared memory)
{
    gpi_low low = gpi_low_make(GPI_NONE, 0);
    uint outside = 0, open = 0;
    for (uint i = 0; i < run.length; i++) {
        const gpi_index key = GPI_KEY(i);
        const uint counts = GPI_TREE_COUNTS(i);
        uint before = 0, around = 0;
        if (key > run.begin) {
            const uint k = (uint)(key - 1 - run.begin);
            __local uchar *own = GPI_TREE_OWN + GPI_TREE_AT(k, 0);
            around = (2u << k) - 1;
            before = *own;
            *own = (uchar)(before + counts);
        } else {
            outside |= 1u << i;
            low = gpi_low_product(low, gpi_low_make(key, counts));
        }
        memory->index[GPI_TREE_AT(i, GPI_OF_USHORT)] = (ushort)before;
        open = (open & around) | gpi_run_close(open & ~around, i, memory);
    }
    bits->outside = outside;
    bits->open = open;
    return low;
}

/* ------------------------------------------------------------------ inside the tile */

/* Makes the tree of the tile's runs, which all items may search on return. */
#if GPI_SUB_GROUP
static gpi_index gpi_tree_down(gpi_index x, uint d, gpi_tree_shared memory)
{
#if GPI_INDEX_SIZE == 4
    return gpi_sg_down(x, d, &memory->sub_group);
#else
    const uint low = gpi_sg_down((uint)x, d, &memory->sub_group);
    return (ulong)gpi_sg_down((uint)(x >> 32), d, &memory->sub_group) << 32 | low;
#endif
}

static void gpi_grow_lows(gpi_low low, gpi_tree_shared memory)
{
    const uint l = (uint)get_local_id(0);
    memory->low[GPI_WG + l] = low;
    /* Each iteration makes as many levels of the tree as a sub-group can make by itself. */
    GPI_UNROLL
    for (uint width = GPI_WG; width > 1; width = width > GPI_SUB_GROUP ? width / GPI_SUB_GROUP : 1) {
        if (width < GPI_WG && l < width) low = memory->low[width + l];
        if (GPI_SG_ALL || l < max(width, (uint)GPI_SUB_GROUP)) {
            GPI_UNROLL
            for (uint d = 1; d < min(width, (uint)GPI_SUB_GROUP); d *= 2) {
                const gpi_index key = gpi_tree_down(low.key, d, memory);
                const gpi_index count = gpi_tree_down(low.count, d, memory);
                low = gpi_low_product(low, gpi_low_make(key, count));
                if (l < width && l % (2 * d) == 0) memory->low[(width + l) / (2 * d)] = low;
            }
        }
        gpi_sync(); /* the nodes of these levels are written */
    }
}
#else
static void gpi_grow_lows(gpi_low low, gpi_tree_shared memory)
{
    const uint l = (uint)get_local_id(0);
    memory->low[GPI_WG + l] = low;
    gpi_sync(); /* the runs' nodes are written */
    for (uint width = GPI_WG / 2; width > 0; width /= 2) {
        if (l < width)
            memory->low[width + l] =
                gpi_low_product(memory->low[2 * (width + l)], memory->low[2 * (width + l) + 1]);
        gpi_sync(); /* the nodes of this level are written */
    }
}
#endif

/* Returns how many elements with `key` are before the item's run. The key is that of a parent in another run of the tile. */
static uint gpi_tile_siblings(gpi_index key, gpi_tree_shared memory)
{
    const uint k = (uint)(key - 1 - (gpi_index)gpi_tree_begin());
    const gpi_low low = gpi_tile_lows_between(memory->low, GPI_WG, k / GPI_RUN + 1, (uint)get_local_id(0));
    return GPI_TREE_OWN[k] + (low.key == key ? (uint)low.count : 0);
}

static void gpi_tile_children(gpi_index key, uint count, gpi_tree_shared memory)
{
    const uint k = (uint)(key - 1 - (gpi_index)gpi_tree_begin());
    if (count) (void)atomic_add(&memory->children[k / 2], count << k % 2 * 16);
}

/* Handles the elements in `outside` whose parents are in the tile. Returns a mask of the others. */
static uint gpi_run_siblings(uint outside, gpi_tree_shared memory)
{
    gpi_index key = GPI_NONE;
    uint before = 0, count = 0, far = 0;
    for (; outside; outside &= outside - 1) {
        const uint i = gpi_tree_lowest(outside);
        const gpi_index own = GPI_KEY(i);
        if (own <= gpi_tree_begin()) {
            far |= 1u << i;
            continue;
        }
        if (own != key) {
            if (key != GPI_NONE) gpi_tile_children(key, count, memory);
            key = own;
            before = gpi_tile_siblings(key, memory);
            count = 0;
        }
        memory->index[GPI_TREE_AT(i, GPI_OF_USHORT)] = (ushort)(before + count);
        count += GPI_TREE_COUNTS(i);
    }
    if (key != GPI_NONE) gpi_tile_children(key, count, memory);
    return far;
}

/* Finds the ends of the elements that are open at the run's end. Begins with the innermost element, because no element ends
   before its descendants. Returns the elements that are open at the tile's end. */
static uint gpi_tile_ends(gpi_tree_run run, uint open, gpi_tree_shared memory)
{
    const uint l = (uint)get_local_id(0);
    uint next = l, at = 0;
    while (open) {
        const uint i = gpi_tree_highest(open);
        const gpi_index most = run.begin + i;
        if (next == l || memory->low[GPI_WG + next].key > most) {
            next = gpi_tile_lows_first_below(memory->low, GPI_WG, GPI_WG + next, most);
            at = next * GPI_RUN;
        }
        if (next == GPI_WG) break;
        const uint last = (next + 1) * GPI_RUN;
        while (at < last && memory->key[GPI_TREE_CELL(at, GPI_OF_INDEX)] > most) at++;
        GPI_TREE_ENDS[GPI_TREE_AT(i, GPI_OF_USHORT)] = (ushort)at;
        open ^= 1u << i;
    }
    return open;
}

/* Writes the results of the item's element of stripe k, in a tile that is not full. Results that are not final yet are
   overwritten later. */
static void gpi_tree_store_some(gpi_family f, uint k, gpi_tree_shared memory)
{
    const uint l = (uint)get_local_id(0), near = l + k * GPI_WG, at = GPI_TREE_STRIPE(l, k, GPI_OF_USHORT);
    const ulong begin = gpi_tree_begin(), i = begin + near;
    if (i >= f.n) return;
    f.own[i] = GPI_TREE_OWN[near];
    if (f.outputs & GPI_TREE_CHILDREN) f.children[i] = GPI_TREE_OWN[near] + GPI_TREE_CHILDREN_OF(l, k);
    if (f.outputs & GPI_TREE_INDEX) f.index[i] = memory->index[at];
    if (f.outputs & GPI_TREE_END) f.end[i] = (gpi_index)begin + GPI_TREE_ENDS[at];
}

/* Writes x for each element of a full tile. The expression x may use the element's number in the tile, `near`, and its cell,
   `at`. */
#define GPI_TREE_STORE(out, x)                                \
    GPI_UNROLL                                                \
    for (uint k = 0; k < GPI_TURNS(GPI_RUN); k++) {           \
        const uint near = l + k * GPI_WG;                     \
        const uint at = GPI_TREE_STRIPE(l, k, GPI_OF_USHORT); \
        (out)[begin + l + k * GPI_WG] = x;                    \
        (void)near;                                           \
        (void)at;                                             \
    }
static void gpi_tree_store(gpi_family f, gpi_tree_shared memory)
{
    const uint l = (uint)get_local_id(0);
    const ulong begin = gpi_tree_begin();
    if (begin + GPI_TILE > f.n) {
        GPI_ROLLED
        for (uint k = 0; k < GPI_TURNS(GPI_RUN); k++) gpi_tree_store_some(f, k, memory);
        return;
    }
    GPI_TREE_STORE(f.own, GPI_TREE_OWN[near])
    if (f.outputs & GPI_TREE_CHILDREN) {
        GPI_TREE_STORE(f.children, GPI_TREE_OWN[near] + GPI_TREE_CHILDREN_OF(l, k))
    }
    if (f.outputs & GPI_TREE_INDEX) {
        GPI_TREE_STORE(f.index, memory->index[at])
    }
    if (f.outputs & GPI_TREE_END) {
        GPI_TREE_STORE(f.end, (gpi_index)begin + GPI_TREE_ENDS[at])
    }
}

/* Writes the tile's tree to the whole tree. In the level of the whole tree that has `width` nodes for each tile, this tile's
   nodes begin at tile * width. */
static void gpi_tree_store_lows(gpi_family f, gpi_tree_shared memory)
{
    const uint tiles = f.leaves / GPI_WG, tile = (uint)get_group_id(0);
    for (uint x = 1 + (uint)get_local_id(0); x < 2 * GPI_WG; x += GPI_WG) {
        const uint width = 1u << gpi_tree_highest(x);
        f.tree[(tiles + tile) * width + (x - width)] = memory->low[x];
    }
}

static void gpi_group_inside(gpi_family f, gpi_tree_shared memory)
{
    const gpi_tree_run run = gpi_run_make(f.n, (uint)get_global_id(0));
    gpi_run_bits bits;
    gpi_tree_load(f, memory);
    const gpi_low low = gpi_run_inside(run, &bits, memory);
    gpi_grow_lows(low, memory);
    const uint far = gpi_run_siblings(bits.outside, memory);
    const uint open = f.outputs & GPI_TREE_END ? gpi_tile_ends(run, bits.open, memory) : 0;
    ((__global uint2 *)f.marks)[run.number] = (uint2)(far, open);
    gpi_tree_store_lows(f, memory);
    gpi_sync(); /* all runs are done */
    gpi_tree_store(f, memory);
}

/* ------------------------------------------------------------------ outside the tile */

/* Loads the keys of elements whose parents are before the tile. */
static void gpi_outside_load(gpi_family f, gpi_outside_shared memory)
{
    const uint l = (uint)get_local_id(0);
    const ulong first = gpi_tree_begin() + l;
    for (uint k = 0; k < GPI_TURNS(GPI_RUN); k++) {
        const uint i = l + k * GPI_WG;
        if (!(memory->far[i / GPI_RUN] >> i % GPI_RUN & 1)) continue;
        memory->key[GPI_TREE_STRIPE(l, k, GPI_OF_INDEX)] = gpi_key_of(f, first + k * GPI_WG);
#if GPI_SELECT
        memory->counts[i] = (uchar)gpi_counts(f, first + k * GPI_WG);
#endif
    }
    gpi_sync(); /* the keys are written */
}

static void gpi_outside_store(gpi_family f, gpi_outside_shared memory)
{
    const uint l = (uint)get_local_id(0);
    const ulong first = gpi_tree_begin() + l;
    gpi_sync(); /* all runs are done */
    for (uint k = 0; k < GPI_TURNS(GPI_RUN); k++) {
        const uint i = l + k * GPI_WG, at = GPI_TREE_STRIPE(l, k, GPI_OF_INDEX);
        if (f.outputs & GPI_TREE_INDEX && memory->far[i / GPI_RUN] >> i % GPI_RUN & 1)
            f.index[first + k * GPI_WG] = memory->key[at];
        if (memory->open[i / GPI_RUN] >> i % GPI_RUN & 1) f.end[first + k * GPI_WG] = memory->end[at];
    }
}

static void gpi_outside_siblings(gpi_family f, gpi_tree_run run, uint far, gpi_outside_shared memory)
{
    gpi_crowd crowd = gpi_crowd_make();
    for (; far; far &= far - 1) {
        const uint i = gpi_tree_lowest(far);
        GPI_KEY(i) = gpi_crowd_add(f, run, &crowd, GPI_KEY(i), GPI_TREE_COUNTS(i));
    }
    if (crowd.key != GPI_NONE) gpi_crowd_end(f, run, &crowd);
}

/* Finds the ends of the elements that are open at the tile's end, as gpi_tile_ends does within the tile. */
static void gpi_outside_ends(gpi_family f, gpi_tree_run run, uint open, gpi_outside_shared memory)
{
    uint next = f.leaves;
    ulong at = f.n;
    for (bool first = true; open; first = false) {
        const uint i = gpi_tree_highest(open);
        const gpi_index most = run.begin + i;
        open ^= 1u << i;
        if (first || (next != f.leaves && f.tree[f.leaves + next].key > most)) {
            const uint x = first ? f.leaves / GPI_WG + (uint)get_group_id(0) : f.leaves + next;
            next = gpi_run_lows_first_below(f.tree, f.leaves, x, most);
            at = next == f.leaves ? f.n : (ulong)next * GPI_RUN;
        }
        if (next != f.leaves) at = gpi_first_at(f, at, most);
        memory->end[GPI_TREE_AT(i, GPI_OF_INDEX)] = (gpi_index)at;
    }
}

static void gpi_group_outside(gpi_family f, gpi_outside_shared memory)
{
    const uint l = (uint)get_local_id(0);
    const gpi_tree_run run = gpi_run_make(f.n, (uint)get_global_id(0));
    const uint2 marks = ((__global const uint2 *)f.marks)[run.number];
    memory->far[l] = f.outputs & (GPI_TREE_INDEX | GPI_TREE_CHILDREN) ? marks.x : 0;
    memory->open[l] = marks.y;
    gpi_sync(); /* all marks are written */
    gpi_outside_load(f, memory);
    gpi_outside_siblings(f, run, memory->far[l], memory);
    gpi_outside_ends(f, run, marks.y, memory);
    gpi_outside_store(f, memory);
}
#endif
