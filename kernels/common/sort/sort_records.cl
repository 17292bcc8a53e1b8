/* sort_records.cl - keys of records, and records moved by index

       keys     key[i] = GPI_RECORD_KEY(in[r], r)       r = i, or index[i] once there is an order
       move     out[i] = in[index[i]]

   A key has the bits of several columns side by side, the most significant column highest. A float's bits but the
   sign are turned where the sign is set; sign bits and descending columns are turned by the sort's `flip`
   (element/key.cl):

       | column 0 | column 1 | column 2 |        GPI_COLUMN_F32(...) << 24 | GPI_COLUMN_U8(...) << 16 | ...

   A record is moved as words that nobody looks into. In the local shape neighbouring items move neighbouring words,
   whatever a record's size.

   Parameters, which the host writes ahead
       GPI_SHAPE_SERIAL or GPI_SHAPE_LOCAL   1: an item has a span of records, or every GPI_WG-th of a tile
       GPI_WG, GPI_PER_ITEM                  items of a group; local: records of an item
       GPI_INPUTS                            0: there are no records, keys are of indices and arguments
       GPI_IN, GPI_HALF                      a record's type in memory; 1: that type is half
       GPI_X                                 its type as an operand: a half is a float; int where there is none
       GPI_WORD, GPI_WORDS                   a record is so many such words
       GPI_KEY_SIZE                          1, 2, 4, 8: bytes of a key
       GPI_VALUE_SIZE                        4, 8: bytes of an index
       GPI_RECORD_KEY(args, x, i)            the key's bits; `args` ends in a comma, or is empty   */
#ifndef GPI_SORT_SORT_RECORDS_CL
#define GPI_SORT_SORT_RECORDS_CL
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "element/key.cl"

#if GPI_SHAPE_SERIAL + GPI_SHAPE_LOCAL != 1
#error "exactly one of GPI_SHAPE_SERIAL and GPI_SHAPE_LOCAL must be 1"
#endif
#if GPI_SHAPE_SERIAL && GPI_WG != 1
#error "the serial shape has one item a group"
#endif
#if GPI_VALUE_SIZE != 4 && GPI_VALUE_SIZE != 8
#error "GPI_VALUE_SIZE must be 4 or 8: an index"
#endif
#if !defined(GPI_WORDS) || GPI_WORDS < 1
#error "GPI_WORDS must be 1 or more"
#endif

/* ------------------------------------------------------------------ columns */

#define GPI_COLUMN_U8(v) ((gpi_key_bits)(v))
#define GPI_COLUMN_U16(v) ((gpi_key_bits)(v))
#define GPI_COLUMN_U32(v) ((gpi_key_bits)(v))
#define GPI_COLUMN_U64(v) ((gpi_key_bits)(v))
#define GPI_COLUMN_I8(v) ((gpi_key_bits)as_uchar(v))
#define GPI_COLUMN_I16(v) ((gpi_key_bits)as_ushort(v))
#define GPI_COLUMN_I32(v) ((gpi_key_bits)as_uint(v))
#define GPI_COLUMN_I64(v) ((gpi_key_bits)as_ulong(v))
#define GPI_COLUMN_F16(v) ((gpi_key_bits)gpi_half_order(v))
#define GPI_COLUMN_F32(v) ((gpi_key_bits)gpi_float_order(as_uint(v)))
#define GPI_COLUMN_F64(v) ((gpi_key_bits)gpi_double_order(as_ulong(v)))

/* In the forms of gpi_key_order. */
GPI_INLINE uint gpi_half_order(float v)
{
    ushort bits;
    vstore_half(v, 0, (half *)&bits);
    return bits ^ ((0u - (bits >> 15)) & 0x7fffu);
}

GPI_INLINE uint gpi_float_order(uint bits) { return bits ^ ((0u - (bits >> 31)) & 0x7fffffffu); }

GPI_INLINE ulong gpi_double_order(ulong bits) { return bits ^ (ulong)((long)bits >> 63) >> 1; }

/* ------------------------------------------------------------------ keys */

/* What keys are made of, and in which order. */
typedef struct gpi_records {
#if GPI_INPUTS
    __global const GPI_IN *x;
#endif
    __global const gpi_value *index;
    bool through; /* the order is `index` */
    GPI_ARGS_MEMBER
} gpi_records;

#if GPI_INPUTS
#define GPI_RECORDS_PARAMETERS __global const GPI_IN *x, ulong x_offset,
#define GPI_RECORDS_SET(r) (r).x = x + x_offset;
#else
#define GPI_RECORDS_PARAMETERS
#define GPI_RECORDS_SET(r)
#endif

