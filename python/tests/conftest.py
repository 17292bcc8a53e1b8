import os

import numpy as np
import pytest

import gpuprim

# As for the tests in C: PoCL where it is installed, and no disk cache.
if any("Portable" in device.platform for device in gpuprim.devices()):
    os.environ.setdefault("GPUPRIM_DEVICE", "Portable")
os.environ.setdefault("GPUPRIM_CACHE", "off")

#: No elements, one, around a tile of 256 KiB of 32-bit elements, a prime, and several tiles.
SIZES = [0, 1, 65535, 65536, 65537, 99991, 2**20 + 123]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
FLOATS = ["float16", "float32", "float64"]


@pytest.fixture(scope="session")
def ctx():
    with gpuprim.Context() as context:
        yield context


@pytest.fixture
def own(ctx):
    """A context on a queue of PyOpenCL's."""
    cl = pytest.importorskip("pyopencl")
    context = cl.Context([cl.Device.from_int_ptr(ctx.device.int_ptr)])
    with gpuprim.Context(queue=cl.CommandQueue(context)) as own:
        yield own


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def numbers(rng, n, dtype):
    """Small numbers, of which sums are exact in any float but of 16 bits."""
    dtype = np.dtype(dtype)
    low = 0 if dtype.kind == "u" else -100
    return rng.integers(low, 100, n).astype(dtype)
