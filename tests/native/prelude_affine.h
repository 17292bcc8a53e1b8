/* A monoid of the user's, not commutative. */
#include "element.h"
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000001u, 0x00000000u
#define GPI_COMMUTATIVE 0
#define GPI_LANES 1
typedef struct affine {
    uint a, b;
} affine;
static affine affine_then(affine f, affine g)
{
    affine h;
    h.a = f.a * g.a;
    h.b = g.a * f.b + g.b;
    return h;
}
typedef affine gpi_user;
static gpi_user gpi_user_combine(gpi_user gpi_a, gpi_user gpi_b) { return affine_then(gpi_a, gpi_b); }
#define GPI_FIELD_COUNT 0
#define GPI_FIELDS(X)
#define GPI_Y gpi_user
#define GPI_IN gpi_user
#define GPI_OUT gpi_user
