/* tour.c - what the primitives are good for, on a text file: tour [FILE]

   The file, repeated to 8 MiB, is reduced, scanned, selected from, counted, matched and sorted: a row each,
   with the time of one call on the device and that of plain C, whose result must be the same. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <errno.h>
#include <time.h>

#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { SIZE = 8 << 20 };

static gp_context *gp;
static unsigned char text[SIZE];
static uint32_t word[SIZE / 2 + 1]; /* each word as a number (FNV-1a) */
static uint32_t here[SIZE], there[SIZE];
static size_t words;
static cl_mem text_buffer, word_buffer, out_buffer;
static double building; /* seconds of first calls */
static int wrong;

static void require(bool good, const char *what, const char *why)
{
    if (good) return;
    fprintf(stderr, "tour: %s: %s\n", what, why);
    exit(1);
}

#define TRY(call) require((call) == GP_OK, "gpuprim", gp_last_error(gp))

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The shortest time of all that fit into a third of a second, of 3 at least; a first one, which builds
   kernels and warms caches, does not count. */
#define TIME(seconds, first, work)                            \
    do {                                                      \
        double all = 0, taken;                                \
        int run;                                              \
        for (run = 0; run <= 3 || all < 0.33; run++) {        \
            taken = now();                                    \
            work;                                             \
            taken = now() - taken;                            \
            if (run == 0) first += taken;                     \
            else all += taken;                                \
            if (run <= 1 || taken < seconds) seconds = taken; \
        }                                                     \
    } while (0)

/* Each step's time on the device, with what it returns; and the plain loop's. */
#define HERE(call) TIME(on_device, building, TRY(call); TRY(gp_finish(gp)))
#define THERE(call) TIME(in_c, ignored, call)
#define TIMES double on_device = 0, in_c = 0, ignored = 0

static void report(const char *what, uint64_t result, bool equal, double on_device, double in_c, size_t bytes)
{
    printf("  %-29s %10llu  %-16s %9.3f ms %9.3f ms %7.1f x %7.2f\n", what, (unsigned long long)result,
           equal ? "yes" : "NO", on_device * 1e3, in_c * 1e3, in_c / on_device,
           (double)bytes / on_device * 1e-9);
    if (!equal) wrong = 1;
}

/* The first `count` numbers of what the call has written are those of plain C. */
static bool same(size_t count)
{
    clEnqueueReadBuffer(gp_cl_queue(gp), out_buffer, CL_TRUE, 0, count * 4, here, 0, NULL, NULL);
    return memcmp(here, there, count * 4) == 0;
}

/* ------------------------------------------------------------------ data */

static void read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t length, i;
    require(file != NULL, path, strerror(errno));
    length = fread(text, 1, SIZE, file);
    require(!ferror(file), path, strerror(errno));
    require(length > 0, path, "the file is empty");
    fclose(file);
    for (i = length; i < SIZE; i++) text[i] = text[i - length];
    printf("%s, %zu bytes%s\n", path, length,
           length < SIZE ? ", repeated to 8 MiB" : " (of which no more are read)");
}

/* Runs of letters. */
static void find_words(void)
{
    uint32_t hash = 0;
    size_t i;
    for (i = 0; i <= SIZE; i++) {
        const unsigned letter = i < SIZE ? text[i] | 32u : 0;
        if (letter >= 'a' && letter <= 'z') {
            hash = ((hash ? hash : 2166136261u) ^ letter) * 16777619u;
        } else if (hash) {
            word[words++] = hash;
            hash = 0;
        }
    }
}

/* ------------------------------------------------------------------ steps */

static uint64_t plain_visible(void)
{
    uint64_t sum = 0;
    size_t i;
    for (i = 0; i < SIZE; i++) sum += text[i] > ' ';
    return sum;
}

static void count_visible(void)
{
    gp_reduce_desc desc = {0};
    uint64_t found = 0, expected = 0;
    TIMES;
    desc.in = text_buffer;
    desc.count = SIZE;
    desc.type = GP_U8;
    desc.map = "x > ' '";
    desc.op = GP_SUM;
    desc.out_type = GP_U64;
    HERE(gp_reduce_read(gp, &desc, &found));
    THERE(expected = plain_visible());
    report("visible characters (reduce)", found, found == expected, on_device, in_c, SIZE);
}

static void plain_lines(void)
{
    uint32_t line = 0;
    size_t i;
    for (i = 0; i < SIZE; i++) {
        there[i] = line;
        line += text[i] == '\n';
    }
}

/* The line of each byte. */
static void number_lines(void)
{
    gp_scan_desc desc = {0};
    TIMES;
    desc.in = text_buffer;
    desc.out = out_buffer;
    desc.count = SIZE;
    desc.type = GP_U8;
    desc.map = "x == '\\n'";
    desc.op = GP_SUM;
    desc.out_type = GP_U32;
    desc.exclusive = true;
    HERE(gp_scan(gp, &desc));
    THERE(plain_lines());
    report("line of each byte (scan)", there[SIZE - 1], same(SIZE), on_device, in_c, SIZE * 5);
}

