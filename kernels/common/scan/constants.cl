/* constants.cl - state of look-back, spans of reductions, laws of monoids, segments: for the host and for kernels. */
#ifndef GPI_SCAN_CONSTANTS_CL
#define GPI_SCAN_CONSTANTS_CL

#define GPI_STATE_HEADER 4 /* uints before the states of tiles */

/* Spans of gp_reduce. */
#define GPI_REDUCE_SPANS_EACH 4 /* for each compute unit */
#define GPI_REDUCE_SPAN 256     /* tiles of a span, at most: for devices with short loops */

/* State of gp_segmented_reduce, in uints. */
#define GPI_SEGMENTS_ROWS 0
#define GPI_SEGMENTS_LARGE 1
#define GPI_SEGMENTS_BAD 2
#define GPI_SEGMENTS_HEADER 4
#define GPI_LARGE_WORDS 4 /* of a large segment */

/* Laws that a monoid breaks, and the results of a triple: e a, a e, a b, b a, (a b) c, a (b c). */
#define GPI_LAW_LEFT 1u
#define GPI_LAW_RIGHT 2u
#define GPI_LAW_COMMUTES 4u
#define GPI_LAW_ASSOCIATES 8u
#define GPI_LAW_RESULTS 6
#endif
