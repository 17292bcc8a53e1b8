/* c_tree.c - trees by one thread in plain C: index among siblings, numbers of children, ends of subtrees.
   Compiled like host_loops.c. */
#include "peer.h"

#include <stdlib.h>

static bool supports(const bench_work *work) { return work->primitive == BENCH_TREE; }
static bool supports_ends(const bench_work *work) { return supports(work) && work->k > 1; }

/* Where children are counted: an output, or memory that is kept from call to call, whose pages are touched in
   the first one, which is not timed. */
static uint32_t *children_of(const bench_work *work)
{
    static uint32_t *p;
    static size_t size;
    if (work->k > 1) return (uint32_t *)work->host_out + work->n;
    if (work->n > size) {
        free(p);
        p = malloc(work->n * sizeof *p);
        size = p ? work->n : 0;
    }
    return p;
}

/* One pass for children and index; ends by another one from the back, in which an element ends where the last
   one below it does. */
static bool run_passes(const bench_work *work)
{
    const size_t n = work->n;
    const uint32_t *parent = work->host_in;
    uint32_t *index = work->host_out, *children = children_of(work), *end = index + 2 * n, roots = 0;
    if (!children) return false;
    for (size_t i = 0; i < n; i++) {
        const uint32_t p = parent[i];
        children[i] = 0;
        index[i] = p == UINT32_MAX ? roots++ : children[p]++;
    }
    if (work->k == 1) return true;
    for (size_t i = 0; i < n; i++) end[i] = (uint32_t)i + 1;
    for (size_t i = n; i-- > 0;) {
        const uint32_t p = parent[i];
        if (p != UINT32_MAX && end[p] < end[i]) end[p] = end[i];
    }
    return true;
}

/* One pass for all: an element ends what is open and not its parent. */
static bool run_chain(const bench_work *work)
{
    const size_t n = work->n;
    const uint32_t *parent = work->host_in;
    uint32_t *index = work->host_out, *children = index + n, *end = index + 2 * n, roots = 0;
    uint32_t open = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        const uint32_t p = parent[i];
        for (; open != p; open = parent[open]) end[open] = (uint32_t)i;
        children[i] = 0;
        index[i] = p == UINT32_MAX ? roots++ : children[p]++;
        open = (uint32_t)i;
    }
    for (; open != UINT32_MAX; open = parent[open]) end[open] = (uint32_t)n;
    return true;
}

const bench_peer bench_peer_c_tree = {
    .name = "c-tree", .on_host = true, .supports = supports, .run = run_passes};
const bench_peer bench_peer_c_tree_chain = {
    .name = "c-tree-chain", .on_host = true, .supports = supports_ends, .run = run_chain};
