/* keys.h - what the tests of sorts share: keys of every type in every pattern, and their order. */
#ifndef GPUPRIM_TESTS_KEYS_H
#define GPUPRIM_TESTS_KEYS_H

#include "support.h"

typedef enum key_pattern {
    KEYS_RANDOM,
    KEYS_AND, /* the AND of three random words: low entropy */
    KEYS_EQUAL,
    KEYS_SORTED,
    KEYS_REVERSED,
    KEYS_SPECIAL, /* floats: NaNs of either sign, infinities, zeros; integers: extremes */
    KEYS_LOW,     /* only the low byte differs: all passes but one have nothing to do */
    KEYS_PATTERNS
} key_pattern;

size_t key_size(gp_type type);

/* Key i as it is, in the low bits. */
uint64_t key_at(gp_type type, const unsigned char *keys, size_t i);

/* `count` keys, to be freed. */
unsigned char *keys_make(gp_type type, key_pattern pattern, size_t count);

/* The AND of `words` random words for each key; words 0: all keys the same. */
unsigned char *keys_make_and(gp_type type, unsigned words, size_t count);

/* The key as an unsigned number in its order, cut to bits [begin, end); end 0: all of them. */
uint64_t key_order(gp_type type, bool descending, uint32_t begin, uint32_t end, uint64_t key);

typedef struct key_entry {
    uint64_t bits;
    size_t index;
} key_entry;

/* All keys in their order, stably, to be freed. */
key_entry *keys_sorted(gp_type type, bool descending, uint32_t begin, uint32_t end, const unsigned char *keys,
                       size_t count);

enum { KEYS_GUARD = 16 }; /* elements behind outputs that must stay poisoned */

/* `data` (NULL: poison) behind `offset` elements, with poison around. */
cl_mem test_guarded(gp_context *gp, size_t offset, size_t count, size_t size, const void *data);

#endif
