// string_sorts.cpp - std::stable_sort of indices by std::string_view, on one thread.
#include "peer.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <vector>

static bool supports(const bench_work *work) { return work->primitive == BENCH_SORT_STRINGS; }

static bool run(const bench_work *work)
{
    static std::vector<std::string_view> views;
    const char *bytes = reinterpret_cast<const char *>(work->host_bytes);
    uint32_t *out = static_cast<uint32_t *>(work->host_out);
    views.resize(work->n);
    for (size_t i = 0; i < work->n; i++) {
        const uint32_t begin = work->host_offsets[i];
        views[i] = std::string_view(bytes + begin, work->host_offsets[i + 1] - begin);
    }
    std::iota(out, out + work->n, 0u);
    std::stable_sort(out, out + work->n, [](uint32_t a, uint32_t b) { return views[a] < views[b]; });
    return true;
}

const bench_peer bench_peer_std_strings = {"std-stable-sort", true, false, false, supports, run};
