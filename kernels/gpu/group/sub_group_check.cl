/* sub_group_check.cl - checks that a device's sub-groups do what group/sub_group.cl says. Every item calls each operation with a
   word that all other items can compute, compares the result, and writes which operations went wrong:

       wrong   a word for each item: bit k is set if operation k went wrong

   Parameters: those of group/sub_group.cl. Tests inject faults: with GPI_FAULT_SUB_GROUP a word differs from what other
   items compute, and with GPI_FAULT_LOCKSTEP all sub-groups run as many iterations of a loop as the group's first
   item. */
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
#define GPI_SG_WRONG_BRANCH 128u

/* Returns the word of `lane` of this item's sub-group in round `turn` of the check. Words differ between sub-groups and
   rounds. */
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

/* Checks an exchange of words through local memory, with only gpi_sg_sync between writes and reads. */
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

/* Does a shuffle and a ballot in each of `turns` iterations. `turns` may differ between sub-groups. Returns `turns` if
   all results are correct, otherwise another number. (PoCL 3.1 crashes if this function is not inlined.) */
GPI_INLINE uint gpi_sg_check_turns(uint turns, uint turn, gpi_sg_shared m)
{
    const uint l = gpi_sg_lane(), other = GPI_SUB_GROUP - 1 - l;
    uint taken = 0;
    while (gpi_sg_vote(taken < turns, m)) {
        const uint x = gpi_sg_from(gpi_sg_word(l, turn + taken), other, m);
        const gpi_sg_mask ballot = gpi_sg_ballot(l <= taken, m);
        const bool right = x == gpi_sg_word(other, turn + taken) && gpi_sg_count(ballot) == taken + 1;
        if (!GPI_SG_ALL || taken < turns) taken += right ? 1 : 16;
    }
    return taken;
}

/* Checks that one sub-group may call operations without the others. One sub-group runs some iterations of a loop while
   the others wait for it at a barrier, as in look-back. After the barrier the others run the same number of iterations.
   If a device implements operations as barriers of the whole group, the check fails in one of two ways: all items run
   as many iterations as the first item, or a barrier inside the loop is matched with the one after the loop, so that
   the word is read too early. No item waits forever, because all items reach the same number of barriers. */
static uint gpi_sg_check_branch(uint turn, gpi_sg_shared m, __local uint *word)
{
    const bool alone = gpi_sg_index() == turn % (GPI_WG / GPI_SUB_GROUP);
    const uint first = alone ? 1 + turn % 3 : 0, second = alone ? 0 : 1 + turn % 3;
    bool right = gpi_sg_check_turns(first, turn, m) == first;
    if (alone && gpi_sg_lane() == 0) *word = turn;
    gpi_sync(); /* the word is written */
    right = right && *word == turn;
    right = gpi_sg_check_turns(second, turn, m) == second && right;
    gpi_sync(); /* the word is read: the next round may overwrite it */
    return right ? 0 : GPI_SG_WRONG_BRANCH;
}

GPI_KERNEL void gp_sub_group_check(__global uint *out)
{
    GPI_SHARED(gpi_sg_memory, m);
    __local uint words[GPI_WG], word;
    uint wrong = gpi_sg_true_lane() == gpi_sg_lane() ? 0 : GPI_SG_WRONG_LANE;
    for (uint turn = 0; turn < 9; turn++) {
        wrong |= gpi_sg_check_shuffles(turn, m) | gpi_sg_check_masks(turn, m) |
                 gpi_sg_check_sync(turn, words) | gpi_sg_check_branch(turn, m, &word);
    }
    out[get_global_id(0)] = wrong;
}
#endif
