/* packs.h - functions that tests of gp_select, gp_partition, gp_unique and gp_run_length_encode share: inputs
   at odd offsets between poison, and outputs in which every byte is checked. */
#ifndef GPUPRIM_TESTS_PACKS_H
#define GPUPRIM_TESTS_PACKS_H

#include "support.h"

/* The form of a call, for any of these functions. */
typedef struct pack_form {
    size_t count;     /* number of elements */
    size_t bound;     /* at least count; if it is larger, the count is on the device */
    size_t offset;    /* the buffers' different offsets are derived from this */
    bool wide;        /* counts and indices have 64 bits */
    bool own_scratch; /* the caller's scratch has exactly the requested size */
    bool read;        /* uses the blocking call, which returns the counts */
} pack_form;

/* Creates a buffer with the form's `count` elements of `size` bytes at `offset`, and room for `bound`
   elements. */
cl_mem pack_in(gp_context *gp, const void *data, const pack_form *form, size_t offset, size_t size);

/* Creates the buffer of the count on the device, at element 2; NULL if the form has none. */
cl_mem pack_count(gp_context *gp, const pack_form *form);
enum { PACK_COUNT_OFFSET = 2 };

/* A poisoned output with room for `room` elements at `offset`. */
typedef struct pack_out {
    cl_mem buffer;
    size_t offset, room, size;
} pack_out;

pack_out pack_out_make(gp_context *gp, size_t offset, size_t room, size_t size);

/* Checks that the output begins with `expected`, and that the rest of the buffer is unchanged. Then releases
   the buffer. */
void pack_out_check(gp_context *gp, pack_out *out, const char *what, const void *expected, size_t count);
void pack_out_check_numbers(gp_context *gp, pack_out *out, const uint64_t *expected, size_t count);

/* Returns random bytes, which the caller frees. */
void *pack_random(size_t bytes);

/* Returns the type of the form's counts and indices: 0, which means GP_U32, or GP_U64. */
gp_type pack_number_type(const pack_form *form);
size_t pack_number_size(const pack_form *form);

/* Returns the number of counts, and sets *counts to them: numbers slightly below and above each tile size in
   use, several tiles, a prime and a large odd number. */
size_t pack_counts(const size_t **counts);

#endif
