/* mpi_bench.c - gpuprim_mpi.h's calls over the ranks of this run: times, and what of them is MPI, copies, the device.

   Rows are JSON lines, as gpbench writes them, for `tools/mpi_scaling.py`. Each call runs twice over: as it is, for its
   time; then with a barrier before each collective, so that waiting for the last rank is counted apart. */
#define _POSIX_C_SOURCE 200809L
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../gpuprim_mpi.h"
#include "counts.h"

enum { BINS = 256, KEYS = 1 << 16, DEPTH = 1009, REPEATS_MAX = 1001 };

static gp_context *gp;
static gp_mpi *all;
static int rank, ranks;

/* Ranks wait for one another: a failure of one of them ends all. */
static void need(bool right, const char *what)
{
    if (right) return;
    fprintf(stderr, "mpi_bench: rank %d of %d: %s: %s\n", rank, ranks, what, gp_last_error(gp));
    MPI_Abort(MPI_COMM_WORLD, 1);
}

#define OK(call) need((call) == GP_OK, #call)

/* ------------------------------------------------------------------ the array */

/* Words [first, first + count) of `total`, which are this rank's, in two inputs, one for each of a call's functions;
   outputs have room for any call's. */
typedef struct array {
    uint64_t first, count, total;
    uint32_t *word[2];
    cl_mem in[2], out[2];
    size_t out_bytes;
    gp_mpi_part part; /* what the last call has left here */
    uint64_t sum;
    gp_brackets_errors errors;
} array;

typedef uint32_t word_at(uint64_t i);

/* Random words. */
static uint32_t mixed(uint64_t x)
{
    x = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x ^ x >> 31);
}

/* One to one on 16 bits: each 2^16 in a row are all words below 2^16. */
static uint32_t mixed16(uint64_t i)
{
    uint32_t x = (uint32_t)i & 0xffff;
    x = x * 40503u & 0xffff;
    x ^= x >> 7;
    return x * 29005u & 0xffff;
}

/* One to one on 32 bits. */
static uint32_t key_of(uint64_t i)
{
    uint32_t x = (uint32_t)i * 0x9e3779b1u;
    x ^= x >> 15;
    return x * 0x85ebca6bu;
}

static uint32_t every_other_key(uint64_t i) { return key_of(2 * i); }

/* Nests one after the other, each DEPTH openers and then as many closers: where element i's partner is. */
static uint64_t partner(uint64_t i) { return i - i % (2 * DEPTH) + 2 * DEPTH - 1 - i % (2 * DEPTH); }

/* Its code: three kinds. */
static uint32_t bracket(uint64_t i)
{
    const uint64_t other = partner(i), kind = 1 + (i < other ? i : other) % 3;
    return i < other ? (uint32_t)kind : -(uint32_t)kind;
}

static void array_open(array *a, uint64_t total, word_at *const word[2])
{
    const uint64_t p = (uint64_t)ranks, r = (uint64_t)rank, more = total % p;
    void *poison;
    size_t i;
    memset(a, 0, sizeof *a);
    a->total = total;
    a->first = total / p * r + (r < more ? r : more);
    a->count = total / p + (r < more);
    a->out_bytes = (a->count + p) * sizeof(uint64_t);
    if (a->out_bytes < BINS * sizeof(uint32_t)) a->out_bytes = BINS * sizeof(uint32_t);
    poison = malloc(a->out_bytes);
    for (i = 0; i < 2; i++) a->word[i] = malloc((a->count + 1) * sizeof *a->word[i]);
    need(poison && a->word[0] && a->word[1], "no memory");
    memset(poison, 0xa5, a->out_bytes);
    for (i = 0; i < a->count; i++) {
        a->word[0][i] = word[0](a->first + i);
        a->word[1][i] = word[1](a->first + i);
    }
    for (i = 0; i < 2; i++) {
        OK(gp_buffer_create(gp, (a->count + 1) * sizeof *a->word[i], a->word[i], &a->in[i]));
        OK(gp_buffer_create(gp, a->out_bytes, poison, &a->out[i]));
    }
    free(poison);
}

