#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ segmented sort */

/* Sorts each segment [offsets[s], offsets[s+1]) of an array by itself, stably, in the order of gp_sort: many
   small segments and a few huge ones alike, in the same few launches, without a host round trip.

   Elements outside all segments are left alone: in place they stay, out of place the output is not written
   there. Segments may be empty.
   Offsets stay on the device and are checked there. An offset below an earlier one, or beyond `count`, is
   bad, and taken for the greatest good one before it (0 where there is none): segments between two good
   offsets are sorted as always, nothing outside [0, count) is touched, no two segments overlap, and the
   result is the same every time. gp_segmented_sort_read tells how many offsets are bad, and which is the
   first one; gp_stats.bad_offsets counts the calls that met any. Keys, bits, values, aliasing, second
   buffers: as in gp_sort. The offsets and count_buffer's number may not overlap what is written. count 0 or
   segment_count 0 does nothing. Cost: segments of up to a tile (GPUs: some thousand keys; CPUs: 2^14) are
   read and written once each, by one group, small neighbours together. For larger ones each pass of
   8 bits reads every key twice and writes it once, all segments in the same launches. Scratch besides the
   second buffers: a position a segment, and 1 KiB for each tile's length of `count`; 2 KiB where count >=
   2^32. Largest segment_count: 2^32 - 2. (Count, scan, scatter: Satish, Harris & Garland 2009.) */
typedef struct gp_segmented_sort_desc {
    cl_mem keys;
    size_t keys_offset; /* elements, as all offsets */
    cl_mem keys_out;    /* NULL: in place */
    size_t keys_out_offset;
    cl_mem values; /* NULL with value_size 0 */
    size_t values_offset;
    cl_mem values_out; /* NULL: in place */
    size_t values_out_offset;
    cl_mem keys_tmp; /* second buffers; NULL: scratch */
    size_t keys_tmp_offset;
    cl_mem values_tmp; /* the same for values */
    size_t values_tmp_offset;
    size_t count;   /* elements of these arrays */
    cl_mem offsets; /* segment_count + 1 numbers, counted from the arrays' first elements here */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64 */
    size_t segment_count; /* or its bound with count_buffer */
    cl_mem count_buffer;  /* of segments; NULL: segment_count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;   /* of keys, in every buffer of them */
    size_t value_size;  /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    uint32_t begin_bit; /* keys are compared by bits [begin_bit, end_bit) */
    uint32_t end_bit;   /* 0: all bits of the key */
    bool descending;    /* in each segment; equal keys keep their order */
    cl_mem scratch; /* of gp_segmented_sort_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_segmented_sort_desc;

/* What a segmented sort found in its offsets. */
typedef struct gp_segmented_sort_report {
    uint64_t bad_offsets;
    uint64_t first_bad; /* index of an offset; 0 when none is bad */
} gp_segmented_sort_report;

GP_API gp_result gp_segmented_sort(gp_context *gp, const gp_segmented_sort_desc *desc);

/* The same, then blocks and tells of bad offsets. These are no failure: GP_OK. */
GP_API gp_result gp_segmented_sort_read(gp_context *gp, const gp_segmented_sort_desc *desc,
                                        gp_segmented_sort_report *report);

/* Bytes of scratch that gp_segmented_sort with this desc needs. Of the buffers only this is looked at: which
   are NULL, and whether keys_out and values_out are other ones than keys and values. Can be 0. */
GP_API gp_result gp_segmented_sort_scratch_size(gp_context *gp, const gp_segmented_sort_desc *desc,
                                                size_t *bytes);
