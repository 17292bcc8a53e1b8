/* compact.cl - what a group does with its tile, in each shape of tile.cl, once it knows what comes before it:
   bring the picked elements together, in their order.

       select         out[n picked before i] = element i, for each i that is picked
       partition      the same, and the others to the second part or to the rest, in their order too
       runs           out[n ended before], its length and where it begins, at each run's last element

       serial   one loop over the tile, which the counting has left in the cache. Without branches: each
                element is written where the next picked one goes, and the next one overwrites it unless it
                was picked. The loop ends with the tile's last picked element, so that nothing is written
                behind it, where the next tile's begin.
       masks    the same by vectors of 16, of which the picked ones are packed in a register and go out in
                lines (select/masks.cl, select/stream.cl); runs by blocks, whose ends are packed into a list
   first. local    the items note in the stage which element comes r-th, for all r of the tile; then they
   write in that order, neighbours to neighbours. Elements are read a second time, not kept: the stage is as
   small for records of 16 bytes, and the tile is in the cache.

   The host writes ahead:
       GPI_OUT              1: elements are wanted
       GPI_INDEX_OUT        1: so are their indices (runs: where they begin), of type GPI_PLACE
       GPI_LENGTHS          1: so are the runs' lengths, of type GPI_PLACE
       GPI_VALUE_SIZE       not 0: a GPI_BESIDE goes with each key                                        */
#ifndef GPI_SELECT_COMPACT_CL
#define GPI_SELECT_COMPACT_CL
#include "select/input.cl" /* first: it stands in place of element/input.cl */
#include "select/masks.cl" /* then this, of parts of scan/tile.cl */
#include "base/paste.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/tile.cl"
#include "select/stream.cl"

#if GPI_FIELD_COUNT == 0
#define GPI_PICKED(a) ((a).n)
#else
#define GPI_PICKED(a) (a)
#endif
#if GPI_PARTS == 3
#define GPI_SECOND(a) ((a).m)
#else
#define GPI_SECOND(a) 0
#endif

