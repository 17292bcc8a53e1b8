/* 09_group_by.c - SQL on the device: orders.csv joined with customers.csv, summed by region:

       select region, sum(cents) from orders left join customers using (customer) group by region

   cc -std=c99 09_group_by.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

static const char orders_csv[] =
    "customer,cents\n"
    "17,1999\n4,350\n17,1200\n99,80\n4,75\n23,12000\n17,1\n8,640\n23,5\n8,4400\n";
static const char customers_csv[] = "customer,region\n"
                                    "4,1\n8,2\n17,1\n23,3\n";
static const char *const regions[] = {"(no customer)", "north", "south", "islands"};

enum { ROWS = 16, NO_REGION = 0 };
static gp_context *gp;
#define TRY(call) \
    if ((call) != GP_OK) return fprintf(stderr, "%s: %s\n", #call, gp_last_error(gp)), 1

/* Two columns of numbers, without the line of names; how many rows. */
static size_t parse(const char *csv, uint32_t *first, uint32_t *second)
{
    size_t n = 0;
    const char *line = strchr(csv, '\n') + 1;
    for (; *line && n < ROWS; line = strchr(line, '\n') + 1, n++) {
        first[n] = (uint32_t)strtoul(line, NULL, 10);
        second[n] = (uint32_t)strtoul(strchr(line, ',') + 1, NULL, 10);
    }
    return n;
}

static int columns(const char *csv, cl_mem *first, cl_mem *second, size_t *n)
{
    uint32_t a[ROWS], b[ROWS];
    *n = parse(csv, a, b);
    TRY(gp_buffer_create(gp, *n * 4, a, first));
    TRY(gp_buffer_create(gp, *n * 4, b, second));
    return 0;
}

int main(void)
{
    const uint32_t no_region[ROWS] = {NO_REGION};
    uint32_t region[ROWS], cents[ROWS], i;
    uint64_t rows, groups;
    gp_context_desc device = {0};
    gp_key_column order_customer = {.type = GP_U32}, customer = {.type = GP_U32}, key = {.type = GP_U32};
    gp_gather_desc gather = {.element_size = 4};
    gp_arg args[] = {{.name = "cents", .type = GP_U32},
                     {.name = "order", .type = GP_U32},
                     {.name = "region", .type = GP_U32}};
    gp_group_result results[] = {
        {.op = GP_FIRST, .map = "region[i]", .map_type = GP_U32},
        {.op = GP_SUM, .map = "cents[order[i]]", .map_type = GP_U32, .out_type = GP_U32}};
    gp_join_desc join = {.left = &order_customer,
                         .right = &customer,
                         .column_count = 1,
                         .kind = GP_JOIN_LEFT,
                         .capacity = ROWS};
    gp_group_by_desc group = {.columns = &key,
                              .column_count = 1,
                              .results = results,
                              .result_count = 2,
                              .args = args,
                              .arg_count = 3};

    TRY(gp_context_create(&device, &gp));
    TRY(columns(orders_csv, &order_customer.in, &args[0].buffer, &join.left_count));
    TRY(columns(customers_csv, &customer.in, &gather.in, &join.right_count));
    TRY(gp_buffer_create(gp, ROWS * 4, NULL, &join.left_out));
    TRY(gp_buffer_create(gp, ROWS * 4, NULL, &join.right_out));
    TRY(gp_buffer_create(gp, ROWS * 4, no_region, &gather.out));
    TRY(gp_buffer_create(gp, ROWS * 4, NULL, &results[0].out));
    TRY(gp_buffer_create(gp, ROWS * 4, NULL, &results[1].out));

    TRY(gp_join_read(gp, &join, &rows)); /* an order and its customer in each row */
    gather.indices = join.right_out;
    gather.limit = join.right_count;
    gather.count = group.count = rows;
    TRY(gp_gather(gp, &gather)); /* the customer's region; an order without a customer keeps NO_REGION */
    key.in = args[2].buffer = gather.out;
    args[1].buffer = join.left_out;
    TRY(gp_group_by_read(gp, &group, &groups));

    clEnqueueReadBuffer(gp_cl_queue(gp), results[0].out, CL_TRUE, 0, sizeof region, region, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), results[1].out, CL_TRUE, 0, sizeof cents, cents, 0, NULL, NULL);
    printf("%s\n", gp_context_info(gp)->name);
    for (i = 0; i < groups; i++) printf("%-14s %8.2f\n", regions[region[i]], cents[i] / 100.);
    gp_context_destroy(gp); /* the process's end takes the buffers */
    return 0;
}
