#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ hash table */

/* A hash table on the device: keys of 32 or 64 bits, compared by their bits, each with a value of 0 (a set),
   32 or 64 bits. Open addressing with linear probing, without locks.

   A handle belongs to one context; all zeros is none. A destroyed table's handle is refused. gp_hash_share
   gives a second context, of the same cl_context, a handle for the same table.
   Together or not: insert, insert_or_assign, insert_or_apply, find, contains, erase and for_each may run at
   the same time on one table, from several contexts, and your own kernels with them (gp_device_source).
   Clear, rehash, growing, destroy and share are exclusive: nothing else may use the table meanwhile, in any
   context; retrieve and the statistics want it unchanged, or count what they happen to see.
   Keys: all are legal. Values: all are legal where keys and values have up to 32 bits and the device has
   64-bit atomics, and where keys of 64 bits have values of 32. Elsewhere (values of 64 bits) one value is
   reserved: a key that is given it, or whose value would become it, is refused, counted, and left as it was.
   It is the one that `reserved` names. Where that is NULL it is one derived from `seed` that is hardly in any
   data (a signalling NaN; as an integer a large one), and then a refusal is an error: gp_finish and the next
   blocking call return GP_ERROR_INVALID_ARGUMENT, and say how many keys were refused and by which call (with
   an out-of-order queue only gp_finish, gp_hash_counts_read and gp_hash_size_read do, as other calls wait for
   their own commands only). Tables that need no reserved value do not look at `reserved`. Its memory: while
   the table lives, no other call of its contexts writes into its buffer (GP_ERROR_OVERLAP). Where somebody
   else has overwritten the buffer's header, calls leave the table alone: the functions that read its counts
   or statistics, and those that tell refusals, return GP_ERROR_INVALID_BUFFER. gp_hash_clear makes the table
   anew. Full: an operation looks at each slot once at most. Where no slot is left the key fails, is counted,
   and listed when asked for; keys that are there stay. gp_hash_rehash into more slots, then the listed keys
   again, finishes the batch. On devices with limited loops (loop_limit) a probe ends after 24,000 slots.
   Erased keys keep their slots, for the same key only, until a rehash drops them: so keys are unique. 64-bit
   data needs cl_khr_int64_base_atomics, else GP_ERROR_UNSUPPORTED. Memory: 8 bytes a slot for keys and values
   of up to 32 bits, else 16; one or two slots more than the capacity, and 256 bytes. Speed is best up to a
   load of 1/2, and good up to 0.8; see README. */
typedef struct gp_hash {
    uint64_t id;
} gp_hash;

