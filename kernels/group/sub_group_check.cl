/* sub_group_check.cl - do a device's sub-groups do what group/sub_group.cl says? Every item takes part in each
   operation on words that it can work out for every other item, and writes which ones went wrong:

       wrong   a word for each item: bit k, operation k

   Parameters: those of group/sub_group.cl.
   Tests define GPI_FAULT_SUB_GROUP: a word is then not what other items take it for. */
#ifndef GPI_GROUP_SUB_GROUP_CHECK_CL
#define GPI_GROUP_SUB_GROUP_CHECK_CL
#include "base/platform.cl"
#include "group/sub_group.cl"
#include "group/sync.cl"

#define GPI_SG_WRONG_LANE 1u
#define GPI_SG_WRONG_UP 2u
#define GPI_SG_WRONG_DOWN 4u
#define GPI_SG_WRONG_FROM 8u
#define GPI_SG_WRONG_BALLOT 16u
#define GPI_SG_WRONG_MATCH 32u
#define GPI_SG_WRONG_SYNC 64u

/* The word of a lane of this item's sub-group in a turn: another one in every sub-group and turn. */
static uint gpi_sg_word(uint lane, uint turn)
{
    const uint item = (uint)get_group_id(0) * GPI_WG + gpi_sg_index() * GPI_SUB_GROUP + lane;
#ifdef GPI_FAULT_SUB_GROUP
    if (turn == 8 && lane == gpi_sg_lane()) return ~item;
#endif
    return (item * 2654435761u ^ turn * 2246822519u) >> 3;
}

static uint gpi_sg_check_shuffles(uint turn, gpi_sg_shared m)
{
    const uint l = gpi_sg_lane(), x = gpi_sg_word(l, turn);
    uint wrong = 0;
    for (uint d = 1; d < GPI_SUB_GROUP; d *= 2) {
        if (gpi_sg_up(x, d, m) != gpi_sg_word(l < d ? l : l - d, turn)) wrong |= GPI_SG_WRONG_UP;
        if (gpi_sg_down(x, d, m) != gpi_sg_word(l + d < GPI_SUB_GROUP ? l + d : l, turn))
            wrong |= GPI_SG_WRONG_DOWN;
        if (gpi_sg_from(x, d - 1, m) != gpi_sg_word(d - 1, turn)) wrong |= GPI_SG_WRONG_FROM;
        if (gpi_sg_from(x, l ^ d, m) != gpi_sg_word(l ^ d, turn)) wrong |= GPI_SG_WRONG_FROM;
    }
    return wrong;
}

static uint gpi_sg_check_masks(uint turn, gpi_sg_shared m)
{
    const uint l = gpi_sg_lane(), digit = gpi_sg_word(l, turn) & 7;
    const gpi_sg_mask ballot = gpi_sg_ballot(digit < turn, m);
    const gpi_sg_mask match = gpi_sg_match(digit, 3, m);
    uint voters = 0, below = 0, first = GPI_SUB_GROUP, alike = 0, alike_below = 0, last = 0;
    for (uint k = 0; k < GPI_SUB_GROUP; k++) {
        const uint other = gpi_sg_word(k, turn) & 7, voted = other < turn, same = other == digit;
        voters += voted;
        below += voted && k < l;
        if (voted && first == GPI_SUB_GROUP) first = k;
        alike += same;
        alike_below += same && k < l;
        if (same) last = k;
    }
    return (gpi_sg_count(ballot) != voters || gpi_sg_count_below(ballot) != below ||
                    gpi_sg_first(ballot) != first
                ? GPI_SG_WRONG_BALLOT
                : 0) |
           (gpi_sg_count(match) != alike || gpi_sg_count_below(match) != alike_below ||
                    gpi_sg_last(match) != last
                ? GPI_SG_WRONG_MATCH
                : 0);
}

/* Turns of words through local memory, with no more than gpi_sg_sync between them. */
static uint gpi_sg_check_sync(uint turn, __local uint *words)
{
    const uint l = gpi_sg_lane(), first = gpi_sg_index() * GPI_SUB_GROUP;
    const uint other = (l + turn + 1) % GPI_SUB_GROUP;
    words[first + l] = gpi_sg_word(l, turn);
    gpi_sg_sync();
    const uint seen = words[first + other];
    gpi_sg_sync();
    return seen == gpi_sg_word(other, turn) ? 0 : GPI_SG_WRONG_SYNC;
}

GPI_KERNEL void gp_sub_group_check(__global uint *out)
{
    GPI_SHARED(gpi_sg_memory, m);
    __local uint words[GPI_WG];
    uint wrong = gpi_sg_true_lane() == gpi_sg_lane() ? 0 : GPI_SG_WRONG_LANE;
    for (uint turn = 0; turn < 9; turn++) {
        wrong |=
            gpi_sg_check_shuffles(turn, m) | gpi_sg_check_masks(turn, m) | gpi_sg_check_sync(turn, words);
    }
    out[get_global_id(0)] = wrong;
}
#endif
