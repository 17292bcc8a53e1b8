#include <cstdio>
#define GP_IMPLEMENTATION // in exactly one C or C++ file
#include "gpuprim.hpp"

int main()
{
    const gp::context ctx;
    const uint32_t sales[] = {3, 1, 4, 1, 5};
    const gp::buffer in(ctx, sales); // a gp::buffer<uint32_t>
    const gp::buffer<uint32_t> out(ctx, in.size());
    const uint32_t limit = 2;

    gp::scan(ctx, in, out);
    for (uint32_t x : gp::read(ctx, out)) std::printf("%u\n", x); // 3 4 8 9 14
    uint64_t total = gp::reduce(ctx, in);
    uint64_t large = gp::select(ctx, in, out, {"x > limit", {gp::arg("limit", limit)}});
    gp::sort(ctx, in);
    std::printf("%d in all, %d above %u\n", int(total), int(large), limit);
}
