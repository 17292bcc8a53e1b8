/* ranks.c - gpuprim_mpi.h against a sequential reference: every rank makes the whole array, and compares its part. */
#define _XOPEN_SOURCE 700 /* kill, setitimer */
#define GP_MPI_IMPLEMENTATION
#include "../../gpuprim_mpi.h"

#include <signal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static gp_context *gp;
static gp_mpi *all;
static int rank, ranks;

/* A failure on one rank ends all of them: the others may be waiting for it. */
#define CHECK(condition)                                                                                   \
    do {                                                                                                   \
        if (!(condition)) {                                                                                \
            fprintf(stderr, "%s:%d: rank %d of %d: %s: %s\n", __FILE__, __LINE__, rank, ranks, #condition, \
                    gp_last_error(gp));                                                                    \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                  \
        }                                                                                                  \
    } while (0)
#define OK(call) CHECK((call) == GP_OK)
#define FAILS(call, result, text) CHECK((call) == (result) && strstr(gp_last_error(gp), text))

/* ------------------------------------------------------------------ parts */

enum {
    EVEN,
    UNEVEN,
    ONE,
    SPLITS
}; /* how the array is divided: as gp_mpi_share would, at odd places, all on the last rank */
enum { POISON = 0xa5 };

static size_t part_begin(size_t n, int r, int split)
{
    const size_t p = (size_t)ranks, k = (size_t)r;
    if (r <= 0) return 0;
    if (r >= ranks) return n;
    if (split == ONE) return 0;
    if (split == UNEVEN) return n / p * k * k / p;
    return n / p * k + (k < n % p ? k : n % p);
}

static cl_mem buffer_of(const void *data, size_t bytes)
{
    cl_mem buffer;
    OK(gp_buffer_create(gp, bytes ? bytes : 1, data, &buffer));
    return buffer;
}

static cl_mem poisoned(size_t bytes)
{
    void *data = malloc(bytes + 1);
    cl_mem buffer;
    CHECK(data);
    memset(data, POISON, bytes + 1);
    buffer = buffer_of(data, bytes);
    free(data);
    return buffer;
}

/* Elements that lie before those of a call. */
enum { AHEAD = 3 };

static cl_mem buffer_ahead(const void *data, size_t count, size_t size)
{
    unsigned char *both = malloc((AHEAD + count) * size);
    cl_mem buffer;
    CHECK(both);
    memset(both, POISON, AHEAD * size);
    if (count) memcpy(both + AHEAD * size, data, count * size);
    buffer = buffer_of(both, (AHEAD + count) * size);
    free(both);
    return buffer;
}

static void *read_back(cl_mem buffer, size_t bytes)
{
    void *data = malloc(bytes + 1);
    CHECK(data);
    OK(gp_finish(gp));
    if (bytes)
        CHECK(clEnqueueReadBuffer(gp_cl_queue(gp), buffer, CL_TRUE, 0, bytes, data, 0, NULL, NULL) ==
              CL_SUCCESS);
    return data;
}

/* What comes after poison that is still there. The caller frees `*all_of_it`. */
static const void *read_ahead(cl_mem buffer, size_t count, size_t size, unsigned char **all_of_it)
{
    size_t i;
    *all_of_it = read_back(buffer, (AHEAD + count) * size);
    for (i = 0; i < AHEAD * size; i++) CHECK((*all_of_it)[i] == POISON);
    return *all_of_it + AHEAD * size;
}

/* ------------------------------------------------------------------ data */

enum { RANDOM, FEW, EQUAL, SORTED, REVERSED, SKEWED, PATTERNS };

static uint64_t mix(uint64_t x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdu;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53u;
    return x ^ x >> 33;
}

static uint64_t bits_at(int pattern, size_t i, size_t n)
{
    const uint64_t x = mix(i + 1);
    switch (pattern) {
    case FEW: return x % 3 * 0x4000000080000001u;
    case EQUAL: return UINT64_MAX; /* -1, and a NaN */
    case SORTED: return i * 3;
    case REVERSED: return (n - i) * 3;
    case SKEWED: return x % 100 < 90 ? 7 : x;
    default: return x;
    }
}

/* ------------------------------------------------------------------ sort */

typedef struct entry {
    uint64_t order; /* keys in order */
    uint64_t key;
    uint32_t index;
} entry;

