/* single_tile_serial.cl - few keys in the serial shape.

   Up to GPI_SINGLE_TILE_FEW by their ranks, sixteen at a time:

       rank(i) = |{j : k(j) < k(i)  or  k(j) = k(i), j < i}|

   More by passes over their digits, from place to place (sort/digit.cl).

   Parameters: those of sort/rank_serial.cl. */
#ifndef GPI_SORT_SINGLE_TILE_SERIAL_CL
#define GPI_SORT_SINGLE_TILE_SERIAL_CL
#include "element/key.cl"
#include "sort/digit.cl"
#include "sort/rank.cl"

typedef gpi_rank_memory gpi_single_tile_memory;
typedef gpi_rank_shared gpi_single_tile_shared;

/* Keys [base, base + n) from place `from` to the output. All digits are counted in one reading. `tmp_first`:
   0 when the first pass may write the output, so that the last one can be made to. n > 0. */
static void gpi_single_tile_range(gpi_places places, ulong base, ulong n, gpi_digit_bits bits, uint from,
                                  uint tmp_first, gpi_rank_shared shared)
{
    uint count[GPI_PASSES_MAX * GPI_BINS];
    uint moves = 0;
    gpi_move move = gpi_move_make(places, from, GPI_PLACE_OUT);
    const gpi_key any = move.key[base];
    gpi_count_all(move.key, base, base + n, bits, count);
    for (uint p = 0; p < bits.passes; p++)
        moves += count[p * GPI_BINS + gpi_digit_of(any, gpi_digit_of_pass(p, bits))] != n;
    const uint first = tmp_first || moves % 2 == 0 ? GPI_PLACE_TMP : GPI_PLACE_OUT;
    for (uint p = 0; p < bits.passes; p++) {
        const gpi_digit digit = gpi_digit_of_pass(p, bits);
        const uint to = gpi_place_next(from, first);
        ulong sum = base;
        if (count[p * GPI_BINS + gpi_digit_of(any, digit)] == n) continue;
        for (uint d = 0; d < GPI_BINS; d++) {
            shared->next[d] = sum;
            sum += count[p * GPI_BINS + d];
        }
        gpi_move_direct(gpi_move_make(places, from, to), base, base + n, digit, shared);
        from = to;
    }
    move = gpi_move_make(places, from, GPI_PLACE_OUT);
    for (ulong i = base; i < base + n && from != GPI_PLACE_OUT; i++) gpi_move_one(move, i, i);
}

#define GPI_SINGLE_TILE_FEW 64

#if GPI_KEY_SIZE == 8
typedef ulong16 gpi_bits16;
typedef long16 gpi_rank16;
#else
typedef uint16 gpi_bits16;
typedef int16 gpi_rank16;
#endif
#define GPI_IOTA16 ((gpi_rank16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))

/* A few keys in their order, cut to the window. */
typedef union gpi_few {
    gpi_key_bits one[GPI_SINGLE_TILE_FEW];
    gpi_bits16 sixteen[GPI_SINGLE_TILE_FEW / 16];
} gpi_few;

/* Where keys 16 * b and on go: a comparison is -1 where it holds. */
static gpi_rank16 gpi_few_ranks(const gpi_few *few, uint b, uint n)
{
    const gpi_bits16 own = few->sixteen[b];
    const uint begin = 16 * b, end = min(n, begin + 16);
    gpi_rank16 rank = 0;
    for (uint i = 0; i < begin; i++) rank -= (gpi_bits16)(few->one[i]) <= own;
    for (uint i = begin; i < end; i++) {
        const gpi_bits16 k = (gpi_bits16)(few->one[i]);
        rank -= (k < own) | ((k == own) & (GPI_IOTA16 > (gpi_rank16)(i - begin)));
    }
    for (uint i = end; i < n; i++) rank -= (gpi_bits16)(few->one[i]) < own;
    return rank;
}

/* Keys [base, base + n), n <= GPI_SINGLE_TILE_FEW. All are read before any is written. */
static void gpi_single_tile_few(gpi_move move, ulong base, uint n, gpi_digit_bits bits)
{
    union {
        gpi_rank16 sixteen[GPI_SINGLE_TILE_FEW / 16];
#if GPI_KEY_SIZE == 8
        long one[GPI_SINGLE_TILE_FEW];
#else
        int one[GPI_SINGLE_TILE_FEW];
#endif
    } rank;
    gpi_few few;
    gpi_key key[GPI_SINGLE_TILE_FEW];
#if GPI_VALUE_SIZE
    gpi_value value[GPI_SINGLE_TILE_FEW];
#endif
    few.sixteen[(n - 1) / 16] = 0; /* also what comes after the end */
    for (uint i = 0; i < n; i++) {
        key[i] = move.key[base + i];
        few.one[i] = gpi_window_of(key[i], bits);
#if GPI_VALUE_SIZE
        value[i] = gpi_value_at(move, base + i);
#endif
    }
    for (uint b = 0; b <= (n - 1) / 16; b++) rank.sixteen[b] = gpi_few_ranks(&few, b, n);
    for (uint i = 0; i < n; i++) {
        move.key_to[base + (ulong)rank.one[i]] = key[i];
#if GPI_VALUE_SIZE
        move.value_to[base + (ulong)rank.one[i]] = value[i];
#endif
    }
}
#endif
