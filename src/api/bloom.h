#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"
#include "api/group_by.h"

/* ------------------------------------------------------------------ Bloom filter */

/* gp_bloom_add: the filter has the keys of all rows        gp_bloom_contains: found[i] = 1 if the key of row i may be in it, else 0

   A Bloom filter is a set that takes about a byte per key, whatever the keys are, and answers "no" or "maybe". It never
   denies a key that was added. How often it takes another key for one of its own is the rate for which gp_bloom_blocks
   chose its size, or less if fewer keys were added. It spares a join, a hash table or another rank rows that have no
   partner.

   Keys are rows of columns, as in gp_group_by: equal keys are one key, -0 equals 0, and all NaNs are equal. A filter is
   plain memory: it begins as zeros (gp_fill), and may be saved, sent, and read by another device. The filter of the keys
   of two filters is their bits' `|` (gp_transform on U32 words), and `&` has the keys that are in both, and
   more false answers; all must have the same block_count, seed and types of columns.

   Result: gp_bloom_add sets bits of `filter`; the same bits whatever the order. gp_bloom_contains writes bytes to
     `found`, the same every time.
   Aliasing: `filter` and `found` overlap nothing.
   Count 0: does nothing.
   Cost: reads the columns once, and 32 bytes of the filter per row. One launch, no scratch.
   Limits: 2^30 rows, 8 columns, 2^31 - 1 blocks.
   Errors: as gp_group_by for strings with bad offsets. On devices that end long loops too early
     (gp_device_info.loop_limit), calls with strings of more than some hundred bytes are counted in gp_stats.abandoned,
     and their results are wrong.
   Source: Putze, Sanders & Singler 2007 (blocks); Apache Parquet's split block Bloom filter (bits within a block). */
typedef struct gp_bloom_desc {
    cl_mem filter;        /* block_count blocks of 32 bytes */
    size_t filter_offset; /* in blocks */
    size_t block_count;
    const gp_key_column *columns; /* column_count columns, read during the call */
    size_t column_count;          /* 1 to GP_KEY_COLUMNS_MAX */
    uint64_t
        seed; /* of hashes. Choose it at random if others choose the keys; a filter's calls have the same */
    cl_mem found; /* gp_bloom_contains: `count` bytes; NULL in gp_bloom_add */
    size_t found_offset;
    size_t count; /* number of rows; with count_buffer, its upper bound */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_bloom_desc;

GP_API gp_result gp_bloom_add(gp_context *gp, const gp_bloom_desc *desc);
GP_API gp_result gp_bloom_contains(gp_context *gp, const gp_bloom_desc *desc);

/* Returns the least block_count of a filter for `count` distinct keys in which at most the fraction `rate` of other keys is found.
   `rate` is in (0, 1); returns 0 for another, or if the filter would need 2^31 blocks or more. */
GP_API size_t gp_bloom_blocks(size_t count, double rate);
