// test_ports.cpp - examples/ports: the classes of Bullet3, OpenMM and an argsort of rows, against plain loops. What they need of
// the libraries whose classes they stand for is written down here.
#define GP_IMPLEMENTATION
#include "../../gpuprim.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{
cl_context in_context;
cl_device_id on_device;
cl_command_queue in_queue;

void require(bool good, const char *why)
{
    if (!good) throw std::runtime_error(why);
}
} // namespace

/* ------------------------------------------------------------------ stand-ins */

template <typename T> class b3OpenCLArray
{
  public:
    explicit b3OpenCLArray(const std::vector<T> &from) : count(from.size())
    {
        cl_int error;
        buffer = clCreateBuffer(in_context, CL_MEM_READ_WRITE, std::max<size_t>(count, 1) * sizeof(T),
                                nullptr, &error);
        require(error == CL_SUCCESS, "clCreateBuffer");
        if (count)
            require(!clEnqueueWriteBuffer(in_queue, buffer, CL_TRUE, 0, count * sizeof(T), from.data(), 0,
                                          nullptr, nullptr),
                    "clEnqueueWriteBuffer");
    }
    b3OpenCLArray(const b3OpenCLArray &) = delete;
    b3OpenCLArray &operator=(const b3OpenCLArray &) = delete;
    ~b3OpenCLArray() { clReleaseMemObject(buffer); }

    cl_mem getBufferCL() const { return buffer; }
    size_t size() const { return count; }

    std::vector<T> host() const
    {
        std::vector<T> all(count);
        if (count)
            require(!clEnqueueReadBuffer(in_queue, buffer, CL_TRUE, 0, count * sizeof(T), all.data(), 0,
                                         nullptr, nullptr),
                    "clEnqueueReadBuffer");
        return all;
    }

  private:
    cl_mem buffer;
    size_t count;
};

namespace OpenMM
{

struct OpenMMException : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class ComputeSortImpl
{
  public:
    struct SortTrait {
        virtual ~SortTrait() = default;
        virtual int getDataSize() const = 0;
        virtual const char *getDataType() const = 0;
        virtual const char *getKeyType() const = 0;
        virtual const char *getSortKey() const = 0;
    };
    virtual ~ComputeSortImpl() = default;
};

template <typename T> struct wrapped { // as cl::Buffer is
    T object;
    T operator()() const { return object; }
};

struct ArrayInterface {
    wrapped<cl_mem> buffer;
    size_t size, element_size;
    size_t getSize() const { return size; }
    size_t getElementSize() const { return element_size; }
    wrapped<cl_mem> &getDeviceBuffer() { return buffer; }
};

struct OpenCLContext {
    wrapped<cl_context> getContext() const { return {in_context}; }
    wrapped<cl_device_id> getDevice() const { return {on_device}; }
    wrapped<cl_command_queue> getQueue() const { return {in_queue}; }
    ArrayInterface &unwrap(ArrayInterface &array) const { return array; }
};

} // namespace OpenMM

#include "../../examples/ports/argsort_rows.hpp"
#include "../../examples/ports/bullet3.hpp"
#include "../../examples/ports/openmm.hpp"

/* ------------------------------------------------------------------ Bullet3 */

