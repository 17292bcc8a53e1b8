// 15_neighbours.cpp - how many neighbours each particle has within a radius, in a program that has an OpenCL context and a
// queue of its own: 15_neighbours [PARTICLES]
//
// Space is cut into cells as wide as the radius, so that neighbours are in the 27 cells around. Particles are sorted by
// cell, and moved: those of a cell lie together, from start[cell] to start[cell + 1].
//
// c++ -std=c++17 15_neighbours.cpp -lOpenCL
#define GP_IMPLEMENTATION
#include "../gpuprim.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

struct release {
    void operator()(cl_context x) const { clReleaseContext(x); }
    void operator()(cl_command_queue x) const { clReleaseCommandQueue(x); }
    void operator()(cl_mem x) const { clReleaseMemObject(x); }
    void operator()(gp_context *x) const { gp_context_destroy(x); }
};
template <typename T> using owner = std::unique_ptr<std::remove_pointer_t<T>, release>;

void require(bool good, const char *why)
{
    if (!good) throw std::runtime_error(why);
}

struct cell_grid {
    cl_float radius; // the width of a cell
    cl_int across;   // cells along each axis, from 0 on
};

const gp_record particle = {"float4", 16, R"(
    int3 cell_of(float4 p, float radius) { return convert_int3(p.xyz / radius); }
    uint number_of(int3 c, int across) { return (uint)((c.z * across + c.y) * across + c.x); }

    /* Cells that differ in x only lie one after the other: nine rows of up to three. */
    uint neighbours(float4 p, __global const float4 *all, __global const uint *start, float radius, int across)
    {
        const int3 c = cell_of(p, radius), low = max(c - 1, (int3)(0));
        const int3 high = min(c + 1, (int3)(across - 1));
        uint n = 0;
        for (int z = low.z; z <= high.z; z++)
            for (int y = low.y; y <= high.y; y++) {
                const uint end = start[number_of((int3)(high.x, y, z), across) + 1];
                for (uint k = start[number_of((int3)(low.x, y, z), across)]; k < end; k++) {
                    const float3 d = all[k].xyz - p.xyz;
                    n += dot(d, d) <= radius * radius;
                }
            }
        return n - 1; /* without itself */
    })"};

struct search {
    owner<cl_mem> sorted, near; // particles by cell, and how many neighbours each has
};

// Everything is enqueued, nothing waits. n > 0.
search count_neighbours(gp_context *gp, const cell_grid &grid, cl_mem particles, size_t n)
{
    const auto check = [&](gp_result result) { require(result == GP_OK, gp_last_error(gp)); };
    const auto buffer = [&](size_t size) {
        cl_mem made = nullptr;
        check(gp_buffer_create(gp, size, nullptr, &made));
        return owner<cl_mem>(made);
    };
    search found = {buffer(n * 16), buffer(n * 4)};
    const auto cell = buffer(n * 4), order = buffer(n * 4); // released once the calls are done with them
    const size_t across = size_t(grid.across), cells = across * across * across;
    const auto start = buffer((cells + 1) * 4);
    const gp_arg args[] = {{"radius", GP_F32, nullptr, &grid.radius, nullptr, 0, 0},
                           {"across", GP_I32, nullptr, &grid.across, nullptr, 0, 0},
                           {"all", GP_TYPE_NONE, &particle, nullptr, found.sorted.get(), 0, 0},
                           {"start", GP_U32, nullptr, nullptr, start.get(), 0, 0}};

    gp_transform_desc place = {};
    place.in = particles;
    place.record = &particle;
    place.out = cell.get();
    place.out_type = GP_U32;
    place.count = n;
    place.map = "number_of(cell_of(x, radius), across)";
    place.args = args;
    place.arg_count = 2;
    check(gp_transform(gp, &place));

    gp_sort_desc sort = {};
    sort.keys = sort.keys_out = cell.get();
    sort.values_out = order.get();
    sort.count = n;
    sort.key_type = GP_U32;
    while ((cells - 1) >> sort.end_bit > 0) sort.end_bit++; // fewer bits, fewer passes
    check(gp_argsort(gp, &sort));

    gp_gather_desc move = {};
    move.in = particles;
    move.out = found.sorted.get();
    move.indices = order.get();
    move.element_size = 16;
    move.limit = move.count = n;
    check(gp_gather(gp, &move));

    gp_search_desc starts = {}; // of empty cells, too: without needles these are 0, 1, 2, ...
    starts.keys = cell.get();
    starts.count = n;
    starts.needle_count = cells + 1;
    starts.out = start.get();
    starts.out_type = starts.key_type = GP_U32;
    check(gp_search(gp, &starts));

    gp_transform_desc count = place;
    count.in = found.sorted.get();
    count.out = found.near.get();
    count.map = "neighbours(x, all, start, radius, across)";
    count.arg_count = 4;
    check(gp_transform(gp, &count));
    return found;
}

