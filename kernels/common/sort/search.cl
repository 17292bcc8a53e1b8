/* search.cl - finds the positions of needles in a sorted sequence of keys

       lower bound   out[i] = how many keys come before needle i
       upper bound   out[i] = how many keys come before needle i or are equal to it

   Every stride-th key is a sample, and a group keeps copies of all samples in its own memory. So the first half of
   a search's steps needs no keys from global memory, where each step would read another cache line.

       keys      | . . . s0 | . . . s1 | . . . s2 | . .       n keys, n / stride samples
       samples   | s0 s1 s2 |                                 stride = n / wanted + 1

   If c samples come before the needle, only the stride - 1 keys after sample c - 1 are left to search. The searches of samples
   and of keys use the same loop, which has no branches, and the same number of steps for every needle. So an item searches for
   GPI_ABREAST needles side by side, and their reads do not wait for each other.

   "x <= q" is computed as "x < q + 1". If q is the greatest number, q + 1 is 0, and all keys come before the needle.
   If the keys are not sorted, positions are arbitrary in [0, n]. No other memory is touched.

   Keys are read from memory, or computed by the caller's expression: key(i) = map(x, i), where x is element i, or
   key(i) = map(i). The same holds for needles.

   Parameters
       GPI_WG, GPI_TILE                      items of a group; on GPUs: the most samples of a group
       GPI_ABREAST                           needles that an item searches for side by side
       GPI_VALUE_SIZE                        4, 8: bytes of a position
   If there are expressions, the prelude also defines
       GPI_HAY, GPI_HAY_HALF                 type in memory of the elements that keys are computed from; 1: it is half
       GPI_HAY_MAPPED, GPI_HAY_PRESENT       1: gpi_hay_lane(x, i) computes the key of x; gpi_hay_lane(i) if PRESENT is 0
       GPI_NEEDLE...                         the corresponding parameters for needles
       GPI_LANE_BITS(v)                      the bits of v, a key that an expression has computed   */
#ifndef GPI_SORT_SEARCH_CL
#define GPI_SORT_SEARCH_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/search_samples.cl"

#if GPI_VALUE_SIZE != 4 && GPI_VALUE_SIZE != 8
#error "GPI_VALUE_SIZE must be 4 or 8: a position"
#endif

#ifndef GPI_LANE_BITS
#define GPI_HAY gpi_key
#define GPI_HAY_MAPPED 0
#define GPI_NEEDLE gpi_key
#define GPI_NEEDLE_MAPPED 0
#endif

/* The keys to search, and how many samples of them a group keeps. */
typedef struct gpi_haystack {
    __global const GPI_HAY *key;
    ulong count, stride;
    gpi_key_bits flip;
    uint samples;
    GPI_ARGS_MEMBER
} gpi_haystack;

/* Needles that are searched for side by side. q: order(needle), or order(needle) + 1 if upper bounds are wanted; at:
   the positions found. */
typedef struct gpi_needles {
    gpi_key_bits q[GPI_ABREAST];
    ulong at[GPI_ABREAST];
} gpi_needles;

/* Read element i of buffer p, as a float if it is a half. */
#if GPI_HAY_HALF
#define GPI_READ_HAY(p, i) vload_half(i, p)
#else
#define GPI_READ_HAY(p, i) (p)[i]
#endif
#if GPI_NEEDLE_HALF
#define GPI_READ_NEEDLE(p, i) vload_half(i, p)
#else
#define GPI_READ_NEEDLE(p, i) (p)[i]
#endif

#ifdef GPI_LANE_BITS
GPI_INLINE ushort gpi_half_bits(float v)
{
    ushort bits;
    vstore_half(v, 0, (half *)&bits);
    return bits;
}
#endif

/* Return order(key i) and order(needle i). */
GPI_INLINE gpi_key_bits gpi_hay_order(gpi_haystack hay, ulong i)
{
#if !GPI_HAY_MAPPED
    return gpi_key_order(hay.key[i], hay.flip);
#elif GPI_HAY_PRESENT
    return gpi_key_order(GPI_LANE_BITS(gpi_hay_lane(GPI_ARGS_OF(hay) GPI_READ_HAY(hay.key, i), i)), hay.flip);
#else
    return gpi_key_order(GPI_LANE_BITS(gpi_hay_lane(GPI_ARGS_OF(hay) i)), hay.flip);
#endif
}

GPI_INLINE gpi_key_bits gpi_needle_order(gpi_haystack hay, __global const GPI_NEEDLE *needle, ulong i)
{
#if !GPI_NEEDLE_MAPPED
    return gpi_key_order(needle[i], hay.flip);
#elif GPI_NEEDLE_PRESENT
    return gpi_key_order(GPI_LANE_BITS(gpi_needle_lane(GPI_ARGS_OF(hay) GPI_READ_NEEDLE(needle, i), i)),
                         hay.flip);
#else
    (void)needle;
    return gpi_key_order(GPI_LANE_BITS(gpi_needle_lane(GPI_ARGS_OF(hay) i)), hay.flip);
#endif
}

