/* rows.cl - a hash table of rows, by open addressing with linear probing. A row in the table represents all rows with
   its key.

       slot:   fingerprint | row      row: the first row with the key; fingerprint: bits of the key's hash, where rows leave room

   A slot has 32 bits whatever the key's size, because the key is read from the row's columns. A row takes an empty slot
   by a compare-and-swap; a lower row with the same key replaces it by an atomic minimum. So in the end each slot has
   its key's first row. Work-groups do not wait for each other. */
#ifndef GPI_TABLE_ROWS_CL
#define GPI_TABLE_ROWS_CL
#include "base/platform.cl"
#include "table/constants.cl"
#include "table/keys.cl"

#define GPI_ROWS_NONE 0xffffffffu /* no slot, because the table is too small; no row */

typedef struct gpi_rows {
    volatile __global uint *slots;
    uint size, row_mask; /* number of slots; mask of the bits of a slot that have the row */
    uint probes;         /* the most slots that are searched for a row */
} gpi_rows;

/* Returns the slot where the search for a key begins. */
static uint gpi_rows_home(gpi_rows t, ulong hash) { return (uint)((hash >> 32) * t.size >> 32); }

static uint gpi_slot_load(volatile __global uint *slot)
{
#if GPI_ON_CPU
    return __atomic_load_n((volatile __private uint *)(size_t)slot, __ATOMIC_RELAXED);
#elif GPI_VOLATILE_RELAXED
    return *slot;
#else
    return atomic_or(slot, 0u);
#endif
}

/* Returns whether the slot `seen` may have the key with this hash. */
static bool gpi_rows_may_be(gpi_rows t, uint seen, ulong hash)
{
    return ((seen ^ (uint)hash) & ~t.row_mask) == 0;
}

/* Returns the slot of row i's key, and puts the row there if it is the first with this key so far. Returns
   GPI_ROWS_NONE if none of the slots that are searched is empty or has the key. */
GPI_NOINLINE uint gpi_rows_put(gpi_rows t, gpi_key_columns columns, ulong i, ulong hash)
{
    const uint mine = ((uint)hash & ~t.row_mask) | (uint)i;
    uint slot = gpi_rows_home(t, hash);
    for (uint probe = 0; probe < t.probes; probe++) {
        uint seen = gpi_slot_load(t.slots + slot);
        if (seen == GPI_ROWS_EMPTY) {
            seen = atomic_cmpxchg(t.slots + slot, GPI_ROWS_EMPTY, mine);
            if (seen == GPI_ROWS_EMPTY) return slot;
        }
        if (gpi_rows_may_be(t, seen, hash) && gpi_rows_equal(columns, i, columns, seen & t.row_mask)) {
            if (mine < seen) (void)atomic_min(t.slots + slot, mine);
            return slot;
        }
        slot = slot + 1 < t.size ? slot + 1 : 0;
    }
    return GPI_ROWS_NONE;
}

/* Returns the row in the table whose key is that of row i of table `left`, or GPI_ROWS_NONE. The table is that of `right`'s rows. */
GPI_INLINE uint gpi_rows_find(gpi_rows t, gpi_key_columns left, ulong i, ulong hash, gpi_key_columns right)
{
    uint slot = gpi_rows_home(t, hash);
    for (uint probe = 0; probe < t.probes; probe++) {
        const uint seen = gpi_slot_load(t.slots + slot);
        if (seen == GPI_ROWS_EMPTY) break;
        if (gpi_rows_may_be(t, seen, hash) && gpi_rows_equal(left, i, right, seen & t.row_mask))
            return seen & t.row_mask;
        slot = slot + 1 < t.size ? slot + 1 : 0;
    }
    return GPI_ROWS_NONE;
}
#endif
