/* 04_sort_pairs.c - a word list by length: keys are the lengths, values the words' numbers. The sort is
   stable, so that words of one length keep their order.

   cc -std=c99 04_sort_pairs.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

static int fail(const gp_context *gp)
{
    fprintf(stderr, "%s\n", gp_last_error(gp));
    return 1;
}

int main(void)
{
    static const char *const words[] = {"the",  "quick", "brown", "fox", "jumps",
                                        "over", "the",   "lazy",  "dog", "today"};
    enum { COUNT = sizeof words / sizeof words[0] };
    uint8_t length[COUNT];
    uint32_t order[COUNT];
    gp_context_desc device = {0};
    gp_sort_desc sort = {0};
    gp_context *gp;
    size_t i;

    for (i = 0; i < COUNT; i++) {
        length[i] = (uint8_t)strlen(words[i]);
        order[i] = (uint32_t)i;
    }
    if (gp_context_create(&device, &gp) != GP_OK) return fail(NULL);
    if (gp_buffer_create(gp, sizeof length, length, &sort.keys) != GP_OK) return fail(gp);
    if (gp_buffer_create(gp, sizeof order, order, &sort.values) != GP_OK) return fail(gp);

    sort.count = COUNT;
    sort.key_type = GP_U8;
    sort.value_size = sizeof order[0];
    sort.descending = true;
    if (gp_sort(gp, &sort) != GP_OK) return fail(gp); /* in place */

    clEnqueueReadBuffer(gp_cl_queue(gp), sort.values, CL_TRUE, 0, sizeof order, order, 0, NULL, NULL);
    printf("%s\n", gp_context_info(gp)->name);
    for (i = 0; i < COUNT; i++) printf("%s\n", words[order[i]]);

    clReleaseMemObject(sort.keys);
    clReleaseMemObject(sort.values);
    gp_context_destroy(gp);
    return 0;
}
