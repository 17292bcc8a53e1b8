/* monoids.c - see monoids.h. */
#include "support.h"

/* Defines the monoid and the element of the type `id`, which has id_one, id_join, id_from_random and a text
   for the device. `combine` is the function's name in that text. */
#define DEFINE_MONOID(id, type, text, combine, commutative, exact)                                       \
    const gp_monoid test_##id##_monoid = {type,       text,        combine, &id##_one,                   \
                                          sizeof(id), commutative, exact,   false};                      \
    static void id##_copy(const void *in, void *out) { memcpy(out, in, sizeof(id)); }                    \
    static void id##_combine(const void *pa, const void *pb, void *out)                                  \
    {                                                                                                    \
        id a, b;                                                                                         \
        memcpy(&a, pa, sizeof a);                                                                        \
        memcpy(&b, pb, sizeof b);                                                                        \
        a = id##_join(a, b);                                                                             \
        memcpy(out, &a, sizeof a);                                                                       \
    }                                                                                                    \
    static void id##_identity(void *out) { memcpy(out, &id##_one, sizeof id##_one); }                    \
    static void id##_make(uint32_t r, void *in)                                                          \
    {                                                                                                    \
        const id a = id##_from_random(r);                                                                \
        memcpy(in, &a, sizeof a);                                                                        \
    }                                                                                                    \
    const test_element test_##id = {                                                                     \
        #id,       GP_TYPE_NONE, GP_TYPE_NONE,  GP_OP_NONE, &test_##id##_monoid, sizeof(id), sizeof(id), \
        id##_copy, id##_combine, id##_identity, id##_make};

/* ------------------------------------------------------------------ 4 bytes */

typedef uint32_t last;
static const last last_one = 0;
static last last_join(last a, last b) { return b ? b : a; }
static last last_from_random(uint32_t r) { return r % 8 == 0 ? r >> 3 : 0; }

DEFINE_MONOID(last, "uint", "static uint last_of(uint a, uint b) { return b ? b : a; }\n", "last_of", false,
              true)

/* Elements large enough that a few thousand reach the maximum. */
typedef uint32_t saturating;
static const saturating saturating_one = 0;
static saturating saturating_join(saturating a, saturating b)
{
    return b > UINT32_MAX - a ? UINT32_MAX : a + b;
}
static saturating saturating_from_random(uint32_t r) { return r >> 12; }

DEFINE_MONOID(saturating, "uint", "/* add_sat is a built-in */\n", "add_sat", true, true)

/* Nibble i is the position to which i is moved; the permutation that is first in the input is applied
   first. */
typedef uint32_t permutation;
static const permutation permutation_one = 0x76543210u;

static permutation permutation_join(permutation p, permutation q)
{
    permutation r = 0;
    int i;
    for (i = 0; i < 8; i++) r |= (q >> 4 * (p >> 4 * i & 7) & 7) << 4 * i;
    return r;
}

static permutation permutation_from_random(uint32_t random)
{
    uint32_t p = permutation_one, i;
    for (i = 7; i > 0; i--) { /* swap i with one that is not above it */
        const uint32_t k = random % (i + 1), swap = (p >> 4 * i ^ p >> 4 * k) & 7;
        p ^= swap << 4 * i | (k == i ? 0 : swap << 4 * k);
        random /= i + 1;
    }
    return p;
}

DEFINE_MONOID(permutation, "permutation",
              "typedef uint permutation;\n"
              "static permutation permute(permutation p, permutation q)\n"
              "{\n"
              "    permutation r = 0;\n"
              "    for (uint i = 0; i < 32; i += 4) r |= (q >> (p >> i & 7) * 4 & 7) << i;\n"
              "    return r;\n"
              "}\n",
              "permute", false, true)

/* ------------------------------------------------------------------ 8, 12 bytes */

/* The map x -> a x + b over 32-bit integers; the map that is first in the input is applied first. */
typedef struct affine {
    uint32_t a, b;
} affine;

static const affine affine_one = {1, 0};

static affine affine_join(affine f, affine g)
{
    const affine h = {f.a * g.a, g.a * f.b + g.b};
    return h;
}

static affine affine_from_random(uint32_t r)
{
    const affine f = {r | 1u, r * 2654435761u};
    return f;
}

