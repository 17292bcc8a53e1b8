/* commands.h - the sub-commands of gpbench. */
#ifndef BENCH_COMMANDS_H
#define BENCH_COMMANDS_H

#include "harness/bench.h"

typedef struct bench_command {
    const char *name;
    void (*run)(bench *b);
    const char *brief;   /* a line */
    const char *about;   /* what is measured, against what, by default */
    const char *example; /* arguments */
} bench_command;

/* `name` NULL at the end. */
extern const bench_command bench_commands[];

#endif