static void array_close(array *a)
{
    int i;
    for (i = 0; i < 2; i++) {
        clReleaseMemObject(a->in[i]);
        clReleaseMemObject(a->out[i]);
        free(a->word[i]);
    }
}

/* The first elements of an output, to be freed. */
static void *read_out(const array *a, int which, size_t bytes)
{
    void *got = malloc(bytes + 1);
    need(got && bytes <= a->out_bytes, "no memory");
    if (bytes)
        need(clEnqueueReadBuffer(gp_cl_queue(gp), a->out[which], CL_TRUE, 0, bytes, got, 0, NULL, NULL) ==
                 CL_SUCCESS,
             "clEnqueueReadBuffer");
    return got;
}

static uint64_t over_ranks(uint64_t mine)
{
    uint64_t sum;
    PMPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* Of the ranks before this one. */
static uint64_t before(uint64_t mine)
{
    uint64_t sum = 0;
    PMPI_Exscan(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return rank ? sum : 0;
}

static uint64_t sum_of(const uint32_t *words, size_t count)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < count; i++) sum += words[i];
    return sum;
}

/* ------------------------------------------------------------------ calls, and whether they are right */

static void run_reduce(array *a)
{
    const gp_reduce_desc desc = {.in = a->in[0], .count = a->count, .type = GP_U32, .op = GP_SUM};
    OK(gp_mpi_reduce(all, &desc, &a->sum));
}

static bool check_reduce(const array *a) { return a->sum == over_ranks(sum_of(a->word[0], a->count)); }

static void run_scan(array *a)
{
    const gp_scan_desc desc = {
        .in = a->in[0], .out = a->out[0], .count = a->count, .type = GP_U32, .op = GP_SUM};
    OK(gp_mpi_scan(all, &desc));
}

static bool check_scan(const array *a)
{
    uint32_t *got = read_out(a, 0, a->count * sizeof *got);
    uint32_t sum = (uint32_t)before(sum_of(a->word[0], a->count));
    bool right = true;
    size_t i;
    for (i = 0; i < a->count; i++) right = got[i] == (sum += a->word[0][i]) && right;
    free(got);
    return right;
}

static void run_histogram(array *a)
{
    const gp_histogram_desc desc = {
        .in = a->in[0], .out = a->out[0], .count = a->count, .type = GP_U32, .bins = BINS};
    OK(gp_mpi_histogram(all, &desc));
}

static bool check_histogram(const array *a)
{
    uint32_t mine[BINS] = {0}, sums[BINS], *got = read_out(a, 0, sizeof mine);
    bool right;
    size_t i;
    for (i = 0; i < a->count; i++) mine[a->word[0][i] >> 24]++;
    PMPI_Allreduce(mine, sums, BINS, MPI_UINT32_T, MPI_SUM, MPI_COMM_WORLD);
    right = memcmp(got, sums, sizeof sums) == 0;
    free(got);
    return right;
}

static void run_select(array *a)
{
    const gp_select_desc desc = {
        .in = a->in[0], .out = a->out[0], .count = a->count, .type = GP_U32, .predicate = "x % 2 == 0"};
    OK(gp_mpi_select(all, &desc, &a->part));
}

static bool check_select(const array *a)
{
    uint32_t *got = read_out(a, 0, (size_t)a->part.count * sizeof *got);
    const uint64_t sum = over_ranks(sum_of(got, (size_t)a->part.count));
    uint64_t kept = 0, expected = 0;
    size_t i;
    for (i = 0; i < a->count; i++)
        if (a->word[0][i] % 2 == 0) kept++, expected += a->word[0][i];
    free(got);
    return over_ranks(kept) == a->part.total && over_ranks(expected) == sum;
}

static void run_sort(array *a)
{
    const gp_sort_desc desc = {
        .keys = a->in[0], .keys_out = a->out[0], .count = a->count, .key_type = GP_U32};
    OK(gp_mpi_sort(all, &desc, &a->part));
}

