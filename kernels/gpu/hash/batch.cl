/* batch.cl - a group puts, finds or erases a range of keys. An item handles one key at a time, and neighbouring items handle
   neighbouring keys. */
#ifndef GPI_HASH_BATCH_CL
#define GPI_HASH_BATCH_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "hash/batch_keys.cl"
#include "hash/table.cl"

/* ------------------------------------------------------------------ counts */

/* Counts an item's keys by outcome: eight counters of four bits, in the order of the table's counts. Counter 0 counts claimed
   slots. No counter overflows, because src/hash/batch.c gives an item few enough keys. */
typedef uint gpi_tally;

/* Counts a group's keys by outcome: word k has the counts of outcomes k and k + 4. There are several columns of such words, so
   that neighbouring items seldom add to the same word at once. */
#define GPI_TALLY_COLUMNS 8u
#define GPI_TALLY_WORDS (4u * GPI_TALLY_COLUMNS)
#define GPI_TALLY_CELL(word) ((word)*GPI_TALLY_COLUMNS + (uint)get_local_id(0) % GPI_TALLY_COLUMNS)

#define GPI_TALLY(name)                                                                            \
    gpi_tally name = 0;                                                                            \
    __local uint name##_sums[GPI_TALLY_WORDS] __attribute__((aligned(16)));                        \
    for (uint k_ = (uint)get_local_id(0); k_ < GPI_TALLY_WORDS; k_ += GPI_WG) name##_sums[k_] = 0; \
    gpi_sync() /* the sums are zero */

static gpi_tally gpi_tally_of(uint what) { return (1u << 4 * (what & 7u)) + what / GPI_CLAIMED; }

static void gpi_tally_add(__local uint *sums, gpi_tally tally)
{
    GPI_EACH(word, 4) {
        const uint two = tally >> 4 * word & 0x000f000fu;
        if (two) (void)atomic_add(sums + GPI_TALLY_CELL(word), two);
    }
}

static void gpi_tally_flush(__local const uint *sums, gp_hash_table t, ulong4 facts, uint change, uint wants,
                            volatile __global uint *counters)
{
    gpi_sync(); /* all items have added their counts */
    for (uint k = (uint)get_local_id(0); k < 8; k += GPI_WG) {
        /* aligned vectors, because vload8 occupies private memory on Intel's GPUs (docs/drivers.md) */
        __local const uint4 *columns = (__local const uint4 *)sums + 2 * (k % 4);
        const uint4 four = columns[0] + columns[1];
        const uint x = (four.x + four.y + four.z + four.w) >> 16 * (k / 4) & 0xffffu;
        if (x && k != GP_HASH_ABSENT) gpi_hash_count(t, k, x);
        if (x && k == GP_HASH_REFUSED) gpi_hash_tell_refused(facts, counters, min(change, 2u), x);
        if (x && k == GP_HASH_FAILED && (wants & GPI_TELLS_FULL))
            (void)atomic_add(counters + GPI_COUNT_FULL, x);
    }
}

/* ------------------------------------------------------------------ put */

/* Puts the keys of a batch. The offsets of rarely written arrays are added at each use, because their sums would occupy registers
   throughout the loop. */
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
        tally += gpi_tally_of(what);
        what &= GPI_CLAIMED - 1;
        if (wants & GPI_WANTS_RESULTS) results[results_at + i] = (uchar)what;
        if ((wants & GPI_WANTS_FAILED) && what == GP_HASH_FAILED) {
            const uint at = atomic_inc(failed_count + failed_count_at);
            gpi_element_write(failed_keys, failed_keys_at + at, key, wide);
            if (wants & GPI_WANTS_FAILED_VALUES)
                gpi_element_write(failed_values, failed_values_at + at, value, wide_values);
        }
    }
    gpi_tally_add(tally_sums, tally);
    gpi_tally_flush(tally_sums, t, facts, change, wants, counters);
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
        tally += gpi_tally_of(what);
        if (wants & GPI_WANTS_RESULTS) results[results_at + i] = (uchar)what;
    }
    gpi_tally_add(tally_sums, tally);
    gpi_tally_flush(tally_sums, t, facts, 0, wants, counters); /* no key is refused */
}
#endif
