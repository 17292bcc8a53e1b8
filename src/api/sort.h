#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ sort */

/* keys_out[0] <= keys_out[1] <= ... <= keys_out[count-1]        values_out[i] = the value of keys_out[i]

   Sorts keys, and moves a value with each; values are not compared. For records use gp_sort_records; for
   values of other sizes gp_argsort, then gp_gather.
   Only bits [begin_bit, end_bit) are compared. They are bits of the key as an unsigned number that has the
   order of the keys: for signed integers the sign bit is flipped; for floats the sign bit is flipped if it is
   0, and all bits if it is 1. There is one pass for every 8 bits or more, so fewer bits are faster. With begin_bit =
   end_bit > 0 the keys are only copied.

   Order: integers by value. Floats by a total order: -NaN, -inf, ..., -0, +0, ..., +inf, +NaN; NaNs of one
     sign by their bits. `descending` reverses the order. Stable in both: equal keys keep their input order.
     The same keys give the same result every time, on every device.
   Aliasing: in place, with keys_out NULL or the same elements as keys (the same for values); or no overlap,
     and the input is left as it is. count_buffer's number must not lie in memory that the call writes.
   Count 0: does nothing.
   Scratch: at most 5 MiB, however many keys there are (single pass with GP_WORDS_NARROW: 1 KiB per tile), and
     the second buffers, unless you give them as keys_tmp and values_tmp, of `count` elements each. Passes
     alternate between the second buffers and the output, so the output is also read. A sort by 8 bits or
     fewer that is not in place needs no second buffers.
   Cost: in p passes, with GP_STRATEGY_SINGLE_PASS p + 1 reads and p writes of a key and its value, in p + 4 launches (4 p + 4 on
     devices that may stop a group that has started, and for very many keys); with GP_STRATEGY_MULTI_PASS 2 p reads and p writes, in 3 p + 2 launches. Few keys take one launch. On CPUs many keys
     take 3 to 4 reads and 2 writes, if a sample of them can be divided into parts of the range. A pass in which all keys have the same digit moves nothing.
     Keys that are in order already are read, and copied unless the sort is in place.
   Limits: memory; for gp_argsort with indices of 4 bytes 2^32 - 1 keys.
   Source: Adinets & Merrill 2022 (onesweep); Satish, Harris & Garland 2009 (classic); Frazer & McKellar
     1970, Stehle & Jacobsen 2017 (buckets).
   Example: examples/04_sort_pairs.c */
typedef struct gp_sort_desc {
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
    cl_mem values_tmp;
    size_t values_tmp_offset;
    size_t count;        /* of elements, or their bound with count_buffer */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;  /* of keys, in every buffer of them */
    size_t value_size; /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    uint32_t begin_bit;
    uint32_t end_bit; /* 0: all bits of the key */
    bool descending;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_sort_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_sort_desc;

GP_API gp_result gp_sort(gp_context *gp, const gp_sort_desc *desc);

/* values_out[i] = the index, from 0 on, of the key that comes i-th

   Sorts as gp_sort does, but gives indices in place of values: value_size is 4 or 8 bytes (0: 4), and
   `values` is NULL. If keys_out is NULL, the sorted keys are not written, and the keys stay as they are. */
GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc);

/* Bytes of scratch that gp_sort (gp_argsort) with this desc needs. Two things about the buffers matter: which
   are NULL, and whether keys_out and values_out differ from keys and values. For gp_argsort values_out must
   be set. Can be 0. */
GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
