/* gather_tile.cl - one item moves a range of elements. */
#ifndef GPI_MAP_GATHER_TILE_CL
#define GPI_MAP_GATHER_TILE_CL
#include "base/platform.cl"
#include "map/moves.cl"

#define GPI_FETCH 64       /* prefetch distance through the index, in elements */
#define GPI_GATHER_STEP 16 /* elements of an unrolled iteration */
#define GPI_GATHER_AHEAD \
    2048 /* prefetch distance in consecutive memory, in bytes: hardware prefetching stops at page ends */

/* Prefetches the element that index i names, unless there are flags. Does not check whether the index is in range, because
   prefetching an invalid address does no harm. */
GPI_INLINE void gpi_gather_ask(gpi_moves m, ulong i)
{
#ifndef GPI_FLAG
#if GPI_SCATTER
    GPI_PREFETCH_WRITE(m.out + m.index[i]);
#else
    GPI_PREFETCH_READ(m.in + m.index[i]);
#endif
#endif
}

/* Prefetches consecutive elements and indices ahead of i. Does nothing for elements of more than four bytes, because an
   iteration needs several cache lines of these, and the hardware prefetches them well enough. */
GPI_INLINE void gpi_ask_row(gpi_moves m, ulong i)
{
    if (sizeof(GPI_OUT) > 4) return;
    GPI_PREFETCH_READ(m.index + i + GPI_GATHER_AHEAD / sizeof(GPI_INDEX));
#if GPI_SCATTER
    GPI_PREFETCH_READ(m.in + i + GPI_GATHER_AHEAD / sizeof(GPI_OUT));
#else
    GPI_PREFETCH_WRITE(m.out + i + GPI_GATHER_AHEAD / sizeof(GPI_OUT));
#endif
}

GPI_NOINLINE uint gpi_gather_tile(gpi_moves m, ulong first, ulong end)
{
    uint skipped = 0;
    ulong i = first;
    for (; i + GPI_FETCH + GPI_GATHER_STEP <= end; i += GPI_GATHER_STEP) {
        gpi_ask_row(m, i);
#pragma unroll
        for (uint k = 0; k < GPI_GATHER_STEP; k++) {
            gpi_gather_ask(m, i + k + GPI_FETCH);
            skipped += gpi_gather_move(m, i + k);
        }
    }
    for (; i < end; i++) skipped += gpi_gather_move(m, i);
    return skipped;
}
#endif
