"""The context: one device, one queue; arrays on it; what is known about it."""

from __future__ import annotations

import atexit
import logging
import math
import os
import threading
import weakref
from collections import deque
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._array import Array, Buffer, check_shape, dimensions, empty, from_host, from_pyopencl, share_host, can_share
from ._call import Call, Done, scratch_function
from ._convert import as_host, check_plain, exact
from ._errors import check, check_opencl, text_of
from ._event import Event, handles, is_pyopencl
from ._native import callback, check_callable, check_process, ffi, lib, library, outside_calls
from ._types import OPS, STRATEGIES, Monoid, choice, element_dtype, index_type_of, type_of

if TYPE_CHECKING:
    from ._hash import HashTable

_log = logging.getLogger("gpuprim")
_log.addHandler(logging.NullHandler())
_LEVELS = {lib.GP_LOG_ERROR: logging.ERROR, lib.GP_LOG_WARNING: logging.WARNING, lib.GP_LOG_INFO: logging.INFO}


_BUILDING = "building a program of gp_"  # how the library's message begins, before it builds one
_PATIENCE = 1.0  # seconds


class Builds:
    """Logs whose programs are being built, once a call has waited for them for a second.

    A driver may build kernels at their first launch, long after the call: so what a context has built counts until
    its queue is known to be empty.
    """

    def __init__(self) -> None:
        self._names: list[str] = []  # of calls that have built programs
        self._logged: list[str] = []  # of these, in a message already
        self._waiting = False
        self._timer: Optional[threading.Timer] = None
        self._raised: Optional[BaseException] = None

    def add(self, name: str) -> None:
        if name not in self._names + self._logged:
            self._names.append(name)
        self._start()

    def call_begins(self) -> None:
        self._waiting = True
        self._start()

    def call_ends(self, queue_is_empty: bool) -> None:
        self._waiting = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if queue_is_empty:
            self._names, self._logged = [], []
        raised, self._raised = self._raised, None
        if raised is not None:
            raise raised

    def _start(self) -> None:
        if self._waiting and self._names and self._timer is None:
            timer = threading.Timer(_PATIENCE, self._tell)
            timer.daemon = True
            try:
                timer.start()
            except RuntimeError:  # no more threads: the call matters, and the message does not
                return
            self._timer = timer

    def _tell(self) -> None:
        names, self._names, self._timer = self._names, [], None
        self._logged += names
        try:
            if names:
                _log.info("building the programs of %s (first call of its kind; cached afterwards)", ", ".join(names))
        except BaseException as error:  # as of a callback: the call raises it
            self._raised = error


@callback("void(gp_log_level, const char *, void *)")  # type: ignore[untyped-decorator]
def _log_message(level: int, text: Any, user: Any) -> None:
    message = text_of(text)
    if not message.startswith(_BUILDING):
        _log.log(_LEVELS.get(level, logging.INFO), "%s", message)
        return
    _log.debug("%s", message)
    ffi.from_handle(user).add(message[len(_BUILDING) :].removesuffix("_read"))


@dataclass(frozen=True)
class Device:
    """What the library knows about a device."""

    name: str
    platform: str
    vendor: str
    version: str
    driver_version: str
    compute_units: int
    global_mem_size: int
    max_alloc_size: int
    local_mem_size: int
    max_work_group_size: int
    fp64: bool
    fp16: bool
    int64_atomics: bool
    is_cpu: bool
    #: The cl_device_id as a number.
    int_ptr: int


@dataclass(frozen=True)
class SelfTestCase:
    """One run of a primitive in `Context.self_test`; `code` is 0 where its result was right."""

    name: str
    strategy: str
    code: int
    text: str


def _device(info: Any) -> Device:
    return Device(
        name=text_of(info.name),
        platform=text_of(info.platform_name),
        vendor=text_of(info.vendor),
        version=text_of(info.version),
        driver_version=text_of(info.driver_version),
        compute_units=info.compute_units,
        global_mem_size=info.global_mem_size,
        max_alloc_size=info.max_alloc_size,
        local_mem_size=info.local_mem_size,
        max_work_group_size=info.max_work_group_size,
        fp64=info.fp64,
        fp16=info.fp16,
        int64_atomics=info.int64_base_atomics,
        is_cpu=bool(info.device_type & 2),  # CL_DEVICE_TYPE_CPU
        int_ptr=int(ffi.cast("uintptr_t", info.device)),
    )


