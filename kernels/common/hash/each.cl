/* each.cl - applies the caller's expressions to every live pair of a table:

       if gpi_each_where(k, v):   v <- gpi_each_map(k, v), or the key is erased

   A compare-and-swap replaces the value that the expressions have seen. If the value has changed meanwhile, the expressions are
   evaluated again. Therefore, other operations may run at the same time.

   Before this file, the prelude defines the caller's expressions as functions:
       GPI_EACH_KEY, GPI_EACH_VALUE                  types of k and v
       int gpi_each_where(k, v), GPI_EACH_VALUE gpi_each_map(k, v)

   Parameters
       GPI_EACH_KEY_OF(bits), GPI_EACH_VALUE_OF(bits)  k and v from a slot's bits
       GPI_EACH_BITS(x)                                a value's bits
       GPI_EACH_ERASE                                  1: erase instead of mapping                     */
#ifndef GPI_HASH_EACH_CL
#define GPI_HASH_EACH_CL
#include "base/args.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "hash/table.cl"

#if !defined(GPI_EACH_KEY) || !defined(GPI_EACH_VALUE) || !defined(GPI_EACH_ERASE)
#error "GPI_EACH_KEY, GPI_EACH_VALUE and GPI_EACH_ERASE must be defined"
#endif

/* Replaces the slot's `value` by `next`, or erases the key. Returns false and changes nothing if the slot's value has changed. */
static bool gpi_each_replace(gp_hash_table t, uint slot, gp_hash_key key, gp_hash_value value,
                             gp_hash_value next)
{
#if GPI_HASH_PACKED
    const uint own = gpi_slot_key(t, slot, key);
    const ulong old = GPI_PAIR(own, value), dead = GPI_PAIR(GPI_KEY_DEAD, own);
    return gpi_word_cas(gpi_slot(t, slot), old, GPI_EACH_ERASE ? dead : GPI_PAIR(own, next)) == old;
#else
    (void)key;
    return gpi_word_cas(gpi_slot(t, slot) + 1, value, GPI_EACH_ERASE ? t.reserved : next) == value;
#endif
}

/* Applies the expressions to one slot. Returns GP_HASH_ERASED, _EXISTED or _REFUSED. Returns 0 if the slot has no live pair, if
   the condition is false, or if all t.turns exchanges have failed. */
static uint gpi_each_slot(GPI_ARGS_PARAMETER gp_hash_table t, uint slot)
{
    gp_hash_key key;
    gp_hash_value value;
    for (uint turn = 0; turn < t.turns && gpi_slot_read(t, slot, &key, &value); turn++) {
        const GPI_EACH_KEY k = GPI_EACH_KEY_OF(key);
        const GPI_EACH_VALUE v = GPI_EACH_VALUE_OF(value);
        if (!gpi_each_where(GPI_ARGS_PASSED k, v)) return 0;
#if GPI_EACH_ERASE
        if (gpi_each_replace(t, slot, key, value, value)) return GP_HASH_ERASED;
#else
        const gp_hash_value next = GPI_EACH_BITS(gpi_each_map(GPI_ARGS_PASSED k, v));
        if (gpi_is_reserved(t, next)) return GP_HASH_REFUSED;
        if (gpi_each_replace(t, slot, key, value, next)) return GP_HASH_EXISTED;
#endif
    }
    return 0;
}

GPI_KERNEL void gp_hash_each_slot(GPI_ARGS_PARAMETERS __global uint *memory, GPI_FACTS_PARAMETERS(table),
                                  ulong span, volatile __global uint *counters)
{
    const ulong4 facts = GPI_FACTS(table);
    const gp_hash_table t = gpi_hash_table_of(memory, facts);
    uint changed = 0, refused = 0;
    ulong begin, end;
    gpi_span(gpi_hash_work(memory, facts, gpi_slot_count(t), counters), span, &begin, &end);
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_WG) {
        const uint what = gpi_each_slot(GPI_ARGS_HERE t, (uint)i);
        changed += what == GP_HASH_ERASED || what == GP_HASH_EXISTED;
        refused += what == GP_HASH_REFUSED;
    }
    if (changed) gpi_hash_count(t, GPI_EACH_ERASE ? GP_HASH_ERASED : GP_HASH_EXISTED, changed);
    if (refused) gpi_hash_count(t, GP_HASH_REFUSED, refused);
    if (refused) gpi_hash_tell_refused(facts, counters, 3, refused);
}
#endif
