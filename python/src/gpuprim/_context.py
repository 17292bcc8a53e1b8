"""What all calls of a context stand on: arrays on it, and what is known about it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._array import Array, as_array, can_share, check_shape, dimensions, empty, from_host, share_host
from ._call import Call, Done, scratch_function
from ._convert import as_host, check_plain, exact
from ._errors import text_of
from ._native import callback, ffi
from ._session import Session
from ._types import STRATEGIES, Monoid, element_dtype, index_type_of


@dataclass(frozen=True)
class SelfTestCase:
    """One run of a primitive in `Context.self_test`; `code` is 0 where its result was right."""

    name: str
    strategy: str
    code: int
    text: str


class Base(Session):
    """Arrays of a context, and what its calls need."""

    # ---- arrays

    def empty(self, shape: Union[int, Sequence[int]], dtype: npt.DTypeLike = np.float32) -> Array:
        """An array of any values.

        Parameters
        ----------
        shape : int or sequence of int
        dtype : dtype
        """
        return empty(self, dimensions(shape), np.dtype(dtype).newbyteorder("="))

    def array(self, x: Any, dtype: Optional[npt.DTypeLike] = None) -> Array:
        """A copy of a NumPy array, a list, a PyOpenCL array or anything with ``__dlpack__`` on the device.

        Parameters
        ----------
        x : array_like
        dtype : dtype, optional
            What elements are converted to on the host. Floats are rounded to floats; other elements must not change.
        """
        if isinstance(x, Array) or hasattr(x, "base_data"):
            device = self._in(x)
            if dtype is not None and np.dtype(dtype) != device.dtype:
                raise TypeError(f"elements on the device stay {device.dtype}; transform converts them")
            return device.copy()
        return from_host(self, as_host(x) if dtype is None else exact(x, np.dtype(dtype), "x", rounded=True))

    def from_dlpack(self, x: Any, *, copy: Optional[bool] = None) -> Array:
        """An array of what ``x.__dlpack__`` gives, which must be memory of the host.

        Parameters
        ----------
        x : object with ``__dlpack__``
        copy : bool, optional
            By default memory is shared on CPU devices where it can be, and copied else. False shares it on all, True
            copies it. A shared array is an input only: a call that would write it is refused.
        """
        host = as_host(x)
        fits = can_share(host)
        if copy is None:
            copy = not self.device.is_cpu or not fits
        if copy or host.nbytes == 0:
            return from_host(self, host)
        if not fits:
            raise ValueError("memory that is not C-contiguous, aligned and native can be copied only: copy=True")
        return share_host(self, host)

    def _in(self, x: Any, name: str = "x") -> Array:
        """Any input as an array on the device."""
        return as_array(self, x, name)

    def _indices(self, x: Any, name: str = "indices") -> Array:
        """Indices or offsets; those on the host may have any integer type."""
        if not isinstance(x, Array) and not hasattr(x, "base_data"):
            x = as_host(x, name)
            if x.size == 0 and x.dtype.kind == "f":  # as of []
                x = x.astype(np.int64)
            if x.dtype.kind in "iu" and x.dtype.itemsize < 4:
                x = x.astype(np.int32 if x.dtype.kind == "i" else np.uint32)
        array = self._line(x, name)
        index_type_of(array.dtype)
        return array

    def _line(self, x: Any, name: str = "x") -> Array:
        """The same with one dimension."""
        array = self._in(x, name)
        if array.ndim != 1:
            raise ValueError(f"{name} has {array.ndim} dimensions instead of 1")
        return array

    def _matrix(self, x: Any, axis: Any, name: str = "x", columns: bool = False) -> Array:
        """The same with two dimensions, of which `axis` is the last, or, with `columns`, any."""
        array = self._in(x, name)
        if array.ndim != 2:
            raise ValueError(f"{name} has {array.ndim} dimensions instead of 2, with axis={axis!r}")
        if isinstance(axis, bool) or axis not in ((0, 1, -1, -2) if columns else (1, -1)):
            wanted = "0 or 1: the columns or the rows" if columns else "1: the rows"
            raise ValueError(f"axis is {axis!r} instead of {wanted} of a matrix")
        return array

    def _heads(self, x: Any, name: str, dtype: npt.DTypeLike = np.bool_) -> Array:
        """Flags, or keys as a wider dtype, with one dimension; halves are compared as the numbers that they are, not by bits."""
        array = self._line(x, name)
        if array.dtype == np.float16:
            array = self.transform(array, "x", dtype=dtype)  # type: ignore[attr-defined]
        return array

    def _like(self, x: Array, dtype: npt.DTypeLike) -> Array:
        """A new array for as many elements as x has."""
        number = x._count  # before the shape, which another thread may make exact meanwhile
        out = empty(self, x._shape, np.dtype(dtype))
        out._count = number
        return out

    def _same(self, x: Array, y: Array, names: str) -> None:
        """Checks that two arrays have the same length."""
        if x._count is None or x._count is not y._count:
            if x.size != y.size:
                raise ValueError(f"{names} differ in length: {x.size} and {y.size}")

    def _out(self, out: Any, shape: tuple[int, ...], dtype: np.dtype[Any], like: Optional[Array] = None) -> Array:
        """Where a call writes: `out` of the caller's, or a new array."""
        if out is None:
            return empty(self, shape, dtype) if like is None else self._like(like, dtype)
        if isinstance(out, np.ndarray):
            check_plain(out, "out")
            array = self._in(out) if out.flags.c_contiguous and out.flags.writeable else None
        else:
            array = self._in(out) if isinstance(out, Array) or hasattr(out, "base_data") else None
        if array is None:
            raise TypeError("out is an array on the device, or a writeable contiguous one of NumPy")
        if array.dtype != dtype or array.size != math.prod(shape):
            raise ValueError(f"out has {array.size} {array.dtype}, and the result {shape} {dtype}")
        check_shape(array.shape, shape)
        return array

    def _give(self, out: Any, result: Array) -> Any:
        """What a call returns: `out` if there is one."""
        if out is None:
            return result
        if isinstance(out, np.ndarray):
            result.get(out)
        return out

    # ---- what calls need

    def scratch_size(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> int:
        """Bytes of scratch on the device that a call needs. The call is not made.

        Examples
        --------
        >>> ctx.scratch_size(ctx.sort, x)  # doctest: +SKIP
        """

        def measure(call: Call, name: str, handles: tuple[Any, ...]) -> None:
            size = ffi.new("size_t *", 0)
            function = scratch_function(name)
            if function is not None:
                self._call(function, *handles, call.desc, size)
            raise Done(int(size[0]))

        return int(self._instead_of(measure, method, args, kwargs))

    def warmup(self, method: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Builds the program of a call, so that the call itself need not. Arrays may be short: their dtypes count.

        A method of a `HashTable` builds those of all methods but `for_each`; the table stays as it is.

        Examples
        --------
        >>> ctx.warmup(ctx.scan, np.zeros(1, np.float32), op="max")  # doctest: +SKIP
        """
        names = {"argsort": "sort", "segmented_argsort": "segmented_sort", "unique_by_key": "unique", "hash_create": "hash"}

        def warm_up(call: Call, name: str, handles: tuple[Any, ...]) -> None:
            name = name[len("gp_") :]
            name = name[: -len("_read")] if name.endswith("_read") else name
            desc = ffi.new("gp_warmup_desc *")
            if call.creation is not None and name != "hash_for_each":
                call, name = call.creation, "hash"
            if not hasattr(desc, names.get(name, name)):
                raise TypeError(f"{method.__name__} cannot be warmed up: its programs are built by the call itself")
            setattr(desc, names.get(name, name), call.desc)
            self._call("gp_warmup", desc)
            raise Done(None)

        self._instead_of(warm_up, method, args, kwargs)

    def _instead_of(self, action: Any, method: Any, args: Any, kwargs: Any) -> Any:
        self._check_usable()
        of = getattr(method, "__self__", self)
        if getattr(of, "context", of) is not self:
            raise TypeError(f"{method.__name__} is a method of another context, or of an object there")
        self._instead = action
        try:
            method(*args, **kwargs)
        except Done as done:
            return done.value
        finally:
            self._instead = None
        raise TypeError(f"{method.__name__} makes no call that could be measured")

    def export_programs(self) -> bytes:
        """The programs that this context has built, for `import_programs` on the same device and driver. Blocks."""
        pieces: list[bytes] = []

        @callback("gp_write")  # type: ignore[untyped-decorator]
        def write(piece: Any, size: int, user: Any) -> None:
            pieces.append(bytes(ffi.buffer(piece, size)))

        self._call("gp_programs_export", write, ffi.NULL)
        return b"".join(pieces)

    def import_programs(self, data: bytes) -> None:
        """Takes what `export_programs` gave, so that calls load programs instead of building them.

        Parameters
        ----------
        data : bytes
            From a source that you trust: a driver runs what it is given. `ArgumentError` if it is damaged; programs for another
            device or driver are not used.
        """
        saved = ffi.from_buffer(data)
        self._call("gp_programs_import", saved, len(saved))

    # ---- statistics, tests

    def stats(self) -> dict[str, int]:
        """Counters since the context was made or last reset: programs built, launches, skipped and more. Blocks."""
        stats = ffi.new("gp_stats *")
        self._call("gp_stats_read", stats)
        return {name: getattr(stats, name) for name, _ in ffi.typeof("gp_stats").fields}

    def kernel_times(self) -> dict[str, dict[str, int]]:
        """By kernel: launches, total_ns, min_ns, max_ns. Empty without ``Context(profile=True)``. Blocks."""
        count = ffi.new("size_t *")
        self._call("gp_stats_kernels", ffi.NULL, 0, count)
        times = ffi.new("gp_kernel_times[]", max(count[0], 1))
        self._call("gp_stats_kernels", times, count[0], count)
        fields = ("launches", "total_ns", "min_ns", "max_ns")
        return {text_of(t.name): {field: getattr(t, field) for field in fields} for t in times[0 : count[0]]}

    def reset_stats(self) -> None:
        """Sets counters and kernel times to zero. Blocks."""
        self._call("gp_stats_reset")

    def self_test(self, filter: Optional[str] = None, count: int = 0) -> list[SelfTestCase]:
        """Does this device compute right results? Runs every primitive and compares with loops on the host. Blocks.

        Parameters
        ----------
        filter : str, optional
            Only cases whose name has this in it.
        count : int
            Elements of each input; 0: 200003.

        Returns
        -------
        list of SelfTestCase
            A wrong result is in its case, and raises nothing.
        """
        cases: list[SelfTestCase] = []
        strategies = {value: name for name, value in STRATEGIES.items()}

        @callback("void(gp_self_test_case *, void *)")  # type: ignore[untyped-decorator]
        def report(case: Any, user: Any) -> None:
            strategy = strategies[case.strategy]
            cases.append(SelfTestCase(text_of(case.name), strategy, case.result, text_of(case.text)))

        call = Call(self, "self_test")
        call.text("filter", filter)
        call.set(count=count, report=report)
        try:
            call.run("gp_self_test")
        except Exception:
            if not any(case.code for case in cases):
                raise
        return cases

    def check_monoid(
        self,
        monoid: Monoid,
        samples: Optional[Any] = None,
        *,
        equal: Optional[str] = None,
        args: Optional[Mapping[str, Any]] = None,
        tolerance: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Looks for elements that violate the monoid laws, and raises `LawError` that names them. Blocks.

        Parameters
        ----------
        monoid : Monoid
        samples : array_like, optional
            Elements as they occur in your data; made up by default.
        equal : str, optional
            Expression in x and y: are they equal?
        args : dict, optional
            What `equal`, and combine where it takes them, name.
        tolerance : float
            How close floats must be, as a fraction; 0: 1e-4.
        seed : int
        """
        call = Call(self, "check_monoid")
        call.set(monoid=call.monoid(monoid), tolerance=tolerance, seed=seed)
        if samples is not None:
            host = call.keep(np.ascontiguousarray(exact(samples, element_dtype(monoid.dtype), "samples")))
            call.set(samples=ffi.cast("void *", host.ctypes.data), sample_count=host.size)
        call.expression("equal", equal)
        call.args(args, None)
        call.run("gp_check_monoid")