/* Whether words ascend, also from rank to rank; after a part without words any may follow. */
static bool ascend(const uint32_t *words, uint64_t count)
{
    uint32_t ends[2] = {count ? words[0] : UINT32_MAX, count ? words[count - 1] : 0}, *of_all;
    bool right = true;
    int r;
    size_t i;
    for (i = 1; i < count; i++) right = words[i - 1] <= words[i] && right;
    of_all = malloc((size_t)ranks * sizeof ends);
    need(of_all != NULL, "no memory");
    PMPI_Allgather(ends, 2, MPI_UINT32_T, of_all, 2, MPI_UINT32_T, MPI_COMM_WORLD);
    for (r = 1; r < ranks; r++) right = of_all[2 * r - 1] <= of_all[2 * r] && right;
    free(of_all);
    return right;
}

static bool check_sort(const array *a)
{
    uint32_t *got = read_out(a, 0, (size_t)a->part.count * sizeof *got);
    const bool right = ascend(got, a->part.count) && a->part.count == a->count;
    const uint64_t sum = over_ranks(sum_of(got, (size_t)a->part.count));
    free(got);
    return over_ranks(sum_of(a->word[0], a->count)) == sum && right;
}

static void run_group_by(array *a)
{
    const gp_reduce_by_key_desc desc = {.keys = a->in[1],
                                        .in = a->in[0],
                                        .keys_out = a->out[0],
                                        .out = a->out[1],
                                        .count = a->count,
                                        .key_type = GP_U32,
                                        .type = GP_U32,
                                        .op = GP_SUM};
    OK(gp_mpi_group_by(all, &desc, &a->part));
}

static bool check_group_by(const array *a)
{
    const size_t groups = (size_t)a->part.count;
    uint32_t *keys = read_out(a, 0, groups * sizeof *keys);
    uint64_t *sums = read_out(a, 1, groups * sizeof *sums), sum = 0;
    const bool right = ascend(keys, groups) && a->part.total == (a->total < KEYS ? a->total : KEYS);
    size_t i;
    for (i = 0; i < groups; i++) sum += sums[i];
    free(keys);
    free(sums);
    return over_ranks(sum_of(a->word[0], a->count)) == over_ranks(sum) && right;
}

/* Element i of the keys looks for element 2 i of the build keys. */
static void run_join(array *a)
{
    const gp_mpi_join_desc desc = {.build_keys = a->in[0],
                                   .build_count = (size_t)a->count,
                                   .keys = a->in[1],
                                   .count = (size_t)a->count,
                                   .out = a->out[0],
                                   .found = a->out[1],
                                   .key_size = sizeof(uint32_t)};
    OK(gp_mpi_join(all, &desc));
}

static bool check_join(const array *a)
{
    uint64_t *at = read_out(a, 0, a->count * sizeof *at), i;
    unsigned char *found = read_out(a, 1, a->count);
    bool right = true;
    for (i = 0; i < a->count; i++) {
        const uint64_t wanted = 2 * (a->first + i);
        const bool there = wanted < a->total;
        right = found[i] == there && at[i] == (there ? wanted : UINT64_MAX) && right;
    }
    free(at);
    free(found);
    return right;
}

static void run_brackets(array *a)
{
    const gp_brackets_desc desc = {
        .in = a->in[0], .count = (size_t)a->count, .type = GP_I32, .match = a->out[0], .index_type = GP_U32};
    OK(gp_mpi_brackets(all, &desc, &a->errors));
}

static bool check_brackets(const array *a)
{
    const uint64_t rest = a->total % (2 * DEPTH),
                   open = rest < DEPTH ? rest : (2 * DEPTH - rest) % (2 * DEPTH);
    const gp_brackets_errors *e = &a->errors;
    uint32_t *match = read_out(a, 0, a->count * sizeof *match);
    bool right = e->unmatched_closers == 0 && e->unmatched_openers == open && e->mismatches == 0 &&
                 e->first_unmatched_opener == (open ? a->total - rest : UINT64_MAX) &&
                 e->max_depth == (a->total < DEPTH ? a->total : DEPTH);
    uint64_t i;
    for (i = 0; i < a->count; i++) {
        const uint64_t other = partner(a->first + i);
        right = match[i] == (other < a->total ? (uint32_t)other : UINT32_MAX) && right;
    }
    free(match);
    return right;
}

typedef struct call {
    const char *name;
    double bytes; /* that a call reads and writes at the least, by element */
    word_at *word[2];
    void (*run)(array *a);
    bool (*check)(const array *a);
} call;

