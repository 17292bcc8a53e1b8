/* combine.cl - insert_or_apply in which a group combines its own equal keys before it changes the table. It does so in
   cells, the entries of a small table in local memory. With few different keys, most of the work stays in the group.

       group's keys    a b a a c b ...
       cells           | a: v0 op v2 op v3, 3 keys | b: v1 op v5, 2 | c: v4, 1 | ...
       table           a <- a op (v0 op v2 op v3), ...

   A key may be in one of GPI_CELL_PROBES consecutive cells. The first of these is its home modulo GPI_CELLS. A cell belongs to
   the first key that claims it. A key whose cells all belong to other keys is put into the table directly. This is slow if there
   are few different keys, because all elements of a key without a cell wait for the same slot.

   When a cell is put into the table, all of its keys have the same outcome, except that only one of them can have been
   inserted. A cell never contains a sum that is the reserved value. A cell has the form of a table's slot, packed or split.

   Parameters
       GPI_CELLS         cells of a group; a power of two
       GPI_CELL_PROBES   cells that a key may use */
#ifndef GPI_HASH_COMBINE_CL
#define GPI_HASH_COMBINE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "hash/batch.cl"
#include "hash/batch_keys.cl"
#include "hash/table.cl"

#ifndef GPI_CELLS
#define GPI_CELLS 256
#endif
#ifndef GPI_CELL_PROBES
#define GPI_CELL_PROBES 3
#endif
#if GPI_CELLS < 1 || (GPI_CELLS & (GPI_CELLS - 1))
#error "GPI_CELLS must be a power of two"
#endif

/* Replaces *p by w if it equals `old`, and returns its previous value. All accesses that race are atomic, as in the table. */
static gpi_word gpi_local_cas(volatile __local gpi_word *p, gpi_word old, gpi_word w)
{
#if GPI_WIDE
    return atom_cmpxchg(p, old, w);
#else
    return atomic_cmpxchg(p, old, w);
#endif
}

#if GPI_HASH_PACKED
typedef struct gpi_cells {
    ulong pair[GPI_CELLS]; /* GPI_SLOT_EMPTY: the cell is free */
    uint count[GPI_CELLS];
} gpi_cells;

static void gpi_cell_clear(gp_hash_table t, __local gpi_cells *cells, uint cell)
{
    (void)t;
    cells->pair[cell] = GPI_SLOT_EMPTY;
}

static uint gpi_cell_key(__local const gpi_cells *cells, uint cell)
{
    return GPI_PAIR_KEY(cells->pair[cell]);
}

static uint gpi_cell_value(__local const gpi_cells *cells, uint cell)
{
    return GPI_PAIR_VALUE(cells->pair[cell]);
}

/* Combines the value into cell `cell`, and returns true. Returns false if the cell has another key or, in the split form, the sum
   would be the reserved value. */
static bool gpi_cell_combine(gp_hash_table t, __local gpi_cells *cells, uint cell, gp_hash_key key,
                             gp_hash_value value, uint change)
{
    ulong seen = GPI_SLOT_EMPTY;
    (void)t;
    for (;;) { /* ends: an exchange fails only because another item's succeeded */
        const uint sum = seen == GPI_SLOT_EMPTY ? value : gpi_change(change, GPI_PAIR_VALUE(seen), value);
        const ulong old = gpi_local_cas(&cells->pair[cell], seen, GPI_PAIR(key, sum));
        if (old == seen) return true;
        if (GPI_PAIR_KEY(old) != key) return false;
        seen = old;
    }
}
#else
typedef struct gpi_cells {
    gp_hash_key key[GPI_CELLS]; /* GPI_KEY_NONE: the cell is free */
    gp_hash_value value[GPI_CELLS];
    uint count[GPI_CELLS];
} gpi_cells;

static void gpi_cell_clear(gp_hash_table t, __local gpi_cells *cells, uint cell)
{
    cells->key[cell] = GPI_KEY_NONE;
    cells->value[cell] = t.reserved;
}

