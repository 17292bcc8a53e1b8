/* line.cl - put, get and remove for devices that can load a line of slots at once (gpi_line of base/platform.cl). They
   read a whole line in each step. The invariants of hash/table.cl hold, although the words of a line may be read at
   different moments, for three reasons: a key that is found in any word is in the table, a slot that has a key keeps
   it, and an empty slot is claimed by an exchange. (tests/models/hash.pml with LINE checks this.)

       line      | a  b  key c  -  d  -  - |      hit: the key's slot, anywhere in the line
                          ^home ^             none: the first empty slot from home on

   Empty slots before the home slot end a probe only in its last line, after the probe has visited the whole table. */
#ifndef GPI_HASH_LINE_CL
#define GPI_HASH_LINE_CL
#include "base/platform.cl"
#include "hash/table.cl"

#if GPI_LINE_WORDS
#if GPI_HASH_PACKED
#define GPI_LINE_SLOTS GPI_LINE_WORDS
#else
#define GPI_LINE_SLOTS (GPI_LINE_WORDS / 2)
#endif

/* A vector with one word of each slot of a line. gpi_lanes_mask is a mask of its lanes. */
#if GPI_LINE_SLOTS == 8
typedef ulong8 gpi_line_lanes;
#elif GPI_LINE_SLOTS == 4
typedef ulong4 gpi_line_lanes;
#else
typedef ulong2 gpi_line_lanes;
#endif
#define GPI_LINES_NEAR 4096u

#if GPI_ON_CPU
#if GPI_LINE_SLOTS == 8
typedef long8 gpi_lanes_mask;
#define GPI_SLOTS_BITS as_ulong8
#define GPI_SLOTS_BYTES(mask) as_ulong(convert_char8(mask))
#define GPI_SLOTS_NUMBER ((ulong8)(0, 1, 2, 3, 4, 5, 6, 7))
#define GPI_SLOTS_FOLD(op, x) \
    op(op(op((x).s0, (x).s1), op((x).s2, (x).s3)), op(op((x).s4, (x).s5), op((x).s6, (x).s7)))
#else
typedef long4 gpi_lanes_mask;
#define GPI_SLOTS_BITS as_ulong4
#define GPI_SLOTS_BYTES(mask) ((ulong)as_uint(convert_char4(mask)))
#define GPI_SLOTS_NUMBER ((ulong4)(0, 1, 2, 3))
#define GPI_SLOTS_FOLD(op, x) op(op((x).s0, (x).s1), op((x).s2, (x).s3))
#endif
#define GPI_OR_OF(a, b) ((a) | (b))
#define GPI_LANES_KEYS(words) ((words) >> 32)
#define GPI_LANES_EQUAL(x, y) ((x) == (ulong)(y))
#define GPI_LANES_DEAD(words, key) ((words)-GPI_PAIR(GPI_KEY_DEAD, 0) == (ulong)(key))
#define GPI_LANES_FROM(first) (GPI_SLOTS_NUMBER >= (ulong)(first))

/* Returns any(mask). (PoCL 3.1 compiles any() itself to a chain of branches.) */
GPI_INLINE bool gpi_lanes_any(gpi_lanes_mask mask)
{
    const gpi_line_lanes bits = GPI_SLOTS_BITS(mask);
    return GPI_SLOTS_FOLD(GPI_OR_OF, bits) != 0;
}

/* Returns the lane of x that the mask selects. The mask must have exactly one lane. */
GPI_INLINE ulong gpi_lanes_pick(gpi_line_lanes x, gpi_lanes_mask mask)
{
    const gpi_line_lanes only = x & GPI_SLOTS_BITS(mask);
    return GPI_SLOTS_FOLD(GPI_OR_OF, only);
}

