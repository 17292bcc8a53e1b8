/* A join across ranks: what customers pay for their orders, wherever their prices are. */
#include <stdio.h>
#define GP_IMPLEMENTATION
#define GP_MPI_IMPLEMENTATION
#include "gpuprim_mpi.h"

int main(int argc, char **argv)
{
    gp_context_desc device = {0};
    gp_context *gp;
    gp_mpi *all;
    int rank, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (gp_context_create(&device, &gp) != GP_OK) puts(gp_last_error(NULL));
    if (gp_mpi_create(gp, MPI_COMM_WORLD, &all) != GP_OK) return MPI_Finalize();
    /* [join] */
    /* Each rank has two articles with prices, 20 and 21 on rank 2, and three orders. */
    uint32_t articles[2] = {10 * (uint32_t)rank, 10 * (uint32_t)rank + 1}, orders[3] = {1, 10, 999};
    uint32_t prices[2] = {articles[0] + 5, articles[1] + 5}, found[3], none = 0;
    gp_mpi_join_desc join = {.build_count = 2, .count = 3, .key_size = 4, .value_size = 4, .absent = &none};
    gp_buffer_create(gp, sizeof articles, articles, &join.build_keys);
    gp_buffer_create(gp, sizeof prices, prices, &join.build_values);
    gp_buffer_create(gp, sizeof orders, orders, &join.keys);
    gp_buffer_create(gp, sizeof found, NULL, &join.out);
    if (gp_mpi_join(all, &join) != GP_OK) puts(gp_last_error(gp));
    clEnqueueReadBuffer(gp_cl_queue(gp), join.out, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL);
    printf("%u %u %u\n", found[0], found[1], found[2]); /* with two ranks 6 15 0, on both */
    /* [/join] */
    wrong = found[0] != 6 || found[1] != 15 || found[2] != 0;
    clReleaseMemObject(join.build_keys);
    clReleaseMemObject(join.build_values);
    clReleaseMemObject(join.keys);
    clReleaseMemObject(join.out);
    gp_mpi_destroy(all);
    gp_context_destroy(gp);
    MPI_Finalize();
    return wrong;
}
