/* rank_keys.cl - counts and moves keys by their digits, for sort/rank.cl. Counters are in local memory (sort/count_digits.cl).
   Keys are moved tile by tile. A tile is sorted by its digits in registers (sort/multisplit.cl), or, if there are no sub-groups, in
   local memory (sort/rank_nibbles.cl). */
#ifndef GPI_SORT_RANK_KEYS_CL
#define GPI_SORT_RANK_KEYS_CL
#include "base/platform.cl"
#include "sort/count_digits.cl"
#if GPI_SUB_GROUP
#include "sort/multisplit.cl"
#else
#include "sort/rank_nibbles.cl"
#endif
#endif
