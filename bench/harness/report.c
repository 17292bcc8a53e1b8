/* report.c - rows as a table, as CSV, as JSON lines. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>

#include "data.h"

/* What is known of one variant of one case, in every format. */
typedef struct row {
    const bench_case *c;
    const bench_variant *v;
    const char *error; /* NULL: measured */
    double min, max;
    double per_s;
    double gb_per_s;
    double fraction; /* of the limit; 0: there is none */
    double spread;   /* (90th - 10th percentile) / median */
} row;

static row row_of(const bench_case *c, const bench_variant *v)
{
    row r = {.c = c, .v = v};
    if (v->error[0] != 0 || v->taken == 0) {
        r.error = v->error[0] != 0 ? v->error : "not measured";
        return r;
    }
    const double tenth = v->seconds[(v->taken - 1) / 10];
    const double ninth = v->seconds[v->taken - 1 - (v->taken - 1) / 10];
    r.min = v->seconds[0];
    r.max = v->seconds[v->taken - 1];
    r.per_s = (double)c->work.n / v->median;
    r.gb_per_s = c->bytes / v->median * 1e-9;
    r.fraction = c->limit_per_s > 0 ? r.per_s / c->limit_per_s : 0;
    r.spread = (ninth - tenth) / v->median;
    return r;
}

/* ------------------------------------------------------------------ text of numbers */

const char *report_count(size_t n, char text[32])
{
    unsigned bits = 0;
    while (n >> bits > 1) bits++;
    if (n >= 1024 && n == (size_t)1 << bits) snprintf(text, 32, "2^%u", bits);
    else snprintf(text, 32, "%zu", n);
    return text;
}

const char *report_time(double seconds, char text[32])
{
    if (seconds < 1e-3) snprintf(text, 32, "%.2f us", seconds * 1e6);
    else if (seconds < 1) snprintf(text, 32, "%.3f ms", seconds * 1e3);
    else snprintf(text, 32, "%.3f s", seconds);
    return text;
}

static const char *rate_text(double per_s, char text[32])
{
    if (per_s >= 1e9) snprintf(text, 32, "%.3f G", per_s * 1e-9);
    else snprintf(text, 32, "%.2f M", per_s * 1e-6);
    return text;
}

/* ------------------------------------------------------------------ table */

static void table_device(const bench *b)
{
    const gp_device_info *i = b->info;
    printf("%s / %s\n%s, driver %s, %u compute units\n", i->platform_name, i->name, i->version,
           i->driver_version, (unsigned)i->compute_units);
}

static void table_head(const bench_case *c)
{
    char n[32];
    printf("\n%s", c->name);
    if (c->work.primitive != BENCH_STREAM) printf(" %s", data_op_name(c->work.op));
    printf(" %s, n = %s\n", data_type_name(c->work.type), report_count(c->work.n, n));
    printf("  %-24s %-4s %9s %12s %12s %8s %8s %7s %9s\n", "variant", "type", "n", "time", "elements/s",
           "GB/s", "of limit", "spread", "fallbacks");
}

static void table_row(const row *r)
{
    const char *type = data_type_name(r->c->work.type);
    char n[32], t[32], rate[32], fraction[32] = "-", fallbacks[32] = "";
    report_count(r->c->work.n, n);
    if (r->error != NULL) {
        printf("  %-24s %-4s %9s %s: %s\n", r->v->name, type, n, r->v->unsupported ? "n/a" : "ERROR",
               r->error);
        return;
    }
    if (r->fraction > 0) snprintf(fraction, sizeof fraction, "%.3f", r->fraction);
    if (r->v->kind == BENCH_GPUPRIM) snprintf(fallbacks, sizeof fallbacks, "%" PRIu64, r->v->fallbacks);
    printf("%c %-24s %-4s %9s %12s %12s %8.2f %8s %6.1f%% %9s\n", r->v == r->c->limit ? '*' : ' ', r->v->name,
           type, n, report_time(r->v->median, t), rate_text(r->per_s, rate), r->gb_per_s, fraction,
           r->spread * 100, fallbacks);
}

/* ------------------------------------------------------------------ CSV, JSON */

