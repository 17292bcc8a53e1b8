/* sorts.cu - cubbench: radix sort of keys and pairs, segmented sort, merge. */
#include <cub/cub.cuh>

#include "cubbench.cuh"

void bench_sort(size_t n)
{
    const auto host = random_words(n);
    std::vector<uint32_t> numbers(n);
    for (size_t i = 0; i < n; i++) numbers[i] = uint32_t(i);
    array<uint32_t> keys(host), values(numbers), keys_out(n), values_out(n);
    const auto sorted = [&] {
        const auto out = keys_out.read(n);
        return std::is_sorted(out.begin(), out.end());
    };
    cub_row({"sort", "cub", n, 36.0 * n},
            [&](void *t, size_t &bytes) {
                return cub::DeviceRadixSort::SortKeys(t, bytes, keys.data, keys_out.data, n);
            },
            sorted);
    cub_row({"sort pairs", "cub", n, 68.0 * n},
            [&](void *t, size_t &bytes) {
                return cub::DeviceRadixSort::SortPairs(t, bytes, keys.data, keys_out.data, values.data,
                                                       values_out.data, n);
            },
            [&] {
                const auto from = values_out.read(n);
                for (size_t i = 1; i < n; i++)
                    if (host[from[i - 1]] == host[from[i]] && from[i - 1] > from[i]) return false;
                return sorted();
            });
}

void bench_segmented_sort(size_t n)
{
    const auto host = random_words(n);
    array<uint32_t> keys(host), keys_out(n);
    for (size_t length : {n, size_t(1000), size_t(16)}) {
        std::vector<uint32_t> starts;
        for (size_t i = 0; i < n; i += length) starts.push_back(uint32_t(i));
        const size_t segments = starts.size();
        starts.push_back(uint32_t(n));
        array<uint32_t> offsets(starts);
        cub_row({length == n ? "segments: one" : "segments of " + std::to_string(length), "cub", n, 8.0 * n},
                [&](void *t, size_t &bytes) {
                    return cub::DeviceSegmentedSort::SortKeys(t, bytes, keys.data, keys_out.data, n, segments,
                                                              offsets.data, offsets.data + 1);
                },
                [&] {
                    const auto out = keys_out.read(n);
                    for (size_t s = 0; s < segments; s++)
                        if (!std::is_sorted(out.begin() + starts[s], out.begin() + starts[s + 1])) return false;
                    return true;
                });
    }
}

void bench_merge(size_t n)
{
    auto host = random_words(n);
    const size_t half = n / 2;
    std::sort(host.begin(), host.begin() + half);
    std::sort(host.begin() + half, host.end());
    array<uint32_t> keys(host), out(n);
    cub_row({"merge", "cub", n, 8.0 * n},
            [&](void *t, size_t &bytes) {
                return cub::DeviceMerge::MergeKeys(t, bytes, keys.data, half, keys.data + half, n - half, out.data);
            },
            [&] {
                const auto merged = out.read(n);
                return std::is_sorted(merged.begin(), merged.end());
            });
}
