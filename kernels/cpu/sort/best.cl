/* best.cl - keeps the first k entries, in order, of all that are offered to the group's one item.

   If k is small, the entries are kept in order, by insertion. Otherwise entries are appended. Whenever there are 2 k of them,
   they are sorted, and only the first k are kept. Keys after the k-th entry so far are skipped, 16 at a time.

   Parameter
       GPI_ENTRIES   room for entries, a power of two: at least 2 k                                          */
#ifndef GPI_SORT_BEST_CL
#define GPI_SORT_BEST_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/ranked.cl"
#include "sort/ranked_sort.cl"

#define GPI_BEST_FEW 128u

typedef struct gpi_best_memory {
    gpi_ranked entry[GPI_ENTRIES], other[GPI_ENTRIES];
    uint count, word;
} gpi_best_memory;
typedef gpi_best_memory *gpi_best_shared;

/* Entries that are not before the bound are not among the first k. */
typedef struct gpi_best {
    gpi_ranked bound;
    uint k, sorted; /* sorted: how many entries are in order */
} gpi_best;

/* Returns a state to which nothing has been offered. */
static gpi_best gpi_best_open(uint k, gpi_best_shared shared)
{
    gpi_best best;
    best.k = k;
    best.sorted = 0;
    best.bound = gpi_ranked_last();
    shared->count = 0;
    return best;
}

/* Sorts the entries, and drops those after the k-th. */
static void gpi_best_prune(gpi_best *best, gpi_best_shared shared)
{
    gpi_ranked *const added = shared->entry + best->sorted;
    const uint add = shared->count - best->sorted, n = min(shared->count, best->k);
    gpi_ranked_sort(added, add, shared->other);
    gpi_ranked_merge(shared->entry, best->sorted, added, add, n, shared->other);
    for (uint i = 0; i < n; i++) shared->entry[i] = shared->other[i];
    shared->count = best->sorted = n;
    if (n == best->k) best->bound = shared->entry[n - 1];
}

GPI_INLINE void gpi_best_offer(gpi_best *best, gpi_ranked x, gpi_best_shared shared)
{
    if (!gpi_ranked_before(x, best->bound)) return;
    if (best->k > GPI_BEST_FEW) {
        shared->entry[shared->count++] = x;
        if (shared->count == 2 * best->k) gpi_best_prune(best, shared);
        return;
    }
    const uint before = min(shared->count, best->k - 1);
    gpi_ranked_insert(shared->entry, before, x);
    shared->count = before + 1;
    if (shared->count == best->k) best->bound = shared->entry[before];
}

/* Offers n keys, after all keys offered earlier. The index of the first key is `index`. */
static void gpi_best_keys(gpi_best *best, __global const gpi_key *key, ulong n, ulong index,
                          gpi_key_bits flip, gpi_best_shared shared)
{
    ulong i = 0;
    for (; i + 16 <= n; i += 16) {
        const gpi_key_bits bound = gpi_ranked_order(best->bound);
        gpi_key_bits order[16];
        uint some = 0;
        for (uint j = 0; j < 16; j++) order[j] = gpi_key_order(key[i + j], flip);
        for (uint j = 0; j < 16; j++) some |= order[j] <= bound;
        if (!some) continue;
        for (uint j = 0; j < 16; j++)
            if (order[j] <= bound) gpi_best_offer(best, gpi_rank_of(order[j], index + i + j), shared);
    }
    for (; i < n; i++) gpi_best_offer(best, gpi_rank_of(gpi_key_order(key[i], flip), index + i), shared);
}

/* Offers n entries. */
static void gpi_best_entries(gpi_best *best, __global const gpi_ranked *entry, ulong n,
                             gpi_best_shared shared)
{
    for (ulong i = 0; i < n; i++) gpi_best_offer(best, entry[i], shared);
}

/* Sorts the first k entries: they are shared->entry[0 .. k). If fewer were offered, gpi_ranked_last fills the rest. */
static void gpi_best_close(gpi_best *best, gpi_best_shared shared)
{
    if (best->k > GPI_BEST_FEW) gpi_best_prune(best, shared);
    for (uint i = shared->count; i < best->k; i++) shared->entry[i] = gpi_ranked_last();
}
#endif
