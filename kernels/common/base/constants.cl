/* constants.cl - constants that the host and kernels share: a context's counters, by their index in the buffer `counters`, and
   the list of large segments. */
#ifndef GPI_BASE_CONSTANTS_CL
#define GPI_BASE_CONSTANTS_CL

#define GPI_COUNT_FALLBACKS 0 /* late tiles that another group computed, instead of waiting */
#define GPI_COUNT_ABANDONED 1 /* look-backs that ended early, because the device wrongly left a loop */
#define GPI_COUNT_CLAMPED 2   /* calls whose count on the device exceeded its bound */
#define GPI_COUNT_BAD 3       /* calls that found bad offsets */
#define GPI_COUNT_SKIPPED 4   /* elements whose index was out of range */
#define GPI_COUNT_REFUSED 5   /* refused keys, in four counters: insert, assign, apply, for_each */
#define GPI_COUNT_STRANGE 9   /* launches whose buffer contained no hash table */
#define GPI_COUNT_FULL 10     /* keys that found no slot, in calls that do not list such keys */
#define GPI_COUNT_ARRIVED 11  /* groups that have ended their part of a launch; 0 between launches */
#define GPI_COUNT_ZERO 12     /* always 0: the number of elements of a launch during warm-up */
#define GPI_COUNT_BAD_CALL 13 /* number of the last call counted in GPI_COUNT_BAD */
#define GPI_COUNT_LONG_CALL \
    14 /* number of the last call counted in GPI_COUNT_ABANDONED because of its strings */
#define GPI_CONTEXT_COUNTERS 15

/* The list of large segments (base/segments.cl), in uints. */
#define GPI_SEGMENTS_PARTS 0
#define GPI_SEGMENTS_LARGE 1
#define GPI_SEGMENTS_BAD 2
#define GPI_SEGMENTS_TICKET 3
#define GPI_SEGMENTS_HEADER 4
#define GPI_LARGE_WORDS 4 /* words of a large segment's entry in the list */
#endif
