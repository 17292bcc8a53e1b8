#pragma once

/* ------------------------------------------------------------------ sort */

/* keys_out[0] <= keys_out[1] <= ... <= keys_out[count-1]        values_out[i] = the value of keys_out[i]

   Sorts keys in host memory as gp_sort does, and moves a value with each.

   Order: as by gp_sort, `descending` included; stable. The same keys give the same result every time.
   Aliasing: in place (keys_out is keys, values_out is values), or no overlap. keys_tmp and values_tmp overlap nothing.
   Count 0: does nothing.
   Cost: where all fits at once, copies to the device and back. Otherwise chunks are sorted by their highest 8 bits to keys_tmp; then
     as many values of these bits as fit are gathered, and sorted by the bits below. A value of these bits with more keys than
     fit is sorted by the next 8 bits in the same way, so that skew costs time, not memory.
   Limits: memory. Temporary host memory: keys_tmp and values_tmp, and 2 KiB for each chunk; 2^32 - 1 keys where values of 4 bytes are indices
     (gp_host_argsort).
   Errors: after a failure or a cancel, keys that are sorted in place are all there, with their values, in any order; but not
     where all fits at once and the device fails to copy it back.
   Source: Stehle & Jacobsen 2017 (chunks, and large buckets again by the next digit). */
typedef struct gp_host_sort_desc {
    const void *keys;
    void *keys_out;     /* the same as keys: in place */
    const void *values; /* NULL with value_size 0 */
    void *values_out;
    void *keys_tmp;   /* room for count keys; NULL: is allocated where needed */
    void *values_tmp; /* the same for values */
    size_t count;
    gp_type key_type;   /* of keys, in every array of them */
    size_t value_size;  /* bytes: 0 (keys only), 1, 2, 4, 8, 16 */
    uint32_t begin_bit; /* only bits [begin_bit, end_bit) are compared, as by gp_sort */
    uint32_t end_bit;   /* 0: all bits of the key */
    bool descending;
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is 2 * count, or count where all fits at once */
    void *progress_user;       /* for progress */
} gp_host_sort_desc;

GP_HOST_API gp_result gp_host_sort(gp_context *gp, const gp_host_sort_desc *desc);

/* values_out[i] = the index, from 0 on, of the key that comes i-th

   Sorts as gp_host_sort does, but gives indices in place of values: value_size is 4 or 8 bytes (0: 4), and `values` is NULL.
   With keys_out NULL the sorted keys are not wanted; it takes memory for them all the same, where not all fits at once. */
GP_HOST_API gp_result gp_host_argsort(gp_context *gp, const gp_host_sort_desc *desc);
