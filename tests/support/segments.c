/* segments.c - makes offsets of segments of various lengths. */
#include "segments.h"

static size_t length_of(lengths lengths, size_t count, size_t segments, size_t s)
{
    switch (lengths) {
    case LENGTHS_EMPTY: return test_random() % 20 ? 0 : 3;
    case LENGTHS_MIXED:
        return (size_t)1 << (test_random() >> 8) % 4 << (test_random() % 16 ? 0 : test_random() % 14);
    case LENGTHS_ONE: return s == segments / 2 ? count : 0;
    case LENGTHS_EVEN: return count / segments;
    default: return (test_random() >> 8) % 6;
    }
}

unsigned char *segments_offsets(lengths lengths, size_t count, size_t segments, bool wide)
{
    const size_t size = wide ? 8 : 4;
    unsigned char *offsets = malloc((segments + 1) * 8);
    uint64_t at = lengths == LENGTHS_ONE ? 0 : test_random() % 3; /* earlier elements are in no segment */
    size_t s;
    assert_non_null(offsets);
    for (s = 0; s <= segments; s++) {
        uint64_t x = at < count ? at : count;
        if (lengths == LENGTHS_BAD && s % 37 == 5) x /= 2;
        if ((lengths == LENGTHS_BAD || lengths == LENGTHS_BEYOND) && s % 53 == 7) x = count + 1 + s;
        memcpy(offsets + s * size, &x, size);
        at += length_of(lengths, count, segments, s);
    }
    return offsets;
}
