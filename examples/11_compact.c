/* 11_compact.c - how often each capital comes in a text: select, sort and run-length encode, over counts that
   never leave the device until the end.

   cc -std=c99 11_compact.c -lOpenCL && ./a.out FILE */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { CAPITALS, COUNTS };

#define TRY(call) \
    if ((call) != GP_OK) return fprintf(stderr, "%s: %s\n", #call, gp_last_error(gp)), 1
#define TRY_CL(call) \
    if ((call) != CL_SUCCESS) return fprintf(stderr, "%s: failed\n", #call), 1

static char *read_file(const char *name, size_t *size)
{
    FILE *file = fopen(name, "rb");
    char *text = NULL;
    if (file && fseek(file, 0, SEEK_END) == 0) *size = (size_t)ftell(file);
    if (file && *size) text = (char *)malloc(*size);
    if (text) rewind(file);
    if (text) *size = fread(text, 1, *size, file);
    if (file) fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    gp_context *gp = NULL;
    gp_context_desc device = {0};
    size_t n = 0, i;
    char *text = read_file(argc > 1 ? argv[1] : "README.md", &n);
    uint64_t runs = 0;
    cl_mem in, initials, counts, letters, lengths;
    if (!text || n == 0) return fprintf(stderr, "usage: 11_compact FILE\n"), 2;
    TRY(gp_context_create(&device, &gp));
    TRY(gp_buffer_create(gp, n, text, &in));
    TRY(gp_buffer_create(gp, n, NULL, &initials));
    TRY(gp_buffer_create(gp, n, NULL, &letters));
    TRY(gp_buffer_create(gp, n * 4, NULL, &lengths));
    TRY(gp_buffer_create(gp, COUNTS * 4, NULL, &counts));

    /* Capitals, in the order of the text; how many stays in counts[CAPITALS]. */
    gp_select_desc capitals = {.in = in,
                               .out = initials,
                               .count_out = counts,
                               .count = n,
                               .type = GP_U8,
                               .predicate = "x >= 'A' && x <= 'Z'"};
    gp_sort_desc sort = {
        .keys = initials, .count = n, .count_buffer = counts, .count_type = GP_U32, .key_type = GP_U8};
    gp_run_length_encode_desc encode = {.in = initials,
                                        .out = letters,
                                        .lengths_out = lengths,
                                        .count = n,
                                        .count_buffer = counts,
                                        .count_type = GP_U32,
                                        .type = GP_U8};
    TRY(gp_select(gp, &capitals));
    TRY(gp_sort(gp, &sort));
    TRY(gp_run_length_encode_read(gp, &encode, &runs)); /* the only call that waits */

    unsigned char key[26];
    uint32_t length[26];
    if (runs > 26) return 1;
    if (runs > 0) {
        TRY_CL(clEnqueueReadBuffer(gp_cl_queue(gp), letters, CL_TRUE, 0, runs, key, 0, NULL, NULL));
        TRY_CL(clEnqueueReadBuffer(gp_cl_queue(gp), lengths, CL_TRUE, 0, runs * 4, length, 0, NULL, NULL));
    }
    for (i = 0; i < runs; i++) printf("%c %u\n", key[i], (unsigned)length[i]);
    clReleaseMemObject(in);
    clReleaseMemObject(initials);
    clReleaseMemObject(letters);
    clReleaseMemObject(lengths);
    clReleaseMemObject(counts);
    gp_context_destroy(gp);
    free(text);
    return 0;
}
