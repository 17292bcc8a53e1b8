/* bytes_scan.cl - prefix sums of 64 bytes in a register of AVX-512.

       in      b0 b1 ... b7 | b8 b9 ... | ...           8 words of 8 bytes
       s       prefix sums in each word: three shifts, three additions
       t       prefix sums of the words' totals: also by shifts and additions, of whole words
       out     s + the total of all earlier words

   This takes 19 instructions. By vectors of 16 elements (scan/lanes_scan.cl), 64 bytes take 44.

   Defines
       GPI_SCANS_BYTES   1: the scan is a sum of one-byte elements, which are added as they are in memory */
#ifndef GPI_SCAN_BYTES_SCAN_CL
#define GPI_SCAN_BYTES_SCAN_CL
#include "base/platform.cl"
#include "vector/bytes.cl"
#include "vector/lanes.cl"
#include "element/ops.cl"

#if GPI_VECTOR_BYTES == 64 && GPI_LANES > 1 && GPI_SIZE == 1 && GPI_FIELD_COUNT == 1 && !GPI_MAPPED && \
    !GPI_REVERSE && !GPI_SEGMENTED
#if GPI_OP_0 == GPI_SUM
#define GPI_SCANS_BYTES 1
#endif
#endif
#ifndef GPI_SCANS_BYTES
#define GPI_SCANS_BYTES 0
#endif

#if GPI_SCANS_BYTES
/* Shifts each word of 8 bytes up by `bits` bits. */
static gpi_bytes_aligned gpi_bytes_up_words(gpi_bytes_aligned x, uint bits)
{
    return __builtin_astype(__builtin_astype(x, ulong8) << bits, gpi_bytes_aligned);
}

/* Moves the words of t up by k. The k lowest words of the result are from `none`. */
#define GPI_WORDS_UP(none, t, k) \
    __builtin_shufflevector(none, t, 8 - k, 9 - k, 10 - k, 11 - k, 12 - k, 13 - k, 14 - k, 15 - k)

/* gpi_bytes_of_words copies the lowest byte of each word to all bytes of that word. */
#define GPI_OF_WORD(w) 8 * w, 8 * w, 8 * w, 8 * w, 8 * w, 8 * w, 8 * w, 8 * w
static gpi_bytes_aligned gpi_bytes_of_words(ulong8 words)
{
    const gpi_bytes_aligned x = __builtin_astype(words, gpi_bytes_aligned);
    return __builtin_shufflevector(x, x, GPI_OF_WORD(0), GPI_OF_WORD(1), GPI_OF_WORD(2), GPI_OF_WORD(3),
                                   GPI_OF_WORD(4), GPI_OF_WORD(5), GPI_OF_WORD(6), GPI_OF_WORD(7));
}

/* Returns the prefix sums of x, each plus the sum *before, and adds the sum of x to *before. Every word of *before is the sum of
   all bytes so far. `none` is 0, but the compiler must not know it: LLVM would shift in zeros by vpexpandq, and the scan would
   take twice as long. */
GPI_INLINE gpi_bytes_aligned gpi_bytes_scan(gpi_bytes_aligned x, ulong8 none, ulong8 *before)
{
    gpi_bytes_aligned s = x;
    s += gpi_bytes_up_words(s, 8);
    s += gpi_bytes_up_words(s, 16);
    s += gpi_bytes_up_words(s, 32);
    ulong8 t = __builtin_astype(s, ulong8) >> 56;
    t += GPI_WORDS_UP(none, t, 1);
    t += GPI_WORDS_UP(none, t, 2);
    t += GPI_WORDS_UP(none, t, 4);
    s += gpi_bytes_of_words(*before + GPI_WORDS_UP(none, t, 1));
    *before += (ulong8)(t.s7);
    return s;
}
#endif
#endif