template <typename T> std::vector<T> read_back(cl_command_queue queue, const owner<cl_mem> &from, size_t n)
{
    std::vector<T> to(n);
    const size_t bytes = n * sizeof(T);
    require(clEnqueueReadBuffer(queue, from.get(), CL_TRUE, 0, bytes, to.data(), 0, nullptr, nullptr) ==
                CL_SUCCESS,
            "a buffer cannot be read");
    return to;
}

cl_uint count_slowly(const std::vector<cl_float4> &all, const cl_float4 &p, float radius)
{
    cl_uint n = 0;
    for (const cl_float4 &q : all) {
        const float x = q.s[0] - p.s[0], y = q.s[1] - p.s[1], z = q.s[2] - p.s[2];
        n += x * x + y * y + z * z <= radius * radius;
    }
    return n - 1;
}

cl_device_id any_device()
{
    cl_platform_id platforms[16];
    cl_uint count = 0;
    cl_device_id device = nullptr;
    clGetPlatformIDs(16, platforms, &count);
    for (cl_uint p = 0; p < count && p < 16 && !device; p++)
        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    require(device, "there is no OpenCL device");
    return device;
}

} // namespace

int main(int argc, char **argv)
try {
    // What the program has anyway: a context, a queue, a buffer that its own commands fill.
    const size_t n = argc > 1 ? std::stoul(argv[1]) : 100000;
    const cl_device_id device = any_device();
    const owner<cl_context> context(clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr));
    const owner<cl_command_queue> queue(clCreateCommandQueue(context.get(), device, 0, nullptr));
    const owner<cl_mem> particles(clCreateBuffer(context.get(), CL_MEM_READ_ONLY, n * 16, nullptr, nullptr));
    const cell_grid grid = {16, 32};
    std::vector<cl_float4> at(n);
    std::mt19937 random;
    for (cl_float4 &p : at)
        for (int axis = 0; axis < 3; axis++) p.s[axis] = cl_float(random() % 512); // whole: all is exact
    clEnqueueWriteBuffer(queue.get(), particles.get(), CL_TRUE, 0, n * 16, at.data(), 0, nullptr, nullptr);

    // What it adds. The queue is in order, so that calls come after the program's commands, and before its next ones.
    gp_context_desc desc = {};
    desc.context = context.get();
    desc.queue = queue.get();
    gp_context *made = nullptr;
    require(gp_context_create(&desc, &made) == GP_OK, gp_last_error(nullptr));
    const owner<gp_context> gp(made);
    const search found = count_neighbours(gp.get(), grid, particles.get(), n);

    const auto sorted = read_back<cl_float4>(queue.get(), found.sorted, n);
    const auto near = read_back<cl_uint>(queue.get(), found.near, n);
    const size_t step = n / 200 + 1;
    size_t wrong = 0;
    for (size_t k = 0; k < n; k += step) wrong += near[k] != count_slowly(at, sorted[k], grid.radius);
    std::printf("%zu particles have %.2f neighbours each, %s\n", n,
                std::accumulate(near.begin(), near.end(), 0.) / double(n),
                wrong ? "WRONG" : "some of them counted one by one");
    return wrong > 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "15_neighbours: %s\n", error.what());
    return 1;
}