def devices() -> list[Device]:
    """All OpenCL devices."""
    count = ffi.new("size_t *")
    with library():
        check(ffi.NULL, lib.gp_devices(ffi.NULL, 0, count))
        infos = ffi.new("gp_device_info[]", max(count[0], 1))
        check(ffi.NULL, lib.gp_devices(infos, count[0], count))
    return [_device(info) for info in infos[0 : min(len(infos), count[0])]]


def _destroy(process: int, gp: Any, in_flight: deque[Any], log_user: Any) -> None:
    """Also keeps memory of commands in flight, and what the log's callback uses, until the context is gone."""

    def destroy() -> None:
        with library():
            lib.gp_context_destroy(gp)
        in_flight.clear()

    if os.getpid() == process:  # a forked child must not destroy its parent's contexts
        outside_calls(destroy)


_contexts: set[weakref.ref[Base]] = set()  # all that are not gone


_ended = False  # the interpreter's end has begun


@atexit.register
def _end() -> None:
    """Ends the use of all contexts with the interpreter, and frees nothing: threads that are left behind may use it still.

    Keeps the locks, so that no call is under way when drivers clean up.
    """
    global _ended
    _ended = True
    for reference in list(_contexts):
        context = reference()
        if context is not None and context._is_here():
            context._lock.acquire()
            if context._finalizer.alive:
                lib.clFinish(context._queue)


def _pointer(kind: str, name: str, thing: Any) -> Any:
    """Returns the handle of an OpenCL object of PyOpenCL's."""
    if not is_pyopencl(thing, name):
        raise TypeError(f"of PyOpenCL's objects a {name} is taken here, not {type(thing).__name__}")
    return ffi.cast(kind, thing.int_ptr)


def _device_pointer(device: Any) -> Any:
    """Returns the handle of a device, ours or PyOpenCL's. One that was pickled is another process's."""
    if not isinstance(device, Device):
        return _pointer("cl_device_id", "Device", device)
    if (device.int_ptr, device.name) not in [(here.int_ptr, here.name) for here in devices()]:
        raise ValueError(f"{device.name} is a device of another process: give its name, or one of devices()")
    return ffi.cast("cl_device_id", device.int_ptr)


def _check_order(queue: Any) -> None:
    """Refuses a queue on which calls would not run one after the other."""
    properties = ffi.new("cl_ulong *")
    result = lib.clGetCommandQueueInfo(queue, 0x1093, 8, properties, ffi.NULL)  # CL_QUEUE_PROPERTIES
    check_opencl("clGetCommandQueueInfo", result)
    if properties[0] & 1:
        raise ValueError("the queue is out of order: calls need one that is in order, as PyOpenCL makes it by default")


