/* peers.c - the peers that were compiled in. BENCH_HAVE_... is defined for each library found. */
#include "../harness/bench.h"
#include "hashes.h"
#include "peer.h"

#include <stdio.h>
#include <string.h>

static const bench_peer *const peers[] = {
    &bench_peer_c_tiled,
    &bench_peer_c_by_key,
    &bench_peer_c_histogram,
    &bench_peer_c_transpose,
    &bench_peer_c_columns,
    &bench_peer_c_rows,
    &bench_peer_c_lsd,
    &bench_peer_c_lsd_plain,
    &bench_peer_c_merge,
    &bench_peer_c_merge_plain,
    &bench_peer_c_pack,
    &bench_peer_c_decode,
    &bench_peer_c_search,
    &bench_peer_c_stack,
    &bench_peer_c_stack_branch_free,
    &bench_peer_c_tree,
    &bench_peer_c_tree_chain,
    &bench_peer_duckdb,
    &bench_peer_numpy,
    &bench_peer_polars,
    &bench_peer_pyopencl,
    &bench_peer_pyopencl_radix,
    &bench_peer_pyopencl_bitonic,
#ifdef BENCH_HAVE_STD
    &bench_peer_std,
    &bench_peer_std_pack,
    &bench_peer_std_sort,
    &bench_peer_std_stable_sort,
    &bench_peer_std_merge,
    &bench_peer_std_search,
    &bench_peer_std_search_threads,
    &bench_peer_partial_sort,
    &bench_peer_nth_element,
    &bench_peer_nth_element_ranks,
    &bench_peer_partial_sort_rows,
    &bench_peer_std_strings,
    &bench_peer_std_segments,
    &bench_peer_std_segments_pool,
#endif
#ifdef BENCH_HAVE_BOOST_COMPUTE
    &bench_peer_boost_compute,
    &bench_peer_boost_compute_sort,
    &bench_peer_boost_pack,
    &bench_peer_boost_compute_map,
    &bench_peer_block_indirect,
#endif
#ifdef BENCH_HAVE_TBB
    &bench_peer_tbb,
    &bench_peer_tbb_histogram,
    &bench_peer_std_par_histogram,
    &bench_peer_tbb_sort,
    &bench_peer_par_merge,
    &bench_peer_par_pack,
    &bench_peer_tbb_pack,
    &bench_peer_std_par_map,
    &bench_peer_tbb_map,
#endif
#ifdef BENCH_HAVE_STD_PAR
    &bench_peer_std_par,
#endif
#ifdef BENCH_HAVE_SIMDJSON
    &bench_peer_simdjson,
#endif
#ifdef BENCH_HAVE_VQSORT
    &bench_peer_vqsort,
#endif
#ifdef BENCH_HAVE_VIENNACL
    &bench_peer_viennacl,
#endif
};

/* ------------------------------------------------------------------ libraries */

#ifndef BENCH_HAVE_LIBRARIES
const bench_library bench_cxx_libraries[] = {{"std", NULL, "no C++17 compiler"}, {NULL, NULL, NULL}};
#endif

void bench_name_libraries(bool there, char *text, size_t size)
{
    const bench_library *const lists[] = {bench_cxx_libraries, bench_python_libraries()};
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < 2; i++)
        for (const bench_library *l = lists[i]; l->name != NULL && used < size; l++)
            if ((l->version != NULL) == there)
                used += (size_t)snprintf(text + used, size - used, there ? "%s%s %s" : "%s%s (%s)",
                                         used > 0 ? ", " : "", l->name, there ? l->version : l->missing);
}

static bool run(bench_case *c, bench_variant *v)
{
    c->work.why = v->error;
    return v->with.peer->run(&c->work);
}

static bool usable(const bench_case *c, const bench_peer *peer)
{
    if (peer->on_host && !c->b->on_cpu) return false;
    if (peer->pooled && c->b->pool == NULL) return false;
    return peer->supports(&c->work);
}

void bench_add_peers(bench_case *c, bool (*check)(bench_case *, bench_variant *, const void *),
                     size_t out_bytes)
{
    if (c->b->options.no_peers) return;
    for (size_t i = 0; i < sizeof peers / sizeof peers[0]; i++) {
        const bench_peer *peer = peers[i];
        if (!usable(c, peer)) continue;
        if (c->b->options.only && !strstr(peer->name, c->b->options.only)) continue;
        bench_variant *v = bench_variant_add(c, BENCH_PEER, "peer:%s", peer->name);
        v->on_host = peer->on_host;
        v->pooled = peer->pooled;
        v->spins_after = peer->spins;
        v->shape = peer->on_host ? "host" : "";
        v->strategy = "";
        v->run = run;
        v->check = check;
        v->out_bytes = out_bytes;
        v->with.peer = peer;
    }
}

const hash_peer *const bench_hash_peers[] = {
    &hash_peer_c,   &hash_peer_c_plain,
#ifdef BENCH_HAVE_STD_MAP
    &hash_peer_std,
#endif
#ifdef BENCH_HAVE_TBB_MAP
    &hash_peer_tbb, &hash_peer_tbb_hash_map,
#endif
    NULL,
};
