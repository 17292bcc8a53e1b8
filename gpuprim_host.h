/* gpuprim_host.h - gpuprim's calls on arrays in host memory, of any size, for C99.

   Put this in exactly one C or C++ file, and only include the header everywhere else:

       #define GP_HOST_IMPLEMENTATION
       #include "gpuprim_host.h"

   The implementation of gpuprim.h must be in exactly one file, too, which may be the same one. A call looks like this:

       gp_host_scan_desc scan = { .in = a, .out = b, .count = n, .type = GP_U32, .op = GP_SUM };
       if (gp_host_scan(gp, &scan) != GP_OK) puts(gp_last_error(gp));

   RULES THAT HOLD FOR EVERY CALL
     - Arrays are pointers to host memory, aligned to their elements. A file that is mapped into memory is such an
       array, too. Arrays pass through the device in chunks: while one chunk is computed, one is copied to the device
       and one is copied back. Calls use the context's queue, and a second queue for copies.
     - A call returns when its result is in host memory.
     - Every desc starts as all zeros. Types, operations and expressions are those of the device's call: those of
       gp_host_scan are those of gp_scan. In a map, i counts from the call's first element; but in a macro of your own,
       it counts from the chunk's first element. Buffers in `args` are on the device, as always. If a map uses i, or a
       scan has a map, the call adds args of its own, whose names begin with chunk_.
     - `budget` is the most device memory that the call uses, in bytes. 0: a quarter of the device's memory, but at most
       the size of its largest buffer. If not even chunks of one element fit, the call fails with
       GP_ERROR_INVALID_ARGUMENT. With PoCL on a CPU, a sort works in the caller's arrays, which do not count.
     - `others` are further contexts, of devices of any kind, that share the work with `gp`. The calling thread drives
       all of them, and no other thread may use them during the call. The input is divided into about 32 chunks per
       context, and a context that finishes sooner gets more of them. The result is the same as with one context, bit
       for bit, except for sums and products of floats and for monoids that are not exact. These repeat only if all
       devices are alike, and each call's comment says under which conditions. `budget` applies to each context. Args
       must be values, because a buffer belongs to one context. If a context fails, the call fails, and the text of the
       failure names the context. If other_count is 0, `others` is ignored.
     - `progress` is called from time to time, with the amount of work that is done. `total` is the same each time, and
       the last time done == total. It runs on the caller's thread. Inside it, calls with the contexts fail with
       GP_ERROR_INVALID_ARGUMENT, and gp_context_destroy does nothing. If it does not return 0, the call ends with
       GP_ERROR_CANCELED.
     - gp_last_error(gp) returns the text of a failure. If the device's call refuses an argument, the text names that
       call.
     - Inputs are never written, unless they are also the output. After a failure, outputs are undefined. (Sorts in
       place: see gp_host_sort_desc.)
     - All memory that a call allocates is freed when it returns.

   The headings in the comments of calls (Result, Order, ...) are those of gpuprim.h.

   OPTIONS (define before including)
     GP_HOST_IMPLEMENTATION   emit the implementation here
     GP_STATIC                as in gpuprim.h; both implementations must then be in the same file, and are static

   Licence: MIT, see the end of this file's implementation part or LICENSE. */
#ifndef GPUPRIM_HOST_H
#define GPUPRIM_HOST_H

#include "gpuprim.h"

#ifdef GP_STATIC
#define GP_HOST_API GP_API
#else
#define GP_HOST_API extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Is called with how much of a call's work is done. Must return 0 to continue; any other value cancels the call. */
typedef int (*gp_host_progress)(uint64_t done, uint64_t total, void *user);

/* ------------------------------------------------------------------ reduce */

/* out[0] = initial . in[0] . in[1] ... in[count-1]        . is op or monoid

   Reduces an array in host memory to one value, as gp_reduce does. With `map`, reduces map(in[i]).

   Result: one element of out_type.
   Order: each chunk is reduced as by gp_reduce, then the chunks' results are combined in input order. Float results
     repeat bit for bit for the same count and budget on the same device. With `others`, their number must be the same,
     too, and all devices must be alike.
   Aliasing: `out` may be anywhere.
   Count 0: the result is `initial`.
   Cost: copies the input to the device once.
   Limits: memory. GP_ARGMIN and GP_ARGMAX are not supported. */
typedef struct gp_host_reduce_desc {
    const void *in;
    void *out;                 /* one element of out_type */
    size_t count;              /* of elements */
    gp_type type;              /* of the input; with a monoid but no map: leave 0 */
    const gp_record *record;   /* instead of type; needs a map, and out_type or a monoid */
    gp_type out_type;          /* 0: as in gp_reduce_desc */
    gp_op op;                  /* set op or monoid */
    const gp_monoid *monoid;   /* instead of out_type and op */
    const char *map;           /* expression in x, y and i; NULL: the element itself */
    const gp_arg *args;        /* values and device buffers that expressions name; NULL: none */
    size_t arg_count;          /* at most GP_ARGS_MAX, with those that the call adds */
    const void *in2;           /* second input, count elements, for map's y; NULL: none */
    gp_type type2;             /* of the second input; 0: `type` */
    const void *initial;       /* one element of out_type; NULL: the identity */
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_reduce_desc;

GP_HOST_API gp_result gp_host_reduce(gp_context *gp, const gp_host_reduce_desc *desc);

/* ------------------------------------------------------------------ scan */

/* inclusive            out[i] = initial . in[0] ... in[i]               . is op or monoid
   exclusive            out[i] = initial . in[0] ... in[i-1]
   reverse              out[i] = in[i] ... in[count-1] . initial
   reverse, exclusive   out[i] = in[i+1] ... in[count-1] . initial

   Computes running products of an array in host memory, as gp_scan does. With `map`, scans map(in[i]).

   Result: elements of out_type. The product before a chunk is passed to it as an element of out_type: with GP_F16 it is
     rounded.
   Order: input order. Float sums may have other bits each time, as with gp_scan. To get the same bits each time, set
     `deterministic`, and the same budget. With `others`, their number must be the same, too, and all devices must be
     alike.
   Aliasing: in place (`in` and `out` are the same, of types of one size), or no overlap.
   Count 0: does nothing.
   Cost: copies the input to the device and the output from it once. With `others` the input is copied twice, because
     chunks are first reduced, then scanned. This is worthwhile for maps that cost more than the copies, and for devices
     that share the host's memory.
   Limits: memory. Segments, GP_ARGMIN and GP_ARGMAX are not supported. Without a map, out_type must not be narrower
     than `type`, and not be an integer if `type` is a float, as with gp_scan. */
typedef struct gp_host_scan_desc {
    const void *in;
    void *out;               /* count elements of out_type */
    size_t count;            /* of elements */
    gp_type type;            /* of the input; with a monoid but no map: leave 0 */
    const gp_record *record; /* instead of type; needs a map, and out_type or a monoid */
    gp_type out_type;        /* of sums and output; 0: `type` */
    gp_op op;                /* set op or monoid */
    const gp_monoid *monoid; /* instead of out_type and op */
    const char *map;         /* expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and device buffers that expressions name; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX, with those that the call adds */
    bool exclusive;
    bool reverse;              /* from the last element to the first */
    bool deterministic;        /* the same bits every time, also for floats and monoids that are not exact */
    const void *initial;       /* one element of out_type; NULL: the identity */
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count, or 2 * count with others and several chunks */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_scan_desc;

GP_HOST_API gp_result gp_host_scan(gp_context *gp, const gp_host_scan_desc *desc);

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

/* ------------------------------------------------------------------ select */

/* Selects elements of an array in host memory, and packs them in their order, as gp_select does:

       predicate   in[i] for each i at which the expression in x (the element) and i (ulong, from 0 on) holds
       flags       in[i] for each i at which flags[i] is not 0

   Exactly one of the two must be given. Elements are those of gp_select.

   Result: the selected elements in `out`, their positions in `indices_out`, their number in *selected; at least one of
     these is required. The arrays must have room for `count` elements and indices. Beyond the selected elements nothing
     is written; with `others`, the rest is undefined.
   Order: input order; stable. The same input gives the same result every time.
   Aliasing: outputs overlap nothing.
   Count 0: only *selected is written.
   Cost: copies the input to the device, and the selected elements from it.
   Limits: memory; 2^32 - 1 elements with indices of GP_U32. */
typedef struct gp_host_select_desc {
    const void *in;
    void *out;                 /* NULL: not wanted */
    void *indices_out;         /* positions; NULL: not wanted */
    uint64_t *selected;        /* their number; NULL: not wanted */
    size_t count;              /* of elements */
    gp_type type;              /* of elements; set type or element_size */
    size_t element_size;       /* bytes of an element: 1, 2, 4, 8, 16 */
    const gp_record *record;   /* instead of type and element_size: the type that a predicate sees */
    const char *predicate;     /* set predicate or flags */
    const gp_arg *args;        /* values and device buffers that expressions name; NULL: none */
    size_t arg_count;          /* at most GP_ARGS_MAX, with those that the call adds */
    const void *flags;         /* count flags */
    gp_type flags_type;        /* 0: GP_U8 */
    gp_type index_type;        /* of indices_out: GP_U32 (also 0) or GP_U64 */
    size_t budget;             /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_select_desc;

GP_HOST_API gp_result gp_host_select(gp_context *gp, const gp_host_select_desc *desc);

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

/* ------------------------------------------------------------------ histogram */

/* out[c * bins + b] = how many samples of channel c are in bin b; with `weights`, the sum of their weights

   Counts the elements of an array in host memory, as gp_histogram does. Bins, edges, bounds, channels and weights have
   the same meaning as there.

   Result: counts or sums of out_type, modulo 2^32 or 2^64.
   Order: the result is the same every time, on every device, and for any order of the input.
   Aliasing: `out` overlaps nothing.
   Count 0: all counts are 0; with `accumulate`, `out` stays as it is.
   Cost: copies the input to the device once.
   Limits: memory (for the counts, that of the device); 2^32 - 2 bins. */
typedef struct gp_host_histogram_desc {
    const void *in;
    size_t count;            /* of elements */
    gp_type type;            /* of the input; without a map, of samples */
    const gp_record *record; /* of the input, instead of type; needs a map and map_type */
    const char *map;         /* a sample: expression in x and i; NULL: the element itself */
    const gp_arg *args;      /* values and device buffers that the map names; NULL: none */
    size_t arg_count;        /* at most GP_ARGS_MAX, with those that the call adds */
    gp_type map_type;        /* of the map's value, which is the sample; 0: `type` */
    uint32_t channels;       /* samples per element, 1 to 4; 0: 1 */
    uint32_t channels_out;   /* how many of these are counted, from the first on; 0: all */
    size_t bins;             /* per channel; 0: 256, only with types of 8 bits */
    gp_value lower;      /* of even bins: .i64 for signed types, .u64 for unsigned ones, .f64 for floats */
    gp_value upper;      /* in the same member as `lower`; both 0: the whole range of an integer type */
    const void *edges;   /* bins + 1 of the samples' type, instead of lower and upper; NULL: even bins */
    const void *weights; /* `count` integers; NULL: 1 each */
    gp_type weight_type; /* an integer type */
    void *out;           /* channels_out * bins counts */
    gp_type out_type;    /* GP_U32 or GP_U64; 0: GP_U32 */
    bool accumulate;     /* adds to what `out` holds */
    size_t budget;       /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress; /* NULL: none; total is count */
    void *progress_user;       /* for progress */
    gp_context *const *others; /* further contexts that share the work; NULL: none */
    size_t other_count;        /* the number of others */
} gp_host_histogram_desc;

GP_HOST_API gp_result gp_host_histogram(gp_context *gp, const gp_host_histogram_desc *desc);

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

/* ------------------------------------------------------------------ brackets */

/* Matches nested brackets of an array in host memory, of any depth and of any kinds, as gp_brackets does:

     match[i]    the partner of bracket i; none if it has no partner, or if i is no bracket
     parent[i]   the innermost opener around i; for a closer its opener
     depth[i]    the number of openers around i

   Codes, "none" and `errors` are those of gp_brackets. Indices count from the call's first element.

   Result: at least one of match, parent, depth and errors. All are defined for any input.
   Order: the result is always the same.
   Aliasing: outputs overlap nothing.
   Count 0: nothing but errors is written.
   Cost: copies the input to the device and the outputs from it once. Together with each chunk, the device handles
     brackets that earlier chunks have left open, at most as many as the chunk has elements. So deeply nested input
     takes up to twice as long.
   Limits: memory; 2^32 - 1 elements with 32-bit indices. One context only, because each chunk depends on the one
     before. Temporary host memory: for each bracket that is open at the end of a chunk up to 16 bytes (24 while this
     memory grows), and some bytes for each element of a chunk. */
typedef struct gp_host_brackets_desc {
    const void *in;
    size_t count;        /* of elements */
    gp_type type;        /* of the input */
    const char *pairs;   /* GP_U8: each opener, followed by its closer; or: */
    const int8_t *table; /* GP_U8: 256 codes; or: */
    const char *map;     /* code of an element: expression in x and i */
    const gp_arg *args;  /* values and device buffers that the map names; NULL: none */
    size_t arg_count;    /* at most GP_ARGS_MAX, with those that the call adds */
    void *match;         /* count indices, as are parent and depth; NULL: not wanted */
    void *parent;
    void *depth;
    gp_type index_type; /* of match, parent and depth: GP_U32, GP_U64; 0: GP_U32 as long as count < 2^32 */
    gp_brackets_errors *errors; /* NULL: not wanted; joined and searches are the sums of all chunks */
    size_t budget;              /* bytes of device memory; 0: a quarter of the device's */
    gp_host_progress progress;  /* NULL: none; total is count */
    void *progress_user;        /* for progress */
} gp_host_brackets_desc;

GP_HOST_API gp_result gp_host_brackets(gp_context *gp, const gp_host_brackets_desc *desc);

#ifdef __cplusplus
}
#endif
#endif /* GPUPRIM_HOST_H */

/* From here on this file is generated: tools/amalgamate.sh makes it from host/. */
#ifdef GP_HOST_IMPLEMENTATION
#ifndef GPI_HOST_IMPLEMENTATION_ONCE
#define GPI_HOST_IMPLEMENTATION_ONCE

/* ---- Begin file host/base/chunks.h ---- */
/* chunks.h - passes arrays in host memory through the device, in chunks.

   There are three slots, each with a buffer for each array, and two queues. At any time, one chunk is copied to the
   device, one is computed, and one is copied back:

       copies     up 0 | up 1    | down 0, up 2 | down 1, up 3 | ...
       computes        | chunk 0 | chunk 1      | chunk 2      | ...

   Before the host begins a chunk, it waits for the earlier chunk of the same slot. So at most three chunks are in
   progress.

   If there are several contexts, each has slots and queues of its own, and base/run.h distributes the chunks. */
enum { GPI_HOST_SLOTS = 3, GPI_HOST_ARRAYS = 6, GPI_HOST_OWNS = 2 };

/* An array with elements of `size` bytes, in the caller's memory, and its buffers on the device. */
typedef struct gpi_host_array {
    const char *in; /* NULL: nothing is copied to the device */
    char *out;      /* NULL: nothing is copied back */
    size_t size;    /* 0: there is no such array */
    cl_mem buffers[GPI_HOST_SLOTS];
    cl_mem from[GPI_HOST_SLOTS], to[GPI_HOST_SLOTS]; /* views of the chunk's `in` and `out`; NULL: no view */
} gpi_host_array;

/* A buffer that each context has once, for all of its chunks. */
typedef struct gpi_host_own {
    size_t bytes;     /* 0: there is no such buffer */
    const void *data; /* its first contents; NULL: undefined */
    cl_mem buffer;
} gpi_host_own;

typedef struct gpi_host_chunk {
    size_t index, first, count; /* the chunk's number; elements [first, first + count) */
    int slot;
} gpi_host_chunk;

typedef struct gpi_host_chunks gpi_host_chunks;
typedef gp_result (*gpi_host_step)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);

struct gpi_host_chunks {
    /* members that the call sets */
    gp_context *gp;
    const char *function;
    size_t count; /* number of all elements */
    size_t budget;
    gp_host_progress progress;
    void *progress_user;
    gpi_host_array arrays[GPI_HOST_ARRAYS];
    gpi_host_own owns[GPI_HOST_OWNS]; /* buffers of each context; `fixed` includes their bytes */
    size_t lead, tail;                /* elements of each buffer before and after a chunk's own */
    bool lead_of_chunk;               /* if there are several chunks, `lead` is set to a chunk's length */
    size_t fixed;                     /* bytes of device memory besides arrays and scratch */
    bool reverse;                     /* handles chunks from the last to the first */
    bool views;                       /* compute gets its buffers from gpi_host_from and gpi_host_to */
    gpi_host_step upload;             /* NULL: copies each array's elements */
    gpi_host_step
        compute; /* may enqueue calls, each with wait and wait_count, and each followed by gpi_host_then */
    gpi_host_step download; /* NULL: copies each array's elements */
    /* With several contexts: is called when the chunk's results are in host memory. May be NULL. */
    void (*ended)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
    /* With several contexts: returns whether the next chunk may begin now; may change `number`. NULL: true. */
    bool (*may_begin)(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
    gpi_host_chunk (*chunk_of)(const gpi_host_chunks *chunks,
                               size_t turn); /* NULL: consecutive chunks of one size */
    /* Sets *bytes to the scratch that a chunk of `count` elements needs. NULL: none. */
    gp_result (*scratch_size)(gpi_host_chunks *chunks, size_t count, size_t *bytes);
    void *call;

    /* members that `compute` uses */
    cl_event wait[2];
    cl_uint wait_count;
    cl_event done;
    unsigned commands;
    uint64_t count_of[GPI_HOST_SLOTS];
    cl_mem scratch;
    size_t scratch_bytes;

    /* Members for several contexts. The call sets them in the first context's struct only. */
    gp_context *const *more;
    size_t devices;        /* number of contexts, at least 1 */
    gpi_host_chunks *rest; /* the chunks of all contexts except the first */
    bool large;            /* chunks of chunk_of may be as large as the budget allows */
    size_t depth;          /* most chunks in progress on each context */

    /* members that only chunks.c and run.c use */
    size_t chunk, piece, number; /* elements in a buffer, elements of a chunk, number of chunks */
    cl_command_queue copies;
    cl_event last, uploaded[GPI_HOST_SLOTS], computed[GPI_HOST_SLOTS], downloaded[GPI_HOST_SLOTS];
    cl_event counted[GPI_HOST_SLOTS]; /* NULL, or the event that the download waits for */
    cl_event waited;                  /* an event known to have ended, whatever its status */
    uint64_t progress_done, progress_total;
    bool again;                          /* a previous run has counted these elements in `progress` */
    gpi_host_chunk held[GPI_HOST_SLOTS]; /* the chunk in each slot */
    size_t taken, sent, finished;        /* numbers of chunks that were begun, sent to the host, ended */
    size_t next;                         /* the next chunk to begin; only in the first context's struct */
    uint64_t left;         /* number of unfinished elements; only in the first context's struct */
    uint64_t holds, speed; /* numbers of elements in progress, and finished so far */
};

static void gpi_host_chunks_set(gpi_host_chunks *chunks, gp_context *gp, const char *function, size_t count,
                                size_t budget, gp_host_progress progress, void *progress_user);

/* Adds further contexts. Fails if an arg is a buffer, because a buffer belongs to one context. */
static gp_result gpi_host_chunks_share(gpi_host_chunks *chunks, gp_context *const *others, size_t other_count,
                                       const gp_arg *args, size_t arg_count);

/* Returns the chunks of context number k; for 0 `chunks` itself. */
static gpi_host_chunks *gpi_host_device(gpi_host_chunks *chunks, size_t k);

/* Returns `result`, the result of a step on `device`. If there are several contexts, reports a failure as that of the
   call, with the device's name. */
static gp_result gpi_host_of(gpi_host_chunks *chunks, const gpi_host_chunks *device, gp_result result);

/* Chooses the size of chunks within the budget, and creates the queue for copies, buffers and scratch. */
static gp_result gpi_host_chunks_open(gpi_host_chunks *chunks);

/* Returns the bytes of device memory that a context may use; `budget` is the desc's. */
static size_t gpi_host_budget(const gp_context *gp, size_t budget);

/* Returns the number of chunks of `chunk` elements. */
static size_t gpi_host_number(const gpi_host_chunks *chunks, size_t chunk);

/* Waits for all commands, and frees everything. Returns `result`, or, if it is GP_OK, the failure of a command. */
static gp_result gpi_host_chunks_close(gpi_host_chunks *chunks, gp_result result);

/* Blocks until all commands have ended, including copies to the caller's memory. Returns `result`, or, if it is GP_OK,
   the failure of a command. */
static gp_result gpi_host_finish(gpi_host_chunks *chunks, gp_result result);

/* Steps of a chunk on one context. */
static gpi_host_chunk gpi_host_chunk_of(const gpi_host_chunks *chunks, size_t turn);
static gp_result gpi_host_upload(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_compute(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_download(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static cl_event gpi_host_end_of(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk);
static gp_result gpi_host_end(gpi_host_chunks *chunks, const gpi_host_chunk *chunk);

/* Returns the wait list in the form that calls require: NULL if there is nothing to wait for. */
static const cl_event *gpi_host_waits(const gpi_host_chunks *chunks);

/* Makes later commands wait for the call that was given `done`. */
static void gpi_host_then(gpi_host_chunks *chunks);

/* Copies bytes between buffers, on the queue of the device's calls, after the commands that are in this queue. */
static gp_result gpi_host_copy(gpi_host_chunks *chunks, cl_mem from, size_t from_byte, cl_mem to,
                               size_t to_byte, size_t bytes);

/* Copies like gpi_host_copy, but from host memory, which must not change until the chunk has ended. */
static gp_result gpi_host_put(gpi_host_chunks *chunks, const void *from, cl_mem to, size_t to_byte,
                              size_t bytes);

/* Announces that the chunk's download needs the chunk's count, for example of selected elements. `counts` has a
   64-bit count for each slot. Must be the last call of `compute`. If there are several contexts, the download begins
   only when the count has been read. */
static gp_result gpi_host_count(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem counts);

/* Waits for the chunk's count, and reads it to count_of. Must be the first call of a download. */
static gp_result gpi_host_counted(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem counts);

/* Maps the first `bytes` of a buffer to host memory, for writing. gpi_host_unmap ends the mapping. */
static gp_result gpi_host_map(gpi_host_chunks *chunks, cl_mem buffer, size_t bytes, void **memory);
static gp_result gpi_host_unmap(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer,
                                void *memory);

/* Copies `bytes` to a buffer, from the buffer's byte `at` on, as a part of the chunk's upload. gpi_host_read copies
   from a buffer in the same way, as a part of the chunk's download. Both use the queue for copies. */
static gp_result gpi_host_write(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer,
                                size_t at, size_t bytes, const void *from);
static gp_result gpi_host_read(gpi_host_chunks *chunks, const gpi_host_chunk *chunk, cl_mem buffer, size_t at,
                               size_t bytes, void *to);

/* gpi_host_from returns the buffer from which `compute` reads a chunk's elements, and gpi_host_to the buffer to which
   it writes their results. Both are the slot's buffer, or views. A view is a buffer that uses the caller's memory
   (CL_MEM_USE_HOST_PTR), and needs no device memory. Views are used if `views` is set (and there is no lead), on
   devices that are known to work in the host's memory. */
static cl_mem gpi_host_from(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk, int array);
static cl_mem gpi_host_to(const gpi_host_chunks *chunks, const gpi_host_chunk *chunk, int array);

/* Frees the slot's views of one context. Commands that use them must have ended. */
static void gpi_host_free_views(gpi_host_chunks *chunks, int slot);

static gp_result gpi_host_buffer(gpi_host_chunks *chunks, size_t bytes, cl_mem *out);

/* Calls `progress`, and returns its result. While `progress` runs, calls with the contexts are refused. */
static int gpi_host_report(gp_context *gp, gp_context *const *others, size_t other_count,
                           gp_host_progress progress, uint64_t done, uint64_t total, void *user);

/* Reports to `progress` that `more` elements are done. Fails if `progress` cancels the call. */
static gp_result gpi_host_tell(gpi_host_chunks *chunks, uint64_t more);
/* ---- End file host/base/chunks.h ---- */

/* ---- Begin file host/base/error.h ---- */
/* error.h - reports failures for gp_last_error, checks arguments, and returns sizes of types. */
#include <stdlib.h>

#ifdef GP_MALLOC
#define GPI_HOST_MALLOC(bytes) GP_MALLOC(bytes)
#define GPI_HOST_FREE(memory) GP_FREE(memory)
#else
#define GPI_HOST_MALLOC(bytes) malloc(bytes)
#define GPI_HOST_FREE(memory) free(memory)
#endif

#if defined(__MINGW_PRINTF_FORMAT) /* MinGW: the format of the chosen C library */
#define GPI_HOST_PRINTF(text, first) __attribute__((__format__(__MINGW_PRINTF_FORMAT, text, first)))
#elif defined(__GNUC__)
#define GPI_HOST_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define GPI_HOST_PRINTF(text, first)
#endif

static gp_result gpi_host_fail(gp_context *gp, gp_result result, const char *format, ...)
    GPI_HOST_PRINTF(3, 4);
static gp_result gpi_host_fail_cl(gp_context *gp, const char *function, const char *call, cl_int error);
static gp_result gpi_host_check(gp_context *gp, const char *function, const void *desc);

/* Returns the bytes of an element; 0: `type` is not a gp_type. */
static size_t gpi_host_size_of(gp_type type);
static bool gpi_host_is_float(gp_type type);
/* Returns the type of results that gp_reduce uses if out_type is 0. */
static gp_type gpi_host_sum_type(gp_op op, gp_type type);
static gp_result gpi_host_check_type(gp_context *gp, const char *function, const char *name, gp_type type);

/* Fails unless an array of `count` elements of `size` bytes can be at this address. */
static gp_result gpi_host_check_array(gp_context *gp, const char *function, const char *name,
                                      const void *array, size_t count, size_t size);

/* Returns true if two arrays share bytes. */
static bool gpi_host_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes);
/* ---- End file host/base/error.h ---- */

/* ---- Begin file host/base/chunks.c ---- */
/* chunks.c - passes chunks through the device. */
#include <stdio.h>
#include <string.h>

/* With several contexts: the number of chunks per context, and the fewest elements of a chunk. */
enum { GPI_HOST_SHARES = 32, GPI_HOST_LEAST = 1 << 16 };

static void gpi_host_release(cl_event *event)
{
    if (*event) clReleaseEvent(*event);
    *event = NULL;
}

/* Releases the event *at, and stores `event` there. */
static void gpi_host_keep(cl_event *at, cl_event event)
{
    gpi_host_release(at);
    *at = event;
}

/* ------------------------------------------------------------------ contexts */

static gpi_host_chunks *gpi_host_device(gpi_host_chunks *c, size_t k) { return k ? &c->rest[k - 1] : c; }

static gp_result gpi_host_chunks_share(gpi_host_chunks *c, gp_context *const *others, size_t other_count,
                                       const gp_arg *args, size_t arg_count)
{
    size_t k, i;
    if (!other_count) return GP_OK;
    if (!others)
        return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT, "%s: others is NULL, other_count = %zu",
                             c->function, other_count);
    for (k = 0; k < other_count; k++) {
        if (!others[k])
            return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT, "%s: others[%zu] is NULL", c->function, k);
        if (others[k] == c->gp)
            return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT, "%s: others[%zu] is gp", c->function, k);
        for (i = 0; i < k; i++) {
            if (others[i] == others[k])
                return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT, "%s: others[%zu] is others[%zu]",
                                     c->function, k, i);
        }
    }
    for (i = 0; args && i < arg_count; i++) {
        if (!args[i].value)
            return gpi_host_fail(
                c->gp, GP_ERROR_INVALID_ARGUMENT,
                "%s: args[%zu] is a buffer, which belongs to one context: with others only values",
                c->function, i);
    }
    c->more = others;
    c->devices = 1 + other_count;
    return GP_OK;
}

