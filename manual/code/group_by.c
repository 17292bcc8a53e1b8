/* Chapter "Choosing a call": six results for each group, in five ways. With a number of rows it times them:

       build/manual.code/group_by 5000000        milliseconds of the CPU, all cores together */
#include "manual.h"

#include <time.h>

/* [monoid] */
typedef struct sale { /* what gp_sort moves with each key: up to 16 bytes */
    uint32_t cents, quantity;
} sale;

typedef struct summary { /* of a group */
    uint64_t cents, quantity;
    uint32_t sales, least, most, largest;
} summary;

static const gp_record sale_record = {
    .cl_type = "sale", .size = sizeof(sale), .source = "typedef struct { uint cents, quantity; } sale;\n"};

static const summary no_sales = {.least = UINT32_MAX};

static const gp_monoid add_summaries = {
    .type = "summary",
    .source = "typedef struct { ulong cents, quantity; uint sales, least, most, largest; } summary;\n"
              "summary add(summary a, summary b)\n"
              "{\n"
              "    a.cents += b.cents;\n"
              "    a.quantity += b.quantity;\n"
              "    a.sales += b.sales;\n"
              "    a.least = min(a.least, b.least);\n"
              "    a.most = max(a.most, b.most);\n"
              "    a.largest = max(a.largest, b.largest);\n"
              "    return a;\n"
              "}\n",
    .combine = "add",
    .identity = &no_sales,
    .size = sizeof(summary),
    .commutative = true,
    .exact = true};
/* [/monoid] */

static gp_context *gp;
static size_t n, groups;
static cl_mem shops, sales, columns[2];                                           /* the input */
static cl_mem sorted_shops, sorted_sales, order, gathered[2], keys, out, outs[6]; /* room for n */
static const summary *expected;
static const uint32_t *shop_of_row, *number_of_shop; /* of the groups in `expected` */

static uint64_t run(gp_reduce_by_key_desc d)
{
    uint64_t runs;
    d.keys = sorted_shops;
    d.keys_out = keys;
    d.out = out;
    d.count = n;
    d.key_type = GP_U32;
    TRY(gp_reduce_by_key_read(gp, &d, &runs));
    return runs;
}

static void sort_rows(void)
{
    /* [sort] */
    gp_sort_desc by_shop = {.keys = shops,
                            .keys_out = sorted_shops,
                            .values = sales,
                            .values_out = sorted_sales,
                            .count = n,
                            .key_type = GP_U32,
                            .value_size = sizeof(sale)};
    TRY(gp_sort(gp, &by_shop));
    /* [/sort] */
}

static void one_call(void)
{
    sort_rows();
    /* [reduce] */
    uint64_t found;
    gp_reduce_by_key_desc summarize = {.keys = sorted_shops,
                                       .in = sorted_sales,
                                       .keys_out = keys,
                                       .out = out,
                                       .count = n,
                                       .key_type = GP_U32,
                                       .record = &sale_record,
                                       .map =
                                           "(summary){x.cents, x.quantity, 1, x.cents, x.cents, x.quantity}",
                                       .monoid = &add_summaries};
    TRY(gp_reduce_by_key_read(gp, &summarize, &found));
    /* [/reduce] */
    summary *got = malloc(n * sizeof *got);
    EXPECT(found == groups && got != NULL);
    read_back(gp, out, groups * sizeof *got, got);
    EXPECT(memcmp(got, expected, groups * sizeof *got) == 0);
    free(got);
}

/* The results, one by one: what is reduced of a row, of a gathered column, of a column by an index. */
static const struct {
    const char *of_row, *by_index;
    int column;
    gp_op op;
    size_t offset, size;
} results[] = {{"x.cents", "cents[x]", 0, GP_SUM, offsetof(summary, cents), 8},
               {"x.quantity", "quantity[x]", 1, GP_SUM, offsetof(summary, quantity), 8},
               {"1u", "1u", 0, GP_SUM, offsetof(summary, sales), 4},
               {"x.cents", "cents[x]", 0, GP_MIN, offsetof(summary, least), 4},
               {"x.cents", "cents[x]", 0, GP_MAX, offsetof(summary, most), 4},
               {"x.quantity", "quantity[x]", 1, GP_MAX, offsetof(summary, largest), 4}};
