/* test_records.c - inputs and outputs that are vectors and structs of the caller's, against plain C. */
#include "../support/support.h"

#define COUNT (test_small() ? (size_t)2003 : (size_t)70001)

/* As OpenCL C lays it out: 16-byte alignment, 32 bytes. */
typedef struct particle {
    float position[4];
    float mass;
    uint32_t id;
    float unused[2];
} particle;

#define PARTICLE_SOURCE                                                                                      \
    "typedef struct { float4 position; float mass; uint id; float2 unused; } particle;\n"                    \
    "static particle moved(particle p, float by) { p.position.y += by; p.id++; return p; }\n"                \
    "static particle made(float m) { particle p; p.position = (float4)(m, 0, 0, 1); p.mass = m; p.id = 7;\n" \
    "    p.unused = (float2)(0); return p; }\n"
static const gp_record particle_record = {
    .cl_type = "particle", .size = sizeof(particle), .source = PARTICLE_SOURCE};

/* Of an odd size, in bytes. */
typedef struct pixel {
    uint8_t c[3]; /* an array: docs/drivers.md, Mesa */
} pixel;
static const gp_record pixel_record = {
    .cl_type = "struct pixel", .size = sizeof(pixel), .source = "struct pixel { uchar c[3]; };"};

static const gp_record float4_record = {.cl_type = "float4", .size = 16},
                       int2_record = {.cl_type = "int2", .size = 8};

typedef struct data {
    gp_context *gp;
    size_t count;
    particle *p;
    pixel *q;
    cl_mem particles, pixels, out, moved;
} data;

enum { FIRST = 2 }; /* offset of the particles, of which the first two are not the call's */

static void data_open(data *d, gp_context *gp, size_t count)
{
    size_t i;
    memset(d, 0, sizeof *d);
    d->gp = gp;
    d->count = count;
    d->p = calloc(count + FIRST, sizeof *d->p);
    d->q = calloc(count + 1, sizeof *d->q);
    assert_non_null(d->p);
    assert_non_null(d->q);
    for (i = 0; i < count + FIRST; i++) {
        d->p[i].position[0] = (float)(i % 37) - 18;
        d->p[i].position[1] = (float)(i * 7 % 11);
        d->p[i].position[3] = 1;
        d->p[i].mass = (float)(test_random() % 64);
        d->p[i].id = (uint32_t)i;
    }
    for (i = 0; i < count; i++) d->q[i] = (pixel){{(uint8_t)i, (uint8_t)(i / 3), (uint8_t)(i * i)}};
    d->particles = test_buffer(gp, (count + FIRST) * sizeof *d->p, d->p);
    d->pixels = test_buffer(gp, (count + 1) * sizeof *d->q, d->q);
    d->out = test_buffer(gp, (count + 1) * 8, NULL);
    d->moved = test_buffer(gp, (count + 1) * sizeof *d->p, NULL);
    d->p += FIRST;
}

static void data_close(data *d)
{
    clReleaseMemObject(d->particles);
    clReleaseMemObject(d->pixels);
    clReleaseMemObject(d->out);
    clReleaseMemObject(d->moved);
    free(d->p - FIRST);
    free(d->q);
}

/* ------------------------------------------------------------------ calls */

static void check_reduce(data *d)
{
    static const gp_op both[2] = {GP_MIN, GP_MAX};
    gp_reduce_desc desc = {.in = d->particles,
                           .in_offset = FIRST,
                           .count = d->count,
                           .record = &particle_record,
                           .map = "x.mass * x.position.w",
                           .out_type = GP_F32,
                           .op = GP_SUM};
    float found = -1, sum = 0, low = d->p[0].mass, high = low;
    gp_value two[2];
    uint32_t at = 0, heaviest = 0;
    size_t i;
    for (i = 0; i < d->count; i++) {
        sum += d->p[i].mass;
        if (d->p[i].mass < low) low = d->p[i].mass;
        if (d->p[i].mass > high) {
            high = d->p[i].mass;
            heaviest = (uint32_t)i;
        }
    }
    assert_gp(d->gp, gp_reduce_read(d->gp, &desc, &found));
    assert_true(found == sum);
    desc.op = GP_ARGMAX;
    desc.out_type = GP_U32;
    desc.map_type = GP_F32;
    assert_gp(d->gp, gp_reduce_read(d->gp, &desc, &at));
    assert_int_equal(at, heaviest);
    desc.op = GP_OP_NONE;
    desc.out_type = GP_TYPE_NONE;
    desc.ops = both;
    desc.op_count = 2;
    assert_gp(d->gp, gp_reduce_read(d->gp, &desc, two));
    assert_true(two[0].f32 == low && two[1].f32 == high);
}

