/* tree.cl - the kernels of gp_tree. nest/tree_runs.cl describes them. */
#ifndef GPI_NEST_TREE_CL
#define GPI_NEST_TREE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "nest/stack_monoid.cl"
#include "nest/tree_runs.cl"

#include "nest/tree_tile.cl"

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
    GPI_GROW_TREE(leaves / GPI_WG, gpi_tiles_of(f.n), bottom, GPI_TREE_CLEAR, GPI_TREE_GROW);
}

GPI_KERNEL void gp_tree_join(GPI_TREE_PARAMETERS)
{
    GPI_TREE_SET(f);
    GPI_SHARED(gpi_outside_memory, memory);
    gpi_group_outside(f, memory);
}
#endif
