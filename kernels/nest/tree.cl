/* tree.cl - gp_tree's kernels: see tree_runs.cl. */
#ifndef GPI_NEST_TREE_CL
#define GPI_NEST_TREE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "nest/stack_monoid.cl"
#include "nest/tree_runs.cl"

#if GPI_SHAPE_SERIAL
#include "nest/tree_serial.cl"
#else
#include "nest/tree_local.cl"
#endif

GPI_KERNEL void gp_tree_runs(GPI_TREE_PARAMETERS, volatile __global uint *counters)
{
    GPI_TREE_SET(f);
    GPI_SHARED(gpi_tree_memory, memory);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_group_inside(f, memory);
}

GPI_KERNEL void gp_tree_grow(GPI_TREE_PARAMETERS, uint bottom)
{
    GPI_TREE_SET(f);
#define GPI_TREE_CLEAR(x) f.tree[x] = gpi_low_make(GPI_NONE, 0)
#define GPI_TREE_GROW(x) f.tree[x] = gpi_low_product(f.tree[2 * (x)], f.tree[2 * (x) + 1])
    GPI_GROW_TREE(leaves, (f.n + GPI_RUN - 1) / GPI_RUN, bottom, GPI_TREE_CLEAR, GPI_TREE_GROW);
}

/* Elements that are still open at the run's end, from the innermost one out: each ends where the one before
   it does or after that. */
static void gpi_run_ends(gpi_family f, gpi_tree_run run, gpi_tree_shared memory)
{
    gpi_index open = run.begin + run.length; /* a key */
    uint next = run.number;
    ulong at = open;
    (void)memory;
    while (open > run.begin) {
        const uint i = (uint)(open - run.begin), rungs = gpi_rungs(f, run, i);
        const gpi_index up = GPI_KEY(i - rungs);
        const uint single = rungs == 16 && gpi_ends_descend(f, open, next, &at) ? 0 : rungs;
        for (uint k = 0; k < single; k++, open--) {
            if (next != f.leaves && (next == run.number || f.tree[f.leaves + next].key >= open)) {
                next = gpi_first_below(f.tree, f.leaves, next, open - 1);
                at = next == f.leaves ? f.n : (ulong)next * GPI_RUN;
            }
            if (next != f.leaves) at = gpi_first_at(f, at, open - 1);
            f.end[open - 1] = (gpi_index)at;
        }
        open = up;
    }
}

GPI_KERNEL void gp_tree_join(GPI_TREE_PARAMETERS)
{
    GPI_TREE_SET(f);
    GPI_SHARED(gpi_tree_memory, memory);
    const gpi_tree_run run = gpi_run_make(f.n, (uint)get_global_id(0));
    gpi_tree_load(f, memory);
    if (run.length > 0 && outputs & (GPI_TREE_INDEX | GPI_TREE_CHILDREN)) gpi_run_outside(f, run, memory);
    if (run.length > 0 && outputs & GPI_TREE_END) gpi_run_ends(f, run, memory);
    gpi_tree_store_far(f, memory);
}
#endif
