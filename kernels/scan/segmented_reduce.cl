/* segmented_reduce.cl - out[s] = initial . in[b] ... in[e-1]        b = offsets[s], e = offsets[s+1]

   A segment whose offsets fall, or pass the input's end, is empty, and counted as a bad one; the others do
   not notice. Positions, of maps and of argmin and argmax, count from the segment's first element.

       gp_segments_reduce    a group a block of segments: the small ones, and the large ones into a list
       gp_segments_rows      a group some rows of the list: a tile of a large segment each
       gp_segments_join      a group some large segments: their rows

       in       | small |            large 0           |sm|      large 1     |
       rows             |  tile 0 |  tile 1 |  tile 2  |  |  tile 3 | tile 4 |

   In the local shape a team of `team` items, a power of two, reduces a small segment, and the group GPI_WG /
   team of them side by side. A segment's elements are always put together in the same way, in input order
   where that matters, so that float results repeat bit for bit.

   State, in uints: | rows | large segments | bad | - |, then the list: segment, first row, rows, - for each,
   and for each row its place in the list. */
#ifndef GPI_SCAN_SEGMENTED_REDUCE_CL
#define GPI_SCAN_SEGMENTED_REDUCE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "element/ops.cl"
#include "scan/tile.cl"

#define GPI_SEGMENTS_ROWS 0
#define GPI_SEGMENTS_LARGE 1
#define GPI_SEGMENTS_BAD 2
#define GPI_NO_OWNER (~0u)
#define GPI_SEGMENTS_HEADER 4
#define GPI_LARGE_WORDS 4

/* What the host has laid out. */
typedef struct gpi_list {
    volatile __global uint *state;
    __global uint *large, *owner;
    __global GPI_T *partials; /* of rows */
    uint large_room, row_room;
} gpi_list;

#define GPI_LIST_PARAMETERS volatile __global uint *state, ulong partials_at, uint large_room, uint row_room
#define GPI_LIST_SET(list)                                                                             \
    (list).state = state;                                                                              \
    (list).large = (__global uint *)state + GPI_SEGMENTS_HEADER;                                       \
    (list).owner = (__global uint *)state + GPI_SEGMENTS_HEADER + (ulong)GPI_LARGE_WORDS * large_room; \
    (list).partials = (__global GPI_T *)((__global char *)state + partials_at);                        \
    (list).large_room = large_room;                                                                    \
    (list).row_room = row_room

/* The caller's: numbers of `offset_words` 32-bit words. */
typedef struct gpi_offsets {
    __global const uint *at;
    uint words;
    ulong count; /* of the input */
} gpi_offsets;

#define GPI_OFFSETS_PARAMETERS __global const uint *offsets, ulong offsets_at, uint offset_words, ulong count
#define GPI_OFFSETS_SET(o)                               \
    (o).at = offsets + offsets_at * (ulong)offset_words; \
    (o).words = offset_words;                            \
    (o).count = count

/* The input of one segment alone; *bad is set where its offsets are. */
static gpi_source gpi_segment_of(gpi_source source, gpi_offsets offsets, ulong s, bool *bad)
{
    const ulong begin = gpi_number(offsets.at, s, offsets.words),
                end = gpi_number(offsets.at, s + 1, offsets.words);
    gpi_source segment = source;
    *bad = end < begin || end > offsets.count;
    segment.count = *bad ? 0 : end - begin;
    segment.in = source.in + (*bad ? 0 : begin);
    return segment;
}

static void gpi_segment_put(__global GPI_OUT *out, ulong s, GPI_BASE initial, GPI_T sum)
{
    GPI_WRITE(out, s, GPI_BASE_RESULT(gpi_base_combine(initial, sum)));
}

/* Enters a large segment; false: there is no room, which happens only where bad offsets let segments overlap. */
static bool gpi_large_add(gpi_list list, ulong s, ulong length)
{
    const uint rows = (uint)((length + GPI_TILE - 1) / GPI_TILE);
    if (atomic_or(list.state + GPI_SEGMENTS_ROWS, 0u) >= list.row_room) return false;
    const uint k = atomic_inc(list.state + GPI_SEGMENTS_LARGE);
    if (k >= list.large_room) return false;
    const uint row = atomic_add(list.state + GPI_SEGMENTS_ROWS, rows);
    const bool fits = row <= list.row_room && rows <= list.row_room - row;
    list.large[GPI_LARGE_WORDS * k] = (uint)s;
    list.large[GPI_LARGE_WORDS * k + 1] = row;
    list.large[GPI_LARGE_WORDS * k + 2] = fits ? rows : 0;
    for (uint r = row; r < list.row_room && r - row < rows; r++) list.owner[r] = fits ? k : GPI_NO_OWNER;
    return fits;
}

