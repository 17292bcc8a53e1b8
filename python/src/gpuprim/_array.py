"""Arrays on the device."""

from __future__ import annotations

import math
import operator
import os
import weakref
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from ._convert import as_host, check_plain, exact
from ._errors import check_opencl
from ._native import ffi, lib
from ._session import Buffer, Session
from ._types import vector

_MAP_READ, _MAP_WRITE = 1, 2
_READ_ONLY, _USE_HOST_PTR = 4, 8
_HOST_PTR = 0x1103  # CL_MEM_HOST_PTR
_KDL_CPU = 1


def _unmap(process: int, queue: Any, mem: Any, pointer: Any, owner: Any) -> None:
    if os.getpid() == process:
        lib.clEnqueueUnmapMemObject(queue, mem, pointer, 0, ffi.NULL, ffi.NULL)
        lib.clFinish(queue)
        lib.clReleaseMemObject(mem)
        lib.clReleaseCommandQueue(queue)


class _Mapping:
    """Mapped memory, as NumPy's array interface wants it."""

    def __init__(self, interface: dict[str, Any]) -> None:
        self.__array_interface__ = interface


class Array:
    """Elements on the device: a buffer, a dtype and a shape.

    Calls return arrays and take them, without copies. Make one by `Context.array` or `Context.empty`.

    The length of a result of `select`, `unique` and the like is known on the device only. Calls that are given such
    an array read it there, and the host does not wait; `len`, `shape`, `get` and slices wait and bring it to the host.
    """

    __slots__ = ("context", "dtype", "_buffer", "_offset", "_shape", "_count", "__weakref__")

    #: NumPy leaves operators to this class, which has none, so that no copy is made unseen.
    __array_ufunc__ = None

    def __init__(
        self,
        context: Session,
        buffer: Buffer,
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        offset: int = 0,
        count: Optional[Array] = None,
    ) -> None:
        self.context = context
        self.dtype = dtype
        self._buffer = buffer
        self._offset = offset  # in elements
        self._shape = shape
        self._count = count  # the length, on the device; _shape is then its bound

    def _resolve(self) -> None:
        count = self._count
        if count is not None:
            number = int(count.get()[0])
            self._shape = (min(number, self._shape[0]),)
            self._count = None

    @property
    def shape(self) -> tuple[int, ...]:
        self._resolve()
        return self._shape

    @property
    def capacity(self) -> int:
        """The bound of the length; the length itself where that is known."""
        return math.prod(self._shape)

    @property
    def size(self) -> int:
        self._resolve()
        return self.capacity

    @property
    def ndim(self) -> int:
        return len(self._shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __reduce__(self) -> Any:
        raise TypeError("an array on the device cannot be pickled; get() is NumPy's")

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy()

    def __repr__(self) -> str:
        length = f"at most {self._shape[0]}" if self._count is not None else "x".join(map(str, self._shape))
        return f"<gpuprim.Array of {length} {self.dtype}>"

    # ---- to the host

    def get(self, out: Optional[npt.NDArray[Any]] = None) -> npt.NDArray[Any]:
        """Copies the elements to the host. Blocks.

        Parameters
        ----------
        out : ndarray, optional
            Where to; C-contiguous, of the same dtype and size. Of two shapes with several dimensions both are the same.
        """
        shape = self.shape
        if out is not None:
            check_shape(check_plain(out, "out").shape, shape)
        if out is None:
            out = np.empty(shape, self.dtype)
        elif out.dtype != self.dtype and out.dtype.newbyteorder("=") == self.dtype:
            native = np.empty(out.shape, self.dtype)
            self.get(native)
            out[...] = native
            return out
        elif out.dtype != self.dtype or out.size != self.size or not out.flags.c_contiguous or not out.flags.writeable:
            raise ValueError(f"out is not a writeable contiguous array of {self.size} {self.dtype}")
        self.context.finish()
        if self.nbytes:
            item = self.dtype.itemsize
            data = ffi.cast("void *", out.ctypes.data)
            with self.context._enqueuing() as queue:
                result = lib.clEnqueueReadBuffer(
                    queue, self._buffer.mem, 1, self._offset * item, self.nbytes, data, 0, ffi.NULL, ffi.NULL
                )
            check_opencl("clEnqueueReadBuffer", result)
        return out

    numpy = get

    def set(self, values: npt.ArrayLike) -> None:
        """Copies values from the host into the array. Blocks."""
        if self._buffer.read_only:
            raise ValueError("the array is shared with the host, as an input only")
        host = np.asarray(exact(values, self.dtype, "values"), order="C")
        if host.shape != self.shape:
            raise ValueError(f"values of shape {host.shape} do not fit an array of shape {self.shape}")
        self.context._check_usable()
        if self.nbytes:
            item = self.dtype.itemsize
            data = ffi.cast("void *", host.ctypes.data)
            with self.context._enqueuing() as queue:
                result = lib.clEnqueueWriteBuffer(
                    queue, self._buffer.mem, 1, self._offset * item, self.nbytes, data, 0, ffi.NULL, ffi.NULL
                )
            check_opencl("clEnqueueWriteBuffer", result)

    def map(self) -> npt.NDArray[Any]:
        """The elements as a NumPy array in mapped memory: on CPU devices the buffer itself, without a copy. Blocks.

        The array may be written. As long as it lives, no call may use this one's buffer.
        """
        shape = self.shape
        self.context.finish()
        if not self.nbytes:
            return np.empty(shape, self.dtype)
        item, mem = self.dtype.itemsize, self._buffer.mem
        flags = _MAP_READ if self._buffer.read_only else _MAP_READ | _MAP_WRITE
        error = ffi.new("cl_int *")
        with self.context._enqueuing() as queue:
            pointer = lib.clEnqueueMapBuffer(
                queue, mem, 1, flags, self._offset * item, self.nbytes, 0, ffi.NULL, ffi.NULL, error
            )
            check_opencl("clEnqueueMapBuffer", error[0])
            lib.clRetainMemObject(mem)
            lib.clRetainCommandQueue(queue)
        address = int(ffi.cast("uintptr_t", pointer))
        interface = {"version": 3, "shape": (self.nbytes,), "typestr": "|u1", "data": (address, self._buffer.read_only)}
        mapping = _Mapping(interface)
        finalizer = weakref.finalize(mapping, _unmap, os.getpid(), queue, mem, pointer, self._buffer.owner)
        finalizer.atexit = False  # other code may use the memory until the very end
        return np.asarray(mapping).view(self.dtype).reshape(shape)

    def __eq__(self, other: Any) -> Any:
        raise TypeError("arrays on the device have no operators: compare them in an expression of transform, or get()")

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise ValueError("an array on the device has no truth value: reduce it, or take len()")

    def __iter__(self) -> Any:
        if self.ndim != 1:
            raise TypeError(f"an array on the device with {self.ndim} dimensions cannot be iterated over: get() it")
        return iter(self.get())

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("elements on the device are copied to the host; map() makes no copy")
        host = self.get()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __dlpack__(self, **kwargs: Any) -> Any:
        """A DLPack capsule of `map()`: memory of the host, on CPU devices without a copy."""
        if self.dtype.names:
            raise BufferError("DLPack has no records")
        kwargs.pop("stream", None)
        return self.map().__dlpack__(**kwargs)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _KDL_CPU, 0

    # ---- other arrays of the same elements

    def __getitem__(self, index: Union[int, slice]) -> Any:
        if self.ndim != 1:
            raise IndexError("only arrays with one dimension have an index: reshape(-1), or get()")
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise IndexError("slices have step 1")
            return Array(self.context, self._buffer, self.dtype, (max(stop - start, 0),), self._offset + start)
        try:
            at = operator.index(index)
            if isinstance(index, (bool, np.bool_)):
                raise TypeError
        except TypeError:
            raise TypeError(
                f"{type(index).__name__} is no index: numbers and slices are; select takes flags, and gather indices"
            ) from None
        n = len(self)
        at = at + n if at < 0 else at
        if not 0 <= at < n:
            raise IndexError(f"{index} is no index of an array of shape {self.shape}")
        return self[at : at + 1].get()[0]

    def view(self, dtype: npt.DTypeLike) -> Array:
        """The same elements as another dtype of the same size."""
        dtype = on_device(np.dtype(dtype))
        if dtype.itemsize != self.dtype.itemsize:
            raise TypeError(f"{dtype} and {self.dtype} differ in size")
        if not _is_aligned(self._buffer.address, dtype):
            raise ValueError(f"the array is shared with the host, where it is not aligned for {dtype}: copy() it")
        number = self._count  # before the shape, which another thread may make exact meanwhile
        return Array(self.context, self._buffer, dtype, self._shape, self._offset, number)

    def reshape(self, *shape: Any) -> Array:
        """The same elements in another shape. One of its numbers may be -1, and follows from the others."""
        given = shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape
        shape = dimensions(given)
        rest = math.prod(n for n in shape if n != -1)
        if shape.count(-1) == 1 and rest > 0:
            shape = tuple(self.size // rest if n == -1 else n for n in shape)
        if any(n < 0 for n in shape) or math.prod(shape) != self.size:
            raise ValueError(f"{self.size} elements do not have the shape {tuple(given)}")
        return Array(self.context, self._buffer, self.dtype, shape, self._offset)

    def copy(self) -> Array:
        """A copy on the device."""
        out = empty(self.context, self.shape, self.dtype)
        if self.nbytes:
            item = self.dtype.itemsize
            with self.context._enqueuing() as queue:
                self.context._keep([self._buffer])
                result = lib.clEnqueueCopyBuffer(
                    queue, self._buffer.mem, out._buffer.mem, self._offset * item, 0, self.nbytes, 0, ffi.NULL, ffi.NULL
                )
                self.context._let_go()
            check_opencl("clEnqueueCopyBuffer", result)
        return out

    # ---- PyOpenCL

    @property
    def int_ptr(self) -> int:
        """The cl_mem as a number; it is not retained."""
        return int(ffi.cast("uintptr_t", self._buffer.mem))

    @property
    def offset(self) -> int:
        """Bytes of the buffer before the first element."""
        return self._offset * self.dtype.itemsize

    def to_pyopencl(self) -> Any:
        """The same elements as a ``pyopencl.array.Array`` on the context's queue."""
        import pyopencl as cl
        import pyopencl.array

        queue, data = self.context.queue, self._buffer.owner
        if self._buffer.read_only:
            raise ValueError("the array is shared with the host, whose memory PyOpenCL would not keep: copy() it")
        if data is None:
            data = cl.MemoryObject.from_int_ptr(self.int_ptr, retain=True)
        return cl.array.Array(queue, self.shape, self.dtype, data=data, offset=self.offset)


def check_shape(out: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Refuses an output in which elements would be at other places; a line may have any shape, and be any shape."""
    if len(out) > 1 and len(shape) > 1 and out != shape:
        raise ValueError(f"out has the shape {out}, and the result {shape}")


def dimensions(shape: Any) -> tuple[int, ...]:
    """The numbers of a shape, which may be a single one."""
    try:
        return (operator.index(shape),)
    except TypeError:
        pass
    try:
        return tuple(operator.index(n) for n in shape)
    except TypeError:
        raise TypeError(f"shape is {shape!r}: a whole number, or a sequence of them, is wanted") from None


def on_device(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """A dtype, unless its elements are more than bytes."""
    if dtype.hasobject or dtype.itemsize == 0 or dtype.subdtype or not dtype.isnative:
        raise TypeError(f"arrays of {dtype} cannot be on the device")
    return dtype


def empty(context: Session, shape: tuple[int, ...], dtype: np.dtype[Any], data: Any = ffi.NULL) -> Array:
    """A new array, filled from `data` if that is not NULL. Of no elements it has room for one, as OpenCL wants."""
    on_device(dtype)
    number = math.prod(shape)
    if any(n < 0 for n in shape) or number * dtype.itemsize > 1 << 62:
        raise ValueError(f"an array cannot have the shape {shape}")
    mem = ffi.new("cl_mem *")
    context._call("gp_buffer_create", max(number, 1) * dtype.itemsize, data if number else ffi.NULL, mem)
    return Array(context, Buffer(mem[0]), dtype, shape)


def from_host(context: Session, host: npt.NDArray[Any]) -> Array:
    """A copy of a NumPy array on the device."""
    if not host.dtype.isnative:
        host = host.astype(host.dtype.newbyteorder("="))
    shape = host.shape
    host = np.ascontiguousarray(host)
    return empty(context, shape, host.dtype, ffi.cast("void *", host.ctypes.data))


def can_share(host: npt.NDArray[Any]) -> bool:
    """Whether programs can read a NumPy array where it is."""
    return bool(host.flags.c_contiguous and host.dtype.isnative and _is_aligned(host.ctypes.data, host.dtype))


def _is_aligned(address: int, dtype: np.dtype[Any]) -> bool:
    """Tells whether memory is aligned for programs that compute its elements, or move them as numbers of up to 16 bytes."""
    size = dtype.itemsize
    alignment = size if vector(dtype) else max(dtype.alignment, min(size & -size, 16))
    return address % alignment == 0


def share_host(context: Session, host: npt.NDArray[Any]) -> Array:
    """A NumPy array's own memory as a read-only buffer."""
    on_device(host.dtype)
    context._check_usable()
    error = ffi.new("cl_int *")
    mem = lib.clCreateBuffer(
        context._cl_context, _READ_ONLY | _USE_HOST_PTR, host.nbytes, ffi.cast("void *", host.ctypes.data), error
    )
    check_opencl("clCreateBuffer", error[0])
    buffer = Buffer(mem, owner=host, read_only=True, address=host.ctypes.data)
    return Array(context, buffer, host.dtype, host.shape)


def from_pyopencl(context: Session, array: Any) -> Array:
    """A ``pyopencl.array.Array``'s own buffer."""
    context._check_usable()
    kind = type(array.base_data)
    own = any(base.__module__.partition(".")[0] == "pyopencl" for base in kind.__mro__)
    if not own or not hasattr(array.base_data, "int_ptr") or kind.__name__.startswith("SVM"):
        raise TypeError("of PyOpenCL's arrays those with a buffer can be used, not those in shared virtual memory")
    if not array.flags.c_contiguous:
        raise ValueError("a PyOpenCL array that is not C-contiguous cannot be used")
    if array.queue is not None and array.queue.int_ptr != int(ffi.cast("uintptr_t", context._queue)):
        raise ValueError(
            "the PyOpenCL array is of another queue: make the context with Context(queue=array.queue), or finish"
            " that queue and give array.with_queue(None)"
        )
    dtype = on_device(np.dtype(array.dtype))
    if array.offset % dtype.itemsize:
        raise ValueError(f"the PyOpenCL array begins at byte {array.offset}, no multiple of its elements' size")
    mem = ffi.cast("cl_mem", array.base_data.int_ptr)
    address = ffi.new("uintptr_t *")
    check_opencl("clGetMemObjectInfo", lib.clGetMemObjectInfo(mem, _HOST_PTR, ffi.sizeof("uintptr_t"), address, ffi.NULL))
    if not _is_aligned(address[0], dtype):
        raise ValueError(f"the PyOpenCL array is memory of the host that is not aligned for {dtype}: copy it")
    lib.clRetainMemObject(mem)
    buffer = Buffer(mem, owner=array.base_data, address=address[0])
    return Array(context, buffer, dtype, tuple(array.shape), array.offset // dtype.itemsize)


def as_array(context: Session, x: Any, name: str = "x") -> Array:
    """Any input as an array on the device."""
    if isinstance(x, Array):
        return x
    if hasattr(x, "base_data") and hasattr(x, "strides"):
        return from_pyopencl(context, x)
    host = as_host(x, name)
    if host.dtype.hasobject or host.dtype.kind not in "biufcV":
        raise TypeError(f"{name} has elements of type {host.dtype}, which cannot be on the device")
    return from_host(context, host)
