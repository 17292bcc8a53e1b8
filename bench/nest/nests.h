/* nests.h - the nests of brackets that gpbench brackets and gpbench tree are measured on. */
#ifndef BENCH_NESTS_H
#define BENCH_NESTS_H

#include <stddef.h>

typedef struct nest_input {
    const char *name;
    void (*fill)(char *text, size_t n);
    int kinds; /* of brackets */
} nest_input;

enum { NEST_INPUTS = 7 };
extern const nest_input nest_inputs[NEST_INPUTS];

/* Of "()[]{}": 1 opens, -1 closes. */
extern const signed char nest_signs[256];

#endif