namespace
{

std::mt19937 any(1);

bool same(const b3SortData &a, const b3SortData &b) { return a.m_key == b.m_key && a.m_value == b.m_value; }

std::vector<b3SortData> records(size_t n, unsigned keys)
{
    std::vector<b3SortData> all(n);
    for (size_t i = 0; i < n; i++) all[i].m_key = any() % keys, all[i].m_value = unsigned(i);
    return all;
}

void test_fill(size_t n)
{
    b3FillCL fill(in_context, on_device, in_queue);
    b3OpenCLArray<unsigned int> numbers(std::vector<unsigned int>(n + 7, 5u));
    b3OpenCLArray<float> floats(std::vector<float>(n, 0.f));
    fill.execute(numbers, 9, int(n), 3);
    fill.execute(floats, -1.5f, int(n));
    const auto found = numbers.host();
    for (size_t i = 0; i < n + 7; i++) require(found[i] == (i < 3 || i >= n + 3 ? 5u : 9u), "b3FillCL");
    for (const float x : floats.host()) require(x == -1.5f, "b3FillCL of floats");
}

void test_scan(size_t n)
{
    std::vector<unsigned int> in(n), want(n);
    for (auto &x : in) x = any() % 100;
    std::exclusive_scan(in.begin(), in.end(), want.begin(), 0u);
    b3PrefixScanCL scan(in_context, on_device, in_queue);
    b3OpenCLArray<unsigned int> src(in), dst(std::vector<unsigned int>(n, ~0u));
    unsigned int sum = 77;
    scan.execute(src, dst, int(n), &sum);
    require(dst.host() == want, "b3PrefixScanCL");
    require(sum == (n ? want.back() : 77), "b3PrefixScanCL's sum");
}

void test_sort(size_t n, int bits)
{
    const auto before = [bits](unsigned a, unsigned b) {
        const unsigned mask = unsigned((uint64_t(1) << bits) - 1);
        return (a & mask) < (b & mask);
    };
    std::vector<b3SortData> in = records(n, n < 100 ? 10 : 1u << 31), want = in;
    std::stable_sort(want.begin(), want.end(), [&](auto &a, auto &b) { return before(a.m_key, b.m_key); });
    b3RadixSort32CL sort(in_context, on_device, in_queue);
    b3OpenCLArray<b3SortData> pairs(in);
    sort.execute(pairs, bits);
    const auto found = pairs.host();
    require(std::equal(found.begin(), found.end(), want.begin(), same), "b3RadixSort32CL of pairs");

    std::vector<unsigned int> keys(n), values(n);
    for (size_t i = 0; i < n; i++) keys[i] = in[i].m_key, values[i] = in[i].m_value;
    b3OpenCLArray<unsigned int> keys_in(keys), values_in(values), keys_out(keys), values_out(values);
    sort.execute(keys_in, keys_out, values_in, values_out, int(n), bits);
    sort.execute(keys_in, bits);
    const auto k = keys_out.host(), v = values_out.host();
    require(keys_in.host() == k, "b3RadixSort32CL of keys");
    for (size_t i = 0; i < n; i++)
        require(k[i] == want[i].m_key && v[i] == want[i].m_value, "b3RadixSort32CL of keys and values");
}

void test_bounds(size_t n, unsigned keys)
{
    auto in = records(n, keys);
    std::stable_sort(in.begin(), in.end(), [](auto &a, auto &b) { return a.m_key < b.m_key; });
    b3BoundSearchCL search(in_context, on_device, in_queue);
    b3OpenCLArray<b3SortData> src(in);
    for (const auto option :
         {b3BoundSearchCL::BOUND_LOWER, b3BoundSearchCL::BOUND_UPPER, b3BoundSearchCL::COUNT}) {
        b3OpenCLArray<unsigned int> dst(std::vector<unsigned int>(keys, 12345u));
        search.execute(src, int(n), dst, int(keys), option);
        const auto found = dst.host();
        std::vector<unsigned int> first(keys, 0), last(keys, 0);
        for (size_t i = n; i-- > 0;) first[in[i].m_key] = unsigned(i);
        for (size_t i = 0; i < n; i++) last[in[i].m_key] = unsigned(i + 1);
        for (unsigned k = 0; k < keys; k++) {
            const bool occurs = last[k] > 0;
            const unsigned want = option == b3BoundSearchCL::COUNT         ? last[k] - first[k]
                                  : !occurs                                ? 12345u
                                  : option == b3BoundSearchCL::BOUND_LOWER ? first[k]
                                                                           : last[k];
            require(found[k] == want, "b3BoundSearchCL");
        }
    }
}

/* ------------------------------------------------------------------ OpenMM */

struct pair_trait : OpenMM::ComputeSortImpl::SortTrait {
    int getDataSize() const override { return 8; }
    const char *getDataType() const override { return "float2"; }
    const char *getKeyType() const override { return "float"; }
    const char *getSortKey() const override { return "value.y"; }
};

struct number_trait : OpenMM::ComputeSortImpl::SortTrait {
    int getDataSize() const override { return 4; }
    const char *getDataType() const override { return "unsigned int"; }
    const char *getKeyType() const override { return "unsigned int"; }
    const char *getSortKey() const override { return "value"; }
};

void test_openmm(size_t n)
{
    OpenMM::OpenCLContext context;
    std::vector<cl_float2> in(n);
    for (size_t i = 0; i < n; i++) in[i].s[0] = float(i), in[i].s[1] = float(int(any() % 2000) - 1000);
    b3OpenCLArray<cl_float2> buffer(in);
    OpenMM::ArrayInterface array = {{buffer.getBufferCL()}, n, 8};
    OpenMM::OpenCLSort sort(context, new pair_trait, unsigned(n));
    sort.sort(array);
    std::stable_sort(in.begin(), in.end(), [](auto &a, auto &b) { return a.s[1] < b.s[1]; });
    const auto found = buffer.host();
    for (size_t i = 0; i < n; i++)
        require(found[i].s[0] == in[i].s[0] && found[i].s[1] == in[i].s[1], "OpenCLSort of pairs");

    std::vector<unsigned int> numbers(n);
    for (auto &x : numbers) x = any();
    b3OpenCLArray<unsigned int> other(numbers);
    OpenMM::ArrayInterface of_numbers = {{other.getBufferCL()}, n, 4};
    OpenMM::OpenCLSort(context, new number_trait, unsigned(n), false).sort(of_numbers);
    std::sort(numbers.begin(), numbers.end());
    require(other.host() == numbers, "OpenCLSort of numbers");
    of_numbers.size++;
    bool refused = false;
    try {
        OpenMM::OpenCLSort(context, new number_trait, unsigned(n)).sort(of_numbers);
    } catch (const OpenMM::OpenMMException &) {
        refused = true;
    }
    require(refused, "OpenCLSort takes an array of another size");
}

/* ------------------------------------------------------------------ argsort */

void test_argsort(size_t rows, size_t columns)
{
    std::vector<float> in(rows * columns);
    for (auto &x : in) x = float(int(any() % 50) - 25) / 4;
    b3OpenCLArray<float> values(in);
    argsort_rows sort(in_context, on_device, in_queue);
    for (const bool descending : {false, true}) {
        b3OpenCLArray<unsigned int> order(std::vector<unsigned int>(rows * columns, ~0u));
        sort.execute(values.getBufferCL(), order.getBufferCL(), rows, columns, descending);
        const auto found = order.host();
        for (size_t r = 0; r < rows; r++) {
            std::vector<unsigned int> want(columns);
            std::iota(want.begin(), want.end(), 0u);
            const float *row = in.data() + r * columns;
            std::stable_sort(want.begin(), want.end(), [&](unsigned a, unsigned b) {
                return descending ? row[a] > row[b] : row[a] < row[b];
            });
            require(std::equal(want.begin(), want.end(), found.begin() + long(r * columns)), "argsort_rows");
        }
    }
    require(values.host() == in, "argsort_rows changes its input");
}

void test_all()
{
    const bool small = std::getenv("GPUPRIM_TEST_SMALL") != nullptr;
    for (const size_t n : {0, 1, 2, 255, 1000, 65537}) {
        if (small && n > 1000) continue;
        test_fill(n);
        test_scan(n);
        for (const int bits : {8, 13, 32}) test_sort(n, bits);
        test_bounds(n, 1 + unsigned(n) / 3);
        test_openmm(n);
    }
    test_bounds(5, 1000);
    for (const size_t columns : {0, 1, 17, 1000}) test_argsort(7, columns);
    test_argsort(0, 10);
    if (!small) test_argsort(3, 40000);
}

} // namespace

int main()
try {
    gp_context_desc desc = {};
    gp_context *gp = nullptr;
    require(gp_context_create(&desc, &gp) == GP_OK, gp_last_error(nullptr));
    in_context = gp_cl_context(gp);
    on_device = gp_cl_device(gp);
    in_queue = gp_cl_queue(gp);
    test_all();
    gp_context_destroy(gp);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "test_ports: %s\n", error.what());
    return 1;
}
