/* patterns.h - keys of every type in every pattern, and what a stable sort makes of them. */
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
    KEYS_LOW,     /* only the low byte differs: all passes but one have nothing to do */
    KEYS_PATTERNS
} key_pattern;

/* `count` keys, to be freed. */
unsigned char *keys_make(gp_type type, key_pattern pattern, size_t count);

/* The AND of `words` random words for each key; words 0: all keys the same. */
unsigned char *keys_make_and(gp_type type, unsigned words, size_t count);

typedef struct key_entry {
    uint64_t bits; /* in order, cut to the window */
    size_t index;
} key_entry;

/* All keys in the order of their bits [begin, end) (end 0: all of them), stably, to be freed. */
key_entry *keys_sorted(gp_type type, bool descending, uint32_t begin, uint32_t end, const unsigned char *keys,
                       size_t count);

#endif