/* Creates the structs of the further contexts, as copies of the first context's struct. */
static gp_result gpi_host_devices(gpi_host_chunks *c)
{
    size_t k;
    if (!c->count) c->devices = 1;
    if (c->devices == 1) return GP_OK;
    if (c->devices - 1 <= SIZE_MAX / sizeof *c)
        c->rest = (gpi_host_chunks *)GPI_HOST_MALLOC((c->devices - 1) * sizeof *c);
    if (!c->rest)
        return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu contexts",
                             c->function, c->devices);
    for (k = 1; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        *device = *c;
        device->gp = c->more[k - 1];
        device->rest = NULL;
    }
    return GP_OK;
}

static gp_result gpi_host_of(gpi_host_chunks *c, const gpi_host_chunks *device, gp_result result)
{
    const char *text, *colon;
    const size_t name = strlen(c->function);
    char where[32] = "gp";
    if (result == GP_OK || c->devices == 1) return result;
    if (device != c) (void)snprintf(where, sizeof where, "others[%zu]", (size_t)(device - c->rest));
    text = gp_last_error(device->gp);
    colon = strstr(text, ": "); /* skips the result's name, which gp_set_error writes again */
    if (colon) text = colon + 2;
    if (strncmp(text, c->function, name) == 0 && strncmp(text + name, ": ", 2) == 0) text += name + 2;
    return gpi_host_fail(c->gp, result, "%s: %s (%s): %s", c->function, where,
                         gp_context_info(device->gp)->name, text);
}

/* ------------------------------------------------------------------ sizes */

static size_t gpi_host_budget(const gp_context *gp, size_t budget)
{
    const gp_device_info *info = gp_context_info(gp);
    cl_ulong most = info->global_mem_size / 4;
    if (budget) return budget;
    if (most > info->max_alloc_size) most = info->max_alloc_size;
    return most > SIZE_MAX ? SIZE_MAX : (size_t)most;
}

static size_t gpi_host_number(const gpi_host_chunks *c, size_t chunk)
{
    return c->count / chunk + (c->count % chunk > 0);
}

/* Sets *bytes to the scratch for a chunk of `chunk` elements, or, if it is larger, the scratch for the last chunk,
   which is shorter but may need more. */
static gp_result gpi_host_scratch(gpi_host_chunks *c, size_t chunk, size_t *bytes)
{
    const size_t rest = c->count % chunk;
    size_t last = 0;
    gp_result result = c->scratch_size(c, chunk, bytes);
    if (result == GP_OK && rest) result = c->scratch_size(c, rest, &last);
    if (last > *bytes) *bytes = last;
    return result;
}

/* Sets *fits to true if chunks of `chunk` elements are within the budget, and their buffers within the device's
   limit. */
static gp_result gpi_host_fits(gpi_host_chunks *c, size_t chunk, size_t budget, bool *fits)
{
    const size_t slot_count = chunk < c->count || c->devices > 1 ? GPI_HOST_SLOTS : 1;
    const size_t lead = c->lead_of_chunk && slot_count > 1 ? chunk : c->lead, room = lead + chunk + c->tail;
    size_t element = 0, largest = 0, used = 0;
    gp_result result = GP_OK;
    int a;
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        element += c->arrays[a].size;
        if (c->arrays[a].size > largest) largest = c->arrays[a].size;
    }
    *fits =
        room <= SIZE_MAX / (element * slot_count) && room * largest <= gp_context_info(c->gp)->max_alloc_size;
    if (*fits) *fits = room * element * slot_count <= budget;
    if (!*fits) return GP_OK;
    if (c->scratch_size) result = gpi_host_scratch(c, chunk, &used);
    *fits = used < SIZE_MAX / 2 && used + c->fixed + room * element * slot_count <= budget;
    return result;
}

/* Returns the number of elements of a chunk if there are several contexts: small enough to balance uneven devices, but
   large enough to keep a device busy. */
static size_t gpi_host_piece(const gpi_host_chunks *c)
{
    const size_t piece = c->count / GPI_HOST_SHARES / c->devices, least = GPI_HOST_LEAST;
    return piece > least ? (piece + 1023) / 1024 * 1024 : least;
}

/* Chooses the largest chunk that fits: all elements, or else a number found by bisection. Rounds a number above 1024
   down to a multiple of 1024 if the result fits, too, since fewer elements may need more scratch. With several
   contexts, chunks are no larger than gpi_host_piece, unless `large` is set. */
static gp_result gpi_host_choose(gpi_host_chunks *c)
{
    const size_t budget = gpi_host_budget(c->gp, c->budget);
    const size_t share = c->devices > 1 && !c->large ? gpi_host_piece(c) : c->count;
    const size_t most = share < c->count ? share : c->count;
    size_t low = 0, high = most + 1;
    bool fits;
    gp_result result;
    while (high - low > 1) {
        const size_t middle = low == 0 && high == most + 1 ? most : low + (high - low) / 2;
        result = gpi_host_fits(c, middle, budget, &fits);
        if (result != GP_OK) return result;
        if (fits) low = middle;
        else high = middle;
    }
    if (!low)
        return gpi_host_fail(c->gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: budget = %zu bytes is not enough for chunks of one element", c->function,
                             budget);
    c->chunk = low < c->count && low > 1024 ? low / 1024 * 1024 : low;
    result = gpi_host_fits(c, c->chunk, budget, &fits);
    if (result != GP_OK) return result;
    if (!fits) c->chunk = low;
    c->piece = c->chunk;
    c->number = gpi_host_number(c, c->piece);
    if (c->lead_of_chunk && c->number > 1) c->lead = c->chunk;
    return GP_OK;
}

/* Sets the size of chunks of all contexts to the smallest one among them, so that all have the same chunks. */
static void gpi_host_agree(gpi_host_chunks *c)
{
    const size_t share = gpi_host_piece(c);
    size_t chunk = c->chunk, k;
    for (k = 1; k < c->devices; k++) {
        if (gpi_host_device(c, k)->chunk < chunk) chunk = gpi_host_device(c, k)->chunk;
    }
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        device->chunk = chunk;
        device->piece = share < chunk ? share : chunk;
        device->number = gpi_host_number(c, device->piece);
    }
}

/* ------------------------------------------------------------------ life */

static gp_result gpi_host_buffer(gpi_host_chunks *c, size_t bytes, cl_mem *out)
{
    return gp_buffer_create(c->gp, bytes ? bytes : 1, NULL, out);
}

static gp_result gpi_host_owns(gpi_host_chunks *c)
{
    gp_result result = GP_OK;
    int i;
    for (i = 0; i < GPI_HOST_OWNS && result == GP_OK; i++) {
        gpi_host_own *own = &c->owns[i];
        if (own->bytes) result = gp_buffer_create(c->gp, own->bytes, own->data, &own->buffer);
    }
    return result;
}

static gp_result gpi_host_buffers(gpi_host_chunks *c)
{
    const int slot_count = c->number < 2 && c->devices == 1 ? (int)c->number : GPI_HOST_SLOTS;
    size_t whole = 0;
    gp_result result = GP_OK;
    int a, s;
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        for (s = 0; s < slot_count && c->arrays[a].size && result == GP_OK; s++)
            result = gpi_host_buffer(c, (c->lead + c->chunk + c->tail) * c->arrays[a].size,
                                     &c->arrays[a].buffers[s]);
    }
    if (result == GP_OK && c->scratch_size && c->number)
        result = gpi_host_scratch(c, c->piece, &c->scratch_bytes);
    if (result == GP_OK && c->piece < c->chunk && c->scratch_size)
        result = c->scratch_size(c, c->chunk, &whole);
    if (whole > c->scratch_bytes) c->scratch_bytes = whole; /* chunk_of may return larger chunks */
    if (result == GP_OK && c->scratch_bytes) result = gpi_host_buffer(c, c->scratch_bytes, &c->scratch);
    return result;
}

static void gpi_host_chunks_set(gpi_host_chunks *c, gp_context *gp, const char *function, size_t count,
                                size_t budget, gp_host_progress progress, void *progress_user)
{
    memset(c, 0, sizeof *c);
    c->gp = gp;
    c->function = function;
    c->count = count;
    c->budget = budget;
    c->progress = progress;
    c->progress_user = progress_user;
    c->progress_total = count;
    c->devices = 1;
    c->depth = GPI_HOST_SLOTS;
}

static gp_result gpi_host_open_device(gpi_host_chunks *c)
{
    cl_int error;
    c->copies = clCreateCommandQueue(gp_cl_context(c->gp), gp_cl_device(c->gp), 0, &error);
    if (!c->copies) return gpi_host_fail_cl(c->gp, c->function, "clCreateCommandQueue", error);
    return gpi_host_buffers(c);
}

static gp_result gpi_host_chunks_open(gpi_host_chunks *c)
{
    gp_result result = gpi_host_devices(c);
    size_t k;
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        result = gpi_host_owns(device);
        if (result == GP_OK && c->count) result = gpi_host_choose(device);
        result = gpi_host_of(c, device, result);
    }
    if (result == GP_OK && c->devices > 1) gpi_host_agree(c);
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        result = gpi_host_of(c, device, gpi_host_open_device(device));
    }
    return result;
}

static void gpi_host_free_events(gpi_host_chunks *c)
{
    int s;
    for (s = 0; s < GPI_HOST_SLOTS; s++) {
        gpi_host_release(&c->uploaded[s]);
        gpi_host_release(&c->computed[s]);
        gpi_host_release(&c->downloaded[s]);
        gpi_host_release(&c->counted[s]);
    }
    gpi_host_release(&c->last);
    c->wait_count = 0;
}

static gp_result gpi_host_finish_device(gpi_host_chunks *c)
{
    gp_result result;
    cl_int error;
    int s;
    /* The context's commands may wait for uploads that a failed call has left unflushed. */
    if (c->copies) (void)clFlush(c->copies);
    /* The context's commands may wait for the copies, and may access the caller's memory. */
    result = gp_finish(c->gp);
    /* On Mesa 22.3, commands may still run after clFinish: docs/drivers.md. */
    if (c->last) (void)clWaitForEvents(1, &c->last);
    for (s = 0; s < GPI_HOST_SLOTS; s++) {
        if (c->uploaded[s]) (void)clWaitForEvents(1, &c->uploaded[s]);
        if (c->downloaded[s]) (void)clWaitForEvents(1, &c->downloaded[s]);
        if (c->counted[s]) (void)clWaitForEvents(1, &c->counted[s]);
    }
    error = c->copies ? clFinish(c->copies) : CL_SUCCESS;
    if (result == GP_OK && error != CL_SUCCESS)
        result = gpi_host_fail_cl(c->gp, c->function, "clFinish", error);
    return result;
}

static gp_result gpi_host_finish(gpi_host_chunks *c, gp_result result)
{
    size_t k;
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        const gp_result finished = gpi_host_finish_device(device);
        if (result == GP_OK) result = gpi_host_of(c, device, finished);
    }
    return result;
}

static void gpi_host_free_buffer(cl_mem *buffer)
{
    if (*buffer) clReleaseMemObject(*buffer);
    *buffer = NULL;
}

static void gpi_host_free_views(gpi_host_chunks *c, int slot)
{
    int a;
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        gpi_host_free_buffer(&c->arrays[a].from[slot]);
        gpi_host_free_buffer(&c->arrays[a].to[slot]);
    }
}

static void gpi_host_close_device(gpi_host_chunks *c)
{
    int a, s;
    gpi_host_free_events(c);
    for (s = 0; s < GPI_HOST_SLOTS; s++) gpi_host_free_views(c, s);
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        for (s = 0; s < GPI_HOST_SLOTS; s++) gpi_host_free_buffer(&c->arrays[a].buffers[s]);
    }
    for (a = 0; a < GPI_HOST_OWNS; a++) gpi_host_free_buffer(&c->owns[a].buffer);
    gpi_host_free_buffer(&c->scratch);
    if (c->copies) clReleaseCommandQueue(c->copies);
    c->copies = NULL;
}

static gp_result gpi_host_chunks_close(gpi_host_chunks *c, gp_result result)
{
    size_t k;
    if (c->devices > 1 && !c->rest) c->devices = 1; /* the call failed before the others were created */
    result = gpi_host_finish(c, result);
    for (k = 0; k < c->devices; k++) gpi_host_close_device(gpi_host_device(c, k));
    GPI_HOST_FREE(c->rest);
    c->rest = NULL;
    c->devices = 1;
    return result;
}

/* ------------------------------------------------------------------ commands */

static const cl_event *gpi_host_waits(const gpi_host_chunks *c) { return c->wait_count ? c->wait : NULL; }

static void gpi_host_then(gpi_host_chunks *c)
{
    gpi_host_keep(&c->last, c->done);
    c->done = NULL;
    c->commands++;
    c->wait[0] = c->last;
    c->wait_count = 1;
}

static gp_result gpi_host_copy(gpi_host_chunks *c, cl_mem from, size_t from_byte, cl_mem to, size_t to_byte,
                               size_t bytes)
{
    const cl_int error = clEnqueueCopyBuffer(gp_cl_queue(c->gp), from, to, from_byte, to_byte, bytes,
                                             c->wait_count, c->wait_count ? c->wait : NULL, &c->done);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueCopyBuffer", error);
    gpi_host_then(c);
    return GP_OK;
}

static gp_result gpi_host_put(gpi_host_chunks *c, const void *from, cl_mem to, size_t to_byte, size_t bytes)
{
    const cl_int error = clEnqueueWriteBuffer(gp_cl_queue(c->gp), to, CL_FALSE, to_byte, bytes, from,
                                              c->wait_count, gpi_host_waits(c), &c->done);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueWriteBuffer", error);
    gpi_host_then(c);
    return GP_OK;
}

static gp_result gpi_host_count(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem counts)
{
    uint64_t *count = &c->count_of[chunk->slot];
    cl_event counted;
    cl_int error;
    if (c->devices == 1) return GP_OK;
    error = clEnqueueReadBuffer(gp_cl_queue(c->gp), counts, CL_FALSE, (size_t)chunk->slot * sizeof *count,
                                sizeof *count, count, c->wait_count, gpi_host_waits(c), &counted);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
    gpi_host_keep(&c->counted[chunk->slot], counted);
    return GP_OK;
}

static gp_result gpi_host_counted(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem counts)
{
    uint64_t *count = &c->count_of[chunk->slot];
    gp_result result = GP_OK;
    cl_int error;
    if (!c->counted[chunk->slot])
        result = gpi_host_read(c, chunk, counts, (size_t)chunk->slot * sizeof *count, sizeof *count, count);
    if (result != GP_OK) return result;
    error =
        clWaitForEvents(1, c->counted[chunk->slot] ? &c->counted[chunk->slot] : &c->downloaded[chunk->slot]);
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clWaitForEvents", error);
}

/* Enqueues a command of an upload, which waits for the upload's previous command. If one command fails, all later ones
   fail, so that the last event shows the failure. */
static gp_result gpi_host_write(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem buffer, size_t at,
                                size_t bytes, const void *from)
{
    cl_event *uploaded = &c->uploaded[chunk->slot], written;
    const cl_int error = clEnqueueWriteBuffer(c->copies, buffer, CL_FALSE, at, bytes, from, *uploaded != NULL,
                                              *uploaded ? uploaded : NULL, &written);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueWriteBuffer", error);
    gpi_host_keep(uploaded, written);
    return GP_OK;
}

static gp_result gpi_host_read(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem buffer, size_t at,
                               size_t bytes, void *to)
{
    cl_event *downloaded = &c->downloaded[chunk->slot], read;
    const cl_event *wait = *downloaded ? downloaded : &c->computed[chunk->slot];
    const cl_int error = clEnqueueReadBuffer(c->copies, buffer, CL_FALSE, at, bytes, to, 1, wait, &read);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
    gpi_host_keep(downloaded, read);
    return GP_OK;
}

static gp_result gpi_host_map(gpi_host_chunks *c, cl_mem buffer, size_t bytes, void **memory)
{
    cl_int error;
    *memory = clEnqueueMapBuffer(c->copies, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0,
                                 NULL, NULL, &error);
    return *memory ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clEnqueueMapBuffer", error);
}

static gp_result gpi_host_unmap(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem buffer, void *memory)
{
    cl_event *uploaded = &c->uploaded[chunk->slot], unmapped;
    const cl_int error = clEnqueueUnmapMemObject(c->copies, buffer, memory, *uploaded != NULL,
                                                 *uploaded ? uploaded : NULL, &unmapped);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueUnmapMemObject", error);
    gpi_host_keep(uploaded, unmapped);
    return GP_OK;
}

/* ------------------------------------------------------------------ views */

/* Returns true if views can be used. Kernels need elements aligned to their size. PoCL uses the caller's memory itself,
   wherever it begins. Other implementations may copy it, to memory that the budget does not include. */
static bool gpi_host_has_views(const gpi_host_chunks *c)
{
    const gp_device_info *info = gp_context_info(c->gp);
    int a;
    if (!c->views || info->device_class != GP_DEVICE_CLASS_POCL || !(info->device_type & CL_DEVICE_TYPE_CPU))
        return false;
    for (a = 0; a < GPI_HOST_ARRAYS; a++) {
        const gpi_host_array *array = &c->arrays[a];
        if (!array->size) continue;
        if ((uintptr_t)array->in % array->size || (uintptr_t)array->out % array->size) return false;
        if (array->in && array->in == array->out) return false; /* two views would use the same memory */
    }
    return true;
}

static gp_result gpi_host_view(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem_flags flags,
                               size_t size, const char *memory, cl_mem *view)
{
    cl_int error;
    if (!memory) return GP_OK;
    *view = clCreateBuffer(gp_cl_context(c->gp), flags | CL_MEM_USE_HOST_PTR, chunk->count * size,
                           (void *)(uintptr_t)(memory + chunk->first * size), &error);
    return *view ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clCreateBuffer", error);
}

/* Creates the chunk's views, if they can be used. The earlier chunk of the slot must have ended. */
static gp_result gpi_host_make_views(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result = GP_OK;
    int a;
    gpi_host_free_views(c, chunk->slot);
    if (!gpi_host_has_views(c)) return GP_OK;
    for (a = 0; a < GPI_HOST_ARRAYS && result == GP_OK; a++) {
        gpi_host_array *array = &c->arrays[a];
        if (!array->size) continue;
        result = gpi_host_view(c, chunk, CL_MEM_READ_ONLY, array->size, array->in, &array->from[chunk->slot]);
        if (result == GP_OK)
            result =
                gpi_host_view(c, chunk, CL_MEM_READ_WRITE, array->size, array->out, &array->to[chunk->slot]);
    }
    return result;
}

/* Maps and unmaps a view, after which the caller's memory contains what was written to the view. */
static gp_result gpi_host_read_view(gpi_host_chunks *c, const gpi_host_chunk *chunk, cl_mem view,
                                    size_t bytes)
{
    cl_event *downloaded = &c->downloaded[chunk->slot], mapped, unmapped;
    const cl_event *wait = *downloaded ? downloaded : &c->computed[chunk->slot];
    cl_int error;
    void *memory =
        clEnqueueMapBuffer(c->copies, view, CL_FALSE, CL_MAP_READ, 0, bytes, 1, wait, &mapped, &error);
    if (!memory) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueMapBuffer", error);
    gpi_host_keep(downloaded, mapped);
    error = clEnqueueUnmapMemObject(c->copies, view, memory, 1, downloaded, &unmapped);
    if (error != CL_SUCCESS) return gpi_host_fail_cl(c->gp, c->function, "clEnqueueUnmapMemObject", error);
    gpi_host_keep(downloaded, unmapped);
    return GP_OK;
}

static cl_mem gpi_host_from(const gpi_host_chunks *c, const gpi_host_chunk *chunk, int array)
{
    const gpi_host_array *a = &c->arrays[array];
    return a->from[chunk->slot] ? a->from[chunk->slot] : a->buffers[chunk->slot];
}

static cl_mem gpi_host_to(const gpi_host_chunks *c, const gpi_host_chunk *chunk, int array)
{
    const gpi_host_array *a = &c->arrays[array];
    return a->to[chunk->slot] ? a->to[chunk->slot] : a->buffers[chunk->slot];
}

/* ------------------------------------------------------------------ chunks */

static gpi_host_chunk gpi_host_chunk_of(const gpi_host_chunks *c, size_t turn)
{
    gpi_host_chunk chunk;
    if (c->chunk_of) return c->chunk_of(c, turn);
    chunk.index = c->reverse ? c->number - 1 - turn : turn;
    chunk.first = chunk.index * c->piece;
    chunk.count = c->count - chunk.first < c->piece ? c->count - chunk.first : c->piece;
    chunk.slot = (int)(turn % GPI_HOST_SLOTS);
    return chunk;
}

static gp_result gpi_host_upload(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result = GP_OK;
    int a;
    gpi_host_release(&c->uploaded[chunk->slot]);
    gpi_host_release(&c->counted[chunk->slot]);
    result = gpi_host_make_views(c, chunk);
    if (result == GP_OK && c->upload) return c->upload(c, chunk);
    for (a = 0; a < GPI_HOST_ARRAYS && result == GP_OK; a++) {
        const gpi_host_array *array = &c->arrays[a];
        if (!array->in || array->from[chunk->slot]) continue;
        result = gpi_host_write(c, chunk, array->buffers[chunk->slot], c->lead * array->size,
                                chunk->count * array->size, array->in + chunk->first * array->size);
    }
    return result;
}

/* Computes a chunk after its upload. The queue for copies is in order, so that waiting for its last event is enough. */
static gp_result gpi_host_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result;
    cl_event event;
    c->wait_count = 0;
    c->commands = 0;
    if (c->last) c->wait[c->wait_count++] = c->last;
    if (c->uploaded[chunk->slot]) c->wait[c->wait_count++] = c->uploaded[chunk->slot];
    result = c->compute(c, chunk);
    if (result != GP_OK) return result;
    event = c->commands ? c->last : c->uploaded[chunk->slot];
    clRetainEvent(event);
    gpi_host_keep(&c->computed[chunk->slot], event);
    clFlush(c->copies);
    clFlush(gp_cl_queue(c->gp));
    return GP_OK;
}

static gp_result gpi_host_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result = GP_OK;
    int a;
    gpi_host_release(&c->downloaded[chunk->slot]);
    if (c->download) return c->download(c, chunk);
    for (a = 0; a < GPI_HOST_ARRAYS && result == GP_OK; a++) {
        const gpi_host_array *array = &c->arrays[a];
        if (!array->out) continue;
        if (array->to[chunk->slot])
            result = gpi_host_read_view(c, chunk, array->to[chunk->slot], chunk->count * array->size);
        else
            result = gpi_host_read(c, chunk, array->buffers[chunk->slot], c->lead * array->size,
                                   chunk->count * array->size, array->out + chunk->first * array->size);
    }
    clFlush(c->copies);
    return result;
}

static int gpi_host_report(gp_context *gp, gp_context *const *others, size_t other_count,
                           gp_host_progress progress, uint64_t done, uint64_t total, void *user)
{
    size_t k;
    int canceled;
    gp_set_callback(gp, "progress");
    for (k = 0; k < other_count; k++) gp_set_callback(others[k], "progress");
    canceled = progress(done, total, user);
    gp_set_callback(gp, NULL);
    for (k = 0; k < other_count; k++) gp_set_callback(others[k], NULL);
    return canceled;
}

static gp_result gpi_host_tell(gpi_host_chunks *c, uint64_t more)
{
    c->progress_done += more;
    if (!c->progress || !gpi_host_report(c->gp, c->more, c->devices - 1, c->progress, c->progress_done,
                                         c->progress_total, c->progress_user))
        return GP_OK;
    return gpi_host_fail(c->gp, GP_ERROR_CANCELED, "%s: progress canceled the call after %llu of %llu",
                         c->function, (unsigned long long)c->progress_done,
                         (unsigned long long)c->progress_total);
}

static cl_event gpi_host_end_of(const gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    return c->downloaded[chunk->slot] ? c->downloaded[chunk->slot] : c->computed[chunk->slot];
}

static gp_result gpi_host_end(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const cl_event event = gpi_host_end_of(c, chunk);
    const cl_int error = clWaitForEvents(1, &event);
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clWaitForEvents", error);
}
/* ---- End file host/base/chunks.c ---- */

/* ---- Begin file host/base/error.c ---- */
/* error.c - reports failures for gp_last_error, checks arguments, and returns sizes of types. */
#include <stdarg.h>
static gp_result gpi_host_fail(gp_context *gp, gp_result result, const char *format, ...)
{
    char text[8192]; /* as long as gp_last_error's longest text, which it may quote */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return gp_set_error(gp, result, text);
}

static gp_result gpi_host_fail_cl(gp_context *gp, const char *function, const char *call, cl_int error)
{
    gp_result result = GP_ERROR_OPENCL;
    if (error == CL_OUT_OF_HOST_MEMORY) result = GP_ERROR_OUT_OF_HOST_MEMORY;
    if (error == CL_MEM_OBJECT_ALLOCATION_FAILURE || error == CL_OUT_OF_RESOURCES ||
        error == CL_INVALID_BUFFER_SIZE)
        result = GP_ERROR_OUT_OF_DEVICE_MEMORY;
    return gpi_host_fail(gp, result, "%s: %s returned %s (%d)", function, call, gp_cl_error_string(error),
                         (int)error);
}

static gp_result gpi_host_check(gp_context *gp, const char *function, const void *desc)
{
    if (!gp) return gpi_host_fail(NULL, GP_ERROR_INVALID_ARGUMENT, "%s: gp is NULL", function);
    if (!desc) return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: desc is NULL", function);
    return GP_OK;
}

static size_t gpi_host_size_of(gp_type type)
{
    switch (type) {
#define GPI_HOST_TYPE_CASE(name, value, cl, bytes) \
    case name: return bytes;
        GP_TYPES(GPI_HOST_TYPE_CASE)
#undef GPI_HOST_TYPE_CASE
    default: return 0;
    }
}

static bool gpi_host_is_float(gp_type type) { return type == GP_F16 || type == GP_F32 || type == GP_F64; }

static gp_type gpi_host_sum_type(gp_op op, gp_type type)
{
    const bool sums = op == GP_SUM || op == GP_PROD;
    if (!sums || type == GP_F32 || type == GP_F64) return type;
    if (type == GP_F16) return GP_F32;
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64 ? GP_I64 : GP_U64;
}

static gp_result gpi_host_check_type(gp_context *gp, const char *function, const char *name, gp_type type)
{
    if (gpi_host_size_of(type)) return GP_OK;
    return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: %s = %d is not an element type", function, name,
                         (int)type);
}

static gp_result gpi_host_check_array(gp_context *gp, const char *function, const char *name,
                                      const void *array, size_t count, size_t size)
{
    if (!size)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: elements of %s have 0 bytes", function,
                             name);
    if (count > SIZE_MAX / 2 / size)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu is more than memory can hold",
                             function, count);
    if (array || !count) return GP_OK;
    return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: %s is NULL", function, name);
}