static int compare(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static uint64_t order_of(gp_type type, uint64_t key, size_t size, bool descending)
{
    const uint64_t top = (uint64_t)1 << (8 * size - 1), ones = UINT64_MAX >> (64 - 8 * size);
    uint64_t order = key;
    if (type == GP_I32 || type == GP_I8) order = key ^ top;
    if (type == GP_F32 || type == GP_F64) order = key & top ? ~key & ones : key | top;
    return descending ? ~order & ones : order;
}

static void check_sort(gp_type type, size_t size, size_t n, int pattern, int split, bool values,
                       bool descending, bool in_place)
{
    const size_t begin = part_begin(n, rank, split), own = part_begin(n, rank + 1, split) - begin;
    const size_t shared = part_begin(n, rank + 1, EVEN) - part_begin(n, rank, EVEN);
    const size_t room = in_place && shared > own ? shared : own;
    entry *whole = malloc((n + 1) * sizeof *whole);
    unsigned char *keys = calloc(room + 1, size);
    uint32_t *indices = calloc(room + 1, sizeof *indices);
    gp_sort_desc desc = {0};
    gp_mpi_part part;
    const unsigned char *got;
    unsigned char *memory;
    size_t i;
    CHECK(whole && keys && indices);
    for (i = 0; i < n; i++) {
        const uint64_t key = bits_at(pattern, i, n) & UINT64_MAX >> (64 - 8 * size);
        whole[i] = (entry){order_of(type, key, size, descending), key, (uint32_t)i};
    }
    for (i = 0; i < own; i++) {
        memcpy(keys + i * size, &whole[begin + i].key, size); /* little-endian, as OpenCL devices here are */
        indices[i] = (uint32_t)(begin + i);
    }
    qsort(whole, n, sizeof *whole, compare);
    desc.keys = buffer_ahead(keys, room, size);
    if (values) desc.values = buffer_ahead(indices, room, sizeof *indices);
    if (values) desc.value_size = sizeof *indices;
    if (!in_place) desc.keys_out = poisoned((AHEAD + shared) * size);
    if (!in_place && values) desc.values_out = poisoned((AHEAD + shared) * sizeof *indices);
    desc.keys_offset = desc.values_offset = desc.keys_out_offset = desc.values_out_offset = AHEAD;
    desc.count = own;
    desc.key_type = type;
    desc.descending = descending;
    OK(gp_mpi_sort(all, &desc, &part));
    CHECK(part.total == n && part.count == shared && part.first == part_begin(n, rank, EVEN));
    got = read_ahead(in_place ? desc.keys : desc.keys_out, shared, size, &memory);
    for (i = 0; i < shared; i++) CHECK(memcmp(got + i * size, &whole[part.first + i].key, size) == 0);
    free(memory);
    if (values) {
        got = read_ahead(in_place ? desc.values : desc.values_out, shared, sizeof *indices, &memory);
        for (i = 0; i < shared; i++)
            CHECK(memcmp(got + i * sizeof *indices, &whole[part.first + i].index, sizeof *indices) == 0);
        free(memory);
    }
    clReleaseMemObject(desc.keys);
    if (desc.values) clReleaseMemObject(desc.values);
    if (desc.keys_out) clReleaseMemObject(desc.keys_out);
    if (desc.values_out) clReleaseMemObject(desc.values_out);
    free(whole);
    free(keys);
    free(indices);
}

static void test_sort(size_t large)
{
    const size_t sizes[] = {0, 1, (size_t)ranks - 1, (size_t)ranks + 1, 1009, large};
    size_t k;
    int pattern, split;
    for (k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (pattern = 0; pattern < PATTERNS; pattern++) {
            if (sizes[k] == large && pattern != RANDOM && pattern != SKEWED && pattern != EQUAL) continue;
            for (split = 0; split < SPLITS; split++)
                check_sort(GP_U32, 4, sizes[k], pattern, split, (pattern + split) % 2, false, split == ONE);
        }
    for (pattern = 0; pattern < PATTERNS; pattern++) {
        check_sort(GP_I32, 4, 5003, pattern, UNEVEN, true, false, false);
        check_sort(GP_F32, 4, 5003, pattern, EVEN, true, true, false);
        check_sort(GP_U64, 8, 5003, pattern, UNEVEN, true, true, true);
        check_sort(GP_I8, 1, 5003, pattern, EVEN, true, false, false);
        if (gp_context_info(gp)->fp64) check_sort(GP_F64, 8, 5003, pattern, EVEN, true, false, false);
    }
}

/* ------------------------------------------------------------------ scan, reduce */

/* x -> a x + b over integers modulo 2^32: not commutative. */
static const uint32_t unit[2] = {1, 0};
static const gp_monoid affine = {.type = "affine",
                                 .source = "typedef struct affine { uint a, b; } affine;"
                                           "affine then(affine f, affine g)"
                                           "{ affine h; h.a = g.a * f.a; h.b = g.a * f.b + g.b; return h; }",
                                 .combine = "then",
                                 .identity = unit,
                                 .size = 8,
                                 .exact = true};

static void check_scan(size_t n, int split, bool exclusive, bool reverse, bool monoid)
{
    const size_t begin = part_begin(n, rank, split), own = part_begin(n, rank + 1, split) - begin;
    const size_t words = monoid ? 2 : 1, size = 4 * words;
    uint32_t *whole = malloc((n + 1) * size), *expected = malloc((n + 1) * size), *got;
    const uint32_t initial[2] = {3, 5};
    uint32_t sum[2] = {3, 5}, result[2];
    gp_scan_desc desc = {0};
    gp_reduce_desc reduce = {0};
    size_t i;
    CHECK(whole && expected);
    for (i = 0; i < n * words; i++) whole[i] = (uint32_t)bits_at(RANDOM, i, n) | 1;
    for (i = 0; i < n; i++) {
        const size_t k = reverse ? n - 1 - i : i;
        const uint32_t *x = whole + k * words;
        uint32_t next[2] = {sum[0], sum[1]};
        if (exclusive) memcpy(expected + k * words, sum, size);
        if (!monoid) next[0] = sum[0] + x[0];
        else if (!reverse) next[0] = x[0] * sum[0], next[1] = x[0] * sum[1] + x[1];
        else next[0] = sum[0] * x[0], next[1] = sum[0] * x[1] + sum[1];
        memcpy(sum, next, sizeof sum);
        if (!exclusive) memcpy(expected + k * words, sum, size);
    }
    desc.in = reduce.in = buffer_of(whole + begin * words, own * size);
    desc.out = poisoned(own * size);
    desc.count = reduce.count = own;
    if (monoid) desc.monoid = reduce.monoid = &affine;
    else desc.type = reduce.type = reduce.out_type = GP_U32, desc.op = reduce.op = GP_SUM;
    desc.exclusive = exclusive;
    desc.reverse = reverse;
    desc.initial = reduce.initial = initial;
    OK(gp_mpi_scan(all, &desc));
    got = read_back(desc.out, own * size);
    for (i = 0; i < own * words; i++) CHECK(got[i] == expected[begin * words + i]);
    free(got);
    if (!reverse) {
        OK(gp_mpi_reduce(all, &reduce, result));
        CHECK(memcmp(result, sum, size) == 0);
    }
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.out);
    free(whole);
    free(expected);
}

static void test_scan(size_t large)
{
    const size_t sizes[] = {0, 1, (size_t)ranks - 1, (size_t)ranks + 1, 1009, large};
    size_t k;
    int split, way;
    for (k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (split = 0; split < SPLITS; split++)
            for (way = 0; way < 8; way++)
                if (sizes[k] != large || split == UNEVEN)
                    check_scan(sizes[k], split, way & 1, (way & 2) != 0, (way & 4) != 0);
}

/* A rank without elements has no in2 either, and says type2 or not: the map's y is there all the same. */
static void check_two_inputs(int split, gp_type type2)
{
    const size_t n = 1000, begin = part_begin(n, rank, split), own = part_begin(n, rank + 1, split) - begin;
    const uint64_t three = 3;
    uint64_t expected = 3, got = 0;
    uint32_t whole[1000];
    gp_reduce_desc desc = {0};
    size_t i;
    for (i = 0; i < n; i++) whole[i] = (uint32_t)i;
    for (i = 0; i < n; i++) expected += (uint64_t)whole[i] * whole[i];
    if (own) desc.in = desc.in2 = buffer_of(whole + begin, own * sizeof *whole);
    desc.count = own;
    desc.type = GP_U32;
    desc.type2 = type2;
    desc.map = "(ulong)x * y";
    desc.out_type = GP_U64;
    desc.op = GP_SUM;
    desc.initial = &three;
    OK(gp_mpi_reduce(all, &desc, &got));
    CHECK(got == expected);
    if (own && begin + own == n) desc.in2 = NULL; /* the last elements' rank alone has elements without y */
    if (split != ONE && ranks > 1)
        FAILS(gp_mpi_reduce(all, &desc, &got), GP_ERROR_INVALID_BUFFER, "in2 is NULL");
    if (desc.in) clReleaseMemObject(desc.in);
}

static void test_two_inputs(void)
{
    check_two_inputs(ONE, GP_TYPE_NONE);
    check_two_inputs(EVEN, GP_TYPE_NONE);
    check_two_inputs(UNEVEN, GP_U32);
    check_two_inputs(ONE, GP_U32);
}

/* Parts' sums of floats, with what rounding took; a rank without elements and without buffers. */
static void test_floats(void)
{
    const float mine[1] = {rank == 0 ? 1e8f : rank == ranks - 1 ? -1e8f : 1.0f};
    gp_reduce_desc reduce = {.count = 1, .type = GP_F32, .op = GP_SUM, .compensated = true};
    gp_scan_desc scan = {.count = 1, .type = GP_F32, .op = GP_MAX, .exclusive = true};
    float sum, *got;
    if (ranks < 2) return;
    reduce.in = scan.in = buffer_of(mine, sizeof mine);
    scan.out = poisoned(sizeof mine);
    OK(gp_mpi_reduce(all, &reduce, &sum));
    CHECK(sum == (float)(ranks - 2));
    OK(gp_mpi_scan(all, &scan));
    got = read_back(scan.out, sizeof mine);
    CHECK(rank == 0 ? *got < -1e30f : *got == 1e8f);
    free(got);
    clReleaseMemObject(scan.in);
    clReleaseMemObject(scan.out);
    if (rank == ranks - 1) scan = (gp_scan_desc){.type = GP_F32, .op = GP_MAX, .exclusive = true};
    else scan.in = buffer_of(mine, sizeof mine), scan.out = poisoned(sizeof mine);
    OK(gp_mpi_scan(all, &scan));
    if (scan.in) clReleaseMemObject(scan.in), clReleaseMemObject(scan.out);
}

/* ------------------------------------------------------------------ histogram */

static void check_histogram(size_t n, bool weighted)
{
    const size_t begin = part_begin(n, rank, UNEVEN), own = part_begin(n, rank + 1, UNEVEN) - begin;
    unsigned char *whole = malloc(n + 1);
    uint64_t expected[256] = {0}, *got;
    uint32_t *weights = malloc((n + 1) * sizeof *weights);
    gp_histogram_desc desc = {0};
    size_t i;
    CHECK(whole && weights);
    for (i = 0; i < n; i++) whole[i] = (unsigned char)bits_at(SKEWED, i, n);
    for (i = 0; i < n; i++) weights[i] = weighted ? (uint32_t)i : 1;
    for (i = 0; i < n; i++) expected[whole[i]] += weights[i];
    desc.in = buffer_of(whole + begin, own);
    desc.out = poisoned(257 * 8);
    desc.out_offset = 1;
    desc.out_type = GP_U64;
    desc.count = own;
    desc.type = GP_U8;
    if (weighted) desc.weight_type = GP_U32;
    if (weighted && own) desc.weights = buffer_of(weights + begin, own * sizeof *weights);
    OK(gp_mpi_histogram(all, &desc));
    got = read_back(desc.out, 257 * 8);
    CHECK(memcmp(got + 1, expected, sizeof expected) == 0);
    free(got);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.out);
    if (desc.weights) clReleaseMemObject(desc.weights);
    free(weights);
    free(whole);
}

static void test_histogram(size_t n)
{
    check_histogram(n, false);
    check_histogram(n, true);
    check_histogram(1, true);
    check_histogram(0, true);
}

/* ------------------------------------------------------------------ select, group by */

static void check_select(size_t n, int pattern, int split, bool flags)
{
    const size_t begin = part_begin(n, rank, split), own = part_begin(n, rank + 1, split) - begin;
    uint32_t *whole = malloc((n + 1) * sizeof *whole), *expected = malloc((n + 1) * sizeof *expected);
    unsigned char *flag = malloc(n + 1), *memory;
    const uint32_t *got;
    gp_select_desc desc = {0};
    gp_mpi_part room, part;
    size_t i, kept = 0;
    CHECK(whole && expected && flag);
    for (i = 0; i < n; i++) whole[i] = (uint32_t)bits_at(pattern, i, n);
    for (i = 0; i < n; i++) flag[i] = (unsigned char)(flags ? i < n / 3 : whole[i] % 5 < 2);
    for (i = 0; i < n; i++)
        if (flag[i]) expected[kept++] = whole[i];
    OK(gp_mpi_share(all, own, &room));
    desc.in = buffer_ahead(whole + begin, own, sizeof *whole);
    desc.out = poisoned((AHEAD + room.count) * sizeof *whole);
    desc.in_offset = desc.out_offset = AHEAD;
    desc.type = GP_U32;
    desc.count = own;
    if (flags) desc.flags = own ? buffer_of(flag + begin, own) : NULL;
    else desc.predicate = "x % 5 < 2";
    OK(gp_mpi_select(all, &desc, &part));
    CHECK(part.total == kept && part.first == part_begin(kept, rank, EVEN));
    CHECK(part.count == part_begin(kept, rank + 1, EVEN) - part.first);
    got = read_ahead(desc.out, room.count, sizeof *got, &memory);
    CHECK(memcmp(got, expected + part.first, part.count * sizeof *got) == 0);
    for (i = part.count; i < room.count; i++) CHECK(got[i] == 0xa5a5a5a5);
    free(memory);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.out);
    if (flags) clReleaseMemObject(desc.flags);
    free(whole);
    free(expected);
    free(flag);
}