enum { RESULTS = sizeof results / sizeof *results };

static gp_reduce_by_key_desc result_desc(int k)
{
    const gp_type type = results[k].size == 8 ? GP_U64 : GP_U32;
    return (gp_reduce_by_key_desc){.type = GP_U32, .out_type = type, .op = results[k].op};
}

static void check_result(int k, uint64_t found)
{
    const size_t size = results[k].size;
    char *got = malloc(groups * size);
    EXPECT(found == groups && got != NULL);
    read_back(gp, out, groups * size, got);
    for (size_t g = 0; g < groups; g++)
        EXPECT(memcmp(got + g * size, (const char *)&expected[g] + results[k].offset, size) == 0);
    free(got);
}

static void six_calls(void)
{
    sort_rows();
    for (int k = 0; k < RESULTS; k++) {
        gp_reduce_by_key_desc d = result_desc(k);
        d.type = GP_TYPE_NONE;
        d.in = sorted_sales;
        d.record = &sale_record;
        d.map = results[k].of_row;
        check_result(k, run(d));
    }
}

static void argsort(void)
{
    gp_sort_desc d = {
        .keys = shops, .keys_out = sorted_shops, .values_out = order, .count = n, .key_type = GP_U32};
    TRY(gp_argsort(gp, &d));
}

static void six_calls_of_columns(void)
{
    argsort();
    for (int k = 0; k < 2; k++) {
        gp_gather_desc d = {.in = columns[k],
                            .indices = order,
                            .out = gathered[k],
                            .element_size = 4,
                            .limit = n,
                            .count = n};
        TRY(gp_gather(gp, &d));
    }
    for (int k = 0; k < RESULTS; k++) {
        gp_reduce_by_key_desc d = result_desc(k);
        d.in = gathered[results[k].column];
        if (k == 2) d.map = "1u";
        check_result(k, run(d));
    }
}

static void six_calls_by_index(void)
{
    const gp_arg args[] = {{.name = "cents", .type = GP_U32, .buffer = columns[0]},
                           {.name = "quantity", .type = GP_U32, .buffer = columns[1]}};
    argsort();
    for (int k = 0; k < RESULTS; k++) {
        gp_reduce_by_key_desc d = result_desc(k);
        d.in = order;
        d.map = results[k].by_index;
        d.args = args;
        d.arg_count = 2;
        check_result(k, run(d));
    }
}

/* Groups are in the order of their first rows, not of their keys. */
static void check_groups(cl_mem rows, const cl_mem *outs, uint64_t found)
{
    uint32_t *first = malloc(groups * 4);
    char *got = malloc(groups * 8);
    EXPECT(found == groups && first != NULL && got != NULL);
    read_back(gp, rows, groups * 4, first);
    for (int k = 0; k < RESULTS; k++) {
        const size_t size = results[k].size;
        read_back(gp, outs[k], groups * size, got);
        for (size_t g = 0; g < groups; g++) {
            const summary *right = &expected[number_of_shop[shop_of_row[first[g]]]];
            EXPECT(memcmp(got + g * size, (const char *)right + results[k].offset, size) == 0);
        }
    }
    free(first);
    free(got);
}

static void one_group_by(void)
{
    const cl_mem cents = columns[0], quantity = columns[1], first = keys;
    uint64_t found;
    /* [group] */
    const gp_key_column key = {.in = shops, .type = GP_U32};
    const gp_arg args[] = {{.name = "cents", .type = GP_U32, .buffer = cents},
                           {.name = "quantity", .type = GP_U32, .buffer = quantity}};
    const gp_group_result wanted[] = {
        {.op = GP_SUM, .map = "cents[i]", .map_type = GP_U32, .out = outs[0]},
        {.op = GP_SUM, .map = "quantity[i]", .map_type = GP_U32, .out = outs[1]},
        {.op = GP_COUNT, .out = outs[2]},
        {.op = GP_MIN, .map = "cents[i]", .map_type = GP_U32, .out = outs[3]},
        {.op = GP_MAX, .map = "cents[i]", .map_type = GP_U32, .out = outs[4]},
        {.op = GP_MAX, .map = "quantity[i]", .map_type = GP_U32, .out = outs[5]},
    };
    gp_group_by_desc group = {.columns = &key,
                              .column_count = 1,
                              .count = n,
                              .rows_out = first, /* the first row of each group */
                              .results = wanted,
                              .result_count = 6,
                              .args = args,
                              .arg_count = 2};
    TRY(gp_group_by_read(gp, &group, &found));
    /* [/group] */
    check_groups(first, outs, found);
}

