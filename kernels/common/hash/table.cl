/* table.cl - a hash table with open addressing and linear probing, without locks: operations of one item on one key.
   gp_device_source also returns this file. Users' kernels may use only its names that do not begin with gpi_.

       home(key) = mix(key ^ seed) & mask         a probe visits home, home + 1, ... (mod capacity)

   Memory, one buffer:

       | header: 64 uints | slot 0 | slot 1 | ... | slot mask | side slots |

   A slot, by form:

       packed   one 64-bit word: key in the high half, value in the low half
       split    two words of one width, 32 or 64 bits: key, value; narrower data is extended with zeros

   A slot can change its state as the arrows show, and is never empty again:

                 empty                      live               erased
       packed    all ones                -> (key, value)    -> (one less than all ones, key)    -> live again
       split     (all ones, reserved)    -> (key, value)    -> (key, reserved)                  -> live again

   In the packed form, two keys equal the marks for "empty" and "erased". The pairs of these two keys are in the side slots, with
   the key 0, so that every key and every value is legal. In the split form, only one key equals a mark and has a side slot, and
   one value is reserved. If values are narrower than words, no value equals the reserved word.

   Invariants:
     - A slot belongs to the key that claimed it, even if that key is erased. So if the probe for a key meets an empty
       slot, that key has no slot. No key can have two slots, because two writers of the same key both try to claim the
       first slot that was empty for either of them, and one of their exchanges fails.
     - A value changes only by compare-and-swap from the value that was seen, so that no update is lost. In the packed
       form key and value change together. In the split form a reader between the two exchanges sees an absent key.
     - Every access to a slot is atomic. A relaxed load is enough, because each word is valid by itself.
   A probe ends after `steps` slots: the capacity, or fewer on a device whose loops are limited. On such a device no key is
   `steps` slots or more after its home, so that a search misses no key. An exchange fails only because another item's exchange
   succeeded. On a device whose loops are limited, `turns` also bounds how often an exchange is repeated. tests/models/hash.pml
   checks all this, including racing operations and late loads.

   Parameters
       GPI_HASH_PACKED   1: packed form, 64-bit atomics; keys and values of 4 bytes
       GPI_WIDE          split form: 1: words of 64 bits, 0: of 32 bits                               */
#ifndef GPI_HASH_TABLE_CL
#define GPI_HASH_TABLE_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "element/hash_function.cl"
#include "hash/constants.cl"

#if !defined(GPI_HASH_PACKED) || (GPI_HASH_PACKED && !GPI_WIDE)
#error "GPI_HASH_PACKED must be 0 or 1, and the packed form needs GPI_WIDE"
#endif

#if GPI_WIDE && !GPI_HASH_PACKED
typedef ulong gp_hash_key;
typedef ulong gp_hash_value;
#define GPI_KEY_NONE (~0ul)
#else
typedef uint gp_hash_key;
typedef uint gp_hash_value;
#define GPI_KEY_NONE (~0u)
#endif

#if GPI_HASH_PACKED
#define GPI_KEY_DEAD (~1u) /* marks an erased slot, whose key is in the value's half */
#define GPI_SIDE_SLOTS 2
#else
#define GPI_SIDE_SLOTS 1
#endif

/* The library's kernels have the table's facts (hash/constants.cl) as arguments, so that they never access memory outside the
   buffer, whatever it contains. If the facts in the header differ, a kernel does not touch the table (gpi_hash_work). */

/* The outcome of a key, and the index of its count in the header. gp_hash_result has the same values. */
#define GP_HASH_INSERTED 1   /* it was absent, and has been inserted */
#define GP_HASH_EXISTED 2    /* it was present: its value is kept, assigned or combined */
#define GP_HASH_FAILED 3     /* no slot was found, or t.turns exchanges failed */
#define GP_HASH_REFUSED 4    /* its value is, or would become, the reserved value; never in the packed form */
#define GP_HASH_SUPERSEDED 5 /* an equal key of the batch was put instead */
#define GP_HASH_ERASED 6
#define GP_HASH_ABSENT 7
#define GPI_CLAIMED 16 /* added to an outcome if the key has claimed an empty slot */

/* ------------------------------------------------------------------ a table */

typedef struct gp_hash_table {
    volatile __global gpi_word *slots;
    volatile __global uint *counts;
    gp_hash_key seed;
    gp_hash_value reserved;
    uint mask, steps, turns;
} gp_hash_table;

