// 19_cpp_first.cpp - the first calls from C++: when a day was warmest, how warm it had been so far, which readings are
// over a limit, and all of them from the warmest on.
//
// c++ -std=c++17 19_cpp_first.cpp -lOpenCL
#define GP_IMPLEMENTATION
#include "../gpuprim.hpp"

#include <cstdio>

namespace
{

struct summary {
    float warmest = 0;
    uint64_t when = 0; // index of the reading
    std::vector<float> warmest_so_far, over;
    std::vector<uint32_t> from_warmest; // indices
};

summary summarize(gp_context *ctx, const std::vector<float> &readings, float limit)
{
    const gp::buffer in(ctx, readings);
    const gp::buffer<float> out(ctx, in.size());
    const gp::buffer<uint32_t> order(ctx, in.size());
    summary s;

    // These return values, so they block.
    s.warmest = gp::reduce(ctx, in, gp::op::max);
    s.when = gp::reduce(ctx, in, gp::op::argmax);
    const uint64_t count = gp::select(ctx, in, out, {"x > limit", {gp::arg("limit", limit)}});
    s.over = gp::read(ctx, out.subview(0, size_t(count)));

    // These are enqueued.
    gp_sort_desc descending = {}; // what views do not say is in the desc
    descending.descending = true;
    gp::scan(ctx, in, out, gp::op::max);
    gp::argsort(ctx, in, order, descending);
    s.warmest_so_far = gp::read(ctx, out);
    s.from_warmest = gp::read(ctx, order);
    return s;
}

} // namespace

int main()
try {
    const gp::context ctx;
    const std::vector<float> hours = {9.5f, 9.f, 11.25f, 14.5f, 17.f, 19.75f, 19.5f, 16.f, 12.5f};
    const summary s = summarize(ctx, hours, 15);
    std::printf("%s\nwarmest: %g degrees, reading %d; %zu readings over 15 degrees\n", ctx.info()->name,
                s.warmest, int(s.when), s.over.size());
    for (size_t k = 0; k < hours.size(); k++)
        std::printf("%6.2f, so far at most %6.2f; place %zu: reading %u\n", hours[k], s.warmest_so_far[k],
                    k + 1, s.from_warmest[k]);
    return 0;
} catch (const gp::error &error) {
    std::fprintf(stderr, "19_cpp_first: %s\n", error.what());
    return 1;
}
