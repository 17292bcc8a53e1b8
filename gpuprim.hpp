// gpuprim.hpp - gpuprim.h for C++17: typed views, owners of buffers, contexts, tables and events, errors as exceptions.
// Optional: it stands beside gpuprim.h, includes it, and adds nothing to link. MIT licence, as gpuprim.h.
//
//     #define GP_IMPLEMENTATION // in exactly one C or C++ file
//     #include "gpuprim.hpp"
//
//     gp::context ctx;
//     const uint32_t sales[] = {3, 1, 4, 1, 5};
//     gp::buffer in(ctx, sales);
//     gp::buffer<uint32_t> out(ctx, in.size());
//     gp::scan(ctx, in, out);
//     std::vector<uint32_t> totals = gp::read(ctx, out); // 3 4 8 9 14
//     uint32_t most = gp::reduce(ctx, in, gp::op::max);  // 5
//
// gp_NAME of gpuprim.h is gp::NAME here, and all that its comment says holds. It has two forms:
//
//     gp::NAME(ctx, desc)               gp_NAME as it is, with its result checked
//     gp::NAME(ctx, views..., desc)     buffers, offsets, types and counts are those of the views, and all other
//                                       fields those of the desc, which may be left out:
//
//     gp_scan_desc exclusive = {};
//     exclusive.exclusive = true;
//     gp::scan(ctx, in, out, gp::op::max, exclusive);
//
//     gp::scan(ctx, in, out, gp::op::max, {.exclusive = true}); // C++20; GCC's -Wextra warns about the other fields
//
// gp_hash_NAME are members of gp::hash_table, and what gpuprim.h tells about a context are members of gp::context.
//
// RULES
//   - Calls that return nothing are asynchronous. Calls that return a value block for it; where there is another form, with
//     a view for that value, that one is asynchronous.
//   - A view that is shorter than the call needs is an error, before anything is enqueued. How many elements there are is
//     said by the input. How many segments, needles or keys of a top-k there are, by the output.
//   - A view without memory ({}, or a buffer whose creation failed) is an error, unless the call's comment says that {} leaves
//     out this output.
//   - Errors are thrown as gp::error. With -fno-exceptions or GP_NO_EXCEPTIONS calls return a gp::result instead, and an
//     object that could not be made is empty: false in a condition, and refused by calls.
//   - Exceptions of `write` (gp::programs_export), `report` (gp::self_test) and `score` (a context's desc) reach the caller after
//     the call has cleaned up; the function is not called again. No other function in a desc may throw.
//   - Only calls that return a vector or a string allocate host memory beyond what gpuprim.h does.
//
// LIFETIME
//   - Contexts, buffers, tables and events are owners, which can be moved and not copied. Destructors throw nothing.
//   - A view does not own its buffer. A buffer may be destroyed as soon as the calls on it have returned.
//   - A table must be destroyed before its context: declare it after.
//   - gp::arg points to its value, and an expression to its args. Temporary ones live as long as the call that they are
//     written in; do not keep them in variables.
//   - With GP_STATIC only one file may include this header.
#ifndef GPUPRIM_HPP
#define GPUPRIM_HPP

#include "gpuprim.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(__cpp_exceptions) && !defined(GP_NO_EXCEPTIONS)
#define GP_NO_EXCEPTIONS
#endif

