/* Sums of bytes, in vectors of bytes. */
#define GPI_SIZE 1
#define GPI_IDENTITY_WORDS 0x00000000u
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 1
#ifndef GPI_LANES
#define GPI_LANES 16
#endif
#define GPI_FIELD_COUNT 1
#define GPI_FIELDS(X) X(0)
#define GPI_OP_0 GPI_SUM
#define GPI_VALUE_0 uchar
#define GPI_FLOAT_0 0
#define GPI_RESULT_0 uchar
#define GPI_COMPENSATED_0 0
#define GPI_LANE_0 uchar
#define GPI_INDEX_0 uchar
#define GPI_Y uchar
#define GPI_MAPPED 0
#define GPI_IN uchar
#define GPI_IN_HALF 0
#define GPI_INPUTS 1
#define GPI_OUT uchar
#define GPI_OUT_HALF 0
#define GPI_REVERSE 0
#define GPI_SEGMENTED 0
#define GPI_HEADS 0
