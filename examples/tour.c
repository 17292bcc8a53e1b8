/* tour.c - what the primitives are good for, on a text file: tour [FILE]

   Line numbers (scan), the longest line and the visible characters (reduce), different words (hash), the most
   frequent ones (sort, segmented scan, sort again), the nest of brackets, each timed on the device and
   checked against plain C. The flags, lengths and numbers that they work on are made on the host. */
#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <time.h>

#define GP_IMPLEMENTATION
#include "../gpuprim.h"

static gp_context *gp;
static int wrong;

static void require(bool good, const char *why)
{
    if (good) return;
    fprintf(stderr, "tour: %s\n", why);
    exit(1);
}

#define TRY(call) require((call) == GP_OK, gp_last_error(gp))

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *text;
    require(file && fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0, "the file is empty or cannot be read");
    *size = (size_t)ftell(file);
    rewind(file);
    text = malloc(*size);
    require(text && fread(text, 1, *size, file) == *size, "the file cannot be read");
    fclose(file);
    return text;
}

static void report(const char *what, double seconds, size_t bytes, uint64_t found, uint64_t expected)
{
    printf("  %-28s %10llu  %s  %8.3f ms %7.2f GB/s\n", what, (unsigned long long)found,
           found == expected ? "as plain C" : "WRONG     ", seconds * 1e3, (double)bytes / seconds * 1e-9);
    if (found != expected) wrong = 1;
}

/* line[i]: the number of newlines before byte i, from 0. Returns the number of the last line. */
static uint32_t number_lines(const unsigned char *text, size_t size, uint32_t *line)
{
    uint32_t expected = 0;
    size_t i, same = 0;
    unsigned char *newline = malloc(size);
    gp_scan_desc scan = {0};
    double start;
    require(newline != NULL, "out of memory");
    for (i = 0; i < size; i++) newline[i] = text[i] == '\n';
    TRY(gp_buffer_create(gp, size, newline, &scan.in));
    TRY(gp_buffer_create(gp, size * sizeof *line, NULL, &scan.out));
    scan.count = size;
    scan.type = GP_U8;
    scan.out_type = GP_U32;
    scan.op = GP_SUM;
    scan.exclusive = true;
    TRY(gp_scan(gp, &scan)); /* builds the program, unless the cache has it */
    TRY(gp_finish(gp));
    start = now();
    TRY(gp_scan(gp, &scan));
    TRY(gp_finish(gp));
    start = now() - start;
    clEnqueueReadBuffer(gp_cl_queue(gp), scan.out, CL_TRUE, 0, size * sizeof *line, line, 0, NULL, NULL);
    for (i = 0; i < size; expected += newline[i++]) same += line[i] == expected;
    report("bytes with their line (scan)", start, size * 5, same, size);
    clReleaseMemObject(scan.in);
    clReleaseMemObject(scan.out);
    free(newline);
    return line[size - 1];
}

