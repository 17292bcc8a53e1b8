/* random_blocks.cl - random numbers as a function of a counter: Philox4x32-10 (Salmon, Moraes, Dror & Shaw, Parallel
   random numbers: as easy as 1, 2, 3, SC11)

       block b of a stream    philox(counter = (b, stream), key = seed): four words of 32 bits
       element e              words GPI_WORDS e .. GPI_WORDS e + GPI_WORDS - 1 of the sequence of all blocks' words
       out[i]                 computed from element first_element + i

       blocks     | w0 w1 w2 w3 | w4 w5 w6 w7 | ...
       elements   | e0 e1 e2 e3 | e4 e5 e6 e7 |       GPI_WORDS 1
                  | e0    e1    | e2    e3    |       GPI_WORDS 2

   An element does not depend on the item that computes it. Normal numbers are computed in pairs (Box & Muller 1958),
   each pair from one block.

   Parameters, which the prelude defines
       GPI_WG, GPI_PER_ITEM                  items of a group; on GPUs: blocks of an item
       GPI_WORDS                             1, 2: words of an element
       GPI_KIND                              0: bits, 1: uniform floats, 2: integers of a range, 3: normal
       GPI_OUT, GPI_OUT_HALF                 type of the output in memory; 1: half
       GPI_LANE                              type in which elements are computed: float for half
       GPI_FRACTION                          floats: bits of a fraction in [0, 1)
       GPI_AS_LANE(bits)                     normal: the number of type GPI_LANE with these bits         */
#ifndef GPI_MAP_RANDOM_BLOCKS_CL
#define GPI_MAP_RANDOM_BLOCKS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "map/random_lanes.cl"

#if GPI_WORDS != 1 && GPI_WORDS != 2
#error "GPI_WORDS must be 1 or 2"
#endif
#if GPI_KIND > 3
#error "GPI_KIND must be 0 .. 3"
#endif

#define GPI_PER_BLOCK (4 / GPI_WORDS) /* elements of a block */

/* A counter, or the words that gpi_philox computes from a counter. */
typedef struct gpi_random_block {
    gpi_random_lanes word[4];
} gpi_random_block;

GPI_INLINE gpi_random_block gpi_philox(gpi_random_block c, uint key0, uint key1)
{
    for (uint round = 0; round < 10; round++) {
        const gpi_wide_lanes p = GPI_LANES_WIDE(c.word[0]) * 0xd2511f53ul;
        const gpi_wide_lanes q = GPI_LANES_WIDE(c.word[2]) * 0xcd9e8d57ul;
        c.word[0] = GPI_LANES_NARROW(q >> 32) ^ c.word[1] ^ GPI_RANDOM_LANES(key0);
        c.word[1] = GPI_LANES_NARROW(q & 0xfffffffful);
        c.word[2] = GPI_LANES_NARROW(p >> 32) ^ c.word[3] ^ GPI_RANDOM_LANES(key1);
        c.word[3] = GPI_LANES_NARROW(p & 0xfffffffful);
        key0 += 0x9e3779b9u;
        key1 += 0xbb67ae85u;
    }
    return c;
}

/* Writes the words of GPI_BLOCKS blocks from b on to `word`, in the order of the blocks. */
GPI_INLINE void gpi_random_words(ulong b, ulong seed, ulong stream, uint word[4 * GPI_BLOCKS])
{
    const gpi_wide_lanes at = b + GPI_RANDOM_NUMBERS;
    uint by_place[4][GPI_BLOCKS];
    gpi_random_block c;
    c.word[0] = GPI_LANES_NARROW(at & 0xfffffffful);
    c.word[1] = GPI_LANES_NARROW(at >> 32);
    c.word[2] = GPI_RANDOM_LANES((uint)stream);
    c.word[3] = GPI_RANDOM_LANES((uint)(stream >> 32));
    c = gpi_philox(c, (uint)seed, (uint)(seed >> 32));
    for (uint k = 0; k < 4; k++) GPI_LANES_STORE(c.word[k], by_place[k]);
    for (uint k = 0; k < 4 * GPI_BLOCKS; k++) word[k] = by_place[k % 4][k / 4];
}

#if GPI_KIND == 1 || GPI_KIND == 3
/* Returns element e as a fraction in [0, 1), which GPI_LANE represents exactly. */
GPI_INLINE GPI_LANE gpi_fraction(const uint *word, uint e)
{
#if GPI_WORDS == 1
    return (GPI_LANE)(word[e] >> (32 - GPI_FRACTION)) * (GPI_LANE)(1.0f / (1 << GPI_FRACTION));
#else
    const ulong w = (ulong)word[2 * e + 1] << 32 | word[2 * e];
    return (GPI_LANE)(w >> (64 - GPI_FRACTION)) / (GPI_LANE)(1ul << GPI_FRACTION);
#endif
}
#else
GPI_INLINE ulong gpi_random_bits(const uint *word, uint e)
{
#if GPI_WORDS == 1
    return word[e];
#else
    return (ulong)word[2 * e + 1] << 32 | word[2 * e];
#endif
}
#endif

/* Computes the elements of GPI_BLOCKS blocks from their words. a, b: the least integer and the number of integers, or the bits of
   mean and deviation. */
GPI_INLINE void gpi_random_elements(const uint *word, ulong a, ulong b, GPI_LANE *element)
{
#if GPI_KIND == 3
    /* 1 minus a fraction is never 0, and exact */
    for (uint e = 0; e < GPI_BLOCKS * GPI_PER_BLOCK; e += 2) {
        const GPI_LANE u = 1 - gpi_fraction(word, e), v = gpi_fraction(word, e + 1);
        const GPI_LANE radius = GPI_AS_LANE(b) * sqrt(-2 * log(u));
        element[e] = GPI_AS_LANE(a) + radius * cospi(2 * v);
        element[e + 1] = GPI_AS_LANE(a) + radius * sinpi(2 * v);
    }
#else
    for (uint e = 0; e < GPI_BLOCKS * GPI_PER_BLOCK; e++) {
#if GPI_KIND == 0
        element[e] = (GPI_LANE)gpi_random_bits(word, e);
#elif GPI_KIND == 1
        element[e] = gpi_fraction(word, e);
#else
        element[e] = (GPI_LANE)(a + mul_hi(gpi_random_bits(word, e), b));
#endif
    }
#endif
}

#if GPI_OUT_HALF
#define GPI_RANDOM_WRITE(p, i, v) vstore_half(v, i, p)
#else
#define GPI_RANDOM_WRITE(p, i, v) (p)[i] = (v)
#endif

#define GPI_RANDOM_PARAMETERS                                                                        \
    __global GPI_OUT *out, ulong out_offset, ulong seed, ulong stream, ulong first_element, ulong a, \
        ulong b, ulong span, GPI_COUNT_PARAMETERS, volatile __global uint *counters
#endif
