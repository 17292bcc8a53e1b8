/* The index of the largest product of two inputs. */
#define GPI_INPUTS 2
#define GPI_IN float
#define GPI_IN2 int
#define GPI_VALUE float
#define GPI_OP GPI_ARGMAX
#define GPI_FLOAT 1
#define GPI_T gpi_arg
#define GPI_OUT ulong
#define GPI_SIZE 12
#define GPI_IDENTITY_WORDS 0xff800000u, 0xffffffffu, 0xffffffffu
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 0
#define GPI_LANES 1
#define GPI_MAPPED 1
static GPI_VALUE gpi_map(GPI_IN x, GPI_IN2 y, ulong i) { return x * y + (i == 0); }
