/* bases.cl - computes bases from the counts of digits: the base of a digit is the first position of its keys.

       base(d)    = sum of count(e), e < d
       above(b,d) = sum of count(a, d), a < b        blocks a, b: rows of a table

       gpi_bases_of(shared)                 replaces the counts in shared->next, which all items can read, by bases;
                                            returns whether all keys have the same digit
       gpi_columns(table, blocks, shared)   replaces table[block][d] by above(block, d), and writes the sum of column d
                                            to shared->next[d]
       gpi_hashes_are_few(shared)           returns whether so few digits occur that few different keys are likely; here
                                            always false, because caches of GPUs are small

   These functions must be called by all items of the group or by none. */
#ifndef GPI_SORT_BASES_CL
#define GPI_SORT_BASES_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "sort/digit.cl"

#define GPI_GROUP gpi_bin_sums
#define GPI_GROUP_T ulong
#define GPI_GROUP_COMBINE(a, b) ((a) + (b))
#define GPI_GROUP_IDENTITY 0ul
#define GPI_GROUP_SIZE GPI_WG
#define GPI_GROUP_ITEM ((uint)GPI_LOCAL_ID)
#define GPI_GROUP_TURNS(n) GPI_TURNS(n)
#define GPI_GROUP_ALONE 0
#include "group/collectives.cl"
#undef GPI_GROUP_SIZE
#undef GPI_GROUP_ITEM
#undef GPI_GROUP_TURNS
#undef GPI_GROUP_ALONE

typedef struct gpi_bases_memory {
    ulong next[GPI_BINS];
    ulong sum[2 * GPI_WG];
    uint word;
} gpi_bases_memory;
typedef GPI_GROUP_SPACE gpi_bases_memory *gpi_bases_shared;

#define gpi_hashes_are_few(shared) false

/* Each item handles consecutive digits. */
static bool gpi_bases_of(gpi_bases_shared shared)
{
    const uint l = (uint)GPI_LOCAL_ID, each = (GPI_BINS + GPI_WG - 1) / GPI_WG;
    const uint begin = min(l * each, (uint)GPI_BINS), end = min(begin + each, (uint)GPI_BINS);
    ulong sum = 0, total;
    for (uint d = begin; d < end; d++) sum += shared->next[d];
    if (l == 0) shared->word = 0;
    sum = gpi_bin_sums_scan_exclusive(sum, &total, shared->sum);
    if (l == 0 && total == 0) shared->word = 1;
    for (uint d = begin; d < end; d++) {
        const ulong x = shared->next[d];
        if (x == total && total > 0) shared->word = 1; /* true for one digit at most */
        shared->next[d] = sum;
        sum += x;
    }
    gpi_sync(); /* the bases and the word are written */
    const bool trivial = shared->word != 0;
    gpi_sync(); /* the word is read: the next call may overwrite it */
    return trivial;
}

static void gpi_columns(__global ulong *table, uint blocks, gpi_bases_shared shared)
{
    GPI_EACH_BIN(d)
    {
        ulong sum = 0;
        for (uint b = 0; b < blocks; b++) {
            const ulong x = table[(ulong)b * GPI_BINS + d];
            table[(ulong)b * GPI_BINS + d] = sum;
            sum += x;
        }
        shared->next[d] = sum;
    }
    gpi_sync(); /* the columns' sums are written */
}
#endif