/* One list of fields makes both formats. X(name, conversion, value): X_TEXT for strings. */
#define ROW_FIELDS(X, X_TEXT)                                     \
    X_TEXT("primitive", r->c->name)                               \
    X_TEXT("variant", r->v->name)                                 \
    X_TEXT("type", data_type_name(r->c->work.type))               \
    X_TEXT("op", data_op_name(r->c->work.op))                     \
    X("n", "%zu", r->c->work.n)                                   \
    X("median_s", "%.9g", r->v->median)                           \
    X("min_s", "%.9g", r->min)                                    \
    X("max_s", "%.9g", r->max)                                    \
    X("spread", "%.4g", r->spread)                                \
    X("runs", "%u", r->v->taken)                                  \
    X("elements_per_s", "%.6g", r->per_s)                         \
    X("gb_per_s", "%.6g", r->gb_per_s)                            \
    X("limit_per_s", "%.6g", r->c->limit_per_s)                   \
    X("fraction", "%.4g", r->fraction)                            \
    X_TEXT("limit", r->c->limit != NULL ? r->c->limit->name : "") \
    X("fallbacks", "%" PRIu64, r->v->fallbacks)                   \
    X_TEXT("shape", r->v->shape)                                  \
    X_TEXT("strategy", r->v->strategy)                            \
    X_TEXT("device", r->c->b->info->name)                         \
    X_TEXT("platform", r->c->b->info->platform_name)              \
    X_TEXT("driver", r->c->b->info->driver_version)               \
    X_TEXT("error", r->error != NULL ? r->error : "")

/* Quotes are doubled in CSV and escaped in JSON; control characters become blanks. */
static void quoted(const char *text, bool json)
{
    putchar('"');
    for (; *text != 0; text++) {
        if (*text == '"' || (json && *text == '\\')) putchar(json ? '\\' : '"');
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    putchar('"');
}

static void csv_head(void)
{
    const char *comma = "";
#define NAME(name, conversion, value) printf("%s%s", comma, name), comma = ",";
#define NAME_TEXT(name, value) printf("%s%s", comma, name), comma = ",";
    const row *r = NULL;
    (void)r;
    ROW_FIELDS(NAME, NAME_TEXT)
    putchar('\n');
}

static void csv_row(const row *r)
{
    const char *comma = "";
#define CSV(name, conversion, value) printf("%s" conversion, comma, value), comma = ",";
#define CSV_TEXT(name, value) printf("%s", comma), quoted(value, false), comma = ",";
    ROW_FIELDS(CSV, CSV_TEXT)
    putchar('\n');
}

static void json_row(const row *r)
{
    const char *comma = "{";
#define JSON(name, conversion, value) printf("%s\"%s\": " conversion, comma, name, value), comma = ", ";
#define JSON_TEXT(name, value) printf("%s\"%s\": ", comma, name), quoted(value, true), comma = ", ";
    ROW_FIELDS(JSON, JSON_TEXT)
    puts("}");
}

/* ------------------------------------------------------------------ entry points */

void report_device(const bench *b)
{
    if (b->options.format == BENCH_TABLE) table_device(b);
    fflush(stdout);
}

void report_rows(bench_case *c)
{
    const bench_format format = c->b->options.format;
    if (format == BENCH_TABLE) table_head(c);
    if (format == BENCH_CSV && !c->b->reported) csv_head();
    c->b->reported = true;
    for (size_t i = 0; i < c->count; i++) {
        const row r = row_of(c, &c->variants[i]);
        if (format == BENCH_TABLE) table_row(&r);
        if (format == BENCH_CSV) csv_row(&r);
        if (format == BENCH_JSON) json_row(&r);
    }
    fflush(stdout);
}

void report_failure(bench *b, const bench_case_desc *desc, const char *text)
{
    bench_case c = {.b = b, .name = desc->name, .count = 1};
    bench_variant *v = &c.variants[0];
    c.work = (bench_work){.primitive = desc->primitive, .type = desc->type, .op = desc->op, .n = desc->n};
    *v = (bench_variant){.kind = BENCH_INFO, .unsupported = true, .shape = "", .strategy = ""};
    snprintf(v->name, sizeof v->name, "all");
    bench_fail(v, "%s", text);
    bench_progress_end(b);
    report_rows(&c);
}
