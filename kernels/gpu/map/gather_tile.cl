/* gather_tile.cl - a group moves a tile of elements. */
#ifndef GPI_MAP_GATHER_TILE_CL
#define GPI_MAP_GATHER_TILE_CL
#include "base/platform.cl"
#include "map/moves.cl"

#define GPI_GATHER_STEP (GPI_PER_ITEM < 8 ? GPI_PER_ITEM : 8)

/* Moves elements i, i + GPI_WG, ... (GPI_GATHER_STEP of them), and returns how many are skipped because of their index. Reads
   first all indices and then all elements, so that reads are in flight together. If an index is out of range, element 0 is
   read. */
static uint gpi_gather_step(gpi_moves m, ulong i)
{
    GPI_INDEX at[GPI_GATHER_STEP];
    GPI_OUT x[GPI_GATHER_STEP];
    uint skipped = 0;
    GPI_EACH(k, GPI_GATHER_STEP) at[k] = m.index[i + k * GPI_WG];
    GPI_EACH(k, GPI_GATHER_STEP)
        x[k] = m.in[GPI_SCATTER ? i + k * GPI_WG : gpi_gather_has(m, at[k]) ? at[k] : 0];
    GPI_EACH(k, GPI_GATHER_STEP) {
        if (!GPI_WANTED(m, i + k * GPI_WG)) continue;
        if (gpi_gather_has(m, at[k])) m.out[GPI_SCATTER ? at[k] : i + k * GPI_WG] = x[k];
        else skipped++;
    }
    return skipped;
}

static uint gpi_gather_tile(gpi_moves m, ulong first, ulong end)
{
    const ulong begin = first + GPI_LOCAL_ID;
    uint skipped = 0;
    if (first + GPI_WG * GPI_PER_ITEM <= end) {
        for (uint k = 0; k < GPI_PER_ITEM; k += GPI_GATHER_STEP)
            skipped += gpi_gather_step(m, begin + k * GPI_WG);
    } else {
        for (ulong i = begin; i < end; i += GPI_WG) skipped += gpi_gather_move(m, i);
    }
    return skipped;
}
#endif
