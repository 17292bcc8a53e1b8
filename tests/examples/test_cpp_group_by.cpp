// test_cpp_group_by.cpp - examples/20_cpp_group_by.cpp against std::map.
#define GPI_IMPLEMENTATION_ONCE // it is in support.c
#define main example_main
#include "../../examples/20_cpp_group_by.cpp"
#undef main

#include "../cpp/check.hpp"

#include <map>

int main()
try {
    const gp::context ctx;
    for (const size_t n : {1, 2, 1000, 10007})
        for (const uint32_t customers : {0u, 1u, 300u}) {
            std::mt19937 random{uint32_t(n)};
            column order_customer(n), cents(n), customer(customers), region(customers), found_regions, sums,
                counts;
            for (uint32_t &x : order_customer) x = uint32_t(random() % 400);
            for (uint32_t &x : cents) x = uint32_t(random() % 10000);
            for (uint32_t k = 0; k < customers; k++) customer[k] = k, region[k] = k * 7 % 11;
            std::map<uint32_t, std::pair<uint32_t, uint32_t>> expected;
            for (size_t k = 0; k < n; k++) {
                auto &row = expected[order_customer[k] < customers ? region[order_customer[k]] : 0];
                row.first += cents[k];
                row.second++;
            }
            for (const auto &[key, row] : expected) {
                found_regions.push_back(key);
                sums.push_back(row.first);
                counts.push_back(row.second);
            }
            const table t = by_region(ctx, order_customer, cents, customer, region);
            CHECK(t.region == found_regions && t.cents == sums && t.orders == counts);
        }
    char name[] = "20_cpp_group_by", orders[] = "1000", *arguments[] = {name, orders};
    CHECK(example_main(2, arguments) == 0);
    return failures > 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "test_cpp_group_by: %s\n", error.what());
    return 1;
}