DEFINE_MONOID(affine, "affine",
              "typedef struct affine { uint a, b; } affine;\n"
              "static affine affine_then(affine f, affine g)\n"
              "{\n"
              "    affine h;\n"
              "    h.a = f.a * g.a;\n"
              "    h.b = g.a * f.b + g.b;\n"
              "    return h;\n"
              "}\n",
              "affine_then", false, true)

/* The first and last element of a sequence, and its number of runs of equal elements; 0 runs: the sequence is
   empty. */
typedef struct runs {
    uint32_t first, last, count;
} runs;

static const runs runs_one = {0, 0, 0};

static runs runs_join(runs a, runs b)
{
    runs c = a;
    if (a.count == 0) return b;
    if (b.count == 0) return a;
    c.last = b.last;
    c.count = a.count + b.count - (a.last == b.first ? 1 : 0);
    return c;
}

static runs runs_from_random(uint32_t r)
{
    runs a = {r % 3, r % 3, 1};
    return a;
}

DEFINE_MONOID(runs, "runs",
              "typedef struct runs { uint first, last, count; } runs;\n"
              "static runs runs_join(runs a, runs b)\n"
              "{\n"
              "    runs c;\n"
              "    if (a.count == 0) return b;\n"
              "    if (b.count == 0) return a;\n"
              "    c.first = a.first;\n"
              "    c.last = b.last;\n"
              "    c.count = a.count + b.count - (a.last == b.first);\n"
              "    return c;\n"
              "}\n",
              "runs_join", false, true)

typedef struct sums {
    float n, sum, squares;
} sums;

static const sums sums_one = {0, 0, 0};

static sums sums_join(sums a, sums b)
{
    const sums c = {a.n + b.n, a.sum + b.sum, a.squares + b.squares};
    return c;
}

static sums sums_from_random(uint32_t r)
{
    const float x = (float)(r >> 16 & 7) - 3;
    const sums a = {1, x, x * x};
    return a;
}

DEFINE_MONOID(sums, "sums",
              "typedef struct sums { float n, sum, squares; } sums;\n"
              "static sums sums_join(sums a, sums b)\n"
              "{\n"
              "    a.n += b.n;\n"
              "    a.sum += b.sum;\n"
              "    a.squares += b.squares;\n"
              "    return a;\n"
              "}\n",
              "sums_join", true, false)

/* Combines the means, and sums of squared differences, of two sets (Chan, Golub, LeVeque 1979). */
typedef struct variance {
    float n, mean, m2;
} variance;

static const variance variance_one = {0, 0, 0};

static variance variance_join(variance a, variance b)
{
    const float n = a.n + b.n, delta = b.mean - a.mean, share = n > 0 ? b.n / n : 0;
    const variance c = {n, a.mean + delta * share, a.m2 + b.m2 + delta * delta * a.n * share};
    return c;
}

static variance variance_from_random(uint32_t r)
{
    const variance a = {1, (float)(r >> 8) / 16777216.0f, 0};
    return a;
}

DEFINE_MONOID(variance, "variance",
              "typedef struct variance { float n, mean, m2; } variance;\n"
              "static variance variance_join(variance a, variance b)\n"
              "{\n"
              "    const float n = a.n + b.n, delta = b.mean - a.mean, share = n > 0 ? b.n / n : 0;\n"
              "    a.m2 += b.m2 + delta * delta * a.n * share;\n"
              "    a.mean += delta * share;\n"
              "    a.n = n;\n"
              "    return a;\n"
              "}\n",
              "variance_join", true, false)

/* ------------------------------------------------------------------ 16, 24 bytes */

/* The hash of a text: the number whose digits are the characters, modulo 2^61 - 1, and the base to the power
   of the text's length. */
typedef struct text {
    uint64_t hash, power;
} text;

#define TEXT_PRIME (((uint64_t)1 << 61) - 1)
#define TEXT_BASE 1234567890123456789u

static const text text_one = {0, 1};

static uint64_t text_add(uint64_t a, uint64_t b) /* both below 2^62 */
{
    const uint64_t c = (a & TEXT_PRIME) + (a >> 61) + (b & TEXT_PRIME) + (b >> 61);
    return c % TEXT_PRIME;
}

