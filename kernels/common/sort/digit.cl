/* digit.cl - the digits of keys, and the types and the state that the kernels of a sort share.

       digit(key) = order(key) >> shift & mask        order and `flip`: element/key.cl

   Keys are moved unchanged: order(key) is only computed for its digits.

   Keys, and values with them, are in one of three places: the input, the output, or a second buffer. The device
   decides which place a pass reads and which one it writes, so that it can leave out a pass in which all keys have the
   same digit: pass p reads place `from(p)` and writes place `from(p + 1)`, and does nothing if the two are equal.

   State buffer, in uints; the host computes where the parts begin:

       | count lo, hi | abandoned | buckets | from(0) ... from(8) | from, to of buckets | trivial or order |
       | ticket, tail of each launch |
       | histogram: pass, digit: lo, hi | bases: launch, digit: ulong | table: block, digit: ulong | bins | rows | */
#ifndef GPI_SORT_DIGIT_CL
#define GPI_SORT_DIGIT_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/constants.cl"

#define GPI_BINS (1 << GPI_SORT_DIGIT_BITS)

/* Loops over this item's digits d. */
#define GPI_EACH_BIN(d) for (uint d = (uint)GPI_LOCAL_ID; d < GPI_BINS; d += GPI_WG)

/* ------------------------------------------------------------------ digits */

/* The digit that a pass sorts by. */
typedef struct gpi_digit {
    gpi_key_bits flip;
    uint shift, mask;
} gpi_digit;

#define GPI_DIGIT_PARAMETERS ulong flip, uint shift, uint mask
#define GPI_DIGIT_SET(digit)             \
    (digit).flip = (gpi_key_bits)(flip); \
    (digit).shift = shift;               \
    (digit).mask = mask

static uint gpi_digit_of(gpi_key key, gpi_digit digit)
{
#if GPI_KEY_HASH
    return (uint)(gpi_key_order(key, digit.flip) >> digit.shift) & digit.mask;
#else
    return ((uint)(gpi_key_order(key, 0) >> digit.shift) ^ (uint)(digit.flip >> digit.shift)) & digit.mask;
#endif
}

/* Returns the digit of pass p over the window [begin, end). The last pass may have fewer bits. */
static gpi_digit gpi_digit_at(uint p, ulong flip, uint begin, uint end)
{
    gpi_digit digit;
    digit.flip = (gpi_key_bits)flip;
    digit.shift = begin + GPI_SORT_DIGIT_BITS * p;
    digit.mask = (1u << min((uint)GPI_SORT_DIGIT_BITS, end - digit.shift)) - 1;
    return digit;
}

/* The window that a whole sort sorts by: bits [begin, end), in passes of GPI_SORT_DIGIT_BITS. */
typedef struct gpi_digit_bits {
    ulong flip;
    uint begin, end, passes;
} gpi_digit_bits;

#define GPI_BITS_PARAMETERS ulong flip, uint begin_bit, uint end_bit, uint passes
#define GPI_BITS_SET(bits)    \
    (bits).flip = flip;       \
    (bits).begin = begin_bit; \
    (bits).end = end_bit;     \
    (bits).passes = passes

/* Returns the window's bits of order(key): the digits of all passes as one number. */
static gpi_key_bits gpi_window_of(gpi_key key, gpi_digit_bits bits)
{
    const uint width = 8 * sizeof(gpi_key_bits), window = bits.end - bits.begin;
    const gpi_key_bits mask = window ? ~(gpi_key_bits)0 >> (width - window) : 0;
    return gpi_key_order(key, (gpi_key_bits)bits.flip) >> bits.begin & mask;
}

static gpi_digit gpi_digit_of_pass(uint p, gpi_digit_bits bits)
{
    return gpi_digit_at(p, bits.flip, bits.begin, bits.end);
}

/* ------------------------------------------------------------------ places */

typedef struct gpi_places {
    __global const gpi_key *key_in;
    __global gpi_key *key_out, *key_tmp;
#if GPI_VALUE_SIZE
    __global const gpi_value *value_in;
    __global gpi_value *value_out, *value_tmp;
    uint indices; /* GPI_INDICES_...: unless it is GPI_INDICES_NONE, value_in is not read */
    ulong origin; /* position of the element with index 0 */
#endif
} gpi_places;

#define GPI_PLACES_KEYS                                                                           \
    __global const gpi_key *key_in, ulong key_in_at, __global gpi_key *key_out, ulong key_out_at, \
        __global gpi_key *key_tmp, ulong key_tmp_at
#define GPI_PLACES_SET_KEYS(places)          \
    (places).key_in = key_in + key_in_at;    \
    (places).key_out = key_out + key_out_at; \
    (places).key_tmp = key_tmp + key_tmp_at

