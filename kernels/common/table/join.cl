/* join.cl - joins two tables: finds all pairs of a left row and a right row with equal keys

       right keys          b a b c
       gp_join_firsts      first row with the key: 0 1 0 3
       an order            0 2 | 1 | 3      rows by first row, if a key repeats; runs: 0 to 2, 2 to 3, 3 to 4
       left keys           b d a
       gp_join_find        partners of each left row: begin 0 - 2, length 2 0 1
       a scan              offsets 0 2 2 3
       gp_join_pairs       0 0   0 2   2 1

   The right rows are in a hash table (table/group_by.cl). A full join has as many more left rows as there are right rows: gp_join_rest
   gives each right row without a partner one such row, with itself as the partner, counted from the number of right rows on.

   Parameters: those of table/keys.cl and of select/decoded.cl, whose runs are left rows and whose positions are those among the row's
   partners. */
#ifndef GPI_TABLE_JOIN_CL
#define GPI_TABLE_JOIN_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "group/sync.cl"
#include "select/decode_tile.cl"
#include "select/decoded.cl"
#include "table/constants.cl"
#include "table/find_span.cl"
#include "table/joined.cl"
#include "table/keys.cl"
#include "table/order.cl"
#include "table/row_checks.cl"
#include "table/rows.cl"

/* Counts the call if left strings have bad offsets. Sets *failed if a string has more than `longest` bytes, left or right, or if the right
   table was not built for this call, whose mark is `mark`. Such a call finds no pair, and counts as abandoned. */
GPI_KERNEL void gp_join_check(GPI_COLUMNS_PARAMETERS(left), __global const uint *state, ulong state_at,
                              uint tables, uint mark, volatile __global uint *failed, ulong failed_at,
                              ulong longest, ulong span, GPI_COUNT_PARAMETERS, uint call,
                              volatile __global uint *counters)
{
    const bool is_closed = state[state_at + GPI_ROWS_SMALL] >= tables; /* and counted */
    gpi_key_columns left;
    ulong begin, end;
    gpi_span(gpi_count(bound, wanted, wanted_offset, wanted_words), span, &begin, &end);
    GPI_COLUMNS_SET(left);
    const bool has_long = gpi_rows_check_strings(left, begin, end, longest, call, counters);
    if ((is_closed || has_long || state[state_at + GPI_ROWS_MARK] != mark) &&
        atomic_xchg(failed + failed_at, 1u) == 0 && !is_closed)
        (void)atomic_inc(counters + GPI_COUNT_ABANDONED);
}

/* Replaces each right row's slot, in `slot_of`, by the first row with its key. Writes the number of rows to the state if a key
   repeats; also the mark of the right table, and the seed of its hashes. */
GPI_KERNEL void gp_join_firsts(__global const uint *slots, ulong slots_at, __global uint *slot_of,
                               ulong slot_of_at, uint row_mask, volatile __global uint *state, ulong state_at,
                               uint mark, ulong seed, ulong span)
{
    if (get_group_id(0) == 0 && GPI_LOCAL_ID == 0) {
        state[state_at + GPI_ROWS_MARK] = mark;
        state[state_at + GPI_ROWS_SEED] = (uint)seed;
        state[state_at + GPI_ROWS_SEED + 1] = (uint)(seed >> 32);
    }
    const uint n = state[state_at + GPI_ROWS_COUNT];
    bool repeats = false;
    ulong begin, end;
    gpi_span(n, span, &begin, &end);
    slots += slots_at;
    slot_of += slot_of_at;
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        const uint first = slots[slot_of[i]] & row_mask;
        repeats |= first != i;
        slot_of[i] = first;
    }
    if (repeats) (void)atomic_max(state + state_at + GPI_ROWS_MANY, n);
}

