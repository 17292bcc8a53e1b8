#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ merge */

/* keys_out = the keys of a and b, sorted        values_out[i] = the value of keys_out[i]

   Merges two sorted sequences of keys, a and b, into one, and moves a value of value_size bytes (0: none)
   with each key; values are not compared. To merge records, make keys of a field with gp_transform, and give
   the records, or their indices, as values.

   Result: a_count + b_count keys and values. Either count may be on the device.
   Order: that of gp_sort, `descending` included; both inputs must be in it. Stable: keys of the first
     sequence come before equal keys of the second one, and equal keys of one sequence keep their order. The
     same input gives the same result every time, on every device.
   Aliasing: outputs overlap nothing; inputs may overlap each other. Neither count buffer's number may lie in
     an output.
   Count 0: an input whose count is 0 may be NULL.
   Cost: reads and writes once; one launch, no scratch. Each tile finds its inputs by binary search (Merge
     Path), so no group waits for another, whatever the keys are.
   Limits: memory.
   Errors: if an input is not sorted, the order of the output is undefined, and elements may be missing or
     repeated; nothing outside the inputs and the output is read or written, and the call ends.
   Source: Odeh, Green, Mwassi, Shmueli & Birk 2012 (Merge Path). */
typedef struct gp_merge_desc {
    cl_mem a_keys;        /* the first sequence, sorted */
    size_t a_keys_offset; /* in elements, as all offsets */
    cl_mem a_values;      /* NULL with value_size 0 */
    size_t a_values_offset;
    size_t a_count;        /* number of elements; with a_count_buffer, its upper bound */
    cl_mem a_count_buffer; /* NULL: a_count is the number */
    size_t a_count_offset;
    gp_type a_count_type;
    cl_mem b_keys; /* the second sequence, sorted */
    size_t b_keys_offset;
    cl_mem b_values;
    size_t b_values_offset;
    size_t b_count;
    cl_mem b_count_buffer;
    size_t b_count_offset;
    gp_type b_count_type;
    cl_mem keys_out; /* a_count + b_count elements */
    size_t keys_out_offset;
    cl_mem values_out; /* a_count + b_count values; NULL with value_size 0 */
    size_t values_out_offset;
    gp_type key_type;  /* type of all keys */
    size_t value_size; /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    bool descending;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_merge_desc;

GP_API gp_result gp_merge(gp_context *gp, const gp_merge_desc *desc);