#if GPI_VALUE_SIZE
#define GPI_PLACES_PARAMETERS                                                                              \
    GPI_PLACES_KEYS, __global const gpi_value *value_in, ulong value_in_at, __global gpi_value *value_out, \
        ulong value_out_at, __global gpi_value *value_tmp, ulong value_tmp_at, uint indices
#define GPI_PLACES_SET(places)                     \
    GPI_PLACES_SET_KEYS(places);                   \
    (places).value_in = value_in + value_in_at;    \
    (places).value_out = value_out + value_out_at; \
    (places).value_tmp = value_tmp + value_tmp_at; \
    (places).indices = indices;                    \
    (places).origin = 0
#else
#define GPI_PLACES_PARAMETERS GPI_PLACES_KEYS
#define GPI_PLACES_SET(places) GPI_PLACES_SET_KEYS(places)
#endif

/* The arrays that one pass reads and writes. */
typedef struct gpi_move {
    __global const gpi_key *key;
    __global gpi_key *key_to;
#if GPI_VALUE_SIZE
    __global const gpi_value *value;
    __global gpi_value *value_to;
    uint indices;
    ulong origin;
#endif
} gpi_move;

static gpi_move gpi_move_make(gpi_places places, uint from, uint to)
{
    gpi_move move;
    move.key = from == GPI_PLACE_IN ? places.key_in : from == GPI_PLACE_OUT ? places.key_out : places.key_tmp;
    move.key_to = to == GPI_PLACE_OUT ? places.key_out : places.key_tmp;
#if GPI_VALUE_SIZE
    move.value = from == GPI_PLACE_IN    ? places.value_in
                 : from == GPI_PLACE_OUT ? places.value_out
                                         : places.value_tmp;
    move.value_to = to == GPI_PLACE_OUT ? places.value_out : places.value_tmp;
    move.indices = from == GPI_PLACE_IN ? places.indices : GPI_INDICES_NONE;
    move.origin = places.origin;
#endif
    return move;
}

#if GPI_VALUE_SIZE
static gpi_value gpi_value_at(gpi_move move, ulong i)
{
    return move.indices ? GPI_VALUE_OF(i - move.origin) : move.value[i];
}
#endif

/* Moves element i of the source to j of the target. */
static void gpi_move_one(gpi_move move, ulong i, ulong j)
{
    move.key_to[j] = move.key[i];
#if GPI_VALUE_SIZE
    move.value_to[j] = gpi_value_at(move, i);
#endif
}

/* Returns the place that a pass writes if it reads place `from`. The pass that reads the input writes place `first`. */
static uint gpi_place_next(uint from, uint first)
{
    if (from == GPI_PLACE_IN) return first;
    return from == GPI_PLACE_OUT ? GPI_PLACE_TMP : GPI_PLACE_OUT;
}

/* ------------------------------------------------------------------ state */

/* Each block of a classic sort's first pass ORs one of these into state[GPI_STATE_ORDER]. */
#define GPI_IN_ORDER 2u     /* the block's keys, and the key before them, are in order by all digits */
#define GPI_OUT_OF_ORDER 3u /* the block's keys, and the key before them, are not in order */

typedef volatile __global uint *gpi_state;

/* Returns the call's number of elements. gp_sort_begin has written it. */
static ulong gpi_state_count(gpi_state state) { return (ulong)state[1] << 32 | state[0]; }

static uint gpi_from(gpi_state state, uint pass) { return state[GPI_STATE_FROM + pass]; }

/* Returns whether a pass is abandoned. This atomic read is needed while the pass runs. Later launches can simply read the word.
   */
static bool gpi_is_abandoned(gpi_state state) { return atomic_or(state + GPI_STATE_ABANDONED, 0u) != 0; }

/* Returns whether the pass has nothing to do, because all keys have the same digit. */
static bool gpi_is_trivial(gpi_state state, uint pass)
{
    return gpi_from(state, pass) == gpi_from(state, pass + 1);
}

/* Returns whether an earlier pass has found all keys in order. Returns false in pass 0, because pass 0 writes the word with
   this result. The pass that moves keys to buckets also writes this word, and must not call this function. */
static bool gpi_are_in_order(gpi_state state, uint pass)
{
    return pass > 0 && state[GPI_STATE_ORDER] == GPI_IN_ORDER;
}

static bool gpi_is_idle(gpi_state state, uint pass, uint when)
{
    switch (when) {
    case GPI_WHEN_ABANDONED: return gpi_is_trivial(state, pass) || state[GPI_STATE_ABANDONED] == 0;
    case GPI_UNLESS_BUCKETS: return state[GPI_STATE_BUCKETS] != 0 || gpi_are_in_order(state, pass);
    case GPI_WHEN_BUCKETS: return state[GPI_STATE_BUCKETS] == 0;
    default: return gpi_are_in_order(state, pass);
    }
}

static __global ulong *gpi_part(gpi_state state, ulong at) { return (__global ulong *)(state + at); }
#endif
