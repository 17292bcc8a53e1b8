/* team.cl - teams. A team is a sub-group, or, if the group has no sub-groups, the whole group. It handles one part of
   the tile (the team's piece), and its items wait for one another at gpi_team_sync().

       GPI_TEAM                            items of a team, a power of two
       gpi_team_index(), gpi_team_lane()   the team's number in the group; this item's number in its team
       gpi_team_sync()                     makes what the team's items wrote to local memory visible to all of them

   All items of a team must call gpi_team_sync(). It may be a barrier of the whole group. So a loop that contains it
   must run the same number of iterations in all teams.

   Parameters: those of group/sub_group.cl */
#ifndef GPI_GROUP_TEAM_CL
#define GPI_GROUP_TEAM_CL
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"

#if GPI_SUB_GROUP
#define GPI_TEAM GPI_SUB_GROUP
static uint gpi_team_index(void) { return gpi_sg_index(); }
static uint gpi_team_lane(void) { return gpi_sg_lane(); }
static void gpi_team_sync(void) { gpi_sg_sync(); }
#else
#define GPI_TEAM GPI_WG
static uint gpi_team_index(void) { return 0; }
static uint gpi_team_lane(void) { return (uint)GPI_LOCAL_ID; }
static void gpi_team_sync(void) { gpi_sync(); }
#endif
#endif
