#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ sort */

/* keys_out[0] <= keys_out[1] <= ... <= keys_out[count-1]        values_out[i] = the value of keys_out[i]

   Sorts keys, and moves a value with each key; values are not compared. To sort records, use gp_sort_records.
   For values of other sizes, call gp_argsort, then gp_gather.

   Only bits [begin_bit, end_bit) of a key are compared. They are the bits of an unsigned number that has the
   order of the keys: a signed integer with its sign bit flipped, a float with its sign bit flipped if that
   bit is 0 and with all bits flipped if it is 1. The fewer bits are compared, the fewer passes the sort
   makes. If begin_bit = end_bit > 0, keys are copied without a comparison.

   Order: integers by value; floats by a total order: -NaN, -inf, ..., -0, +0, ..., +inf, +NaN, and NaNs of
     one sign by their bits. `descending` reverses the order of keys. Stable, also if `descending`: equal keys
     keep their input order. The same keys give the same result every time, on every device.
   Aliasing: in place, if keys_out is NULL or the same elements as keys (and likewise for values); or no
     overlap, and the input keeps its contents. The number in count_buffer must not lie in memory that the
     call writes.
   Count 0: does nothing.
   Scratch: at most 5 MiB, however many keys there are (single pass with GP_WORDS_NARROW: 1 KiB per tile), and
     second buffers of `count` elements each, unless keys_tmp and values_tmp are given. A sort by at most 8
     bits that is not in place needs no second buffers. Passes alternate between the second buffers and the
     output, so the output is also read.
   Cost: there are p passes, each by 8 bits or more. GP_STRATEGY_SINGLE_PASS reads keys and values p + 1 times
     and writes them p times, in p + 4 launches; it takes 4 p + 4 launches for very many keys, and on devices
     that may stop a group that has started. GP_STRATEGY_MULTI_PASS reads 2 p times and writes p times, in 3 p
     + 2 launches. Few keys take one launch. CPUs read many keys 3 to 4 times and write them twice if a sample
     shows how to divide them into ranges. A pass in which all keys have the same digit moves nothing. Keys
     that are already in order are read once, and copied if the sort is not in place.
   Limits: memory; for gp_argsort with indices of 4 bytes 2^32 - 1 keys.
   Source: Adinets & Merrill 2022 (onesweep); Satish, Harris & Garland 2009 (classic); Frazer & McKellar 1970,
     Stehle & Jacobsen 2017 (buckets).
   Example: examples/04_sort_pairs.c */
typedef struct gp_sort_desc {
    cl_mem keys;
    size_t keys_offset; /* in elements, as all offsets */
    cl_mem keys_out;    /* NULL: in place */
    size_t keys_out_offset;
    cl_mem values; /* NULL with value_size 0 */
    size_t values_offset;
    cl_mem values_out; /* NULL: in place */
    size_t values_out_offset;
    cl_mem keys_tmp; /* second buffer of keys; NULL: scratch */
    size_t keys_tmp_offset;
    cl_mem values_tmp; /* second buffer of values; NULL: scratch */
    size_t values_tmp_offset;
    size_t count;        /* number of elements; with count_buffer, its upper bound */
    cl_mem count_buffer; /* NULL: count is the number */
    size_t count_offset;
    gp_type count_type;
    gp_type key_type;  /* type of all keys */
    size_t value_size; /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    uint32_t begin_bit;
    uint32_t end_bit; /* 0: all bits of the key */
    bool descending;
    gp_strategy strategy;
    cl_mem scratch; /* gp_sort_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_sort_desc;

GP_API gp_result gp_sort(gp_context *gp, const gp_sort_desc *desc);

/* values_out[i] = the index, from 0 on, of the key that comes i-th

   Sorts as gp_sort does, and writes each key's index in place of a value. value_size is 4 or 8 bytes (0: 4),
   and `values` is NULL. If keys_out is NULL, the sorted keys are not written, and `keys` is not changed. */
GP_API gp_result gp_argsort(gp_context *gp, const gp_sort_desc *desc);

/* Sets *bytes to the scratch that gp_sort (gp_argsort) needs with this desc, which can be 0. Buffers matter
   in two ways: which of them are NULL, and whether keys_out and values_out differ from keys and values.
   gp_argsort_scratch_size requires values_out. */
GP_API gp_result gp_sort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
GP_API gp_result gp_argsort_scratch_size(gp_context *gp, const gp_sort_desc *desc, size_t *bytes);
