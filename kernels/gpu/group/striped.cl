/* striped.cl - loops and loads of a tile's elements in striped order: an item's elements are `step` apart, so that
   neighbouring items access neighbouring elements. The step is GPI_WG in the tile of a group, and GPI_TEAM or
   GPI_SUB_GROUP in the part of the tile that a team or sub-group handles. (CUB: LoadDirectStriped, StoreDirectStriped,
   LoadDirectWarpStriped, StoreDirectWarpStriped.)

       GPI_EACH_OWN(j) ...                                   handles each of an item's elements, j < GPI_PER_ITEM
       GPI_EACH_STRIPED(j, step, left) ...                   handles those elements for which j * step < left
       GPI_LOAD_STRIPED(x, n, from, step)                    loads x[j] = from[j * step] for each j < n
       GPI_LOAD_STRIPED_PART(x, n, from, step, left, none)   loads x[j] = from[j * step] if j * step < left, else sets x[j] = none
       gpi_left(length, i)                                   returns how many of `length` elements are left from element i on

   `from` is the address of the item's first element. `left` is how many elements the tile or part has from this element
   on; for GPI_EACH_STRIPED it may be negative. The forms without `left` are for full tiles, and compare nothing. All
   loads come before the first use of x, so that they are in flight together. GPI_LOADS is how many such loads a loop
   over a longer range issues at a time.

   GPI_EACH_STRIPED compares signed numbers. If it compared unsigned numbers, as gpi_split_write_keys (sort/multisplit.cl)
   does, a sort of pairs would need 80 registers on sm_90 instead of 64. */
#ifndef GPI_GROUP_STRIPED_CL
#define GPI_GROUP_STRIPED_CL
#include "base/platform.cl"

#define GPI_EACH_OWN(j) GPI_EACH(j, GPI_TURNS(GPI_PER_ITEM))
#define GPI_EACH_STRIPED(j, step, left) \
    GPI_EACH_OWN(j)                     \
        if ((int)(j * (step)) < (int)(left))

static uint gpi_left(uint length, uint i) { return length > i ? length - i : 0; }

#define GPI_LOADS 8
#define GPI_LOAD_STRIPED(x, n, from, step) \
    GPI_EACH(j_, GPI_TURNS(n)) (x)[j_] = (from)[j_ * (step)]
#define GPI_LOAD_STRIPED_PART(x, n, from, step, left, none) \
    GPI_EACH(j_, GPI_TURNS(n)) (x)[j_] = j_ * (step) < (left) ? (from)[j_ * (step)] : (none)
#endif
