/* A dot product: two inputs, mapped, in vectors. */
#define GPI_INPUTS 2
#define GPI_IN float
#define GPI_IN2 float
#define GPI_VALUE float
#define GPI_OP GPI_SUM
#define GPI_FLOAT 1
#define GPI_T float
#define GPI_OUT float
#define GPI_SIZE 4
#define GPI_IDENTITY_WORDS 0x00000000u
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 0
#define GPI_LANES 16
#define GPI_MAPPED 1
static GPI_VALUE gpi_map(GPI_IN x, GPI_IN2 y, ulong i) { return x * y; }
