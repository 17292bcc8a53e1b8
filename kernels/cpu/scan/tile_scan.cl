/* tile_scan.cl - scans a tile: vectors of 16 elements in registers, sums of bytes 64 at a time, and elements
   without vectors one by one, in the chains of scan/tile.cl. */
#ifndef GPI_SCAN_TILE_SCAN_CL
#define GPI_SCAN_TILE_SCAN_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "vector/bytes.cl"
#include "element/input_vectors.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/bytes_scan.cl"
#include "scan/lanes_scan.cl"
#include "scan/tile.cl"
#include "scan/tile_input.cl"
#include "scan/tile_sink.cl"

static void gpi_prefetch_write(gpi_input input, gpi_sink sink, ulong i, uint elements)
{
    const ulong position = GPI_REVERSE ? input.count - i - elements : i;
    GPI_PREFETCH_LINES(GPI_PREFETCH_WRITE, sink.out + position, elements * sizeof(GPI_OUT));
}

/* Prefetches for the scan of `elements` elements at i: the input `ahead` elements ahead, the output GPI_TILE_AHEAD bytes ahead. */
static void gpi_prefetch_scan(gpi_input input, gpi_sink sink, ulong i, uint elements, const ulong ahead)
{
    gpi_prefetch_read(input, i + ahead, elements);
    gpi_prefetch_write(input, sink, i + GPI_TILE_AHEAD / sizeof(GPI_OUT), elements);
}

/* Writes the result for element i, before which the product is `sum`. Returns the product before element i + 1. */
GPI_INLINE GPI_T gpi_scan_one(gpi_input input, gpi_sink sink, ulong i, GPI_T sum, const bool exclusive)
{
    const GPI_T x = gpi_load(input, i);
    const GPI_T next = gpi_combine(GPI_COMBINE_OF(input) sum, x);
    gpi_put(sink, gpi_position(input, i), exclusive ? gpi_before(sum, x) : next);
    return next;
}

#if GPI_LANES > 1
/* Vectors that share a cache line are prefetched together: GPI_SCAN_STEP of them. */
#define GPI_SCAN_STEP \
    (GPI_LANES * sizeof(GPI_IN) < GPI_TILE_LINE ? GPI_TILE_LINE / (GPI_LANES * sizeof(GPI_IN)) : 1)

static void gpi_put_vector(gpi_input input, gpi_sink sink, ulong i, gpi_lanes v)
{
#if GPI_REVERSE
    v = GPI_TURNED(v);
#endif
    GPI_WRITE_VECTOR(sink.out, GPI_REVERSE ? input.count - i - GPI_LANES : i, v);
}
#endif

#if GPI_LANES > 1 && GPI_SEGMENTED
/* The product before a vector. gpi_carry_of combines it with the identity, because a head's value may be NaN, which the lanes of
   min and max must not contain (element/op.cl). */
typedef GPI_T gpi_carry;
#define GPI_CARRY(sum) gpi_carry_of(sum)
#define GPI_CARRIED(carry) (carry)

static gpi_carry gpi_carry_of(GPI_T sum)
{
    gpi_carry carry = sum;
    carry.value = gpi_base_combine(gpi_identity().value, sum.value);
    return carry;
}

/* Scans one vector from element i on. `sum`, the product before it, only affects the elements before the vector's first head.
   Returns the sum for the next vector. */
static gpi_carry gpi_scan_vector(gpi_input input, gpi_sink sink, ulong i, gpi_carry sum, const bool exclusive)
{
    const GPI_BASE e = gpi_identity().value;
    const gpi_lane_heads heads = gpi_read_heads(input, i);
    gpi_lane_heads begun = heads;
    gpi_lanes v = gpi_lanes_scan_segments(gpi_lanes_make(gpi_read_vector(input, i), 0), e, &begun);
    const GPI_BASE last = GPI_LAST(v);
    v = select(gpi_lanes_combine((gpi_lanes)(sum.value), v), v, begun);
    if (exclusive) v = select(GPI_SHIFT(gpi_lanes, v, sum.value), (gpi_lanes)(e), heads);
    gpi_put_vector(input, sink, i, gpi_lanes_combine((gpi_lanes)(sink.initial), v));
    sum.value = GPI_LAST(begun) ? last : gpi_base_combine(GPI_COMBINE_OF(input) sum.value, last);
    return sum;
}
#elif GPI_LANES > 1
/* The product before a vector, in every lane. In this form it takes one operation to compute the next vector's product
   from it. */
typedef gpi_lanes gpi_carry;
#define GPI_CARRY(sum) ((gpi_lanes)(sum))
#define GPI_CARRIED(carry) ((carry).s0)

