/* slots.cl - kernels on all slots of a table: clear it, move its pairs into another table (rehash), collect the live pairs,
   measure it.

   Group g handles the slots [g * span, (g + 1) * span), side slots included. While slots are cleared or moved, no other
   operation may use the table. */
#ifndef GPI_HASH_SLOTS_CL
#define GPI_HASH_SLOTS_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "group/counters.cl"
#include "group/sync.cl"
#include "hash/batch.cl"
#include "hash/batch_keys.cl"
#include "hash/table.cl"

/* Writes the header and empties the slots. If `carry`, copies the counts of results from the header `from`. All other counts
   become zero. */
GPI_KERNEL void gp_hash_clear_slots(__global uint *memory, GPI_FACTS_PARAMETERS(table),
                                    __global const uint *from, uint carry, ulong span)
{
    const ulong4 facts = GPI_FACTS(table);
    const gp_hash_table t = gpi_hash_table_of(memory, facts);
    __global gpi_word *slots = (__global gpi_word *)(memory + GPI_HEADER);
    ulong begin, end;
    gpi_span(gpi_slot_count(t), span, &begin, &end);
    if (get_group_id(0) == 0 && GPI_LOCAL_ID == 0) {
        for (uint i = 0; i < GPI_HEADER; i++) {
            const uint count = (i - GPI_HEADER_COUNTS) / 2;
            const bool kept = count >= GP_HASH_INSERTED && count <= GP_HASH_ABSENT;
            memory[i] = carry && kept ? from[i] : 0;
        }
        __global ulong *header = (__global ulong *)memory;
        header[0] = facts.x;
        header[1] = facts.y;
        header[2] = facts.z;
        header[3] = facts.w;
    }
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
#if GPI_HASH_PACKED
        slots[i] = GPI_SLOT_EMPTY;
#else
        slots[2 * i] = GPI_KEY_NONE;
        slots[2 * i + 1] = t.reserved;
#endif
    }
}

/* Puts every live pair of the table `from` into the table `memory`, whose header counts the claimed slots and the pairs that
   found no slot. */
GPI_KERNEL void gp_hash_move_slots(__global uint *memory, GPI_FACTS_PARAMETERS(table), __global uint *from,
                                   GPI_FACTS_PARAMETERS(old), ulong span, volatile __global uint *counters)
{
    const ulong4 facts = GPI_FACTS(table);
    const ulong4 from_facts = GPI_FACTS(old);
    const gp_hash_table t = gpi_hash_table_of(memory, facts), old = gpi_hash_table_of(from, from_facts);
    uint claimed = 0, lost = 0;
    ulong begin, end;
    gpi_span(gpi_hash_work(from, from_facts, gpi_slot_count(old), counters), span, &begin, &end);
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        gp_hash_key key;
        gp_hash_value value;
        if (!gpi_slot_read(old, (uint)i, &key, &value)) continue;
        const uint what = gpi_hash_put(t, gpi_hash_home(t, key), key, value, GPI_CHANGE_KEEP);
        claimed += what / GPI_CLAIMED;
        lost += (what & (GPI_CLAIMED - 1)) == GP_HASH_FAILED;
    }
    if (claimed) gpi_hash_count(t, GPI_COUNT_CLAIMED, claimed);
    if (lost) gpi_hash_count(t, GPI_COUNT_LOST, lost);
}

/* ------------------------------------------------------------------ collect */

/* Writes at most `room` of the live pairs to the output, in any order, and adds the number of all live pairs to *total. The
   caller must prevent changes meanwhile, because a group reads its slots twice: first to count its pairs, and then to write them.
   A pair inserted in between would displace another one, and a pair erased in between would leave a gap in the output. */
