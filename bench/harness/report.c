/* report.c - rows as a table, as CSV, as JSON lines. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "data.h"
#include "work.h"

/* The results of one variant of one case, for every format. */
typedef struct row {
    const bench_case *c;
    const bench_variant *v;
    const char *error; /* NULL: measured */
    double min, max;
    double per_s;
    double gb_per_s;
    double fraction; /* fraction of the limit; 0: there is no limit */
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

void report_libraries(const bench_options *o)
{
    if (o->libraries == NULL) return;
    printf("peers: plain C%s%s\n", o->libraries[0] ? ", " : "", o->libraries);
    if (o->skipped[0]) printf("skipped: %s\n", o->skipped);
}

static void table_device(const bench *b)
{
    const gp_device_info *i = b->info;
    printf("%s / %s\n%s, driver %s, %u compute units\n", i->platform_name, i->name, i->version,
           i->driver_version, (unsigned)i->compute_units);
    report_libraries(&b->options);
    puts("time: median of the runs; of limit: speed divided by that of the fastest limit, *; "
         "spread: 10th to 90th percentile, of the median");
}

/* Returns the ANSI code if stdout is a terminal, else an empty text. */
static const char *style(const bench *b, const char *code) { return b->colours ? code : ""; }

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN "\033[0m"

static void table_head(const bench_case *c)
{
    char n[32];
    printf("\n%s%s", style(c->b, BOLD), c->name);
    if (c->work.primitive != BENCH_STREAM) printf(" %s", data_op_name(c->work.op));
    printf(" %s, n = %s%s\n", data_type_name(c->work.type), report_count(c->work.n, n), style(c->b, PLAIN));
    printf("  %-24s %12s %10s %8s %8s %-10s %8s %10s\n", "variant", "time", "elements/s", "GB/s", "of limit",
           "", "spread %", "late tiles");
}

/* Returns a bar of ten characters for a fraction of 1. */
static const char *bar_of(double fraction, char text[16])
{
    const int wanted = fraction < 1 ? (int)(10 * fraction + .5) : 10;
    snprintf(text, 16, "%.*s", wanted, "##########");
    return text;
}

static void table_row(const row *r)
{
    const bench *b = r->c->b;
    const bool own = r->v->kind == BENCH_GPUPRIM, limit = r->v == r->c->limit;
    char t[32], rate[32], fraction[32] = "-", bar[16], late[32] = "";
    if (r->error != NULL) {
        const bool fails = !r->v->unsupported;
        printf("  %-24s %s%s: %s%s\n", r->v->name, style(b, fails ? RED : DIM), fails ? "ERROR" : "n/a",
               r->error, style(b, PLAIN));
        return;
    }
    if (r->fraction > 0) snprintf(fraction, sizeof fraction, "%.3f", r->fraction);
    if (own) snprintf(late, sizeof late, "%" PRIu64, r->v->fallbacks);
    printf("%s%c %-24s %12s %10s %8.2f %8s %-10s %s%8.1f%s%s %10s%s\n",
           style(b, own     ? BOLD
                    : limit ? ""
                            : DIM),
           limit ? '*' : ' ', r->v->name, report_time(r->v->median, t), rate_text(r->per_s, rate),
           r->gb_per_s, fraction, bar_of(r->fraction, bar), style(b, r->spread > .1 ? YELLOW : ""),
           r->spread * 100, style(b, PLAIN),
           style(b, own     ? BOLD
                    : limit ? ""
                            : DIM),
           late, style(b, PLAIN));
}

/* ------------------------------------------------------------------ CSV, JSON */

static const char *const kinds[] = {
    [BENCH_GPUPRIM] = "gpuprim", [BENCH_LIMIT] = "limit", [BENCH_PEER] = "peer", [BENCH_INFO] = "info"};

/* Both formats are made from one list of fields. X(name, conversion, value): X_TEXT for strings. */
#define ROW_FIELDS(X, X_TEXT)                                     \
    X_TEXT("primitive", r->c->name)                               \
    X_TEXT("variant", r->v->name)                                 \
    X_TEXT("kind", kinds[r->v->kind])                             \
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

/* Writes a quoted text. Quotes are doubled in CSV and escaped in JSON; control characters become
   blanks. */
static void quoted(FILE *f, const char *text, bool json)
{
    putc('"', f);
    for (; *text != 0; text++) {
        if (*text == '"' || (json && *text == '\\')) putc(json ? '\\' : '"', f);
        putc((unsigned char)*text < ' ' ? ' ' : *text, f);
    }
    putc('"', f);
}

static void csv_head(void)
{
    const char *comma = "";
#define NAME(name, conversion, value) printf("%s%s", comma, name), comma = ",";
#define NAME_TEXT(name, value) printf("%s%s", comma, name), comma = ",";
    ROW_FIELDS(NAME, NAME_TEXT)
    putchar('\n');
}

static void csv_row(const row *r)
{
    const char *comma = "";
#define CSV(name, conversion, value) printf("%s" conversion, comma, value), comma = ",";
#define CSV_TEXT(name, value) printf("%s", comma), quoted(stdout, value, false), comma = ",";
    ROW_FIELDS(CSV, CSV_TEXT)
    putchar('\n');
}

#define JSON(name, conversion, value) fprintf(f, "%s\"%s\": " conversion, comma, name, value), comma = ", ";
#define JSON_TEXT(name, value) fprintf(f, "%s\"%s\": ", comma, name), quoted(f, value, true), comma = ", ";

static void json_row(FILE *f, const row *r)
{
    const char *comma = "{";
    ROW_FIELDS(JSON, JSON_TEXT)
    fputs("}\n", f);
}

/* ------------------------------------------------------------------ the results file */

static void results_head(FILE *f, const bench *b, const char *command)
{
    const gp_device_info *i = b->info;
    const time_t now = time(NULL);
    const char *hidden = getenv("CPU_MASK"); /* hidden features of the CPU: tools/cpu_mask.c */
    const char *comma = "{";
    char date[32] = "", version[32];
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    snprintf(version, sizeof version, "%d.%d.%d", GP_VERSION_MAJOR, GP_VERSION_MINOR, GP_VERSION_PATCH);
    JSON_TEXT("gpbench", version)
    JSON_TEXT("date", date)
    JSON_TEXT("command", command)
    JSON_TEXT("device", i->name)
    JSON_TEXT("platform", i->platform_name)
    JSON_TEXT("opencl", i->version)
    JSON_TEXT("driver", i->driver_version)
    JSON_TEXT("hidden", hidden != NULL ? hidden : "")
    JSON_TEXT("peers", b->options.libraries != NULL ? b->options.libraries : "")
    JSON_TEXT("skipped", b->options.libraries != NULL ? b->options.skipped : "")
    JSON("compute_units", "%u", (unsigned)i->compute_units)
    JSON("memory_bytes", "%" PRIu64, (uint64_t)i->global_mem_size)
    fputs("}\n", f);
}

bool report_open(bench *b, const char *command)
{
    const char *path = b->options.results;
    if (path == NULL) return true;
    b->results = fopen(path, "w");
    if (b->results == NULL) return perror(path), false;
    results_head(b->results, b, command);
    return true;
}

/* Closes the results file. Reports an error if the file could not be written. */
void report_close(bench *b)
{
    if (b->results == NULL) return;
    const bool bad = ferror(b->results) != 0;
    if (fclose(b->results) == 0 && !bad) return;
    fprintf(stderr, "gpbench: cannot write %s\n", b->options.results);
    b->failed = true;
}

void report_json(const bench *b, const char *format, ...)
{
    FILE *const files[] = {b->options.format == BENCH_JSON ? stdout : NULL, b->results};
    for (size_t i = 0; i < 2; i++) {
        if (files[i] == NULL) continue;
        va_list arguments;
        va_start(arguments, format);
        vfprintf(files[i], format, arguments);
        va_end(arguments);
        fflush(files[i]);
    }
}

/* ------------------------------------------------------------------ entry points */

void report_device(const bench *b)
{
    if (b->options.format == BENCH_TABLE) table_device(b);
    fflush(stdout);
}

void report_rows(bench_case *c)
{
    bench *b = c->b;
    const bench_format format = b->options.format;
    if (format == BENCH_TABLE) table_head(c);
    if (format == BENCH_CSV && !b->reported) csv_head();
    b->reported = true;
    for (size_t i = 0; i < c->count; i++) {
        const row r = row_of(c, &c->variants[i]);
        if (format == BENCH_TABLE) table_row(&r);
        if (format == BENCH_CSV) csv_row(&r);
        if (format == BENCH_JSON) json_row(stdout, &r);
    }
    fflush(stdout);
    report_results(c);
}

/* Flushes the file after each case, so that an interrupted run keeps its results. */
void report_results(bench_case *c)
{
    for (size_t i = 0; i < c->count && c->b->results != NULL; i++) {
        const row r = row_of(c, &c->variants[i]);
        json_row(c->b->results, &r);
    }
    if (c->b->results != NULL) fflush(c->b->results);
}

void report_failure(bench *b, const bench_case_desc *desc, const char *text)
{
    if (b->planning) return;
    bench_case c = {.b = b, .name = desc->name, .count = 1};
    bench_variant *v = &c.variants[0];
    c.work = (bench_work){.primitive = desc->primitive, .type = desc->type, .op = desc->op, .n = desc->n};
    *v = (bench_variant){.kind = BENCH_INFO, .unsupported = true, .shape = "", .strategy = ""};
    snprintf(v->name, sizeof v->name, "all");
    bench_fail(v, "%s", text);
    bench_progress_end(b);
    report_rows(&c);
}
