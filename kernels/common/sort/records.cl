/* records.cl - computes the key of a record.

   Parameters, which the prelude defines
       GPI_WG, GPI_PER_ITEM                  items of a group; on GPUs: records of an item
       GPI_INPUTS                            0: there are no records; keys are computed from indices and arguments
       GPI_IN, GPI_HALF                      a record's type in memory; 1: that type is half
       GPI_X                                 a record's type in expressions: float for a half; int if there are no records
       GPI_WORD, GPI_WORDS                   a record is GPI_WORDS words of type GPI_WORD
       GPI_KEY_SIZE                          1, 2, 4, 8: bytes of a key
       GPI_VALUE_SIZE                        4, 8: bytes of an index
       GPI_RECORD_KEY(args, x, i)            the key's bits; `args` ends in a comma, or is empty   */
#ifndef GPI_SORT_RECORDS_CL
#define GPI_SORT_RECORDS_CL
#include "base/args.cl"
#include "base/arrays.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "element/key.cl"

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

/* Return the bits of a float, with those below the sign inverted if the sign is set. gpi_key_order expects this form. */
GPI_INLINE uint gpi_half_order(float v)
{
    ushort bits;
    vstore_half(v, 0, (half *)&bits);
    return bits ^ ((0u - (bits >> 15)) & 0x7fffu);
}

GPI_INLINE uint gpi_float_order(uint bits) { return bits ^ ((0u - (bits >> 31)) & 0x7fffffffu); }

GPI_INLINE ulong gpi_double_order(ulong bits) { return bits ^ (ulong)((long)bits >> 63) >> 1; }

/* ------------------------------------------------------------------ keys */

/* The input array, if there are records (base/arrays.cl). */
#if GPI_INPUTS
#define GPI_RECORD_ARRAYS(use, to) use(to, GPI_IN, x)
#else
#define GPI_RECORD_ARRAYS(use, to)
#endif

/* The records that keys are computed from, and their order. */
typedef struct gpi_records {
    GPI_RECORD_ARRAYS(GPI_ARRAY_MEMBER, _)
    __global const gpi_value *index;
    bool through; /* true: key i is that of record index[i]; false: of record i */
    GPI_ARGS_MEMBER
} gpi_records;

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
#endif
