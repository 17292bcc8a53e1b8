/* Runs of floats, with lengths and offsets; single elements are left out. */
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
    c.m = max(a.m, b.m);
    return c;
}
#define GPI_SELECT_BY 5
#define GPI_PARTS 1
#define GPI_SINGLES 0
#define GPI_PLAIN 0
#define GPI_ALIKE 0
#define GPI_IN float
#define GPI_IN_HALF 0
#define GPI_X float
#define GPI_RECORD uint
#define GPI_RECORD_SIZE 4
static uint gpi_equal(GPI_X x, GPI_X y) { return x == y ? 1 : 0; }
#define GPI_OUT 1
#define GPI_INDEX_OUT 1
#define GPI_CLOSED 0
#define GPI_LENGTHS 1
#define GPI_PLACE uint
#define GPI_PLACE_SIZE 4
#define GPI_VALUE_SIZE 0
