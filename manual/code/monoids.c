/* Chapter "Monoids". */
#include "manual.h"

/* [type] */
/* Of a set of numbers: how many, their mean, and the sum of squared distances from it. */
typedef struct moments {
    float count, mean, spread;
} moments;

static const moments none = {0, 0, 0};

static const gp_monoid merge_moments = {
    .type = "moments",
    .source = "typedef struct { float count, mean, spread; } moments;\n"
              "moments merge(moments a, moments b)\n"
              "{\n"
              "    const float n = a.count + b.count, apart = b.mean - a.mean;\n"
              "    if (a.count == 0) return b;\n"
              "    if (b.count == 0) return a;\n"
              "    a.mean += apart * b.count / n;\n"
              "    a.spread += b.spread + apart * apart * a.count * b.count / n;\n"
              "    a.count = n;\n"
              "    return a;\n"
              "}\n",
    .combine = "merge",
    .identity = &none,
    .size = sizeof(moments),
    .commutative = true};
/* [/type] */

static void variance(gp_context *gp)
{
    float numbers[1000];
    for (int i = 0; i < 1000; i++) numbers[i] = (float)(i % 10);
    cl_mem in = buffer_of(gp, sizeof numbers, numbers);
    /* [reduce] */
    moments all;
    gp_reduce_desc d = {
        .in = in, .count = 1000, .type = GP_F32, .monoid = &merge_moments, .map = "(moments){1, x, 0}"};
    TRY(gp_reduce_read(gp, &d, &all));
    /* all.mean is the mean, all.spread / all.count the variance */
    /* [/reduce] */
    EXPECT(all.count == 1000 && fabsf(all.mean - 4.5f) < 1e-4f &&
           fabsf(all.spread / all.count - 8.25f) < 1e-3f);
    clReleaseMemObject(in);
}

static void check(gp_context *gp)
{
    /* [check] */
    const moments samples[] = {{1, 3, 0}, {1, -2, 0}, {4, 0.5f, 10}, {100, 7, 50}};
    gp_check_monoid_desc laws = {
        .monoid = &merge_moments, .samples = samples, .sample_count = 4, .tolerance = 1e-3f};
    TRY(gp_check_monoid(gp, &laws));
    /* [/check] */
    /* [wrong] */
    const float zero = 0;
    const gp_monoid mean = {.type = "float",
                            .source = "float mean(float a, float b) { return (a + b) / 2; }",
                            .combine = "mean",
                            .identity = &zero,
                            .size = sizeof zero,
                            .commutative = true};
    gp_check_monoid_desc wrong = {.monoid = &mean};
    gp_result result = gp_check_monoid(gp, &wrong); /* GP_ERROR_LAW */
    puts(gp_last_error(gp));                        /* which elements violate which law */
    /* [/wrong] */
    EXPECT(result == GP_ERROR_LAW);
}

static void with_arguments(gp_context *gp)
{
    const float numbers[5] = {1, 2, 3, 4, 5};
    float out[5];
    cl_mem in = buffer_of(gp, sizeof numbers, numbers), sums = buffer_of(gp, sizeof out, NULL);
    /* [args] */
    const float zero = 0, limit = 8;
    const gp_monoid saturating = {
        .type = "float",
        .source = "float add(float a, float b, float limit) { return min(a + b, limit); }",
        .combine = "add",
        .identity = &zero,
        .size = sizeof zero,
        .takes_args = true};
    const gp_arg args[] = {{.name = "limit", .type = GP_F32, .value = &limit}};
    gp_scan_desc d = {.in = in, .out = sums, .count = 5, .monoid = &saturating, .args = args, .arg_count = 1};
    TRY(gp_scan(gp, &d)); /* 1 3 6 8 8 */
    /* [/args] */
    read_back(gp, sums, sizeof out, out);
    EXPECT(out[2] == 6 && out[3] == 8 && out[4] == 8);
    clReleaseMemObject(in);
    clReleaseMemObject(sums);
}

int main(void)
{
    gp_context *gp = open_context();
    variance(gp);
    check(gp);
    with_arguments(gp);
    gp_context_destroy(gp);
    return 0;
}
