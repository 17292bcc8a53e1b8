/* lookback.cl - decoupled look-back: computes the product of all tiles before a group's own.

       prefix(t) = aggregate(0) . aggregate(1) ... aggregate(t-1)

   A group publishes its tile's aggregate. It then walks back over the tiles before its own, and combines their states until it
   meets an inclusive one. Finally it publishes the inclusive state of its own tile. (Merrill & Garland 2016; fallback: Smith,
   Levien & Owens 2025.)

   State buffer, zeroed before the launch:

       uint ticket, 3 x unused | tile 0: GPI_STATE_WORDS words | tile 1: ... |

       wide word     payload 32 bits in the low half, flag in the top two bits
       narrow word   payload 16 bits in the low half, flag in the top two bits

   The payload of a state is spread over its words, and each word repeats the flag. A reader accepts a state only if all its words
   have the same flag. So words may become visible in any order, and every access is a relaxed atomic. Flags only ever rise: empty
   < aggregate < inclusive.

   Waiting. In scans and selections, a group waits for other groups only while it walks back (scan/walk_back.cl,
   scan/walk_back_item.cl).
     - Tiles are handed out by ticket, so that a group waits only for groups that have already started.

     - A wait is bounded: after `polls` reads of late tiles' states, the group computes each further late tile from the
       input. If `polls` is 0, there is no bound. The host passes 0 only on devices that are known to keep every
       started group running.

   Ordered (GPI_ORDERED 1, for segments whose heads are counted). The product must not depend on when states are seen.
   So tiles are combined from left to right, beginning with the anchor. The anchor is the last earlier tile that has a
   head, or whose state is inclusive when it is read. (Inclusive states are combined from left to right, too.) A walk
   combines no tiles until it reads an anchor. Its wait for an anchor has no bound.

   tests/models/lookback.pml checks this, with stores that become visible in any order, states of one and two words, and the
   fallback. */
#ifndef GPI_SCAN_LOOKBACK_CL
#define GPI_SCAN_LOOKBACK_CL
#include "base/count.cl"
#include "base/fault_injection.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "scan/constants.cl"
#include "scan/tile.cl"
#include "scan/tile_input.cl"
#include "scan/tile_states.cl"
#include "scan/walk_back.cl"

/* Returns the product of all tiles before `tile`, and publishes the state of `tile`, whose product is `aggregate`. Must
   be called by all items. Ends because each iteration makes `next` smaller. (lookback.pml checks this as `alive`; its
   `kept` shows why the host passes polls 0 for calls in place.) */
static GPI_T gpi_look_back(volatile __global uint *state, uint tile, GPI_T aggregate, gpi_input input,
                           uint polls, volatile __global uint *counters, gpi_tile_shared shared)
{
    const bool leader = GPI_LOCAL_ID == 0;
    const bool bounded = polls > 0;
    GPI_T prefix = gpi_identity();
    uint next = tile;

    if (leader && tile > 0) gpi_publish(state, tile, GPI_AGGREGATE, aggregate);
    while (next > 0) {
        const bool walks = GPI_WALKS_BACK;
        if (walks || GPI_WALKS_ALL)
            next = gpi_walk_back(GPI_COMBINE_OF(input) state, walks ? next : 0, &prefix, &polls, bounded,
                                 shared);
        next = gpi_broadcast_once(next, &shared->word); /* the barriers of gpi_tile_reduce follow */
        if (next == 0) break;
        /* fallback: tile next - 1 is late, and this group computes it (scan/tile.cl) */
        const GPI_T late = gpi_tile_reduce(input, (ulong)(next - 1) * GPI_TILE, shared);
        next -= 1;
        if (leader) {
            prefix = gpi_combine(GPI_COMBINE_OF(input) late, prefix);
            gpi_post(state, next, late);
            atomic_inc(counters + GPI_COUNT_FALLBACKS);
        }
    }
    if (leader && next == 0)
        gpi_publish(state, tile, GPI_INCLUSIVE, gpi_combine(GPI_COMBINE_OF(input) prefix, aggregate));
    if (leader && next != 0) atomic_inc(counters + GPI_COUNT_ABANDONED);
    return gpi_broadcast_element(prefix, shared);
}
#endif
