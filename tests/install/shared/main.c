/* A user of the shared library, of two files, neither of which has the implementation. */
#include "total.h"
#include <stdio.h>

int main(void)
{
    const uint32_t data[5] = {3, 1, 4, 1, 5};
    gp_context_desc device = {0};
    gp_context *gp;
    uint64_t sum;

    if (gp_context_create(&device, &gp) != GP_OK) return puts(gp_last_error(NULL)), 1;
    if (total(gp, data, 5, &sum) != GP_OK) return puts(gp_last_error(gp)), 1;
    gp_context_destroy(gp);
    return sum != 14;
}