/* Sums of values by signed keys; or the composition of maps, in the order of elements. */
static void check_group_by(size_t n, int pattern, int split, bool monoid)
{
    const size_t begin = part_begin(n, rank, split), own = part_begin(n, rank + 1, split) - begin;
    const size_t words = monoid ? 2 : 1, out_size = 8; /* sums are 64-bit */
    entry *sorted = malloc((n + 1) * sizeof *sorted);
    int32_t *keys = malloc((n + 1) * sizeof *keys), *keys_of = malloc((n + 1) * sizeof *keys_of);
    uint32_t *values = malloc((n + 1) * 4 * words);
    uint64_t *expected = malloc((n + 1) * out_size);
    unsigned char *keys_memory, *memory;
    const void *got_keys, *got;
    gp_reduce_by_key_desc desc = {0};
    gp_mpi_part room, part;
    size_t i, groups = 0;
    CHECK(sorted && keys && keys_of && values && expected);
    for (i = 0; i < n; i++) {
        keys[i] = (int32_t)(bits_at(pattern, i, n) % 1000) - 500;
        sorted[i] = (entry){(uint32_t)keys[i] ^ 0x80000000u, 0, (uint32_t)i};
    }
    for (i = 0; i < n * words; i++) values[i] = (uint32_t)bits_at(RANDOM, i + 7, n) | 1;
    qsort(sorted, n, sizeof *sorted, compare);
    for (i = 0; i < n; i++) {
        const uint32_t *x = values + sorted[i].index * words;
        if (i == 0 || sorted[i].order != sorted[i - 1].order) {
            keys_of[groups] = keys[sorted[i].index];
            expected[groups++] = monoid ? (uint64_t)x[1] << 32 | x[0] : x[0];
        } else if (monoid) {
            const uint32_t a = (uint32_t)expected[groups - 1], b = (uint32_t)(expected[groups - 1] >> 32);
            expected[groups - 1] = (uint64_t)(x[0] * b + x[1]) << 32 | (uint32_t)(x[0] * a);
        } else {
            expected[groups - 1] += x[0];
        }
    }
    OK(gp_mpi_share(all, own, &room));
    room.count += (uint64_t)ranks - 1;
    desc.keys = buffer_ahead(keys + begin, own, sizeof *keys);
    desc.in = buffer_ahead(values + begin * words, own, 4 * words);
    desc.keys_out = poisoned((AHEAD + room.count) * sizeof *keys);
    desc.out = poisoned((AHEAD + room.count) * out_size);
    desc.keys_offset = desc.in_offset = desc.keys_out_offset = desc.out_offset = AHEAD;
    desc.count = own;
    desc.key_type = GP_I32;
    if (monoid) desc.monoid = &affine;
    else desc.type = GP_U32, desc.op = GP_SUM;
    OK(gp_mpi_group_by(all, &desc, &part));
    CHECK(part.total == groups && part.first + part.count <= groups);
    got_keys = read_ahead(desc.keys_out, part.count, sizeof *keys, &keys_memory);
    got = read_ahead(desc.out, part.count, out_size, &memory);
    CHECK(memcmp(got_keys, keys_of + part.first, part.count * sizeof *keys) == 0);
    CHECK(memcmp(got, expected + part.first, part.count * out_size) == 0);
    free(keys_memory);
    free(memory);
    clReleaseMemObject(desc.keys);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.keys_out);
    clReleaseMemObject(desc.out);
    free(sorted);
    free(keys);
    free(keys_of);
    free(values);
    free(expected);
}

