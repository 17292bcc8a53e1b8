/* group_by.cl - groups the rows of a table by key

       row                 0 1 2 3 4 5
       key                 b a b c a b
       gp_rows_put         each slot gets the first row of its key    slot_of: 7 2 7 5 2 7, for example
       a selection         first rows 0 1 3: the rows that are in their slots
       gp_rows_number      the slots of rows 0, 1, 3 become 0, 1, 2
       gp_rows_groups      group of each row: 0 1 0 2 1 0
       a sort by group     0 2 5 | 1 4 | 3
       gp_rows_offsets     0 3 5 6

   Results of groups are computed by another program (table/group_results.cl).

   Several hash tables are tried, each larger than the one before: a work-group that finds the table too small counts it
   as such, and all work-groups stop. The launches for a later table do nothing unless all earlier ones were too small.

   Parameters: those of table/keys.cl. */
#ifndef GPI_TABLE_GROUP_BY_CL
#define GPI_TABLE_GROUP_BY_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "table/constants.cl"
#include "table/keys.cl"
#include "table/put_span.cl"
#include "table/row_checks.cl"
#include "table/rows.cl"

/* Empties table number `table`, which has slots [slots_at, slots_at + size), if it is the one to use. Writes to the state that
   its first slot is number `base` of all slots. */
GPI_KERNEL void gp_rows_clear(__global uint *slots, ulong slots_at, uint size, uint base,
                              volatile __global uint *state, ulong state_at, uint table, ulong span)
{
    if (gpi_slot_load(state + state_at + GPI_ROWS_SMALL) != table) return;
    ulong begin, end;
    if (get_group_id(0) == 0 && GPI_LOCAL_ID == 0) {
        state[state_at + GPI_ROWS_BASE] = base;
        state[state_at + GPI_ROWS_SIZE] = size;
    }
    gpi_span(size, span, &begin, &end);
    for (ulong i = slots_at + begin + GPI_LOCAL_ID; i < slots_at + end; i += GPI_WG)
        slots[i] = GPI_ROWS_EMPTY;
}

/* Puts all rows into table number `table`, if it is the one to use. `longest`: bytes of the longest string that the device's loops
   can read. `call`: a number that other calls do not have. */
GPI_KERNEL void gp_rows_put(GPI_COLUMNS_PARAMETERS(columns), volatile __global uint *slots, ulong slots_at,
                            uint size, uint base, uint row_mask, uint probes, __global uint *slot_of,
                            ulong slot_of_at, volatile __global uint *state, ulong state_at, uint table,
                            ulong longest, ulong span, GPI_COUNT_PARAMETERS, uint call,
                            volatile __global uint *counters)
{
    volatile __global uint *too_small = state + state_at + GPI_ROWS_SMALL;
    ulong begin, end;
    gpi_span(gpi_count(bound, wanted, wanted_offset, wanted_words), span, &begin, &end);
    gpi_key_columns columns;
    gpi_rows t;
    if (begin >= end) return;
    GPI_COLUMNS_SET(columns);
    t.slots = slots + slots_at;
    t.size = size;
    t.row_mask = row_mask;
    t.probes = probes;
    if (table == 0 && gpi_rows_check_strings(columns, begin, end, longest, call, counters)) {
        (void)atomic_max(too_small, GPI_ROWS_TABLES);
    } else if (gpi_rows_put_span(t, columns, begin, end, slot_of + slot_of_at, base, too_small, table)) {
        (void)atomic_max(too_small, table + 1);
    }
}

/* Writes the number of rows for the launches that follow: 0 if none of the `tables` tables was large enough, since the device ended loops too
   early. Such a call counts as abandoned. */
GPI_KERNEL void gp_rows_close(__global uint *state, ulong state_at, uint tables, GPI_COUNT_PARAMETERS,
                              volatile __global uint *counters)
{
    const bool failed = state[state_at + GPI_ROWS_SMALL] >= tables;
    GPI_COUNT_CHECK(true, counters);
    if (GPI_LOCAL_ID != 0) return;
    state[state_at + GPI_ROWS_COUNT] =
        failed ? 0 : (uint)gpi_count(bound, wanted, wanted_offset, wanted_words);
    if (failed) (void)atomic_inc(counters + GPI_COUNT_ABANDONED);
}

/* Writes each group's number g to the slot of the group's first row, rows[g], and whether there are more than `cells` groups to the
   state. */
GPI_KERNEL void gp_rows_number(__global uint *slots, ulong slots_at, __global const uint *slot_of,
                               ulong slot_of_at, __global const uint *rows, ulong rows_at,
                               __global uint *state, ulong state_at, uint cells, ulong span)
{
    const uint groups = state[state_at + GPI_ROWS_GROUPS];
    ulong begin, end;
    gpi_span(groups, span, &begin, &end);
    if (get_group_id(0) == 0 && GPI_LOCAL_ID == 0)
        state[state_at + GPI_ROWS_MANY] = groups > cells ? groups : 0;
    for (ulong g = begin + GPI_LOCAL_ID; g < end; g += GPI_WG)
        slots[slots_at + slot_of[slot_of_at + rows[rows_at + g]]] = (uint)g;
}

/* Replaces each row's slot, in `slot_of`, by the number of the row's group. */
GPI_KERNEL void gp_rows_groups(__global const uint *slots, ulong slots_at, __global uint *slot_of,
                               ulong slot_of_at, ulong span, GPI_COUNT_PARAMETERS)
{
    ulong begin, end;
    gpi_span(gpi_count(bound, wanted, wanted_offset, wanted_words), span, &begin, &end);
    for (ulong i = slot_of_at + begin + GPI_LOCAL_ID; i < slot_of_at + end; i += GPI_WG)
        slot_of[i] = slots[slots_at + slot_of[i]];
}

/* Writes the position at which each group begins, and the position at which the last one ends. `groups` has the group
   of each row, sorted. */
GPI_KERNEL void gp_rows_offsets(__global const uint *groups, ulong groups_at, __global uint *offsets,
                                ulong offsets_at, ulong span, GPI_COUNT_PARAMETERS)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    ulong begin, end;
    gpi_span(n, span, &begin, &end);
    groups += groups_at;
    offsets += offsets_at;
    if (n == 0 && get_group_id(0) == 0 && GPI_LOCAL_ID == 0) offsets[0] = 0;
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        const uint group = groups[i];
        if (i == 0 || groups[i - 1] != group) offsets[group] = (uint)i;
        if (i + 1 == n) offsets[group + 1] = (uint)n;
    }
}
#endif