/* Elements of a monoid made of records, in order. */
static void check_monoid(data *d)
{
    gp_monoid monoid = test_affine_monoid;
    gp_reduce_desc desc = {.in = d->pixels,
                           .count = d->count,
                           .record = &pixel_record,
                           .monoid = &monoid,
                           .map = "affine_of(x.c[0], x.c[2])"};
    char source[1024];
    uint32_t found[2], a = 1, b = 0;
    size_t i;
    (void)snprintf(source, sizeof source, "%s%s", test_affine_monoid.source,
                   "static affine affine_of(uint r, uint b) { affine f; f.a = r | 1; f.b = b; return f; }");
    monoid.source = source;
    assert_gp(d->gp, gp_reduce_read(d->gp, &desc, found));
    for (i = 0; i < d->count; i++) {
        b = (d->q[i].c[0] | 1u) * b + d->q[i].c[2];
        a *= d->q[i].c[0] | 1u;
    }
    assert_int_equal(found[0], a);
    assert_int_equal(found[1], b);
}

static void check_scan(data *d)
{
    const gp_scan_desc desc = {.in = d->pixels,
                               .out = d->out,
                               .count = d->count,
                               .record = &pixel_record,
                               .map = "x.c[0] + x.c[1] * 2 + x.c[2] * 4",
                               .out_type = GP_U32,
                               .op = GP_SUM};
    uint32_t *found, sum = 0;
    size_t i;
    assert_gp(d->gp, gp_scan(d->gp, &desc));
    found = test_read(d->gp, d->out, d->count * 4);
    for (i = 0; i < d->count; i++) {
        sum += d->q[i].c[0] + d->q[i].c[1] * 2u + d->q[i].c[2] * 4u;
        if (found[i] != sum) fail_msg("element %zu is %u, not %u", i, found[i], sum);
    }
    free(found);
}

static void check_segments(data *d)
{
    const uint32_t offsets[4] = {0, (uint32_t)d->count / 7, (uint32_t)d->count / 7, (uint32_t)d->count};
    gp_segmented_reduce_desc desc = {.in = d->particles,
                                     .in_offset = FIRST,
                                     .out = d->out,
                                     .count = d->count,
                                     .segment_count = 3,
                                     .offsets_type = GP_U32,
                                     .record = &particle_record,
                                     .map = "x.position.x",
                                     .out_type = GP_F32,
                                     .op = GP_SUM};
    float *found;
    size_t i, s;
    desc.offsets = test_buffer(d->gp, sizeof offsets, offsets);
    assert_gp(d->gp, gp_segmented_reduce(d->gp, &desc));
    found = test_read(d->gp, d->out, 12);
    for (s = 0; s < 3; s++) {
        float sum = 0;
        for (i = offsets[s]; i < offsets[s + 1]; i++) sum += d->p[i].position[0];
        assert_true(found[s] == sum);
    }
    free(found);
    clReleaseMemObject(desc.offsets);
}

/* Runs of five, of which a field is summed. */
static void check_by_key(data *d)
{
    gp_reduce_by_key_desc desc = {.in = d->particles,
                                  .in_offset = FIRST,
                                  .out = d->out,
                                  .count = d->count,
                                  .key_type = GP_U32,
                                  .record = &particle_record,
                                  .map = "x.mass * x.position.w",
                                  .out_type = GP_F32,
                                  .op = GP_SUM};
    uint32_t *keys = malloc(d->count * sizeof *keys);
    uint64_t found = 77;
    float *out;
    size_t i, r;
    assert_non_null(keys);
    for (i = 0; i < d->count; i++) keys[i] = (uint32_t)(i / 5);
    desc.keys = test_buffer(d->gp, d->count * sizeof *keys, keys);
    assert_gp(d->gp, gp_reduce_by_key_read(d->gp, &desc, &found));
    assert_int_equal(found, (d->count + 4) / 5);
    out = test_read(d->gp, d->out, found * sizeof *out);
    for (r = 0; r < found; r++) {
        float sum = 0;
        for (i = 5 * r; i < 5 * r + 5 && i < d->count; i++) sum += d->p[i].mass;
        assert_true(out[r] == sum);
    }
    free(out);
    free(keys);
    clReleaseMemObject(desc.keys);
}