/* The table's facts, as parameters of a kernel, and as a vector. */
#define GPI_FACTS_PARAMETERS(name) ulong name##_x, ulong name##_y, ulong name##_z, ulong name##_w
#define GPI_FACTS(name) ((ulong4)(name##_x, name##_y, name##_z, name##_w))

GPI_INLINE gp_hash_table gpi_hash_table_of(__global uint *memory, ulong4 facts)
{
    gp_hash_table t;
    t.slots = (volatile __global gpi_word *)(memory + GPI_HEADER);
    t.counts = memory + GPI_HEADER_COUNTS;
    t.mask = (uint)facts.x;
    t.steps = (uint)(facts.x >> 32);
    t.turns = (uint)facts.y;
#if GPI_WIDE && !GPI_HASH_PACKED
    t.seed = facts.z;
    t.reserved = facts.w;
#else
    t.seed = (uint)(facts.z ^ facts.z >> 32);
    t.reserved = (uint)facts.w;
#endif
    return t;
}

GPI_INLINE ulong4 gpi_hash_header(__global const uint *memory)
{
    __global const ulong *p = (__global const ulong *)memory;
    return (ulong4)(p[0], p[1], p[2], p[3]);
}

/* Opens the table in buffer `memory`. If the buffer holds no table, no key is found, and no key can be inserted. */
GPI_INLINE gp_hash_table gp_hash_open(__global uint *memory)
{
    ulong4 facts = gpi_hash_header(memory);
    if (((uint)(facts.y >> 32) & ~1u) != GPI_MAGIC) facts = (ulong4)(0);
    return gpi_hash_table_of(memory, facts);
}

/* Returns whether the table's header has the facts that the host expects. */
GPI_INLINE bool gpi_hash_is(__global const uint *memory, ulong4 facts)
{
    const ulong4 header = gpi_hash_header(memory);
    return header.x == facts.x && header.y == facts.y && header.z == facts.z && header.w == facts.w;
}

/* Returns n, the number of elements or slots that a kernel has to handle. If the buffer does not hold the expected table, returns
   0, and counts the launch in the context's counters (GPI_COUNT_STRANGE). */
GPI_INLINE ulong gpi_hash_work(__global const uint *memory, ulong4 facts, ulong n,
                               volatile __global uint *counters)
{
    if (gpi_hash_is(memory, facts)) return n;
    if (get_group_id(0) == 0 && GPI_LOCAL_ID == 0) (void)atomic_inc(counters + GPI_COUNT_STRANGE);
    return 0;
}

/* Adds x refused keys to the context's counters, if a refused key is an error. `by` is the kind of call (see GPI_COUNT_REFUSED).
   */
GPI_INLINE void gpi_hash_tell_refused(ulong4 facts, volatile __global uint *counters, uint by, uint x)
{
    if (facts.y >> 32 & 1) (void)atomic_add(counters + GPI_COUNT_REFUSED + by, x);
}

/* Returns the hash of a key. Its low bits are the home slot, unless the key has a side slot. */
GPI_INLINE uint gpi_hash_of(gp_hash_table t, gp_hash_key key)
{
#if GPI_WIDE && !GPI_HASH_PACKED
    return (uint)gpi_hash_64(key ^ t.seed);
#else
    return gpi_hash_32(key ^ t.seed);
#endif
}

/* Returns the slot where the probe for `key` begins. */
GPI_INLINE uint gpi_hash_home(gp_hash_table t, gp_hash_key key)
{
    const uint home = gpi_hash_of(t, key) & t.mask;
    return key > GPI_KEY_NONE - GPI_SIDE_SLOTS ? t.mask + 1 + (uint)(GPI_KEY_NONE - key) : home;
}

GPI_INLINE void gpi_hash_count(gp_hash_table t, uint what, uint x) { gpi_add_wide(t.counts + 2 * what, x); }

/* ------------------------------------------------------------------ slots */

GPI_INLINE ulong gpi_slot_count(gp_hash_table t) { return (ulong)t.mask + 1 + GPI_SIDE_SLOTS; }

#if GPI_HASH_PACKED
#define GPI_SLOT_WORDS 1
#define GPI_SLOT_EMPTY (~0ul)
#define GPI_PAIR(key, value) ((ulong)(key) << 32 | (value))
#define GPI_PAIR_KEY(word) ((uint)((word) >> 32))
#define GPI_PAIR_VALUE(word) ((uint)(word))
#else
#define GPI_SLOT_WORDS 2
#endif