/* Where results go. */
typedef struct gpi_sink {
    __global GPI_RECORD *out;
    __global GPI_PLACE *index;
#if GPI_VALUE_SIZE
    __global const GPI_BESIDE *values;
    __global GPI_BESIDE *values_out;
#endif
#if GPI_PICK == GPI_PICK_RUNS
    __global GPI_PLACE *lengths;
#endif
#if GPI_PARTS > 1
    __global GPI_RECORD *second, *rest;
    uint where;
    long step; /* from one of the rest to the next */
#endif
    __global uint *counts; /* as many as there are parts */
    uint count_words;      /* of each: 1, 2; 0: not wanted */
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
#if GPI_PICK == GPI_PICK_RUNS
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

/* Where the parts after the first one stand. */
#define GPI_WHERE_APART 0    /* in buffers of their own */
#define GPI_WHERE_BEHIND 1   /* behind one another, which takes `total`, of the whole input */
#define GPI_WHERE_REVERSED 2 /* the rest from the output's end on, the first one last */

static gpi_sink gpi_sink_open(gpi_sink sink, GPI_T total, ulong count)
{
    gpi_sink s = sink;
#if GPI_PARTS > 1
    if (s.where == GPI_WHERE_BEHIND) {
        s.second = s.out + GPI_PICKED(total);
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

/* How many elements each part has. One item calls. */
static void gpi_counts_write(gpi_sink sink, GPI_T total, ulong count)
{
#if GPI_CLOSED
    sink.index[GPI_PICKED(total)] = (GPI_PLACE)count; /* where one more run would begin */
#endif
    if (sink.count_words == 0) return;
    gpi_number_write(sink, 0, GPI_PICKED(total));
#if GPI_PARTS == 2
    gpi_number_write(sink, 1, count - GPI_PICKED(total));
#elif GPI_PARTS == 3
    gpi_number_write(sink, 1, GPI_SECOND(total));
    gpi_number_write(sink, 2, count - GPI_PICKED(total) - GPI_SECOND(total));
#endif
}

#if GPI_PARTS == 1
/* Element i goes out as number j. `begin`: where its run begins. */
static void gpi_put(gpi_source source, gpi_sink sink, GPI_NUMBER j, ulong i, ulong begin)
{
    const ulong from = GPI_PICK == GPI_PICK_RUNS ? begin : gpi_place_of(source, i);
#if GPI_OUT
    sink.out[j] = source.data[from];
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

#if GPI_PICK == GPI_PICK_RUNS
#define GPI_BEGIN(sum) ((sum).m)
#else
#define GPI_BEGIN(sum) 0
#endif

#if GPI_SHAPE_SERIAL
/* ------------------------------------------------------------------ serial */

#if GPI_BY_MASKS
/* A tile's outputs on their way out: elements, their indices, and what goes beside: values, lengths or the
 * rest. */
typedef struct gpi_outs {
    gpi_stream elements, index, beside;
} gpi_outs;
#define GPI_OUTS 3

#if GPI_VALUE_SIZE
#define GPI_BESIDE_OUT 1
#define GPI_BESIDE_AT(sink, j, base) ((sink).values_out + (j))
#elif GPI_PICK == GPI_PICK_RUNS && GPI_LENGTHS
#define GPI_BESIDE_OUT 1
#define GPI_BESIDE_AT(sink, j, base) ((sink).lengths + (j))
#elif GPI_PARTS == 2
#define GPI_BESIDE_OUT 1
#define GPI_BESIDE_AT(sink, j, base) ((sink).rest + ((base) - (j)))
#else
#define GPI_BESIDE_OUT 0
#define GPI_BESIDE_AT(sink, j, base) ((sink).out)
#endif

/* Of the tile at `base`, before which j elements have been picked. */
GPI_INLINE void gpi_outs_open(gpi_outs *outs, gpi_source source, gpi_sink sink, ulong base, GPI_NUMBER j,
                              __private uchar (*near)[GPI_NEAR_BYTES])
{
    const bool past = source.count * GPI_RECORD_SIZE >= GPI_PAST_CACHES;
    outs->elements = gpi_stream_open(sink.out + j, near[0], past);
    outs->index = gpi_stream_open(sink.index + j, near[1], past);
    outs->beside = gpi_stream_open(GPI_BESIDE_AT(sink, j, base), near[2], past);
}

GPI_INLINE void gpi_outs_flush(gpi_outs *outs)
{
    if (GPI_OUT) outs->elements = gpi_stream_flush(outs->elements);
    if (GPI_INDEX_OUT) outs->index = gpi_stream_flush(outs->index);
    if (GPI_BESIDE_OUT) outs->beside = gpi_stream_flush(outs->beside);
}

GPI_INLINE void gpi_outs_close(gpi_outs *outs)
{
    if (GPI_OUT) gpi_stream_close(outs->elements);
    if (GPI_INDEX_OUT) gpi_stream_close(outs->index);
    if (GPI_BESIDE_OUT) gpi_stream_close(outs->beside);
}

/* What is read of elements i .. i + 15 is called in for the tile after those that run now. */
static void gpi_prefetch_tile(gpi_source source, ulong i)
{
    gpi_prefetch_read(source, i + (ulong)GPI_TILES_ABREAST * GPI_TILE, 16);
}

#if GPI_PICK == GPI_PICK_RUNS
/* Ends of runs in the block at i: at[0] is where the first one of them begins, at[r + 1] what is behind the
   r-th end. Returns how many there are. `at` has room for 16 more than a block's. */
static uint gpi_block_ends(const ushort *mask, ulong i, GPI_NUMBER begin, GPI_NUMBER *at)
{
    const uint16 behind = (uint16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    uint ends = 0;
    at[0] = begin;
    for (uint k = 0; k < GPI_MASKS_OF_BLOCK; k++) {
        const uint16 packed = gpi_pack_lanes(behind + 16 * k, mask[k]);
        vstore16((GPI_VECTOR(GPI_NUMBER))((GPI_NUMBER)i) + GPI_CONVERT(GPI_NUMBER, packed), 0, at + 1 + ends);
        ends += popcount((uint)mask[k]);
    }
    return ends;
}

/* `ends` numbers or elements behind what the stream has. */
#define GPI_STREAM_LOOP(type, s, ends, value)                            \
    do {                                                                 \
        __private type *to = (__private type *)((s)->near + (s)->count); \
        for (uint r = 0; r < (ends); r++) to[r] = (type)(value);         \
        (s)->count += (ends) * sizeof(type);                             \
    } while (0)

/* The runs that end in the block at i, all of them. Where equal elements are alike, the last one of a run
 * will do. */
GPI_INLINE void gpi_put_runs(gpi_outs *outs, gpi_source source, const GPI_NUMBER *at, uint ends,
                             const ushort *mask, ulong i, bool whole)
{
#if GPI_OUT
    for (uint k = 0; k < GPI_MASKS_OF_BLOCK && GPI_ALIKE && whole; k++)
        GPI_STREAM_PACK(GPI_RECORD_SIZE, &outs->elements, vload16(0, source.data + i + 16 * k), mask[k]);
    if (!GPI_ALIKE || !whole) GPI_STREAM_LOOP(GPI_RECORD, &outs->elements, ends, source.data[at[r]]);
#endif
#if GPI_INDEX_OUT
    GPI_STREAM_LOOP(GPI_PLACE, &outs->index, ends, at[r]);
#endif
#if GPI_LENGTHS
    GPI_STREAM_LOOP(GPI_PLACE, &outs->beside, ends, at[r + 1] - at[r]);
#endif
    gpi_outs_flush(outs);
}

/* Those of more than one element, from number j on; returns how many. */
static uint gpi_put_long_runs(gpi_source source, gpi_sink sink, GPI_NUMBER j, const GPI_NUMBER *at, uint ends)
{
    uint n = 0;
    for (uint r = 0; r < ends; r++) {
        if (at[r + 1] - at[r] > 1) gpi_put(source, sink, j + n++, at[r + 1] - 1, at[r]);
    }
    return n;
}

static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    __private uchar near[GPI_OUTS][GPI_NEAR_BYTES] __attribute__((aligned(GPI_TILE_LINE)));
    GPI_NUMBER at[GPI_MASKS_BLOCK + 17], j = prefix.n, begin = prefix.m;
    gpi_outs outs;
    (void)shared;
    gpi_outs_open(&outs, source, sink, base, j, near);
    for (uint i = 0; i < length; i += GPI_MASKS_BLOCK) {
        const ushort *mask = tile->mask + i / 16;
        const uint ends = gpi_block_ends(mask, base + i, begin, at);
        for (uint k = 0; k < GPI_MASKS_BLOCK; k += 16) gpi_prefetch_tile(source, base + i + k);
        if (GPI_SINGLES) gpi_put_runs(&outs, source, at, ends, mask, base + i, i + GPI_MASKS_BLOCK <= length);
        else j += gpi_put_long_runs(source, sink, j, at, ends);
        begin = at[ends];
    }
    if (GPI_SINGLES) gpi_outs_close(&outs);
}

#else
/* The picked ones of elements i .. i + 15; of a partition the others too. */
GPI_INLINE void gpi_put_vector(gpi_outs *outs, gpi_source source, gpi_sink sink, ulong i, uint mask)
{
#if GPI_OUT
    GPI_STREAM_PACK(GPI_RECORD_SIZE, &outs->elements, vload16(0, source.data + i), mask);
#endif
#if GPI_INDEX_OUT
    const GPI_VECTOR(GPI_PLACE) lane =
        (GPI_VECTOR(GPI_PLACE))(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    GPI_STREAM_PACK(GPI_PLACE_SIZE, &outs->index, (GPI_PLACE)i + lane, mask);
#endif
#if GPI_VALUE_SIZE
    GPI_STREAM_PACK(GPI_VALUE_SIZE, &outs->beside, vload16(0, sink.values + i), mask);
#endif
#if GPI_PARTS == 2
    GPI_STREAM_PACK(GPI_RECORD_SIZE, &outs->beside, vload16(0, source.data + i), mask ^ 0xffffu);
#endif
}

/* Element i, before which j have been picked. */
static void gpi_put_single(gpi_source source, gpi_sink sink, GPI_NUMBER j, ulong i, bool picked)
{
#if GPI_PARTS == 2
    if (picked) sink.out[j] = source.data[i];
    else sink.rest[sink.step * (long)(i - j)] = source.data[i];
#else
    if (picked) gpi_put(source, sink, j, i, 0);
#endif
}

/* Blocks by vectors, unless the rest is written backwards, and then what is left. Of a selection nothing is
   left behind the last picked element. */
static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    const GPI_NUMBER end = GPI_PARTS == 1 ? prefix + tile->sum : ~(GPI_NUMBER)0;
#if GPI_PARTS == 2
    const bool onward = sink.step == 1;
#else
    const bool onward = true;
#endif
    __private uchar near[GPI_OUTS][GPI_NEAR_BYTES] __attribute__((aligned(GPI_TILE_LINE)));
    GPI_NUMBER j = prefix;
    gpi_outs outs;
    uint i = 0;
    (void)shared;
    gpi_outs_open(&outs, source, sink, base, j, near);
    for (; onward && j < end && i + GPI_MASKS_BLOCK <= length; i += GPI_MASKS_BLOCK) {
        for (uint k = i; k < i + GPI_MASKS_BLOCK; k += 16) {
            const uint mask = tile->mask[k / 16];
            gpi_prefetch_tile(source, base + k);
            gpi_put_vector(&outs, source, sink, base + k, mask);
            j += popcount(mask);
        }
        gpi_outs_flush(&outs);
    }
    gpi_outs_close(&outs);
    for (; j < end && i < length; i++) {
        const bool picked = (tile->mask[i / 16] >> i % 16 & 1) != 0;
        gpi_put_single(source, sink, j, base + i, picked);
        j += picked;
    }
}
#endif

#elif GPI_PARTS == 1
static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const GPI_NUMBER end = GPI_PICKED(prefix) + GPI_PICKED(gpi_tile_aggregate(tile));
    GPI_T sum = prefix;
    (void)shared;
    for (ulong i = base; GPI_PICKED(sum) < end; i++) {
        gpi_put(source, sink, GPI_PICKED(sum), i, GPI_BEGIN(sum));
        sum = gpi_combine(sum, gpi_load(source, i));
    }
}

#else
static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const ulong end = base + gpi_tile_length(source, base);
    __global GPI_RECORD *first = sink.out + GPI_PICKED(prefix);
    __global GPI_RECORD *rest =
        sink.rest + sink.step * (long)(base - GPI_PICKED(prefix) - GPI_SECOND(prefix));
#if GPI_PARTS == 3
    __global GPI_RECORD *second = sink.second + GPI_SECOND(prefix);
#endif
    (void)tile;
    (void)shared;
    for (ulong i = base; i < end; i++) {
        const GPI_T x = gpi_load(source, i);
        const bool is_first = GPI_PICKED(x) != 0;
#if GPI_PARTS == 3
        const bool is_second = GPI_SECOND(x) != 0;
        *(is_first ? first : is_second ? second : rest) = source.data[i];
        second += is_second;
        rest += is_first || is_second ? 0 : sink.step;
#else
        *(is_first ? first : rest) = source.data[i];
        rest += is_first ? 0 : sink.step;
#endif
        first += is_first;
    }
}
#endif

#else
/* ------------------------------------------------------------------ local */

/* What the stage holds of the element that comes r-th: which one of the tile it is, and with runs where its
   run begins. */
static GPI_T gpi_entry(uint i, GPI_T sum)
{
    GPI_T entry = sum;
    GPI_PICKED(entry) = i;
    return entry;
}

/* Where in the tile's order of output an element comes: all first ones, all second ones, the rest. ~0u: none
   of them. `before`: of the tile's elements before i. */
static uint gpi_rank(GPI_T x, GPI_T before, GPI_T aggregate, uint i)
{
    if (GPI_PICKED(x)) return (uint)GPI_PICKED(before);
#if GPI_PARTS == 3
    if (GPI_SECOND(x)) return (uint)(GPI_PICKED(aggregate) + GPI_SECOND(before));
#endif
#if GPI_PARTS > 1
    return (uint)(GPI_PICKED(aggregate) + GPI_SECOND(aggregate) + i - GPI_PICKED(before) -
                  GPI_SECOND(before));
#else
    return ~0u;
#endif
}

/* The r-th of the tile goes out. */
static void gpi_put_ranked(gpi_source source, gpi_sink sink, GPI_T prefix, GPI_T aggregate, ulong base,
                           GPI_T entry, uint r)
{
    const ulong i = base + GPI_PICKED(entry);
#if GPI_PARTS == 1
    gpi_put(source, sink, (GPI_NUMBER)(GPI_PICKED(prefix) + r), i, GPI_BEGIN(entry));
#else
    const uint firsts = (uint)GPI_PICKED(aggregate), seconds = (uint)GPI_SECOND(aggregate);
    const ulong rest = base - GPI_PICKED(prefix) - GPI_SECOND(prefix);
    const GPI_RECORD x = source.data[i];
    if (r < firsts) sink.out[GPI_PICKED(prefix) + r] = x;
    else if (r < firsts + seconds) sink.second[GPI_SECOND(prefix) + (r - firsts)] = x;
    else sink.rest[sink.step * (long)(rest + (r - firsts - seconds))] = x;
#endif
}

static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    const GPI_T aggregate = tile->aggregate;
    const uint ranked = GPI_PARTS > 1 ? length : (uint)GPI_PICKED(aggregate);
    const uint l = (uint)get_local_id(0);
    GPI_T before = tile->before;
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint i = l * GPI_PER_ITEM + j;
        const uint r = i < length ? gpi_rank(tile->item[j], before, aggregate, i) : ~0u;
        if (r != ~0u) shared->stage[GPI_TILE_PAD(r)] = gpi_entry(i, gpi_combine(prefix, before));
        before = gpi_combine(before, tile->item[j]);
    }
    gpi_sync(); /* the stage is filled */
    for (uint j = 0; j < GPI_PER_ITEM; j++) {
        const uint r = j * GPI_WG + l;
        if (r < ranked)
            gpi_put_ranked(source, sink, prefix, aggregate, base, shared->stage[GPI_TILE_PAD(r)], r);
    }
}
#endif
#endif
