/* Chapter "Determinism". */
#include "manual.h"

enum { N = 1 << 20 };
static float numbers[N], first[N], second[N];

int main(void)
{
    gp_context *gp = open_context();
    for (int i = 0; i < N; i++) numbers[i] = (float)((i * 7919LL) % 10007) / 1000;
    cl_mem in = buffer_of(gp, sizeof numbers, numbers), out = buffer_of(gp, sizeof numbers, NULL);
    /* [scan] */
    gp_scan_desc sums = {
        .in = in, .out = out, .count = N, .type = GP_F32, .op = GP_SUM, .deterministic = true};
    TRY(gp_scan(gp, &sums)); /* the same bits every time on this device */
    /* [/scan] */
    read_back(gp, out, sizeof first, first);
    for (int run = 0; run < 3; run++) {
        TRY(gp_scan(gp, &sums));
        read_back(gp, out, sizeof second, second);
        EXPECT(!memcmp(first, second, sizeof first));
    }
    /* [compensated] */
    float plain, better;
    gp_reduce_desc sum = {.in = in, .count = N, .type = GP_F32, .op = GP_SUM};
    TRY(gp_reduce_read(gp, &sum, &plain));
    sum.compensated = true;
    TRY(gp_reduce_read(gp, &sum, &better)); /* as if summed in about twice the precision */

    double exact; /* or in doubles, where the device has them */
    sum.compensated = false;
    sum.out_type = GP_F64;
    TRY(gp_reduce_read(gp, &sum, &exact));
    /* [/compensated] */
    EXPECT(better == (float)exact && fabsf(plain - better) < 1e-3f * better);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    gp_context_destroy(gp);
    return 0;
}
