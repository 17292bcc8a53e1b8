/* nth_sample.cl - a group finds two keys of a sample by their digits. */
#ifndef GPI_SORT_NTH_SAMPLE_CL
#define GPI_SORT_NTH_SAMPLE_CL
#include "base/platform.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/nth_search.cl"

static void gpi_nth_sample_sort(__global gpi_key *sample, uint room, uint s, gpi_key_bits flip)
{
    (void)sample;
    (void)room;
    (void)s;
    (void)flip;
}

/* Sets *lo and *hi to order(key) of the keys with ranks `from` and `to` among the s keys of the sample. Must be called
   by all items. */
static void gpi_nth_bounds(__global const gpi_key *sample, uint room, uint s, gpi_key_bits flip, uint from,
                           uint to, gpi_key_bits *lo, gpi_key_bits *hi, gpi_nth_shared shared)
{
    (void)room;
    gpi_sync(); /* the ranks are read: the search overwrites them */
    if (GPI_LOCAL_ID == 0) {
        shared->rest[0] = from;
        shared->rest[1] = to;
        shared->prefix[0] = shared->prefix[1] = 0;
    }
    gpi_sync(); /* the search begins */
    for (uint d = 0; d < GPI_KEY_SIZE; d++) {
        gpi_nth_count_digits(sample, 0, s, flip, d, 2, shared);
        gpi_nth_choose(d, 2, 0, shared);
    }
    *lo = shared->prefix[0];
    *hi = shared->prefix[1];
}
#endif
