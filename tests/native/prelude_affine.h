/* A monoid of the user that does not commute. */
#define GPI_IN affine
#define GPI_T affine
#define GPI_OUT affine
#define GPI_VALUE affine
#define GPI_INPUTS 1
#define GPI_MAPPED 0
#define GPI_CUSTOM 1
#define GPI_COMBINE(a, b) affine_then(a, b)
#define GPI_SIZE 8
#define GPI_IDENTITY_WORDS 0x00000001u, 0x00000000u
#define GPI_COMMUTATIVE 0
#define GPI_EXACT 1
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
