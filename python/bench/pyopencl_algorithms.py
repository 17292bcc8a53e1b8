"""What PyOpenCL's tests of its algorithms check, on gpuprim and on PyOpenCL's own, side by side, with times.

Each row computes the same result with both, compares both with NumPy, and prints the best of some runs with their
outputs allocated, on the same queue and arrays.

usage: pyopencl_algorithms.py [--n 2^20] [--repeats 5] [NAME...]

needs: pip install pyopencl mako
"""

import argparse
import time

import numpy as np
import pyopencl as cl
import pyopencl.array as cla
from pyopencl import algorithm, clrandom
from pyopencl.bitonic_sort import BitonicSort
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel

import gpuprim

ROWS = {}


def row(function):
    """A row is a function of (ctx, n). It returns two functions, and what they give (or its mean and deviation)."""
    ROWS[function.__name__] = function
    return function


def integers(ctx, n, dtype=np.int32):
    host = np.random.default_rng(7).integers(0, 1000, n).astype(dtype)
    return host, cla.to_device(ctx.queue, host)


@row
def sum_f32(ctx, n):
    host, x = integers(ctx, n, np.float32)
    return lambda: ctx.reduce(x), lambda: cla.sum(x).get(), host.sum(dtype=np.float64)


@row
def dot_f32(ctx, n):
    host, x = integers(ctx, n, np.float32)
    expected = np.dot(host.astype(float), host)
    return lambda: ctx.reduce(x, map="x * y", y=x), lambda: cla.dot(x, x).get(), expected


@row
def max_of_map(ctx, n):
    host, x = integers(ctx, n, np.float32)
    kernel = ReductionKernel(
        ctx.cl_context, np.float32, neutral="-INFINITY", reduce_expr="max(a, b)", map_expr="fabs(x[i] - 500)",
        arguments="__global const float *x",
    )  # fmt: skip
    return lambda: ctx.reduce(x, "max", map="fabs(x - 500)"), lambda: kernel(x).get(), abs(host - 500).max()


@row
def inclusive_scan(ctx, n):
    host, x = integers(ctx, n)
    kernel = InclusiveScanKernel(ctx.cl_context, np.int32, "a+b", neutral="0")
    return lambda: ctx.scan(x), lambda: kernel(x, cla.empty_like(x)), np.cumsum(host, dtype=np.int32)


@row
def exclusive_scan(ctx, n):
    host, x = integers(ctx, n)
    kernel = ExclusiveScanKernel(ctx.cl_context, np.int32, "a+b", neutral="0")
    expected = np.cumsum(host, dtype=np.int32) - host
    return lambda: ctx.scan(x, exclusive=True), lambda: kernel(x, cla.empty_like(x)), expected


@row
def segmented_scan(ctx, n):
    host, x = integers(ctx, n)
    flags = (np.random.default_rng(8).random(n) < 0.01).astype(np.uint8)
    heads = cla.to_device(ctx.queue, flags)
    kernel = GenericScanKernel(
        ctx.cl_context, np.int32, "__global const int *x, __global const uchar *flags, __global int *out",
        input_expr="x[i]", scan_expr="across_seg_boundary ? b : (a + b)", neutral="0",
        is_segment_start_expr="flags[i]", output_statement="out[i] = item",
    )  # fmt: skip

    def peer():
        out = cla.empty_like(x)
        kernel(x, heads, out)
        return out

    sums = np.cumsum(host, dtype=np.int64)
    begin = np.maximum.accumulate(np.where(flags, np.arange(n), 0))
    return lambda: ctx.scan(x, flags=heads), peer, (sums - sums[begin] + host[begin]).astype(np.int32)


@row
def copy_if(ctx, n):
    host, x = integers(ctx, n)

    def peer():
        out, count, _ = algorithm.copy_if(x, "ary[i] > limit", [("limit", np.int32(300))])
        return out[: int(count.get())]

    def ours():
        out = ctx.select(x, "x > limit", args={"limit": 300})
        len(out)
        return out

    return ours, peer, host[host > 300]


@row
def partition(ctx, n):
    host, x = integers(ctx, n)

    def peer():
        out, _, count, _ = algorithm.partition(x, "ary[i] > limit", [("limit", np.int32(300))])
        return out[: int(count.get())]

    def ours():
        out = ctx.partition(x, "x > limit", args={"limit": 300})[0]
        len(out)
        return out

    return ours, peer, host[host > 300]


@row
def unique(ctx, n):
    host, _ = integers(ctx, n)
    host.sort()
    x = cla.to_device(ctx.queue, host)

    def peer():
        out, count, _ = algorithm.unique(x)
        return out[: int(count.get())]

    def ours():
        out = ctx.unique(x)
        len(out)
        return out

    return ours, peer, np.unique(host)


