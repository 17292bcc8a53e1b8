#pragma once

/* ------------------------------------------------------------------ nth element */

/* keys_out[j] = the key at position ranks[j] of the sorted keys        j < rank_count

   Finds order statistics of an array in host memory, such as its median, without sorting, as gp_nth_element does.

   Result: rank_count keys, in the order of `ranks`, which may be in any order and may repeat.
   Order: that of gp_sort. The same keys give the same result every time, on every device, with any budget.
   Aliasing: keys_out does not overlap keys.
   Count 0: with rank_count 0 it does nothing.
   Cost: copies the keys to the device once. A sample yields an interval around each rank; keys are counted by
     interval, and those within intervals are copied back: 3 % of the keys for a rank, or fewer. If more than an eighth
     of the keys plus 65,536 are within intervals, as with many ranks, or if the sample misleads, keys are copied once
     more or several times: each time an interval shrinks to a sixth or less, with few ranks to much less. A value that
     many keys have costs nothing extra.
   Limits: memory; 64 ranks. Temporary host memory: an eighth of the keys, and twice 65,536 keys.
   Errors: a rank that is not below count is GP_ERROR_INVALID_ARGUMENT.
   Source: Floyd & Rivest 1975 (intervals from a sample). */
typedef struct gp_host_nth_element_desc {
    const void *keys;
    size_t count;              /* of keys */
    const uint64_t *ranks;     /* from 0 on */
    size_t rank_count;         /* up to 64 */
    void *keys_out;            /* rank_count keys */
    gp_type key_type;          /* of all keys */
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_nth_element_desc;

GP_HOST_API gp_result gp_host_nth_element(gp_context *gp, const gp_host_nth_element_desc *desc);
