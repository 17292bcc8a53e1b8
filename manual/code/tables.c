/* Chapter "Tables": a query with two key columns and several results, a join and a semi join. */
#include "manual.h"

enum { ROWS = 5000, CITIES = 40, PRODUCTS = 11, CHOSEN = 7, REGIONS = 30 };
static uint32_t city[ROWS], product[ROWS], chosen[CHOSEN], region_city[REGIONS];
static float price[ROWS];
static uint32_t quantity[ROWS];

typedef struct result {
    float revenue, greatest;
    uint32_t sales;
} result;

static void fill(void)
{
    for (uint32_t i = 0; i < ROWS; i++) {
        city[i] = i * 2654435761u >> 16 & 0xffff;
        city[i] = city[i] % CITIES;
        product[i] = i * 40503u % PRODUCTS;
        price[i] = (float)(1 + i % 17) / 4;
        quantity[i] = 1 + i % 5;
    }
    for (uint32_t k = 0; k < CHOSEN; k++) chosen[k] = 5 * k;
    for (uint32_t k = 0; k < REGIONS; k++) region_city[k] = k * 7 % 20; /* some cities are in two regions */
}

static void expect_groups(const uint32_t *rows, const result *results, size_t groups)
{
    size_t next = 0;
    for (size_t i = 0; i < ROWS; i++) {
        result expected = {0};
        size_t first = 0;
        while (city[first] != city[i] || product[first] != product[i]) first++;
        if (first < i) continue;
        EXPECT(next < groups && rows[next] == i);
        for (size_t j = i; j < ROWS; j++) {
            if (city[j] != city[i] || product[j] != product[i]) continue;
            expected.revenue += price[j] * (float)quantity[j];
            if (price[j] > expected.greatest) expected.greatest = price[j];
            expected.sales++;
        }
        EXPECT(fabsf(results[next].revenue - expected.revenue) < 1e-4f * expected.revenue);
        EXPECT(results[next].greatest == expected.greatest && results[next].sales == expected.sales);
        next++;
    }
    EXPECT(next == groups);
}

static void expect_pairs(gp_context *gp, cl_mem sale, cl_mem region, size_t pairs)
{
    static uint32_t sales[ROWS * REGIONS], regions[ROWS * REGIONS];
    size_t next = 0;
    read_back(gp, sale, 4 * pairs, sales);
    read_back(gp, region, 4 * pairs, regions);
    for (uint32_t i = 0; i < ROWS; i++)
        for (uint32_t k = 0; k < REGIONS; k++)
            if (city[i] == region_city[k]) {
                EXPECT(next < pairs && sales[next] == i && regions[next] == k);
                next++;
            }
    EXPECT(next == pairs);
}

