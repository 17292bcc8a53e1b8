/* constants.cl - constants of sorts, segments, strings and top-k that the host and kernels share. */
#ifndef GPI_SORT_CONSTANTS_CL
#define GPI_SORT_CONSTANTS_CL

#define GPI_SORT_DIGIT_BITS 8 /* bits of a digit */
#define GPI_PASSES_MAX 8

/* Places: the arrays of a sort that keys may be in. */
#define GPI_PLACE_IN 0
#define GPI_PLACE_OUT 1
#define GPI_PLACE_TMP 2

/* Sources of a sort's values. */
#define GPI_INDICES_NONE 0u    /* given by the caller */
#define GPI_INDICES_ARRAY 1u   /* generated: indices in the array */
#define GPI_INDICES_SEGMENT 2u /* generated: indices in the segment */

/* State, in uints (sort/digit.cl). */
#define GPI_STATE_ABANDONED 2 /* 1 + number of the abandoned onesweep pass; 0: none */
#define GPI_STATE_BUCKETS 3
#define GPI_STATE_FROM 4
#define GPI_STATE_TRIVIAL 15 /* onesweep: a bit per trivial pass; in higher bits: count of passes reported */
#define GPI_STATE_ORDER 15   /* classic: the blocks' reports about order, ORed (GPI_IN_ORDER, ...) */
#define GPI_STATE_LAUNCHES 16

/* Conditions under which a kernel of a classic pass does its work. Otherwise it returns at once. */
#define GPI_ALWAYS 0u
#define GPI_WHEN_ABANDONED 1u /* a onesweep pass has been abandoned */
#define GPI_UNLESS_BUCKETS 2u /* the keys are not moved to buckets (sort/buckets.cl) */
#define GPI_WHEN_BUCKETS 3u   /* the keys are moved to buckets, by pass GPI_PASS_BUCKETS */
#define GPI_PASS_BUCKETS (GPI_PASSES_MAX + 1)

/* Bins chosen from a sample (sort/buckets.cl). Their description in the scratch has GPI_BIN_TABLE ulongs, a table with the bin of
   each entry, and a table in which each digit is a bin. */
#define GPI_BIN_ENTRIES 4096u
#define GPI_BIN_TABLE 4 /* ulongs before the entries */
#define GPI_BIN_MAP_BYTES (8 * GPI_BIN_TABLE + GPI_BIN_ENTRIES + (1 << GPI_SORT_DIGIT_BITS))

/* Which ranges of keys are moved through lines (sort/rank_keys.cl): none, some, or all. GPI_LINES_FETCH selects a range
   if the next positions of many digits map to the same set of the first-level cache. The keys of other ranges are moved
   one by one, and the next cache lines are prefetched. */
#define GPI_LINES_NEVER 0u
#define GPI_LINES_FETCH 1u
#define GPI_LINES_ALWAYS 2u

/* Steps of a sort by shares. */
#define GPI_SHARES_TAKE 1u
#define GPI_SHARES_SORT 2u

/* Serial merges: the most runs that are merged side by side, and the elements of a run between two prefetches. */
#define GPI_MERGE_RUNS_MOST 8
#define GPI_MERGE_STEP 16

#define GPI_SEARCH_SAMPLES_SERIAL 1024 /* the most samples of a group */

/* State of gp_segmented_sort, in uints. */
#define GPI_SORT_SEGMENTS_ROWS 0
#define GPI_SORT_SEGMENTS_LARGE 1
#define GPI_SORT_SEGMENTS_BAD 2
#define GPI_SEGMENTS_FIRST_BAD 3
#define GPI_SEGMENTS_COUNT 4
#define GPI_SEGMENTS_WORDS 16

/* State of gp_sort_strings, in uints. */
#define GPI_STRINGS_BAD 0
#define GPI_STRINGS_FIRST_BAD 1 /* index of the first bad string, stored inverted */
#define GPI_STRINGS_TIED 2
#define GPI_STRINGS_GROUPS 3
#define GPI_STRINGS_COUNT 4
#define GPI_STRINGS_WORDS 16
#define GPI_STRINGS_SET_PARTS 6 /* uints for each string in a set (sort/sort_strings.cl) */

/* State of gp_topk, in ulongs (sort/topk_state.cl). */
#define GPI_TOPK_COUNT 0
#define GPI_TOPK_K 1
#define GPI_TOPK_FOUND 2
#define GPI_TOPK_THRESHOLD 3
#define GPI_TOPK_CURSOR 5
#define GPI_TOPK_EQUALS 6
#define GPI_TOPK_SELECT 8
#define GPI_TOPK_HISTOGRAM 48
#define GPI_TOPK_BLOCK 128      /* tiles of a block */
#define GPI_TOPK_SPAN_MAX 16384 /* keys of a serial tile */
#define GPI_TOPK_WANTS_KEYS 1u
#define GPI_TOPK_WANTS_INDICES 2u

/* State of gp_nth_element, in ulongs (sort/nth_element.cl): parts of GPI_NTH_RANKS numbers for each level, and for each digit. */
#define GPI_NTH_RANKS 16u /* most ranks that are found together */
#define GPI_NTH_LEVELS 3u
#define GPI_NTH_CURSOR 0
#define GPI_NTH_RANK 16
#define GPI_NTH_LO 64
#define GPI_NTH_HI 112
#define GPI_NTH_BELOW 160
#define GPI_NTH_INSIDE 208
#define GPI_NTH_KNOWN 256
#define GPI_NTH_HISTOGRAM 512
#endif
