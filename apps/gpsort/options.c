/* options.c - the command line. */
#define _POSIX_C_SOURCE 200809L
#include "gpsort.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: gpsort [OPTION]... [FILE]...\n"
    "\n"
    "Sorts lines, as LC_ALL=C sort does, or binary records, on a device with OpenCL. Files may be larger "
    "than\n"
    "memory. Without FILE, or where it is -, reads standard input. The sort is always stable.\n"
    "\n"
    "  -o, --output=FILE           write to FILE, which may be an input: a new file takes its place when it "
    "is\n"
    "                              whole and on disk\n"
    "  -r, --reverse               from the last to the first\n"
    "  -u, --unique                only the first of records that are equal; with -c: there are no equal "
    "ones\n"
    "  -s, --stable                as always\n"
    "  -z, --zero-terminated       lines end with a zero byte\n"
    "  -c, --check                 do not sort: is the input sorted?\n"
    "  -C, --check=quiet           the same, without a message\n"
    "  -S, --buffer-size=SIZE      memory, in KiB, or with a suffix: b (bytes), K, M, G, T, % (of the "
    "machine's);\n"
    "                              25% if not given\n"
    "  -T, --temporary-directory=DIR   for temporary files, instead of $TMPDIR or /tmp\n"
    "      --parallel=N            accepted; the device decides\n"
    "\n"
    "  --record-size=N             records of N bytes, not lines\n"
    "  --key=OFFSET:TYPE[:desc]    order by the number at that byte of a record; several: the first one "
    "decides\n"
    "                              first. Types: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64, in the machine's "
    "byte order\n"
    "\n"
    "  --device=DEVICE             gpu, cpu, P:D (indices of platform and device) or part of a name, as in "
    "the\n"
    "                              environment variable GPUPRIM_DEVICE\n"
    "  --verbose, --debug          tell what is done, and how much memory that took\n"
    "  --help, --version\n"
    "\n"
    "exit status: 0 sorted, 1 --check has found disorder, 2 trouble\n";

enum { RECORD_SIZE = 256, KEY, DEVICE, PARALLEL, VERBOSE, HELP, VERSION };

static const struct option known[] = {
    {"output", required_argument, NULL, 'o'},
    {"reverse", no_argument, NULL, 'r'},
    {"unique", no_argument, NULL, 'u'},
    {"stable", no_argument, NULL, 's'},
    {"zero-terminated", no_argument, NULL, 'z'},
    {"check", optional_argument, NULL, 'c'},
    {"buffer-size", required_argument, NULL, 'S'},
    {"temporary-directory", required_argument, NULL, 'T'},
    {"parallel", required_argument, NULL, PARALLEL},
    {"record-size", required_argument, NULL, RECORD_SIZE},
    {"key", required_argument, NULL, KEY},
    {"device", required_argument, NULL, DEVICE},
    {"verbose", no_argument, NULL, VERBOSE},
    {"debug", no_argument, NULL, VERBOSE},
    {"help", no_argument, NULL, HELP},
    {"version", no_argument, NULL, VERSION},
    {NULL, 0, NULL, 0},
};

/* ------------------------------------------------------------------ numbers */

/* Digits, and nothing before them; `end` is what follows. */
static uint64_t number(const char *option, const char *text, char **end)
{
    const uint64_t value = strtoull(text, end, 10);
    if (*text < '0' || *text > '9') die("%s: \"%s\" is no number", option, text);
    return value < SIZE_MAX ? value : SIZE_MAX;
}

static size_t memory_size(const char *text)
{
    static const char units[] = "bKMGTPE";
    static const char lower[] = "kmgt";
    char *end;
    double bytes = (double)number("-S", text, &end);
    const char unit = *end ? *end : 'K';
    const char *small = strchr(lower, unit),
               *power = small ? units + 1 + (small - lower) : strchr(units, unit);
    if ((*end && end[1]) || (!power && unit != '%')) die("-S: \"%s\" is no size, such as 512M", text);
    if (unit == '%') bytes *= (double)memory_of_machine() / 100;
    for (; power && power > units; power--) bytes *= 1024;
    if (bytes >= (double)SIZE_MAX) die("-S: \"%s\" is too large", text);
    return bytes > MEMORY_LEAST ? (size_t)bytes : (size_t)MEMORY_LEAST;
}

/* ------------------------------------------------------------------ keys */

static void read_type(column *c, const char *name, size_t length)
{
    static const struct {
        const char *name;
        gp_type type;
        size_t size;
    } types[] = {{"u8", GP_U8, 1},   {"i8", GP_I8, 1},   {"u16", GP_U16, 2}, {"i16", GP_I16, 2},
                 {"u32", GP_U32, 4}, {"i32", GP_I32, 4}, {"u64", GP_U64, 8}, {"i64", GP_I64, 8},
                 {"f32", GP_F32, 4}, {"f64", GP_F64, 8}};
    size_t k;
    for (k = 0; k < sizeof types / sizeof *types; k++) {
        if (strlen(types[k].name) != length || strncmp(types[k].name, name, length) != 0) continue;
        c->type = types[k].type;
        c->size = types[k].size;
        c->is_float = *name == 'f';
        c->is_signed = *name != 'u';
        return;
    }
    die("--key: \"%s\" is no type: u8, i8, u16, i16, u32, i32, u64, i64, f32 or f64", name);
}

