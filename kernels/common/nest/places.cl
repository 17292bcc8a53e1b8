/* places.cl - finds openers by their places. A place says in which tile an opener is, and how many openers are above it
   there. */
#ifndef GPI_NEST_PLACES_CL
#define GPI_NEST_PLACES_CL
#include "base/platform.cl"
#include "nest/opener.cl"
#include "nest/stack_monoid.cl"
#include "nest/tile_summary.cl"

/* Returns the opener at `place`. */
static gpi_index gpi_opener_at(gpi_nest nest, gpi_place place)
{
    return gpi_opener_of(nest, place.leaf, gpi_leaf(nest, place.leaf).pushes - 1 - place.need);
}

/* Returns the same opener's place in the tile that contains it, which is earlier than `place.leaf`. `place.need` must
   be at least the number of openers that tile `place.leaf` pushes. */
static gpi_place gpi_place_behind(gpi_nest nest, gpi_place place)
{
    const gpi_node node = gpi_leaf(nest, place.leaf);
    return gpi_tiles_search(nest.tree, nest.leaves, place.leaf, place.need - node.pushes + node.pops);
}

/* Returns the place of the opener below the one at `place`. */
static gpi_place gpi_place_below(gpi_nest nest, gpi_place place)
{
    place.need++;
    if (place.need < gpi_leaf(nest, place.leaf).pushes) return place;
    return gpi_place_behind(nest, place);
}
#endif
