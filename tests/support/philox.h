/* philox.h - Philox4x32-10 (Salmon, Moraes, Dror & Shaw 2011) on the host. */
#ifndef GPUPRIM_TESTS_PHILOX_H
#define GPUPRIM_TESTS_PHILOX_H

#include <stdint.h>

void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Returns word `word` of a block of gp_random's stream. */
uint32_t philox_word(uint64_t seed, uint64_t stream, uint64_t block, unsigned word);

#endif
