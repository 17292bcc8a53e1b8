/* tbb_map.cpp - TBB's hash tables, all cores: concurrent_unordered_map, which only one thread may erase from,
   and concurrent_hash_map, which locks the pair that is looked at. */
#include <tbb/blocked_range.h>
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/parallel_for.h>

#include "hashes.h"

namespace
{

typedef tbb::concurrent_unordered_map<uint32_t, uint32_t> unordered_map;
typedef tbb::concurrent_hash_map<uint32_t, uint32_t> hash_map;

template <typename map> map &of(void *p) { return *static_cast<map *>(p); }
template <typename map> void close(void *p) { delete &of<map>(p); }
template <typename map> void clear(void *p) { of<map>(p).clear(); }

/* work(i) for all i < n, on all cores */
template <typename function> void each(size_t n, function work)
{
    typedef tbb::blocked_range<size_t> range;
    tbb::parallel_for(range(0, n), [&](const range &r) {
        for (size_t i = r.begin(); i < r.end(); i++) work(i);
    });
}

/* ------------------------------------------------------------------ concurrent_unordered_map */

void *unordered_open(size_t capacity, struct pool *)
{
    unordered_map *m = new unordered_map;
    m->reserve(capacity / 2);
    return m;
}

void unordered_insert(void *p, const uint32_t *keys, const uint32_t *values, size_t n)
{
    unordered_map &m = of<unordered_map>(p);
    each(n, [&](size_t i) { m.emplace(keys[i], values[i]); });
}

void unordered_find(void *p, const uint32_t *keys, uint32_t *values, size_t n)
{
    const unordered_map &m = of<unordered_map>(p);
    each(n, [&](size_t i) {
        const unordered_map::const_iterator found = m.find(keys[i]);
        values[i] = found == m.end() ? UINT32_MAX : found->second;
    });
}

void unordered_count(void *p, const uint32_t *keys, size_t n)
{
    unordered_map &m = of<unordered_map>(p);
    each(n, [&](size_t i) { __atomic_fetch_add(&m[keys[i]], 1u, __ATOMIC_RELAXED); });
}

/* ------------------------------------------------------------------ concurrent_hash_map */

void *hash_open(size_t capacity, struct pool *) { return new hash_map(capacity / 2); }

void hash_insert(void *p, const uint32_t *keys, const uint32_t *values, size_t n)
{
    hash_map &m = of<hash_map>(p);
    each(n, [&](size_t i) { m.insert(hash_map::value_type(keys[i], values[i])); });
}

void hash_find(void *p, const uint32_t *keys, uint32_t *values, size_t n)
{
    const hash_map &m = of<hash_map>(p);
    each(n, [&](size_t i) {
        hash_map::const_accessor found;
        values[i] = m.find(found, keys[i]) ? found->second : UINT32_MAX;
    });
}

void hash_erase(void *p, const uint32_t *keys, size_t n)
{
    hash_map &m = of<hash_map>(p);
    each(n, [&](size_t i) { m.erase(keys[i]); });
}

void hash_count(void *p, const uint32_t *keys, size_t n)
{
    hash_map &m = of<hash_map>(p);
    each(n, [&](size_t i) {
        hash_map::accessor found;
        m.insert(found, keys[i]); /* 0 where the key was absent */
        found->second++;
    });
}

} // namespace

extern const hash_peer hash_peer_tbb = {
    "peer:tbb",       false,          unordered_open, close<unordered_map>, clear<unordered_map>,
    unordered_insert, unordered_find, nullptr,        unordered_count};
extern const hash_peer hash_peer_tbb_hash_map = {"peer:tbb-hash-map", false,           hash_open,
                                                 close<hash_map>,     clear<hash_map>, hash_insert,
                                                 hash_find,           hash_erase,      hash_count};
