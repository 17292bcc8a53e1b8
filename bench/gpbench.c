/* gpbench.c - the benchmark program: sub-commands and options. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/data.h"
#include "peers/peer.h"

static const char help_options[] =
    "what is measured\n"
    "  --n N             one size: 16777216, 2^24 or 16M (default: 2^10 ... 2^26)\n"
    "  --type T          one element type: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 (default: u32, some f32, "
    "u64, f64, u8)\n"
    "  --op OP           sum prod min max and or xor (default: sum)\n"
    "  --repeats R       runs of each variant (default: by time, 5 ... 101)\n"
    "  --no-peers        leave other libraries out\n"
    "  --peers NAME      only those whose names have this in them\n"
    "where and how\n"
    "  --device FILTER   gpu, cpu, P:D or part of a name (default: $GPUPRIM_DEVICE)\n"
    "  --strategy S      single-pass or multi-pass\n"
    "  --shape S         serial or local\n"
    "  --words W         wide or narrow\n"
    "  --tile N          elements: of a group (serial), of a work-item (local)\n"
    "  --wg N            work-items of a group (local)\n"
    "  --polls N         looks at a late tile before it is computed anew\n"
    "  --ring-rows N, --ring-reach N\n"
    "                    sort: rows of the look-back table, and how many tiles a look-back goes back\n"
    "  --dump FOLDER     the programs' sources and binaries go there\n"
    "  --load X          hash: this load of the table only\n"
    "  --budget BYTES    host: of device memory (default: 64M)\n"
    "  --call NAME       host: only calls whose names have this in them\n"
    "  --seconds S       tune: how long to search, about (default: 300)\n"
    "  --out FILE        tune: the file to write (default: gpuprim.tuning)\n"
    "output\n"
    "  --csv, --json     rows for programs; JSON has one object a line\n"
    "  --results FILE    the rows as JSON lines go to this file, too, after one that describes the run\n"
    "  --turns IN,OUT    takes turns with another gpbench, over two pipes: tools/against.sh\n"
    "\n"
    "exit status\n"
    "  0                 all went well; a peer that fails or is missing changes nothing\n"
    "  1                 a result was wrong, a call failed, there is no device, or a file cannot be written\n"
    "  2                 wrong usage: unknown sub-command or option, or a value that means nothing\n";

static const char legend[] =
    "gpbench: a short run of 2^20 numbers of 32 bits; gpbench --help has the rest.\n"
    "\n"
    "  gpuprim    one call of the library, data on the device; gpuprim:... with other settings\n"
    "  limit      a loop that does nothing but move the same bytes; the fastest one is marked *\n"
    "  time       the median of the runs\n"
    "  of limit   speed divided by that of *: 1 is as fast as memory goes\n"
    "  spread %   how far runs differ; with more than 10 the machine is busy: measure again\n"
    "  late tiles computed twice, because a group was late\n"
    "\n";

/* ------------------------------------------------------------------ options */

enum {
    OPTION_N = 1,
    TYPE,
    OP,
    REPEATS,
    NO_PEERS,
    ONLY,
    DEVICE,
    STRATEGY,
    SHAPE,
    WORDS,
    TILE,
    WG,
    POLLS,
    RING_ROWS,
    RING_REACH,
    DUMP,
    LOAD,
    BUDGET,
    CALL,
    CSV,
    JSON,
    RESULTS,
    TURNS,
    SECONDS,
    OUT,
    HELP
};

