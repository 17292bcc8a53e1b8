/* host.h - what the tests of gpuprim_host.h share. */
#ifndef GPUPRIM_TESTS_HOST_H
#define GPUPRIM_TESTS_HOST_H

#include "../support/support.h"
#define GP_HOST_IMPLEMENTATION
#include "../../gpuprim_host.h"

/* What a progress callback was told, and when it cancels. */
typedef struct told {
    uint64_t first, last, total;
    uint64_t calls, cancel_at; /* 0: never */
} told;

static int tell(uint64_t done, uint64_t total, void *user)
{
    told *t = user;
    assert_true(done >= t->last && done <= total);
    if (t->calls == 0) t->first = done;
    if (t->calls > 0) assert_int_equal(total, t->total);
    t->last = done;
    t->total = total;
    return ++t->calls == t->cancel_at;
}

/* A copy that ends where the sanitizers look, at `offset` elements after what malloc gives. */
static void *copy_at(const void *data, size_t bytes, size_t offset, void **block)
{
    unsigned char *memory = malloc(offset + bytes + 1);
    assert_non_null(memory);
    memset(memory, TEST_POISON, offset + bytes + 1);
    if (data && bytes) memcpy(memory + offset, data, bytes);
    *block = memory;
    return memory + offset;
}

/* What is around such an array is as it was. */
static void assert_around(const void *block, size_t offset, size_t bytes)
{
    const unsigned char *memory = block;
    size_t i;
    for (i = 0; i < offset; i++) assert_int_equal(memory[i], TEST_POISON);
    assert_int_equal(memory[offset + bytes], TEST_POISON);
}

#endif
