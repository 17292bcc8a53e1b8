/* segments.h - makes offsets of segments of various lengths. */
#ifndef GPUPRIM_TESTS_SEGMENTS_H
#define GPUPRIM_TESTS_SEGMENTS_H

#include "keys.h"

typedef enum lengths {
    LENGTHS_TINY,  /* 0 to 5 */
    LENGTHS_EMPTY, /* mostly 0 */
    LENGTHS_MIXED, /* by a power law: a few huge segments among tiny ones */
    LENGTHS_ONE,   /* all in one segment, others empty */
    LENGTHS_EVEN,
    LENGTHS_ROWS,    /* no offsets: rows */
    LENGTHS_GAPS,    /* rows with elements between them */
    LENGTHS_COLUMNS, /* no offsets: elements are not consecutive */
    LENGTHS_APART,   /* the same, with elements between segments */
    LENGTHS_BEYOND,  /* tiny; some offsets are beyond the end */
    LENGTHS_DISJOINT_COUNT,
    LENGTHS_OVERLAP = LENGTHS_DISJOINT_COUNT, /* rows that overlap */
    LENGTHS_BAD,                              /* tiny; some offsets decrease, some are beyond the end */
    LENGTHS_COUNT
} lengths;

/* Returns segments + 1 offsets of 8 bytes (`wide`) or 4, to be freed. */
unsigned char *segments_offsets(lengths lengths, size_t count, size_t segments, bool wide);

#endif