/* Record to number, two records to a number, record to record, in place, number to record. */
static void check_transform(data *d)
{
    const float by = 2.5f;
    const gp_arg arg = {.name = "by", .type = GP_F32, .value = &by};
    gp_transform_desc t = {.in = d->particles,
                           .in_offset = FIRST,
                           .record = &particle_record,
                           .out = d->out,
                           .out_type = GP_F32,
                           .count = d->count,
                           .map = "length(x.position.xw) * x.mass",
                           .args = &arg,
                           .arg_count = 1};
    float *out;
    particle *moved;
    size_t i;
    t.map = "x.position.x + by * x.mass";
    assert_gp(d->gp, gp_transform(d->gp, &t));
    out = test_read(d->gp, d->out, d->count * 4);
    for (i = 0; i < d->count; i++) assert_true(out[i] == d->p[i].position[0] + by * d->p[i].mass);
    free(out);
    t.in2 = d->pixels;
    t.record2 = &pixel_record;
    t.map = "x.mass + y.c[2]";
    assert_gp(d->gp, gp_transform(d->gp, &t));
    out = test_read(d->gp, d->out, d->count * 4);
    for (i = 0; i < d->count; i++) assert_true(out[i] == d->p[i].mass + d->q[i].c[2]);
    free(out);
    t.in2 = NULL;
    t.record2 = NULL;
    t.out_type = GP_TYPE_NONE; /* the input's record */
    t.out = d->moved;
    t.map = "moved(x, by)";
    assert_gp(d->gp, gp_transform(d->gp, &t));
    t.in = d->moved;
    t.in_offset = 0;
    assert_gp(d->gp, gp_transform(d->gp, &t)); /* in place */
    moved = test_read(d->gp, d->moved, (d->count + 1) * sizeof *moved);
    for (i = 0; i < d->count; i++) {
        assert_true(moved[i].position[1] == d->p[i].position[1] + 2 * by);
        assert_int_equal(moved[i].id, d->p[i].id + 2);
        assert_true(moved[i].mass == d->p[i].mass);
    }
    assert_int_equal(moved[d->count].id, 0xa5a5a5a5u);
    free(moved);
    t.in = d->pixels;
    t.record = NULL;
    t.type = GP_U8;
    t.out_record = &particle_record;
    t.map = "made(x + by)";
    assert_gp(d->gp, gp_transform(d->gp, &t));
    moved = test_read(d->gp, d->moved, d->count * sizeof *moved);
    for (i = 0; i < d->count; i++) {
        assert_true(moved[i].mass == ((const uint8_t *)d->q)[i] + by &&
                    moved[i].position[0] == moved[i].mass);
        assert_int_equal(moved[i].id, 7);
    }
    free(moved);
}

/* Vectors need no text; a constant that is one, too. */
static void check_vectors(data *d)
{
    const float scale[4] = {2, 3, 4, 5};
    const gp_arg arg = {.name = "scale", .record = &float4_record, .value = scale};
    gp_transform_desc t = {.in = d->particles,
                           .record = &float4_record,
                           .out = d->moved,
                           .count = 2 * d->count,
                           .map = "x * scale",
                           .args = &arg,
                           .arg_count = 1};
    const gp_transform_desc split = {.in = d->particles,
                                     .in_offset = 1,
                                     .record = &int2_record,
                                     .out = d->out,
                                     .count = d->count,
                                     .map = "x.yx"};
    const float *in = (const float *)(d->p - FIRST);
    float *found;
    int32_t *pairs;
    size_t i;
    assert_gp(d->gp, gp_transform(d->gp, &t));
    found = test_read(d->gp, d->moved, 32 * d->count);
    for (i = 0; i < 8 * d->count; i++)
        if (i % 8 != 5) assert_true(found[i] == in[i] * scale[i % 4]); /* 5: an id */
    free(found);
    assert_gp(d->gp, gp_transform(d->gp, &split));
    pairs = test_read(d->gp, d->out, 8 * d->count);
    for (i = 0; i < 2 * d->count; i++) {
        int32_t wanted;
        memcpy(&wanted, (const char *)(d->p - FIRST) + 8 + 4 * (i ^ 1), 4);
        assert_int_equal(pairs[i], wanted);
    }
    free(pairs);
}

