// Chapter "From C++": the fields of a desc, and events. No warnings with -Wall -Wextra, in C++17 and C++20.
#define GP_IMPLEMENTATION
#include "gpuprim.hpp"

#if __has_include(<CL/opencl.hpp>)
#define CL_HPP_TARGET_OPENCL_VERSION 300
#include <CL/opencl.hpp>
using event_type = cl::Event;
#else
using event_type = gp::event;
#endif

static int failures = 0;

static void expect(bool holds)
{
    if (!holds) failures++;
}

static void options(const gp::context &ctx)
{
    const uint32_t numbers[] = {3, 1, 4};
    const gp::buffer in(ctx, numbers);
    // [options]
    gp_sort_desc descending = {};
    descending.descending = true;
    gp::sort(ctx, in, descending);
    // [/options]
    expect(gp::read(ctx, in) == std::vector<uint32_t>{4, 3, 1});
}

static void events(const gp::context &ctx)
{
    const uint32_t numbers[] = {3, 1, 4};
    const gp::buffer in(ctx, numbers);
    const gp::buffer<uint32_t> sums(ctx, 3);
    event_type scanned;
    // [events]
    gp::scan(ctx, in, sums, gp::op::sum, gp::done(scanned));
    gp::sort(ctx, sums, gp::after(scanned).done(scanned)); // waits for the scan; then the sort's event
    // [/events]
    scanned.wait();
    expect(gp::read(ctx, sums) == std::vector<uint32_t>{3, 4, 8});
}

int main()
{
    const gp::context ctx;
    options(ctx);
    events(ctx);
    return failures;
}