static void fill(size_t most)
{
    uint32_t *key = malloc(n * 4), *column[2] = {malloc(n * 4), malloc(n * 4)}, random = 1;
    sale *row = malloc(n * sizeof *row);
    summary *sums = malloc(most * sizeof *sums);
    uint32_t *number = malloc(most * sizeof *number);
    for (size_t g = 0; g < most; g++) sums[g] = no_sales;
    for (size_t i = 0; i < n; i++) {
        random = random * 1664525u + 1013904223u;
        key[i] = (uint32_t)((uint64_t)random * most >> 32);
        row[i].cents = column[0][i] = random % 10007;
        row[i].quantity = column[1][i] = 1 + random % 7;
        sums[key[i]].cents += row[i].cents;
        sums[key[i]].quantity += row[i].quantity;
        sums[key[i]].sales++;
        if (row[i].cents < sums[key[i]].least) sums[key[i]].least = row[i].cents;
        if (row[i].cents > sums[key[i]].most) sums[key[i]].most = row[i].cents;
        if (row[i].quantity > sums[key[i]].largest) sums[key[i]].largest = row[i].quantity;
    }
    groups = 0;
    for (size_t g = 0; g < most; g++) {
        number[g] = (uint32_t)groups;
        if (sums[g].sales) sums[groups++] = sums[g];
    }
    expected = sums;
    number_of_shop = number;
    shop_of_row = key;
    shops = buffer_of(gp, n * 4, key);
    sales = buffer_of(gp, n * sizeof *row, row);
    for (int k = 0; k < 2; k++) columns[k] = buffer_of(gp, n * 4, column[k]);
    free(column[0]);
    free(column[1]);
    free(row);
}

static void time_of(const char *name, void (*way)(void), bool printed)
{
    double least = 1e9;
    for (int k = 0; k < (printed ? 7 : 1); k++) {
        const clock_t begin = clock();
        way();
        const double took = 1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (took < least) least = took;
    }
    if (printed) printf("%-48s %6.0f\n", name, least);
}

int main(int count, char **arguments)
{
    const bool printed = count > 1;
    n = printed ? strtoul(arguments[1], NULL, 10) : 100003;
    gp = open_context();
    fill(n / 64);
    sorted_shops = buffer_of(gp, n * 4, NULL);
    sorted_sales = buffer_of(gp, n * sizeof(sale), NULL);
    order = buffer_of(gp, n * 4, NULL);
    for (int k = 0; k < 2; k++) gathered[k] = buffer_of(gp, n * 4, NULL);
    keys = buffer_of(gp, n * 4, NULL);
    out = buffer_of(gp, n * sizeof(summary), NULL);
    for (int k = 0; k < RESULTS; k++) outs[k] = buffer_of(gp, n * results[k].size, NULL);
    time_of("gp_group_by", one_group_by, printed);
    time_of("gp_sort of rows; one call with a monoid", one_call, printed);
    time_of("gp_sort of rows; a call for each result", six_calls, printed);
    time_of("gp_argsort, gp_gather; a call for each result", six_calls_of_columns, printed);
    time_of("gp_argsort; a call for each, by index", six_calls_by_index, printed);
    cl_mem all[] = {shops,   sales,       columns[0],  columns[1], sorted_shops, sorted_sales,
                    order,   gathered[0], gathered[1], keys,       out,          outs[0],
                    outs[1], outs[2],     outs[3],     outs[4],    outs[5]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) clReleaseMemObject(all[k]);
    gp_context_destroy(gp);
    free((void *)expected);
    free((void *)shop_of_row);
    free((void *)number_of_shop);
    return 0;
}
