#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"

/* ------------------------------------------------------------------ hash table */

/* A hash table on the device: keys of 32 or 64 bits, compared by their bits, each with a value of 0 (a set),
   32 or 64 bits. Open addressing with linear probing, without locks. manual/hash-tables.md lists the calls.

   Some tables have one value that cannot be stored (Values, below):

       keys       values         device                  reserved value
       any        none (a set)   any                     none
       64 bits    32 bits        any                     none
       32 bits    32 bits        with 64-bit atomics     none
       32 bits    32 bits        without them            one
       any        64 bits        any                     one

   Handle: belongs to one context; all zeros is no table. The handle of a destroyed table is refused.
   gp_hash_share makes a handle for the same table in a second context on the same cl_context.
   Concurrent: insert, insert_or_assign, insert_or_apply, find, contains, erase and for_each may run at the
   same time on one table, from several contexts, and your own kernels with them (gp_device_source).
   Exclusive: clear, rehash, share, and insertions that make a table grow. Nothing else may use the table
   meanwhile, in any context. Do not change the table during retrieve or the statistics: their result would be
   a mixture.
   Keys: all are legal. Keys are unique: an erased key keeps its slot, for the same key only, until a rehash
   drops it.
   Values: any value is legal, except the reserved one of some tables (above). A key that is given this value, or
   whose value would become it, is refused, counted, and left as it was. `reserved` names the value; tables that have
   none ignore it. If `reserved` is NULL, the library derives one from `seed` that data hardly ever has (a signalling
   NaN; as an integer a large one). A refusal is then an error: gp_finish or the next blocking call, whichever
   comes first, returns GP_ERROR_INVALID_ARGUMENT, and gp_last_error says how many keys were refused and by which
   call. On an out-of-order queue only gp_finish, gp_hash_counts_read and gp_hash_size_read report it, because
   other calls wait for their own commands only.
   Full: a full table accepts no new keys, and keeps those that it has. A table with `grow` never fills up.
   For other tables, ask for failed_keys, call gp_hash_rehash for more slots, then insert the keys in
   failed_keys. If a call asks for neither failed_keys nor results, a key that finds no slot is an error:
   gp_finish or the next blocking call returns GP_ERROR_COUNT_LIMIT. An operation looks at each slot once at
   most. On devices that end long loops too early (gp_device_info.loop_limit) it looks at 24,000 slots at
   most.
   Chosen keys: whoever knows the seed can choose keys that all begin their search at one slot, so that n insertions
   look at n^2 / 2 slots. Draw `seed` at random for keys that others choose. It decides the order of gp_hash_retrieve
   without sort_type, and the reserved value that the library derives; no other result depends on it.
   Load: speed is best up to a load of 1/2, and good up to 0.8. Erased keys count until a rehash.
   Memory: 8 bytes per slot for keys and values of up to 32 bits, else 16; one or two slots more than the
   capacity, and 256 bytes. While the table lives, other calls of its contexts must not write into its buffer
   (GP_ERROR_OVERLAP).
   Limits: 2^31 slots. 64-bit keys or values need cl_khr_int64_base_atomics, else GP_ERROR_UNSUPPORTED.
   Errors: if something else has overwritten the header of the table's buffer, calls leave the table alone.
   The functions that read its counts or statistics, and those that report refusals, return
   GP_ERROR_INVALID_BUFFER. gp_hash_clear makes it a valid, empty table again.
   Example: examples/08_word_count.c, examples/10_spatial_hash.c */
typedef struct gp_hash {
    uint64_t id;
} gp_hash;

