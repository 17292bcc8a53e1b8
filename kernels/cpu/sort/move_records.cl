/* move_records.cl - one item computes the keys of records, and moves records. */
#ifndef GPI_SORT_MOVE_RECORDS_CL
#define GPI_SORT_MOVE_RECORDS_CL
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/records.cl"

#define GPI_RECORDS_FETCH 32 /* prefetch distance through the index, in records */
#define GPI_RECORDS_AHEAD \
    2048 /* prefetch distance in consecutive memory, in bytes: hardware prefetching stops at page ends */

static void gpi_record_keys(gpi_records r, __global gpi_key *key, ulong first, ulong end)
{
    if (r.through) {
        for (ulong i = first; i < end; i++) {
#if GPI_INPUTS
            if (i + GPI_RECORDS_FETCH < end) GPI_PREFETCH_READ(r.x + r.index[i + GPI_RECORDS_FETCH]);
#endif
            key[i] = gpi_record_key_at(r, r.index[i]);
        }
    } else {
        for (ulong i = first; i < end; i++) {
#if GPI_INPUTS
            if (sizeof(GPI_IN) >= 16 || i % 8 == 0)
                GPI_PREFETCH_READ(r.x + i + GPI_RECORDS_AHEAD / sizeof(GPI_IN));
#endif
            key[i] = gpi_record_key_at(r, i);
        }
    }
}

typedef struct gpi_moved {
    GPI_WORD word[GPI_WORDS];
} gpi_moved;

static void gpi_records_move(__global const GPI_WORD *in, __global GPI_WORD *out,
                             __global const gpi_value *index, ulong first, ulong end)
{
    for (ulong i = first; i < end; i++) {
        if (i + GPI_RECORDS_FETCH < end) {
            __global const GPI_WORD *next = in + index[i + GPI_RECORDS_FETCH] * GPI_WORDS;
            GPI_PREFETCH_READ(next);
            if (sizeof(gpi_moved) > 64) GPI_PREFETCH_READ(next + 64 / sizeof(GPI_WORD));
        }
        ((__global gpi_moved *)out)[i] = ((__global const gpi_moved *)in)[index[i]];
    }
}
#endif