static bool gpi_host_overlap(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;
    if (!a || !b || !a_bytes || !b_bytes) return false;
    return x <= y ? y - x < a_bytes : x - y < b_bytes;
}
/* ---- End file host/base/error.c ---- */

/* ---- Begin file host/base/run.h ---- */
/* run.h - sends chunks through one context, or distributes them to several, by one thread.

   If there are several contexts, each has slots of its own. The context for the next chunk is chosen by speed, which is
   the number of elements that a context has finished since the call began:

       fast   0 | 2 | 3 | 4 | 6 | 7 | 8 | 10
       slow   1         | 5             | 9 ...    leaves chunk 11 to the fast one, which finishes it earlier

   Chunks always begin at the same elements, but which context computes them varies. So results are combined in the
   chunks' order: partial results by the chunk's index, selected elements by their position in the input. */
/* Passes all chunks through the contexts. May be called again, with other arrays or other steps, and uses the same
   buffers. */
static gp_result gpi_host_chunks_run(gpi_host_chunks *chunks);
/* ---- End file host/base/run.h ---- */

/* ---- Begin file host/base/run.c ---- */
/* run.c - sends chunks through one context, or distributes them to several: see run.h. */
/* The most polls of all contexts, while no context has finished a chunk. After these polls, the host waits for one of
   the contexts. */
#ifndef GPI_HOST_ASKS
#define GPI_HOST_ASKS 16384
#endif

/* ------------------------------------------------------------------ choice of a context */

/* Returns true if `device` gets the next chunk. A context that has not finished any chunk gets one only if it has none
   in progress. Any other context gets the chunk, unless the other contexts together could finish all remaining elements
   before it would finish this chunk. The context that would finish the chunk first always gets it. */
static bool gpi_host_takes(gpi_host_chunks *c, const gpi_host_chunks *device)
{
    const gpi_host_chunk chunk = gpi_host_chunk_of(c, c->next);
    const double next = (double)chunk.count;
    const double mine = ((double)device->holds + next) / (double)device->speed; /* estimated time */
    double others = 0, soonest = 0, all;
    size_t k;
    if (c->may_begin && !c->may_begin(c, &chunk)) return false;
    if (!device->speed) return device->taken == device->finished;
    for (k = 0; k < c->devices; k++) {
        const gpi_host_chunks *other = gpi_host_device(c, k);
        double its;
        if (other == device || !other->speed) continue;
        its = ((double)other->holds + next) / (double)other->speed;
        if (others == 0 || its < soonest) soonest = its;
        others += (double)other->speed;
    }
    if (others == 0) return true;
    all = ((double)c->left - (double)device->holds) / others;
    return mine <= (all > soonest ? all : soonest);
}

/* ------------------------------------------------------------------ steps */

static bool gpi_host_complete(const gpi_host_chunks *device, cl_event event)
{
    cl_int status = CL_QUEUED;
    const cl_int error =
        clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    return error != CL_SUCCESS || status <= CL_COMPLETE || event == device->waited;
}

static gp_result gpi_host_take(gpi_host_chunks *c, gpi_host_chunks *device)
{
    const int slot = (int)(device->taken % GPI_HOST_SLOTS);
    gpi_host_chunk *chunk = &device->held[slot];
    gp_result result;
    *chunk = gpi_host_chunk_of(c, c->next++);
    chunk->slot = slot;
    device->taken++;
    device->holds += chunk->count;
    result = gpi_host_upload(device, chunk);
    return result == GP_OK ? gpi_host_compute(device, chunk) : result;
}

static gp_result gpi_host_finish_chunk(gpi_host_chunks *c, gpi_host_chunks *device)
{
    const gpi_host_chunk *chunk = &device->held[device->finished % GPI_HOST_SLOTS];
    const gp_result result = gpi_host_of(c, device, gpi_host_end(device, chunk));
    if (result != GP_OK) return result;
    device->waited = NULL;
    device->finished++;
    device->holds -= chunk->count;
    device->speed += chunk->count;
    c->left -= chunk->count;
    if (c->ended) c->ended(device, chunk);
    return gpi_host_tell(c, c->again ? 0 : chunk->count);
}

/* Returns the event that the context waits for before its next step; NULL: none. */
static cl_event gpi_host_awaits(const gpi_host_chunks *device)
{
    const gpi_host_chunk *first = &device->held[device->finished % GPI_HOST_SLOTS];
    if (device->finished < device->sent) return gpi_host_end_of(device, first);
    return device->sent < device->taken ? device->counted[first->slot] : NULL;
}

/* Performs the steps that the context can do without waiting, and sets *moved to true if there are any. A chunk is
   downloaded only after the upload of the next one, because the queue for copies is in order. If there is no next
   chunk for this context now, the chunk is downloaded at once. */
static gp_result gpi_host_device_step(gpi_host_chunks *c, gpi_host_chunks *device, bool *moved)
{
    gp_result result = GP_OK;
    bool idle = false;
    if (device->finished < device->sent && gpi_host_complete(device, gpi_host_awaits(device))) {
        *moved = true;
        result = gpi_host_finish_chunk(c, device);
    }
    if (result == GP_OK && device->taken - device->finished < c->depth) {
        idle = c->next >= c->number || !gpi_host_takes(c, device);
        if (!idle) {
            *moved = true;
            result = gpi_host_of(c, device, gpi_host_take(c, device));
        }
    }
    while (result == GP_OK && device->sent + !idle < device->taken) {
        const gpi_host_chunk *chunk = &device->held[device->sent % GPI_HOST_SLOTS];
        const cl_event counted = device->counted[chunk->slot];
        if (counted && !gpi_host_complete(device, counted)) break;
        *moved = true;
        device->waited = NULL;
        device->sent++;
        result = gpi_host_of(c, device, gpi_host_download(device, chunk));
        (void)clFlush(device->copies);
    }
    return result;
}

/* Blocks until the fastest context with a chunk in progress can continue. (Events of several contexts cannot be waited
   for together. Meanwhile, the other contexts have one or two more chunks each.) */
static gp_result gpi_host_share_wait(gpi_host_chunks *c)
{
    gpi_host_chunks *fastest = NULL;
    cl_event event;
    cl_int error;
    size_t k;
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        if (gpi_host_awaits(device) && (!fastest || device->speed > fastest->speed)) fastest = device;
    }
    if (!fastest) return gpi_host_fail(c->gp, GP_ERROR_OPENCL, "%s: no device goes on", c->function);
    event = fastest->waited = gpi_host_awaits(fastest);
    error = clWaitForEvents(1, &event);
    if (error == CL_SUCCESS) return GP_OK;
    return gpi_host_of(c, fastest, gpi_host_fail_cl(fastest->gp, c->function, "clWaitForEvents", error));
}

/* ------------------------------------------------------------------ several contexts */

/* Begins a run: copies the fields that the call has set since the last run to all contexts. */
static void gpi_host_share_begin(gpi_host_chunks *c)
{
    size_t k;
    int a;
    c->next = 0;
    c->left = c->count;
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        device->taken = device->sent = device->finished = 0;
        device->holds = 0;
        device->waited = NULL;
        device->count = c->count;
        device->number = c->number;
        device->again = c->again;
        device->upload = c->upload;
        device->compute = c->compute;
        device->download = c->download;
        for (a = 0; a < GPI_HOST_ARRAYS; a++) {
            device->arrays[a].in = c->arrays[a].in;
            device->arrays[a].out = c->arrays[a].out;
        }
    }
}

static bool gpi_host_share_done(gpi_host_chunks *c)
{
    size_t k;
    for (k = 0; k < c->devices; k++) {
        const gpi_host_chunks *device = gpi_host_device(c, k);
        if (device->finished < device->taken) return false;
    }
    return c->next >= c->number;
}

static gp_result gpi_host_run_several(gpi_host_chunks *c)
{
    gp_result result = GP_OK;
    size_t asks = 0, k;
    gpi_host_share_begin(c);
    while (result == GP_OK && !gpi_host_share_done(c)) {
        bool moved = false, measured = false;
        for (k = 0; k < c->devices && result == GP_OK; k++) {
            gpi_host_chunks *device = gpi_host_device(c, k);
            result = gpi_host_device_step(c, device, &moved);
            measured = measured || device->speed;
        }
        /* Until a context has finished a chunk, the fastest context is not known. */
        if (!moved && !measured && asks++ < GPI_HOST_ASKS) continue;
        if (!moved && result == GP_OK) result = gpi_host_share_wait(c);
    }
    return result;
}

/* ------------------------------------------------------------------ one context */

static gp_result gpi_host_run_one(gpi_host_chunks *c)
{
    gp_result result = GP_OK;
    size_t turn;
    for (turn = 0; turn < c->number + 2 && c->number && result == GP_OK; turn++) {
        if (turn < c->number) {
            const gpi_host_chunk next = gpi_host_chunk_of(c, turn);
            result = gpi_host_upload(c, &next);
            if (result == GP_OK) result = gpi_host_compute(c, &next);
        }
        if (result == GP_OK && turn >= 1 && turn - 1 < c->number) {
            const gpi_host_chunk computed = gpi_host_chunk_of(c, turn - 1);
            result = gpi_host_download(c, &computed);
        }
        if (result == GP_OK && turn >= 2) {
            const gpi_host_chunk ending = gpi_host_chunk_of(c, turn - 2);
            result = gpi_host_end(c, &ending);
            if (result == GP_OK) result = gpi_host_tell(c, c->again ? 0 : ending.count);
        }
    }
    return result;
}

static gp_result gpi_host_chunks_run(gpi_host_chunks *c)
{
    const gp_result result = c->devices > 1 ? gpi_host_run_several(c) : gpi_host_run_one(c);
    size_t k;
    int s;
    /* The next run may need other views of the same memory. */
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        for (s = 0; s < GPI_HOST_SLOTS; s++) gpi_host_free_views(gpi_host_device(c, k), s);
    }
    return result;
}
/* ---- End file host/base/run.c ---- */

/* ---- Begin file host/base/text.h ---- */
/* text.h - adapts the caller's expressions to chunks. */
/* An expression for chunks, in which i counts from the call's first element. */
typedef struct gpi_host_text {
    char *text; /* to be freed; NULL: there is none */
    bool has_index;
} gpi_host_text;

/* Concatenates `before`, the expression `map` and `after`, and replaces each i in `map` by (i + chunk_first). */
static gp_result gpi_host_text_make(gp_context *gp, const char *function, const char *before, const char *map,
                                    const char *after, gpi_host_text *text);

/* Concatenates `before`, the expression `map` and `after`, and replaces each i in `map` by `index`. */
static gp_result gpi_host_text_index(gp_context *gp, const char *function, const char *before,
                                     const char *map, const char *after, const char *index,
                                     gpi_host_text *text);
static void gpi_host_text_free(gpi_host_text *text);

/* The caller's args, and those that the call adds. */
typedef struct gpi_host_args {
    gp_arg args[GP_ARGS_MAX];
    size_t count;
    cl_ulong first; /* the value of chunk_first */
} gpi_host_args;

static gp_result gpi_host_args_make(gp_context *gp, const char *function, const gp_arg *args, size_t count,
                                    size_t more, gpi_host_args *all);
static gp_arg *gpi_host_args_add(gpi_host_args *all, const char *name, gp_type type, const void *value);
/* ---- End file host/base/text.h ---- */

/* ---- Begin file host/base/text.c ---- */
/* text.c - adapts the caller's expressions to chunks. */
static bool gpi_host_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns the end of the token at `at`: a word, a number, a literal, a comment, or else one character. */
static const char *gpi_host_token_end(const char *at)
{
    const char quote = *at;
    const char *end = at + 1;
    if (quote == '"' || quote == '\'') {
        while (*end && *end != quote) end += *end == '\\' && end[1] ? 2 : 1;
        return *end ? end + 1 : end;
    }
    if (at[0] == '/' && at[1] == '*') {
        end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (at[0] == '/' && at[1] == '/') return at + strcspn(at, "\n");
    if (gpi_host_is_word(*at)) {
        while (gpi_host_is_word(*end)) end++;
    }
    return end;
}

/* Copies `map` to `out`, unless `out` is NULL, and replaces each i that is not a member's name by `index`. Returns
   the result's length. Sets *found if there is such an i. */
static size_t gpi_host_replace_index(const char *map, const char *index, char *out, bool *found)
{
    size_t length = 0;
    char before = 0, last = 0; /* the last two characters that are not blank */
    while (*map) {
        const char *end = gpi_host_token_end(map);
        const bool is_index = end == map + 1 && *map == 'i' && last != '.' && !(before == '-' && last == '>');
        const char *text = is_index ? index : map;
        const size_t n = is_index ? strlen(index) : (size_t)(end - map);
        if (is_index) *found = true;
        if (out) memcpy(out + length, text, n);
        length += n;
        if (!strchr(" \t\n", *map)) {
            before = last;
            last = end[-1];
        }
        map = end;
    }
    return length;
}

/* Returns true if `map` is not empty, and all its brackets are closed within it. (The device's call cannot check this,
   because it sees `map` only between other text.) */
static bool gpi_host_is_whole(const char *map)
{
    bool something = false;
    int depth = 0;
    while (*map && depth >= 0) {
        const bool comment = map[0] == '/' && (map[1] == '*' || map[1] == '/');
        if (strchr("([{", *map)) depth++;
        if (strchr(")]}", *map)) depth--;
        if (!comment && !strchr(" \t\n\v\f\r", *map)) something = true;
        map = gpi_host_token_end(map);
    }
    return something && depth == 0;
}

static gp_result gpi_host_text_make(gp_context *gp, const char *function, const char *before, const char *map,
                                    const char *after, gpi_host_text *text)
{
    return gpi_host_text_index(gp, function, before, map, after, "(i + chunk_first)", text);
}

static gp_result gpi_host_text_index(gp_context *gp, const char *function, const char *before,
                                     const char *map, const char *after, const char *index,
                                     gpi_host_text *text)
{
    size_t length, head = strlen(before);
    memset(text, 0, sizeof *text);
    if (!map) return GP_OK;
    if (head && !gpi_host_is_whole(map))
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: map is empty, or has brackets that do not close within it", function);
    length = gpi_host_replace_index(map, index, NULL, &text->has_index);
    text->text = (char *)GPI_HOST_MALLOC(head + length + strlen(after) + 1);
    if (!text->text)
        return gpi_host_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for the map", function);
    memcpy(text->text, before, head);
    (void)gpi_host_replace_index(map, index, text->text + head, &text->has_index);
    memcpy(text->text + head + length, after, strlen(after) + 1);
    return GP_OK;
}

static void gpi_host_text_free(gpi_host_text *text)
{
    GPI_HOST_FREE(text->text);
    text->text = NULL;
}

static gp_result gpi_host_args_make(gp_context *gp, const char *function, const gp_arg *args, size_t count,
                                    size_t more, gpi_host_args *all)
{
    memset(all, 0, sizeof *all);
    if (count > GP_ARGS_MAX - more)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: arg_count = %zu is more than %zu, beside %zu of the call's own", function,
                             count, (GP_ARGS_MAX - more), more);
    if (count && !args) return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: args is NULL", function);
    if (count) memcpy(all->args, args, count * sizeof *args);
    all->count = count;
    return GP_OK;
}

static gp_arg *gpi_host_args_add(gpi_host_args *all, const char *name, gp_type type, const void *value)
{
    gp_arg *arg = &all->args[all->count++];
    memset(arg, 0, sizeof *arg);
    arg->name = name;
    arg->type = type;
    arg->value = value;
    return arg;
}
/* ---- End file host/base/text.c ---- */

/* ---- Begin file host/calls/brackets.c ---- */
/* brackets.c - gp_host_brackets: matches chunk after chunk, each together with openers that are still open before it.

   The positions of open openers are a stack in host memory. The topmost openers, as many as the chunk could close, are
   copied to the buffer, in front of the chunk's elements. So the device's call also finds the partners, parents and
   mismatches of these openers:

       stack 0 3 4 9 | 12 17 20   buffer   ( [ (  ) ] x ( { ) (        elements 12, 17, 20, then the chunk
               below | lead

   Then the device selects the openers without a partner, which are the new stack above `below`, and converts indices in
   the buffer to indices in the whole input. While the next chunk is copied to the device, the host waits for the stack,
   and writes the partners of openers in earlier chunks. */
enum {
    GPI_HOST_NEST_IN,
    GPI_HOST_NEST_MATCH,
    GPI_HOST_NEST_PARENT,
    GPI_HOST_NEST_DEPTH,
    GPI_HOST_NEST_STACK, /* positions of the lead's openers */
    GPI_HOST_NEST_OPEN   /* indices, in the buffer, of openers without a partner */
};

typedef struct gpi_host_nest {
    const gp_host_brackets_desc *desc;
    size_t size, index_size; /* bytes of an element, of an index */
    gp_type index_type;

    /* the device's calls: the fields that are the same for all chunks */
    gp_brackets_desc brackets;
    gp_select_desc select;
    gpi_host_text map, opens;
    gpi_host_args map_args, opens_args;
    gp_arg index_args[3]; /* the args chunk_first, chunk_lead and chunk_stack */
    gp_arg *match_arg;    /* the arg chunk_match */
    cl_mem counts, errors, codes;

    uint64_t *stack;
    size_t height, room;
    char *indices, *lead_in; /* room for a buffer's indices, and for a lead's elements */

    /* the chunk that is being computed */
    gpi_host_chunk chunk;
    cl_ulong first,
        lead;       /* the chunk's first position minus `lead`, modulo 2^64; number of elements in the lead */
    cl_ulong below; /* number of open openers that are not in the buffer */
    bool under_way;

    gp_brackets_errors total;
} gpi_host_nest;

/* ------------------------------------------------------------------ the stack */

static uint64_t gpi_host_nest_index(const gpi_host_nest *b, size_t i)
{
    uint32_t narrow;
    uint64_t wide;
    if (b->index_size == 8) {
        memcpy(&wide, b->indices + i * 8, 8);
        return wide;
    }
    memcpy(&narrow, b->indices + i * 4, 4);
    return narrow;
}

/* Reads from a buffer. Blocks until the chunk in progress is computed. */
static gp_result gpi_host_nest_read(gpi_host_chunks *c, cl_mem buffer, size_t at, size_t bytes, void *to)
{
    const gpi_host_nest *b = (const gpi_host_nest *)c->call;
    const cl_int error = bytes ? clEnqueueReadBuffer(c->copies, buffer, CL_TRUE, at, bytes, to, 1,
                                                     &c->computed[b->chunk.slot], NULL)
                               : CL_SUCCESS;
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
}

static gp_result gpi_host_nest_grow(gpi_host_chunks *c, gpi_host_nest *b, size_t height)
{
    size_t room = height > 2 * b->room ? height : 2 * b->room;
    uint64_t *stack;
    if (height <= b->room) return GP_OK;
    if (room > b->desc->count) room = b->desc->count;
    stack = (uint64_t *)GPI_HOST_MALLOC(room * sizeof *stack);
    if (!stack)
        return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu open brackets",
                             c->function, room);
    if (b->height) memcpy(stack, b->stack, b->height * sizeof *stack);
    GPI_HOST_FREE(b->stack);
    b->stack = stack;
    b->room = room;
    return GP_OK;
}

/* Writes the partners of the lead's openers from number `kept` on, which this chunk has closed. Earlier copies to the
   caller's memory cannot overwrite them, because the queue for copies is in order: these copies have ended. */
static gp_result gpi_host_nest_partners(gpi_host_chunks *c, const gpi_host_nest *b, size_t kept,
                                        char *partners)
{
    const size_t lead = (size_t)b->lead, size = b->index_size;
    const gp_result result =
        gpi_host_nest_read(c, c->arrays[GPI_HOST_NEST_MATCH].buffers[b->chunk.slot],
                           (c->lead - lead + kept) * size, (lead - kept) * size, partners);
    size_t i;
    for (i = kept; i < lead && result == GP_OK; i++)
        memcpy((char *)b->desc->match + (size_t)b->stack[b->below + i] * size, partners + (i - kept) * size,
               size);
    return result;
}

static gp_result gpi_host_nest_errors(gpi_host_chunks *c, gpi_host_nest *b)
{
    gp_brackets_errors e, *total = &b->total;
    const gp_result result = gpi_host_nest_read(c, b->errors, (size_t)b->chunk.slot * sizeof e, sizeof e, &e);
    if (result != GP_OK) return result;
    if (e.unmatched_closers && !total->unmatched_closers)
        total->first_unmatched_closer = e.first_unmatched_closer + b->first;
    if (e.mismatches && !total->mismatches) total->first_mismatch = e.first_mismatch + b->first;
    total->unmatched_closers += e.unmatched_closers;
    total->mismatches += e.mismatches;
    if (e.max_depth + b->below > total->max_depth) total->max_depth = e.max_depth + b->below;
    total->joined += e.joined;
    total->searches += e.searches;
    return GP_OK;
}

/* Updates the stack, the partners and the errors for the openers that the chunk in progress has closed and added. */
static gp_result gpi_host_nest_settle(gpi_host_chunks *c, gpi_host_nest *b)
{
    const int slot = b->chunk.slot;
    uint64_t open = 0;
    size_t kept = 0, i;
    gp_result result;
    if (!b->under_way) return GP_OK;
    b->under_way = false;
    result = gpi_host_nest_read(c, b->counts, (size_t)slot * sizeof open, sizeof open, &open);
    if (result == GP_OK)
        result = gpi_host_nest_read(c, c->arrays[GPI_HOST_NEST_OPEN].buffers[slot], 0,
                                    (size_t)open * b->index_size, b->indices);
    if (result == GP_OK) result = gpi_host_nest_grow(c, b, (size_t)(b->below + open));
    if (result == GP_OK && b->errors) result = gpi_host_nest_errors(c, b);
    if (result != GP_OK) return result;
    while (kept < open && gpi_host_nest_index(b, kept) < b->lead) kept++;
    if (b->desc->match)
        result = gpi_host_nest_partners(c, b, kept, b->indices + (size_t)open * b->index_size);
    b->height = (size_t)b->below + kept;
    for (i = kept; i < open; i++) b->stack[b->height++] = gpi_host_nest_index(b, i) + b->first;
    return result;
}

/* ------------------------------------------------------------------ a chunk */

/* Uploads the chunk, then the openers in front of it, which are known when the previous chunk is computed. */
static gp_result gpi_host_nest_upload(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_nest *b = (gpi_host_nest *)c->call;
    const char *in = (const char *)b->desc->in;
    const cl_mem buffer = c->arrays[GPI_HOST_NEST_IN].buffers[chunk->slot];
    size_t lead, i;
    gp_result result = gpi_host_write(c, chunk, buffer, c->lead * b->size, chunk->count * b->size,
                                      in + chunk->first * b->size);
    if (result == GP_OK) result = gpi_host_nest_settle(c, b);
    if (result != GP_OK) return result;
    lead = b->height < chunk->count ? b->height : chunk->count;
    b->chunk = *chunk;
    b->under_way = true;
    b->lead = lead;
    b->first = (cl_ulong)chunk->first - lead;
    b->below = b->height - lead;
    if (!lead) return GP_OK;
    for (i = 0; i < lead; i++)
        memcpy(b->lead_in + i * b->size, in + (size_t)b->stack[b->below + i] * b->size, b->size);
    result = gpi_host_write(c, chunk, buffer, (c->lead - lead) * b->size, lead * b->size, b->lead_in);
    if (result != GP_OK) return result;
    return gpi_host_write(c, chunk, c->arrays[GPI_HOST_NEST_STACK].buffers[chunk->slot], 0,
                          lead * sizeof *b->stack, b->stack + b->below);
}

static gp_result gpi_host_nest_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_nest *b = (const gpi_host_nest *)c->call;
    gp_brackets_desc brackets = b->brackets;
    gp_select_desc select = b->select;
    size_t selecting = 0;
    gp_result result;
    *bytes = SIZE_MAX / 2; /* more than any budget */
    if (count < c->count && b->index_size == 4 && count > 0x7fffffffu) return GP_OK;
    brackets.count = select.count = count < c->count ? 2 * count : count;
    select.count_out = select.indices_out = b->counts; /* a placeholder: any buffer suffices */
    brackets.match = b->counts;                        /* which outputs are set determines the program */
    brackets.parent = b->desc->parent ? b->counts : NULL;
    brackets.depth = b->desc->depth ? b->counts : NULL;
    brackets.errors = b->errors;
    result = gp_brackets_scratch_size(c->gp, &brackets, bytes);
    if (result == GP_OK) result = gp_select_scratch_size(c->gp, &select, &selecting);
    if (selecting > *bytes) *bytes = selecting;
    return result;
}

