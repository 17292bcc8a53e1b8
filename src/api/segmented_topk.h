#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ segmented top k */

/* keys_out[s * k + j] = the key of segment s that comes j-th        j < k, and j < ks[s] if there are ks
   indices_out[s * k + j] = its index in segment s, from 0 on

   Finds the k largest keys (with `smallest`, the k smallest) of each segment, and their indices, best first:
   the first k keys of a stable sort of the segment, which is descending unless `smallest`. Segments are given
   by offsets on the device, or are rows of one length. With `ks`, each segment has a k of its own. For
   example, the ten largest of each row of a matrix:

       gp_segmented_topk_desc best = {.keys = matrix, .row_length = columns, .segment_count = rows, .k = 10,
                                      .key_type = GP_F32, .indices_out = columns_of_the_best};

   Result: k keys and indices for each segment; one of keys_out and indices_out may be NULL. For a segment of
     n < k keys, n elements are written, and the other k - n are not changed. With ks, so are those from ks[s]
     on; a ks[s] above k counts as k.
   Order: as for gp_topk, in each segment. The same keys give the same result every time, on every device.
   Aliasing: outputs overlap nothing.
   Count 0: with segment_count 0 or k 0 it does nothing.
   Scratch: a few words; if segments may be long, also 8 k bytes for each part that a group handles (16 k with
     keys or indices of 8 bytes).
   Cost: reads the keys once, without a round trip to the host. One launch for rows that one group handles;
     with offsets a clearing command, and two more launches if a segment may be longer.
   Limits: k up to 1024; 2^32 - 2 segments; 2^32 - 1 keys with indices of GP_U32. Checked. gp_segmented_sort
     sorts whole segments, without a limit on k.
   Errors: a segment that ends before it begins, or beyond `count`, counts as empty; other segments are not
     affected. gp_stats.bad_offsets counts the calls that found such a segment. */
typedef struct gp_segmented_topk_desc {
    cl_mem keys;        /* NULL if there are none */
    size_t keys_offset; /* in elements, as all offsets */
    size_t count;       /* elements of keys; with row_length, 0: up to the last row's end */
    cl_mem offsets;     /* segment_count + 1 positions, counted from keys_offset */
    size_t offsets_offset;
    gp_type offsets_type; /* GP_U32 or GP_U64; ignored with row_length */
    size_t row_length;    /* instead of offsets: elements of each row */
    size_t row_stride;    /* elements from a row's begin to the next one's; 0: row_length */
    size_t segment_count; /* number of segments, or its bound with count_buffer; up to 2^32 - 2 */
    cl_mem count_buffer;  /* the number of segments; NULL: segment_count is the number */
    size_t count_offset;
    gp_type count_type;
    cl_mem keys_out; /* segment_count * k keys; NULL: not wanted */
    size_t keys_out_offset;
    cl_mem indices_out; /* segment_count * k indices; NULL: not wanted */
    size_t indices_out_offset;
    size_t k;  /* results of each segment, and elements from one segment's results to the next one's */
    cl_mem ks; /* segment_count numbers: a k for each segment; NULL: k for all */
    size_t ks_offset;
    gp_type ks_type;    /* GP_U32 (also 0) or GP_U64 */
    gp_type key_type;   /* type of all keys */
    gp_type index_type; /* GP_U32 (also 0) or GP_U64 */
    bool array_indices; /* indices count from keys_offset, not from the segment's begin */
    bool smallest;
    cl_mem scratch; /* gp_segmented_topk_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_segmented_topk_desc;

GP_API gp_result gp_segmented_topk(gp_context *gp, const gp_segmented_topk_desc *desc);

/* Sets *bytes to the scratch that gp_segmented_topk needs with this desc. The buffers of the desc may be
   NULL. */
GP_API gp_result gp_segmented_topk_scratch_size(gp_context *gp, const gp_segmented_topk_desc *desc,
                                                size_t *bytes);
