#include "total.h"

gp_result total(gp_context *gp, const uint32_t *data, size_t count, uint64_t *sum)
{
    gp_reduce_desc reduce = {.count = count, .type = GP_U32, .op = GP_SUM};
    gp_result result = gp_buffer_create(gp, count * sizeof *data, data, &reduce.in);
    if (result != GP_OK) return result;
    result = gp_reduce_read(gp, &reduce, sum);
    clReleaseMemObject(reduce.in);
    return result;
}
