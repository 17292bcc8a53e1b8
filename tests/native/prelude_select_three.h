/* Elements of 32 bits in three parts. */
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0, 0
#define GPI_COMMUTATIVE 1
#define GPI_EXACT 1
#define GPI_LANES 1
#define GPI_REVERSE 0
#define GPI_SEGMENTED 0
#define GPI_HEADS 0
#define GPI_INPUTS 1
#define GPI_Y uint
#define GPI_NUMBER uint
#define GPI_FIELD_COUNT 0
typedef struct gpi_user {
    GPI_NUMBER n, m;
} gpi_user;
static gpi_user gpi_user_combine(gpi_user a, gpi_user b)
{
    gpi_user c;
    c.n = a.n + b.n;
    c.m = a.m + b.m;
    return c;
}
#define GPI_SELECT_BY 1
#define GPI_PARTS 3
#define GPI_SINGLES 1
#define GPI_PLAIN 0
#define GPI_ALIKE 0
#define GPI_IN uint
#define GPI_IN_HALF 0
#define GPI_X uint
#define GPI_RECORD uint
#define GPI_RECORD_SIZE 4
static uint gpi_predicate(GPI_X x, ulong i) { return x % 3 == 0 ? 1 : 0; }
static uint gpi_predicate2(GPI_X x, ulong i) { return x % 3 == 1 ? 1 : 0; }
#define GPI_OUT 1
#define GPI_INDEX_OUT 0
#define GPI_CLOSED 0
#define GPI_LENGTHS 0
#define GPI_PLACE uint
#define GPI_PLACE_SIZE 4
#define GPI_VALUE_SIZE 0
