/* constants.cl - constants that the host and kernels share: state of look-back, spans of reductions, laws of monoids.
   */
#ifndef GPI_SCAN_CONSTANTS_CL
#define GPI_SCAN_CONSTANTS_CL

#define GPI_STATE_HEADER 4 /* uints before the states of tiles */

/* Spans of gp_reduce. */
#define GPI_REDUCE_SPANS_EACH 4 /* spans per compute unit */
#define GPI_REDUCE_SPAN 256     /* most tiles of a span, so that loops stay short */

#define GPI_COLUMNS_BYTES 16384 /* on CPUs: bytes of the sums of columns that a group reduces */

/* Bits for the laws that a monoid breaks (scan/monoid_check.cl). GPI_LAW_RESULTS is the number of results for three
   elements a, b, c and the identity e: e a, a e, a b, b a, (a b) c, a (b c). */
#define GPI_LAW_LEFT 1u
#define GPI_LAW_RIGHT 2u
#define GPI_LAW_COMMUTES 4u
#define GPI_LAW_ASSOCIATES 8u
#define GPI_LAW_RESULTS 6
#endif
