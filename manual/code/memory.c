/* Chapter "Memory". */
#include "manual.h"

static void on_the_device(gp_context *gp)
{
    uint32_t numbers[1000];
    for (uint32_t i = 0; i < 1000; i++) numbers[i] = (i * 7919) % 1000;
    cl_mem in = buffer_of(gp, sizeof numbers, numbers), kept = buffer_of(gp, sizeof numbers, NULL);
    cl_mem count = buffer_of(gp, sizeof(uint32_t), NULL);
    /* [count] */
    gp_select_desc select = {
        .in = in, .out = kept, .count_out = count, .count = 1000, .type = GP_U32, .predicate = "x < 100"};
    TRY(gp_select(gp, &select)); /* how many it keeps, only the device knows */

    gp_sort_desc sort = {.keys = kept, .count = 1000, .count_buffer = count, .key_type = GP_U32};
    TRY(gp_sort(gp, &sort)); /* sorts as many as there are: 1000 is the bound */
    /* [/count] */
    uint32_t how_many, sorted[1000];
    read_back(gp, count, sizeof how_many, &how_many);
    read_back(gp, kept, sizeof sorted, sorted);
    EXPECT(how_many == 100 && sorted[0] == 0 && sorted[99] == 99);
    clReleaseMemObject(in);
    clReleaseMemObject(kept);
    clReleaseMemObject(count);
}

static void offsets(gp_context *gp)
{
    const uint32_t numbers[6] = {9, 9, 1, 2, 3, 9};
    cl_mem in = buffer_of(gp, sizeof numbers, numbers);
    /* [offset] */
    uint64_t total;
    gp_reduce_desc middle = {.in = in, .in_offset = 2, .count = 3, .type = GP_U32, .op = GP_SUM};
    TRY(gp_reduce_read(gp, &middle, &total)); /* elements 2, 3 and 4 */
    /* [/offset] */
    EXPECT(total == 6);
    clReleaseMemObject(in);
}

static void scratch(gp_context *gp)
{
    uint32_t numbers[1000];
    for (uint32_t i = 0; i < 1000; i++) numbers[i] = (i * 7919) % 1000;
    cl_mem keys = buffer_of(gp, sizeof numbers, numbers);
    /* [scratch] */
    gp_sort_desc sort = {.keys = keys, .count = 1000, .key_type = GP_U32};
    size_t bytes;
    TRY(gp_sort_scratch_size(gp, &sort, &bytes)); /* for this desc on this device */
    TRY(gp_buffer_create(gp, bytes, NULL, &sort.scratch));
    TRY(gp_sort(gp, &sort));
    /* [/scratch] */
    read_back(gp, keys, sizeof numbers, numbers);
    for (uint32_t i = 0; i < 1000; i++) EXPECT(numbers[i] == i);
    clReleaseMemObject(sort.scratch);
    clReleaseMemObject(keys);
}

static int buffers_held;

/* [pool] */
static cl_mem take(size_t bytes, void *user) /* from your allocator; here from OpenCL */
{
    buffers_held++;
    return clCreateBuffer(*(cl_context *)user, CL_MEM_READ_WRITE, bytes, NULL, NULL);
}

static void give_back(cl_mem buffer, void *user) /* when no command uses it any longer */
{
    (void)user;
    buffers_held--;
    clReleaseMemObject(buffer);
}
/* [/pool] */

static void pool(cl_context context)
{
    gp_context *gp;
    /* [limit] */
    gp_context_desc desc = {.context = context,
                            .scratch_alloc = take,
                            .scratch_free = give_back,
                            .scratch_user = &context,
                            .scratch_limit = 64 << 20};
    if (gp_context_create(&desc, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    /* [/limit] */
    scratch(gp);
    cl_mem keys = buffer_of(gp, 1 << 22, NULL);
    gp_sort_desc sort = {.keys = keys, .count = 1 << 20, .key_type = GP_U32};
    TRY(gp_sort(gp, &sort));
    EXPECT(buffers_held == 1);
    clReleaseMemObject(keys);
    gp_context_destroy(gp);
    EXPECT(buffers_held == 0);
}

int main(void)
{
    gp_context *gp = open_context();
    on_the_device(gp);
    offsets(gp);
    scratch(gp);
    pool(gp_cl_context(gp));
    gp_context_destroy(gp);
    return 0;
}