GPI_INLINE gpi_key gpi_record_key_at(gpi_records r, ulong i)
{
#if !GPI_INPUTS
    const GPI_X x = 0;
#elif GPI_HALF
    const GPI_X x = vload_half(i, r.x);
#else
    const GPI_X x = r.x[i];
#endif
    return (gpi_key)(GPI_RECORD_KEY(GPI_ARGS_OF(r), x, i));
}

#if GPI_SHAPE_SERIAL
#define GPI_RECORDS_FETCH 32 /* records ahead, where the index says */
#define GPI_RECORDS_AHEAD \
    2048 /* bytes, of what lies in a row: the hardware's prefetching stops at page ends */

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
#else
#define GPI_RECORDS_STEP (GPI_PER_ITEM < 4 ? GPI_PER_ITEM : 4)

/* An item's records i, i + GPI_WG, ...: all are read before the first key is written. */
GPI_INLINE void gpi_record_keys_step(gpi_records r, __global gpi_key *key, ulong i)
{
    ulong at[GPI_RECORDS_STEP];
    gpi_key k[GPI_RECORDS_STEP];
    GPI_UNROLL
    for (uint s = 0; s < GPI_RECORDS_STEP; s++) at[s] = r.through ? r.index[i + s * GPI_WG] : i + s * GPI_WG;
    GPI_UNROLL
    for (uint s = 0; s < GPI_RECORDS_STEP; s++) k[s] = gpi_record_key_at(r, at[s]);
    GPI_UNROLL
    for (uint s = 0; s < GPI_RECORDS_STEP; s++) key[i + s * GPI_WG] = k[s];
}

static void gpi_record_keys(gpi_records r, __global gpi_key *key, ulong first, ulong end)
{
    const ulong step = GPI_WG * GPI_RECORDS_STEP;
    ulong i = first + GPI_LOCAL_ID;
    for (; i + (GPI_RECORDS_STEP - 1) * GPI_WG < end; i += step) gpi_record_keys_step(r, key, i);
    for (; i < end; i += GPI_WG) key[i] = gpi_record_key_at(r, r.through ? r.index[i] : i);
}
#endif

GPI_KERNEL void gp_records_keys(GPI_ARGS_PARAMETERS GPI_RECORDS_PARAMETERS __global gpi_key *key,
                                ulong key_offset, __global const gpi_value *index, ulong index_offset,
                                uint through, ulong span, GPI_COUNT_PARAMETERS,
                                volatile __global uint *counters)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) * span;
    gpi_records r;
    GPI_ARGS_SET(r)
    GPI_RECORDS_SET(r)
    r.index = index + index_offset;
    r.through = through;
    GPI_COUNT_CHECK(!through && get_group_id(0) == 0, counters);
    if (first < n) gpi_record_keys(r, key + key_offset, first, min(n, first + span));
}

/* ------------------------------------------------------------------ moves */

#if GPI_SHAPE_SERIAL
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
#else
#define GPI_MOVE_STEP (GPI_PER_ITEM * GPI_WORDS < 8 ? GPI_PER_ITEM * GPI_WORDS : 8)

static void gpi_records_move(__global const GPI_WORD *in, __global GPI_WORD *out,
                             __global const gpi_value *index, ulong first, ulong end)
{
    const uint words = (uint)(end - first) * GPI_WORDS;
    uint w = (uint)GPI_LOCAL_ID;
    index += first;
    out += first * GPI_WORDS;
    for (; w + (GPI_MOVE_STEP - 1) * GPI_WG < words; w += GPI_MOVE_STEP * GPI_WG) {
        GPI_WORD moved[GPI_MOVE_STEP];
        GPI_UNROLL
        for (uint s = 0; s < GPI_MOVE_STEP; s++) {
            const uint at = w + s * GPI_WG;
            moved[s] = in[(ulong)index[at / GPI_WORDS] * GPI_WORDS + at % GPI_WORDS];
        }
        GPI_UNROLL
        for (uint s = 0; s < GPI_MOVE_STEP; s++) out[w + s * GPI_WG] = moved[s];
    }
    for (; w < words; w += GPI_WG) out[w] = in[(ulong)index[w / GPI_WORDS] * GPI_WORDS + w % GPI_WORDS];
}
#endif

/* Offsets of records in words. */
GPI_KERNEL void gp_records_move(__global const GPI_WORD *in, ulong in_offset, __global GPI_WORD *out,
                                ulong out_offset, __global const gpi_value *index, ulong index_offset,
                                ulong span, GPI_COUNT_PARAMETERS)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) * span;
    if (first >= n) return;
    gpi_records_move(in + in_offset, out + out_offset, index + index_offset, first, min(n, first + span));
}
#endif
