#pragma once

/* ------------------------------------------------------------------ top k */

/* keys_out[j] = the key that comes j-th        indices_out[j] = its index in keys, from 0 on        j < k

   Finds the k largest keys (with `smallest`, the k smallest) of an array in host memory and their indices, best first,
   as gp_topk does.

   Result: k keys and indices; one of keys_out and indices_out may be NULL.
   Order: that of gp_sort, stable: of equal keys, those with the lowest indices come first. The same keys give the same
     result every time, on every device, with any budget.
   Aliasing: outputs overlap nothing.
   Count 0: requires k = 0, and does nothing; so does k = 0 with any count.
   Cost: copies the keys to the device once; the first k of each chunk are copied back, and searched in the same way.
     If k is more than half of a chunk, or the results of three chunks need more than half of the budget, all keys are
     sorted (gp_host_sort, gp_host_argsort).
   Limits: memory; 2^32 - 1 keys with indices of GP_U32. Temporary host memory: k keys and indices for each chunk; if
     all keys are sorted, that of gp_host_argsort, and twice the keys and indices.
   Errors: k > count is GP_ERROR_INVALID_ARGUMENT. */
typedef struct gp_host_topk_desc {
    const void *keys;
    void *keys_out;    /* k keys; NULL: not wanted */
    void *indices_out; /* k indices; NULL: not wanted */
    size_t count;      /* of keys */
    size_t k;
    gp_type key_type;   /* of all keys */
    gp_type index_type; /* of indices_out: GP_U32 (also 0) or GP_U64 */
    bool smallest;
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count, or 2 * count if all keys are sorted */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_topk_desc;

GP_HOST_API gp_result gp_host_topk(gp_context *gp, const gp_host_topk_desc *desc);
