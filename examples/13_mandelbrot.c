/* 13_mandelbrot.c - the Mandelbrot set, with work handed out evenly by group collectives (gp_device_source):
   orbits that go on after some steps are packed, so that no item idles while its neighbour iterates; then
   pixels at edges are unpacked into four samples each. Writes mandelbrot.ppm, and checks it by a plain loop. */
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

#define GLOBAL
typedef int64_t wide;
#define C_AND_OPENCL(...) \
    __VA_ARGS__ static const char shared[] = "typedef long wide;\n#define GLOBAL __global\n" #__VA_ARGS__;
/* Numbers are in units of 2^-27: every device draws the same. A pixel has slot 0, and 1 to 4 around it. */
/* clang-format off */
C_AND_OPENCL(
enum { WIDTH = 640, HEIGHT = 480, PIXELS = WIDTH * HEIGHT, STEP = 629146, SLOTS = 5, MOST = 2048 };
typedef struct orbit { unsigned slot, steps; int x, y; } orbit;
static orbit walk(orbit o, unsigned most) /* until it leaves the circle of 2 */
{
    const unsigned s = o.slot % SLOTS, p = o.slot / SLOTS;
    const int cx = ((int)(p % WIDTH) - 440) * STEP + (s ? (s & 1 ? STEP : -STEP) / 4 : 0);
    const int cy = ((int)(p / WIDTH) - 240) * STEP + (s ? (s > 2 ? STEP : -STEP) / 4 : 0);
    for (; o.steps < most; o.steps++) {
        const wide xx = (wide)o.x * o.x >> 27, yy = (wide)o.y * o.y >> 27;
        if (xx + yy > (wide)4 << 27) break;
        o.y = (int)((wide)o.x * o.y >> 26) + cy;
        o.x = (int)(xx - yy) + cx;
    }
    return o;
}
static int edge(GLOBAL const unsigned *steps, unsigned p) /* not as the pixel before, or above */
{
    const unsigned s = steps[p * SLOTS];
    return p % WIDTH && p >= WIDTH && (s != steps[(p - 1) * SLOTS] || s != steps[(p - WIDTH) * SLOTS]);
})
/* clang-format on */

static const char kernels[] =
    "__kernel void sow(uint phase, uint n, __global uint *steps, __global orbit *from, __global orbit *to,\n"
    "                  volatile __global uint *live)\n"
    "{\n"
    "    __local uint memory[2 * GP_GROUP_SIZE], other[2 * GP_GROUP_SIZE];\n"
    "    const uint p = (uint)get_global_id(0), first = p - gp_group_item();\n"
    "    const uint pieces = gp_group_unpack(phase == 0 ? 1 : edge(steps, p) ? 4 : 0, memory);\n"
    "    for (uint base = 0; base < pieces; base += GP_GROUP_SIZE) {\n"
    "        uint rank;\n"
    "        const uint piece = base + gp_group_item(), owner = gp_group_owner(piece, &rank, memory);\n"
    "        const uint at = gp_group_pack_at(piece < pieces, live + n, other);\n"
    "        const orbit o = {(first + owner) * SLOTS + phase + rank, 0, 0, 0};\n"
    "        if (piece < pieces) to[at] = o;\n"
    "    }\n"
    "}\n"
    "__kernel void grow(uint most, uint n, __global uint *steps, __global orbit *from, __global orbit *to,\n"
    "                   volatile __global uint *live)\n"
    "{\n"
    "    __local uint memory[2 * GP_GROUP_SIZE];\n"
    "    const uint group = (uint)get_group_id(0), count = live[n];\n"
    "    for (uint base = group * GP_GROUP_SIZE; base < count; base += (uint)get_global_size(0)) {\n"
    "        const uint i = base + gp_group_item();\n"
    "        const orbit was = from[min(i, count - 1)], o = walk(was, most);\n"
    "        const bool on = i < count && o.steps == most;\n"
    "        const uint at = gp_group_pack_at(on, live + n + 1, memory);\n"
    "        if (i < count) steps[o.slot] = o.steps;\n"
    "        if (on) to[at] = o;\n"
    "    }\n"
    "}\n";

