/* bloom.cl - a blocked Bloom filter of keys: a key sets one bit in each of the eight words of a block

       hash of a key     high half: the block        low half, times an odd number for each word: the word's bit

   So a key reads one line of memory. Bits are set by atomics, unless they are set already.

   Parameters: those of table/keys.cl. */
#ifndef GPI_TABLE_BLOOM_CL
#define GPI_TABLE_BLOOM_CL
#include "base/count.cl"
#include "base/platform.cl"
#include "base/span.cl"
#include "table/constants.cl"
#include "table/keys.cl"
#include "table/row_checks.cl"
#include "table/rows.cl"

#define GPI_BLOOM_ROWS 8 /* rows whose blocks an item fetches at the same time */

static ulong gpi_bloom_block(ulong hash, ulong blocks) { return (hash >> 32) * blocks >> 32; }

/* Returns a key's bits in the words of its block. */
static uint8 gpi_bloom_bits(ulong hash)
{
    const uint8 odd = (uint8)(0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du, 0x705495c7u, 0x2df1424bu,
                              0x9efc4947u, 0x5c6bfb31u);
    return (uint8)(1) << ((uint8)((uint)hash) * odd >> (uint8)(27));
}

/* Computes the hashes of rows i, i + GPI_WG and so on below `end`, and hints that their blocks will soon be read. On CPUs, rows that are
   all below `end` are hashed without conditions. */
GPI_INLINE void gpi_bloom_hash(gpi_key_columns columns, ulong i, ulong end, __global const uint *filter,
                               ulong blocks, __private ulong *hash)
{
    if (GPI_WG == 1 && i + GPI_BLOOM_ROWS <= end) {
        GPI_EACH(k, GPI_BLOOM_ROWS) {
            hash[k] = gpi_row_hash(columns, i + k);
        }
    } else {
        GPI_EACH(k, GPI_BLOOM_ROWS) {
            const ulong row = i + k * GPI_WG;
            hash[k] = row < end ? gpi_row_hash(columns, row) : 0;
        }
    }
    GPI_EACH(k, GPI_BLOOM_ROWS) {
        GPI_PREFETCH_READ(filter + 8 * gpi_bloom_block(hash[k], blocks));
    }
    (void)filter;
    (void)blocks;
}

/* Adds the keys of all rows to a filter of `blocks` blocks. */
GPI_KERNEL void gp_bloom_put(GPI_COLUMNS_PARAMETERS(columns), volatile __global uint *filter, ulong filter_at,
                             ulong blocks, ulong longest, ulong span, GPI_COUNT_PARAMETERS, uint call,
                             volatile __global uint *counters)
{
    ulong begin, end, hash[GPI_BLOOM_ROWS];
    gpi_key_columns columns;
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_span(gpi_count(bound, wanted, wanted_offset, wanted_words), span, &begin, &end);
    GPI_COLUMNS_SET(columns);
    gpi_rows_count_strings(columns, begin, end, longest, call, counters);
    filter += 8 * filter_at;
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_BLOOM_ROWS * GPI_WG) {
        gpi_bloom_hash(columns, i, end, (__global const uint *)filter, blocks, hash);
        GPI_EACH(k, GPI_BLOOM_ROWS) {
            volatile __global uint *block = filter + 8 * gpi_bloom_block(hash[k], blocks);
            const uint8 bits = gpi_bloom_bits(hash[k]);
            const uint word[8] = {bits.s0, bits.s1, bits.s2, bits.s3, bits.s4, bits.s5, bits.s6, bits.s7};
            if (i + k * GPI_WG < end)
                GPI_EACH(w, 8) {
                    if ((gpi_slot_load(block + w) & word[w]) != word[w]) (void)atomic_or(block + w, word[w]);
                }
        }
    }
}

/* Writes whether the key of each row may be in the filter: 1 or 0. */
GPI_KERNEL void gp_bloom_find(GPI_COLUMNS_PARAMETERS(columns), __global const uint *filter, ulong filter_at,
                              ulong blocks, __global uchar *found, ulong found_at, ulong longest, ulong span,
                              GPI_COUNT_PARAMETERS, uint call, volatile __global uint *counters)
{
    ulong begin, end, hash[GPI_BLOOM_ROWS];
    gpi_key_columns columns;
    GPI_COUNT_CHECK(get_group_id(0) == 0, counters);
    gpi_span(gpi_count(bound, wanted, wanted_offset, wanted_words), span, &begin, &end);
    GPI_COLUMNS_SET(columns);
    gpi_rows_count_strings(columns, begin, end, longest, call, counters);
    filter += 8 * filter_at;
    for (ulong i = begin + GPI_LOCAL_ID; i < end; i += GPI_BLOOM_ROWS * GPI_WG) {
        gpi_bloom_hash(columns, i, end, filter, blocks, hash);
        GPI_EACH(k, GPI_BLOOM_ROWS) {
            const uint8 block = vload8(gpi_bloom_block(hash[k], blocks), filter);
            const uint8 missing = gpi_bloom_bits(hash[k]) & ~block;
            const uint4 most = missing.lo | missing.hi;
            const bool may_be = (most.x | most.y | most.z | most.w) == 0;
            if (i + k * GPI_WG < end) found[found_at + i + k * GPI_WG] = may_be;
        }
    }
}
#endif