static void gpi_bad_add(gpi_list list, volatile __global uint *counters)
{
    if (atomic_inc(list.state + GPI_SEGMENTS_BAD) == 0) (void)atomic_inc(counters + GPI_COUNT_BAD);
}

/* ------------------------------------------------------------------ small */

#if GPI_SHAPE_SERIAL
#define GPI_SEGMENTS_FEW 64 /* elements that are not worth vectors */

static GPI_T gpi_segment_reduce(gpi_source segment, gpi_tile_shared shared)
{
    GPI_T sum = gpi_identity();
    for (ulong i = 0; i < segment.count && segment.count < GPI_SEGMENTS_FEW; i++)
        sum = gpi_combine(sum, gpi_load(segment, i));
    for (ulong base = 0; base < segment.count && segment.count >= GPI_SEGMENTS_FEW; base += GPI_TILE)
        sum = gpi_combine(sum, gpi_tile_reduce(segment, base, shared));
    return sum;
}

/* Short segments go together: a loop over each would mispredict where it ends, unless all are of one length.

       at       | 0     | 3 | 4 | 4         | 8       where segments begin, counted from the first one's begin
       head     | 1 0 0 | 1 |   | 1 0 0 0   |
       sum      | products since the last head  |     sum[0] is for empty segments, sum[i + 1] of element i */
#define GPI_SEGMENTS_BATCH 32u                                      /* segments */
#define GPI_BATCH_MOST (GPI_SIZE <= 16 ? 1024u : 16384u / GPI_SIZE) /* elements of them all */

/* Does it matter where in its segment an element is? */
#define GPI_PLACES (GPI_MAPPED || GPI_FIELD_COUNT > 1 || (GPI_FIELD_COUNT == 1 && GPI_OP_0 >= GPI_ARGMIN))

/* Are the segments from number s on short, and their offsets good? Then `at` tells where they are. */
static bool gpi_batch_open(gpi_offsets offsets, ulong s, uint *at)
{
    const ulong begin = gpi_number(offsets.at, s, offsets.words);
    bool rises = true;
    for (uint k = 0; k <= GPI_SEGMENTS_BATCH; k++) {
        const ulong from_begin = gpi_number(offsets.at, s + k, offsets.words) - begin;
        at[k] = (uint)min(from_begin, (ulong)GPI_BATCH_MOST + 1);
    }
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++) rises &= at[k] <= at[k + 1];
    return rises && at[GPI_SEGMENTS_BATCH] <= GPI_BATCH_MOST &&
           begin + at[GPI_SEGMENTS_BATCH] <= offsets.count;
}

/* `source` begins where the first one does. */
static void gpi_batch_reduce(gpi_source source, const uint *at, __global GPI_OUT *out, ulong s,
                             GPI_BASE initial)
{
    uchar head[GPI_BATCH_MOST + 16];
    GPI_T sum[GPI_BATCH_MOST + 1];
    gpi_source segment = source;
    uint begin = 0; /* of the segment */
    for (uint i = 0; i <= at[GPI_SEGMENTS_BATCH]; i += 16) vstore16((uchar16)(0), 0, head + i);
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++) head[at[k]] = 1;
    sum[0] = gpi_identity();
    GPI_T last = sum[0];
    for (uint i = 0; i < at[GPI_SEGMENTS_BATCH]; i++) {
#if GPI_PLACES
        begin = head[i] ? i : begin;
        segment.in = source.in + begin;
#endif
        last = gpi_combine(head[i] ? sum[0] : last, gpi_load(segment, i - begin));
        sum[i + 1] = last;
    }
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++)
        gpi_segment_put(out, s + k, initial, sum[at[k + 1] > at[k] ? at[k + 1] : 0]);
}

