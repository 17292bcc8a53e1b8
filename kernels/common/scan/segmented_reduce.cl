/* segmented_reduce.cl - out[s] = initial . in[b] ... in[e-1]        b = offsets[s], e = offsets[s+1]

   or b = s * row_stride, e = b + row_length. base/segments.cl describes segments, and the list of large segments. A bad
   segment does not affect other segments. Positions, in maps and for argmin and argmax, are counted from the segment's
   first element.

       gp_segments_reduce    group per block of segments: reduces small segments, and lists large segments
       gp_segments_parts     some parts per group: reduces each part, which is a tile of a large segment
       gp_segments_join      some large segments per group: combines the partials of each

       in       | small |            large 0           |sm|      large 1     |
       parts            |  tile 0 |  tile 1 |  tile 2  |  |  tile 3 | tile 4 |

   Small segments are reduced by scan/reduce_segments.cl, which differs between CPUs and GPUs. A segment's elements are always
   combined in the same way, in input order unless the operation commutes, so that float results repeat bit for bit. */
#ifndef GPI_SCAN_SEGMENTED_REDUCE_CL
#define GPI_SCAN_SEGMENTED_REDUCE_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "base/segments.cl"
#include "group/sync.cl"
#include "element/input.cl"
#include "element/monoid.cl"
#include "scan/reduce_segments.cl"
#include "scan/reduce_tile.cl"
#include "scan/segment_parts.cl"
#include "scan/segments.cl"

/* ------------------------------------------------------------------ small */

/* Reduces the small segments, of up to `small` elements, and lists the large segments. Each group handles `block`
   segments. */
GPI_KERNEL void gp_segments_reduce(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
                                   GPI_OFFSETS_PARAMETERS, GPI_COUNT_PARAMETERS, GPI_LIST_PARAMETERS,
                                   GPI_OUTPUTS_PARAMETERS ulong block, uint small, uint team,
                                   volatile __global uint *counters)
{
    GPI_SHARED(gpi_tile_memory, shared);
    GPI_LISTED_SHARED(listed);
    gpi_input input;
    gpi_offsets numbers;
    gpi_list list;
    gpi_outputs outputs;
    const ulong segments = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = min(segments, block * get_group_id(0)), last = min(segments, first + block);
    GPI_ARGS_SET(input)
    input.in = in + in_offset;
    input.count = count;
    GPI_OFFSETS_SET(numbers);
    GPI_LIST_SET(list);
    GPI_OUTPUTS_SET(outputs);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_segments_block(input, numbers, list, first, last, small, team, outputs, counters, shared, listed);
}

/* ------------------------------------------------------------------ large */

/* Reduces each part of a large segment, which is a tile, to its partial. */
GPI_KERNEL void gp_segments_parts(GPI_ARGS_PARAMETERS __global const GPI_IN *in, ulong in_offset,
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
/* Combines the partials of each large segment, and writes its result. Every item combines consecutive partials, so that input
   order is kept. */
GPI_KERNEL void gp_segments_join(GPI_COMBINE_PARAMETERS GPI_OUTPUTS_PARAMETERS GPI_LIST_PARAMETERS)
{
    GPI_SHARED(gpi_tile_memory, shared);
    gpi_list list;
    gpi_outputs outputs;
    GPI_LIST_SET(list);
    GPI_OUTPUTS_SET(outputs);
    const uint large = gpi_list_large(list);
    __global const GPI_T *const partials = (__global const GPI_T *)list.partials;
    for (uint k = (uint)get_group_id(0); k < large; k += (uint)get_num_groups(0)) {
        const uint first = list.large[GPI_LARGE_WORDS * k + 1], parts = list.large[GPI_LARGE_WORDS * k + 2];
        const uint run = (parts + GPI_WG - 1) / GPI_WG, begin = min((uint)GPI_LOCAL_ID * run, parts);
        const uint end = min(begin + run, parts);
        GPI_T sum = gpi_identity();
        for (uint p = begin; p < end; p++) sum = gpi_combine(GPI_COMBINE_HERE sum, partials[first + p]);
        sum = gpi_group_reduce(GPI_COMBINE_HERE sum, shared);
        if (parts > 0 && GPI_LOCAL_ID == 0) gpi_segment_put(outputs, list.large[GPI_LARGE_WORDS * k], sum);
    }
}
#endif
