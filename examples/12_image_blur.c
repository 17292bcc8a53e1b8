/* 12_image_blur.c - blurs a picture, and outlines it: a stencil of weights, and one of an expression.

   usage: 12_image_blur [IN.ppm]      (binary PPM of 8 bits; without one, a picture of its own)

   Writes blurred.ppm and outlined.ppm into the current folder. */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

typedef struct picture {
    unsigned width, height;
    unsigned char *pixels; /* three bytes each */
} picture;

static int fail(const gp_context *gp)
{
    fprintf(stderr, "%s\n", gp_last_error(gp));
    return 1;
}

/* Discs in three colours on a checkerboard. */
static void draw(picture *p)
{
    p->width = 640;
    p->height = 480;
    p->pixels = (unsigned char *)malloc((size_t)p->width * p->height * 3);
    for (unsigned k = 0; p->pixels && k < p->width * p->height * 3; k++) {
        const int x = (int)(k / 3 % p->width), y = (int)(k / 3 / p->width), c = (int)(k % 3);
        const int dx = x - 200 - 120 * c, dy = y - 240 + 60 * (c - 1);
        const int dark = (x / 40 + y / 40) % 2 ? 60 : 100;
        p->pixels[k] = (unsigned char)(dx * dx + dy * dy < 130 * 130 ? 255 : dark);
    }
}

static void read_picture(const char *path, picture *p)
{
    FILE *file = fopen(path, "rb");
    size_t bytes;
    p->pixels = NULL;
    if (!file) return;
    if (fscanf(file, "P6 %u %u 255", &p->width, &p->height) == 2 && fgetc(file) != EOF && p->width > 0 &&
        p->width < 65536 && p->height > 0 && p->height < 65536) {
        bytes = (size_t)p->width * p->height * 3;
        p->pixels = (unsigned char *)malloc(bytes);
        if (p->pixels && fread(p->pixels, 1, bytes, file) != bytes) p->pixels[0] = 0;
    }
    fclose(file);
}

static int write_picture(gp_context *gp, const char *path, const picture *p, cl_mem buffer)
{
    const size_t bytes = (size_t)p->width * p->height * 3;
    FILE *file = fopen(path, "wb");
    if (!file || clEnqueueReadBuffer(gp_cl_queue(gp), buffer, CL_TRUE, 0, bytes, p->pixels, 0, NULL, NULL))
        return 1;
    fprintf(file, "P6\n%u %u\n255\n", p->width, p->height);
    fwrite(p->pixels, 1, bytes, file);
    printf("%s: %u x %u\n", path, p->width, p->height);
    return fclose(file);
}

int main(int argc, char **argv)
{
    enum { R = 4 };
    gp_context_desc device = {0};
    gp_context *gp;
    picture p;
    cl_mem in, out, weights;
    float w[(2 * R + 1) * (2 * R + 1)], binomial[2 * R + 1] = {1, 8, 28, 56, 70, 56, 28, 8, 1}; /* sum 256 */
    if (argc > 1) read_picture(argv[1], &p);
    else draw(&p);
    if (!p.pixels) return fprintf(stderr, "no picture to read\n"), 1;
    for (int k = 0; k < (2 * R + 1) * (2 * R + 1); k++)
        w[k] = binomial[k % (2 * R + 1)] * binomial[k / (2 * R + 1)] / 65536;
    if (gp_context_create(&device, &gp)) return fail(NULL);
    const size_t bytes = (size_t)p.width * p.height * 3;
    if (gp_buffer_create(gp, bytes, p.pixels, &in) || gp_buffer_create(gp, bytes, NULL, &out) ||
        gp_buffer_create(gp, sizeof w, w, &weights))
        return fail(gp);
    gp_stencil_desc blur = {0};
    blur.in = in;
    blur.out = out;
    blur.type = GP_U8;
    blur.width = p.width;
    blur.height = p.height;
    blur.channels = 3;
    blur.radius_x = blur.radius_y = R;
    blur.weights = weights;
    gp_stencil_desc outline = blur; /* of the blurred picture, in place */
    outline.in = out;
    outline.radius_x = outline.radius_y = 1;
    outline.weights = NULL;
    outline.map = "min(255u, 6 * (abs(at(1, 0) - at(-1, 0)) + abs(at(0, 1) - at(0, -1))))";
    if (gp_stencil(gp, &blur) || write_picture(gp, "blurred.ppm", &p, out)) return fail(gp);
    if (gp_stencil(gp, &outline) || write_picture(gp, "outlined.ppm", &p, out)) return fail(gp);
    gp_context_destroy(gp);
    return 0; /* the process's end frees buffers and pixels */
}
