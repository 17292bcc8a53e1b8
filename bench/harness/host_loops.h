/* host_loops.h - loops over memory in plain C on all cores, which show what the processor can do. */
#ifndef BENCH_HOST_LOOPS_H
#define BENCH_HOST_LOOPS_H

#include <stddef.h>

typedef enum stream_op {
    STREAM_READ,  /* part[t] = sum of a's words, modulo 2^32 */
    STREAM_READ2, /* the same for the words of a and b */
    STREAM_COPY,  /* out = a */
    STREAM_SCALE, /* out = s * a */
    STREAM_ADD,   /* out = a + b */
    STREAM_TRIAD, /* out = a + s * b */
    STREAM_OPS
} stream_op;

/* Arrays of `vectors` vectors of 64 bytes, aligned to 64: floats for scale and triad, 32-bit integers for
   the others. For reads, `out` has one 32-bit word for each thread. */
typedef struct host_stream {
    stream_op op;
    const void *a;
    const void *b;
    void *out;
    size_t vectors;
    float s;
} host_stream;

/* A pool_task; `user` is a host_stream. */
void host_stream_run(void *user, unsigned thread, unsigned threads);

/* Copies with memcpy. For large blocks memcpy bypasses the caches with non-temporal stores. */
void host_memcpy_run(void *user, unsigned thread, unsigned threads);

#endif