static gpi_carry gpi_scan_vector(gpi_input input, gpi_sink sink, ulong i, gpi_carry sum, const bool exclusive)
{
    const gpi_lanes y = gpi_lanes_make(gpi_read_vector(input, i), 0);
    gpi_lanes v = gpi_lanes_scan(y, gpi_identity());
    const gpi_lanes next = gpi_lanes_combine(sum, (gpi_lanes)(GPI_LAST(v)));
    v = gpi_lanes_combine(sum, v);
    gpi_put_vector(input, sink, i, exclusive ? GPI_SHIFT(gpi_lanes, v, sum.s0) : v);
    return next;
}
#endif

#if GPI_SCANS_BYTES
/* Scans as many of the elements [i, end) as fill vectors of 64 bytes. Returns the first element that is not scanned,
   and sets *sum to the sum of all elements before it. */
GPI_INLINE ulong gpi_scan_bytes(gpi_input input, gpi_sink sink, ulong i, ulong end, GPI_T *sum,
                                const bool exclusive, const ulong ahead)
{
    const ulong8 none = (ulong8)(end >> 63);
    ulong8 before = (ulong8)((ulong)*sum);
    for (; i + sizeof(gpi_bytes) <= end; i += sizeof(gpi_bytes)) {
        const gpi_bytes_aligned x = *(__global const gpi_bytes *)(input.in + i);
        gpi_prefetch_scan(input, sink, i, sizeof(gpi_bytes), ahead);
        const gpi_bytes_aligned s = gpi_bytes_scan(x, none, &before);
        *(__global gpi_bytes *)(sink.out + i) = exclusive ? s - x : s;
    }
    *sum = (GPI_T)before.s0;
    return i;
}
#endif

/* Scans the tile, before which the product is `before`, and returns the product at its end. `exclusive` is a constant
   in each call, so that the loops do not test `exclusive`. The input is prefetched `ahead` elements ahead. */
GPI_INLINE GPI_T gpi_scan_serial(const gpi_tile *tile, gpi_input input, ulong base, GPI_T before,
                                 gpi_sink sink, const bool exclusive, const ulong ahead)
{
    const ulong end = base + gpi_tile_length(input, base);
    ulong i = base;
    GPI_T sum = before;
#if GPI_LANES > 1
#if GPI_SEGMENTED
    if (i == 0 && i < end) sum = gpi_scan_one(input, sink, i++, sum, exclusive); /* nothing is before it */
#endif
#if GPI_SCANS_BYTES
    if (sizeof(GPI_IN) == 1) i = gpi_scan_bytes(input, sink, i, end, &sum, exclusive, ahead);
#endif
    gpi_carry carry = GPI_CARRY(sum);
    for (; i + GPI_SCAN_STEP * GPI_LANES <= end; i += GPI_SCAN_STEP * GPI_LANES) {
        gpi_prefetch_scan(input, sink, i, GPI_SCAN_STEP * GPI_LANES, ahead);
#pragma unroll
        for (uint k = 0; k < GPI_SCAN_STEP; k++) {
            carry = gpi_scan_vector(input, sink, i + k * GPI_LANES, carry, exclusive);
        }
    }
    sum = GPI_CARRIED(carry);
#elif GPI_TILE_RUNS > 1
    const ulong each = gpi_run_length((uint)(end - base));
    GPI_T run[GPI_TILE_RUNS];
    run[0] = sum;
#pragma unroll
    for (uint k = 1; k < GPI_TILE_RUNS; k++)
        run[k] = gpi_combine(GPI_COMBINE_OF(input) run[k - 1], tile->run[k - 1]);
    for (; i < base + each; i += GPI_LINE_ELEMENTS) {
#pragma unroll
        for (uint k = 0; k < GPI_TILE_RUNS; k++)
            gpi_prefetch_scan(input, sink, i + k * each, GPI_LINE_ELEMENTS, ahead);
        for (ulong j = i; j < i + GPI_LINE_ELEMENTS; j++) {
#pragma unroll
            for (uint k = 0; k < GPI_TILE_RUNS; k++) {
                run[k] = gpi_scan_one(input, sink, j + k * each, run[k], exclusive);
            }
        }
    }
    sum = run[GPI_TILE_RUNS - 1];
    i = base + GPI_TILE_RUNS * each;
#endif
    for (; i < end; i++) sum = gpi_scan_one(input, sink, i, sum, exclusive);
    return sum;
}

#define GPI_NEXT_TILE ((ulong)GPI_TILES_ABREAST * GPI_TILE) /* distance of a group's tiles */

/* Scans the tile, and writes the results to `sink`. `prefix` is the product of all elements before the tile. */
static void gpi_tile_scan(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base, gpi_sink sink,
                          gpi_tile_shared shared)
{
    (void)shared;
    if (sink.exclusive) (void)gpi_scan_serial(tile, input, base, prefix, sink, true, GPI_NEXT_TILE);
    else (void)gpi_scan_serial(tile, input, base, prefix, sink, false, GPI_NEXT_TILE);
}
#endif