static gp_context *gp;
#define TRY(call) \
    if ((call) != GP_OK) return fprintf(stderr, "%s: %s\n", #call, gp_last_error(gp)), 1
#define TRY_CL(call) \
    if ((call) != CL_SUCCESS) return fprintf(stderr, "%s: failed\n", #call), 1

int main(void)
{
    static char source[1 << 17];
    static uint32_t steps[PIXELS * SLOTS], live[32];
    const char *parts[3] = {source, shared, kernels};
    const gp_device_source_desc tile = {.part = GP_DEVICE_GROUP, .group = 64};
    const gp_context_desc device = {0};
    const size_t pixels = PIXELS, some = 64 * 64, group = 64;
    cl_mem buffers[4]; /* steps, two queues of orbits, their lengths */
    cl_kernel kernel[2];
    size_t size, k, samples = 0, wrong = 0;
    TRY(gp_context_create(&device, &gp));
    TRY(gp_device_source(gp, &tile, source, sizeof source, &size));
    cl_program program = clCreateProgramWithSource(gp_cl_context(gp), 3, parts, NULL, NULL);
    TRY_CL(clBuildProgram(program, 0, NULL, "-cl-std=CL1.2", NULL, NULL));
    kernel[0] = clCreateKernel(program, "sow", NULL);
    kernel[1] = clCreateKernel(program, "grow", NULL);
    TRY(gp_buffer_create(gp, sizeof steps, steps, &buffers[0]));
    for (k = 1; k < 3; k++) TRY(gp_buffer_create(gp, sizeof(orbit) * 4 * PIXELS, NULL, &buffers[k]));
    TRY(gp_buffer_create(gp, sizeof live, live, &buffers[3]));
    /* sow 1 a pixel, and grow to 8, 16, ... 2048 steps; sow 4 at edges, and grow */
    for (cl_uint n = 0; n < 20; n++) {
        const cl_uint round = n % 10, number = round ? 4u << round : n / 10;
        cl_kernel run = kernel[round > 0];
        clSetKernelArg(run, 0, sizeof number, &number);
        clSetKernelArg(run, 1, sizeof n, round ? &(cl_uint){n - 1} : &n);
        clSetKernelArg(run, 2, sizeof(cl_mem), &buffers[0]);
        clSetKernelArg(run, 3, sizeof(cl_mem), &buffers[1 + n % 2]);
        clSetKernelArg(run, 4, sizeof(cl_mem), &buffers[2 - n % 2]);
        clSetKernelArg(run, 5, sizeof(cl_mem), &buffers[3]);
        TRY_CL(clEnqueueNDRangeKernel(gp_cl_queue(gp), run, 1, NULL, round ? &some : &pixels, &group, 0, NULL,
                                      NULL));
    }
    TRY_CL(clEnqueueReadBuffer(gp_cl_queue(gp), buffers[0], CL_TRUE, 0, sizeof steps, steps, 0, NULL, NULL));
    FILE *file = fopen("mandelbrot.ppm", "wb");
    if (!file) return perror("mandelbrot.ppm"), 1;
    fprintf(file, "P6\n%d %d\n255\n", WIDTH, HEIGHT);
    for (k = 0; k < PIXELS; k++) {
        const unsigned slots = edge(steps, (unsigned)k) ? SLOTS : 1;
        unsigned sum[3] = {0, 0, 0}, s, c;
        for (s = 0; s < slots; s++, samples++) {
            const orbit begin = {(unsigned)k * SLOTS + s, 0, 0, 0};
            const unsigned n = walk(begin, MOST).steps;
            wrong += n != steps[begin.slot];
            for (c = 0; c < 3 && n < MOST; c++) sum[c] += (unsigned)abs((int)(n * (5 + 2 * c) % 510) - 255);
        }
        for (c = 0; c < 3; c++) fputc((int)(sum[c] / slots), file);
    }
    printf("%s\nmandelbrot.ppm: %zu samples, %zu of them wrong\n", gp_context_info(gp)->name, samples, wrong);
    gp_context_destroy(gp); /* the process's end takes the rest */
    return fclose(file) || wrong > 0;
}
