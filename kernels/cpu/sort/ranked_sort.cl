/* ranked_sort.cl - sorts entries by merges of runs, whose length doubles from GPI_RANKED_RUN on. */
#ifndef GPI_SORT_RANKED_SORT_CL
#define GPI_SORT_RANKED_SORT_CL
#include "base/platform.cl"
#include "sort/ranked.cl"

#define GPI_RANKED_RUN 8u

/* Inserts x into the n entries in order. There is room for one more. */
GPI_INLINE void gpi_ranked_insert(gpi_ranked *entry, uint n, gpi_ranked x)
{
    for (; n > 0 && gpi_ranked_before(x, entry[n - 1]); n--) entry[n] = entry[n - 1];
    entry[n] = x;
}

/* Writes the first `most` entries of two runs to `out`, merged. */
GPI_INLINE void gpi_ranked_merge(const gpi_ranked *a, uint n, const gpi_ranked *b, uint m, uint most,
                                 gpi_ranked *out)
{
    uint i = 0, j = 0, k = 0;
    for (; i < n && j < m && k < most; k++) {
        const bool second = gpi_ranked_before(b[j], a[i]);
        out[k] = second ? b[j] : a[i];
        i += !second;
        j += second;
    }
    for (; i < n && k < most; k++) out[k] = a[i++];
    for (; j < m && k < most; k++) out[k] = b[j++];
}

/* Sorts n entries; `other` has room for as many. */
GPI_NOINLINE void gpi_ranked_sort(gpi_ranked *entry, uint n, gpi_ranked *other)
{
    gpi_ranked *from = entry, *to = other;
    for (uint i = 0; i < n; i++)
        gpi_ranked_insert(entry + i / GPI_RANKED_RUN * GPI_RANKED_RUN, i % GPI_RANKED_RUN, entry[i]);
    for (uint run = GPI_RANKED_RUN; run < n; run *= 2) {
        for (uint at = 0; at < n; at += 2 * run) {
            const uint first = min(run, n - at), second = min(run, n - at - first);
            gpi_ranked_merge(from + at, first, from + at + first, second, first + second, to + at);
        }
        gpi_ranked *const swap = from;
        from = to;
        to = swap;
    }
    for (uint i = 0; i < n && from != entry; i++) entry[i] = from[i];
}
#endif
