/* c_columns.c - sums of columns in plain C: row by row, on all cores, each with a part of the rows or, if there are few, of the
   columns. Compiled like host_loops.c. */
#include "peer.h"

#include "../harness/pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct columns_job {
    const bench_work *work;
    float *sums; /* a row for each thread, if threads take rows */
    bool by_rows;
} columns_job;

static void add_rows(const float *in, size_t rows, size_t columns, size_t first, size_t last, float *sums)
{
    for (size_t c = first; c < last; c++) sums[c] = 0;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = first; c < last; c++) sums[c] += in[r * columns + c];
}

static void share(void *user, unsigned thread, unsigned threads)
{
    const columns_job *job = user;
    const size_t rows = job->work->segments, columns = job->work->n / rows;
    const size_t most = job->by_rows ? rows : columns;
    const size_t first = most * thread / threads, last = most * (thread + 1) / threads;
    const float *in = job->work->host_in;
    if (job->by_rows)
        add_rows(in + first * columns, last - first, columns, 0, columns, job->sums + thread * columns);
    else add_rows(in, rows, columns, first, last, job->work->host_out);
}

static bool supports(const bench_work *work)
{
    return work->primitive == BENCH_COLUMNS && work->type == GP_F32;
}

static bool run(const bench_work *work)
{
    const size_t rows = work->segments, columns = work->n / rows, threads = pool_threads(work->pool);
    columns_job job = {work, NULL, rows > columns};
    float *out = work->host_out;
    if (job.by_rows) job.sums = malloc(threads * columns * sizeof *job.sums);
    if (job.by_rows && !job.sums) return false;
    pool_run(work->pool, share, &job);
    for (size_t c = 0; c < columns && job.by_rows; c++) out[c] = 0;
    for (size_t t = 0; t < threads && job.by_rows; t++)
        for (size_t c = 0; c < columns; c++) out[c] += job.sums[t * columns + c];
    free(job.sums);
    return true;
}

const bench_peer bench_peer_c_columns = {
    .name = "c-columns", .on_host = true, .pooled = true, .supports = supports, .run = run};
