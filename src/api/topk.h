#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ top k */

/* keys_out[j] = the key that comes j-th        indices_out[j] = its index in keys, from 0 on        j < k

   Finds the k largest keys (with `smallest`, the k smallest) and their indices, best first: the first k keys
   of a stable sort, which is descending unless `smallest`. For records, write a field of them to keys with
   gp_transform; indices_out then refers to the records.

   Result: k keys and indices; one of keys_out and indices_out may be NULL. If the number in count_buffer is
     below k, that many elements are written, and the rest of the outputs is not changed.
   Order: that of gp_sort. So the largest floats are NaNs whose sign bit is 0, then +inf; the smallest are
     NaNs whose sign bit is 1, then -inf; -0 is below +0. Equal keys come in input order, and if only some of
     them are among the k, those with the lowest indices are. The same keys give the same result every time,
     on every device.
   Aliasing: outputs overlap nothing.
   Count 0: requires k = 0, and does nothing; so does k = 0 with any count.
   Scratch: three keys and three indices for each key that may be left to sort; 16 bytes per tile; up to 5 MiB
     for the sort.
   Cost: reads all keys once, derives a threshold from a sample, and sorts the keys that reach it: little more
     than k. If the sample misleads, the keys are read again: twice as a rule, and at most once per byte of a
     key and once more. gp_stats.fallbacks counts such calls, which are rare with random keys. Equal keys cost
     nothing extra. If k is a large part of the keys, or if one launch can sort them, all are sorted, as by
     gp_argsort. `strategy` is that of the sort.
   Limits: 2^31 - 1 tiles; 2^32 - 1 keys with indices of 4 bytes. Checked.
   Errors: k > count is GP_ERROR_INVALID_ARGUMENT.
   Source: Alabi et al. 2012 (radix selection); Floyd & Rivest 1975 (threshold from a sample).
   Example: examples/16_csv.c */
typedef struct gp_topk_desc {
    cl_mem keys;
    size_t keys_offset; /* in elements, as all offsets */
    cl_mem keys_out;    /* k keys; NULL: not wanted */
    size_t keys_out_offset;
    cl_mem indices_out; /* k indices; NULL: not wanted */
    size_t indices_out_offset;
    size_t count;        /* number of keys; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    size_t k;
    gp_type key_type;   /* type of all keys */
    gp_type index_type; /* GP_U32 (also 0) or GP_U64 */
    bool smallest;
    gp_strategy strategy;
    cl_mem scratch; /* gp_topk_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_topk_desc;

GP_API gp_result gp_topk(gp_context *gp, const gp_topk_desc *desc);

/* Sets *bytes to the scratch that gp_topk needs with this desc. The buffers of the desc may be NULL. */
GP_API gp_result gp_topk_scratch_size(gp_context *gp, const gp_topk_desc *desc, size_t *bytes);
