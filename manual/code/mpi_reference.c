/* The examples on the pages of gpuprim_mpi.h's calls. Run with two ranks, and checked. */
#include <stdio.h>
#define GP_IMPLEMENTATION
#define GP_MPI_IMPLEMENTATION
#include "gpuprim_mpi.h"

static gp_context *gp;
static gp_mpi *all;
static int rank, wrong;

static void check(int right, const char *name)
{
    if (!right) printf("rank %d: %s is wrong: %s\n", rank, name, gp_last_error(gp));
    wrong |= !right;
}

static cl_mem buffer(const uint32_t *data)
{
    cl_mem made = NULL;
    gp_buffer_create(gp, 16, data, &made);
    return made;
}

static uint32_t at(cl_mem from, size_t index)
{
    uint32_t found = 0;
    clEnqueueReadBuffer(gp_cl_queue(gp), from, CL_TRUE, 4 * index, 4, &found, 0, NULL, NULL);
    return found;
}

int main(int argc, char **argv)
{
    /* Each rank has 4 of 8 elements. */
    static const uint32_t numbers[2][4] = {{8, 3, 5, 1}, {7, 2, 6, 4}},
                          words[2][4] = {{1, 1, 2, 9}, {2, 9, 9, 1}};
    static const uint32_t zero[4] = {0};
    static const char nest[2][4] = {{'(', '[', ']', '('}, {')', ')', '(', ')'}};
    gp_context_desc device = {0};
    gp_mpi_part part;
    uint64_t total = 0;
    cl_mem a, b, c, keys;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank > 1 || gp_context_create(&device, &gp) != GP_OK) return MPI_Finalize();
    if (gp_mpi_create(gp, MPI_COMM_WORLD, &all) != GP_OK) return MPI_Finalize();
    a = buffer(numbers[rank]);
    b = buffer(zero);
    c = buffer(zero);
    keys = buffer(words[rank]);
    {
        /* [gp_mpi_reduce] */
        /* a: 8 3 5 1 on rank 0, 7 2 6 4 on rank 1; total is 36 on both */
        gp_reduce_desc sum = {.in = a, .count = 4, .type = GP_U32, .out_type = GP_U64, .op = GP_SUM};
        gp_mpi_reduce(all, &sum, &total);
        /* [/gp_mpi_reduce] */
        check(total == 36, "gp_mpi_reduce");
    }
    {
        /* [gp_mpi_scan] */
        /* a: 8 3 5 1 on rank 0, 7 2 6 4 on rank 1; b: 8 11 16 17 on rank 0, 24 26 32 36 on rank 1 */
        gp_scan_desc sums = {.in = a, .out = b, .count = 4, .type = GP_U32, .op = GP_SUM};
        gp_mpi_scan(all, &sums);
        /* [/gp_mpi_scan] */
        check(at(b, 3) == (rank ? 36 : 17), "gp_mpi_scan");
    }
    {
        /* [gp_mpi_histogram] */
        /* a: 8 3 5 1 on rank 0, 7 2 6 4 on rank 1; b: 3 4 1 on both ranks, for 0 to 3, 4 to 7, 8 to 11 */
        gp_histogram_desc counts = {.in = a, .out = b, .count = 4, .type = GP_U32, .bins = 3};
        counts.upper.u64 = 12;
        gp_mpi_histogram(all, &counts);
        /* [/gp_mpi_histogram] */
        check(at(b, 0) == 3 && at(b, 1) == 4 && at(b, 2) == 1, "gp_mpi_histogram");
    }
    {
        /* [gp_mpi_select] */
        /* a: 8 3 5 1 on rank 0, 7 2 6 4 on rank 1; b: 8 5 on rank 0, 7 6 on rank 1, whose part begins at 2 of 4 */
        gp_select_desc large = {.in = a, .out = b, .count = 4, .type = GP_U32, .predicate = "x > 4"};
        gp_mpi_select(all, &large, &part);
        /* [/gp_mpi_select] */
        check(at(b, 1) == (rank ? 6 : 5) && part.total == 4, "gp_mpi_select");
    }
    {
        /* [gp_mpi_sort] */
        /* a: 8 3 5 1 on rank 0, 7 2 6 4 on rank 1; b: 1 2 3 4 on rank 0, 5 6 7 8 on rank 1 */
        gp_sort_desc sort = {.keys = a, .keys_out = b, .count = 4, .key_type = GP_U32};
        gp_mpi_sort(all, &sort, &part);
        /* [/gp_mpi_sort] */
        check(at(b, 0) == (rank ? 5 : 1) && part.first == (rank ? 4 : 0), "gp_mpi_sort");
    }
    {
        /* [gp_mpi_group_by] */
        /* keys: 1 1 2 9 on rank 0, 2 9 9 1 on rank 1; a: 8 3 5 1 on rank 0, 7 2 6 4 on rank 1; groups:
           1 with 15, 2 with 12, 9 with 9 */
        gp_reduce_by_key_desc group = {.keys = keys, .in = a, .keys_out = b, .out = c, .count = 4};
        group.key_type = group.type = group.out_type = GP_U32;
        group.op = GP_SUM;
        gp_mpi_group_by(all, &group, &part);
        /* [/gp_mpi_group_by] */
        check(part.total == 3 && (rank || (at(b, 0) == 1 && at(c, 0) == 15)), "gp_mpi_group_by");
    }
    {
        cl_mem text = NULL;
        gp_buffer_create(gp, 4, nest[rank], &text);
        /* [gp_mpi_brackets] */
        /* text: ( [ ] ( on rank 0, ) ) ( ) on rank 1; b: 5 2 1 4 and 3 0 7 6 */
        gp_brackets_errors errors;
        gp_brackets_desc match = {.in = text, .match = b, .count = 4, .type = GP_U8, .pairs = "()[]"};
        gp_mpi_brackets(all, &match, &errors);
        /* [/gp_mpi_brackets] */
        check(at(b, 0) == (rank ? 3 : 5) && at(b, 3) == (rank ? 6 : 4), "gp_mpi_brackets");
        clReleaseMemObject(text);
    }
    clReleaseMemObject(a);
    clReleaseMemObject(b);
    clReleaseMemObject(c);
    clReleaseMemObject(keys);
    gp_mpi_destroy(all);
    gp_context_destroy(gp);
    MPI_Finalize();
    return wrong;
}
