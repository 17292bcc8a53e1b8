/* input.cl - which elements are picked: the source of gp_select, gp_partition, gp_unique and
   gp_run_length_encode, in place of element/input.cl.

       picked(i) = 1 where element i goes out, else 0

       GPI_PICK_PREDICATE   the caller's expression holds
       GPI_PICK_FLAGS       the flag beside it is not 0
       GPI_PICK_INDICES     entry i of a list of indices is one; the element is where it points to
       GPI_PICK_UNIQUE      it differs from the one before
       GPI_PICK_RUNS        it is the last of its run: it differs from the one after

   What tiles count, and tell each other:

       select, unique       how many are picked
       three parts          how many are in the first part, and in the second
       runs                 how many are picked, and where the run after them begins: one after the last
                            end of a run, so that a maximum combines it

   The host writes ahead:
       GPI_PICK             one of the above
       GPI_PARTS            3: of a partition in three, by a second predicate; else 1 or 2
       GPI_IN, GPI_IN_HALF  type of what is counted from, in memory: elements, flags or indices
       GPI_X                type of an element in expressions
       GPI_RECORD           type that moves an element
       GPI_NUMBER           uint or ulong: counts and positions
       gpi_predicate(x, i), gpi_predicate2(x, i), gpi_equal(x, y)   of the caller's expressions
       GPI_PLAIN            1: gpi_equal(x, y) is x == y, of what has vectors
       GPI_ALIKE            1: and x and y are then the same bits
       GPI_SINGLES          runs: 0 where runs of one element are left out                              */
#ifndef GPI_SELECT_INPUT_CL
#define GPI_SELECT_INPUT_CL
#include "base/count.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "element/monoid.cl"

#define GPI_PICK_PREDICATE 1
#define GPI_PICK_FLAGS 2
#define GPI_PICK_INDICES 3
#define GPI_PICK_UNIQUE 4
#define GPI_PICK_RUNS 5
#if GPI_PICK < 1 || GPI_PICK > 5 || GPI_PARTS < 1 || GPI_PARTS > 3
#error "GPI_PICK must be 1..5, GPI_PARTS 1..3"
#endif
#if GPI_PARTS == 3 && GPI_PICK != GPI_PICK_PREDICATE
#error "three parts take predicates"
#endif
#if (GPI_FIELD_COUNT == 0) != (GPI_PARTS == 3 || GPI_PICK == GPI_PICK_RUNS)
#error "two numbers a tile for three parts and for runs, else one"
#endif

/* Small enough to be passed by value through every layer. */
typedef struct gpi_source {
    __global const GPI_IN *in;       /* what is counted from */
    __global const GPI_RECORD *data; /* what is moved; the same elements where there are neither flags nor
                                        indices */
    ulong count, data_count;
} gpi_source;

#define GPI_SOURCE_PARAMETERS                                                                       \
    __global const GPI_IN *in, ulong in_offset, __global const GPI_RECORD *data, ulong data_offset, \
        ulong data_count, GPI_COUNT_PARAMETERS
#define GPI_SOURCE_SET(source)          \
    (source).in = in + in_offset;       \
    (source).data = data + data_offset; \
    (source).data_count = data_count;   \
    (source).count = gpi_count(bound, wanted, wanted_offset, wanted_words)

#if GPI_IN_HALF
#define GPI_READ_IN(p, i) vload_half(i, p)
#else
#define GPI_READ_IN(p, i) (p)[i]
#endif

/* Where what is moved for i is. For an index that leads nowhere, which is not picked, any place will do. */
static ulong gpi_place_of(gpi_source source, ulong i)
{
#if GPI_PICK == GPI_PICK_INDICES
    const ulong index = source.in[i];
    return index < source.data_count ? index : 0;
#else
    (void)source;
    return i;
#endif
}

#if GPI_PICK >= GPI_PICK_UNIQUE
static uint gpi_differ(gpi_source source, ulong i, ulong before)
{
    return gpi_equal(GPI_READ_IN(source.in, i), GPI_READ_IN(source.in, before)) ? 0 : 1;
}
#endif

/* Is element i, which is there, picked: 1 or 0. `inside`: it has a neighbour on either side. */
static uint gpi_picked(gpi_source source, ulong i, const bool inside)
{
#if GPI_PICK == GPI_PICK_PREDICATE
    return gpi_predicate(GPI_READ_IN(source.in, i), i);
#elif GPI_PICK == GPI_PICK_FLAGS
    return source.in[i] != 0 ? 1 : 0;
#elif GPI_PICK == GPI_PICK_INDICES
    return source.in[i] < source.data_count ? 1 : 0;
#elif GPI_PICK == GPI_PICK_UNIQUE
    return inside || i > 0 ? gpi_differ(source, i, i - 1) : 1;
#else
    return inside || i + 1 < source.count ? gpi_differ(source, i + 1, i) : 1;
#endif
}

/* Element i as what is counted. */
static GPI_T gpi_load(gpi_source source, ulong i)
{
    const uint picked = gpi_picked(source, i, false);
#if GPI_PARTS == 3
    GPI_T x;
    x.n = picked;
    x.m = picked ? 0 : gpi_predicate2(GPI_READ_IN(source.in, i), i);
    return x;
#elif GPI_PICK == GPI_PICK_RUNS
    GPI_T x;
    x.n = picked;
    x.m = picked ? (GPI_NUMBER)(i + 1) : 0;
#if !GPI_SINGLES
    if (picked && (i == 0 || gpi_differ(source, i, i - 1))) x.n = 0;
#endif
    return x;
#else
    return picked;
#endif
}

/* GPI_BY_MASKS 1: a serial tile is kept as masks (select/masks.cl), which takes AVX-512 and what it packs. */
#define GPI_BY_MASKS                                                                   \
    (GPI_SHAPE_SERIAL && GPI_PACKS && GPI_PARTS < 3 && GPI_PICK != GPI_PICK_INDICES && \
     GPI_RECORD_SIZE <= 8 && GPI_VALUE_SIZE <= 8)

#if GPI_LANES > 1 || GPI_BY_MASKS
#if GPI_PLAIN
#if GPI_IN_HALF
#define GPI_READ_RUN(p) vload_half16(0, p)
#else
#define GPI_READ_RUN(p) vload16(0, p)
#endif
#endif

/* Elements i .. i + 15, the numbers of selected ones. Runs: there is one more after them. */
static uint16 gpi_read_vector(gpi_source source, ulong i)
{
    uint lane[16];
#if GPI_PLAIN && GPI_PICK == GPI_PICK_RUNS
    return convert_uint16(GPI_READ_RUN(source.in + i + 1) != GPI_READ_RUN(source.in + i)) & 1u;
#elif GPI_PLAIN
    if (i > 0) return convert_uint16(GPI_READ_RUN(source.in + i) != GPI_READ_RUN(source.in + i - 1)) & 1u;
#endif
#if GPI_PICK == GPI_PICK_FLAGS
    return convert_uint16(vload16(0, source.in + i) != (GPI_VECTOR(GPI_IN))(0)) & 1u;
#endif
    if (GPI_PICK == GPI_PICK_UNIQUE && i == 0) {
        for (uint k = 0; k < 16; k++) lane[k] = gpi_picked(source, k, false);
    } else {
        for (uint k = 0; k < 16; k++) lane[k] = gpi_picked(source, i + k, true);
    }
    return vload16(0, lane);
}
#endif
#endif
