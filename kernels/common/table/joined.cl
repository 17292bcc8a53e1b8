/* joined.cl - the partners of a left table's rows (table/join.cl). */
#ifndef GPI_TABLE_JOINED_CL
#define GPI_TABLE_JOINED_CL
#include "base/platform.cl"
#include "table/constants.cl"
#include "table/keys.cl"
#include "table/order.cl"
#include "table/rows.cl"

typedef struct gpi_join {
    gpi_rows table; /* of the right rows */
    gpi_key_columns left, right;
    uint kind;
    bool has_runs; /* a right key may have several rows: `runs` has where they begin and end in the order */
    __global const uint2 *runs; /* by gpi_run_of */
    ulong most;
    __global uint *begins, *lengths;  /* of each left row's partners */
    volatile __global uint *partners; /* full join: whether the key of a first row has a partner */
} gpi_join;

/* Writes the partners of left row i. `first`: the first right row with its key; GPI_ROWS_NONE: there is none. */
GPI_INLINE void gpi_join_put(gpi_join j, ulong i, uint first)
{
    const bool none = first == GPI_ROWS_NONE;
    uint begin = first, length = none ? 0 : 1;
    if (j.has_runs && !none) {
        const uint2 run = j.runs[gpi_run_of(first, j.most)];
        begin = run.x;
        length = run.y - run.x;
    }
    if (j.kind == GPI_JOIN_ANTI || (none && (j.kind == GPI_JOIN_LEFT || j.kind == GPI_JOIN_FULL)))
        length = none;
    if (j.kind == GPI_JOIN_FULL && !none && gpi_slot_load(j.partners + first) == 0)
        (void)atomic_xchg(j.partners + first, 1u);
    j.begins[i] = begin;
    j.lengths[i] = length;
}
#endif
