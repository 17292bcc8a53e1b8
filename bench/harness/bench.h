/* bench.h - the harness of gpbench: sessions, cases, variants, rows.

   A case is one kind of work at one size, with the same input and output for all of its variants. A
   variant is one way to do the work: the library's, a candidate for the limit, or a peer's.
   bench_case_run verifies each variant once, times the variants in turns (A B C A B C ...), and prints a
   row for each. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdarg.h>
#include <stdio.h>

#include "host_loops.h"
#include "pool.h"
#include "work.h"

enum {
    BENCH_VARIANTS_MAX = 24,
    BENCH_NAME_MAX = 32,
    BENCH_ERROR_MAX = BENCH_WHY_MAX,
    BENCH_ROUNDS_MAX = 1001
};

typedef enum bench_format { BENCH_TABLE, BENCH_CSV, BENCH_JSON } bench_format;

typedef struct bench_options {
    size_t n;         /* 0: the sub-command's sizes */
    gp_type type;     /* 0: the sub-command's types */
    gp_op op;         /* 0: sum */
    unsigned repeats; /* 0: by time */
    bench_format format;
    bool no_peers;
    const char *only;      /* runs only peers whose names contain this; NULL: all */
    const char *libraries; /* available peers; NULL: no peers are wanted */
    const char *skipped;   /* peers that are not available, with reasons */
    const char *device;
    const char *dump;      /* gp_context_desc.dump_dir */
    const char *results;   /* name of the results file; NULL: none */
    double seconds;        /* tune: time limit; 0: 300 */
    const char *out;       /* the file that tune writes; NULL: gpuprim.tuning */
    int turn_in, turn_out; /* pipes from and to another gpbench (--turns); 0: none */
    double load;           /* load of hash tables; 0: the sub-command's loads */
    size_t budget;         /* host: bytes of device memory; 0: 64 MiB */
    const char *call;      /* host: runs only calls whose names contain this; NULL: all */
    gp_strategy strategy;
    gp_tuning tuning;
} bench_options;

/* One run of gpbench. */
typedef struct bench {
    bench_options options;
    gp_context *gp;
    const gp_device_info *info;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    bool on_cpu;                   /* the device is a CPU, so that host code uses the same memory */
    pool *pool;                    /* NULL unless on_cpu */
    unsigned threads;              /* threads of the pool */
    cl_program stream;             /* built on first use */
    uint64_t fallbacks;            /* the context's fallbacks so far */
    bool reported;                 /* a row has been printed */
    bool failed;                   /* a variant has failed; sets the exit status */
    bool progress;                 /* stderr is a terminal */
    bool colours;                  /* stdout is a terminal */
    bool planning;                 /* cases are only counted */
    double planned, done, current; /* work of all cases, of ended cases, of this case */
    double within;                 /* the share of this case's work that is done */
    double start;                  /* time when the first case began */
    FILE *results;                 /* NULL: none */
    char error[BENCH_ERROR_MAX];
} bench;

/* ------------------------------------------------------------------ cases */

typedef enum bench_kind {
    BENCH_GPUPRIM, /* the library */
    BENCH_LIMIT,   /* a candidate for the limit, which is the fastest one */
    BENCH_PEER,    /* what a user could use instead */
    BENCH_INFO     /* for information only */
} bench_kind;

/* A buffer, and on a CPU the host memory that it uses. */
typedef struct bench_array {
    size_t bytes; /* a multiple of 64; bytes after the data are zero */
    void *host;   /* NULL for outputs of other devices */
    cl_mem mem;
} bench_array;

typedef struct bench_case bench_case;
typedef struct bench_variant bench_variant;

/* One launch of one of the harness's kernels. */
typedef struct bench_launch {
    size_t groups;
    size_t group_size;
} bench_launch;

/* Repeated launches of a kernel that reduces each group's elements to one partial result, until a single
   value is left. */
typedef struct bench_passes {
    size_t per_group; /* elements */
    cl_mem spare;     /* receives every other pass's partial results */
} bench_passes;

struct bench_variant {
    char name[BENCH_NAME_MAX];
    bench_kind kind;
    bool on_host;      /* runs on, and writes to, host memory */
    bool pooled;       /* uses the pool: its threads are woken before the clock starts */
    bool spins_after;  /* its threads spin for a while: the next variant waits for them */
    const char *shape; /* "serial", "local", "host" or "auto" */
    const char *strategy;