typedef struct gp_hash_desc {
    size_t key_size;       /* 4 or 8 bytes */
    size_t value_size;     /* 0 (a set), 4 or 8 bytes */
    size_t capacity;       /* slots, rounded up to a power of two, 2^31 at most; or: */
    size_t expected_count; /* keys that there will be: the capacity is at least expected_count / max_load */
    float max_load;        /* in (0, 1]; 0: 0.5 */
    bool grow;            /* an insertion after which more than max_load of the slots might be taken blocks to
                             find out, and rehashes into twice the slots or more. Not with gp_hash_share. */
    uint64_t seed;        /* of the hash function (murmur3's finaliser) */
    const void *reserved; /* value_size bytes: a value that you do not store; NULL: see above */
    cl_mem buffer;        /* gp_hash_buffer_size bytes, yours until destroy or rehash; NULL: its own */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_desc;

/* Makes an empty table. On failure *table is all zeros. */
GP_API gp_result gp_hash_create(gp_context *gp, const gp_hash_desc *desc, gp_hash *table);

/* Bytes of the table's buffer. */
GP_API gp_result gp_hash_buffer_size(gp_context *gp, const gp_hash_desc *desc, size_t *bytes);

/* A handle in `gp` for a table of another context on the same cl_context. The table lives until all its
   handles are destroyed. */
GP_API gp_result gp_hash_share(gp_context *gp, gp_context *from, gp_hash table, gp_hash *out);

/* Lets go of the table; commands that use it still run to their end. gp_context_destroy does it too. */
GP_API gp_result gp_hash_destroy(gp_context *gp, gp_hash table);

/* The table's buffer, for kernels of your own; not retained for the caller. NULL for a handle that is none.
 */
GP_API cl_mem gp_hash_buffer(const gp_context *gp, gp_hash table);

typedef struct gp_hash_clear_desc {
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_clear_desc;

/* Empties the table and zeroes its counts. Exclusive. */
GP_API gp_result gp_hash_clear(gp_context *gp, gp_hash table, const gp_hash_clear_desc *desc);

/* What came of a key, as a byte in `results`. */
typedef enum gp_hash_result {
    GP_HASH_INSERTED = 1,   /* it was absent and is there now */
    GP_HASH_EXISTED = 2,    /* it was there: its value kept, assigned or combined */
    GP_HASH_FAILED = 3,     /* there was no slot for it */
    GP_HASH_REFUSED = 4,    /* its value is, or would have become, the reserved one, if there is one */
    GP_HASH_SUPERSEDED = 5, /* another of the batch's equal keys stood for it (duplicates) */
    GP_HASH_ERASED = 6,
    GP_HASH_ABSENT = 7 /* erase: it was not there */
} gp_hash_result;

/* Which of a batch's equal keys stands for all of them. */
typedef enum gp_hash_duplicates {
    GP_HASH_ANY = 0, /* insert: whichever comes first on the device; assign: whichever comes last */
    GP_HASH_FIRST,   /* the one with the lowest index: the same result every time */
    GP_HASH_LAST,    /* the one with the highest */
    GP_HASH_DUPLICATES_COUNT
} gp_hash_duplicates;

/* Strategy: single pass goes straight to the slots. Multi-pass first partitions the batch by home slot, so
   that a large table is walked through piece by piece; what comes of it is the same. A batch whose results
   are wanted, or with FIRST or LAST, goes straight all the same. Auto partitions for large tables and
   batches, where the device's profile says so. Scratch: none for single pass; multi-pass two partitioned
   arrays and 3 MiB; FIRST and LAST: a table of the batch's indices, 8 or 16 bytes each, 2 to 4 times as many
   slots as keys. Aliasing: inputs may overlap one another; outputs overlap nothing; nothing overlaps the
   table. */
typedef struct gp_hash_insert_desc {
    cl_mem keys; /* count elements of key_size */
    size_t keys_offset;
    cl_mem values; /* count elements of value_size; NULL for sets, and to count with insert_or_apply */
    size_t values_offset;
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    gp_op op;                      /* insert_or_apply: sum, min, max, and, or, xor */
    gp_type type;                  /* insert_or_apply: of the values; 0: unsigned. Else 0 */
    gp_hash_duplicates duplicates; /* insert, insert_or_assign */
    cl_mem results;                /* count bytes: a gp_hash_result each; NULL: not wanted */
    size_t results_offset;
    /* The keys that failed, in any order, with their values; NULL: not wanted. `count` elements of room.
       Together they are the input of the call that tries again, with failed_count as its count_buffer. */
    cl_mem failed_keys;
    size_t failed_keys_offset;
    cl_mem failed_values;
    size_t failed_values_offset;
    cl_mem failed_count; /* one u32, written by the call; goes with failed_keys */
    size_t failed_count_offset;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_hash_insert_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_insert_desc;

/* For each key: puts it in with its value; one that is there keeps its own. */
GP_API gp_result gp_hash_insert(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* For each key: puts it in, or replaces its value. */
GP_API gp_result gp_hash_insert_or_assign(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* For each key: puts it in, or combines: value <- value op new value. Equal keys of a batch combine too, so
   that one call is a group-by. Integers: the same result every time (unless a value meets the reserved one on
   the way); float sums depend on the order. `values` NULL adds 1 for each key. A key that is given the
   reserved value is refused, whatever `op` would make of it. */
GP_API gp_result gp_hash_insert_or_apply(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* Bytes of scratch that these calls with this desc need; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_hash_insert_scratch_size(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc,
                                             size_t *bytes);

typedef struct gp_hash_find_desc {
    cl_mem keys;
    size_t keys_offset;
    cl_mem values; /* count elements of value_size: each key's value, or `absent`; NULL: not wanted */
    size_t values_offset;
    cl_mem found; /* count bytes: 1 or 0; NULL: not wanted */
    size_t found_offset;
    const void
        *absent; /* value_size bytes, read during the call; NULL: `reserved` of gp_hash_desc, or all ones */
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_find_desc;

/* values[i] = the value of keys[i]; found[i] = whether it is there. `values` may be `keys`, element by
   element, where both have one size. */
GP_API gp_result gp_hash_find(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc);

/* The same without values: found[i] only. */
GP_API gp_result gp_hash_contains(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc);

/* Strategy: as for insertion; a batch whose results are wanted goes straight. Scratch: none for single pass;
   multi-pass the partitioned keys and 3 MiB. Aliasing: results overlap nothing; nothing overlaps the table.
 */
typedef struct gp_hash_erase_desc {
    cl_mem keys;
    size_t keys_offset;
    cl_mem results; /* count bytes: GP_HASH_ERASED or GP_HASH_ABSENT; NULL: not wanted */
    size_t results_offset;
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    gp_strategy strategy;
    cl_mem scratch; /* of gp_hash_erase_scratch_size bytes, apart from all else; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_erase_desc;

/* Takes keys out. Their slots stay taken until a rehash. */
GP_API gp_result gp_hash_erase(gp_context *gp, gp_hash table, const gp_hash_erase_desc *desc);

/* Bytes of scratch that gp_hash_erase with this desc needs; buffers in it may be NULL. Can be 0. */
GP_API gp_result gp_hash_erase_scratch_size(gp_context *gp, gp_hash table, const gp_hash_erase_desc *desc,
                                            size_t *bytes);

/* Every live pair, compacted. `room` elements at most are written; *live_count says how many there are. */
typedef struct gp_hash_retrieve_desc {
    cl_mem keys; /* room elements of key_size */
    size_t keys_offset;
    cl_mem values; /* room elements of value_size; NULL: not wanted */
    size_t values_offset;
    size_t room;
    cl_mem live_count; /* one u32 */
    size_t live_count_offset;
    gp_type
        sort_type; /* of the keys, by which they are sorted (gp_sort), the same every time; 0: in any order */
    bool descending; /* with sort_type */
    cl_mem scratch;  /* of gp_hash_retrieve_scratch_size bytes; NULL: the context's. None without sort_type */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_retrieve_desc;

GP_API gp_result gp_hash_retrieve(gp_context *gp, gp_hash table, const gp_hash_retrieve_desc *desc);
GP_API gp_result gp_hash_retrieve_scratch_size(gp_context *gp, gp_hash table,
                                               const gp_hash_retrieve_desc *desc, size_t *bytes);

/* Expressions in OpenCL C, in which k is the key and v the value of a live pair. */
typedef struct gp_hash_for_each_desc {
    const char *where;  /* pairs for which it is 0 are left alone; NULL: all pairs */
    const char *map;    /* the value becomes this; or: */
    bool erase;         /* the key is erased */
    gp_type key_type;   /* of k; 0: unsigned */
    gp_type value_type; /* of v; 0: unsigned; a set has no v */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_for_each_desc;

/* Changes values, or erases keys, all over the table. Pairs that are mapped count as `existed`, keys that are
   erased as `erased`. Each pair of expressions is a program. Not for deterministic use beside other
   operations: a key that comes or goes meanwhile is seen or not. */
GP_API gp_result gp_hash_for_each(gp_context *gp, gp_hash table, const gp_hash_for_each_desc *desc);

typedef struct gp_hash_rehash_desc {
    size_t capacity;       /* slots, rounded up to a power of two; or: */
    size_t expected_count; /* as in gp_hash_desc, with the table's max_load; both 0: as many slots as now */
    cl_mem buffer;         /* for the new slots, of gp_hash_buffer_size bytes; NULL: its own */
} gp_hash_rehash_desc;

/* Moves all live keys into new slots, more, fewer or as many, and drops dead ones. Counts go on. Blocks;
   exclusive. Fails, and leaves the table as it was, where the live keys would not find their place. */
GP_API gp_result gp_hash_rehash(gp_context *gp, gp_hash table, const gp_hash_rehash_desc *desc);

/* What has happened since the table was made or cleared. Keys, not calls. */
typedef struct gp_hash_counts {
    uint64_t capacity;
    uint64_t live; /* keys that are there */
    uint64_t
        dead; /* slots of keys that are not, until a rehash; up to two fewer (gp_hash_stats.dead is exact) */
    uint64_t inserted, existed, failed, refused, superseded, erased;
} gp_hash_counts;

/* Both block until the queue's commands so far have ended. */
GP_API gp_result gp_hash_counts_read(gp_context *gp, gp_hash table, gp_hash_counts *out);
GP_API gp_result gp_hash_size_read(gp_context *gp, gp_hash table, size_t *live);

enum { GP_HASH_BINS = 32 };

/* Probe depth: how many slots behind its home a key stands. */
typedef struct gp_hash_stats {
    uint64_t capacity, live, dead;
    double load;       /* (live + dead) / capacity */
    double mean_depth; /* of live keys */
    uint64_t max_depth;
    uint64_t depths[GP_HASH_BINS]; /* live keys of depth 0, 1, 2-3, 4-7, 8-15, ... */
} gp_hash_stats;

/* Goes through the whole table. Blocks. */
GP_API gp_result gp_hash_stats_read(gp_context *gp, gp_hash table, gp_hash_stats *out);
