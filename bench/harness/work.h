/* work.h - one piece of work, and a rival that does it. C and C++. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "../../gpuprim.h"

struct pool;

typedef enum bench_primitive {
    BENCH_STREAM,
    BENCH_REDUCE,
    BENCH_SCAN,
    BENCH_DOT, /* of host_in and host_in2 */
    BENCH_LAUNCH,
    BENCH_SELECT,    /* elements below k */
    BENCH_PARTITION, /* the same; the others from out[n] on */
    BENCH_UNIQUE,
    BENCH_RLE,        /* keys; lengths from out[n] on */
    BENCH_RLE_DECODE, /* keys in host_in, of `segments` runs, by host_offsets, which are host_in2, too */
    BENCH_BY_KEY,     /* keys in host_in, values in host_in2; keys, then sums from out[n] on */
    BENCH_GROUP_BY,   /* the same, and equal keys are anywhere; in any order */
    BENCH_JOIN, /* keys in host_in; k keys that are there once in host_in2, what they stand for from [k] on */
    BENCH_SORT,
    BENCH_MERGE,  /* of the two halves of host_in */
    BENCH_SEARCH, /* of host_in2 in host_in; u32 positions */
    BENCH_TOPK,
    BENCH_NTH_ELEMENT, /* the keys of k ranks: (r + 1) * (n - 1) / (k + 1) */
    BENCH_TOPK_ROWS,   /* of `segments` rows, the k largest of each, best first */
    BENCH_SEGMENTED_SORT,
    BENCH_SORT_STRINGS,
    BENCH_SORT_RECORDS, /* of four words, n / 4 of them, by the first one, a float */
    BENCH_BRACKETS,
    BENCH_JSON_FILE, /* n - 64 bytes of text, then zeros; partners, by a bracket's number among brackets */
    BENCH_TREE,      /* parents; index, with k = 3 outputs children from out[n] and ends from out[2 * n] on */
    BENCH_HISTOGRAM, /* of `segments` bins: u8 by value; u32 below 2^k, by shifting; counts u32 */
    BENCH_TRANSFORM, /* x * 3 + 1 */
    BENCH_FILL,      /* 42 */
    BENCH_GATHER,    /* host_in by host_in2 */
    BENCH_COLUMNS,   /* sums of the columns of a matrix with `segments` rows, f32 */
    BENCH_ROW_SUMS,  /* of `segments` rows, f32 */
    BENCH_SCAN_ROWS, /* of `segments` rows, f32 */
    BENCH_SCAN_COLUMNS, /* of a matrix with `segments` rows, f32 */
    BENCH_TRANSPOSE,    /* of a matrix with `segments` rows, u32 */
    BENCH_STENCIL       /* k x k f32, weights 1 2 1, 2 4 2, 1 2 1, borders clamped */
} bench_primitive;

/* One piece of work. Every variant of a case gets the same one: the same input, the same output.
   Where the device is a CPU, host_in and host_out are the memory behind `in` and `out`, so that host
   code and kernels meet the same pages in the same caches; elsewhere host_out is NULL. */
typedef struct bench_work {
    bench_primitive primitive;
    gp_type type; /* of input and output; a reduce has one element of output */
    gp_op op;
    size_t n;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem in;
    cl_mem in2; /* sort: values */
    cl_mem out; /* sort: keys, then values */
    const void *host_in;
    const void *host_in2;
    void *host_out;
    size_t value_size; /* sort: bytes of a value, 0: none */
    size_t k;          /* topk: the largest k keys, best first; select: those below; tree: outputs */
    const uint32_t *host_offsets; /* segmented sort: segments + 1; strings: n + 1 */
    size_t segments;              /* also: rows of a matrix */
    const uint8_t *host_bytes;    /* strings, by host_offsets */
    const signed char *signs;     /* brackets: of each of 256 symbols, 1 opens, -1 closes */
    /* The case's first run, which is not timed: here, and only here, libraries that keep data of their own take
       the input and give the result back. */
    bool checked;
    char *why;         /* takes BENCH_WHY_MAX bytes: what went wrong, where a run failed */
    struct pool *pool; /* threads, one a core; NULL unless the device is a CPU */
} bench_work;

enum { BENCH_WHY_MAX = 512 };

typedef struct bench_peer {
    const char *name;
    bool on_host; /* works on host_in and host_out; otherwise on in, out and the queue */
    bool pooled;  /* works on the pool */
    bool spins;   /* has threads of its own, which spin for a while after the work */
    bool (*supports)(const bench_work *work);
    bool (*run)(const bench_work *work); /* scans are inclusive; sums are of `type`; false: failed */
} bench_peer;

#endif
