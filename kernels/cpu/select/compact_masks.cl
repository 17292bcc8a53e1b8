/* compact_masks.cl - compacts a tile by vectors of 16: the selected elements of a vector are packed in a register, and
   written by cache lines (select/masks.cl, select/stream.cl). Runs are compacted by blocks, whose ends are first packed
   into a list. Without GPI_BY_MASKS this file is empty. */
#ifndef GPI_SELECT_COMPACT_MASKS_CL
#define GPI_SELECT_COMPACT_MASKS_CL
#include "select/input_vectors.cl" /* included first, because it replaces element/input.cl */
#include "select/masks.cl"         /* included second, because it replaces parts of scan/tile.cl */
#include "base/paste.cl"
#include "base/platform.cl"
#include "vector/lanes.cl"
#include "element/monoid.cl"
#include "scan/tile.cl"
#include "scan/tile_input.cl"
#include "select/sink.cl"
#include "select/stream.cl"

#if GPI_BY_MASKS
/* The streams to which a tile's outputs are written: elements, their indices, and `beside`, which has values, lengths or the
   rest. */
typedef struct gpi_outs {
    gpi_stream elements, index, beside;
} gpi_outs;
#define GPI_OUTS 3

#if GPI_VALUE_SIZE
#define GPI_BESIDE_OUT 1
#define GPI_BESIDE_AT(sink, j, base) ((sink).values_out + (j))
#elif GPI_SELECT_BY == GPI_SELECT_BY_RUNS && GPI_LENGTHS
#define GPI_BESIDE_OUT 1
#define GPI_BESIDE_AT(sink, j, base) ((sink).lengths + (j))
#elif GPI_PARTS == 2
#define GPI_BESIDE_OUT 1
#define GPI_BESIDE_AT(sink, j, base) ((sink).rest + ((base) - (j)))
#else
#define GPI_BESIDE_OUT 0
#define GPI_BESIDE_AT(sink, j, base) ((sink).out)
#endif