GPI_INLINE volatile __global gpi_word *gpi_slot(gp_hash_table t, uint slot)
{
    return t.slots + (size_t)slot * GPI_SLOT_WORDS;
}

#if GPI_HASH_PACKED
/* Returns the key that `slot` contains if it belongs to `key`: `key` itself, or 0 in a side slot. */
GPI_INLINE uint gpi_slot_key(gp_hash_table t, uint slot, uint key) { return slot > t.mask ? 0 : key; }

/* Reads the key and the value of a slot. Returns false if the slot has no live pair. */
GPI_INLINE bool gpi_slot_read(gp_hash_table t, uint slot, gp_hash_key *key, gp_hash_value *value)
{
    const ulong seen = gpi_word_load(gpi_slot(t, slot));
    *key = slot > t.mask ? GPI_KEY_NONE - (slot - t.mask - 1) : GPI_PAIR_KEY(seen);
    *value = GPI_PAIR_VALUE(seen);
    return GPI_PAIR_KEY(seen) < GPI_KEY_DEAD;
}

/* Returns whether the slot belongs to an erased key. */
GPI_INLINE bool gpi_slot_is_dead(gp_hash_table t, uint slot)
{
    return GPI_PAIR_KEY(gpi_word_load(gpi_slot(t, slot))) == GPI_KEY_DEAD;
}

GPI_INLINE bool gpi_is_reserved(gp_hash_table t, gp_hash_value value)
{
    (void)t;
    (void)value;
    return false;
}
#else
GPI_INLINE bool gpi_slot_read(gp_hash_table t, uint slot, gp_hash_key *key, gp_hash_value *value)
{
    *key = gpi_word_load(gpi_slot(t, slot));
    *value = gpi_word_load(gpi_slot(t, slot) + 1);
    return *value != t.reserved && (*key != GPI_KEY_NONE || slot > t.mask);
}

GPI_INLINE bool gpi_slot_is_dead(gp_hash_table t, uint slot)
{
    return gpi_word_load(gpi_slot(t, slot)) != GPI_KEY_NONE &&
           gpi_word_load(gpi_slot(t, slot) + 1) == t.reserved;
}

GPI_INLINE bool gpi_is_reserved(gp_hash_table t, gp_hash_value value) { return value == t.reserved; }
#endif

/* ------------------------------------------------------------------ values */

static uint gpi_change_32(uint change, uint x, uint v)
{
    if (change == GPI_CHANGE_ADD) return x + v;
    if (change == GPI_CHANGE_AND) return x & v;
    if (change == GPI_CHANGE_OR) return x | v;
    if (change == GPI_CHANGE_XOR) return x ^ v;
    if (change == GPI_CHANGE_MIN_U) return min(x, v);
    if (change == GPI_CHANGE_MAX_U) return max(x, v);
    if (change == GPI_CHANGE_MIN_I) return as_uint(min(as_int(x), as_int(v)));
    if (change == GPI_CHANGE_MAX_I) return as_uint(max(as_int(x), as_int(v)));
    if (change == GPI_CHANGE_ADD_F) return as_uint(as_float(x) + as_float(v));
    if (change == GPI_CHANGE_MIN_F) return as_uint(fmin(as_float(x), as_float(v)));
    if (change == GPI_CHANGE_MAX_F) return as_uint(fmax(as_float(x), as_float(v)));
    return v;
}

#if GPI_WIDE && !GPI_HASH_PACKED
static ulong gpi_change_64(uint change, ulong x, ulong v)
{
    if (change == GPI_CHANGE_ADD) return x + v;
    if (change == GPI_CHANGE_AND) return x & v;
    if (change == GPI_CHANGE_OR) return x | v;
    if (change == GPI_CHANGE_XOR) return x ^ v;
    if (change == GPI_CHANGE_MIN_U) return min(x, v);
    if (change == GPI_CHANGE_MAX_U) return max(x, v);
    if (change == GPI_CHANGE_MIN_I) return as_ulong(min(as_long(x), as_long(v)));
    if (change == GPI_CHANGE_MAX_I) return as_ulong(max(as_long(x), as_long(v)));
#if GPI_FP64
    if (change == GPI_CHANGE_ADD_F) return as_ulong(as_double(x) + as_double(v));
    if (change == GPI_CHANGE_MIN_F) return as_ulong(fmin(as_double(x), as_double(v)));
    if (change == GPI_CHANGE_MAX_F) return as_ulong(fmax(as_double(x), as_double(v)));
#endif
    return v;
}

