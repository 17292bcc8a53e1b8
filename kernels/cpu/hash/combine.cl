/* combine.cl - insert_or_apply, in which a group combines equal keys of its own before it goes to the
   table: with few different keys, most of the work stays in the group.

       group's keys    a b a a c b ...
       cells           | a: v0 op v2 op v3, 3 keys | b: v1 op v5, 2 | c: v4, 1 | ...
       table           a <- a op (v0 op v2 op v3), ...

   A key looks at GPI_CELL_PROBES cells, from its own on.

   A key's own cell is its whole hash modulo GPI_CELLS, however small the table is. A key that finds other
   keys in all of its cells sends the one in its own cell to the table and takes its place. Once more than
   GPI_TRIAL plus a quarter of the keys so far had no cell yet, the rest go straight to the table.

   All keys of a combined cell have the cell's result, but only one of them can have been inserted. A sum that is
   the reserved value never stands in a cell.

   Parameters
       GPI_CELLS         of a group; a power of two: they fit into the first two caches
       GPI_CELL_PROBES   cells that a key looks at */
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

#define GPI_TRIAL 512       /* keys without a cell that are allowed in any case */
#define GPI_COMBINE_STEP 16 /* keys that are hashed together */
#define GPI_CELLS_AHEAD 32  /* at the end: how many cells ahead slots of the table are fetched */

typedef struct gpi_cells {
    gp_hash_key key[GPI_CELLS];
    gp_hash_value value[GPI_CELLS];
    uint count[GPI_CELLS]; /* 0: the cell is free */
} gpi_cells;

/* What came of `count` keys that went as one. */
static void gpi_tally_cell(uint *tally, uint what, uint count)
{
    tally[what]++;
    tally[(what & (GPI_CLAIMED - 1)) == GP_HASH_INSERTED ? GP_HASH_EXISTED : what & (GPI_CLAIMED - 1)] +=
        count - 1;
}

/* Sends the sum of a cell in use to the table. Not inlined: it is long, and rarely called. */
GPI_NOINLINE void gpi_cell_flush(gp_hash_table t, gpi_cells *cells, uint cell, uint change, uint *tally)
{
    const gp_hash_key key = cells->key[cell];
    gpi_tally_cell(tally, GPI_PUT(t, gpi_hash_home(t, key), key, cells->value[cell], change),
                   cells->count[cell]);
    cells->count[cell] = 0;
}

/* The cell that has the key; else a free one; else the key's own, in which another key is. */
GPI_INLINE uint gpi_cell_find(const gpi_cells *cells, uint hash, gp_hash_key key)
{
    for (uint probe = 0; probe < GPI_CELL_PROBES; probe++) {
        const uint cell = (hash + probe) % GPI_CELLS;
        if (cells->count[cell] == 0 || cells->key[cell] == key) return cell;
    }
    return hash % GPI_CELLS;
}

/* True when the key was in its cell already. */
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

/* Combines keys from `begin` on, in steps of GPI_COMBINE_STEP, as long as that pays. Returns where the rest begins. */
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
