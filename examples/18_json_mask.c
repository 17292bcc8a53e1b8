/* 18_json_mask.c - a JSON file without its secrets: every byte of text in quotes becomes a *.

   What is in quotes is a matter of two scans, as in simdjson (Langdale & Lemire 2019): a byte is escaped where an odd
   number of backslashes comes right before it, and in a string where an odd number of quotes that are not escaped does.
   (07_json_tree.c has the same as one scan of an automaton.)

   cc -std=c99 18_json_mask.c -lOpenCL && ./a.out FILE */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

static gp_context *gp;

static void require(bool good, const char *why)
{
    if (good) return;
    fprintf(stderr, "18_json_mask: %s\n", why);
    exit(1);
}
#define TRY(call) require((call) == GP_OK, gp_last_error(gp))
#define TRY_CL(call) require((call) == CL_SUCCESS, #call " failed")

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

static cl_mem buffer(size_t size, const void *data)
{
    cl_mem made;
    TRY(gp_buffer_create(gp, size, data, &made));
    return made;
}

/* On the device, in place. */
static void mask(cl_mem text, size_t n)
{
    const cl_mem heads = buffer(n, NULL), escaped = buffer(n, NULL), inside = buffer(n, NULL);
    const gp_arg arg = {.name = "escaped", .type = GP_U8, .buffer = escaped};
    /* A segment is a run of backslashes, which may be empty, and the byte after it. */
    const gp_adjacent_difference_desc runs = {
        .in = text, .out = heads, .count = n, .type = GP_U8, .map = "y != '\\\\'"};
    const gp_scan_desc backslashes = {.in = text,
                                      .out = escaped,
                                      .count = n,
                                      .type = GP_U8,
                                      .op = GP_XOR,
                                      .map = "x == '\\\\'",
                                      .exclusive = true,
                                      .segments = GP_SEGMENTS_BY_FLAGS,
                                      .heads = heads,
                                      .heads_type = GP_U8};
    const gp_scan_desc quotes = {.in = text,
                                 .out = inside,
                                 .count = n,
                                 .type = GP_U8,
                                 .op = GP_XOR,
                                 .map = "x == '\"' && !escaped[i]",
                                 .args = &arg,
                                 .arg_count = 1,
                                 .exclusive = true};
    const gp_transform_desc stars = {.in = text,
                                     .in2 = inside,
                                     .in3 = escaped,
                                     .out = text,
                                     .count = n,
                                     .type = GP_U8,
                                     .map = "y && (x != '\"' || z) ? '*' : x"};
    TRY(gp_adjacent_difference(gp, &runs));
    TRY(gp_scan(gp, &backslashes));
    TRY(gp_scan(gp, &quotes));
    TRY(gp_transform(gp, &stars));
    clReleaseMemObject(heads); /* once the calls are done with them */
    clReleaseMemObject(escaped);
    clReleaseMemObject(inside);
}

/* The same, byte by byte. */
static void mask_slowly(char *text, size_t n)
{
    bool inside = false, escaped = false;
    for (size_t i = 0; i < n; i++) {
        const bool quote = text[i] == '"' && !escaped;
        escaped = text[i] == '\\' && !escaped;
        if (quote) inside = !inside;
        else if (inside) text[i] = '*';
    }
}

int main(int argc, char **argv)
{
    size_t n;
    char *text = read_file(argc > 1 ? argv[1] : "examples/shapes.json", &n), *masked = malloc(n);
    gp_context_desc device = {0};
    bool right;
    cl_mem on_device;

    require(masked != NULL, "out of memory");
    require(gp_context_create(&device, &gp) == GP_OK, gp_last_error(NULL));
    on_device = buffer(n, text);
    mask(on_device, n);
    TRY_CL(clEnqueueReadBuffer(gp_cl_queue(gp), on_device, CL_TRUE, 0, n, masked, 0, NULL, NULL));
    fwrite(masked, 1, n, stdout);
    mask_slowly(text, n);
    right = memcmp(text, masked, n) == 0;
    fprintf(stderr, "%zu bytes, %s\n", n, right ? "masked as a plain loop does" : "WRONG");
    clReleaseMemObject(on_device);
    gp_context_destroy(gp);
    free(text);
    free(masked);
    return !right;
}
