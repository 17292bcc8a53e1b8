#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ sort */

/* Sorts keys, and moves a value with each, stably: equal keys keep their order.

   Order: integers by value. Floats by a total order: -NaN, -inf, ..., -0, +0, ..., +inf, +NaN; NaNs of one
   sign by their bits. `descending` turns it round; equal keys still keep their order.
   Bits: only bits [begin_bit, end_bit) are looked at, of the key as an unsigned number that is ordered as the
   keys are: the sign bit of signed integers is flipped; of floats the sign bit when it is 0, all bits when
   it is 1. Fewer bits are fewer passes, one for every 8. begin_bit = end_bit > 0 copies.
   Values are moved, never looked at. Records of other sizes: gp_argsort, then gather.
   Aliasing: keys_out NULL or the same elements as keys: in place; the same for values. Else the input is left
   as it is, and nothing may overlap. count_buffer's number apart from all that is written.
   Second buffers: passes go back and forth between the output and keys_tmp (values_tmp), of `count` elements
   each, so that the output is read too. NULL takes them from the scratch. None are needed for one pass out of
   place.
   Cost: single pass (onesweep) reads the keys once for all passes and then reads and writes once each;
   multi-pass (classic) reads twice and writes once. On a CPU's multi-pass, keys (and values) of 8 bytes or
   more and at least 25 bits are moved to 256 buckets first, which are sorted in the caches, unless one bucket
   has more than 1/64 of them. Passes in which all keys agree cost no move. Up to some thousand keys: one
   launch. Scratch besides the second buffers: 5 MiB at most, however many keys (with GP_WORDS_NARROW and
   single pass: 1 KiB a tile). Largest count: what fits in memory; 2^32 - 1 where values of 4 bytes are
   indices. The same keys give the same result every time, on every device. */
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

/* values_out[i] = where the key that comes i-th was: an index from 0 on, of value_size bytes (4 or 8; 0: 4).
   `values` is NULL. keys_out NULL: the sorted keys are not wanted, and the keys stay as they are. */
GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc);

/* Bytes of scratch that gp_sort (gp_argsort) with this desc needs. Of the buffers only this is looked at:
   which are NULL, and whether keys_out and values_out are other ones than keys and values; for gp_argsort
   values_out must be there. Can be 0. */
GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
