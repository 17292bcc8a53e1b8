/* constants.cl - constants that the host and kernels share: a hash table's header, changes of values, options of batches. */
#ifndef GPI_HASH_CONSTANTS_CL
#define GPI_HASH_CONSTANTS_CL

/* Header, in uints: the table's facts (members of gp_hash_table, hash/table.cl) as a ulong4, then counts of 64 bits.

       facts.x   mask | steps << 32
       facts.y   turns | (GPI_MAGIC + loud) << 32       loud: 1 if a refused key is an error
       facts.z   seed
       facts.w   the reserved value */
#define GPI_HEADER 64
#define GPI_HEADER_COUNTS 16
#define GPI_MAGIC 0x67706874u /* identifies a table; `loud` is its lowest bit */

/* Counts of the header, which also has a count for each result, GP_HASH_INSERTED to GP_HASH_ABSENT. */
#define GPI_COUNT_CLAIMED 0 /* slots with a live or an erased key, side slots excluded */
#define GPI_COUNT_LOST 8    /* live keys for which a rehash found no slot */
#define GPI_COUNTS 9

/* Changes: how a put changes the value of a key that is in the table. */
#define GPI_CHANGE_KEEP 0
#define GPI_CHANGE_ASSIGN 1
#define GPI_CHANGE_ADD 2
#define GPI_CHANGE_AND 3
#define GPI_CHANGE_OR 4
#define GPI_CHANGE_XOR 5
#define GPI_CHANGE_MIN_U 6
#define GPI_CHANGE_MAX_U 7
#define GPI_CHANGE_MIN_I 8
#define GPI_CHANGE_MAX_I 9
#define GPI_CHANGE_ADD_F 10
#define GPI_CHANGE_MIN_F 11
#define GPI_CHANGE_MAX_F 12
#define GPI_WIDE_VALUE 16 /* added to a change that operates on 64 bits */

/* Sources of a batch's values. */
#define GPI_SOURCE_BUFFER 0
#define GPI_SOURCE_ONE 1   /* one value for all keys */
#define GPI_SOURCE_INDEX 2 /* the key's index in the batch */

/* Bits of `wants` of batches that insert. */
#define GPI_WANTS_RESULTS 1u
#define GPI_WANTS_FAILED 2u
#define GPI_WANTS_FAILED_VALUES 4u
#define GPI_IS_JUDGED 8u   /* `judge` is a table from each key to the index of the one element to put */
#define GPI_IS_CHECKED 16u /* an earlier launch of the call has checked the number of keys */
#define GPI_TELLS_FULL 32u /* keys that find no slot are an error, because no output says which they are */

/* Bits of `wants` of batches that find. */
#define GPI_WANTS_VALUES 1u
#define GPI_WANTS_FOUND 2u

/* Bits of `widths`: keys, or values, have eight bytes. */
#define GPI_WIDE_KEYS 1u
#define GPI_WIDE_VALUES 2u

/* The statistics, by their first words in the buffer. Each number has two words. */
#define GPI_STATS_LIVE 0
#define GPI_STATS_DEAD 2
#define GPI_STATS_DEPTHS 4
#define GPI_STATS_MAX 6
#define GPI_STATS_BINS 8
#define GPI_LENGTH_BINS 32
#endif
