/* tree_local.cl - trees in the local shape: what a group does with its tile, of which an item has a run.

   An item reads and writes its run in local memory, which the group fills and empties together.

   Parameters
       GPI_SHAPE_LOCAL    1; otherwise this file is empty                                                */
#ifndef GPI_NEST_TREE_LOCAL_CL
#define GPI_NEST_TREE_LOCAL_CL
#include "group/sync.cl"
#include "nest/stack_monoid.cl"
#include "nest/tree_runs.cl"

#if GPI_SHAPE_LOCAL

/* One unused cell after every 32 keeps items that stride by GPI_RUN off one another's banks. */
#define GPI_TREE_PAD(i) ((i) + (i) / 32)
typedef struct gpi_tree_memory {
    gpi_index key[GPI_TREE_PAD(GPI_TILE)],
        far[GPI_TREE_PAD(GPI_TILE)]; /* far: index of one whose parent is elsewhere */
    uchar counts[GPI_TILE], own[GPI_TILE], near[GPI_TILE], end[GPI_TILE]; /* end: in the run; 0: beyond */
} gpi_tree_memory;
#define GPI_AT(i) ((uint)get_local_id(0) * GPI_RUN + (i))
#define GPI_KEY(i) memory->key[GPI_TREE_PAD(GPI_AT(i))]
#define GPI_TREE_COUNTS(i) memory->counts[GPI_AT(i)]
#define GPI_OWN(i) memory->own[GPI_AT(i)]
#define GPI_SET_NEAR(i, x) memory->near[GPI_AT(i)] = (uchar)(x)
#define GPI_SET_FAR(i, x) memory->far[GPI_TREE_PAD(GPI_AT(i))] = (x)
#define GPI_SET_END(i, x) memory->end[GPI_AT(i)] = (uchar)(x)

typedef __local gpi_tree_memory *gpi_tree_shared;

static void gpi_tree_load(gpi_family f, gpi_tree_shared memory)
{
    const ulong begin = (ulong)get_group_id(0) * GPI_TILE;
    for (uint i = (uint)get_local_id(0); i < GPI_TILE; i += GPI_WG) {
        if (begin + i >= f.n) continue;
        memory->key[GPI_TREE_PAD(i)] = gpi_key_of(f, begin + i);
        memory->counts[i] = (uchar)gpi_counts(f, begin + i);
        memory->end[i] = 0;
    }
    gpi_sync(); /* the tile is there */
}

/* A key of more than the run's begin is one whose parent is in the run. */
static bool gpi_is_near(gpi_tree_shared memory, ulong begin, uint i)
{
    return memory->key[GPI_TREE_PAD(i)] > begin + (i - i % GPI_RUN);
}

static void gpi_tree_store_near(gpi_family f, gpi_tree_shared memory)
{
    const ulong begin = (ulong)get_group_id(0) * GPI_TILE;
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
            f.index[begin + i] = memory->far[GPI_TREE_PAD(i)];
}

/* Element i ends what is open and not around it: from the element before it up, as long as parents are not
   before its own. */
static void gpi_run_close(gpi_tree_run run, uint i, gpi_index key, gpi_tree_shared memory)
{
    gpi_index open = run.begin + i; /* a key: one more than the element */
    while (open > key && open > run.begin) {
        const uint k = (uint)(open - 1 - run.begin);
        GPI_SET_END(k, i);
        open = GPI_KEY(k);
    }
}

static gpi_low gpi_run_inside(gpi_tree_run run, gpi_tree_shared memory)
{
    gpi_low low = gpi_low_make(GPI_NONE, 0);
    for (uint i = 0; i < run.length; i++) GPI_OWN(i) = 0;
    for (uint i = 0; i < run.length; i++) {
        const gpi_index key = GPI_KEY(i);
        const uint counts = GPI_TREE_COUNTS(i);
        gpi_run_close(run, i, key, memory);
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

static void gpi_group_inside(gpi_family f, gpi_tree_shared memory)
{
    const gpi_tree_run run = gpi_run_make(f.n, (uint)get_global_id(0));
    gpi_tree_load(f, memory);
    const gpi_low low = gpi_run_inside(run, memory);
    if (run.length > 0) f.tree[f.leaves + run.number] = low;
    gpi_tree_store_near(f, memory);
}

/* What the serial shape does by rows. */
static uint gpi_rungs(gpi_family f, gpi_tree_run run, uint i)
{
    (void)f;
    (void)run;
    (void)i;
    return 1;
}

static bool gpi_ends_descend(gpi_family f, gpi_index open, uint next, ulong *at)
{
    (void)f;
    (void)open;
    (void)next;
    (void)at;
    return false;
}

/* Elements whose parents are in other runs. */
static void gpi_run_outside(gpi_family f, gpi_tree_run run, gpi_tree_shared memory)
{
    gpi_crowd crowd = gpi_crowd_make();
    for (uint i = 0; i < run.length; i++) {
        const gpi_index key = GPI_KEY(i);
        if (key <= run.begin) GPI_SET_FAR(i, gpi_crowd_add(f, run, &crowd, key, GPI_TREE_COUNTS(i)));
    }
    gpi_crowd_end(f, run, &crowd);
}
#endif
#endif