/* Returns the product modulo 2^61 - 1, computed from 32-bit halves, because C has no 128-bit product. 2^61 is
   congruent to 1. */
static uint64_t text_times(uint64_t a, uint64_t b)
{
    const uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    const uint64_t middle = al * bh + ah * bl; /* multiple of 2^32; below 2^62 */
    const uint64_t shifted = (middle >> 29) + ((middle & 0x1fffffffu) << 32); /* 2^61 replaced by 1 */
    return text_add(text_add((al * bl) % TEXT_PRIME, shifted), (ah * bh * 8) % TEXT_PRIME);
}

static text text_join(text a, text b)
{
    const text c = {text_add(text_times(a.hash, b.power), b.hash), text_times(a.power, b.power)};
    return c;
}

static text text_from_random(uint32_t r)
{
    const text a = {r & 0xff, TEXT_BASE};
    return a;
}

DEFINE_MONOID(text, "text",
              "typedef struct text { ulong hash, power; } text;\n"
              "static ulong text_fold(ulong a) /* modulo 2^61 - 1, for a below 2^62 + 2^61 */\n"
              "{\n"
              "    const ulong prime = ((ulong)1 << 61) - 1;\n"
              "    a = (a & prime) + (a >> 61);\n"
              "    return a >= prime ? a - prime : a;\n"
              "}\n"
              "static ulong text_times(ulong a, ulong b)\n"
              "{\n"
              "    const ulong low = a * b, high = mul_hi(a, b);\n"
              "    return text_fold((low & (((ulong)1 << 61) - 1)) + (high << 3 | low >> 61));\n"
              "}\n"
              "static text text_join(text a, text b)\n"
              "{\n"
              "    text c;\n"
              "    c.hash = text_fold(text_times(a.hash, b.power) + b.hash);\n"
              "    c.power = text_times(a.power, b.power);\n"
              "    return c;\n"
              "}\n",
              "text_join", false, true)

/* Square matrices over 32-bit integers. */
static void multiply(const uint32_t *a, const uint32_t *b, uint32_t *c, int n)
{
    int i, j, k;
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) {
            c[i * n + j] = 0;
            for (k = 0; k < n; k++) c[i * n + j] += a[i * n + k] * b[k * n + j];
        }
    }
}

static void fill(uint32_t r, uint32_t *m, int count)
{
    int i;
    for (i = 0; i < count; i++) m[i] = r = r * 1664525u + 1013904223u;
}

typedef struct matrix {
    uint32_t m[4];
} matrix;

static const matrix matrix_one = {{1, 0, 0, 1}};

static matrix matrix_join(matrix a, matrix b)
{
    matrix c;
    multiply(a.m, b.m, c.m, 2);
    return c;
}

static matrix matrix_from_random(uint32_t r)
{
    const matrix a = {{r, r * 2654435761u, r ^ 0x55u, r >> 3}};
    return a;
}

DEFINE_MONOID(matrix, "matrix",
              "typedef struct matrix { uint m[4]; } matrix;\n"
              "static matrix matrix_product(matrix a, matrix b)\n"
              "{\n"
              "    matrix c;\n"
              "    c.m[0] = a.m[0] * b.m[0] + a.m[1] * b.m[2];\n"
              "    c.m[1] = a.m[0] * b.m[1] + a.m[1] * b.m[3];\n"
              "    c.m[2] = a.m[2] * b.m[0] + a.m[3] * b.m[2];\n"
              "    c.m[3] = a.m[2] * b.m[1] + a.m[3] * b.m[3];\n"
              "    return c;\n"
              "}\n",
              "matrix_product", false, true)

/* Coordinates are integers, so that nothing is rounded, and there is no negative zero. */
typedef struct box {
    float left, top, right, bottom;
} box;

#define INF ((float)(1e308 * 10))
static const box box_one = {INF, INF, -INF, -INF};

static box box_join(box a, box b)
{
    if (b.left < a.left) a.left = b.left;
    if (b.top < a.top) a.top = b.top;
    if (b.right > a.right) a.right = b.right;
    if (b.bottom > a.bottom) a.bottom = b.bottom;
    return a;
}