@row
def radix_sort(ctx, n):
    host = np.random.default_rng(9).integers(0, 2**31, n).astype(np.int32)
    x = cla.to_device(ctx.queue, host)
    sort = algorithm.RadixSort(
        ctx.cl_context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"], scan_kernel=GenericScanKernel
    )
    return lambda: ctx.sort(x), lambda: sort(x, key_bits=32)[0][0], np.sort(host)


@row
def radix_sort_16_bits(ctx, n):
    host = np.random.default_rng(9).integers(0, 2**16, n).astype(np.int32)
    x = cla.to_device(ctx.queue, host)
    sort = algorithm.RadixSort(
        ctx.cl_context, "int *ary", key_expr="ary[i]", sort_arg_names=["ary"], scan_kernel=GenericScanKernel
    )
    return lambda: ctx.sort(x, bits=(0, 16)), lambda: sort(x, key_bits=16)[0][0], np.sort(host)


@row
def bitonic_sort(ctx, n):
    host = np.random.default_rng(9).random(n).astype(np.float32)
    x = cla.to_device(ctx.queue, host)
    sort = BitonicSort(ctx.cl_context)
    return lambda: ctx.sort(x), lambda: sort(x.copy())[0], np.sort(host)


@row
def bitonic_argsort(ctx, n):
    host = np.random.default_rng(9).permutation(n).astype(np.int32)
    x = cla.to_device(ctx.queue, host)
    sort = BitonicSort(ctx.cl_context)

    def peer():
        indices = cla.arange(ctx.queue, n, dtype=np.int32)
        sort(x.copy(), idx=indices)
        return indices

    return lambda: ctx.argsort(x), peer, np.argsort(host)


@row
def key_value_sorter(ctx, n):
    """The lists of values by key, and where each begins."""
    keys = np.random.default_rng(10).integers(0, 1000, n).astype(np.int32)
    values = np.arange(n, dtype=np.int32)
    k, v = cla.to_device(ctx.queue, keys), cla.to_device(ctx.queue, values)
    sort = algorithm.KeyValueSorter(ctx.cl_context)

    def ours():
        ordered, lists = ctx.sort(k, v)
        ctx.search(ordered, 1001, needle_map="i")
        return lists

    return ours, lambda: sort(ctx.queue, k, v, 1000, starts_dtype=np.int32)[1], np.argsort(keys, kind="stable")


@row
def take(ctx, n):
    host, x = integers(ctx, n)
    order = np.random.default_rng(11).permutation(n).astype(np.uint32)
    places = cla.to_device(ctx.queue, order)
    return lambda: ctx.gather(x, places), lambda: cla.take(x, places), host[order]


@row
def random_uniform(ctx, n):
    generator = clrandom.PhiloxGenerator(ctx.cl_context, seed=15)
    return lambda: ctx.random(n, seed=15), lambda: generator.uniform(ctx.queue, n, np.float32), (0.5, 12**-0.5)


@row
def random_normal(ctx, n):
    generator = clrandom.PhiloxGenerator(ctx.cl_context, seed=15)
    return (
        lambda: ctx.random(n, kind="normal", seed=15),
        lambda: generator.normal(ctx.queue, n, np.float32),
        (0.0, 1.0),
    )


def wrong(found, expected):
    found = found.get() if hasattr(found, "get") else np.asarray(found)
    if isinstance(expected, tuple):  # mean and deviation
        return abs(found.mean() - expected[0]) > 0.01 or abs(found.std() - expected[1]) > 0.01
    if np.ndim(expected) == 0:
        return abs(found - expected) > 1e-4 * abs(expected)
    return not np.array_equal(found, expected)


def best(ctx, call, repeats):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        call()
        ctx.finish()
        times.append(time.perf_counter() - begin)
    return 1e3 * min(times)


def power(text):
    base, _, exponent = text.partition("^")
    return int(base) ** int(exponent or 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--n", type=power, default=2**20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    with gpuprim.Context() as ctx:
        print(f"{ctx.device.name}, {ctx.device.platform}, n = {options.n}, ms, best of {options.repeats}\n")
        print("| | gpuprim | PyOpenCL | times as fast |\n| --- | --- | --- | --- |")
        for name in options.names or ROWS:
            ours, peer, expected = ROWS[name](ctx, options.n)
            for who, call in (("gpuprim", ours), ("PyOpenCL", peer)):
                if wrong(call(), expected):
                    raise SystemExit(f"{name}: {who} is wrong")
            a, b = best(ctx, ours, options.repeats), best(ctx, peer, options.repeats)
            print(f"| {name} | {a:.3g} | {b:.3g} | {b / a:.3g} |", flush=True)


if __name__ == "__main__":
    main()
