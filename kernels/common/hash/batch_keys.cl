/* batch_keys.cl - shared by the kernels on batches of both wings: their parameters and first steps, and functions that
   read and write keys and values. */
#ifndef GPI_HASH_BATCH_KEYS_CL
#define GPI_HASH_BATCH_KEYS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "hash/line.cl"
#include "hash/table.cl"

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

/* The parameters and first steps of a kernel whose groups each handle `span` keys of a batch. GPI_RUN_OPEN defines the
   table t, its `facts`, `wide` (whether keys have eight bytes) and the group's keys [begin, end), and advances `keys`
   to the batch's first key. Unless `is_checked`, it also calls GPI_COUNT_CHECK, which counts calls that wanted more
   keys than their bound. */
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

/* ------------------------------------------------------------------ put */

/* Parameters of all kernels that put: the table, the batch, and how values change. */
#define GPI_PUT_PARAMETERS                                                                                  \
    __global uint *memory, GPI_FACTS_PARAMETERS(table), __global const uint *keys, ulong keys_at,           \
        __global const uint *values, ulong values_at, uint source, ulong operand, uint change, uint widths, \
        uint wants

/* Parameters of gp_hash_put_keys. */
#define GPI_PUT_KEYS_PARAMETERS                                                                            \
    GPI_PUT_PARAMETERS, __global uint *judge_memory, GPI_FACTS_PARAMETERS(judge), __global uchar *results, \
        ulong results_at, __global uint *failed_keys, ulong failed_keys_at, __global uint *failed_values,  \
        ulong failed_values_at, volatile __global uint *failed_count, ulong failed_count_at,               \
        GPI_RUN_PARAMETERS

static gp_hash_value gpi_value_of(__global const uint *values, ulong i, uint source, ulong operand,
                                  uint widths)
{
    if (source == GPI_SOURCE_BUFFER) return gpi_element_read(values, i, (widths & GPI_WIDE_VALUES) != 0);
    return (gp_hash_value)(source == GPI_SOURCE_INDEX ? i : operand);
}

/* Returns whether to put key i of the batch: false if the table `judge` has chosen another element of the batch with the same
   key. A key that is not in `judge`, because it found no slot there, is put. */
static bool gpi_is_chosen(gp_hash_table judge, gp_hash_key key, ulong i)
{
    gp_hash_value chosen;
    return !GPI_GET(judge, gpi_hash_home(judge, key), key, &chosen) || chosen == (gp_hash_value)i;
}

/* ------------------------------------------------------------------ find, erase */

#define GPI_FIND_KEYS_PARAMETERS                                                                     \
    __global uint *memory, GPI_FACTS_PARAMETERS(table), __global const uint *keys, ulong keys_at,    \
        __global uint *values, ulong values_at, __global uchar *found, ulong found_at, ulong absent, \
        uint widths, uint wants, GPI_RUN_PARAMETERS
#define GPI_ERASE_KEYS_PARAMETERS                                                                 \
    __global uint *memory, GPI_FACTS_PARAMETERS(table), __global const uint *keys, ulong keys_at, \
        __global uchar *results, ulong results_at, uint widths, uint wants, GPI_RUN_PARAMETERS
#endif