/* Returns the new value of a live key whose value x is changed with v. */
static gp_hash_value gpi_change(uint change, gp_hash_value x, gp_hash_value v)
{
    if (change == GPI_CHANGE_ASSIGN) return v;
    if (change & GPI_WIDE_VALUE) return gpi_change_64(change - GPI_WIDE_VALUE, x, v);
    return gpi_change_32(change, (uint)x, (uint)v);
}
#else
static gp_hash_value gpi_change(uint change, gp_hash_value x, gp_hash_value v)
{
    return change == GPI_CHANGE_ASSIGN ? v : gpi_change_32(change, x, v);
}
#endif

/* ------------------------------------------------------------------ put */

#if GPI_HASH_PACKED
/* Finds or claims the key's slot, changes its value, and returns the outcome. `slot`: gpi_hash_home(t, key). GPI_CLAIMED is added
   if the key claimed an empty slot. (hash.pml: `once`, `lost`, `full`, `ends`, and the mutations BUG_CLAIM, BUG_CHECK, BUG_REUSE,
   BUG_AGAIN, BUG_STEPS.) */
GPI_INLINE uint gpi_hash_put(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value value, uint change)
{
    const bool aside = slot > t.mask;
    const uint own = gpi_slot_key(t, slot, key);
    ulong seen = gpi_word_load(gpi_slot(t, slot));
    uint step = 0;
    for (uint turn = 0; turn < t.turns; turn++) {
        ulong old;
        if (seen == GPI_SLOT_EMPTY || seen == GPI_PAIR(GPI_KEY_DEAD, own)) {
            old = gpi_word_cas(gpi_slot(t, slot), seen, GPI_PAIR(own, value));
            if (old == seen) return GP_HASH_INSERTED | (seen == GPI_SLOT_EMPTY && !aside ? GPI_CLAIMED : 0);
            seen = old; /* another item has filled the slot */
        } else if (GPI_PAIR_KEY(seen) == own) {
            const uint x = GPI_PAIR_VALUE(seen);
            const uint next = change == GPI_CHANGE_KEEP ? x : gpi_change(change, x, value);
            if (next == x) return GP_HASH_EXISTED;
            old = gpi_word_cas(gpi_slot(t, slot), seen, GPI_PAIR(own, next));
            if (old == seen) return GP_HASH_EXISTED;
            seen = old; /* changed meanwhile */
        } else {
            if (++step == t.steps) return GP_HASH_FAILED;
            slot = (slot + 1) & t.mask;
            seen = gpi_word_load(gpi_slot(t, slot));
        }
    }
    return GP_HASH_FAILED;
}

#else
/* Changes the value of a key that has a slot, or sets it if the key is absent. Returns the outcome, with `claimed`
   added. The caller has already tried `turn` of at most t.turns exchanges. (hash.pml: `lost`, `ends`, and the mutation
   BUG_STORE.) */
GPI_INLINE uint gpi_hash_change(gp_hash_table t, volatile __global gpi_word *cell, gp_hash_value value,
                                uint change, uint claimed, uint turn)
{
    gp_hash_value x = claimed ? t.reserved : gpi_word_load(cell);
    for (; turn < t.turns; turn++) {
        const bool absent = x == t.reserved;
        if (!absent && change == GPI_CHANGE_KEEP) return GP_HASH_EXISTED | claimed;
        const gp_hash_value next = absent ? value : gpi_change(change, x, value);
        if (next == x) return GP_HASH_EXISTED | claimed;
        if (next == t.reserved) return GP_HASH_REFUSED | claimed;
        const gp_hash_value old = gpi_word_cas(cell, x, next);
        if (old == x) return (absent ? GP_HASH_INSERTED : GP_HASH_EXISTED) | claimed;
        x = old; /* another item has changed the value */
    }
    return GP_HASH_FAILED | claimed;
}

/* Finds or claims the key's slot, changes its value, and returns the outcome. `slot`: gpi_hash_home(t, key). GPI_CLAIMED is added
   if the key claimed an empty slot. (hash.pml: `once`, `lost`, `full`, `ends`, and the mutations BUG_CLAIM, BUG_CHECK, BUG_REUSE,
   BUG_STEPS.) */
