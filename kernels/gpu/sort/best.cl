/* best.cl - keeps the first k entries, in order, of all that are offered to a group.

   Entries before a bound are appended to shared memory. Whenever this memory is full, it is sorted, only the first k
   entries are kept, and the k-th becomes the bound. So, if the entries are in random order, few of them are appended.
   The first bound is just after the k-th of the items' least entries in the first chunk.

   Parameter
       GPI_ENTRIES   room in shared memory, a power of two: at least k + GPI_OFFERS * GPI_WG                 */
#ifndef GPI_SORT_BEST_CL
#define GPI_SORT_BEST_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/ranked.cl"
#include "sort/ranked_sort.cl"

#define GPI_OFFERS 4 /* entries that an item offers at once */

typedef struct gpi_best_memory {
    gpi_ranked entry[GPI_ENTRIES];
    uint count, word;
} gpi_best_memory;
typedef __local gpi_best_memory *gpi_best_shared;

/* Entries that are not before the bound are not among the first k. */
typedef struct gpi_best {
    gpi_ranked bound;
    uint k;
    bool bounded;
} gpi_best;

/* Returns a state to which nothing has been offered. */
static gpi_best gpi_best_open(uint k, gpi_best_shared shared)
{
    gpi_best best;
    best.k = k;
    best.bound = gpi_ranked_last();
    best.bounded = false;
    if (get_local_id(0) == 0) shared->count = 0;
    gpi_sync(); /* the count is written */
    return best;
}

/* Sorts the entries, and drops those after the k-th. */
static void gpi_best_prune(gpi_best *best, gpi_best_shared shared)
{
    const uint n = shared->count;
    gpi_ranked_sort(shared->entry, n); /* after its barriers, all items have read the count */
    if (n >= best->k) best->bound = shared->entry[best->k - 1];
    best->bounded = true;
    if (get_local_id(0) == 0) shared->count = min(n, best->k);
    gpi_sync(); /* the count is written, the bound is read */
}

/* Sets the first bound: just after the k-th of the items' least entries. */
GPI_INLINE_GPU void gpi_best_bound(gpi_best *best, const gpi_ranked *x, gpi_best_shared shared)
{
    gpi_ranked first = x[0];
    GPI_UNROLL
    for (uint j = 1; j < GPI_STRUCT_TURNS(GPI_OFFERS); j++)
        first = gpi_ranked_before(x[j], first) ? x[j] : first;
    shared->entry[get_local_id(0)] = first;
    gpi_ranked_sort(shared->entry, GPI_WG); /* begins with a barrier */
    const gpi_ranked last = shared->entry[best->k - 1];
    if (gpi_ranked_before(last, best->bound))
        best->bound = gpi_rank_of(gpi_ranked_order(last), gpi_ranked_index(last) + 1);
    best->bounded = true;
    gpi_sync(); /* the bound is read: entries may be overwritten */
}

/* Offers GPI_OFFERS entries of each item. `more`: many more entries will follow. */
GPI_INLINE_GPU void gpi_best_offer(gpi_best *best, const gpi_ranked *x, bool more, gpi_best_shared shared)
{
    if (!best->bounded && more && 2 * best->k <= GPI_WG) gpi_best_bound(best, x, shared);
    if (shared->count > GPI_ENTRIES - GPI_OFFERS * GPI_WG) gpi_best_prune(best, shared);
    gpi_sync(); /* all items have read the count */
    GPI_UNROLL
    for (uint j = 0; j < GPI_STRUCT_TURNS(GPI_OFFERS); j++)
        if (gpi_ranked_before(x[j], best->bound)) shared->entry[atomic_inc(&shared->count)] = x[j];
    gpi_sync(); /* the entries are written */
}

/* Offers n keys. The index of the first key is `index`. */
static void gpi_best_keys(gpi_best *best, __global const gpi_key *key, ulong n, ulong index,
                          gpi_key_bits flip, gpi_best_shared shared)
{
    for (ulong base = get_local_id(0); base < n + get_local_id(0); base += GPI_OFFERS * GPI_WG) {
        gpi_ranked x[GPI_OFFERS];
        GPI_UNROLL
        for (uint j = 0; j < GPI_STRUCT_TURNS(GPI_OFFERS); j++) {
            const ulong i = base + j * GPI_WG;
            x[j] = i < n ? gpi_rank_of(gpi_key_order(key[i], flip), index + i) : gpi_ranked_last();
        }
        gpi_best_offer(best, x, n > GPI_OFFERS * GPI_WG, shared);
    }
}

/* Offers n entries. */
static void gpi_best_entries(gpi_best *best, __global const gpi_ranked *entry, ulong n,
                             gpi_best_shared shared)
{
    for (ulong base = get_local_id(0); base < n + get_local_id(0); base += GPI_OFFERS * GPI_WG) {
        gpi_ranked x[GPI_OFFERS];
        GPI_UNROLL
        for (uint j = 0; j < GPI_STRUCT_TURNS(GPI_OFFERS); j++) {
            const ulong i = base + j * GPI_WG;
            x[j] = i < n ? entry[i] : gpi_ranked_last();
        }
        gpi_best_offer(best, x, n > GPI_OFFERS * GPI_WG, shared);
    }
}

/* Sorts the first k entries: they are shared->entry[0 .. k). If fewer were offered, gpi_ranked_last fills the rest. */
static void gpi_best_close(gpi_best *best, gpi_best_shared shared)
{
    const uint n = shared->count;
    gpi_ranked_sort(shared->entry, n); /* after its barriers, all items have read the count */
    for (uint i = n + (uint)get_local_id(0); i < best->k; i += GPI_WG) shared->entry[i] = gpi_ranked_last();
    gpi_sync(); /* the other entries are filled */
}
#endif
