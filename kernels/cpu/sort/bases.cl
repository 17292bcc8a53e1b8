/* bases.cl - one item computes the bases of digits from their counts. */
#ifndef GPI_SORT_BASES_CL
#define GPI_SORT_BASES_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"
#include "element/key.cl"

typedef struct gpi_bases_memory {
    ulong next[GPI_BINS];
    uint word;
} gpi_bases_memory;
typedef GPI_GROUP_SPACE gpi_bases_memory *gpi_bases_shared;

/* Replaces each count shared->next[d] by the number of keys with a lower digit. Returns whether all keys have the same digit. */
static bool gpi_bases_of(gpi_bases_shared shared)
{
    ulong sum = 0, most = 0;
    for (uint d = 0; d < GPI_BINS; d++) {
        const ulong x = shared->next[d];
        most = max(most, x);
        shared->next[d] = sum;
        sum += x;
    }
    return most == sum;
}

/* Replaces each entry of the table by the sum of the entries above it, and writes each column's sum to shared->next. */
static void gpi_columns(__global ulong *table, uint blocks, gpi_bases_shared shared)
{
    for (uint d = 0; d < GPI_BINS; d++) shared->next[d] = 0;
    for (uint b = 0; b < blocks; b++) {
        for (uint d = 0; d < GPI_BINS; d++) {
            const ulong x = table[(ulong)b * GPI_BINS + d];
            table[(ulong)b * GPI_BINS + d] = shared->next[d];
            shared->next[d] += x;
        }
    }
}

/* Returns whether keys are hashed, and at most half of the digits occur in shared->next. In this case there are so few
   different keys that caches hold their slots in any order. */
static bool gpi_hashes_are_few(gpi_bases_shared shared)
{
#if GPI_KEY_HASH
    uint digits = 0;
    for (uint d = 0; d < GPI_BINS; d++) digits += shared->next[d] != 0;
    return digits <= GPI_BINS / 2;
#else
    (void)shared;
    return false;
#endif
}
#endif
