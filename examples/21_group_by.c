/* 21_group_by.c - SQL with two key columns, one of them of strings:

       select city, product, count(*), sum(price * quantity) from sales group by city, product

   cc -std=c99 21_group_by.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { ROWS = 8 };

#define TRY(call) \
    if ((call) != GP_OK) return fprintf(stderr, "%s: %s\n", #call, gp_last_error(gp)), 1

static const char *const city[ROWS] = {"Oslo", "Rome", "Oslo", "Bergen", "Rome", "Oslo", "Oslo", "Rome"};
static const uint32_t product[ROWS] = {7, 7, 9, 7, 7, 7, 9, 9};
static const float price[ROWS] = {2, 2, 5, 2.5f, 2, 2, 5, 4};
static const uint32_t quantity[ROWS] = {1, 3, 2, 4, 1, 5, 1, 1};

int main(void)
{
    char bytes[64];
    uint32_t ends[ROWS + 1] = {0}, rows[ROWS], count[ROWS], g;
    float sum[ROWS];
    uint64_t groups;
    size_t i;
    gp_context_desc device = {0};
    gp_context *gp;
    gp_key_column columns[2] = {{.offsets_type = GP_U32}, {.type = GP_U32}};
    gp_arg args[2] = {{.name = "price", .type = GP_F32}, {.name = "quantity", .type = GP_U32}};
    gp_group_result results[2] = {
        {.op = GP_COUNT},
        {.op = GP_SUM, .map = "price[i] * quantity[i]", .map_type = GP_F32}, /* i is a row */
    };
    gp_group_by_desc group = {.columns = columns,
                              .column_count = 2,
                              .count = ROWS,
                              .results = results,
                              .result_count = 2,
                              .args = args,
                              .arg_count = 2};

    for (i = 0; i < ROWS; i++) { /* strings, one after the other */
        memcpy(bytes + ends[i], city[i], strlen(city[i]));
        ends[i + 1] = ends[i] + (uint32_t)strlen(city[i]);
    }
    columns[0].byte_count = ends[ROWS];
    if (gp_context_create(&device, &gp) != GP_OK) return puts(gp_last_error(NULL)), 1;
    TRY(gp_buffer_create(gp, ends[ROWS], bytes, &columns[0].in));
    TRY(gp_buffer_create(gp, sizeof ends, ends, &columns[0].offsets));
    TRY(gp_buffer_create(gp, sizeof product, product, &columns[1].in));
    TRY(gp_buffer_create(gp, sizeof price, price, &args[0].buffer));
    TRY(gp_buffer_create(gp, sizeof quantity, quantity, &args[1].buffer));
    TRY(gp_buffer_create(gp, sizeof rows, NULL, &group.rows_out)); /* the first row of each group */
    TRY(gp_buffer_create(gp, sizeof count, NULL, &results[0].out));
    TRY(gp_buffer_create(gp, sizeof sum, NULL, &results[1].out));

    TRY(gp_group_by_read(gp, &group, &groups));

    clEnqueueReadBuffer(gp_cl_queue(gp), group.rows_out, CL_TRUE, 0, sizeof rows, rows, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), results[0].out, CL_TRUE, 0, sizeof count, count, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), results[1].out, CL_TRUE, 0, sizeof sum, sum, 0, NULL, NULL);
    printf("%s\n", gp_context_info(gp)->name);
    for (g = 0; g < groups; g++)
        printf("%-8s %2u  %u sales  %6.2f\n", city[rows[g]], product[rows[g]], count[g], sum[g]);
    gp_context_destroy(gp); /* the process's end takes the buffers */
    return 0;
}
