/* packs.h - what the tests of gp_select, gp_partition, gp_unique and gp_run_length_encode share: inputs at
   odd offsets with poison around them, outputs whose every byte is checked. */
#ifndef GPUPRIM_TESTS_PACKS_H
#define GPUPRIM_TESTS_PACKS_H

#include "support.h"

/* How a call is made, whatever is called. */
typedef struct pack_form {
    size_t count;     /* elements that there are */
    size_t bound;     /* at least count; more: the count lives on the device */
    size_t offset;    /* of all buffers: different ones, derived from this */
    bool wide;        /* numbers of 64 bits */
    bool own_scratch; /* exactly as large as asked for */
    bool read;        /* the call that blocks and tells the counts */
} pack_form;

/* `count` elements of `size` bytes at `offset`, in a buffer with room for `bound`. */
cl_mem pack_in(gp_context *gp, const void *data, const pack_form *form, size_t offset, size_t size);

/* The device's count of the form; NULL where it has none. At element 2. */
cl_mem pack_count(gp_context *gp, const pack_form *form);
enum { PACK_COUNT_OFFSET = 2 };

/* A poisoned output with room for `room` elements at `offset`. */
typedef struct pack_out {
    cl_mem buffer;
    size_t offset, room, size;
} pack_out;

pack_out pack_out_make(gp_context *gp, size_t offset, size_t room, size_t size);

/* The output begins with these elements, and the rest of the buffer is untouched; then it is released. */
void pack_out_check(gp_context *gp, pack_out *out, const char *what, const void *expected, size_t count);
void pack_out_check_numbers(gp_context *gp, pack_out *out, const uint64_t *expected, size_t count);

/* Random bytes, to be freed. */
void *pack_random(size_t bytes);

/* The type of unsigned numbers of 4 or 8 bytes: 0, which means GP_U32, or GP_U64. */
gp_type pack_number_type(const pack_form *form);
size_t pack_number_size(const pack_form *form);

/* Counts around every tile size in use, several tiles, a prime and a large odd one. */
size_t pack_counts(const size_t **counts);

#endif
