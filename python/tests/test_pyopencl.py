import numpy as np
import pytest

import gpuprim

cl = pytest.importorskip("pyopencl")
cl_array = pytest.importorskip("pyopencl.array")


def test_arrays(own, rng):
    host = rng.integers(0, 1000, 5000).astype(np.int32)
    x = cl_array.to_device(own.queue, host)
    assert own.reduce(x) == host.sum()
    np.testing.assert_array_equal(own.sort(x[100:200]).get(), np.sort(host[100:200]))
    out = cl_array.empty_like(x)
    assert own.scan(x, out=out) is out
    np.testing.assert_array_equal(out.get(), np.cumsum(host, dtype=np.int32))
    np.testing.assert_array_equal(own.select(x, "x > 500").to_pyopencl().get(), host[host > 500])
    assert own.sort(x, inplace=True) is x
    np.testing.assert_array_equal((x + 1).get(), np.sort(host) + 1)
    np.testing.assert_array_equal(own.segmented_sort(out, [0, 10]).get()[10:], out.get()[10:])


def test_objects(ctx):
    with gpuprim.Context(cl.Device.from_int_ptr(ctx.device.int_ptr)) as own:
        assert own.queue.device == own.cl_device and own.cl_context == own.queue.context
        with gpuprim.Context(cl_context=own.cl_context) as other:
            x = own.iota(10)
            own.finish()
            assert other.reduce(x) == 45


def test_kernel_on_a_table(own):
    table = own.hash_table(np.uint32, np.uint32)
    source = own.device_source(table=table) + """
        __kernel void put(__global uint *memory)
        {
            gp_hash_table table = gp_hash_open(memory);
            gp_hash_insert(table, get_global_id(0), 7);
        }
    """
    kernel = cl.Program(own.cl_context, source).build("-cl-std=CL1.2").put
    kernel(own.queue, (100,), None, cl.MemoryObject.from_int_ptr(table.int_ptr))
    assert len(table) == 100 and table.find([99])[0] == 7


def test_kernel_of_groups(own):
    source = own.device_source(ops={"add": ("sum", np.uint32)}) + """
        __kernel void sum(__global uint *x, __local uint *memory)
        {
            x[get_global_id(0)] = gp_group_add_reduce(x[get_global_id(0)], memory);
        }
    """
    kernel = cl.Program(own.cl_context, source).build("-cl-std=CL1.2").sum
    x = cl_array.arange(own.queue, 64, dtype=np.uint32)
    kernel(own.queue, (64,), (16,), x.data, cl.LocalMemory(4 * 2 * 16))
    np.testing.assert_array_equal(x.get(), np.arange(64).reshape(4, 16).sum(1).repeat(16))


def test_bad_arrays(ctx, own):
    x = cl_array.zeros(own.queue, (4, 4), np.float32)
    with pytest.raises(ValueError, match="another queue"):
        ctx.reduce(x)
    with pytest.raises(gpuprim.ArgumentError, match="context"):
        ctx.scan(cl_array.zeros(own.queue, 4, np.float32).with_queue(None))
    with pytest.raises(ValueError, match="C-contiguous"):
        own.transform(x.T[1:], "x")
