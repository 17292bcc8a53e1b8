/* 07_json_tree.c - the structure of a JSON file: which brackets are real, which one closes which, how deep.

   A quote begins or ends a string unless an odd run of backslashes stands before it. Runs are found by a scan
   (a segmented one: a run is a segment), strings by another (the parity of quotes so far), and what is in
   strings is masked out by the code that gp_brackets sees. Prints the tree down to depth 2.

   cc -std=c99 07_json_tree.c -lOpenCL && ./a.out FILE */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

static gp_context *gp;

static void require(bool good, const char *why)
{
    if (good) return;
    fprintf(stderr, "07_json_tree: %s\n", why);
    exit(1);
}
#define TRY(call) require((call) == GP_OK, gp_last_error(gp))

static const char sample[] =
    "{\"name\": \"brackets [in] {strings} do not count\", \"quote\": \"\\\"[\\\\\",\n"
    " \"points\": [[1, 2], [3, 4], [5, 6]], \"style\": {\"fill\": {\"rgb\": [1, 0, 0]}}}\n";

static char *read_input(const char *path, size_t *size)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    char *text = malloc(sizeof sample);
    require(text && (file || !path), "the file cannot be read");
    memcpy(text, sample, sizeof sample);
    *size = sizeof sample - 1;
    if (!file) return text;
    require(fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0, "the file is empty");
    *size = (size_t)ftell(file);
    rewind(file);
    text = realloc(text, *size);
    require(text && fread(text, 1, *size, file) == *size, "the file cannot be read");
    fclose(file);
    return text;
}

/* out[i] = sum over in[0..i], or in its segment, of `map`; exclusive. */
static cl_mem scan(cl_mem in, size_t count, gp_type type, const char *map, cl_mem heads)
{
    gp_scan_desc d = {0};
    TRY(gp_buffer_create(gp, count * 4, NULL, &d.out));
    d.in = in;
    d.count = count;
    d.type = type;
    d.out_type = GP_U32;
    d.op = GP_SUM;
    d.map = map;
    d.exclusive = !heads;
    d.heads = heads;
    d.segments = heads ? GP_SEGMENTS_BY_KEYS : GP_SEGMENTS_NONE;
    d.heads_type = heads ? GP_U8 : GP_TYPE_NONE;
    TRY(gp_scan(gp, &d));
    return d.out;
}

int main(int argc, char **argv)
{
    size_t size, i;
    char *text = read_input(argc > 1 ? argv[1] : NULL, &size);
    uint32_t *word = malloc(size * 4), *depth = malloc(size * 4), *match = malloc(size * 4);
    gp_context_desc device = {0};
    gp_brackets_desc brackets = {0};
    cl_mem in, runs, symbols, strings;

    require(word && depth && match, "out of memory");
    require(gp_context_create(&device, &gp) == GP_OK, gp_last_error(NULL));
    TRY(gp_buffer_create(gp, size, text, &in));
    runs = scan(in, size, GP_U8, "x == '\\\\' ? 1 : 0",
                in); /* equal bytes are a segment: a run's length so far */
    clEnqueueReadBuffer(gp_cl_queue(gp), runs, CL_TRUE, 0, size * 4, word, 0, NULL, NULL);
    for (i = size; i-- > 0;) /* the byte, and whether it is escaped */
        word[i] = (uint32_t)(unsigned char)text[i] | (i > 0 && word[i - 1] % 2 ? 256u : 0u);
    TRY(gp_buffer_create(gp, size * 4, word, &symbols));
    strings = scan(symbols, size, GP_U32, "x == '\"' ? 1 : 0", NULL); /* quotes before */
    clEnqueueReadBuffer(gp_cl_queue(gp), strings, CL_TRUE, 0, size * 4, depth, 0, NULL, NULL);
    for (i = 0; i < size; i++) word[i] |= depth[i] % 2 ? 512u : 0u; /* in a string */
    clEnqueueWriteBuffer(gp_cl_queue(gp), symbols, CL_TRUE, 0, size * 4, word, 0, NULL, NULL);
    brackets.in = symbols;
    brackets.type = GP_U32;
    brackets.map = "x == '{' ? 1 : x == '}' ? -1 : x == '[' ? 2 : x == ']' ? -2 : 0";
    brackets.count = size;
    TRY(gp_buffer_create(gp, size * 4, NULL, &brackets.match));
    TRY(gp_buffer_create(gp, size * 4, NULL, &brackets.depth));
    TRY(gp_brackets(gp, &brackets));
    clEnqueueReadBuffer(gp_cl_queue(gp), brackets.match, CL_TRUE, 0, size * 4, match, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), brackets.depth, CL_TRUE, 0, size * 4, depth, 0, NULL, NULL);
    for (i = 0; i < size; i++) {
        if (match[i] == UINT32_MAX || match[i] < i || depth[i] > 2) continue;
        printf("%*s%c at %zu, %u bytes, closed at %u\n", 2 * (int)depth[i], "", text[i], i,
               (unsigned)(match[i] - i + 1), match[i]);
    }
    gp_context_destroy(gp); /* buffers and memory go with the process */
    return 0;
}
