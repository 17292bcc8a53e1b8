/* 17_buckets.c - how often each key occurs, of those that do occur, in order, in two ways:

     few possible keys    here of 16 bits: a histogram counts them all, and a selection keeps what is not 0. One read of
                          the keys; 4 bytes for each possible key.
     any keys             here of 64 bits, of which no histogram has room for all: keys are sorted, and runs of equal
                          ones are counted. Some reads and writes of the keys; 12 bytes for each key at most.

   Where no order is wanted there is gp_group_by, too: 21_group_by.c.

   cc -std=c99 17_buckets.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { REQUESTS = 1 << 20, PORTS = 1 << 16, SHOWN = 6 };
static gp_context *gp;

static void require(bool good, const char *why)
{
    if (good) return;
    fprintf(stderr, "17_buckets: %s\n", why);
    exit(1);
}
#define TRY(call) require((call) == GP_OK, gp_last_error(gp))
#define TRY_CL(call) require((call) == CL_SUCCESS, #call " failed")

static cl_mem buffer(size_t size, const void *data)
{
    cl_mem made;
    TRY(gp_buffer_create(gp, size, data, &made));
    return made;
}

/* The keys that occur, rising, of GP_U64; how often each, of GP_U32; and how many keys these are. */
typedef struct buckets {
    cl_mem keys, counts;
    uint64_t count;
} buckets;

/* Of n > 0 keys of GP_U16. */
static buckets count_few(cl_mem keys, size_t n)
{
    buckets found = {buffer(PORTS * 8, NULL), buffer(PORTS * 4, NULL), 0};
    const cl_mem all = buffer(PORTS * 4, NULL);
    const gp_histogram_desc histogram = {.in = keys, .count = n, .type = GP_U16, .bins = PORTS, .out = all};
    const gp_select_desc occurring = {.in = all,
                                      .count = PORTS,
                                      .type = GP_U32,
                                      .predicate = "x > 0",
                                      .out = found.counts,
                                      .indices_out = found.keys,
                                      .index_type = GP_U64};
    TRY(gp_histogram(gp, &histogram));
    TRY(gp_select_read(gp, &occurring, &found.count));
    clReleaseMemObject(all);
    return found;
}

/* Of n > 0 keys of GP_U64, which it sorts. */
static buckets count_any(cl_mem keys, size_t n)
{
    buckets found = {buffer(n * 8, NULL), buffer(n * 4, NULL), 0};
    const gp_sort_desc sort = {.keys = keys, .count = n, .key_type = GP_U64};
    const gp_run_length_encode_desc runs = {
        .in = keys, .count = n, .type = GP_U64, .out = found.keys, .lengths_out = found.counts};
    TRY(gp_sort(gp, &sort));
    TRY(gp_run_length_encode_read(gp, &runs, &found.count));
    return found;
}

static void release(buckets *b)
{
    clReleaseMemObject(b->keys);
    clReleaseMemObject(b->counts);
}

/* To the host, at most `room` of them. */
static size_t read_back(const buckets *b, uint64_t *keys, uint32_t *counts, size_t room)
{
    const size_t n = b->count < room ? (size_t)b->count : room;
    const cl_command_queue queue = gp_cl_queue(gp);
    TRY_CL(clEnqueueReadBuffer(queue, b->keys, CL_TRUE, 0, n * 8, keys, 0, NULL, NULL));
    TRY_CL(clEnqueueReadBuffer(queue, b->counts, CL_TRUE, 0, n * 4, counts, 0, NULL, NULL));
    return n;
}

static void print(const char *what, buckets *b)
{
    uint64_t keys[SHOWN];
    uint32_t counts[SHOWN];
    const size_t n = read_back(b, keys, counts, SHOWN);
    printf("%u %s occur:\n", (unsigned)b->count, what);
    for (size_t i = 0; i < n; i++) printf("%20llu %7u times\n", (unsigned long long)keys[i], counts[i]);
    if (n < b->count) puts("                 ...");
    release(b);
}

int main(void)
{
    static const uint16_t services[] = {443, 443, 443, 443, 80, 80, 22, 53, 53, 8080, 65535, 25};
    static uint16_t ports[REQUESTS];
    static uint64_t users[REQUESTS];
    gp_context_desc device = {0};
    uint32_t random = 1;
    cl_mem keys[2];
    buckets found;

    for (size_t i = 0; i < REQUESTS; i++) { /* a log: the port of each request, and who sent it */
        random = random * 1664525u + 1013904223u;
        ports[i] = services[(random >> 16) % 12];
        users[i] = (1 + (random >> 16) % 5000) * 0x9e3779b97f4a7c15u;
    }
    require(gp_context_create(&device, &gp) == GP_OK, gp_last_error(NULL));
    keys[0] = buffer(sizeof ports, ports);
    keys[1] = buffer(sizeof users, users);
    found = count_few(keys[0], REQUESTS);
    print("ports", &found);
    found = count_any(keys[1], REQUESTS);
    print("users", &found);
    clReleaseMemObject(keys[0]);
    clReleaseMemObject(keys[1]);
    gp_context_destroy(gp);
    return 0;
}
