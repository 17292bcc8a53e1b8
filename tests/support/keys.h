/* keys.h - functions that tests of primitives on keys share: the order of keys, special keys, guarded
   buffers. */
#ifndef GPUPRIM_TESTS_KEYS_H
#define GPUPRIM_TESTS_KEYS_H

#include "support.h"

enum { GUARD = 16 }; /* elements before and after outputs, which must stay poisoned */

extern const gp_type key_types[];
enum { KEY_TYPES = 11 };

size_t key_size(gp_type type);

/* Return key i as it is in memory, and as an unsigned number that compares as the keys do. */
uint64_t key_load(const void *keys, size_t i, size_t size);
uint64_t key_order(gp_type type, bool descending, uint64_t bits);

uint64_t random_64(void);

/* Returns a special key: for floats a NaN of either sign, an infinity or a zero, for integers an extreme. */
uint64_t key_special(gp_type type, size_t i);

/* Creates a buffer with `data` between poisoned guards. If `data` is NULL, the elements are poison, too. */
cl_mem guarded(gp_context *gp, size_t offset, size_t count, size_t size, const void *data);

/* Returns NULL if elements [offset, offset + count) of a guarded buffer equal `expected` and its guards are
   intact. Otherwise returns a description of the difference, and sets *at to the element's index. */
const char *guarded_difference(gp_context *gp, cl_mem buffer, size_t offset, size_t count, size_t size,
                               const void *expected, size_t *at);

#endif
