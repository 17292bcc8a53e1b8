/* hash_published.h - what the two sub-commands of gp_hash share: keys, rows, filling up. */
#ifndef BENCH_HASH_PUBLISHED_H
#define BENCH_HASH_PUBLISHED_H

#include "../harness/bench.h"

/* A bijection: different numbers give different keys. */
uint32_t bench_hash_key(uint32_t i);

/* Sorts them. */
double bench_hash_median(double *seconds, unsigned n);

/* A row for programs. */
typedef struct bench_hash_result {
    const char *variant, *operation, *keys;
    size_t size; /* bytes of a key, and of a value */
    size_t capacity, n;
    double load, seconds; /* the median */
    double fastest;
    double published; /* seconds; 0: none is */
    bool failed;
} bench_hash_result;

void bench_hash_row(bench *b, const bench_hash_result *row);

/* A table of so many slots, filled in batches of 1/32 of them: insertion by load beside the published rates,
   and probe depths. */
void bench_hash_fill(bench *b, size_t capacity);

#endif
