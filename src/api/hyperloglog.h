#pragma once
#include "api/results.h"
#include "api/types.h"
#include "api/context.h"
#include "api/group_by.h"

/* ------------------------------------------------------------------ HyperLogLog */

/* estimates how many distinct keys there are, in 2^precision registers

   gp_hyperloglog_add adds the keys of all rows to the registers, and gp_hyperloglog_estimate reads an estimate of their
   number, however many calls added them. Its standard error is 1.04 / sqrt(2^precision): 0.8 % with precision 14 and 64 KiB.
   gp_group_by counts them exactly.

   Keys are rows of columns, as in gp_group_by. Registers are plain memory: they begin as zeros (gp_fill), and may be
   saved, sent, and read by another device. The registers of all keys of two sets are the larger ones of each
   (gp_transform); both must have the same precision, seed and types of columns.

   Result: 2^precision numbers of U32, the same ones whatever the order.
   Aliasing: `registers` overlap nothing.
   Count 0: does nothing.
   Cost: reads the columns once. One launch, no scratch.
   Limits: 2^30 rows in a call, 8 columns.
   Errors: as gp_bloom_add.
   Source: Flajolet, Fusy, Gandouet & Meunier 2007; the estimator without bias of Ertl 2017. */
typedef struct gp_hyperloglog_desc {
    cl_mem registers; /* 2^precision numbers of U32 */
    size_t registers_offset;
    size_t precision;             /* 4 to 18 */
    const gp_key_column *columns; /* column_count columns, read during the call */
    size_t column_count;          /* 1 to GP_KEY_COLUMNS_MAX */
    uint64_t seed;                /* of hashes, as in gp_bloom_desc */
    size_t count;                 /* number of rows; with count_buffer, its upper bound */
    cl_mem count_buffer;
    size_t count_offset;
    gp_type count_type;
    const cl_event *wait;
    cl_uint wait_count;
    cl_event *done;
} gp_hyperloglog_desc;

GP_API gp_result gp_hyperloglog_add(gp_context *gp, const gp_hyperloglog_desc *desc);

/* Blocks, and sets *estimate to the estimated number of distinct keys in the registers. Reads only registers, precision and what to wait
   for from the desc. */
GP_API gp_result gp_hyperloglog_estimate(gp_context *gp, const gp_hyperloglog_desc *desc, double *estimate);