/* Finds the partners of the left rows. Rows from the count on have none, up to row `rows`; nor have others if *failed is set. */
GPI_KERNEL void gp_join_find(GPI_COLUMNS_PARAMETERS(left), GPI_COLUMNS_PARAMETERS(right),
                             volatile __global uint *slots, ulong slots_at, uint row_mask,
                             __global const uint *state, ulong state_at, uint tables,
                             __global const uint *failed, ulong failed_at, __global const uint2 *runs,
                             ulong runs_at, ulong most, __global uint *begins, ulong begins_at,
                             __global uint *lengths, ulong lengths_at, volatile __global uint *partners,
                             ulong partners_at, uint kind, ulong rows, ulong span, GPI_COUNT_PARAMETERS,
                             volatile __global uint *counters)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    ulong begin, end;
    gpi_key_columns left, right;
    gpi_join j;
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_span(rows, span, &begin, &end);
    state += state_at;
    j.begins = begins + begins_at;
    j.lengths = lengths + lengths_at;
    const ulong last = failed[failed_at] ? begin : clamp(n, begin, end);
    for (ulong i = last + GPI_LOCAL_ID; i < end; i += GPI_WG) j.lengths[i] = 0;
    if (get_group_id(0) == 0 && GPI_LOCAL_ID == 0) j.lengths[rows] = 0;
    if (begin == last) return;
    j.table.slots = slots + slots_at + state[GPI_ROWS_BASE];
    j.table.size = state[GPI_ROWS_SIZE];
    j.table.row_mask = row_mask;
    j.table.probes = state[GPI_ROWS_SMALL] + 1 < tables ? GPI_ROWS_PROBES : j.table.size;
    GPI_COLUMNS_SET(left);
    GPI_COLUMNS_SET(right);
    left.seed = right.seed = (ulong)state[GPI_ROWS_SEED + 1] << 32 | state[GPI_ROWS_SEED];
    j.left = left;
    j.right = right;
    j.kind = kind;
    j.has_runs = state[GPI_ROWS_MANY] != 0 && kind != GPI_JOIN_SEMI && kind != GPI_JOIN_ANTI;
    j.runs = runs + runs_at;
    j.most = most;
    j.partners = partners + partners_at;
    gpi_join_find_span(j, begin, last);
}

/* Gives each right row without a partner, of at most `rows` right rows, a left row of its own. */
GPI_KERNEL void gp_join_rest(__global const uint *firsts, ulong firsts_at, __global const uint *state,
                             ulong state_at, __global const uint *failed, ulong failed_at,
                             __global const uint *partners, ulong partners_at, __global uint *begins,
                             ulong begins_at, __global uint *lengths, ulong lengths_at, ulong rows,
                             ulong span)
{
    const ulong n = failed[failed_at] ? 0 : state[state_at + GPI_ROWS_COUNT];
    ulong begin, end;
    gpi_span(rows, span, &begin, &end);
    lengths += lengths_at;
    if (get_group_id(0) == 0 && GPI_LOCAL_ID == 0) lengths[rows] = 0;
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        begins[begins_at + i] = (uint)(rows + i);
        lengths[i] = i < n && partners[partners_at + firsts[firsts_at + i]] == 0;
    }
}

/* Replaces the left rows and positions of pairs [first, end) by left and right rows. */
static void gpi_join_finish(gpi_decoded d, ulong first, ulong end, __global const uint *begins,
                            __global const uint *order, bool has_order, uint left_rows, uint right_rows)
{
    for (ulong i = first + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        const uint left = d.run[i];
#if GPI_WANTS_POSITIONS
        const uint place = begins[left] + d.position[i];
        d.position[i] = place < right_rows              ? (has_order ? order[place] : place)
                        : begins[left] == GPI_ROWS_NONE ? GPI_ROWS_NONE
                                                        : place - right_rows;
#endif
        if (left >= left_rows) d.run[i] = GPI_ROWS_NONE;
    }
}

/* Writes the pairs. `begins` has `runs` numbers, and `offsets` one more; of these, left_rows are those of left rows. At most `most` pairs
   are written, `step` at a time. */
GPI_KERNEL void gp_join_pairs(__global const ulong *offsets, ulong offsets_at, __global const uint *begins,
                              ulong begins_at, __global const uint *order, ulong order_at,
                              __global const uint *state, ulong state_at, __global uint *left_out,
                              ulong left_out_at,
#if GPI_WANTS_POSITIONS
                              __global uint *right_out, ulong right_out_at,
#endif
                              uint left_rows, uint right_rows, ulong runs, ulong most, ulong step, ulong span)
{
    GPI_SHARED(gpi_decode_memory, shared);
    const bool has_order = state[state_at + GPI_ROWS_MANY] != 0;
    gpi_decoded d;
    ulong begin, end;
    d.offsets = offsets + offsets_at;
    d.in = begins; /* not read */
    d.runs = runs;
    d.run = left_out + left_out_at;
#if GPI_WANTS_POSITIONS
    d.position = right_out + right_out_at;
#endif
    gpi_span(min(most, d.offsets[runs]), span, &begin, &end);
    for (; begin < end; begin += step) {
        const ulong next = min(begin + step, end);
        d.count = next - begin; /* so few that they stay in the caches */
        gpi_decode_tile(d, begin, next, shared);
        gpi_join_finish(d, begin, next, begins + begins_at, order + order_at, has_order, left_rows,
                        right_rows);
    }
}
#endif
