/* std_map.cpp - std::unordered_map, one thread, room for all keys reserved. */
#include <unordered_map>

#include "hashes.h"

namespace
{

typedef std::unordered_map<uint32_t, uint32_t> map;

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
    for (size_t i = 0; i < n; i++) of(p).emplace(keys[i], values[i]);
}

void find(void *p, const uint32_t *keys, uint32_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const map::const_iterator found = of(p).find(keys[i]);
        values[i] = found == of(p).end() ? UINT32_MAX : found->second;
    }
}

void erase(void *p, const uint32_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) of(p).erase(keys[i]);
}

void count(void *p, const uint32_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++) ++of(p)[keys[i]];
}

} // namespace

extern const hash_peer hash_peer_std = {"peer:std", false, open, close, clear, insert, find, erase, count};