/* Of one length. */
GPI_INLINE void gpi_batch_reduce_even(gpi_source source, uint length, __global GPI_OUT *out, ulong s,
                                      GPI_BASE initial)
{
    gpi_source segment = source;
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++) {
        GPI_T sum = gpi_identity();
        segment.in = source.in + k * length;
        for (uint i = 0; i < length; i++) sum = gpi_combine(sum, gpi_load(segment, i));
        gpi_segment_put(out, s + k, initial, sum);
    }
}

/* Segments [s, s + GPI_SEGMENTS_BATCH), where they are short; false: where they are not. */
static bool gpi_segments_batch(gpi_source source, gpi_offsets offsets, ulong s, __global GPI_OUT *out,
                               GPI_BASE initial)
{
    uint at[GPI_SEGMENTS_BATCH + 1];
    gpi_source batch = source;
    uint uneven = 0;
    if (!gpi_batch_open(offsets, s, at)) return false;
    batch.in += gpi_number(offsets.at, s, offsets.words);
    for (uint k = 0; k < GPI_SEGMENTS_BATCH; k++) uneven |= at[k + 1] ^ (k + 1) * at[1];
    if (uneven) gpi_batch_reduce(batch, at, out, s, initial);
    else if (at[1] == 1) gpi_batch_reduce_even(batch, 1, out, s, initial); /* without an inner loop */
    else gpi_batch_reduce_even(batch, at[1], out, s, initial);
    return true;
}

static void gpi_segments_block(gpi_source source, gpi_offsets offsets, gpi_list list, ulong first, ulong last,
                               uint small, uint team, __global GPI_OUT *out, GPI_BASE initial,
                               volatile __global uint *counters, gpi_tile_shared shared)
{
    (void)team;
    for (ulong s = first; s < last;) {
        const ulong end = min(last, s + GPI_SEGMENTS_BATCH);
        if (end - s == GPI_SEGMENTS_BATCH && gpi_segments_batch(source, offsets, s, out, initial)) s = end;
        for (; s < end; s++) {
            bool bad;
            const gpi_source segment = gpi_segment_of(source, offsets, s, &bad);
            if (bad) gpi_bad_add(list, counters);
            if (segment.count > small && gpi_large_add(list, s, segment.count)) continue;
            gpi_segment_put(out, s, initial, gpi_segment_reduce(segment, shared));
        }
    }
}
#else
/* This item's share of its team's segment: elements side by side where any order will do, else in a row. */
static GPI_T gpi_share_reduce(gpi_source segment, uint lane, uint team)
{
    const ulong run = (segment.count + team - 1) / team;
    GPI_T sum = gpi_identity();
    for (ulong j = 0; j < run; j++) {
        const ulong i = GPI_COMMUTATIVE ? j * team + lane : lane * run + j;
        if (i < segment.count) sum = gpi_combine(sum, gpi_load(segment, i));
    }
    return sum;
}

/* The product of every x of the team, in item order, for its first item: a tree of neighbours. */
static GPI_T gpi_team_reduce(GPI_T x, uint lane, uint team, gpi_tile_shared shared)
{
    __local GPI_T *value = shared->value[0] + ((uint)get_local_id(0) - lane);
    value[lane] = x;
    for (uint d = 1; d < team; d *= 2) {
        const uint i = 2 * d * lane;
        gpi_sync(); /* the neighbour's product is written */
        if (i + d < team) value[i] = gpi_combine(value[i], value[i + d]);
    }
    gpi_sync(); /* the root is written */
    x = value[0];
    gpi_sync(); /* the root is read: the next segments may overwrite it */
    return x;
}

/* Segments [first, last), GPI_WG / team at a time. A team's first item asks what becomes of its segment. */
static void gpi_segments_block(gpi_source source, gpi_offsets offsets, gpi_list list, ulong first, ulong last,
                               uint small, uint team, __global GPI_OUT *out, GPI_BASE initial,
                               volatile __global uint *counters, gpi_tile_shared shared, __local uint *listed)
{
    const uint l = (uint)get_local_id(0), lane = l % team;
    for (ulong base = first; base < last; base += GPI_WG / team) {
        const ulong s = min(base + l / team, last - 1);
        const bool mine = base + l / team < last;
        bool bad;
        gpi_source segment = gpi_segment_of(source, offsets, s, &bad);
        if (mine && lane == 0) {
            if (bad) gpi_bad_add(list, counters);
            listed[l] = segment.count > small && gpi_large_add(list, s, segment.count);
        }
        gpi_sync(); /* what is listed is known to the teams */
        const bool skip = !mine || listed[l - lane];
        segment.count = skip ? 0 : segment.count;
        const GPI_T sum = gpi_team_reduce(gpi_share_reduce(segment, lane, team), lane, team, shared);
        if (!skip && lane == 0) gpi_segment_put(out, s, initial, sum);
    }
}
#endif

