/* team_scan.cl - exclusive scan of one element of each item of a team. */
#ifndef GPI_SCAN_TEAM_SCAN_CL
#define GPI_SCAN_TEAM_SCAN_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/items.cl"

/* Returns the product of x over the team's items before this one, and sets *total to the product over all of them. The
   group's items form teams of `team` items, a power of two. The numbers of a team's items in the group differ by
   `apart`, which is 1 or the number of teams. `lane` is this item's number in its team. `cell` has GPI_WG elements, and
   is free again on return. Items of a sub-group combine by shuffles. The steps for d combine pairs of blocks of d items
   (Sklansky 1960). Must be called by all items of the group. */
static GPI_T gpi_team_scan(GPI_COMBINE_PARAMETER GPI_T x, uint lane, uint team, uint apart, GPI_T *total,
                           __local GPI_T *cell)
{
    const uint l = (uint)get_local_id(0), first = l - lane * apart;
    GPI_T sum = x;
    uint d = 1;
#if GPI_SUB_GROUP
    for (; apart == 1 && d < min(team, (uint)GPI_SUB_GROUP); d *= 2) {
        const GPI_T y = gpi_items_up(sum, d, cell);
        if (lane % GPI_SUB_GROUP >= d) sum = gpi_combine(GPI_COMBINE_PASSED y, sum);
    }
#endif
    for (; d < team; d *= 2) {
        cell[l] = sum;
        gpi_sync(); /* the sums of the last step are written */
        if (lane & d) sum = gpi_combine(GPI_COMBINE_PASSED cell[first + (lane / d * d - 1) * apart], sum);
        gpi_sync(); /* the sums are read: the next step overwrites them */
    }
    cell[l] = sum;
    gpi_sync(); /* the scan is written */
    *total = cell[first + (team - 1) * apart];
    sum = lane ? cell[l - apart] : gpi_identity();
    gpi_sync(); /* the scan is read: the next call may overwrite it */
    return sum;
}
#endif
