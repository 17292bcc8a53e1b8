/* work.h - the description of a case's work, and of a peer that can do it. For C and C++. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "../../gpuprim.h"

struct pool;

typedef enum bench_primitive {
    BENCH_STREAM,
    BENCH_REDUCE,
    BENCH_SCAN,
    BENCH_DOT, /* the dot product of host_in and host_in2 */
    BENCH_LAUNCH,
    BENCH_SELECT,    /* selects elements below k */
    BENCH_PARTITION, /* the same; other elements from out[n] on */
    BENCH_UNIQUE,
    BENCH_RLE,        /* writes keys, and lengths from out[n] on */
    BENCH_RLE_DECODE, /* keys of `segments` runs in host_in; host_offsets, also in host_in2 */
    BENCH_BY_KEY,     /* keys in host_in, values in host_in2; writes keys, and sums from out[n] on */
    BENCH_GROUP_BY,   /* the same; equal keys need not be adjacent; results in any order */
    BENCH_JOIN,       /* keys in host_in; k distinct keys in host_in2, their values from [k] on */
    BENCH_SORT,
    BENCH_MERGE,  /* merges the two halves of host_in */
    BENCH_SEARCH, /* searches host_in for host_in2; writes u32 positions */
    BENCH_TOPK,
    BENCH_NTH_ELEMENT, /* the keys of the k ranks (r + 1) * (n - 1) / (k + 1) */
    BENCH_TOPK_ROWS,   /* the k largest of each of `segments` rows, best first */
    BENCH_SEGMENTED_SORT,
    BENCH_SORT_STRINGS,
    BENCH_SORT_RECORDS, /* n / 4 records of four words, sorted by the first word, a float */
    BENCH_BRACKETS,
    BENCH_JSON_FILE, /* n - 64 bytes of text, then zeros; writes partners, as numbers among brackets */
    BENCH_TREE, /* parents; writes index; if k is 3, also children from out[n], ends from out[2 * n] on */
    BENCH_HISTOGRAM,    /* `segments` bins: u8 by value; u32 below 2^k, by shifting; writes u32 counts */
    BENCH_TRANSFORM,    /* x * 3 + 1 */
    BENCH_FILL,         /* 42 */
    BENCH_GATHER,       /* gathers elements of host_in at host_in2 */
    BENCH_COLUMNS,      /* sums of the columns of a matrix with `segments` rows, f32 */
    BENCH_ROW_SUMS,     /* f32 rows, `segments` of them */
    BENCH_SCAN_ROWS,    /* f32 rows, `segments` of them */
    BENCH_SCAN_COLUMNS, /* columns of an f32 matrix with `segments` rows */
    BENCH_TRANSPOSE,    /* a u32 matrix with `segments` rows */
    BENCH_STENCIL       /* k x k f32, weights 1 2 1, 2 4 2, 1 2 1, borders clamped */
} bench_primitive;

/* The work of a case. Every variant gets the same work, with the same input and output. If the device is
   a CPU, host_in and host_out are the memory that `in` and `out` use, so that host code and kernels
   access the same pages in the same caches; otherwise host_out is NULL. */
typedef struct bench_work {
    bench_primitive primitive;
    gp_type type; /* type of input and output; a reduction's output is one element */
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
    size_t k;          /* topk: number of keys; select: elements below k; tree: number of outputs */
    const uint32_t *host_offsets; /* segmented sort: segments + 1; strings: n + 1 */
    size_t segments;              /* also: rows of a matrix */
    const uint8_t *host_bytes;    /* strings, by host_offsets */
    const signed char *signs;     /* brackets: for each of 256 symbols: 1 opens, -1 closes */
    /* True in the case's first run, which is not timed. Only in this run, libraries that keep their own
       copies of data read the input and write the result. */
    bool checked;
    char *why;         /* receives the reason if a run fails, BENCH_WHY_MAX bytes */
    struct pool *pool; /* threads, one for each core; NULL unless the device is a CPU */
} bench_work;

enum { BENCH_WHY_MAX = 512 };

typedef struct bench_peer {
    const char *name;
    bool on_host; /* uses host_in and host_out; otherwise `in`, `out` and the queue */
    bool pooled;  /* uses the pool */
    bool spins;   /* uses its own threads, which spin for a while after the work */
    bool (*supports)(const bench_work *work);
    bool (*run)(const bench_work *work); /* scans are inclusive; sums have `type`; returns false on failure */
} bench_peer;

#endif
