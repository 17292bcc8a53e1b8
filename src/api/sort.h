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
   Cost: single pass (onesweep) first reads the keys once, to count their digits for all passes; then each
     pass reads and writes every key once. Multi-pass (classic): each pass reads every key twice and writes it
     once. Multi-pass on a CPU, for 1 MiB of elements (a key and its value) or more and at least 25 bits:
     elements are first moved to 256 buckets by their highest bits, and each bucket is then sorted in the
     caches (random keys: by two passes and insertion). There are no buckets if one would have more than 1/64
     of the elements, or if elements of less than 8 bytes are more than 80 MiB (on AMD CPUs 160 MiB). For more
     than 16384 elements, but less than 1 MiB of them, CPUs take 11 bits in a pass instead of 8 if that saves
     a pass. CPUs of several cores with GP_STRATEGY_AUTO, for more than 16384 elements, but at most 131079 and
     less than 1 MiB of them, and at least 9 bits: each of up to 8 cores reads all keys and sorts those within
     bounds of its own, in one launch (in place two). Bounds are from a sample; equal keys all go to one core.
     Keys that are already in order are read twice at most (there by each core), and copied unless the sort is
     in place. A pass in which all keys have the same
     digit moves nothing. Up to some thousand keys (a tile) take one launch. On GPUs with GP_STRATEGY_AUTO, up
     to 2^(d+2) such tiles, where d is the bytes of a key, are each sorted and then merged, in 1 + log2(tiles)
     launches, rounded up (u32 on NVIDIA: up to 229376 keys); keys of one byte are not.
   Limits: memory; for gp_argsort with indices of 4 bytes 2^32 - 1 keys.
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
   `values` is NULL. If keys_out is NULL, the sorted keys are not written, and the keys stay as they are. */
GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc);

/* Bytes of scratch that gp_sort (gp_argsort) with this desc needs. Two things about the buffers matter: which
   are NULL, and whether keys_out and values_out differ from keys and values. For gp_argsort values_out must
   be set. Can be 0. */
GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
