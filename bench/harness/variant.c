/* variant.c - adds variants to a case, records their failures, and checks their results. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "data.h"

bench_variant *bench_variant_add(bench_case *c, bench_kind kind, const char *format, ...)
{
    if (c->count == BENCH_VARIANTS_MAX) {
        fprintf(stderr, "gpbench: more than %d variants of %s\n", BENCH_VARIANTS_MAX, c->name);
        exit(2);
    }
    bench_variant *v = &c->variants[c->count];
    *v = (bench_variant){.kind = kind, .shape = "auto", .strategy = "auto"};
    v->seconds = c->seconds + c->count * BENCH_ROUNDS_MAX;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->name, sizeof v->name, format, arguments);
    va_end(arguments);
    c->count++;
    return v;
}

bool bench_fail(bench_variant *v, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->error, sizeof v->error, format, arguments);
    va_end(arguments);
    return false;
}

bool bench_fail_gp(bench_case *c, bench_variant *v, gp_result result)
{
    v->unsupported = result == GP_ERROR_UNSUPPORTED;
    return bench_fail(v, "%s", gp_last_error(c->b->gp));
}

bool bench_check_elements(bench_case *c, bench_variant *v, const void *out, size_t n)
{
    const size_t i = data_difference(c->out_type, out, c->expected, n);
    if (i == n) return true;
    char got[32], expected[32];
    data_print(c->out_type, out, i, got, sizeof got);
    data_print(c->out_type, c->expected, i, expected, sizeof expected);
    return bench_fail(v, "wrong result: element %zu is %s, should be %s", i, got, expected);
}