/* Vectors of each type, whose parts a CPU's kernels read one by one: part k counts 2 k + 1 times. */
static const struct {
    const char *name;
    size_t size;
    bool is_unsigned, is_float;
} part_types[] = {{"char", 1, false, false},  {"uchar", 1, true, false}, {"short", 2, false, false},
                  {"ushort", 2, true, false}, {"int", 4, false, false},  {"uint", 4, true, false},
                  {"long", 8, false, false},  {"ulong", 8, true, false}, {"float", 4, false, true},
                  {"double", 8, false, true}};

static void set_part(void *at, size_t type, int value)
{
    const int64_t bits = value;
    const float single = (float)value;
    const double twice = value;
    if (!part_types[type].is_float) memcpy(at, &bits, part_types[type].size); /* little-endian */
    else if (part_types[type].size == 4) memcpy(at, &single, 4);
    else memcpy(at, &twice, 8);
}

static void check_parts_of(data *d, size_t type, size_t parts)
{
    static const char *const map[] = {"(long)x.s0 + 3 * (long)x.s1",
                                      "(long)x.s0 + 3 * (long)x.s1 + 5 * (long)x.s2 + 7 * (long)x.s3"};
    char name[16];
    const gp_record record = {.cl_type = name, .size = parts * part_types[type].size};
    const size_t n = d->count + FIRST, words = n * parts;
    char *in = malloc(words * part_types[type].size + 1);
    int64_t *each = calloc(n + 1, sizeof *each), *found, sum = 0, total;
    cl_mem in_mem;
    size_t i;
    (void)snprintf(name, sizeof name, "%s%zu", part_types[type].name, parts);
    for (i = 0; i < words; i++) {
        const int value = (int)(i * 7919 % 101) - (part_types[type].is_unsigned ? 0 : 50);
        set_part(in + i * part_types[type].size, type, value);
        each[i / parts] += (int64_t)(2 * (i % parts) + 1) * value;
        if (i / parts >= FIRST) sum += (int64_t)(2 * (i % parts) + 1) * value;
    }
    in_mem = test_buffer(d->gp, words * part_types[type].size, in);
    const gp_reduce_desc r = {.in = in_mem,
                              .in_offset = FIRST,
                              .record = &record,
                              .map = map[parts / 4],
                              .out_type = GP_I64,
                              .op = GP_SUM,
                              .count = d->count};
    assert_gp(d->gp, gp_reduce_read(d->gp, &r, &total));
    assert_int_equal(total, sum);
    const gp_transform_desc t = {.in = in_mem,
                                 .in_offset = FIRST,
                                 .record = &record,
                                 .map = map[parts / 4],
                                 .out = d->out,
                                 .out_type = GP_I64,
                                 .count = d->count};
    assert_gp(d->gp, gp_transform(d->gp, &t));
    found = test_read(d->gp, d->out, d->count * sizeof *found);
    for (i = 0; i < d->count; i++) assert_int_equal(found[i], each[FIRST + i]);
    free(found);
    clReleaseMemObject(in_mem);
    free(each);
    free(in);
}

static void check_parts(data *d)
{
    const bool doubles = gp_context_info(d->gp)->fp64;
    size_t type;
    for (type = 0; type < sizeof part_types / sizeof *part_types; type++) {
        if (strcmp(part_types[type].name, "double") == 0 && !doubles) continue;
        check_parts_of(d, type, type % 2 == 0 ? 4 : 2);
    }
}

/* Half a particle: records that a selection moves whole. */
typedef struct half_particle {
    float mass;
    uint32_t id;
    float unused[2];
} half_particle;
static const gp_record half_record = {
    .cl_type = "half_particle",
    .size = sizeof(half_particle),
    .source = "typedef struct { float mass; uint id; float2 unused; } half_particle;"};

