/* 09_group_by.c - SQL on the device: sums of orders.csv by customer, joined with customers.csv:

       select region, sum(cents) from orders join customers using (customer) group by region

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
    const uint32_t no_region = NO_REGION;
    uint32_t region[ROWS], cents[ROWS], n, i;
    gp_context_desc device = {0};
    gp_hash_desc table = {.key_size = 4, .value_size = 4, .capacity = 64};
    gp_hash_insert_desc orders = {.op = GP_SUM}, customers = {0}, sums = {.op = GP_SUM};
    gp_hash_retrieve_desc by_customer = {.room = ROWS}, by_region = {.room = ROWS, .sort_type = GP_U32};
    gp_hash_find_desc join = {.absent = &no_region, .count = ROWS, .count_type = GP_U32};
    gp_hash order_sums, region_of, region_sums;

    TRY(gp_context_create(&device, &gp));
    TRY(columns(orders_csv, &orders.keys, &orders.values, &orders.count));
    TRY(columns(customers_csv, &customers.keys, &customers.values, &customers.count));
    TRY(gp_hash_create(gp, &table, &order_sums));
    TRY(gp_hash_create(gp, &table, &region_of));
    TRY(gp_hash_create(gp, &table, &region_sums));
    TRY(gp_buffer_create(gp, ROWS * 4, NULL, &by_customer.keys));
    TRY(gp_buffer_create(gp, ROWS * 4, NULL, &by_customer.values));
    TRY(gp_buffer_create(gp, 4, NULL, &by_customer.live_count));
    by_region.keys = by_customer.keys; /* read before they are written again */
    by_region.values = by_customer.values;
    by_region.live_count = by_customer.live_count;

    TRY(gp_hash_insert(gp, region_of, &customers));
    TRY(gp_hash_insert_or_apply(gp, order_sums, &orders)); /* group by customer */
    TRY(gp_hash_retrieve(gp, order_sums, &by_customer));
    join.keys = join.values =
        by_customer.keys; /* each customer becomes its region; how many, the device knows */
    join.count_buffer = by_customer.live_count;
    TRY(gp_hash_find(gp, region_of, &join));
    sums.keys = by_customer.keys;
    sums.values = by_customer.values;
    sums.count = ROWS;
    sums.count_buffer = by_customer.live_count;
    sums.count_type = GP_U32;
    TRY(gp_hash_insert_or_apply(gp, region_sums, &sums)); /* group by region */
    TRY(gp_hash_retrieve(gp, region_sums, &by_region));

    clEnqueueReadBuffer(gp_cl_queue(gp), by_region.live_count, CL_TRUE, 0, 4, &n, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), by_region.keys, CL_TRUE, 0, sizeof region, region, 0, NULL, NULL);
    clEnqueueReadBuffer(gp_cl_queue(gp), by_region.values, CL_TRUE, 0, sizeof cents, cents, 0, NULL, NULL);
    printf("%s\n", gp_context_info(gp)->name);
    for (i = 0; i < n; i++) printf("%-14s %8.2f\n", regions[region[i]], cents[i] / 100.);
    gp_context_destroy(gp); /* and the tables; the process's end takes the buffers */
    return 0;
}
