/* batch.cl - batches of keys: put (insert, assign, apply), find, erase.

   Group g takes the keys [g * span, (g + 1) * span). In the serial shape GPI_BATCH keys at a time: while the
   lines of the next two batches' homes are fetched, these keys go one after another to lines that have come.
   In the local shape one key an item, neighbours next to each other.

       keys 0 ... 7     homes, fetch |              | put, find or erase
       keys 8 ... 15                 | homes, fetch |                    | put, find or erase
       keys 16 ... 23                               | homes, fetch       |                    | put ...

   What came of the keys is counted by the item, added up in the group, and then added to the table's header.

   Parameters
       GPI_SHAPE_SERIAL   1: one item a group
       GPI_BATCH          keys whose lines are fetched together: serial 8, else 1                      */
#ifndef GPI_HASH_BATCH_CL
#define GPI_HASH_BATCH_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "hash/line.cl"
#include "hash/table.cl"

#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_SHAPE_SERIAL
#define GPI_BATCH 8
#else
#define GPI_BATCH 1
#endif

#if GPI_LINE_WORDS
#define GPI_PUT gpi_line_put
#define GPI_GET gpi_line_get
#define GPI_REMOVE gpi_line_remove
#else
#define GPI_PUT gpi_hash_put
#define GPI_GET gpi_hash_get
#define GPI_REMOVE gpi_hash_remove
#endif

/* ------------------------------------------------------------------ elements of a batch */

/* Widths: which of the caller's arrays have elements of 8 bytes. */
#define GPI_WIDE_KEYS 1u
#define GPI_WIDE_VALUES 2u

GPI_INLINE gp_hash_key gpi_element_read(__global const uint *p, ulong i, bool wide)
{
#if GPI_WIDE && !GPI_HASH_PACKED
    if (wide) return ((__global const ulong *)p)[i];
#endif
    (void)wide;
    return p[i];
}

GPI_INLINE void gpi_element_write(__global uint *p, ulong i, gp_hash_key x, bool wide)
{
#if GPI_WIDE && !GPI_HASH_PACKED
    if (wide) {
        ((__global ulong *)p)[i] = x;
        return;
    }
#endif
    (void)wide;
    p[i] = (uint)x;
}

/* How a batch's kernel begins: the table, and the group's keys [begin, end) of those that are wanted. */
#define GPI_RUN_PARAMETERS ulong span, GPI_COUNT_PARAMETERS, volatile __global uint *counters
#define GPI_RUN_OPEN(is_checked)                                                                            \
    const ulong4 facts = GPI_FACTS(table);                                                                  \
    const gp_hash_table t = gpi_hash_table_of(memory, facts);                                               \
    const bool wide = (widths & GPI_WIDE_KEYS) != 0;                                                        \
    ulong begin, end;                                                                                       \
    keys += keys_at << (wide ? 1 : 0);                                                                      \
    gpi_span(gpi_hash_work(memory, facts, gpi_count(bound, wanted, wanted_offset, wanted_words), counters), \
             span, &begin, &end);                                                                           \
    GPI_COUNT_CHECK(get_group_id(0) == 0 && !(is_checked), counters)

#define GPI_STEP (GPI_WG * GPI_BATCH)

/* Keys, and where their probes begin. */
typedef struct gpi_batch {
    gp_hash_key key[GPI_BATCH];
    uint home[GPI_BATCH];
} gpi_batch;

/* The batch at hand, and those whose lines are being fetched. */
typedef struct gpi_ahead {
    gpi_batch now, next, later;
} gpi_ahead;

