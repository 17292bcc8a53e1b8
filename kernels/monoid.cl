/* monoid.cl - the element type and its associative operation, from one description.

       GPI_T combine(a, b)      a stands before b in input order
       gpi_identity()           neutral on both sides

   The host writes the description ahead of this file:
       GPI_IN, GPI_IN2          types of one or two inputs in memory; GPI_INPUTS 1 or 2
       GPI_VALUE                type of an input element as an operand, after conversion or map
       GPI_MAPPED               1: gpi_map(x, i) or gpi_map(x, y, i), of the user's expression, gives it
       GPI_OP                   a built-in operation, one of the codes below, on floats where GPI_FLOAT, or
       GPI_COMBINE(a, b)        a call of the user's function; the user's source precedes this file
       GPI_T                    type of sums: GPI_VALUE, but for argmin and argmax
       GPI_OUT                  type of results: GPI_T, but for argmin and argmax
       GPI_SIZE                 sizeof(GPI_T), checked
       GPI_IDENTITY_WORDS       its identity, as 32-bit words
       GPI_COMMUTATIVE          1: any order of combination will do
       GPI_EXACT                1: any grouping gives the same bits
       GPI_LANES                elements of a vector step, 1 where there are no vectors of GPI_T   */
#define GPI_SUM 1
#define GPI_PROD 2
#define GPI_MIN 3
#define GPI_MAX 4
#define GPI_AND 5
#define GPI_OR 6
#define GPI_XOR 7
#define GPI_ARGMIN 8
#define GPI_ARGMAX 9

#if GPI_LANES != 1 && GPI_LANES != 16
#error "GPI_LANES must be 1 or 16"
#endif
#if GPI_SIZE < 1 || GPI_SIZE > 64
#error "GPI_SIZE must be 1..64"
#endif

#if defined(GPI_OP) && GPI_OP >= GPI_ARGMIN
/* A value and where it stands. Index ~0: nowhere, as in the identity. The index is in two words, so that
   no byte of the struct is padding. */
typedef struct gpi_arg {
    GPI_VALUE value;
    uint low, high;
} gpi_arg;

static ulong gpi_arg_index(gpi_arg a) { return (ulong)a.high << 32 | a.low; }

static gpi_arg gpi_arg_make(GPI_VALUE value, ulong i)
{
    gpi_arg a;
    a.value = value;
    a.low = (uint)i;
    a.high = (uint)(i >> 32);
    return a;
}

#if GPI_OP == GPI_ARGMIN
#define GPI_BEATS(a, b) ((a) < (b))
#else
#define GPI_BEATS(a, b) ((a) > (b))
#endif

/* The better value; of equal ones the one with the lower index. NaN beats nothing, and loses to all. */
static gpi_arg gpi_arg_better(gpi_arg a, gpi_arg b)
{
    const bool tie = a.value == b.value && gpi_arg_index(b) < gpi_arg_index(a);
#if GPI_FLOAT
    if (isnan(a.value)) return b;
#endif
    return GPI_BEATS(b.value, a.value) || tie ? b : a;
}
#define GPI_COMBINE(a, b) gpi_arg_better(a, b)
#define GPI_ELEMENT(value, i) gpi_arg_make(value, i)
#define GPI_RESULT(a) ((GPI_OUT)gpi_arg_index(a))
#else
#define GPI_ELEMENT(value, i) (value)
#define GPI_RESULT(a) (a)
#endif

#ifndef GPI_COMBINE
#if GPI_OP == GPI_SUM
#define GPI_COMBINE(a, b) ((a) + (b))
#elif GPI_OP == GPI_PROD
#define GPI_COMBINE(a, b) ((a) * (b))
#elif GPI_OP == GPI_MIN && GPI_FLOAT
#define GPI_COMBINE(a, b) fmin(a, b)
#elif GPI_OP == GPI_MAX && GPI_FLOAT
#define GPI_COMBINE(a, b) fmax(a, b)
#elif GPI_OP == GPI_MIN
#define GPI_COMBINE(a, b) min(a, b)
#elif GPI_OP == GPI_MAX
#define GPI_COMBINE(a, b) max(a, b)
#elif GPI_OP == GPI_AND
#define GPI_COMBINE(a, b) ((a) & (b))
#elif GPI_OP == GPI_OR
#define GPI_COMBINE(a, b) ((a) | (b))
#elif GPI_OP == GPI_XOR
#define GPI_COMBINE(a, b) ((a) ^ (b))
#else
#error "unknown GPI_OP"
#endif
#endif

/* The words of an element: how it travels between groups. */
#define GPI_WORDS ((GPI_SIZE + 3) / 4)
typedef union gpi_bits {
    uint word[GPI_WORDS];
    GPI_T value;
} gpi_bits;

/* A negative array size here means: gp_monoid.size is not sizeof(type) on this device. */
typedef char gpi_monoid_size_must_be_sizeof_type[sizeof(GPI_T) == GPI_SIZE ? 1 : -1];

static GPI_T gpi_identity(void)
{
    const gpi_bits identity = {{GPI_IDENTITY_WORDS}};
    return identity.value;
}

