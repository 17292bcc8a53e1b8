/* keys.h - what the tests of primitives on keys share: the order of keys, special keys, guarded buffers. */
#ifndef GPUPRIM_TESTS_KEYS_H
#define GPUPRIM_TESTS_KEYS_H

#include "support.h"

enum { GUARD = 16 }; /* elements around outputs that must stay poisoned */

extern const gp_type key_types[];
enum { KEY_TYPES = 11 };

size_t key_size(gp_type type);

/* Key i as it is in memory, and as an unsigned number that is ordered as the keys are. */
uint64_t key_load(const void *keys, size_t i, size_t size);
uint64_t key_order(gp_type type, bool descending, uint64_t bits);

uint64_t random_64(void);

/* NaNs of either sign, infinities, zeros; extremes of integers. */
uint64_t key_special(gp_type type, size_t i);

/* `data` between poisoned guards; NULL: poison there too. */
cl_mem guarded(gp_context *gp, size_t offset, size_t count, size_t size, const void *data);

/* NULL, or what is wrong with elements [offset, offset + count) of a guarded buffer, which should be those of
   `expected`; *at is which one. */
const char *guarded_difference(gp_context *gp, cl_mem buffer, size_t offset, size_t count, size_t size,
                               const void *expected, size_t *at);

#endif
