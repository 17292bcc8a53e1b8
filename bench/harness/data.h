/* data.h - element types on the host: names, input data, and expected results. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "../../gpuprim.h"

/* Returns the type's name, such as "u32", or "?" for no type. */
const char *data_type_name(gp_type type);
/* Returns the operation's name, such as "sum", or "?" for no operation. */
const char *data_op_name(gp_op op);
/* Return the type and the operation of a name; GP_TYPE_NONE and GP_OP_NONE for an unknown name. */
gp_type data_type_of(const char *name);
gp_op data_op_of(const char *name);

size_t data_size(gp_type type);
bool data_is_float(gp_type type);

/* Returns the type of gp_reduce's result for `type` if out_type is 0. */
gp_type data_reduce_type(gp_type type, gp_op op);

/* Returns word i of a sequence of pseudo-random words. */
uint64_t data_random_bits(uint64_t i);

/* Fills `out` with pseudo-random elements for which `op` is exact in floating point for every grouping:
   small multiples of 1/2, of either sign, for sums, and 1 and -1 for products. */
void data_fill(gp_type type, gp_op op, void *out, size_t n);

/* Write one element: the identity of `op`; the product of all elements. */
void data_identity(gp_type type, gp_op op, void *out);
void data_reduce(gp_type type, gp_type out_type, gp_op op, const void *in, size_t n, void *out);

/* Computes an inclusive scan, with sums of `type`. */
void data_scan(gp_type type, gp_op op, const void *in, size_t n, void *out);

/* Returns the index of the first element that differs, or n if no element does. +0 and -0 do not
   differ. */
size_t data_difference(gp_type type, const void *a, const void *b, size_t n);

/* Writes element i as text. */
void data_print(gp_type type, const void *a, size_t i, char *text, size_t size);

#endif