/* Writes at most `wanted` samples to `sample`, and returns `hay` with its stride and number of samples set. Every item reads some
   of the samples. */
static gpi_haystack gpi_sample(gpi_haystack hay, uint wanted, GPI_GROUP_SPACE gpi_key_bits *sample)
{
    hay.stride = hay.count / wanted + 1;
    hay.samples = (uint)(hay.count / hay.stride);
    for (uint s = (uint)GPI_LOCAL_ID; s < hay.samples; s += GPI_WG)
        sample[s] = gpi_hay_order(hay, (s + 1) * hay.stride - 1);
    gpi_sync(); /* all samples are written */
    return hay;
}

/* Writes to needles->at how many of the `n` sorted samples come before each needle. */
static void gpi_search_samples(GPI_GROUP_SPACE const gpi_key_bits *sample, uint n, gpi_needles *needles)
{
    uint at[GPI_ABREAST];
    for (uint k = 0; k < GPI_ABREAST; k++) at[k] = 0;
    for (; n > 1; n -= n / 2) {
#pragma unroll
        for (uint k = 0; k < GPI_ABREAST; k++) at[k] += sample[at[k] + n / 2 - 1] < needles->q[k] ? n / 2 : 0;
    }
    for (uint k = 0; k < GPI_ABREAST; k++) needles->at[k] = n ? at[k] + (sample[at[k]] < needles->q[k]) : 0;
}

/* Searches the `n` keys from needles->at on, and adds to needles->at how many of them come before each needle. */
static void gpi_search_keys(gpi_haystack hay, ulong n, gpi_needles *needles)
{
    for (; n > 1; n -= n / 2) {
#pragma unroll
        for (uint k = 0; k < GPI_ABREAST; k++) {
            const ulong middle = needles->at[k] + n / 2;
            needles->at[k] = gpi_hay_order(hay, middle - 1) < needles->q[k] ? middle : needles->at[k];
        }
    }
    for (uint k = 0; k < GPI_ABREAST && n; k++)
        needles->at[k] += gpi_hay_order(hay, needles->at[k]) < needles->q[k];
}

/* Writes the positions of the needles to needles->at. A search after the last sample begins at an earlier key, so that it covers
   as many keys as the others. */
GPI_NOINLINE void gpi_search(gpi_haystack hay, GPI_GROUP_SPACE const gpi_key_bits *sample,
                             gpi_needles *needles)
{
    const ulong gap = hay.stride - 1;
    gpi_search_samples(sample, hay.samples, needles);
    for (uint k = 0; k < GPI_ABREAST; k++) needles->at[k] = min(needles->at[k] * hay.stride, hay.count - gap);
    gpi_search_keys(hay, gap, needles);
}

/* Writes the positions of all needles. Each group handles a range of `span` needles. */
GPI_KERNEL void gp_search_needles(GPI_ARGS_PARAMETERS __global const GPI_HAY *key, ulong key_at,
                                  __global const GPI_NEEDLE *needle, ulong needle_at, __global gpi_value *out,
                                  ulong out_at, ulong flip, uint upper, uint wanted_samples, ulong span,
                                  GPI_COUNT_PARAMETERS_NAMED(key), GPI_COUNT_PARAMETERS_NAMED(needle),
                                  volatile __global uint *counters)
{
    GPI_GROUP_SPACE gpi_key_bits sample[GPI_SEARCH_SAMPLES];
    const ulong n = GPI_COUNT_NAMED(key), needles = GPI_COUNT_NAMED(needle);
    const ulong begin = span * get_group_id(0), end = min(needles, begin + span);
    GPI_COUNT_CHECK_NAMED(key, get_group_id(0) == 0, counters);
    GPI_COUNT_CHECK_NAMED(needle, get_group_id(0) == 0, counters);
    if (begin >= needles) return;
    gpi_haystack hay;
    GPI_ARGS_SET(hay)
    hay.key = key + key_at;
    hay.count = n;
    hay.flip = (gpi_key_bits)flip;
    hay = gpi_sample(hay, wanted_samples, sample);
    needle += needle_at;
    out += out_at;
    for (ulong base = begin + GPI_LOCAL_ID; base < end; base += GPI_ABREAST * GPI_WG) {
        gpi_needles some;
        for (uint k = 0; k < GPI_ABREAST; k++) {
            const ulong i = min(base + k * GPI_WG, end - 1); /* needles after the end repeat the last one */
            some.q[k] = gpi_needle_order(hay, needle, i) + upper;
        }
        gpi_search(hay, sample, &some);
        for (uint k = 0; k < GPI_ABREAST; k++) {
            const ulong i = base + k * GPI_WG;
            if (i < end) out[i] = (gpi_value)(upper && some.q[k] == 0 ? n : some.at[k]);
        }
    }
}
#endif