static void test_groups(size_t large)
{
    const size_t sizes[] = {0, 1, (size_t)ranks - 1, (size_t)ranks + 1, 1009, large};
    size_t k;
    int pattern, split;
    for (k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (pattern = 0; pattern < PATTERNS; pattern++)
            for (split = 0; split < SPLITS; split++) {
                if (sizes[k] == large && (split != UNEVEN || pattern % 2)) continue;
                check_select(sizes[k], pattern, split, (pattern + split) % 2);
                check_group_by(sizes[k], pattern, split, (pattern + split) % 2);
            }
}

/* ------------------------------------------------------------------ join */

enum { FEW_BUILD, MANY_BUILD, HEAVY, NO_MATCH, JOINS };

/* Keys of the build side and of the other one. FEW_BUILD: -1, too. HEAVY: nine of ten rows have one key. */
static uint64_t build_key(int pattern, size_t i, size_t n)
{
    const uint64_t x = bits_at(RANDOM, i, n) % (n ? n : 1);
    if (pattern == HEAVY) return x % 10 ? 7 : x;
    return pattern == FEW_BUILD ? x % 5 - 1 : x * 0x100000001u;
}

static uint64_t probe_key(int pattern, size_t i, size_t n)
{
    const uint64_t x = bits_at(RANDOM, i + 1000000, n) % (n ? n : 1);
    if (pattern == NO_MATCH) return ~x;
    if (pattern == HEAVY) return x % 10 ? 7 : x;
    return pattern == FEW_BUILD ? x % 9 - 1 : x * 0x100000001u;
}

static void put_key(unsigned char *keys, size_t size, size_t i, uint64_t key)
{
    memcpy(keys + i * size, &key, size); /* little-endian, as OpenCL devices here are */
}

/* For each row the first or last build key that is equal, of all ranks'. */
static void join_reference(const unsigned char *built, size_t m, const unsigned char *keys, size_t n,
                           size_t size, bool last, size_t *row)
{
    entry *sorted = malloc((m + 1) * sizeof *sorted);
    size_t i;
    CHECK(sorted);
    for (i = 0; i < m; i++) {
        sorted[i] = (entry){0, 0, (uint32_t)i};
        memcpy(&sorted[i].order, built + i * size, size);
    }
    qsort(sorted, m, sizeof *sorted, compare);
    for (i = 0; i < n; i++) {
        uint64_t key = 0;
        size_t low = 0, high = m;
        memcpy(&key, keys + i * size, size);
        while (low < high) { /* the first that is larger; with `last` that is not smaller */
            const size_t mid = (low + high) / 2;
            if (last ? sorted[mid].order <= key : sorted[mid].order < key) low = mid + 1;
            else high = mid;
        }
        low -= last && low > 0;
        row[i] = low < m && sorted[low].order == key ? sorted[low].index : SIZE_MAX;
    }
    free(sorted);
}

/* value_size 0: indices. `absent`: given, else all ones. `in_place`: out is `keys`. */
static void check_join(size_t m, size_t n, size_t size, size_t value_size, int pattern, int split, bool last)
{
    const int other = split == ONE ? UNEVEN : ONE - split; /* another division */
    const size_t m_begin = part_begin(m, rank, split), m_own = part_begin(m, rank + 1, split) - m_begin;
    const size_t begin = part_begin(n, rank, other), own = part_begin(n, rank + 1, other) - begin;
    const size_t width = value_size ? value_size : 8;
    const bool absent = (pattern + split) % 2, in_place = width == size && last;
    unsigned char *built = calloc(m + 1, size), *keys = calloc(n + 1, size), *values = calloc(m + 1, width);
    unsigned char none[16], *got, *found;
    size_t *row = calloc(n + 1, sizeof *row), i;
    gp_mpi_join_desc desc = {0};
    CHECK(built && keys && values && row);
    memset(none, absent ? 0x5c : 0xff, sizeof none);
    for (i = 0; i < m; i++) put_key(built, size, i, build_key(pattern, i, m));
    for (i = 0; i < n; i++) put_key(keys, size, i, probe_key(pattern, i, m));
    for (i = 0; i < m * width; i++) values[i] = (unsigned char)mix(i);
    if (!value_size)
        for (i = 0; i < m; i++) put_key(values, 8, i, i);
    join_reference(built, m, keys + begin * size, own, size, last, row);
    desc.build_keys = buffer_of(built + m_begin * size, m_own * size);
    if (value_size) desc.build_values = buffer_of(values + m_begin * width, m_own * width);
    desc.build_count = m_own;
    desc.keys = buffer_of(keys + begin * size, own * size);
    desc.count = own;
    desc.out = in_place ? desc.keys : poisoned((own + 3) * width);
    desc.out_offset = in_place ? 0 : 3;
    if (pattern != HEAVY) desc.found = poisoned(own + 1);
    desc.key_size = size;
    desc.value_size = value_size;
    desc.absent = absent ? none : NULL;
    desc.last = last;
    desc.seed = mix(m + 10 * (uint64_t)pattern);
    OK(gp_mpi_join(all, &desc));
    got = read_back(desc.out, (own + desc.out_offset) * width);
    for (i = 0; i < own; i++)
        CHECK(memcmp(got + (i + desc.out_offset) * width, row[i] == SIZE_MAX ? none : values + row[i] * width,
                     width) == 0);
    for (i = 0; i < desc.out_offset * width; i++) CHECK(got[i] == POISON);
    free(got);
    if (desc.found) {
        found = read_back(desc.found, own + 1);
        for (i = 0; i < own; i++) CHECK(found[i] == (row[i] != SIZE_MAX));
        CHECK(found[own] == POISON);
        free(found);
        clReleaseMemObject(desc.found);
    }
    clReleaseMemObject(desc.build_keys);
    if (value_size) clReleaseMemObject(desc.build_values);
    clReleaseMemObject(desc.keys);
    if (!in_place) clReleaseMemObject(desc.out);
    free(built);
    free(keys);
    free(values);
    free(row);
}

static void test_join(size_t large)
{
    const size_t sizes[] = {0, 1, (size_t)ranks - 1, (size_t)ranks + 1, 1009};
    const size_t count = sizeof sizes / sizeof *sizes;
    int pattern, split;
    size_t k;
    for (k = 0; k < count; k++)
        for (pattern = 0; pattern < JOINS; pattern++)
            for (split = 0; split < SPLITS; split++) {
                const size_t m = sizes[k], n = sizes[(k + (size_t)pattern) % count];
                check_join(m, n, 4, split == ONE ? 0 : 4, pattern, split, (pattern + split) % 2);
                check_join(m, n, 8, split == UNEVEN ? 8 : 0, pattern, split, split % 2);
            }
    check_join(997, 1009, 4, 1, MANY_BUILD, UNEVEN, false);
    check_join(997, 1009, 4, 2, MANY_BUILD, UNEVEN, true);
    check_join(997, 1009, 8, 16, MANY_BUILD, UNEVEN, false);
    check_join(large / 3, large, 4, 8, MANY_BUILD, UNEVEN, false);
    check_join(large / 3, large, 8, 4, HEAVY, EVEN, true);
    check_join(large, large / 2, 4, 0, FEW_BUILD, ONE, false);
}

static void test_join_errors(void)
{
    const int guilty = ranks - 1;
    const uint32_t zeros[4] = {0};
    const cl_mem four = buffer_of(zeros, 4), buffer = buffer_of(zeros, 16);
    gp_mpi_join_desc good = {.build_keys = four,
                             .build_count = 1,
                             .keys = four,
                             .count = 1,
                             .out = buffer,
                             .key_size = 4},
                     desc = good;
    char text[64];
    snprintf(text, sizeof text, "rank %d of %d: ", guilty, ranks);
    if (rank == guilty) desc.count = 2;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_BUFFER, "keys has 4 bytes");
    CHECK(strstr(gp_last_error(gp), text));
    desc = good;
    if (rank == guilty) desc.build_keys = NULL;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_BUFFER, "build_keys is NULL");
    desc = good;
    if (rank == guilty) desc.out_offset = 2;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_BUFFER, "out has 16 bytes");
    desc = good;
    if (rank == guilty) desc.found = four, desc.found_offset = 4;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_BUFFER, "found has 4 bytes");
    desc = good;
    if (rank == guilty) desc.found = buffer, desc.found_offset = 7; /* its last byte */
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_OVERLAP, "out and found overlap");
    if (rank == guilty) desc.found_offset = 8;
    OK(gp_mpi_join(all, &desc));
    desc = good;
    if (rank == guilty) desc.value_size = 8, desc.build_values = four;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_BUFFER, "build_values has 4 bytes");
    desc = good;
    if (rank == guilty) desc.build_values = four;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_ARGUMENT, "value_size is 0");
    desc = good;
    if (rank == guilty) desc.value_size = 3;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_ARGUMENT, "value_size is not");
    desc = good;
    if (rank == guilty) desc.key_size = 2;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_ARGUMENT, "key_size is not 4 or 8");
    desc = good;
    if (rank == guilty) desc.out = NULL;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_ARGUMENT, "out and found are NULL");
    desc = good;
    if (rank == guilty) desc.build_count = ((size_t)1 << 30) + 1;
    FAILS(gp_mpi_join(all, &desc), GP_ERROR_COUNT_LIMIT, "2^30");
    desc = good;
    if (rank == guilty) desc.absent = zeros;
    if (ranks > 1) FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_ARGUMENT, "absent differs between ranks");
    desc = good;
    if (rank == guilty) desc.seed = 1;
    if (ranks > 1) FAILS(gp_mpi_join(all, &desc), GP_ERROR_INVALID_ARGUMENT, "seed differs between ranks");
    FAILS(gp_mpi_join(all, rank == guilty ? NULL : &good), GP_ERROR_INVALID_ARGUMENT, "desc is NULL");
    OK(gp_mpi_join(all, &good));
    clReleaseMemObject(four);
    clReleaseMemObject(buffer);
}

/* ------------------------------------------------------------------ brackets */

enum { MIXED, DEEP, OPENERS, CLOSERS, CLOSERS_FIRST, SAWTOOTH, FLAT, NESTS };
enum { TEXT, TABLE, CODES, CODES8, MAPPED, MAPPED_I, FORMS };

/* +k, -k or 0; k up to 3. DEEP: all are opened, then all closed, some by another kind. */
static int code_at(int nest, size_t i, size_t n)
{
    const uint64_t x = bits_at(RANDOM, i, n);
    const int kind = 1 + (int)(x >> 8) % 3;
    switch (nest) {
    case DEEP: return i < n / 2 ? 1 + (int)(i % 3) : -(1 + (int)((n - 1 - i + (x % 50 == 0)) % 3));
    case OPENERS: return kind;
    case CLOSERS: return -kind;
    case CLOSERS_FIRST: return i < n / 2 ? -kind : kind;
    case SAWTOOTH: return i % 7 < 4 ? kind : i % 7 < 6 ? -kind : 0;
    case FLAT: return 0;
    default: return x % 5 < 2 ? kind : x % 5 < 4 ? -kind : 0;
    }
}

typedef struct nest_reference {
    uint64_t *match, *parent, *depth;
    gp_brackets_errors errors;
} nest_reference;

