/* Chapter "Choosing a call": medians of rows and of segments. */
#include "manual.h"

enum { ROWS = 100, COLUMNS = 501, N = ROWS * COLUMNS };
static float host[N], medians[ROWS];

static int compare(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static void expect_medians(gp_context *gp, cl_mem found)
{
    read_back(gp, found, sizeof medians, medians);
    for (int r = 0; r < ROWS; r++) {
        float row[COLUMNS];
        memcpy(row, host + r * COLUMNS, sizeof row);
        qsort(row, COLUMNS, sizeof *row, compare);
        EXPECT(medians[r] == row[COLUMNS / 2]);
    }
}

int main(void)
{
    gp_context *gp = open_context();
    cl_uint host_offsets[ROWS + 1];
    for (int i = 0; i < N; i++) host[i] = (float)((i * 7919LL) % 10007) / 1000;
    for (int r = 0; r <= ROWS; r++) host_offsets[r] = r * COLUMNS;
    cl_mem keys = buffer_of(gp, sizeof host, host), sorted = buffer_of(gp, sizeof host, NULL);
    cl_mem offsets = buffer_of(gp, sizeof host_offsets, host_offsets);
    cl_mem found = buffer_of(gp, sizeof medians, NULL);
    /* [rows] */
    gp_segmented_sort_desc sort = {.keys = keys,
                                   .keys_out = sorted,
                                   .count = N,
                                   .row_length = COLUMNS,
                                   .segment_count = ROWS,
                                   .key_type = GP_F32};
    TRY(gp_segmented_sort(gp, &sort));

    const cl_uint columns = COLUMNS;
    const gp_arg args[] = {{.name = "key", .type = GP_F32, .buffer = sorted},
                           {.name = "columns", .type = GP_U32, .value = &columns}};
    gp_transform_desc middle = {
        .out = found,
        .out_type = GP_F32,
        .count = ROWS,
        .args = args,
        .arg_count = 2,
        .map = "(key[i * columns + (columns - 1) / 2] + key[i * columns + columns / 2]) / 2"};
    TRY(gp_transform(gp, &middle));
    /* [/rows] */
    expect_medians(gp, found);
    /* [segments] */
    sort.row_length = 0;
    sort.offsets = offsets;
    sort.offsets_type = GP_U32;
    TRY(gp_segmented_sort(gp, &sort));

    const gp_arg ends[] = {{.name = "key", .type = GP_F32, .buffer = sorted},
                           {.name = "begin", .type = GP_U32, .buffer = offsets}};
    middle.args = ends;
    middle.map = "begin[i] == begin[i + 1] ? NAN /* of an empty segment */"
                 " : (key[begin[i] + (begin[i + 1] - begin[i] - 1) / 2] + key[begin[i] + (begin[i + 1] - "
                 "begin[i]) / 2]) / 2";
    TRY(gp_transform(gp, &middle));
    /* [/segments] */
    expect_medians(gp, found);
    clReleaseMemObject(keys);
    clReleaseMemObject(sorted);
    clReleaseMemObject(offsets);
    clReleaseMemObject(found);
    gp_context_destroy(gp);
    return 0;
}
