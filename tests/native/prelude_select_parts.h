/* Elements of 32 bits in two parts. */
#define GPI_SIZE 4
#define GPI_IDENTITY_WORDS 0
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 1
#if GPI_SHAPE_SERIAL
#define GPI_LANES 16
#else
#define GPI_LANES 1
#endif
#define GPI_REVERSE 0
#define GPI_SEGMENTED 0
#define GPI_HEADS 0
#define GPI_INPUTS 1
#define GPI_Y uint
#define GPI_NUMBER uint
#define GPI_FIELD_COUNT 1
#define GPI_OP_0 GPI_SUM
#define GPI_VALUE_0 uint
#define GPI_FLOAT_0 0
#define GPI_RESULT_0 uint
#define GPI_COMPENSATED_0 0
#define GPI_LANE_0 uint
#define GPI_INDEX_0 uint
#define GPI_SELECT_BY 1
#define GPI_PARTS 2
#define GPI_SINGLES 1
#define GPI_PLAIN 0
#define GPI_ALIKE 0
#define GPI_IN uint
#define GPI_IN_HALF 0
#define GPI_X uint
#define GPI_RECORD uint
#define GPI_RECORD_SIZE 4
static uint gpi_predicate(GPI_X x, ulong i) { return x % 3 == 0 ? 1 : 0; }
#define GPI_OUT 1
#define GPI_INDEX_OUT 0
#define GPI_CLOSED 0
#define GPI_LENGTHS 0
#define GPI_PLACE uint
#define GPI_PLACE_SIZE 4
#define GPI_VALUE_SIZE 0
