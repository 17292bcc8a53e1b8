// 20_cpp_group_by.cpp - example 09 in C++, on more orders: 20_cpp_group_by [ORDERS]
//
//     select region, sum(cents), count(*) from orders join customers using (customer) group by region
//
// c++ -std=c++17 20_cpp_group_by.cpp -lOpenCL
#define GP_IMPLEMENTATION
#include "../gpuprim.hpp"

#include <cstdio>
#include <random>

namespace
{

using column = std::vector<uint32_t>;

struct table {
    column region, cents, orders;
};

// Customers that are not listed are of region 0.
table by_region(gp_context *ctx, const column &order_customer, const column &order_cents,
                const column &customer, const column &customer_region)
{
    const gp::buffer order_keys(ctx, order_customer), cents(ctx, order_cents);
    const gp::buffer keys(ctx, customer), regions(ctx, customer_region);
    const size_t n = order_keys.size();
    gp::hash_table<uint32_t, uint32_t> region_of(ctx, keys.size() + 1), sum_of(ctx, n), count_of(ctx, n);
    region_of.insert(keys, regions);

    // Each order's customer becomes its region, in place.
    const uint32_t none = 0;
    gp_hash_find_desc join = {};
    join.absent = &none;
    region_of.find(order_keys, order_keys, {}, join);

    sum_of.insert_or_apply(order_keys, cents);
    count_of.insert_or_apply(order_keys); // without values it counts

    const size_t rows = sum_of.size();
    const gp::buffer<uint32_t> region(ctx, rows), sums(ctx, rows), counts(ctx, rows), live(ctx, 1);
    gp_hash_retrieve_desc sorted = {};
    sorted.sort_type = GP_U32;
    sum_of.retrieve(region, sums, live, sorted);
    count_of.find(region, counts);
    return {gp::read(ctx, region), gp::read(ctx, sums), gp::read(ctx, counts)};
}

} // namespace

int main(int argc, char **argv)
try {
    const size_t n = argc > 1 ? std::stoul(argv[1]) : 100000;
    std::mt19937 random;
    column order_customer(n), cents(n), customer(500), region(500);
    for (uint32_t &x : order_customer) x = uint32_t(random() % 600);
    for (uint32_t &x : cents) x = uint32_t(random() % 10000);
    for (uint32_t k = 0; k < 500; k++) customer[k] = k, region[k] = 1 + k % 3;

    const gp::context ctx;
    const table t = by_region(ctx, order_customer, cents, customer, region);
    const char *const names[] = {"(no customer)", "north", "south", "islands"};
    std::printf("%s\n", ctx.info()->name);
    for (size_t k = 0; k < t.region.size(); k++)
        std::printf("%-14s %12.2f in %u orders\n", names[t.region[k]], t.cents[k] / 100., t.orders[k]);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "20_cpp_group_by: %s\n", error.what());
    return 1;
}
