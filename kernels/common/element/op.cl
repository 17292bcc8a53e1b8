/* op.cl - one built-in operation on values of one type.

   This file is included once for every field n of an element (most have one), with GPI_FIELD n. All names
   that it defines end in _n.

       gpi_field_n                        the type of the field
       gpi_field_make_n(y, i)             the field of input element y at index i
       gpi_field_combine_n(a, b)          a . b; a is before b
       gpi_field_result_n(a)              the result that is stored

   and, if GPI_LANES > 1, on a vector of GPI_LANES adjacent elements:

       gpi_lanes_n                        a vector of fields
       gpi_lanes_identity_n(e)            e, the field's identity, in every lane
       gpi_lanes_make_n(y, i)             the fields of a vector of input elements, the first at index i of the tile
       gpi_lanes_combine_n(a, b)          a . b, lane by lane
       gpi_lanes_append_n(a, b)           a . b, lane by lane, if all elements of b come after those of a
       gpi_lanes_fold_n(a, e, base)       the product of all lanes; the tile begins at index `base`

   Four kinds of field
       plain           the value itself
       arg             a value and its index: argmin, argmax, and the first or the last value
       moments         a sum and a count, and for variances the sum of squared distances from the mean (Youngs and
                       Cramer 1971)
       compensated     a sum and the rounding errors that it has lost (Neumaier 1974, by two-sums: Knuth, TAOCP 2)

   Parameters
       GPI_OP_n            the operation, one of the codes below
       GPI_VALUE_n         type of the value, at least 32 bits wide for arg
       GPI_FLOAT_n         1: GPI_VALUE_n is float or double
       GPI_RESULT_n        type of the result before it is stored: float if half is stored
       GPI_COMPENSATED_n   1: the compensated kind
       GPI_LANE_n          type of a lane of the plain kind: GPI_VALUE_n, or a narrower type that the sums of a tile fit
                           into
       GPI_INDEX_n         unsigned integer as wide as GPI_VALUE_n: indices of the arg kind within a tile */
#include "base/paste.cl"

#ifndef GPI_SUM
#define GPI_SUM 1
#define GPI_PROD 2
#define GPI_MIN 3
#define GPI_MAX 4
#define GPI_AND 5
#define GPI_OR 6
#define GPI_XOR 7
#define GPI_ARGMIN 8
#define GPI_ARGMAX 9
#define GPI_MEAN 10
#define GPI_VARIANCE 11
#define GPI_FIRST_VALUE 12
#define GPI_LAST_VALUE 13

#define GPI_N(name) GPI_PASTE(name, GPI_FIELD)
#endif

#define GPI_OP GPI_N(GPI_OP_)
#define GPI_VALUE GPI_N(GPI_VALUE_)
#define GPI_FLOAT GPI_N(GPI_FLOAT_)
#define GPI_LANE GPI_N(GPI_LANE_)
#define GPI_INDEX GPI_N(GPI_INDEX_)
#define GPI_FIELD_T GPI_N(gpi_field_)
#define GPI_LANES_T GPI_N(gpi_lanes_)
#define GPI_FIELD_COMBINE GPI_N(gpi_field_combine_)

#if GPI_OP == GPI_MEAN || GPI_OP == GPI_VARIANCE
/* ------------------------------------------------------------------ moments */

typedef struct GPI_N(gpi_moments_) {
    GPI_VALUE sum;
#if GPI_OP == GPI_VARIANCE
    GPI_VALUE spread; /* sum of squared distances from the mean */
#endif
    GPI_INDEX count;
} GPI_FIELD_T;

static GPI_FIELD_T GPI_N(gpi_field_make_)(GPI_VALUE value, ulong i)
{
    GPI_FIELD_T a;
    a.sum = value;
#if GPI_OP == GPI_VARIANCE
    a.spread = value - value; /* 0, or NaN if the value is infinite or NaN */
#endif
    a.count = 1;
    return a;
}

static GPI_FIELD_T GPI_FIELD_COMBINE(GPI_FIELD_T a, GPI_FIELD_T b)
{
    GPI_FIELD_T c;
    c.sum = a.sum + b.sum;
#if GPI_OP == GPI_VARIANCE
    const GPI_VALUE m = (GPI_VALUE)a.count, n = (GPI_VALUE)b.count, apart = b.sum * m - a.sum * n;
    c.spread = a.spread + b.spread;
    if (a.count != 0 && b.count != 0) c.spread += apart / (m * n) * (apart / (m + n));
#endif
    c.count = a.count + b.count;
    return c;
}

