/* brackets.h - brackets matched by a stack on the host. */
#ifndef GPUPRIM_TESTS_BRACKETS_H
#define GPUPRIM_TESTS_BRACKETS_H

#include "support.h"

typedef struct nest_reference {
    uint64_t *match, *parent, *depth; /* UINT64_MAX: none */
    gp_brackets_errors errors;        /* joined and searches are 0 */
} nest_reference;

/* What gp_brackets has to give for these codes; to be freed. */
nest_reference *nest_reference_make(const int *code, size_t n);
void nest_reference_free(nest_reference *r);

/* The errors agree in all that does not depend on tiles. */
void assert_errors(const char *name, const gp_brackets_errors *got, const gp_brackets_errors *expected);

#endif