static void expect_halves(data *d, cl_mem buffer, const half_particle *wanted, size_t n)
{
    half_particle *found = test_read(d->gp, buffer, (n + 1) * sizeof *found);
    size_t i;
    for (i = 0; i < n; i++)
        if (memcmp(&found[i], &wanted[i], sizeof *found) != 0)
            fail_msg("record %zu of %zu has id %u, not %u", i, n, found[i].id, wanted[i].id);
    assert_int_equal(found[n].id, 0xa5a5a5a5u);
    free(found);
}

/* By a field of each record, and an argument. */
static void check_select(data *d)
{
    const float limit = 30;
    const gp_arg arg = {.name = "limit", .type = GP_F32, .value = &limit};
    gp_select_desc s = {.in = d->particles,
                        .out = d->moved,
                        .count = 2 * (d->count + FIRST),
                        .record = &half_record,
                        .predicate = "i % 2 == 1 && x.mass > limit && x.id % 3 != 0",
                        .args = &arg,
                        .arg_count = 1};
    gp_partition_desc p = {.in = d->particles,
                           .out = d->moved,
                           .count = 2 * (d->count + FIRST),
                           .record = &half_record,
                           .predicate = "i % 2 == 1 && x.mass > limit",
                           .predicate2 = "i % 2 == 1",
                           .args = &arg,
                           .arg_count = 1};
    const half_particle *in = (const half_particle *)(d->p - FIRST);
    half_particle *wanted = malloc((s.count + 1) * sizeof *wanted), *first;
    uint64_t found = 77, parts[3];
    size_t i, n = 0;
    assert_non_null(wanted);
    clReleaseMemObject(d->moved);
    d->moved = s.out = p.out = test_buffer(d->gp, (s.count + 1) * sizeof *in, NULL);
    for (i = 0; i < s.count; i++)
        if (i % 2 == 1 && in[i].mass > limit && in[i].id % 3 != 0) wanted[n++] = in[i];
    assert_gp(d->gp, gp_select_read(d->gp, &s, &found));
    assert_int_equal(found, n);
    expect_halves(d, s.out, wanted, n);
    p.second = test_buffer(d->gp, (s.count + 1) * sizeof *in, NULL);
    p.rest = test_buffer(d->gp, (s.count + 1) * sizeof *in, NULL);
    assert_gp(d->gp, gp_partition_read(d->gp, &p, parts));
    first = test_read(d->gp, p.out, s.count * sizeof *first);
    for (i = n = 0; i < s.count; i++)
        if (i % 2 == 1 && in[i].mass > limit) wanted[n++] = in[i];
    assert_int_equal(parts[0], n);
    for (i = 0; i < n; i++) assert_int_equal(first[i].id, wanted[i].id);
    for (i = n = 0; i < s.count; i++)
        if (i % 2 == 1 && in[i].mass <= limit) wanted[n++] = in[i];
    assert_int_equal(parts[1], n);
    expect_halves(d, p.second, wanted, n);
    assert_int_equal(parts[2], s.count / 2);
    clReleaseMemObject(p.second);
    clReleaseMemObject(p.rest);
    free(first);
    free(wanted);
}

#define PAIR_SOURCE                           \
    "typedef struct { uint n, sum; } pair;\n" \
    "static pair pair_join(pair a, pair b) { pair c; c.n = a.n + b.n; c.sum = a.sum + b.sum; return c; }\n"

/* Of the monoid's own type, whose text both bring. */
static void check_same_source(data *d)
{
    static const gp_record record = {.cl_type = "pair", .size = 8, .source = PAIR_SOURCE};
    static const uint32_t none[2] = {0, 0};
    const gp_monoid monoid = {.type = "pair",
                              .source = PAIR_SOURCE,
                              .combine = "pair_join",
                              .identity = none,
                              .size = 8,
                              .commutative = true,
                              .exact = true};
    const gp_reduce_desc desc = {.in = d->particles,
                                 .in_offset = 4 * FIRST,
                                 .count = 4 * d->count,
                                 .record = &record,
                                 .map = "x",
                                 .monoid = &monoid};
    const uint32_t *words = (const uint32_t *)d->p;
    uint32_t found[2], sums[2] = {0, 0};
    size_t i;
    for (i = 0; i < 8 * d->count; i++) sums[i % 2] += words[i];
    assert_gp(d->gp, gp_reduce_read(d->gp, &desc, found));
    assert_int_equal(found[0], sums[0]);
    assert_int_equal(found[1], sums[1]);
}

