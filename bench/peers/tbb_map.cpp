/* tbb_map.cpp - tbb::concurrent_unordered_map, all cores. It cannot erase concurrently. */
#include <tbb/blocked_range.h>
#include <tbb/concurrent_unordered_map.h>
#include <tbb/parallel_for.h>

#include "hashes.h"

namespace
{

typedef tbb::concurrent_unordered_map<uint32_t, uint32_t> map;
typedef tbb::blocked_range<size_t> range;

map &of(void *p) { return *static_cast<map *>(p); }

void *open(size_t capacity, struct pool *)
{
    map *m = new map;
    m->reserve(capacity / 2);
    return m;
}

void close(void *p) { delete &of(p); }
void clear(void *p) { of(p).clear(); }

void insert(void *p, const uint32_t *keys, const uint32_t *values, size_t n)
{
    tbb::parallel_for(range(0, n), [&](const range &r) {
        for (size_t i = r.begin(); i < r.end(); i++) of(p).emplace(keys[i], values[i]);
    });
}

void find(void *p, const uint32_t *keys, uint32_t *values, size_t n)
{
    tbb::parallel_for(range(0, n), [&](const range &r) {
        for (size_t i = r.begin(); i < r.end(); i++) {
            const map::const_iterator found = of(p).find(keys[i]);
            values[i] = found == of(p).end() ? UINT32_MAX : found->second;
        }
    });
}

} // namespace

extern const hash_peer hash_peer_tbb = {"peer:tbb", false, open,    close,  clear,
                                        insert,     find,  nullptr, nullptr};
