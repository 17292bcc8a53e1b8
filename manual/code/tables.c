/* Chapter "Tables": a query with two key columns, several results, and a semi join. */
#include "manual.h"

enum { ROWS = 5000, CITIES = 40, PRODUCTS = 11, CHOSEN = 7 };
static uint32_t city[ROWS], product[ROWS], chosen[CHOSEN];
static float price[ROWS];
static uint32_t quantity[ROWS];

/* [monoid] */
static const char result_source[] = "typedef struct { float revenue, greatest; uint sales; } result;\n"
                                    "result add(result a, result b)\n"
                                    "{\n"
                                    "    a.revenue += b.revenue;\n"
                                    "    a.greatest = fmax(a.greatest, b.greatest);\n"
                                    "    a.sales += b.sales;\n"
                                    "    return a;\n"
                                    "}\n";

typedef struct result {
    float revenue, greatest;
    cl_uint sales;
} result;
/* [/monoid] */

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

int main(void)
{
    gp_context *gp = open_context();
    fill();
    cl_mem cities = buffer_of(gp, sizeof city, city), products = buffer_of(gp, sizeof product, product);
    cl_mem prices = buffer_of(gp, sizeof price, price), quantities = buffer_of(gp, sizeof quantity, quantity);
    cl_mem rows = buffer_of(gp, sizeof city, NULL), order = buffer_of(gp, sizeof city, NULL);
    cl_mem offsets = buffer_of(gp, sizeof city + 4, NULL);
    cl_mem results = buffer_of(gp, ROWS * sizeof(result), NULL);
    cl_mem allowed = buffer_of(gp, sizeof chosen, chosen), found = buffer_of(gp, ROWS, NULL);
    size_t n = ROWS;
    /* [group] */
    const gp_key_column columns[] = {{.in = cities, .type = GP_U32}, {.in = products, .type = GP_U32}};
    gp_group_rows_desc group = {.columns = columns,
                                .column_count = 2,
                                .count = n,
                                .rows_out = rows,   /* the first row of each group */
                                .order_out = order, /* the rows of each group ... */
                                .offsets_out = offsets /* ... and where they begin in `order` */};
    uint64_t groups;
    TRY(gp_group_rows_read(gp, &group, &groups));
    /* [/group] */
    /* [results] */
    const result none = {0};
    const gp_monoid add_results = {.type = "result",
                                   .source = result_source,
                                   .combine = "add",
                                   .identity = &none,
                                   .size = sizeof(result),
                                   .commutative = true};
    const gp_arg args[] = {{.name = "price", .type = GP_F32, .buffer = prices},
                           {.name = "quantity", .type = GP_U32, .buffer = quantities}};
    gp_segmented_reduce_desc reduce = {.in = order, /* x is a row */
                                       .type = GP_U32,
                                       .map = "(result){price[x] * quantity[x], price[x], 1}",
                                       .args = args,
                                       .arg_count = 2,
                                       .monoid = &add_results,
                                       .count = n,
                                       .offsets = offsets,
                                       .offsets_type = GP_U32,
                                       .segment_count = (size_t)groups,
                                       .out = results};
    TRY(gp_segmented_reduce(gp, &reduce));
    /* [/results] */
    static uint32_t host_rows[ROWS];
    static result host_results[ROWS];
    read_back(gp, rows, sizeof host_rows, host_rows);
    read_back(gp, results, sizeof host_results, host_results);
    expect_groups(host_rows, host_results, (size_t)groups);
    /* [semi] */
    const gp_hash_desc desc = {.key_size = 4, .expected_count = CHOSEN};
    gp_hash set;
    TRY(gp_hash_create(gp, &desc, &set));
    gp_hash_insert_desc insert = {.keys = allowed, .count = CHOSEN};
    TRY(gp_hash_insert(gp, set, &insert));
    gp_hash_find_desc find = {.keys = cities, .count = n, .found = found};
    TRY(gp_hash_contains(gp, set, &find));
    gp_select_desc keep = {.flags = found, .indices_out = rows, .count = n, .element_size = 4};
    uint64_t kept;
    TRY(gp_select_read(gp, &keep, &kept));
    /* [/semi] */
    read_back(gp, rows, sizeof host_rows, host_rows);
    size_t next = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        if (city[i] % 5 == 0 && city[i] < 5 * CHOSEN) EXPECT(host_rows[next++] == i);
    EXPECT(next == kept);
    TRY(gp_hash_destroy(gp, set));
    cl_mem all[] = {cities, products, prices, quantities, rows, order, offsets, results, allowed, found};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) clReleaseMemObject(all[k]);
    gp_context_destroy(gp);
    return 0;
}
