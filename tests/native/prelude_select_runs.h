/* Runs of floats, with lengths and offsets; single elements are left out. */
#include "select.h"
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0, 0
#define GPI_LANES 1
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
#define GPI_SINGLES 0
#define GPI_IN float
#define GPI_X float
static uint gpi_equal(GPI_X x, GPI_X y) { return x == y ? 1 : 0; }
#define GPI_LENGTHS 1