/* Returns the number of the first lane in the mask. The mask must not be empty. */
GPI_INLINE uint gpi_lanes_first(gpi_lanes_mask mask)
{
    const ulong bytes = GPI_SLOTS_BYTES(mask);
    return popcount((bytes - 1) & ~bytes) / 8;
}
#else
typedef uint gpi_lanes_mask; /* bit k: lane k */
#define GPI_LANES_FROM(first) (~0u << (first))
#define GPI_LANES_KEYS(words) convert_uint4((words) >> 32)
#define GPI_LANES_DEAD(words, key) GPI_LANES_EQUAL(words, GPI_PAIR(GPI_KEY_DEAD, key))
#define GPI_LANE(x, k, mask) ((x).s##k & -(ulong)((mask) >> k & 1u))
#if GPI_LINE_SLOTS == 4
#define GPI_LANES_EQUAL(x, y) \
    (((x).s0 == (y)) | ((x).s1 == (y)) << 1 | ((x).s2 == (y)) << 2 | ((x).s3 == (y)) << 3)
#define GPI_LANES_CHOOSE(x, mask) \
    (GPI_LANE(x, 0, mask) | GPI_LANE(x, 1, mask) | GPI_LANE(x, 2, mask) | GPI_LANE(x, 3, mask))
#else
#define GPI_LANES_EQUAL(x, y) (((x).s0 == (y)) | ((x).s1 == (y)) << 1)
#define GPI_LANES_CHOOSE(x, mask) (GPI_LANE(x, 0, mask) | GPI_LANE(x, 1, mask))
#endif

GPI_INLINE bool gpi_lanes_any(gpi_lanes_mask mask) { return mask != 0; }
GPI_INLINE ulong gpi_lanes_pick(gpi_line_lanes x, gpi_lanes_mask mask) { return GPI_LANES_CHOOSE(x, mask); }
GPI_INLINE uint gpi_lanes_first(gpi_lanes_mask mask) { return popcount((mask - 1) & ~mask); }
#endif

/* A line, as the probe for a key sees it. `hit` marks the slot that has the key, `none` the empty slots. */
typedef struct gpi_seen {
    gpi_line_lanes word; /* key and value in the packed form, the value in the split form */
    gpi_lanes_mask hit, none;
} gpi_seen;

/* Loads a line and compares its slots with the key. Empty slots before lane `from` do not count. */
GPI_INLINE gpi_seen gpi_line_see(gp_hash_table t, uint line, uint from, gp_hash_key key)
{
    const gpi_line words = gpi_line_load(gpi_slot(t, line));
    gpi_seen seen;
#if GPI_HASH_PACKED
    seen.word = words;
    seen.hit = GPI_LANES_EQUAL(GPI_LANES_KEYS(words), key);
    seen.none = GPI_LANES_EQUAL(words, GPI_SLOT_EMPTY);
#else
    seen.word = words.odd;
    seen.hit = GPI_LANES_EQUAL(words.even, key);
    seen.none = GPI_LANES_EQUAL(words.even, GPI_KEY_NONE);
#endif
    seen.none &= GPI_LANES_FROM(from);
    return seen;
}

/* Returns a mask of the key's slot, even if the key is erased. (GPI_LANES_DEAD subtracts. If it compared with the erased key's
   word, PoCL would compute that word before the first line, also for keys that do not need it, and a find would take 6 % longer.)
   */
GPI_INLINE gpi_lanes_mask gpi_line_own(gpi_seen seen, gp_hash_key key)
{
#if GPI_HASH_PACKED
    return seen.hit | GPI_LANES_DEAD(seen.word, key);
#else
    (void)key;
    return seen.hit;
#endif
}

/* Returns whether a probe from `slot` can read lines. Tables smaller than a line, and side slots, are read slot by slot. */
GPI_INLINE bool gpi_has_lines(gp_hash_table t, uint slot)
{
    return slot <= t.mask && t.mask >= GPI_LINE_SLOTS - 1;
}

/* Returns whether the key is in the table, and writes its value to *value. Reads a line at a time. In the packed form a probe
   could also end at a slot that the key had before it was erased. This function does not look for that slot: the comparison would make each
   line a quarter more expensive. If neither the key nor an empty slot is in the first GPI_LINES_NEAR lines, or if lines cannot be
   read, it calls gpi_hash_get, which does end there. */
