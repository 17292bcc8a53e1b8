#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ merge */

/* Merges two sorted sequences of keys, a and b, into one, and moves a value with each key.

   Order: the one of gp_sort, `descending` included; both inputs must be in it. Where one is not, the order of
   the output is undefined, and some elements may be there twice and others not at all; nothing is read or
   written outside the inputs and the output, and the call ends.
   Stable: of equal keys those of a come first, and each sequence's own keep their order.
   Values are moved, never looked at: value_size bytes each, 0 for none.
   Aliasing: outputs may overlap nothing; inputs may overlap each other. Each count buffer's number apart from
   the outputs. An input whose count is 0 may be NULL.
   Counts may live on the device, each by itself; the output has as many elements as both together.
   Cost: reads and writes once, one launch, no scratch. Each tile finds its inputs by binary search (Merge
   Path, Odeh, Green, Mwassi, Shmueli & Birk 2012), so that no group waits for another, however the keys lie.
   Largest count: what fits in memory. The same input gives the same result every time, on every device. */
typedef struct gp_merge_desc {
    cl_mem a_keys;        /* the first sequence, sorted */
    size_t a_keys_offset; /* elements, as all offsets */
    cl_mem a_values;      /* NULL with value_size 0 */
    size_t a_values_offset;
    size_t a_count;        /* of elements, or their bound with a_count_buffer */
    cl_mem a_count_buffer; /* NULL: a_count is the number */
    size_t a_count_offset;
    gp_type a_count_type;
    cl_mem b_keys; /* the second sequence: the same */
    size_t b_keys_offset;
    cl_mem b_values;
    size_t b_values_offset;
    size_t b_count;
    cl_mem b_count_buffer;
    size_t b_count_offset;
    gp_type b_count_type;
    cl_mem keys_out; /* a_count + b_count elements */
    size_t keys_out_offset;
    cl_mem values_out; /* as many values; NULL with value_size 0 */
    size_t values_out_offset;
    gp_type key_type;  /* of keys, in every buffer of them */
    size_t value_size; /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    bool descending;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_merge_desc;

GP_API gp_result gp_merge(gp_context *gp, const gp_merge_desc *desc);
