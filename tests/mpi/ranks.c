/* ranks.c - gpuprim_mpi.h against a sequential reference: every rank makes the whole array, and compares its part. */
#define _POSIX_C_SOURCE 200809L /* kill */
#define GP_MPI_IMPLEMENTATION
#include "../../gpuprim_mpi.h"

#include <signal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    unsigned char *got;
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
    desc.keys = buffer_of(keys, room * size);
    if (values) desc.values = buffer_of(indices, room * sizeof *indices);
    if (values) desc.value_size = sizeof *indices;
    if (!in_place) desc.keys_out = poisoned(shared * size);
    if (!in_place && values) desc.values_out = poisoned(shared * sizeof *indices);
    desc.count = own;
    desc.key_type = type;
    desc.descending = descending;
    OK(gp_mpi_sort(all, &desc, &part));
    CHECK(part.total == n && part.count == shared && part.first == part_begin(n, rank, EVEN));
    got = read_back(in_place ? desc.keys : desc.keys_out, shared * size);
    for (i = 0; i < shared; i++) CHECK(memcmp(got + i * size, &whole[part.first + i].key, size) == 0);
    free(got);
    if (values) {
        got = read_back(in_place ? desc.values : desc.values_out, shared * sizeof *indices);
        for (i = 0; i < shared; i++)
            CHECK(memcmp(got + i * sizeof *indices, &whole[part.first + i].index, sizeof *indices) == 0);
        free(got);
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

static void test_histogram(size_t n)
{
    const size_t begin = part_begin(n, rank, UNEVEN), own = part_begin(n, rank + 1, UNEVEN) - begin;
    unsigned char *whole = malloc(n + 1);
    uint64_t expected[256] = {0}, *got;
    gp_histogram_desc desc = {0};
    size_t i;
    CHECK(whole);
    for (i = 0; i < n; i++) whole[i] = (unsigned char)bits_at(SKEWED, i, n);
    for (i = 0; i < n; i++) expected[whole[i]]++;
    desc.in = buffer_of(whole + begin, own);
    desc.out = poisoned(257 * 8);
    desc.out_offset = 1;
    desc.out_type = GP_U64;
    desc.count = own;
    desc.type = GP_U8;
    OK(gp_mpi_histogram(all, &desc));
    got = read_back(desc.out, 257 * 8);
    CHECK(memcmp(got + 1, expected, sizeof expected) == 0);
    free(got);
    clReleaseMemObject(desc.in);
    clReleaseMemObject(desc.out);
    free(whole);
}

/* ------------------------------------------------------------------ select, group by */

static void check_select(size_t n, int pattern, int split, bool flags)
{
    const size_t begin = part_begin(n, rank, split), own = part_begin(n, rank + 1, split) - begin;
    uint32_t *whole = malloc((n + 1) * sizeof *whole), *expected = malloc((n + 1) * sizeof *expected), *got;
    unsigned char *flag = malloc(n + 1);
    gp_select_desc desc = {0};
    gp_mpi_part room, part;
    size_t i, kept = 0;
    CHECK(whole && expected && flag);
    for (i = 0; i < n; i++) whole[i] = (uint32_t)bits_at(pattern, i, n);
    for (i = 0; i < n; i++) flag[i] = (unsigned char)(flags ? i < n / 3 : whole[i] % 5 < 2);
    for (i = 0; i < n; i++)
        if (flag[i]) expected[kept++] = whole[i];
    OK(gp_mpi_share(all, own, &room));
    desc.in = buffer_of(whole + begin, own * sizeof *whole);
    desc.out = poisoned(room.count * sizeof *whole);
    desc.type = GP_U32;
    desc.count = own;
    if (flags) desc.flags = buffer_of(flag + begin, own);
    else desc.predicate = "x % 5 < 2";
    OK(gp_mpi_select(all, &desc, &part));
    CHECK(part.total == kept && part.first == part_begin(kept, rank, EVEN));
    CHECK(part.count == part_begin(kept, rank + 1, EVEN) - part.first);
    got = read_back(desc.out, room.count * sizeof *got);
    CHECK(memcmp(got, expected + part.first, part.count * sizeof *got) == 0);
    for (i = part.count; i < room.count; i++) CHECK(got[i] == 0xa5a5a5a5);
    free(got);
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
    int32_t *keys = malloc((n + 1) * sizeof *keys), *keys_of = malloc((n + 1) * sizeof *keys_of), *got_keys;
    uint32_t *values = malloc((n + 1) * 4 * words);
    uint64_t *expected = malloc((n + 1) * out_size), *got;
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
    desc.keys = buffer_of(keys + begin, own * sizeof *keys);
    desc.in = buffer_of(values + begin * words, own * 4 * words);
    desc.keys_out = poisoned(room.count * sizeof *keys);
    desc.out = poisoned(room.count * out_size);
    desc.count = own;
    desc.key_type = GP_I32;
    if (monoid) desc.monoid = &affine;
    else desc.type = GP_U32, desc.op = GP_SUM;
    OK(gp_mpi_group_by(all, &desc, &part));
    CHECK(part.total == groups && part.first + part.count <= groups);
    got_keys = read_back(desc.keys_out, part.count * sizeof *keys);
    got = read_back(desc.out, part.count * out_size);
    CHECK(memcmp(got_keys, keys_of + part.first, part.count * sizeof *keys) == 0);
    CHECK(memcmp(got, expected + part.first, part.count * out_size) == 0);
    free(got_keys);
    free(got);
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
    sort.key_type = rank == guilty ? GP_U64 : GP_U32; /* the ranks would wait for one another */
    sort.count = 0;
    if (ranks > 1) FAILS(gp_mpi_sort(all, &sort, NULL), GP_ERROR_INVALID_ARGUMENT, "differ between ranks");
    sort.key_type = GP_U32;
    sort.count = 2; /* more than keys_out has room for */
    sort.keys = buffer_of(two, sizeof two);
    sort.keys_out = rank == guilty ? in : sort.keys;
    FAILS(gp_mpi_sort(all, &sort, NULL), GP_ERROR_INVALID_BUFFER, "keys_out has 4 bytes");
    clReleaseMemObject(sort.keys);
    reduce.map = rank == guilty ? "x + nowhere" : NULL; /* a compiler's long text comes whole */
    FAILS(gp_mpi_reduce(all, &reduce, &result), GP_ERROR_BUILD, "nowhere");
    reduce.map = NULL;
    FAILS(gp_mpi_scan(all, rank == guilty ? NULL : &scan), GP_ERROR_INVALID_ARGUMENT, text);
    CHECK(strstr(gp_last_error(gp), "rank ") == strstr(gp_last_error(gp), text)); /* told once */
    OK(gp_mpi_reduce(all, &reduce, &result));
    CHECK(gp_mpi_reduce(NULL, &reduce, &result) == GP_ERROR_INVALID_ARGUMENT);
    CHECK(strstr(gp_last_error(NULL), "all is NULL"));
    clReleaseMemObject(in);
}

static void test_create(void)
{
    gp_mpi *made = all;
    FAILS(gp_mpi_create(rank == ranks - 1 ? NULL : gp, MPI_COMM_WORLD, &made), GP_ERROR_INVALID_ARGUMENT, "");
    CHECK(made == NULL);
    FAILS(gp_mpi_create(gp, MPI_COMM_WORLD, rank == ranks - 1 ? NULL : &made), GP_ERROR_INVALID_ARGUMENT,
          "out is NULL");
    gp_mpi_destroy(NULL);
}

/* A rank that dies ends all: the others wait for it in a sort. */
static void die(void)
{
    printf("mpi: rank %d of %d\n", rank, ranks);
    fflush(stdout);
    if (rank == ranks - 1) kill(getpid(), SIGKILL);
    check_sort(GP_U32, 4, 1009, RANDOM, EVEN, false, false, false);
}

/* ranks [N | die] */
int main(int argc, char **argv)
{
    const bool dies = argc > 1 && strcmp(argv[1], "die") == 0;
    const size_t large = argc > 1 ? (size_t)strtoul(argv[1], NULL, 0) : 100003;
    const gp_context_desc desc = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    OK(gp_context_create(&desc, &gp));
    OK(gp_mpi_create(gp, MPI_COMM_WORLD, &all));
    if (dies) die();
    test_create();
    test_errors();
    test_scan(large);
    test_floats();
    test_histogram(large);
    test_groups(large);
    test_sort(large);
    gp_mpi_destroy(all);
    gp_context_destroy(gp);
    if (rank == 0) printf("mpi: %d ranks, %zu elements: right\n", ranks, large);
    MPI_Finalize();
    return 0;
}
