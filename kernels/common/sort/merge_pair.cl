/* merge_pair.cl - the two sequences of a merge, and the range of a crossing (sort/merge.cl). */
#ifndef GPI_SORT_MERGE_PAIR_CL
#define GPI_SORT_MERGE_PAIR_CL
#include "base/count.cl"
#include "element/key.cl"

/* The two sequences to merge, and the output. */
typedef struct gpi_pair {
    __global const gpi_key *a, *b;
    ulong a_count, b_count;
    gpi_key_bits flip;
#if GPI_VALUE_SIZE
    __global const gpi_value *a_value, *b_value;
    __global gpi_value *value_out;
#endif
    __global gpi_key *out;
} gpi_pair;

#define GPI_PAIR_KEYS                                                                                    \
    __global const gpi_key *a, ulong a_at, __global const gpi_key *b, ulong b_at, __global gpi_key *out, \
        ulong out_at, ulong flip
#define GPI_PAIR_SET_KEYS(pair) \
    (pair).a = a + a_at;        \
    (pair).b = b + b_at;        \
    (pair).out = out + out_at;  \
    (pair).flip = (gpi_key_bits)(flip)

#if GPI_VALUE_SIZE
#define GPI_PAIR_PARAMETERS                                                                                \
    GPI_PAIR_KEYS, __global const gpi_value *a_value, ulong a_value_at, __global const gpi_value *b_value, \
        ulong b_value_at, __global gpi_value *value_out, ulong value_out_at
#define GPI_PAIR_SET(pair)                 \
    GPI_PAIR_SET_KEYS(pair);               \
    (pair).a_value = a_value + a_value_at; \
    (pair).b_value = b_value + b_value_at; \
    (pair).value_out = value_out + value_out_at
#else
#define GPI_PAIR_PARAMETERS GPI_PAIR_KEYS
#define GPI_PAIR_SET(pair) GPI_PAIR_SET_KEYS(pair)
#endif

/* Returns whether x, a key of a, comes before y, a key of b, in the output. */
static bool gpi_is_before(gpi_key x, gpi_key y, gpi_key_bits flip)
{
    return gpi_key_order(x, flip) <= gpi_key_order(y, flip);
}

/* Return the least and the greatest possible crossing of diagonal d. */
static ulong gpi_crossing_least(gpi_pair pair, ulong d) { return d > pair.b_count ? d - pair.b_count : 0; }
static ulong gpi_crossing_most(gpi_pair pair, ulong d) { return min(d, pair.a_count); }
#endif
