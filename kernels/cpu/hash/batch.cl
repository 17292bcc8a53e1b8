/* batch.cl - one item puts, finds or erases a range of keys.

   It handles the keys in batches of GPI_BATCH. While it puts, finds or erases the keys of one batch one after the other, the
   cache lines of the next two batches' homes are prefetched.

       keys 0 ... 7     homes, fetch |              | put, find or erase
       keys 8 ... 15                 | homes, fetch |                    | put, find or erase
       keys 16 ... 23                               | homes, fetch       |                    | put ...          */
#ifndef GPI_HASH_BATCH_CL
#define GPI_HASH_BATCH_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "hash/batch_keys.cl"
#include "hash/table.cl"

#define GPI_BATCH 8 /* keys whose lines are fetched together */
#define GPI_STEP (GPI_WG * GPI_BATCH)

/* Keys, and the slots where their probes begin. */
typedef struct gpi_batch {
    gp_hash_key key[GPI_BATCH];
    uint home[GPI_BATCH];
} gpi_batch;

/* The batch that is handled now, and the next two, whose lines are being prefetched. */
typedef struct gpi_ahead {
    gpi_batch now, next, later;
} gpi_ahead;

/* Reads the next GPI_BATCH keys of [base, end), or fewer at the end, computes their homes, and prefetches these. */
GPI_INLINE void gpi_batch_read(gp_hash_table t, __global const uint *keys, ulong base, ulong end, bool wide,
                               gpi_batch *batch)
{
    if (base + GPI_BATCH <= end) { /* reads a whole batch in vectors */
        for (uint k = 0; k < GPI_BATCH; k++) batch->key[k] = gpi_element_read(keys, base + k, wide);
        for (uint k = 0; k < GPI_BATCH; k++) batch->home[k] = gpi_hash_home(t, batch->key[k]);
    } else {
        for (uint k = 0; base + k < end; k++) {
            batch->key[k] = gpi_element_read(keys, base + k, wide);
            batch->home[k] = gpi_hash_home(t, batch->key[k]);
        }
    }
    for (uint k = 0; k < GPI_BATCH && base + k < end; k++) GPI_PREFETCH_READ(gpi_slot(t, batch->home[k]));
}

GPI_INLINE void gpi_ahead_open(gp_hash_table t, __global const uint *keys, ulong base, ulong end, bool wide,
                               gpi_ahead *ahead)
{
    gpi_batch_read(t, keys, base, end, wide, &ahead->next);
    gpi_batch_read(t, keys, base + GPI_STEP, end, wide, &ahead->later);
}

/* Makes the batch at `base` the current batch, prefetches the batch after the next, and returns the number of keys in
   the current batch. */
GPI_INLINE uint gpi_ahead_step(gp_hash_table t, __global const uint *keys, ulong base, ulong end, bool wide,
                               gpi_ahead *ahead)
{
    ahead->now = ahead->next;
    ahead->next = ahead->later;
    gpi_batch_read(t, keys, base + 2 * GPI_STEP, end, wide, &ahead->later);
    return (uint)min((ulong)GPI_BATCH, end - base);
}

/* ------------------------------------------------------------------ counts */

typedef uint gpi_tally[32];
#define GPI_TALLY(name) \
    gpi_tally name;     \
    for (uint k_ = 0; k_ < 32; k_++) name[k_] = 0
#define GPI_TALLY_ADD(name, what) name[what]++

/* Adds an item's counts to the table's counts, and its counts of errors to the context's counters. tally[k] counts the keys with
   outcome k that claimed no slot, and tally[GPI_CLAIMED + k] those that claimed one. */
static void gpi_tally_flush(uint *tally, gp_hash_table t, ulong4 facts, uint change, uint wants,
                            volatile __global uint *counters)
{
    const uint refused = tally[GP_HASH_REFUSED] + tally[GPI_CLAIMED + GP_HASH_REFUSED];
    const uint failed = tally[GP_HASH_FAILED] + tally[GPI_CLAIMED + GP_HASH_FAILED];
    uint claimed = 0;
    for (uint k = 1; k < GPI_CLAIMED; k++) {
        const uint x = tally[k] + tally[GPI_CLAIMED + k];
        claimed += tally[GPI_CLAIMED + k];
        if (x && k != GP_HASH_ABSENT) gpi_hash_count(t, k, x);
    }
    if (claimed) gpi_hash_count(t, GPI_COUNT_CLAIMED, claimed);
    if (refused) gpi_hash_tell_refused(facts, counters, min(change, 2u), refused);
    if (failed && (wants & GPI_TELLS_FULL)) (void)atomic_add(counters + GPI_COUNT_FULL, failed);
}