static size_t plain_ends(void)
{
    size_t i, n = 0;
    for (i = 0; i < SIZE; i++) {
        if (text[i] == '\n') there[n++] = (uint32_t)i;
    }
    return n;
}

/* Where lines end. */
static void find_ends(void)
{
    gp_select_desc desc = {0};
    uint64_t found = 0;
    size_t expected = 0;
    TIMES;
    desc.in = text_buffer;
    desc.indices_out = out_buffer;
    desc.count = SIZE;
    desc.type = GP_U8;
    desc.predicate = "x == '\\n'";
    HERE(gp_select_read(gp, &desc, &found));
    THERE(expected = plain_ends());
    report("ends of lines (select)", found, found == expected && same(expected), on_device, in_c,
           SIZE + expected * 4);
}

static void plain_bytes(void)
{
    size_t i;
    memset(there, 0, 256 * sizeof *there);
    for (i = 0; i < SIZE; i++) there[text[i]]++;
}

static void count_bytes(void)
{
    gp_histogram_desc desc = {0};
    TIMES;
    desc.in = text_buffer;
    desc.out = out_buffer;
    desc.count = SIZE;
    desc.type = GP_U8;
    HERE(gp_histogram(gp, &desc));
    THERE(plain_bytes());
    report("bytes by value (histogram)", SIZE, same(256), on_device, in_c, SIZE);
}

/* A stack of the brackets that are open. */
static uint64_t plain_brackets(void)
{
    size_t i, height = 0;
    uint64_t pairs = 0;
    for (i = 0; i < SIZE; i++) {
        const unsigned char c = text[i];
        there[i] = UINT32_MAX;
        if (c == '(' || c == '[' || c == '{') here[height++] = (uint32_t)i;
        if ((c == ')' || c == ']' || c == '}') && height > 0) {
            there[i] = here[--height];
            there[there[i]] = (uint32_t)i;
            pairs++;
        }
    }
    return pairs;
}

/* Each bracket's partner. */
static void match_brackets(void)
{
    gp_brackets_desc desc = {0};
    uint64_t pairs = 0;
    TIMES;
    desc.in = text_buffer;
    desc.match = out_buffer;
    desc.count = SIZE;
    desc.type = GP_U8;
    HERE(gp_brackets(gp, &desc));
    THERE(pairs = plain_brackets());
    report("pairs of brackets (brackets)", pairs, same(SIZE), on_device, in_c, SIZE * 5);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void plain_sort(void)
{
    memcpy(there, word, words * 4);
    qsort(there, words, 4, compare);
}

static void sort_words(void)
{
    gp_sort_desc desc = {0};
    TIMES;
    desc.keys = word_buffer;
    desc.keys_out = out_buffer;
    desc.count = words;
    desc.key_type = GP_U32;
    HERE(gp_sort(gp, &desc));
    THERE(plain_sort());
    report("words sorted (sort; C: qsort)", words, same(words), on_device, in_c, words * 8);
}

/* ------------------------------------------------------------------ main */

static void open_device(void)
{
    gp_context_desc device = {0};
    TRY(gp_context_create(&device, &gp));
    printf("gpuprim on %s (%s, %u compute units)\n", gp_context_info(gp)->name,
           gp_context_info(gp)->platform_name, (unsigned)gp_context_info(gp)->compute_units);
}

int main(int argc, char **argv)
{
    read_text(argc > 1 ? argv[1] : "gpuprim.h");
    open_device();
    find_words();
    TRY(gp_buffer_create(gp, SIZE, text, &text_buffer));
    TRY(gp_buffer_create(gp, words * 4 + 4, word, &word_buffer));
    TRY(gp_buffer_create(gp, sizeof here, NULL, &out_buffer));
    printf(
        "One call of the library, data on the device, against plain C on one core: a simple loop, or qsort.\n"
        "Each the best of several runs; a first one, which builds kernels, is not counted.\n\n"
        "  %-29s %10s  %-16s %12s %12s %9s %7s\n",
        "computed (by)", "result", "equal to plain C", "time here", "in plain C", "speed-up", "GB/s");
    count_visible();
    number_lines();
    find_ends();
    count_bytes();
    match_brackets();
    if (words > 0) sort_words();
    clReleaseMemObject(text_buffer);
    clReleaseMemObject(word_buffer);
    clReleaseMemObject(out_buffer);
    gp_context_destroy(gp);
    printf("\nFirst calls took %.1f s; built kernels are kept for the next run.\n%s\n", building,
           wrong ? "A result is WRONG: please report it with the lines above."
                 : "Next: examples/01_scan.c is a whole program; README.md says which call does what.");
    return wrong;
}
