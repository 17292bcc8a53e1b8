/* Chapters "From Boost.Compute", "From CLOGS", "From Bullet3". */
#include "manual.h"

enum { N = 1000 };
static gp_context *gp;
static const size_t n = N;
static uint32_t numbers[N], results[N];

/* `queue` is a cl_command_queue: in Boost.Compute queue.get(), in C++ bindings queue(). */
static void open_on(cl_command_queue queue)
{
    /* [open] */
    gp_context_desc desc = {.queue = queue};
    if (gp_context_create(&desc, &gp) != GP_OK) puts(gp_last_error(NULL)), exit(1);
    /* [/open] */
}

static void boost_compute(cl_mem v, cl_mem out)
{
    /* [boost] */
    gp_sort_desc sort = {.keys = v, .count = n, .key_type = GP_I32};
    TRY(gp_sort(gp, &sort));

    gp_transform_desc squares = {.in = v, .out = out, .type = GP_I32, .count = n, .map = "x * x"};
    TRY(gp_transform(gp, &squares));

    int32_t sum;
    gp_reduce_desc reduce = {.in = out, .count = n, .type = GP_I32, .out_type = GP_I32, .op = GP_SUM};
    TRY(gp_reduce_read(gp, &reduce, &sum));
    /* [/boost] */
    EXPECT(sum == 332833500);
}

static void clogs(cl_mem buffer, cl_mem values)
{
    const uint32_t offset = 5;
    /* [clogs-scan] */
    gp_scan_desc scan = {.in = buffer,
                         .out = buffer,
                         .count = n,
                         .type = GP_U32,
                         .op = GP_SUM,
                         .exclusive = true,
                         .initial = &offset};
    TRY(gp_scan(gp, &scan));
    /* [/clogs-scan] */
    /* [clogs-sort] */
    gp_sort_desc sort = {
        .keys = buffer, .values = values, .count = n, .key_type = GP_U32, .value_size = 4, .end_bit = 20};
    TRY(gp_sort(gp, &sort));
    /* [/clogs-sort] */
    read_back(gp, buffer, sizeof results, results);
    EXPECT(results[0] == 5 && results[N - 1] == 5 + 499500 - numbers[N - 1]);
}

/* [bullet-record] */
static const gp_record sort_data = {
    .cl_type = "sort_data", .size = 8, .source = "typedef struct { uint key, value; } sort_data;"};
/* [/bullet-record] */

static void bullet(cl_mem pairs, cl_mem cells)
{
    /* [bullet-sort] */
    const gp_sort_column key[] = {{.map = "x.key", .type = GP_U32}};
    gp_sort_records_desc sort = {
        .in = pairs, .record = &sort_data, .count = n, .columns = key, .column_count = 1};
    TRY(gp_sort_records(gp, &sort));
    /* [/bullet-sort] */
    /* [bullet-search] */
    gp_search_desc begins = {.keys = pairs,
                             .record = &sort_data,
                             .map = "x.key",
                             .count = n,
                             .key_type = GP_U32,
                             .needle_count = 10,
                             .out = cells,
                             .out_type = GP_U32};
    TRY(gp_search(gp, &begins)); /* of cells 0 ... 9, of empty ones too */
    /* [/bullet-search] */
    read_back(gp, cells, 10 * sizeof(uint32_t), results);
    for (uint32_t c = 0; c < 10; c++) EXPECT(results[c] == c * N / 10);
}

int main(void)
{
    uint32_t pairs[N][2];
    gp_context *other = open_context();
    open_on(gp_cl_queue(other));
    for (uint32_t i = 0; i < N; i++) {
        numbers[i] = (i * 7919) % N;
        pairs[i][0] = numbers[i] % 10;
        pairs[i][1] = i;
    }
    cl_mem a = buffer_of(gp, sizeof numbers, numbers), b = buffer_of(gp, sizeof numbers, numbers);
    cl_mem c = buffer_of(gp, sizeof pairs, pairs), out = buffer_of(gp, sizeof numbers, NULL);
    boost_compute(a, out);
    clogs(b, a);
    bullet(c, out);
    cl_mem buffers[] = {a, b, c, out};
    for (int i = 0; i < 4; i++) clReleaseMemObject(buffers[i]);
    gp_context_destroy(gp);
    gp_context_destroy(other);
    return 0;
}
