/* batch_local.cl - batches of keys in the local shape: one key an item at a time, neighbours next to each other. */
#ifndef GPI_HASH_BATCH_LOCAL_CL
#define GPI_HASH_BATCH_LOCAL_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "hash/batch_keys.cl"
#include "hash/table.cl"

/* ------------------------------------------------------------------ counts */

#define GPI_TALLY(name)                                                \
    __local uint name[8];                                              \
    if (get_local_id(0) < 8 && GPI_WG >= 8) name[get_local_id(0)] = 0; \
    if (get_local_id(0) == 0 && GPI_WG < 8) {                          \
        for (uint k_ = 0; k_ < 8; k_++) name[k_] = 0;                  \
    }                                                                  \
    gpi_sync() /* the counts are zero */
#define GPI_TALLY_ADD(name, what) gpi_tally_add(name, what)

static void gpi_tally_add(__local uint *tally, uint what)
{
    if (what & GPI_CLAIMED) (void)atomic_inc(tally);
    (void)atomic_inc(tally + (what & 7u));
}

static void gpi_tally_flush(__local uint *tally, gp_hash_table t, ulong4 facts, uint change,
                            volatile __global uint *counters)
{
    gpi_sync(); /* all items have counted */
    for (uint k = (uint)get_local_id(0); k < 8; k += GPI_WG) {
        if (tally[k] && k != GP_HASH_ABSENT) gpi_hash_count(t, k, tally[k]);
        if (tally[k] && k == GP_HASH_REFUSED)
            gpi_hash_tell_refused(facts, counters, min(change, 2u), tally[k]);
    }
}

/* ------------------------------------------------------------------ put */

/* What is seldom written gets its offset where it is written: kept through the loop it would cost registers. */
GPI_KERNEL void gp_hash_put_keys(GPI_PUT_KEYS_PARAMETERS)
{
    const gp_hash_table judge = gpi_hash_table_of(judge_memory, GPI_FACTS(judge));
    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);
    const bool wide_values = (widths & GPI_WIDE_VALUES) != 0;
    GPI_TALLY(tally);
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {
        const gp_hash_key key = gpi_element_read(keys, i, wide);
        const gp_hash_value value = source == GPI_SOURCE_BUFFER
                                        ? gpi_element_read(values, values_at + i, wide_values)
                                        : (gp_hash_value)(source == GPI_SOURCE_INDEX ? i : operand);
        uint what = GP_HASH_SUPERSEDED;
        if (!(wants & GPI_IS_JUDGED) || gpi_is_chosen(judge, key, i))
            what = GPI_PUT(t, gpi_hash_home(t, key), key, value, change);
        GPI_TALLY_ADD(tally, what);
        what &= GPI_CLAIMED - 1;
        if (wants & GPI_WANTS_RESULTS) results[results_at + i] = (uchar)what;
        if ((wants & GPI_WANTS_FAILED) && what == GP_HASH_FAILED) {
            const uint at = atomic_inc(failed_count + failed_count_at);
            gpi_element_write(failed_keys, failed_keys_at + at, key, wide);
            if (wants & GPI_WANTS_FAILED_VALUES)
                gpi_element_write(failed_values, failed_values_at + at, value, wide_values);
        }
    }
    gpi_tally_flush(tally, t, facts, change, counters);
}

/* ------------------------------------------------------------------ find, erase */

GPI_KERNEL void gp_hash_find_keys(GPI_FIND_KEYS_PARAMETERS)
{
    GPI_RUN_OPEN(false);
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {
        const gp_hash_key key = gpi_element_read(keys, i, wide);
        gp_hash_value value;
        const bool is = GPI_GET(t, gpi_hash_home(t, key), key, &value);
        if (!is) value = (gp_hash_value)absent;
        if (wants & GPI_WANTS_VALUES)
            gpi_element_write(values, values_at + i, value, (widths & GPI_WIDE_VALUES) != 0);
        if (wants & GPI_WANTS_FOUND) found[found_at + i] = is;
    }
}

GPI_KERNEL void gp_hash_erase_keys(GPI_ERASE_KEYS_PARAMETERS)
{
    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);
    GPI_TALLY(tally);
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG) {
        const gp_hash_key key = gpi_element_read(keys, i, wide);
        const uint what = GPI_REMOVE(t, gpi_hash_home(t, key), key);
        GPI_TALLY_ADD(tally, what);
        if (wants & GPI_WANTS_RESULTS) results[results_at + i] = (uchar)what;
    }
    gpi_tally_flush(tally, t, facts, 0, counters); /* nothing is refused */
}
#endif