namespace gp
{

// ------------------------------------------------------------------ errors

#ifdef GP_NO_EXCEPTIONS
inline namespace no_exceptions // other symbols than those of files with exceptions
{

// What a call returns: true in a condition where it succeeded; `text` says why it failed, until the next failure.
template <typename Element> struct result;
template <> struct [[nodiscard]] result<void> {
    gp_result code;
    const char *text;
    explicit operator bool() const noexcept { return code == GP_OK; }
};
template <typename Element> struct [[nodiscard]] result : result<void> {
    Element value;
};
template <typename Element> using returns = result<Element>;

#else

class error : public std::runtime_error
{
  public:
    error(gp_result code, const char *text)
        : std::runtime_error(text && *text ? text : gp_error_string(code)), code_(code)
    {
    }
    gp_result code() const noexcept { return code_; }

  private:
    gp_result code_;
};
template <typename Element> using returns = Element;

#endif

namespace detail
{

// `problem` is what this header found, NULL where the library judged.
inline returns<void> ended(const gp_context *ctx, gp_result code, const char *problem = nullptr)
{
#ifdef GP_NO_EXCEPTIONS
    return {code, code == GP_OK ? "" : problem ? problem : gp_last_error(ctx)};
#else
    if (code != GP_OK) throw error(code, problem ? problem : gp_last_error(ctx));
#endif
}

// Runs functions of the caller's that C calls. Keeps the first exception, and calls none after it.
class caught
{
  public:
    template <typename Call> void run(Call call) noexcept
    {
#ifdef GP_NO_EXCEPTIONS
        call();
#else
        try {
            if (!thrown_) call();
        } catch (...) {
            thrown_ = std::current_exception();
        }
#endif
    }
    void rethrow() const
    {
#ifndef GP_NO_EXCEPTIONS
        if (thrown_) std::rethrow_exception(thrown_);
#endif
    }

  private:
    std::exception_ptr thrown_;
};

// What `call` returns, and the value that it has set.
template <typename Element, typename Call> returns<Element> with(Element &value, Call call)
{
#ifdef GP_NO_EXCEPTIONS
    return {call(), std::move(value)};
#else
    call();
    return std::move(value);
#endif
}

// Of constructors: without exceptions the object stays empty, and gp_last_error has the text.
inline void made(const gp_context *ctx, gp_result code, const char *problem = nullptr)
{
    static_cast<void>(ended(ctx, code, problem));
}

// An OpenCL object, as it is or in a wrapper such as cl::Buffer that gives it when called.
template <typename Handle, typename Object>
constexpr bool is_handle =
    std::is_convertible_v<const Object &, Handle> || std::is_invocable_r_v<Handle, const Object &>;

template <typename Handle, typename Object> Handle handle(const Object &x)
{
    if constexpr (std::is_convertible_v<const Object &, Handle>) return x;
    else return x();
}

} // namespace detail

// ------------------------------------------------------------------ contexts, events

class context
{
  public:
    explicit context(const gp_context_desc &d = {}) { make(d); }

    // On a queue of yours: a cl_command_queue or a cl::CommandQueue.
    template <typename Queue, typename = std::enable_if_t<detail::is_handle<cl_command_queue, Queue>>>
    explicit context(const Queue &queue)
    {
        gp_context_desc d = {};
        d.queue = detail::handle<cl_command_queue>(queue);
        if (d.queue) make(d);
        else detail::made(nullptr, GP_ERROR_INVALID_ARGUMENT, "gp::context: the queue is NULL");
    }

    operator gp_context *() const noexcept { return owned_.get(); }
    cl_context cl() const { return gp_cl_context(*this); }
    cl_device_id device() const { return gp_cl_device(*this); }
    cl_command_queue queue() const { return gp_cl_queue(*this); }
    const gp_device_info *info() const { return gp_context_info(*this); }

  private:
    void make(const gp_context_desc &d)
    {
        gp_context *made = nullptr;
        gp_context_desc own = d;
        scorer s = {d.score, d.score_user, {}};
        own.score_user = &s;
        if (d.score)
            own.score = [](const gp_device_info *info, void *user) {
                auto *to = static_cast<scorer *>(user);
                int64_t score = -1;
                to->thrown.run([&] { score = to->score(info, to->user); });
                return score;
            };
        const gp_result code = gp_context_create(&own, &made);
        owned_.reset(made);
        s.thrown.rethrow();
        detail::made(nullptr, code);
    }
    struct scorer {
        int64_t (*score)(const gp_device_info *info, void *user);
        void *user;
        detail::caught thrown;
    };
    struct destroy {
        void operator()(gp_context *ctx) const noexcept { gp_context_destroy(ctx); }
    };
    std::unique_ptr<gp_context, destroy> owned_;
};

// gp::done(e) makes `e` the event of a call, gp::after(e) lets a call wait for `e`.
class event
{
  public:
    event() = default;
    event(event &&other) noexcept { std::swap(owned_, other.owned_); }
    event &operator=(event &&other) noexcept
    {
        std::swap(owned_, other.owned_);
        return *this;
    }
    ~event()
    {
        if (owned_) clReleaseEvent(owned_);
    }
    const cl_event *get() const noexcept { return &owned_; }
    cl_event *put() noexcept // releases what it had
    {
        *this = event();
        return &owned_;
    }
    returns<void> wait() const
    {
        const bool good = clWaitForEvents(1, &owned_) == CL_SUCCESS;
        return detail::ended(nullptr, good ? GP_OK : GP_ERROR_OPENCL, "gp::event: the command failed");
    }

  private:
    cl_event owned_ = nullptr;
};

namespace detail
{
inline const cl_event *waited(const event &e) { return e.get(); }
inline cl_event *emptied(event &e) { return e.put(); }
template <typename Event> const cl_event *waited(const Event &e) { return &e(); }
template <typename Event> cl_event *emptied(Event &e)
{
    e = Event(); // &e() alone would lose the event that it had
    return &e();
}
} // namespace detail

// A desc of events, written in the call; each is a gp::event or a cl::Event:
//
//     gp::scan(ctx, in, out, gp::op::sum, gp::done(scanned));
//     gp::sort(ctx, out, gp::after(scanned, filled).done(sorted)); // also gp::after(e).done(e)
//     gp::sort(ctx, out, gp::after(sorted).of(desc));              // the other fields are those of desc
//
// `done` releases the event that it replaces.
class chain
{
  public:
    static constexpr size_t most = 8;

    template <typename... Events> explicit chain(const Events &...e) : waited_{*detail::waited(e)...}
    {
        static_assert(sizeof...(e) <= most,
                      "gp::after: too many events: set wait and wait_count of the desc");
        count_ = sizeof...(e);
        for (cl_event waited : waited_)
            if (waited) clRetainEvent(waited); // `done` may release it
    }
    chain(chain &&other) noexcept : waited_(other.waited_), count_(other.count_), done_(other.done_)
    {
        other.waited_ = {};
    }
    ~chain()
    {
        for (cl_event waited : waited_)
            if (waited) clReleaseEvent(waited);
    }
    template <typename Event> chain done(Event &e) &&
    {
        done_ = detail::emptied(e);
        return std::move(*this);
    }
    template <typename Desc> Desc of(Desc d) const
    {
        if (count_) d.wait = waited_.data(), d.wait_count = cl_uint(count_);
        if (done_) d.done = done_;
        return d;
    }
    template <typename Desc, typename = decltype(std::declval<Desc &>().wait_count)> operator Desc() const
    {
        return of(Desc());
    }

  private:
    std::array<cl_event, most> waited_;
    size_t count_ = 0;
    cl_event *done_ = nullptr;
};

template <typename... Events> chain after(const Events &...e) { return chain(e...); }
template <typename Event> chain done(Event &e) { return chain().done(e); }

// ------------------------------------------------------------------ elements

enum class half : uint16_t {}; // GP_F16

// GP_TYPE_NONE for what is no number.
template <typename Element> constexpr gp_type type_of()
{
    constexpr gp_type integers[][2] = {{GP_I8, GP_U8}, {GP_I16, GP_U16}, {GP_I32, GP_U32}, {GP_I64, GP_U64}};
    constexpr int log2_size = sizeof(Element) == 1   ? 0
                              : sizeof(Element) == 2 ? 1
                              : sizeof(Element) == 4 ? 2
                                                     : 3;
    if (std::is_same_v<Element, half>) return GP_F16;
    if (std::is_same_v<Element, float>) return GP_F32;
    if (std::is_same_v<Element, double>) return GP_F64;
    if (std::is_integral_v<Element> && sizeof(Element) <= 8)
        return integers[log2_size][std::is_unsigned_v<Element>];
    return GP_TYPE_NONE;
}

// Specialize it for structs and vectors that expressions look into:
//
//     template <> inline constexpr gp_record gp::record<cl_float4> = {"float4", sizeof(cl_float4), nullptr};
template <typename Element> inline constexpr gp_record record = {nullptr, 0, nullptr};

namespace detail
{
// Returns the type of elements that a call takes as numbers.
template <typename Element> constexpr gp_type number_of()
{
    static_assert(type_of<Element>() != GP_TYPE_NONE,
                  "gp: these elements must be numbers: integers, float, double or gp::half");
    return type_of<Element>();
}

template <typename Element> constexpr const gp_record *record_of()
{
    static_assert(!record<Element>.cl_type || record<Element>.size == sizeof(Element),
                  "gp::record<T> is of the size of T");
    return record<Element>.cl_type ? &record<Element> : nullptr;
}

// Requires elements that expressions can use: numbers, or structs that gp::record describes.
template <typename Element> constexpr void expect_described()
{
    static_assert(
        type_of<Element>() != GP_TYPE_NONE || record<Element>.cl_type,
        "gp: specialize gp::record<T> for this type of elements, so that expressions know its fields");
}
} // namespace detail

// `count` elements of a buffer, from element `offset` on. `memory` is a cl_mem or a cl::Buffer.
template <typename Element> class view
{
  public:
    view() = default;
    template <typename Memory, typename = std::enable_if_t<detail::is_handle<cl_mem, Memory>>>
    view(const Memory &memory, size_t count, size_t offset = 0)
        : memory_(detail::handle<cl_mem>(memory)), count_(count), offset_(offset)
    {
    }
    cl_mem get() const noexcept { return memory_; }
    size_t size() const noexcept { return count_; }
    size_t offset() const noexcept { return offset_; }
    view subview(size_t offset, size_t count) const { return view(memory_, count, offset_ + offset); }

  private:
    cl_mem memory_ = nullptr;
    size_t count_ = 0, offset_ = 0;
};

// A view that owns its buffer (gp_buffer_create).
template <typename Element> class buffer : public view<Element>
{
    static_assert(std::is_trivially_copyable_v<Element>);

  public:
    buffer() = default;
    buffer(gp_context *ctx, size_t count) : buffer(ctx, nullptr, count) {}
    buffer(gp_context *ctx, const Element *data, size_t count)
    {
        const size_t most = SIZE_MAX / sizeof(Element),
                     bytes = count > most ? SIZE_MAX : count * sizeof(Element);
        cl_mem made = nullptr; // OpenCL has no buffers of 0 bytes
        detail::made(ctx,
                     gp_buffer_create(ctx, count ? bytes : sizeof(Element), count ? data : nullptr, &made));
        view<Element>::operator=(view<Element>(made, made ? count : 0));
    }
    // Filled from an array, std::vector, std::array, std::span and the like.
    template <typename Container, typename = decltype(std::data(std::declval<const Container &>()))>
    buffer(gp_context *ctx, const Container &data) : buffer(ctx, std::data(data), std::size(data))
    {
    }
    buffer(buffer &&other) noexcept { *this = std::move(other); }
    buffer &operator=(buffer &&other) noexcept
    {
        std::swap<view<Element>>(*this, other);
        return *this;
    }
    ~buffer()
    {
        if (this->get()) clReleaseMemObject(this->get());
    }
    explicit operator bool() const noexcept { return this->get() != nullptr; }
};

template <typename Container, typename Pointer = decltype(std::data(std::declval<const Container &>()))>
buffer(gp_context *, const Container &) -> buffer<std::remove_cv_t<std::remove_pointer_t<Pointer>>>;

// Copies between device and host, after all commands so far. They block.
namespace detail
{
template <typename Element, typename Enqueue, typename Host>
returns<void> copy(gp_context *ctx, const view<Element> &v, Enqueue enqueue, Host *host)
{
    gp_result code = gp_finish(ctx);
    if (code != GP_OK) return ended(ctx, code);
    const size_t most = SIZE_MAX / sizeof(Element); // more would wrap to bytes that are there
    if (v.size() > most || v.offset() > most) code = GP_ERROR_INVALID_BUFFER;
    else if (v.size() && enqueue(gp_cl_queue(ctx), v.get(), CL_TRUE, v.offset() * sizeof(Element),
                                 v.size() * sizeof(Element), host, 0, nullptr, nullptr) != CL_SUCCESS)
        code = GP_ERROR_OPENCL;
    return ended(ctx, code, "gp::read, gp::write: OpenCL does not copy this view");
}
} // namespace detail

template <typename Element> returns<void> read(gp_context *ctx, view<Element> from, Element *to)
{
    return detail::copy(ctx, from, clEnqueueReadBuffer, to);
}
template <typename Element> returns<void> write(gp_context *ctx, view<Element> to, const Element *from)
{
    return detail::copy(ctx, to, clEnqueueWriteBuffer, from);
}

template <typename Element> returns<std::vector<Element>> read(gp_context *ctx, view<Element> from)
{
    std::vector<Element> to(from.size());
    return detail::with(to, [&] { return read(ctx, from, to.data()); });
}

// ------------------------------------------------------------------ expressions, operations

// A value or a buffer that expressions name.
template <typename Element> gp_arg arg(const char *name, const Element &value)
{
    static_assert(std::is_trivially_copyable_v<Element>, "a value, or a view of a buffer");
    detail::expect_described<Element>();
    return {name, type_of<Element>(), detail::record_of<Element>(), &value, nullptr, 0, 0};
}
template <typename Element> gp_arg arg(const char *name, const view<Element> &v)
{
    detail::expect_described<Element>();
    size_t offset = v.offset(), bytes = 0;
    // Without elements: from the buffer's end on, because a count of 0 means all up to there.
    if (v.get() && !v.size() && !clGetMemObjectInfo(v.get(), CL_MEM_SIZE, sizeof bytes, &bytes, nullptr))
        offset = bytes / sizeof(Element);
    return {name, type_of<Element>(), detail::record_of<Element>(), nullptr, v.get(), offset, v.size()};
}
template <typename Element> gp_arg arg(const char *name, const buffer<Element> &b)
{
    return arg(name, static_cast<const view<Element> &>(b));
}

// "x > 3", or {"x > limit", {gp::arg("limit", limit)}}; nullptr where the desc decides in another way. It may be kept for
// several calls, as long as `limit` lives: an argument refers to its value.
struct expression {
    expression(const char *string) : text(string) {}
    expression(const char *string, std::initializer_list<gp_arg> list) : text(string), arg_count(list.size())
    {
        const size_t kept = arg_count < args.size() ? arg_count : args.size();
        std::copy_n(list.begin(), kept, args.begin());
    }
    const char *text;
    std::array<gp_arg, GP_ARGS_MAX> args = {};
    size_t arg_count = 0; // more than there is room for is refused by the call
};

namespace op
{
template <gp_op o> using constant = std::integral_constant<gp_op, o>;
inline constexpr constant<GP_SUM> sum{};
inline constexpr constant<GP_PROD> prod{};
inline constexpr constant<GP_MIN> min{};
inline constexpr constant<GP_MAX> max{};
inline constexpr constant<GP_AND> bit_and{};
inline constexpr constant<GP_OR> bit_or{};
inline constexpr constant<GP_XOR> bit_xor{};
inline constexpr constant<GP_ARGMIN> argmin{};
inline constexpr constant<GP_ARGMAX> argmax{};
// Of group_by alone.
inline constexpr constant<GP_COUNT> count{};
inline constexpr constant<GP_MEAN> mean{};
inline constexpr constant<GP_VARIANCE> variance{};
inline constexpr constant<GP_FIRST> first{};
inline constexpr constant<GP_LAST> last{};

// The default type of a reduction's result.
template <typename Element, gp_op o>
using result = std::conditional_t<
    o == GP_ARGMIN || o == GP_ARGMAX, uint64_t,
    std::conditional_t<
        o != GP_SUM && o != GP_PROD, Element,
        std::conditional_t<std::is_integral_v<Element>,
                           std::conditional_t<std::is_signed_v<Element>, int64_t, uint64_t>,
                           std::conditional_t<std::is_same_v<Element, half>, float, Element>>>>;
} // namespace op

// gp::op::max, a gp_op, or a gp_monoid.
struct operation {
    template <gp_op o> operation(op::constant<o>) : number(o), monoid(nullptr) {}
    operation(gp_op o) : number(o), monoid(nullptr) {}
    operation(const gp_monoid &m) : number(GP_OP_NONE), monoid(&m) {}
    gp_op number;
    const gp_monoid *monoid;
};

// ------------------------------------------------------------------ calls as in C

#define GPI_CALL(name, desc)                                              \
    inline returns<void> name(gp_context *ctx, const gp_##desc##_desc &d) \
    {                                                                     \
        return detail::ended(ctx, gp_##name(ctx, &d));                    \
    }
#define GPI_READ(name, desc, type)                                                                  \
    inline returns<type> name(gp_context *ctx, const gp_##desc##_desc &d)                           \
    {                                                                                               \
        type value = {};                                                                            \
        return detail::with(value, [&] { return detail::ended(ctx, gp_##name(ctx, &d, &value)); }); \
    }
#define GPI_WITH_SCRATCH(name) GPI_CALL(name, name) GPI_READ(name##_scratch_size, name, size_t)

GPI_WITH_SCRATCH(reduce)
GPI_WITH_SCRATCH(segmented_reduce)
GPI_WITH_SCRATCH(reduce_by_key)
GPI_READ(reduce_by_key_read, reduce_by_key, uint64_t)
GPI_WITH_SCRATCH(scan)
GPI_WITH_SCRATCH(segmented_scan)
GPI_WITH_SCRATCH(select)
GPI_READ(select_read, select, uint64_t)
GPI_WITH_SCRATCH(partition)
GPI_WITH_SCRATCH(unique)
GPI_READ(unique_read, unique, uint64_t)
GPI_CALL(unique_by_key, unique)
GPI_READ(unique_by_key_read, unique, uint64_t)
GPI_WITH_SCRATCH(run_length_encode)
GPI_READ(run_length_encode_read, run_length_encode, uint64_t)
GPI_CALL(run_length_decode, run_length_decode)
GPI_WITH_SCRATCH(sort)
GPI_CALL(argsort, sort)
GPI_READ(argsort_scratch_size, sort, size_t)
GPI_WITH_SCRATCH(segmented_sort)
GPI_CALL(segmented_argsort, segmented_sort)
GPI_READ(segmented_argsort_scratch_size, segmented_sort, size_t)
GPI_READ(segmented_sort_read, segmented_sort, gp_segmented_sort_report)
GPI_WITH_SCRATCH(sort_records)
GPI_WITH_SCRATCH(sort_strings)
GPI_WITH_SCRATCH(topk)
GPI_WITH_SCRATCH(segmented_topk)
GPI_WITH_SCRATCH(nth_element)
GPI_CALL(merge, merge)
GPI_CALL(search, search)
GPI_WITH_SCRATCH(histogram)
GPI_WITH_SCRATCH(brackets)
GPI_READ(brackets_read, brackets, gp_brackets_errors)
GPI_WITH_SCRATCH(stack_scan)
GPI_WITH_SCRATCH(tree)
GPI_CALL(transform, transform)
GPI_CALL(fill, fill)
GPI_CALL(iota, iota)
GPI_WITH_SCRATCH(adjacent_difference)
GPI_CALL(random, random)
GPI_CALL(gather, gather)
GPI_CALL(scatter, gather)
GPI_WITH_SCRATCH(unpack)
GPI_CALL(transpose, transpose)
GPI_WITH_SCRATCH(stencil)
GPI_WITH_SCRATCH(group_by)
GPI_READ(group_by_read, group_by, uint64_t)
GPI_WITH_SCRATCH(join)
GPI_CALL(join_build, join)
GPI_READ(join_table_size, join, size_t)
GPI_CALL(bloom_add, bloom)
GPI_CALL(bloom_contains, bloom)
GPI_CALL(hyperloglog_add, hyperloglog)
GPI_READ(hyperloglog_estimate, hyperloglog, double)
GPI_READ(join_read, join, uint64_t)
GPI_CALL(warmup, warmup)
GPI_CALL(check_monoid, check_monoid)
GPI_READ(hash_buffer_size, hash, size_t)
#undef GPI_CALL
#undef GPI_READ
#undef GPI_WITH_SCRATCH

inline returns<void> reduce_read(gp_context *ctx, const gp_reduce_desc &d, void *result)
{
    return detail::ended(ctx, gp_reduce_read(ctx, &d, result));
}

// The third number is 0 for two parts.
inline returns<std::array<uint64_t, 3>> partition_read(gp_context *ctx, const gp_partition_desc &d)
{
    std::array<uint64_t, 3> counts = {};
    return detail::with(counts,
                        [&] { return detail::ended(ctx, gp_partition_read(ctx, &d, counts.data())); });
}

inline returns<std::string> device_source(gp_context *ctx, const gp_device_source_desc &d)
{
    std::string text;
    return detail::with(text, [&] {
        size_t size = 0;
        gp_result code = gp_device_source(ctx, &d, nullptr, 0, &size);
        if (code == GP_OK) {
            text.resize(size);
            code = gp_device_source(ctx, &d, text.data(), size, &size);
            text.resize(size - 1);
        }
        return detail::ended(ctx, code);
    });
}

inline returns<void> finish(gp_context *ctx) { return detail::ended(ctx, gp_finish(ctx)); }
inline returns<void> stats_reset(gp_context *ctx) { return detail::ended(ctx, gp_stats_reset(ctx)); }

inline returns<gp_stats> stats_read(gp_context *ctx)
{
    gp_stats stats = {};
    return detail::with(stats, [&] { return detail::ended(ctx, gp_stats_read(ctx, &stats)); });
}

inline returns<std::vector<gp_kernel_times>> stats_kernels(gp_context *ctx)
{
    std::vector<gp_kernel_times> times;
    return detail::with(times, [&] {
        size_t count = 0;
        gp_result code = gp_stats_kernels(ctx, nullptr, 0, &count);
        times.resize(count);
        if (code == GP_OK) code = gp_stats_kernels(ctx, times.data(), count, &count);
        return detail::ended(ctx, code);
    });
}

inline returns<void> self_test(gp_context *ctx, const gp_self_test_desc &d)
{
    struct reporter {
        void (*report)(const gp_self_test_case *test, void *user);
        void *user;
        detail::caught thrown;
    } r = {d.report, d.report_user, {}};
    gp_self_test_desc own = d;
    own.report_user = &r;
    if (d.report)
        own.report = [](const gp_self_test_case *test, void *to) {
            auto *its = static_cast<reporter *>(to);
            its->thrown.run([&] { its->report(test, its->user); });
        };
    const gp_result code = gp_self_test(ctx, &own);
    r.thrown.rethrow();
    return detail::ended(ctx, code);
}

inline returns<void> programs_export(gp_context *ctx, gp_write *write, void *user)
{
    struct writer {
        gp_write *write;
        void *user;
        detail::caught thrown;
    } w = {write, user, {}};
    const auto forward = [](const void *bytes, size_t size, void *to) {
        auto *its = static_cast<writer *>(to);
        its->thrown.run([&] { its->write(bytes, size, its->user); });
    };
    const gp_result code = gp_programs_export(ctx, write ? +forward : nullptr, &w);
    w.thrown.rethrow();
    return detail::ended(ctx, code);
}

inline returns<std::vector<unsigned char>> programs_export(gp_context *ctx)
{
    std::vector<unsigned char> all;
    const auto append = [](const void *bytes, size_t size, void *to) {
        const auto *first = static_cast<const unsigned char *>(bytes);
        auto *vector = static_cast<std::vector<unsigned char> *>(to);
        vector->insert(vector->end(), first, first + size);
    };
    return detail::with(all, [&] { return programs_export(ctx, append, &all); });
}

inline returns<void> programs_import(gp_context *ctx, const void *data, size_t size)
{
    return detail::ended(ctx, gp_programs_import(ctx, data, size));
}

inline int version() noexcept { return gp_version(); }

inline const char *cl_error_string(cl_int error) noexcept { return gp_cl_error_string(error); }

// For code that fails as the library's calls do: throws, or returns, `code` with this text.
inline returns<void> set_error(gp_context *ctx, gp_result code, const char *text)
{
    return detail::ended(ctx, gp_set_error(ctx, code, text));
}

// For code that runs a function of its caller's between calls: `callback` is running, or, for NULL, has returned.
inline void set_callback(gp_context *ctx, const char *callback) noexcept { gp_set_callback(ctx, callback); }

inline returns<std::vector<gp_device_info>> devices()
{
    std::vector<gp_device_info> infos;
    return detail::with(infos, [&] {
        size_t count = 0;
        gp_result code = gp_devices(nullptr, 0, &count);
        infos.resize(count);
        if (code == GP_OK) code = gp_devices(infos.data(), count, &count);
        return detail::ended(nullptr, code);
    });
}

// ------------------------------------------------------------------ calls with views

namespace detail
{

// A desc as views fill it, and what is wrong with them.
template <typename Desc> struct call {
    Desc d;
    const char *problem = nullptr;

    void expect(bool holds, const char *what)
    {
        if (!holds && !problem) problem = what;
    }
    template <typename Element>
    void expect_size(const char *function, const char *field, const view<Element> &has, size_t least)
    {
        static thread_local char text[160];
        if (problem || (has.get() && has.size() >= least)) return;
        if (has.get())
            std::snprintf(text, sizeof text, "gp::%s: %s has %zu elements, %zu are needed", function, field,
                          has.size(), least);
        else std::snprintf(text, sizeof text, "gp::%s: %s is NULL", function, field);
        problem = text;
    }
    template <typename Element> void element(gp_type &type, const gp_record *&as)
    {
        type = type_of<Element>();
        as = record_of<Element>();
    }
    // Elements that may also be moved unseen.
    template <typename Element> void element(gp_type &type, const gp_record *&as, size_t &size)
    {
        element<Element>(type, as);
        size = type || as ? 0 : sizeof(Element);
    }
    // An operation on elements of type Element, with results of type Out.
    template <typename Element, typename Out> void fold(const operation &o)
    {
        d.op = o.number;
        d.monoid = o.monoid;
        d.out_type = o.monoid ? GP_TYPE_NONE : type_of<Out>();
        expect(o.monoid || d.out_type != GP_TYPE_NONE, "out: no operation has results of this type");
        expect(!o.monoid || o.monoid->size == sizeof(Out), "monoid: results have another size");
        if (!o.monoid || d.map) {
            element<Element>(d.type, d.record);
            expect(d.type || d.record, "in: specialize gp::record<T> for this type of elements");
        } else expect(o.monoid->size == sizeof(Element), "monoid: elements have another size");
    }
    void args(const expression &e)
    {
        if (e.arg_count) d.args = e.args.data(), d.arg_count = e.arg_count;
    }
    template <typename Function, typename... Table>
    returns<void> run(gp_context *ctx, Function f, Table... table) const
    {
        return ended(ctx, problem ? GP_ERROR_INVALID_BUFFER : f(ctx, table..., &d), problem);
    }
    template <typename Result, typename Function> returns<Result> read(gp_context *ctx, Function f) const
    {
        Result value = {};
        return with(value, [&] {
            return ended(ctx, problem ? GP_ERROR_INVALID_BUFFER : f(ctx, &d, &value), problem);
        });
    }
};

} // namespace detail

// Puts a view into c.d.FIELD and FIELD_offset. It has to have `least` elements, unless it may be {} (GPI_PUT_IF).
#define GPI_PUT(field, view, least)                                  \
    (c.d.field = (view).get(), c.d.field##_offset = (view).offset(), \
     c.expect_size(__func__, #field, view, (least)))
#define GPI_PUT_IF(field, view, least) ((view).get() ? GPI_PUT(field, view, least) : void())

// ---- reduce, scan

namespace detail
{
template <typename Element, typename Out>
call<gp_reduce_desc> reduce(const view<Element> &in, const operation &o, const gp_reduce_desc &d)
{
    call<gp_reduce_desc> c{d};
    c.d.count = in.size();
    GPI_PUT(in, in, 0);
    c.template fold<Element, Out>(o);
    return c;
}
} // namespace detail

template <typename Element, typename Out>
returns<void> reduce(gp_context *ctx, view<Element> in, view<Out> out, const operation &o = GP_SUM,
                     const gp_reduce_desc &d = {})
{
    auto c = detail::reduce<Element, Out>(in, o, d);
    GPI_PUT(out, out, 1);
    return c.run(ctx, gp_reduce);
}

// By default sums and products of integers have 64 bits, and argmin and argmax are a uint64_t.
template <typename Element, gp_op o = GP_SUM>
returns<op::result<Element, o>> reduce(gp_context *ctx, view<Element> in, op::constant<o> = {},
                                       const gp_reduce_desc &d = {})
{
    return detail::reduce<Element, op::result<Element, o>>(in, o, d).template read<op::result<Element, o>>(
        ctx, gp_reduce_read);
}
// Of another type: gp::reduce<Result>(ctx, in, op).
template <typename Result, typename Element>
returns<Result> reduce(gp_context *ctx, view<Element> in, const operation &o, const gp_reduce_desc &d = {})
{
    return detail::reduce<Element, Result>(in, o, d).template read<Result>(ctx, gp_reduce_read);
}

// One result for each element of `out`.
template <typename Element, typename Index, typename Out>
returns<void> segmented_reduce(gp_context *ctx, view<Element> in, view<Index> offsets, view<Out> out,
                               const operation &o = GP_SUM, const gp_segmented_reduce_desc &d = {})
{
    detail::call<gp_segmented_reduce_desc> c{d};
    c.d.count = in.size();
    c.d.segment_count = out.size();
    c.d.offsets_type = detail::number_of<Index>();
    GPI_PUT(in, in, 0);
    GPI_PUT(offsets, offsets, out.size() + 1);
    GPI_PUT(out, out, 0);
    c.template fold<Element, Out>(o);
    return c.run(ctx, gp_segmented_reduce);
}

// The same of rows of `row_length` elements each.
template <typename Element, typename Out>
returns<void> segmented_reduce(gp_context *ctx, view<Element> in, size_t row_length, view<Out> out,
                               const operation &o = GP_SUM, const gp_segmented_reduce_desc &d = {})
{
    detail::call<gp_segmented_reduce_desc> c{d};
    c.expect(row_length > 0, "gp::segmented_reduce: row_length is 0");
    c.d.count = in.size();
    c.d.segment_count = out.size();
    c.d.row_length = row_length;
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, 0);
    c.template fold<Element, Out>(o);
    return c.run(ctx, gp_segmented_reduce);
}

// The same of the columns of a matrix that is stored row by row, one for each element of `out`.
template <typename Element, typename Out>
returns<void> reduce_columns(gp_context *ctx, view<Element> in, view<Out> out, const operation &o = GP_SUM,
                             const gp_segmented_reduce_desc &d = {})
{
    detail::call<gp_segmented_reduce_desc> c{d};
    const size_t columns = out.size(), rows = columns ? in.size() / columns : 0;
    c.expect(!columns || (rows > 0 && in.size() % columns == 0),
             "gp::reduce_columns: `in` has not as many elements for each column");
    c.d.count = in.size();
    c.d.segment_count = columns;
    c.d.row_length = rows;
    c.d.row_stride = rows ? 1 : 0;
    c.d.element_stride = rows ? columns : 0;
    c.d.offsets_type = GP_U32;
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, 0);
    c.template fold<Element, Out>(o);
    return c.run(ctx, gp_segmented_reduce);
}

// Scans each segment: out has an element for each of `in`, and may be `in`.
template <typename Element, typename Index, typename Out>
returns<void> segmented_scan(gp_context *ctx, view<Element> in, view<Index> offsets, view<Out> out,
                             const operation &o = GP_SUM, const gp_segmented_scan_desc &d = {})
{
    detail::call<gp_segmented_scan_desc> c{d};
    c.d.count = in.size();
    c.d.segment_count = offsets.size() ? offsets.size() - 1 : 0;
    c.d.offsets_type = detail::number_of<Index>();
    GPI_PUT(in, in, 0);
    GPI_PUT(offsets, offsets, 0);
    GPI_PUT(out, out, in.size());
    c.template fold<Element, Out>(o);
    return c.run(ctx, gp_segmented_scan);
}

// The same of rows of `row_length` elements each.
template <typename Element, typename Out>
returns<void> segmented_scan(gp_context *ctx, view<Element> in, size_t row_length, view<Out> out,
                             const operation &o = GP_SUM, const gp_segmented_scan_desc &d = {})
{
    detail::call<gp_segmented_scan_desc> c{d};
    c.expect(row_length > 0, "gp::segmented_scan: row_length is 0");
    c.d.count = in.size();
    c.d.segment_count = row_length ? in.size() / row_length : 0;
    c.d.row_length = row_length;
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, in.size());
    c.template fold<Element, Out>(o);
    return c.run(ctx, gp_segmented_scan);
}

// The same of the columns of a matrix that is stored row by row.
template <typename Element, typename Out>
returns<void> scan_columns(gp_context *ctx, view<Element> in, size_t columns, view<Out> out,
                           const operation &o = GP_SUM, const gp_segmented_scan_desc &d = {})
{
    detail::call<gp_segmented_scan_desc> c{d};
    c.expect(columns > 0, "gp::scan_columns: columns is 0");
    c.d.segment_count = in.size() ? columns : 0;
    c.d.row_length = columns ? in.size() / columns : 0;
    c.d.row_stride = c.d.row_length ? 1 : 0;
    c.d.element_stride = c.d.row_length ? columns : 0;
    c.d.offsets_type = GP_U32;
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, in.size());
    c.template fold<Element, Out>(o);
    return c.run(ctx, gp_segmented_scan);
}

template <typename Element, typename Out>
returns<void> scan(gp_context *ctx, view<Element> in, view<Out> out, const operation &o = GP_SUM,
                   const gp_scan_desc &d = {})
{
    detail::call<gp_scan_desc> c{d};
    c.d.count = in.size();
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, in.size());
    c.template fold<Element, Out>(o);
    return c.run(ctx, gp_scan);
}

// ---- select, partition, unique, runs: the number of what is kept is returned, or goes to `count_out`. Of unique, of
// runs and of reductions by key, outputs that are not wanted (keys_out, the runs' out and lengths_out) are {}.

namespace detail
{
template <typename Desc, typename Count> call<Desc> counted(call<Desc> c, const view<Count> &count_out)
{
    GPI_PUT(count_out, count_out, 1);
    c.d.count_out_type = detail::number_of<Count>();
    return c;
}

template <typename Element>
call<gp_select_desc> select(const view<Element> &in, const view<Element> &out, const expression &predicate,
                            const gp_select_desc &d)
{
    call<gp_select_desc> c{d};
    c.d.count = in.size();
    GPI_PUT(in, in, 0);
    GPI_PUT_IF(out, out, in.size());
    c.template element<Element>(c.d.type, c.d.record, c.d.element_size);
    c.d.predicate = predicate.text;
    c.args(predicate);
    return c;
}

template <typename Element>
call<gp_partition_desc> partition(const view<Element> &in, const view<Element> &out,
                                  const expression &predicate, const gp_partition_desc &d)
{
    call<gp_partition_desc> c{d};
    c.d.count = in.size();
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, in.size());
    c.template element<Element>(c.d.type, c.d.record, c.d.element_size);
    c.d.predicate = predicate.text;
    c.args(predicate);
    return c;
}

template <typename Key>
call<gp_unique_desc> unique(const view<Key> &keys, const view<Key> &keys_out, const gp_unique_desc &d)
{
    call<gp_unique_desc> c{d};
    c.d.count = keys.size();
    GPI_PUT(keys, keys, 0);
    GPI_PUT_IF(keys_out, keys_out, keys.size());
    c.template element<Key>(c.d.key_type, c.d.record, c.d.key_size);
    return c;
}

template <typename Key, typename Value>
call<gp_unique_desc> unique_by_key(const view<Key> &keys, const view<Value> &values,
                                   const view<Key> &keys_out, const view<Value> &values_out,
                                   const gp_unique_desc &d)
{
    auto c = unique(keys, keys_out, d);
    GPI_PUT(values, values, keys.size());
    GPI_PUT(values_out, values_out, keys.size());
    c.d.value_size = sizeof(Value);
    return c;
}

template <typename Element, typename Index>
call<gp_run_length_encode_desc> run_length_encode(const view<Element> &in, const view<Element> &out,
                                                  const view<Index> &lengths_out,
                                                  const gp_run_length_encode_desc &d)
{
    call<gp_run_length_encode_desc> c{d};
    c.d.count = in.size();
    GPI_PUT(in, in, 0);
    GPI_PUT_IF(out, out, in.size());
    GPI_PUT_IF(lengths_out, lengths_out, in.size());
    c.template element<Element>(c.d.type, c.d.record, c.d.element_size);
    c.d.index_type = detail::number_of<Index>();
    return c;
}

template <typename Key, typename Element, typename Out>
call<gp_reduce_by_key_desc> reduce_by_key(const view<Key> &keys, const view<Element> &in,
                                          const view<Key> &keys_out, const view<Out> &out, const operation &o,
                                          const gp_reduce_by_key_desc &d)
{
    call<gp_reduce_by_key_desc> c{d};
    c.d.count = keys.size();
    GPI_PUT(keys, keys, 0);
    GPI_PUT(in, in, keys.size());
    GPI_PUT_IF(keys_out, keys_out, keys.size());
    GPI_PUT(out, out, keys.size());
    c.template element<Key>(c.d.key_type, c.d.key_record, c.d.key_size);
    c.template fold<Element, Out>(o);
    return c;
}
} // namespace detail

// The predicate is nullptr where the desc has flags or indices. `out` is {} where the desc has indices_out only.
template <typename Element>
returns<uint64_t> select(gp_context *ctx, view<Element> in, view<Element> out, const expression &predicate,
                         const gp_select_desc &d = {})
{
    return detail::select(in, out, predicate, d).template read<uint64_t>(ctx, gp_select_read);
}
template <typename Element, typename Count>
returns<void> select(gp_context *ctx, view<Element> in, view<Element> out, view<Count> count_out,
                     const expression &predicate, const gp_select_desc &d = {})
{
    return detail::counted(detail::select(in, out, predicate, d), count_out).run(ctx, gp_select);
}

// All parts in `out`, unless the desc has `rest`. Returns 2 or 3 numbers; the third one is 0 for two parts.
template <typename Element>
returns<std::array<uint64_t, 3>> partition(gp_context *ctx, view<Element> in, view<Element> out,
                                           const expression &predicate, const gp_partition_desc &d = {})
{
    const auto read = [](gp_context *gp, const gp_partition_desc *desc, std::array<uint64_t, 3> *counts) {
        return gp_partition_read(gp, desc, counts->data());
    };
    return detail::partition(in, out, predicate, d).template read<std::array<uint64_t, 3>>(ctx, read);
}
template <typename Element, typename Count>
returns<void> partition(gp_context *ctx, view<Element> in, view<Element> out, view<Count> counts_out,
                        const expression &predicate, const gp_partition_desc &d = {})
{
    auto c = detail::partition(in, out, predicate, d);
    GPI_PUT(counts_out, counts_out, d.predicate2 ? 3u : 2u);
    c.d.counts_out_type = detail::number_of<Count>();
    return c.run(ctx, gp_partition);
}

template <typename Key>
returns<uint64_t> unique(gp_context *ctx, view<Key> keys, view<Key> keys_out, const gp_unique_desc &d = {})
{
    return detail::unique(keys, keys_out, d).template read<uint64_t>(ctx, gp_unique_read);
}
template <typename Key, typename Count>
returns<void> unique(gp_context *ctx, view<Key> keys, view<Key> keys_out, view<Count> count_out,
                     const gp_unique_desc &d = {})
{
    return detail::counted(detail::unique(keys, keys_out, d), count_out).run(ctx, gp_unique);
}

template <typename Key, typename Value>
returns<uint64_t> unique_by_key(gp_context *ctx, view<Key> keys, view<Value> values, view<Key> keys_out,
                                view<Value> values_out, const gp_unique_desc &d = {})
{
    return detail::unique_by_key(keys, values, keys_out, values_out, d)
        .template read<uint64_t>(ctx, gp_unique_by_key_read);
}
template <typename Key, typename Value, typename Count>
returns<void> unique_by_key(gp_context *ctx, view<Key> keys, view<Value> values, view<Key> keys_out,
                            view<Value> values_out, view<Count> count_out, const gp_unique_desc &d = {})
{
    return detail::counted(detail::unique_by_key(keys, values, keys_out, values_out, d), count_out)
        .run(ctx, gp_unique_by_key);
}

template <typename Element, typename Index>
returns<uint64_t> run_length_encode(gp_context *ctx, view<Element> in, view<Element> out,
                                    view<Index> lengths_out, const gp_run_length_encode_desc &d = {})
{
    return detail::run_length_encode(in, out, lengths_out, d)
        .template read<uint64_t>(ctx, gp_run_length_encode_read);
}
template <typename Element, typename Index, typename Count>
returns<void> run_length_encode(gp_context *ctx, view<Element> in, view<Element> out, view<Index> lengths_out,
                                view<Count> count_out, const gp_run_length_encode_desc &d = {})
{
    return detail::counted(detail::run_length_encode(in, out, lengths_out, d), count_out)
        .run(ctx, gp_run_length_encode);
}

// One more offset than there are runs. The outputs have as many elements; one or two of them may be {}, and without `out` `in` is {},
// too.
template <typename Element, typename Offset, typename Index = uint32_t>
returns<void> run_length_decode(gp_context *ctx, view<Element> in, view<Offset> offsets, view<Element> out,
                                view<Index> runs_out = {}, view<Index> positions_out = {},
                                const gp_run_length_decode_desc &d = {})
{
    detail::call<gp_run_length_decode_desc> c{d};
    c.d.run_count = offsets.size() ? offsets.size() - 1 : 0;
    c.d.count = out.get() ? out.size() : runs_out.get() ? runs_out.size() : positions_out.size();
    GPI_PUT(offsets, offsets, 1);
    GPI_PUT_IF(in, in, c.d.run_count);
    GPI_PUT_IF(out, out, c.d.count);
    GPI_PUT_IF(runs_out, runs_out, c.d.count);
    GPI_PUT_IF(positions_out, positions_out, c.d.count);
    if (out.get()) c.d.element_size = sizeof(Element);
    c.d.offsets_type = detail::number_of<Offset>();
    c.d.index_type = detail::number_of<Index>();
    return c.run(ctx, gp_run_length_decode);
}

template <typename Key, typename Element, typename Out>
returns<uint64_t> reduce_by_key(gp_context *ctx, view<Key> keys, view<Element> in, view<Key> keys_out,
                                view<Out> out, const operation &o = GP_SUM,
                                const gp_reduce_by_key_desc &d = {})
{
    return detail::reduce_by_key(keys, in, keys_out, out, o, d)
        .template read<uint64_t>(ctx, gp_reduce_by_key_read);
}
template <typename Key, typename Element, typename Out, typename Count>
returns<void> reduce_by_key(gp_context *ctx, view<Key> keys, view<Element> in, view<Key> keys_out,
                            view<Out> out, view<Count> count_out, const operation &o = GP_SUM,
                            const gp_reduce_by_key_desc &d = {})
{
    return detail::counted(detail::reduce_by_key(keys, in, keys_out, out, o, d), count_out)
        .run(ctx, gp_reduce_by_key);
}

// ---- sort, top-k, merge, search: in place where the desc has no outputs

template <typename Key> returns<void> sort(gp_context *ctx, view<Key> keys, const gp_sort_desc &d = {})
{
    detail::call<gp_sort_desc> c{d};
    c.d.count = keys.size();
    c.d.key_type = detail::number_of<Key>();
    GPI_PUT(keys, keys, 0);
    return c.run(ctx, gp_sort);
}
template <typename Key, typename Value>
returns<void> sort(gp_context *ctx, view<Key> keys, view<Value> values, const gp_sort_desc &d = {})
{
    detail::call<gp_sort_desc> c{d};
    c.d.count = keys.size();
    c.d.key_type = detail::number_of<Key>();
    c.d.value_size = sizeof(Value);
    GPI_PUT(keys, keys, 0);
    GPI_PUT(values, values, keys.size());
    return c.run(ctx, gp_sort);
}

template <typename Key, typename Index>
returns<void> argsort(gp_context *ctx, view<Key> keys, view<Index> values_out, const gp_sort_desc &d = {})
{
    detail::call<gp_sort_desc> c{d};
    c.d.count = keys.size();
    c.d.key_type = detail::number_of<Key>();
    c.d.value_size = sizeof(Index);
    GPI_PUT(keys, keys, 0);
    GPI_PUT(values_out, values_out, keys.size());
    return c.run(ctx, gp_argsort);
}

template <typename Key, typename Index>
returns<void> segmented_sort(gp_context *ctx, view<Key> keys, view<Index> offsets,
                             const gp_segmented_sort_desc &d = {})
{
    detail::call<gp_segmented_sort_desc> c{d};
    c.d.count = keys.size();
    c.d.key_type = detail::number_of<Key>();
    c.d.offsets_type = detail::number_of<Index>();
    c.d.segment_count = offsets.size() - 1;
    GPI_PUT(keys, keys, 0);
    GPI_PUT(offsets, offsets, 1u);
    return c.run(ctx, gp_segmented_sort);
}
// The same of the rows of a matrix.
template <typename Key>
returns<void> segmented_sort(gp_context *ctx, view<Key> keys, size_t row_length,
                             const gp_segmented_sort_desc &d = {})
{
    detail::call<gp_segmented_sort_desc> c{d};
    c.expect(row_length > 0, "gp::segmented_sort: row_length is 0");
    c.d.count = keys.size();
    c.d.segment_count = row_length ? keys.size() / row_length : 0;
    c.d.row_length = row_length;
    c.d.key_type = detail::number_of<Key>();
    GPI_PUT(keys, keys, 0);
    return c.run(ctx, gp_segmented_sort);
}
template <typename Key, typename Value, typename Index>
returns<void> segmented_sort(gp_context *ctx, view<Key> keys, view<Value> values, view<Index> offsets,
                             const gp_segmented_sort_desc &d = {})
{
    detail::call<gp_segmented_sort_desc> c{d};
    c.d.value_size = sizeof(Value);
    GPI_PUT(values, values, keys.size());
    return c.problem ? c.run(ctx, gp_segmented_sort) : segmented_sort(ctx, keys, offsets, c.d);
}

template <typename Key, typename Index, typename Offset>
returns<void> segmented_argsort(gp_context *ctx, view<Key> keys, view<Index> values_out, view<Offset> offsets,
                                const gp_segmented_sort_desc &d = {})
{
    detail::call<gp_segmented_sort_desc> c{d};
    c.d.count = keys.size();
    c.d.key_type = detail::number_of<Key>();
    c.d.value_size = sizeof(Index);
    c.d.offsets_type = detail::number_of<Offset>();
    c.d.segment_count = offsets.size() - 1;
    GPI_PUT(keys, keys, 0);
    GPI_PUT(values_out, values_out, keys.size());
    GPI_PUT(offsets, offsets, 1u);
    return c.run(ctx, gp_segmented_argsort);
}
// The same of the rows of a matrix.
template <typename Key, typename Index>
returns<void> segmented_argsort(gp_context *ctx, view<Key> keys, view<Index> values_out, size_t row_length,
                                const gp_segmented_sort_desc &d = {})
{
    detail::call<gp_segmented_sort_desc> c{d};
    c.expect(row_length > 0, "gp::segmented_argsort: row_length is 0");
    c.d.count = keys.size();
    c.d.segment_count = row_length ? keys.size() / row_length : 0;
    c.d.row_length = row_length;
    c.d.key_type = detail::number_of<Key>();
    c.d.value_size = sizeof(Index);
    GPI_PUT(keys, keys, 0);
    GPI_PUT(values_out, values_out, keys.size());
    return c.run(ctx, gp_segmented_argsort);
}

template <typename Element>
returns<void> sort_records(gp_context *ctx, view<Element> in, std::initializer_list<gp_sort_column> columns,
                           const gp_sort_records_desc &d = {})
{
    detail::call<gp_sort_records_desc> c{d};
    c.d.count = in.size();
    c.d.columns = columns.begin();
    c.d.column_count = columns.size();
    GPI_PUT(in, in, 0);
    detail::expect_described<Element>();
    c.template element<Element>(c.d.type, c.d.record);
    return c.run(ctx, gp_sort_records);
}

// An index for each string.
template <typename Byte, typename Offset, typename Index>
returns<void> sort_strings(gp_context *ctx, view<Byte> bytes, view<Offset> offsets, view<Index> out,
                           const gp_sort_strings_desc &d = {})
{
    static_assert(sizeof(Byte) == 1);
    detail::call<gp_sort_strings_desc> c{d};
    c.d.count = out.size();
    c.d.byte_count = bytes.size();
    c.d.offsets_type = detail::number_of<Offset>();
    c.d.index_type = detail::number_of<Index>();
    GPI_PUT(bytes, bytes, 0);
    GPI_PUT(offsets, offsets, out.size() + 1);
    GPI_PUT(out, out, 0);
    return c.run(ctx, gp_sort_strings);
}

// As many keys as keys_out has elements, or if that is {}, as indices_out has.
template <typename Key, typename Index = uint32_t>
returns<void> topk(gp_context *ctx, view<Key> keys, view<Key> keys_out, view<Index> indices_out = {},
                   const gp_topk_desc &d = {})
{
    detail::call<gp_topk_desc> c{d};
    c.d.count = keys.size();
    c.d.k = keys_out.get() ? keys_out.size() : indices_out.size();
    c.d.key_type = detail::number_of<Key>();
    c.d.index_type = detail::number_of<Index>();
    GPI_PUT(keys, keys, 0);
    c.expect(keys_out.get() || indices_out.get(), "gp::topk: both keys_out and indices_out are NULL");
    GPI_PUT_IF(keys_out, keys_out, c.d.k);
    GPI_PUT_IF(indices_out, indices_out, c.d.k);
    return c.run(ctx, gp_topk);
}

namespace detail
{
template <typename Key, typename Index>
returns<void> segmented_topk(gp_context *ctx, call<gp_segmented_topk_desc> c, size_t segments, view<Key> keys,
                             view<Key> keys_out, view<Index> indices_out)
{
    const size_t results = keys_out.get() ? keys_out.size() : indices_out.size();
    c.d.count = keys.size();
    c.d.segment_count = segments;
    c.d.k = segments ? results / segments : 0;
    c.d.key_type = number_of<Key>();
    c.d.index_type = number_of<Index>();
    GPI_PUT(keys, keys, 0);
    c.expect(keys_out.get() || indices_out.get(),
             "gp::segmented_topk: both keys_out and indices_out are NULL");
    c.expect(!segments || results % segments == 0, "gp::segmented_topk: outputs have no k for each segment");
    GPI_PUT_IF(keys_out, keys_out, results);
    GPI_PUT_IF(indices_out, indices_out, results);
    return c.run(ctx, gp_segmented_topk);
}
} // namespace detail

// Outputs have k elements for each segment. One of them may be {}. `d` may have a k for each segment: ks, ks_type.
template <typename Key, typename Offset, typename Index = uint32_t>
returns<void> segmented_topk(gp_context *ctx, view<Key> keys, view<Offset> offsets, view<Key> keys_out,
                             view<Index> indices_out = {}, const gp_segmented_topk_desc &d = {})
{
    detail::call<gp_segmented_topk_desc> c{d};
    c.d.offsets_type = detail::number_of<Offset>();
    GPI_PUT(offsets, offsets, 1);
    return detail::segmented_topk(ctx, c, offsets.size() ? offsets.size() - 1 : 0, keys, keys_out,
                                  indices_out);
}

// The same of the rows of a matrix.
template <typename Key, typename Index = uint32_t>
returns<void> segmented_topk(gp_context *ctx, view<Key> keys, size_t row_length, view<Key> keys_out,
                             view<Index> indices_out = {}, const gp_segmented_topk_desc &d = {})
{
    detail::call<gp_segmented_topk_desc> c{d};
    c.expect(row_length > 0, "gp::segmented_topk: row_length is 0");
    c.d.row_length = row_length;
    return detail::segmented_topk(ctx, c, row_length ? keys.size() / row_length : 0, keys, keys_out,
                                  indices_out);
}

// The key of each rank; d.ranks and d.rank_count are set from `ranks`.
template <typename Key>
returns<void> nth_element(gp_context *ctx, view<Key> keys, const std::vector<uint64_t> &ranks,
                          view<Key> keys_out, const gp_nth_element_desc &d = {})
{
    detail::call<gp_nth_element_desc> c{d};
    c.d.count = keys.size();
    c.d.ranks = ranks.data();
    c.d.rank_count = ranks.size();
    c.d.key_type = detail::number_of<Key>();
    GPI_PUT(keys, keys, 0);
    GPI_PUT(keys_out, keys_out, ranks.size());
    return c.run(ctx, gp_nth_element);
}

template <typename Key>
returns<void> merge(gp_context *ctx, view<Key> a, view<Key> b, view<Key> out, const gp_merge_desc &d = {})
{
    detail::call<gp_merge_desc> c{d};
    c.d.a_count = a.size();
    c.d.b_count = b.size();
    c.d.key_type = detail::number_of<Key>();
    GPI_PUT(a_keys, a, 0);
    GPI_PUT(b_keys, b, 0);
    GPI_PUT(keys_out, out, a.size() + b.size());
    return c.run(ctx, gp_merge);
}
template <typename Key, typename Value>
returns<void> merge(gp_context *ctx, view<Key> a, view<Value> a_values, view<Key> b, view<Value> b_values,
                    view<Key> out, view<Value> values_out, const gp_merge_desc &d = {})
{
    detail::call<gp_merge_desc> c{d};
    c.d.value_size = sizeof(Value);
    GPI_PUT(a_values, a_values, a.size());
    GPI_PUT(b_values, b_values, b.size());
    GPI_PUT(values_out, values_out, a.size() + b.size());
    return c.problem ? c.run(ctx, gp_merge) : merge(ctx, a, b, out, c.d);
}

// Where Key or Needle is a record, the desc has a map of it, and where both are, key_type.
template <typename Key, typename Needle, typename Index>
returns<void> search(gp_context *ctx, view<Key> keys, view<Needle> needles, view<Index> out,
                     const gp_search_desc &d = {})
{
    constexpr gp_type key = type_of<Key>() != GP_TYPE_NONE ? type_of<Key>() : type_of<Needle>();
    static_assert(type_of<Needle>() == key || type_of<Needle>() == GP_TYPE_NONE,
                  "keys and needles of one type");
    detail::call<gp_search_desc> c{d};
    c.d.count = keys.size();
    c.d.needle_count = needles.size();
    if (key != GP_TYPE_NONE) c.d.key_type = key;
    detail::expect_described<Key>();
    detail::expect_described<Needle>();
    c.d.record = detail::record_of<Key>();
    c.d.needle_record = detail::record_of<Needle>();
    c.d.out_type = detail::number_of<Index>();
    GPI_PUT(keys, keys, 0);
    GPI_PUT(needles, needles, 0);
    GPI_PUT(out, out, needles.size());
    return c.run(ctx, gp_search);
}

// ---- tables of rows

// A column of keys: numbers, or else elements of at most 64 bytes that are equal if their bytes are; or strings, with one offset more
// than there are rows.
struct key_column {
    template <typename Key> key_column(const view<Key> &keys) : rows(keys.size())
    {
        column.in = keys.get();
        column.in_offset = keys.offset();
        column.type = type_of<Key>();
        if (!column.type) column.element_size = sizeof(Key);
    }
    template <typename Byte, typename Offset>
    key_column(const view<Byte> &bytes, const view<Offset> &offsets)
        : rows(offsets.size() ? offsets.size() - 1 : 0)
    {
        static_assert(sizeof(Byte) == 1);
        column.in = bytes.get();
        column.in_offset = bytes.offset();
        column.byte_count = bytes.size();
        column.offsets = offsets.get();
        column.offsets_offset = offsets.offset();
        column.offsets_type = detail::number_of<Offset>();
    }
    gp_key_column column = {};
    size_t rows;
};

namespace detail
{
using key_list = std::array<gp_key_column, GP_KEY_COLUMNS_MAX>;

// Copies the columns to the list, and returns their number of rows. More columns than there is room for are refused by the call.
template <typename Call>
size_t put_columns(Call &c, std::initializer_list<key_column> columns, key_list &list)
{
    size_t k = 0, rows = 0;
    for (const key_column &column : columns) {
        if (k < list.size()) list[k++] = column.column;
        c.expect(column.column.in && (column.column.offsets || !column.column.offsets_type),
                 "gp::key_column: a column is NULL");
        c.expect(column.rows == columns.begin()->rows,
                 "gp::key_column: columns have different numbers of rows");
        rows = column.rows;
    }
    return rows;
}

// A call on the keys of rows.
template <typename Desc>
call<Desc> rows_of(std::initializer_list<key_column> columns, key_list &list, const Desc &d)
{
    call<Desc> c{d};
    c.d.columns = list.data();
    c.d.column_count = columns.size();
    c.d.count = put_columns(c, columns, list);
    return c;
}

inline void put_filter(call<gp_bloom_desc> &c, const view<uint32_t> &filter)
{
    c.expect(filter.size() % 8 == 0 && filter.offset() % 8 == 0, "a Bloom filter is not whole blocks");
    c.d.filter = filter.get();
    c.d.filter_offset = filter.offset() / 8;
    c.d.block_count = filter.size() / 8;
}

inline void put_registers(call<gp_hyperloglog_desc> &c, const view<uint32_t> &registers)
{
    for (c.d.precision = 0; registers.size() >> c.d.precision > 1;) c.d.precision++;
    c.expect(registers.size() == size_t(1) << c.d.precision, "registers are not a power of two");
    c.d.registers = registers.get();
    c.d.registers_offset = registers.offset();
}
} // namespace detail

// Returns the number of groups. Outputs that are not wanted are {}.
inline returns<uint64_t> group_by(gp_context *ctx, std::initializer_list<key_column> columns,
                                  view<uint32_t> groups_out, view<uint32_t> rows_out = {},
                                  view<uint32_t> order_out = {}, view<uint32_t> offsets_out = {},
                                  const gp_group_by_desc &d = {})
{
    detail::key_list list = {};
    auto c = detail::rows_of(columns, list, d);
    GPI_PUT_IF(groups_out, groups_out, c.d.count);
    GPI_PUT_IF(rows_out, rows_out, c.d.count);
    GPI_PUT_IF(order_out, order_out, c.d.count);
    GPI_PUT_IF(offsets_out, offsets_out, c.d.count + 1);
    return c.template read<uint64_t>(ctx, gp_group_by_read);
}

// A result of each group: {gp::op::sum, "price[i] * quantity[i]", out}. `map_type` is the type of the map's value, if it is not that of
// the results. A count has no map: {gp::op::count, nullptr, out}.
struct group_result {
    template <typename Out>
    group_result(gp_op op, const char *map, const view<Out> &out, gp_type map_type = type_of<Out>(),
                 const char *where = nullptr)
        : size(out.size())
    {
        result.op = op;
        result.map = map;
        result.map_type = map ? map_type : GP_TYPE_NONE;
        result.where = where;
        result.out = out.get();
        result.out_offset = out.offset();
        result.out_type = type_of<Out>();
    }
    template <typename Out>
    group_result(gp_op op, const char *map, const buffer<Out> &out, gp_type map_type = type_of<Out>(),
                 const char *where = nullptr)
        : group_result(op, map, static_cast<const view<Out> &>(out), map_type, where)
    {
    }
    gp_group_result result = {};
    size_t size;
};

// Returns the number of groups. The maps name `args`. All else, such as order_out, is the desc's.
inline returns<uint64_t> group_by(gp_context *ctx, std::initializer_list<key_column> columns,
                                  view<uint32_t> rows_out, std::initializer_list<group_result> results,
                                  std::initializer_list<gp_arg> args = {}, const gp_group_by_desc &d = {})
{
    detail::key_list list = {};
    std::array<gp_group_result, GP_GROUP_RESULTS_MAX> wanted = {};
    auto c = detail::rows_of(columns, list, d);
    size_t k = 0;
    for (const group_result &r : results) {
        c.expect(!r.result.out || r.size >= c.d.count,
                 "gp::group_by: a result has less room than there are rows");
        if (k < wanted.size()) wanted[k++] = r.result;
    }
    c.d.results = wanted.data();
    c.d.result_count = results.size(); // more than there is room for is refused by the call
    c.d.args = args.begin();
    c.d.arg_count = args.size();
    GPI_PUT_IF(rows_out, rows_out, c.d.count);
    return c.template read<uint64_t>(ctx, gp_group_by_read);
}

// Writes all pairs of a left and a right row with equal keys, and returns their number; outputs that are {} are not wanted. Outputs
// without room for all pairs are refused, after the first pairs have been written. `kind`: see gp_join; semi and anti joins have no
// right rows. `d` may have a `table` that join_build has made.
inline returns<uint64_t> join(gp_context *ctx, std::initializer_list<key_column> left,
                              std::initializer_list<key_column> right, view<uint32_t> left_out,
                              view<uint32_t> right_out = {}, gp_join_kind kind = GP_JOIN_INNER,
                              const gp_join_desc &d = {})
{
    detail::key_list lefts = {}, rights = {};
    detail::call<gp_join_desc> c{d};
    c.d.left = lefts.data();
    c.d.right = rights.data();
    c.d.column_count = left.size();
    c.d.kind = kind;
    c.expect(left.size() == right.size(), "gp::join: left and right have different numbers of columns");
    c.d.left_count = detail::put_columns(c, left, lefts);
    c.d.right_count = detail::put_columns(c, right, rights);
    c.d.capacity = left_out.get() ? left_out.size() : right_out.size();
    GPI_PUT_IF(left_out, left_out, c.d.capacity);
    GPI_PUT_IF(right_out, right_out, c.d.capacity);
    return c.template read<uint64_t>(ctx, gp_join_read);
}

// How many blocks a Bloom filter takes: see gp_bloom_blocks.
inline size_t bloom_blocks(size_t count, double rate) { return gp_bloom_blocks(count, rate); }

// Adds the keys of all rows to a Bloom filter, whose blocks are eight words each.
inline returns<void> bloom_add(gp_context *ctx, view<uint32_t> filter,
                               std::initializer_list<key_column> columns, const gp_bloom_desc &d = {})
{
    detail::key_list list = {};
    auto c = detail::rows_of(columns, list, d);
    detail::put_filter(c, filter);
    return c.run(ctx, gp_bloom_add);
}

// Writes whether the key of each row may be in the filter.
inline returns<void> bloom_contains(gp_context *ctx, view<uint32_t> filter,
                                    std::initializer_list<key_column> columns, view<uint8_t> found,
                                    const gp_bloom_desc &d = {})
{
    detail::key_list list = {};
    auto c = detail::rows_of(columns, list, d);
    detail::put_filter(c, filter);
    GPI_PUT(found, found, c.d.count);
    return c.run(ctx, gp_bloom_contains);
}

// Adds the keys of all rows to 2^precision registers; hyperloglog_estimate estimates how many distinct keys they have.
inline returns<void> hyperloglog_add(gp_context *ctx, view<uint32_t> registers,
                                     std::initializer_list<key_column> columns,
                                     const gp_hyperloglog_desc &d = {})
{
    detail::key_list list = {};
    auto c = detail::rows_of(columns, list, d);
    detail::put_registers(c, registers);
    return c.run(ctx, gp_hyperloglog_add);
}

inline returns<double> hyperloglog_estimate(gp_context *ctx, view<uint32_t> registers)
{
    detail::call<gp_hyperloglog_desc> c{gp_hyperloglog_desc{}};
    detail::put_registers(c, registers);
    return c.template read<double>(ctx, gp_hyperloglog_estimate);
}

// ---- histogram: as many bins as `out` has elements, for each channel that is counted

template <typename Element, typename Count>
returns<void> histogram(gp_context *ctx, view<Element> in, view<Count> out, const gp_histogram_desc &d = {})
{
    detail::call<gp_histogram_desc> c{d};
    const uint32_t channels = d.channels ? d.channels : 1,
                   counted = d.channels_out ? d.channels_out : channels;
    c.d.count = in.size() / channels;
    c.d.bins = out.size() / counted;
    c.d.out_type = detail::number_of<Count>();
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, counted); // without counts the bins would be 256
    detail::expect_described<Element>();
    c.template element<Element>(c.d.type, c.d.record);
    return c.run(ctx, gp_histogram);
}

namespace detail
{
// As which type gp_value has bounds of an element, and other values of its type.
template <typename Element>
using bound = std::conditional_t<!std::is_integral_v<Element>, double,
                                 std::conditional_t<std::is_signed_v<Element>, int64_t, uint64_t>>;
template <typename Element> using scalar = std::conditional_t<std::is_same_v<Element, half>, float, Element>;

template <typename Element> gp_value value_of(const Element &x)
{
    static_assert(sizeof(Element) <= sizeof(gp_value));
    gp_value value = {};
    std::memcpy(&value, &x, sizeof x); // a union: each member begins here
    return value;
}
} // namespace detail

template <typename Element, typename Count>
returns<void> histogram(gp_context *ctx, view<Element> in, view<Count> out, detail::bound<Element> lower,
                        detail::bound<Element> upper, gp_histogram_desc d = {})
{
    d.lower = detail::value_of(lower);
    d.upper = detail::value_of(upper);
    return histogram(ctx, in, out, d);
}

// ---- nests: outputs that are not wanted are {}

namespace detail
{
// A char is text, a signed char a code.
template <typename Element> constexpr gp_type text_type()
{
    return std::is_same_v<Element, char> ? GP_U8 : type_of<Element>();
}
} // namespace detail

// Pairs are nullptr where the desc has a table or a map, and for codes.
template <typename Element, typename Index>
returns<void> brackets(gp_context *ctx, view<Element> in, const char *pairs, view<Index> match,
                       view<Index> parent = {}, view<Index> depth = {}, const gp_brackets_desc &d = {})
{
    detail::call<gp_brackets_desc> c{d};
    c.d.count = in.size();
    c.d.type = detail::text_type<Element>();
    c.d.pairs = pairs;
    c.d.index_type = detail::number_of<Index>();
    GPI_PUT(in, in, 0);
    GPI_PUT_IF(match, match, in.size());
    GPI_PUT_IF(parent, parent, in.size());
    GPI_PUT_IF(depth, depth, in.size());
    return c.run(ctx, gp_brackets);
}

template <typename Element, typename Value, typename Out>
returns<void> stack_scan(gp_context *ctx, view<Element> in, const char *pairs, view<Value> values,
                         view<Out> out, const operation &o, const gp_stack_scan_desc &d = {})
{
    detail::call<gp_stack_scan_desc> c{d};
    c.d.count = in.size();
    c.d.type = detail::text_type<Element>();
    c.d.pairs = pairs;
    c.d.value_type = o.monoid && !d.value_map ? GP_TYPE_NONE : type_of<Value>();
    c.d.op = o.number;
    c.d.monoid = o.monoid;
    c.d.out_type = o.monoid ? GP_TYPE_NONE : type_of<Out>();
    c.expect(!o.monoid || o.monoid->size == sizeof(Out), "monoid: results have another size");
    GPI_PUT(in, in, 0);
    GPI_PUT(values, values, in.size());
    GPI_PUT(out, out, in.size());
    return c.run(ctx, gp_stack_scan);
}

template <typename Index>
returns<void> tree(gp_context *ctx, view<Index> parent, view<Index> index, view<Index> children,
                   view<Index> end, const gp_tree_desc &d = {})
{
    detail::call<gp_tree_desc> c{d};
    c.d.count = parent.size();
    c.d.index_type = detail::number_of<Index>();
    GPI_PUT(parent, parent, 0);
    GPI_PUT_IF(index, index, parent.size());
    GPI_PUT_IF(children, children, parent.size());
    GPI_PUT_IF(end, end, parent.size());
    return c.run(ctx, gp_tree);
}

// ---- maps

// Of no input (`out` has the count), of x, of x and y, or of x, y and z.
template <typename Out>
returns<void> transform(gp_context *ctx, view<Out> out, const expression &map,
                        const gp_transform_desc &d = {})
{
    detail::call<gp_transform_desc> c{d};
    if (!d.in) c.d.count = out.size();
    GPI_PUT(out, out, c.d.count);
    detail::expect_described<Out>();
    c.template element<Out>(c.d.out_type, c.d.out_record);
    c.d.map = map.text;
    c.args(map);
    return c.run(ctx, gp_transform);
}
template <typename Element, typename Out>
returns<void> transform(gp_context *ctx, view<Element> in, view<Out> out, const expression &map,
                        const gp_transform_desc &d = {})
{
    detail::call<gp_transform_desc> c{d};
    c.d.count = in.size();
    GPI_PUT(in, in, 0);
    detail::expect_described<Element>();
    c.template element<Element>(c.d.type, c.d.record);
    return transform(ctx, out, map, c.d);
}
template <typename Element, typename Element2, typename Out>
returns<void> transform(gp_context *ctx, view<Element> in, view<Element2> in2, view<Out> out,
                        const expression &map, const gp_transform_desc &d = {})
{
    detail::call<gp_transform_desc> c{d};
    GPI_PUT(in2, in2, in.size());
    detail::expect_described<Element2>();
    c.template element<Element2>(c.d.type2, c.d.record2);
    return c.problem ? c.run(ctx, gp_transform) : transform(ctx, in, out, map, c.d);
}
template <typename Element, typename Element2, typename Element3, typename Out>
returns<void> transform(gp_context *ctx, view<Element> in, view<Element2> in2, view<Element3> in3,
                        view<Out> out, const expression &map, const gp_transform_desc &d = {})
{
    detail::call<gp_transform_desc> c{d};
    GPI_PUT(in3, in3, in.size());
    detail::expect_described<Element3>();
    c.template element<Element3>(c.d.type3, c.d.record3);
    return c.problem ? c.run(ctx, gp_transform) : transform(ctx, in, in2, out, map, c.d);
}

template <typename Element>
returns<void> fill(gp_context *ctx, view<Element> out, const std::decay_t<Element> &value,
                   const gp_fill_desc &d = {})
{
    detail::call<gp_fill_desc> c{d};
    c.d.count = out.size();
    c.d.element_size = sizeof(Element);
    c.d.value = &value;
    GPI_PUT(out, out, 0);
    return c.run(ctx, gp_fill);
}

template <typename Element>
returns<void> iota(gp_context *ctx, view<Element> out, detail::scalar<Element> start = 0,
                   detail::scalar<Element> step = 1, const gp_iota_desc &d = {})
{
    detail::call<gp_iota_desc> c{d};
    c.d.count = out.size();
    c.d.type = detail::number_of<Element>();
    c.d.start = detail::value_of(start);
    c.d.step = detail::value_of(step);
    GPI_PUT(out, out, 0);
    return c.run(ctx, gp_iota);
}

template <typename Element, typename Out>
returns<void> adjacent_difference(gp_context *ctx, view<Element> in, view<Out> out,
                                  const gp_adjacent_difference_desc &d = {})
{
    detail::call<gp_adjacent_difference_desc> c{d};
    c.d.count = in.size();
    c.d.type = detail::number_of<Element>();
    c.d.out_type = detail::number_of<Out>();
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, in.size());
    return c.run(ctx, gp_adjacent_difference);
}

// Floats are uniform where the desc does not say otherwise.
template <typename Element>
returns<void> random(gp_context *ctx, view<Element> out, uint64_t seed, const gp_random_desc &d = {})
{
    detail::call<gp_random_desc> c{d};
    c.d.count = out.size();
    c.d.type = detail::number_of<Element>();
    c.d.seed = seed;
    if (!std::is_integral_v<Element> && !d.kind) c.d.kind = GP_RANDOM_UNIFORM;
    GPI_PUT(out, out, 0);
    return c.run(ctx, gp_random);
}

template <typename Element, typename Index>
returns<void> gather(gp_context *ctx, view<Element> in, view<Index> indices, view<Element> out,
                     const gp_gather_desc &d = {})
{
    detail::call<gp_gather_desc> c{d};
    c.d.count = indices.size();
    c.d.limit = in.size();
    c.d.element_size = sizeof(Element);
    c.d.index_type = detail::number_of<Index>();
    GPI_PUT(in, in, 0);
    GPI_PUT(indices, indices, 0);
    GPI_PUT(out, out, indices.size());
    return c.run(ctx, gp_gather);
}
template <typename Element, typename Index>
returns<void> scatter(gp_context *ctx, view<Element> in, view<Index> indices, view<Element> out,
                      const gp_gather_desc &d = {})
{
    detail::call<gp_gather_desc> c{d};
    c.d.count = indices.size();
    c.d.limit = out.size();
    c.d.element_size = sizeof(Element);
    c.d.index_type = detail::number_of<Index>();
    GPI_PUT(in, in, indices.size());
    GPI_PUT(indices, indices, 0);
    GPI_PUT(out, out, 0);
    return c.run(ctx, gp_scatter);
}

// `columns`: elements of a row of `in`, whose rows follow each other.
template <typename Element>
returns<void> transpose(gp_context *ctx, view<Element> in, size_t columns, view<Element> out,
                        const gp_transpose_desc &d = {})
{
    detail::call<gp_transpose_desc> c{d};
    c.expect(columns > 0, "gp::transpose: columns is 0");
    c.d.columns = columns;
    c.d.rows = columns ? in.size() / columns : 0;
    c.d.element_size = sizeof(Element);
    GPI_PUT(in, in, 0);
    GPI_PUT(out, out, c.d.rows * columns);
    return c.run(ctx, gp_transpose);
}

template <typename Element, typename Flag>
returns<void> unpack(gp_context *ctx, view<Element> in, view<Flag> flags, view<Element> out,
                     const gp_unpack_desc &d = {})
{
    detail::call<gp_unpack_desc> c{d};
    c.d.count = flags.size();
    c.d.in_count = in.size();
    c.d.element_size = sizeof(Element);
    c.d.flags_type = detail::number_of<Flag>();
    GPI_PUT(in, in, 0);
    GPI_PUT(flags, flags, 0);
    GPI_PUT(out, out, flags.size());
    return c.run(ctx, gp_unpack);
}

// By a map or, where that is nullptr, by the weights of the desc. With width 0 `in` is a line.
template <typename Element, typename Out>
returns<void> stencil(gp_context *ctx, view<Element> in, view<Out> out, const expression &map,
                      const gp_stencil_desc &d = {})
{
    detail::call<gp_stencil_desc> c{d};
    const size_t channels = d.channels ? d.channels : 1, height = d.height ? d.height : 1;
    if (!d.width) c.d.width = in.size() / channels;
    const size_t row = c.d.width * channels;
    const auto elements = [&](size_t pitch) {
        return c.d.width ? (height - 1) * (pitch ? pitch : row) + row : 0;
    };
    c.d.type = detail::number_of<Element>();
    c.d.out_type = detail::number_of<Out>();
    c.d.map = map.text;
    c.args(map);
    GPI_PUT(in, in, elements(d.in_pitch));
    GPI_PUT(out, out, elements(d.out_pitch));
    return c.run(ctx, gp_stencil);
}

// ------------------------------------------------------------------ hash tables

// Keys of 4 or 8 bytes with values of 4 or 8 bytes, or of none (void: a set). All calls are those of gp_hash.
template <typename Key, typename Value = void> class hash_table
{
    using value_or_byte = std::conditional_t<std::is_void_v<Value>, char, Value>;

  public:
    hash_table() = default;
    hash_table(gp_context *ctx, size_t expected_count, gp_hash_desc d = {}) : ctx_(ctx)
    {
        d.key_size = sizeof(Key);
        d.value_size = std::is_void_v<Value> ? 0 : sizeof(value_or_byte);
        if (!d.capacity) d.expected_count = expected_count;
        detail::made(ctx, gp_hash_create(ctx, &d, &table_));
    }
    // A handle for the table of another context.
    hash_table(gp_context *ctx, const hash_table &from) : ctx_(ctx)
    {
        detail::made(ctx, gp_hash_share(ctx, from.ctx_, from.table_, &table_));
    }
    hash_table(hash_table &&other) noexcept { *this = std::move(other); }
    hash_table &operator=(hash_table &&other) noexcept
    {
        std::swap(ctx_, other.ctx_);
        std::swap(table_, other.table_);
        return *this;
    }
    ~hash_table()
    {
        if (table_.id) static_cast<void>(gp_hash_destroy(ctx_, table_));
    }
    explicit operator bool() const noexcept { return table_.id != 0; }
    gp_hash get() const noexcept { return table_; }
    cl_mem buffer() const { return gp_hash_buffer(ctx_, table_); }

    // `values` is {} for sets.
    returns<void> insert(view<Key> keys, view<Value> values = {}, const gp_hash_insert_desc &d = {})
    {
        return batch(keys, values, GP_OP_NONE, d).run(ctx_, gp_hash_insert, table_);
    }
    returns<void> insert_or_assign(view<Key> keys, view<Value> values, const gp_hash_insert_desc &d = {})
    {
        return batch(keys, values, GP_OP_NONE, d).run(ctx_, gp_hash_insert_or_assign, table_);
    }
    // Without values it counts.
    returns<void> insert_or_apply(view<Key> keys, view<Value> values = {}, gp_op o = GP_SUM,
                                  gp_hash_insert_desc d = {})
    {
        d.type = detail::number_of<value_or_byte>();
        return batch(keys, values, o, d).run(ctx_, gp_hash_insert_or_apply, table_);
    }
    returns<void> find(view<Key> keys, view<Value> values, view<uint8_t> found = {},
                       const gp_hash_find_desc &d = {}) const
    {
        detail::call<gp_hash_find_desc> c{d};
        c.d.count = keys.size();
        GPI_PUT(keys, keys, 0);
        GPI_PUT_IF(values, values, keys.size());
        GPI_PUT_IF(found, found, keys.size());
        return c.run(ctx_, gp_hash_find, table_);
    }
    returns<void> contains(view<Key> keys, view<uint8_t> found, const gp_hash_find_desc &d = {}) const
    {
        detail::call<gp_hash_find_desc> c{d};
        c.d.count = keys.size();
        GPI_PUT(keys, keys, 0);
        GPI_PUT(found, found, keys.size());
        return c.run(ctx_, gp_hash_contains, table_);
    }
    returns<void> erase(view<Key> keys, const gp_hash_erase_desc &d = {})
    {
        detail::call<gp_hash_erase_desc> c{d};
        c.d.count = keys.size();
        GPI_PUT(keys, keys, 0);
        return c.run(ctx_, gp_hash_erase, table_);
    }
    // As many pairs as `keys` has elements.
    returns<void> retrieve(view<Key> keys, view<Value> values, view<uint32_t> live_count,
                           const gp_hash_retrieve_desc &d = {}) const
    {
        detail::call<gp_hash_retrieve_desc> c{d};
        c.d.room = keys.size();
        GPI_PUT(keys, keys, 0);
        GPI_PUT_IF(values, values, keys.size());
        GPI_PUT(live_count, live_count, 1u);
        return c.run(ctx_, gp_hash_retrieve, table_);
    }
    returns<void> for_each(gp_hash_for_each_desc d)
    {
        d.key_type = detail::number_of<Key>();
        if (!std::is_void_v<Value>) d.value_type = detail::number_of<value_or_byte>();
        return detail::ended(ctx_, gp_hash_for_each(ctx_, table_, &d));
    }
    returns<void> rehash(const gp_hash_rehash_desc &d = {})
    {
        return detail::ended(ctx_, gp_hash_rehash(ctx_, table_, &d));
    }
    returns<void> clear(const gp_hash_clear_desc &d = {})
    {
        return detail::ended(ctx_, gp_hash_clear(ctx_, table_, &d));
    }
    returns<size_t> size() const { return read<size_t>(gp_hash_size_read); }
    returns<gp_hash_counts> counts() const { return read<gp_hash_counts>(gp_hash_counts_read); }
    returns<gp_hash_stats> stats() const { return read<gp_hash_stats>(gp_hash_stats_read); }

    returns<size_t> insert_scratch_size(const gp_hash_insert_desc &d) const
    {
        return read<size_t>(gp_hash_insert_scratch_size, &d);
    }
    returns<size_t> erase_scratch_size(const gp_hash_erase_desc &d) const
    {
        return read<size_t>(gp_hash_erase_scratch_size, &d);
    }
    returns<size_t> retrieve_scratch_size(const gp_hash_retrieve_desc &d) const
    {
        return read<size_t>(gp_hash_retrieve_scratch_size, &d);
    }

  private:
    static detail::call<gp_hash_insert_desc> batch(const view<Key> &keys, const view<Value> &values, gp_op o,
                                                   const gp_hash_insert_desc &d)
    {
        detail::call<gp_hash_insert_desc> c{d};
        c.d.count = keys.size();
        c.d.op = o;
        GPI_PUT(keys, keys, 0);
        GPI_PUT_IF(values, values, keys.size());
        return c;
    }
    template <typename Result, typename Function, typename... Desc>
    returns<Result> read(Function f, Desc... desc) const
    {
        Result value = {};
        return detail::with(value, [&] { return detail::ended(ctx_, f(ctx_, table_, desc..., &value)); });
    }

    gp_context *ctx_ = nullptr;
    gp_hash table_ = {};
};

#undef GPI_PUT
#undef GPI_PUT_IF

#ifdef GP_NO_EXCEPTIONS
} // namespace no_exceptions
#endif
} // namespace gp

#endif