/* Reduces `count` elements of `data` on the device, into 32 or 64 bits, and reports. */
static void reduce(const char *what, const void *data, size_t count, gp_type type, gp_op op,
                   uint64_t expected)
{
    const size_t bytes = count * (type == GP_U8 ? 1 : 4);
    gp_reduce_desc desc = {0};
    uint64_t result = 0;
    double start;
    TRY(gp_buffer_create(gp, bytes, data, &desc.in));
    desc.count = count;
    desc.type = type;
    desc.out_type = GP_U64;
    desc.op = op;
    TRY(gp_reduce_read(gp, &desc, &result));
    start = now();
    TRY(gp_reduce_read(gp, &desc, &result));
    report(what, now() - start, bytes, result, expected);
    clReleaseMemObject(desc.in);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Runs of letters, each as a number (FNV-1a), counted by a hash table. */
static void different_words(const unsigned char *text, size_t size)
{
    uint32_t *word = malloc((size + 1) * sizeof *word), hash = 0;
    gp_hash_desc table = {0};
    gp_hash_insert_desc insert = {0};
    gp_hash_clear_desc clear = {0};
    gp_hash words;
    size_t i, n = 0, found, expected = 0;
    double start;
    require(word != NULL, "out of memory");
    for (i = 0; i <= size; i++) {
        const unsigned letter = i < size ? text[i] | 32u : 0;
        if (letter >= 'a' && letter <= 'z') hash = ((hash ? hash : 2166136261u) ^ letter) * 16777619u;
        else if (hash) word[n++] = hash, hash = 0;
    }
    table.key_size = table.value_size = 4;
    table.expected_count = insert.count = n ? n : 1;
    insert.op = GP_SUM; /* no values: each word counts 1 */
    TRY(gp_hash_create(gp, &table, &words));
    TRY(gp_buffer_create(gp, (size + 1) * sizeof *word, word, &insert.keys));
    insert.count = n;
    TRY(gp_hash_insert_or_apply(gp, words, &insert)); /* builds the program, unless the cache has it */
    TRY(gp_hash_clear(gp, words, &clear));
    TRY(gp_finish(gp));
    start = now();
    TRY(gp_hash_insert_or_apply(gp, words, &insert));
    TRY(gp_finish(gp));
    start = now() - start;
    TRY(gp_hash_size_read(gp, words, &found));
    qsort(word, n, sizeof *word, compare);
    for (i = 0; i < n; i++) expected += i == 0 || word[i] != word[i - 1];
    report("different words (hash)", start, n * sizeof *word, found, expected);
    clReleaseMemObject(insert.keys);
    free(word);
}

/* ------------------------------------------------------------------ most frequent words */

enum { FREQUENT = 5 };

static bool is_letter(unsigned char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

/* The words' numbers (hashes of 64 bits, FNV-1a) and where they begin; how many. */
static size_t find_words(const unsigned char *text, size_t size, uint64_t *word, uint32_t *where)
{
    size_t i = 0, count = 0;
    while (i < size) {
        uint64_t hash = 0xcbf29ce484222325u;
        const size_t begin = i;
        for (; i < size && is_letter(text[i]); i++) hash = (hash ^ text[i]) * 0x100000001b3u;
        if (i == begin) {
            i++;
            continue;
        }
        word[count] = hash;
        where[count++] = (uint32_t)begin;
    }
    return count;
}

/* How often the word occurs, the plain way. */
static uint32_t occurrences(const uint64_t *word, size_t count, uint64_t wanted)
{
    uint32_t found = 0;
    size_t i;
    for (i = 0; i < count; i++) found += word[i] == wanted;
    return found;
}

/* Equal words side by side, with where they were; each one's number among its equals. */
static void count_words(const uint64_t *word, uint32_t *where, uint32_t *nth, uint64_t *sorted, size_t count)
{
    gp_sort_desc sort = {0};
    gp_scan_desc scan = {0};
    cl_command_queue queue = gp_cl_queue(gp);
    double start;
    int run;
    sort.count = scan.count = count;
    sort.key_type = scan.heads_type = GP_U64;
    sort.value_size = 4;
    scan.type = GP_U32;
    scan.map = "1";
    scan.op = GP_SUM;
    scan.segments = GP_SEGMENTS_BY_KEYS;
    TRY(gp_buffer_create(gp, count * 8, word, &sort.keys));
    TRY(gp_buffer_create(gp, count * 4, where, &sort.values));
    TRY(gp_buffer_create(gp, count * 8, NULL, &sort.keys_out));
    TRY(gp_buffer_create(gp, count * 4, NULL, &sort.values_out));
    TRY(gp_buffer_create(gp, count * 4, NULL, &scan.out));
    scan.in = sort.values_out;
    scan.heads = sort.keys_out;
    for (run = 0; run < 2; run++) { /* the first one builds the programs, unless the cache has them */
        start = now();
        TRY(gp_sort(gp, &sort));
        TRY(gp_scan(gp, &scan));
        TRY(gp_finish(gp));
    }
    printf("  %-28s %10zu              %8.3f ms %7.2f M words/s\n", "words sorted and numbered", count,
           (now() - start) * 1e3, (double)count / (now() - start) * 1e-6);
    clEnqueueReadBuffer(queue, sort.keys_out, CL_TRUE, 0, count * 8, sorted, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, sort.values_out, CL_TRUE, 0, count * 4, where, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, scan.out, CL_TRUE, 0, count * 4, nth, 0, NULL, NULL);
    clReleaseMemObject(sort.keys);
    clReleaseMemObject(sort.values);
    clReleaseMemObject(sort.keys_out);
    clReleaseMemObject(sort.values_out);
    clReleaseMemObject(scan.out);
}

/* order[k]: which of the counts comes k-th, the largest first. */
static void order_counts(const uint32_t *counts, size_t count, uint32_t *order)
{
    gp_sort_desc sort = {0};
    sort.count = count;
    sort.key_type = GP_U32;
    sort.descending = true;
    TRY(gp_buffer_create(gp, count * 4, counts, &sort.keys));
    TRY(gp_buffer_create(gp, count * 4, NULL, &sort.values_out));
    TRY(gp_argsort(gp, &sort));
    clEnqueueReadBuffer(gp_cl_queue(gp), sort.values_out, CL_TRUE, 0, count * 4, order, 0, NULL, NULL);
    clReleaseMemObject(sort.keys);
    clReleaseMemObject(sort.values_out);
}

static void frequent_words(const unsigned char *text, size_t size)
{
    uint64_t *word = malloc(size * 8), *sorted = malloc(size * 8);
    uint32_t *where = malloc(size * 4), *nth = malloc(size * 4), *order = malloc(size * 4);
    size_t count, i, k, words = 0;
    require(word && sorted && where && nth && order, "out of memory");
    count = find_words(text, size, word, where);
    if (count > 0) {
        count_words(word, where, nth, sorted, count);
        for (i = 0; i < count; i++) { /* the last of its equals stays: its number is their count */
            if (i + 1 < count && sorted[i] == sorted[i + 1]) continue;
            sorted[words] = sorted[i];
            where[words] = where[i];
            nth[words++] = nth[i];
        }
        order_counts(nth, words, order);
    }
    for (k = 0; k < words && k < FREQUENT; k++) {
        const size_t w = order[k];
        const bool right = occurrences(word, count, sorted[w]) == nth[w];
        for (i = where[w]; i < size && is_letter(text[i]); i++) continue;
        printf("  %10u  %s  %.*s\n", nth[w], right ? "as plain C" : "WRONG     ", (int)(i - where[w]),
               (const char *)text + where[w]);
        if (!right) wrong = 1;
    }
    free(word);
    free(sorted);
    free(where);
    free(nth);
    free(order);
}

/* How deep brackets are nested, and how many have no partner. Strings and comments count too. */
static void match_brackets(const unsigned char *text, size_t size)
{
    uint64_t height = 0, deepest = 0, unmatched = 0;
    gp_brackets_desc desc = {0};
    gp_brackets_errors errors;
    double start;
    size_t i;
    for (i = 0; i < size; i++) {
        const bool opens = text[i] == '(' || text[i] == '[' || text[i] == '{';
        const bool closes = text[i] == ')' || text[i] == ']' || text[i] == '}';
        unmatched += closes && height == 0;
        height = opens ? height + 1 : closes && height > 0 ? height - 1 : height;
        if (height > deepest) deepest = height;
    }
    TRY(gp_buffer_create(gp, size, text, &desc.in));
    TRY(gp_buffer_create(gp, size * sizeof(uint32_t), NULL, &desc.match));
    desc.count = size;
    desc.type = GP_U8;
    TRY(gp_brackets_read(gp, &desc, &errors));
    start = now();
    TRY(gp_brackets_read(gp, &desc, &errors));
    start = now() - start;
    report("deepest nest (brackets)", start, size * 5, errors.max_depth, deepest);
    report("unmatched brackets", start, size * 5, errors.unmatched_closers + errors.unmatched_openers,
           unmatched + height);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.match);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "gpuprim.h";
    gp_context_desc device = {0};
    size_t size, i, start = 0;
    uint64_t visible = 0, longest = 0;
    unsigned char *text = read_file(path, &size);
    uint32_t *line = malloc(size * sizeof *line), *length = calloc(size + 1, sizeof *length), last;

    require(line && length, "out of memory");
    TRY(gp_context_create(&device, &gp));
    printf("%s, %zu bytes, on %s\n", path, size, gp_context_info(gp)->name);

    last = number_lines(text, size, line);
    for (i = 0; i < size; i++) {
        if (i > 0 && line[i] != line[i - 1]) start = i; /* a line starts here */
        if (text[i] != '\n') length[line[i]] = (uint32_t)(i - start + 1);
        if (text[i] != '\n' && longest < i - start + 1) longest = i - start + 1;
    }
    reduce("longest line (reduce, max)", length, (size_t)last + 1, GP_U32, GP_MAX, longest);
    match_brackets(text, size);

    different_words(text, size);
    frequent_words(text, size);

    for (i = 0; i < size; i++) {
        text[i] = text[i] > ' ';
        visible += text[i];
    }
    reduce("visible characters (reduce)", text, size, GP_U8, GP_SUM, visible);

    gp_context_destroy(gp);
    free(text);
    free(line);
    free(length);
    return wrong;
}