static const call calls[] = {{"reduce", 4, {mixed, mixed16}, run_reduce, check_reduce},
                             {"scan", 8, {mixed, mixed16}, run_scan, check_scan},
                             {"histogram", 4, {mixed, mixed16}, run_histogram, check_histogram},
                             {"select", 6, {mixed, mixed16}, run_select, check_select},
                             {"sort", 8, {mixed, mixed16}, run_sort, check_sort},
                             {"group-by", 8, {mixed, mixed16}, run_group_by, check_group_by},
                             {"join", 17, {key_of, every_other_key}, run_join, check_join},
                             {"brackets", 8, {bracket, mixed16}, run_brackets, check_brackets}};

/* ------------------------------------------------------------------ measuring */

enum { WHOLE, WAITING, IN_MPI, COPYING, ON_DEVICE, TIMES };

/* Of all runs of a call: seconds, of the slowest rank (the whole) or on average over ranks. */
typedef struct times {
    double of[TIMES][REPEATS_MAX];
} times;

/* This rank's. */
static double timed(const call *c, array *a)
{
    double began;
    PMPI_Barrier(MPI_COMM_WORLD);
    began = PMPI_Wtime();
    c->run(a);
    return PMPI_Wtime() - began;
}

static double slowest(double mine)
{
    double most;
    PMPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double average(double mine)
{
    double sum;
    PMPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / ranks;
}

static void measure(const call *c, array *a, unsigned repeats, times *t)
{
    unsigned i;
    for (i = 0; i < repeats; i++) {
        double in_mpi = 0, mine;
        int k;
        t->of[WHOLE][i] = slowest(timed(c, a));
        memset(&counted, 0, sizeof counted);
        counted.apart = true;
        mine = timed(c, a);
        counted.apart = false;
        for (k = 0; k < COUNTED_KINDS; k++) in_mpi += counted.seconds[k];
        t->of[WAITING][i] = average(counted.waiting);
        t->of[IN_MPI][i] = average(in_mpi);
        t->of[COPYING][i] = average(counted.copying);
        t->of[ON_DEVICE][i] = average(mine - counted.waiting - in_mpi - counted.copying);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double at(times *t, int which, unsigned repeats, double share)
{
    qsort(t->of[which], repeats, sizeof(double), compare);
    return t->of[which][(unsigned)(share * (repeats - 1) + .5)];
}

/* Counts are sums over ranks. */
static void report(const call *c, const char *scaling, const array *a, times *t, unsigned repeats, bool right)
{
    const double median = at(t, WHOLE, repeats, .5), waiting = at(t, WAITING, repeats, .5);
    const double in_mpi = at(t, IN_MPI, repeats, .5), copying = at(t, COPYING, repeats, .5);
    const double on_device = at(t, ON_DEVICE, repeats, .5);
    const double others = (double)over_ranks(counted.others), copied = (double)over_ranks(counted.copied);
    const char *comma = "";
    int k;
    if (rank == 0)
        printf("{\"primitive\": \"mpi-%s\", \"variant\": \"gpuprim\", \"kind\": \"gpuprim\", \"type\": "
               "\"u32\", \"scaling\": \"%s\", \"ranks\": %d, \"n\": %" PRIu64
               ", \"median_s\": %.9g, \"min_s\": %.9g, \"max_s\": %.9g, \"spread\": %.4g, \"runs\": %u, "
               "\"elements_per_s\": %.6g, \"gb_per_s\": %.6g, \"waiting_s\": %.9g, \"mpi_s\": %.9g, "
               "\"copy_s\": %.9g, \"device_s\": %.9g, \"copied_bytes\": %.0f, \"others_bytes\": %.0f, "
               "\"results\": %" PRIu64 ", \"mpi\": {",
               c->name, scaling, ranks, a->total, median, at(t, WHOLE, repeats, 0), at(t, WHOLE, repeats, 1),
               (at(t, WHOLE, repeats, .9) - at(t, WHOLE, repeats, .1)) / median, repeats,
               (double)a->total / median, c->bytes * (double)a->total / median * 1e-9, waiting, in_mpi,
               copying, on_device, copied, others, a->part.total);
    for (k = 0; k < COUNTED_KINDS; k++) {
        const uint64_t number = over_ranks(counted.calls[k]), bytes = over_ranks(counted.bytes[k]);
        if (rank || !number) continue;
        printf("%s\"%s\": {\"calls\": %" PRIu64 ", \"bytes\": %" PRIu64 "}", comma, counted_names[k], number,
               bytes);
        comma = ", ";
    }
    if (rank == 0) printf("}, \"error\": \"%s\"}\n", right ? "" : "wrong result");
    fflush(stdout);
}

/* Whether the result is right on all ranks. The first run builds programs. */
static bool run_call(const call *c, const char *scaling, uint64_t total, unsigned repeats)
{
    static times t;
    array a;
    bool right;
    array_open(&a, total, c->word);
    c->run(&a);
    right = over_ranks(!c->check(&a)) == 0;
    c->run(&a);
    measure(c, &a, repeats, &t);
    report(c, scaling, &a, &t, repeats, right);
    array_close(&a);
    return right;
}

/* What the rows are of: a line of its own. */
static void describe(int argc, char **argv)
{
    const gp_device_info *info = gp_context_info(gp);
    const time_t now = time(NULL);
    char date[32] = "", library[MPI_MAX_LIBRARY_VERSION_STRING];
    struct tm utc;
    int i, length;
    if (rank) return;
    if (gmtime_r(&now, &utc)) strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    MPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n\"\\")] = 0;
    printf("{\"gpbench\": \"%d.%d.%d\", \"date\": \"%s\", \"command\": \"mpi_bench", GP_VERSION_MAJOR,
           GP_VERSION_MINOR, GP_VERSION_PATCH, date);
    for (i = 1; i < argc; i++) printf(" %s", argv[i]);
    printf("\", \"device\": \"%s\", \"platform\": \"%s\", \"driver\": \"%s\", \"mpi\": \"%s\", \"ranks\": "
           "%d, \"compute_units\": %u}\n",
           info->name, info->platform_name, info->driver_version, library, ranks,
           (unsigned)info->compute_units);
}

/* mpi_bench [--weak N] [--strong N] [--repeats R] [CALL...]: N elements a rank, in all. The exit status is 1 where a
   result is wrong, 2 where arguments are. */
int main(int argc, char **argv)
{
    static const struct option options[] = {{"weak", required_argument, NULL, 'w'},
                                            {"strong", required_argument, NULL, 's'},
                                            {"repeats", required_argument, NULL, 'r'},
                                            {NULL, 0, NULL, 0}};
    const gp_context_desc desc = {0};
    uint64_t weak = 0, strong = 0;
    unsigned repeats = 11;
    bool right = true, understood = true;
    int option, i;
    size_t k;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == 'w') weak = strtoull(optarg, NULL, 0);
        if (option == 's') strong = strtoull(optarg, NULL, 0);
        if (option == 'r') repeats = (unsigned)strtoul(optarg, NULL, 0);
        if (option == '?') understood = false;
    }
    if (!understood || repeats < 1 || repeats > REPEATS_MAX) {
        if (rank == 0)
            fprintf(stderr, "usage: mpi_bench [--weak N] [--strong N] [--repeats 1 ... %d] [CALL...]\n",
                    REPEATS_MAX);
        MPI_Finalize();
        return 2;
    }
    OK(gp_context_create(&desc, &gp));
    OK(gp_mpi_create(gp, MPI_COMM_WORLD, &all));
    describe(argc, argv);
    for (k = 0; k < sizeof calls / sizeof *calls; k++) {
        bool wanted = optind == argc;
        for (i = optind; i < argc; i++) wanted = wanted || strcmp(argv[i], calls[k].name) == 0;
        if (!wanted) continue;
        if (weak) right = run_call(&calls[k], "weak", weak * (uint64_t)ranks, repeats) && right;
        if (strong) right = run_call(&calls[k], "strong", strong, repeats) && right;
    }
    gp_mpi_destroy(all);
    gp_context_destroy(gp);
    MPI_Finalize();
    return right ? 0 : 1;
}
