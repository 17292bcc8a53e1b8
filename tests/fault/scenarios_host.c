/* scenarios_host.c - gpuprim_host.h: arrays in host memory, in four chunks or so. See driver.h. */
#include "driver.h"
#define GP_HOST_IMPLEMENTATION
#include "../../gpuprim_host.h"

enum { HOST_N = 4000 };
static uint32_t host_out[HOST_N];

static void prepare_host(world *w)
{
    (void)w;
    memset(host_out, 0xa5, sizeof host_out);
}

static gp_result run_host_reduce(world *w)
{
    gp_host_reduce_desc d = {0};
    d.in = ramp;
    d.out = w->host;
    d.count = HOST_N;
    d.type = GP_U32;
    d.map = "x + i";
    d.op = GP_SUM;
    d.budget = 14000;
    return gp_host_reduce(w->gp, &d);
}

static bool check_host_reduce(world *w)
{
    const uint64_t expected = (uint64_t)HOST_N * (HOST_N - 1);
    return memcmp(w->host, &expected, sizeof expected) == 0;
}

static gp_result run_host_scan(world *w)
{
    gp_host_scan_desc d = {0};
    d.in = mod7;
    d.out = host_out;
    d.count = HOST_N;
    d.type = GP_U32;
    d.op = GP_SUM;
    d.exclusive = true;
    d.budget = 14000;
    return gp_host_scan(w->gp, &d);
}

static bool check_host_scan(world *w)
{
    uint32_t sum = 0;
    size_t i;
    (void)w;
    for (i = 0; i < HOST_N; i++) {
        if (host_out[i] != sum) return false;
        sum += mod7[i];
    }
    return true;
}

const scenario scenarios_host[] = {
    {"host_reduce", NULL, prepare_host, run_host_reduce, check_host_reduce, NULL, false, false},
    {"host_scan", NULL, prepare_host, run_host_scan, check_host_scan, NULL, false, false},
    {0},
};