static GPI_N(GPI_RESULT_) GPI_N(gpi_field_result_)(GPI_FIELD_T a)
{
#if GPI_OP == GPI_VARIANCE
    const GPI_VALUE sum = a.spread;
#else
    const GPI_VALUE sum = a.sum;
#endif
#if GPI_FLOAT
    return a.count == 0 ? (GPI_N(GPI_RESULT_))NAN : (GPI_N(GPI_RESULT_))(sum / (GPI_VALUE)a.count);
#else
    return a.count == 0 ? (GPI_N(GPI_RESULT_))NAN : (GPI_N(GPI_RESULT_))sum / (GPI_N(GPI_RESULT_))a.count;
#endif
}

#elif GPI_OP >= GPI_ARGMIN
/* ------------------------------------------------------------------ arg */

/* A value and its index. Index ~0 means no element, as in the identity. The index is in two words, so that the struct has no
   padding. */
typedef struct GPI_N(gpi_arg_) {
    GPI_VALUE value;
    uint low, high;
} GPI_FIELD_T;

static ulong GPI_N(gpi_arg_index_)(GPI_FIELD_T a) { return (ulong)a.high << 32 | a.low; }

static GPI_FIELD_T GPI_N(gpi_field_make_)(GPI_VALUE value, ulong i)
{
    GPI_FIELD_T a;
    a.value = value;
    a.low = (uint)i;
    a.high = (uint)(i >> 32);
#if GPI_OP == GPI_LAST_VALUE
    a.low = ~a.low; /* of the last value, this index is the lowest one; indices of rows have 32 bits */
#endif
    return a;
}

#if GPI_OP >= GPI_FIRST_VALUE
static GPI_FIELD_T GPI_FIELD_COMBINE(GPI_FIELD_T a, GPI_FIELD_T b)
{
    return GPI_N(gpi_arg_index_)(b) < GPI_N(gpi_arg_index_)(a) ? b : a;
}

static GPI_N(GPI_RESULT_) GPI_N(gpi_field_result_)(GPI_FIELD_T a) { return (GPI_N(GPI_RESULT_))a.value; }

#else
#if GPI_OP == GPI_ARGMIN
#define GPI_BEATS(a, b) ((a) < (b))
#define GPI_BEATS_NOT(a, b) ((a) >= (b))
#else
#define GPI_BEATS(a, b) ((a) > (b))
#define GPI_BEATS_NOT(a, b) ((a) <= (b))
#endif

/* Returns the better value, or, if the values are equal, the one with the lower index. NaN beats nothing, and loses to every
   value. */
static GPI_FIELD_T GPI_FIELD_COMBINE(GPI_FIELD_T a, GPI_FIELD_T b)
{
    const bool tie = a.value == b.value && GPI_N(gpi_arg_index_)(b) < GPI_N(gpi_arg_index_)(a);
#if GPI_FLOAT
    if (isnan(a.value)) return b;
#endif
    return GPI_BEATS(b.value, a.value) || tie ? b : a;
}

static GPI_N(GPI_RESULT_) GPI_N(gpi_field_result_)(GPI_FIELD_T a)
{
    return (GPI_N(GPI_RESULT_))GPI_N(gpi_arg_index_)(a);
}

#if GPI_LANES > 1
typedef struct GPI_N(gpi_arg_lanes_) {
    GPI_VECTOR(GPI_VALUE) value;
    GPI_VECTOR(GPI_INDEX) index; /* in the tile; ~0: no element has beaten the identity yet */
} GPI_LANES_T;

/* Returns the identity in every lane. For floats it is a NaN, which loses to all numbers. A NaN of the
   input never enters a lane. */
static GPI_LANES_T GPI_N(gpi_lanes_identity_)(GPI_FIELD_T e)
{
    GPI_LANES_T a;
#if GPI_FLOAT
    a.value = (GPI_VECTOR(GPI_VALUE))((GPI_VALUE)NAN);
#else
    a.value = (GPI_VECTOR(GPI_VALUE))(e.value);
#endif
    a.index = (GPI_VECTOR(GPI_INDEX))(~(GPI_INDEX)0);
    return a;
}

