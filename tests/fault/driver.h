/* driver.h - scenarios of the fault harness, and what they stand on. See fault.h. */
#ifndef GPUPRIM_TESTS_FAULT_DRIVER_H
#define GPUPRIM_TESTS_FAULT_DRIVER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../gpuprim.h"
#include "fault.h"

extern fault_state *fault; /* the layer's */

enum { WORLD_BUFFERS = 8, WORLD_HOST = 256, WORLD_NUMBERS = 32 };

/* What a scenario works on. */
typedef struct world {
    gp_context *gp;
    const char *cache_dir;
    cl_mem buffer[WORLD_BUFFERS];
    const void *data[WORLD_BUFFERS]; /* of inputs: what must still be there after a failure; else NULL */
    size_t size[WORLD_BUFFERS];
    gp_hash table;
    gp_context *other;              /* a second context */
    cl_command_queue queue;         /* one that the context's desc names */
    unsigned char host[WORLD_HOST]; /* what calls that block have told */
    uint64_t number[WORLD_NUMBERS];
} world;

typedef struct scenario {
    const char *name;
    void (*describe)(world *w, gp_context_desc *desc); /* changes to the context's desc; NULL: none */
    void (*prepare)(world *w);                         /* inputs; nothing fails; NULL: nothing to do */
    gp_result (*run)(world *w);                        /* the calls that fail, and no other */
    bool (*check)(world *w);                           /* is the result exact? */
    bool (*kept)(world *w); /* what a failed call must have left as it was; NULL: inputs only */
    bool own_context;       /* `run` makes its context itself */
    bool no_context;        /* ... does without one */
} scenario;

extern const scenario scenarios_context[], scenarios_elements[], scenarios_maps[], scenarios_keys[],
    scenarios_hash[], scenarios_host[];

/* ------------------------------------------------------------------ for scenarios */

/* Buffer k: an input; an array that is worked on in place; an output, poisoned. */
void put(world *w, int k, const void *data, size_t size);
void put_inout(world *w, int k, const void *data, size_t size);
void put_out(world *w, int k, size_t size);

/* Does buffer k begin with these bytes? */
bool holds(world *w, int k, const void *expected, size_t size);

/* Stops the program when something fails that no fault was put into. */
void must(bool good, const char *what);

enum { N = 70000 };                           /* elements: several tiles of every primitive that has tiles */
extern uint32_t ramp[N], mod7[N], falling[N]; /* i; i % 7; N - 1 - i */
extern uint32_t want[N];                      /* for expected results */

#endif
