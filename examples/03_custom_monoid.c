/* 03_custom_monoid.c - an operation of your own: affine maps x -> a x + b, which do not commute.

   Account balances: every day a rate and a payment turn balance x into a x + b. The scan of these maps
   gives, for every day, the one map that takes the opening balance to that day's balance.

   cc -std=c99 03_custom_monoid.c -lOpenCL */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

typedef struct affine {
    float a, b;
} affine;

static const affine identity = {1.0f, 0.0f};

static const gp_monoid affine_maps = {
    "affine", /* the type, defined in the source below just as above */
    "typedef struct affine { float a, b; } affine;\n"
    "static affine then(affine first, affine second)\n"
    "{\n"
    "    affine both;\n"
    "    both.a = second.a * first.a;\n"
    "    both.b = second.a * first.b + second.b;\n"
    "    return both;\n"
    "}\n",
    "then",         /* its combine function: first stands before second in the input */
    &identity,      /* neutral on both sides */
    sizeof(affine), /* bytes */
    false,          /* not commutative */
    false,          /* not exact: floats round */
    false,          /* takes no arguments */
};

static int fail(const gp_context *gp)
{
    fprintf(stderr, "%s\n", gp_last_error(gp));
    return 1;
}

int main(void)
{
    enum { DAYS = 6 };
    const affine day[DAYS] = {{1.01f, 0}, {1.01f, 50}, {1, -20}, {1.02f, 0}, {1, 100}, {0.5f, 0}};
    const float opening = 1000;
    affine until[DAYS];
    float balance = opening;
    gp_context_desc device = {0};
    gp_scan_desc scan = {0};
    gp_context *gp;
    int i;

    if (gp_context_create(&device, &gp) != GP_OK) return fail(NULL);
    if (gp_buffer_create(gp, sizeof day, day, &scan.in) != GP_OK) return fail(gp);
    scan.out = scan.in; /* in place */
    scan.count = DAYS;
    scan.monoid = &affine_maps;
    if (gp_scan(gp, &scan) != GP_OK) return fail(gp);

    clEnqueueReadBuffer(gp_cl_queue(gp), scan.out, CL_TRUE, 0, sizeof until, until, 0, NULL, NULL);
    for (i = 0; i < DAYS; i++) {
        balance = day[i].a * balance + day[i].b;
        printf("day %d: %.2f (day by day: %.2f)\n", i + 1, until[i].a * opening + until[i].b, balance);
    }
    clReleaseMemObject(scan.in);
    gp_context_destroy(gp);
    return 0;
}
