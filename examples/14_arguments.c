/* 14_arguments.c - the threshold that splits a picture's brightness best (Otsu 1979): for each of 255 thresholds,
   how many pixels are above it and what they sum up to, by a reduction each. The threshold is an argument, and the
   gamma curve a table: two programs serve all 511 calls.

   cc -std=c99 14_arguments.c -lOpenCL -lm && ./a.out */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

#include <math.h>

enum { PIXELS = 1 << 20, LEVELS = 256 };

#define TRY(call) \
    if ((call) != GP_OK) return fprintf(stderr, "%s: %s\n", #call, gp_last_error(gp)), 1

static unsigned char picture[PIXELS];
static float curve[LEVELS];

/* Two kinds of pixels: dark ones around 60, fewer bright ones around 180. */
static void draw(void)
{
    unsigned i, random = 1;
    for (i = 0; i < PIXELS; i++) {
        random = random * 1664525u + 1013904223u;
        picture[i] = (unsigned char)((i % 4 ? 40 : 160) + (random >> 16) % 40);
    }
    for (i = 0; i < LEVELS; i++) curve[i] = 255 * powf((float)i / 255, 1 / 2.2f);
}

int main(void)
{
    gp_context_desc device = {0};
    gp_context *gp;
    gp_stats stats;
    float limit = -1, all, best = 0;
    double best_spread = -1;
    unsigned i;
    gp_arg args[2] = {{.name = "limit", .type = GP_F32, .value = &limit},
                      {.name = "curve", .type = GP_F32, .count = LEVELS}};
    gp_reduce_desc count = {.count = PIXELS,
                            .type = GP_U8,
                            .out_type = GP_F32,
                            .op = GP_SUM,
                            .map = "curve[x] > limit ? 1 : 0",
                            .args = args,
                            .arg_count = 2};
    gp_reduce_desc sum = count;
    sum.map = "curve[x] > limit ? curve[x] : 0";
    draw();
    if (gp_context_create(&device, &gp) != GP_OK) return puts(gp_last_error(NULL)), 1;
    TRY(gp_buffer_create(gp, sizeof picture, picture, &count.in));
    TRY(gp_buffer_create(gp, sizeof curve, curve, &args[1].buffer));
    sum.in = count.in;
    TRY(gp_reduce_read(gp, &sum, &all)); /* every pixel is above -1 */

    for (i = 0; i < LEVELS - 1; i++) {
        float bright, bright_sum;
        limit = (float)i;
        TRY(gp_reduce_read(gp, &count, &bright));
        TRY(gp_reduce_read(gp, &sum, &bright_sum));
        if (bright > 0 && bright < PIXELS) { /* the spread between the two parts' means */
            const double dark = PIXELS - bright, apart = bright_sum / bright - (all - bright_sum) / dark;
            const double spread = bright * dark * apart * apart;
            if (spread > best_spread) best = limit;
            if (spread > best_spread) best_spread = spread;
        }
    }
    TRY(gp_stats_read(gp, &stats));
    printf("threshold %.0f of 255; %u calls, %u programs\n", best, 2 * LEVELS - 1,
           (unsigned)(stats.programs_built + stats.programs_loaded));
    clReleaseMemObject(count.in);
    clReleaseMemObject(args[1].buffer);
    gp_context_destroy(gp);
    return 0;
}