/* A group a block of segments. Small: up to `small` elements. */
GPI_KERNEL void gp_segments_reduce(__global const GPI_IN *in, ulong in_offset, GPI_OFFSETS_PARAMETERS,
                                   GPI_COUNT_PARAMETERS, GPI_LIST_PARAMETERS, __global GPI_OUT *out,
                                   ulong out_offset, gpi_argument initial, ulong block, uint small, uint team,
                                   volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_source source;
    gpi_offsets numbers;
    gpi_list list;
    const ulong segments = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = min(segments, block * get_group_id(0)), last = min(segments, first + block);
    source.in = in + in_offset;
    source.count = count;
    GPI_OFFSETS_SET(numbers);
    GPI_LIST_SET(list);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
#if GPI_SHAPE_SERIAL
    gpi_segments_block(source, numbers, list, first, last, small, team, out + out_offset,
                       gpi_base_of(initial), counters, shared);
#else
    __local uint listed[GPI_WG];
    gpi_segments_block(source, numbers, list, first, last, small, team, out + out_offset,
                       gpi_base_of(initial), counters, shared, listed);
#endif
}

/* ------------------------------------------------------------------ large */

/* A row whose segment found no room has none, and reduces nothing. */
GPI_KERNEL void gp_segments_rows(__global const GPI_IN *in, ulong in_offset, GPI_OFFSETS_PARAMETERS,
                                 GPI_LIST_PARAMETERS)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_source source;
    gpi_offsets numbers;
    gpi_list list;
    GPI_LIST_SET(list);
    GPI_OFFSETS_SET(numbers);
    const uint rows = min(list.row_room, atomic_or(state + GPI_SEGMENTS_ROWS, 0u));
    source.in = in + in_offset;
    source.count = count;
    for (uint r = (uint)get_group_id(0); r < rows; r += (uint)get_num_groups(0)) {
        const uint owner = list.owner[r], k = owner == GPI_NO_OWNER ? 0 : owner;
        bool bad;
        gpi_source segment = gpi_segment_of(source, numbers, list.large[GPI_LARGE_WORDS * k], &bad);
        segment.count = owner == GPI_NO_OWNER ? 0 : segment.count;
        const ulong base = (ulong)(r - list.large[GPI_LARGE_WORDS * k + 1]) * GPI_TILE;
        const GPI_T sum = gpi_tile_reduce(segment, base, shared);
        if (get_local_id(0) == 0) list.partials[r] = sum;
    }
}

/* Every item takes a run of consecutive rows, so that input order is kept. */
GPI_KERNEL void gp_segments_join(GPI_LIST_PARAMETERS, __global GPI_OUT *out, ulong out_offset,
                                 gpi_argument initial)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_list list;
    GPI_LIST_SET(list);
    const uint large = min(list.large_room, atomic_or(state + GPI_SEGMENTS_LARGE, 0u));
    for (uint k = (uint)get_group_id(0); k < large; k += (uint)get_num_groups(0)) {
        const uint row = list.large[GPI_LARGE_WORDS * k + 1], rows = list.large[GPI_LARGE_WORDS * k + 2];
        const uint run = (rows + GPI_WG - 1) / GPI_WG, begin = min((uint)get_local_id(0) * run, rows);
        const uint end = min(begin + run, rows);
        GPI_T sum = gpi_identity();
        for (uint r = begin; r < end; r++) sum = gpi_combine(sum, list.partials[row + r]);
        sum = gpi_group_reduce(sum, shared);
        if (rows > 0 && get_local_id(0) == 0)
            gpi_segment_put(out + out_offset, list.large[GPI_LARGE_WORDS * k], gpi_base_of(initial), sum);
    }
}
#endif
