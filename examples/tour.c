/* tour.c - what the primitives are good for, on a text file: tour [FILE]

   The file, repeated to 8 MiB, is reduced, scanned, selected from, counted, matched, sorted and grouped: a
   row each, with the time of one call on the device and that of plain C, whose result must be the same. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <errno.h>
#include <time.h>

#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { SIZE = 8 << 20 };

static gp_context *gp;
static unsigned char text[SIZE];
static uint32_t word[SIZE / 2 + 1]; /* each word as a number (FNV-1a) */
static uint32_t string[SIZE];       /* each 16 bytes in a row as a number */
static uint32_t other[SIZE];
static uint32_t here[SIZE], there[SIZE];
static size_t words;
static cl_mem text_buffer, word_buffer, string_buffer, out_buffer;
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

/* `bytes`: of input and output. `number`, in `result`: what came out. */
static void report(const char *what, const char *result, unsigned long long number, bool equal,
                   double on_device, double in_c, size_t bytes)
{
    char found[64];
    (void)snprintf(found, sizeof found, result, number);
    printf("  %-30s %-22s %-6s %9.3f ms %9.3f ms %7.1f x %7.2f\n", what, found, equal ? "yes" : "NO",
           on_device * 1e3, in_c * 1e3, in_c / on_device, (double)bytes / on_device * 1e-9);
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

static void find_strings(void)
{
    size_t i, k;
    for (i = 0; i < SIZE; i++) {
        string[i] = 2166136261u;
        for (k = 0; k < 16; k++) string[i] = (string[i] ^ text[(i + k) % SIZE]) * 16777619u;
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
    report("visible characters (reduce)", "%llu", found, found == expected, on_device, in_c, SIZE);
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
    report("line of each byte (scan)", "of the last: %llu", there[SIZE - 1], same(SIZE), on_device, in_c,
           SIZE * 5);
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
    report("ends of lines (select)", "%llu", found, found == expected && same(expected), on_device, in_c,
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
    uint32_t most = 0, i;
    TIMES;
    desc.in = text_buffer;
    desc.out = out_buffer;
    desc.count = SIZE;
    desc.type = GP_U8;
    HERE(gp_histogram(gp, &desc));
    THERE(plain_bytes());
    for (i = 0; i < 256; i++)
        if (there[i] > there[most]) most = i;
    report("bytes by value (histogram)", "%llu is the commonest", most, same(256), on_device, in_c, SIZE);
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
    report("pairs of brackets (brackets)", "%llu", pairs, same(SIZE), on_device, in_c, SIZE * 5);
}

/* Radix sort, a byte a pass. */
static void plain_sort(const uint32_t *key, size_t n)
{
    uint32_t *from = there, *to = other, *swap;
    size_t next[256], i, sum, count;
    unsigned shift, d;
    memcpy(there, key, n * 4);
    for (shift = 0; shift < 32; shift += 8) {
        memset(next, 0, sizeof next);
        for (i = 0; i < n; i++) next[from[i] >> shift & 255]++;
        for (d = 0, sum = 0; d < 256; d++) {
            count = next[d];
            next[d] = sum;
            sum += count;
        }
        for (i = 0; i < n; i++) to[next[from[i] >> shift & 255]++] = from[i];
        swap = from;
        from = to;
        to = swap;
    }
}

/* How many of the sorted numbers are not like the one before. */
static size_t different(size_t n)
{
    size_t i, count = 1;
    for (i = 1; i < n; i++) count += there[i] != there[i - 1];
    return count;
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
    THERE(plain_sort(word, words));
    report("words sorted (sort)", "%llu", words, same(words), on_device, in_c, words * 8);
}

/* A table in C: a key's slot is the first one from its home on that is free, or has it already. */
static uint32_t *slot_key, *slot_count;
static size_t slots;

static size_t plain_slot(uint32_t key)
{
    size_t at = (key * 2654435769u >> 7) & (slots - 1);
    while (slot_count[at] && slot_key[at] != key) at = (at + 1) & (slots - 1);
    return at;
}

static void plain_group(const uint32_t *key, size_t n)
{
    size_t i;
    memset(slot_count, 0, slots * 4);
    for (i = 0; i < n; i++) {
        const size_t at = plain_slot(key[i]);
        slot_key[at] = key[i];
        slot_count[at]++;
    }
}

/* The table's keys and counts are those of plain C. */
static bool same_groups(gp_hash table, size_t groups)
{
    gp_hash_retrieve_desc desc = {0};
    size_t i, good = 0;
    desc.keys = desc.values = desc.live_count = out_buffer;
    desc.room = desc.values_offset = groups;
    desc.live_count_offset = 2 * groups;
    TRY(gp_hash_retrieve(gp, table, &desc));
    clEnqueueReadBuffer(gp_cl_queue(gp), out_buffer, CL_TRUE, 0, (2 * groups + 1) * 4, here, 0, NULL, NULL);
    for (i = 0; i < groups; i++) good += here[groups + i] == slot_count[plain_slot(here[i])];
    return here[2 * groups] == groups && good == groups;
}

/* How often each key occurs: both tables have twice as many slots as there are different keys, or more. */
static void group(const char *what, const uint32_t *key, size_t n, cl_mem keys)
{
    gp_hash_desc create = {0};
    gp_hash_clear_desc clear = {0};
    gp_hash_insert_desc desc = {0};
    gp_hash table;
    size_t groups;
    TIMES;
    plain_sort(key, n);
    groups = different(n);
    for (slots = 2; slots < 2 * groups;) slots *= 2;
    slot_key = (uint32_t *)malloc(slots * 4);
    slot_count = (uint32_t *)malloc(slots * 4);
    require(slot_key && slot_count, "tour", "no memory");
    create.key_size = create.value_size = 4;
    create.capacity = slots;
    TRY(gp_hash_create(gp, &create, &table));
    desc.keys = keys;
    desc.count = n;
    desc.op = GP_SUM; /* without values: of 1 for each key */
    HERE(gp_hash_clear(gp, table, &clear) || gp_hash_insert_or_apply(gp, table, &desc));
    THERE(plain_group(key, n));
    report(what, "%llu different", groups, same_groups(table, groups), on_device, in_c, n * 4);
    TRY(gp_hash_destroy(gp, table));
    free(slot_key);
    free(slot_count);
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
    find_strings();
    TRY(gp_buffer_create(gp, SIZE, text, &text_buffer));
    TRY(gp_buffer_create(gp, words * 4 + 4, word, &word_buffer));
    TRY(gp_buffer_create(gp, sizeof string, string, &string_buffer));
    TRY(gp_buffer_create(gp, sizeof here, NULL, &out_buffer));
    printf(
        "One call of the library, data on the device, against plain C on one core: a loop, a stack for the\n"
        "brackets, a radix sort, a hash table. Each the best of several runs; a first one, which builds\n"
        "kernels, is not counted. `equal`: to what plain C finds. GB/s: input and output by the time "
        "here.\n\n"
        "  %-30s %-22s %-6s %12s %12s %9s %7s\n",
        "computed (by)", "result", "equal", "time here", "in plain C", "speed-up", "GB/s");
    count_visible();
    number_lines();
    find_ends();
    count_bytes();
    match_brackets();
    if (words > 0) {
        sort_words();
        group("words counted (hash)", word, words, word_buffer);
    }
    group("16-byte strings counted (hash)", string, SIZE, string_buffer);
    clReleaseMemObject(text_buffer);
    clReleaseMemObject(word_buffer);
    clReleaseMemObject(string_buffer);
    clReleaseMemObject(out_buffer);
    gp_context_destroy(gp);
    printf("\nOn a CPU plain C counts few different words faster: its table stays in one core's cache.\n"
           "First calls took %.1f s; built kernels are kept for the next run.\n%s\n",
           building,
           wrong ? "A result is WRONG: please report it with the lines above."
                 : "Next: examples/01_scan.c is a whole program; README.md says which call does what.");
    return wrong;
}
