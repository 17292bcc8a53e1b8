/* host_loops.c - the host's candidates for a limit. Only this file is compiled with -O3 -march=native.

   Compilers turn a copying loop into memcpy, which writes large blocks by non-temporal stores. These need
   not read a cache line before writing it. A scan must not use them, because its caller reads the output
   next, so a limit with such stores would be unfair. The barrier in the loops prevents this
   transformation. */
#include "host_loops.h"

#include <stdint.h>
#include <string.h>

/* 32 bytes: with 64, stores to memory are a tenth slower on AVX-512 Xeons. */
typedef uint32_t word_vector __attribute__((vector_size(32), may_alias));
typedef float float_vector __attribute__((vector_size(32), may_alias));

/* Keeps the compiler from moving or merging memory accesses across it. Emits no instruction. */
#define KEEP_LOOP() __asm__ volatile("" ::: "memory")

/* A range of vectors of the types above. */
typedef struct range {
    size_t begin;
    size_t end;
} range;

static range share_of(const host_stream *x, unsigned thread, unsigned threads)
{
    const size_t count = x->vectors * (64 / sizeof(word_vector));
    const size_t each = count / threads, rest = count % threads;
    return (range){each * thread + rest * thread / threads,
                   each * (thread + 1) + rest * (thread + 1) / threads};
}

static uint32_t sum_words(word_vector s)
{
    uint32_t sum = 0;
    for (size_t j = 0; j < sizeof s / sizeof sum; j++) sum += s[j];
    return sum;
}

/* Four sums hide the latency of an addition. */
static uint32_t read_words(const word_vector *a, range r)
{
    word_vector s[4] = {{0}};
    size_t i = r.begin;
    for (; i + 4 <= r.end; i += 4) {
        s[0] += a[i];
        s[1] += a[i + 1];
        s[2] += a[i + 2];
        s[3] += a[i + 3];
    }
    for (; i < r.end; i++) s[0] += a[i];
    return sum_words(s[0] + s[1] + s[2] + s[3]);
}

static uint32_t read_both(const word_vector *a, const word_vector *b, range r)
{
    word_vector s[4] = {{0}};
    size_t i = r.begin;
    for (; i + 2 <= r.end; i += 2) {
        s[0] += a[i];
        s[1] += b[i];
        s[2] += a[i + 1];
        s[3] += b[i + 1];
    }
    for (; i < r.end; i++) s[0] += a[i] + b[i];
    return sum_words(s[0] + s[1] + s[2] + s[3]);
}

static void copy_words(const word_vector *a, word_vector *out, range r)
{
    for (size_t i = r.begin; i < r.end; i++) {
        out[i] = a[i];
        KEEP_LOOP();
    }
}

static void scale_floats(const float_vector *a, float_vector *out, range r, float s)
{
    for (size_t i = r.begin; i < r.end; i++) {
        out[i] = s * a[i];
        KEEP_LOOP();
    }
}

static void add_words(const word_vector *a, const word_vector *b, word_vector *out, range r)
{
    for (size_t i = r.begin; i < r.end; i++) {
        out[i] = a[i] + b[i];
        KEEP_LOOP();
    }
}

static void triad_floats(const float_vector *a, const float_vector *b, float_vector *out, range r, float s)
{
    for (size_t i = r.begin; i < r.end; i++) {
        out[i] = a[i] + s * b[i];
        KEEP_LOOP();
    }
}

void host_stream_run(void *user, unsigned thread, unsigned threads)
{
    const host_stream *x = user;
    const range r = share_of(x, thread, threads);
    switch (x->op) {
    case STREAM_READ: ((uint32_t *)x->out)[thread] = read_words(x->a, r); break;
    case STREAM_READ2: ((uint32_t *)x->out)[thread] = read_both(x->a, x->b, r); break;
    case STREAM_COPY: copy_words(x->a, x->out, r); break;
    case STREAM_SCALE: scale_floats(x->a, x->out, r, x->s); break;
    case STREAM_ADD: add_words(x->a, x->b, x->out, r); break;
    case STREAM_TRIAD: triad_floats(x->a, x->b, x->out, r, x->s); break;
    case STREAM_OPS: break;
    }
}

void host_memcpy_run(void *user, unsigned thread, unsigned threads)
{
    const host_stream *x = user;
    const range r = share_of(x, thread, threads);
    memcpy((word_vector *)x->out + r.begin, (const word_vector *)x->a + r.begin,
           (r.end - r.begin) * sizeof(word_vector));
}
