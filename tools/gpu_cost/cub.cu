// cub.cu - the same work by CUB, for its machine code: a unit for each of CUB_REDUCE, CUB_SCAN, ...
#include <cstdint>
#include <cub/cub.cuh>

struct Below {
    uint32_t limit;
    __host__ __device__ bool operator()(uint32_t x) const { return x < limit; }
};

cudaError_t call(void *scratch, size_t &bytes, uint32_t *in, uint32_t *out, uint32_t *values, uint32_t *values_out, int64_t n)
{
#if defined(CUB_REDUCE)
    (void)values, (void)values_out;
    return cub::DeviceReduce::Reduce(scratch, bytes, in, reinterpret_cast<uint64_t *>(out), n, cuda::std::plus<uint64_t>{},
                                     uint64_t{0});
#elif defined(CUB_SCAN)
    (void)values, (void)values_out;
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n);
#elif defined(CUB_SELECT)
    (void)values_out;
    return cub::DeviceSelect::If(scratch, bytes, in, out, values, n, Below{1u << 31});
#elif defined(CUB_SORT)
    (void)values, (void)values_out;
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, n);
#elif defined(CUB_SORT_PAIRS)
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, in, out, values, values_out, n);
#elif defined(CUB_HISTOGRAM)
    (void)values, (void)values_out;
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, reinterpret_cast<uint8_t *>(in), out, 257, 0, 256, n);
#endif
}
