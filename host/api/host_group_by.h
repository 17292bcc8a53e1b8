#pragma once

/* ------------------------------------------------------------------ group by */

/* keys_out[g] = a key        out[g] = initial . all elements of `in` with that key        . is op or monoid

   Groups the elements of an array in host memory by key, and reduces each group as gp_reduce_by_key does. With `map`,
   reduces map(in[i]). Equal keys need not be adjacent. With map "1" and GP_SUM, counts the elements of each group.

   Result: one key per group in keys_out, its reduction of out_type in out, and the number of groups in *groups. With
     GP_F16, intermediate results are rounded to half precision, too.
   Order: groups are in ascending order of keys, which is that of gp_sort. Keys are equal if their bits are: for floats,
     -0 and +0 are two groups, and NaNs with the same bits are one. Within a group, elements are combined in input
     order. Float results repeat bit for bit for the same input and budget on the same device. With `others`, their
     number must be the same, too, and all devices must be alike.
   Aliasing: outputs, keys_tmp and values_tmp overlap nothing.
   Count 0: *groups becomes 0; nothing else is written.
   Cost: copies the input to the device once; each chunk is sorted there, and reduced to its groups. If there is more
     than one chunk, the groups of all chunks are kept in host memory; at the end, and whenever that memory is full,
     gp_host_sort sorts them, and they are reduced again. With few keys the second step costs little; if all keys
     differ, everything is sorted twice.
     With `others`, chunks and the sort are shared; `gp` alone reduces the groups of all chunks again.
   Limits: memory. If there is more than one chunk, temporary host memory is needed. It has room for a key and a result
     of each element of four chunks (with `others`, of eight chunks for each context). If four times the number of
     groups is more, it has room for these, but never for more than `count`. As much again is needed to sort them. If
     keys_tmp and values_tmp are given, they are this memory, and only 2 KiB more are allocated for each chunk of the
     sort. Elements of `in` and results have 1, 2, 4, 8 or 16 bytes. The map cannot use i. GP_ARGMIN and GP_ARGMAX are
     not supported.
   Errors: GP_ERROR_COUNT_LIMIT if there are more groups than `room`; *groups is their number in this case, too. */
typedef struct gp_host_group_by_desc {
    const void *keys;
    const void *in;            /* what is reduced: one element per key */
    void *keys_out;            /* `room` keys; NULL: not wanted */
    void *out;                 /* `room` elements of out_type */
    size_t room;               /* groups that the outputs hold; 0: count */
    uint64_t *groups;          /* their number; NULL: not wanted */
    void *keys_tmp;            /* room for 2 * count keys; NULL: allocated if needed */
    void *values_tmp;          /* room for 2 * count elements of out_type; set both or neither */
    size_t count;              /* of elements */
    gp_type key_type;          /* of `keys` and keys_out */
    gp_type type;              /* of `in`; with a monoid but no map: leave 0 */
    const gp_record *record;   /* instead of type; needs a map, and out_type or a monoid */
    gp_type out_type;          /* 0: as in gp_reduce_desc */
    gp_op op;                  /* set op or monoid */
    const gp_monoid *monoid;   /* instead of out_type and op */
    const char *map;           /* expression in x; NULL: the element itself */
    const gp_arg *args;        /* values and device buffers that expressions name; NULL: none */
    size_t arg_count;          /* at most GP_ARGS_MAX */
    const void *initial;       /* one element of out_type; NULL: the identity */
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is 2 * count, or count if all fits at once */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_group_by_desc;

GP_HOST_API gp_result gp_host_group_by(gp_context *gp, const gp_host_group_by_desc *desc);
