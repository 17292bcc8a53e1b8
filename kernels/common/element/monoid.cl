/* monoid.cl - the element that items and groups exchange, and its associative operation.

       GPI_T gpi_combine(GPI_COMBINE_OF(input) a, b)       a is before b in the order of the call
       GPI_T gpi_identity()                                neutral on both sides

   An element is one field (element/op.cl), several fields, or the user's own type. In a segmented scan it also has a
   head, which says whether a segment begins in it (Blelloch 1990): elements before the last head do not contribute.

       GPI_BASE                      the element without its head

   A user's function may take the call's arguments (base/args.cl). They are passed like the arguments of expressions: with the
   input, with any other struct that has a GPI_COMBINE_MEMBER, or from function to function.

   The prelude defines:
       GPI_FIELD_COUNT, GPI_FIELDS   number of fields (0: the user's type), and X(0) X(1) ... for them
       GPI_MONOID_ARGS               1: the first parameter of gpi_user_combine is a gpi_args
       GPI_SIZE                      sizeof(GPI_T), checked
       GPI_IDENTITY_WORDS            the identity, as 32-bit words
       GPI_COMMUTATIVE               1: elements may be combined in any order
       GPI_EXACT                     1: any grouping gives the same bits
       GPI_REVERSE                   1: the call's order is from the last element to the first
       GPI_SEGMENTED                 1: elements have heads, of type GPI_HEAD: a signed type so wide that
                                     elements have no padding
       GPI_HEADS                     3: a head is a count of heads. GPI_HEAD is then unsigned, and vectors use
                                     GPI_HEAD_LANE, a signed type as wide as the value
       GPI_LANES                     elements of a vector step; 1: no vectors
       GPI_MAPS                      1: input elements are row numbers, and each field n has a map of its own,
                                     gpi_map_n(i), for the rows for which gpi_where_n(i) is true         */
#ifndef GPI_ELEMENT_MONOID_CL
#define GPI_ELEMENT_MONOID_CL
#include "base/args.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "element/ops.cl"

#if GPI_LANES != 1 && GPI_LANES != 16
#error "GPI_LANES must be 1 or 16"
#endif
#if GPI_SIZE < 1 || GPI_SIZE > 128
#error "GPI_SIZE must be 1..128"
#endif

/* Aliases for the macros of base/args.cl if the operation has arguments. Otherwise they are empty. */
#if GPI_MONOID_ARGS
#define GPI_COMBINE_PARAMETERS GPI_ARGS_PARAMETERS
#define GPI_COMBINE_MEMBER GPI_ARGS_MEMBER
#define GPI_COMBINE_SET(holder) GPI_ARGS_SET(holder)
#define GPI_COMBINE_COPY(holder, from) (holder).args = (from).args;
#define GPI_COMBINE_OF(holder) GPI_ARGS_OF(holder)
#define GPI_COMBINE_HERE GPI_ARGS_HERE
#define GPI_COMBINE_PARAMETER GPI_ARGS_PARAMETER
#define GPI_COMBINE_PASSED GPI_ARGS_PASSED
#else
#define GPI_COMBINE_PARAMETERS
#define GPI_COMBINE_MEMBER
#define GPI_COMBINE_SET(holder)
#define GPI_COMBINE_COPY(holder, from)
#define GPI_COMBINE_OF(holder)
#define GPI_COMBINE_HERE
#define GPI_COMBINE_PARAMETER
#define GPI_COMBINE_PASSED
#endif

#if GPI_FIELD_COUNT == 0
typedef gpi_user GPI_BASE;
#define GPI_BASE_COMBINE(a, b) gpi_user_combine(GPI_COMBINE_PASSED a, b)
#define GPI_BASE_MAKE(y, i) (y)
#define GPI_BASE_RESULT(a) (a)

#elif GPI_FIELD_COUNT == 1 && !GPI_MAPS
typedef gpi_field_0 GPI_BASE;
#define GPI_BASE_COMBINE(a, b) gpi_field_combine_0(a, b)
#define GPI_BASE_MAKE(y, i) gpi_field_make_0(y, i)
#define GPI_BASE_RESULT(a) gpi_field_result_0(a)
#if GPI_LANES > 1
typedef gpi_lanes_0 gpi_lanes;
static gpi_lanes gpi_lanes_make(GPI_VECTOR(GPI_Y) y, uint i) { return gpi_lanes_make_0(y, i); }
static gpi_lanes gpi_lanes_combine(gpi_lanes a, gpi_lanes b) { return gpi_lanes_combine_0(a, b); }
static gpi_lanes gpi_lanes_append(gpi_lanes a, gpi_lanes b) { return gpi_lanes_append_0(a, b); }
static gpi_lanes gpi_lanes_identity(GPI_BASE e) { return gpi_lanes_identity_0(e); }
static GPI_BASE gpi_lanes_fold(gpi_lanes a, GPI_BASE e, ulong base) { return gpi_lanes_fold_0(a, e, base); }
#endif

