/* stress_hashes.c - batches on one hash table, which both contexts have a handle of. */
#include "stress.h"

/* Keys among those that the model knows, in an array and on the device. */
static piece make_keys(stress *s, size_t n)
{
    const piece keys = stress_out(s, n, 4);
    const size_t few = stress_below(s, STRESS_KEYS) + 1;
    size_t i;
    for (i = 0; i < n; i++) stress_set_u32(&keys, i, (uint32_t)stress_below(s, few));
    stress_send(s, &keys, n, 4);
    return keys;
}

static void put(stress *s, uint32_t key, uint32_t value)
{
    s->live[key] = value;
    s->is_live[key] = true;
}

/* Insert, assign, or add; of equal keys the first or last one stands, so that the result is one. */
static void run_put(stress *s)
{
    const size_t most = stress_count(s) / 2;
    const piece keys = make_keys(s, most);
    const piece values = stress_out(s, most, 4);
    const stress_wanted wanted = stress_want(s, most);
    const size_t how = stress_below(s, 3);
    gp_hash_insert_desc d = {0};
    size_t i;
    for (i = 0; i < most; i++) stress_set_u32(&values, i, stress_random(s) % 1000);
    stress_send(s, &values, most, 4);
    stress_use_table(s);
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, values, values);
    for (i = 0; i < wanted.count; i++) {
        const uint32_t key = stress_u32(&keys, i), value = stress_u32(&values, i);
        if (how == 0 && !s->is_live[key]) put(s, key, value);
        if (how == 1) put(s, key, value);
        if (how == 2) put(s, key, value + (s->is_live[key] ? s->live[key] : 0));
    }
    d.duplicates = how == 0 ? GP_HASH_FIRST : how == 1 ? GP_HASH_LAST : GP_HASH_ANY;
    if (how == 2) d.op = GP_SUM;
    if (how == 0) STRESS_CALL_WITH(s, gp_hash_insert, s->table[s->which], d);
    if (how == 1) STRESS_CALL_WITH(s, gp_hash_insert_or_assign, s->table[s->which], d);
    if (how == 2) STRESS_CALL_WITH(s, gp_hash_insert_or_apply, s->table[s->which], d);
}

static void run_find(stress *s)
{
    const size_t most = stress_count(s) / 2;
    const piece keys = make_keys(s, most);
    const stress_wanted wanted = stress_want(s, most);
    const piece values = stress_out(s, most, 4), found = stress_out(s, most, 1);
    gp_hash_find_desc d = {0};
    size_t i;
    stress_use_table(s);
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, values, values);
    STRESS_PIECE(d, found, found);
    for (i = 0; i < wanted.count; i++) {
        const uint32_t key = stress_u32(&keys, i);
        found.mirror[i] = s->is_live[key];
        stress_set_u32(&values, i, s->is_live[key] ? s->live[key] : UINT32_MAX);
    }
    STRESS_CALL_WITH(s, gp_hash_find, s->table[s->which], d);
}

static void run_erase(stress *s)
{
    const size_t most = stress_count(s) / 4;
    const piece keys = make_keys(s, most);
    const stress_wanted wanted = stress_want(s, most);
    gp_hash_erase_desc d = {0};
    size_t i;
    stress_use_table(s);
    STRESS_COUNT(d, wanted);
    STRESS_PIECE(d, keys, keys);
    for (i = 0; i < wanted.count; i++) s->is_live[stress_u32(&keys, i)] = false;
    STRESS_CALL_WITH(s, gp_hash_erase, s->table[s->which], d);
}

/* All pairs, by key. */
static void run_retrieve(stress *s)
{
    const piece keys = stress_out(s, STRESS_KEYS, 4), values = stress_out(s, STRESS_KEYS, 4);
    const piece total = stress_number(s, 1);
    gp_hash_retrieve_desc d = {0};
    uint32_t k;
    size_t n = 0;
    stress_use_table(s);
    STRESS_PIECE(d, keys, keys);
    STRESS_PIECE(d, values, values);
    STRESS_PIECE(d, live_count, total);
    d.room = STRESS_KEYS;
    d.sort_type = GP_U32;
    for (k = 0; k < STRESS_KEYS; k++) {
        if (!s->is_live[k]) continue;
        stress_set_u32(&keys, n, k);
        stress_set_u32(&values, n++, s->live[k]);
    }
    stress_set_u32(&total, 0, (uint32_t)n);
    STRESS_CALL_WITH(s, gp_hash_retrieve, s->table[s->which], d);
}

const stress_entry stress_hashes[] = {
    {"put", run_put}, {"find", run_find}, {"erase", run_erase}, {"retrieve", run_retrieve}, {NULL, NULL}};