static gp_result gpi_host_nest_match(gpi_host_chunks *c, gpi_host_nest *b, size_t at, size_t count)
{
    gp_brackets_desc desc = b->brackets;
    const int slot = b->chunk.slot;
    size_t scratch;
    gp_result result;
    desc.in = c->arrays[GPI_HOST_NEST_IN].buffers[slot];
    desc.match = c->arrays[GPI_HOST_NEST_MATCH].buffers[slot];
    desc.parent = c->arrays[GPI_HOST_NEST_PARENT].buffers[slot];
    desc.depth = c->arrays[GPI_HOST_NEST_DEPTH].buffers[slot];
    desc.in_offset = desc.match_offset = desc.parent_offset = desc.depth_offset = at;
    desc.count = count;
    desc.errors = b->errors;
    desc.errors_offset = (size_t)slot;
    result = gp_brackets_scratch_size(c->gp, &desc, &scratch);
    if (result != GP_OK) return result;
    desc.scratch = scratch <= c->scratch_bytes ? c->scratch : NULL;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_brackets(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_nest_select(gpi_host_chunks *c, gpi_host_nest *b, size_t at, size_t count)
{
    gp_select_desc desc = b->select;
    const int slot = b->chunk.slot;
    gp_result result;
    b->match_arg->buffer = c->arrays[GPI_HOST_NEST_MATCH].buffers[slot];
    b->match_arg->offset = at;
    desc.in = c->arrays[GPI_HOST_NEST_IN].buffers[slot];
    desc.in_offset = at;
    desc.indices_out = c->arrays[GPI_HOST_NEST_OPEN].buffers[slot];
    desc.count_out = b->counts;
    desc.count_out_offset = (size_t)slot;
    desc.count = count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_select(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

/* Converts an output's elements, from element `at` on, from indices and depths in the buffer to those in the whole
   input. `map` is the expression that converts one of them. */
static gp_result gpi_host_nest_shift(gpi_host_chunks *c, const gpi_host_nest *b, int array, size_t at,
                                     size_t count, const char *map, const gp_arg *args, size_t arg_count)
{
    gp_transform_desc desc;
    gp_result result;
    memset(&desc, 0, sizeof desc);
    desc.in = desc.out = c->arrays[array].buffers[b->chunk.slot];
    desc.in_offset = desc.out_offset = at;
    desc.type = b->index_type;
    desc.map = map;
    desc.args = args;
    desc.arg_count = arg_count;
    desc.count = count;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_transform(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_nest_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    static const char indices[] = "~x ? x < chunk_lead ? chunk_stack[x] : x + chunk_first : x";
    gpi_host_nest *b = (gpi_host_nest *)c->call;
    const size_t lead = (size_t)b->lead, at = c->lead - lead, count = lead + chunk->count;
    gp_arg below;
    gp_result result;
    memset(&below, 0, sizeof below);
    below.name = "chunk_below";
    below.type = GP_U64;
    below.value = &b->below;
    b->index_args[2].buffer = c->arrays[GPI_HOST_NEST_STACK].buffers[chunk->slot];
    if (b->map.has_index) {
        b->map_args.args[b->map_args.count - 1] = b->index_args[2];
        b->opens_args.args[b->opens_args.count - 1] = b->index_args[2];
    }
    result = gpi_host_nest_match(c, b, at, count);
    if (result == GP_OK) result = gpi_host_nest_select(c, b, at, count);
    if (result == GP_OK && chunk->first && b->desc->match)
        result = gpi_host_nest_shift(c, b, GPI_HOST_NEST_MATCH, at, count, indices, b->index_args, 3);
    if (result == GP_OK && chunk->first && b->desc->parent)
        result =
            gpi_host_nest_shift(c, b, GPI_HOST_NEST_PARENT, c->lead, chunk->count, indices, b->index_args, 3);
    if (result == GP_OK && b->below && b->desc->depth)
        result = gpi_host_nest_shift(c, b, GPI_HOST_NEST_DEPTH, c->lead, chunk->count, "x + chunk_below",
                                     &below, 1);
    return result;
}

/* ------------------------------------------------------------------ the call */

static gp_result gpi_host_nest_types(gp_context *gp, const char *function, gpi_host_nest *b,
                                     gpi_host_chunks *c)
{
    const gp_host_brackets_desc *desc = b->desc;
    const bool wide = (uint64_t)desc->count > UINT32_MAX;
    const gp_result result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result != GP_OK) return result;
    b->index_type = desc->index_type ? desc->index_type : wide ? GP_U64 : GP_U32;
    if (b->index_type != GP_U32 && b->index_type != GP_U64)
        return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d is not GP_U32 or GP_U64",
                             function, (int)desc->index_type);
    if (b->index_type == GP_U32 && wide)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: count = %zu does not fit indices of 32 bits",
                             function, desc->count);
    if (!desc->match && !desc->parent && !desc->depth && !desc->errors)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: match, parent, depth and errors are NULL",
                             function);
    b->size = gpi_host_size_of(desc->type);
    b->index_size = gpi_host_size_of(b->index_type);
    c->arrays[GPI_HOST_NEST_IN].size = b->size;
    c->arrays[GPI_HOST_NEST_MATCH].size = c->arrays[GPI_HOST_NEST_OPEN].size = b->index_size;
    c->arrays[GPI_HOST_NEST_PARENT].size = desc->parent ? b->index_size : 0;
    c->arrays[GPI_HOST_NEST_DEPTH].size = desc->depth ? b->index_size : 0;
    c->arrays[GPI_HOST_NEST_STACK].size = sizeof *b->stack;
    c->arrays[GPI_HOST_NEST_MATCH].out = (char *)desc->match;
    c->arrays[GPI_HOST_NEST_PARENT].out = (char *)desc->parent;
    c->arrays[GPI_HOST_NEST_DEPTH].out = (char *)desc->depth;
    return GP_OK;
}

static gp_result gpi_host_nest_check(gp_context *gp, const char *function, const gpi_host_nest *b)
{
    const gp_host_brackets_desc *desc = b->desc;
    const struct {
        const char *name;
        const void *array;
        size_t count, size;
    } arrays[] = {{"in", desc->in, desc->count, b->size},
                  {"match", desc->match, desc->count, b->index_size},
                  {"parent", desc->parent, desc->count, b->index_size},
                  {"depth", desc->depth, desc->count, b->index_size},
                  {"errors", desc->errors, 1, sizeof *desc->errors}};
    size_t i, k;
    gp_result result = GP_OK;
    for (i = 0; i < 5 && result == GP_OK; i++) {
        if (i > 0 && !arrays[i].array) continue;
        result = gpi_host_check_array(gp, function, arrays[i].name, arrays[i].array, arrays[i].count,
                                      arrays[i].size);
        for (k = 0; k < i && result == GP_OK; k++) {
            if (gpi_host_overlap(arrays[k].array, arrays[k].count * arrays[k].size, arrays[i].array,
                                 arrays[i].count * arrays[i].size))
                result = gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", function,
                                       arrays[k].name, arrays[i].name);
        }
    }
    return result;
}

/* Creates the table that says which bytes are openers. Errors in `pairs` are reported by the device's call. */
static gp_result gpi_host_nest_codes(gp_context *gp, gpi_host_nest *b)
{
    const gp_host_brackets_desc *desc = b->desc;
    const char *pair = desc->pairs ? desc->pairs : "()[]{}";
    int8_t codes[256] = {0};
    if (desc->type != GP_U8 || desc->map) return GP_OK;
    for (; pair[0] && pair[1]; pair += 2) codes[(unsigned char)pair[0]] = 1;
    return gp_buffer_create(gp, sizeof codes, desc->table ? desc->table : codes, &b->codes);
}

static void gpi_host_nest_index_args(gpi_host_nest *b)
{
    gp_arg *args = b->index_args;
    memset(args, 0, sizeof b->index_args);
    args[0].name = "chunk_first";
    args[0].value = &b->first;
    args[1].name = "chunk_lead";
    args[1].value = &b->lead;
    args[2].name = "chunk_stack";
    args[0].type = args[1].type = args[2].type = GP_U64;
}

/* Makes the map and args for gp_brackets from the caller's map and args. Makes those for gp_select in the same way,
   with chunk_match as a further arg. */
static gp_result gpi_host_nest_texts(gp_context *gp, const char *function, gpi_host_nest *b)
{
    static const char index[] = "(i < chunk_lead ? chunk_stack[i] : i + chunk_first)";
    const gp_host_brackets_desc *desc = b->desc;
    size_t more, k;
    gp_result result = gpi_host_text_index(gp, function, "", desc->map, "", index, &b->map);
    if (result == GP_OK)
        result = gpi_host_text_index(gp, function, "(int)(", desc->map, "\n) > 0 && !~chunk_match[i]", index,
                                     &b->opens);
    more = b->map.has_index ? 3 : 0;
    if (result == GP_OK)
        result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, more + 2, &b->map_args);
    if (result != GP_OK) return result;
    b->opens_args = b->map_args;
    b->match_arg = gpi_host_args_add(&b->opens_args, "chunk_match", b->index_type, NULL);
    if (b->codes) gpi_host_args_add(&b->opens_args, "chunk_codes", GP_I8, NULL)->buffer = b->codes;
    gpi_host_nest_index_args(b);
    for (k = 0; k < more; k++) {
        b->map_args.args[b->map_args.count++] = b->index_args[k];
        b->opens_args.args[b->opens_args.count++] = b->index_args[k];
    }
    return GP_OK;
}

static void gpi_host_nest_descs(gpi_host_nest *b)
{
    const gp_host_brackets_desc *desc = b->desc;
    b->brackets.type = b->select.type = desc->type;
    b->brackets.pairs = desc->pairs;
    b->brackets.table = desc->table;
    b->brackets.map = b->map.text;
    b->brackets.args = b->map_args.count ? b->map_args.args : NULL;
    b->brackets.arg_count = b->map_args.count;
    b->brackets.index_type = b->select.index_type = b->index_type;
    b->select.predicate = b->map.text ? b->opens.text
                          : b->codes  ? "chunk_codes[x] > 0 && !~chunk_match[i]"
                                      : "x > 0 && !~chunk_match[i]";
    b->select.args = b->opens_args.args;
    b->select.arg_count = b->opens_args.count;
    b->select.count_out_type = GP_U64;
    b->total.first_unmatched_closer = b->total.first_unmatched_opener = b->total.first_mismatch = UINT64_MAX;
}

static gp_result gpi_host_nest_room(gpi_host_chunks *c, gpi_host_nest *b)
{
    const size_t indices = (c->lead + c->chunk) * b->index_size, lead = c->lead * b->size;
    b->indices = (char *)GPI_HOST_MALLOC(indices ? indices : 1);
    b->lead_in = (char *)GPI_HOST_MALLOC(lead ? lead : 1);
    if (b->indices && b->lead_in) return GP_OK;
    return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu bytes beside the arrays",
                         c->function, indices + lead);
}

static gp_result gpi_host_nest_run(gpi_host_chunks *c, gpi_host_nest *b)
{
    const size_t slot_count = GPI_HOST_SLOTS, errors = slot_count * sizeof b->total;
    gp_result result = gpi_host_buffer(c, slot_count * sizeof(uint64_t), &b->counts);
    if (result == GP_OK && b->desc->errors) result = gpi_host_buffer(c, errors, &b->errors);
    c->fixed = slot_count * sizeof(uint64_t) + (b->errors ? errors : 0) + (b->codes ? 256 : 0);
    if (result == GP_OK) result = gpi_host_chunks_open(c);
    if (result == GP_OK) result = gpi_host_nest_room(c, b);
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    return result == GP_OK ? gpi_host_nest_settle(c, b) : result;
}

static void gpi_host_nest_free(gpi_host_nest *b)
{
    if (b->counts) clReleaseMemObject(b->counts);
    if (b->errors) clReleaseMemObject(b->errors);
    if (b->codes) clReleaseMemObject(b->codes);
    gpi_host_text_free(&b->map);
    gpi_host_text_free(&b->opens);
    GPI_HOST_FREE(b->stack);
    GPI_HOST_FREE(b->indices);
    GPI_HOST_FREE(b->lead_in);
}

GP_HOST_API gp_result gp_host_brackets(gp_context *gp, const gp_host_brackets_desc *desc)
{
    static const char function[] = "gp_host_brackets";
    gpi_host_nest b;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&b, 0, sizeof b);
    b.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.lead_of_chunk = true;
    c.upload = gpi_host_nest_upload;
    c.compute = gpi_host_nest_compute;
    c.scratch_size = gpi_host_nest_scratch;
    c.call = &b;
    result = gpi_host_nest_types(gp, function, &b, &c);
    if (result == GP_OK) result = gpi_host_nest_check(gp, function, &b);
    if (result == GP_OK) result = gpi_host_nest_codes(gp, &b);
    if (result == GP_OK) result = gpi_host_nest_texts(gp, function, &b);
    if (result == GP_OK) gpi_host_nest_descs(&b);
    if (result == GP_OK) result = gpi_host_nest_run(&c, &b);
    result = gpi_host_chunks_close(&c, result);
    b.total.unmatched_openers = b.height;
    if (b.height) b.total.first_unmatched_opener = b.stack[0];
    if (result == GP_OK && desc->errors) *desc->errors = b.total;
    gpi_host_nest_free(&b);
    return result;
}
/* ---- End file host/calls/brackets.c ---- */

/* ---- Begin file host/calls/group_by.c ---- */
/* group_by.c - gp_host_group_by: reduces each chunk to its groups on the device, then the groups of all chunks to one
   per key.

   Groups are kept in host memory, in the order of chunks, each with its key:

       chunk 0   a3 c1 d7   chunk 1   b2 c5   chunk 2   a1 c1         three have key c

   gp_host_sort moves the groups of a key together, in the order of chunks. They pass through the device again, in
   chunks that end at the end of a key:

       a3 a1 b2 | c1 c5 c1 | d7        to a4 b2 | c7 | d7

   Results overwrite groups that have been read already. A key with more groups than fit in a chunk is cut, and another
   pass follows. All this is also done whenever the memory for groups is full. This memory has room for the groups of
   four chunks, or for four times the groups that were left the last time.

   Several contexts share the chunks and the sort. Their chunks end in any order. So each chunk gets room for as many
   groups as it has elements, after the room of the chunks before it. When the number of groups of those chunks is
   known, its own groups are moved to follow them directly. */
enum { GPI_HOST_BY_KEYS, GPI_HOST_BY_VALUES, GPI_HOST_BY_KEYS_OUT, GPI_HOST_BY_OUT };

/* The most elements that gp_reduce_by_key accepts. */
#define GPI_HOST_BY_MOST 0xfffffffeu

/* With several contexts: the position and number of a chunk's groups. */
typedef struct gpi_host_by_place {
    size_t at;
    uint64_t ended; /* 1 + number of groups; 0: not computed yet */
} gpi_host_by_place;

typedef struct gpi_host_by {
    const gp_host_group_by_desc *desc;
    gp_context *gp;
    const char *function;
    size_t key_size, in_size, out_size;
    gp_reduce_by_key_desc rows, partial; /* fields shared by all calls on rows; by all calls on groups */

    /* Kept groups. A key may have several of them. */
    char *keys, *values;
    size_t kept, room;

    /* the current pass */
    gp_reduce_by_key_desc *reduce; /* &rows or &partial */
    bool sorts;                    /* the pass sorts keys before it reduces them */
    char *to[2];                   /* output: keys, which may be NULL, and results */
    size_t to_room, groups;
    gpi_host_chunk piece[GPI_HOST_SLOTS]; /* the chunk of groups in each slot */
    size_t pieces;                        /* number of such chunks so far */
    uint64_t told, base, span, total;     /* progress: so far; before the pass; of the pass; total */

    /* several contexts */
    gpi_host_by_place *places; /* one for each chunk */
    size_t placed, end; /* number of chunks whose groups are not moved any more; end of the room in use */
} gpi_host_by;

/* ------------------------------------------------------------------ progress */

/* Reports the progress of a pass as a part of the call's progress. */
static int gpi_host_by_tell(uint64_t done, uint64_t total, void *user)
{
    gpi_host_by *g = (gpi_host_by *)user;
    const uint64_t part =
        total == g->span ? done : (uint64_t)((double)done / (double)total * (double)g->span);
    g->told = g->base + part;
    if (!g->desc->progress) return 0;
    return gpi_host_report(g->gp, g->desc->others, g->desc->other_count, g->desc->progress, g->told, g->total,
                           g->desc->progress_user);
}

static void gpi_host_by_progress(gpi_host_by *g, uint64_t base, uint64_t span)
{
    g->base = base;
    g->span = span;
}

/* ------------------------------------------------------------------ a chunk */

static gp_result gpi_host_by_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_by *g = (const gpi_host_by *)c->call;
    gp_reduce_by_key_desc reduce = *g->reduce;
    gp_sort_desc sort;
    size_t reducing = 0, sorting = 0;
    gp_result result;
    *bytes = SIZE_MAX / 2; /* more than any budget */
    if (count > GPI_HOST_BY_MOST) return GP_OK;
    memset(&sort, 0, sizeof sort);
    sort.key_type = g->desc->key_type;
    sort.value_size = c->arrays[GPI_HOST_BY_VALUES].size;
    sort.count = reduce.count = count;
    reduce.keys_out = c->owns[0].buffer; /* a placeholder: any buffer suffices */
    result = gp_reduce_by_key_scratch_size(c->gp, &reduce, &reducing);
    if (result == GP_OK && g->sorts) result = gp_sort_scratch_size(c->gp, &sort, &sorting);
    *bytes = reducing > sorting ? reducing : sorting;
    return result;
}

static gp_result gpi_host_by_sort(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_by *g = (const gpi_host_by *)c->call;
    gp_sort_desc desc;
    size_t scratch;
    gp_result result;
    memset(&desc, 0, sizeof desc);
    desc.keys = c->arrays[GPI_HOST_BY_KEYS].buffers[chunk->slot];
    desc.values = c->arrays[GPI_HOST_BY_VALUES].buffers[chunk->slot];
    desc.count = chunk->count;
    desc.key_type = g->desc->key_type;
    desc.value_size = c->arrays[GPI_HOST_BY_VALUES].size;
    result = gp_sort_scratch_size(c->gp, &desc, &scratch);
    if (result != GP_OK) return result;
    desc.scratch = scratch <= c->scratch_bytes ? c->scratch : NULL;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_sort(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_by_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    gp_reduce_by_key_desc desc = *g->reduce;
    gp_result result = g->sorts ? gpi_host_by_sort(c, chunk) : GP_OK;
    if (result != GP_OK) return result;
    desc.keys = c->arrays[GPI_HOST_BY_KEYS].buffers[chunk->slot];
    desc.in = c->arrays[GPI_HOST_BY_VALUES].buffers[chunk->slot];
    desc.keys_out = c->arrays[GPI_HOST_BY_KEYS_OUT].buffers[chunk->slot];
    desc.out = c->arrays[GPI_HOST_BY_OUT].buffers[chunk->slot];
    desc.count_out = c->owns[0].buffer;
    desc.count_out_offset = (size_t)chunk->slot;
    desc.count = chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_reduce_by_key(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    if (g->places) {
        g->places[chunk->index].at = g->end;
        g->end += chunk->count;
    }
    return gpi_host_count(c, chunk, c->owns[0].buffer);
}

/* ------------------------------------------------------------------ several contexts */

/* Returns true if there is room for the groups of the next chunk. There may be more room when the groups of all earlier
   chunks are at their final positions. If they are, and there is still no room, ends the pass before this chunk. */
static bool gpi_host_by_may_begin(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    if (g->placed == chunk->index) g->end = g->groups;
    if (chunk->count <= g->to_room - g->end) return true;
    if (g->placed == chunk->index) c->number = chunk->index;
    return false;
}

static void gpi_host_by_ended(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    g->places[chunk->index].ended = 1 + c->count_of[chunk->slot];
    for (; g->placed < c->number && g->places[g->placed].ended; g->placed++) {
        const size_t at = g->places[g->placed].at, count = (size_t)g->places[g->placed].ended - 1;
        memmove(g->keys + g->groups * g->key_size, g->keys + at * g->key_size, count * g->key_size);
        memmove(g->values + g->groups * g->out_size, g->values + at * g->out_size, count * g->out_size);
        g->groups += count;
    }
}

static gp_result gpi_host_by_places(gpi_host_chunks *c, gpi_host_by *g)
{
    GPI_HOST_FREE(g->places);
    g->places = NULL;
    g->placed = 0;
    g->end = g->groups;
    if (c->devices == 1 || g->to[1] != g->values) return GP_OK;
    if (c->number <= SIZE_MAX / sizeof *g->places)
        g->places = (gpi_host_by_place *)GPI_HOST_MALLOC(c->number * sizeof *g->places);
    if (!g->places)
        return gpi_host_fail(g->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for the places of %zu chunks",
                             g->function, c->number);
    memset(g->places, 0, c->number * sizeof *g->places);
    c->may_begin = gpi_host_by_may_begin;
    c->ended = gpi_host_by_ended;
    return GP_OK;
}

/* ------------------------------------------------------------------ results */

/* Ends the pass after the next chunk, which has been begun already, if there may be no room for the groups of later
   chunks. */
static void gpi_host_by_stop(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_by *g = (const gpi_host_by *)c->call;
    const size_t left = c->count - (chunk->first + chunk->count);
    const size_t need = left / 2 < c->chunk ? left : 2 * c->chunk;
    if (g->to_room - g->groups < need && c->number > chunk->index + 2) c->number = chunk->index + 2;
}

/* Reads the number of groups, then the groups. A single context waits for the number while the next chunk is computed.
   Groups for which there is no room are only counted. */
static gp_result gpi_host_by_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    const size_t at = g->places ? g->places[chunk->index].at : g->groups;
    gp_result result = gpi_host_counted(c, chunk, c->owns[0].buffer);
    const size_t count = (size_t)c->count_of[chunk->slot];
    int a;
    for (a = 0; a < 2 && result == GP_OK && at + count <= g->to_room; a++) {
        const gpi_host_array *array = &c->arrays[GPI_HOST_BY_KEYS_OUT + a];
        if (!g->to[a]) continue;
        result = gpi_host_read(c, chunk, array->buffers[chunk->slot], 0, count * array->size,
                               g->to[a] + at * array->size);
    }
    if (g->places || result != GP_OK) return result;
    g->groups += count;
    if (g->sorts && g->to[1] == g->values) gpi_host_by_stop(c, chunk);
    return GP_OK;
}

/* ------------------------------------------------------------------ passes */

static void gpi_host_by_set(gpi_host_chunks *c, gpi_host_by *g, const char *keys, const char *values,
                            size_t count, bool sorts)
{
    gpi_host_chunks_set(c, g->gp, g->function, count, g->desc->budget, gpi_host_by_tell, g);
    c->arrays[GPI_HOST_BY_KEYS].in = keys;
    c->arrays[GPI_HOST_BY_VALUES].in = values;
    c->arrays[GPI_HOST_BY_KEYS].size = c->arrays[GPI_HOST_BY_KEYS_OUT].size = g->key_size;
    c->arrays[GPI_HOST_BY_VALUES].size = sorts ? g->in_size : g->out_size;
    c->arrays[GPI_HOST_BY_OUT].size = g->out_size;
    c->fixed = c->owns[0].bytes = GPI_HOST_SLOTS * sizeof(uint64_t);
    c->scratch_size = gpi_host_by_scratch;
    c->compute = gpi_host_by_compute;
    c->download = gpi_host_by_download;
    c->call = g;
    g->reduce = sorts ? &g->rows : &g->partial;
    g->sorts = sorts;
}

/* Sets the output of a pass. The last pass writes the call's result, and uses its initial value. */
static void gpi_host_by_to(gpi_host_by *g, bool last, size_t groups)
{
    const gp_host_group_by_desc *desc = g->desc;
    g->to[0] = last ? (char *)desc->keys_out : g->keys;
    g->to[1] = last ? (char *)desc->out : g->values;
    g->to_room = !last ? g->room : desc->room ? desc->room : desc->count;
    g->reduce->initial = last ? desc->initial : NULL;
    g->groups = groups;
}

/* Makes room for the groups of chunks of `chunk` elements, in addition to the kept groups. */
static gp_result gpi_host_by_grow(gpi_host_by *g, size_t chunk)
{
    const size_t most = g->kept > chunk ? g->kept : chunk;
    const size_t room = most > g->desc->count / 4 ? g->desc->count : 4 * most;
    const bool fits = room <= SIZE_MAX / g->out_size; /* false only on 32-bit hosts; keys always fit */
    char *keys, *values;
    if (room <= g->room) return GP_OK;
    if (g->desc->keys_tmp) { /* the kept groups use the first halves of keys_tmp and values_tmp */
        g->keys = (char *)g->desc->keys_tmp;
        g->values = (char *)g->desc->values_tmp;
        g->room = room;
        return GP_OK;
    }
    keys = fits ? (char *)GPI_HOST_MALLOC(room * g->key_size) : NULL;
    values = fits ? (char *)GPI_HOST_MALLOC(room * g->out_size) : NULL;
    if (keys && values) {
        if (g->kept) memcpy(keys, g->keys, g->kept * g->key_size);
        if (g->kept) memcpy(values, g->values, g->kept * g->out_size);
    }
    GPI_HOST_FREE(keys && values ? g->keys : keys);
    GPI_HOST_FREE(keys && values ? g->values : values);
    if (!keys || !values)
        return gpi_host_fail(g->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu groups", g->function,
                             room);
    g->keys = keys;
    g->values = values;
    g->room = room;
    return GP_OK;
}

/* Reduces rows from *row on to groups, as far as there is room for the groups. If a single chunk has all rows, its
   groups are the call's result. */
static gp_result gpi_host_by_rows(gpi_host_by *g, size_t *row)
{
    const gp_host_group_by_desc *desc = g->desc;
    const size_t count = desc->count - *row;
    gpi_host_chunks c;
    gp_result result;
    bool last;
    gpi_host_by_set(&c, g, (const char *)desc->keys + *row * g->key_size,
                    (const char *)desc->in + *row * g->in_size, count, true);
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_chunks_open(&c);
    last = *row == 0 && c.number == 1;
    g->total = last ? count : 2 * (uint64_t)desc->count;
    gpi_host_by_progress(g, *row, count);
    if (result == GP_OK && !last)
        result = gpi_host_by_grow(g, c.devices > 1 ? 2 * c.devices * c.piece : c.chunk);
    gpi_host_by_to(g, last, g->kept);
    if (result == GP_OK) result = gpi_host_by_places(&c, g);
    if (result == GP_OK) result = gpi_host_chunks_run(&c);
    result = gpi_host_chunks_close(&c, result);
    if (result != GP_OK) return result;
    g->kept = last ? 0 : g->groups;
    *row += c.number < gpi_host_number(&c, c.piece) ? c.number * c.piece : count;
    return GP_OK;
}

static bool gpi_host_by_equal(const gpi_host_by *g, size_t a, size_t b)
{
    return memcmp(g->keys + a * g->key_size, g->keys + b * g->key_size, g->key_size) == 0;
}

/* Returns the end of the chunk of groups that begins at `first` and has at most `most` groups. Sets *cut if the chunk
   ends between two groups of one key. */
static size_t gpi_host_by_end(const gpi_host_by *g, size_t first, size_t count, size_t most, bool *cut)
{
    size_t low = first, high, end = first + most;
    if (count - first <= most) return count;
    if (!gpi_host_by_equal(g, end - 1, end)) return end;
    if (gpi_host_by_equal(g, first, end)) {
        *cut = true;
        return end;
    }
    for (high = end - 1; high - low > 1;) { /* the key at `end` begins in (low, high] */
        const size_t middle = low + (high - low) / 2;
        if (gpi_host_by_equal(g, middle, end)) high = middle;
        else low = middle;
    }
    return high;
}

static gpi_host_chunk gpi_host_by_piece(const gpi_host_chunks *c, size_t turn)
{
    gpi_host_by *g = (gpi_host_by *)c->call;
    gpi_host_chunk *piece = &g->piece[turn % GPI_HOST_SLOTS];
    bool cut = false;
    if (turn == g->pieces) {
        const gpi_host_chunk *before = &g->piece[(turn + GPI_HOST_SLOTS - 1) % GPI_HOST_SLOTS];
        piece->index = turn;
        piece->first = turn ? before->first + before->count : 0;
        piece->count = gpi_host_by_end(g, piece->first, c->count, c->chunk, &cut) - piece->first;
        piece->slot = (int)(turn % GPI_HOST_SLOTS);
        g->pieces++;
    }
    return *piece;
}

/* Reduces groups, whose keys are sorted, to one per key. Sets *cut if some keys still have several groups. */
static gp_result gpi_host_by_again(gpi_host_by *g, bool last, bool *cut)
{
    const size_t kept = g->kept;
    gpi_host_chunks c;
    gp_result result;
    size_t at;
    gpi_host_by_set(&c, g, g->keys, g->values, kept, false);
    GPI_HOST_FREE(g->places);
    g->places = NULL;
    c.chunk_of = gpi_host_by_piece;
    result = gpi_host_chunks_open(&c);
    *cut = false;
    c.number = 0;
    for (at = 0; at < kept && result == GP_OK; c.number++) at = gpi_host_by_end(g, at, kept, c.chunk, cut);
    if (result == GP_OK && *cut && c.chunk < 2)
        result = gpi_host_fail(g->gp, GP_ERROR_INVALID_ARGUMENT,
                               "%s: budget = %zu bytes is not enough for chunks of two elements", g->function,
                               g->desc->budget);
    last = last && !*cut;
    gpi_host_by_to(g, last, 0);
    g->pieces = 0;
    if (last) gpi_host_by_progress(g, g->total - g->total / 4, g->total / 4);
    if (result == GP_OK) result = gpi_host_chunks_run(&c);
    result = gpi_host_chunks_close(&c, result);
    g->kept = g->groups;
    return result;
}

/* Reduces all kept groups to one per key. */
static gp_result gpi_host_by_combine(gpi_host_by *g, bool last)
{
    gp_host_sort_desc sort;
    bool cut = true;
    gp_result result;
    memset(&sort, 0, sizeof sort);
    sort.keys = sort.keys_out = g->keys;
    sort.values = sort.values_out = g->values;
    if (g->desc->keys_tmp) { /* the sort uses the second halves of keys_tmp and values_tmp */
        sort.keys_tmp = g->keys + g->desc->count * g->key_size;
        sort.values_tmp = g->values + g->desc->count * g->out_size;
    }
    sort.count = g->kept;
    sort.key_type = g->desc->key_type;
    sort.value_size = g->out_size;
    sort.budget = g->desc->budget;
    sort.others = g->desc->others;
    sort.other_count = g->desc->other_count;
    sort.progress = gpi_host_by_tell;
    sort.progress_user = g;
    gpi_host_by_progress(g, g->told, last ? g->total / 4 : 0);
    result = gp_host_sort(g->gp, &sort);
    gpi_host_by_progress(g, g->told, 0);
    while (result == GP_OK && cut) result = gpi_host_by_again(g, last, &cut);
    return result;
}

/* ------------------------------------------------------------------ the call */

/* Returns true if gp_sort can move values of `size` bytes. */
static bool gpi_host_by_moves(size_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8 || size == 16;
}

static gp_result gpi_host_by_types(gpi_host_by *g)
{
    const gp_host_group_by_desc *desc = g->desc;
    const bool bare = desc->monoid && !desc->map; /* the input is the monoid's elements */
    const gp_type out_type = desc->out_type ? desc->out_type : gpi_host_sum_type(desc->op, desc->type);
    gp_result result = gpi_host_check_type(g->gp, g->function, "key_type", desc->key_type);
    if (desc->op == GP_ARGMIN || desc->op == GP_ARGMAX)
        return gpi_host_fail(g->gp, GP_ERROR_INVALID_OP, "%s: op = %d: argmin and argmax are not taken",
                             g->function, (int)desc->op);
    if (result == GP_OK && !bare && !desc->record)
        result = gpi_host_check_type(g->gp, g->function, "type", desc->type);
    if (result == GP_OK && !desc->monoid)
        result = gpi_host_check_type(g->gp, g->function, "out_type", out_type);
    if (result != GP_OK) return result;
    g->key_size = gpi_host_size_of(desc->key_type);
    g->out_size = desc->monoid ? desc->monoid->size : gpi_host_size_of(out_type);
    g->in_size = bare ? desc->monoid->size : desc->record ? desc->record->size : gpi_host_size_of(desc->type);
    g->partial.type = g->partial.out_type = desc->monoid ? GP_TYPE_NONE : out_type;
    if (gpi_host_by_moves(g->in_size) && gpi_host_by_moves(g->out_size)) return GP_OK;
    return gpi_host_fail(g->gp, GP_ERROR_INVALID_TYPE,
                         "%s: elements of in have %zu bytes, results %zu: not 1, 2, 4, 8 or 16", g->function,
                         g->in_size, g->out_size);
}

static gp_result gpi_host_by_check(const gpi_host_by *g)
{
    const gp_host_group_by_desc *desc = g->desc;
    const size_t count = desc->count, room = desc->room ? desc->room : count;
    const size_t both = count < SIZE_MAX / 2 ? 2 * count : SIZE_MAX;
    const struct {
        const char *name;
        const void *array;
        size_t count, size;
    } arrays[] = {
        {"keys", desc->keys, count, g->key_size},        {"in", desc->in, count, g->in_size},
        {"keys_out", desc->keys_out, room, g->key_size}, {"out", desc->out, room, g->out_size},
        {"keys_tmp", desc->keys_tmp, both, g->key_size}, {"values_tmp", desc->values_tmp, both, g->out_size}};
    size_t i, k;
    gp_result result = GP_OK;
    if (!desc->keys_tmp != !desc->values_tmp)
        return gpi_host_fail(g->gp, GP_ERROR_INVALID_ARGUMENT, "%s: one of keys_tmp and values_tmp is set",
                             g->function);
    for (i = 0; i < 6 && result == GP_OK; i++) {
        if (i != 3 && i >= 2 && !arrays[i].array) continue;
        result = gpi_host_check_array(g->gp, g->function, arrays[i].name, arrays[i].array, arrays[i].count,
                                      arrays[i].size);
        for (k = 0; k < i && i >= 2 && result == GP_OK; k++) {
            if (gpi_host_overlap(arrays[k].array, arrays[k].count * arrays[k].size, arrays[i].array,
                                 arrays[i].count * arrays[i].size))
                result = gpi_host_fail(g->gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", g->function,
                                       arrays[k].name, arrays[i].name);
        }
    }
    return result;
}

/* Sets the fields that are the same for all chunks. Keys are compared by their bits (key_size). */
static gp_result gpi_host_by_prepare(gpi_host_by *g)
{
    const gp_host_group_by_desc *desc = g->desc;
    gpi_host_text map;
    const gp_result result = gpi_host_text_make(g->gp, g->function, "", desc->map, "", &map);
    gpi_host_text_free(&map);
    if (result == GP_OK && map.has_index)
        return gpi_host_fail(g->gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: map: i has no meaning, because elements are sorted by key", g->function);
    g->rows.key_size = g->partial.key_size = g->key_size;
    g->rows.count_out_type = g->partial.count_out_type = GP_U64;
    g->rows.op = g->partial.op = desc->op;
    g->rows.monoid = g->partial.monoid = desc->monoid;
    g->rows.type = desc->type;
    g->rows.record = desc->record;
    g->rows.out_type = desc->out_type;
    g->rows.map = desc->map;
    g->rows.args = desc->args;
    g->rows.arg_count = desc->arg_count;
    if (desc->monoid && desc->monoid->takes_args) {
        g->partial.args = desc->args;
        g->partial.arg_count = desc->arg_count;
    }
    return result;
}

static gp_result gpi_host_by_run(gpi_host_by *g)
{
    const size_t count = g->desc->count, room = g->desc->room ? g->desc->room : count;
    size_t row = 0;
    gp_result result = GP_OK;
    while (row < count && result == GP_OK) {
        result = gpi_host_by_rows(g, &row);
        if (result == GP_OK && g->kept) result = gpi_host_by_combine(g, row == count);
    }
    if (result == GP_ERROR_CANCELED) /* a pass was canceled: reports how much of the call is done */
        return gpi_host_fail(g->gp, result, "%s: progress canceled the call after %llu of %llu", g->function,
                             (unsigned long long)g->told, (unsigned long long)g->total);
    if (result != GP_OK) return result;
    if (g->desc->groups) *g->desc->groups = g->groups;
    if (g->groups <= room) return GP_OK;
    return gpi_host_fail(g->gp, GP_ERROR_COUNT_LIMIT, "%s: room = %zu: there are %zu groups", g->function,
                         room, g->groups);
}

GP_HOST_API gp_result gp_host_group_by(gp_context *gp, const gp_host_group_by_desc *desc)
{
    static const char function[] = "gp_host_group_by";
    gpi_host_by g;
    gpi_host_chunks none;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    /* Checks `others` even if there are no rows. */
    gpi_host_chunks_set(&none, gp, function, 0, 0, NULL, NULL);
    result = gpi_host_chunks_share(&none, desc->others, desc->other_count, desc->args, desc->arg_count);
    memset(&g, 0, sizeof g);
    g.desc = desc;
    g.gp = gp;
    g.function = function;
    if (result == GP_OK) result = gpi_host_by_types(&g);
    if (result == GP_OK) result = gpi_host_by_check(&g);
    if (result == GP_OK) result = gpi_host_by_prepare(&g);
    if (result == GP_OK) result = gpi_host_by_run(&g);
    GPI_HOST_FREE(g.places);
    if (!desc->keys_tmp) {
        GPI_HOST_FREE(g.keys);
        GPI_HOST_FREE(g.values);
    }
    return result;
}
/* ---- End file host/calls/group_by.c ---- */

/* ---- Begin file host/calls/histogram.c ---- */
/* histogram.c - gp_host_histogram: counts each chunk on a device, and adds up the devices' counts. */
enum { GPI_HOST_BINS, GPI_HOST_EDGES };

typedef struct gpi_host_histogram {
    const gp_host_histogram_desc *desc;
    gpi_host_text map;
    gpi_host_args args;
    gp_histogram_desc chunk; /* the fields that are the same for all chunks */
    size_t out_bytes;
} gpi_host_histogram;

static gp_result gpi_host_histogram_types(gp_context *gp, const char *function, gpi_host_histogram *h,
                                          gpi_host_chunks *c)
{
    const gp_host_histogram_desc *desc = h->desc;
    const gp_type sample = desc->map_type ? desc->map_type : desc->type;
    const size_t channels = desc->channels ? desc->channels : 1,
                 counted = desc->channels_out ? desc->channels_out : channels;
    const size_t bins = desc->bins ? desc->bins : 256, size = desc->out_type == GP_U64 ? 8 : 4;
    size_t edge_bytes;
    gp_result result = GP_OK;
    if (!desc->record) result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result == GP_OK && desc->weights)
        result = gpi_host_check_type(gp, function, "weight_type", desc->weight_type);
    if (result == GP_OK && desc->edges) result = gpi_host_check_type(gp, function, "map_type", sample);
    if (result != GP_OK) return result;
    if (channels > 4 || counted > channels)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: channels = %zu, channels_out = %zu: at most 4, and at most channels",
                             function, channels, counted);
    if (bins > 0xfffffffeu)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: bins = %zu is more than 2^32 - 2", function,
                             bins);
    h->out_bytes = counted * bins * size;
    edge_bytes = desc->edges ? (bins + 1) * gpi_host_size_of(sample) : 0;
    c->arrays[0].in = (const char *)desc->in;
    c->arrays[0].size = channels * (desc->record ? desc->record->size : gpi_host_size_of(desc->type));
    c->arrays[1].in = (const char *)desc->weights;
    c->arrays[1].size = desc->weights ? gpi_host_size_of(desc->weight_type) : 0;
    c->owns[GPI_HOST_BINS].bytes = h->out_bytes;
    c->owns[GPI_HOST_EDGES].bytes = edge_bytes;
    c->owns[GPI_HOST_EDGES].data = desc->edges;
    c->fixed = h->out_bytes + edge_bytes;
    result = gpi_host_check_array(gp, function, "in", desc->in, desc->count, c->arrays[0].size);
    if (result == GP_OK) result = gpi_host_check_array(gp, function, "out", desc->out, 1, 1);
    if (result != GP_OK) return result;
    if (gpi_host_overlap(desc->in, desc->count * c->arrays[0].size, desc->out, h->out_bytes) ||
        gpi_host_overlap(desc->weights, desc->count * c->arrays[1].size, desc->out, h->out_bytes) ||
        gpi_host_overlap(desc->edges, edge_bytes, desc->out, h->out_bytes))
        return gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: out overlaps an input", function);
    return GP_OK;
}