static nest_reference match_all(int nest, size_t n)
{
    nest_reference r = {calloc(n + 1, 8), calloc(n + 1, 8), calloc(n + 1, 8), {0}};
    size_t *stack = calloc(n + 1, sizeof *stack), height = 0, i;
    CHECK(r.match && r.parent && r.depth && stack);
    r.errors.first_unmatched_closer = r.errors.first_unmatched_opener = r.errors.first_mismatch = UINT64_MAX;
    for (i = 0; i < n; i++) {
        const int code = code_at(nest, i, n);
        r.match[i] = UINT64_MAX;
        r.parent[i] = height ? stack[height - 1] : UINT64_MAX;
        r.depth[i] = height;
        if (code > 0) {
            stack[height++] = i;
        } else if (code < 0 && height == 0) {
            if (r.errors.unmatched_closers++ == 0) r.errors.first_unmatched_closer = i;
        } else if (code < 0) {
            const size_t opener = stack[--height];
            r.match[i] = opener;
            r.match[opener] = i;
            if (code_at(nest, opener, n) + code != 0 && r.errors.mismatches++ == 0)
                r.errors.first_mismatch = i;
        }
        if (height > r.errors.max_depth) r.errors.max_depth = height;
    }
    r.errors.unmatched_openers = height;
    if (height) r.errors.first_unmatched_opener = stack[0];
    free(stack);
    return r;
}

static void check_indices(cl_mem buffer, size_t offset, size_t size, const uint64_t *expected, size_t count)
{
    unsigned char *got = read_back(buffer, (offset + count + 1) * size);
    size_t i;
    for (i = 0; i < count; i++) {
        uint64_t index = 0;
        memcpy(&index, got + (offset + i) * size, size);
        CHECK(index == (size == 4 ? (uint32_t)expected[i] : expected[i]));
    }
    for (i = 0; i < size; i++) CHECK(got[i] == POISON && got[(offset + count) * size + i] == POISON);
    free(got);
}

/* outputs: 1 match, 2 parent, 4 depth, 8 errors */
static void check_brackets(size_t n, int nest, int form, int split, int outputs, gp_type index_type)
{
    static const char letters[7] = {'}', ']', ')', 'x', '(', '[', '{'};
    const size_t begin = part_begin(n, rank, split), own = part_begin(n, rank + 1, split) - begin;
    const size_t size = index_type == GP_U64 ? 8 : 4;
    const int wanted = split == UNEVEN && rank % 2 ? outputs | 2 : outputs; /* ranks may differ */
    nest_reference expected = match_all(nest, n);
    unsigned char *in;
    int8_t table[256] = {0};
    const cl_ulong shift = 5;
    const gp_arg arg = {.name = "shift", .type = GP_U64, .value = &shift};
    gp_brackets_desc desc = {.count = own,
                             .in_offset = 1,
                             .match_offset = 1,
                             .parent_offset = 1,
                             .depth_offset = 1,
                             .index_type = index_type};
    gp_brackets_errors errors;
    size_t element, i;
    desc.type = form == CODES ? GP_I32 : form == CODES8 ? GP_I8 : form == MAPPED ? GP_U64 : GP_U8;
    element = form == CODES ? 4 : form == MAPPED ? 8 : 1;
    in = calloc(own + 2, element);
    CHECK(in);
    for (i = 0; i < own; i++) {
        const int code = code_at(nest, begin + i, n);
        const int64_t wide = code + 5;
        unsigned char *at = in + (i + 1) * element;
        if (form == CODES) memcpy(at, &code, 4);
        else if (form == CODES8) *at = (unsigned char)(int8_t)code;
        else if (form == MAPPED) memcpy(at, &wide, 8);
        else if (form == MAPPED_I) *at = (unsigned char)(code + 5 + (int)(i % 100)); /* i is the part's */
        else *at = (unsigned char)letters[code + 3];
    }
    for (i = 0; i < 7; i++) table[(unsigned char)letters[i]] = (int8_t)((int)i - 3);
    if (form == TEXT) desc.pairs = "()[]{}";
    if (form == TABLE) desc.table = table;
    if (form == MAPPED) desc.map = "(int)x - (int)shift // a comment";
    if (form == MAPPED_I) desc.map = "x - (int)(i % 100) - 5";
    if (form == MAPPED) desc.args = &arg, desc.arg_count = 1;
    desc.in = buffer_of(in, (own + 1) * element);
    if (wanted & 1) desc.match = poisoned((own + 2) * size);
    if (wanted & 2) desc.parent = poisoned((own + 2) * size);
    if (wanted & 4) desc.depth = poisoned((own + 2) * size);
    OK(gp_mpi_brackets(all, &desc, outputs & 8 ? &errors : NULL));
    if (wanted & 1) check_indices(desc.match, 1, size, expected.match + begin, own);
    if (wanted & 2) check_indices(desc.parent, 1, size, expected.parent + begin, own);
    if (wanted & 4) check_indices(desc.depth, 1, size, expected.depth + begin, own);
    if (outputs & 8) {
        errors.joined = errors.searches = 0;
        CHECK(memcmp(&errors, &expected.errors, sizeof errors) == 0);
    }
    clReleaseMemObject(desc.in);
    if (desc.match) clReleaseMemObject(desc.match);
    if (desc.parent) clReleaseMemObject(desc.parent);
    if (desc.depth) clReleaseMemObject(desc.depth);
    free(in);
    free(expected.match);
    free(expected.parent);
    free(expected.depth);
}

