/* nth_search.cl - a group finds the keys of several ascending ranks, digit by digit from the highest.

   Parameters: those of element/key.cl and sort/nth_tile.cl. */
#ifndef GPI_SORT_NTH_SEARCH_CL
#define GPI_SORT_NTH_SEARCH_CL
#include "base/platform.cl"
#include "group/counters.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/constants.cl"
#include "sort/digit.cl"
#include "sort/nth_tile.cl"
#include "sort/topk_digit.cl"

#define GPI_NTH_FOUND (~(ulong)0 - 1) /* in place of a rank whose key is its interval's only value */
#define GPI_NTH_MISSED (~(ulong)0)    /* in place of every rank, if an earlier level has missed */
#define GPI_LAST_ORDER ((gpi_key_bits)(~(ulong)0 >> (64 - 8 * GPI_KEY_SIZE)))

/* Memory of a group: the ranks of a level, and a search for the digits of `ranks` keys. */
typedef struct gpi_nth_memory {
    gpi_topk_memory choice;
    gpi_nth_tile_memory tile;
    uint count[GPI_NTH_RANKS * GPI_BINS]; /* digit counts of each rank with its own prefix */
    ulong rest[GPI_NTH_RANKS];            /* each rank among the keys with its prefix */
    gpi_key_bits prefix[GPI_NTH_RANKS], value[GPI_NTH_RANKS];
    uint of[GPI_NTH_RANKS]; /* the interval of each rank */
    uint valid;
} gpi_nth_memory;
typedef GPI_GROUP_SPACE gpi_nth_memory *gpi_nth_shared;

/* Counts digit d (0 is the highest) of the keys in [begin, end) whose higher digits are one of `searches` ascending
   prefixes. */
GPI_NOINLINE void gpi_nth_count_digits(__global const gpi_key *key, ulong begin, ulong end, gpi_key_bits flip,
                                       uint d, uint searches, gpi_nth_shared shared)
{
    const uint shift = 8 * (GPI_KEY_SIZE - 1 - d);
    for (uint i = (uint)GPI_LOCAL_ID; i < searches * GPI_BINS; i += GPI_WG) shared->count[i] = 0;
    gpi_sync(); /* the counters are zero */
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        const gpi_key_bits high = gpi_key_order(key[i], flip) >> shift, prefix = high >> 8;
        uint first = 0;
        for (uint left = searches; left > 1; left -= left / 2)
            if (shared->prefix[first + left / 2 - 1] < prefix) first += left / 2;
        if (shared->prefix[first] == prefix)
            gpi_shared_increment(&shared->count[first * GPI_BINS + (uint)(high & (GPI_BINS - 1))]);
    }
    gpi_sync(); /* all keys are counted */
}

/* Appends digit d to each prefix. `bins`: the counts of the previous launch, or NULL if the counts are in
   shared->count. */
static void gpi_nth_choose(uint d, uint searches, __global const uint *bins, gpi_nth_shared shared)
{
    for (uint r = searches; r-- > 0;) {
        const gpi_key_bits prefix = shared->prefix[r];
        ulong below, with;
        uint row = r;
        while (row > 0 && shared->prefix[row - 1] == prefix) row--;
        GPI_EACH_BIN(bin)
        {
            const uint at = row * GPI_BINS + bin;
            shared->choice.next[bin] = bins ? bins[at] : shared->count[at];
        }
        const ulong rest = shared->rest[r];
        const uint digit = gpi_choose(rest + 1, &below, &with, &shared->choice);
        if (GPI_LOCAL_ID != 0) continue;
        if (rest == GPI_NTH_FOUND) {
            shared->prefix[r] = shared->value[r] >> 8 * (GPI_KEY_SIZE - 1 - d);
        } else {
            shared->prefix[r] = prefix << 8 | digit;
            shared->rest[r] = rest - below;
        }
    }
    gpi_sync(); /* the prefixes are written */
}
#endif