static gp_result gpi_host_histogram_prepare(gp_context *gp, const char *function, gpi_host_histogram *h)
{
    const gp_host_histogram_desc *desc = h->desc;
    gp_result result = gpi_host_text_make(gp, function, "", desc->map, "", &h->map);
    if (result == GP_OK)
        result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, h->map.has_index, &h->args);
    if (result != GP_OK) return result;
    if (h->map.has_index) (void)gpi_host_args_add(&h->args, "chunk_first", GP_U64, &h->args.first);
    h->chunk.type = desc->type;
    h->chunk.record = desc->record;
    h->chunk.map = h->map.text;
    h->chunk.args = h->args.count ? h->args.args : NULL;
    h->chunk.arg_count = h->args.count;
    h->chunk.map_type = desc->map_type;
    h->chunk.channels = desc->channels;
    h->chunk.channels_out = desc->channels_out;
    h->chunk.bins = desc->bins;
    h->chunk.lower = desc->lower;
    h->chunk.upper = desc->upper;
    h->chunk.weight_type = desc->weight_type;
    h->chunk.out_type = desc->out_type;
    h->chunk.accumulate = true;
    return GP_OK;
}

static gp_result gpi_host_histogram_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_histogram *h = (const gpi_host_histogram *)c->call;
    gp_histogram_desc desc = h->chunk;
    desc.count = count;
    desc.edges = c->owns[GPI_HOST_EDGES].buffer;
    desc.weights = h->desc->weights ? c->owns[GPI_HOST_BINS].buffer : NULL; /* a placeholder */
    return gp_histogram_scratch_size(c->gp, &desc, bytes);
}

static gp_result gpi_host_histogram_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_histogram *h = (gpi_host_histogram *)c->call;
    gp_histogram_desc desc = h->chunk;
    gp_result result;
    h->args.first = chunk->first;
    desc.in = c->arrays[0].buffers[chunk->slot];
    desc.weights = c->arrays[1].buffers[chunk->slot];
    desc.edges = c->owns[GPI_HOST_EDGES].buffer;
    desc.out = c->owns[GPI_HOST_BINS].buffer;
    desc.count = chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_histogram(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

/* Sets a context's counts to zeros, or to `counts` if that is not NULL. */
static gp_result gpi_host_histogram_begin(gpi_host_chunks *c, const void *counts)
{
    gp_fill_desc zeros;
    gp_result result;
    if (counts)
        return gpi_host_put(c, counts, c->owns[GPI_HOST_BINS].buffer, 0, c->owns[GPI_HOST_BINS].bytes);
    memset(&zeros, 0, sizeof zeros);
    zeros.out = c->owns[GPI_HOST_BINS].buffer;
    zeros.element_size = 4;
    zeros.count = c->owns[GPI_HOST_BINS].bytes / 4;
    zeros.done = &c->done;
    result = gp_fill(c->gp, &zeros);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_histogram_read(gpi_host_chunks *c, void *to)
{
    cl_int error;
    /* A context without chunks has only written zeros, for which the queue for copies waits. */
    (void)clFlush(gp_cl_queue(c->gp));
    error = clEnqueueReadBuffer(c->copies, c->owns[GPI_HOST_BINS].buffer, CL_TRUE, 0,
                                c->owns[GPI_HOST_BINS].bytes, to, c->wait_count, gpi_host_waits(c), NULL);
    return error == CL_SUCCESS ? GP_OK : gpi_host_fail_cl(c->gp, c->function, "clEnqueueReadBuffer", error);
}

/* Adds another context's counts to the output. */
static void gpi_host_histogram_add(const gpi_host_histogram *h, const void *more)
{
    const bool wide = h->desc->out_type == GP_U64;
    const size_t count = h->out_bytes / (wide ? 8 : 4);
    size_t i;
    for (i = 0; i < count; i++) {
        if (wide) ((uint64_t *)h->desc->out)[i] += ((const uint64_t *)more)[i];
        else ((uint32_t *)h->desc->out)[i] += ((const uint32_t *)more)[i];
    }
}

static gp_result gpi_host_histogram_join(gpi_host_chunks *c, const gpi_host_histogram *h)
{
    gp_result result = gpi_host_of(c, c, gpi_host_histogram_read(c, h->desc->out));
    void *more;
    size_t k;
    if (c->devices == 1 || result != GP_OK) return result;
    more = GPI_HOST_MALLOC(h->out_bytes);
    if (!more)
        return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu bytes of counts",
                             c->function, h->out_bytes);
    for (k = 1; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        result = gpi_host_of(c, device, gpi_host_histogram_read(device, more));
        if (result == GP_OK) gpi_host_histogram_add(h, more);
    }
    GPI_HOST_FREE(more);
    return result;
}

static gp_result gpi_host_histogram_run(gpi_host_chunks *c, gpi_host_histogram *h)
{
    gp_result result = gpi_host_chunks_open(c);
    size_t k;
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        const void *counts = h->desc->accumulate && k == 0 ? h->desc->out : NULL;
        result = gpi_host_of(c, device, gpi_host_histogram_begin(device, counts));
    }
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    return result == GP_OK ? gpi_host_histogram_join(c, h) : result;
}

GP_HOST_API gp_result gp_host_histogram(gp_context *gp, const gp_host_histogram_desc *desc)
{
    static const char function[] = "gp_host_histogram";
    gpi_host_histogram h;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&h, 0, sizeof h);
    h.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.compute = gpi_host_histogram_compute;
    c.scratch_size = gpi_host_histogram_scratch;
    c.call = &h;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_histogram_types(gp, function, &h, &c);
    if (result == GP_OK) result = gpi_host_histogram_prepare(gp, function, &h);
    if (result == GP_OK) result = gpi_host_histogram_run(&c, &h);
    result = gpi_host_chunks_close(&c, result);
    gpi_host_text_free(&h.map);
    return result;
}
/* ---- End file host/calls/histogram.c ---- */

/* ---- Begin file host/calls/nth_element.c ---- */
/* nth_element.c - gp_host_nth_element: counts the keys between edges, and copies back the keys that are close to a
   rank.

   Keys are compared by their orders, numbers of up to 64 bits. Edges divide all orders into bins, of which the last one has no end:

       edges     0 .... lo, lo+1 .... v, v+1 .... hi, hi+1 ....      around each rank: lo, v and hi are keys of a sample
       bins        not    one  wanted  one  wanted  one   not

   The counts show in which bin a rank is. A bin of a single order needs no keys. The keys of wanted bins are kept in
   host memory and then sorted. If a rank is in another bin, or too many keys would be kept, the edges of the next pass
   divide that bin evenly. */
enum {
    GPI_HOST_RANKS = 64,
    GPI_HOST_EDGES_MAX = 512, /* six edges for each rank, and edge 0 */
    GPI_HOST_SAMPLE = 65536,
    GPI_HOST_BINS_AT = 8, /* numbers before the bins: the count of each slot's selection */
    GPI_HOST_COUNTS =
        0, /* indices in owns: the counts and bins; the edges, and marks of the bins that are wanted */
    GPI_HOST_CUTS = 1
};

/* A rank to be found. */
typedef struct gpi_host_rank {
    uint64_t rank, low, high; /* the order of the rank's key is in [low, high], unless the sample misleads */
    size_t bin;
    bool found; /* the order of the rank's key is `low` */
} gpi_host_rank;

typedef struct gpi_host_nth {
    const gp_host_nth_element_desc *desc;
    size_t size, edges; /* bytes of a key; number of edges */
    char source[640];   /* source of functions for expressions */
    gp_record record;   /* a key as an unsigned number */
    gpi_host_rank ranks[GPI_HOST_RANKS];
    uint64_t cuts[2 * GPI_HOST_EDGES_MAX]; /* the edges, then whether each bin is wanted */
    uint64_t bins[GPI_HOST_EDGES_MAX],
        more[GPI_HOST_EDGES_MAX]; /* numbers of keys in each bin: of all contexts; of one further context */
    char *kept;
    size_t room, keeps; /* room for keys; number of keys kept, or room + 1 if there are too many */
} gpi_host_nth;

/* ------------------------------------------------------------------ orders */

static uint64_t gpi_host_sign(size_t size) { return (uint64_t)1 << (8 * size - 1); }

static bool gpi_host_is_signed(gp_type type)
{
    return type == GP_I8 || type == GP_I16 || type == GP_I32 || type == GP_I64;
}

static uint64_t gpi_host_load(const void *keys, size_t i, size_t size)
{
    uint8_t x8;
    uint16_t x16;
    uint32_t x32;
    uint64_t x = 0;
    const char *from = (const char *)keys + i * size;
    if (size == 1) memcpy(&x8, from, 1), x = x8;
    if (size == 2) memcpy(&x16, from, 2), x = x16;
    if (size == 4) memcpy(&x32, from, 4), x = x32;
    if (size == 8) memcpy(&x, from, 8);
    return x;
}

static void gpi_host_save(void *keys, size_t i, size_t size, uint64_t x)
{
    const uint8_t x8 = (uint8_t)x;
    const uint16_t x16 = (uint16_t)x;
    const uint32_t x32 = (uint32_t)x;
    const void *from = size == 1   ? (const void *)&x8
                       : size == 2 ? (const void *)&x16
                       : size == 4 ? (const void *)&x32
                                   : &x;
    memcpy((char *)keys + i * size, from, size);
}

/* Returns a key's order: an unsigned number, which compares as gp_sort compares the keys. */
static uint64_t gpi_host_order(const gpi_host_nth *n, uint64_t key)
{
    const uint64_t sign = gpi_host_sign(n->size);
    if (gpi_host_is_float(n->desc->key_type)) return key & sign ? ~key & (sign - 1 + sign) : key | sign;
    return gpi_host_is_signed(n->desc->key_type) ? key ^ sign : key;
}

static uint64_t gpi_host_key_of(const gpi_host_nth *n, uint64_t order)
{
    const uint64_t sign = gpi_host_sign(n->size);
    if (gpi_host_is_float(n->desc->key_type)) return order & sign ? order ^ sign : ~order & (sign - 1 + sign);
    return gpi_host_is_signed(n->desc->key_type) ? order ^ sign : order;
}

/* Writes the functions that expressions call: a key's order, and whether it is in a wanted bin. */
static void gpi_host_nth_source(gpi_host_nth *n)
{
    static const char *const types[] = {"uchar", "ushort", "uint", "ulong"};
    const char *type = types[n->size == 8 ? 3 : n->size / 2], *form = "x";
    char sign[32];
    (void)snprintf(sign, sizeof sign, "((%s)1 << %u)", type, (unsigned)(8 * n->size - 1));
    if (gpi_host_is_float(n->desc->key_type)) form = "(x & SIGN ? ~x : x | SIGN)";
    else if (gpi_host_is_signed(n->desc->key_type)) form = "(x ^ SIGN)";
    (void)snprintf(n->source, sizeof n->source,
                   "static ulong chunk_order(%s x)\n{\n    const %s SIGN = %s;\n    return (%s)%s;\n}\n"
                   "static bool chunk_wanted(ulong order, __global const ulong *cuts)\n{\n    uint b = 0;\n"
                   "    for (uint step = %d; step; step /= 2)\n"
                   "        if (cuts[b + step] <= order) b += step;\n    return cuts[%d + b] != 0;\n}\n",
                   type, type, sign, type, form, GPI_HOST_EDGES_MAX / 2, GPI_HOST_EDGES_MAX);
    n->record.cl_type = type;
    n->record.size = n->size;
    n->record.source = n->source;
}

/* ------------------------------------------------------------------ edges */

static int gpi_host_compare_orders(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Adds an edge at which a bin begins. */
static void gpi_host_nth_edge(gpi_host_nth *n, uint64_t order) { n->cuts[n->edges++] = order; }

/* Sorts the edges, removes repeated ones, and fills the rest of the array with the last edge. */
static void gpi_host_nth_edges(gpi_host_nth *n)
{
    size_t i, used = 1;
    qsort(n->cuts, n->edges, sizeof *n->cuts, gpi_host_compare_orders);
    for (i = 1; i < n->edges; i++) {
        if (n->cuts[i] != n->cuts[used - 1]) n->cuts[used++] = n->cuts[i];
    }
    for (i = used; i < GPI_HOST_EDGES_MAX; i++) n->cuts[i] = n->cuts[used - 1];
    memset(n->cuts + GPI_HOST_EDGES_MAX, 0, sizeof n->cuts / 2);
    n->edges = used;
}

static bool gpi_host_nth_is_one(const gpi_host_nth *n, size_t bin)
{
    return bin + 1 < n->edges && n->cuts[bin + 1] == n->cuts[bin] + 1;
}

/* Marks the bins from order `low` to order `high` as wanted, except bins of a single order. Both orders are edges or
   the end. */
static void gpi_host_nth_want(gpi_host_nth *n, uint64_t low, uint64_t high)
{
    size_t b;
    for (b = 0; b < n->edges; b++) {
        if (n->cuts[b] >= low && n->cuts[b] <= high && !gpi_host_nth_is_one(n, b))
            n->cuts[GPI_HOST_EDGES_MAX + b] = 1;
    }
}

/* Reads a sample, a key from each of `count` equal parts, and sorts it. */
static gp_result gpi_host_nth_sample(gp_context *gp, gpi_host_nth *n, size_t count, char *sample)
{
    const size_t part = n->desc->count / count;
    gp_host_sort_desc sort;
    uint32_t random = 1;
    size_t i;
    for (i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        memcpy(sample + i * n->size,
               (const char *)n->desc->keys + (i * part + (size_t)(((uint64_t)random * part) >> 32)) * n->size,
               n->size);
    }
    memset(&sort, 0, sizeof sort);
    sort.keys = sort.keys_out = sample;
    sort.count = count;
    sort.key_type = n->desc->key_type;
    sort.budget = n->desc->budget;
    return gp_host_sort(gp, &sort);
}

/* Sets the first edges: lo, v and hi of each rank. The rank is between lo and hi unless the sample misleads: in the
   sample, the distance of both from the rank's position is four standard deviations of that position, plus two. */
static void gpi_host_nth_first(gpi_host_nth *n, size_t count, const char *sample)
{
    size_t r, i;
    n->edges = 0;
    gpi_host_nth_edge(n, 0);
    for (r = 0; r < n->desc->rank_count; r++) {
        gpi_host_rank *rank = &n->ranks[r];
        const double share = (double)rank->rank / (double)n->desc->count, p = share * (double)count;
        const double variance = p * (1 - share) * 16;
        size_t at[3], away = 2;
        while ((double)(away - 2) * (double)(away - 2) < variance) away += away / 8 + 1;
        at[1] = (size_t)p < count ? (size_t)p : count - 1;
        at[0] = at[1] > away ? at[1] - away : 0;
        at[2] = count - at[1] > away ? at[1] + away : count - 1;
        for (i = 0; i < 3; i++) {
            const uint64_t order = gpi_host_order(n, gpi_host_load(sample, at[i], n->size));
            gpi_host_nth_edge(n, order);
            if (order < UINT64_MAX) gpi_host_nth_edge(n, order + 1);
            if (i == 0) rank->low = at[1] > away ? order : 0;
            if (i == 2) rank->high = count - at[1] > away ? order : UINT64_MAX;
        }
    }
    gpi_host_nth_edges(n);
    for (r = 0; r < n->desc->rank_count; r++) gpi_host_nth_want(n, n->ranks[r].low, n->ranks[r].high);
}

/* Sets the edges of a later pass: divides each rank's bin evenly, and marks the new bins as wanted if there is room for
   all of their keys. */
static void gpi_host_nth_next(gpi_host_nth *n, bool keep)
{
    const size_t parts = (GPI_HOST_EDGES_MAX - 2) / n->desc->rank_count - 1;
    size_t r, i;
    n->edges = 0;
    gpi_host_nth_edge(n, 0);
    for (r = 0; r < n->desc->rank_count; r++) {
        const gpi_host_rank *rank = &n->ranks[r];
        const uint64_t width = rank->high - rank->low, step = width / parts + 1;
        if (rank->found) continue;
        for (i = 0; i < parts && (i == 0 || i * step / step == i) && i * step <= width; i++)
            gpi_host_nth_edge(n, rank->low + i * step);
        if (rank->high < UINT64_MAX) gpi_host_nth_edge(n, rank->high + 1);
    }
    gpi_host_nth_edges(n);
    for (r = 0; r < n->desc->rank_count && keep; r++) {
        if (!n->ranks[r].found) gpi_host_nth_want(n, n->ranks[r].low, n->ranks[r].high);
    }
}

/* ------------------------------------------------------------------ chunks */

static gp_histogram_desc gpi_host_nth_histogram(const gpi_host_chunks *c, const gpi_host_nth *n, size_t count)
{
    gp_histogram_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.record = &n->record;
    desc.map = "chunk_order(x)";
    desc.map_type = GP_U64;
    desc.count = count;
    desc.bins = GPI_HOST_EDGES_MAX - 1;
    desc.edges = c->owns[GPI_HOST_CUTS].buffer;
    desc.out = c->owns[GPI_HOST_COUNTS].buffer;
    desc.out_offset = GPI_HOST_BINS_AT;
    desc.out_type = GP_U64;
    desc.accumulate = true;
    return desc;
}

static gp_select_desc gpi_host_nth_select(const gpi_host_chunks *c, const gpi_host_nth *n, size_t count,
                                          gp_arg *cuts)
{
    gp_select_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(cuts, 0, sizeof *cuts);
    cuts->name = "chunk_cuts";
    cuts->type = GP_U64;
    cuts->buffer = c->owns[GPI_HOST_CUTS].buffer;
    desc.record = &n->record;
    desc.predicate = "chunk_wanted(chunk_order(x), chunk_cuts)";
    desc.args = cuts;
    desc.arg_count = 1;
    desc.count = count;
    desc.count_out = c->owns[GPI_HOST_COUNTS].buffer;
    desc.count_out_type = GP_U64;
    return desc;
}

static gp_result gpi_host_nth_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_nth *n = (const gpi_host_nth *)c->call;
    gp_arg cuts;
    gp_histogram_desc histogram = gpi_host_nth_histogram(c, n, count);
    gp_select_desc select = gpi_host_nth_select(c, n, count, &cuts);
    size_t more = 0;
    gp_result result = gp_histogram_scratch_size(c->gp, &histogram, bytes);
    select.out = c->owns[GPI_HOST_CUTS].buffer; /* a placeholder */
    if (result == GP_OK) result = gp_select_scratch_size(c->gp, &select, &more);
    if (more > *bytes) *bytes = more;
    return result;
}