/* How many elements a call is about: `bound`, known to the host, or what the device finds in `wanted`, a
   number of `wanted_words` 32-bit words at index `wanted_offset`; never more than `bound`. Not read when
   `wanted_words` is 0. */
#define GPI_COUNT_PARAMETERS ulong bound, __global const uint *wanted, ulong wanted_offset, uint wanted_words

static ulong gpi_count_wanted(ulong bound, __global const uint *wanted, ulong wanted_offset,
                              uint wanted_words)
{
    if (wanted_words == 0) return bound;
    wanted += wanted_offset * wanted_words;
    return wanted_words == 1 ? wanted[0] : (ulong)wanted[1] << 32 | wanted[0];
}

static ulong gpi_count(ulong bound, __global const uint *wanted, ulong wanted_offset, uint wanted_words)
{
    return min(bound, gpi_count_wanted(bound, wanted, wanted_offset, wanted_words));
}

/* Counters of the context, raised only when something unusual happens. */
#define GPI_COUNT_FALLBACKS 0 /* tiles computed by a group that waited for another */
#define GPI_COUNT_ABANDONED 1 /* look-backs that the device cut short */
#define GPI_COUNT_CLAMPED 2   /* calls that wanted more elements than their bound */

/* One group of a call says so when more was wanted than allowed. */
#define GPI_COUNT_CHECK(first_group, counters)                                \
    if ((first_group) && get_local_id(0) == 0 &&                              \
        gpi_count_wanted(bound, wanted, wanted_offset, wanted_words) > bound) \
    atomic_inc((counters) + GPI_COUNT_CLAMPED)

/* Where elements come from. Small enough to be passed by value through every layer. */
typedef struct gpi_source {
    __global const GPI_IN *in;
#if GPI_INPUTS == 2
    __global const GPI_IN2 *in2;
#endif
    ulong count;
} gpi_source;

/* Parameters of a kernel that reads a source, and the source made of them. */
#if GPI_INPUTS == 2
#define GPI_SOURCE_INPUTS \
    __global const GPI_IN *in, ulong in_offset, __global const GPI_IN2 *in2, ulong in2_offset
#define GPI_SOURCE_SET(source)       \
    (source).in = in + in_offset;    \
    (source).in2 = in2 + in2_offset; \
    (source).count = gpi_count(bound, wanted, wanted_offset, wanted_words)
#else
#define GPI_SOURCE_INPUTS __global const GPI_IN *in, ulong in_offset
#define GPI_SOURCE_SET(source)    \
    (source).in = in + in_offset; \
    (source).count = gpi_count(bound, wanted, wanted_offset, wanted_words)
#endif
#define GPI_SOURCE_PARAMETERS GPI_SOURCE_INPUTS, GPI_COUNT_PARAMETERS

static GPI_T gpi_load(gpi_source source, ulong i)
{
#if GPI_MAPPED && GPI_INPUTS == 2
    return GPI_ELEMENT(gpi_map(source.in[i], source.in2[i], i), i);
#elif GPI_MAPPED
    return GPI_ELEMENT(gpi_map(source.in[i], i), i);
#elif GPI_CUSTOM
    return source.in[i];
#else
    return GPI_ELEMENT((GPI_VALUE)source.in[i], i);
#endif
}

/* Vectors of 16 elements: GPI_V, loads, stores, and a scan inside the vector. */
#if GPI_LANES > 1
#define GPI_PASTE_(a, b) a##b
#define GPI_PASTE(a, b) GPI_PASTE_(a, b)
#define GPI_V GPI_PASTE(GPI_T, 16)
#define GPI_LAST(v) ((v).sf)

static GPI_V gpi_load_vector(gpi_source source, ulong i)
{
#if GPI_MAPPED
    GPI_T lane[16];
    for (uint k = 0; k < 16; k++) lane[k] = gpi_load(source, i + k);
    return vload16(0, lane);
#else
    return GPI_PASTE(convert_, GPI_V)(vload16(0, source.in + i));
#endif
}

/* gpi_shift_k(v, e): element i is v[i-k], or e for i < k. */
static GPI_V gpi_shift_1(GPI_V v, GPI_T e)
{
    return (GPI_V)(e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc, v.sd,
                   v.se);
}
static GPI_V gpi_shift_2(GPI_V v, GPI_T e)
{
    return (GPI_V)(e, e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb, v.sc, v.sd);
}
static GPI_V gpi_shift_4(GPI_V v, GPI_T e)
{
    return (GPI_V)(e, e, e, e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7, v.s8, v.s9, v.sa, v.sb);
}
static GPI_V gpi_shift_8(GPI_V v, GPI_T e)
{
    return (GPI_V)(e, e, e, e, e, e, e, e, v.s0, v.s1, v.s2, v.s3, v.s4, v.s5, v.s6, v.s7);
}

static GPI_V gpi_scan_vector(GPI_V v)
{
    const GPI_T e = gpi_identity();
    v = GPI_COMBINE(gpi_shift_1(v, e), v);
    v = GPI_COMBINE(gpi_shift_2(v, e), v);
    v = GPI_COMBINE(gpi_shift_4(v, e), v);
    v = GPI_COMBINE(gpi_shift_8(v, e), v);
    return v;
}
#endif
