// test_cpp.cpp - gpuprim.hpp: every call with views against plain C++, and against the C call's launches.
#include "../../gpuprim.hpp"
#include "check.hpp"

#if __has_include(<CL/opencl.hpp>)
#define CL_HPP_TARGET_OPENCL_VERSION 300
#include <CL/opencl.hpp>
#endif

#include <chrono>
#include <cstdlib>
#include <map>
#include <new>
#include <numeric>
#include <random>
#include <thread>

// How often this thread has asked for memory in C++. OpenCL implementations do so, too.
static thread_local size_t allocations = 0;
void *operator new(size_t size, const std::nothrow_t &) noexcept
{
    allocations++;
    return std::malloc(size ? size : 1);
}
void *operator new(size_t size)
{
    if (void *memory = operator new(size, std::nothrow)) return memory;
    throw std::bad_alloc();
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

struct particle {
    float x, y, z, mass;
    bool operator==(const particle &p) const { return x == p.x && y == p.y && z == p.z && mass == p.mass; }
};
template <>
inline constexpr gp_record gp::record<particle> = {"particle", sizeof(particle),
                                                   "typedef struct { float x, y, z, mass; } particle;"};

struct affine { // x -> a x + b
    uint32_t a, b;
    bool operator==(const affine &m) const { return a == m.a && b == m.b; }
};

namespace
{

using u32s = std::vector<uint32_t>;
using u64s = std::vector<uint64_t>;

constexpr affine one = {1, 0};
constexpr gp_monoid affine_maps = {
    "affine",
    "typedef struct { uint a, b; } affine;\n"
    "affine then(affine f, affine g) { affine h = {f.a * g.a, f.b * g.a + g.b}; return h; }",
    "then",
    &one,
    sizeof one,
    false,
    true,
    false};

constexpr size_t n = 5003;

u32s numbers(uint32_t below, uint32_t seed = 1)
{
    std::mt19937 random(seed);
    u32s v(n);
    for (uint32_t &x : v) x = uint32_t(random() % below);
    return v;
}

u32s indices()
{
    u32s v(n);
    std::iota(v.begin(), v.end(), 0u);
    return v;
}

template <typename T> std::vector<T> first(std::vector<T> v, size_t count)
{
    v.resize(count);
    return v;
}

// What the library's error says, or "" without one.
template <typename F> std::string error_of(F f, gp_result code)
{
    try {
        f();
    } catch (const gp::error &e) {
        CHECK(e.code() == code);
        return e.what();
    }
    return "";
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

// ---- what the types promise

template <typename T> constexpr bool owns()
{
    return !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
           std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T> &&
           std::is_nothrow_destructible_v<T>;
}
static_assert(owns<gp::context>() && owns<gp::event>() && owns<gp::buffer<float>>() &&
              owns<gp::hash_table<int, int>>());
static_assert(std::is_trivially_copyable_v<gp::view<float>>);
static_assert(gp::type_of<char>() == (std::is_signed_v<char> ? GP_I8 : GP_U8) &&
              gp::type_of<bool>() == GP_U8);
static_assert(gp::type_of<long long>() == GP_I64 && gp::type_of<unsigned long long>() == GP_U64);
static_assert(gp::type_of<short>() == GP_I16 && gp::type_of<unsigned short>() == GP_U16);
static_assert(gp::type_of<int>() == GP_I32 && gp::type_of<gp::half>() == GP_F16);
static_assert(gp::type_of<float>() == GP_F32 && gp::type_of<double>() == GP_F64);
static_assert(!gp::type_of<long double>() && !gp::type_of<particle>() && !gp::type_of<void *>());
static_assert(std::is_same_v<gp::op::result<int8_t, GP_SUM>, int64_t>);
static_assert(std::is_same_v<gp::op::result<uint32_t, GP_PROD>, uint64_t>);
static_assert(std::is_same_v<gp::op::result<gp::half, GP_SUM>, float>);
static_assert(std::is_same_v<gp::op::result<float, GP_SUM>, float>);
static_assert(std::is_same_v<gp::op::result<int, GP_MAX>, int>);
static_assert(std::is_same_v<gp::op::result<float, GP_ARGMIN>, uint64_t>);

// ---- calls

void test_buffers(gp_context *ctx)
{
    const u32s host = numbers(1000);
    gp::buffer a(ctx, host);
    static_assert(std::is_same_v<decltype(a), gp::buffer<uint32_t>>);
    CHECK(gp::read(ctx, a) == host);
    const gp::view<uint32_t> part = a.subview(3, 4).subview(1, 2);
    CHECK(part.size() == 2 && part.offset() == 4 && part.get() == a.get());
    CHECK(gp::read(ctx, part) == u32s{host[4], host[5]});
    const uint32_t two[] = {7, 8};
    gp::write(ctx, part, two);
    CHECK(gp::read(ctx, a.subview(3, 4)) == u32s{host[3], 7, 8, host[6]});

    // Their bytes would wrap to 4 * 0 and 4 * 2, which are there.
    const size_t wraps = SIZE_MAX / sizeof(uint32_t) + 1;
    uint32_t untouched[4] = {1, 2, 3, 4};
    const gp::view<uint32_t> far(a.get(), 4, wraps), long_one(a.get(), wraps + 2);
    CHECK(has(error_of([&] { gp::read(ctx, far, untouched); }, GP_ERROR_INVALID_BUFFER), "view"));
    CHECK(has(error_of([&] { gp::write(ctx, far, untouched); }, GP_ERROR_INVALID_BUFFER), "view"));
    CHECK(has(error_of([&] { gp::read(ctx, long_one, untouched); }, GP_ERROR_INVALID_BUFFER), "view"));
    CHECK(untouched[0] == 1 && gp::read(ctx, a.subview(0, 1)) == u32s{host[0]});

    const cl_mem memory = a.get();
    gp::buffer<uint32_t> b = std::move(a), c;
    CHECK(b.get() == memory && b.size() == n && !a && a.size() == 0);
    c = std::move(b);
    CHECK(c.get() == memory && c && !b);
    gp::buffer<uint32_t> none(ctx, u32s());
    CHECK(none && none.size() == 0 && gp::read(ctx, none).empty());
    gp::scan(ctx, none, none);
    gp::buffer<float> f(ctx, std::array<float, 2>{1, 2});
    CHECK(gp::read(ctx, f) == std::vector<float>{1, 2});
    gp::buffer<char> text(ctx, "ab", 2);
    CHECK(gp::read(ctx, text) == std::vector<char>{'a', 'b'});
}

void test_reductions(gp_context *ctx)
{
    const u32s host = numbers(1000);
    const gp::buffer in(ctx, host);
    const uint64_t total = std::accumulate(host.begin(), host.end(), uint64_t(0));
    CHECK(gp::reduce(ctx, in) == total);
    CHECK(gp::reduce(ctx, in, gp::op::sum) == total);
    CHECK(gp::reduce<uint32_t>(ctx, in, GP_SUM) == uint32_t(total));
    CHECK(gp::reduce(ctx, in, gp::op::max) == *std::max_element(host.begin(), host.end()));
    CHECK(gp::reduce(ctx, in, gp::op::argmax) ==
          size_t(std::max_element(host.begin(), host.end()) - host.begin()));
    gp_reduce_desc large = {};
    large.map = "x > 500";
    const auto is_large = [](uint32_t x) { return x > 500; };
    CHECK(gp::reduce<uint64_t>(ctx, in, gp::op::sum, large) ==
          uint64_t(std::count_if(host.begin(), host.end(), is_large)));
    const gp::buffer<uint64_t> out(ctx, 2);
    gp::reduce(ctx, in, out.subview(1, 1));
    CHECK(gp::read(ctx, out)[1] == total);

    const u32s ends = {0, 10, 10, 5003};
    const gp::buffer offsets(ctx, ends);
    const gp::buffer<uint32_t> sums(ctx, 3);
    gp::segmented_reduce(ctx, in, offsets, sums);
    const uint32_t head = std::accumulate(host.begin(), host.begin() + 10, 0u);
    CHECK(gp::read(ctx, sums) == u32s{head, 0, uint32_t(total) - head});
    gp::segmented_reduce(ctx, in, 10, sums);
    CHECK(gp::read(ctx, sums)[0] == head &&
          gp::read(ctx, sums)[2] == host[20] + std::accumulate(host.begin() + 21, host.begin() + 30, 0u));

    gp::reduce_columns(ctx, in.subview(0, 6), sums);
    CHECK(gp::read(ctx, sums) == u32s{host[0] + host[3], host[1] + host[4], host[2] + host[5]});

    const gp::buffer table(ctx, u32s{1, 2, 3, 4, 5, 6});
    gp::segmented_scan(ctx, table, gp::buffer(ctx, u32s{0, 2, 2, 6}), table);
    CHECK(gp::read(ctx, table) == u32s{1, 3, 3, 7, 12, 18});
    gp::segmented_scan(ctx, table, 3, table);
    CHECK(gp::read(ctx, table) == u32s{1, 4, 7, 7, 19, 37});
    gp::scan_columns(ctx, table, 3, table, gp::op::max);
    CHECK(gp::read(ctx, table) == u32s{1, 4, 7, 7, 19, 37});
    CHECK(has(error_of([&] { gp::segmented_scan(ctx, table, 0, table); }, GP_ERROR_INVALID_BUFFER),
              "row_length is 0"));

    // A monoid: maps one after the other.
    std::vector<affine> maps(n);
    affine all = one;
    for (size_t k = 0; k < n; k++) {
        maps[k] = {host[k], uint32_t(k)};
        all = {all.a * maps[k].a, all.b * maps[k].a + maps[k].b};
    }
    const gp::buffer steps(ctx, maps);
    const gp::buffer<affine> so_far(ctx, n);
    CHECK(gp::reduce<affine>(ctx, steps, affine_maps) == all);
    gp::scan(ctx, steps, so_far, affine_maps);
    CHECK(gp::read(ctx, so_far).back() == all);
    gp_reduce_desc mapped = {};
    mapped.map = "(affine){x, i}";
    CHECK(gp::reduce<affine>(ctx, in, affine_maps, mapped) == all);
    struct tiny {
        char byte;
    };
    CHECK(has(error_of([&] { gp::reduce<tiny>(ctx, in, gp::op::sum); }, GP_ERROR_INVALID_BUFFER), "out: "));
    CHECK(has(error_of([&] { gp::reduce<uint32_t>(ctx, steps, affine_maps); }, GP_ERROR_INVALID_BUFFER),
              "monoid"));
    CHECK(
        has(error_of([&] { gp::reduce<affine>(ctx, in, affine_maps); }, GP_ERROR_INVALID_BUFFER), "monoid"));
}

void test_scan(gp_context *ctx)
{
    const u32s host = numbers(1000);
    const gp::buffer in(ctx, host);
    const gp::buffer<uint64_t> wide(ctx, n);
    u64s expected(n);
    gp::scan(ctx, in, wide);
    std::partial_sum(host.begin(), host.end(), expected.begin(), std::plus<uint64_t>());
    CHECK(gp::read(ctx, wide) == expected);
    gp_scan_desc exclusive = {};
    const uint32_t initial = 17;
    exclusive.exclusive = true;
    exclusive.initial = &initial;
    gp::scan(ctx, in, in, gp::op::max, exclusive); // in place
    u32s most(n, initial);
    for (size_t k = 1; k < n; k++) most[k] = std::max(most[k - 1], host[k - 1]);
    CHECK(gp::read(ctx, in) == most);
}

void test_selections(gp_context *ctx)
{
    const u32s host = numbers(10);
    const gp::buffer in(ctx, host);
    const gp::buffer<uint32_t> out(ctx, n), lengths(ctx, n), count(ctx, 3);
    const gp::buffer<uint64_t> wide(ctx, 1);
    u32s expected;

    std::copy_if(host.begin(), host.end(), std::back_inserter(expected), [](uint32_t x) { return x > 3; });
    CHECK(gp::select(ctx, in, out, "x > 3") == expected.size());
    CHECK(first(gp::read(ctx, out), expected.size()) == expected);
    const uint32_t limit = 3;
    const gp::buffer table(ctx, u32s{0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
    CHECK(gp::select(ctx, in, out, {"x > limit", {gp::arg("limit", limit)}}) == expected.size());
    CHECK(gp::select(ctx, in, out, {"of[x] > limit", {gp::arg("limit", 0), gp::arg("of", table)}}) ==
          expected.size());
    const gp::expression kept = {"x > limit", {gp::arg("limit", limit)}},
                         other = {"of[x]", {gp::arg("of", table)}};
    const gp::expression copy = kept; // it outlives the braces that it was made of
    for (const gp::expression &e : {kept, other, copy}) CHECK(gp::select(ctx, in, out, e) == expected.size());
    gp::select(ctx, in, out, wide, {"of[x]", {gp::arg("of", table.subview(0, 10))}});
    CHECK(gp::read(ctx, wide)[0] == expected.size());
    const gp::expression none = {"x > 3", {gp::arg("of", out.subview(2, 0))}}; // no elements overlap nothing
    CHECK(gp::select(ctx, in, out, none) == expected.size());
    gp_select_desc at = {};
    at.indices_out = lengths.get();
    CHECK(gp::select(ctx, in, {}, "x > 3", at) == expected.size());

    u32s parts = host;
    const auto two = std::stable_partition(parts.begin(), parts.end(), [](uint32_t x) { return x > 3; });
    std::array<uint64_t, 3> counts = gp::partition(ctx, in, out, "x > 3");
    CHECK(counts[0] == size_t(two - parts.begin()) && counts[0] + counts[1] == n && counts[2] == 0);
    CHECK(gp::read(ctx, out) == parts);
    gp_partition_desc three = {};
    three.predicate2 = "x == 0";
    gp::partition(ctx, in, out, count, "x > 3", three);
    const u32s found = gp::read(ctx, count);
    CHECK(found[0] == counts[0] && found[0] + found[1] + found[2] == n);

    const u32s index = indices();
    const gp::buffer values(ctx, index);
    const gp::buffer<uint32_t> values_out(ctx, n);
    u32s runs = host, heads, sizes, sums;
    runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
    for (size_t k = 0; k < n; k++) {
        if (k == 0 || host[k] != host[k - 1]) {
            heads.push_back(uint32_t(k));
            sizes.push_back(0);
            sums.push_back(0);
        }
        sizes.back()++;
        sums.back() += uint32_t(k);
    }
    CHECK(gp::unique(ctx, in, out) == runs.size());
    CHECK(first(gp::read(ctx, out), runs.size()) == runs);
    gp::unique(ctx, in, out, wide);
    CHECK(gp::read(ctx, wide)[0] == runs.size());
    CHECK(gp::unique_by_key(ctx, in, values, out, values_out) == runs.size());
    CHECK(first(gp::read(ctx, values_out), runs.size()) == heads);
    gp::unique_by_key(ctx, in, values, out, values_out, count);
    CHECK(gp::read(ctx, count)[0] == runs.size());
    CHECK(gp::run_length_encode(ctx, in, out, lengths) == runs.size());
    CHECK(first(gp::read(ctx, out), runs.size()) == runs &&
          first(gp::read(ctx, lengths), runs.size()) == sizes);
    gp::run_length_encode(ctx, in, out, lengths, wide);
    CHECK(gp::read(ctx, wide)[0] == runs.size());
    {
        const gp::buffer keys(ctx, u32s{7, 8, 9}), ends(ctx, u32s{0, 2, 2, 5});
        const gp::buffer<uint32_t> repeated(ctx, 5), run(ctx, 5), position(ctx, 5);
        gp::run_length_decode(ctx, keys, ends, repeated, run, position);
        CHECK(gp::read(ctx, repeated) == u32s{7, 7, 9, 9, 9} && gp::read(ctx, run) == u32s{0, 0, 2, 2, 2} &&
              gp::read(ctx, position) == u32s{0, 1, 0, 1, 2});
        gp::run_length_decode(ctx, gp::view<uint32_t>{}, ends, gp::view<uint32_t>{}, position);
        CHECK(gp::read(ctx, position) == u32s{0, 0, 2, 2, 2});
    }
    {
        const gp::buffer names(ctx, u32s{7, 8, 7, 7}), ends(ctx, u32s{0, 1, 2, 3, 4});
        const gp::buffer letters(ctx, std::vector<char>{'a', 'b', 'a', 'b'});
        const gp::buffer<uint32_t> groups(ctx, 4), firsts(ctx, 4), order(ctx, 4), offsets(ctx, 5);
        CHECK(gp::group_by(ctx, {names, {letters, ends}}, groups, firsts, order, offsets) == 3u);
        CHECK(gp::read(ctx, groups) == u32s{0, 1, 0, 2} && first(gp::read(ctx, firsts), 3) == u32s{0, 1, 3} &&
              gp::read(ctx, order) == u32s{0, 2, 1, 3} &&
              first(gp::read(ctx, offsets), 4) == u32s{0, 2, 3, 4});
        CHECK(gp::group_by(ctx, {names}, groups) == 2u);
        const gp::buffer prices(ctx, std::vector<float>{1, 2, 3, 5});
        const gp::buffer<float> total(ctx, 4);
        const gp::buffer<uint32_t> sales(ctx, 4), best(ctx, 4);
        CHECK(gp::group_by(ctx, {names}, firsts,
                           {{gp::op::sum, "price[i]", total},
                            {gp::op::count, nullptr, sales},
                            {gp::op::argmax, "price[i]", best, GP_F32, "price[i] < 5"}},
                           {gp::arg("price", prices)}) == 2u);
        CHECK(first(gp::read(ctx, firsts), 2) == u32s{0, 1} && gp::read(ctx, total)[0] == 9 &&
              first(gp::read(ctx, sales), 2) == u32s{3, 1} && first(gp::read(ctx, best), 2) == u32s{2, 1});
        const gp::buffer others(ctx, u32s{8, 7, 9, 7});
        const gp::buffer<uint32_t> left(ctx, 7), right(ctx, 7);
        CHECK(gp::join(ctx, {names}, {others}, left, right) == 7u);
        CHECK(gp::read(ctx, left) == u32s{0, 0, 1, 2, 2, 3, 3} &&
              gp::read(ctx, right) == u32s{1, 3, 0, 1, 3, 1, 3});
        CHECK(gp::join(ctx, {others}, {names}, left, {}, GP_JOIN_ANTI) == 1u && gp::read(ctx, left)[0] == 2);
        CHECK(gp::join(ctx, {names}, {others}, {}) == 7u); // only counted
        CHECK(gp::join(ctx, {names}, {others}, {}, right) == 7u &&
              gp::read(ctx, right) == u32s{1, 3, 0, 1, 3, 1, 3});
        const gp::key_column column = others;
        gp_join_desc once = {};
        once.right = &column.column;
        once.column_count = 1;
        once.right_count = 4;
        const gp::buffer<char> made(ctx, gp::join_table_size(ctx, once));
        once.table = made.get();
        gp::join_build(ctx, once);
        gp_join_desc use = {};
        use.table = made.get();
        CHECK(gp::join(ctx, {names}, {others}, left, right, GP_JOIN_INNER, use) == 7u);
        CHECK(has(error_of(
                      [&] {
                          gp::join(ctx, {names}, {others, others}, left, right);
                      },
                      GP_ERROR_INVALID_BUFFER),
                  "different numbers of columns"));
        CHECK(has(error_of([&] { gp::join(ctx, {names}, {others}, groups, order); }, GP_ERROR_INVALID_BUFFER),
                  "7 pairs, but capacity = 4"));
        const gp::buffer filter(ctx, u32s(8 * gp::bloom_blocks(4, .001)));
        const gp::buffer<uint8_t> may_be(ctx, 4);
        gp::bloom_add(ctx, filter, {names});
        gp::bloom_contains(ctx, filter, {others}, may_be);
        CHECK(gp::read(ctx, may_be) == std::vector<uint8_t>{1, 1, 0, 1});
        const gp::buffer registers(ctx, u32s(1 << 14));
        gp::hyperloglog_add(ctx, registers, {names, {letters, ends}});
        CHECK(gp::hyperloglog_estimate(ctx, registers) > 2.9 &&
              gp::hyperloglog_estimate(ctx, registers) < 3.1);
        const gp::buffer<uint32_t> little(ctx, 3);
        CHECK(has(error_of(
                      [&] {
                          gp::group_by(ctx, {names}, firsts, {{gp::op::count, nullptr, little}});
                      },
                      GP_ERROR_INVALID_BUFFER),
                  "less room"));
    }
    CHECK(gp::reduce_by_key(ctx, in, values, out, values_out) == runs.size());
    CHECK(first(gp::read(ctx, out), runs.size()) == runs &&
          first(gp::read(ctx, values_out), runs.size()) == sums);
    gp::reduce_by_key(ctx, in, values, out, values_out, count, gp::op::max);
    CHECK(gp::read(ctx, count)[0] == runs.size());

    // Records are seen by their fields, or moved unseen.
    std::vector<particle> some(100);
    for (size_t k = 0; k < some.size(); k++) some[k] = {float(k), 0, 0, float(k % 7)};
    const gp::buffer particles(ctx, some);
    const gp::buffer<particle> heavy(ctx, some.size());
    CHECK(gp::select(ctx, particles, heavy, "x.mass > 5") == 14);
    CHECK(gp::read(ctx, heavy)[0] == some[6]);
}

void test_sorts(gp_context *ctx)
{
    const u32s host = numbers(1u << 20), index = indices();
    u32s sorted = host, order = index;
    std::sort(sorted.begin(), sorted.end());
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return host[a] < host[b]; });

    const gp::buffer<uint32_t> out(ctx, n);
    gp::buffer keys(ctx, host);
    const gp::buffer values(ctx, index);
    gp::argsort(ctx, keys, out);
    CHECK(gp::read(ctx, out) == order && gp::read(ctx, keys) == host);
    gp_sort_desc descending = {};
    descending.descending = true;
    descending.keys_out = out.get();
    gp::sort(ctx, keys, descending);
    CHECK(gp::read(ctx, out) == u32s(sorted.rbegin(), sorted.rend()) && gp::read(ctx, keys) == host);
    gp::sort(ctx, keys, values);
    CHECK(gp::read(ctx, keys) == sorted && gp::read(ctx, values) == order);
    gp::write(ctx, keys, host.data());
    gp::sort(ctx, keys);
    CHECK(gp::read(ctx, keys) == sorted);

    const gp::buffer offsets(ctx, u64s{0, 1000, 1000, n});
    u32s parts = host;
    std::sort(parts.begin(), parts.begin() + 1000);
    std::sort(parts.begin() + 1000, parts.end());
    gp::write(ctx, keys, host.data());
    gp::segmented_sort(ctx, keys, offsets);
    CHECK(gp::read(ctx, keys) == parts);
    gp::write(ctx, keys, host.data());
    gp::write(ctx, values, index.data());
    gp::segmented_sort(ctx, keys, values, offsets);
    CHECK(gp::read(ctx, keys) == parts && host[gp::read(ctx, values)[7]] == parts[7]);
    gp::write(ctx, keys, host.data());
    gp::segmented_argsort(ctx, keys, values, offsets);
    CHECK(gp::read(ctx, keys) == host && host[gp::read(ctx, values)[1000] + 1000] == parts[1000]);
    gp::segmented_argsort(ctx, keys, values, n);
    CHECK(gp::read(ctx, values) == order);
    CHECK(has(error_of([&] { gp::segmented_argsort(ctx, keys, values, 0); }, GP_ERROR_INVALID_BUFFER),
              "row_length"));
    const gp::view<uint64_t> no_offsets(offsets.get(), 0);
    CHECK(has(error_of([&] { gp::segmented_sort(ctx, keys, no_offsets); }, GP_ERROR_INVALID_BUFFER),
              "offsets has "));

    const gp::buffer<uint32_t> best(ctx, 5), at(ctx, 5);
    gp::write(ctx, keys, host.data());
    gp::topk(ctx, keys, best, at);
    CHECK(gp::read(ctx, best) == u32s(sorted.rbegin(), sorted.rbegin() + 5));
    CHECK(host[gp::read(ctx, at)[4]] == sorted[n - 5]);
    const uint32_t marks[] = {~0u, ~0u, ~0u, ~0u, ~0u};
    const u32s top = gp::read(ctx, at);
    gp::write<uint32_t>(ctx, at, marks);
    gp::topk(ctx, keys, {}, at);
    CHECK(gp::read(ctx, at) == top);
    gp_topk_desc smallest = {};
    smallest.smallest = true;
    gp::topk(ctx, keys, best, {}, smallest);
    CHECK(gp::read(ctx, best) == first(sorted, 5));

    gp::nth_element(ctx, keys, {n / 2, 0, n - 1}, best);
    CHECK(first(gp::read(ctx, best), 3) == u32s{sorted[n / 2], sorted[0], sorted[n - 1]});

    // Two rows, and the same by offsets.
    const gp::buffer<uint32_t> row_best(ctx, 4), row_at(ctx, 4), again(ctx, 4);
    const gp::view<uint32_t> two_rows = keys.subview(0, 2000);
    gp::segmented_topk(ctx, two_rows, 1000, row_best, row_at);
    u32s rows = first(host, 2000), chosen;
    for (size_t k = 0; k < 4; k++) chosen.push_back(host[gp::read(ctx, row_at)[k] + k / 2 * 1000]);
    CHECK(chosen == gp::read(ctx, row_best));
    std::sort(rows.begin(), rows.begin() + 1000, std::greater<>());
    std::sort(rows.begin() + 1000, rows.end(), std::greater<>());
    CHECK(gp::read(ctx, row_best) == u32s{rows[0], rows[1], rows[1000], rows[1001]});
    gp::segmented_topk(ctx, two_rows, gp::buffer(ctx, u32s{0, 1000, 2000}), again);
    CHECK(gp::read(ctx, again) == gp::read(ctx, row_best));
    const gp::buffer<uint32_t> ks(ctx, u32s{1, 7});
    const u32s nothing(4, 7);
    gp_segmented_topk_desc each = {};
    each.ks = ks.get();
    gp::write(ctx, again, nothing.data());
    gp::segmented_topk(ctx, two_rows, 1000, again, {}, each);
    CHECK(gp::read(ctx, again) == u32s{rows[0], 7, rows[1000], rows[1001]});
    CHECK(has(error_of([&] { gp::segmented_topk(ctx, two_rows, 0, again); }, GP_ERROR_INVALID_BUFFER),
              "row_length is 0"));
    CHECK(has(error_of([&] { gp::segmented_topk(ctx, two_rows, 600, again); }, GP_ERROR_INVALID_BUFFER),
              "no k for each segment"));

    std::vector<particle> some(100), by_mass(100);
    for (size_t k = 0; k < some.size(); k++) some[k] = {float(k), 0, 0, float(k * 37 % 10)};
    by_mass = some;
    std::sort(by_mass.begin(), by_mass.end(), [](const particle &a, const particle &b) {
        return a.mass != b.mass ? a.mass < b.mass : a.x > b.x;
    });
    const gp::buffer particles(ctx, some);
    gp::sort_records(ctx, particles, {{"x.mass", GP_F32, false}, {"x.x", GP_F32, true}});
    CHECK(gp::read(ctx, particles) == by_mass);

    const gp::buffer<char> text(ctx, "pearapplefig", 12);
    const gp::buffer words(ctx, u32s{0, 4, 9, 12});
    const gp::buffer<uint32_t> alphabet(ctx, 3);
    gp::sort_strings(ctx, text, words, alphabet);
    CHECK(gp::read(ctx, alphabet) == u32s{1, 2, 0});

    // Sorted sequences.
    const u32s a = first(sorted, 2000), b(sorted.begin() + 1000, sorted.begin() + 2500);
    u32s both(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
    const gp::buffer first_keys(ctx, a), second_keys(ctx, b), one_values(ctx, index);
    const gp::buffer<uint32_t> merged(ctx, both.size()), merged_values(ctx, both.size());
    gp::merge(ctx, first_keys, second_keys, merged);
    CHECK(gp::read(ctx, merged) == both);
    gp::merge(ctx, first_keys, one_values.subview(0, a.size()), second_keys,
              one_values.subview(1000, b.size()), merged, merged_values);
    CHECK(gp::read(ctx, merged) == both && sorted[gp::read(ctx, merged_values)[3000]] == both[3000]);

    const gp::buffer needles(ctx, u32s{0, sorted[77], UINT32_MAX});
    const gp::buffer<uint64_t> where(ctx, 3);
    gp::search(ctx, first_keys, needles, where);
    CHECK(gp::read(ctx, where) ==
          u64s{0, uint64_t(std::lower_bound(a.begin(), a.end(), sorted[77]) - a.begin()), a.size()});
    const std::vector<float> masses = {3, 5};
    gp_search_desc of_mass = {};
    of_mass.map = "x.mass";
    gp::search(ctx, particles, gp::buffer(ctx, masses), where.subview(0, 2), of_mass);
    CHECK(first(gp::read(ctx, where), 2) == u64s{30, 50});
}

void test_histogram(gp_context *ctx)
{
    const u32s host = numbers(64);
    u32s expected(8), wide(2);
    for (const uint32_t x : host) {
        expected[x / 8]++;
        if (x < 40) wide[x / 20]++;
    }
    const gp::buffer in(ctx, host);
    const gp::buffer<uint32_t> out(ctx, 8);
    gp::histogram(ctx, in, out, 0, 64);
    CHECK(gp::read(ctx, out) == expected);
    const gp::buffer edges(ctx, u32s{0, 20, 40});
    gp_histogram_desc by_edges = {};
    by_edges.edges = edges.get();
    gp::histogram(ctx, in, out.subview(1, 2), by_edges);
    CHECK(gp::read(ctx, out.subview(1, 2)) == wide);
    const gp::buffer<float> floats(ctx, std::array<float, 3>{-1, 0.25f, 0.75f});
    gp::histogram(ctx, floats, out.subview(0, 2), -1, 1);
    CHECK(gp::read(ctx, out.subview(0, 2)) == u32s{1, 2});
    const gp::buffer<uint8_t> bytes(ctx, 8); // for whose histogram 0 bins are 256
    const gp::buffer around(ctx, u32s(2048, 7));
    gp_histogram_desc pixels = {};
    pixels.channels = 4;
    CHECK(has(error_of([&] { gp::histogram(ctx, bytes, around.subview(1, 0)); }, GP_ERROR_INVALID_BUFFER),
              "out has 0 elements, 1 are needed"));
    CHECK(has(
        error_of([&] { gp::histogram(ctx, bytes, around.subview(1, 3), pixels); }, GP_ERROR_INVALID_BUFFER),
        "out has 3 elements, 4 are needed"));
    CHECK(gp::read(ctx, around) == u32s(2048, 7));
}

void test_nests(gp_context *ctx)
{
    const gp::buffer<char> text(ctx, "(a[b])()", 8);
    const gp::buffer<uint32_t> match(ctx, 8), parent(ctx, 8), depth(ctx, 8), end(ctx, 8);
    const uint32_t none = UINT32_MAX;
    gp::brackets(ctx, text, "()[]", match);
    CHECK(gp::read(ctx, match) == u32s{5, none, 4, none, 2, 0, 7, 6});
    gp::brackets(ctx, text, nullptr, {}, parent, depth);
    CHECK(gp::read(ctx, parent) == u32s{none, 0, 0, 2, 2, 0, none, 6});
    CHECK(gp::read(ctx, depth) == u32s{0, 1, 1, 2, 2, 1, 0, 1});
    const gp::buffer values(ctx, u32s{1, 2, 4, 8, 16, 32, 64, 128});
    const gp::buffer<uint64_t> sums(ctx, 8);
    gp::stack_scan(ctx, text, "()[]", values, sums, gp::op::sum);
    CHECK(gp::read(ctx, sums) == u64s{1, 1, 5, 5, 1, 0, 64, 0});
    gp::tree(ctx, parent, {}, {}, end);
    CHECK(gp::read(ctx, end) == u32s{6, 2, 5, 4, 5, 6, 8, 8});
}

void test_maps(gp_context *ctx)
{
    const u32s host = numbers(1000), index = indices();
    const gp::buffer a(ctx, host), b(ctx, index);
    const gp::buffer<uint32_t> out(ctx, n);
    const gp::buffer<float> floats(ctx, n);
    u32s expected(n);
    gp::transform(ctx, out, "i * i");
    CHECK(gp::read(ctx, out)[77] == 77 * 77);
    gp::transform(ctx, a, floats, "x * 0.5f");
    CHECK(gp::read(ctx, floats)[7] == float(host[7]) * 0.5f);
    const uint32_t scale = 3;
    gp::transform(ctx, a, b, out, {"x * scale + y", {gp::arg("scale", scale)}});
    for (size_t k = 0; k < n; k++) expected[k] = host[k] * 3 + uint32_t(k);
    CHECK(gp::read(ctx, out) == expected);
    gp::transform(ctx, a, b, floats, out, "x + y + (uint)z");
    CHECK(gp::read(ctx, out)[9] == host[9] + 9 + host[9] / 2);
    const gp::buffer<particle> particles(ctx, 3);
    gp::fill(ctx, particles, {1, 2, 3, 4});
    CHECK(gp::read(ctx, particles) == std::vector<particle>(3, {1, 2, 3, 4}));
    gp::transform(ctx, particles, floats.subview(5, 3), "x.y + i");
    CHECK(gp::read(ctx, floats.subview(5, 3)) == std::vector<float>{2, 3, 4});

    gp::fill(ctx, floats, 7);
    CHECK(gp::read(ctx, floats) == std::vector<float>(n, 7));
    gp::iota(ctx, out);
    CHECK(gp::read(ctx, out) == index);
    gp::iota(ctx, floats, 1, 0.5f);
    CHECK(gp::read(ctx, floats)[3] == 2.5f);
    const gp::buffer<gp::half> halves(ctx, 2);
    gp::iota(ctx, halves, 1);
    CHECK(gp::read(ctx, halves) == std::vector<gp::half>{gp::half(0x3c00), gp::half(0x4000)});
    gp::adjacent_difference(ctx, b, out);
    CHECK(gp::read(ctx, out)[44] == 1);
    gp::random(ctx, floats, 42);
    for (const float x : gp::read(ctx, floats)) CHECK(x >= 0 && x < 1);
    gp::random(ctx, out, 42);
    CHECK(gp::read(ctx, out)[0] != gp::read(ctx, out)[1]);

    const gp::buffer order(ctx, u32s{4, 0, 2});
    gp::gather(ctx, a, order, out.subview(10, 3));
    CHECK(gp::read(ctx, out.subview(10, 3)) == u32s{host[4], host[0], host[2]});
    gp::scatter(ctx, b.subview(100, 3), order, out);
    CHECK(gp::read(ctx, out)[4] == 100 && gp::read(ctx, out)[2] == 102);
    const gp::buffer<uint32_t> turned(ctx, 6);
    gp::transpose(ctx, b.subview(0, 6), 3, turned);
    CHECK(gp::read(ctx, turned) == u32s{0, 3, 1, 4, 2, 5});
    const gp::buffer flags(ctx, std::array<uint8_t, 4>{1, 0, 1, 0});
    gp::fill(ctx, out, 9);
    gp::unpack(ctx, b, flags, out);
    CHECK(gp::read(ctx, out.subview(0, 5)) == u32s{0, 9, 1, 9, 9});

    gp_stencil_desc wide = {};
    wide.radius_x = 1;
    gp::stencil(ctx, b, out, "at(-1, 0) + x + at(1, 0)", wide);
    CHECK(gp::read(ctx, out)[50] == 150);
    const gp::buffer weights(ctx, std::array<float, 3>{0, 1, 2});
    wide.weights = weights.get();
    wide.width = 10;
    wide.height = 500;
    gp::stencil(ctx, b, floats, nullptr, wide);
    CHECK(gp::read(ctx, floats)[12] == 12 + 2 * 13);
    wide.height = 501;
    CHECK(has(error_of([&] { gp::stencil(ctx, b, floats, nullptr, wide); }, GP_ERROR_INVALID_BUFFER),
              "in has "));
}

void test_hash(gp::context &ctx)
{
    const u32s host = numbers(300), index = indices();
    std::map<uint32_t, uint32_t> expected;
    for (const uint32_t x : host) expected[x]++;
    const gp::buffer keys(ctx, host), values(ctx, index);
    const gp::buffer<uint32_t> out(ctx, 300), counts(ctx, 300), live(ctx, 1);
    gp::hash_table<uint32_t, uint32_t> table(ctx, 300);
    table.insert_or_apply(keys);
    gp_hash_retrieve_desc by_key = {};
    by_key.sort_type = GP_U32;
    table.retrieve(out, counts, live, by_key);
    CHECK(table.size() == expected.size() && gp::read(ctx, live)[0] == expected.size());
    size_t k = 0;
    const u32s found_keys = gp::read(ctx, out), found_counts = gp::read(ctx, counts);
    for (const auto &[key, count] : expected) {
        CHECK(found_keys[k] == key && found_counts[k] == count);
        k++;
    }
    CHECK(table.counts().live == expected.size() && table.stats().live == expected.size());
    gp_hash_for_each_desc halve = {};
    halve.map = "v >> 1";
    table.for_each(halve);
    const gp::buffer<uint8_t> there(ctx, 2);
    const gp::buffer needles(ctx, u32s{host[0], 12345});
    const uint32_t absent = 99;
    gp_hash_find_desc or_99 = {};
    or_99.absent = &absent;
    table.find(needles, counts, there, or_99);
    CHECK(gp::read(ctx, counts)[0] == expected[host[0]] / 2 && gp::read(ctx, counts)[1] == 99);
    CHECK(gp::read(ctx, there) == std::vector<uint8_t>{1, 0});
    table.insert_or_assign(keys, values);
    table.insert(keys, values);
    table.insert_or_apply(needles, needles, GP_MAX);
    CHECK(table.size() == expected.size() + 1);
    table.erase(needles);
    CHECK(table.size() == expected.size() - 1);
    table.rehash();

    gp_context_desc sharing = {};
    sharing.share = ctx;
    const gp::context other(sharing);
    const gp::hash_table<uint32_t, uint32_t> shared(other, table);
    shared.contains(needles, there);
    CHECK(gp::read(other, there) == std::vector<uint8_t>{0, 0});
    CHECK(shared && shared.buffer() == table.buffer() && shared.get().id != table.get().id);

    gp::hash_table<uint32_t, uint32_t> moved = std::move(table);
    CHECK(moved && !table);
    moved.clear();
    CHECK(moved.size() == 0);
    gp::hash_table<uint64_t> set(ctx, 100);
    const gp::buffer wide(ctx, u64s{1, 2, 1});
    set.insert(wide);
    CHECK(set.size() == 2);
    gp_hash_insert_desc batch = {};
    batch.count = n;
    CHECK(moved.insert_scratch_size(batch) == 0 || moved.insert_scratch_size(batch) > n);
    CHECK(moved.erase_scratch_size({}) == 0 || moved.erase_scratch_size({}) > 0);
    CHECK(moved.retrieve_scratch_size(by_key) == 0 || moved.retrieve_scratch_size(by_key) > 0);
    gp_hash_desc desc = {};
    desc.key_size = desc.value_size = 4;
    desc.capacity = 64;
    CHECK(gp::hash_buffer_size(ctx, desc) > 64 * 8);
    desc.capacity = 0;
    CHECK(!error_of([&] { gp::hash_table<uint32_t, uint32_t>(ctx, 0); }, GP_ERROR_INVALID_ARGUMENT).empty());
    gp_device_source_desc source = {};
    source.part = GP_DEVICE_HASH;
    source.table = moved.get();
    CHECK(has(gp::device_source(ctx, source), "gp_hash_find"));
}

// ---- errors, costs, other objects

void test_errors(gp::context &ctx)
{
    const u32s host = numbers(10);
    const gp::buffer in(ctx, host);
    const gp::buffer<uint32_t> out(ctx, n - 1);
    const gp::view<uint32_t> sliced(in.get(), n - 1); // of a buffer that is large enough
    const uint64_t before = gp::stats_read(ctx).launches;
    CHECK(has(error_of([&] { gp::scan(ctx, in, out); }, GP_ERROR_INVALID_BUFFER), "out has "));
    CHECK(has(error_of([&] { gp::scan(ctx, in, sliced); }, GP_ERROR_INVALID_BUFFER), "out has "));
    CHECK(has(error_of([&] { gp::sort(ctx, in, out); }, GP_ERROR_INVALID_BUFFER), "values has "));
    CHECK(has(error_of([&] { gp::transform(ctx, in, sliced, in, "x + y"); }, GP_ERROR_INVALID_BUFFER),
              "in2 has "));
    CHECK(has(error_of([&] { gp::select(ctx, in, out, "x"); }, GP_ERROR_INVALID_BUFFER), "out has "));
    CHECK(has(error_of([&] { gp::scan(ctx, gp::view<uint32_t>(nullptr, 3), out); }, GP_ERROR_INVALID_BUFFER),
              "in is NULL"));
    const gp::view<uint32_t> nothing;
    CHECK(has(error_of([&] { gp::topk(ctx, in, {}, nothing); }, GP_ERROR_INVALID_BUFFER), "NULL"));
    CHECK(
        has(error_of([&] { gp::fill(ctx, nothing, 1); }, GP_ERROR_INVALID_BUFFER), "gp::fill: out is NULL"));
    CHECK(has(error_of([&] { gp::scatter(ctx, in, in, {}); }, GP_ERROR_INVALID_BUFFER), "out is NULL"));
    CHECK(has(error_of([&] { gp::group_by(ctx, {nothing}, nothing, out); }, GP_ERROR_INVALID_BUFFER),
              "a column is NULL"));
    CHECK(has(error_of([&] { gp::scan(ctx, nothing, out); }, GP_ERROR_INVALID_BUFFER), "in is NULL"));
    CHECK(has(error_of([&] { gp::segmented_sort(ctx, in, nothing); }, GP_ERROR_INVALID_BUFFER),
              "offsets is NULL"));
    gp::scan(ctx, gp::buffer<uint32_t>(ctx, 0), out); // of no elements, but a buffer
    CHECK(gp::stats_read(ctx).launches == before);
    CHECK(has(error_of([&] { gp::select(ctx, in, in.subview(0, n), "x"); }, GP_ERROR_OVERLAP), "overlap"));
    CHECK(has(
        error_of([&] { gp::select(ctx, in, gp::buffer<uint32_t>(ctx, n), "x > nobody"); }, GP_ERROR_BUILD),
        "predicate"));
    CHECK(has(error_of([&] { gp::buffer<uint32_t>(ctx, SIZE_MAX / 2); }, GP_ERROR_OUT_OF_DEVICE_MEMORY),
              "buffer"));
    CHECK(has(error_of([&] { gp::read(ctx, gp::view<uint32_t>(in.get(), n + 1)); }, GP_ERROR_OPENCL),
              "gp::read"));
    CHECK(!error_of([&] { gp::event().wait(); }, GP_ERROR_OPENCL).empty());
    gp_context_desc nowhere = {};
    nowhere.device_filter = "no such device";
    CHECK(has(error_of([&] { gp::context c(nowhere); }, GP_ERROR_NO_DEVICE), "no such device"));
    CHECK(has(error_of([&] { gp::context c{cl_command_queue()}; }, GP_ERROR_INVALID_ARGUMENT), "queue"));
    CHECK(!error_of([&] { gp::finish(nullptr); }, GP_ERROR_INVALID_ARGUMENT).empty());

    // A call after which a wait fails.
    cl_event never = clCreateUserEvent(ctx.cl(), nullptr);
    gp_scan_desc wait = {};
    wait.wait = &never;
    wait.wait_count = 1;
    gp::scan(ctx, in, in, GP_SUM, wait);
    clSetUserEventStatus(never, -1);
    CHECK(has(error_of([&] { gp::read(ctx, in); }, GP_ERROR_OPENCL), "scan"));
    clReleaseEvent(never);
    gp::finish(ctx);
}

// The C calls with the descs that a C program would write.
void test_costs(gp::context &ctx)
{
    const u32s host = numbers(1000);
    gp::buffer in(ctx, host), values(ctx, host);
    const gp::buffer<uint32_t> out(ctx, n), count(ctx, 1);
    gp::hash_table<uint32_t, uint32_t> table(ctx, 1000);
    gp_scan_desc scan = {};
    scan.in = in.get();
    scan.out = out.get();
    scan.count = n;
    scan.type = GP_U32;
    scan.op = GP_SUM;
    gp_reduce_desc reduce = {};
    reduce.in = in.get();
    reduce.count = n;
    reduce.type = GP_U32;
    reduce.op = GP_MAX;
    gp_select_desc select = {};
    select.in = in.get();
    select.out = out.get();
    select.count_out = count.get();
    select.count = n;
    select.type = GP_U32;
    select.predicate = "x > 3";
    gp_sort_desc sort = {};
    sort.keys = in.get();
    sort.values = values.get();
    sort.count = n;
    sort.key_type = GP_U32;
    sort.value_size = 4;
    gp_transform_desc transform = {};
    transform.in = in.get();
    transform.type = GP_U32;
    transform.out = out.get();
    transform.count = n;
    transform.map = "x + 1";
    gp_hash_insert_desc insert = {};
    insert.keys = in.get();
    insert.values = values.get();
    insert.count = n;

    uint32_t most = 0;
    const auto in_c = [&] {
        CHECK(gp_scan(ctx, &scan) == GP_OK && gp_reduce_read(ctx, &reduce, &most) == GP_OK);
        CHECK(gp_select(ctx, &select) == GP_OK && gp_transform(ctx, &transform) == GP_OK);
        CHECK(gp_sort(ctx, &sort) == GP_OK && gp_hash_insert(ctx, table.get(), &insert) == GP_OK);
    };
    const auto in_cpp = [&] {
        gp::scan(ctx, in, out);
        CHECK(gp::reduce(ctx, in, gp::op::max) == most);
        gp::select(ctx, in, out, count, "x > 3");
        gp::transform(ctx, in, out, "x + 1");
        gp::sort(ctx, in, values);
        table.insert(in, values);
    };
    uint64_t launches[2], programs[2];
    size_t allocated[2];
    for (int turn = 0; turn < 2; turn++) { // all is built in the first
        gp::stats_reset(ctx);
        allocated[0] = allocations;
        in_c();
        allocated[0] = allocations - allocated[0];
        launches[0] = gp::stats_read(ctx).launches;
        programs[0] = gp::stats_read(ctx).programs_built;
        gp::stats_reset(ctx);
        allocated[1] = allocations;
        in_cpp();
        allocated[1] = allocations - allocated[1];
        launches[1] = gp::stats_read(ctx).launches;
        programs[1] = gp::stats_read(ctx).programs_built;
    }
    CHECK(launches[0] == launches[1] && launches[0] >= 6);
    CHECK(programs[0] == 0 && programs[1] == 0);
    if (allocated[0] != allocated[1])
        std::fprintf(stderr, "%zu, %zu allocations\n", allocated[0], allocated[1]);
    CHECK(allocated[0] == allocated[1]);
}

// Is the caller's reference the only one left? An implementation may give up its own a while after the command.
bool is_last_reference(cl_event e)
{
    cl_uint count = 0;
    for (int k = 0; k < 5000 && count != 1; k++) {
        if (k) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        clGetEventInfo(e, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, nullptr);
    }
    return count == 1;
}

void test_events(gp::context &ctx)
{
    const u32s host = numbers(10);
    const gp::buffer in(ctx, host);
    const gp::buffer<uint32_t> out(ctx, n);
    gp::event scanned, sorted;
    gp_scan_desc scan = {};
    scan.done = scanned.put();
    gp::scan(ctx, in, out, gp::op::sum, scan);
    gp_sort_desc sort = {};
    sort.wait = scanned.get();
    sort.wait_count = 1;
    sort.done = sorted.put();
    gp::sort(ctx, out, sort);
    clFlush(ctx.queue());
    sorted.wait();
    gp::event moved = std::move(sorted);
    CHECK(*moved.get() && !*sorted.get());
    scan.done = moved.put(); // releases the first one
    gp::scan(ctx, in, out, gp::op::sum, scan);
    gp::finish(ctx);

    // Chains; an event may be waited for and replaced by the same call.
    gp_scan_desc backwards = {};
    backwards.reverse = true;
    gp::event e, f;
    gp::scan(ctx, in, out, gp::op::sum, gp::done(e));
    const cl_event old = *e.get();
    clRetainEvent(old);
    gp::scan(ctx, in, out, gp::op::sum, gp::after(e, moved).done(e));
    gp::scan(ctx, in, out, gp::op::sum, gp::after(e).done(f).of(backwards));
    CHECK(*e.get() != old && *f.get());
    gp::finish(ctx);
    CHECK(is_last_reference(old));
    clReleaseEvent(old);
    CHECK(gp::read(ctx, out.subview(0, 1))[0] == std::accumulate(host.begin(), host.end(), 0u));
    const gp::event none;
    CHECK(has(error_of([&] { gp::sort(ctx, out, gp::after(e, none)); }, GP_ERROR_INVALID_ARGUMENT), "NULL"));

    // A buffer may go at once.
    const gp::buffer<uint64_t> wide(ctx, n);
    gp::scan(ctx, gp::buffer(ctx, host), wide);
    CHECK(gp::read(ctx, wide)[n - 1] == std::accumulate(host.begin(), host.end(), uint64_t(0)));

#if __has_include(<CL/opencl.hpp>)
    const cl::Context context(ctx.cl(), true);
    const cl::CommandQueue queue(context, cl::Device(ctx.device(), true));
    const cl::Buffer memory(context, CL_MEM_READ_WRITE, n * 4);
    cl::Event filled, done;
    queue.enqueueFillBuffer(memory, cl_uint(2), 0, n * 4, nullptr, &filled);
    gp::context on_queue(queue);
    CHECK(on_queue.queue() == queue() && on_queue.cl() == context());
    gp_scan_desc after = {};
    after.wait = &filled();
    after.wait_count = 1;
    after.done = &done();
    const gp::view<uint32_t> twos(memory, n);
    gp::scan(on_queue, twos, out, gp::op::sum, after);
    queue.flush();
    done.wait();
    CHECK(gp::read(on_queue, out)[n - 1] == 2 * n);
    const cl::Event first_done = done;
    gp::scan(on_queue, twos, out, gp::op::sum, gp::after(filled, done).done(done));
    gp::finish(on_queue);
    CHECK(done() != first_done() && is_last_reference(first_done()));
    gp::context raw(queue());
    CHECK(raw.queue() == queue());
#endif
}

// Calls in their C form that have no other.
void test_c_forms(gp::context &ctx)
{
    CHECK(!gp::devices().empty() && ctx.info()->device == ctx.device());
    gp_context_desc profiled = {};
    profiled.profile = true;
    const gp::context timed(profiled);
    const gp::buffer<uint32_t> ones(timed, n);
    gp::fill(timed, ones, 1);
    CHECK(!gp::stats_kernels(timed).empty());
    gp::stats_reset(timed);

    gp_scan_desc scan = {};
    scan.type = GP_U32;
    scan.op = GP_SUM;
    gp_warmup_desc warmup = {};
    warmup.scan = &scan;
    gp::warmup(ctx, warmup);
    scan.count = 1 << 20;
    static_cast<void>(gp::scan_scratch_size(ctx, scan));
    gp_check_monoid_desc check_of = {};
    check_of.monoid = &affine_maps;
    gp::check_monoid(ctx, check_of);
    gp_self_test_desc self_test = {};
    self_test.filter = "scan";
    self_test.count = 1000;
    gp::self_test(ctx, self_test);
    gp_device_source_desc source = {};
    source.part = GP_DEVICE_GROUP;
    CHECK(has(gp::device_source(ctx, source), "gp_group_pack"));
    CHECK(gp::device_source(ctx, source).back() != 0);

    uint64_t total = 0;
    gp_reduce_desc reduce = {};
    reduce.in = ones.get();
    reduce.count = n;
    reduce.type = GP_U32;
    reduce.op = GP_SUM;
    gp::reduce_read(timed, reduce, &total);
    CHECK(total == n);
    gp_partition_desc partition = {};
    const gp::buffer<uint32_t> out(timed, n);
    partition.in = ones.get();
    partition.out = out.get();
    partition.count = n;
    partition.type = GP_U32;
    partition.predicate = "x";
    CHECK(gp::partition_read(timed, partition)[0] == n);
    const gp::buffer<char> text(timed, "(()", 3);
    gp_brackets_desc brackets = {};
    brackets.in = text.get();
    brackets.count = 3;
    brackets.type = GP_U8;
    CHECK(gp::brackets_read(timed, brackets).unmatched_openers == 1);

    const std::vector<unsigned char> programs = gp::programs_export(timed);
    gp_context_desc alone = {};
    alone.no_disk_cache = true;
    const gp::context importing(alone);
    gp::programs_import(importing, programs.data(), programs.size());
    const gp::buffer<uint32_t> zeros(importing, n);
    reduce.in = zeros.get();
    gp::reduce_read(importing, reduce, &total);
    CHECK(gp::stats_read(importing).programs_loaded > 0);
    CHECK(gp::version() == GP_VERSION);
}

// Exceptions of functions that a call runs come out of the call, and the context works on.
void test_callbacks(const gp::context &ctx)
{
    static unsigned calls;
    const auto throws_of = [](auto call) {
        calls = 0;
        try {
            call();
        } catch (const std::range_error &e) {
            return std::string(e.what()) == "mine" && calls == 1;
        }
        return false;
    };
    const gp::buffer<uint32_t> ones(ctx, u32s(5000, 1));
    CHECK(gp::reduce(ctx, ones, gp::op::sum) == 5000);
    CHECK(throws_of([&] {
        gp::programs_export(
            ctx,
            [](const void *, size_t, void *) {
                calls++;
                throw std::range_error("mine");
            },
            nullptr);
    }));
    gp_self_test_desc self_test = {};
    self_test.filter = "scan";
    self_test.count = 1000;
    self_test.report = [](const gp_self_test_case *, void *) {
        calls++;
        throw std::range_error("mine");
    };
    CHECK(throws_of([&] { gp::self_test(ctx, self_test); }));
    gp_context_desc scored = {};
    scored.score = [](const gp_device_info *, void *) -> int64_t {
        calls++;
        throw std::range_error("mine");
    };
    CHECK(throws_of([&] { const gp::context none(scored); }));
    CHECK(gp::reduce(ctx, ones, gp::op::sum) == 5000);
}

} // namespace

int main()
try {
    gp::context first_context;
    gp::context ctx = std::move(first_context);
    test_buffers(ctx);
    test_reductions(ctx);
    test_scan(ctx);
    test_selections(ctx);
    test_sorts(ctx);
    test_histogram(ctx);
    test_nests(ctx);
    test_maps(ctx);
    test_hash(ctx);
    test_errors(ctx);
    test_costs(ctx);
    test_events(ctx);
    test_c_forms(ctx);
    test_callbacks(ctx);
    return failures > 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "test_cpp: %s\n", error.what());
    return 1;
}
