/* monoid.cl - the element type and its associative operation, from one description.

       GPI_T combine(a, b)      a stands before b in input order
       gpi_identity()           neutral on both sides

   The host writes the description ahead of this file, for a built-in operation
       GPI_IN, GPI_T            type in memory; type of sums and results
       GPI_OP                   one of the codes below
   or for a monoid of the user
       GPI_IN, GPI_T            both the user's type, whose source precedes this file
       GPI_COMBINE(a, b)        a call of the user's function
   and for both
       GPI_FROM(x)              x, of type GPI_IN, as a GPI_T
       GPI_SIZE                 sizeof(GPI_T), checked
       GPI_IDENTITY_WORDS       its identity, as 32-bit words in braces' order
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

#if GPI_LANES != 1 && GPI_LANES != 16
#error "GPI_LANES must be 1 or 16"
#endif
#if GPI_SIZE < 1 || GPI_SIZE > 64
#error "GPI_SIZE must be 1..64"
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

/* Where elements come from. Small enough to be passed by value through every layer. */
typedef struct gpi_source {
    __global const GPI_IN *in;
    ulong count;
} gpi_source;

static gpi_source gpi_source_make(__global const GPI_IN *in, ulong offset, ulong count)
{
    gpi_source source;
    source.in = in + offset;
    source.count = count;
    return source;
}

static GPI_T gpi_load(gpi_source source, ulong i) { return GPI_FROM(source.in[i]); }

/* Vectors of 16 elements: GPI_V, loads, stores, and a scan inside the vector. */
#if GPI_LANES > 1
#define GPI_PASTE_(a, b) a##b
#define GPI_PASTE(a, b) GPI_PASTE_(a, b)
#define GPI_V GPI_PASTE(GPI_T, 16)
#define GPI_LAST(v) ((v).sf)

static GPI_V gpi_load_vector(gpi_source source, ulong i)
{
    return GPI_PASTE(convert_, GPI_V)(vload16(0, source.in + i));
}

/* gpi_shift_k(v, e): element i is v[i-k], or e for i < k. */
static GPI_V gpi_shift_1(GPI_V v, GPI_T e) { return (GPI_V)(e, v.s0, v.s12, v.s3456, v.s789a, v.sbcde); }
static GPI_V gpi_shift_2(GPI_V v, GPI_T e) { return (GPI_V)(e, e, v.s01, v.s2345, v.s6789, v.sabcd); }
static GPI_V gpi_shift_4(GPI_V v, GPI_T e) { return (GPI_V)(e, e, e, e, v.s0123, v.s4567, v.s89ab); }
static GPI_V gpi_shift_8(GPI_V v, GPI_T e) { return (GPI_V)(e, e, e, e, e, e, e, e, v.lo); }

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