static void test_brackets(size_t large)
{
    const size_t sizes[] = {0, 1, (size_t)ranks - 1, (size_t)ranks + 1, 29, 1009};
    size_t k;
    int nest, split, outputs;
    for (k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (nest = 0; nest < NESTS; nest++)
            for (split = 0; split < SPLITS; split++) {
                check_brackets(sizes[k], nest, CODES, split, 15, (gp_type)0);
                check_brackets(sizes[k], nest, TEXT, split, 15, GP_U64);
            }
    for (outputs = 1; outputs < 16; outputs++)
        check_brackets(1009, MIXED, CODES8, UNEVEN, outputs, (gp_type)0);
    for (nest = 0; nest < NESTS; nest++) {
        check_brackets(1009, nest, TABLE, UNEVEN, 15, GP_U32);
        check_brackets(1009, nest, MAPPED, EVEN, 15, (gp_type)0);
        check_brackets(1009, nest, MAPPED_I, UNEVEN, 15, (gp_type)0);
        check_brackets(large, nest, CODES8, nest % 2 ? EVEN : UNEVEN, 15, (gp_type)0);
    }
}

static void test_brackets_errors(void)
{
    const int guilty = ranks - 1;
    const uint32_t zeros[4] = {0};
    const cl_mem in = buffer_of(zeros, 4), out = buffer_of(zeros, 16);
    const gp_brackets_desc good = {.in = in, .count = 1, .type = GP_U8, .match = out};
    gp_brackets_desc desc = good;
    gp_brackets_errors errors;
    char text[64];
    snprintf(text, sizeof text, "rank %d of %d: ", guilty, ranks);
    if (rank == guilty) desc.count = 5;
    FAILS(gp_mpi_brackets(all, &desc, NULL), GP_ERROR_INVALID_BUFFER, text);
    desc = good;
    if (rank == guilty) desc.match = NULL;
    FAILS(gp_mpi_brackets(all, &desc, NULL), GP_ERROR_INVALID_ARGUMENT, "depth and errors are NULL");
    OK(gp_mpi_brackets(all, &desc, &errors));
    desc = good;
    if (rank == guilty) desc.pairs = "((";
    FAILS(gp_mpi_brackets(all, &desc, NULL), GP_ERROR_INVALID_ARGUMENT, "occurs twice");
    desc = good;
    if (rank == guilty) desc.type = GP_F32;
    FAILS(gp_mpi_brackets(all, &desc, NULL), GP_ERROR_INVALID_TYPE, text);
    desc = good;
    if (rank == guilty) desc.errors = out;
    FAILS(gp_mpi_brackets(all, &desc, NULL), GP_ERROR_INVALID_ARGUMENT, "errors is not taken");
    desc = good;
    if (rank == guilty) desc.index_type = GP_U64;
    if (ranks > 1)
        FAILS(gp_mpi_brackets(all, &desc, NULL), GP_ERROR_INVALID_ARGUMENT,
              "index_type differs between ranks");
    desc = good;
    if (rank == guilty) desc.pairs = "()";
    if (ranks > 1)
        FAILS(gp_mpi_brackets(all, &desc, NULL), GP_ERROR_INVALID_ARGUMENT, "pairs differs between ranks");
    desc = good;
    desc.type = GP_I8;
    if (rank == guilty) desc.map = "x"; /* its codes are wider */
    if (ranks > 1)
        FAILS(gp_mpi_brackets(all, &desc, &errors), GP_ERROR_INVALID_ARGUMENT,
              "is a map differs between ranks");
    desc = good;
    if (rank == guilty) desc.map = "nowhere";
    FAILS(gp_mpi_brackets(all, &desc, NULL), GP_ERROR_BUILD, "nowhere");
    FAILS(gp_mpi_brackets(all, rank == guilty ? NULL : &good, NULL), GP_ERROR_INVALID_ARGUMENT,
          "desc is NULL");
    OK(gp_mpi_brackets(all, &good, NULL));
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

/* ------------------------------------------------------------------ errors */

/* One rank's mistake is every rank's error, and the next call works. */
static void test_errors(void)
{
    const int guilty = ranks - 1;
    const uint32_t two[2] = {2, 1};
    uint32_t result = 0;
    const cl_mem in = buffer_of(&result, 4);
    gp_reduce_desc reduce = {.in = in, .count = 1, .type = GP_U32, .op = GP_SUM, .out_type = GP_U32};
    gp_scan_desc scan = {.in = in, .out = in, .count = 1, .type = GP_U32, .op = GP_SUM};
    gp_sort_desc sort = {.keys = in, .count = 1, .key_type = GP_U32};
    gp_histogram_desc histogram = {.in = in, .out = in, .count = 1, .type = GP_U8};
    gp_mpi_part part;
    char text[64];
    snprintf(text, sizeof text, "rank %d of %d: ", guilty, ranks);
    if (rank == guilty) reduce.count = scan.count = sort.count = 2;
    FAILS(gp_mpi_reduce(all, &reduce, &result), GP_ERROR_INVALID_BUFFER, text);
    FAILS(gp_mpi_scan(all, &scan), GP_ERROR_INVALID_BUFFER, text);
    FAILS(gp_mpi_sort(all, &sort, NULL), GP_ERROR_INVALID_BUFFER, text);
    FAILS(gp_mpi_histogram(all, &histogram), GP_ERROR_INVALID_BUFFER, "rank 0");
    reduce.count = scan.count = sort.count = 1;
    FAILS(gp_mpi_reduce(all, rank == guilty ? NULL : &reduce, &result), GP_ERROR_INVALID_ARGUMENT,
          "desc is NULL");
    FAILS(gp_mpi_reduce(all, &reduce, rank == guilty ? NULL : &result), GP_ERROR_INVALID_ARGUMENT,
          "result is NULL");
    if (rank == guilty) sort.begin_bit = 1;
    FAILS(gp_mpi_sort(all, &sort, NULL), GP_ERROR_INVALID_ARGUMENT, "begin_bit is not taken");
    if (rank == guilty) sort.begin_bit = 0, sort.key_type = (gp_type)99;
    FAILS(gp_mpi_sort(all, &sort, NULL), GP_ERROR_INVALID_TYPE, "key_type");
    FAILS(gp_mpi_share(all, 1, NULL), GP_ERROR_INVALID_ARGUMENT, "part is NULL");
    if (ranks > 1) FAILS(gp_mpi_share(all, rank == guilty ? SIZE_MAX : 1, &part), GP_ERROR_COUNT_LIMIT, text);
    sort.key_type = rank == guilty ? GP_U64 : GP_U32; /* the ranks would wait for one another */
    sort.count = 0;
    if (ranks > 1)
        FAILS(gp_mpi_sort(all, &sort, NULL), GP_ERROR_INVALID_ARGUMENT, "key_type differs between ranks");
    sort.key_type = GP_U32;
    sort.count = 2; /* more than keys_out has room for */
    sort.keys = buffer_of(two, sizeof two);
    sort.keys_out = rank == guilty ? in : sort.keys;
    FAILS(gp_mpi_sort(all, &sort, NULL), GP_ERROR_INVALID_BUFFER, "keys_out has 4 bytes");
    clReleaseMemObject(sort.keys);
    reduce.map = rank == guilty ? "x + nowhere" : NULL; /* a compiler's long text comes whole */
    FAILS(gp_mpi_reduce(all, &reduce, &result), GP_ERROR_BUILD, "nowhere");
    reduce.map = NULL;
    if (rank == guilty) reduce.op = GP_MAX, scan.reverse = true;
    if (ranks > 1) {
        FAILS(gp_mpi_reduce(all, &reduce, &result), GP_ERROR_INVALID_ARGUMENT, "op differs between ranks");
        FAILS(gp_mpi_scan(all, &scan), GP_ERROR_INVALID_ARGUMENT, "reverse differs between ranks");
        FAILS(rank == guilty ? gp_mpi_scan(all, &scan) : gp_mpi_reduce(all, &reduce, &result),
              GP_ERROR_INVALID_ARGUMENT, "the call differs between ranks");
    }
    reduce.op = GP_SUM, scan.reverse = false;
    FAILS(gp_mpi_scan(all, rank == guilty ? NULL : &scan), GP_ERROR_INVALID_ARGUMENT, text);
    CHECK(strstr(gp_last_error(gp), "rank ") == strstr(gp_last_error(gp), text)); /* told once */
    OK(gp_mpi_reduce(all, &reduce, &result));
    CHECK(gp_mpi_reduce(NULL, &reduce, &result) == GP_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(gp_last_error(NULL), "all is NULL"));
    clReleaseMemObject(in);
}

static cl_mem buffer_with(cl_mem_flags flags)
{
    cl_int error;
    const cl_mem buffer = clCreateBuffer(gp_cl_context(gp), flags, 4096, NULL, &error);
    CHECK(error == CL_SUCCESS);
    return buffer;
}

enum { OUTPUTS = 8 }; /* elements of a rank in the tests of outputs */

/* The buffers of the tests of outputs. */
typedef struct outputs {
    cl_mem in, out, read_only, write_only;
    int guilty;
    gp_arg table, first;
} outputs;

/* Makes the call with the changes on one rank alone: it fails on all of them. */
#define REFUSED(call, desc, good, changes, result, text) \
    do {                                                 \
        desc = good;                                     \
        if (rank == o->guilty) changes;                  \
        FAILS(call, result, text);                       \
    } while (0)

static void test_select_outputs(const outputs *o)
{
    const gp_select_desc good = {
        .in = o->in, .out = o->out, .count = OUTPUTS, .type = GP_U32, .predicate = "x < 8", .in_offset = 0};
    gp_select_desc select = good;
#define SELECT(changes, result, text) \
    REFUSED(gp_mpi_select(all, &select, NULL), select, good, changes, result, text)
    SELECT(select.out = o->read_only, GP_ERROR_INVALID_BUFFER, "out was created CL_MEM_READ_ONLY");
    SELECT(select.out = o->in, GP_ERROR_OVERLAP, "in and out overlap");
    SELECT((select.out = o->in, select.out_offset = OUTPUTS - 1), GP_ERROR_OVERLAP, "in and out overlap");
    SELECT((select.predicate = NULL, select.flags = o->out), GP_ERROR_OVERLAP, "flags and out overlap");
    SELECT((select.args = &o->table, select.arg_count = 1), GP_ERROR_OVERLAP,
           "args[0].buffer and out overlap");
#undef SELECT
    select = good; /* next to one another, in one buffer */
    select.in = o->out;
    select.out_offset = OUTPUTS;
    OK(gp_mpi_select(all, &select, NULL));
}

#define SORT(changes, result, text) REFUSED(gp_mpi_sort(all, &sort, NULL), sort, good, changes, result, text)

static void test_sort_outputs(const outputs *o)
{
    const gp_sort_desc good = {
        .keys = o->in, .keys_out = o->out, .count = OUTPUTS, .key_type = GP_U32, .keys_out_offset = 0};
    gp_sort_desc sort = good;
    SORT(sort.keys_out = o->read_only, GP_ERROR_INVALID_BUFFER, "keys_out was created CL_MEM_READ_ONLY");
    SORT((sort.keys = o->read_only, sort.keys_out = NULL), GP_ERROR_INVALID_BUFFER,
         "keys was created CL_MEM_READ_ONLY");
    SORT(sort.keys_out = o->write_only, GP_ERROR_INVALID_BUFFER, "keys_out was created CL_MEM_WRITE_ONLY");
    SORT((sort.keys_out = o->in, sort.keys_out_offset = 1), GP_ERROR_OVERLAP, "keys and keys_out overlap");
}

static void test_sort_pairs_outputs(const outputs *o)
{
    const gp_sort_desc good = {.keys = o->in,
                               .keys_out = o->out,
                               .values = o->in,
                               .values_offset = OUTPUTS,
                               .values_out = o->out,
                               .values_out_offset = OUTPUTS,
                               .value_size = 4,
                               .count = OUTPUTS,
                               .key_type = GP_U32};
    gp_sort_desc sort = good;
    OK(gp_mpi_sort(all, &sort, NULL));
    SORT(sort.values_out = o->read_only, GP_ERROR_INVALID_BUFFER, "values_out was created CL_MEM_READ_ONLY");
    SORT(sort.values_out_offset = OUTPUTS - 1, GP_ERROR_OVERLAP, "keys_out and values_out overlap");
    SORT((sort.values_out = o->in, sort.values_out_offset = 0), GP_ERROR_OVERLAP,
         "keys and values_out overlap");
    SORT((sort.keys_out = o->in, sort.keys_out_offset = OUTPUTS), GP_ERROR_OVERLAP,
         "values and keys_out overlap");
    SORT((sort.keys_out = sort.values_out = NULL, sort.values_offset = OUTPUTS - 1), GP_ERROR_OVERLAP,
         "keys and values overlap");
    sort = good; /* in place by name, and next to one another */
    sort.keys_out = sort.values_out = o->in;
    OK(gp_mpi_sort(all, &sort, NULL));
}
#undef SORT

static void test_group_outputs(const outputs *o)
{
    const gp_reduce_by_key_desc good = {.keys = o->in,
                                        .in = o->in,
                                        .in_offset = OUTPUTS,
                                        .keys_out = o->out,
                                        .out = o->out,
                                        .out_offset = 128,
                                        .count = OUTPUTS,
                                        .key_type = GP_U32,
                                        .type = GP_U32,
                                        .op = GP_SUM};
    gp_reduce_by_key_desc groups;
#define GROUP(changes, text) \
    REFUSED(gp_mpi_group_by(all, &groups, NULL), groups, good, changes, GP_ERROR_OVERLAP, text)
    GROUP(groups.keys_out = o->in, "keys and keys_out overlap");
    GROUP((groups.keys_out = o->in, groups.keys_out_offset = 2 * OUTPUTS - 1), "in and keys_out overlap");
    GROUP((groups.out = o->in, groups.out_offset = OUTPUTS / 2), "in and out overlap");
    GROUP((groups.map = "x + table[0]", groups.args = &o->first, groups.arg_count = 1),
          "args[0].buffer and keys_out overlap");
#undef GROUP
    OK(gp_mpi_group_by(all, &good, NULL));
}

static void test_nest_outputs(const outputs *o)
{
    const gp_brackets_desc good = {
        .in = o->in, .match = o->out, .count = OUTPUTS, .type = GP_U8, .map = "x & 1"};
    gp_brackets_desc nest;
#define NEST(changes, text) \
    REFUSED(gp_mpi_brackets(all, &nest, NULL), nest, good, changes, GP_ERROR_OVERLAP, text)
    NEST(nest.match = o->in, "in and match overlap");
    NEST((nest.map = "(int)table[0] & 1", nest.args = &o->table, nest.arg_count = 1),
         "args[0].buffer and match overlap");
    NEST((nest.parent = o->in, nest.parent_offset = 1), "in and parent overlap");
    NEST(nest.depth = o->in, "in and depth overlap");
    NEST(nest.depth = o->out, "they overlap");
#undef NEST
    OK(gp_mpi_brackets(all, &good, NULL));
}
#undef REFUSED

/* Outputs that are received from other ranks are checked as those that kernels write: on one rank, here. */
static void test_outputs(void)
{
    const uint32_t ones[2 * OUTPUTS] = {7, 6, 5, 4, 3, 2, 1, 0};
    outputs o = {.in = buffer_of(ones, sizeof ones),
                 .out = poisoned(4096),
                 .read_only = buffer_with(CL_MEM_READ_ONLY),
                 .write_only = buffer_with(CL_MEM_WRITE_ONLY),
                 .guilty = ranks - 1,
                 .table = {.name = "table", .type = GP_U32, .offset = 4, .count = 4},
                 .first = {.name = "table", .type = GP_U32, .count = 1}};
    o.table.buffer = o.first.buffer = o.out;
    test_select_outputs(&o);
    test_sort_outputs(&o);
    test_sort_pairs_outputs(&o);
    test_group_outputs(&o);
    test_nest_outputs(&o);
    clReleaseMemObject(o.in);
    clReleaseMemObject(o.out);
    clReleaseMemObject(o.read_only);
    clReleaseMemObject(o.write_only);
}

/* The error names the field that one rank sets otherwise. */
#define DIFFERS(call, desc, field, other, name)                                                    \
    do {                                                                                           \
        const __typeof__(desc) kept = desc;                                                        \
        if (rank == ranks - 1) desc.field = other;                                                 \
        if (ranks > 1) FAILS(call, GP_ERROR_INVALID_ARGUMENT, ": " name " differs between ranks"); \
        desc = kept;                                                                               \
    } while (0)

/* Each of these would be a result that looks right. */
static void test_differences(void)
{
    const gp_value three = {.u64 = 3};
    uint32_t zeros[4] = {0}, sum;
    const cl_mem in = buffer_of(zeros, sizeof zeros), out = poisoned(2048);
    gp_reduce_desc reduce = {.in = in, .in2 = in, .count = 1, .type = GP_U32, .map = "x + y", .op = GP_SUM};
    gp_scan_desc scan = {.in = in, .out = out, .count = 1, .type = GP_U32, .out_type = GP_U64, .op = GP_SUM};
    gp_select_desc select = {.in = in, .out = out, .count = 1, .type = GP_U32, .predicate = "x > 1"};
    gp_reduce_by_key_desc groups = {.keys = in,
                                    .in = in,
                                    .keys_out = out,
                                    .out = out,
                                    .out_offset = 64,
                                    .count = 1,
                                    .key_type = GP_U32,
                                    .type = GP_U32,
                                    .op = GP_SUM};
    gp_histogram_desc histogram = {.in = in, .out = out, .count = 1, .type = GP_U8, .bins = 4};
    histogram.upper.u64 = 8;
    DIFFERS(gp_mpi_reduce(all, &reduce, &sum), reduce, type, GP_U16, "type");
    DIFFERS(gp_mpi_reduce(all, &reduce, &sum), reduce, type2, GP_U16, "type2");
    DIFFERS(gp_mpi_reduce(all, &reduce, &sum), reduce, out_type, GP_U32, "out_type");
    DIFFERS(gp_mpi_scan(all, &scan), scan, type, GP_I32, "type");
    DIFFERS(gp_mpi_scan(all, &scan), scan, out_type, GP_U32, "out_type");
    DIFFERS(gp_mpi_scan(all, &scan), scan, deterministic, true, "deterministic");
    DIFFERS(gp_mpi_select(all, &select, NULL), select, type, GP_F32, "type");
    DIFFERS(gp_mpi_group_by(all, &groups, NULL), groups, type, GP_U16, "type");
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, type, GP_I8, "type");
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, bins, 2, "bins");
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, lower, three, "lower");
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, upper, three, "upper");
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, edges, out, "whether there are edges");
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, out_type, GP_U64, "out_type");
    histogram.map = "x";
    histogram.map_type = GP_U32;
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, type, GP_I8, "type");
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, map_type, GP_U16, "map_type");
    histogram.map = NULL;
    histogram.map_type = (gp_type)0;
    histogram.weights = in;
    histogram.weight_type = GP_U32;
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, weight_type, GP_I32, "weight_type");
    OK(gp_mpi_histogram(all, &histogram));
    if (rank == ranks - 1) histogram.weights = NULL, histogram.weight_type = (gp_type)0; /* not compared */
    OK(gp_mpi_histogram(all, &histogram));
    histogram.weights = NULL;
    histogram.weight_type = (gp_type)0;
    select.predicate = NULL;
    select.flags = in;
    select.flags_type = GP_U32;
    DIFFERS(gp_mpi_select(all, &select, NULL), select, flags_type, GP_I8, "flags_type");
    if (rank == ranks - 1) select.count = 0, select.flags = NULL, select.flags_type = (gp_type)0;
    OK(gp_mpi_select(all, &select, NULL));
    histogram.channels = 4;
    histogram.channels_out = 2;
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, channels, 2, "channels or channels_out");
    DIFFERS(gp_mpi_histogram(all, &histogram), histogram, channels_out, 1, "channels or channels_out");
    if (rank == ranks - 1) histogram.bins = 8, histogram.channels_out = 1; /* as many counts */
    if (ranks > 1)
        FAILS(gp_mpi_histogram(all, &histogram), GP_ERROR_INVALID_ARGUMENT, "channels_out differs");
    reduce.type2 = rank == ranks - 1 ? GP_U32 : (gp_type)0; /* the default by its name */
    OK(gp_mpi_reduce(all, &reduce, &sum));
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

