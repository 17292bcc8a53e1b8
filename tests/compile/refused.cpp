// What gpuprim.hpp refuses in words when it is compiled: one call, REFUSED.
#include "gpuprim.hpp"

struct point {
    float x, y;
};

void refused(gp_context *ctx, gp::view<point> points, gp::view<float> numbers)
{
    REFUSED;
    static_cast<void>(ctx);
    static_cast<void>(points);
    static_cast<void>(numbers);
}