/* Large records by flags, positions, and then a gather. */
static void check_by_positions(data *d)
{
    const gp_arg all = {.name = "p", .record = &particle_record, .buffer = d->particles, .offset = FIRST};
    cl_mem flags = test_buffer(d->gp, d->count, NULL), positions = test_buffer(d->gp, 4 * d->count, NULL);
    cl_mem number = test_buffer(d->gp, 4, NULL);
    const gp_transform_desc judge = {.in = d->particles,
                                     .in_offset = FIRST,
                                     .record = &particle_record,
                                     .out = flags,
                                     .out_type = GP_U8,
                                     .count = d->count,
                                     .map = "x.mass > 30"};
    const gp_select_desc select = {
        .flags = flags, .type = GP_U8, .indices_out = positions, .count_out = number, .count = d->count};
    const gp_transform_desc move = {.in = positions,
                                    .type = GP_U32,
                                    .out = d->moved,
                                    .out_record = &particle_record,
                                    .count = d->count,
                                    .count_buffer = number,
                                    .map = "p[x]",
                                    .args = &all,
                                    .arg_count = 1};
    particle *moved;
    size_t i, n = 0;
    assert_gp(d->gp, gp_transform(d->gp, &judge));
    assert_gp(d->gp, gp_select(d->gp, &select));
    assert_gp(d->gp, gp_transform(d->gp, &move));
    moved = test_read(d->gp, d->moved, (d->count + 1) * sizeof *moved);
    for (i = 0; i < d->count; i++)
        if (d->p[i].mass > 30) assert_int_equal(moved[n++].id, d->p[i].id);
    assert_int_equal(moved[n].id, 0xa5a5a5a5u);
    free(moved);
    clReleaseMemObject(flags);
    clReleaseMemObject(positions);
    clReleaseMemObject(number);
}

/* No records: the identity, or nothing. */
static void check_none(data *d)
{
    const uint32_t offsets[3] = {0};
    const gp_sort_column by_mass = {"x.mass", GP_F32, true};
    const gp_reduce_desc reduce = {
        .in = d->particles, .record = &particle_record, .map = "x.id", .out_type = GP_U32, .op = GP_MIN};
    const gp_scan_desc scan = {.in = d->particles,
                               .out = d->out,
                               .record = &particle_record,
                               .map = "x.id",
                               .out_type = GP_U32,
                               .op = GP_SUM};
    gp_segmented_reduce_desc segments = {.in = d->particles,
                                         .out = d->out,
                                         .segment_count = 2,
                                         .offsets_type = GP_U32,
                                         .record = &particle_record,
                                         .map = "x.id",
                                         .out_type = GP_U32,
                                         .op = GP_MIN};
    const gp_reduce_by_key_desc by_key = {.keys = d->particles,
                                          .in = d->particles,
                                          .out = d->out,
                                          .key_type = GP_U32,
                                          .record = &particle_record,
                                          .map = "x.id",
                                          .out_type = GP_U32,
                                          .op = GP_SUM};
    const gp_select_desc select = {
        .in = d->particles, .out = d->moved, .record = &half_record, .predicate = "x.id > 3"};
    const gp_partition_desc partition = {
        .in = d->particles, .out = d->moved, .record = &half_record, .predicate = "x.id > 3"};
    const gp_transform_desc transform = {.in = d->particles,
                                         .out = d->moved,
                                         .record = &particle_record,
                                         .out_record = &particle_record,
                                         .map = "moved(x, 1)"};
    const gp_sort_records_desc sort = {.in = d->particles,
                                       .out = d->moved,
                                       .record = &particle_record,
                                       .columns = &by_mass,
                                       .column_count = 1};
    uint64_t found = 77, parts[2] = {77, 77};
    uint32_t least = 77, *out;
    segments.offsets = test_buffer(d->gp, sizeof offsets, offsets);
    assert_gp(d->gp, gp_reduce_read(d->gp, &reduce, &least));
    assert_int_equal(least, UINT32_MAX);
    assert_gp(d->gp, gp_reduce_by_key_read(d->gp, &by_key, &found));
    assert_int_equal(found, 0);
    found = 77;
    assert_gp(d->gp, gp_select_read(d->gp, &select, &found));
    assert_int_equal(found, 0);
    assert_gp(d->gp, gp_partition_read(d->gp, &partition, parts));
    assert_true(parts[0] == 0 && parts[1] == 0);
    assert_gp(d->gp, gp_scan(d->gp, &scan));
    assert_gp(d->gp, gp_transform(d->gp, &transform));
    assert_gp(d->gp, gp_sort_records(d->gp, &sort));
    out = test_read(d->gp, d->moved, (d->count + 1) * sizeof(particle));
    assert_int_equal(*out, 0xa5a5a5a5u);
    free(out);
    out = test_read(d->gp, d->out, 8);
    assert_int_equal(*out, 0xa5a5a5a5u);
    free(out);
    assert_gp(d->gp, gp_segmented_reduce(d->gp, &segments));
    out = test_read(d->gp, d->out, 8);
    assert_true(out[0] == UINT32_MAX && out[1] == UINT32_MAX);
    free(out);
    clReleaseMemObject(segments.offsets);
}

