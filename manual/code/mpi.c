#include <stdio.h>
#define GP_IMPLEMENTATION
#define GP_MPI_IMPLEMENTATION
#include "gpuprim_mpi.h"

int main(int argc, char **argv)
{
    uint32_t keys[4], sorted[4];
    gp_context_desc device = {0};
    gp_sort_desc sort = {.count = 4, .key_type = GP_U32};
    gp_context *gp;
    gp_mpi *all;
    gp_mpi_part part;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (uint32_t i = 0; i < 4; i++) keys[i] = 100 - 10 * i - (uint32_t)rank;
    if (gp_context_create(&device, &gp) != GP_OK)
        puts(gp_last_error(NULL)); /* then gp is NULL, and this fails on all ranks: */
    if (gp_mpi_create(gp, MPI_COMM_WORLD, &all) != GP_OK) {
        puts(gp_last_error(gp));
        return MPI_Finalize();
    }
    gp_buffer_create(gp, sizeof keys, keys, &sort.keys);
    gp_buffer_create(gp, sizeof sorted, NULL, &sort.keys_out);
    if (gp_mpi_sort(all, &sort, &part) != GP_OK) puts(gp_last_error(gp));
    clEnqueueReadBuffer(gp_cl_queue(gp), sort.keys_out, CL_TRUE, 0, sizeof sorted, sorted, 0, NULL, NULL);
    for (int i = 0; i < 4; i++) printf("%d: %u\n", (int)part.first + i, sorted[i]);
    clReleaseMemObject(sort.keys);
    clReleaseMemObject(sort.keys_out);
    gp_mpi_destroy(all);
    gp_context_destroy(gp);
    MPI_Finalize();
}