/* OFFSET:TYPE[:desc] */
static void read_key(options *o, const char *text)
{
    column *c = &o->columns[o->column_count];
    char *end;
    const char *direction;
    if (o->column_count++ == GP_SORT_COLUMNS_MAX) die("--key: at most %d keys", (int)GP_SORT_COLUMNS_MAX);
    memset(c, 0, sizeof *c);
    c->offset = (size_t)number("--key", text, &end);
    if (*end != ':') die("--key: \"%s\" is not OFFSET:TYPE or OFFSET:TYPE:desc", text);
    direction = strchr(++end, ':');
    read_type(c, end, direction ? (size_t)(direction - end) : strlen(end));
    if (direction && strcmp(direction, ":desc") != 0) die("--key: \"%s\" does not end with :desc", text);
    c->descending = direction != NULL;
}

static void check_keys(options *o)
{
    size_t k;
    if (o->column_count && !o->record_size) die("--key is for records: give --record-size, too");
    if (o->record_size && !o->column_count) die("--record-size: give a --key, too");
    if (o->record_size && o->zero) die("-z is for lines, --record-size for records");
    for (k = 0; k < o->column_count; k++) {
        column *c = &o->columns[k];
        if (c->offset > o->record_size || c->size > o->record_size - c->offset)
            die("--key: bytes %zu to %zu are not in a record of %zu", c->offset, c->offset + c->size - 1,
                o->record_size);
        c->descending = c->descending != o->reverse;
    }
}

/* ------------------------------------------------------------------ options */

static void read_check(options *o, const char *how)
{
    const bool quiet = how && (strcmp(how, "quiet") == 0 || strcmp(how, "silent") == 0);
    if (how && !quiet && strcmp(how, "diagnose-first") != 0)
        die("--check: \"%s\" is neither quiet nor silent", how);
    if (o->check && o->quiet != quiet) die("-c and -C: one of them");
    o->check = true;
    o->quiet = quiet;
}

/* The end, after what was asked for has been printed. */
GPSORT_NORETURN static void end_printed(void)
{
    if (fflush(stdout) != 0) die_errno("cannot write standard output");
    exit(SORTED);
}

static void read_record_size(options *o, const char *text)
{
    char *end;
    o->record_size = (size_t)number("--record-size", text, &end);
    if (*end || !o->record_size) die("--record-size: \"%s\" is no number of bytes", text);
}

static void read_option(options *o, int option, const char *value)
{
    switch (option) {
    case 'o': o->output = value; break;
    case 'r': o->reverse = true; break;
    case 'u': o->unique = true; break;
    case 's': break;
    case 'z': o->zero = true; break;
    case 'c': read_check(o, value); break;
    case 'C': read_check(o, "quiet"); break;
    case 'S': o->memory = memory_size(value); break;
    case 'T': o->temporary = value; break;
    case PARALLEL: break;
    case RECORD_SIZE: read_record_size(o, value); break;
    case KEY: read_key(o, value); break;
    case DEVICE: o->device = value; break;
    case VERBOSE: o->verbose = true; break;
    case HELP: fputs(help, stdout); end_printed();
    case VERSION:
        printf("gpsort (gpuprim) %d.%d.%d\n", GP_VERSION_MAJOR, GP_VERSION_MINOR, GP_VERSION_PATCH);
        end_printed();
    default: fputs("gpsort --help lists the options\n", stderr); exit(TROUBLE);
    }
}

void options_read(options *o, int argc, char **argv)
{
    static char *standard[] = {(char *)"-"};
    int option;
    memset(o, 0, sizeof *o);
    o->temporary = getenv("TMPDIR");
    if (!o->temporary || !*o->temporary) o->temporary = "/tmp";
    while ((option = getopt_long(argc, argv, "o:rusczCS:T:", known, NULL)) != -1)
        read_option(o, option, optarg);
    o->files = optind < argc ? argv + optind : standard;
    o->file_count = optind < argc ? (size_t)(argc - optind) : 1;
    if (!o->memory) o->memory = memory_of_machine() / 4;
    if (o->check && o->output) die("-c and -o: one of them");
    if (o->check && o->file_count > 1) die("%s: one file at a time with -c", o->files[1]);
    check_keys(o);
    if (o->record_size > o->memory / 8)
        die("--record-size: %zu bytes are too long for a memory of %zu: -S", o->record_size, o->memory);
}