/* ------------------------------------------------------------------ in every shape */

static void in_shapes(const test_variant *variants, size_t count, void (*check)(data *d))
{
    const size_t sizes[] = {COUNT, 1, 17, 1023, 1025};
    size_t v, k;
    for (v = 0; v < count; v++) {
        gp_context *gp = test_open_other(&variants[v]);
        for (k = 0; gp && k < sizeof sizes / sizeof *sizes; k++) {
            data d;
            data_open(&d, gp, sizes[k]);
            check(&d);
            data_close(&d);
        }
        gp_context_destroy(gp);
    }
}

static void test_reduce(void **state)
{
    (void)state;
    in_shapes(test_shapes, TEST_SHAPES, check_reduce);
    in_shapes(test_shapes, TEST_SHAPES, check_monoid);
    in_shapes(test_shapes, TEST_SHAPES, check_segments);
    in_shapes(test_variants, test_variant_count, check_by_key);
    in_shapes(test_shapes, TEST_SHAPES, check_same_source);
}

static void test_scan(void **state)
{
    (void)state;
    in_shapes(test_variants, test_variant_count, check_scan);
}

static void test_select(void **state)
{
    (void)state;
    in_shapes(test_variants, test_variant_count, check_select);
    in_shapes(test_shapes, TEST_SHAPES, check_by_positions);
}

static void test_transform(void **state)
{
    (void)state;
    in_shapes(test_shapes, TEST_SHAPES, check_transform);
    in_shapes(test_shapes, TEST_SHAPES, check_vectors);
    in_shapes(test_shapes, TEST_SHAPES, check_parts);
}

static void test_none(void **state)
{
    (void)state;
    in_shapes(test_shapes, TEST_SHAPES, check_none);
}

/* ------------------------------------------------------------------ warm-up, bad input */

static void test_warm(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_reduce_desc r = {.record = &particle_record, .map = "x.mass", .out_type = GP_F32, .op = GP_MAX};
    gp_transform_desc t = {.record = &particle_record, .map = "x.mass", .out_type = GP_F32};
    const gp_warmup_desc warm = {.reduce = &r, .transform = &t};
    gp_stats before, after;
    float most;
    data d;
    (void)state;
    data_open(&d, gp, 5000);
    assert_gp(gp, gp_warmup(gp, &warm));
    assert_gp(gp, gp_stats_read(gp, &before));
    r.in = t.in = d.particles;
    t.out = d.out;
    r.count = t.count = 5000;
    assert_gp(gp, gp_reduce_read(gp, &r, &most));
    assert_gp(gp, gp_transform(gp, &t));
    assert_gp(gp, gp_stats_read(gp, &after));
    assert_int_equal(before.programs_built + before.programs_loaded,
                     after.programs_built + after.programs_loaded);
    data_close(&d);
    gp_context_destroy(gp);
}