static const struct option long_options[] = {{"n", required_argument, NULL, OPTION_N},
                                             {"type", required_argument, NULL, TYPE},
                                             {"op", required_argument, NULL, OP},
                                             {"repeats", required_argument, NULL, REPEATS},
                                             {"no-peers", no_argument, NULL, NO_PEERS},
                                             {"peers", required_argument, NULL, ONLY},
                                             {"device", required_argument, NULL, DEVICE},
                                             {"strategy", required_argument, NULL, STRATEGY},
                                             {"shape", required_argument, NULL, SHAPE},
                                             {"words", required_argument, NULL, WORDS},
                                             {"tile", required_argument, NULL, TILE},
                                             {"wg", required_argument, NULL, WG},
                                             {"polls", required_argument, NULL, POLLS},
                                             {"ring-rows", required_argument, NULL, RING_ROWS},
                                             {"ring-reach", required_argument, NULL, RING_REACH},
                                             {"dump", required_argument, NULL, DUMP},
                                             {"load", required_argument, NULL, LOAD},
                                             {"budget", required_argument, NULL, BUDGET},
                                             {"call", required_argument, NULL, CALL},
                                             {"csv", no_argument, NULL, CSV},
                                             {"json", no_argument, NULL, JSON},
                                             {"results", required_argument, NULL, RESULTS},
                                             {"turns", required_argument, NULL, TURNS},
                                             {"seconds", required_argument, NULL, SECONDS},
                                             {"out", required_argument, NULL, OUT},
                                             {"help", no_argument, NULL, HELP},
                                             {NULL, 0, NULL, 0}};

static unsigned suffix_bits(const char *suffix)
{
    if (strcmp(suffix, "K") == 0) return 10;
    if (strcmp(suffix, "M") == 0) return 20;
    if (strcmp(suffix, "G") == 0) return 30;
    return 0;
}

/* 16777216, 2^24, 16M. Zero when it is none of these, or beyond 2^40. */
static size_t parse_size(const char *text)
{
    char *end;
    if (text[0] < '0' || text[0] > '9') return 0;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned bits = suffix_bits(end);
    if (n == 2 && *end == '^') {
        n = 1;
        bits = (unsigned)strtoul(end + 1, &end, 10);
        if (*end != 0 || bits > 40) return 0;
    } else if (*end != 0 && bits == 0) {
        return 0;
    }
    const unsigned long long most = 1ull << 40;
    return n > most >> bits ? 0 : (size_t)(n << bits);
}

static bool parse_u32(const char *text, uint32_t *out)
{
    const size_t n = parse_size(text);
    *out = (uint32_t)n;
    return n > 0 && n <= UINT32_MAX;
}

/* Index of `text` among `names`, from 1; 0 when it is none of them. */
static int choice(const char *text, const char *first, const char *second)
{
    return strcmp(text, first) == 0 ? 1 : strcmp(text, second) == 0 ? 2 : 0;
}

/* False for a value that means nothing. */
static bool set_option(bench_options *o, int option, const char *text)
{
    switch (option) {
    case OPTION_N: return (o->n = parse_size(text)) > 0;
    case TYPE: return (o->type = data_type_of(text)) != GP_TYPE_NONE;
    case OP: return (o->op = data_op_of(text)) != GP_OP_NONE;
    case REPEATS: return parse_u32(text, &o->repeats) && o->repeats <= BENCH_ROUNDS_MAX;
    case STRATEGY: return (o->strategy = (gp_strategy)choice(text, "single-pass", "multi-pass")) != 0;
    case SHAPE: return (o->tuning.shape = (gp_shape)choice(text, "serial", "local")) != 0;
    case WORDS: return (o->tuning.words = (gp_words)choice(text, "wide", "narrow")) != 0;
    case TILE: return parse_u32(text, &o->tuning.tile);
    case WG: return parse_u32(text, &o->tuning.work_group_size);
    case POLLS: return parse_u32(text, &o->tuning.polls);
    case RING_ROWS: return parse_u32(text, &o->tuning.ring_rows);
    case RING_REACH: return parse_u32(text, &o->tuning.ring_reach);
    case DUMP: o->dump = text; return true;
    case LOAD: return (o->load = strtod(text, NULL)) > 0 && o->load < 1;
    case BUDGET: return (o->budget = parse_size(text)) > 0;
    case CALL: o->call = text; return true;
    case DEVICE: o->device = text; return true;
    case NO_PEERS: o->no_peers = true; return true;
    case ONLY: o->only = text; return true;
    case CSV: o->format = BENCH_CSV; return true;
    case JSON: o->format = BENCH_JSON; return true;
    case RESULTS: o->results = text; return true;
    case SECONDS: return (o->seconds = strtod(text, NULL)) > 0;
    case OUT: o->out = text; return true;
    case TURNS: return sscanf(text, "%d,%d", &o->turn_in, &o->turn_out) == 2;
    default: return false;
    }
}

