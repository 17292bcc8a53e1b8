/* monoid_check.cl - tests the laws of a monoid. Each work-item takes three elements a, b, c. With e, the identity, it tests

       e a = a,  a e = a        (a b) c = a (b c)        a b = b a

   and writes which of these laws fail, and the results: | e a | a e | a b | b a | (a b) c | a (b c) |

   Parameters: those of element/monoid.cl, and
       gpi_user_equal(GPI_ARGS_PASSED x, y)     the caller's equality, if GPI_EQUAL is 1
       GPI_EXACT                used if GPI_EQUAL is 0. 1: words must be equal; 0: words may differ slightly as floats  */
#ifndef GPI_SCAN_MONOID_CHECK_CL
#define GPI_SCAN_MONOID_CHECK_CL
#include "base/args.cl"
#include "base/platform.cl"
#include "element/monoid.cl"
#include "scan/constants.cl"

/* Returns the magnitude of the float whose bits are `word`, or 0 if it is not finite. */
static float gpi_word_value(uint word)
{
    const float x = as_float(word);
    return isfinite(x) ? fabs(x) : 0.0f;
}

static float gpi_scale_of(GPI_T a)
{
    const gpi_bits bits = gpi_bits_of(a);
    float scale = 0.0f;
    for (uint w = 0; w < GPI_WORDS; w++) scale = fmax(scale, gpi_word_value(bits.word[w]));
    return scale;
}

static bool gpi_word_same(uint a, uint b, float slack)
{
#if GPI_EXACT
    (void)slack;
    return a == b;
#else
    const float x = as_float(a), y = as_float(b);
    return a == b || (isnan(x) && isnan(y)) || fabs(x - y) <= slack;
#endif
}

static bool gpi_same(GPI_ARGS_PARAMETER GPI_T x, GPI_T y, float slack)
{
#if GPI_EQUAL
    return gpi_user_equal(GPI_ARGS_PASSED x, y);
#else
    const gpi_bits a = gpi_bits_of(x), b = gpi_bits_of(y);
    bool same = true;
    for (uint w = 0; w < GPI_WORDS; w++) same = same && gpi_word_same(a.word[w], b.word[w], slack);
    return same;
#endif
}

GPI_KERNEL void gp_monoid_check(GPI_ARGS_PARAMETERS __global const GPI_T *elements,
                                __global const uint *triples, uint count, float tolerance,
                                __global GPI_T *results, __global uint *failed)
{
    const uint t = (uint)get_global_id(0);
    if (t >= count) return;
    const GPI_T e = gpi_identity(), a = elements[triples[3 * t]], b = elements[triples[3 * t + 1]],
                c = elements[triples[3 * t + 2]];
    const GPI_T ab = gpi_combine(GPI_COMBINE_HERE a, b), ba = gpi_combine(GPI_COMBINE_HERE b, a),
                bc = gpi_combine(GPI_COMBINE_HERE b, c);
    const GPI_T left = gpi_combine(GPI_COMBINE_HERE e, a), right = gpi_combine(GPI_COMBINE_HERE a, e);
    const GPI_T ab_c = gpi_combine(GPI_COMBINE_HERE ab, c), a_bc = gpi_combine(GPI_COMBINE_HERE a, bc);
    const float both = fmax(gpi_scale_of(a), gpi_scale_of(b));
    const float three = fmax(fmax(both, gpi_scale_of(c)), fmax(gpi_scale_of(ab), gpi_scale_of(bc)));
    const float all = fmax(three, fmax(gpi_scale_of(ab_c), gpi_scale_of(a_bc)));
    uint f = 0;
    if (!gpi_same(GPI_ARGS_HERE left, a, tolerance * gpi_scale_of(a))) f |= GPI_LAW_LEFT;
    if (!gpi_same(GPI_ARGS_HERE right, a, tolerance * gpi_scale_of(a))) f |= GPI_LAW_RIGHT;
    if (!gpi_same(GPI_ARGS_HERE ab, ba, tolerance * fmax(both, gpi_scale_of(ab)))) f |= GPI_LAW_COMMUTES;
    if (!gpi_same(GPI_ARGS_HERE ab_c, a_bc, tolerance * all)) f |= GPI_LAW_ASSOCIATES;
    failed[t] = f;
    results += (ulong)t * GPI_LAW_RESULTS;
    results[0] = left;
    results[1] = right;
    results[2] = ab;
    results[3] = ba;
    results[4] = ab_c;
    results[5] = a_bc;
}
#endif