#else
#define GPI_FIELD_MEMBER(n) gpi_field_##n f##n;
#define GPI_FIELD_COMBINE(n) c.f##n = gpi_field_combine_##n(a.f##n, b.f##n);
#define GPI_FIELD_MAKE(n) a.f##n = gpi_field_make_##n(y, i);
typedef struct gpi_fields {
    GPI_FIELDS(GPI_FIELD_MEMBER)
} GPI_BASE;

static GPI_BASE gpi_fields_combine(GPI_BASE a, GPI_BASE b)
{
    GPI_BASE c;
    GPI_FIELDS(GPI_FIELD_COMBINE)
    return c;
}

#define GPI_BASE_COMBINE(a, b) gpi_fields_combine(a, b)

#if !GPI_MAPS
static GPI_BASE gpi_fields_make(GPI_Y y, ulong i)
{
    GPI_BASE a;
    GPI_FIELDS(GPI_FIELD_MAKE)
    return a;
}
#define GPI_BASE_MAKE(y, i) gpi_fields_make(y, i)
#endif

#if GPI_LANES > 1
#define GPI_LANES_MEMBER(n) gpi_lanes_##n f##n;
#define GPI_LANES_COMBINE(n) c.f##n = gpi_lanes_combine_##n(a.f##n, b.f##n);
#define GPI_LANES_APPEND(n) c.f##n = gpi_lanes_append_##n(a.f##n, b.f##n);
#define GPI_LANES_MAKE(n) a.f##n = gpi_lanes_make_##n(y, i);
#define GPI_LANES_IDENTITY(n) a.f##n = gpi_lanes_identity_##n(e.f##n);
#define GPI_LANES_FOLD(n) e.f##n = gpi_lanes_fold_##n(a.f##n, e.f##n, base);
typedef struct gpi_lanes {
    GPI_FIELDS(GPI_LANES_MEMBER)
} gpi_lanes;

static gpi_lanes gpi_lanes_combine(gpi_lanes a, gpi_lanes b)
{
    gpi_lanes c;
    GPI_FIELDS(GPI_LANES_COMBINE)
    return c;
}

static gpi_lanes gpi_lanes_append(gpi_lanes a, gpi_lanes b)
{
    gpi_lanes c;
    GPI_FIELDS(GPI_LANES_APPEND)
    return c;
}

static gpi_lanes gpi_lanes_make(GPI_VECTOR(GPI_Y) y, uint i)
{
    gpi_lanes a;
    GPI_FIELDS(GPI_LANES_MAKE)
    return a;
}

static gpi_lanes gpi_lanes_identity(GPI_BASE e)
{
    gpi_lanes a;
    GPI_FIELDS(GPI_LANES_IDENTITY)
    return a;
}

static GPI_BASE gpi_lanes_fold(gpi_lanes a, GPI_BASE e, ulong base)
{
    GPI_FIELDS(GPI_LANES_FOLD)
    return e;
}
#endif
#endif

/* A GPI_BASE as a kernel's argument. Structs are passed as words, because Mesa 22.3 leaves out the padding at their end. */
#if GPI_FIELD_COUNT == 1
typedef GPI_BASE gpi_argument;

static GPI_BASE gpi_base_of(gpi_argument argument) { return argument; }
#else
typedef struct gpi_argument {
    uint word[(sizeof(GPI_BASE) + 3) / 4];
} gpi_argument;

static GPI_BASE gpi_base_of(gpi_argument argument)
{
    union {
        gpi_argument argument;
        GPI_BASE value;
    } bits;
    bits.argument = argument;
    return bits.value;
}
#endif

/* Returns a . b in the order of the call, which may be from the last element to the first. (Here and below no function modifies a
   parameter that is a struct, because Mesa 22.3 would then modify the caller's struct, too.) */
static GPI_BASE gpi_base_combine(GPI_COMBINE_PARAMETER GPI_BASE a, GPI_BASE b)
{
#if GPI_REVERSE
    return GPI_BASE_COMBINE(b, a);
#else
    return GPI_BASE_COMBINE(a, b);
#endif
}

#if GPI_SEGMENTED
#if GPI_FIELD_COUNT == 0
#define GPI_PACKED __attribute__((packed, aligned(4))) /* the host does not know the user's alignment */
#else
#define GPI_PACKED
#endif
typedef struct GPI_PACKED gpi_segment {
    GPI_BASE value; /* the product since the last head, or, without a head, of all elements */
    GPI_HEAD head;  /* not 0: there is a head. GPI_HEADS 3: how many there are */
} gpi_segment;
#define GPI_T gpi_segment

/* Returns a . b, or b if b begins a segment (`head`). */
static GPI_BASE gpi_base_append(GPI_COMBINE_PARAMETER GPI_BASE a, GPI_BASE b, bool head)
{
    const GPI_BASE both = gpi_base_combine(GPI_COMBINE_PASSED a, b);
    return head ? b : both;
}

