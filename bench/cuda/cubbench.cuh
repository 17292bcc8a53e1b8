/* cubbench.cuh - the harness of cubbench: device arrays, clock, rows in the form of `gpbench --json`.

   As there, the clock covers enqueueing and waiting for the end, results are checked, and the time is a median. */
#pragma once
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

inline void must(cudaError_t error)
{
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "cubbench: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

/* Memory of the device. */
template <class T>
struct array {
    T *data = nullptr;
    size_t n;
    explicit array(size_t count) : n(count) { must(cudaMalloc(&data, (n ? n : 1) * sizeof(T))); }
    explicit array(const std::vector<T> &host) : array(host.size())
    {
        must(cudaMemcpy(data, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    }
    ~array() { cudaFree(data); }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    std::vector<T> read(size_t count) const
    {
        std::vector<T> host(count);
        must(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
    T first() const { return read(1)[0]; }
};

/* What a row says besides its times. `extra`: fields of JSON with a comma behind each. */
struct work {
    std::string primitive, variant;
    size_t n;
    double bytes; /* that have to be moved */
    const char *type = "u32";
    std::string extra = "";
};

inline double now()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

inline void print_row(const work &w, std::vector<double> seconds, bool right)
{
    static cudaDeviceProp device;
    if (!device.name[0]) must(cudaGetDeviceProperties(&device, 0));
    std::sort(seconds.begin(), seconds.end());
    const size_t last = seconds.size() - 1;
    const double median = seconds[seconds.size() / 2];
    std::printf("{\"primitive\": \"%s\", \"variant\": \"%s\", \"type\": \"%s\", \"op\": \"sum\", %s\"n\": %zu, ",
                w.primitive.c_str(), w.variant.c_str(), w.type, w.extra.c_str(), w.n);
    std::printf("\"median_s\": %.9g, \"min_s\": %.9g, \"max_s\": %.9g, \"spread\": %.4g, \"runs\": %zu, ", median,
                seconds[0], seconds[last], (seconds[last - last / 10] - seconds[last / 10]) / median,
                seconds.size());
    std::printf("\"elements_per_s\": %.6g, \"gb_per_s\": %.6g, ", (double)w.n / median, w.bytes / median * 1e-9);
    std::printf("\"device\": \"%s\", \"platform\": \"CUDA\", \"error\": \"%s\"}\n", device.name,
                right ? "" : "wrong result");
    std::fflush(stdout);
}

/* Times `call`, which enqueues, after `prepare`, which the clock does not see. The first run is checked. */
template <class Prepare, class Call, class Check>
void time_row(const work &w, Prepare prepare, Call call, Check check)
{
    std::vector<double> seconds;
    prepare();
    call();
    must(cudaDeviceSynchronize());
    const bool right = check();
    const double begin = now();
    while (seconds.size() < 5 || (seconds.size() < 101 && now() - begin < 0.5)) {
        prepare();
        must(cudaDeviceSynchronize());
        const double start = now();
        call();
        must(cudaDeviceSynchronize());
        seconds.push_back(now() - start);
    }
    print_row(w, seconds, right);
}

/* The same for one of CUB's functions, which is first asked for the size of its temporary storage. */
template <class Call, class Check>
void cub_row(const work &w, Call call, Check check)
{
    size_t bytes = 0;
    must(call(nullptr, bytes));
    array<unsigned char> temporary(bytes);
    time_row(w, [] {}, [&] { must(call(temporary.data, bytes)); }, check);
}

/* Numbers as gpbench makes them. */
inline uint32_t xorshift(uint32_t &state)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

inline std::vector<uint32_t> random_words(size_t n, uint32_t modulus = 0)
{
    std::vector<uint32_t> words(n);
    uint32_t state = 88172645u;
    for (auto &word : words) word = modulus ? xorshift(state) % modulus : xorshift(state);
    return words;
}

/* Keys in runs of `length` on average; 1 and n: exactly. */
inline std::vector<uint32_t> runs_of(size_t n, size_t length)
{
    std::vector<uint32_t> keys(n);
    uint32_t state = 88172645u, key = 0;
    for (auto &k : keys) k = key += length == 1 || (length < n && xorshift(state) % length == 0);
    return keys;
}

/* The cases, each by the name of gpbench's sub-command. */
void bench_reduce(size_t n);
void bench_scan(size_t n);
void bench_by_key(size_t n);
void bench_histogram(size_t n);
void bench_select(size_t n);
void bench_unique(size_t n);
void bench_rle(size_t n);
void bench_sort(size_t n);
void bench_segmented_sort(size_t n);
void bench_merge(size_t n);
void bench_transform(size_t n);
void bench_hash(size_t slots);