static gp_hash_key gpi_cell_key(__local const gpi_cells *cells, uint cell) { return cells->key[cell]; }
static gp_hash_value gpi_cell_value(__local const gpi_cells *cells, uint cell) { return cells->value[cell]; }

static bool gpi_cell_combine(gp_hash_table t, __local gpi_cells *cells, uint cell, gp_hash_key key,
                             gp_hash_value value, uint change)
{
    const gp_hash_key owner = gpi_local_cas(&cells->key[cell], GPI_KEY_NONE, key);
    gp_hash_value x = t.reserved;
    if (owner != GPI_KEY_NONE && owner != key) return false;
    for (;;) { /* ends: an exchange fails only because another item's succeeded */
        const gp_hash_value sum = x == t.reserved ? value : gpi_change(change, x, value);
        if (sum == t.reserved) return false;
        const gp_hash_value old = gpi_local_cas(&cells->value[cell], x, sum);
        if (old == x) return true;
        x = old;
    }
}
#endif

/* Combines the value into one of the key's cells. Returns false if the caller has to put the pair into the table directly. */
static bool gpi_cell_add(gp_hash_table t, __local gpi_cells *cells, uint home, gp_hash_key key,
                         gp_hash_value value, uint change)
{
    if (gpi_is_reserved(t, value) || key == GPI_KEY_NONE) return false;
    for (uint probe = 0; probe < GPI_CELL_PROBES; probe++) {
        const uint cell = (home + probe) % GPI_CELLS;
        if (gpi_cell_combine(t, cells, cell, key, value, change)) {
            (void)atomic_inc((volatile __local uint *)&cells->count[cell]);
            return true;
        }
    }
    return false;
}

/* Counts the outcome `what` of `count` equal keys that were put together: if one of them was inserted, the others count as
   GP_HASH_EXISTED. */
static void gpi_tally_cell(__local uint *sums, uint what, uint count)
{
    const uint came = what & (GPI_CLAIMED - 1);
    const uint others = came == GP_HASH_INSERTED ? GP_HASH_EXISTED : came;
    gpi_tally_add(sums, gpi_tally_of(what));
    if (count > 1) (void)atomic_add(sums + GPI_TALLY_CELL(others % 4), (count - 1) << 16 * (others / 4));
}

GPI_KERNEL void gp_hash_combine_keys(GPI_PUT_PARAMETERS, GPI_RUN_PARAMETERS)
{
    __local gpi_cells cells;
    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);
    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);
    for (uint c = (uint)GPI_LOCAL_ID; c < GPI_CELLS; c += GPI_WG) {
        gpi_cell_clear(t, &cells, c);
        cells.count[c] = 0;
    }
    GPI_TALLY(tally); /* after its barrier, the cells are free */
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        const gp_hash_key key = gpi_element_read(keys, i, wide);
        const uint home = gpi_hash_home(t, key);
        const gp_hash_value value = gpi_value_of(values, i, source, operand, widths);
        if (!gpi_cell_add(t, &cells, home, key, value, change))
            tally += gpi_tally_of(GPI_PUT(t, home, key, value, change));
        if (((uint)i / GPI_WG + 1) % 8 == 0) { /* before the counters overflow */
            gpi_tally_add(tally_sums, tally);
            tally = 0;
        }
    }
    gpi_tally_add(tally_sums, tally);
    gpi_sync(); /* all keys are in their cells */
    for (uint c = (uint)GPI_LOCAL_ID; c < GPI_CELLS; c += GPI_WG) {
        const gp_hash_key key = gpi_cell_key(&cells, c);
        const uint count = cells.count[c];
        if (count == 0) continue;
        const uint what = GPI_PUT(t, gpi_hash_home(t, key), key, gpi_cell_value(&cells, c), change);
        gpi_tally_cell(tally_sums, what, count);
    }
    gpi_tally_flush(tally_sums, t, facts, change, wants, counters);
}
#endif