static GPI_T gpi_combine(GPI_COMBINE_PARAMETER GPI_T a, GPI_T b)
{
    GPI_T c;
    c.value = gpi_base_append(GPI_COMBINE_PASSED a.value, b.value, b.head != 0);
#if GPI_HEADS == 3
    c.head = a.head + b.head;
#else
    c.head = b.head ? b.head : a.head; /* Mesa 22.3 miscompiles a.head | b.head in 8 bits */
#endif
    return c;
}
#else
#define GPI_T GPI_BASE
#define gpi_combine(a, b) gpi_base_combine(a, b)
#endif

/* 1: an element without its head is one number, of type GPI_VALUE_0. */
#define GPI_BASE_NUMBER (GPI_FIELD_COUNT == 1 && !GPI_MAPS && GPI_OP_0 < GPI_ARGMIN && !GPI_COMPENSATED_0)

/* Groups exchange an element as words. A number is converted to words and back by as_...: Mesa's drivers would
   keep a union in memory, not in registers (docs/drivers.md). */
#define GPI_WORDS ((GPI_SIZE + 3) / 4)
#define GPI_T_NUMBER (GPI_BASE_NUMBER && !GPI_SEGMENTED && (GPI_SIZE == 4 || GPI_SIZE == 8))
/* 1: an element is a number and a head of the same size. (A head that counts may be larger than the number.) */
#define GPI_T_HEADED                                                          \
    (GPI_BASE_NUMBER && GPI_SEGMENTED && (GPI_SIZE == 8 || GPI_SIZE == 16) && \
     (GPI_HEADS != 3 || 2 * GPI_BASE_SIZE == GPI_SIZE))
#if GPI_T_NUMBER || GPI_T_HEADED
typedef struct gpi_bits {
    uint word[GPI_WORDS];
} gpi_bits;

/* GPI_WORDS_PUT stores a number in bits.word, from word k on. GPI_WORDS_GET makes a number of these words. */
#if GPI_WORDS == (GPI_T_HEADED ? 2 : 1)
#define GPI_WORDS_PUT(bits, k, value) (bits).word[k] = as_uint(value)
#define GPI_WORDS_GET(bits, k, type) GPI_PASTE(as_, type)((bits).word[k])
#else
#define GPI_WORDS_PUT(bits, k, value)   \
    (bits).word[k] = as_uint2(value).x; \
    (bits).word[(k) + 1] = as_uint2(value).y
#define GPI_WORDS_GET(bits, k, type) GPI_PASTE(as_, type)((uint2)((bits).word[k], (bits).word[(k) + 1]))
#endif

static gpi_bits gpi_bits_of(GPI_T value)
{
    gpi_bits bits;
#if GPI_T_NUMBER
    GPI_WORDS_PUT(bits, 0, value);
#else
    GPI_WORDS_PUT(bits, 0, value.value);
    GPI_WORDS_PUT(bits, GPI_WORDS / 2, value.head);
#endif
    return bits;
}

static GPI_T gpi_bits_value(gpi_bits bits)
{
#if GPI_T_NUMBER
    return GPI_WORDS_GET(bits, 0, GPI_VALUE_0);
#else
    GPI_T value;
    value.value = GPI_WORDS_GET(bits, 0, GPI_VALUE_0);
    value.head = GPI_WORDS_GET(bits, GPI_WORDS / 2, GPI_HEAD);
    return value;
#endif
}
#else
typedef union gpi_bits {
    uint word[GPI_WORDS];
    GPI_T value;
} gpi_bits;

static gpi_bits gpi_bits_of(GPI_T value)
{
    gpi_bits bits;
    bits.word[GPI_WORDS - 1] = 0; /* an element of 1 or 2 bytes does not fill the word */
    bits.value = value;
    return bits;
}

static GPI_T gpi_bits_value(gpi_bits bits) { return bits.value; }
#endif

/* If this array has a negative size, gp_monoid.size is not sizeof(type) on this device. */
typedef char gpi_monoid_size_must_be_sizeof_type[sizeof(GPI_T) == GPI_SIZE ? 1 : -1];

static GPI_T gpi_identity(void)
{
    const gpi_bits identity = {{GPI_IDENTITY_WORDS}};
    return gpi_bits_value(identity);
}

#if GPI_MAPS
#define GPI_FIELD_MAP(n)                    \
    if (gpi_where_##n(GPI_ARGS_PASSED row)) \
        a.f##n = gpi_field_make_##n(gpi_map_##n(GPI_ARGS_PASSED row), row);
/* Returns the element of a row: the identity in the fields for which the row does not count. */
static GPI_BASE gpi_row_element(GPI_ARGS_PARAMETER ulong row)
{
    GPI_BASE a = gpi_identity();
    GPI_FIELDS(GPI_FIELD_MAP)
    return a;
}
#endif
#endif
