/* by_key_tile.cl - one item handles a tile of gp_reduce_by_key, and reads it twice. First it counts heads, and reduces the
   elements from the last head on. Then it writes a key and a product at each head.

       keys      | a a b b b c c |       heads at b and c; the run of a began in an earlier tile
       keys_out  | b c |
       out       | a's product, b's |    c's run ends in a later tile

   A block without a head is only reduced. In other blocks, vectors of 16 are scanned and packed, if the compiler can do
   that (GPI_PACKS); otherwise elements are handled one by one. */
#ifndef GPI_SELECT_BY_KEY_TILE_CL
#define GPI_SELECT_BY_KEY_TILE_CL
#include "base/paste.cl"
#include "base/platform.cl"
#include "vector/lanes.cl"
#include "element/input_vectors.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/lanes_scan.cl"
#include "scan/tile.cl"
#include "scan/tile_input.cl"
#include "select/run_sink.cl"

static void gpi_runs_open(gpi_tile *tile, gpi_input input, ulong base, gpi_tile_shared shared)
{
    gpi_tile_open(tile, input, base, shared);
}

/* Handles element i > 0, before which the product is `sum`, and returns the product up to element i. Always writes a key and a
   product. If element i is not a head, the tile's next head, which must exist, overwrites both. */
GPI_INLINE GPI_T gpi_run_step(gpi_input input, gpi_run_sink runs, ulong i, GPI_T sum)
{
    gpi_run_put(runs, sum.head - 1, sum.value);
#if GPI_KEYS_OUT
    runs.keys[sum.head] = input.heads[i];
#endif
    return gpi_combine(GPI_COMBINE_OF(input) sum, gpi_load(input, i));
}

#if GPI_LANES > 1
#define GPI_RUNS_BLOCK (4 * GPI_LANES)

#if GPI_PACKS && !GPI_OUT_HALF && GPI_HEADS_SIZE <= 8
/* Writes to p the elements whose bits in `mask` are set. v is a vector of 16 elements of `size` bytes. If p has no `room` for 16
   elements, bytes are written one by one. */
#define GPI_RUNS_PACK_(size, p, v, mask, room)                                                     \
    do {                                                                                           \
        __private uchar near[2 * 16 * (size)];                                                     \
        if (room) {                                                                                \
            GPI_PASTE(gpi_pack_near_, size)((__private uchar *)(size_t)(p), v, mask);              \
        } else {                                                                                   \
            GPI_PASTE(gpi_pack_near_, size)(near, v, mask);                                        \
            for (uint k = 0; k < (size)*popcount(mask); k++) ((__global uchar *)(p))[k] = near[k]; \
        }                                                                                          \
    } while (0)
#define GPI_RUNS_PACK(size, p, v, mask, room) GPI_RUNS_PACK_(size, p, v, mask, room)

/* Handles 16 elements from i on, before which the product is `sum`, and returns the product after them. `end` is the number of
   heads up to the tile's end. */
static GPI_T gpi_runs_vector(gpi_input input, gpi_run_sink runs, ulong i, gpi_lane_heads heads, GPI_T sum,
                             GPI_HEAD end)
{
    const uint mask = gpi_mask_of(GPI_CONVERT(uint, heads) & 1);
    const bool room = end - sum.head >= 16;
    gpi_lane_heads begun = heads;
    gpi_lanes v =
        gpi_lanes_scan_segments(gpi_lanes_make(gpi_read_vector(input, i), 0), gpi_identity().value, &begun);
    const GPI_BASE last = GPI_LAST(v);
    v = select(gpi_lanes_combine((gpi_lanes)(sum.value), v), v, begun);
    v = gpi_lanes_combine((gpi_lanes)(runs.initial), GPI_SHIFT(gpi_lanes, v, sum.value));
    GPI_PREFETCH_WRITE(runs.out + sum.head + GPI_TILE_AHEAD / sizeof(GPI_OUT));
    GPI_RUNS_PACK(GPI_OUT_SIZE, runs.out + sum.head - 1, GPI_OUT_BITS(GPI_CONVERT(GPI_OUT, v)), mask, room);
#if GPI_KEYS_OUT
    GPI_PREFETCH_WRITE(runs.keys + sum.head + GPI_TILE_AHEAD / sizeof(GPI_HEADS_TYPE));
    GPI_RUNS_PACK(GPI_HEADS_SIZE, runs.keys + sum.head, vload16(0, input.heads + i), mask, room);
#endif
    GPI_T next;
    next.head = sum.head + popcount(mask);
    next.value = GPI_LAST(begun) ? last : gpi_base_combine(GPI_COMBINE_OF(input) sum.value, last);
    return next;
}
#else
static GPI_T gpi_runs_vector(gpi_input input, gpi_run_sink runs, ulong i, gpi_lane_heads heads, GPI_T sum,
                             GPI_HEAD end)
{
    GPI_T next = sum;
    (void)heads;
    for (uint k = 0; k < 16 && next.head < end; k++) next = gpi_run_step(input, runs, i + k, next);
    return next;
}
#endif

/* Handles GPI_RUNS_BLOCK elements from i on. The parameters and the result are those of gpi_runs_vector. */
static GPI_T gpi_runs_block(gpi_input input, gpi_run_sink runs, ulong i, GPI_T sum, GPI_HEAD end)
{
    gpi_lane_heads heads[4], any = 0;
    GPI_T next = sum;
#pragma unroll
    for (uint k = 0; k < 4; k++) any |= heads[k] = gpi_read_heads(input, i + k * GPI_LANES);
    if (gpi_any_head(any)) {
#pragma unroll
        for (uint k = 0; k < 4; k++)
            next = gpi_runs_vector(input, runs, i + k * GPI_LANES, heads[k], next, end);
    } else {
        gpi_lanes all = gpi_lanes_identity(gpi_identity().value);
#pragma unroll
        for (uint k = 0; k < GPI_RUNS_BLOCK; k += GPI_LANES)
            all = gpi_lanes_combine(all, gpi_lanes_make(gpi_read_vector(input, i + k), 0));
        next.value = gpi_lanes_fold(all, sum.value, 0);
    }
    return next;
}
#endif

/* Writes keys and products, up to the tile's last head. `prefix` is the product of all earlier tiles. */
static void gpi_runs_put(const gpi_tile *tile, GPI_T prefix, gpi_input input, ulong base, gpi_run_sink runs,
                         gpi_tile_shared shared)
{
    const GPI_HEAD end = prefix.head + gpi_tile_aggregate(tile).head;
    GPI_T sum = prefix;
    ulong i = base;
    (void)shared;
    if (i == 0 && end > 0) { /* element 0 is a head that ends no run */
#if GPI_KEYS_OUT
        runs.keys[0] = input.heads[0];
#endif
        sum = gpi_load(input, i++);
    }
#if GPI_LANES > 1
    const ulong stop = base + gpi_tile_length(input, base);
    for (; sum.head < end && i + GPI_RUNS_BLOCK <= stop; i += GPI_RUNS_BLOCK) {
        gpi_prefetch_read(input, i + (ulong)GPI_TILES_ABREAST * GPI_TILE, GPI_RUNS_BLOCK);
        sum = gpi_runs_block(input, runs, i, sum, end);
    }
#endif
    for (; sum.head < end; i++) sum = gpi_run_step(input, runs, i, sum);
}
#endif
