/* moves.cl - moves one element of gp_gather, gp_scatter or an unpack (map/gather.cl).

   Parameters, which the prelude defines
       GPI_WG, GPI_PER_ITEM                  items of a group; on GPUs: elements of an item
       GPI_OUT                               type of an element: any of 1, 2, 4, 8 or 16 bytes
       GPI_INDEX                             type of an index: uint or ulong
       GPI_FLAG                              type of a flag; not defined: there are none
       GPI_SCATTER                           1: the output is indexed; 0: the input                      */
#ifndef GPI_MAP_MOVES_CL
#define GPI_MAP_MOVES_CL
#include "base/arrays.cl"
#include "base/count.cl"
#include "base/platform.cl"

#if !defined(GPI_SCATTER)
#error "GPI_SCATTER must be 0 or 1"
#endif

/* The input arrays (base/arrays.cl). */
#ifdef GPI_FLAG
#define GPI_MOVE_ARRAYS(use, to) use(to, GPI_INDEX, index) use(to, GPI_FLAG, flag)
#define GPI_WANTED(m, i) ((m).flag[i] != 0)
#else
#define GPI_MOVE_ARRAYS(use, to) use(to, GPI_INDEX, index)
#define GPI_WANTED(m, i) 1
#endif

/* The arrays of a call, and the number of elements of the indexed array. */
typedef struct gpi_moves {
    __global const GPI_OUT *in;
    __global GPI_OUT *out;
    GPI_MOVE_ARRAYS(GPI_ARRAY_MEMBER, _)
    ulong limit;
} gpi_moves;

/* Returns whether the indexed array has element `at`. Compares in the index's own type on CPUs, where LLVM 18 loses comparisons
   of a widened index (docs/drivers.md). */
GPI_INLINE bool gpi_gather_has(gpi_moves m, GPI_INDEX at)
{
    return GPI_ON_CPU ? (m.limit > (GPI_INDEX)-1) | (at < (GPI_INDEX)m.limit) : at < m.limit;
}

/* Moves element i. Returns 1 if it is skipped because of its index, else 0. */
GPI_INLINE uint gpi_gather_move(gpi_moves m, ulong i)
{
    GPI_INDEX at;
    if (!GPI_WANTED(m, i)) return 0;
    at = m.index[i];
    if (!gpi_gather_has(m, at)) return 1;
#if GPI_SCATTER
    m.out[at] = m.in[i];
#else
    m.out[i] = m.in[at];
#endif
    return 0;
}
#endif
