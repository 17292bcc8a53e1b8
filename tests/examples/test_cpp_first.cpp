// test_cpp_first.cpp - examples/19_cpp_first.cpp against std::sort and a loop.
#define GPI_IMPLEMENTATION_ONCE // it is in support.c
#define main example_main
#include "../../examples/19_cpp_first.cpp"
#undef main

#include "../cpp/check.hpp"

#include <numeric>
#include <random>

int main()
try {
    const gp::context ctx;
    for (const size_t n : {1, 2, 1000, 10007}) {
        std::mt19937 random{uint32_t(n)};
        std::vector<float> readings(n), so_far(n), over;
        std::vector<uint32_t> order(n);
        for (float &x : readings) x = float(random() % 1000) / 8;
        std::iota(order.begin(), order.end(), 0u);
        std::stable_sort(order.begin(), order.end(),
                         [&](uint32_t a, uint32_t b) { return readings[a] > readings[b]; });
        for (size_t k = 0; k < n; k++) {
            so_far[k] = k > 0 ? std::max(so_far[k - 1], readings[k]) : readings[k];
            if (readings[k] > 60) over.push_back(readings[k]);
        }
        const summary s = summarize(ctx, readings, 60);
        CHECK(s.warmest == readings[order[0]] && s.when == order[0]);
        CHECK(s.over == over && s.warmest_so_far == so_far && s.from_warmest == order);
    }
    CHECK(example_main() == 0);
    return failures > 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "test_cpp_first: %s\n", error.what());
    return 1;
}
