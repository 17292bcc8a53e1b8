/* sums.cu - cubbench: reduce, scan, reduce by key, histogram, transform. */
#include <cub/cub.cuh>

#include <numeric>

#include "cubbench.cuh"

void bench_reduce(size_t n)
{
    const auto host = random_words(n, 1000);
    array<uint32_t> in(host), out(1);
    const uint32_t sum = std::accumulate(host.begin(), host.end(), 0u);
    cub_row({"reduce", "cub", n, 4.0 * n},
            [&](void *t, size_t &bytes) { return cub::DeviceReduce::Sum(t, bytes, in.data, out.data, n); },
            [&] { return out.first() == sum; });
}

void bench_scan(size_t n)
{
    const auto host = random_words(n);
    array<uint32_t> in(host), out(n);
    cub_row({"scan", "cub", n, 8.0 * n},
            [&](void *t, size_t &bytes) { return cub::DeviceScan::InclusiveSum(t, bytes, in.data, out.data, n); },
            [&] {
                std::vector<uint32_t> expected(n);
                std::partial_sum(host.begin(), host.end(), expected.begin());
                return out.read(n) == expected;
            });
}

void bench_by_key(size_t n)
{
    const auto values = random_words(n, 1000);
    array<uint32_t> in(values), keys_out(n), out(n), count(1);
    for (size_t length : {size_t(1), size_t(3), size_t(16), size_t(1000), n}) {
        const auto host = runs_of(n, length);
        array<uint32_t> keys(host);
        size_t expected = 1;
        for (size_t i = 1; i < n; i++) expected += host[i] != host[i - 1];
        cub_row({"by key, runs of " + std::to_string(length), "cub", n, 8.0 * n},
                [&](void *t, size_t &bytes) {
                    return cub::DeviceReduce::ReduceByKey(t, bytes, keys.data, keys_out.data, in.data, out.data,
                                                          count.data, cuda::std::plus<>{}, n);
                },
                [&] { return count.first() == expected; });
    }
}

static void histogram(const char *name, size_t n, int bins, bool constant)
{
    const auto host = constant ? std::vector<uint32_t>(n, 0xab123456u) : random_words(n);
    array<uint32_t> in(host), out(bins);
    cub_row({name, "cub", n, 4.0 * n},
            [&](void *t, size_t &bytes) {
                return cub::DeviceHistogram::HistogramEven(t, bytes, in.data, out.data, bins + 1, uint64_t(0),
                                                           uint64_t(1) << 32, n);
            },
            [&] {
                std::vector<uint32_t> expected(bins);
                for (uint32_t x : host) expected[uint64_t(x) * bins >> 32]++;
                return out.read(bins) == expected;
            });
}

void bench_histogram(size_t n)
{
    histogram("256 bins", n, 256, false);
    histogram("256 bins const", n, 256, true);
    histogram("2^20 bins", n, 1 << 20, false);
    histogram("2^20 bins const", n, 1 << 20, true);
}

struct times_three {
    __host__ __device__ uint32_t operator()(uint32_t x) const { return x * 3 + 1; }
};

void bench_transform(size_t n)
{
    const auto host = random_words(n);
    array<uint32_t> in(host), out(n);
    time_row({"transform", "cub", n, 8.0 * n}, [] {},
             [&] { must(cub::DeviceTransform::Transform(in.data, out.data, n, times_three{})); },
             [&] {
                 const auto result = out.read(n);
                 for (size_t i = 0; i < n; i++)
                     if (result[i] != times_three{}(host[i])) return false;
                 return true;
             });
}
