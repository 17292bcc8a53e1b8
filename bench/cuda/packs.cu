/* packs.cu - cubbench: select, partition, unique, run lengths. */
#include <cub/cub.cuh>

#include "cubbench.cuh"

struct below {
    uint32_t bound;
    __host__ __device__ bool operator()(uint32_t x) const { return x < bound; }
};

static std::string percent(const char *name, double share)
{
    char text[32];
    std::snprintf(text, sizeof text, "%s %g %%", name, 100 * share);
    return text;
}

void bench_select(size_t n)
{
    const auto host = random_words(n, 1000000);
    array<uint32_t> in(host), out(n), count(1);
    for (double share : {0., .01, .5, .99, 1.}) {
        const below predicate = {uint32_t(1000000 * share)};
        std::vector<uint32_t> kept;
        std::copy_if(host.begin(), host.end(), std::back_inserter(kept), predicate);
        cub_row({percent("select", share), "cub", n, 8.0 * n},
                [&](void *t, size_t &bytes) {
                    return cub::DeviceSelect::If(t, bytes, in.data, out.data, count.data, n, predicate);
                },
                [&] { return count.first() == kept.size() && out.read(kept.size()) == kept; });
        cub_row({percent("partition", share), "cub", n, 8.0 * n},
                [&](void *t, size_t &bytes) {
                    return cub::DevicePartition::If(t, bytes, in.data, out.data, count.data, n, predicate);
                },
                [&] { return count.first() == kept.size() && out.read(kept.size()) == kept; });
    }
}

static void runs_rows(size_t n, bool lengths)
{
    array<uint32_t> out(n), lengths_out(n), count(1);
    for (size_t length : {size_t(1), size_t(3), size_t(16), size_t(1000), n}) {
        const auto host = runs_of(n, length);
        auto expected = host;
        array<uint32_t> in(host);
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        cub_row({(lengths ? "rle, runs of " : "unique, runs of ") + std::to_string(length), "cub", n, 8.0 * n},
                [&](void *t, size_t &bytes) {
                    return lengths ? cub::DeviceRunLengthEncode::Encode(t, bytes, in.data, out.data,
                                                                        lengths_out.data, count.data, n)
                                   : cub::DeviceSelect::Unique(t, bytes, in.data, out.data, count.data, n);
                },
                [&] { return count.first() == expected.size() && out.read(expected.size()) == expected; });
    }
}

void bench_unique(size_t n) { runs_rows(n, false); }

void bench_rle(size_t n) { runs_rows(n, true); }