GPI_INLINE uint gpi_hash_put(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value value, uint change)
{
    if (value == t.reserved) return GP_HASH_REFUSED;
    for (uint step = 0; step < t.steps; step++) {
        volatile __global gpi_word *cell = gpi_slot(t, slot);
        uint claimed = 0;
        gp_hash_key seen = gpi_word_load(cell);
        if (seen == GPI_KEY_NONE && key != GPI_KEY_NONE) {
            seen = gpi_word_cas(cell, GPI_KEY_NONE, key);
            if (seen == GPI_KEY_NONE) {
                seen = key;
                claimed = GPI_CLAIMED;
            }
        }
        if (seen == key) return gpi_hash_change(t, cell + 1, value, change, claimed, step);
        slot = (slot + 1) & t.mask;
    }
    return GP_HASH_FAILED;
}
#endif

/* ------------------------------------------------------------------ get, erase */

#if GPI_HASH_PACKED
/* Returns whether the key is in the table, and writes its value to *value. (hash.pml: `own`, `found`, `ends`.) */
GPI_INLINE bool gpi_hash_get(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value *value)
{
    const uint own = gpi_slot_key(t, slot, key);
    for (uint step = 0; step < t.steps; step++) {
        const ulong seen = gpi_word_load(gpi_slot(t, slot));
        if (GPI_PAIR_KEY(seen) == own) {
            *value = GPI_PAIR_VALUE(seen);
            return true;
        }
        if (seen == GPI_SLOT_EMPTY || seen == GPI_PAIR(GPI_KEY_DEAD, own)) return false;
        slot = (slot + 1) & t.mask;
    }
    return false;
}

/* Erases the key, which keeps its slot, and returns the outcome. (hash.pml: `lost`, `ends`, and the mutation BUG_EMPTY.) */
GPI_INLINE uint gpi_hash_remove(gp_hash_table t, uint slot, gp_hash_key key)
{
    const uint own = gpi_slot_key(t, slot, key);
    const ulong dead = GPI_PAIR(GPI_KEY_DEAD, own);
    ulong seen = gpi_word_load(gpi_slot(t, slot));
    uint step = 0;
    for (uint turn = 0; turn < t.turns; turn++) {
        if (GPI_PAIR_KEY(seen) == own) {
            const ulong old = gpi_word_cas(gpi_slot(t, slot), seen, dead);
            if (old == seen) return GP_HASH_ERASED;
            seen = old; /* changed meanwhile */
        } else {
            if (seen == GPI_SLOT_EMPTY || seen == dead || ++step == t.steps) return GP_HASH_ABSENT;
            slot = (slot + 1) & t.mask;
            seen = gpi_word_load(gpi_slot(t, slot));
        }
    }
    return GP_HASH_FAILED;
}

#else
/* Returns the address of the key's value, or NULL if the key has no slot. */
GPI_INLINE volatile __global gpi_word *gpi_hash_cell(gp_hash_table t, uint slot, gp_hash_key key)
{
    for (uint step = 0; step < t.steps; step++) {
        volatile __global gpi_word *cell = gpi_slot(t, slot);
        const gp_hash_key seen = gpi_word_load(cell);
        if (seen == key) return cell + 1;
        if (seen == GPI_KEY_NONE) return 0;
        slot = (slot + 1) & t.mask;
    }
    return 0;
}

/* Returns whether the key is in the table, and writes its value to *value. (hash.pml: `own`, `found`, `ends`.) */
GPI_INLINE bool gpi_hash_get(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value *value)
{
    volatile __global gpi_word *cell = gpi_hash_cell(t, slot, key);
    if (!cell) return false;
    *value = gpi_word_load(cell);
    return *value != t.reserved;
}

/* Erases the key, which keeps its slot, and returns the outcome. (hash.pml: `lost`, `ends`, and the mutation BUG_EMPTY.) */
GPI_INLINE uint gpi_hash_remove(gp_hash_table t, uint slot, gp_hash_key key)
{
    volatile __global gpi_word *cell = gpi_hash_cell(t, slot, key);
    if (!cell) return GP_HASH_ABSENT;
    return gpi_word_swap(cell, t.reserved) == t.reserved ? GP_HASH_ABSENT : GP_HASH_ERASED;
}
#endif
#endif
