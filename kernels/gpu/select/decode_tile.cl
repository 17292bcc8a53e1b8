/* decode_tile.cl - a group decodes a tile of positions.

       runs that begin in the tile    r0 + 1     r0 + 4, after two empty ones
       mark[i]                        0 0 0 1 0 0 4 0 0 0       the last run that begins at i, counted from r0, the tile's first
       scanned by the maximum         0 0 0 1 1 1 4 4 4 4       the run of each position

   If the tile has more than GPI_DECODE_MOST runs, most of which are empty, each position's run is found by a search
   instead, so that no tile takes long. */
#ifndef GPI_SELECT_DECODE_TILE_CL
#define GPI_SELECT_DECODE_TILE_CL
#include "base/platform.cl"
#include "group/exchange.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"
#include "select/decoded.cl"

#define GPI_DECODE_TILE (GPI_WG * GPI_PER_ITEM)
#define GPI_DECODE_MOST (4 * GPI_DECODE_TILE) /* the most runs of a tile that are marked */
/* Elements of an item that are read together. A tile is a whole number of such steps. */
#define GPI_DECODE_STEP (GPI_PER_ITEM % 8 == 0 ? 8 : GPI_PER_ITEM % 4 == 0 ? 4 : 1)

#define GPI_GROUP gpi_marks
#define GPI_GROUP_T uint
#define GPI_GROUP_COMBINE(a, b) max(a, b)
#define GPI_GROUP_IDENTITY 0u
#define GPI_GROUP_SIZE GPI_WG
#define GPI_GROUP_ITEM ((uint)get_local_id(0))
#define GPI_GROUP_TURNS(n) GPI_TURNS(n)
#define GPI_GROUP_ALONE 0
#if GPI_SUB_GROUP
#include "group/sub_group_collectives.cl"
#else
#include "group/collectives.cl"
#endif

typedef struct gpi_decode_memory {
    ulong run[2];
    uint mark[GPI_PADDED(GPI_DECODE_TILE) + 1];
    uint scan[GPI_PADDED(GPI_WG) + 1];
} gpi_decode_memory;

/* Marks the runs r0 + 1 to r1, and scans the marks. */
static void gpi_decode_mark(gpi_decoded d, ulong r0, ulong r1, ulong first, __local gpi_decode_memory *shared)
{
    const uint base = (uint)GPI_LOCAL_ID * GPI_PER_ITEM, runs = (uint)(r1 - r0);
    uint most = 0, total;
    for (uint i = (uint)GPI_LOCAL_ID; i < GPI_DECODE_TILE; i += GPI_WG) shared->mark[GPI_PADDED(i)] = 0;
    gpi_sync(); /* the marks are cleared */
    for (uint j = 1 + (uint)GPI_LOCAL_ID; j <= runs; j += GPI_WG) {
        const ulong begin = d.offsets[r0 + j], i = begin - first;
        if (i < GPI_DECODE_TILE &&
            d.offsets[r0 + j + 1] > begin) /* atomic: bad offsets may let runs overlap */
            (void)atomic_max(shared->mark + GPI_PADDED((uint)i), j);
    }
    gpi_sync(); /* the marks are set */
    for (uint k = 0; k < GPI_PER_ITEM; k++) most = max(most, shared->mark[GPI_PADDED(base + k)]);
    most = gpi_marks_scan_exclusive(most, &total, shared->scan);
    for (uint k = 0; k < GPI_PER_ITEM; k++) {
        most = max(most, shared->mark[GPI_PADDED(base + k)]);
        shared->mark[GPI_PADDED(base + k)] = most;
    }
}

#define GPI_DECODE_REGISTERS(type, name, x, more) type name##_x[GPI_DECODE_STEP];
#define GPI_DECODE_READ(type, name, x, more) name##_x[k] = (type)(x) + (type)(more);
#define GPI_DECODE_WRITE(type, name, x, more) d.name[first + i] = name##_x[k];

static void gpi_decode_tile(gpi_decoded d, ulong first, ulong end, __local gpi_decode_memory *shared)
{
    const uint size = (uint)(end - first);
    for (uint k = (uint)GPI_LOCAL_ID; k < 2; k += GPI_WG) /* items 0 and 1 search side by side */
        shared->run[k] = gpi_run_find(d, 0, d.runs, k ? end - 1 : first);
    gpi_sync(); /* the tile's first and last run are written */
    const ulong r0 = shared->run[0], r1 = max(r0, shared->run[1]);
    if (r1 - r0 <= GPI_DECODE_MOST) {
        gpi_decode_mark(d, r0, r1, first, shared);
    } else {
        for (uint i = (uint)GPI_LOCAL_ID; i < GPI_DECODE_TILE; i += GPI_WG)
            shared->mark[GPI_PADDED(i)] = (uint)(gpi_run_find(d, r0, r1 + 1, min(first + i, end - 1)) - r0);
    }
    gpi_sync(); /* the runs are written */
    for (uint from = (uint)GPI_LOCAL_ID; from < size; from += GPI_DECODE_STEP * GPI_WG) {
        GPI_DECODED(GPI_DECODE_REGISTERS)
        GPI_EACH(k, GPI_DECODE_STEP) { /* positions beyond `size` also have runs */
            const uint i = from + k * GPI_WG;
            const ulong r = r0 + shared->mark[GPI_PADDED(i)];
            GPI_DECODED(GPI_DECODE_READ)
        }
        GPI_EACH(k, GPI_DECODE_STEP) {
            const uint i = from + k * GPI_WG;
            if (i < size) {
                GPI_DECODED(GPI_DECODE_WRITE)
            }
        }
    }
}
#endif
