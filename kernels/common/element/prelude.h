/* prelude.h - example values of the parameters of element/, with which a file there compiles alone: elements are uints,
   which are added (src/element/element.c), and keys and values have 4 bytes (src/element/key.c). */
#include "base/prelude.h"
#define GPI_SIZE 4
#define GPI_IDENTITY_WORDS 0u
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 1
#ifndef GPI_LANES
#define GPI_LANES 1
#endif
#define GPI_FIELD_COUNT 1
#define GPI_FIELDS(X) X(0)
#define GPI_OP_0 GPI_SUM
#define GPI_VALUE_0 uint
#define GPI_FLOAT_0 0
#define GPI_RESULT_0 uint
#define GPI_COMPENSATED_0 0
#define GPI_LANE_0 uint
#define GPI_INDEX_0 uint
#define GPI_REVERSE 0
#define GPI_SEGMENTED 0
#define GPI_HEADS 0
#define GPI_INPUTS 1
#define GPI_Y uint
#define GPI_MAPPED 0
#define GPI_IN uint
#define GPI_IN_HALF 0
#define GPI_OUT uint
#define GPI_OUT_HALF 0
#define GPI_EQUAL 0
#define GPI_KEY_SIZE 4
#define GPI_KEY_FLOAT 1
#define GPI_VALUE_SIZE 4
#define GPI_FIELD 0 /* op.cl: the number of the field */
