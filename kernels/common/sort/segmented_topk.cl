/* segmented_topk.cl - finds the first k keys of each segment, and their indices

       out[s * k + j] = the j-th of segment s's entries (order(key), index), sorted      j < min(k, ks[s], length of s)

   Lower orders come first (element/key.cl). `ks` is optional.

       gp_topk_segments   group per block of segments: finds the first k of small segments, and lists large segments
       gp_topk_parts      some parts per group: finds the first k of each part of a large segment
       gp_topk_join       some large segments per group: finds the first k among the first k keys of each part

   sort/best.cl, in each wing, finds the first k of the keys that a group reads. base/segments.cl describes segments,
   and the list of large segments. No group waits for another.

   Parameters: those of sort/ranked.cl and sort/best.cl. */
#ifndef GPI_SORT_SEGMENTED_TOPK_CL
#define GPI_SORT_SEGMENTED_TOPK_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/segments.cl"
#include "group/sync.cl"
#include "element/key.cl"
#include "sort/best.cl"
#include "sort/constants.cl"
#include "sort/ranked.cl"

#if GPI_ENTRIES & (GPI_ENTRIES - 1)
#error "GPI_ENTRIES must be a power of two"
#endif

/* The outputs. `wants`: GPI_TOPK_WANTS_.... `absolute`: if 1, indices are counted from the array's first key, otherwise
   from the segment's. */
typedef struct gpi_topk_out {
    __global gpi_key *key;
    __global gpi_value *index;
    __global const uint *ks; /* most results of each segment; ks_words 0: there are none */
    ulong ks_at;
    uint ks_words, wants, absolute, k;
    gpi_key_bits flip;
} gpi_topk_out;

#define GPI_TOPK_OUT_PARAMETERS                                                                     \
    __global gpi_key *key_out, ulong key_out_at, __global gpi_value *index_out, ulong index_out_at, \
        __global const uint *ks, ulong ks_at, uint ks_words, uint wants, uint absolute, uint k, ulong flip
#define GPI_TOPK_OUT_SET(out)               \
    (out).key = key_out + key_out_at;       \
    (out).index = index_out + index_out_at; \
    (out).ks = ks;                          \
    (out).ks_at = ks_at;                    \
    (out).ks_words = ks_words;              \
    (out).wants = wants;                    \
    (out).absolute = absolute;              \
    (out).k = k;                            \
    (out).flip = (gpi_key_bits)flip

/* Returns how many results of segment s are wanted: the lesser of k and ks[s]. */
static uint gpi_topk_wanted(gpi_topk_out out, ulong s)
{
    return (uint)gpi_count(out.k, out.ks, out.ks_at + s, out.ks_words);
}

/* Writes the results of segment s: as many as are wanted, or one for each key if the segment has fewer. */
static void gpi_topk_put(gpi_topk_out out, ulong s, gpi_extent segment, gpi_best_shared shared)
{
    const ulong first = s * out.k, base = out.absolute ? segment.begin : 0;
    const uint n = (uint)min((ulong)gpi_topk_wanted(out, s), segment.length);
    for (uint j = (uint)GPI_LOCAL_ID; j < n; j += GPI_WG) {
        const gpi_ranked x = shared->entry[j];
        if (out.wants & GPI_TOPK_WANTS_KEYS)
            out.key[first + j] = gpi_key_of_order((gpi_key)gpi_ranked_order(x), out.flip);
        if (out.wants & GPI_TOPK_WANTS_INDICES)
            out.index[first + j] = (gpi_value)(base + gpi_ranked_index(x));
    }
    gpi_sync(); /* the entries are read: the next segment's may overwrite them */
}

/* Finds the first k keys of each small segment, of up to `span` keys, and lists the large segments. Each group handles
   `block` segments. */