static void test_bad(void **state)
{
    gp_context *gp = test_open(&test_variants[0], NULL);
    gp_record wrong = {.cl_type = "float4", .size = 12};
    gp_reduce_desc r,
        good_r = {.count = 10, .record = &float4_record, .map = "x.y", .out_type = GP_F32, .op = GP_SUM};
    gp_transform_desc t, good_t = {.count = 10, .record = &float4_record, .map = "x.y", .out_type = GP_F32};
    gp_select_desc s, good_s = {.count = 10, .record = &float4_record, .predicate = "x.y > 0"};
    uint64_t found;
    float out;
    (void)state;
    good_r.in = good_t.in = test_buffer(gp, 160, NULL);
    good_t.out = test_buffer(gp, 160, NULL);
#define REDUCE(change, result, text) \
    r = good_r;                      \
    change;                          \
    assert_gp_fails(gp, gp_reduce_read(gp, &r, &out), result, text)
#define TRANSFORM(change, result, text) \
    t = good_t;                         \
    change;                             \
    assert_gp_fails(gp, gp_transform(gp, &t), result, text)
    REDUCE(r.type = GP_F32, GP_ERROR_INVALID_TYPE, "records take a map, and no type");
    REDUCE(r.map = NULL, GP_ERROR_INVALID_TYPE, "records take a map, and no type");
    REDUCE(r.out_type = GP_TYPE_NONE, GP_ERROR_INVALID_TYPE, "out_type is not set");
    REDUCE(r.op = GP_ARGMIN, GP_ERROR_INVALID_TYPE, "map_type is not set");
    REDUCE(r.record = &wrong, GP_ERROR_BUILD, "a record's size = 12 is not sizeof(cl_type)");
    REDUCE(r.count = 11, GP_ERROR_INVALID_BUFFER, "in has 160 bytes");
    REDUCE(r.in = NULL, GP_ERROR_INVALID_BUFFER, "in is NULL");
    REDUCE(r.in2 = r.in, GP_ERROR_INVALID_TYPE, "type2 is not set");
    REDUCE(r.map = "x.nobody", GP_ERROR_BUILD, "clBuildProgram");
    TRANSFORM(t.type = GP_F32, GP_ERROR_INVALID_TYPE, "type = 9 and a record are given");
    TRANSFORM(t.out_record = &float4_record, GP_ERROR_INVALID_TYPE, "out_type = 9 and a record are given");
    TRANSFORM(t.record = &wrong, GP_ERROR_BUILD, "a record's size = 12 is not sizeof(cl_type)");
    wrong = (gp_record){.cl_type = "float4", .size = 257};
    TRANSFORM(t.record = &wrong, GP_ERROR_INVALID_TYPE, "record->size = 257, must be 1 to 256");
    wrong = (gp_record){.cl_type = "a b;", .size = 4};
    TRANSFORM((t.in2 = t.in, t.record2 = &wrong), GP_ERROR_INVALID_ARGUMENT, "record2->cl_type, line 1: ';'");
    wrong = (gp_record){.cl_type = "mine", .size = 4, .source = "#include \"mine.h\"\n"};
    TRANSFORM(t.record = &wrong, GP_ERROR_INVALID_ARGUMENT, "record->source, line 1: #include");
    wrong = (gp_record){.cl_type = "mine", .size = 4, .source = "#define GPI_WG 1\ntypedef int mine;\n"};
    TRANSFORM(t.record = &wrong, GP_ERROR_INVALID_ARGUMENT, "GPI_WG");
    TRANSFORM(t.count = 11, GP_ERROR_INVALID_BUFFER, "in has 160 bytes");
#define SELECT(change, result, text) \
    s = good_s;                      \
    s.in = good_t.in;                \
    s.out = good_t.out;              \
    change;                          \
    assert_gp_fails(gp, gp_select_read(gp, &s, &found), result, text)
    SELECT(s.type = GP_F32, GP_ERROR_INVALID_TYPE, "type = 9, element_size = 0, and record is given");
    SELECT(s.element_size = 16, GP_ERROR_INVALID_TYPE, "element_size = 16, and record is given");
    SELECT((s.record = &particle_record, s.predicate = "x.mass > 0"), GP_ERROR_INVALID_BUFFER,
           "in has 160 bytes");
    SELECT(s.predicate = "x.y > nobody", GP_ERROR_BUILD, test_place("predicate:1"));
#undef SELECT
#undef REDUCE
#undef TRANSFORM
    assert_gp(gp, gp_transform(gp, &good_t));
    clReleaseMemObject(good_r.in);
    clReleaseMemObject(good_t.out);
    gp_context_destroy(gp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reduce), cmocka_unit_test(test_scan), cmocka_unit_test(test_transform),
        cmocka_unit_test(test_select), cmocka_unit_test(test_none), cmocka_unit_test(test_warm),
        cmocka_unit_test(test_bad),
    };
    return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