int main(void)
{
    gp_context *gp = open_context();
    fill();
    cl_mem cities = buffer_of(gp, sizeof city, city), products = buffer_of(gp, sizeof product, product);
    cl_mem prices = buffer_of(gp, sizeof price, price), quantities = buffer_of(gp, sizeof quantity, quantity);
    cl_mem rows = buffer_of(gp, 2 * sizeof city, NULL), revenue = buffer_of(gp, sizeof price, NULL);
    cl_mem greatest = buffer_of(gp, 2 * sizeof price, NULL), sales = buffer_of(gp, sizeof city, NULL);
    cl_mem allowed = buffer_of(gp, sizeof chosen, chosen);
    cl_mem region_cities = buffer_of(gp, sizeof region_city, region_city);
    size_t n = ROWS;
    /* [group] */
    const gp_key_column columns[] = {{.in = cities, .type = GP_U32}, {.in = products, .type = GP_U32}};
    const gp_arg args[] = {{.name = "price", .type = GP_F32, .buffer = prices},
                           {.name = "quantity", .type = GP_U32, .buffer = quantities}};
    const gp_group_result results[] = {
        {.op = GP_SUM, .map = "price[i] * quantity[i]", .map_type = GP_F32, .out = revenue},
        {.op = GP_MAX, .map = "price[i]", .map_type = GP_F32, .out = greatest},
        {.op = GP_COUNT, .out = sales},
    };
    gp_group_by_desc group = {.columns = columns,
                              .column_count = 2,
                              .count = n,
                              .rows_out = rows, /* the first row of each group */
                              .results = results,
                              .result_count = 3,
                              .args = args,
                              .arg_count = 2};
    uint64_t groups;
    TRY(gp_group_by_read(gp, &group, &groups));
    /* [/group] */
    static uint32_t host_rows[ROWS], host_sales[ROWS];
    static float host_revenue[ROWS], host_greatest[ROWS];
    static result host_results[ROWS];
    read_back(gp, rows, sizeof host_rows, host_rows);
    read_back(gp, revenue, sizeof host_revenue, host_revenue);
    read_back(gp, greatest, sizeof host_greatest, host_greatest);
    read_back(gp, sales, sizeof host_sales, host_sales);
    for (uint32_t g = 0; g < groups; g++)
        host_results[g] = (result){host_revenue[g], host_greatest[g], host_sales[g]};
    expect_groups(host_rows, host_results, (size_t)groups);
    /* [join] */
    const gp_key_column left = {.in = cities, .type = GP_U32}, right = {.in = region_cities, .type = GP_U32};
    gp_join_desc join = {.left = &left,
                         .right = &right, /* the smaller table */
                         .column_count = 1,
                         .left_count = n,
                         .right_count = REGIONS};
    uint64_t pairs;
    TRY(gp_join_read(gp, &join, &pairs)); /* without outputs: how many pairs there are */
    cl_mem sale, region;
    TRY(gp_buffer_create(gp, (size_t)(4 * pairs), NULL, &sale));
    TRY(gp_buffer_create(gp, (size_t)(4 * pairs), NULL, &region));
    join.left_out = sale;
    join.right_out = region;
    join.capacity = (size_t)pairs;
    TRY(gp_join(gp, &join));
    /* [/join] */
    expect_pairs(gp, sale, region, (size_t)pairs);
    /* [joined] */
    const gp_key_column by = {.in = region, .type = GP_U32};
    const gp_arg sold[] = {{.name = "price", .type = GP_F32, .buffer = prices},
                           {.name = "sale", .type = GP_U32, .buffer = sale}};
    const gp_group_result best = {.op = GP_MAX, .map = "price[sale[i]]", .map_type = GP_F32, .out = greatest};
    gp_group_by_desc group_pairs = {.columns = &by,
                                    .column_count = 1,
                                    .count = (size_t)pairs,
                                    .rows_out = rows, /* a pair of each region */
                                    .results = &best,
                                    .result_count = 1,
                                    .args = sold,
                                    .arg_count = 2};
    uint64_t regions;
    TRY(gp_group_by_read(gp, &group_pairs, &regions));
    /* [/joined] */
    EXPECT(regions == REGIONS);
    size_t places = n + 1;
    cl_mem offsets = buffer_of(gp, 8 * places, NULL);
    /* [build] */
    gp_join_desc once = {.right = &right, .column_count = 1, .right_count = REGIONS};
    size_t bytes;
    TRY(gp_join_table_size(gp, &once, &bytes));
    TRY(gp_buffer_create(gp, bytes, NULL, &once.table));
    TRY(gp_join_build(gp, &once));
    join.table = once.table;    /* for any number of joins */
    join.offsets_out = offsets; /* n + 1 numbers, GP_U64 */
    TRY(gp_join(gp, &join));
    /* [/build] */
    expect_pairs(gp, sale, region, (size_t)pairs);
    static uint64_t host_offsets[ROWS + 1];
    read_back(gp, offsets, sizeof host_offsets, host_offsets);
    EXPECT(host_offsets[0] == 0 && host_offsets[ROWS] == pairs);
    cl_mem found = buffer_of(gp, ROWS, NULL);
    /* [bloom] */
    gp_bloom_desc filter = {.columns = &right, .column_count = 1, .count = REGIONS};
    filter.block_count = gp_bloom_blocks(REGIONS, .01); /* 1 % of other keys pass */
    TRY(gp_buffer_create(gp, 32 * filter.block_count, NULL, &filter.filter));
    gp_fill_desc empty = {.out = filter.filter, .element_size = 4, .count = 8 * filter.block_count};
    TRY(gp_fill(gp, &empty));
    TRY(gp_bloom_add(gp, &filter));
    filter.columns = &left;
    filter.count = n;
    filter.found = found; /* a byte for each row: gp_select takes it as flags */
    TRY(gp_bloom_contains(gp, &filter));
    /* [/bloom] */
    static unsigned char host_found[ROWS];
    read_back(gp, found, ROWS, host_found);
    for (uint32_t i = 0; i < ROWS; i++) EXPECT(host_found[i] == 1 || city[i] >= 20);
    /* [semi] */
    const gp_key_column key = {.in = cities, .type = GP_U32}, set = {.in = allowed, .type = GP_U32};
    gp_join_desc semi = {.left = &key,
                         .right = &set,
                         .column_count = 1,
                         .kind = GP_JOIN_SEMI,
                         .left_out = rows,
                         .capacity = n,
                         .left_count = n,
                         .right_count = CHOSEN};
    uint64_t kept;
    TRY(gp_join_read(gp, &semi, &kept));
    /* [/semi] */
    read_back(gp, rows, sizeof host_rows, host_rows);
    size_t next = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if (city[i] % 5 == 0 && city[i] < 5 * CHOSEN) EXPECT(host_rows[next++] == i);
    EXPECT(next == kept);
    cl_mem all[] = {cities,  products,      prices, quantities, rows,    revenue,    greatest, sales,
                    allowed, region_cities, sale,   region,     offsets, once.table, found,    filter.filter};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) clReleaseMemObject(all[k]);
    gp_context_destroy(gp);
    return 0;
}