typedef struct gp_hash_desc {
    size_t key_size;       /* 4 or 8 bytes */
    size_t value_size;     /* 0 (a set), 4 or 8 bytes */
    size_t capacity;       /* slots, rounded up to a power of two, 2^31 at most; or give expected_count */
    size_t expected_count; /* number of keys to expect: the capacity is at least expected_count / max_load */
    float max_load;        /* largest fraction of the slots that keys may fill, in (0, 1]; 0: 0.5 */
    bool grow;             /* an insertion that might fill more than max_load of the slots blocks to find out.
                              If it would, it first rehashes the table into as many slots as it needs, and no
                              fewer than before. Not with gp_hash_share */
    uint64_t seed;         /* seed of the hash function (the finaliser of MurmurHash3) */
    const void *reserved;  /* value_size bytes: a value that is never stored; NULL: see Values above */
    cl_mem buffer;         /* gp_hash_buffer_size bytes, used by the table until destroy or rehash; NULL: a
                              buffer of its own */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_desc;

/* Creates an empty table. On failure *table is all zeros. */
GP_API gp_result gp_hash_create(gp_context *gp, const gp_hash_desc *desc, gp_hash *table);

/* Sets *bytes to the size of the buffer that a table with this desc needs. */
GP_API gp_result gp_hash_buffer_size(gp_context *gp, const gp_hash_desc *desc, size_t *bytes);

/* Sets *out to a handle in `gp` for a table of `from`, another context on the same cl_context. The table
   lives until all its handles are destroyed. Errors: a table with `grow` is GP_ERROR_INVALID_ARGUMENT. */
GP_API gp_result gp_hash_share(gp_context *gp, gp_context *from, gp_hash table, gp_hash *out);

/* Releases the handle; commands that use the table still run to their end. gp_context_destroy releases all handles of
   its context. Contexts that share a table may release their handles at the same time, each in its own thread. */
GP_API gp_result gp_hash_destroy(gp_context *gp, gp_hash table);

/* Returns the table's buffer, for kernels of your own; not retained for the caller. NULL for an invalid
   handle. */
GP_API cl_mem gp_hash_buffer(const gp_context *gp, gp_hash table);

/* Empties the table and zeroes its counts. Exclusive.

   Cost: writes the table once. */
typedef struct gp_hash_clear_desc {
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_clear_desc;

GP_API gp_result gp_hash_clear(gp_context *gp, gp_hash table, const gp_hash_clear_desc *desc);

/* The outcome for a key, as a byte in `results`. */
typedef enum gp_hash_result {
    GP_HASH_INSERTED = 1,   /* the key was absent, and was inserted */
    GP_HASH_EXISTED = 2,    /* the key was present: its value was kept, assigned or combined */
    GP_HASH_FAILED = 3,     /* there was no slot for the key */
    GP_HASH_REFUSED = 4,    /* the value is, or would have become, the reserved one, if there is one */
    GP_HASH_SUPERSEDED = 5, /* another of the equal keys in the batch was used (duplicates) */
    GP_HASH_ERASED = 6,
    GP_HASH_ABSENT = 7 /* erase: the key was not in the table */
} gp_hash_result;

/* Selects which of the equal keys in a batch is used. */
typedef enum gp_hash_duplicates {
    GP_HASH_ANY = 0, /* insert: the key that is inserted first on the device; assign: the one that is assigned
                        last */
    GP_HASH_FIRST,   /* the key with the lowest index: the same result every time */
    GP_HASH_LAST,    /* the key with the highest index */
    GP_HASH_DUPLICATES_COUNT
} gp_hash_duplicates;

/* Inserts each key with its value. If a key is already in the table:
     gp_hash_insert             it keeps its value
     gp_hash_insert_or_assign   it gets the new value
     gp_hash_insert_or_apply    the values combine: value = value op new value

   gp_hash_insert_or_apply also combines equal keys within a batch, so one call is a group-by. Without
   `values` it adds 1 for each key.

   Result: a byte per key in results; the keys that found no slot in failed_keys and failed_values. Integer
   sums keep the table's width, and wrap.
   Order: `duplicates` selects which of the equal keys in a batch is used. The pairs in the table are the same
   every time, with three exceptions: equal keys with different values and GP_HASH_ANY; sums of floats, which
   depend on the order; and a value that becomes the reserved one while values are combined.
   Aliasing: inputs may overlap one another; outputs overlap nothing; nothing overlaps the table.
   Count 0: does nothing; failed_count becomes 0.
   Scratch: none for a single pass. Multi-pass: two partitioned arrays and 3 MiB. GP_HASH_FIRST and
   GP_HASH_LAST: a table of the batch's indices, of 8 or 16 bytes per slot and 2 to 4 slots per key.
   Cost: one line of slots (consecutive slots that are loaded together) per key at loads up to 1/2.
   GP_STRATEGY_SINGLE_PASS looks for each key's slot at once. GP_STRATEGY_MULTI_PASS first partitions
   the batch by home slot, the slot where the search for a key begins, so that a large table is accessed part
   by part; the result is the same. A batch with results, GP_HASH_FIRST or GP_HASH_LAST is never partitioned.
   GP_STRATEGY_AUTO partitions large batches for large tables, as the tuning table says.
   Limits: 2^32 - 2 keys with GP_HASH_FIRST, GP_HASH_LAST or failed_keys.
   Errors: keys that find no slot, and keys that are refused, are counted (gp_hash_counts). Keys that find no
   slot are an error of gp_finish or the next blocking call (GP_ERROR_COUNT_LIMIT) unless the call has results
   or failed_keys. A key that is given the reserved value is refused, even if `op` would change that value.
   Example: examples/10_spatial_hash.c */
typedef struct gp_hash_insert_desc {
    cl_mem keys; /* `count` elements of key_size */
    size_t keys_offset;
    cl_mem values; /* `count` elements of value_size; NULL for sets, and to count with insert_or_apply */
    size_t values_offset;
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    gp_op op;                      /* insert_or_apply: sum, min, max, and, or, xor */
    gp_type type;                  /* insert_or_apply: type of the values; 0: unsigned. In other calls 0 */
    gp_hash_duplicates duplicates; /* only for insert and insert_or_assign */
    cl_mem results;                /* `count` bytes: a gp_hash_result each; NULL: not wanted */
    size_t results_offset;
    /* The keys that failed, in any order, and their values, in arrays of `count` elements; NULL: not wanted.
       To try again, pass them to another call, with failed_count as its count_buffer. */
    cl_mem failed_keys;
    size_t failed_keys_offset;
    cl_mem failed_values;
    size_t failed_values_offset;
    cl_mem failed_count; /* one u32, the number of failed keys; required with failed_keys, else NULL */
    size_t failed_count_offset;
    gp_strategy strategy;
    cl_mem scratch; /* gp_hash_insert_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_insert_desc;

/* Inserts each key with its value; a key that is already in the table keeps its value. */
GP_API gp_result gp_hash_insert(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* Inserts each key, or replaces its value. */
GP_API gp_result gp_hash_insert_or_assign(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* Inserts each key, or combines: value = value op new value. */
GP_API gp_result gp_hash_insert_or_apply(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc);

/* Sets *bytes to the scratch that an insertion with this desc needs, which can be 0. The buffers of the desc
   may be NULL. */
GP_API gp_result gp_hash_insert_scratch_size(gp_context *gp, gp_hash table, const gp_hash_insert_desc *desc,
                                             size_t *bytes);

/* values[i] = the value of keys[i], or `absent`; found[i] = 1 if keys[i] is in the table, else 0

   gp_hash_contains does the same without values: found[i] only.

   Result: at least one of values and found is required.
   Aliasing: `values` may be `keys`, element by element, if both have one size. Otherwise outputs overlap
   nothing, and nothing overlaps the table.
   Count 0: does nothing.
   Cost: one line of slots per key at loads up to 1/2; no scratch.
   Example: examples/08_word_count.c, examples/10_spatial_hash.c */
typedef struct gp_hash_find_desc {
    cl_mem keys;
    size_t keys_offset;
    cl_mem values; /* `count` elements of value_size: each key's value, or `absent`; NULL: not wanted */
    size_t values_offset;
    cl_mem found; /* `count` bytes: 1 or 0; NULL: not wanted */
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

GP_API gp_result gp_hash_find(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc);

/* Looks for keys as gp_hash_find does, and writes found[i] only. `values` and `absent` stay NULL. */
GP_API gp_result gp_hash_contains(gp_context *gp, gp_hash table, const gp_hash_find_desc *desc);

/* Removes keys. Their slots stay occupied until a rehash.

   Result: a byte per key in results.
   Aliasing: results overlap nothing; nothing overlaps the table.
   Count 0: does nothing.
   Scratch: none for a single pass; multi-pass: the partitioned keys and 3 MiB.
   Cost: as an insertion, with the same strategies; a batch with results is never partitioned. */
typedef struct gp_hash_erase_desc {
    cl_mem keys;
    size_t keys_offset;
    cl_mem results; /* `count` bytes: GP_HASH_ERASED or GP_HASH_ABSENT; NULL: not wanted */
    size_t results_offset;
    size_t count;
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    gp_strategy strategy;
    cl_mem scratch; /* gp_hash_erase_scratch_size bytes that overlap nothing; NULL: the context's */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_erase_desc;

GP_API gp_result gp_hash_erase(gp_context *gp, gp_hash table, const gp_hash_erase_desc *desc);

/* Sets *bytes to the scratch that gp_hash_erase needs with this desc, which can be 0. The buffers of the desc
   may be NULL. */
GP_API gp_result gp_hash_erase_scratch_size(gp_context *gp, gp_hash table, const gp_hash_erase_desc *desc,
                                            size_t *bytes);

/* Writes every live pair, one after the other.

   Result: at most `room` pairs, and in live_count the number of pairs in the table. If there are more than
   `room`, it is not specified which of them are written, and with sort_type gp_stats.clamped counts the call.
   Order: with sort_type sorted by key, the same every time; without it in any order.
   Aliasing: outputs overlap nothing; nothing overlaps the table.
   Scratch: that of gp_sort in place, for `room` keys; none without sort_type.
   Cost: reads the table once; with sort_type also sorts.
   Example: examples/08_word_count.c */
typedef struct gp_hash_retrieve_desc {
    cl_mem keys; /* `room` elements of key_size */
    size_t keys_offset;
    cl_mem values; /* `room` elements of value_size; NULL: not wanted */
    size_t values_offset;
    size_t room;
    cl_mem live_count; /* one u32, the number of live pairs; required */
    size_t live_count_offset;
    gp_type sort_type; /* the type by which keys are sorted (gp_sort); 0: not sorted */
    bool descending;   /* sorts in descending order; only with sort_type */
    cl_mem scratch;    /* gp_hash_retrieve_scratch_size bytes; NULL: the context's. Must be NULL without
                          sort_type */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_retrieve_desc;

GP_API gp_result gp_hash_retrieve(gp_context *gp, gp_hash table, const gp_hash_retrieve_desc *desc);

/* Sets *bytes to the scratch that gp_hash_retrieve needs with this desc, which can be 0. The buffers of the
   desc may be NULL, but `values` only if it is NULL in the call, because values need scratch, too. */
GP_API gp_result gp_hash_retrieve_scratch_size(gp_context *gp, gp_hash table,
                                               const gp_hash_retrieve_desc *desc, size_t *bytes);

/* Changes the value (map), or erases the key (erase), of each pair in the table for which `where` is true.

   Expressions are OpenCL C in k, the key, and v, the value of a live pair.

   Order: none. A key that another operation inserts or erases at the same time may be seen or not.
   Cost: reads the table once. A program is compiled per pair of expressions. Pairs that are mapped are
   counted as `existed`, keys that are erased as `erased`. */
typedef struct gp_hash_for_each_desc {
    const char *where;  /* pairs for which this is 0 are not changed; NULL: all pairs are changed */
    const char *map;    /* the new value; give either map or erase */
    const gp_arg *args; /* values and buffers that expressions name; NULL: none */
    size_t arg_count;   /* at most GP_ARGS_MAX */
    bool erase;         /* erases keys */
    gp_type key_type;   /* type of k; 0: unsigned */
    gp_type value_type; /* type of v; 0: unsigned. A set has no v */
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hash_for_each_desc;

GP_API gp_result gp_hash_for_each(gp_context *gp, gp_hash table, const gp_hash_for_each_desc *desc);

/* Moves all live keys into a new set of slots, larger, smaller or of the same size, and drops erased ones.
   Counts are kept. Blocks. Exclusive.

   Cost: reads the old slots and writes the new ones once.
   Errors: if the live keys do not fit into the new slots, it fails and leaves the table as it was. */
typedef struct gp_hash_rehash_desc {
    size_t capacity;       /* slots, rounded up to a power of two; or give expected_count */
    size_t expected_count; /* as in gp_hash_desc, for the table's max_load; both 0: as many slots as now */
    cl_mem buffer;         /* gp_hash_buffer_size bytes for the new slots; NULL: a buffer of its own */
} gp_hash_rehash_desc;

GP_API gp_result gp_hash_rehash(gp_context *gp, gp_hash table, const gp_hash_rehash_desc *desc);

/* Counts of keys, not of calls, since the table was made or cleared. */
typedef struct gp_hash_counts {
    uint64_t capacity;
    uint64_t live; /* keys in the table */
    uint64_t dead; /* slots of erased keys, until a rehash; may be up to two too few (gp_hash_stats.dead is
                      exact) */
    uint64_t inserted, existed, failed, refused, superseded, erased;
} gp_hash_counts;

/* Read all counts, or the number of live keys alone. Both block until the queue's commands so far have
   ended. */
GP_API gp_result gp_hash_counts_read(gp_context *gp, gp_hash table, gp_hash_counts *out);
GP_API gp_result gp_hash_size_read(gp_context *gp, gp_hash table, size_t *live);

enum { GP_HASH_BINS = 32 };

/* A key's probe depth is its distance, in slots, from its home slot. */
typedef struct gp_hash_stats {
    uint64_t capacity, live, dead;
    double load;       /* (live + dead) / capacity */
    double mean_depth; /* mean depth of live keys */
    uint64_t max_depth;
    uint64_t depths[GP_HASH_BINS]; /* live keys of depth 0, 1, 2-3, 4-7, 8-15, ... */
} gp_hash_stats;

/* Reads the whole table, and sets *out to its statistics. Blocks. */
GP_API gp_result gp_hash_stats_read(gp_context *gp, gp_hash table, gp_hash_stats *out);