static gp_result gpi_host_nth_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_nth *n = (const gpi_host_nth *)c->call;
    gp_arg cuts;
    gp_histogram_desc histogram = gpi_host_nth_histogram(c, n, chunk->count);
    gp_select_desc select = gpi_host_nth_select(c, n, chunk->count, &cuts);
    gp_result result;
    histogram.in = select.in = c->arrays[0].buffers[chunk->slot];
    histogram.scratch = select.scratch = c->scratch;
    histogram.wait = gpi_host_waits(c);
    histogram.wait_count = c->wait_count;
    histogram.done = select.done = &c->done;
    result = gp_histogram(c->gp, &histogram);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    select.out = c->arrays[1].buffers[chunk->slot];
    select.count_out_offset = (size_t)chunk->slot;
    select.wait = gpi_host_waits(c);
    select.wait_count = c->wait_count;
    result = gp_select(c->gp, &select);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    return gpi_host_count(c, chunk, c->owns[GPI_HOST_COUNTS].buffer);
}

/* Appends the chunk's wanted keys to the kept keys, in any order, unless these would become too many. */
static gp_result gpi_host_nth_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_nth *n = (gpi_host_nth *)c->call;
    const gp_result result = gpi_host_counted(c, chunk, c->owns[GPI_HOST_COUNTS].buffer);
    const size_t count = (size_t)c->count_of[chunk->slot], at = n->keeps;
    if (result != GP_OK || count == 0) return result;
    n->keeps = at <= n->room && count <= n->room - at ? at + count : n->room + 1;
    if (n->keeps > n->room) return GP_OK;
    return gpi_host_read(c, chunk, c->arrays[1].buffers[chunk->slot], 0, count * n->size,
                         n->kept + at * n->size);
}

/* ------------------------------------------------------------------ passes */

/* Adds up the contexts' counts, and sets the count of the last bin, which has no end. */
static gp_result gpi_host_nth_bins(gpi_host_chunks *c, gpi_host_nth *n)
{
    uint64_t sum = 0;
    size_t k, b;
    memset(n->bins, 0, sizeof n->bins);
    for (k = 0; k < c->devices; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        cl_int error;
        (void)clFlush(gp_cl_queue(device->gp));
        error = clEnqueueReadBuffer(device->copies, device->owns[GPI_HOST_COUNTS].buffer, CL_TRUE,
                                    GPI_HOST_BINS_AT * sizeof *n->more, sizeof n->more, n->more,
                                    device->wait_count, gpi_host_waits(device), NULL);
        if (error != CL_SUCCESS)
            return gpi_host_of(c, device,
                               gpi_host_fail_cl(device->gp, c->function, "clEnqueueReadBuffer", error));
        for (b = 0; b + 1 < n->edges; b++) n->bins[b] += n->more[b];
    }
    for (b = 0; b + 1 < n->edges; b++) sum += n->bins[b];
    n->bins[n->edges - 1] = c->count - sum;
    return GP_OK;
}

/* Counts all keys, and keeps those of wanted bins. */
static gp_result gpi_host_nth_pass(gpi_host_chunks *c, gpi_host_nth *n)
{
    static const uint64_t zeros[GPI_HOST_EDGES_MAX] = {0};
    gp_result result = GP_OK;
    size_t k;
    n->keeps = 0;
    n->cuts[2 * GPI_HOST_EDGES_MAX - 1] =
        n->cuts[GPI_HOST_EDGES_MAX + n->edges - 1]; /* the search for a bin may end at the last entry */
    for (k = 0; k < c->devices && result == GP_OK; k++) {
        gpi_host_chunks *device = gpi_host_device(c, k);
        result = gpi_host_put(device, n->cuts, device->owns[GPI_HOST_CUTS].buffer, 0, sizeof n->cuts);
        if (result == GP_OK)
            result = gpi_host_put(device, zeros, device->owns[GPI_HOST_COUNTS].buffer,
                                  GPI_HOST_BINS_AT * sizeof *zeros, sizeof zeros);
        result = gpi_host_of(c, device, result);
    }
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    return result == GP_OK ? gpi_host_nth_bins(c, n) : result;
}

/* Sets each rank's bin, and the range of orders in the bin. Returns the number of keys in the bins of ranks that are
   not found yet. Sets *kept if there are such keys, and all of them are kept. */
static uint64_t gpi_host_nth_find(gpi_host_nth *n, bool *kept)
{
    bool counted[GPI_HOST_EDGES_MAX] = {false};
    uint64_t left = 0;
    size_t r;
    *kept = n->keeps <= n->room;
    for (r = 0; r < n->desc->rank_count; r++) {
        gpi_host_rank *rank = &n->ranks[r];
        uint64_t below = 0;
        size_t b = 0;
        if (rank->found) continue;
        while (below + n->bins[b] <= rank->rank) below += n->bins[b++];
        rank->bin = b;
        rank->low = n->cuts[b];
        rank->high = b + 1 < n->edges ? n->cuts[b + 1] - 1 : UINT64_MAX;
        rank->found = rank->low == rank->high;
        if (rank->found) continue;
        if (!n->cuts[GPI_HOST_EDGES_MAX + b]) *kept = false;
        if (!counted[b]) left += n->bins[b];
        counted[b] = true;
    }
    *kept = *kept && left;
    return left;
}

/* Finds the remaining ranks among the kept keys. */
static gp_result gpi_host_nth_sort(gp_context *gp, gpi_host_nth *n)
{
    gp_host_sort_desc sort;
    gp_result result;
    size_t r, b;
    memset(&sort, 0, sizeof sort);
    sort.keys = sort.keys_out = n->kept;
    sort.count = n->keeps;
    sort.key_type = n->desc->key_type;
    sort.budget = n->desc->budget;
    result = gp_host_sort(gp, &sort);
    for (r = 0; r < n->desc->rank_count && result == GP_OK; r++) {
        gpi_host_rank *rank = &n->ranks[r];
        uint64_t at = rank->rank;
        if (rank->found) continue;
        for (b = 0; b < rank->bin; b++) {
            if (!n->cuts[GPI_HOST_EDGES_MAX + b]) at -= n->bins[b];
        }
        rank->low = gpi_host_order(n, gpi_host_load(n->kept, (size_t)at, n->size));
    }
    return result;
}

static gp_result gpi_host_nth_run(gpi_host_chunks *c, gpi_host_nth *n, bool *sorts)
{
    gp_result result = gpi_host_chunks_open(c);
    while (result == GP_OK) {
        uint64_t left;
        result = gpi_host_nth_pass(c, n);
        if (result != GP_OK) return result;
        left = gpi_host_nth_find(n, sorts);
        if (*sorts || left == 0) return GP_OK;
        c->again = true;
        gpi_host_nth_next(n, left <= n->room);
    }
    return result;
}

/* ------------------------------------------------------------------ API */

static gp_result gpi_host_nth_check(gp_context *gp, const char *function, gpi_host_nth *n)
{
    const gp_host_nth_element_desc *d = n->desc;
    gp_result result = gpi_host_check_type(gp, function, "key_type", d->key_type);
    size_t r;
    if (result != GP_OK) return result;
    n->size = gpi_host_size_of(d->key_type);
    if (d->rank_count > (size_t)GPI_HOST_RANKS)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT, "%s: rank_count = %zu, at most %d", function,
                             d->rank_count, (int)GPI_HOST_RANKS);
    if (d->rank_count && !d->ranks)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: ranks is NULL", function);
    for (r = 0; r < d->rank_count; r++) {
        n->ranks[r].rank = d->ranks[r];
        if (d->ranks[r] < d->count) continue;
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: ranks[%zu] = %llu, and there are %zu keys",
                             function, r, (unsigned long long)d->ranks[r], d->count);
    }
    result = gpi_host_check_array(gp, function, "keys", d->keys, d->count, n->size);
    if (result == GP_OK)
        result = gpi_host_check_array(gp, function, "keys_out", d->keys_out, d->rank_count, n->size);
    if (result == GP_OK &&
        gpi_host_overlap(d->keys, d->count * n->size, d->keys_out, d->rank_count * n->size))
        result = gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: keys and keys_out overlap", function);
    return result;
}

/* Allocates room for the kept keys, which the sample uses first, and sets the first edges. */
static gp_result gpi_host_nth_prepare(gp_context *gp, const char *function, gpi_host_nth *n)
{
    const size_t count = n->desc->count, least = GPI_HOST_SAMPLE, sample = count < least ? count : least;
    gp_result result;
    n->room = count / 8 + least < count ? count / 8 + least : count;
    n->kept = (char *)GPI_HOST_MALLOC(n->room * n->size);
    if (!n->kept)
        return gpi_host_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu keys", function,
                             n->room);
    gpi_host_nth_source(n);
    result = gpi_host_nth_sample(gp, n, sample, n->kept);
    if (result == GP_OK) gpi_host_nth_first(n, sample, n->kept);
    return result;
}

static void gpi_host_nth_chunks(gpi_host_chunks *c, gpi_host_nth *n)
{
    c->arrays[0].in = (const char *)n->desc->keys;
    c->arrays[0].size = c->arrays[1].size = n->size;
    c->owns[GPI_HOST_COUNTS].bytes = (GPI_HOST_BINS_AT + GPI_HOST_EDGES_MAX) * sizeof(uint64_t);
    c->owns[GPI_HOST_CUTS].bytes = sizeof n->cuts;
    c->fixed = c->owns[GPI_HOST_COUNTS].bytes + c->owns[GPI_HOST_CUTS].bytes;
    c->compute = gpi_host_nth_compute;
    c->download = gpi_host_nth_download;
    c->scratch_size = gpi_host_nth_scratch;
    c->call = n;
}

GP_HOST_API gp_result gp_host_nth_element(gp_context *gp, const gp_host_nth_element_desc *desc)
{
    static const char function[] = "gp_host_nth_element";
    gpi_host_nth n;
    gpi_host_chunks c;
    bool sorts = false;
    size_t r;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&n, 0, sizeof n);
    n.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, NULL, 0);
    if (result == GP_OK) result = gpi_host_nth_check(gp, function, &n);
    if (result != GP_OK || desc->rank_count == 0) return result;
    gpi_host_nth_chunks(&c, &n);
    result = gpi_host_nth_prepare(gp, function, &n);
    if (result == GP_OK) result = gpi_host_chunks_close(&c, gpi_host_nth_run(&c, &n, &sorts));
    if (result == GP_OK && sorts) result = gpi_host_nth_sort(gp, &n);
    for (r = 0; r < desc->rank_count && result == GP_OK; r++)
        gpi_host_save(desc->keys_out, r, n.size, gpi_host_key_of(&n, n.ranks[r].low));
    GPI_HOST_FREE(n.kept);
    return result;
}
/* ---- End file host/calls/nth_element.c ---- */

/* ---- Begin file host/calls/reduce.c ---- */
/* reduce.c - gp_host_reduce: reduces each chunk to a partial result, and the partial results to one.

   A single context keeps partial results on the device. Several contexts send them to host memory, and then the first
   context reduces them. */
/* The number of partial results that are kept before they are reduced to one. */
enum { GPI_HOST_PARTIALS = 32 };

typedef struct gpi_host_reduce {
    const gp_host_reduce_desc *desc;
    gp_type out_type; /* unused with a monoid */
    size_t out_size;
    gpi_host_text map;
    gpi_host_args args;
    gp_reduce_desc chunk, partials; /* the device's calls: fields that all chunks share */
    size_t kept;
    char *sums; /* with several contexts: the partial results of all chunks */
} gpi_host_reduce;

static gp_result gpi_host_reduce_types(gp_context *gp, const char *function, gpi_host_reduce *r,
                                       gpi_host_chunks *c)
{
    const gp_host_reduce_desc *desc = r->desc;
    const bool bare = desc->monoid && !desc->map; /* the input is the monoid's elements */
    gp_result result = GP_OK;
    if (desc->op == GP_ARGMIN || desc->op == GP_ARGMAX)
        return gpi_host_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d: argmin and argmax are not taken",
                             function, (int)desc->op);
    if (!bare && !desc->record) result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result == GP_OK && desc->type2) result = gpi_host_check_type(gp, function, "type2", desc->type2);
    r->out_type = desc->out_type ? desc->out_type : gpi_host_sum_type(desc->op, desc->type);
    if (result == GP_OK && !desc->monoid) result = gpi_host_check_type(gp, function, "out_type", r->out_type);
    if (result != GP_OK) return result;
    r->out_size = desc->monoid ? desc->monoid->size : gpi_host_size_of(r->out_type);
    c->arrays[0].in = (const char *)desc->in;
    c->arrays[0].size = bare           ? desc->monoid->size
                        : desc->record ? desc->record->size
                                       : gpi_host_size_of(desc->type);
    result = gpi_host_check_array(gp, function, "in", desc->in, desc->count, c->arrays[0].size);
    if (result == GP_OK) result = gpi_host_check_array(gp, function, "out", desc->out, 1, r->out_size);
    if (result != GP_OK || !desc->in2) return result;
    c->arrays[1].in = (const char *)desc->in2;
    c->arrays[1].size = gpi_host_size_of(desc->type2 ? desc->type2 : desc->type);
    if (!c->arrays[1].size)
        return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: in2 without type2", function);
    return gpi_host_check_array(gp, function, "in2", desc->in2, desc->count, c->arrays[1].size);
}

static gp_result gpi_host_reduce_prepare(gp_context *gp, const char *function, gpi_host_reduce *r)
{
    const gp_host_reduce_desc *desc = r->desc;
    gp_result result = gpi_host_text_make(gp, function, "", desc->map, "", &r->map);
    if (result == GP_OK)
        result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, r->map.has_index, &r->args);
    if (result != GP_OK) return result;
    if (r->map.has_index) (void)gpi_host_args_add(&r->args, "chunk_first", GP_U64, &r->args.first);
    r->chunk.type = desc->type;
    r->chunk.record = desc->record;
    r->chunk.out_type = desc->out_type;
    r->chunk.op = desc->op;
    r->chunk.monoid = desc->monoid;
    r->chunk.map = r->map.text;
    r->chunk.args = r->args.count ? r->args.args : NULL;
    r->chunk.arg_count = r->args.count;
    r->chunk.type2 = desc->in2 && !desc->type2 ? desc->type : desc->type2;
    if (!desc->monoid) r->partials.type = r->partials.out_type = r->out_type;
    r->partials.op = desc->op;
    r->partials.monoid = desc->monoid;
    if (desc->monoid && desc->monoid->takes_args) {
        r->partials.args = desc->args;
        r->partials.arg_count = desc->arg_count;
    }
    return GP_OK;
}

static gp_result gpi_host_reduce_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    gpi_host_reduce *r = (gpi_host_reduce *)c->call;
    gp_reduce_desc desc = r->chunk;
    desc.count = count;
    return gp_reduce_scratch_size(c->gp, &desc, bytes);
}

/* Reduces the kept partial results to one, which replaces the first of them. */
static gp_result gpi_host_reduce_partials(gpi_host_chunks *c, gpi_host_reduce *r)
{
    gp_reduce_desc desc = r->partials;
    gp_result result;
    desc.in = desc.out = c->owns[0].buffer;
    desc.count = r->kept;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_reduce(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    r->kept = 1;
    return result;
}

static gp_result gpi_host_reduce_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_reduce *r = (gpi_host_reduce *)c->call;
    gp_reduce_desc desc = r->chunk;
    gp_result result;
    r->args.first = chunk->first;
    desc.in = c->arrays[0].buffers[chunk->slot];
    desc.in2 = c->arrays[1].buffers[chunk->slot];
    desc.count = chunk->count;
    desc.out = c->owns[0].buffer;
    desc.out_offset = r->sums ? (size_t)chunk->slot : r->kept++;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_reduce(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    return r->kept == GPI_HOST_PARTIALS ? gpi_host_reduce_partials(c, r) : GP_OK;
}

/* With several contexts, reads a chunk's partial result. */
static gp_result gpi_host_reduce_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_reduce *r = (const gpi_host_reduce *)c->call;
    return gpi_host_read(c, chunk, c->owns[0].buffer, (size_t)chunk->slot * r->out_size, r->out_size,
                         r->sums + chunk->index * r->out_size);
}

static gp_result gpi_host_reduce_sums(gpi_host_chunks *c, gpi_host_reduce *r)
{
    c->download = gpi_host_reduce_download;
    if (c->number <= SIZE_MAX / r->out_size) r->sums = (char *)GPI_HOST_MALLOC(c->number * r->out_size);
    if (r->sums) return GP_OK;
    return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu partial results",
                         c->function, c->number);
}

/* Reduces the partial results of all contexts, on the first one. */
static gp_result gpi_host_reduce_join(const gpi_host_chunks *c, const gpi_host_reduce *r)
{
    gp_host_reduce_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.in = r->sums;
    desc.out = r->desc->out;
    desc.count = c->number;
    desc.type = r->partials.type;
    desc.out_type = r->partials.out_type;
    desc.op = r->partials.op;
    desc.monoid = r->partials.monoid;
    desc.args = r->partials.args;
    desc.arg_count = r->partials.arg_count;
    desc.initial = r->desc->initial;
    desc.budget = r->desc->budget;
    return gp_host_reduce(c->gp, &desc);
}

static gp_result gpi_host_reduce_run(gpi_host_chunks *c, gpi_host_reduce *r)
{
    gp_reduce_desc desc;
    gp_result result = gpi_host_chunks_open(c);
    if (result == GP_OK && c->devices > 1) result = gpi_host_reduce_sums(c, r);
    if (result == GP_OK) result = gpi_host_chunks_run(c);
    if (result != GP_OK || r->sums) return result;
    desc = r->partials;
    desc.in = c->owns[0].buffer;
    desc.count = r->kept;
    desc.initial = r->desc->initial;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    return gp_reduce_read(c->gp, &desc, r->desc->out);
}

GP_HOST_API gp_result gp_host_reduce(gp_context *gp, const gp_host_reduce_desc *desc)
{
    static const char function[] = "gp_host_reduce";
    gpi_host_reduce r;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&r, 0, sizeof r);
    r.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.compute = gpi_host_reduce_compute;
    c.scratch_size = gpi_host_reduce_scratch;
    c.call = &r;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_reduce_types(gp, function, &r, &c);
    if (result == GP_OK) result = gpi_host_reduce_prepare(gp, function, &r);
    c.fixed = c.owns[0].bytes = GPI_HOST_PARTIALS * r.out_size;
    if (result == GP_OK) result = gpi_host_reduce_run(&c, &r);
    result = gpi_host_chunks_close(&c, result);
    if (result == GP_OK && r.sums) result = gpi_host_reduce_join(&c, &r);
    GPI_HOST_FREE(r.sums);
    gpi_host_text_free(&r.map);
    return result;
}
/* ---- End file host/calls/reduce.c ---- */

/* ---- Begin file host/calls/scan.c ---- */
/* scan.c - gp_host_scan: scans chunk after chunk. The product before a chunk, its carry, is passed on the device as one
   more element.

   A chunk's buffer has room for an element at each end. In a forward scan (a reverse scan exchanges both ends):

       carry  in[first] ... in[first + count - 1]  end

   The scan of a chunk includes the carry. An exclusive scan also includes the element at the end, whose result is the
   sum of all elements. The last result is the next chunk's carry. If elements of the input and sums differ, because
   there is a map, or because their types differ, the map returns the carry instead of the elements at the ends.

   Several contexts first reduce all chunks. The first context scans these sums, which yields each chunk's carry. So
   chunks can be scanned in any order. */
typedef struct gpi_host_scan {
    const gp_host_scan_desc *desc;
    size_t out_size;
    bool maps; /* the map returns the carry, which is not an element of the input */
    gpi_host_text map;
    gpi_host_args args;
    cl_ulong lead, count; /* values of args: position of the chunk's elements in the scan; their number */
    gp_record carry_record;
    gp_scan_desc chunk; /* the fields that are the same for all chunks */
    bool carried;

    /* several contexts */
    gpi_host_text element; /* the map without the carry */
    gpi_host_args element_args;
    gp_reduce_desc sum;
    char *sums; /* each chunk's sum, later its carry */
} gpi_host_scan;

/* Fails if there is no map and sums are narrower than the elements, or are integers while elements are floats. gp_scan
   refuses these types, too; here they are refused with one context and with several. */
static gp_result gpi_host_scan_width(gp_context *gp, const char *function, const gp_host_scan_desc *desc)
{
    const gp_type out_type = desc->out_type ? desc->out_type : desc->type;
    const bool floats = gpi_host_is_float(desc->type) && !gpi_host_is_float(out_type);
    if (desc->map || desc->monoid || desc->record) return GP_OK;
    if (!floats && gpi_host_size_of(out_type) >= gpi_host_size_of(desc->type)) return GP_OK;
    return gpi_host_fail(
        gp, GP_ERROR_INVALID_TYPE,
        "%s: elements of type = %d cannot be summed as out_type = %d, which is %s: give a map that "
        "converts them",
        function, (int)desc->type, (int)out_type, floats ? "an integer" : "narrower");
}

static gp_result gpi_host_scan_types(gp_context *gp, const char *function, gpi_host_scan *s,
                                     gpi_host_chunks *c)
{
    const gp_host_scan_desc *desc = s->desc;
    const bool bare = desc->monoid && !desc->map;
    const gp_type out_type = desc->out_type ? desc->out_type : desc->type;
    size_t in_size;
    gp_result result = GP_OK;
    if (desc->op == GP_ARGMIN || desc->op == GP_ARGMAX)
        return gpi_host_fail(gp, GP_ERROR_INVALID_OP, "%s: op = %d: argmin and argmax are not taken",
                             function, (int)desc->op);
    if (!bare && !desc->record) result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result == GP_OK && !desc->monoid) result = gpi_host_check_type(gp, function, "out_type", out_type);
    if (result == GP_OK) result = gpi_host_scan_width(gp, function, desc);
    if (result != GP_OK) return result;
    s->out_size = desc->monoid ? desc->monoid->size : gpi_host_size_of(out_type);
    in_size = bare ? s->out_size : desc->record ? desc->record->size : gpi_host_size_of(desc->type);
    result = gpi_host_check_array(gp, function, "in", desc->in, desc->count, in_size);
    if (result == GP_OK)
        result = gpi_host_check_array(gp, function, "out", desc->out, desc->count, s->out_size);
    if (result != GP_OK) return result;
    s->maps = !bare && (desc->map || out_type != desc->type);
    c->arrays[0].in = (const char *)desc->in;
    c->arrays[0].size = in_size;
    if (in_size == s->out_size) {
        c->arrays[0].out = (char *)desc->out;
    } else {
        c->arrays[1].out = (char *)desc->out;
        c->arrays[1].size = s->out_size;
    }
    if (gpi_host_overlap(desc->in, desc->count * in_size, desc->out, desc->count * s->out_size) &&
        (desc->in != desc->out || in_size != s->out_size))
        return gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: in and out overlap, and are not the same elements",
                             function);
    return GP_OK;
}

/* Returns the text to put before a map. It converts the map's value to the type of sums, which is the carry's type. */
static const char *gpi_host_conversion(gp_type type)
{
    switch (type) {
#define GPI_HOST_CONVERSION_CASE(name, value, cl, bytes) \
    case name: return "i - chunk_lead < chunk_count ? (" cl ")(";
        GP_TYPES(GPI_HOST_CONVERSION_CASE)
#undef GPI_HOST_CONVERSION_CASE
    default: return "i - chunk_lead < chunk_count ? (";
    }
}

/* Makes the map and args of the scan. The map returns the carry instead of the elements at the ends. */
static gp_result gpi_host_scan_map(gp_context *gp, const char *function, gpi_host_scan *s)
{
    const gp_host_scan_desc *desc = s->desc;
    const gp_type type = desc->monoid ? GP_TYPE_NONE : desc->out_type ? desc->out_type : desc->type;
    const bool half = type == GP_F16;
    gp_arg *carry;
    gp_result result;
    if (!s->maps) return gpi_host_args_make(gp, function, desc->args, desc->arg_count, 0, &s->args);
    result = gpi_host_text_make(gp, function, gpi_host_conversion(half ? GP_F32 : type),
                                desc->map ? desc->map : "x",
                                half ? "\n) : vload_half(0, chunk_carry)" : "\n) : chunk_carry[0]", &s->map);
    if (result == GP_OK) result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, 4, &s->args);
    if (result != GP_OK) return result;
    (void)gpi_host_args_add(&s->args, "chunk_first", GP_U64, &s->args.first);
    (void)gpi_host_args_add(&s->args, "chunk_lead", GP_U64, &s->lead);
    (void)gpi_host_args_add(&s->args, "chunk_count", GP_U64, &s->count);
    carry = gpi_host_args_add(&s->args, "chunk_carry", type, NULL);
    if (!desc->monoid) return GP_OK;
    s->carry_record.cl_type = desc->monoid->type;
    s->carry_record.size = desc->monoid->size;
    s->carry_record.source = desc->monoid->source;
    carry->record = &s->carry_record;
    return GP_OK;
}

static gp_result gpi_host_scan_prepare(gp_context *gp, const char *function, gpi_host_scan *s)
{
    const gp_host_scan_desc *desc = s->desc;
    const gp_result result = gpi_host_scan_map(gp, function, s);
    if (result != GP_OK) return result;
    s->chunk.type = desc->type;
    s->chunk.record = desc->record;
    s->chunk.out_type = desc->out_type;
    s->chunk.op = desc->op;
    s->chunk.monoid = desc->monoid;
    s->chunk.map = s->map.text;
    s->chunk.args = s->args.count ? s->args.args : NULL;
    s->chunk.arg_count = s->args.count;
    s->chunk.exclusive = desc->exclusive;
    s->chunk.reverse = desc->reverse;
    s->chunk.deterministic = desc->deterministic;
    return GP_OK;
}

static gp_result gpi_host_scan_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    gp_scan_desc desc = s->chunk;
    gp_reduce_desc sum = s->sum;
    size_t summing = 0;
    gp_result result;
    desc.count = count + 2;
    sum.count = count;
    result = gp_scan_scratch_size(c->gp, &desc, bytes);
    if (result == GP_OK && c->devices > 1) result = gp_reduce_scratch_size(c->gp, &sum, &summing);
    if (summing > *bytes) *bytes = summing;
    return result;
}

/* Writes the product before the chunk to the carry of `slot`. Before the first chunk, writes the identity or zeros,
   which no result includes. */