    /* Does the work, and returns when the result is complete. On failure calls bench_fail and returns
       false. */
    bool (*run)(bench_case *c, bench_variant *v);
    /* Returns true if the result is correct; otherwise calls bench_fail. Outputs were poisoned before the
       run. */
    bool (*check)(bench_case *c, bench_variant *v, const void *out);
    size_t out_bytes; /* bytes of output that the check reads */

    cl_kernel kernel; /* released with the case; may be NULL */
    union {
        gp_reduce_desc reduce;
        gp_scan_desc scan;
        gp_select_desc select;
        gp_partition_desc partition;
        gp_unique_desc unique;
        gp_run_length_encode_desc rle;
        gp_run_length_decode_desc rle_decode;
        gp_reduce_by_key_desc reduce_by_key;
        gp_segmented_reduce_desc segmented_reduce;
        gp_segmented_scan_desc segmented_scan;
        gp_segmented_sort_desc segmented_sort;
        gp_sort_strings_desc sort_strings;
        gp_sort_records_desc sort_records;
        gp_brackets_desc brackets;
        gp_stack_scan_desc stack_scan;
        gp_tree_desc tree;
        struct {
            gp_sort_desc desc;
            gp_context *gp;
        } sort;
        gp_merge_desc merge;
        gp_search_desc search;
        gp_topk_desc topk;
        gp_segmented_topk_desc segmented_topk;
        gp_nth_element_desc nth_element;
        gp_histogram_desc histogram;
        gp_transform_desc transform;
        gp_fill_desc fill;
        gp_random_desc random;
        gp_gather_desc gather;
        gp_transpose_desc transpose;
        gp_stencil_desc stencil;
        bench_launch launch;
        bench_passes passes;
        host_stream host;
        const bench_peer *peer;
    } with;

    /* filled in by bench_case_run */
    bool unsupported; /* the device or the library cannot do this, which is no failure */
    char error[BENCH_ERROR_MAX];
    double estimate; /* seconds */
    unsigned rounds; /* planned */
    unsigned taken;
    double *seconds; /* time of each run; sorted at the end */
    double median;
    uint64_t fallbacks; /* fallbacks in all runs */
};

struct bench_case {
    bench *b;
    const char *name; /* "reduce", "scan", "copy" ... */
    bench_work work;
    gp_type out_type;
    double bytes; /* bytes that must be moved, for GB/s */
    bench_array in;
    bench_array in2; /* second input, the same as the first until bench_case_input2; bytes 0: none */
    bench_array out;
    void *expected;    /* the result that checks compare with */
    uint32_t word_sum; /* sum of the input's 32-bit words modulo 2^32, for the read loops */
    bench_variant variants[BENCH_VARIANTS_MAX];
    size_t count;
    double *seconds;    /* times of all variants */
    double limit_per_s; /* elements per second of the fastest limit; 0: none */
    const bench_variant *limit;
};

/* The description of a case. */
typedef struct bench_case_desc {
    const char *name;
    bench_primitive primitive;
    gp_type type;
    gp_type out_type; /* type of the expected result */
    gp_op op;
    size_t n;
    size_t out_bytes;      /* fewest bytes; the output also has room for what read loops write */
    size_t expected_bytes; /* 0: none */
    double bytes;
    bool second_input;
} bench_case_desc;

/* Makes arrays and input, and touches every page. If there is not enough memory, prints a row that says
   so, and returns false. */
bool bench_case_open(bench *b, bench_case *c, const bench_case_desc *desc);
void bench_case_close(bench_case *c);
/* Sets the second input, on the device and in in2.host, to `data`. */
bool bench_case_input2(bench_case *c, const void *data);

/* Copies changed host memory to the array's buffer, unless the buffer uses that memory itself. */
void bench_case_upload(bench_case *c, const bench_array *a);

/* Appends a variant, and returns it. `format` makes its name. (variant.c) */
bench_variant *bench_variant_add(bench_case *c, bench_kind kind, const char *format, ...);

/* Verifies, times and reports all variants. */
void bench_case_run(bench_case *c);

/* Verifies and times all variants without reporting them, for sub-commands that print their own rows. */
void bench_case_measure(bench_case *c);
void bench_case_note_failures(bench_case *c); /* sets b->failed, except for peers' failures */

/* Records a variant's failure, and returns false. */
bool bench_fail(bench_variant *v, const char *format, ...);
/* Does the same as bench_fail for a result of the library. If the device cannot do the work, that is no
   failure. */
