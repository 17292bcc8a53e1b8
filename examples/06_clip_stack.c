/* 06_clip_stack.c - nested clip rectangles of a 2D scene, as bounding boxes: what is drawn, and how much of
   it shows.

   A scene is a list of "clip x0 y0 x1 y1", "end" and "draw x0 y0 x1 y1". What is drawn is clipped by all that
   is open: the product of the rectangles on the stack, where the product of two is what they have in common.

   cc -std=c99 06_clip_stack.c -lOpenCL && ./a.out [FILE] */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

enum { MOST = 1 << 16 };

typedef struct rect {
    float x0, y0, x1, y1;
} rect;

static const rect everywhere = {-1e30f, -1e30f, 1e30f, 1e30f};

static const gp_monoid intersection = {
    "rect",
    "typedef struct rect { float x0, y0, x1, y1; } rect;\n"
    "static rect common(rect a, rect b)\n"
    "{\n"
    "    rect c;\n"
    "    c.x0 = fmax(a.x0, b.x0);\n"
    "    c.y0 = fmax(a.y0, b.y0);\n"
    "    c.x1 = fmin(a.x1, b.x1);\n"
    "    c.y1 = fmin(a.y1, b.y1);\n"
    "    return c;\n"
    "}\n",
    "common",     /* its combine function */
    &everywhere,  /* neutral */
    sizeof(rect), /* bytes */
    true,         /* commutative */
    true,         /* exact */
    false,        /* takes no arguments */
};

static int8_t code[MOST];
static rect shape[MOST], clip[MOST];

/* One line of the scene; false where there is none. */
static int parse(const char *line, size_t i)
{
    rect *r = &shape[i];
    if (i >= MOST) return 0;
    code[i] = line[0] == 'c' ? 1 : line[0] == 'e' ? -1 : 0;
    return code[i] < 0 || sscanf(line, "%*s %f %f %f %f", &r->x0, &r->y0, &r->x1, &r->y1) == 4;
}

static int fail(const gp_context *gp)
{
    fprintf(stderr, "%s\n", gp_last_error(gp));
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "examples/window.scene";
    FILE *file = fopen(path, "r");
    gp_context_desc device = {0};
    gp_stack_scan_desc scan = {0};
    gp_context *gp;
    char line[256];
    size_t n = 0, i;

    while (file && fgets(line, sizeof line, file)) n += (size_t)parse(line, n);
    if (n == 0) return fprintf(stderr, "%s: there is nothing in the scene\n", path), 1;

    if (gp_context_create(&device, &gp) != GP_OK) return fail(NULL);
    scan.type = GP_I8; /* 1 opens, -1 closes */
    scan.count = n;
    scan.monoid = &intersection;
    if (gp_buffer_create(gp, n, code, &scan.in) != GP_OK) return fail(gp);
    if (gp_buffer_create(gp, n * sizeof *shape, shape, &scan.values) != GP_OK) return fail(gp);
    if (gp_buffer_create(gp, n * sizeof *clip, NULL, &scan.out) != GP_OK) return fail(gp);
    if (gp_stack_scan(gp, &scan) != GP_OK) return fail(gp);
    clEnqueueReadBuffer(gp_cl_queue(gp), scan.out, CL_TRUE, 0, n * sizeof *clip, clip, 0, NULL, NULL);
    for (i = 0; i < n; i++) {
        const rect r = shape[i], c = clip[i];
        const float x0 = r.x0 > c.x0 ? r.x0 : c.x0, y0 = r.y0 > c.y0 ? r.y0 : c.y0;
        const float x1 = r.x1 < c.x1 ? r.x1 : c.x1, y1 = r.y1 < c.y1 ? r.y1 : c.y1;
        if (code[i] != 0) continue;
        printf("%3zu: %g %g %g %g", i + 1, r.x0, r.y0, r.x1, r.y1);
        if (x0 < x1 && y0 < y1) printf(" shows %g %g %g %g\n", x0, y0, x1, y1);
        else printf(" is out of sight\n");
    }
    gp_context_destroy(gp); /* buffers and memory go with the process */
    return 0;
}