static void print_help(void)
{
    puts("usage: gpbench                          a short run, and what its columns mean\n"
         "       gpbench SUB-COMMAND [options]\n"
         "       gpbench SUB-COMMAND --help       what it measures, and an example\n"
         "       gpbench peers                    the libraries to compare with, or why they are missing\n");
    for (const bench_command *c = bench_commands; c->name != NULL; c++)
        printf("  %-15s %s\n", c->name, c->brief);
    puts("");
    fputs(help_options, stdout);
}

static void print_help_of(const bench_command *c)
{
    printf("gpbench %s: %s\n\n%s\n\nexample: build/gpbench %s\n\n", c->name, c->brief, c->about, c->example);
    fputs(help_options, stdout);
}

static int usage_error(const char *text, const char *what)
{
    fprintf(stderr, "gpbench: %s%s; see gpbench --help\n", text, what);
    return 2;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, const bench_command *chosen, bench_options *o)
{
    int option, index = 0;
    while ((option = getopt_long(argc, argv, "", long_options, &index)) != -1) {
        if (option == HELP) {
            print_help_of(chosen);
            return 0;
        }
        if (option == '?') return 2; /* getopt_long has told */
        if (!set_option(o, option, optarg)) return usage_error("bad value of --", long_options[index].name);
    }
    if (optind < argc) return usage_error("unexpected ", argv[optind]);
    if (o->op >= GP_AND && data_is_float(o->type)) return usage_error("--op is for integer types only", "");
    return -1;
}

static const bench_command *command_of(const char *name)
{
    for (const bench_command *c = bench_commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

static int run_short(void)
{
    const bench_options options = {.n = (size_t)1 << 20, .type = GP_U32, .repeats = 11, .no_peers = true};
    bench b;
    fputs(legend, stdout);
    if (!bench_open(&b, &options)) return 1;
    report_device(&b);
    bench_reduce(&b);
    bench_scan(&b);
    bench_gather(&b);
    bench_close(&b);
    return b.failed;
}

/* Libraries in Python are asked, which takes a second or two. */
static void name_libraries(bench_options *o)
{
    static char there[1024], missing[1024];
    if (o->no_peers) return;
    bench_name_libraries(true, there, sizeof there);
    bench_name_libraries(false, missing, sizeof missing);
    o->libraries = there;
    o->skipped = missing;
}

static int run_command(const bench_command *chosen, const bench_options *options, const char *line)
{
    bench b;
    if (!bench_open(&b, options)) return 1;
    if (report_open(&b, line)) {
        report_device(&b);
        bench_plan(&b, chosen->run);
        chosen->run(&b);
        report_close(&b);
    } else {
        b.failed = true;
    }
    bench_close(&b);
    bench_python_close();
    return b.failed;
}

int main(int argc, char **argv)
{
    bench_options options = {0};
    char line[512] = "gpbench";
    setenv("POCL_AFFINITY", "1", 0); /* PoCL's threads otherwise share one core at times (docs/drivers.md) */
    if (argc < 2) return run_short();
    for (int i = 1; i < argc; i++) snprintf(line + strlen(line), sizeof line - strlen(line), " %s", argv[i]);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) return print_help(), 0;
    if (strcmp(argv[1], "peers") == 0) return name_libraries(&options), report_libraries(&options), 0;
    const bench_command *chosen = command_of(argv[1]);
    if (chosen == NULL) return usage_error("unknown sub-command ", argv[1]);
    argv[1] = argv[0]; /* getopt_long names the program by it */
    const int status = parse_options(argc - 1, argv + 1, chosen, &options);
    if (status >= 0) return status;
    name_libraries(&options);
    return run_command(chosen, &options, line);
}
