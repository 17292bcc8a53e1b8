/* patterns.h - keys of every type in every pattern, and the results of a stable sort of them. */
#ifndef GPUPRIM_TESTS_PATTERNS_H
#define GPUPRIM_TESTS_PATTERNS_H

#include "keys.h"

typedef enum key_pattern {
    KEYS_RANDOM,
    KEYS_AND, /* the AND of three random words: low entropy */
    KEYS_EQUAL,
    KEYS_SORTED,
    KEYS_REVERSED,
    KEYS_SPECIAL, /* floats: NaNs of either sign, infinities, zeros; integers: extremes */
    KEYS_LOW,     /* only the low byte differs, so that only one pass moves keys */
    KEYS_PATTERNS
} key_pattern;

/* Returns `count` keys, which the caller frees. */
unsigned char *keys_make(gp_type type, key_pattern pattern, size_t count);

/* Returns keys each of which is the AND of `words` random words; words 0: all keys are equal. */
unsigned char *keys_make_and(gp_type type, unsigned words, size_t count);

typedef struct key_entry {
    uint64_t bits; /* the compared bits of the number that orders the key */
    size_t index;
} key_entry;

/* Returns all keys, stably sorted by their bits [begin, end) (end 0: to the last bit), which the caller
   frees. */
key_entry *keys_sorted(gp_type type, bool descending, uint32_t begin, uint32_t end, const unsigned char *keys,
                       size_t count);

#endif