bool bench_fail_gp(bench_case *c, bench_variant *v, gp_result result);

/* Returns true if the `n` elements of `out` equal those of c->expected. Both have the case's out_type. */
bool bench_check_elements(bench_case *c, bench_variant *v, const void *out, size_t n);

/* ------------------------------------------------------------------ parts of cases */

/* Adds the candidates for a limit: kernels of each shape, and plain C on a CPU. (limits.c) */
void bench_add_limits(bench_case *c, stream_op op, const char *prefix);
/* Adds, for information, copies that bypass the caches. */
void bench_add_memory_copies(bench_case *c);
/* Sets a variant's kernel to one of stream_cl.h; the second function runs it. On failure both call
   bench_fail and return false. */
bool bench_variant_kernel(bench_case *c, bench_variant *v, const char *name);
bool bench_run_kernel(bench_case *c, bench_variant *v);
/* Builds one of the harness's OpenCL programs. On failure returns NULL, and writes the reason to `error`.
   (harness.c) */
cl_program bench_build(const bench *b, const char *const *lines, size_t count, char error[BENCH_ERROR_MAX]);
/* Returns the number of 32-bit words that the outputs of read loops need. */
size_t bench_read_parts(const bench *b, size_t bytes);

/* Adds every compiled-in peer that can do the case's work. (peers.c) */
void bench_add_peers(bench_case *c, bool (*check)(bench_case *, bench_variant *, const void *),
                     size_t out_bytes);

/* ------------------------------------------------------------------ session, output */

bool bench_open(bench *b, const bench_options *options);
void bench_close(bench *b);
/* Lets the other gpbench run its round (--turns), if there is one. */
void bench_give_turn(const bench *b);
double bench_now(void); /* seconds */
/* Counts the work of `run` if there is a progress line, so that the line can show the remaining time. */
void bench_plan(bench *b, void (*run)(bench *b));
/* Begins a case of n elements. Returns false if the case is only to be counted. */
bool bench_begin(bench *b, size_t n);
void bench_progress(const bench *b, const char *format, ...);
void bench_progress_end(const bench *b);

/* Opens the results file, which consists of JSON lines, and writes the first line, which describes the
   run. */
bool report_open(bench *b, const char *command);
void report_close(bench *b);
void report_device(const bench *b);
void report_libraries(const bench_options *o);
void report_rows(bench_case *c);
/* Writes rows to the results file only. */
void report_results(bench_case *c);
/* Writes a line of JSON to each output that receives rows as JSON. */
void report_json(const bench *b, const char *format, ...);
/* Prints a row for a case that could not be opened. */
void report_failure(bench *b, const bench_case_desc *desc, const char *text);
/* Returns `n` as text: "2^24" for powers of two from 2^10 on, else decimal. */
const char *report_count(size_t n, char text[32]);
/* Returns the time as text, such as "1.234 ms". */
const char *report_time(double seconds, char text[32]);

/* Runs `one` for every size and type: those of the options, or the default ones. */
void bench_sweep(bench *b, void (*one)(bench *b, gp_type type, size_t n));

/* ------------------------------------------------------------------ sub-commands */

void bench_stream(bench *b);
void bench_reduce(bench *b);
void bench_scan(bench *b);
void bench_dot(bench *b);
void bench_segmented(bench *b);
void bench_affine(bench *b);
void bench_select(bench *b);
void bench_unique(bench *b);
void bench_rle(bench *b);
void bench_rle_decode(bench *b);
void bench_by_key(bench *b);
void bench_sort(bench *b);
void bench_merge(bench *b);
void bench_search(bench *b);
void bench_topk(bench *b);
void bench_topk_rows(bench *b);
void bench_nth_element(bench *b);
void bench_histogram(bench *b);
void bench_segmented_sort(bench *b);
void bench_sort_strings(bench *b);
void bench_brackets(bench *b); /* trees too */
void bench_tree(bench *b);
void bench_json(bench *b);
void bench_hash(bench *b);
void bench_group_by(bench *b);
void bench_join(bench *b);
void bench_hash_published(bench *b);
void bench_transform(bench *b);
void bench_fill(bench *b);
void bench_random(bench *b);
void bench_gather(bench *b);
void bench_columns(bench *b);
void bench_rows(bench *b);
void bench_transpose(bench *b);
void bench_stencil(bench *b);
void bench_host(bench *b);
void bench_ladder(bench *b);
void bench_launch_cost(bench *b);
void bench_tune(bench *b);

#endif
