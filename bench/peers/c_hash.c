/* c_hash.c - the hash table that one writes by hand for a few cores: what gp_hash is measured against.

   Its form is fixed here. Linear probing over 64-bit words, key << 32 | value; all ones is empty; murmur3's
   finaliser; a slot is read before it is exchanged; erasing marks the value. Each thread takes one piece of
   the batch, and prefetches the home slots of 16 keys before it probes for them one by one. "plain" does not
   prefetch, and is the same otherwise. */
#define _POSIX_C_SOURCE 200809L
#include "hashes.h"

#include <stdbool.h>
#include <stdlib.h>

#include "../harness/pool.h"

enum { AHEAD = 16 };
#define EMPTY UINT64_MAX
#define GONE UINT32_MAX

typedef enum what { CLEAR, INSERT, FIND, ERASE, COUNT } what;

typedef struct table {
    struct pool *pool;
    uint64_t *slots;
    size_t mask;
    bool prefetches;
    /* the work at hand */
    what what;
    const uint32_t *keys, *values;
    uint32_t *out;
    size_t n;
} table;

static uint32_t mix(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    return h ^ h >> 16;
}

static uint64_t load(const uint64_t *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }

static bool exchange(uint64_t *p, uint64_t from, uint64_t to)
{
    return __atomic_compare_exchange_n(p, &from, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void insert_one(uint64_t *slots, size_t mask, size_t i, uint32_t key, uint32_t value)
{
    for (;;) {
        const uint64_t seen = load(&slots[i]);
        if (seen == EMPTY && exchange(&slots[i], EMPTY, (uint64_t)key << 32 | value)) return;
        if (seen != EMPTY && (uint32_t)(seen >> 32) == key) {
            if ((uint32_t)seen != GONE || exchange(&slots[i], seen, (uint64_t)key << 32 | value)) return;
        } else if (seen != EMPTY) {
            i = (i + 1) & mask;
        }
    }
}

static uint32_t find_one(const uint64_t *slots, size_t mask, size_t i, uint32_t key)
{
    for (;; i = (i + 1) & mask) {
        const uint64_t seen = load(&slots[i]);
        if ((uint32_t)(seen >> 32) == key) return (uint32_t)seen;
        if (seen == EMPTY) return GONE;
    }
}

static void erase_one(uint64_t *slots, size_t mask, size_t i, uint32_t key)
{
    for (;;) {
        const uint64_t seen = load(&slots[i]);
        if (seen == EMPTY) return;
        if ((uint32_t)(seen >> 32) != key) i = (i + 1) & mask;
        else if (exchange(&slots[i], seen, (uint64_t)key << 32 | GONE)) return;
    }
}

static void count_one(uint64_t *slots, size_t mask, size_t i, uint32_t key)
{
    for (;;) {
        const uint64_t seen = load(&slots[i]);
        const bool absent = seen == EMPTY || (uint32_t)seen == GONE;
        if (seen != EMPTY && (uint32_t)(seen >> 32) != key) i = (i + 1) & mask;
        else if (exchange(&slots[i], seen, (uint64_t)key << 32 | (absent ? 1 : (uint32_t)seen + 1))) return;
    }
}

static void one(const table *t, size_t home, size_t i)
{
    if (t->what == INSERT) insert_one(t->slots, t->mask, home, t->keys[i], t->values[i]);
    else if (t->what == FIND) t->out[i] = find_one(t->slots, t->mask, home, t->keys[i]);
    else if (t->what == ERASE) erase_one(t->slots, t->mask, home, t->keys[i]);
    else count_one(t->slots, t->mask, home, t->keys[i]);
}

static void work(void *user, unsigned thread, unsigned threads)
{
    const table *t = user;
    const size_t begin = t->n * thread / threads, end = t->n * (thread + 1) / threads;
    if (t->what == CLEAR) {
        for (size_t i = begin; i < end; i++) t->slots[i] = EMPTY;
        return;
    }
    for (size_t i = begin; i < end; i += AHEAD) {
        const size_t n = end - i < AHEAD ? end - i : AHEAD;
        size_t home[AHEAD];
        for (size_t k = 0; k < n; k++) {
            home[k] = mix(t->keys[i + k]) & t->mask;
            if (t->prefetches) __builtin_prefetch(&t->slots[home[k]], 1, 3);
        }
        for (size_t k = 0; k < n; k++) one(t, home[k], i + k);
    }
}

static void run(table *t, what what, const uint32_t *keys, const uint32_t *values, uint32_t *out, size_t n)
{
    t->what = what;
    t->keys = keys;
    t->values = values;
    t->out = out;
    t->n = n;
    pool_run(t->pool, work, t);
}

static void clear(void *p)
{
    table *t = p;
    run(t, CLEAR, NULL, NULL, NULL, t->mask + 1);
}

static void insert(void *p, const uint32_t *keys, const uint32_t *values, size_t n)
{
    run(p, INSERT, keys, values, NULL, n);
}

static void find(void *p, const uint32_t *keys, uint32_t *values, size_t n)
{
    run(p, FIND, keys, NULL, values, n);
}

static void erase(void *p, const uint32_t *keys, size_t n) { run(p, ERASE, keys, NULL, NULL, n); }

static void count(void *p, const uint32_t *keys, size_t n) { run(p, COUNT, keys, NULL, NULL, n); }

static void *open_table(size_t capacity, struct pool *pool, bool prefetches)
{
    table *t = calloc(1, sizeof *t);
    void *slots = NULL;
    if (t == NULL || pool == NULL || posix_memalign(&slots, 4096, capacity * sizeof *t->slots) != 0) {
        free(t);
        return NULL;
    }
    t->pool = pool;
    t->slots = slots;
    t->mask = capacity - 1;
    t->prefetches = prefetches;
    clear(t); /* touches the pages */
    return t;
}

static void *open_prefetching(size_t capacity, struct pool *pool) { return open_table(capacity, pool, true); }
static void *open_plain(size_t capacity, struct pool *pool) { return open_table(capacity, pool, false); }

static void close_table(void *p)
{
    table *t = p;
    free(t->slots);
    free(t);
}

const hash_peer hash_peer_c = {"peer:c-cas", true, open_prefetching, close_table, clear, insert, find,
                               erase,        count};
const hash_peer hash_peer_c_plain = {
    "peer:c-cas-plain", true, open_plain, close_table, clear, insert, find, erase, count};