static box box_from_random(uint32_t r)
{
    const float x = (float)(r & 0xffff) - 30000, y = (float)(r >> 16) - 30000;
    const box a = {x, y, x + (float)(r & 7), y + (float)(r >> 16 & 7)};
    return a;
}

DEFINE_MONOID(box, "box",
              "typedef struct box { float left, top, right, bottom; } box;\n"
              "static box box_join(box a, box b)\n"
              "{\n"
              "    a.left = fmin(a.left, b.left);\n"
              "    a.top = fmin(a.top, b.top);\n"
              "    a.right = fmax(a.right, b.right);\n"
              "    a.bottom = fmax(a.bottom, b.bottom);\n"
              "    return a;\n"
              "}\n",
              "box_join", true, true)

typedef struct moments {
    uint64_t n;
    int64_t sum;
    uint64_t squares;
} moments;

static const moments moments_one = {0, 0, 0};

static moments moments_join(moments a, moments b)
{
    const moments c = {a.n + b.n, a.sum + b.sum, a.squares + b.squares};
    return c;
}

static moments moments_from_random(uint32_t r)
{
    const int64_t x = (int64_t)(r >> 8) - (1 << 23);
    const moments a = {1, x, (uint64_t)(x * x)};
    return a;
}

DEFINE_MONOID(moments, "moments",
              "typedef struct moments { ulong n; long sum; ulong squares; } moments;\n"
              "static moments moments_join(moments a, moments b)\n"
              "{\n"
              "    a.n += b.n;\n"
              "    a.sum += b.sum;\n"
              "    a.squares += b.squares;\n"
              "    return a;\n"
              "}\n",
              "moments_join", true, true)

/* ------------------------------------------------------------------ 36, 64 bytes */

typedef struct matrix3 {
    uint32_t m[9];
} matrix3;

static const matrix3 matrix3_one = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};

static matrix3 matrix3_join(matrix3 a, matrix3 b)
{
    matrix3 c;
    multiply(a.m, b.m, c.m, 3);
    return c;
}

static matrix3 matrix3_from_random(uint32_t r)
{
    matrix3 a;
    fill(r, a.m, 9);
    return a;
}

DEFINE_MONOID(matrix3, "matrix3",
              "typedef struct matrix3 { uint m[9]; } matrix3;\n"
              "static matrix3 matrix3_product(matrix3 a, matrix3 b)\n"
              "{\n"
              "    matrix3 c;\n"
              "    for (uint i = 0; i < 9; i++) {\n"
              "        c.m[i] = 0;\n"
              "        for (uint k = 0; k < 3; k++) c.m[i] += a.m[i / 3 * 3 + k] * b.m[k * 3 + i % 3];\n"
              "    }\n"
              "    return c;\n"
              "}\n",
              "matrix3_product", false, true)

typedef struct matrix4 {
    uint32_t m[16];
} matrix4;

static const matrix4 matrix4_one = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};

static matrix4 matrix4_join(matrix4 a, matrix4 b)
{
    matrix4 c;
    multiply(a.m, b.m, c.m, 4);
    return c;
}

static matrix4 matrix4_from_random(uint32_t r)
{
    matrix4 a;
    fill(r, a.m, 16);
    return a;
}

DEFINE_MONOID(matrix4, "matrix4",
              "typedef struct matrix4 { uint m[16]; } matrix4;\n"
              "static matrix4 matrix4_product(matrix4 a, matrix4 b)\n"
              "{\n"
              "    matrix4 c;\n"
              "    for (uint i = 0; i < 16; i++) {\n"
              "        c.m[i] = 0;\n"
              "        for (uint k = 0; k < 4; k++) c.m[i] += a.m[i / 4 * 4 + k] * b.m[k * 4 + i % 4];\n"
              "    }\n"
              "    return c;\n"
              "}\n",
              "matrix4_product", false, true)

/* ------------------------------------------------------------------ the list */

const test_element *const test_monoids[] = {
    &test_last, &test_saturating, &test_permutation, &test_affine,  &test_runs,    &test_sums,
    &test_text, &test_matrix,     &test_box,         &test_moments, &test_matrix3, &test_matrix4,
};
const size_t test_monoid_count = sizeof test_monoids / sizeof test_monoids[0];
