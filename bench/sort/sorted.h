/* sorted.h - sorted input for gpbench merge and search. */
#ifndef BENCH_SORTED_H
#define BENCH_SORTED_H

#include "../harness/data.h"

/* n keys in ascending order, no NaN among them; the average step from one to the next leaves them spread over
   what `type` can hold. Other seeds give other keys. */
void sorted_fill(gp_type type, uint64_t seed, void *keys, size_t n);

#endif