GPI_INLINE bool gpi_line_get(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value *value)
{
    const uint near = gpi_has_lines(t, slot) ? min(t.mask / GPI_LINE_SLOTS + 1, GPI_LINES_NEAR) : 0;
    uint line = slot & ~(uint)(GPI_LINE_SLOTS - 1), from = slot % GPI_LINE_SLOTS;
    for (uint step = 0; step < near; step++) {
        const gpi_seen seen = gpi_line_see(t, line, from, key);
        if (gpi_lanes_any(seen.hit)) {
            *value = (gp_hash_value)gpi_lanes_pick(seen.word, seen.hit);
            return !gpi_is_reserved(t, *value);
        }
        if (gpi_lanes_any(seen.none)) return false;
        line = (line + GPI_LINE_SLOTS) & t.mask;
        from = 0;
    }
    return gpi_hash_get(t, slot, key, value);
}

/* Erases a key, and returns the outcome. Searches a line at a time for the key's slot, and then works on that slot alone. */
GPI_INLINE uint gpi_line_remove(gp_hash_table t, uint slot, gp_hash_key key)
{
    uint line = slot & ~(uint)(GPI_LINE_SLOTS - 1), from = slot % GPI_LINE_SLOTS;
    if (!gpi_has_lines(t, slot)) return gpi_hash_remove(t, slot, key);
    for (uint step = 0; step <= t.mask / GPI_LINE_SLOTS + 1; step++) {
        const gpi_seen seen = gpi_line_see(t, line, from, key);
        if (gpi_lanes_any(seen.hit)) return gpi_hash_remove(t, line + gpi_lanes_first(seen.hit), key);
        if (gpi_lanes_any(seen.none)) return GP_HASH_ABSENT;
        if (gpi_lanes_any(gpi_line_own(seen, key))) return GP_HASH_ABSENT;
        line = (line + GPI_LINE_SLOTS) & t.mask;
        from = 0;
    }
    return GP_HASH_ABSENT;
}

/* Finds or claims the key's slot, changes its value, and returns the outcome, as gpi_hash_put does (hash/table.cl).
   Searches a line of slots at a time. */
GPI_INLINE uint gpi_line_put(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value value, uint change)
{
    uint line = slot & ~(uint)(GPI_LINE_SLOTS - 1), from = slot % GPI_LINE_SLOTS, step = 0;
    if (gpi_is_reserved(t, value)) return GP_HASH_REFUSED;
#if GPI_ON_CPU && GPI_HASH_PACKED /* most home slots are empty, and a word is read faster than a line */
    if (slot <= t.mask && gpi_word_load(gpi_slot(t, slot)) == GPI_SLOT_EMPTY &&
        gpi_word_cas(gpi_slot(t, slot), GPI_SLOT_EMPTY, GPI_PAIR(key, value)) == GPI_SLOT_EMPTY)
        return GP_HASH_INSERTED | GPI_CLAIMED;
#endif
    while (gpi_has_lines(t, slot)) {
        const gpi_seen seen = gpi_line_see(t, line, from, key);
        const gpi_lanes_mask own = gpi_line_own(seen, key);
        if (gpi_lanes_any(own)) {
#if GPI_ON_CPU && GPI_HASH_PACKED /* a hit is a live key: the two special keys are in side slots */
            if (change == GPI_CHANGE_KEEP && gpi_lanes_any(seen.hit)) return GP_HASH_EXISTED;
#endif
            return gpi_hash_put(t, line + gpi_lanes_first(own), key, value, change);
        }
        if (gpi_lanes_any(seen.none)) {
            const uint at = line + gpi_lanes_first(seen.none);
#if GPI_HASH_PACKED
            if (gpi_word_cas(gpi_slot(t, at), GPI_SLOT_EMPTY, GPI_PAIR(key, value)) == GPI_SLOT_EMPTY)
                return GP_HASH_INSERTED | GPI_CLAIMED;
#else
            if (gpi_word_cas(gpi_slot(t, at), GPI_KEY_NONE, key) == GPI_KEY_NONE)
                return gpi_hash_change(t, gpi_slot(t, at) + 1, value, change, GPI_CLAIMED, 0);
#endif
            continue; /* filled meanwhile: read the line again, which has one empty slot fewer */
        }
        if (++step > t.mask / GPI_LINE_SLOTS + 1) return GP_HASH_FAILED;
        line = (line + GPI_LINE_SLOTS) & t.mask;
        from = 0;
    }
    return gpi_hash_put(t, slot, key, value, change);
}
#endif /* GPI_LINE_WORDS */
#endif
