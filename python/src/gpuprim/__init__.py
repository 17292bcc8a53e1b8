"""GPU parallel primitives on any OpenCL device, from Python.

>>> import gpuprim, numpy as np
>>> ctx = gpuprim.Context()  # doctest: +SKIP
>>> ctx.scan(np.array([3, 1, 4, 1, 5])).get()  # doctest: +SKIP
array([ 3,  4,  8,  9, 14])
"""

from __future__ import annotations

from ._array import Array
from ._columns import JoinTable
from ._context import SelfTestCase
from ._errors import ArgumentError, BuildError, Error, LawError, OutOfMemoryError, UnsupportedError
from ._event import Event
from ._hash import HashResult, HashTable, HashTables
from ._map import Maps
from ._native import lib
from ._nest import Brackets, BracketsErrors, Nests, Tree
from ._session import Device, devices
from ._sketch import BloomFilter, HyperLogLog, Sketches
from ._types import Column, Monoid, record_type

_version = lib.gp_version()
__version__ = f"{_version // 10000}.{_version // 100 % 100}.{_version % 100}"


class Context(Sketches, HashTables, Maps, Nests):
    """A device and a queue, and all calls.

    A context belongs to the thread that made it; another thread makes one of its own, with ``Context(share=...)`` on
    the same OpenCL context. Calls are asynchronous unless they return numbers to the host.

    Inputs are `Array`, ``pyopencl.array.Array`` of the context's queue, or anything that NumPy or DLPack can read on
    the host, which is copied in. Results are `Array`; where a call has `out`, that may be any of these but lists.

    Parameters
    ----------
    device : str, Device or pyopencl.Device, optional
        A str is "gpu", "cpu", "accelerator", "P:D" (indices of platform and device), or part of a name. By default the
        environment's GPUPRIM_DEVICE, or the best device.
    queue : pyopencl.CommandQueue, optional
        To enqueue on, instead of a queue of its own.
    cl_context : pyopencl.Context, optional
        To make the queue in.
    share : Context, optional
        Takes its OpenCL context, device and built programs.
    strategy : {"auto", "single_pass", "multi_pass"}
        For calls that say "auto".
    cache_dir : str, optional
        Folder of built programs; `disk_cache`, `cache_limit` (bytes): whether there is one, and how large.
    program_limit : int
        Programs that are kept in memory; 0: 128.
    scratch_limit : int
        Bytes of scratch that a call may need; 0: no limit.
    dump_dir : str, optional
        Folder for programs' sources and binaries.
    build_options : str, optional
        Appended to the options of every program; `fast_math` gives up IEEE 754.
    profile : bool
        Collects `kernel_times`.
    check_monoids : bool
        Tests each monoid at its first call.
    tuning : dict, optional
        Fields of gp_tuning.
    tuning_file : str, optional
    """


__all__ = [
    "ArgumentError", "Array", "BloomFilter", "Brackets", "BracketsErrors", "BuildError", "Column", "Context", "Device", "Error", "Event",
    "HashResult", "HashTable", "HyperLogLog", "JoinTable", "LawError", "Monoid", "OutOfMemoryError", "SelfTestCase", "Tree", "UnsupportedError",
    "devices", "record_type",
]  # fmt: skip
