/* topk_state.cl - the state that the kernels of sort/topk.cl share.

   In ulongs; the host computes where the rest of the scratch begins:

       | count | k | found | threshold of each round | cursor of each round (uints) | equals (round 0) | - |
       | select: after digit 0 ... GPI_KEY_SIZE: prefix, rest, threshold, decided |
       | histogram: digit, bin | blocks: round, GPI_TOPK_BLOCK tiles: keys below, equal (uints) | */
#ifndef GPI_SORT_TOPK_STATE_CL
#define GPI_SORT_TOPK_STATE_CL
#include "element/key.cl"
#include "sort/digit.cl"

#define GPI_TOPK_BLOCKS (GPI_TOPK_HISTOGRAM + GPI_KEY_SIZE * GPI_BINS)

#if GPI_TOPK_SELECT + 4 * (GPI_PASSES_MAX + 1) > GPI_TOPK_HISTOGRAM
#error "the state's parts overlap"
#endif

/* The state. `blocks`: number of blocks of GPI_TOPK_BLOCK tiles; `room`: how many keys may be kept. */
typedef struct gpi_topk {
    __global ulong *number;
    volatile __global uint *cursor, *equals;
    ulong room;
    uint blocks;
} gpi_topk;

#define GPI_TOPK_PARAMETERS __global ulong *scratch, ulong state_at, ulong room, uint blocks
#define GPI_TOPK_SET(topk)                                                       \
    (topk).number = scratch + state_at;                                          \
    (topk).cursor = (volatile __global uint *)((topk).number + GPI_TOPK_CURSOR); \
    (topk).equals = (volatile __global uint *)((topk).number + GPI_TOPK_EQUALS); \
    (topk).room = room;                                                          \
    (topk).blocks = blocks

/* Returns the address of a block's two counts: keys below the threshold, and keys equal to it. */
static volatile __global uint *gpi_topk_block(gpi_topk topk, uint round, uint block)
{
    return (volatile __global uint *)(topk.number + GPI_TOPK_BLOCKS + (ulong)round * topk.blocks + block);
}

static volatile __global uint *gpi_topk_bin(gpi_topk topk, uint level, uint d)
{
    return (volatile __global uint *)(topk.number + GPI_TOPK_HISTOGRAM + level * GPI_BINS + d);
}

/* Returns whether too many or too few keys have passed the first round's threshold. The first round's filter must have ended. */
static bool gpi_topk_missed(gpi_topk topk)
{
    const ulong kept = topk.cursor[0], equals = (ulong)topk.equals[1] << 32 | topk.equals[0];
    return kept > topk.room || kept + equals < topk.number[GPI_TOPK_K];
}
#endif
