/* 05_brackets.c - is a source file's nest of brackets sound? Finds the first error, with line and column.

   Strings and comments are not looked into: what they hold counts.

   cc -std=c99 05_brackets.c -lOpenCL && ./a.out FILE */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

static int fail(const gp_context *gp)
{
    fprintf(stderr, "%s\n", gp_last_error(gp));
    return 1;
}

static unsigned char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0 && ftell(file) > 0) {
        *size = (size_t)ftell(file);
        rewind(file);
        text = malloc(*size);
        if (text && fread(text, 1, *size, file) != *size) *size = 0;
    }
    if (file) fclose(file);
    return text;
}

static void print_place(const char *what, const unsigned char *text, uint64_t at)
{
    size_t line = 1, column = 1, i;
    for (i = 0; i < at; i++) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n';
    }
    printf("  %s '%c' in line %zu, column %zu\n", what, text[at], line, column);
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "gpuprim.h";
    gp_context_desc device = {0};
    gp_brackets_desc brackets = {0};
    gp_brackets_errors errors;
    gp_context *gp;
    size_t size = 0;
    unsigned char *text = read_file(path, &size);
    uint32_t opener;

    if (!text || size == 0) return fprintf(stderr, "%s is empty, or cannot be read\n", path), 1;
    if (gp_context_create(&device, &gp) != GP_OK) return fail(NULL);
    brackets.type = GP_U8;
    brackets.count = size;
    brackets.pairs = "()[]{}";
    if (gp_buffer_create(gp, size, text, &brackets.in) != GP_OK) return fail(gp);
    if (gp_buffer_create(gp, size * sizeof opener, NULL, &brackets.match) != GP_OK) return fail(gp);
    if (gp_brackets_read(gp, &brackets, &errors) != GP_OK) return fail(gp);

    printf("%s: %zu bytes, at most %llu brackets deep\n", path, size, (unsigned long long)errors.max_depth);
    if (errors.unmatched_closers) print_place("nothing to close for", text, errors.first_unmatched_closer);
    if (errors.unmatched_openers) print_place("never closed:", text, errors.first_unmatched_opener);
    if (errors.mismatches) {
        print_place("closed wrongly, by", text, errors.first_mismatch);
        clEnqueueReadBuffer(gp_cl_queue(gp), brackets.match, CL_TRUE, errors.first_mismatch * sizeof opener,
                            sizeof opener, &opener, 0, NULL, NULL);
        print_place("    what was opened by", text, opener);
    }
    if (!errors.unmatched_closers && !errors.unmatched_openers && !errors.mismatches)
        printf("  all brackets match\n");

    clReleaseMemObject(brackets.in);
    clReleaseMemObject(brackets.match);
    gp_context_destroy(gp);
    free(text);
    return 0;
}
