/* data.h - element types on the host: names, input data, and what a result must be. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "../../gpuprim.h"

/* "u32"; "?" for no type. */
const char *data_type_name(gp_type type);
/* "sum"; "?" for no operation. */
const char *data_op_name(gp_op op);
/* GP_TYPE_NONE, GP_OP_NONE for an unknown name. */
gp_type data_type_of(const char *name);
gp_op data_op_of(const char *name);

size_t data_size(gp_type type);
bool data_is_float(gp_type type);

/* The type that gp_reduce has for `type` when out_type is 0. */
gp_type data_reduce_type(gp_type type, gp_op op);

/* Word i of a sequence of pseudo-random words. */
uint64_t data_random_bits(uint64_t i);

/* Fills with pseudo-random elements for which `op` is exact in floating point, whatever the grouping:
   small multiples of 1/2 around 0 for sums, 1 and -1 for products. */
void data_fill(gp_type type, gp_op op, void *out, size_t n);

/* One element: the neutral one; the product of all. */
void data_identity(gp_type type, gp_op op, void *out);
void data_reduce(gp_type type, gp_type out_type, gp_op op, const void *in, size_t n, void *out);

/* Inclusive, with sums of `type`. */
void data_scan(gp_type type, gp_op op, const void *in, size_t n, void *out);

/* Index of the first element that differs, n when none does. +0 and -0 do not differ. */
size_t data_difference(gp_type type, const void *a, const void *b, size_t n);

/* Element i as text. */
void data_print(gp_type type, const void *a, size_t i, char *text, size_t size);

#endif