static void test_create(void)
{
    gp_mpi *made = all;
    FAILS(gp_mpi_create(rank == ranks - 1 ? NULL : gp, MPI_COMM_WORLD, &made), GP_ERROR_INVALID_ARGUMENT, "");
    CHECK(made == NULL);
    FAILS(gp_mpi_create(gp, MPI_COMM_WORLD, rank == ranks - 1 ? NULL : &made), GP_ERROR_INVALID_ARGUMENT,
          "out is NULL");
    made = all;
    FAILS(gp_mpi_create(gp, MPI_COMM_NULL, &made), GP_ERROR_INVALID_ARGUMENT, "comm is MPI_COMM_NULL");
    CHECK(made == NULL);
    if (ranks > 1) { /* rank 0 on one side, all others on the other */
        MPI_Comm side, between;
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &side);
        MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 0, &between);
        made = all;
        FAILS(gp_mpi_create(gp, between, &made), GP_ERROR_INVALID_ARGUMENT, "comm is an intercommunicator");
        CHECK(made == NULL);
        MPI_Comm_free(&between);
        MPI_Comm_free(&side);
    }
    gp_mpi_destroy(NULL);
}

/* ------------------------------------------------------------------ forked processes and callbacks */

enum { CHILD_CALLS = 3, CHILD_SECONDS = 20 };

