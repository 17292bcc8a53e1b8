// par_map.cpp - std::transform, std::fill and loops on C++17's parallel policies, and oneTBB's parallel_for.
#include "peer.h"

#include <algorithm>
#include <execution>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace
{

bool supports(const bench_work *work)
{
    return (work->primitive == BENCH_TRANSFORM || work->primitive == BENCH_FILL ||
            work->primitive == BENCH_GATHER) &&
           work->type == GP_U32;
}

bool run_std(const bench_work *work)
{
    const uint32_t *in = static_cast<const uint32_t *>(work->host_in);
    const uint32_t *at = static_cast<const uint32_t *>(work->host_in2);
    uint32_t *out = static_cast<uint32_t *>(work->host_out);
    const auto policy = std::execution::par_unseq;
    switch (work->primitive) {
    case BENCH_TRANSFORM:
        std::transform(policy, in, in + work->n, out, [](uint32_t x) { return x * 3u + 1u; });
        return true;
    case BENCH_FILL: std::fill(policy, out, out + work->n, 42u); return true;
    case BENCH_GATHER:
        std::transform(policy, at, at + work->n, out, [in](uint32_t i) { return in[i]; });
        return true;
    default: return false;
    }
}

bool supports_tbb(const bench_work *work) { return supports(work) || work->primitive == BENCH_STENCIL; }

// Row by row; the inner columns in a loop that vectorizes.
bool stencil(const bench_work *work)
{
    const float *in = static_cast<const float *>(work->host_in);
    float *out = static_cast<float *>(work->host_out);
    const size_t n = work->k;
    tbb::parallel_for(tbb::blocked_range<size_t>(0, n), [=](const tbb::blocked_range<size_t> &r) {
        for (size_t y = r.begin(); y < r.end(); y++) {
            const float *b = in + y * n, *a = y > 0 ? b - n : b, *c = y + 1 < n ? b + n : b;
            const auto sum = [=](size_t l, size_t x, size_t u) {
                return (a[l] + 2 * a[x] + a[u]) + (2 * b[l] + 4 * b[x] + 2 * b[u]) + (c[l] + 2 * c[x] + c[u]);
            };
            float *to = out + y * n;
            for (size_t x = 1; x + 1 < n; x++) to[x] = sum(x - 1, x, x + 1);
            to[0] = sum(0, 0, n > 1 ? 1 : 0);
            to[n - 1] = sum(n > 1 ? n - 2 : 0, n - 1, n - 1);
        }
    });
    return true;
}

template <typename F> bool loop(const bench_work *work, F element)
{
    uint32_t *out = static_cast<uint32_t *>(work->host_out);
    tbb::parallel_for(tbb::blocked_range<size_t>(0, work->n), [=](const tbb::blocked_range<size_t> &r) {
        for (size_t i = r.begin(); i < r.end(); i++) out[i] = element(i);
    });
    return true;
}

bool run_tbb(const bench_work *work)
{
    const uint32_t *in = static_cast<const uint32_t *>(work->host_in);
    const uint32_t *at = static_cast<const uint32_t *>(work->host_in2);
    switch (work->primitive) {
    case BENCH_TRANSFORM: return loop(work, [in](size_t i) { return in[i] * 3u + 1u; });
    case BENCH_FILL: return loop(work, [](size_t) { return 42u; });
    case BENCH_STENCIL: return stencil(work);
    case BENCH_GATHER: return loop(work, [in, at](size_t i) { return in[at[i]]; });
    default: return false;
    }
}

} // namespace

const bench_peer bench_peer_std_par_map = {"std-par", true, false, true, supports, run_std};
const bench_peer bench_peer_tbb_map = {"tbb", true, false, true, supports_tbb, run_tbb};
