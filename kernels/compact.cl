/* compact.cl - what a group does with its tile, in each shape of tile.cl, once it knows what comes before it:
   bring the picked elements together, in their order.

       select         out[n picked before i] = element i, for each i that is picked
       partition      the same, and the others to the second part or to the rest, in their order too
       runs           out[n ended before], its length and where it begins, at each run's last element

       serial   one loop over the tile, which the counting has left in the cache. Without branches: each
                element is written where the next picked one goes, and the next one overwrites it unless it
                was picked. The loop ends with the tile's last picked element, so that nothing is written
                behind it, where the next tile's begin.
       local    the items note in the stage which element comes r-th, for all r of the tile; then they write
                in that order, neighbours to neighbours. Elements are read a second time, not kept: the
                stage is as small for records of 16 bytes, and the tile is in the cache.

   The host writes ahead:
       GPI_OUT              1: elements are wanted
       GPI_INDEX_OUT        1: so are their indices (runs: where they begin), of type GPI_PLACE
       GPI_LENGTHS          1: so are the runs' lengths, of type GPI_PLACE
       GPI_VALUE_SIZE       not 0: a GPI_BESIDE goes with each key                                        */
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

/* Vectors are packed where the device can do that, for what has lanes. */
#if GPI_PACKS && GPI_LANES == 16 && GPI_PICK != GPI_PICK_INDICES && GPI_RECORD_SIZE <= 8 && \
    GPI_VALUE_SIZE <= 8
#define GPI_BY_VECTORS 1
#define GPI_PACK_STORE_(size, to, from, i, mask) \
    GPI_PASTE(gpi_pack_store_, size)(to, vload16(0, (from) + (i)), mask)
#define GPI_PACK_STORE(size, to, from, i, mask) GPI_PACK_STORE_(size, to, from, i, mask)

/* Elements of a block: what is picked of it is found out first, in a loop that compilers turn into vectors.
 */
#define GPI_BLOCK 256u

/* Elements i .. i + GPI_BLOCK - 1, the numbers of picked ones. */
static void gpi_read_block(gpi_source source, ulong i, uint *picked)
{
#if GPI_PICK == GPI_PICK_FLAGS || GPI_PLAIN
    for (uint k = 0; k < GPI_BLOCK; k += GPI_LANES) vstore16(gpi_read_vector(source, i + k), 0, picked + k);
#else
    picked[0] = gpi_picked(source, i, false); /* may have nothing before it */
    for (uint k = 1; k < GPI_BLOCK; k++) picked[k] = gpi_picked(source, i + k, true);
#endif
}

/* What a vector step reads, one tile a running group ahead, and what it will soon write. */
static void gpi_prefetch_step(gpi_source source, ulong i, __global GPI_RECORD *to)
{
    gpi_prefetch_read(source, i + (ulong)GPI_TILES_ABREAST * GPI_TILE, GPI_LANES);
    GPI_PREFETCH_LINES(GPI_PREFETCH_WRITE, to + GPI_AHEAD / GPI_RECORD_SIZE, GPI_LANES * GPI_RECORD_SIZE);
}
#else
#define GPI_BY_VECTORS 0
#endif

