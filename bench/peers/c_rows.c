/* c_rows.c - scans of rows and of columns in plain C, on all cores: each has a part of the rows or of the columns. Compiled like
   host_loops.c. */
#include "peer.h"

#include "../harness/pool.h"

static void scan_rows(const float *in, float *out, size_t columns, size_t first, size_t last)
{
    for (size_t r = first; r < last; r++) {
        float sum = 0;
        for (size_t c = 0; c < columns; c++) out[r * columns + c] = sum += in[r * columns + c];
    }
}

static void scan_columns(const float *in, float *out, size_t rows, size_t columns, size_t first, size_t last)
{
    for (size_t c = first; c < last; c++) out[c] = in[c];
    for (size_t r = 1; r < rows; r++)
        for (size_t c = first; c < last; c++)
            out[r * columns + c] = out[(r - 1) * columns + c] + in[r * columns + c];
}

static void share(void *user, unsigned thread, unsigned threads)
{
    const bench_work *work = user;
    const bool down = work->primitive == BENCH_SCAN_COLUMNS;
    const size_t rows = work->segments, columns = work->n / rows, most = down ? columns : rows;
    const size_t first = most * thread / threads, last = most * (thread + 1) / threads;
    if (down) scan_columns(work->host_in, work->host_out, rows, columns, first, last);
    else scan_rows(work->host_in, work->host_out, columns, first, last);
}

static bool supports(const bench_work *work)
{
    return (work->primitive == BENCH_SCAN_ROWS || work->primitive == BENCH_SCAN_COLUMNS) &&
           work->type == GP_F32;
}

static bool run(const bench_work *work)
{
    pool_run(work->pool, share, (void *)work);
    return true;
}

const bench_peer bench_peer_c_rows = {
    .name = "c-rows", .on_host = true, .pooled = true, .supports = supports, .run = run};