/* What a forked process calls. Returns whether it was refused in words. */
static bool is_refused(int call)
{
    gp_mpi *made = all;
    gp_mpi_part part;
    if (call == 0)
        return gp_mpi_share(all, 1, &part) == GP_ERROR_INVALID_ARGUMENT &&
               strstr(gp_last_error(gp), "gp_mpi_share: this process was forked");
    if (call == 1)
        return gp_mpi_create(gp, MPI_COMM_WORLD, &made) == GP_ERROR_INVALID_ARGUMENT && !made &&
               strstr(gp_last_error(gp), "gp_mpi_create: this process was forked");
    gp_mpi_destroy(all);
    return true;
}

/* A child sends nothing: the ranks' own calls afterwards are right. */
static void test_fork(void)
{
    int call, status = -1;
    gp_mpi_part part;
    for (call = 0; call < CHILD_CALLS && rank == 0; call++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            (void)alarm(CHILD_SECONDS);
            _exit(!is_refused(call));
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK(status == 0);
    }
    OK(gp_mpi_share(all, 1, &part));
    CHECK(part.total == (uint64_t)ranks);
}

static gp_context *called;
static gp_mpi *joined;
static int refused;

/* On rank 0 alone. */
static cl_mem scratch_that_calls(size_t bytes, void *user)
{
    gp_mpi_part part;
    (void)user;
    if (joined && rank == 0) {
        CHECK(gp_mpi_share(joined, 1, &part) == GP_ERROR_INVALID_ARGUMENT);
        CHECK(strstr(gp_last_error(called), "gp_mpi_share: a callback"));
        gp_mpi_destroy(joined);
        refused++;
    }
    return clCreateBuffer(gp_cl_context(called), CL_MEM_READ_WRITE, bytes, NULL, NULL);
}

static void scratch_release(cl_mem scratch, void *user)
{
    (void)user;
    (void)clReleaseMemObject(scratch);
}

/* The call whose callback calls is as right as without. */
static void test_callback(void)
{
    enum { COUNT = 50000 };
    const gp_context_desc desc = {.scratch_alloc = scratch_that_calls, .scratch_free = scratch_release};
    uint32_t *const keys = malloc(COUNT * sizeof *keys), *sorted;
    gp_sort_desc sort = {.count = COUNT, .key_type = GP_U32};
    gp_mpi_part part;
    gp_mpi *made;
    uint32_t i;
    for (i = 0; i < COUNT; i++) keys[i] = (COUNT - i) * (uint32_t)ranks - (uint32_t)rank - 1;
    OK(gp_context_create(&desc, &called));
    OK(gp_mpi_create(called, MPI_COMM_WORLD, &made));
    OK(gp_buffer_create(called, COUNT * sizeof *keys, keys, &sort.keys));
    joined = made;
    CHECK(gp_mpi_sort(made, &sort, &part) == GP_OK);
    joined = NULL;
    CHECK(refused > 0 || rank > 0);
    sorted = malloc(COUNT * sizeof *sorted);
    CHECK(clEnqueueReadBuffer(gp_cl_queue(called), sort.keys, CL_TRUE, 0, COUNT * sizeof *sorted, sorted, 0,
                              NULL, NULL) == CL_SUCCESS);
    for (i = 0; i < COUNT; i++) CHECK(sorted[i] == part.first + i);
    OK(gp_mpi_share(made, 1, &part));
    gp_mpi_destroy(made);
    clReleaseMemObject(sort.keys);
    gp_context_destroy(called);
    free(sorted);
    free(keys);
}

/* Before MPI_Init and after MPI_Finalize MPI ends the process that calls it. */
static void test_without_mpi(const char *text)
{
    gp_mpi *made = NULL;
    gp_mpi_part part;
    bool good =
        gp_mpi_create(gp, MPI_COMM_WORLD, &made) == GP_ERROR_MPI && !made && strstr(gp_last_error(gp), text);
    if (all)
        good = good && gp_mpi_share(all, 1, &part) == GP_ERROR_INVALID_ARGUMENT &&
               strstr(gp_last_error(gp), text);
    if (good) return;
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, gp_last_error(gp));
    exit(1);
}

static void killed(int signal)
{
    (void)signal;
    (void)kill(getpid(), SIGKILL);
}

/* A rank that dies ends all, wherever it is in a call: the others wait for it. */
static void die(long milliseconds)
{
    const struct itimerval moment = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    check_sort(GP_U32, 4, 1009, RANDOM, EVEN, false, false, false); /* programs are there */
    printf("mpi: rank %d of %d\n", rank, ranks);
    fflush(stdout);
    if (rank == ranks - 1) {
        (void)signal(SIGALRM, killed);
        if (milliseconds == 0) killed(0);
        (void)setitimer(ITIMER_REAL, &moment, NULL);
    }
    for (;;) {
        check_sort(GP_U32, 4, 1009, RANDOM, EVEN, false, false, false);
        check_select(1009, RANDOM, UNEVEN, false);
        check_group_by(1009, RANDOM, UNEVEN, false);
        check_join(997, 1009, 4, 0, MANY_BUILD, UNEVEN, false);
        check_brackets(1009, MIXED, CODES, UNEVEN, 15, (gp_type)0);
        check_scan(1009, UNEVEN, false, false, false);
    }
}

/* ranks [N | die MILLISECONDS] */
int main(int argc, char **argv)
{
    const bool dies = argc > 2 && strcmp(argv[1], "die") == 0;
    const long moment = dies ? atol(argv[2]) : 0;
    const size_t large = argc > 1 ? (size_t)strtoul(argv[1], NULL, 0) : 100003;
    const gp_context_desc desc = {0};
    if (gp_context_create(&desc, &gp) != GP_OK) return 1;
    test_without_mpi("MPI has not begun");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    OK(gp_mpi_create(gp, MPI_COMM_WORLD, &all));
    if (dies) die(moment);
    test_create();
    test_fork();
    test_callback();
    test_errors();
    test_outputs();
    test_differences();
    test_scan(large);
    test_floats();
    test_two_inputs();
    test_histogram(large);
    test_groups(large);
    test_sort(large);
    test_join(large);
    test_join_errors();
    test_brackets(large);
    test_brackets_errors();
    gp_mpi_destroy(all);
    if (rank == 0) printf("mpi: %d ranks, %zu elements: right\n", ranks, large);
    OK(gp_mpi_create(gp, MPI_COMM_WORLD, &all));
    MPI_Finalize();
    test_without_mpi("MPI has ended");
    gp_mpi_destroy(all);
    gp_context_destroy(gp);
    return 0;
}
