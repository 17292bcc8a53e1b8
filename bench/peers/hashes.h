/* hashes.h - what a rival hash table has to provide for gpbench hash. Keys and values of 32 bits, on the
   host. C and C++. */
#ifndef BENCH_HASHES_H
#define BENCH_HASHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct pool;

/* Operations return when the work is done, and use all cores where the table can. Keys that are not found
   give UINT32_MAX. */
typedef struct hash_peer {
    const char *name;
    bool pooled; /* works on the pool: its threads are woken before the clock starts */
    void *(*open)(size_t capacity, struct pool *pool); /* NULL: cannot */
    void (*close)(void *table);
    void (*clear)(void *table); /* not timed */
    void (*insert)(void *table, const uint32_t *keys, const uint32_t *values, size_t n);
    void (*find)(void *table, const uint32_t *keys, uint32_t *values, size_t n);
    void (*erase)(void *table, const uint32_t *keys, size_t n); /* NULL: none by many threads */
    /* Adds 1 to each key's value, which is 0 where it was absent; NULL: the table cannot at once. */
    void (*count)(void *table, const uint32_t *keys, size_t n);
} hash_peer;

extern const hash_peer hash_peer_c;       /* threads, compare-and-swap, batches of 16 prefetched */
extern const hash_peer hash_peer_c_plain; /* the same without prefetching */
extern const hash_peer hash_peer_std;
extern const hash_peer hash_peer_tbb;          /* concurrent_unordered_map */
extern const hash_peer hash_peer_tbb_hash_map; /* concurrent_hash_map */

/* The compiled-in ones, NULL at the end (peers.c). */
extern const hash_peer *const bench_hash_peers[];

#ifdef __cplusplus
}
#endif
#endif
