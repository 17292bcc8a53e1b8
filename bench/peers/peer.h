/* peer.h - what a rival library has to provide to appear in the tables. C and C++.

   A peer is one bench_peer in a file of bench/peers/, compiled only where its library is installed,
   and listed in peers.c. It runs one piece of work and returns when the result is there. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "../harness/work.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A library to compare with. */
typedef struct bench_library {
    const char *name;
    const char *version; /* NULL: it is not here, */
    const char *missing; /* because of this */
} bench_library;

/* Those for C++ (libraries.cpp) and Python (python.c), `name` NULL at the end. */
extern const bench_library bench_cxx_libraries[];
const bench_library *bench_python_libraries(void);
/* Ends what has been started. */
void bench_python_close(void);
/* Those of the libraries to compare with that are there, with versions, or that are not, with reasons.
   (peers.c) */
void bench_name_libraries(bool there, char *text, size_t size);

extern const bench_peer bench_peer_block_indirect;
extern const bench_peer bench_peer_boost_compute;
extern const bench_peer bench_peer_boost_compute_map;
extern const bench_peer bench_peer_boost_compute_sort;
extern const bench_peer bench_peer_boost_pack;
extern const bench_peer bench_peer_c_by_key;
extern const bench_peer bench_peer_c_histogram;
extern const bench_peer bench_peer_c_lsd;
extern const bench_peer bench_peer_c_lsd_plain;
extern const bench_peer bench_peer_c_merge;
extern const bench_peer bench_peer_c_merge_plain;
extern const bench_peer bench_peer_c_pack;
extern const bench_peer bench_peer_c_decode;
extern const bench_peer bench_peer_c_search;
extern const bench_peer bench_peer_c_stack;
extern const bench_peer bench_peer_c_stack_branch_free;
extern const bench_peer bench_peer_c_tiled;
extern const bench_peer bench_peer_c_columns;
extern const bench_peer bench_peer_c_rows;
extern const bench_peer bench_peer_c_transpose;
extern const bench_peer bench_peer_c_tree;
extern const bench_peer bench_peer_c_tree_chain;
extern const bench_peer bench_peer_par_merge;
extern const bench_peer bench_peer_par_pack;
extern const bench_peer bench_peer_polars;
extern const bench_peer bench_peer_pyopencl;
extern const bench_peer bench_peer_pyopencl_bitonic;
extern const bench_peer bench_peer_pyopencl_radix;
extern const bench_peer bench_peer_simdjson;
extern const bench_peer bench_peer_std;
extern const bench_peer bench_peer_std_merge;
extern const bench_peer bench_peer_std_pack;
extern const bench_peer bench_peer_std_par;
extern const bench_peer bench_peer_std_par_map;
extern const bench_peer bench_peer_std_search;
extern const bench_peer bench_peer_std_search_threads;
extern const bench_peer bench_peer_std_segments;
extern const bench_peer bench_peer_std_segments_pool;
extern const bench_peer bench_peer_std_strings;
extern const bench_peer bench_peer_std_sort;
extern const bench_peer bench_peer_std_stable_sort;
extern const bench_peer bench_peer_duckdb;
extern const bench_peer bench_peer_nth_element;
extern const bench_peer bench_peer_nth_element_ranks;
extern const bench_peer bench_peer_numpy;
extern const bench_peer bench_peer_partial_sort;
extern const bench_peer bench_peer_partial_sort_rows;
extern const bench_peer bench_peer_tbb;
extern const bench_peer bench_peer_tbb_pack;
extern const bench_peer bench_peer_tbb_histogram;
extern const bench_peer bench_peer_std_par_histogram;
extern const bench_peer bench_peer_tbb_map;
extern const bench_peer bench_peer_tbb_sort;
extern const bench_peer bench_peer_viennacl;
extern const bench_peer bench_peer_vqsort;

#ifdef __cplusplus
}
#endif
#endif
