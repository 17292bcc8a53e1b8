/* sink.cl - writes the selected elements, and how many there are.

   The prelude defines:
       GPI_OUT              1: elements are wanted
       GPI_INDEX_OUT        1: indices are wanted (runs: where each begins), of type GPI_PLACE
       GPI_CLOSED           1: the number of the input's elements is written after the last index
       GPI_LENGTHS          1: the runs' lengths are wanted, of type GPI_PLACE
       GPI_VALUE_SIZE       not 0: a value of type GPI_BESIDE is moved with each key */
#ifndef GPI_SELECT_SINK_CL
#define GPI_SELECT_SINK_CL
#include "select/input.cl" /* included first, because it replaces element/input.cl */
#include "element/monoid.cl"
#include "select/constants.cl"

#if GPI_FIELD_COUNT == 0
#define GPI_SELECTED(a) ((a).n)
#else
#define GPI_SELECTED(a) (a)
#endif
#if GPI_PARTS == 3
#define GPI_SECOND(a) ((a).m)
#else
#define GPI_SECOND(a) 0
#endif

typedef struct gpi_sink {
    __global GPI_RECORD *out;
    __global GPI_PLACE *index;
#if GPI_VALUE_SIZE
    __global const GPI_BESIDE *values;
    __global GPI_BESIDE *values_out;
#endif
#if GPI_SELECT_BY == GPI_SELECT_BY_RUNS
    __global GPI_PLACE *lengths;
#endif
#if GPI_PARTS > 1
    __global GPI_RECORD *second, *rest;
    uint where;
    long step; /* distance in `rest` from one element to the next */
#endif
    __global uint *counts; /* one for each part */
    uint count_words;      /* words of a count: 1, 2; 0: counts are not wanted */
} gpi_sink;

#if GPI_VALUE_SIZE
#define GPI_VALUES_PARAMETERS                                                                \
    __global const GPI_BESIDE *values, ulong values_offset, __global GPI_BESIDE *values_out, \
        ulong values_out_offset,
#define GPI_VALUES_SET(sink)                \
    (sink).values = values + values_offset; \
    (sink).values_out = values_out + values_out_offset;
#else
#define GPI_VALUES_PARAMETERS
#define GPI_VALUES_SET(sink)
#endif
#if GPI_SELECT_BY == GPI_SELECT_BY_RUNS
#define GPI_LENGTHS_PARAMETERS __global GPI_PLACE *lengths, ulong lengths_offset,
#define GPI_LENGTHS_SET(sink) (sink).lengths = lengths + lengths_offset;
#else
#define GPI_LENGTHS_PARAMETERS
#define GPI_LENGTHS_SET(sink)
#endif
#if GPI_PARTS > 1
#define GPI_PARTS_PARAMETERS                                                                        \
    __global GPI_RECORD *second, ulong second_offset, __global GPI_RECORD *rest, ulong rest_offset, \
        uint where,
#define GPI_PARTS_SET(sink)                 \
    (sink).second = second + second_offset; \
    (sink).rest = rest + rest_offset;       \
    (sink).where = where;                   \
    (sink).step = 1;
#else
#define GPI_PARTS_PARAMETERS
#define GPI_PARTS_SET(sink)
#endif
#define GPI_SINK_PARAMETERS                                                                      \
    __global GPI_RECORD *out, ulong out_offset, __global GPI_PLACE *index, ulong index_offset,   \
        GPI_VALUES_PARAMETERS GPI_LENGTHS_PARAMETERS GPI_PARTS_PARAMETERS __global uint *counts, \
        ulong counts_offset, uint count_words
#define GPI_SINK_SET(sink)                                                                         \
    (sink).out = out + out_offset;                                                                 \
    (sink).index = index + index_offset;                                                           \
    GPI_VALUES_SET(sink)                                                                           \
    GPI_LENGTHS_SET(sink) GPI_PARTS_SET(sink)(sink).counts = counts + counts_offset * count_words; \
    (sink).count_words = count_words

static gpi_sink gpi_sink_open(gpi_sink sink, GPI_T total, ulong count)
{
    gpi_sink s = sink;
#if GPI_PARTS > 1
    if (s.where == GPI_WHERE_AFTER) {
        s.second = s.out + GPI_SELECTED(total);
        s.rest = s.second + GPI_SECOND(total);
    }
    if (s.where == GPI_WHERE_REVERSED) {
        s.rest = s.out + count - 1;
        s.step = -1;
    }
#endif
    return s;
}

static void gpi_number_write(gpi_sink sink, uint k, ulong x)
{
    sink.counts[k * sink.count_words] = (uint)x;
    if (sink.count_words == 2) sink.counts[k * sink.count_words + 1] = (uint)(x >> 32);
}

/* Writes how many elements each part has, if this is wanted. With GPI_CLOSED, also writes `count` after the last index. Called
   by one item only. */
static void gpi_counts_write(gpi_sink sink, GPI_T total, ulong count)
{
#if GPI_CLOSED
    sink.index[GPI_SELECTED(total)] = (GPI_PLACE)count; /* as if one more run began there */
#endif
    if (sink.count_words == 0) return;
    gpi_number_write(sink, 0, GPI_SELECTED(total));
#if GPI_PARTS == 2
    gpi_number_write(sink, 1, count - GPI_SELECTED(total));
#elif GPI_PARTS == 3
    gpi_number_write(sink, 1, GPI_SECOND(total));
    gpi_number_write(sink, 2, count - GPI_SELECTED(total) - GPI_SECOND(total));
#endif
}

#if GPI_PARTS == 1
/* Writes output j: the element that i selects, or, for runs, the first element, the start and the length of the run
   [begin, i]. */
static void gpi_put(gpi_input input, gpi_sink sink, GPI_NUMBER j, ulong i, ulong begin)
{
    const ulong from = GPI_SELECT_BY == GPI_SELECT_BY_RUNS ? begin : gpi_place_of(input, i);
#if GPI_OUT
    sink.out[j] = input.data[from];
#endif
#if GPI_INDEX_OUT
    sink.index[j] = (GPI_PLACE)from;
#endif
#if GPI_LENGTHS
    sink.lengths[j] = (GPI_PLACE)(i + 1 - begin);
#endif
#if GPI_VALUE_SIZE
    sink.values_out[j] = sink.values[from];
#endif
}
#endif

#if GPI_SELECT_BY == GPI_SELECT_BY_RUNS
#define GPI_BEGIN(sum) ((sum).m)
#else
#define GPI_BEGIN(sum) 0
#endif
#endif
