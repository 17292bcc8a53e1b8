/* Elements of 32 bits in three parts. */
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
    c.m = a.m + b.m;
    return c;
}
#define GPI_PARTS 3
static uint gpi_predicate2(GPI_X x, ulong i) { return x % 3 == 1 ? 1 : 0; }
#define GPI_INDEX_OUT 0
