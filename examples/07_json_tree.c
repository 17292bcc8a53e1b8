/* 07_json_tree.c - the structure of a JSON file: which brackets are real, which one closes which, how deep.

   Whether a byte is in a string is a matter of an automaton: outside, inside, after a backslash. Each byte
   is a function from state to state, functions are composed, and a scan of them gives the state after every
   byte, without a sequential step. gp_brackets sees the brackets outside strings, gp_tree counts the commas
   there. Prints the tree down to depth 2.

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

static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    const long end = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    char *text = end > 0 ? malloc((size_t)end) : NULL;
    require(text != NULL, "the file is empty, or cannot be read");
    *size = (size_t)end;
    rewind(file);
    require(fread(text, 1, *size, file) == *size, "the file cannot be read");
    fclose(file);
    return text;
}

/* A function of states 0 (outside), 1 (inside), 2 (after a backslash), two bits each, and above them the
   last byte: 17 is that of a quote, 24 of a backslash, 20 of any other byte. */
static const cl_uint unmoved = 36;
static const gp_monoid automaton = {
    "uint",
    "static uint then(uint f, uint g)\n"
    "{\n"
    "    const uint a = g >> 2 * (f & 3) & 3, b = g >> 2 * (f >> 2 & 3) & 3;\n"
    "    const uint c = g >> 2 * (f >> 4 & 3) & 3;\n"
    "    return a | b << 2 | c << 4 | (g >> 8 ? g >> 8 : f >> 8) << 8;\n"
    "}\n",
    "then",
    &unmoved,
    4,
    false,
    true,
    false};

static cl_mem buffer(size_t size, const void *data)
{
    cl_mem made;
    TRY(gp_buffer_create(gp, size, data, &made));
    return made;
}

static uint32_t *read_back(cl_mem from, size_t count)
{
    uint32_t *to = malloc(count * 4);
    require(to != NULL, "out of memory");
    clEnqueueReadBuffer(gp_cl_queue(gp), from, CL_TRUE, 0, count * 4, to, 0, NULL, NULL);
    return to;
}

int main(int argc, char **argv)
{
    size_t size, i;
    char *text = read_file(argc > 1 ? argv[1] : "examples/shapes.json", &size);
    uint32_t *depth, *match, *index;
    gp_context_desc device = {0};
    gp_scan_desc scan = {0};
    gp_brackets_desc brackets = {0};
    gp_tree_desc tree = {0};

    require(gp_context_create(&device, &gp) == GP_OK, gp_last_error(NULL));
    scan.in = buffer(size, text);
    scan.out = brackets.in = tree.in = buffer(size * 4, NULL);
    scan.count = brackets.count = tree.count = size;
    scan.type = GP_U8;
    scan.map = "(x == '\"' ? 17u : x == '\\\\' ? 24u : 20u) | (uint)x << 8";
    scan.monoid = &automaton;
    TRY(gp_scan(gp, &scan));
    brackets.type = tree.type = GP_U32;
    brackets.map =
        "x & 3 ? 0 : x >> 8 == '{' ? 1 : x >> 8 == '}' ? -1 : x >> 8 == '[' ? 2 : x >> 8 == ']' ? -2 : 0";
    brackets.match = buffer(size * 4, NULL);
    brackets.depth = buffer(size * 4, NULL);
    brackets.parent = tree.parent = buffer(size * 4, NULL);
    TRY(gp_brackets(gp, &brackets));
    tree.map = "(x & 3) == 0 && x >> 8 == ','"; /* index: how many commas before it in the same brackets */
    tree.index = buffer(size * 4, NULL);
    TRY(gp_tree(gp, &tree));
    match = read_back(brackets.match, size);
    depth = read_back(brackets.depth, size);
    index = read_back(tree.index, size);
    for (i = 0; i < size; i++) {
        if (match[i] == UINT32_MAX || match[i] < i || depth[i] > 2) continue;
        printf("%*s%u: %c at %zu, %u bytes, closed at %u\n", 2 * (int)depth[i], "", (unsigned)index[i],
               text[i], i, (unsigned)(match[i] - i + 1), match[i]);
    }
    gp_context_destroy(gp); /* buffers and memory go with the process */
    return 0;
}
