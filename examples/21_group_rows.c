/* 21_group_rows.c - SQL with two key columns, one of them of strings:

       select city, product, count(*), sum(price * quantity) from sales group by city, product

   cc -std=c99 21_group_rows.c -lOpenCL */
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
    uint32_t ends[ROWS + 1] = {0}, rows[ROWS], offsets[ROWS + 1], g;
    float revenue[ROWS];
    uint64_t groups;
    size_t i;
    gp_context_desc device = {0};
    gp_context *gp;
    gp_key_column columns[2] = {{.offsets_type = GP_U32}, {.type = GP_U32}};
    gp_group_rows_desc group = {.columns = columns, .column_count = 2, .count = ROWS};
    gp_arg args[2] = {{.name = "price", .type = GP_F32}, {.name = "quantity", .type = GP_U32}};
    gp_segmented_reduce_desc sum = {.type = GP_U32,
                                    .map = "price[x] * quantity[x]", /* x is a row */
                                    .out_type = GP_F32,
                                    .op = GP_SUM,
                                    .args = args,
                                    .arg_count = 2,
                                    .offsets_type = GP_U32,
                                    .count = ROWS};

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
    TRY(gp_buffer_create(gp, sizeof rows, NULL, &group.rows_out));
    TRY(gp_buffer_create(gp, sizeof rows, NULL, &group.order_out));
    TRY(gp_buffer_create(gp, sizeof offsets, NULL, &group.offsets_out));
    TRY(gp_buffer_create(gp, sizeof revenue, NULL, &sum.out));

    TRY(gp_group_rows_read(gp, &group, &groups));
    sum.in = group.order_out; /* the rows of each group */
    sum.offsets = group.offsets_out;
    sum.segment_count = (size_t)groups;
    TRY(gp_segmented_reduce(gp, &sum));

    clEnqueueReadBuffer(gp_cl_queue(gp), group.rows_out, CL_TRUE, 0, sizeof rows, rows, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), group.offsets_out, CL_TRUE, 0, sizeof offsets, offsets, 0, NULL,
                        NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), sum.out, CL_TRUE, 0, sizeof revenue, revenue, 0, NULL, NULL);
    printf("%s\n", gp_context_info(gp)->name);
    for (g = 0; g < groups; g++)
        printf("%-8s %2u  %u sales  %6.2f\n", city[rows[g]], product[rows[g]], offsets[g + 1] - offsets[g],
               revenue[g]);
    gp_context_destroy(gp); /* the process's end takes the buffers */
    return 0;
}