/* ------------------------------------------------------------------ put */

typedef struct gpi_failed {
    __global uint *keys, *values;
    volatile __global uint *count;
} gpi_failed;

/* Appends a pair, for which no slot was found, to the output of failed pairs. */
static void gpi_failed_add(gpi_failed failed, gp_hash_key key, gp_hash_value value, uint wants, uint widths)
{
    const uint at = atomic_inc(failed.count);
    gpi_element_write(failed.keys, at, key, (widths & GPI_WIDE_KEYS) != 0);
    if (wants & GPI_WANTS_FAILED_VALUES)
        gpi_element_write(failed.values, at, value, (widths & GPI_WIDE_VALUES) != 0);
}

GPI_KERNEL void gp_hash_put_keys(GPI_PUT_KEYS_PARAMETERS)
{
    const gp_hash_table judge = gpi_hash_table_of(judge_memory, GPI_FACTS(judge));
    gpi_ahead ahead;
    gpi_failed failed;
    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);
    failed.keys = failed_keys + (failed_keys_at << (wide ? 1 : 0));
    failed.values = failed_values + (failed_values_at << (widths & GPI_WIDE_VALUES ? 1 : 0));
    failed.count = failed_count + failed_count_at;
    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);
    GPI_TALLY(tally);
    gpi_ahead_open(t, keys, begin + GPI_LOCAL_ID, end, wide, &ahead);
    for (ulong base = begin + GPI_LOCAL_ID; base < end; base += GPI_STEP) {
        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);
        for (uint k = 0; k < n; k++) {
            const gp_hash_value value = gpi_value_of(values, base + k, source, operand, widths);
            uint what = GP_HASH_SUPERSEDED;
            if (!(wants & GPI_IS_JUDGED) || gpi_is_chosen(judge, ahead.now.key[k], base + k))
                what = GPI_PUT(t, ahead.now.home[k], ahead.now.key[k], value, change);
            GPI_TALLY_ADD(tally, what);
            if (wants & GPI_WANTS_RESULTS) results[results_at + base + k] = (uchar)(what & (GPI_CLAIMED - 1));
            if ((wants & GPI_WANTS_FAILED) && (what & (GPI_CLAIMED - 1)) == GP_HASH_FAILED)
                gpi_failed_add(failed, ahead.now.key[k], value, wants, widths);
        }
    }
    gpi_tally_flush(tally, t, facts, change, wants, counters);
}

/* ------------------------------------------------------------------ find, erase */

GPI_KERNEL void gp_hash_find_keys(GPI_FIND_KEYS_PARAMETERS)
{
    gpi_ahead ahead;
    GPI_RUN_OPEN(false);
    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);
    gpi_ahead_open(t, keys, begin + GPI_LOCAL_ID, end, wide, &ahead);
    for (ulong base = begin + GPI_LOCAL_ID; base < end; base += GPI_STEP) {
        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);
        for (uint k = 0; k < n; k++) {
            gp_hash_value value;
            const bool is = GPI_GET(t, ahead.now.home[k], ahead.now.key[k], &value);
            if (!is) value = (gp_hash_value)absent;
            if (wants & GPI_WANTS_VALUES)
                gpi_element_write(values, base + k, value, (widths & GPI_WIDE_VALUES) != 0);
            if (wants & GPI_WANTS_FOUND) found[found_at + base + k] = is;
        }
    }
}

GPI_KERNEL void gp_hash_erase_keys(GPI_ERASE_KEYS_PARAMETERS)
{
    gpi_ahead ahead;
    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);
    GPI_TALLY(tally);
    gpi_ahead_open(t, keys, begin + GPI_LOCAL_ID, end, wide, &ahead);
    for (ulong base = begin + GPI_LOCAL_ID; base < end; base += GPI_STEP) {
        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);
        for (uint k = 0; k < n; k++) {
            const uint what = GPI_REMOVE(t, ahead.now.home[k], ahead.now.key[k]);
            GPI_TALLY_ADD(tally, what);
            if (wants & GPI_WANTS_RESULTS) results[results_at + base + k] = (uchar)what;
        }
    }
    gpi_tally_flush(tally, t, facts, 0, wants, counters); /* change 0: no key is refused */
}
#endif
