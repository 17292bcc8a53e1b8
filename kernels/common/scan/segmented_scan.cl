/* segmented_scan.cl - out[i] = initial . in[b] ... in[i]        b = offsets[s], or s * row_stride: segment s begins at b

   Scans each segment, inclusive or exclusive. base/segments.cl describes segments, and the list of large segments. A
   bad segment does not affect other segments. Positions in maps are counted from the segment's first element.

       gp_segments_scan        group per block of segments: scans small segments (scan/scan_segments.cl of either wing), and lists
                               large segments

   The parts of large segments are tiles. In a single pass:

       gp_segments_look_back   parts by ticket: scans each part after looking back over earlier parts of its segment

   In several passes, in which no group waits for another:

       gp_segments_upsweep     some parts per group: reduces each part to its partial
       gp_segments_prefixes    some large segments per group: replaces each partial by the product before its part
       gp_segments_downsweep   some parts per group: scans each part                                                */
#ifndef GPI_SCAN_SEGMENTED_SCAN_CL
#define GPI_SCAN_SEGMENTED_SCAN_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "base/segments.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/constants.cl"
#include "scan/lookback.cl"
#include "scan/reduce_then_scan.cl"
#include "scan/scan_segments.cl"
#include "scan/segment_parts.cl"
#include "scan/tile.cl"
#include "scan/tile_scan.cl"
#include "scan/tile_sink.cl"
#include "scan/tile_states.cl"

#if GPI_SEGMENTED
#error "segments are given by offsets, not by heads"
#endif

/* ------------------------------------------------------------------ small */

/* Scans the small segments, of up to `small` elements, and lists the large segments. Each group handles `block`
   segments. */
GPI_KERNEL void gp_segments_scan(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
                                 GPI_OFFSETS_PARAMETERS, GPI_LIST_PARAMETERS, GPI_SINK_PARAMETERS,
                                 GPI_COUNT_PARAMETERS, ulong block, uint small, uint team,
                                 volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    GPI_LISTED_SHARED(listed);
    gpi_input input;
    gpi_offsets numbers;
    gpi_list list;
    gpi_sink sink;
    const ulong segments = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = min(segments, block * get_group_id(0)), last = min(segments, first + block);
    GPI_ARGS_SET(input)
    input.in = in + in_offset;
    input.count = count;
    GPI_OFFSETS_SET(numbers);
    GPI_LIST_SET(list);
    GPI_SINK_SET(sink);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_segments_scan(input, numbers, list, first, last, small, team, sink, counters, shared, listed);
}

/* ------------------------------------------------------------------ large */

/* Scans a part. gpi_tile_open must have set `tile`. `prefix` is `initial` . the segment's elements before the part. */
static void gpi_part_scan(const gpi_tile *tile, GPI_T prefix, gpi_input segment, gpi_segment_part part,
                          gpi_sink sink, gpi_tile_shared shared)
{
    gpi_sink to = sink;
    to.out = sink.out + part.segment.begin;
    gpi_tile_scan(tile, prefix, segment, part.base, to, shared);
}

/* Scans parts. A part's number is its ticket, so a group waits only for parts of groups that have started. The states of a
   segment's parts follow one another, and begin with that of its first part. */
GPI_KERNEL void gp_segments_look_back(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
                                      GPI_OFFSETS_PARAMETERS, GPI_LIST_PARAMETERS, GPI_SINK_PARAMETERS,
                                      uint polls, volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_input input;
    gpi_offsets numbers;
    gpi_list list;
    gpi_sink sink;
    uint p;
    GPI_ARGS_SET(input)
    input.in = in + in_offset;
    GPI_OFFSETS_SET(numbers);
    GPI_LIST_SET(list);
    GPI_SINK_SET(sink);
    const uint parts = gpi_list_parts(list);
    while ((p = gpi_take_ticket(list.state + GPI_SEGMENTS_TICKET, shared)) < parts) {
        const gpi_segment_part part = gpi_part_of(list, numbers, p);
        const gpi_input segment = gpi_part_input(input, part);
        volatile __global uint *const states =
            (volatile __global uint *)gpi_state_of((volatile __global uint *)list.partials - GPI_STATE_HEADER,
                                                   part.first) -
            GPI_STATE_HEADER;
        gpi_tile tile;
        if (segment.count == 0) continue; /* the part is empty, and has no state */
        gpi_tile_open(&tile, segment, part.base, shared);
        const GPI_T aggregate = gpi_tile_aggregate(&tile);
        const GPI_T prefix =
            gpi_look_back(states, p - part.first, aggregate, segment, polls, counters, shared);
        gpi_part_scan(&tile, gpi_combine(GPI_COMBINE_OF(input) sink.initial, prefix), segment, part, sink,
                      shared);
    }
}

GPI_KERNEL void gp_segments_upsweep(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
                                    GPI_OFFSETS_PARAMETERS, GPI_LIST_PARAMETERS)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_input input;
    gpi_offsets numbers;
    gpi_list list;
    GPI_LIST_SET(list);
    GPI_OFFSETS_SET(numbers);
    const uint parts = gpi_list_parts(list);
    GPI_ARGS_SET(input)
    input.in = in + in_offset;
    for (uint p = (uint)get_group_id(0); p < parts; p += (uint)get_num_groups(0)) {
        const gpi_segment_part part = gpi_part_of(list, numbers, p);
        const GPI_T sum = gpi_tile_reduce(gpi_part_input(input, part), part.base, shared);
        if (GPI_LOCAL_ID == 0) ((__global GPI_T *)list.partials)[p] = sum;
    }
}

GPI_KERNEL void gp_segments_prefixes(GPI_COMBINE_PARAMETERS GPI_LIST_PARAMETERS, gpi_argument initial)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_list list;
    GPI_LIST_SET(list);
    const uint large = gpi_list_large(list);
    for (uint k = (uint)get_group_id(0); k < large; k += (uint)get_num_groups(0)) {
        __global GPI_T *const partials =
            (__global GPI_T *)list.partials + list.large[GPI_LARGE_WORDS * k + 1];
        (void)gpi_sweep_spine(GPI_COMBINE_HERE partials, list.large[GPI_LARGE_WORDS * k + 2],
                              gpi_base_of(initial), shared);
    }
}

GPI_KERNEL void gp_segments_downsweep(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
                                      GPI_OFFSETS_PARAMETERS, GPI_LIST_PARAMETERS, GPI_SINK_PARAMETERS)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_input input;
    gpi_offsets numbers;
    gpi_list list;
    gpi_sink sink;
    GPI_ARGS_SET(input)
    input.in = in + in_offset;
    GPI_OFFSETS_SET(numbers);
    GPI_LIST_SET(list);
    GPI_SINK_SET(sink);
    const uint parts = gpi_list_parts(list);
    for (uint p = (uint)get_group_id(0); p < parts; p += (uint)get_num_groups(0)) {
        const gpi_segment_part part = gpi_part_of(list, numbers, p);
        const gpi_input segment = gpi_part_input(input, part);
        gpi_tile tile;
        gpi_sync(); /* the last part's memory is read */
        gpi_tile_open(&tile, segment, part.base, shared);
        gpi_part_scan(&tile, ((__global const GPI_T *)list.partials)[p], segment, part, sink, shared);
    }
}
#endif
