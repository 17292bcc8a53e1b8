/* packs.c - see packs.h. */
#include "packs.h"

void *pack_random(size_t bytes)
{
    unsigned char *data = malloc(bytes + 1);
    size_t i;
    assert_non_null(data);
    for (i = 0; i < bytes; i++) data[i] = (unsigned char)(test_random() >> 11);
    return data;
}

cl_mem pack_in(gp_context *gp, const void *data, const pack_form *form, size_t offset, size_t size)
{
    const size_t room = (offset + form->bound + 1) * size;
    unsigned char *bytes = malloc(room);
    cl_mem buffer;
    assert_non_null(bytes);
    memset(bytes, TEST_POISON, room);
    if (form->count) memcpy(bytes + offset * size, data, form->count * size);
    buffer = test_buffer(gp, room, bytes);
    free(bytes);
    return buffer;
}

cl_mem pack_count(gp_context *gp, const pack_form *form)
{
    uint64_t wide[3] = {7, 7, 0};
    uint32_t narrow[3] = {7, 7, 0};
    if (form->bound == form->count) return NULL;
    wide[PACK_COUNT_OFFSET] = form->count;
    narrow[PACK_COUNT_OFFSET] = (uint32_t)form->count;
    return form->wide ? test_buffer(gp, sizeof wide, wide) : test_buffer(gp, sizeof narrow, narrow);
}

pack_out pack_out_make(gp_context *gp, size_t offset, size_t room, size_t size)
{
    pack_out out;
    out.buffer = test_buffer(gp, (offset + room + 1) * size, NULL);
    out.offset = offset;
    out.room = room;
    out.size = size;
    return out;
}

void pack_out_check(gp_context *gp, pack_out *out, const char *what, const void *expected, size_t count)
{
    const size_t begin = out->offset * out->size, end = begin + count * out->size;
    const size_t bytes = (out->offset + out->room + 1) * out->size;
    unsigned char *got = test_read(gp, out->buffer, bytes);
    size_t i;
    for (i = 0; i < bytes; i++) {
        const unsigned char want =
            i < begin || i >= end ? TEST_POISON : ((const unsigned char *)expected)[i - begin];
        if (got[i] != want)
            fail_msg("%s: element %ld of %zu is wrong", what, (long)(i / out->size) - (long)out->offset,
                     count);
    }
    free(got);
    clReleaseMemObject(out->buffer);
}

void pack_out_check_numbers(gp_context *gp, pack_out *out, const uint64_t *expected, size_t count)
{
    uint32_t narrow[4];
    size_t k;
    for (k = 0; k < count; k++) narrow[k] = (uint32_t)expected[k];
    pack_out_check(gp, out, "counts", out->size == 8 ? (const void *)expected : narrow, count);
}

gp_type pack_number_type(const pack_form *form) { return form->wide ? GP_U64 : GP_TYPE_NONE; }

size_t pack_number_size(const pack_form *form) { return form->wide ? 8 : 4; }

size_t pack_counts(const size_t **counts)
{
    static const size_t all[] = {0,    1,    2,    127,  1023, 1024,  1025,  2047,   2048,
                                 2049, 4095, 4096, 4097, 8193, 16384, 32769, 104729, (1 << 20) + 123};
    static const size_t small[] = {0, 1, 1023, 1024, 1025, 3079};
    *counts = test_small() ? small : all;
    return test_small() ? sizeof small / sizeof *small : sizeof all / sizeof *all;
}
