"""The shared library, as cffi sees it, and who may call it. A call into it releases the interpreter's lock."""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Callable, Iterator, Optional

from ._cdef import ffi

try:
    lib: Any = ffi.dlopen(str(Path(__file__).with_name("_gpuprim.so")))
except OSError as error:
    raise ImportError(
        f"{error}; gpuprim needs the OpenCL loader (Debian: ocl-icd-libopencl1) and a device's driver"
        " (for CPUs: pocl-opencl-icd)"
    ) from None

_process: Optional[int] = None  # that used OpenCL first


class _Thread(threading.local):
    in_call = False
    raised: Optional[BaseException] = None  # by a callback
    later: Optional[list[Callable[[], None]]] = None


_thread = _Thread()


def check_process() -> None:
    """Raises RuntimeError in a fork of a process that has used OpenCL: drivers' threads are not there."""
    global _process
    if _process is None:
        _process = os.getpid()
    elif _process != os.getpid():
        raise RuntimeError(
            "this process is a fork of one that has used OpenCL, in which drivers do not work: start it by the method"
            " spawn or forkserver of multiprocessing, or fork before the first use"
        )


def check_callable() -> None:
    """Raises RuntimeError also from within a callback or a signal's handler, which cannot call the library: it would wait for itself."""
    check_process()
    if _thread.in_call:
        raise RuntimeError("the library is in a call, from within which a callback, or a signal's handler, cannot make another")


@contextmanager
def library() -> Iterator[Any]:
    """The library, for one call. Raises what a callback raised within it."""
    check_callable()
    try:
        _thread.in_call = True
        yield lib
    finally:
        _thread.in_call = False
        raised, _thread.raised = _thread.raised, None
        later, _thread.later = _thread.later, None
        for action in later or ():
            action()
        if raised is not None:
            raise raised


def callback(signature: str) -> Any:
    """A decorator for functions that the library calls. An exception in one is raised by the call."""

    def keep(kind: Any, error: BaseException, traceback: Any) -> None:
        if _thread.raised is None:
            _thread.raised = error

    return ffi.callback(signature, onerror=keep)


def outside_calls(action: Callable[[], None]) -> None:
    """Runs an action, if this thread is in a call after that: the collector may run within callbacks."""
    if not _thread.in_call:
        action()
    elif _thread.later is None:
        _thread.later = [action]
    else:
        _thread.later.append(action)


__all__ = ["callback", "check_callable", "check_process", "ffi", "lib", "library", "outside_calls"]
