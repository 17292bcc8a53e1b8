/* keys.h - what the tests of sorts share: keys in patterns, their order on the host, guarded buffers. */
#ifndef GPUPRIM_TESTS_KEYS_H
#define GPUPRIM_TESTS_KEYS_H

#include "support.h"

typedef enum test_key_pattern {
    TEST_KEYS_RANDOM,
    TEST_KEYS_AND, /* the AND of three random words: low entropy */
    TEST_KEYS_EQUAL,
    TEST_KEYS_SORTED,
    TEST_KEYS_REVERSED,
    TEST_KEYS_SPECIAL, /* floats: NaNs of either sign, infinities, zeros; integers: extremes */
    TEST_KEYS_LOW,     /* only the low byte differs: all passes but one have nothing to do */
    TEST_KEY_PATTERNS
} test_key_pattern;

enum { TEST_GUARD = 16 }; /* elements around outputs that must stay poisoned */

/* What keys are sorted by; end_bit 0: all bits. */
typedef struct test_key_order {
    gp_type type;
    uint32_t begin_bit, end_bit;
    bool descending;
} test_key_order;

/* A key as an unsigned number in its order, cut to the window; and where it was. */
typedef struct test_entry {
    uint64_t bits;
    size_t index;
} test_entry;

size_t test_key_size(gp_type type);
uint64_t test_random_64(void);

/* Keys, to be freed; values: value i is its index, as far as it fits. */
unsigned char *test_keys_make(gp_type type, test_key_pattern pattern, size_t count);
unsigned char *test_values_make(size_t size, size_t count);

/* What a stable sort makes of the keys, to be freed. */
test_entry *test_keys_sorted(const test_key_order *order, const unsigned char *keys, size_t count);

/* `data` between poisoned guards, from element `offset` on; NULL: poison there too. */
cl_mem test_guarded(gp_context *gp, size_t offset, size_t count, size_t size, const void *data);

#endif
