#pragma once

/* ------------------------------------------------------------------ sort */

/* keys_out[0] <= keys_out[1] <= ... <= keys_out[count-1]        values_out[i] = the value of keys_out[i]

   Sorts keys in host memory as gp_sort does, and moves a value with each.

   Order: that of gp_sort, also with `descending`; stable. The same keys give the same result every time.
   Aliasing: in place (keys_out is keys, values_out is values), or no overlap. keys_tmp and values_tmp overlap nothing.
   Count 0: does nothing.
   Cost: if everything fits into the budget at once, one copy to the device and one back (with PoCL on a CPU none,
     unless in place). Otherwise each chunk is sorted by the highest 8 bits of its keys, and written to keys_tmp. Then
     keys with the same highest 8 bits are collected from all chunks, and sorted by the lower bits. This is done for
     several values of the highest 8 bits at a time, if their keys fit. If the keys of a single value do not fit, they
     are divided by the next 8 bits in the same way. So uneven keys cost time, not memory. With `others`, chunks are
     smaller, so that there are two steps even if everything fits at once.
   Limits: memory; 2^32 - 1 keys for gp_host_argsort with indices of 4 bytes. Temporary host memory: keys_tmp and
     values_tmp, and 2 KiB for each chunk.
   Errors: after a failure or a cancellation, arrays that are sorted in place still have all keys and values, in any
     order. The one exception is a sort with a single chunk if copying its result back fails.
   Source: Stehle & Jacobsen 2017 (chunks; large buckets are divided by the next digit). */
typedef struct gp_host_sort_desc {
    const void *keys;
    void *keys_out;     /* the same as keys: in place */
    const void *values; /* NULL with value_size 0 */
    void *values_out;
    void *keys_tmp;   /* room for count keys; NULL: allocated if needed */
    void *values_tmp; /* room for count values; NULL: allocated if needed */
    size_t count;
    gp_type key_type;   /* of keys, in all their arrays */
    size_t value_size;  /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    uint32_t begin_bit; /* only bits [begin_bit, end_bit) are compared, as by gp_sort */
    uint32_t end_bit;   /* 0: all bits of the key */
    bool descending;
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is 2 * count, or count if there is one chunk */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_sort_desc;

GP_HOST_API gp_result gp_host_sort(gp_context *gp, const gp_host_sort_desc *desc);

/* values_out[i] = the index, from 0 on, in `keys` of the i-th key in sorted order

   Sorts as gp_host_sort does, but writes indices instead of values: value_size is 4 or 8 bytes (0: 4), and `values`
   must be NULL. If keys_out is NULL, the sorted keys are not written, but the call still needs memory for them, unless
   everything fits at once. */
GP_HOST_API gp_result gp_host_argsort(gp_context *gp, const gp_host_sort_desc *desc);