#if GPI_PARTS == 1
#if GPI_BY_VECTORS
/* Elements i .. i + 15 go out from number j on. */
static void gpi_put_vector(gpi_source source, gpi_sink sink, GPI_NUMBER j, ulong i, uint mask)
{
#if GPI_OUT
    GPI_PACK_STORE(GPI_RECORD_SIZE, sink.out + j, source.data, i, mask);
#endif
#if GPI_INDEX_OUT
    const uint16 lane = (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#if GPI_PLACE_SIZE == 4
    gpi_pack_store_4(sink.index + j, (uint16)((uint)i) + lane, mask);
#else
    gpi_pack_store_8(sink.index + j, (ulong16)(i) + convert_ulong16(lane), mask);
#endif
#endif
#if GPI_VALUE_SIZE
    GPI_PACK_STORE(GPI_VALUE_SIZE, sink.values_out + j, sink.values, i, mask);
#endif
}
#endif

static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,
                             gpi_shared shared)
{
    const GPI_NUMBER end = GPI_PICKED(prefix) + GPI_PICKED(gpi_tile_aggregate(tile));
    GPI_T sum = prefix;
    ulong i = base;
    (void)shared;
#if GPI_BY_VECTORS
    const ulong behind = base + gpi_tile_length(source, base);
    uint picked[GPI_BLOCK];
    for (; sum < end && i + GPI_BLOCK <= behind; i += GPI_BLOCK) {
        gpi_read_block(source, i, picked);
        for (uint k = 0; k < GPI_BLOCK; k += GPI_LANES) {
            const uint mask = gpi_mask_of(vload16(0, picked + k));
            gpi_prefetch_step(source, i + k, sink.out + sum);
            gpi_put_vector(source, sink, sum, i + k, mask);
            sum += popcount(mask);
        }
    }
#endif
    for (; GPI_PICKED(sum) < end; i++) {
        gpi_put(source, sink, GPI_PICKED(sum), i, GPI_BEGIN(sum));
        sum = gpi_combine(sum, gpi_load(source, i));
    }
}
#else
static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_source source, ulong base, gpi_sink sink,
                             gpi_shared shared)
{
    const ulong end = base + gpi_tile_length(source, base);
    __global GPI_RECORD *first = sink.out + GPI_PICKED(prefix);
    __global GPI_RECORD *rest =
        sink.rest + sink.step * (long)(base - GPI_PICKED(prefix) - GPI_SECOND(prefix));
#if GPI_PARTS == 3
    __global GPI_RECORD *second = sink.second + GPI_SECOND(prefix);
#endif
    ulong i = base;
    (void)tile;
    (void)shared;
#if GPI_BY_VECTORS
    uint picked[GPI_BLOCK];
    for (; sink.step == 1 && i + GPI_BLOCK <= end; i += GPI_BLOCK) {
        gpi_read_block(source, i, picked);
        for (uint k = 0; k < GPI_BLOCK; k += GPI_LANES) {
            const uint mask = gpi_mask_of(vload16(0, picked + k));
            gpi_prefetch_step(source, i + k, first);
            GPI_PREFETCH_LINES(GPI_PREFETCH_WRITE, rest + GPI_AHEAD / GPI_RECORD_SIZE,
                               GPI_LANES * GPI_RECORD_SIZE);
            GPI_PACK_STORE(GPI_RECORD_SIZE, first, source.data, i + k, mask);
            GPI_PACK_STORE(GPI_RECORD_SIZE, rest, source.data, i + k, mask ^ 0xffffu);
            first += popcount(mask);
            rest += GPI_LANES - popcount(mask);
        }
    }
#endif
    for (; i < end; i++) {
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
                             gpi_shared shared)
{
    const uint length = gpi_tile_length(source, base);
    const GPI_T aggregate = tile->aggregate;
    const uint ranked = GPI_PARTS > 1 ? length : (uint)GPI_PICKED(aggregate);
    const uint l = (uint)get_local_id(0);
    GPI_T before = tile->before;
    for (uint j = 0; j < GPI_ITEMS; j++) {
        const uint i = l * GPI_ITEMS + j;
        const uint r = i < length ? gpi_rank(tile->item[j], before, aggregate, i) : ~0u;
        if (r != ~0u) shared->stage[GPI_PAD(r)] = gpi_entry(i, gpi_combine(prefix, before));
        before = gpi_combine(before, tile->item[j]);
    }
    barrier(CLK_LOCAL_MEM_FENCE); /* the stage is filled */
    for (uint j = 0; j < GPI_ITEMS; j++) {
        const uint r = j * GPI_WG + l;
        if (r < ranked) gpi_put_ranked(source, sink, prefix, aggregate, base, shared->stage[GPI_PAD(r)], r);
    }
}
#endif
