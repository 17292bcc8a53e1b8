/* stream.c - gpbench stream: measures memory bandwidth by operation and form. */
#include "bench.h"
#include "host_loops.h"
#include "work.h"

#define DEFAULT_N ((size_t)1 << 25)

static const struct {
    const char *name;
    stream_op op;
    double arrays; /* arrays that are read or written */
} streams[] = {{"read", STREAM_READ, 1},
               {"copy", STREAM_COPY, 2},
               {"scale", STREAM_SCALE, 2},
               {"add", STREAM_ADD, 3},
               {"triad", STREAM_TRIAD, 3}};

void bench_stream(bench *b)
{
    const size_t n = b->options.n > 0 ? b->options.n : DEFAULT_N;
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; i++) {
        const size_t bytes = n * sizeof(float);
        bench_case c;
        const bench_case_desc desc = {.name = streams[i].name,
                                      .primitive = BENCH_STREAM,
                                      .type = GP_F32,
                                      .out_type = GP_F32,
                                      .op = GP_SUM,
                                      .n = n,
                                      .out_bytes = streams[i].op == STREAM_READ ? 0 : bytes,
                                      .bytes = (double)bytes * streams[i].arrays,
                                      .second_input = streams[i].arrays > 2};
        if (!bench_case_open(b, &c, &desc)) continue;
        bench_add_limits(&c, streams[i].op, "");
        if (streams[i].op == STREAM_COPY) bench_add_memory_copies(&c);
        bench_case_run(&c);
        bench_case_close(&c);
    }
}
