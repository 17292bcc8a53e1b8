/* Chapter "Expressions". */
#include "manual.h"

/* [particle] */
typedef struct particle {
    float position[3];
    float mass;
    uint32_t kind;
} particle;

static const gp_record particle_record = {
    .cl_type = "particle",
    .size = sizeof(particle),
    .source = "typedef struct { float position[3]; float mass; uint kind; } particle;"};
/* [/particle] */

static void maps(gp_context *gp)
{
    const float numbers[6] = {3, -1, 4, -1, 5, -9}, others[6] = {2, 7, 1, 8, 2, 8};
    cl_mem a = buffer_of(gp, sizeof numbers, numbers), b = buffer_of(gp, sizeof others, others);
    const size_t n = 6;
    /* [map] */
    uint64_t positive;
    gp_reduce_desc count = {
        .in = a, .count = n, .type = GP_F32, .map = "x > 0", .out_type = GP_U64, .op = GP_SUM};
    TRY(gp_reduce_read(gp, &count, &positive));

    float dot;
    gp_reduce_desc product = {.in = a, .in2 = b, .count = n, .type = GP_F32, .map = "x * y", .op = GP_SUM};
    TRY(gp_reduce_read(gp, &product, &dot));

    double wallis; /* of the index alone: there is no input */
    gp_reduce_desc series = {.count = 100000,
                             .map = "1 - 1.0 / ((2.0 * i + 3) * (2.0 * i + 3))",
                             .out_type = GP_F64,
                             .op = GP_PROD};
    TRY(gp_reduce_read(gp, &series, &wallis)); /* pi / 4 */
    /* [/map] */
    EXPECT(positive == 3 && dot == 6 - 7 + 4 - 8 + 10 - 72);
    EXPECT(fabs(4 * wallis - 3.14159265) < 1e-4);
    clReleaseMemObject(a);
    clReleaseMemObject(b);
}

static void arguments(gp_context *gp)
{
    float numbers[1000], kept[3];
    const float thresholds[3] = {0.25f, 0.5f, 0.75f};
    for (int i = 0; i < 1000; i++) numbers[i] = (float)i / 1000;
    cl_mem in = buffer_of(gp, sizeof numbers, numbers);
    gp_stats stats;
    TRY(gp_stats_reset(gp));
    /* [args] */
    float limit;
    const gp_arg args[] = {{.name = "limit", .type = GP_F32, .value = &limit}};
    gp_reduce_desc above = {.in = in,
                            .count = 1000,
                            .type = GP_F32,
                            .out_type = GP_F32,
                            .op = GP_SUM,
                            .map = "x >= limit ? x : 0",
                            .args = args,
                            .arg_count = 1};
    for (int i = 0; i < 3; i++) {
        limit = thresholds[i]; /* read during the call: one program for all three */
        TRY(gp_reduce_read(gp, &above, &kept[i]));
    }
    /* [/args] */
    TRY(gp_stats_read(gp, &stats));
    EXPECT(stats.programs_built == 1);
    EXPECT(fabsf(kept[1] - 374.75f) < 0.01f);
    clReleaseMemObject(in);
}

static void table(gp_context *gp)
{
    const uint8_t pixels[4] = {0, 1, 2, 3};
    const float curve[4] = {0, 0.5f, 0.75f, 1};
    float bright[4];
    cl_mem in = buffer_of(gp, sizeof pixels, pixels), lookup = buffer_of(gp, sizeof curve, curve);
    cl_mem out = buffer_of(gp, sizeof bright, NULL);
    /* [table] */
    const gp_arg args[] = {{.name = "curve", .type = GP_F32, .buffer = lookup}};
    gp_transform_desc brighten = {.in = in,
                                  .type = GP_U8,
                                  .out = out,
                                  .out_type = GP_F32,
                                  .count = 4,
                                  .map = "curve[x]",
                                  .args = args,
                                  .arg_count = 1};
    TRY(gp_transform(gp, &brighten));
    /* [/table] */
    read_back(gp, out, sizeof bright, bright);
    EXPECT(!memcmp(bright, curve, sizeof curve));
    clReleaseMemObject(in);
    clReleaseMemObject(lookup);
    clReleaseMemObject(out);
}

static void records(gp_context *gp)
{
    const particle some[4] = {{{0, 0, 0}, 2, 1}, {{1, 0, 0}, 3, 0}, {{2, 0, 0}, 5, 1}, {{3, 0, 0}, 7, 1}};
    particle heavy[4];
    cl_mem particles = buffer_of(gp, sizeof some, some), out = buffer_of(gp, sizeof some, NULL);
    /* [record] */
    float mass;
    gp_reduce_desc total = {.in = particles,
                            .record = &particle_record,
                            .count = 4,
                            .map = "x.mass",
                            .out_type = GP_F32,
                            .op = GP_SUM};
    TRY(gp_reduce_read(gp, &total, &mass));

    uint64_t kept; /* whole particles, packed */
    gp_select_desc of_kind_1 = {
        .in = particles, .out = out, .record = &particle_record, .count = 4, .predicate = "x.kind == 1"};
    TRY(gp_select_read(gp, &of_kind_1, &kept));

    const gp_sort_column by_mass[] = {{.map = "x.mass", .type = GP_F32, .descending = true}};
    gp_sort_records_desc sort = {
        .in = out, .record = &particle_record, .count = kept, .columns = by_mass, .column_count = 1};
    TRY(gp_sort_records(gp, &sort));
    /* [/record] */
    read_back(gp, out, sizeof heavy, heavy);
    EXPECT(mass == 17 && kept == 3 && heavy[0].mass == 7 && heavy[2].mass == 2);
    clReleaseMemObject(particles);
    clReleaseMemObject(out);
}

int main(void)
{
    gp_context *gp = open_context();
    maps(gp);
    arguments(gp);
    table(gp);
    records(gp);
    gp_context_destroy(gp);
    return 0;
}
