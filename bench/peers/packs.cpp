// packs.cpp - std::copy_if, partition_copy and unique_copy on one thread.
#include <algorithm>

#include "packs.h"

static bool run(const bench_work *work)
{
    return packs_run(
        work, [](auto begin, auto end, auto out, auto below) { std::copy_if(begin, end, out, below); },
        [](auto begin, auto end, auto out, auto rest, auto below) {
            std::partition_copy(begin, end, out, rest, below);
        },
        [](auto begin, auto end, auto out) { std::unique_copy(begin, end, out); });
}

const bench_peer bench_peer_std_pack = {"std", true, false, false, packs_supports, run};