static gp_result gpi_host_scan_carry(gpi_host_chunks *c, const gpi_host_chunk *chunk, bool carried,
                                     size_t slot)
{
    static const char zeros[8] = {0};
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    const void *identity = s->desc->monoid ? s->desc->monoid->identity : zeros;
    if (s->maps) {
        s->args.args[s->args.count - 1].buffer = c->owns[0].buffer;
        s->args.args[s->args.count - 1].offset = slot;
    }
    if (carried && !s->sums) return GP_OK; /* the previous chunk has written the carry */
    return gpi_host_put(c, carried ? s->sums + chunk->index * s->out_size : identity, c->owns[0].buffer,
                        slot * s->out_size, s->out_size);
}

static gp_result gpi_host_scan_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    const bool reverse = s->desc->reverse, exclusive = s->desc->exclusive;
    const bool carried = s->sums ? chunk->index != (reverse ? c->number - 1 : 0) : s->carried;
    const size_t before = reverse ? exclusive : carried, after = reverse ? carried : exclusive;
    const size_t slot = s->sums ? (size_t)chunk->slot : 0, size = s->out_size;
    const cl_mem carry = c->owns[0].buffer;
    cl_mem in = c->arrays[0].buffers[chunk->slot];
    cl_mem out = c->arrays[1].size ? c->arrays[1].buffers[chunk->slot] : in;
    const size_t begin = 1 - before, end = 1 + chunk->count + after;
    gp_scan_desc desc = s->chunk;
    gp_result result = gpi_host_scan_carry(c, chunk, carried, slot);
    if (!s->maps && before && result == GP_OK) result = gpi_host_copy(c, carry, slot * size, in, 0, size);
    if (!s->maps && after && result == GP_OK)
        result = gpi_host_copy(c, carry, slot * size, in, (1 + chunk->count) * size, size);
    if (result != GP_OK) return result;
    s->lead = before;
    s->count = chunk->count;
    s->args.first = (cl_ulong)chunk->first - before;
    desc.in = in;
    desc.out = out;
    desc.in_offset = desc.out_offset = begin;
    desc.count = end - begin;
    desc.initial = carried ? NULL : s->desc->initial;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_scan(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    s->carried = true;
    return s->sums ? GP_OK : gpi_host_copy(c, out, (reverse ? begin : end - 1) * size, carry, 0, size);
}

/* ------------------------------------------------------------------ several contexts */

static gp_result gpi_host_scan_prepare_sums(gp_context *gp, const char *function, gpi_host_scan *s)
{
    const gp_host_scan_desc *desc = s->desc;
    gp_result result = gpi_host_text_make(gp, function, "", desc->map, "", &s->element);
    if (result == GP_OK)
        result = gpi_host_args_make(gp, function, desc->args, desc->arg_count, s->element.has_index,
                                    &s->element_args);
    if (result != GP_OK) return result;
    if (s->element.has_index)
        (void)gpi_host_args_add(&s->element_args, "chunk_first", GP_U64, &s->element_args.first);
    s->sum.type = desc->type;
    s->sum.record = desc->record;
    s->sum.out_type = desc->monoid ? GP_TYPE_NONE : desc->out_type ? desc->out_type : desc->type;
    s->sum.op = desc->op;
    s->sum.monoid = desc->monoid;
    s->sum.map = s->element.text;
    s->sum.args = s->element_args.count ? s->element_args.args : NULL;
    s->sum.arg_count = s->element_args.count;
    return GP_OK;
}

static gp_result gpi_host_scan_sum(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_scan *s = (gpi_host_scan *)c->call;
    gp_reduce_desc desc = s->sum;
    gp_result result;
    s->element_args.first = chunk->first;
    desc.in = c->arrays[0].buffers[chunk->slot];
    desc.in_offset = c->lead;
    desc.count = chunk->count;
    desc.out = c->owns[0].buffer;
    desc.out_offset = (size_t)chunk->slot;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_reduce(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_scan_read_sum(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_scan *s = (const gpi_host_scan *)c->call;
    return gpi_host_read(c, chunk, c->owns[0].buffer, (size_t)chunk->slot * s->out_size, s->out_size,
                         s->sums + chunk->index * s->out_size);
}

/* Scans the chunks' sums, which yields the carry of each chunk. */
static gp_result gpi_host_scan_sums(const gpi_host_chunks *c, const gpi_host_scan *s)
{
    gp_host_scan_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.in = desc.out = s->sums;
    desc.count = c->number;
    desc.type = s->sum.out_type;
    desc.op = s->sum.op;
    desc.monoid = s->sum.monoid;
    if (desc.monoid && desc.monoid->takes_args) {
        desc.args = s->desc->args;
        desc.arg_count = s->desc->arg_count;
    }
    desc.exclusive = true;
    desc.reverse = s->desc->reverse;
    desc.deterministic = s->desc->deterministic;
    desc.initial = s->desc->initial;
    desc.budget = s->desc->budget;
    return gp_host_scan(c->gp, &desc);
}

/* Computes the carries of all chunks of `c`, if there are several chunks, by a separate run over the same chunks. */
static gp_result gpi_host_scan_carries(gpi_host_chunks *c, gpi_host_scan *s)
{
    gpi_host_chunks sums = *c;
    gp_result result;
    sums.progress_total = 2 * (uint64_t)c->count;
    sums.compute = gpi_host_scan_sum;
    sums.download = gpi_host_scan_read_sum;
    result = gpi_host_chunks_open(&sums);
    if (result == GP_OK && sums.number > 1) {
        if (sums.number <= SIZE_MAX / s->out_size)
            s->sums = (char *)GPI_HOST_MALLOC(sums.number * s->out_size);
        result = s->sums ? gpi_host_chunks_run(&sums)
                         : gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu sums",
                                         c->function, sums.number);
    }
    result = gpi_host_chunks_close(&sums, result);
    if (result != GP_OK || !s->sums) return result;
    c->progress_done = sums.progress_done;
    c->progress_total = sums.progress_total;
    return gpi_host_scan_sums(&sums, s);
}

/* ------------------------------------------------------------------ the call */

GP_HOST_API gp_result gp_host_scan(gp_context *gp, const gp_host_scan_desc *desc)
{
    static const char function[] = "gp_host_scan";
    gpi_host_scan s;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&s, 0, sizeof s);
    s.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.lead = c.tail = 1;
    c.reverse = desc->reverse;
    c.compute = gpi_host_scan_compute;
    c.scratch_size = gpi_host_scan_scratch;
    c.call = &s;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_scan_types(gp, function, &s, &c);
    if (result == GP_OK) result = gpi_host_scan_prepare(gp, function, &s);
    c.fixed = c.owns[0].bytes = (c.devices > 1 ? GPI_HOST_SLOTS : 1) * s.out_size;
    if (result == GP_OK && c.devices > 1) {
        result = gpi_host_scan_prepare_sums(gp, function, &s);
        if (result == GP_OK) result = gpi_host_scan_carries(&c, &s);
    }
    if (result == GP_OK) result = gpi_host_chunks_open(&c);
    if (result == GP_OK) result = gpi_host_chunks_run(&c);
    result = gpi_host_chunks_close(&c, result);
    gpi_host_text_free(&s.map);
    gpi_host_text_free(&s.element);
    GPI_HOST_FREE(s.sums);
    return result;
}
/* ---- End file host/calls/scan.c ---- */

/* ---- Begin file host/calls/select.c ---- */
/* select.c - gp_host_select: packs each chunk's selected elements on the device, and copies them to the output after
   those of the chunks before.

   Several contexts end their chunks in any order. While an earlier chunk is in progress, a chunk's position in the
   output is not known. Its elements are then copied to the chunk's position in the input, which is never before the
   position in the output, and are moved later:

       chunk 0 1 2 3   selected   aaa..    ..... in progress cc...    d....      a chunk's room
                       later      aaabb cc d                 all are in place */
enum { GPI_HOST_IN, GPI_HOST_FLAGS, GPI_HOST_OUT, GPI_HOST_INDICES };

typedef struct gpi_host_select {
    const gp_host_select_desc *desc;
    gpi_host_text predicate;
    gpi_host_args args;
    gp_select_desc chunk; /* the fields that are the same for all chunks */
    char *outs[2];        /* the call's outputs */
    uint64_t selected;    /* number of elements that are at their final positions */
    uint64_t *
        ended; /* several contexts: 1 + the number of each chunk's elements that must be moved; 0: not yet known */
    size_t placed; /* number of chunks whose elements are at their final positions */
} gpi_host_select;

static gp_result gpi_host_select_types(gp_context *gp, const char *function, const gp_host_select_desc *desc,
                                       gpi_host_chunks *c)
{
    const size_t size = desc->record         ? desc->record->size
                        : desc->element_size ? desc->element_size
                                             : gpi_host_size_of(desc->type);
    const gp_type flags = desc->flags_type ? desc->flags_type : GP_U8,
                  index = desc->index_type ? desc->index_type : GP_U32;
    gp_result result = GP_OK;
    if (!desc->record && !desc->element_size) result = gpi_host_check_type(gp, function, "type", desc->type);
    if (result == GP_OK) result = gpi_host_check_type(gp, function, "flags_type", flags);
    if (result != GP_OK) return result;
    if (index != GP_U32 && index != GP_U64)
        return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d is not GP_U32 or GP_U64",
                             function, (int)index);
    if (!desc->predicate == !desc->flags)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: set one of predicate and flags", function);
    if (!desc->out && !desc->indices_out && !desc->selected)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: out, indices_out and selected are NULL",
                             function);
    if (desc->indices_out && index == GP_U32 && desc->count > 0xffffffffu)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT,
                             "%s: count = %zu is more than indices of GP_U32 can tell", function,
                             desc->count);
    c->arrays[GPI_HOST_IN].in = (const char *)desc->in;
    c->arrays[GPI_HOST_IN].size = size;
    c->arrays[GPI_HOST_FLAGS].in = (const char *)desc->flags;
    c->arrays[GPI_HOST_FLAGS].size = desc->flags ? gpi_host_size_of(flags) : 0;
    c->arrays[GPI_HOST_OUT].size = desc->out ? size : 0;
    c->arrays[GPI_HOST_INDICES].size = desc->indices_out ? gpi_host_size_of(index) : 0;
    return gpi_host_check_array(gp, function, "in", desc->in, desc->count, size);
}

static gp_result gpi_host_select_overlap(gp_context *gp, const char *function,
                                         const gp_host_select_desc *desc, const gpi_host_chunks *c)
{
    static const char *const names[] = {"in", "flags", "out", "indices_out"};
    const void *arrays[4];
    int a, b;
    arrays[0] = desc->in;
    arrays[1] = desc->flags;
    arrays[2] = desc->out;
    arrays[3] = desc->indices_out;
    for (a = GPI_HOST_OUT; a <= GPI_HOST_INDICES; a++) {
        for (b = 0; b < a; b++) {
            if (gpi_host_overlap(arrays[a], desc->count * c->arrays[a].size, arrays[b],
                                 desc->count * c->arrays[b].size))
                return gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", function, names[b],
                                     names[a]);
        }
    }
    return GP_OK;
}

static gp_result gpi_host_select_prepare(gp_context *gp, const char *function, gpi_host_select *s)
{
    const gp_host_select_desc *desc = s->desc;
    gp_result result = gpi_host_text_make(gp, function, "", desc->predicate, "", &s->predicate);
    if (result == GP_OK)
        result =
            gpi_host_args_make(gp, function, desc->args, desc->arg_count, s->predicate.has_index, &s->args);
    if (result != GP_OK) return result;
    if (s->predicate.has_index) (void)gpi_host_args_add(&s->args, "chunk_first", GP_U64, &s->args.first);
    s->chunk.count_out_type = GP_U64;
    s->chunk.type = desc->type;
    s->chunk.element_size = desc->element_size;
    s->chunk.record = desc->record;
    s->chunk.predicate = s->predicate.text;
    s->chunk.args = s->args.count ? s->args.args : NULL;
    s->chunk.arg_count = s->args.count;
    s->chunk.flags_type = desc->flags_type;
    s->chunk.index_type = desc->indices_out ? desc->index_type : GP_TYPE_NONE;
    return GP_OK;
}

/* Sets *bytes to the scratch for a chunk. The size depends on which outputs are given, so other buffers are passed as
   placeholders for them. */
static gp_result gpi_host_select_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_select *s = (const gpi_host_select *)c->call;
    gp_select_desc desc = s->chunk;
    const cl_mem any = c->owns[0].buffer;
    desc.count = count;
    desc.count_out = any;
    if (s->desc->flags) desc.flags = any;
    if (s->desc->out) desc.out = any;
    if (s->desc->indices_out) desc.indices_out = any;
    return gp_select_scratch_size(c->gp, &desc, bytes);
}

/* Converts positions in the chunk to positions in the whole input. */
static gp_result gpi_host_select_shift(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_select *s = (const gpi_host_select *)c->call;
    const cl_ulong first = chunk->first;
    gp_transform_desc desc;
    gp_arg arg;
    gp_result result;
    memset(&desc, 0, sizeof desc);
    memset(&arg, 0, sizeof arg);
    arg.name = "chunk_first";
    arg.type = GP_U64;
    arg.value = &first;
    desc.in = desc.out = c->arrays[GPI_HOST_INDICES].buffers[chunk->slot];
    desc.type = s->desc->index_type ? s->desc->index_type : GP_U32;
    desc.map = "x + chunk_first";
    desc.args = &arg;
    desc.arg_count = 1;
    desc.count = chunk->count;
    desc.count_buffer = c->owns[0].buffer;
    desc.count_offset = (size_t)chunk->slot;
    desc.count_type = GP_U64;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_transform(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_select_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_select *s = (gpi_host_select *)c->call;
    gp_select_desc desc = s->chunk;
    gp_result result;
    s->args.first = chunk->first;
    desc.in = c->arrays[GPI_HOST_IN].buffers[chunk->slot];
    desc.flags = c->arrays[GPI_HOST_FLAGS].buffers[chunk->slot];
    desc.out = c->arrays[GPI_HOST_OUT].buffers[chunk->slot];
    desc.indices_out = c->arrays[GPI_HOST_INDICES].buffers[chunk->slot];
    desc.count_out = c->owns[0].buffer;
    desc.count_out_offset = (size_t)chunk->slot;
    desc.count = chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_select(c->gp, &desc);
    if (result != GP_OK) return result;
    gpi_host_then(c);
    if (s->desc->indices_out) result = gpi_host_select_shift(c, chunk);
    return result == GP_OK ? gpi_host_count(c, chunk, c->owns[0].buffer) : result;
}

/* Copies the chunk's selected elements to the outputs, from element `at` on. */
static gp_result gpi_host_select_copy(gpi_host_chunks *c, const gpi_host_chunk *chunk, uint64_t at)
{
    const gpi_host_select *s = (const gpi_host_select *)c->call;
    const size_t count = (size_t)c->count_of[chunk->slot];
    gp_result result = GP_OK;
    int a;
    for (a = GPI_HOST_OUT; a <= GPI_HOST_INDICES && count && result == GP_OK; a++) {
        const gpi_host_array *array = &c->arrays[a];
        if (!array->size) continue;
        result = gpi_host_read(c, chunk, array->buffers[chunk->slot], 0, count * array->size,
                               s->outs[a - GPI_HOST_OUT] + (size_t)at * array->size);
    }
    return result;
}

/* Moves the elements of chunks that have ended to their positions in the output, as far as these are known. */
static void gpi_host_select_place(const gpi_host_chunks *c, gpi_host_select *s)
{
    for (; s->ended && s->placed < c->number && s->ended[s->placed]; s->placed++) {
        const size_t from = s->placed * c->piece, count = (size_t)s->ended[s->placed] - 1;
        int a;
        for (a = 0; a < 2; a++) {
            const size_t size = c->arrays[GPI_HOST_OUT + a].size;
            if (size)
                memmove(s->outs[a] + (size_t)s->selected * size, s->outs[a] + from * size, count * size);
        }
        s->selected += count;
    }
}

static void gpi_host_select_ended(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_select *s = (gpi_host_select *)c->call;
    if (chunk->index < s->placed) return;
    s->ended[chunk->index] = 1 + c->count_of[chunk->slot];
    gpi_host_select_place(c, s);
}

/* Reads the count, then copies the elements. A single context waits for the count while the next chunk is computed. */
static gp_result gpi_host_select_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_select *s = (gpi_host_select *)c->call;
    const bool known = !s->ended || chunk->index == s->placed;
    gp_result result = gpi_host_counted(c, chunk, c->owns[0].buffer);
    if (result == GP_OK) result = gpi_host_select_copy(c, chunk, known ? s->selected : chunk->first);
    if (result != GP_OK || !known) return result;
    s->selected += c->count_of[chunk->slot];
    s->placed++;
    gpi_host_select_place(c, s);
    return GP_OK;
}

static gp_result gpi_host_select_run(gpi_host_chunks *c, gpi_host_select *s)
{
    gp_result result = gpi_host_chunks_open(c);
    if (result == GP_OK && c->devices > 1) {
        c->ended = gpi_host_select_ended;
        if (c->number <= SIZE_MAX / sizeof *s->ended)
            s->ended = (uint64_t *)GPI_HOST_MALLOC(c->number * sizeof *s->ended);
        if (!s->ended)
            return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY,
                                 "%s: no memory for the counts of %zu chunks", c->function, c->number);
        memset(s->ended, 0, c->number * sizeof *s->ended);
    }
    return result == GP_OK ? gpi_host_chunks_run(c) : result;
}

GP_HOST_API gp_result gp_host_select(gp_context *gp, const gp_host_select_desc *desc)
{
    static const char function[] = "gp_host_select";
    gpi_host_select s;
    gpi_host_chunks c;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&s, 0, sizeof s);
    s.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.fixed = c.owns[0].bytes = GPI_HOST_SLOTS * sizeof(uint64_t);
    s.outs[0] = (char *)desc->out;
    s.outs[1] = (char *)desc->indices_out;
    c.compute = gpi_host_select_compute;
    c.download = gpi_host_select_download;
    c.scratch_size = gpi_host_select_scratch;
    c.call = &s;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, desc->args, desc->arg_count);
    if (result == GP_OK) result = gpi_host_select_types(gp, function, desc, &c);
    if (result == GP_OK) result = gpi_host_select_overlap(gp, function, desc, &c);
    if (result == GP_OK) result = gpi_host_select_prepare(gp, function, &s);
    if (result == GP_OK) result = gpi_host_select_run(&c, &s);
    result = gpi_host_chunks_close(&c, result);
    GPI_HOST_FREE(s.ended);
    gpi_host_text_free(&s.predicate);
    if (result == GP_OK && desc->selected) *desc->selected = s.selected;
    return result;
}
/* ---- End file host/calls/select.c ---- */

/* ---- Begin file host/calls/sort.c ---- */
/* sort.c - gp_host_sort, gp_host_argsort: sort each chunk by the highest digit on the device, then the keys with the
   same highest digit by the bits below.

   A digit has 8 bits. Chunks are sorted by the highest digit, and written to tmp:

       chunk 0     000111133   chunk 1   011112222   chunk 2   000133333

   For each digit in turn, its keys are gathered from all chunks, in the order of chunks, so that the sort is stable,
   and sorted by the bits below. Several digits are sorted together if they fit:

       digits 0 and 1   0001111 01111 0001     digit 2   2222     digit 3   33 33333

   If a digit has more keys than fit, its keys are copied to their range of the output, unsorted. When all other digits
   are done, tmp is free, and the large digit is sorted in the same way by the next 8 bits.

   On PoCL chunks are sorted in the caller's memory, without copies (views: base/chunks.h).

   Several contexts share the chunks, then the digits. They sort digits together only up to the size of a chunk. */
enum { GPI_HOST_DIGITS = 256, GPI_HOST_KEYS = 0, GPI_HOST_VALUES = 1 };

/* A digit with at least this many keys is sorted alone, because its keys then have 8 bits fewer to sort by. */
enum { GPI_HOST_DIGIT_ALONE = 3 << 18 };

/* Digits that are sorted together. */
typedef struct gpi_host_group {
    size_t first, count; /* the group's keys in the output, counted from the level's first key */
    unsigned begin, end; /* digits */
} gpi_host_group;

/* Arrays of keys and values. */
typedef struct gpi_host_pairs {
    char *part[2]; /* [1] is NULL without values */
} gpi_host_pairs;

typedef struct gpi_host_sort {
    const gp_host_sort_desc *desc;
    size_t key_size, value_size;
    bool argsort;
    void *kept[4];     /* memory that the call has allocated */
    gp_sort_desc sort; /* fields that all sorts share */
    gpi_host_pairs tmp;

    /* the current level: chunks are sorted by the level's digit */
    uint32_t low, high; /* bits [low, high) are the digit */
    size_t *starts;     /* where digits begin in tmp: GPI_HOST_DIGITS + 1 per chunk */
    size_t runs, run;   /* number of chunks; number of keys of each chunk except the last */
    gpi_host_group groups[GPI_HOST_DIGITS];
} gpi_host_sort;

/* ------------------------------------------------------------------ digits */

/* Returns an unsigned number for the key. These numbers compare as the keys do. */
static uint64_t gpi_host_ordered(gp_type type, const char *key)
{
    const size_t size = gpi_host_size_of(type);
    const uint64_t ones = ~(uint64_t)0 >> (64 - 8 * size), sign = ones ^ (ones >> 1);
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t bits = 0;
    if (size == 1) memcpy(&u8, key, 1), bits = u8;
    if (size == 2) memcpy(&u16, key, 2), bits = u16;
    if (size == 4) memcpy(&u32, key, 4), bits = u32;
    if (size == 8) memcpy(&bits, key, 8);
    switch (type) {
    case GP_I8:
    case GP_I16:
    case GP_I32:
    case GP_I64: return bits ^ sign;
    case GP_F16:
    case GP_F32:
    case GP_F64: return bits ^ (bits & sign ? ones : sign);
    default: return bits;
    }
}

static unsigned gpi_host_digit(const gpi_host_sort *s, const char *key)
{
    const unsigned mask = (1u << (s->high - s->low)) - 1;
    const unsigned digit = (unsigned)(gpi_host_ordered(s->desc->key_type, key) >> s->low) & mask;
    return s->desc->descending ? mask - digit : digit;
}

/* Finds where each digit begins in a sorted chunk. */
static void gpi_host_find_digits(const gpi_host_sort *s, const char *keys, size_t count, size_t *starts)
{
    size_t at = 0;
    unsigned digit = 0;
    while (at < count) {
        const unsigned found = gpi_host_digit(s, keys + at * s->key_size);
        size_t low = at, high = count; /* the first key of a higher digit is in (low, high] */
        while (high - low > 1) {
            const size_t middle = low + (high - low) / 2;
            if (gpi_host_digit(s, keys + middle * s->key_size) > found) high = middle;
            else low = middle;
        }
        while (digit <= found) starts[digit++] = at;
        at = high;
    }
    while (digit <= GPI_HOST_DIGITS) starts[digit++] = count;
}

static size_t gpi_host_digit_count(const gpi_host_sort *s, unsigned digit)
{
    size_t count = 0, r;
    for (r = 0; r < s->runs; r++) {
        const size_t *starts = s->starts + r * (GPI_HOST_DIGITS + 1) + digit;
        count += starts[1] - starts[0];
    }
    return count;
}

/* Copies the keys and values of digits [begin, end) from all chunks of tmp, in the order of chunks. */
static void gpi_host_gather(const gpi_host_sort *s, unsigned begin, unsigned end, char *keys, char *values)
{
    size_t r;
    for (r = 0; r < s->runs; r++) {
        const size_t *starts = s->starts + r * (GPI_HOST_DIGITS + 1);
        const size_t from = r * s->run + starts[begin], count = starts[end] - starts[begin];
        memcpy(keys, s->tmp.part[0] + from * s->key_size, count * s->key_size);
        keys += count * s->key_size;
        if (!s->value_size) continue;
        memcpy(values, s->tmp.part[1] + from * s->value_size, count * s->value_size);
        values += count * s->value_size;
    }
}

/* ------------------------------------------------------------------ the device's sorts */

/* Handles a chunk that has no bits to sort by: copies it if the result must be in another buffer. */
static gp_result gpi_host_sort_none(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_result result = GP_OK;
    int a;
    for (a = 0; a < 2 && result == GP_OK; a++) {
        const cl_mem from = gpi_host_from(c, chunk, a), to = gpi_host_to(c, chunk, a);
        if (from != to) result = gpi_host_copy(c, from, 0, to, 0, chunk->count * c->arrays[a].size);
    }
    return result;
}

