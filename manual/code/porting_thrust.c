/* Chapter "From Thrust". */
#include "manual.h"

int main(void)
{
    enum { N = 1000 };
    float numbers[N], sorted[N];
    uint32_t keys[N], positions[N];
    gp_context *gp = open_context();
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = (i * 7919) % N;
        numbers[i] = (float)keys[i] - 500;
    }
    cl_mem x = buffer_of(gp, sizeof numbers, numbers), y = buffer_of(gp, sizeof numbers, NULL);
    cl_mem k = buffer_of(gp, sizeof keys, keys), begins = buffer_of(gp, sizeof keys, NULL);
    const size_t n = N;

    /* [transform-reduce] */
    float norm;
    gp_reduce_desc squares = {.in = x, .count = n, .type = GP_F32, .map = "x * x", .op = GP_SUM};
    TRY(gp_reduce_read(gp, &squares, &norm));
    norm = sqrtf(norm);
    /* [/transform-reduce] */
    EXPECT(fabsf(norm - 9128.7f) < 1);

    /* [copy-if] */
    uint64_t kept;
    gp_select_desc positive = {.in = x, .out = y, .count = n, .type = GP_F32, .predicate = "x > 0"};
    TRY(gp_select_read(gp, &positive, &kept));
    /* [/copy-if] */
    EXPECT(kept == 499);

    /* [saxpy] */
    const float a = 2;
    const gp_arg args[] = {{.name = "a", .type = GP_F32, .value = &a}};
    gp_transform_desc saxpy = {.in = x,
                               .in2 = y,
                               .out = y,
                               .type = GP_F32,
                               .count = n,
                               .map = "a * x + y",
                               .args = args,
                               .arg_count = 1};
    TRY(gp_transform(gp, &saxpy));
    /* [/saxpy] */

    /* [sort] */
    gp_sort_desc sort = {.keys = k, .values = x, .count = n, .key_type = GP_U32, .value_size = sizeof(float)};
    TRY(gp_sort(gp, &sort)); /* in place, stable */
    /* [/sort] */
    read_back(gp, x, sizeof sorted, sorted);
    EXPECT(sorted[0] == -500 && sorted[N - 1] == 499);

    /* [argmax] */
    uint64_t where;
    gp_reduce_desc largest = {.in = x, .count = n, .type = GP_F32, .op = GP_ARGMAX};
    TRY(gp_reduce_read(gp, &largest, &where));
    /* [/argmax] */
    EXPECT(where == N - 1);

    /* [buckets] */
    gp_search_desc lower = {.keys = k,
                            .count = n,
                            .key_type = GP_U32,
                            .needle_count = 100,
                            .out = begins,
                            .out_type = GP_U32}; /* no needles: 0, 1, 2, ... */
    TRY(gp_search(gp, &lower));
    /* [/buckets] */
    read_back(gp, begins, sizeof positions, positions);
    EXPECT(positions[0] == 0 && positions[99] == 99);

    cl_mem buffers[] = {x, y, k, begins};
    for (int i = 0; i < 4; i++) clReleaseMemObject(buffers[i]);
    gp_context_destroy(gp);
    return 0;
}
