/* count_digits.cl - a group counts digits in local memory.

   Parameters
       GPI_WG   items of a group */
#ifndef GPI_SORT_COUNT_DIGITS_CL
#define GPI_SORT_COUNT_DIGITS_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/digit.cl"

/* GPI_NEAR is the kind of memory in which a group counts. GPI_NEAR_INC increments a counter in it. */
#define GPI_NEAR __local
#define GPI_NEAR_INC(p) (void)atomic_inc(p)

/* Copies of each counter. With a single copy, neighbouring items would wait for one another if keys are sorted or equal. */
#define GPI_COUNT_COPIES (GPI_KEY_SIZE < 8 ? 4 : 2)

typedef struct gpi_rank_memory {
    uint count[GPI_BINS];
    uint word;
} gpi_rank_memory;
typedef __local gpi_rank_memory *gpi_rank_shared;

/* Counts the digits of keys [begin, end) in shared->count. */
static void gpi_count_range(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,
                            gpi_rank_shared shared)
{
    GPI_EACH_BIN(d) shared->count[d] = 0;
    gpi_sync(); /* the counters are zero */
    for (ulong i = begin + get_local_id(0); i < end; i += GPI_WG)
        (void)atomic_inc(&shared->count[gpi_digit_of(key[i], digit)]);
    gpi_sync(); /* all keys are counted */
}

/* Counts the digits of keys [begin, end) in `row`. Returns 0, because only the CPU wing finds out whether keys are in order. */
GPI_INLINE uint gpi_count_block(__global const gpi_key *key, ulong begin, ulong end, gpi_digit digit,
                                gpi_digit_bits window, __global ulong *row, gpi_rank_shared shared)
{
    (void)window;
    gpi_count_range(key, begin, end, digit, shared);
    GPI_EACH_BIN(d) row[d] = shared->count[d];
    return 0;
}
#endif
