/* fault.h - what the layer, the host's wrapped calls and the driver share.

   The layer (layer.c) is loaded by the ICD loader and sees every OpenCL call of the process; host.c stands in
   for malloc and stdio. While `armed`, both count the calls that could fail, and fail the one that the driver
   has chosen. The driver (driver.c) runs scenarios (scenarios_*.c), each call failing once. */
#ifndef GPUPRIM_TESTS_FAULT_H
#define GPUPRIM_TESTS_FAULT_H

#include <stdbool.h>
#include <stddef.h>

/* What fails. */
typedef enum fault_kind {
    FAULT_CALL,    /* an OpenCL call returns an error, and has done nothing */
    FAULT_COMMAND, /* an enqueued command, and all enqueued behind it until somebody waits, do not run; their
                      events say so */
    FAULT_HOST,    /* malloc, open and their like */
    FAULT_KINDS
} fault_kind;

/* What the layer keeps a count of: references to live objects, the program's own. */
#define FAULT_OBJECTS(X) X(CONTEXT) X(QUEUE) X(BUFFER) X(PROGRAM) X(KERNEL) X(EVENT)
enum {
#define FAULT_OBJECT_ENUM(name) FAULT_##name,
    FAULT_OBJECTS(FAULT_OBJECT_ENUM)
#undef FAULT_OBJECT_ENUM
        FAULT_OBJECT_KINDS
};

typedef struct fault_state {
    /* the driver says */
    bool armed;
    fault_kind kind;
    unsigned fail_at; /* the k-th one that could fail does, from 1 on; 0: none */
    unsigned turn;    /* which of the errors that it can fail with */
    /* the layer tells */
    unsigned could_fail;  /* calls (commands) that could have failed, while armed */
    unsigned all_calls;   /* with those that cannot: releases and retains */
    const char *function; /* the call that failed; NULL: none has */
    int error;            /* its cl_int; 0: a host's call */
    long live[FAULT_OBJECT_KINDS];
} fault_state;

/* Counts a call of this kind. Is it the one that is to fail? */
static inline bool fault_hits(fault_state *state, fault_kind kind, const char *function)
{
    if (!__atomic_load_n(&state->armed, __ATOMIC_RELAXED) || state->kind != kind) return false;
    if (__atomic_add_fetch(&state->could_fail, 1, __ATOMIC_RELAXED) != state->fail_at) return false;
    state->function = function;
    return true;
}

/* The layer's one exported variable, by dlsym. */
#define FAULT_STATE_SYMBOL "fault_layer_state"

#endif
