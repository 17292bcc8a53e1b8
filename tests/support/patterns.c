/* patterns.c - see patterns.h. */
#include "patterns.h"

/* ------------------------------------------------------------------ order */

/* Returns bits [begin, end) of the number that orders the key. */
static uint64_t window(gp_type type, bool descending, uint32_t begin, uint32_t end, uint64_t key)
{
    const unsigned last = end ? end : 8 * (unsigned)key_size(type);
    if (begin == last) return 0;
    key = key_order(type, descending, key) >> begin;
    return last - begin == 64 ? key : key & (((uint64_t)1 << (last - begin)) - 1);
}

static int compare_entries(const void *a, const void *b)
{
    const key_entry *x = a, *y = b;
    if (x->bits != y->bits) return x->bits < y->bits ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

key_entry *keys_sorted(gp_type type, bool descending, uint32_t begin, uint32_t end, const unsigned char *keys,
                       size_t count)
{
    key_entry *e = malloc((count + 1) * sizeof *e);
    size_t i;
    assert_non_null(e);
    for (i = 0; i < count; i++) {
        e[i].bits = window(type, descending, begin, end, key_load(keys, i, key_size(type)));
        e[i].index = i;
    }
    qsort(e, count, sizeof *e, compare_entries);
    return e;
}

/* ------------------------------------------------------------------ input */

static uint64_t random_and(unsigned words)
{
    uint64_t x = random_64();
    while (--words) x &= random_64();
    return x;
}

static uint64_t make_key(gp_type type, key_pattern pattern, unsigned words, size_t i, size_t count)
{
    switch (pattern) {
    case KEYS_AND: return random_and(words);
    case KEYS_EQUAL: return 0x1234567812345678u;
    case KEYS_SORTED: return i;
    case KEYS_REVERSED: return count - i;
    case KEYS_SPECIAL: return key_special(type, test_random() >> 8);
    case KEYS_LOW: return 0x1234567812345600u | (test_random() >> 24);
    default: return random_64();
    }
}

static unsigned char *make_all(gp_type type, key_pattern pattern, unsigned words, size_t count)
{
    const size_t size = key_size(type);
    unsigned char *keys = malloc(count * size + 1);
    size_t i;
    assert_non_null(keys);
    for (i = 0; i < count; i++) {
        const uint64_t x = make_key(type, pattern, words, i, count);
        memcpy(keys + i * size, &x, size);
    }
    return keys;
}

unsigned char *keys_make(gp_type type, key_pattern pattern, size_t count)
{
    return make_all(type, pattern, 3, count);
}

unsigned char *keys_make_and(gp_type type, unsigned words, size_t count)
{
    return make_all(type, words ? KEYS_AND : KEYS_EQUAL, words, count);
}
