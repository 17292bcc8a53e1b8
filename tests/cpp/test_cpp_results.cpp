// test_cpp_results.cpp - gpuprim.hpp without exceptions: calls return results, and what could not be made is empty.
#define GP_NO_EXCEPTIONS
#include "../../gpuprim.hpp"
#include "check.hpp"

#include <cstring>

namespace
{

void test_calls(gp_context *ctx)
{
    const uint32_t sales[] = {3, 1, 4, 1, 5};
    const gp::buffer in(ctx, sales);
    const gp::buffer<uint32_t> out(ctx, 5), small(ctx, 4);
    CHECK(in && out);
    CHECK(bool(gp::scan(ctx, in, out)));
    const gp::result<std::vector<uint32_t>> totals = gp::read(ctx, out);
    CHECK(totals && totals.value == std::vector<uint32_t>{3, 4, 8, 9, 14});
    const gp::result<uint32_t> most = gp::reduce(ctx, in, gp::op::max);
    CHECK(most && most.value == 5 && !*most.text);
    const gp::result<uint64_t> kept = gp::select(ctx, in, out, "x > 3");
    CHECK(kept && kept.value == 2);

    const gp::result<void> shorter = gp::scan(ctx, in, small);
    CHECK(!shorter && shorter.code == GP_ERROR_INVALID_BUFFER &&
          std::strstr(shorter.text, "gp::scan: out has "));
    const gp::result<uint64_t> damaged = gp::select(ctx, in, out, "x > nobody");
    CHECK(!damaged && damaged.code == GP_ERROR_BUILD && std::strstr(damaged.text, "predicate"));
    gp::hash_table<uint32_t> set(ctx, 100);
    CHECK(set && set.insert(in) && set.size().value == 4);
}

void test_empty(gp_context *ctx)
{
    gp_context_desc nowhere = {};
    nowhere.device_filter = "no such device";
    const gp::context none(nowhere);
    CHECK(!none && std::strstr(gp_last_error(none), "no such device"));
    const gp::buffer<uint32_t> homeless(none, 5), large(ctx, SIZE_MAX / 4), good(ctx, 5);
    CHECK(!homeless && !large && large.size() == 0 && std::strstr(gp_last_error(ctx), "bytes"));
    const gp::result<void> ours =
        gp::set_error(ctx, GP_ERROR_CANCELED, gp::cl_error_string(CL_INVALID_VALUE));
    CHECK(ours.code == GP_ERROR_CANCELED && std::strstr(ours.text, "CL_INVALID_VALUE"));
    gp::set_callback(ctx, "the test");
    CHECK(gp::scan(ctx, good, good).code == GP_ERROR_INVALID_ARGUMENT);
    CHECK(std::strstr(gp_last_error(ctx), "the test called it"));
    gp::set_callback(ctx, nullptr);
    CHECK(gp::scan(none, good, good).code == GP_ERROR_INVALID_ARGUMENT);
    CHECK(gp::scan(ctx, good, large).code == GP_ERROR_INVALID_BUFFER);
    const gp::hash_table<uint32_t> nothing(ctx, 0);
    CHECK(!nothing && !nothing.size());
}

} // namespace

int main()
{
    const gp::context ctx;
    CHECK(bool(ctx));
    test_calls(ctx);
    test_empty(ctx);
    return failures > 0;
}