/* Opens the streams of the tile at `base`, before which j elements have been selected. */
GPI_INLINE void gpi_outs_open(gpi_outs *outs, gpi_input input, gpi_sink sink, ulong base, GPI_NUMBER j,
                              __private uchar (*near)[GPI_NEAR_BYTES])
{
    const bool past = input.count * GPI_RECORD_SIZE >= GPI_PAST_CACHES;
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

/* Prefetches the 16 elements that are GPI_TILES_ABREAST tiles after element i. */
static void gpi_prefetch_tile(gpi_input input, ulong i)
{
    gpi_prefetch_read(input, i + (ulong)GPI_TILES_ABREAST * GPI_TILE, 16);
}

#if GPI_SELECT_BY == GPI_SELECT_BY_RUNS
/* Returns how many runs end in the block at i. Writes `begin`, where the first of them begins, to at[0], and the index after the
   r-th end to at[r + 1]. `at` must have room for 16 elements more than a block has. */
static uint gpi_block_ends(const ushort *mask, ulong i, GPI_NUMBER begin, GPI_NUMBER *at)
{
    const uint16 after = (uint16)(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    uint ends = 0, place[GPI_MASKS_BLOCK + 16];
    at[0] = begin;
    for (uint k = 0; k < GPI_MASKS_OF_BLOCK; k++) {
        gpi_pack_near_4((uchar *)(place + ends), after + 16 * k, mask[k]);
        ends += popcount((uint)mask[k]);
    }
    for (uint r = 0; r < ends; r++) at[1 + r] = (GPI_NUMBER)i + place[r];
    return ends;
}

/* Appends `ends` values to the stream s. */
#define GPI_STREAM_LOOP(type, s, ends, value)                            \
    do {                                                                 \
        __private type *to = (__private type *)((s)->near + (s)->count); \
        for (uint r = 0; r < (ends); r++) to[r] = (type)(value);         \
        (s)->count += (ends) * sizeof(type);                             \
    } while (0)

/* Writes all runs that end in the block at i. If equal elements have the same bits, writes a run's last element instead of its
   first. */
GPI_INLINE void gpi_put_runs(gpi_outs *outs, gpi_input input, const GPI_NUMBER *at, uint ends,
                             const ushort *mask, ulong i, bool whole)
{
#if GPI_OUT
    for (uint k = 0; k < GPI_MASKS_OF_BLOCK && GPI_ALIKE && whole; k++)
        GPI_STREAM_PACK(GPI_RECORD_SIZE, &outs->elements, vload16(0, input.data + i + 16 * k), mask[k]);
    if (!GPI_ALIKE || !whole) GPI_STREAM_LOOP(GPI_RECORD, &outs->elements, ends, input.data[at[r]]);
#endif
#if GPI_INDEX_OUT
    GPI_STREAM_LOOP(GPI_PLACE, &outs->index, ends, at[r]);
#endif
#if GPI_LENGTHS
    GPI_STREAM_LOOP(GPI_PLACE, &outs->beside, ends, at[r + 1] - at[r]);
#endif
    gpi_outs_flush(outs);
}

/* Writes the runs of more than one element, as outputs j, j + 1, ... Returns how many there are. */
static uint gpi_put_long_runs(gpi_input input, gpi_sink sink, GPI_NUMBER j, const GPI_NUMBER *at, uint ends)
{
    uint n = 0;
    for (uint r = 0; r < ends; r++) {
        if (at[r + 1] - at[r] > 1) gpi_put(input, sink, j + n++, at[r + 1] - 1, at[r]);
    }
    return n;
}

static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
    __private uchar near[GPI_OUTS][GPI_NEAR_BYTES] __attribute__((aligned(GPI_TILE_LINE)));
    GPI_NUMBER at[GPI_MASKS_BLOCK + 17], j = prefix.n, begin = prefix.m;
    gpi_outs outs;
    (void)shared;
    gpi_outs_open(&outs, input, sink, base, j, near);
    for (uint i = 0; i < length; i += GPI_MASKS_BLOCK) {
        const ushort *mask = tile->mask + i / 16;
        const uint ends = gpi_block_ends(mask, base + i, begin, at);
        for (uint k = 0; k < GPI_MASKS_BLOCK; k += 16) gpi_prefetch_tile(input, base + i + k);
        if (GPI_SINGLES) gpi_put_runs(&outs, input, at, ends, mask, base + i, i + GPI_MASKS_BLOCK <= length);
        else j += gpi_put_long_runs(input, sink, j, at, ends);
        begin = at[ends];
    }
    if (GPI_SINGLES) gpi_outs_close(&outs);
}

#else
/* Appends those of the elements i ... i + 15 that are selected to the streams. In a partition, also appends the others to the
   stream of the rest. */
GPI_INLINE void gpi_put_picked(gpi_outs *outs, gpi_input input, gpi_sink sink, ulong i, uint mask)
{
#if GPI_OUT
    if (GPI_PARTS == 1 || mask != 0) /* in a selection, a branch costs more than packing nothing */
        GPI_STREAM_PACK(GPI_RECORD_SIZE, &outs->elements, vload16(0, input.data + i), mask);
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
    if (mask != 0xffff)
        GPI_STREAM_PACK(GPI_RECORD_SIZE, &outs->beside, vload16(0, input.data + i), mask ^ 0xffffu);
#endif
}

/* Writes element i if it belongs to an output. j elements before it are selected. */
static void gpi_put_single(gpi_input input, gpi_sink sink, GPI_NUMBER j, ulong i, bool selected)
{
#if GPI_PARTS == 2
    if (selected) sink.out[j] = input.data[i];
    else sink.rest[sink.step * (long)(i - j)] = input.data[i];
#else
    if (selected) gpi_put(input, sink, j, i, 0);
#endif
}

/* Writes the tile: first whole blocks by vectors, unless the rest is written backwards, and then the remaining elements one by
   one. A selection ends after the tile's last selected element. */
static void gpi_tile_compact(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base, gpi_sink sink,
                             gpi_tile_shared shared)
{
    const uint length = gpi_tile_length(input, base);
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
    gpi_outs_open(&outs, input, sink, base, j, near);
    for (; onward && j < end && i + GPI_MASKS_BLOCK <= length; i += GPI_MASKS_BLOCK) {
        for (uint k = i; k < i + GPI_MASKS_BLOCK; k += 16) {
            const uint mask = tile->mask[k / 16];
            gpi_prefetch_tile(input, base + k);
            gpi_put_picked(&outs, input, sink, base + k, mask);
            j += popcount(mask);
        }
        gpi_outs_flush(&outs);
    }
    gpi_outs_close(&outs);
    for (; j < end && i < length; i++) {
        const bool selected = (tile->mask[i / 16] >> i % 16 & 1) != 0;
        gpi_put_single(input, sink, j, base + i, selected);
        j += selected;
    }
}
#endif
#endif
#endif