class Base:
    """What all calls of a context stand on; `Context` has the calls."""

    def __init__(
        self,
        device: Union[str, Device, None, Any] = None,
        *,
        queue: Any = None,
        cl_context: Any = None,
        share: Optional[Base] = None,
        strategy: str = "auto",
        cache_dir: Optional[str] = None,
        disk_cache: bool = True,
        cache_limit: int = 0,
        program_limit: int = 0,
        scratch_limit: int = 0,
        dump_dir: Optional[str] = None,
        build_options: Optional[str] = None,
        fast_math: bool = False,
        profile: bool = False,
        check_monoids: bool = False,
        tuning: Optional[Mapping[str, int]] = None,
        tuning_file: Optional[str] = None,
    ) -> None:
        self._gp: Any = ffi.NULL
        self._thread = threading.get_ident()
        self._in_flight: deque[list[Any]] = deque()  # memory of others, each after the event at which commands let it go
        self._lock = threading.Lock()  # held during calls: another thread may make a context with `share` meanwhile
        self._instead: Optional[Callable[[Call, str, tuple[Any, ...]], None]] = None
        self._orphans: list[Any] = []  # hash tables whose handles are to be destroyed at the next chance
        if share is not None and not isinstance(share, Base):
            raise TypeError(f"share is a Context, not {type(share).__name__}")
        desc = ffi.new("gp_context_desc *")
        keep = []
        for field, text in [
            ("cache_dir", cache_dir),
            ("dump_dir", dump_dir),
            ("build_options", build_options),
            ("tuning_file", tuning_file),
            ("device_filter", device if isinstance(device, str) else None),
        ]:
            if text is not None:
                data = os.fsencode(text)
                if 0 in data:
                    raise ValueError(f"{field} has a character 0 in it")
                keep.append(ffi.new("char[]", data))
                setattr(desc, field, keep[-1])
        if device is not None and not isinstance(device, str):
            desc.device = _device_pointer(device)
        if queue is not None:
            check_process()
            desc.queue = _pointer("cl_command_queue", "CommandQueue", queue)
            _check_order(desc.queue)
        if cl_context is not None:
            desc.context = _pointer("cl_context", "Context", cl_context)
        desc.strategy = choice("strategy", strategy, STRATEGIES)
        desc.no_disk_cache = not disk_cache
        desc.cache_limit, desc.program_limit, desc.scratch_limit = cache_limit, program_limit, scratch_limit
        desc.fast_math, desc.profile, desc.check_monoids = fast_math, profile, check_monoids
        for field, number in (tuning or {}).items():
            if not hasattr(desc.tuning, field):
                raise ValueError(f"tuning has no {field!r}")
            setattr(desc.tuning, field, number)
        self._builds = Builds()
        self._log_user = ffi.new_handle(self._builds)
        desc.log, desc.log_user = _log_message, self._log_user
        gp = ffi.new("gp_context **")
        with library(), nullcontext() if share is None else share._lock:
            if share is not None:
                desc.share = share._open()
            check(ffi.NULL, lib.gp_context_create(desc, gp))
            self._gp = gp[0]
            self._finalizer = weakref.finalize(
                self, _destroy, os.getpid(), self._gp, self._in_flight, (self._builds, self._log_user)
            )
            self._finalizer.atexit = False
        self._process = os.getpid()
        self._queue: Any = lib.gp_cl_queue(self._gp)
        self._cl_context: Any = lib.gp_cl_context(self._gp)
        self.device: Device = _device(lib.gp_context_info(self._gp))
        _contexts.add(weakref.ref(self, _contexts.discard))

    # ---- life

    def close(self) -> None:
        """Waits for the queue and frees everything but arrays. Closing twice does nothing."""
        if not self._finalizer.alive or _ended:
            return
        self._check_usable()
        self._gp = ffi.NULL  # before the lock, for which a signal's handler must not wait
        with self._lock:
            self._finalizer()
            self._queue = self._cl_context = ffi.NULL  # which went with it, unless somebody else holds them

    def __reduce__(self) -> Any:
        raise TypeError("a context cannot be copied or pickled; Context(share=...) makes another")

    def __enter__(self: Any) -> Any:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "" if self._gp else ", closed"
        return f"<gpuprim.Context on {self.device.name}{state}>"

    def _check_usable(self) -> None:
        if threading.get_ident() != self._thread:
            raise RuntimeError(
                "this context was made by another thread; make one in this thread: Context(share=...)"
            )
        check_callable()
        self._open()

    def _open(self) -> Any:
        check_process()
        if not self._gp or _ended:
            raise RuntimeError("the context is closed")
        return self._gp

    def _is_here(self) -> bool:
        """Tells whether this process made the context, and no parent of it."""
        return os.getpid() == self._process

    @contextmanager
    def _enqueuing(self) -> Iterator[Any]:
        """Gives the queue for commands of the package's own: calls as the library's, also for handlers of signals."""
        self._check_usable()
        with library(), self._lock:
            yield self._queue

    def _call(self, name: str, *args: Any, buffers: Sequence[Buffer] = ()) -> None:
        """Makes a call, which uses these buffers."""
        self._check_usable()
        with library(), self._lock:
            self._keep(buffers)
            self._builds.call_begins()
            try:
                while self._orphans:
                    lib.gp_hash_destroy(self._gp, self._orphans.pop()[0])
                check(self._gp, getattr(lib, name)(self._gp, *args))
            finally:
                try:
                    self._let_go()
                finally:
                    self._builds.call_ends(name in ("gp_finish", "gp_warmup") or name.endswith("_read"))

    def _keep(self, buffers: Sequence[Buffer]) -> None:
        """Keeps those of others' memory, from before a call, whatever interrupts it, until all its commands have ended."""
        theirs = [buffer for buffer in buffers if buffer.owner is not None]
        if theirs:
            self._in_flight.append([None, theirs])

    def _let_go(self) -> None:
        """Notes after a call when its commands will have ended, and lets go of what earlier ones kept."""
        end = None
        for entry in reversed(self._in_flight):
            if entry[0] is not None:
                break
            end = entry[0] = end or self._mark()
        while self._in_flight and self._in_flight[0][0] is not None and self._in_flight[0][0].is_done:
            self._in_flight.popleft()

    def _watch(self, event: Event) -> Event:
        """Keeps an event until it has ended: PoCL (3.1) aborts where a command fails whose event nobody holds."""
        self._let_go()
        self._in_flight.append([event, []])
        return event

    def _mark(self) -> Event:
        event = ffi.new("cl_event *")
        result = lib.clEnqueueMarkerWithWaitList(self._queue, 0, ffi.NULL, event)
        if result != 0:
            lib.clFinish(self._queue)
        check_opencl("clEnqueueMarkerWithWaitList", result)
        check_opencl("clFlush", lib.clFlush(self._queue))
        return Event(event[0])

    def finish(self) -> None:
        """Blocks until everything so far has finished; raises the first failure on the device since the last time."""
        self._call("gp_finish")

    # ---- order

    def done(self) -> Event:
        """An `Event` that ends with all that is enqueued so far."""
        with self._enqueuing():
            return self._watch(self._mark())

    def wait_for(self, events: Iterable[Any]) -> None:
        """Lets everything enqueued from here on wait for events. The host does not wait.

        Parameters
        ----------
        events : iterable of Event or pyopencl.Event
            Of the same OpenCL context. Where one fails, the calls that wait for it do not run, and `finish` raises.

        Examples
        --------
        >>> other.wait_for([ctx.done()])  # doctest: +SKIP
        """
        self._check_usable()
        kept = list(events)  # a generator would let each event go once its handle is known
        waited = handles(kept)
        if waited:
            with self._enqueuing() as queue:
                barrier = ffi.new("cl_event *")
                result = lib.clEnqueueBarrierWithWaitList(queue, len(waited), waited, barrier)
                check_opencl("clEnqueueBarrierWithWaitList", result)
                self._watch(Event(barrier[0]))

    # ---- OpenCL

    @property
    def queue(self) -> Any:
        """The queue as a ``pyopencl.CommandQueue``."""
        import pyopencl as cl

        self._open()
        return cl.CommandQueue.from_int_ptr(int(ffi.cast("uintptr_t", self._queue)), retain=True)

    @property
    def cl_context(self) -> Any:
        """The OpenCL context as a ``pyopencl.Context``."""
        import pyopencl as cl

        return cl.Context.from_int_ptr(int(ffi.cast("uintptr_t", lib.gp_cl_context(self._open()))), retain=True)

    @property
    def cl_device(self) -> Any:
        """The device as a ``pyopencl.Device``."""
        import pyopencl as cl

        return cl.Device.from_int_ptr(int(ffi.cast("uintptr_t", lib.gp_cl_device(self._open()))), retain=False)

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
        if isinstance(x, Array):
            return x
        if hasattr(x, "base_data") and hasattr(x, "strides"):
            return from_pyopencl(self, x)
        host = as_host(x, name)
        if host.dtype.hasobject or host.dtype.kind not in "biufcV":
            raise TypeError(f"{name} has elements of type {host.dtype}, which cannot be on the device")
        return from_host(self, host)

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
        names = {"argsort": "sort", "unique_by_key": "unique", "hash_create": "hash"}

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

    def device_source(
        self,
        *,
        table: Optional[HashTable] = None,
        ops: Optional[Mapping[str, Union[tuple[str, npt.DTypeLike], Monoid]]] = None,
        group: int = 0,
    ) -> str:
        """OpenCL C for kernels of your own: put it before a kernel's source, and build with ``-cl-std=CL1.2``.

        Parameters
        ----------
        table : HashTable, optional
            For gp_hash_open, gp_hash_find, gp_hash_insert and more; the kernel takes the buffer of ``table.int_ptr``.
        ops : dict, optional
            Without a table: for each name of an operation of work-groups an (op, dtype) or a `Monoid`. The text then
            has gp_group_NAME_reduce, gp_group_NAME_scan and more.
        group : int
            Work-items of every group, where it is always the same number.
        """
        call = Call(self, "device_source")
        if table is not None:
            call.set(part=lib.GP_DEVICE_HASH, table=table._handle()[0])
        else:
            call.set(part=lib.GP_DEVICE_GROUP, group=group)
            if ops:
                c = call.keep(ffi.new("gp_group_op[]", len(ops)))
                for entry, (name, op) in zip(c, ops.items()):
                    entry.name = call.c_text("the name of an operation", name)
                    if isinstance(op, Monoid):
                        entry.monoid = call.monoid(op)
                    else:
                        entry.op, entry.type = choice("op", op[0], OPS), type_of(np.dtype(op[1]))
                call.set(ops=c, op_count=len(ops))
        size = ffi.new("size_t *")
        call.run("gp_device_source", ffi.NULL, 0, size)
        text = ffi.new("char[]", size[0])
        call.run("gp_device_source", text, size[0], size)
        return text_of(text)
