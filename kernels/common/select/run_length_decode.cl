/* run_length_decode.cl - repeats the key of each run, and finds each element's run and its position in the run

       for each run r, for each p in [offsets[r], offsets[r+1]):    key[p] = in[r]    run[p] = r    position[p] = p - offsets[r]

   A group handles a span of positions: it finds the run of the first position, and continues from there
   (select/decode_tile.cl, in each wing). It also checks its share of the offsets. Bad offsets cannot lead a group out
   of its span or beyond the last run. No group waits for another.

   Parameters: those of select/decoded.cl. */
#ifndef GPI_SELECT_RUN_LENGTH_DECODE_CL
#define GPI_SELECT_RUN_LENGTH_DECODE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "group/sync.cl"
#include "select/decode_tile.cl"
#include "select/decoded.cl"

#define GPI_DECODED_PARAMETER(type, name, x, more) __global type *name##_out, ulong name##_out_at,
#define GPI_DECODED_SET(type, name, x, more) d.name = name##_out + name##_out_at;

/* Returns whether offsets [first, end) are bad: if one exceeds the next one, or if offset n, the last, exceeds the
   count. */
GPI_NOINLINE bool gpi_decode_is_bad(__global const GPI_OFFSET *offsets, ulong first, ulong end, ulong n,
                                    ulong count)
{
    bool bad = first <= n && n < end && offsets[n] > count;
    uint falls = 0;
    for (ulong i = first + GPI_LOCAL_ID; i < min(end, n); i += GPI_WG) falls |= offsets[i] > offsets[i + 1];
    return bad || falls;
}

/* Decodes `span` positions and checks `share` offsets per group. `call` is a number that no other call has. */
GPI_KERNEL void gp_decode_runs(__global const GPI_OFFSET *offsets, ulong offsets_at,
                               __global const GPI_ELEMENT *in, ulong in_at,
                               GPI_DECODED(GPI_DECODED_PARAMETER) ulong count, ulong span, ulong share,
                               GPI_COUNT_PARAMETERS, uint call, volatile __global uint *counters)
{
    GPI_SHARED(gpi_decode_memory, shared);
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words), group = get_group_id(0);
    gpi_decoded d;
    d.offsets = offsets + offsets_at;
    d.in = in + in_at;
    d.runs = n;
    GPI_DECODED(GPI_DECODED_SET)
    GPI_COUNT_CHECK(group == 0, counters);
    if (n == 0) return;
    if (gpi_decode_is_bad(d.offsets, group * share, group * share + share, n, count) &&
        atomic_xchg(counters + GPI_COUNT_BAD_CALL, call) != call)
        (void)atomic_inc(counters + GPI_COUNT_BAD);
    const ulong begin = d.offsets[0], last = min(count, (ulong)d.offsets[n]);
    const ulong first = max(begin, group * span), end = min(last, group * span + span);
    d.count = last;
    if (first < end) gpi_decode_tile(d, first, end, shared);
}
#endif