/* Sorts a chunk by bits [begin, end): in the slot's buffer, or from one view to the other. */
static gp_result gpi_host_sort_bits(gpi_host_chunks *c, const gpi_host_chunk *chunk, uint32_t begin,
                                    uint32_t end)
{
    const gpi_host_sort *s = (const gpi_host_sort *)c->call;
    gp_sort_desc desc = s->sort;
    size_t scratch;
    gp_result result;
    if (begin == end) return gpi_host_sort_none(c, chunk);
    desc.keys = gpi_host_from(c, chunk, GPI_HOST_KEYS);
    desc.keys_out = gpi_host_to(c, chunk, GPI_HOST_KEYS);
    desc.values = gpi_host_from(c, chunk, GPI_HOST_VALUES);
    desc.values_out = gpi_host_to(c, chunk, GPI_HOST_VALUES);
    desc.count = chunk->count;
    desc.begin_bit = begin;
    desc.end_bit = end;
    result = gp_sort_scratch_size(c->gp, &desc, &scratch);
    if (result != GP_OK) return result;
    desc.scratch = scratch <= c->scratch_bytes ? c->scratch : NULL;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_sort(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_sort_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_sort *s = (const gpi_host_sort *)c->call;
    const uint32_t begin = s->desc->begin_bit, all = (uint32_t)(8 * s->key_size);
    const uint32_t end = s->desc->end_bit ? s->desc->end_bit : all, bits = end - begin;
    const uint32_t widths[] = {bits, bits > 1 ? bits - 1 : bits, 9, 8};
    gp_sort_desc desc = s->sort;
    gp_result result = GP_OK;
    size_t part = 0, k;
    *bytes = 0;
    desc.begin_bit = begin;
    desc.count = count;
    /* Chunks and groups are sorted by fewer bits, which may need more scratch: keys may be sorted in passes instead of
       merges, or by a single digit, perhaps a wide one. */
    for (k = 0; k < sizeof widths / sizeof *widths && result == GP_OK; k++) {
        desc.end_bit = bits > widths[k] ? begin + widths[k] : end;
        result = gp_sort_scratch_size(c->gp, &desc, &part);
        if (part > *bytes) *bytes = part;
    }
    return result;
}

/* Sets a chunk's values to the indices of its elements. */
static gp_result gpi_host_sort_number(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gp_iota_desc iota;
    gp_result result;
    memset(&iota, 0, sizeof iota);
    iota.out = c->arrays[GPI_HOST_VALUES].buffers[chunk->slot];
    iota.type = c->arrays[GPI_HOST_VALUES].size == 8 ? GP_U64 : GP_U32;
    if (iota.type == GP_U64) iota.start.u64 = chunk->first;
    else iota.start.u32 = (uint32_t)chunk->first;
    iota.count = chunk->count;
    iota.wait = gpi_host_waits(c);
    iota.wait_count = c->wait_count;
    iota.done = &c->done;
    result = gp_iota(c->gp, &iota);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

/* Sorts a chunk by the level's digit. */
static gp_result gpi_host_sort_chunk(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    gp_result result = GP_OK;
    if (s->argsort && !c->again) result = gpi_host_sort_number(c, chunk);
    if (result != GP_OK) return result;
    return gpi_host_sort_bits(c, chunk, s->low, s->high);
}

/* ------------------------------------------------------------------ groups */

static gpi_host_chunk gpi_host_group_chunk(const gpi_host_chunks *c, size_t turn)
{
    const gpi_host_group *group = &((const gpi_host_sort *)c->call)->groups[turn];
    gpi_host_chunk chunk;
    chunk.index = turn;
    chunk.first = group->first;
    chunk.count = group->count;
    chunk.slot = (int)(turn % GPI_HOST_SLOTS);
    return chunk;
}

static gp_result gpi_host_group_upload(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    const gpi_host_group *group = &s->groups[chunk->index];
    void *memory[2] = {NULL, NULL};
    gp_result result = GP_OK;
    int a;
    for (a = 0; a < 2 && result == GP_OK; a++) {
        if (c->arrays[a].size)
            result = gpi_host_map(c, c->arrays[a].buffers[chunk->slot], chunk->count * c->arrays[a].size,
                                  &memory[a]);
    }
    if (result == GP_OK) gpi_host_gather(s, group->begin, group->end, (char *)memory[0], (char *)memory[1]);
    for (a = 0; a < 2; a++) {
        const gp_result unmapped =
            memory[a] ? gpi_host_unmap(c, chunk, c->arrays[a].buffers[chunk->slot], memory[a]) : GP_OK;
        if (result == GP_OK) result = unmapped;
    }
    return result;
}

/* Sorts a group by the highest bit in which its digits differ, and all bits below. */
static gp_result gpi_host_group_sort(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    const gpi_host_group *group = &s->groups[chunk->index];
    uint32_t end = s->low;
    while ((group->begin ^ (group->end - 1)) >> (end - s->low)) end++;
    return gpi_host_sort_bits(c, chunk, s->desc->begin_bit, end);
}

/* Divides the digits into groups. A group is several consecutive digits with at most `together` keys, or one digit with
   at most `most` keys. Larger digits are in no group. Returns the number of groups. */
static size_t gpi_host_make_groups(gpi_host_sort *s, size_t together, size_t most)
{
    gpi_host_group *group = NULL;
    size_t number = 0, first = 0;
    unsigned digit;
    for (digit = 0; digit < GPI_HOST_DIGITS; digit++) {
        const size_t count = gpi_host_digit_count(s, digit);
        if (count > most) group = NULL;
        if (count && count <= most) {
            if (!group || group->count + count > together || count >= GPI_HOST_DIGIT_ALONE) {
                group = &s->groups[number++];
                group->first = first;
                group->count = 0;
                group->begin = digit;
            }
            group->count += count;
            group->end = digit + 1;
            if (count >= GPI_HOST_DIGIT_ALONE) group = NULL;
        }
        first += count;
    }
    return number;
}

/* ------------------------------------------------------------------ levels */

static gpi_host_pairs gpi_host_pairs_at(const gpi_host_sort *s, gpi_host_pairs pairs, size_t at)
{
    pairs.part[0] += at * s->key_size;
    if (pairs.part[1]) pairs.part[1] += at * s->value_size;
    return pairs;
}

static void gpi_host_sort_arrays(gpi_host_chunks *c, const char *const from[2], char *const to[2])
{
    int a;
    for (a = 0; a < 2; a++) {
        c->arrays[a].in = from[a];
        c->arrays[a].out = to[a];
    }
}

/* Sorts each chunk of `from` by the level's digit into tmp, and finds where the digits begin. */
static gp_result gpi_host_split(gpi_host_chunks *c, const char *const from[2], size_t count)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    gp_result result;
    size_t r;
    c->count = count;
    c->number = s->runs = gpi_host_number(c, c->piece);
    c->depth = GPI_HOST_SLOTS;
    s->run = c->piece;
    c->chunk_of = NULL;
    c->upload = NULL;
    c->compute = gpi_host_sort_chunk;
    gpi_host_sort_arrays(c, from, s->tmp.part);
    result = gpi_host_chunks_run(c);
    for (r = 0; r < s->runs && result == GP_OK; r++) {
        const size_t first = r * s->run, n = count - first < s->run ? count - first : s->run;
        gpi_host_find_digits(s, s->tmp.part[0] + first * s->key_size, n,
                             s->starts + r * (GPI_HOST_DIGITS + 1));
    }
    return result;
}

/* Sorts the groups, from tmp to the output. */
static gp_result gpi_host_join(gpi_host_chunks *c, gpi_host_pairs out)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    static const char *const nowhere[2] = {NULL, NULL};
    size_t g;
    c->number = gpi_host_make_groups(s, c->piece, c->chunk);
    for (c->count = 0, g = 0; g < c->number; g++) c->count += s->groups[g].count;
    /* Mapping a buffer waits for all earlier copies. With a third chunk, these would include copies of a chunk being
       computed. */
    c->depth = 2;
    c->chunk_of = gpi_host_group_chunk;
    c->upload = gpi_host_group_upload;
    c->compute = gpi_host_group_sort;
    gpi_host_sort_arrays(c, nowhere, out.part);
    c->again = false;
    return gpi_host_chunks_run(c);
}

/* Copies the keys of digits that are in no group to their range of `out`, lists these digits in `large`, and returns
   their number. */
static size_t gpi_host_place(gpi_host_chunks *c, gpi_host_pairs out, gpi_host_group large[GPI_HOST_DIGITS])
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    size_t number = 0, first = 0;
    unsigned digit;
    for (digit = 0; digit < GPI_HOST_DIGITS; digit++) {
        const size_t count = gpi_host_digit_count(s, digit);
        if (count > c->chunk) {
            const gpi_host_pairs at = gpi_host_pairs_at(s, out, first);
            gpi_host_gather(s, digit, digit + 1, at.part[0], at.part[1]);
            large[number].first = first;
            large[number++].count = count;
        }
        first += count;
    }
    return number;
}

/* Restores the arrays after a level has failed in place. All that was overwritten is in tmp. */
static void gpi_host_restore(gpi_host_chunks *c, gpi_host_pairs out, size_t count)
{
    const gpi_host_sort *s = (const gpi_host_sort *)c->call;
    (void)gpi_host_finish(c, GP_ERROR_CANCELED);
    memcpy(out.part[0], s->tmp.part[0], count * s->key_size);
    if (out.part[1]) memcpy(out.part[1], s->tmp.part[1], count * s->value_size);
}

/* Sorts `from` to `out` by bits [begin_bit, high). */
static gp_result gpi_host_sort_level(gpi_host_chunks *c, const char *const from[2], gpi_host_pairs out,
                                     size_t count, uint32_t high)
{
    gpi_host_sort *s = (gpi_host_sort *)c->call;
    const uint32_t begin = s->desc->begin_bit, low = high - begin > 8 ? high - 8 : begin;
    gpi_host_group large[GPI_HOST_DIGITS];
    size_t number, i;
    gp_result result;
    s->low = low;
    s->high = high;
    result = gpi_host_split(c, from, count);
    if (result != GP_OK) return result;
    result = gpi_host_join(c, out);
    if (result != GP_OK) {
        if (from[0] == out.part[0]) gpi_host_restore(c, out, count);
        return result;
    }
    number = gpi_host_place(c, out, large);
    for (i = 0; i < number && result == GP_OK; i++) {
        const gpi_host_pairs at = gpi_host_pairs_at(s, out, large[i].first);
        const char *const again[2] = {at.part[0], at.part[1]};
        c->again = true;
        result = low > begin ? gpi_host_sort_level(c, again, at, large[i].count, low)
                             : gpi_host_tell(c, large[i].count);
    }
    return result;
}

/* ------------------------------------------------------------------ the call */

static gp_result gpi_host_sort_check(gp_context *gp, const char *function, const gpi_host_sort *s)
{
    const gp_host_sort_desc *desc = s->desc;
    const bool no_keys = s->argsort && !desc->keys_out;
    const struct {
        const char *name;
        const void *array;
        size_t size;
    } arrays[] = {{"keys", desc->keys, s->key_size},         {"keys_out", desc->keys_out, s->key_size},
                  {"values", desc->values, s->value_size},   {"values_out", desc->values_out, s->value_size},
                  {"keys_tmp", desc->keys_tmp, s->key_size}, {"values_tmp", desc->values_tmp, s->value_size}};
    size_t i, k;
    gp_result result = gpi_host_check_array(gp, function, "keys", desc->keys, desc->count, s->key_size);
    if (result == GP_OK && !no_keys)
        result = gpi_host_check_array(gp, function, "keys_out", desc->keys_out, desc->count, s->key_size);
    if (result == GP_OK && s->value_size && !s->argsort)
        result = gpi_host_check_array(gp, function, "values", desc->values, desc->count, s->value_size);
    if (result == GP_OK && s->value_size)
        result =
            gpi_host_check_array(gp, function, "values_out", desc->values_out, desc->count, s->value_size);
    for (i = 0; i < 6 && result == GP_OK; i++) {
        if (arrays[i].array && !arrays[i].size)
            return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: %s is set but value_size is 0", function,
                                 arrays[i].name);
        for (k = 0; k < i; k++) {
            const bool in_place = (i == 1 || i == 3) && k == i - 1 && arrays[i].array == arrays[k].array;
            if (!in_place && gpi_host_overlap(arrays[k].array, desc->count * arrays[k].size, arrays[i].array,
                                              desc->count * arrays[i].size))
                return gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", function, arrays[k].name,
                                     arrays[i].name);
        }
    }
    if (result == GP_OK && (desc->keys == desc->keys_out) != (desc->values == desc->values_out) &&
        s->value_size && !s->argsort && desc->count)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: keys and values are not both in place",
                             function);
    return result;
}

static gp_result gpi_host_sort_types(gp_context *gp, const char *function, gpi_host_sort *s)
{
    const gp_host_sort_desc *desc = s->desc;
    const size_t v = s->value_size;
    const gp_result result = gpi_host_check_type(gp, function, "key_type", desc->key_type);
    if (result != GP_OK) return result;
    if (s->argsort ? v != 4 && v != 8 : v != 0 && v != 1 && v != 2 && v != 4 && v != 8 && v != 16)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: value_size = %zu is not %s", function, v,
                             s->argsort ? "4 or 8" : "0, 1, 2, 4, 8 or 16");
    if (s->argsort && desc->values)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: values is set", function);
    if (s->argsort && v == 4 && desc->count > 0xffffffffu)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT,
                             "%s: count = %zu is more than indices of 4 bytes can tell", function,
                             desc->count);
    s->key_size = gpi_host_size_of(desc->key_type);
    if (desc->end_bit > 8 * s->key_size ||
        desc->begin_bit > (desc->end_bit ? desc->end_bit : 8 * s->key_size))
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT,
                             "%s: begin_bit = %u, end_bit = %u: not bits of the key in order", function,
                             (unsigned)desc->begin_bit, (unsigned)desc->end_bit);
    s->sort.key_type = desc->key_type;
    s->sort.value_size = v;
    s->sort.descending = desc->descending;
    return GP_OK;
}

/* Sets *at to `given`, or, if that is NULL, to memory that it allocates. */
static gp_result gpi_host_room(gpi_host_chunks *c, void **kept, void *given, size_t bytes, char **at)
{
    *at = (char *)given;
    if (given || !bytes) return GP_OK;
    *kept = GPI_HOST_MALLOC(bytes);
    *at = (char *)*kept;
    if (*at) return GP_OK;
    return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu bytes beside the arrays",
                         c->function, bytes);
}

static gp_result gpi_host_sort_run(gpi_host_chunks *c, gpi_host_sort *s)
{
    const gp_host_sort_desc *desc = s->desc;
    const uint32_t high = desc->end_bit ? desc->end_bit : (uint32_t)(8 * s->key_size);
    const char *const from[2] = {(const char *)desc->keys, (const char *)desc->values};
    gpi_host_pairs out;
    gp_result result = gpi_host_chunks_open(c);
    out.part[0] = (char *)desc->keys_out;
    out.part[1] = (char *)desc->values_out;
    if (result != GP_OK) return result;
    if (c->number <= 1) {
        s->low = desc->begin_bit;
        s->high = high;
        c->compute = gpi_host_sort_chunk;
        gpi_host_sort_arrays(c, from, out.part);
        return gpi_host_chunks_run(c);
    }
    c->progress_total = 2 * (uint64_t)desc->count;
    result = gpi_host_room(c, &s->kept[0], desc->keys_tmp, desc->count * s->key_size, &s->tmp.part[0]);
    if (result == GP_OK)
        result =
            gpi_host_room(c, &s->kept[1], desc->values_tmp, desc->count * s->value_size, &s->tmp.part[1]);
    if (result == GP_OK)
        result = gpi_host_room(c, &s->kept[2], desc->keys_out, desc->count * s->key_size, &out.part[0]);
    if (result == GP_OK) {
        const size_t bytes = (GPI_HOST_DIGITS + 1) * sizeof *s->starts; /* per chunk */
        char *starts;
        if (c->number > SIZE_MAX / bytes)
            result = gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu chunks",
                                   c->function, c->number);
        if (result == GP_OK) result = gpi_host_room(c, &s->kept[3], NULL, c->number * bytes, &starts);
        s->starts = (size_t *)s->kept[3];
    }
    return result == GP_OK ? gpi_host_sort_level(c, from, out, desc->count, high) : result;
}

static gp_result gpi_host_sort_call(gp_context *gp, const char *function, const gp_host_sort_desc *desc,
                                    bool argsort)
{
    gpi_host_sort s;
    gpi_host_chunks c;
    size_t k;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&s, 0, sizeof s);
    s.desc = desc;
    s.argsort = argsort;
    s.value_size = argsort && !desc->value_size ? 4 : desc->value_size;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    c.scratch_size = gpi_host_sort_scratch;
    c.large = true;
    c.views = true;
    c.call = &s;
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, NULL, 0);
    if (result == GP_OK) result = gpi_host_sort_types(gp, function, &s);
    if (result == GP_OK) result = gpi_host_sort_check(gp, function, &s);
    c.arrays[0].size = s.key_size;
    c.arrays[1].size = s.value_size;
    if (result == GP_OK) result = gpi_host_sort_run(&c, &s);
    result = gpi_host_chunks_close(&c, result);
    for (k = 0; k < sizeof s.kept / sizeof *s.kept; k++) GPI_HOST_FREE(s.kept[k]);
    return result;
}

GP_HOST_API gp_result gp_host_sort(gp_context *gp, const gp_host_sort_desc *desc)
{
    return gpi_host_sort_call(gp, "gp_host_sort", desc, false);
}

GP_HOST_API gp_result gp_host_argsort(gp_context *gp, const gp_host_sort_desc *desc)
{
    return gpi_host_sort_call(gp, "gp_host_argsort", desc, true);
}
/* ---- End file host/calls/sort.c ---- */

/* ---- Begin file host/calls/topk.c ---- */
/* topk.c - gp_host_topk: finds the first k keys of each chunk on the device, and then the first k among those of all chunks.

   Chunks' results are kept in the chunks' order, so that of equal keys the one with the lowest index is found first:

       chunk          0         1         2
       its first k    9 7 7     9 8 6     8 8 1      position 3 is the first one of chunk 1
       of all         9 (0)  9 (3)  8 (4) */
enum { GPI_HOST_BEST_KEYS, GPI_HOST_BEST_INDICES };

typedef struct gpi_host_topk {
    const gp_host_topk_desc *desc;
    gp_topk_desc chunk; /* the fields that are the same for all chunks */
    size_t key_size, index_size;
    char *keys, *indices; /* k keys and indices of each chunk; indices count within the chunk */
} gpi_host_topk;

static gp_result gpi_host_topk_overlap(gp_context *gp, const char *function, const gpi_host_topk *t)
{
    const gp_host_topk_desc *d = t->desc;
    const size_t in = d->count * t->key_size, keys = d->k * t->key_size,
                 indices = d->k * (d->index_type == GP_U64 ? 8 : 4);
    const char *first = NULL, *second = "indices_out";
    if (gpi_host_overlap(d->keys, in, d->indices_out, indices)) first = "keys";
    if (gpi_host_overlap(d->keys_out, keys, d->indices_out, indices)) first = "keys_out";
    if (gpi_host_overlap(d->keys, in, d->keys_out, keys)) first = "keys", second = "keys_out";
    return first ? gpi_host_fail(gp, GP_ERROR_OVERLAP, "%s: %s and %s overlap", function, first, second)
                 : GP_OK;
}

static gp_result gpi_host_topk_check(gp_context *gp, const char *function, gpi_host_topk *t)
{
    const gp_host_topk_desc *d = t->desc;
    gp_result result = gpi_host_check_type(gp, function, "key_type", d->key_type);
    if (result != GP_OK) return result;
    t->key_size = gpi_host_size_of(d->key_type);
    t->index_size = d->count > 0xffffffffu ? 8 : 4;
    if (d->index_type && d->index_type != GP_U32 && d->index_type != GP_U64)
        return gpi_host_fail(gp, GP_ERROR_INVALID_TYPE, "%s: index_type = %d is not GP_U32 or GP_U64",
                             function, (int)d->index_type);
    if (d->k > d->count)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: k = %zu, and there are %zu keys", function,
                             d->k, d->count);
    if (!d->keys_out && !d->indices_out)
        return gpi_host_fail(gp, GP_ERROR_INVALID_ARGUMENT, "%s: keys_out and indices_out are NULL",
                             function);
    if (d->indices_out && d->index_type != GP_U64 && d->count > 0xffffffffu)
        return gpi_host_fail(gp, GP_ERROR_COUNT_LIMIT,
                             "%s: count = %zu is more than indices of GP_U32 can tell", function, d->count);
    result = gpi_host_check_array(gp, function, "keys", d->keys, d->count, t->key_size);
    return result == GP_OK ? gpi_host_topk_overlap(gp, function, t) : result;
}

/* ------------------------------------------------------------------ results */

static uint64_t gpi_host_topk_load(const char *indices, size_t i, size_t size)
{
    return size == 8 ? ((const uint64_t *)(const void *)indices)[i]
                     : ((const uint32_t *)(const void *)indices)[i];
}

static void gpi_host_topk_store(const gp_host_topk_desc *d, size_t j, uint64_t index)
{
    if (d->index_type == GP_U64) ((uint64_t *)d->indices_out)[j] = index;
    else ((uint32_t *)d->indices_out)[j] = (uint32_t)index;
}

/* Copies the first k keys and indices to the outputs. */
static void gpi_host_topk_copy(const gpi_host_topk *t)
{
    const gp_host_topk_desc *d = t->desc;
    size_t j;
    if (d->keys_out) memcpy(d->keys_out, t->keys, d->k * t->key_size);
    for (j = 0; t->indices && j < d->k; j++)
        gpi_host_topk_store(d, j, gpi_host_topk_load(t->indices, j, t->index_size));
}

static gp_result gpi_host_topk_alloc(gp_context *gp, const char *function, gpi_host_topk *t, size_t count)
{
    const size_t each = t->key_size + t->index_size;
    if (count <= SIZE_MAX / each) t->keys = (char *)GPI_HOST_MALLOC(count * t->key_size);
    if (t->keys && t->desc->indices_out) t->indices = (char *)GPI_HOST_MALLOC(count * t->index_size);
    if (t->keys && (t->indices || !t->desc->indices_out)) return GP_OK;
    return gpi_host_fail(gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu keys and indices", function,
                         count);
}

static void gpi_host_topk_free(gpi_host_topk *t)
{
    GPI_HOST_FREE(t->keys);
    GPI_HOST_FREE(t->indices);
    t->keys = t->indices = NULL;
}

/* ------------------------------------------------------------------ all keys are sorted */

static gp_result gpi_host_topk_sort(gp_context *gp, const char *function, gpi_host_topk *t)
{
    const gp_host_topk_desc *d = t->desc;
    gp_host_sort_desc sort;
    gp_result result = gpi_host_topk_alloc(gp, function, t, d->count);
    if (result != GP_OK) return result;
    memset(&sort, 0, sizeof sort);
    sort.keys = d->keys;
    sort.keys_out = t->keys;
    sort.values_out = t->indices;
    sort.value_size = t->indices ? t->index_size : 0;
    sort.count = d->count;
    sort.key_type = d->key_type;
    sort.descending = !d->smallest;
    sort.budget = d->budget;
    sort.progress = d->progress;
    sort.progress_user = d->progress_user;
    sort.others = d->others;
    sort.other_count = d->other_count;
    result = t->indices ? gp_host_argsort(gp, &sort) : gp_host_sort(gp, &sort);
    if (result != GP_OK) return result;
    gpi_host_topk_copy(t);
    return GP_OK;
}

/* ------------------------------------------------------------------ chunks */

static gp_result gpi_host_topk_scratch(gpi_host_chunks *c, size_t count, size_t *bytes)
{
    const gpi_host_topk *t = (const gpi_host_topk *)c->call;
    gp_topk_desc desc = t->chunk;
    desc.count = count;
    desc.k = t->desc->k < count ? t->desc->k : count;
    return gp_topk_scratch_size(c->gp, &desc, bytes);
}

static gp_result gpi_host_topk_compute(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_topk *t = (const gpi_host_topk *)c->call;
    const size_t k = t->desc->k;
    gp_topk_desc desc = t->chunk;
    gp_result result;
    desc.keys = c->arrays[0].buffers[chunk->slot];
    desc.keys_out = c->owns[GPI_HOST_BEST_KEYS].buffer;
    desc.indices_out = c->owns[GPI_HOST_BEST_INDICES].buffer;
    desc.keys_out_offset = desc.indices_out_offset = (size_t)chunk->slot * k;
    desc.count = chunk->count;
    desc.k = k < chunk->count ? k : chunk->count;
    desc.scratch = c->scratch;
    desc.wait = gpi_host_waits(c);
    desc.wait_count = c->wait_count;
    desc.done = &c->done;
    result = gp_topk(c->gp, &desc);
    if (result == GP_OK) gpi_host_then(c);
    return result;
}

static gp_result gpi_host_topk_download(gpi_host_chunks *c, const gpi_host_chunk *chunk)
{
    const gpi_host_topk *t = (const gpi_host_topk *)c->call;
    const size_t k = t->desc->k, n = k < chunk->count ? k : chunk->count, from = (size_t)chunk->slot * k;
    const size_t s = t->index_size;
    const gp_result result = gpi_host_read(c, chunk, c->owns[GPI_HOST_BEST_KEYS].buffer, from * t->key_size,
                                           n * t->key_size, t->keys + chunk->index * k * t->key_size);
    if (result != GP_OK || !t->indices) return result;
    return gpi_host_read(c, chunk, c->owns[GPI_HOST_BEST_INDICES].buffer, from * s, n * s,
                         t->indices + chunk->index * k * s);
}

/* Finds the first k among the first k of all chunks: `count` keys. */
static gp_result gpi_host_topk_join(const gpi_host_chunks *c, const gpi_host_topk *t, size_t count)
{
    const gp_host_topk_desc *d = t->desc;
    gp_host_topk_desc best = *d;
    uint64_t *positions = NULL;
    gp_result result;
    size_t j;
    best.keys = t->keys;
    best.count = count;
    best.progress = NULL;
    best.other_count = 0;
    best.index_type = GP_U64;
    if (t->indices) best.indices_out = positions = (uint64_t *)GPI_HOST_MALLOC(d->k * sizeof *positions);
    if (t->indices && !positions)
        return gpi_host_fail(c->gp, GP_ERROR_OUT_OF_HOST_MEMORY, "%s: no memory for %zu indices", c->function,
                             d->k);
    result = gp_host_topk(c->gp, &best);
    for (j = 0; positions && j < d->k && result == GP_OK; j++) {
        const size_t at = (size_t)positions[j];
        gpi_host_topk_store(d, j, at / d->k * c->piece + gpi_host_topk_load(t->indices, at, t->index_size));
    }
    GPI_HOST_FREE(positions);
    return result;
}

static gp_result gpi_host_topk_run(gpi_host_chunks *c, gpi_host_topk *t, bool *sorts)
{
    gp_result result = gpi_host_chunks_open(c);
    if (result != GP_OK) return result;
    *sorts = c->number > 1 && t->desc->k > c->piece / 2;
    if (*sorts) return GP_OK;
    result = gpi_host_topk_alloc(c->gp, c->function, t, c->number * t->desc->k);
    return result == GP_OK ? gpi_host_chunks_run(c) : result;
}

/* Writes the outputs, after all chunks have ended. */
static gp_result gpi_host_topk_end(const gpi_host_chunks *c, gpi_host_topk *t)
{
    const size_t k = t->desc->k, last = t->desc->count - (c->number - 1) * c->piece;
    if (c->number > 1) return gpi_host_topk_join(c, t, (c->number - 1) * k + (last < k ? last : k));
    gpi_host_topk_copy(t);
    return GP_OK;
}

/* Sets the steps and buffers. Sets *sorts if the results of the chunks in progress need too much of a context's budget. */
static void gpi_host_topk_prepare(gpi_host_chunks *c, gpi_host_topk *t, bool *sorts)
{
    const gp_host_topk_desc *d = t->desc;
    const size_t each = t->key_size + (d->indices_out ? t->index_size : 0);
    size_t budget = gpi_host_budget(c->gp, d->budget), k;
    for (k = 0; k < d->other_count; k++) {
        const size_t other = gpi_host_budget(d->others[k], d->budget);
        if (other < budget) budget = other;
    }
    *sorts = d->k > budget / 2 / GPI_HOST_SLOTS / each;
    if (*sorts) return;
    c->arrays[0].in = (const char *)d->keys;
    c->arrays[0].size = t->key_size;
    c->owns[GPI_HOST_BEST_KEYS].bytes = GPI_HOST_SLOTS * d->k * t->key_size;
    c->owns[GPI_HOST_BEST_INDICES].bytes = d->indices_out ? GPI_HOST_SLOTS * d->k * t->index_size : 0;
    c->fixed = GPI_HOST_SLOTS * d->k * each;
    c->compute = gpi_host_topk_compute;
    c->download = gpi_host_topk_download;
    c->scratch_size = gpi_host_topk_scratch;
    c->call = t;
    t->chunk.key_type = d->key_type;
    t->chunk.index_type = t->index_size == 8 ? GP_U64 : GP_U32;
    t->chunk.smallest = d->smallest;
}

GP_HOST_API gp_result gp_host_topk(gp_context *gp, const gp_host_topk_desc *desc)
{
    static const char function[] = "gp_host_topk";
    gpi_host_topk t;
    gpi_host_chunks c;
    bool sorts = false;
    gp_result result = gpi_host_check(gp, function, desc);
    if (result != GP_OK) return result;
    memset(&t, 0, sizeof t);
    t.desc = desc;
    gpi_host_chunks_set(&c, gp, function, desc->count, desc->budget, desc->progress, desc->progress_user);
    result = gpi_host_chunks_share(&c, desc->others, desc->other_count, NULL, 0);
    if (result == GP_OK) result = gpi_host_topk_check(gp, function, &t);
    if (result != GP_OK || desc->k == 0) return result;
    gpi_host_topk_prepare(&c, &t, &sorts);
    if (!sorts) result = gpi_host_chunks_close(&c, gpi_host_topk_run(&c, &t, &sorts));
    if (result == GP_OK) result = sorts ? gpi_host_topk_sort(gp, function, &t) : gpi_host_topk_end(&c, &t);
    gpi_host_topk_free(&t);
    return result;
}
/* ---- End file host/calls/topk.c ---- */

/*
MIT License

Copyright (c) 2026 the gpuprim authors

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
*/
#endif /* GPI_HOST_IMPLEMENTATION_ONCE */
#endif /* GP_HOST_IMPLEMENTATION */
