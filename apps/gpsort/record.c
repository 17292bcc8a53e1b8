/* record.c - what a record is, how records are ordered, and how they are read one after the other. */
#include "gpsort.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_FEED = 10, KEY_BYTES = 8 };

/* ------------------------------------------------------------------ lines */

size_t count_zeros(const char *at, size_t count)
{
    size_t zeros = 0, i, k;
    for (i = 0; i + 255 <= count; i += 255) { /* a byte holds what 255 bytes have: many are counted at once */
        uint8_t part = 0;
        for (k = 0; k < 255; k++) part = (uint8_t)(part + (at[i + k] == 0));
        zeros += part;
    }
    for (; i < count; i++) zeros += at[i] == 0;
    return zeros;
}

void translate(char *at, size_t count)
{
    uint8_t *byte = (uint8_t *)at;
    size_t i;
    for (i = 0; i < count; i++) {
        const uint8_t b = byte[i], next = (uint8_t)(b < LINE_FEED ? b + 1 : b);
        byte[i] = (uint8_t)(b == LINE_FEED ? 0 : next);
    }
}

void translate_back(char *at, size_t count)
{
    uint8_t *byte = (uint8_t *)at;
    size_t i;
    for (i = 0; i < count; i++) {
        const uint8_t b = byte[i], before = (uint8_t)(b <= LINE_FEED ? b - 1 : b);
        byte[i] = (uint8_t)(b == 0 ? LINE_FEED : before);
    }
}

/* The first bytes as a number, the first one highest; what is after the line's end counts as zeros. */
static uint64_t line_key(const char *at, size_t length)
{
    const uint8_t *b = (const uint8_t *)at;
    uint64_t key = 0;
    size_t i;
    if (length >= KEY_BYTES) {
        return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 | (uint64_t)b[3] << 32 |
               (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 | (uint64_t)b[6] << 8 | b[7];
    }
    for (i = 0; i < length; i++) key |= (uint64_t)b[i] << (56 - 8 * i);
    return key;
}

/* ------------------------------------------------------------------ columns */

/* A number of the machine's byte order, which is the device's, too. */
static uint64_t load(const char *at, size_t size)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1: return (uint8_t)*at;
    case 2: memcpy(&two, at, 2); return two;
    case 4: memcpy(&four, at, 4); return four;
    default: memcpy(&eight, at, 8); return eight;
    }
}

/* A number whose order is the column's, as gp_sort's: floats by their bits, -NaN first, +NaN last. */
static uint64_t column_key(const column *c, const char *at)
{
    const uint64_t sign = (uint64_t)1 << (8 * c->size - 1);
    uint64_t key = load(at + c->offset, c->size);
    if (c->is_float && key & sign) key ^= sign - 1;
    if (c->is_signed) key ^= sign;
    return c->descending ? ~key : key;
}

/* ------------------------------------------------------------------ records */

size_t record_length(const options *o, const char *at, const char *end)
{
    const size_t left = (size_t)(end - at);
    const char *zero;
    if (o->record_size) return left < o->record_size ? 0 : o->record_size;
    zero = left ? (const char *)memchr(at, 0, left) : NULL;
    return zero ? (size_t)(zero - at) + 1 : 0;
}

uint64_t record_key(const options *o, const char *at, size_t length)
{
    if (o->record_size) return column_key(&o->columns[0], at);
    return o->reverse ? ~line_key(at, length) : line_key(at, length);
}

int record_compare_rest(const options *o, const record *a, const record *b)
{
    size_t k;
    for (k = 1; k < o->column_count; k++) {
        const uint64_t x = column_key(&o->columns[k], a->at), y = column_key(&o->columns[k], b->at);
        if (x != y) return x < y ? -1 : 1;
    }
    if (o->record_size || a->length <= KEY_BYTES) return 0;
    return o->reverse ? strcmp(b->at + KEY_BYTES, a->at + KEY_BYTES)
                      : strcmp(a->at + KEY_BYTES, b->at + KEY_BYTES);
}

int record_compare(const options *o, const record *a, const record *b)
{
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return record_compare_rest(o, a, b);
}

/* ------------------------------------------------------------------ stream */

void stream_open(stream *s, const options *o, size_t (*read)(void *, char *, size_t), void *user,
                 size_t capacity)
{
    s->o = o;
    s->read = read;
    s->user = user;
    s->capacity = s->most = capacity;
    s->buffer = (char *)allocate(capacity);
    s->at = s->end = s->buffer;
}

void stream_close(stream *s) { free(s->buffer); }

static void stream_grow(stream *s)
{
    const size_t used = (size_t)(s->end - s->at),
                 wanted = s->capacity * 2 < s->most ? s->capacity * 2 : s->most;
    char *buffer;
    if (s->capacity >= s->most) die("a line is longer than %zu bytes, the most for this -S", s->most);
    buffer = (char *)realloc(s->buffer, wanted);
    if (!buffer) die("out of memory: %zu bytes cannot be had", wanted);
    s->buffer = buffer;
    s->capacity = wanted;
    s->at = buffer;
    s->end = buffer + used;
}

static bool stream_fill(stream *s)
{
    const size_t used = (size_t)(s->end - s->at);
    size_t more;
    if (used) memmove(s->buffer, s->at, used);
    s->at = s->buffer;
    s->end = s->buffer + used;
    if (used == s->capacity) stream_grow(s);
    more = s->read(s->user, s->buffer + used, s->capacity - used);
    s->end += more;
    return more > 0;
}

bool stream_next(stream *s, record *r)
{
    size_t length, seen = 0; /* bytes in which no line ends */
    while ((length = record_length(s->o, s->at + seen, s->end)) == 0) {
        if (!s->o->record_size) seen = (size_t)(s->end - s->at);
        if (!stream_fill(s)) return false;
    }
    length += seen;
    r->at = s->at;
    r->length = length;
    r->key = record_key(s->o, s->at, length);
    s->at += length;
    return true;
}

void keep(kept *k, const record *r)
{
    if (r->length > k->room) {
        free(k->bytes);
        k->room = 2 * r->length;
        k->bytes = (char *)allocate(k->room);
    }
    memcpy(k->bytes, r->at, r->length);
    k->r = *r;
    k->r.at = k->bytes;
}
