#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ sort */

/* keys_out[0] <= keys_out[1] <= ... <= keys_out[count-1]        values_out[i] = the value of keys_out[i]

   Sorts keys, and moves a value with each. Values are moved, never looked at. For records use
   gp_sort_records; for values of other sizes gp_argsort, then gp_gather.
   Only bits [begin_bit, end_bit) are compared, of the key as an unsigned number that is ordered as the keys
   are: the sign bit of signed integers is flipped; of floats the sign bit is flipped when it is 0, all bits
   when it is 1. Fewer bits are fewer passes, one for every 8. With begin_bit = end_bit > 0 keys are copied.

   Order: integers by value. Floats by a total order: -NaN, -inf, ..., -0, +0, ..., +inf, +NaN; NaNs of one
     sign by their bits. `descending` reverses the order. Stable in both: equal keys keep their input order.
     The same keys give the same result every time, on every device.
   Aliasing: in place, with keys_out NULL or the same elements as keys (the same for values); or no overlap,
     and the input is left as it is. count_buffer's number must not lie in memory that the call writes.
   Count 0: does nothing.
   Scratch: the second buffers, unless you give them, and 5 MiB at most, however many keys (with
     GP_WORDS_NARROW and single pass: 1 KiB per tile). The second buffers are keys_tmp and values_tmp, of
     `count` elements each: passes go back and forth between them and the output, so that the output is read
     too. One pass that is not in place needs none.
   Cost: single pass (onesweep) reads the keys once for all passes; then each pass reads and writes every key
     once. Multi-pass (classic): each pass reads every key twice and writes it once. Multi-pass on a CPU:
     1 MiB of elements (a key and its value) or more, sorted by at least 25 bits, are moved to 256 buckets
     first, which are then sorted in the caches, by two passes and insertion where keys are random; unless one bucket
     has more than 1/64 of them, or elements of less than 8 bytes are more than 80 MiB. Keys that are in order already
     are read twice at most, and copied unless in place. A pass in which all keys agree moves nothing. Up to some thousand keys take one launch. On GPUs, where no strategy is named, up to
     2^(d+2) tiles of that size, d the bytes of a key, are sorted and merged: 1 + log2(tiles) launches, rounded
     up (u32 on NVIDIA: up to 229376 keys). Keys of a byte are not.
   Limits: what fits in memory; 2^32 - 1 keys where values of 4 bytes are indices (gp_argsort).
   Source: Adinets & Merrill 2022 (onesweep); Satish, Harris & Garland 2009 (classic); Stehle & Jacobsen 2017
     (buckets); Odeh et al. 2012 (merges).
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
   `values` is NULL. With keys_out NULL the sorted keys are not wanted, and the keys stay as they are. */
GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc);

/* Bytes of scratch that gp_sort (gp_argsort) with this desc needs. Only this matters of the buffers: which
   ones are NULL, and whether keys_out and values_out are other ones than keys and values; for gp_argsort
   values_out must be set. Can be 0. */
GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