/* Keys [base, end), or as many as there is room for. */
GPI_INLINE void gpi_batch_read(gp_hash_table t, __global const uint *keys, ulong base, ulong end, bool wide,
                               gpi_batch *batch)
{
    if (base + GPI_BATCH <= end) { /* in vectors */
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

/* On to the batch at `base`: how many keys it has. */
GPI_INLINE uint gpi_ahead_step(gp_hash_table t, __global const uint *keys, ulong base, ulong end, bool wide,
                               gpi_ahead *ahead)
{
    ahead->now = ahead->next;
    ahead->next = ahead->later;
    gpi_batch_read(t, keys, base + 2 * GPI_STEP, end, wide, &ahead->later);
    return (uint)min((ulong)GPI_BATCH, end - base);
}

/* ------------------------------------------------------------------ counts */

#if GPI_SHAPE_SERIAL
typedef uint gpi_tally[32];
#define GPI_TALLY(name) \
    gpi_tally name;     \
    for (uint k_ = 0; k_ < 32; k_++) name[k_] = 0
#define GPI_TALLY_ADD(name, what) name[what]++

/* Claimed slots are counted with what came of their keys, 16 places further on. */
static void gpi_tally_flush(uint *tally, gp_hash_table t, ulong4 facts, uint change,
                            volatile __global uint *counters)
{
    const uint refused = tally[GP_HASH_REFUSED] + tally[GPI_CLAIMED + GP_HASH_REFUSED];
    uint claimed = 0;
    for (uint k = 1; k < GPI_CLAIMED; k++) {
        const uint x = tally[k] + tally[GPI_CLAIMED + k];
        claimed += tally[GPI_CLAIMED + k];
        if (x && k != GP_HASH_ABSENT) gpi_hash_count(t, k, x);
    }
    if (claimed) gpi_hash_count(t, GPI_COUNT_CLAIMED, claimed);
    if (refused) gpi_hash_tell_refused(facts, counters, min(change, 2u), refused);
}
#else
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
#endif

/* ------------------------------------------------------------------ put */

/* Where the values of a batch come from. */
#define GPI_SOURCE_BUFFER 0
#define GPI_SOURCE_ONE 1   /* the same for all keys */
#define GPI_SOURCE_INDEX 2 /* the key's index in the batch */

/* What else is wanted of a batch. */
#define GPI_WANTS_RESULTS 1u
#define GPI_WANTS_FAILED 2u
#define GPI_WANTS_FAILED_VALUES 4u
#define GPI_IS_JUDGED 8u   /* `judge` is a table of the index that stands for each key */
#define GPI_IS_CHECKED 16u /* an earlier launch of the call has looked whether too many keys were wanted */

/* Table, batch, and what is done with it. */
#define GPI_PUT_PARAMETERS                                                                                  \
    __global uint *memory, GPI_FACTS_PARAMETERS(table), __global const uint *keys, ulong keys_at,           \
        __global const uint *values, ulong values_at, uint source, ulong operand, uint change, uint widths, \
        uint wants

typedef struct gpi_failed {
    __global uint *keys, *values;
    volatile __global uint *count;
} gpi_failed;

/* Appends a pair that found no slot. */
static void gpi_failed_add(gpi_failed failed, gp_hash_key key, gp_hash_value value, uint wants, uint widths)
{
    const uint at = atomic_inc(failed.count);
    gpi_element_write(failed.keys, at, key, (widths & GPI_WIDE_KEYS) != 0);
    if (wants & GPI_WANTS_FAILED_VALUES)
        gpi_element_write(failed.values, at, value, (widths & GPI_WIDE_VALUES) != 0);
}

static gp_hash_value gpi_value_of(__global const uint *values, ulong i, uint source, ulong operand,
                                  uint widths)
{
    if (source == GPI_SOURCE_BUFFER) return gpi_element_read(values, i, (widths & GPI_WIDE_VALUES) != 0);
    return (gp_hash_value)(source == GPI_SOURCE_INDEX ? i : operand);
}

/* False when another of the batch's equal keys stands for this one. A key that the judging table had no room
   for stands for itself. */
static bool gpi_is_chosen(gp_hash_table judge, gp_hash_key key, ulong i)
{
    gp_hash_value chosen;
    return !GPI_GET(judge, gpi_hash_home(judge, key), key, &chosen) || chosen == (gp_hash_value)i;
}

GPI_KERNEL void gp_hash_put_keys(GPI_PUT_PARAMETERS, __global uint *judge_memory, GPI_FACTS_PARAMETERS(judge),
                                 __global uchar *results, ulong results_at, __global uint *failed_keys,
                                 ulong failed_keys_at, __global uint *failed_values, ulong failed_values_at,
                                 volatile __global uint *failed_count, ulong failed_count_at,
                                 GPI_RUN_PARAMETERS)
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
    gpi_ahead_open(t, keys, begin + get_local_id(0), end, wide, &ahead);
    for (ulong base = begin + get_local_id(0); base < end; base += GPI_STEP) {
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
    gpi_tally_flush(tally, t, facts, change, counters);
}

/* ------------------------------------------------------------------ find, erase */

#define GPI_WANTS_VALUES 1u
#define GPI_WANTS_FOUND 2u

GPI_KERNEL void gp_hash_find_keys(__global uint *memory, GPI_FACTS_PARAMETERS(table),
                                  __global const uint *keys, ulong keys_at, __global uint *values,
                                  ulong values_at, __global uchar *found, ulong found_at, ulong absent,
                                  uint widths, uint wants, GPI_RUN_PARAMETERS)
{
    gpi_ahead ahead;
    GPI_RUN_OPEN(false);
    values += values_at << (widths & GPI_WIDE_VALUES ? 1 : 0);
    gpi_ahead_open(t, keys, begin + get_local_id(0), end, wide, &ahead);
    for (ulong base = begin + get_local_id(0); base < end; base += GPI_STEP) {
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

GPI_KERNEL void gp_hash_erase_keys(__global uint *memory, GPI_FACTS_PARAMETERS(table),
                                   __global const uint *keys, ulong keys_at, __global uchar *results,
                                   ulong results_at, uint widths, uint wants, GPI_RUN_PARAMETERS)
{
    gpi_ahead ahead;
    GPI_RUN_OPEN((wants & GPI_IS_CHECKED) != 0);
    GPI_TALLY(tally);
    gpi_ahead_open(t, keys, begin + get_local_id(0), end, wide, &ahead);
    for (ulong base = begin + get_local_id(0); base < end; base += GPI_STEP) {
        const uint n = gpi_ahead_step(t, keys, base, end, wide, &ahead);
        for (uint k = 0; k < n; k++) {
            const uint what = GPI_REMOVE(t, ahead.now.home[k], ahead.now.key[k]);
            GPI_TALLY_ADD(tally, what);
            if (wants & GPI_WANTS_RESULTS) results[results_at + base + k] = (uchar)what;
        }
    }
    gpi_tally_flush(tally, t, facts, 0, counters); /* nothing is refused */
}
#endif
