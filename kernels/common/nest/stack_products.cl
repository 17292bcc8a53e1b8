/* stack_products.cl - products of the values on the stack, which one launch of gp_stack_scan passes on to the next.

   After its pairs have cancelled, tile t is ")))(((" (nest/tile_summary.cl). Its cells have the products of the openers that
   remain, and base[t] is the product of the openers below them:

       cell[t][k]    v0 ... v(k-1)  of the openers that tile t leaves open; k = 0 ... pushes; [0] is the identity
       base[t]       initial . the stack before t without the openers that t's closers pop
       joint[x]      the product of those openers that node x's left child pushes and its right child does not pop

   So the product of the stack up to the k-th opener of tile t is base[t] . cell[t][k]. One descent finds the product of the
   lowest m openers that a node pushes. If the descent continues to the right at node x, joint[x] is the product of the openers to
   the left. */
#ifndef GPI_NEST_STACK_PRODUCTS_CL
#define GPI_NEST_STACK_PRODUCTS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "nest/stack_monoid.cl"
#include "nest/tile_summary.cl"

typedef struct gpi_stack {
    GPI_COMBINE_MEMBER
    gpi_nest nest;
    __global GPI_T *cells, *bases, *joints;
} gpi_stack;

/* Scratch, in uints: | tree | joints | bases | cells: GPI_TILE + 1 per tile | */
#define GPI_STACK_PARAMETERS \
    __global uint *scratch, ulong joints_at, ulong bases_at, ulong cells_at, uint leaves
#define GPI_STACK_SET(stack)                                                           \
    gpi_stack stack;                                                                   \
    GPI_COMBINE_SET(stack)                                                             \
    stack.nest = gpi_nest_make(scratch, 0, (gpi_tiles)scratch, leaves,                 \
                               gpi_count(bound, wanted, wanted_offset, wanted_words)); \
    stack.joints = (__global GPI_T *)(scratch + joints_at);                            \
    stack.bases = (__global GPI_T *)(scratch + bases_at);                              \
    stack.cells = (__global GPI_T *)(scratch + cells_at)

static __global GPI_T *gpi_stack_cells(gpi_stack stack, uint tile)
{
    return stack.cells + (ulong)tile * (GPI_TILE + 1);
}

/* Returns the product of the stack from its bottom up to and including the opener at `place`. */
static GPI_T gpi_stack_at(gpi_stack stack, gpi_place place, GPI_T initial)
{
    if (place.leaf == GPI_NOWHERE) return initial;
    const gpi_index k = stack.nest.tree[stack.nest.leaves + place.leaf].pushes - place.need;
    return gpi_combine(GPI_COMBINE_OF(stack) stack.bases[place.leaf], gpi_stack_cells(stack, place.leaf)[k]);
}

/* Returns the product of the lowest m > 0 openers that node x pushes. */
GPI_NOINLINE GPI_T gpi_stack_lowest(gpi_stack stack, uint x, gpi_index m)
{
    const uint leaves = stack.nest.leaves;
    GPI_T product = gpi_identity();
    while (x < leaves) {
        const gpi_index left = gpi_excess(stack.nest.tree[2 * x].pushes, stack.nest.tree[2 * x + 1].pops);
        const bool right = m > left;
        if (right) product = gpi_combine(GPI_COMBINE_OF(stack) product, stack.joints[x]);
        if (right) m -= left;
        x = 2 * x + right;
    }
    return gpi_combine(GPI_COMBINE_OF(stack) product, gpi_stack_cells(stack, x - leaves)[m]);
}

/* Makes node x and its joint. The children of x must be complete. */
static void gpi_stack_grow(gpi_stack stack, uint x)
{
    const gpi_node a = stack.nest.tree[2 * x], b = stack.nest.tree[2 * x + 1];
    const gpi_index left = gpi_excess(a.pushes, b.pops);
    stack.nest.tree[x] = gpi_node_product(a, b);
    stack.joints[x] = gpi_identity();
    if (left > 0) stack.joints[x] = gpi_stack_lowest(stack, 2 * x, left);
}

/* Writes x as result i. */
static void gpi_stack_put(__global GPI_OUT *out, ulong i, GPI_T x) { GPI_WRITE(out, i, GPI_BASE_RESULT(x)); }
#endif
