/* hash.cu - cubbench: a plain hash table, one slot of 64 bits after another, a thread a key. What a programmer would
   write in an afternoon: compare-and-swap on a whole slot, half of the slots in use. */
#include "cubbench.cuh"

static const unsigned long long none = ~0ull; /* key in the upper half, value in the lower one */

__host__ __device__ static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

__device__ static size_t number() { return size_t(blockIdx.x) * blockDim.x + threadIdx.x; }

__global__ static void insert(unsigned long long *slots, uint32_t mask, const uint32_t *keys, const uint32_t *values,
                              size_t n)
{
    const size_t i = number();
    if (i >= n) return;
    const unsigned long long slot = (unsigned long long)keys[i] << 32 | values[i];
    for (uint32_t at = mixed(keys[i] + 1) & mask;; at = (at + 1) & mask) {
        const unsigned long long old = atomicCAS(slots + at, none, slot);
        if (old == none) return;
        if (uint32_t(old >> 32) == keys[i]) {
            atomicExch(slots + at, slot);
            return;
        }
    }
}

__global__ static void count(unsigned long long *slots, uint32_t mask, const uint32_t *keys, size_t n)
{
    const size_t i = number();
    if (i >= n) return;
    const unsigned long long first = (unsigned long long)keys[i] << 32 | 1;
    for (uint32_t at = mixed(keys[i] + 1) & mask;; at = (at + 1) & mask) {
        const unsigned long long old = atomicCAS(slots + at, none, first);
        if (old == none) return;
        if (uint32_t(old >> 32) == keys[i]) {
            atomicAdd(slots + at, 1ull);
            return;
        }
    }
}

__global__ static void find(const unsigned long long *slots, uint32_t mask, const uint32_t *keys, uint32_t *out,
                            size_t n)
{
    const size_t i = number();
    if (i >= n) return;
    for (uint32_t at = mixed(keys[i] + 1) & mask;; at = (at + 1) & mask) {
        const unsigned long long slot = slots[at];
        if (slot == none || uint32_t(slot >> 32) == keys[i]) {
            out[i] = uint32_t(slot);
            return;
        }
    }
}

static work row(const char *operation, size_t n, double bytes)
{
    const std::string extra = std::string("\"operation\": \"") + operation + "\", \"keys\": \"unique\", \"load\": 0.5, ";
    return {"hash", "cuda:plain", n, bytes * n, "u32", extra};
}

void bench_hash(size_t slots)
{
    size_t capacity = 64;
    while (capacity < slots) capacity *= 2;
    const size_t n = capacity / 2;
    std::vector<uint32_t> host(n), absent(n), numbers(n);
    for (size_t i = 0; i < n; i++) {
        host[i] = mixed(uint32_t(2 * i));
        absent[i] = mixed(uint32_t(2 * i + 1));
        numbers[i] = uint32_t(i);
    }
    array<unsigned long long> table(capacity);
    array<uint32_t> keys(host), values(numbers), misses(absent), out(n);
    const uint32_t mask = uint32_t(capacity - 1);
    const unsigned block = 256, blocks = unsigned((n + block - 1) / block);
    const auto empty = [&] { must(cudaMemset(table.data, 255, capacity * sizeof none)); };
    const auto look = [&] { find<<<blocks, block>>>(table.data, mask, keys.data, out.data, n); };
    const auto ones = [&] {
        look();
        return out.read(n) == std::vector<uint32_t>(n, 1);
    };
    const auto right = [&] {
        look();
        return out.read(n) == numbers;
    };
    time_row(row("count", n, 12), empty, [&] { count<<<blocks, block>>>(table.data, mask, keys.data, n); }, ones);
    time_row(row("insert", n, 16), empty,
             [&] { insert<<<blocks, block>>>(table.data, mask, keys.data, values.data, n); }, right);
    time_row(row("find hit", n, 16), [] {}, look, right);
    time_row(row("find miss", n, 16), [] {},
             [&] { find<<<blocks, block>>>(table.data, mask, misses.data, out.data, n); },
             [&] { return out.read(n) == std::vector<uint32_t>(n, ~0u); });
}
