/* check.c - --check: is the input sorted? */
#include "gpsort.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 20, SHOWN = 512 };

static size_t check_read(void *user, char *to, size_t room)
{
    return input_read((input *)user, to, room < PIECE_BYTES ? room : PIECE_BYTES);
}

static int disorder(const options *o, const input *in, unsigned long long number, const record *r)
{
    char text[SHOWN];
    const size_t length = r->length - 1 < SHOWN - 1 ? r->length - 1 : SHOWN - 1;
    if (o->quiet) return DISORDER;
    memcpy(text, r->at, length);
    text[length] = 0;
    if (!o->zero) translate_back(text, length);
    if (o->record_size) say("%s:%llu: disorder", in->name, number);
    else say("%s:%llu: disorder: %s", in->name, number, text);
    return DISORDER;
}

int check_order(const options *o)
{
    unsigned long long number = 0;
    kept last;
    record r;
    input in;
    stream s;
    int status = SORTED;
    memset(&last, 0, sizeof last);
    input_open(&in, o);
    stream_open(&s, o, check_read, &in, BUFFER);
    s.most = o->memory / 2;
    progress_left(input_size(o));
    while (status == SORTED && stream_next(&s, &r)) {
        const int order = number++ ? record_compare(o, &last.r, &r) : -1;
        if (order > 0 || (order == 0 && o->unique)) status = disorder(o, &in, number, &r);
        keep(&last, &r);
        progress_add(r.length);
    }
    stream_close(&s);
    free(last.bytes);
    return status;
}
