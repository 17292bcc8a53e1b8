// cub.cu - the same work by CUB, for its machine code: a unit for each of CUB_REDUCE, CUB_SCAN, ...
#include <cstdint>
#if defined(CUB_TOPK)
#include <cub/device/device_topk.cuh>
#else
#include <cub/cub.cuh>
#endif

struct Below {
    uint32_t limit;
    __host__ __device__ bool operator()(uint32_t x) const { return x < limit; }
};

struct Affine {
    __host__ __device__ uint32_t operator()(uint32_t x) const { return x * 3 + 1; }
};

cudaError_t call(void *scratch, size_t &bytes, uint32_t *in, uint32_t *out, uint32_t *values, uint32_t *values_out, int64_t n)
{
    (void)scratch, (void)bytes, (void)values, (void)values_out;
#if defined(CUB_REDUCE)
    return cub::DeviceReduce::Reduce(scratch, bytes, in, reinterpret_cast<uint64_t *>(out), n, cuda::std::plus<uint64_t>{},
                                     uint64_t{0});
#elif defined(CUB_SCAN)
    return cub::DeviceScan::InclusiveSum(scratch, bytes, in, out, n);
#elif defined(CUB_SELECT)
    return cub::DeviceSelect::If(scratch, bytes, in, out, values, n, Below{1u << 31});
#elif defined(CUB_SORT)
    return cub::DeviceRadixSort::SortKeys(scratch, bytes, in, out, n);
#elif defined(CUB_SORT_PAIRS)
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, in, out, values, values_out, n);
#elif defined(CUB_HISTOGRAM)
    return cub::DeviceHistogram::HistogramEven(scratch, bytes, reinterpret_cast<uint8_t *>(in), out, 257, 0, 256, n);
#elif defined(CUB_MERGE)
    return cub::DeviceMerge::MergeKeys(scratch, bytes, in, n / 2, values, n - n / 2, out);
#elif defined(CUB_SEGMENTED_SORT)
    return cub::DeviceSegmentedSort::SortKeys(scratch, bytes, in, out, n, n / 64, values, values + 1);
#elif defined(CUB_SEGMENTED_REDUCE)
    return cub::DeviceSegmentedReduce::Reduce(scratch, bytes, in, reinterpret_cast<uint64_t *>(out), n / 64, values, values + 1,
                                              cuda::std::plus<uint64_t>{}, uint64_t{0});
#elif defined(CUB_TOPK)
    const auto demands = cuda::execution::require(cuda::execution::determinism::not_guaranteed,
                                                  cuda::execution::output_ordering::unsorted);
    return cub::DeviceTopK::MaxKeys(scratch, bytes, in, out, static_cast<int>(n), 100, cuda::std::execution::env{demands});
#elif defined(CUB_PARTITION)
    return cub::DevicePartition::If(scratch, bytes, in, out, values, n, Below{1u << 31});
#elif defined(CUB_UNIQUE)
    return cub::DeviceSelect::Unique(scratch, bytes, in, out, values, n);
#elif defined(CUB_RLE)
    return cub::DeviceRunLengthEncode::Encode(scratch, bytes, in, out, values, values_out, n);
#elif defined(CUB_REDUCE_BY_KEY)
    return cub::DeviceReduce::ReduceByKey(scratch, bytes, in, out, values, values_out, values_out + n, cuda::std::plus<uint32_t>{},
                                          n);
#elif defined(CUB_SEGMENTED_SCAN)
    return cub::DeviceScan::InclusiveSumByKey(scratch, bytes, in, values, out, n);
#elif defined(CUB_TRANSFORM)
    return cub::DeviceTransform::Transform(in, out, n, Affine{});
#endif
}
