/* 08_word_count.c - the words of a text by how often they occur: 08_word_count [FILE]. The same as
   LC_ALL=C tr -cs A-Za-z '\n' <FILE | tr A-Z a-z | sort | uniq -c | sort -rn | head -20

   One scan gives every byte the hash of its word so far: a letter maps h to h * P + letter, anything else
   maps it to 0, and such maps compose. A kernel of our own then counts each word at its last letter. */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { TOP = 20 };
static gp_context *gp;
#define TRY(call) \
    if ((call) != GP_OK) return fprintf(stderr, "%s: %s\n", #call, gp_last_error(gp)), 1
#define TRY_CL(call) \
    if ((call) != CL_SUCCESS) return fprintf(stderr, "%s: failed\n", #call), 1

static const char words[] =
    "typedef ulong2 word;\n"
    "uint letter(uint c) { c |= 32; return c >= 'a' && c <= 'z' ? c : 0; }\n"
    "word map_of(uint c) { return letter(c) ? (word)(0x9e3779b97f4a7c15ul, letter(c)) : (word)(0, 0); }\n"
    "word after(word a, word b) { return (word)(a.x * b.x, a.y * b.x + b.y); }\n";
static const char count_words[] =
    "__kernel void count_words(__global const uchar *text, uint n, __global const word *hash,\n"
    "                          __global uint *counts, __global uint *places)\n"
    "{\n"
    "    const uint i = (uint)get_global_id(0);\n"
    "    if (i >= n || !letter(text[i]) || (i + 1 < n && letter(text[i + 1]))) return;\n"
    "    (void)gp_hash_add(gp_hash_open(counts), hash[i].y, 1);\n"
    "    (void)gp_hash_assign(gp_hash_open(places), hash[i].y, i);\n"
    "}\n";

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "gpuprim.h";
    static char source[1 << 17];
    const char *parts[3] = {source, words, count_words};
    const uint64_t identity[2] = {1, 0};
    gp_context_desc device = {0};
    gp_monoid monoid = {"word", words, "after", identity, 16, false, true, false};
    gp_scan_desc scan = {.type = GP_U8, .monoid = &monoid, .map = "map_of(x)"};
    gp_hash_desc table = {.key_size = 8, .value_size = 4, .expected_count = 1 << 18};
    gp_hash_retrieve_desc all = {.room = 1 << 19};
    gp_sort_desc sort = {.key_type = GP_U32, .value_size = 8, .descending = true, .count_type = GP_U32};
    gp_hash_find_desc find = {.count = TOP};
    gp_device_source_desc of = {.part = GP_DEVICE_HASH};
    gp_hash counts, places;
    cl_program program;
    cl_kernel kernel;
    cl_mem buffer[2];
    cl_uint n, found, count[TOP], place[TOP], i;
    size_t size, global;
    char *text;
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) || (n = (cl_uint)ftell(file)) == 0) return perror(path), 1;
    rewind(file);
    text = malloc(n + 1);
    if (!text || fread(text, 1, n, file) != n) return perror(path), 1;
    fclose(file);

    TRY(gp_context_create(&device, &gp));
    TRY(gp_buffer_create(gp, n, text, &scan.in));
    TRY(gp_buffer_create(gp, (size_t)n * 16, NULL, &scan.out));
    scan.count = n;
    TRY(gp_scan(gp, &scan));
    TRY(gp_hash_create(gp, &table, &counts));
    TRY(gp_hash_create(gp, &table, &places)); /* where a word was last seen, to print it */
    of.table = counts;
    TRY(gp_device_source(gp, &of, source, sizeof source, &size));
    program = clCreateProgramWithSource(gp_cl_context(gp), 3, parts, NULL, NULL);
    TRY_CL(clBuildProgram(program, 0, NULL, "-cl-std=CL1.2", NULL, NULL));
    kernel = clCreateKernel(program, "count_words", NULL);
    buffer[0] = gp_hash_buffer(gp, counts);
    buffer[1] = gp_hash_buffer(gp, places);
    clSetKernelArg(kernel, 0, sizeof scan.in, &scan.in);
    clSetKernelArg(kernel, 1, sizeof n, &n);
    clSetKernelArg(kernel, 2, sizeof scan.out, &scan.out);
    clSetKernelArg(kernel, 3, sizeof buffer[0], &buffer[0]);
    clSetKernelArg(kernel, 4, sizeof buffer[1], &buffer[1]);
    global = ((size_t)n + 63) / 64 * 64;
    TRY_CL(clEnqueueNDRangeKernel(gp_cl_queue(gp), kernel, 1, NULL, &global, NULL, 0, NULL, NULL));

    TRY(gp_buffer_create(gp, all.room * 8, NULL, &all.keys));
    TRY(gp_buffer_create(gp, all.room * 4, NULL, &all.values));
    TRY(gp_buffer_create(gp, 4, NULL, &all.live_count));
    TRY(gp_hash_retrieve(gp, counts, &all));
    sort.keys = all.values; /* by count, each with its word's hash */
    sort.values = find.keys = all.keys;
    sort.count = all.room;
    sort.count_buffer = all.live_count;
    TRY(gp_sort(gp, &sort));
    TRY(gp_buffer_create(gp, sizeof place, NULL, &find.values));
    TRY(gp_hash_find(gp, places, &find));
    clEnqueueReadBuffer(gp_cl_queue(gp), all.live_count, CL_TRUE, 0, 4, &found, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), sort.keys, CL_TRUE, 0, sizeof count, count, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), find.values, CL_TRUE, 0, sizeof place, place, 0, NULL, NULL);
    for (i = 0; i < TOP && i < found; i++) {
        cl_uint begin = place[i], k;
        while (begin > 0 && ((text[begin - 1] | 32) >= 'a' && (text[begin - 1] | 32) <= 'z')) begin--;
        printf("%7u ", count[i]);
        for (k = begin; k <= place[i]; k++) putchar(text[k] | 32);
        putchar('\n');
    }
    gp_context_destroy(gp); /* and the tables; the process's end takes the rest */
    return 0;
}
