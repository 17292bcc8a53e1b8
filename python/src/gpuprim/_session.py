"""A context's life: its device and queue, its calls, and the memory that they use."""

from __future__ import annotations

import atexit
import logging
import os
import threading
import weakref
from collections import deque
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

from ._errors import check, check_opencl, text_of
from ._event import Event, handles, is_pyopencl
from ._native import callback, check_callable, check_process, ffi, lib, library, outside_calls
from ._types import STRATEGIES, choice

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


_contexts: set[weakref.ref[Session]] = set()  # all that are not gone


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


def _release(process: int, mem: Any) -> None:
    if os.getpid() == process:  # a forked child has no part in its parent's objects
        lib.clReleaseMemObject(mem)


class Buffer:
    """A cl_mem that is released with its last user.

    If its memory is another object's, `owner`, the context keeps the buffer until commands that use it have ended.
    """

    __slots__ = ("mem", "owner", "read_only", "address", "__weakref__")

    def __init__(self, mem: Any, owner: Any = None, read_only: bool = False, address: int = 0) -> None:
        self.mem = mem
        self.owner = owner
        self.read_only = read_only
        self.address = address  # of memory of the host's that it is; 0: OpenCL's own, which is aligned
        weakref.finalize(self, _release, os.getpid(), mem).atexit = False  # threads may use it until the very end

    def __reduce__(self) -> Any:
        raise TypeError("a buffer cannot be copied or pickled")


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


class Session:
    """A device, a queue and their life; makes calls and keeps what they use. `Context` has the calls."""

    def __init__(
        self,
        device: Union[str, Device, None, Any] = None,
        *,
        queue: Any = None,
        cl_context: Any = None,
        share: Optional[Session] = None,
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
        self._instead: Optional[Callable[..., None]] = None
        self._orphans: list[Any] = []  # hash tables whose handles are to be destroyed at the next chance
        if share is not None and not isinstance(share, Session):
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
