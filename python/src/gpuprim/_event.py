"""Events: what a queue has come to."""

from __future__ import annotations

import os
import weakref
from typing import Any

from ._errors import check_opencl
from ._native import check_process, ffi, lib

_STATUS, _COMPLETE = 0x11D3, 0  # CL_EVENT_COMMAND_EXECUTION_STATUS


def _release(process: int, event: Any) -> None:
    if os.getpid() == process:
        lib.clReleaseEvent(event)


def _status(event: Any) -> int:
    status = ffi.new("cl_int *")
    check_opencl("clGetEventInfo", lib.clGetEventInfo(event, _STATUS, 4, status, ffi.NULL))
    return int(status[0])


class Event:
    """The end of all that a context had enqueued when `Context.done` made it.

    Any thread may use it, and any context on the same OpenCL context may wait for it.
    """

    __slots__ = ("_event", "__weakref__")

    def __init__(self, event: Any) -> None:
        self._event = event
        weakref.finalize(self, _release, os.getpid(), event).atexit = False

    def __reduce__(self) -> Any:
        raise TypeError("an event cannot be copied or pickled")

    @property
    def is_done(self) -> bool:
        """Whether it has ended, or failed."""
        check_process()
        return _status(self._event) <= _COMPLETE

    def wait(self) -> None:
        """Blocks until it has ended; raises `Error` if it has failed."""
        check_process()
        check_opencl("clWaitForEvents", lib.clWaitForEvents(1, [self._event]))

    @property
    def int_ptr(self) -> int:
        """The cl_event as a number, as PyOpenCL takes it; it is not retained."""
        return int(ffi.cast("uintptr_t", self._event))


def is_pyopencl(thing: Any, name: str) -> bool:
    """Tells whether a thing is of a class of PyOpenCL's: the address of anything else is not to be trusted."""
    kinds = [kind for kind in type(thing).__mro__ if kind.__module__.partition(".")[0] == "pyopencl"]
    return any(kind.__name__ == name for kind in kinds) and hasattr(thing, "int_ptr")


def handles(events: list[Any]) -> list[Any]:
    """The cl_events of events of this package's and of PyOpenCL's, valid as long as the events themselves live."""
    for event in events:
        if not isinstance(event, Event) and not is_pyopencl(event, "Event"):
            raise TypeError(f"an event is gpuprim's or PyOpenCL's, not {type(event).__name__}")
    found = [ffi.cast("cl_event", event.int_ptr) for event in events]
    for event in found:
        if _status(event) < _COMPLETE:
            raise ValueError(f"an event to wait for has failed: OpenCL error {_status(event)}")
    return found
