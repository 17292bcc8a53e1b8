/* input.cl - decides which elements are selected by gp_select, gp_partition, gp_unique and gp_run_length_encode. In their
   programs it replaces element/input.cl.

       selected(i) = 1 if element i is selected, else 0

       GPI_SELECT_BY_PREDICATE   the caller's expression holds
       GPI_SELECT_BY_FLAGS       the element's flag is not 0
       GPI_SELECT_BY_INDICES     entry i of a list of indices is within the data, and names the element
       GPI_SELECT_BY_UNIQUE      the element differs from the one before
       GPI_SELECT_BY_RUNS        the element is the last of its run: it differs from the one after

   Tiles count, and publish:

       select, unique       how many elements are selected
       three parts          how many elements are in the first part, and in the second
       runs                 how many elements are selected, and where the next run begins: just after the last
                            end of a run. Such positions are combined by their maximum

   The prelude defines:
       GPI_SELECT_BY             one of the above
       GPI_PARTS            1: a selection; 2: a partition; 3: a partition in three, by a second predicate
       GPI_IN, GPI_IN_HALF  type in memory of the array that decides: elements, flags or indices
       GPI_X                type of an element in expressions
       GPI_RECORD           type that moves an element, of GPI_RECORD_SIZE bytes: a number, or a struct of words
       GPI_NUMBER           uint or ulong: counts and positions
       gpi_predicate(x, i), gpi_predicate2(x, i), gpi_equal(x, y)   the caller's expressions
       GPI_IN_NUMBER        1: GPI_IN is a number, or a vector of GPI_RECORD's size, no struct
       GPI_PLAIN            1: gpi_equal(x, y) is x == y, of a type that has vectors
       GPI_ALIKE            1: in addition, equal x and y have the same bits
       GPI_SINGLES          0: runs of one element are left out                                      */
#ifndef GPI_SELECT_INPUT_CL
#define GPI_SELECT_INPUT_CL
#include "base/args.cl"
#include "base/arrays.cl"
#include "base/count.cl"
#include "base/paste.cl"
#include "base/platform.cl"
#include "element/monoid.cl"
#include "select/constants.cl"

#if GPI_SELECT_BY < 1 || GPI_SELECT_BY > 5 || GPI_PARTS < 1 || GPI_PARTS > 3
#error "GPI_SELECT_BY must be 1..5, GPI_PARTS 1..3"
#endif
#if GPI_PARTS == 3 && GPI_SELECT_BY != GPI_SELECT_BY_PREDICATE
#error "three parts take predicates"
#endif
#if (GPI_FIELD_COUNT == 0) != (GPI_PARTS == 3 || GPI_SELECT_BY == GPI_SELECT_BY_RUNS)
#error "two numbers a tile for three parts and for runs, else one"
#endif

/* The input arrays (base/arrays.cl). `in` decides what is selected, and `data` has the elements to move. Both are one
   array unless `in` has flags or indices. */
#define GPI_INPUT_ARRAYS(use, to) use(to, GPI_IN, in) use(to, GPI_RECORD, data)

/* An input. It is small enough to be passed by value to every function. */
typedef struct gpi_input {
    GPI_INPUT_ARRAYS(GPI_ARRAY_MEMBER, _)
    ulong count, data_count;
    GPI_ARGS_MEMBER
} gpi_input;

#define GPI_INPUT_PARAMETERS                                     \
    GPI_ARGS_PARAMETERS GPI_INPUT_ARRAYS(GPI_ARRAY_PARAMETER, _) \
    ulong data_count, GPI_COUNT_PARAMETERS
#define GPI_INPUT_SET(input)               \
    GPI_ARGS_SET(input)                    \
    GPI_INPUT_ARRAYS(GPI_ARRAY_SET, input) \
    (input).data_count = data_count;       \
    (input).count = gpi_count(bound, wanted, wanted_offset, wanted_words)

#if GPI_IN_HALF
#define GPI_READ_IN(p, i) vload_half(i, p)
#else
#define GPI_READ_IN(p, i) (p)[i]
#endif

/* Returns the position, in input.data, of the element to move for i. If the index is beyond the data, the element is not
   selected, and 0 is returned. */
static ulong gpi_place_of(gpi_input input, ulong i)
{
#if GPI_SELECT_BY == GPI_SELECT_BY_INDICES
    const ulong index = input.in[i];
    return index < input.data_count ? index : 0;
#else
    (void)input;
    return i;
#endif
}

#if GPI_SELECT_BY >= GPI_SELECT_BY_UNIQUE
static uint gpi_differ(gpi_input input, ulong i, ulong before)
{
    return gpi_equal(GPI_ARGS_OF(input) GPI_READ_IN(input.in, i), GPI_READ_IN(input.in, before)) ? 0 : 1;
}
#endif

/* Returns 1 if element i < input.count is selected, else 0. `inside`: element i is known to have the neighbour that it is
   compared with. */
static uint gpi_is_selected(gpi_input input, ulong i, const bool inside)
{
#if GPI_SELECT_BY == GPI_SELECT_BY_PREDICATE
    return gpi_predicate(GPI_ARGS_OF(input) GPI_READ_IN(input.in, i), i);
#elif GPI_SELECT_BY == GPI_SELECT_BY_FLAGS
    return input.in[i] != 0 ? 1 : 0;
#elif GPI_SELECT_BY == GPI_SELECT_BY_INDICES
    return input.in[i] < input.data_count ? 1 : 0;
#elif GPI_SELECT_BY == GPI_SELECT_BY_UNIQUE
    return inside || i > 0 ? gpi_differ(input, i, i - 1) : 1;
#else
    return inside || i + 1 < input.count ? gpi_differ(input, i + 1, i) : 1;
#endif
}

/* Returns element i's contribution to the tile's counts. */
static GPI_T gpi_load(gpi_input input, ulong i)
{
    const uint selected = gpi_is_selected(input, i, false);
#if GPI_PARTS == 3
    GPI_T x;
    x.n = selected;
    x.m = selected ? 0 : gpi_predicate2(GPI_ARGS_OF(input) GPI_READ_IN(input.in, i), i);
    return x;
#elif GPI_SELECT_BY == GPI_SELECT_BY_RUNS
    GPI_T x;
    x.n = selected;
    x.m = selected ? (GPI_NUMBER)(i + 1) : 0;
#if !GPI_SINGLES
    if (selected && (i == 0 || gpi_differ(input, i, i - 1))) x.n = 0;
#endif
    return x;
#else
    return selected;
#endif
}

/* 1: a GPI_RECORD has the size of a number or a vector. */
#define GPI_RECORD_PLAIN (GPI_RECORD_SIZE <= 16 && (GPI_RECORD_SIZE & (GPI_RECORD_SIZE - 1)) == 0)
#endif