static GPI_LANES_T GPI_N(gpi_lanes_make_)(GPI_VECTOR(GPI_Y) y, uint i)
{
    GPI_LANES_T a;
    a.value = GPI_CONVERT(GPI_VALUE, y);
    a.index = (GPI_VECTOR(GPI_INDEX))(i) +
              (GPI_VECTOR(GPI_INDEX))(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return a;
}

static GPI_LANES_T GPI_N(gpi_lanes_combine_)(GPI_LANES_T a, GPI_LANES_T b)
{
#define GPI_BETTER \
    (GPI_BEATS(b.value, a.value) | (a.value != a.value) | ((a.value == b.value) & (b.index < a.index)))
    GPI_LANES_T c;
    c.value = GPI_BETTER ? b.value : a.value;
    c.index = GPI_BETTER ? b.index : a.index;
    return c;
#undef GPI_BETTER
}

static GPI_LANES_T GPI_N(gpi_lanes_append_)(GPI_LANES_T a, GPI_LANES_T b)
{
#if GPI_FLOAT
#define GPI_BETTER (~GPI_BEATS_NOT(b.value, a.value) & (b.value == b.value))
#else
#define GPI_BETTER GPI_BEATS(b.value, a.value)
#endif
    GPI_LANES_T c;
    c.value = GPI_BETTER ? b.value : a.value;
    c.index = GPI_BETTER ? b.index : a.index;
    return c;
#undef GPI_BETTER
}

/* Returns the best of all lanes and e. If no element of a lane has beaten the identity, the lane's first element has the
   identity's value, and the lane gets the index of that element. */
static GPI_FIELD_T GPI_N(gpi_lanes_fold_)(GPI_LANES_T a, GPI_FIELD_T e, ulong base)
{
    GPI_VALUE value[16];
    GPI_INDEX index[16];
    vstore16(a.value, 0, value);
    vstore16(a.index, 0, index);
    for (uint k = 0; k < 16; k++) {
        const bool first = index[k] == (GPI_INDEX) ~(GPI_INDEX)0;
        e = GPI_FIELD_COMBINE(e, GPI_N(gpi_field_make_)(value[k], base + (first ? k : index[k])));
    }
    return e;
}
#endif
#undef GPI_BEATS
#undef GPI_BEATS_NOT
#endif

#elif GPI_N(GPI_COMPENSATED_)
/* ------------------------------------------------------------------ compensated */

typedef struct GPI_N(gpi_compensated_) {
    GPI_VALUE sum, rest;
} GPI_FIELD_T;

static GPI_FIELD_T GPI_N(gpi_field_make_)(GPI_VALUE value, ulong i)
{
    GPI_FIELD_T a;
    a.sum = value;
    a.rest = 0;
    return a;
}

/* Sets c.sum to the rounded a.sum + b.sum, and c.rest to the exact error of this rounding, plus a.rest + b.rest. */
#define GPI_TWO_SUM(a, b, c, part)   \
    c.sum = a.sum + b.sum;           \
    part = c.sum - a.sum;            \
    c.rest = a.sum - (c.sum - part); \
    c.rest += b.sum - part;          \
    c.rest += a.rest + b.rest

static GPI_FIELD_T GPI_FIELD_COMBINE(GPI_FIELD_T a, GPI_FIELD_T b)
{
    GPI_FIELD_T c;
    GPI_VALUE part;
    GPI_TWO_SUM(a, b, c, part);
    return c;
}

/* Returns a's result. If a.sum is infinite or NaN, a.rest has no meaning, and is left out. */
static GPI_N(GPI_RESULT_) GPI_N(gpi_field_result_)(GPI_FIELD_T a)
{
    return isfinite(a.sum) ? a.sum + a.rest : a.sum;
}

#if GPI_LANES > 1
typedef struct GPI_N(gpi_compensated_lanes_) {
    GPI_VECTOR(GPI_VALUE) sum, rest;
} GPI_LANES_T;

static GPI_LANES_T GPI_N(gpi_lanes_identity_)(GPI_FIELD_T e)
{
    GPI_LANES_T a;
    a.sum = a.rest = (GPI_VECTOR(GPI_VALUE))(e.sum);
    return a;
}

static GPI_LANES_T GPI_N(gpi_lanes_make_)(GPI_VECTOR(GPI_Y) y, uint i)
{
    GPI_LANES_T a;
    a.sum = GPI_CONVERT(GPI_VALUE, y);
    a.rest = (GPI_VECTOR(GPI_VALUE))(0);
    return a;
}

static GPI_LANES_T GPI_N(gpi_lanes_combine_)(GPI_LANES_T a, GPI_LANES_T b)
{
    GPI_LANES_T c;
    GPI_VECTOR(GPI_VALUE) part;
    GPI_TWO_SUM(a, b, c, part);
    return c;
}

static GPI_LANES_T GPI_N(gpi_lanes_append_)(GPI_LANES_T a, GPI_LANES_T b)
{
    return GPI_N(gpi_lanes_combine_)(a, b);
}

static GPI_FIELD_T GPI_N(gpi_lanes_fold_)(GPI_LANES_T a, GPI_FIELD_T e, ulong base)
{
    GPI_VALUE sum[16], rest[16];
    vstore16(a.sum, 0, sum);
    vstore16(a.rest, 0, rest);
    for (uint k = 0; k < 16; k++) {
        GPI_FIELD_T lane;
        lane.sum = sum[k];
        lane.rest = rest[k];
        e = GPI_FIELD_COMBINE(e, lane);
    }
    return e;
}
#endif
#undef GPI_TWO_SUM

#else
/* ------------------------------------------------------------------ plain */

#if GPI_OP == GPI_SUM
#define GPI_DO(a, b) ((a) + (b))
#elif GPI_OP == GPI_PROD
#define GPI_DO(a, b) ((a) * (b))
#elif GPI_OP == GPI_MIN && GPI_FLOAT
#define GPI_DO(a, b) fmin(a, b)
#elif GPI_OP == GPI_MAX && GPI_FLOAT
#define GPI_DO(a, b) fmax(a, b)
#elif GPI_OP == GPI_MIN
#define GPI_DO(a, b) min(a, b)
#elif GPI_OP == GPI_MAX
#define GPI_DO(a, b) max(a, b)
#elif GPI_OP == GPI_AND
#define GPI_DO(a, b) ((a) & (b))
#elif GPI_OP == GPI_OR
#define GPI_DO(a, b) ((a) | (b))
#elif GPI_OP == GPI_XOR
#define GPI_DO(a, b) ((a) ^ (b))
#else
#error "unknown GPI_OP"
#endif

typedef GPI_VALUE GPI_FIELD_T;

static GPI_FIELD_T GPI_N(gpi_field_make_)(GPI_VALUE value, ulong i) { return value; }

static GPI_FIELD_T GPI_FIELD_COMBINE(GPI_FIELD_T a, GPI_FIELD_T b) { return GPI_DO(a, b); }

static GPI_N(GPI_RESULT_) GPI_N(gpi_field_result_)(GPI_FIELD_T a) { return (GPI_N(GPI_RESULT_))a; }

#if GPI_LANES > 1
typedef GPI_VECTOR(GPI_LANE) GPI_LANES_T;

static GPI_LANES_T GPI_N(gpi_lanes_identity_)(GPI_FIELD_T e) { return (GPI_LANES_T)((GPI_LANE)e); }

#if GPI_FLOAT && (GPI_OP == GPI_MIN || GPI_OP == GPI_MAX)
/* No lane holds a NaN, because gpi_lanes_make replaces it by the identity. So a comparison, which is one instruction, has the
   effect of fmin or fmax. */
#if GPI_OP == GPI_MIN
#define GPI_LANES_DO(a, b) ((a) < (b) ? (a) : (b))
#define GPI_NEUTRAL INFINITY
#else
#define GPI_LANES_DO(a, b) ((a) > (b) ? (a) : (b))
#define GPI_NEUTRAL (-INFINITY)
#endif
static GPI_LANES_T GPI_N(gpi_lanes_make_)(GPI_VECTOR(GPI_Y) y, uint i)
{
    const GPI_LANES_T x = GPI_CONVERT(GPI_LANE, y);
    return x == x ? x : (GPI_LANES_T)((GPI_LANE)GPI_NEUTRAL);
}
#else
/* Lanes combine by operators, because PoCL leaves calls of built-in functions in loops if it cannot inline them
   (docs/drivers.md). */
#if GPI_OP == GPI_MIN
#define GPI_LANES_DO(a, b) ((a) < (b) ? (a) : (b))
#elif GPI_OP == GPI_MAX
#define GPI_LANES_DO(a, b) ((a) > (b) ? (a) : (b))
#else
#define GPI_LANES_DO(a, b) GPI_DO(a, b)
#endif
static GPI_LANES_T GPI_N(gpi_lanes_make_)(GPI_VECTOR(GPI_Y) y, uint i) { return GPI_CONVERT(GPI_LANE, y); }
#endif

static GPI_LANES_T GPI_N(gpi_lanes_combine_)(GPI_LANES_T a, GPI_LANES_T b) { return GPI_LANES_DO(a, b); }
static GPI_LANES_T GPI_N(gpi_lanes_append_)(GPI_LANES_T a, GPI_LANES_T b) { return GPI_LANES_DO(a, b); }

static GPI_FIELD_T GPI_N(gpi_lanes_fold_)(GPI_LANES_T a, GPI_FIELD_T e, ulong base)
{
    const GPI_PASTE(GPI_LANE, 8) b = GPI_LANES_DO(a.lo, a.hi);
    const GPI_PASTE(GPI_LANE, 4) c = GPI_LANES_DO(b.lo, b.hi);
    const GPI_PASTE(GPI_LANE, 2) d = GPI_LANES_DO(c.lo, c.hi);
    return GPI_FIELD_COMBINE(e, (GPI_VALUE)(GPI_LANES_DO(d.x, d.y)));
}
#endif
#undef GPI_DO
#undef GPI_LANES_DO
#undef GPI_NEUTRAL
#endif

#undef GPI_OP
#undef GPI_VALUE
#undef GPI_FLOAT
#undef GPI_LANE
#undef GPI_INDEX
#undef GPI_FIELD_T
#undef GPI_LANES_T
#undef GPI_FIELD_COMBINE
#undef GPI_FIELD
