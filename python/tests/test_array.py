import gc
import weakref

import numpy as np
import pytest

import gpuprim


@pytest.mark.parametrize("shape", [(0,), (1,), (7, 5), (2, 0, 3)])
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "complex128", "V16", [("a", "u1"), ("b", "f8")]])
def test_there_and_back(ctx, shape, dtype):
    host = np.zeros(shape, dtype)
    if host.size:
        host.view(np.uint8 if host.dtype != bool else bool).reshape(-1)[:3] = 1
    array = ctx.array(host)
    assert (array.shape, array.dtype, array.size, array.nbytes) == (host.shape, host.dtype, host.size, host.nbytes)
    assert array.get().tobytes() == host.tobytes() == np.asarray(array).tobytes() == array.map().tobytes()


def test_hosts(ctx):
    assert ctx.array([1, 2, 3]).dtype == np.int64
    assert ctx.array([1, 2], np.float32).get().tolist() == [1, 2]
    big_endian = np.array([1, 2, 3], ">u4")
    assert ctx.reduce(big_endian) == 6 and ctx.array(big_endian[::2]).get().tolist() == [1, 3]
    assert ctx.reduce(b"\1\2") == 3
    assert ctx.array(np.arange(6).reshape(2, 3).T).get().tolist() == [[0, 3], [1, 4], [2, 5]]
    for bad in (["a"], [None], np.zeros(2, "M8[s]"), {}):
        with pytest.raises(TypeError):
            ctx.scan(bad)
    with pytest.raises(TypeError):
        ctx.empty(3, object)
    with pytest.raises(ValueError):
        ctx.empty(-1)


def test_views(ctx):
    array = ctx.iota(100, dtype=np.int32)
    middle = array[10:20]
    assert middle.get().tolist() == list(range(10, 20)) and middle[-1] == 19 and len(array[50:10]) == 0
    assert ctx.reduce(middle) == sum(range(10, 20))
    assert ctx.scan(middle, out=array[30:40]).size == 10 and array[39] == sum(range(10, 20))
    assert array.view(np.uint32).dtype == np.uint32 and array.reshape(10, 10).shape == (10, 10)
    copy = array.copy()
    copy.set(np.zeros(100))
    assert copy.get().sum() == 0 and array[1] == 1
    for bad in (slice(0, 9, 2), 100, -101):
        with pytest.raises(IndexError):
            array[bad]
    with pytest.raises(TypeError, match="differ in size"):
        array.view(np.int64)
    with pytest.raises(ValueError, match="do not fit"):
        array.set([1])
    with pytest.raises(ValueError, match="contiguous array of 100 int32"):
        array.get(np.zeros(100))
    with pytest.raises(ValueError, match="map"):
        array.__array__(copy=False)


def test_no_hidden_copies(ctx):
    with pytest.raises(TypeError):
        np.zeros(3) + ctx.empty(3)


def test_map(ctx):
    array = ctx.iota(10, dtype=np.float32)
    host = array.map()
    host[0] = 42
    del host
    gc.collect()
    assert array[0] == 42


def test_dlpack(ctx):
    array = ctx.iota(1000, dtype=np.int16)
    host = np.from_dlpack(array)
    assert host.tolist() == list(range(1000)) and array.__dlpack_device__() == (1, 0)
    memory = weakref.ref(array._buffer)
    del array
    gc.collect()
    assert memory() is None and host[999] == 999  # the mapping holds the memory, not the array
    with pytest.raises(BufferError, match="records"):
        np.from_dlpack(ctx.array(np.zeros(3, [("a", "i4")])))


class Exported:
    """An array of another library, as DLPack shows it."""

    def __init__(self, array, kind=1):
        self.array, self.kind = array, kind

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__(**kwargs)

    def __dlpack_device__(self):
        return self.kind, 0


def test_from_dlpack(ctx):
    host = np.arange(1000, dtype=np.float32)
    assert ctx.reduce(Exported(host)) == host.sum()
    shared = ctx.from_dlpack(Exported(host), copy=False)
    copied = ctx.from_dlpack(Exported(host), copy=True)
    host[0] = 7
    assert ctx.reduce(shared) == host.sum() == ctx.reduce(copied) + 7
    with pytest.raises(gpuprim.ArgumentError):
        ctx.sort(shared, inplace=True)
    assert ctx.sort(copied, inplace=True) is copied
    with pytest.raises(TypeError, match="kDLOpenCL"):
        ctx.reduce(Exported(host, 4))
    with pytest.raises(TypeError, match="no memory of the host"):
        ctx.reduce(Exported(host, 2))
    with pytest.raises(ValueError, match="copy=True"):
        ctx.from_dlpack(host[::2], copy=False)


def test_shapes_of_outputs(ctx):
    """A picture is not written into one of another shape, in which its elements would be elsewhere; a line has any."""
    x = np.arange(6, dtype="f4").reshape(2, 3)
    for call in (
        lambda out: ctx.transform(x, "x", out=out), lambda out: ctx.stencil(x, map="x", radius=1, out=out),
        lambda out: ctx.array(x).get(out), lambda out: ctx.transform(x, "x", out=out.astype(">f4")),
        lambda out: ctx.transform(x, "x", out=ctx.array(out)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r"\(3, 2\)"):
            call(np.zeros((3, 2), "f4"))
    for shape in ((2, 3), (6,)):
        out = np.zeros(shape, "f4")
        assert ctx.transform(x, "x", out=out) is out and out.tobytes() == x.tobytes()
        assert ctx.array(x).get(np.zeros(shape, "f4")).tobytes() == x.tobytes()
    assert ctx.scan(x.reshape(-1), out=np.zeros((3, 2), "f4"))[2, 1] == 15
