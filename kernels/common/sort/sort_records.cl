/* sort_records.cl - computes the keys of records, and moves records by index

       keys     key[i] = GPI_RECORD_KEY(in[r], r)       r = i, or index[i] once there is an order
       move     out[i] = in[index[i]]

   A key consists of the bits of several columns side by side, the most significant column highest. The bits of a
   negative float below its sign are inverted. The sort's `flip` inverts sign bits and descending columns
   (element/key.cl):

       | column 0 | column 1 | column 2 |        GPI_COLUMN_F32(...) << 24 | GPI_COLUMN_U8(...) << 16 | ...

   A record is moved as words, without regard to its columns. On GPUs neighbouring items move neighbouring words,
   whatever a record's size.

   Parameters: those of sort/records.cl. */
#ifndef GPI_SORT_SORT_RECORDS_CL
#define GPI_SORT_SORT_RECORDS_CL
#include "base/arrays.cl"
#include "base/args.cl"
#include "base/count.cl"
#include "base/platform.cl"
#include "element/key.cl"
#include "sort/move_records.cl"
#include "sort/records.cl"

GPI_KERNEL void gp_records_keys(GPI_ARGS_PARAMETERS GPI_RECORD_ARRAYS(GPI_ARRAY_PARAMETER, _)
                                    __global gpi_key *key,
                                ulong key_offset, __global const gpi_value *index, ulong index_offset,
                                uint through, ulong span, GPI_COUNT_PARAMETERS,
                                volatile __global uint *counters)
{
    const ulong n = gpi_count(bound, wanted, wanted_offset, wanted_words);
    const ulong first = get_group_id(0) * span;
    gpi_records r;
    GPI_ARGS_SET(r)
    GPI_RECORD_ARRAYS(GPI_ARRAY_SET, r)
    r.index = index + index_offset;
    r.through = through;
    GPI_COUNT_CHECK(!through && get_group_id(0) == 0, counters);
    if (first < n) gpi_record_keys(r, key + key_offset, first, min(n, first + span));
}

/* Writes record index[i] of `in` to record i of `out`. in_offset and out_offset are in words. */
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
