#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ segmented sort */

/* keys_out[offsets[s]] <= ... <= keys_out[offsets[s+1] - 1]        for each segment s

   Sorts each segment [offsets[s], offsets[s+1]) of an array by itself: many small segments and a few huge
   ones alike, in the same few launches, without a round trip to the host. Offsets stay on the device and are
   checked there. Segments may be empty. Rows of one length need no
   offsets. Keys, bits and values are as for gp_sort. To sort records, make keys
   of a field with gp_transform, and give the records, or their indices, as values.

   gp_segmented_argsort finds the order instead: values_out gets the index that each key of keys_out had in its
   segment, from 0 on, or with `array_indices` in the array. Its desc has no values; value_size is 4 or 8 (0:
   4), and keys_out may be NULL. For example, the order of each row of a matrix:

       gp_segmented_sort_desc order = {.keys = matrix, .row_length = columns, .segment_count = rows,
                                       .count = rows * columns, .key_type = GP_F32, .values_out = indices};

   Result: sorted segments. Elements of the output that lie outside all segments are not written.
   Order: as for gp_sort, in each segment; stable.
   Aliasing: as for gp_sort. The offsets and count_buffer's number must not lie in memory that the call
     writes.
   Count 0: with `count` or segment_count 0 it does nothing; but rows with `count` 0 are an
     error.
   Scratch: second buffers as for gp_sort, 4 bytes per segment, and 1 KiB for each tile of `count` elements;
     the last two are doubled from count = 2^32 on. gp_segmented_argsort without keys_out: room for the keys,
     too.
   Cost: a segment that fits a tile (GPUs: some thousand keys; CPUs: 2^14) is read and written once, by one
     group, which handles small neighbouring segments together. For larger segments each pass of 8 bits reads
     every key twice and writes it once, all segments in the same launches.
   Limits: 2^32 - 2 segments; with indices of 4 bytes 2^32 - 1 keys.
   Errors: an offset is bad if it is below an earlier one or beyond `count`. It is replaced by the greatest
     good offset before it, or by 0 if there is none. Segments between two good offsets are sorted as always,
     nothing outside [0, count) is touched, no two segments overlap, and the result is the same every time.
     The call returns GP_OK. gp_segmented_sort_read reports the number of bad offsets and the index of the
     first one; gp_stats.bad_offsets counts the calls that found any. Without gp_segmented_argsort,
     array_indices is an error.
   Source: Satish, Harris & Garland 2009 (count, scan, scatter). */
typedef struct gp_segmented_sort_desc {
    cl_mem keys;
    size_t keys_offset; /* in elements, as all offsets */
    cl_mem keys_out;    /* NULL: in place */
    size_t keys_out_offset;
    cl_mem values; /* NULL with value_size 0, and for gp_segmented_argsort */
    size_t values_offset;
    cl_mem values_out; /* NULL: in place; for gp_segmented_argsort: the indices */
    size_t values_out_offset;
    cl_mem keys_tmp; /* second buffer of keys; NULL: scratch */
    size_t keys_tmp_offset;
    cl_mem values_tmp; /* second buffer of values; NULL: scratch */
    size_t values_tmp_offset;
    size_t count;   /* elements of these arrays */
    cl_mem offsets; /* segment_count + 1 positions, counted from the arrays' first elements */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64; ignored with row_length */
    size_t row_length;    /* instead of offsets: segments are rows of so many elements each */
    size_t segment_count; /* number of segments, or its bound with count_buffer */
    cl_mem count_buffer;  /* the number of segments; NULL: segment_count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;   /* type of all keys */
    size_t value_size;  /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    uint32_t begin_bit; /* keys are compared by bits [begin_bit, end_bit) */
    uint32_t end_bit;   /* 0: all bits of the key */
    bool descending;    /* in each segment; equal keys keep their order */
    bool
        array_indices; /* gp_segmented_argsort: indices count from keys_offset, not from the segment's begin */
    cl_mem scratch;    /* gp_segmented_sort_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_segmented_sort_desc;

/* Reports the bad offsets that a segmented sort found. */
typedef struct gp_segmented_sort_report {
    uint64_t bad_offsets;
    uint64_t first_bad; /* index of an offset; 0 when none is bad */
} gp_segmented_sort_report;

GP_API gp_result gp_segmented_sort(gp_context *gp, const gp_segmented_sort_desc *desc);
GP_API gp_result gp_segmented_argsort(gp_context *gp, const gp_segmented_sort_desc *desc);

/* Calls gp_segmented_sort, blocks, and reports bad offsets, which are no failure: the result is GP_OK. */
GP_API gp_result gp_segmented_sort_read(gp_context *gp, const gp_segmented_sort_desc *desc,
                                        gp_segmented_sort_report *report);

/* Sets *bytes to the scratch that gp_segmented_sort (gp_segmented_argsort) needs with this desc, which can be
   0. Buffers matter in two ways: which of them are NULL, and whether keys_out and values_out differ from keys
   and values. gp_segmented_argsort_scratch_size requires values_out. */
GP_API gp_result gp_segmented_sort_scratch_size(gp_context *gp, const gp_segmented_sort_desc *desc,
                                                size_t *bytes);
GP_API gp_result gp_segmented_argsort_scratch_size(gp_context *gp, const gp_segmented_sort_desc *desc,
                                                   size_t *bytes);
