// test_neighbours.cpp - examples/15_neighbours.cpp: every particle's neighbours, counted one by one.
#define main example_main
#include "../../examples/15_neighbours.cpp"
#undef main

namespace
{

struct layout {
    const char *name;
    cell_grid of;
    float (*coordinate)(std::mt19937 &random); // a whole number, so that floats are exact
};

const layout layouts[] = {
    {"spread", {16, 3}, [](std::mt19937 &random) { return float(random() % 48); }},
    {"spread in many cells", {4, 25}, [](std::mt19937 &random) { return float(random() % 100); }},
    {"one point", {16, 6}, [](std::mt19937 &) { return 77.f; }},
    {"one cell of all", {64, 1}, [](std::mt19937 &random) { return float(random() % 64); }},
    {"one cell of some", {64, 3}, [](std::mt19937 &random) { return float(64 + random() % 64); }},
    {"the outermost cells",
     {8, 4},
     [](std::mt19937 &random) { return float(random() % 2 * 24 + random() % 8); }},
    {"a radius apart", {8, 4}, [](std::mt19937 &random) { return float(random() % 4 * 8); }},
    {"around a corner of cells", {32, 2}, [](std::mt19937 &random) { return float(31 + random() % 2); }},
};

bool is_right(gp_context *gp, const layout &l, size_t n)
{
    std::mt19937 random{cl_uint(n)};
    std::vector<cl_float4> at(n);
    for (cl_float4 &p : at)
        for (int axis = 0; axis < 3; axis++) p.s[axis] = l.coordinate(random);
    cl_mem made = nullptr;
    require(gp_buffer_create(gp, n * 16, at.data(), &made) == GP_OK, gp_last_error(gp));
    const owner<cl_mem> particles(made);
    const search found = count_neighbours(gp, l.of, made, n);
    auto sorted = read_back<cl_float4>(gp_cl_queue(gp), found.sorted, n);
    const auto near = read_back<cl_uint>(gp_cl_queue(gp), found.near, n);

    size_t wrong = 0;
    for (size_t k = 0; k < n; k++) wrong += near[k] != count_slowly(at, sorted[k], l.of.radius);
    const auto before = [](const cl_float4 &a, const cl_float4 &b) {
        return std::lexicographical_compare(a.s, a.s + 3, b.s, b.s + 3);
    };
    std::sort(sorted.begin(), sorted.end(), before); // are the particles all there?
    std::sort(at.begin(), at.end(), before);
    for (size_t k = 0; k < n; k++) wrong += !std::equal(at[k].s, at[k].s + 3, sorted[k].s);
    if (wrong) std::printf("%s, %zu particles: %zu are wrong\n", l.name, n, wrong);
    return wrong == 0;
}

bool all_right(gp_shape shape)
{
    const size_t most = std::getenv("GPUPRIM_TEST_SMALL") ? 65 : 4097;
    gp_context_desc desc = {};
    desc.tuning.shape = shape;
    gp_context *made = nullptr;
    require(gp_context_create(&desc, &made) == GP_OK, gp_last_error(nullptr));
    const owner<gp_context> gp(made);
    bool right = true;
    for (const size_t n : {1, 2, 65, 1000, 4096, 4097})
        for (const layout &l : layouts) right &= n > most || is_right(gp.get(), l, n);
    return right;
}

} // namespace

int main()
try {
    const bool as_it_is = all_right(GP_SHAPE_AUTO), local = all_right(GP_SHAPE_LOCAL);
    return !(as_it_is && local);
} catch (const std::exception &error) {
    std::fprintf(stderr, "test_neighbours: %s\n", error.what());
    return 1;
}