GPI_KERNEL void gp_hash_collect_slots(__global uint *memory, GPI_FACTS_PARAMETERS(table), __global uint *keys,
                                      ulong keys_at, __global uint *values, ulong values_at,
                                      volatile __global uint *total, ulong total_at, ulong room, uint widths,
                                      uint wants, ulong span, volatile __global uint *counters)
{
    const ulong4 facts = GPI_FACTS(table);
    const gp_hash_table t = gpi_hash_table_of(memory, facts);
    gp_hash_key key;
    gp_hash_value value;
    ulong begin, end;
    uint mine = 0;
    GPI_SHARED(gpi_claim_memory, shared);
    gpi_span(gpi_hash_work(memory, facts, gpi_slot_count(t), counters), span, &begin, &end);
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG)
        mine += gpi_slot_read(t, (uint)i, &key, &value);
    uint at = gpi_claim(mine, total + total_at, shared);
    for (ulong i = begin + GPI_LOCAL_ID; i < end && mine > 0; i += GPI_WG) {
        if (!gpi_slot_read(t, (uint)i, &key, &value)) continue;
        if (at < room) gpi_element_write(keys, keys_at + at, key, (widths & GPI_WIDE_KEYS) != 0);
        if (at < room && (wants & GPI_WANTS_VALUES))
            gpi_element_write(values, values_at + at, value, (widths & GPI_WIDE_VALUES) != 0);
        at++;
        mine--;
    }
}

/* ------------------------------------------------------------------ measure */

/* Statistics (GPI_STATS_...) are numbers of two uints, low half first. Bin b of the histogram counts the keys whose probe depth
   is b bits long: 0, 1, 2-3, 4-7, ... */

/* A group's counts of probe depths. */
typedef struct gpi_depths {
    uint bin[GPI_LENGTH_BINS];
} gpi_depths;

/* Adds the numbers of live and erased keys to the statistics, and the sum, the maximum and the histogram of the live keys' probe
   depths, (slot - home) & mask. Keys in side slots have depth 0. Erased keys in side slots are not counted. */
GPI_KERNEL void gp_hash_measure_slots(__global uint *memory, GPI_FACTS_PARAMETERS(table),
                                      volatile __global uint *stats, ulong span,
                                      volatile __global uint *counters)
{
    const ulong4 facts = GPI_FACTS(table);
    const gp_hash_table t = gpi_hash_table_of(memory, facts);
    GPI_SHARED(gpi_depths, shared);
    uint live = 0, dead = 0, deepest = 0;
    ulong depths = 0, begin, end;
    for (uint b = (uint)GPI_LOCAL_ID; b < GPI_LENGTH_BINS; b += GPI_WG) shared->bin[b] = 0;
    gpi_sync(); /* the bins are zero */
    gpi_span(gpi_hash_work(memory, facts, gpi_slot_count(t), counters), span, &begin, &end);
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        gp_hash_key key;
        gp_hash_value value;
        const bool is = gpi_slot_read(t, (uint)i, &key, &value);
        dead += !is && i <= t.mask && gpi_slot_is_dead(t, (uint)i);
        if (!is) continue;
        const uint depth = i > t.mask ? 0 : ((uint)i - gpi_hash_home(t, key)) & t.mask;
        live++;
        depths += depth;
        deepest = max(deepest, depth);
        gpi_shared_increment(&shared->bin[32 - clz(depth)]);
    }
    if (live) gpi_add_wide(stats + GPI_STATS_LIVE, live);
    if (dead) gpi_add_wide(stats + GPI_STATS_DEAD, dead);
    if (depths & 0xffffffffu) gpi_add_wide(stats + GPI_STATS_DEPTHS, (uint)depths);
    if (depths >> 32) (void)atomic_add(stats + GPI_STATS_DEPTHS + 1, (uint)(depths >> 32));
    if (deepest) (void)atomic_max(stats + GPI_STATS_MAX, deepest);
    gpi_sync(); /* the group's keys are counted */
    for (uint b = (uint)GPI_LOCAL_ID; b < GPI_LENGTH_BINS; b += GPI_WG) {
        if (shared->bin[b]) gpi_add_wide(stats + GPI_STATS_BINS + 2 * b, shared->bin[b]);
    }
}
#endif