GPI_KERNEL void gp_topk_segments(__global const gpi_key *key, ulong key_at, GPI_OFFSETS_PARAMETERS,
                                 GPI_COUNT_PARAMETERS, GPI_LIST_PARAMETERS, GPI_TOPK_OUT_PARAMETERS,
                                 ulong span, ulong block, volatile __global uint *counters)
{
    GPI_SHARED(gpi_best_memory, shared);
    gpi_offsets numbers;
    gpi_list list;
    gpi_topk_out out;
    const ulong segments = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = min(segments, block * get_group_id(0)), last = min(segments, first + block);
    GPI_OFFSETS_SET(numbers);
    GPI_LIST_SET(list);
    GPI_TOPK_OUT_SET(out);
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    for (ulong s = first; s < last; s++) {
        gpi_extent segment = gpi_segment_find(numbers, s);
        uint listed = 0;
        if (GPI_LOCAL_ID == 0) {
            if (segment.bad) gpi_bad_add(list, counters);
            listed = segment.length > span && gpi_large_add(list, s, segment.length, span);
        }
        if (gpi_broadcast(listed, &shared->word)) segment.length = 0;
        gpi_best best = gpi_best_open(k, shared);
        gpi_best_keys(&best, key + key_at + segment.begin, segment.length, 0, out.flip, shared);
        gpi_best_close(&best, shared);
        gpi_topk_put(out, s, segment, shared);
    }
}

/* Writes the first k entries of each part of a large segment. If the part has fewer, gpi_ranked_last fills the rest. */
GPI_KERNEL void gp_topk_parts(__global const gpi_key *key, ulong key_at, GPI_OFFSETS_PARAMETERS,
                              GPI_LIST_PARAMETERS, uint k, ulong flip, ulong span)
{
    GPI_SHARED(gpi_best_memory, shared);
    gpi_offsets numbers;
    gpi_list list;
    GPI_OFFSETS_SET(numbers);
    GPI_LIST_SET(list);
    __global gpi_ranked *const entry = (__global gpi_ranked *)list.partials;
    const uint parts = gpi_list_parts(list);
    for (uint p = (uint)get_group_id(0); p < parts; p += (uint)get_num_groups(0)) {
        ulong from;
        const gpi_extent part = gpi_part_find(list, numbers, p, span, &from);
        gpi_best best = gpi_best_open(k, shared);
        gpi_best_keys(&best, key + key_at + part.begin, part.length, from, (gpi_key_bits)flip, shared);
        gpi_best_close(&best, shared);
        for (uint j = (uint)GPI_LOCAL_ID; j < k; j += GPI_WG) entry[(ulong)p * k + j] = shared->entry[j];
        gpi_sync(); /* the entries are read: the next part's may overwrite them */
    }
}

/* Finds the first k keys of each large segment among the first k keys of its parts. */
GPI_KERNEL void gp_topk_join(GPI_OFFSETS_PARAMETERS, GPI_LIST_PARAMETERS, GPI_TOPK_OUT_PARAMETERS)
{
    GPI_SHARED(gpi_best_memory, shared);
    gpi_offsets numbers;
    gpi_list list;
    gpi_topk_out out;
    GPI_OFFSETS_SET(numbers);
    GPI_LIST_SET(list);
    GPI_TOPK_OUT_SET(out);
    const uint large = gpi_list_large(list);
    for (uint i = (uint)get_group_id(0); i < large; i += (uint)get_num_groups(0)) {
        __global const uint *listed = list.large + GPI_LARGE_WORDS * i;
        const uint parts = listed[2];
        gpi_extent segment = gpi_segment_find(numbers, listed[0]);
        gpi_best best = gpi_best_open(k, shared);
        gpi_best_entries(&best, (__global const gpi_ranked *)list.partials + (ulong)listed[1] * k,
                         (ulong)parts * k, shared);
        gpi_best_close(&best, shared);
        if (parts == 0) segment.length = 0; /* gp_topk_segments has written the results */
        gpi_topk_put(out, listed[0], segment, shared);
    }
}
#endif
