// vqsort.cpp - Highway's vqsort, on one thread. CPU_MASK (tools/cpu_mask.c) hides AVX-512 from it, too.
#include "sorts.h"

#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>

#include <cstdlib>

template <typename T> static void sort_keys(T *begin, T *end)
{
    static const hwy::Sorter sorter;
    sorter(begin, static_cast<size_t>(end - begin), hwy::SortAscending());
}

// Pairs as K32V32, which has the same members.
static void sort_keys(pair32 *begin, pair32 *end)
{
    static_assert(sizeof(pair32) == sizeof(hwy::K32V32) &&
                      offsetof(hwy::K32V32, key) == offsetof(pair32, key),
                  "pair32 is laid out as K32V32");
    sort_keys(reinterpret_cast<hwy::K32V32 *>(begin), reinterpret_cast<hwy::K32V32 *>(end));
}

static void hide_targets()
{
    const char *const mask = std::getenv("CPU_MASK");
    if (mask && std::strstr(mask, "avx512")) hwy::DisableTargets(HWY_AVX2 - 1);
}

static bool run(const bench_work *work)
{
    static const bool hidden = (hide_targets(), true);
    (void)hidden;
    return sorts_run(work, [](auto begin, auto end) { sort_keys(begin, end); });
}

const bench_peer bench_peer_vqsort = {"vqsort", true, false, false, sorts_supports, run};
