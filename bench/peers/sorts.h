// sorts.h - what the C++ sorts share: keys or pairs, copied to the output and sorted there.
#ifndef BENCH_PEERS_SORTS_H
#define BENCH_PEERS_SORTS_H

#include "peer.h"

#include <cstring>
#include <vector>

// As one number of 64 bits, ordered by key.
struct pair32 {
    uint32_t value, key;
};

inline bool operator<(const pair32 &a, const pair32 &b) { return a.key < b.key; }

struct record16 {
    float key;
    uint32_t rest[3];
};

inline bool operator<(const record16 &a, const record16 &b) { return a.key < b.key; }

template <typename Sort> bool sorts_records(const bench_work *work, Sort sort)
{
    record16 *out = static_cast<record16 *>(work->host_out);
    const size_t n = work->n / 4;
    std::memcpy(out, work->host_in, n * sizeof *out);
    sort(out, out + n);
    return true;
}

inline bool sorts_supports(const bench_work *work)
{
    const gp_type t = work->type;
    if (work->primitive != BENCH_SORT) return false;
    if (work->value_size) return t == GP_U32 && work->value_size == 4;
    return t == GP_U32 || t == GP_U64 || t == GP_F32;
}

// Sorts a copy; `sort` takes two pointers. Keys and values apart are zipped before and unzipped after, as a
// user of these libraries would have to.
template <typename T, typename Sort> void sorts_keys(const bench_work *work, Sort sort)
{
    T *out = static_cast<T *>(work->host_out);
    std::memcpy(out, work->host_in, work->n * sizeof(T));
    sort(out, out + work->n);
}

template <typename Sort> void sorts_pairs(const bench_work *work, Sort sort)
{
    static std::vector<pair32> pairs;
    const uint32_t *keys = static_cast<const uint32_t *>(work->host_in);
    const uint32_t *values = static_cast<const uint32_t *>(work->host_in2);
    uint32_t *keys_out = static_cast<uint32_t *>(work->host_out), *values_out = keys_out + work->n;
    pairs.resize(work->n);
    for (size_t i = 0; i < work->n; i++) pairs[i] = {values[i], keys[i]};
    sort(pairs.data(), pairs.data() + work->n);
    for (size_t i = 0; i < work->n; i++) {
        keys_out[i] = pairs[i].key;
        values_out[i] = pairs[i].value;
    }
}

template <typename Sort> bool sorts_run(const bench_work *work, Sort sort)
{
    if (work->value_size) sorts_pairs(work, sort);
    else if (work->type == GP_U32) sorts_keys<uint32_t>(work, sort);
    else if (work->type == GP_U64) sorts_keys<uint64_t>(work, sort);
    else sorts_keys<float>(work, sort);
    return true;
}

#endif
