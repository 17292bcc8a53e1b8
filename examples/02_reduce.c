/* 02_reduce.c - sum, minimum, maximum and where that is, of a million numbers read once.

   cc -std=c99 02_reduce.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

static int fail(const gp_context *gp)
{
    fprintf(stderr, "%s\n", gp_last_error(gp));
    return 1;
}

int main(void)
{
    enum { SUM, COLDEST, HOTTEST, WHEN, OPS };
    const gp_op ops[OPS] = {GP_SUM, GP_MIN, GP_MAX, GP_ARGMAX};
    const size_t count = 1000000;
    int32_t *temperature = malloc(count * sizeof *temperature);
    int64_t sum; /* sums of 32-bit integers are in 64 bits unless out_type says otherwise */
    gp_value all[OPS];
    gp_context_desc device = {0};
    gp_reduce_desc reduce = {0};
    gp_context *gp;
    size_t i;

    if (!temperature) return 1;
    for (i = 0; i < count; i++) temperature[i] = (int32_t)(i * 7919 % 5000) - 2000;

    if (gp_context_create(&device, &gp) != GP_OK) return fail(NULL);
    if (gp_buffer_create(gp, count * sizeof *temperature, temperature, &reduce.in) != GP_OK) return fail(gp);

    reduce.count = count; /* one result */
    reduce.type = GP_I32;
    reduce.op = GP_SUM;
    if (gp_reduce_read(gp, &reduce, &sum) != GP_OK) return fail(gp);

    reduce.op = GP_OP_NONE; /* several */
    reduce.ops = ops;
    reduce.op_count = OPS;
    if (gp_reduce_read(gp, &reduce, all) != GP_OK) return fail(gp);

    printf("%s\nmean %.3f, coldest %d, hottest %d at %u\n", gp_context_info(gp)->name,
           (double)sum / (double)count, all[COLDEST].i32, all[HOTTEST].i32, (unsigned)all[WHEN].u64);

    clReleaseMemObject(reduce.in);
    gp_context_destroy(gp);
    free(temperature);
    return all[SUM].i64 != sum;
}
