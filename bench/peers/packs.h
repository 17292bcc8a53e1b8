// packs.h - the work of the C++ peers of gp_select, gp_partition and gp_unique: what each library has to
// give.
#include "peer.h"

static bool packs_supports(const bench_work *work)
{
    const bench_primitive p = work->primitive;
    return (p == BENCH_SELECT || p == BENCH_PARTITION || p == BENCH_UNIQUE) && work->type == GP_U32;
}

// `select(begin, end, out, below)`, `partition(begin, end, out, rest, below)`, `unique(begin, end, out)`
template <typename Select, typename Partition, typename Unique>
static bool packs_run(const bench_work *work, Select select, Partition partition, Unique unique)
{
    const uint32_t *in = static_cast<const uint32_t *>(work->host_in);
    uint32_t *out = static_cast<uint32_t *>(work->host_out);
    const uint32_t k = static_cast<uint32_t>(work->k);
    const auto below = [k](uint32_t x) { return x < k; };
    if (work->primitive == BENCH_SELECT) select(in, in + work->n, out, below);
    if (work->primitive == BENCH_PARTITION) partition(in, in + work->n, out, out + work->n, below);
    if (work->primitive == BENCH_UNIQUE) unique(in, in + work->n, out);
    return true;
}
