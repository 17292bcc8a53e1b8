/* combine.cl - insert_or_apply in which a group combines its own equal keys before it changes the table. It does so in
   cells, the entries of a small table in private memory. With few different keys, most of the work stays in the group.

       group's keys    a b a a c b ...
       cells           | a: v0 op v2 op v3, 3 keys | b: v1 op v5, 2 | c: v4, 1 | ...
       table           a <- a op (v0 op v2 op v3), ...

   A key may be in one of GPI_CELL_PROBES consecutive cells. The first of these, the key's own cell, is the key's whole hash
   modulo GPI_CELLS, regardless of the table's size. If other keys are in all of these cells, the pair in the first one is put
   into the table, and the new pair replaces it. If too many keys (GPI_TRIAL, plus a quarter of all keys read) have found no cell
   with their key, the remaining keys are put into the table directly.

   When a cell is put into the table, all of its keys have the same outcome, except that only one of them can have been
   inserted. A cell never contains a sum that is the reserved value.

   Parameters
       GPI_CELLS         cells of a group; a power of two: they fit into the first two caches
       GPI_CELL_PROBES   cells that a key may use */
#ifndef GPI_HASH_COMBINE_CL
#define GPI_HASH_COMBINE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "hash/batch.cl"
#include "hash/batch_keys.cl"
#include "hash/table.cl"

#ifndef GPI_CELLS
#define GPI_CELLS 4096
#endif
#ifndef GPI_CELL_PROBES
#define GPI_CELL_PROBES 4
#endif
#if GPI_CELLS < 1 || (GPI_CELLS & (GPI_CELLS - 1))
#error "GPI_CELLS must be a power of two"
#endif

#define GPI_TRIAL 512       /* this many keys may find no cell with their key before combining can stop */
#define GPI_COMBINE_STEP 16 /* keys that are hashed together */
#define GPI_CELLS_AHEAD 32  /* distance, in cells, of the prefetches when the cells are put into the table */

typedef struct gpi_cells {
    gp_hash_key key[GPI_CELLS];
    gp_hash_value value[GPI_CELLS];
    uint count[GPI_CELLS]; /* 0: the cell is free */
} gpi_cells;

/* Counts the outcome `what` of `count` equal keys that were put together: if one of them was inserted, the others count as
   GP_HASH_EXISTED. */
static void gpi_tally_cell(uint *tally, uint what, uint count)
{
    tally[what]++;
    tally[(what & (GPI_CLAIMED - 1)) == GP_HASH_INSERTED ? GP_HASH_EXISTED : what & (GPI_CLAIMED - 1)] +=
        count - 1;
}

/* Puts the key and the sum of a cell in use into the table, and frees the cell. Not inlined, because it is long and rarely
   called. */
GPI_NOINLINE void gpi_cell_flush(gp_hash_table t, gpi_cells *cells, uint cell, uint change, uint *tally)
{
    const gp_hash_key key = cells->key[cell];
    gpi_tally_cell(tally, GPI_PUT(t, gpi_hash_home(t, key), key, cells->value[cell], change),
                   cells->count[cell]);
    cells->count[cell] = 0;
}

/* Returns the first of the key's cells that has the key or is free. If there is none, returns the key's own cell. */
GPI_INLINE uint gpi_cell_find(const gpi_cells *cells, uint hash, gp_hash_key key)
{
    for (uint probe = 0; probe < GPI_CELL_PROBES; probe++) {
        const uint cell = (hash + probe) % GPI_CELLS;
        if (cells->count[cell] == 0 || cells->key[cell] == key) return cell;
    }
    return hash % GPI_CELLS;
}

/* Combines a pair with the pair of its key in a cell, and returns true. If no cell has the key, or if the sum would be the
   reserved value, stores the pair in a cell, whose previous pair is put into the table, and returns false. Also returns false if
   the value is the reserved value, which is refused. */
GPI_INLINE bool gpi_cell_add(gp_hash_table t, gpi_cells *cells, uint hash, gp_hash_key key,
                             gp_hash_value value, uint change, uint *tally)
{
    const uint cell = gpi_cell_find(cells, hash, key);
    if (gpi_is_reserved(t, value)) {
        tally[GP_HASH_REFUSED]++;
        return false;
    }
    if (cells->count[cell] && cells->key[cell] == key) {
        const gp_hash_value sum = gpi_change(change, cells->value[cell], value);
        if (!gpi_is_reserved(t, sum)) {
            cells->value[cell] = sum;
            cells->count[cell]++;
            return true;
        }
    }
    if (cells->count[cell]) gpi_cell_flush(t, cells, cell, change, tally);
    cells->key[cell] = key;
    cells->value[cell] = value;
    cells->count[cell] = 1;
    return false;
}

/* Combines keys from `begin` on, GPI_COMBINE_STEP at a time, as long as enough of them find a cell with their key. Returns
   the index of the first key that remains. */
GPI_INLINE ulong gpi_cells_fill(gp_hash_table t, gpi_cells *cells, __global const uint *keys, ulong begin,
                                ulong end, bool wide, __global const uint *values, uint source, ulong operand,
                                uint widths, uint change, uint *tally)
{
    ulong base = begin, others = 0;
    for (; base + GPI_COMBINE_STEP <= end && others <= (base - begin) / 4 + GPI_TRIAL;
         base += GPI_COMBINE_STEP) {
        gp_hash_key key[GPI_COMBINE_STEP];
        gp_hash_value value[GPI_COMBINE_STEP];
        uint hash[GPI_COMBINE_STEP];
        for (uint k = 0; k < GPI_COMBINE_STEP; k++) key[k] = gpi_element_read(keys, base + k, wide);
        for (uint k = 0; k < GPI_COMBINE_STEP; k++) hash[k] = gpi_hash_of(t, key[k]);
        for (uint k = 0; k < GPI_COMBINE_STEP; k++)
            value[k] = gpi_value_of(values, base + k, source, operand, widths);
        for (uint k = 0; k < GPI_COMBINE_STEP; k++)
            others += !gpi_cell_add(t, cells, hash[k], key[k], value[k], change, tally);
    }
    return base;
}

static void gpi_cells_flush(gp_hash_table t, gpi_cells *cells, uint change, uint *tally)
{
    for (uint c = 0; c < GPI_CELLS; c++) {
        const uint next = (c + GPI_CELLS_AHEAD) % GPI_CELLS;
        if (cells->count[next]) GPI_PREFETCH_READ(gpi_slot(t, gpi_hash_home(t, cells->key[next])));
        if (cells->count[c]) gpi_cell_flush(t, cells, c, change, tally);
    }
}

GPI_KERNEL void gp_hash_combine_keys(GPI_PUT_PARAMETERS, GPI_RUN_PARAMETERS)
{
    gpi_cells cells;
    gpi_ahead ahead;
    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);
    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);
    GPI_TALLY(tally);
    for (uint c = 0; c < GPI_CELLS; c++) cells.count[c] = 0;
    begin = gpi_cells_fill(t, &cells, keys, begin, end, wide, values, source, operand, widths, change, tally);
    gpi_ahead_open(t, keys, begin, end, wide, &ahead);
    for (ulong base = begin; base < end; base += GPI_STEP) {
        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);
        for (uint k = 0; k < n; k++) {
            const gp_hash_value value = gpi_value_of(values, base + k, source, operand, widths);
            GPI_TALLY_ADD(tally, GPI_PUT(t, ahead.now.home[k], ahead.now.key[k], value, change));
        }
    }
    gpi_cells_flush(t, &cells, change, tally);
    gpi_tally_flush(tally, t, facts, change, wants, counters);
}
#endif
